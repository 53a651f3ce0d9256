"""The plugin keeps what every reranker and every plugin promises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hierdoc_llm import LlmConfig, NavigatorConfig, open_llm, open_navigator
from hierdoc_remote.loopback import chat_in_json, serving, shared_words
from hierdoc_testing import OpenComponent, PluginTests, PluginUnderTest, RerankerTests


def parts(prompt: str) -> tuple[str, str]:
    """The query, and what is to be judged."""
    query = prompt.partition("<query>\n")[2].partition("\n</query>")[0]
    return " ".join(query.split()), prompt.partition("</query>\n")[2]


def order(prompt: str) -> dict[str, Any]:
    """All excerpts, those with most words of the query first."""
    query, shown = parts(prompt)
    texts = {int(number): text for number, text in re.findall(r"^\[(\d+)\] (.*)$", shown, re.M)}
    return {"order": sorted(texts, key=lambda number: -shared_words(query, texts[number]))}


def way(prompt: str) -> dict[str, Any]:
    """The entries with the most words of the query."""
    query, shown = parts(prompt)
    entries = re.findall(r"^ *(\d+) (?:\+ )?(.*)$", shown, re.M)
    scores = {int(number): shared_words(query, text) for number, text in entries}
    best = max(scores.values(), default=0)
    found = [number for number, score in scores.items() if score == best > 0]
    return {"sections": [{"id": one, "reason": "has the words"} for one in found], "open": []}


class TestShapeOfAnOrder(RerankerTests):
    @pytest.fixture
    def open_reranker(self, tmp_path: Path) -> Iterator[OpenComponent]:
        with serving(chat_in_json(order)) as server:
            config = LlmConfig(base_url=server.url, model="small", cache_path=tmp_path)
            yield lambda: open_llm(config)


class TestShapeOfAWay(RerankerTests):
    @pytest.fixture
    def open_reranker(self, tmp_path: Path) -> Iterator[OpenComponent]:
        with serving(chat_in_json(way)) as server:
            config = NavigatorConfig(
                base_url=server.url, model="small", cache_path=tmp_path, outline_tokens=30_000
            )
            yield lambda: open_navigator(config)


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        reranker = {"provider": "llm", "model": "small", "api_key": "${OPENAI_API_KEY}"}
        return PluginUnderTest("hierdoc_llm", {"reranker": reranker})
