"""The plugin keeps what every converter and every plugin promises."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

import pytest

from hierdoc_markitdown.converter import MarkitdownConverter
from hierdoc_testing import ConverterTests, OpenComponent, PluginTests, PluginUnderTest, Sample

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def docx(*paragraphs: str) -> bytes:
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" '
        f'ContentType="{kind}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Type="{DOCUMENT}" '
        'Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


class TestMarkitdown(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        return MarkitdownConverter

    @pytest.fixture
    def samples(self) -> Sequence[Sample]:
        words = ["Hafen", "Straße", "法律责任", "Ende"]
        table = "word,number\n" + "".join(f"{word},1\n" for word in words)
        return [
            Sample("docs/letter.docx", docx(*(f"{word} steht hier." for word in words)), words),
            Sample("docs/table.csv", table.encode(), words),
        ]


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        return PluginUnderTest(
            "hierdoc_markitdown", {"converter": {"provider": "markitdown"}}, sdk=["markitdown"]
        )
