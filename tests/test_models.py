"""Contexts and rerankers on a real chat model, which `nox -s models` starts and HIERDOC_TEST_CHAT_URL names.

The model is small: what is asked here is that all goes well from end to end, not that what it says is good.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hierdoc import Index, Usage

URL = os.environ.get("HIERDOC_TEST_CHAT_URL", "")
if not URL:
    pytest.skip("HIERDOC_TEST_CHAT_URL names no chat model", allow_module_level=True)

MODEL = {"base_url": URL, "model": "qwen", "timeout": 300}
RERANKER = {**MODEL, "json_format": "object", "max_tokens": 300}

SECTIONS = {
    "Application": "This Act applies to every vessel that enters the harbour of Aldmouth between sunset and sunrise.",
    "Fees": "The master pays ten crowns for each night. The fee falls due on the day after arrival, and is paid at the toll house.",
    "Exemptions": "No fee is due for lifeboats, pilot boats, and vessels in distress.",
    "Penalties": "Whoever does not pay within a week pays the fee again, and loses the berth.",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    parts = [f"## Section {n} {title}\n\n{text}\n" for n, (title, text) in enumerate(SECTIONS.items(), 1)]  # fmt: skip
    (folder / "act.md").write_text("# Night Berths Act\n\n" + "\n".join(parts))
    return folder


@pytest.fixture
def opened(source: Path) -> Iterator[Any]:
    """Opens the index with these settings and brings it up to date."""
    held = []

    def make(**settings: Any) -> Index:
        stores = {"provider": "sqlite"}, {"provider": "tantivy"}
        vector, keyword = ({**one, "path": str(source.parent / "index")} for one in stores)
        chunker = {"provider": "structure", "max_chunk_tokens": 100}
        config = {"source": str(source), "vector": vector, "keyword": keyword, "chunker": chunker}
        held.append(Index.open({**config, **settings}))
        return held[-1]

    yield make
    for index in held:
        index.close()


def tell(what: str, usage: Usage) -> None:
    """Print what the server counted: `nox -s models` shows it."""
    print(f"\n{what}: {usage}")


def test_every_chunk_gets_a_line_by_the_model(opened: Any, tmp_path: Path) -> None:
    context = {
        "provider": "openai",
        **MODEL,
        "concurrency": 1,
        "cache_path": str(tmp_path / "said"),
    }
    index = opened(context=context)
    report = index.ingest()
    usage = report.usage
    tell("contexts", usage)
    assert not report.failures
    assert usage.requests == len(index.chunks()) >= 2
    assert usage.output > 10 * usage.requests
    for chunk in index.chunks():
        place, said = chunk.context.split("\n")
        assert place.startswith("Night Berths Act")
        assert len(said) > 20
    again = index.ingest(force=True)
    assert again.usage.requests == 0


@pytest.mark.parametrize("provider", ["llm", "navigator"])
def test_a_reranker_is_understood(opened: Any, tmp_path: Path, provider: str) -> None:
    query = "who may moor free of charge at night"
    plain = opened()
    plain.ingest()
    reranker = {"provider": provider, **RERANKER, "cache_path": str(tmp_path / "said")}
    index = opened(reranker=reranker, search={"rerank": {"timeout": 600}})
    result = index.search(query)
    usage = index._index._components.reranker.account.usage
    tell(provider, usage)
    assert not result.degraded
    assert {hit.chunk.id for hit in result.hits} == {
        hit.chunk.id for hit in plain.search(query).hits
    }
    assert usage.requests >= 1
    assert usage.uncached > 100
    assert usage.output > 5
    assert [hit.chunk.id for hit in index.search(query).hits] == [
        hit.chunk.id for hit in result.hits
    ]
    assert index._index._components.reranker.account.usage == usage
