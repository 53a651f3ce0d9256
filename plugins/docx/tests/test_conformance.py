"""The plugin keeps what every converter and every plugin promises."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

import pytest

from hierdoc_docx.converter import DocxConverter
from hierdoc_testing import ConverterTests, OpenComponent, PluginTests, PluginUnderTest, Sample

WORDS = ("Hafen", "Straße", "法律责任", "Ende")
HEADINGS = [f"About {n}" for n in range(len(WORDS))]
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def docx() -> bytes:
    body = "".join(
        paragraph(heading, '<w:outlineLvl w:val="0"/>') + paragraph(f"{word} is.")
        for heading, word in zip(HEADINGS, WORDS, strict=True)
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(
            "_rels/.rels",
            f'<Relationships><Relationship Type="{OFFICE}/officeDocument" Target="a.xml"/></Relationships>',
        )
        archive.writestr(
            "a.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
        )
    return out.getvalue()


class TestDocx(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        return DocxConverter

    @pytest.fixture
    def samples(self) -> Sequence[Sample]:
        return [Sample("docs/harbour.docx", docx(), WORDS, HEADINGS)]


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        return PluginUnderTest("hierdoc_docx", {"converter": {"provider": "docx"}}, sdk=["lxml"])
