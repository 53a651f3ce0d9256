"""The plugin keeps what every converter and every plugin promises."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

import pytest

from hierdoc_ebook.converter import EbookConverter
from hierdoc_testing import ConverterTests, OpenComponent, PluginTests, PluginUnderTest, Sample

WORDS = ("Hafen", "Straße", "法律责任", "Ende")
HEADINGS = [f"About {n}" for n in range(len(WORDS))]
OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


def zipped(files: Mapping[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def epub() -> bytes:
    body = "".join(f"<h2 id='i{n}'>About {n}</h2><p>{word} is.</p>" for n, word in enumerate(WORDS))
    links = "".join(f"<li><a href='a.xhtml#i{n}'>{one}</a></li>" for n, one in enumerate(HEADINGS))
    return zipped(
        {
            "META-INF/container.xml": "<container><rootfile full-path='a.opf'/></container>",
            "a.opf": "<package><manifest><item id='a' href='a.xhtml'/><item id='n' href='n.xhtml' properties='nav'/>"
            "</manifest><spine><itemref idref='a'/></spine></package>",
            "a.xhtml": f"<html><body>{body}</body></html>",
            "n.xhtml": f"<html><body><nav epub:type='toc'><ol>{links}</ol></nav></body></html>",
        }
    )


def odt() -> bytes:
    body = "".join(
        f"<text:h text:outline-level='1'>About {n}</text:h><text:p>{word} is.</text:p>"
        for n, word in enumerate(WORDS)
    )
    content = (
        f"<office:document-content xmlns:office='{OFFICE}:office:1.0' xmlns:text='{OFFICE}:text:1.0'>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    return zipped({"content.xml": content})


class TestEbook(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        return EbookConverter

    @pytest.fixture
    def samples(self) -> Sequence[Sample]:
        return [
            Sample("docs/harbour.epub", epub(), WORDS, HEADINGS),
            Sample("docs/harbour.odt", odt(), WORDS, HEADINGS),
        ]


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        return PluginUnderTest("hierdoc_ebook", {"converter": {"provider": "ebook"}}, sdk=["lxml"])
