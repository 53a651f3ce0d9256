"""The plugin keeps what every converter and every plugin promises."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hierdoc_testing import ConverterTests, OpenComponent, PluginTests, PluginUnderTest, Sample
from hierdoc_xml.converter import XmlConverter

WORDS = ("Hafen", "Straße", "法律责任", "Ende")


def docbook(words: Sequence[str]) -> bytes:
    parts = "".join(
        f"<section><title>About {n}</title><para>{word} is.</para></section>"
        for n, word in enumerate(words)
    )
    return f"<article><title>Harbour</title>{parts}</article>".encode()


class TestXml(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        return XmlConverter

    @pytest.fixture
    def samples(self) -> Sequence[Sample]:
        headings = ["Harbour", *(f"About {n}" for n in range(len(WORDS)))]
        many = [f"word{n}" for n in range(3000)]
        bare = "".join(f"<p>{word}</p>" for word in WORDS)
        return [
            Sample("docs/harbour.xml", docbook(WORDS), WORDS, headings),
            Sample("docs/long.xml", docbook(many), many),
            Sample("docs/bare.xml", f"<stock>{bare}</stock>".encode(), WORDS),
        ]


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        return PluginUnderTest("hierdoc_xml", {"converter": {"provider": "xml"}}, sdk=["lxml"])
