"""The plugin keeps what every converter and every plugin promises."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hierdoc_rst.converter import RstConverter
from hierdoc_testing import ConverterTests, OpenComponent, PluginTests, PluginUnderTest, Sample

WORDS = ("Hafen", "Straße", "法律责任", "Ende")


def rst(words: Sequence[str]) -> bytes:
    parts = "".join(f"About {n:04}\n==========\n\n{word} is.\n\n" for n, word in enumerate(words))
    return f"*******\nHarbour\n*******\n\n{parts}".encode()


class TestRst(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        return RstConverter

    @pytest.fixture
    def samples(self) -> Sequence[Sample]:
        headings = ["Harbour", *(f"About {n:04}" for n in range(len(WORDS)))]
        many = [f"word{n}" for n in range(500)]
        return [
            Sample("docs/harbour.rst", rst(WORDS), WORDS, headings),
            Sample("docs/long.rest", rst(many), many),
        ]


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        return PluginUnderTest("hierdoc_rst", {"converter": {"provider": "rst"}}, sdk=["docutils"])
