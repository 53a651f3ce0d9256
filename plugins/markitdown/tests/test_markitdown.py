"""The markitdown converter: each format as a small file made here, and what is refused and why."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import socket
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hierdoc import ConversionError, Document, Source
from hierdoc.defaults.converters import MARKITDOWN_SUFFIXES
from hierdoc.plugin import ComponentKind, ConversionLimits, Registry
from hierdoc_markitdown import converter as converter_module
from hierdoc_markitdown.cells import count_cells
from hierdoc_markitdown.converter import MarkitdownConverter
from hierdoc_markitdown.linked import without_linked_pictures
from hierdoc_markitdown.tidy import joined, slides, tidied, word

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise AssertionError("a conversion must not use the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def convert(name: str, data: bytes) -> Document:
    return asyncio.run(MarkitdownConverter().convert(Source(name, data)))


def pages(document: Document) -> list[str]:
    starts = [*document.page_starts, len(document.text)]
    return [document.text[start:end].strip() for start, end in pairwise(starts)]


def pdf(*page_texts: str, title: str = "", encrypted: bool = False) -> bytes:
    """A PDF file with one line of Helvetica on each page."""
    count = len(page_texts)
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {count} /Kids [{' '.join(f'{5 + 2 * i} 0 R' for i in range(count))}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        f"<< /Title ({title}) >>",
    ]
    for i, text in enumerate(page_texts):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {6 + 2 * i} 0 R >>",
            f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        ]
    key = "00" * 32
    lock = f"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{key}> /U <{key}> >> /ID [<00> <00>]"
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1"))
    start = out.tell()
    entries = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{entries}".encode())
    trailer = f"/Size {len(objects) + 1} /Root 1 0 R /Info 4 0 R {lock if encrypted else ''}"
    out.write(f"trailer << {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def zipped(files: Mapping[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def docx(*paragraphs: tuple[str, str]) -> bytes:
    """A Word file of paragraphs, each with the name of its style."""
    body = "".join(
        f"<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"
        for style, text in paragraphs
    )
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>'
        for n in (1, 2)
    )
    styles += '<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>'
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{TYPES}"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName='
            f'"/word/document.xml" ContentType="{main}.document.main+xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Type='
            f'"{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{RELATIONS}"><Relationship '
            f'Id="r1" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
            "word/styles.xml": f'<w:styles xmlns:w="{WORD}">{styles}</w:styles>',
            "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
        }
    )


def docx_with_picture(relation: str, blip: str) -> bytes:
    """A Word file with a picture, which is described as `A berth`."""
    drawing = (
        "<w:drawing><wp:inline><wp:docPr id='1' name='p' descr='A berth'/><a:graphic><a:graphicData><pic:pic><pic:blipFill>"
        f"{blip}</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>"
    )
    spaces = (
        f"xmlns:r='{OFFICE}' xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main' "
        "xmlns:wp='http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing' "
        "xmlns:pic='http://schemas.openxmlformats.org/drawingml/2006/picture'"
    )
    kind = "" if "Type=" in relation else f'Type="{OFFICE}/image" '
    with zipfile.ZipFile(io.BytesIO(docx(("Heading1", "Scope"), ("Body", "After.")))) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    body = files["word/document.xml"]
    body = body.replace("<w:document ", f"<w:document {spaces} ")
    before = f"<w:p><w:r><w:t xml:space='preserve'>Before </w:t>{drawing}</w:r></w:p>"
    place = body.index("</w:p>") + len("</w:p>")
    files["word/document.xml"] = body[:place] + before + body[place:]
    relations = files["word/_rels/document.xml.rels"]
    files["word/_rels/document.xml.rels"] = relations.replace(
        "</Relationships>", f'<Relationship Id="r9" {kind}{relation}/></Relationships>'
    )
    return zipped(files)


def pptx(*titles: str) -> bytes:
    import pptx as library

    presentation = library.Presentation()
    for title in titles:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = f"About {title}."
    out = io.BytesIO()
    presentation.save(out)
    return out.getvalue()


def xlsx(rows: list[list[Any]]) -> bytes:
    import openpyxl

    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = "Costs"
    for row in rows:
        sheet.append(row)
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()


def epub(title: str, chapter: str) -> bytes:
    return zipped(
        {
            "META-INF/container.xml": "<container><rootfiles><rootfile full-path='content.opf'/>"
            "</rootfiles></container>",
            "content.opf": "<package xmlns:dc='http://purl.org/dc/elements/1.1/'><metadata>"
            f"<dc:title>{title}</dc:title></metadata><manifest><item id='c' href='c.xhtml'/>"
            "</manifest><spine><itemref idref='c'/></spine></package>",
            "c.xhtml": f"<html><body>{chapter}</body></html>",
        }
    )


class TestPdf:
    def test_every_page_begins_where_it_says(self) -> None:
        document = convert("docs/act.pdf", pdf("First page.", "Second page.", "Third page."))
        assert pages(document) == ["First page.", "Second page.", "Third page."]
        assert document.page_starts[0] == 0

    def test_a_page_without_text_has_its_place(self) -> None:
        assert pages(convert("a.pdf", pdf("One.", "", "Three."))) == ["One.", "", "Three."]

    @pytest.mark.parametrize(
        ("metadata", "title"),
        [
            ("Annual report 2022", "Annual report 2022"),
            ("Microsoft Word - draft.docx", "act"),
            ("0000064803-23-000009", "act"),
            ("\\(anonymous\\)", "act"),
            ("", "act"),
        ],
    )
    def test_the_title_is_the_one_for_readers(self, metadata: str, title: str) -> None:
        assert convert("docs/act.pdf", pdf("Text.", title=metadata)).title == title

    def test_pictures_of_pages_are_an_error_that_says_so(self) -> None:
        with pytest.raises(ConversionError, match=r"scan\.pdf: holds no text") as raised:
            convert("scan.pdf", pdf("", ""))
        assert "OCR" in str(raised.value.hint)

    def test_an_encrypted_file_is_an_error_that_says_so(self) -> None:
        with pytest.raises(ConversionError, match=r"a\.pdf: is encrypted"):
            convert("a.pdf", pdf("Secret.", encrypted=True))

    @pytest.mark.parametrize("data", [b"", b"%PDF-1.7", b"<html>no</html>", pdf("x")[:60]])
    def test_a_damaged_file_is_an_error_that_says_so(self, data: bytes) -> None:
        with pytest.raises(ConversionError, match=r"a\.pdf: is damaged, or no PDF file"):
            convert("a.pdf", data)

    def test_a_page_that_markitdown_cannot_read_is_read_without_layout(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def fail(*args: object) -> None:
            raise ValueError("odd page")

        monkeypatch.setattr("markitdown.converters.PdfConverter.convert", fail)
        assert pages(convert("a.pdf", pdf("One.", "Two."))) == ["One.", "Two."]
        assert "a.pdf: page 2 is read without its layout: odd page" in caplog.text


class TestOffice:
    def test_word_headings_are_headings(self) -> None:
        document = convert(
            "a.docx", docx(("Heading1", "An Act"), ("Heading2", "Scope"), ("Body", "It applies."))
        )
        assert document.title == "An Act"
        assert document.text == "# An Act\n\n## Scope\n\nIt applies."

    def test_the_title_of_a_word_file_is_a_heading(self) -> None:
        document = convert("a.docx", docx(("Title", "An Act"), ("Heading2", "Scope")))
        assert document.text == "# An Act\n\n## Scope"

    @pytest.mark.parametrize(
        ("relation", "picture"),
        [
            ('Target="file:///C:/scan.png" TargetMode="External"', "<a:blip r:link='r9'/>"),
            (
                'Target="https://example.org/a.png" TargetMode="External"',
                "<a:blip r:link='r9' r:embed='r9'/>",
            ),
            ('TargetMode="External" Target="scan.png"', '<a:blip cstate="print" r:link="r9"/>'),
            ('Target="media/missing.png"', "<a:blip r:embed='r9'/>"),
        ],
    )
    def test_linked_pictures_are_their_description(self, relation: str, picture: str) -> None:
        document = convert("a.docx", docx_with_picture(relation, picture))
        assert document.text == "# Scope\n\nBefore A berth\n\nAfter."

    def test_other_links_of_word_files_stay(self) -> None:
        relation = f'Type="{OFFICE}/hyperlink" Target="https://example.org/" TargetMode="External"'
        data = docx_with_picture(relation, "<a:blip r:link='r9'/>")
        assert without_linked_pictures(data) is data

    def test_slides_are_pages(self) -> None:
        document = convert("talk.pptx", pptx("Intro", "End"))
        assert [page.split("\n")[0] for page in pages(document)] == ["# Intro", "# End"]
        assert "About End." in pages(document)[1]
        assert "<!--" not in document.text
        assert document.title == "Intro"

    def test_sheets_are_tables(self) -> None:
        document = convert("plan.xlsx", xlsx([["Item", None, "Euro"], ["Paper", None, 5]]))
        assert document.title == "plan"
        assert document.text.startswith("## Costs")
        assert "| Item | | Euro |" in document.text
        assert "| Paper | | 5 |" in document.text

    def test_an_epub_has_its_title(self) -> None:
        document = convert("a.epub", epub("The Book", "<h1>One</h1><p>It begins.</p>"))
        assert document.title == "The Book"
        assert "# One\n\nIt begins." in document.text

    @pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.epub"])
    def test_damaged_files_are_errors_that_say_so(self, name: str) -> None:
        with pytest.raises(ConversionError, match="is damaged, or no"):
            convert(name, b"PK\x03\x04 and then nothing")

    @pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.epub", "a.xls", "a.msg"])
    def test_an_archive_of_something_else_is_an_error(self, name: str) -> None:
        with pytest.raises(ConversionError, match=rf"{name}: cannot be converted"):
            convert(name, zipped({"readme.txt": "no document"}))

    def test_a_password_is_an_error_that_says_so(self) -> None:
        with pytest.raises(ConversionError, match=r"a\.docx: is encrypted"):
            convert("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512))

    def test_a_bomb_is_not_unpacked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(converter_module, "MOST_UNPACKED", 1 << 20)
        with pytest.raises(ConversionError, match=r"a\.docx: would unpack to 4 MiB"):
            convert("a.docx", zipped({"word/document.xml": " " * (4 << 20)}))


class TestText:
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
    def test_csv_is_a_table(self, encoding: str) -> None:
        document = convert("a.csv", "Name,Ort\nJürgen,Köln\nJörg,Düsseldorf\n".encode(encoding))
        assert document.text == (
            "| Name | Ort |\n| --- | --- |\n| Jürgen | Köln |\n| Jörg | Düsseldorf |"
        )

    def test_json_is_kept(self) -> None:
        assert convert("a.json", '{"größe": 1}'.encode()).text == '{"größe": 1}'

    def test_non_ascii_far_behind_the_start_is_read(self) -> None:
        text = "x" * 100_000 + " Größe"
        assert convert("a.json", text.encode()).text == text

    def test_a_feed_is_read_and_other_xml_kept(self) -> None:
        feed = "<rss version='2.0'><channel><title>News</title><item><title>One</title></item></channel></rss>"
        assert "# News" in convert("a.xml", feed.encode()).text
        assert (
            convert("b.xml", b"<act><title>T</title></act>").text == "<act><title>T</title></act>"
        )
        assert convert("c.xml", b"<no xml").text == "<no xml"

    @pytest.mark.parametrize(("name", "said"), [("a.json", "convert"), ("a.xml", "hierdoc[xml]")])
    def test_what_is_read_as_bare_text_is_noted(self, name: str, said: str) -> None:
        (note,) = convert(name, b"<a/>").notes
        assert "is read as bare text" in note
        assert said in note

    def test_what_has_structure_is_not_noted(self) -> None:
        feed = "<rss version='2.0'><channel><title>News</title></channel></rss>"
        assert convert("a.xml", feed.encode()).notes == ()
        assert convert("a.csv", b"a,b\n1,2\n").notes == ()

    def test_notebooks_are_text_and_code(self) -> None:
        cells = [
            {"cell_type": "markdown", "source": ["# Study"]},
            {"cell_type": "code", "source": ["x = 1"]},
        ]
        notebook = json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": cells}).encode()
        document = convert("a.ipynb", notebook)
        assert document.title == "Study"
        assert "```python\nx = 1\n```" in document.text

    def test_a_broken_notebook_is_an_error(self) -> None:
        with pytest.raises(
            ConversionError, match=r"a\.ipynb: cannot be converted: JSONDecodeError"
        ):
            convert("a.ipynb", b"{")


class TestTidying:
    def test_images_are_their_description(self) -> None:
        assert tidied("a ![A cat](data:image/png;base64...) b ![](x.png)") == "a A cat b"

    def test_white_space_at_ends_goes(self) -> None:
        assert tidied("\ufeffa  \r\nb\n\n\n\nc\0\n") == "a\nb\n\nc\ufffd"

    def test_footnote_marks_are_plain(self) -> None:
        text = "It holds.[[1]](#footnote-2)\n\n1. Mostly. [↑](#footnote-ref-2)"
        assert word(text) == "It holds.[1]\n\n1. Mostly."

    def test_a_table_without_head_is_headed_by_its_first_row(self) -> None:
        text = "|  |  |\n| --- | --- |\n| Item | Euro |\n| Paper | 5 |"
        assert word(text) == "| Item | Euro |\n| --- | --- |\n| Paper | 5 |"

    def test_a_table_with_a_head_stays(self) -> None:
        text = "| Item |  |\n| --- | --- |\n| Paper | 5 |"
        assert word(text) == text

    def test_pages_are_joined_with_their_starts(self) -> None:
        assert joined(["a", "", "bc"]) == ("a\n\nbc\n\n", (0, 3, 3))
        assert joined([]) == ("", ())

    def test_slides_are_split(self) -> None:
        text = "\n\n<!-- Slide number: 1 -->\n# A\n\n<!-- Slide number: 2 -->\n"
        assert slides(text) == ["# A", ""]


def test_a_suffix_it_does_not_claim_is_an_error() -> None:
    with pytest.raises(ConversionError, match=r"a\.zip: is not of a format"):
        convert("a.zip", b"PK")


def test_it_claims_what_the_hint_of_auto_promises() -> None:
    assert set(MarkitdownConverter.suffixes) == MARKITDOWN_SUFFIXES


def test_is_found_by_name() -> None:
    registry = Registry()
    config = registry.find(ComponentKind.CONVERTER, "markitdown").config()
    assert ".pdf" in registry.open(ComponentKind.CONVERTER, config).suffixes


def test_warnings_of_libraries_do_not_show() -> None:
    convert("a.pdf", pdf("x"))
    with warnings.catch_warnings(record=True) as shown:
        warnings.warn_explicit("odd", UserWarning, "f.py", 1, module="openpyxl.worksheet._reader")
    assert not shown
    assert not logging.getLogger("pdfminer.pdffont").isEnabledFor(logging.WARNING)


def test_opening_it_imports_nothing_heavy() -> None:
    program = (
        "import sys; from hierdoc.plugin import ComponentKind, default_registry\n"
        "registry = default_registry()\n"
        "registry.open(ComponentKind.CONVERTER, registry.find(ComponentKind.CONVERTER, 'markitdown').config())\n"
        "print(sorted({'markitdown', 'onnxruntime', 'pandas', 'pdfminer'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_real_bill_knows_its_pages(shared_data: Path) -> None:
    import pypdfium2

    file = shared_data / "legal" / "bill-hr8847.pdf"
    if not file.is_file():
        pytest.skip("no bill in the shared data")
    whole, some, out = pypdfium2.PdfDocument(file), pypdfium2.PdfDocument.new(), io.BytesIO()
    some.import_pages(whole, [0, 9, 19])
    some.save(out)
    expected = [whole[number].get_textpage().get_text_range() for number in (0, 9, 19)]
    found = pages(convert("bill.pdf", out.getvalue()))
    for page, text in zip(found, expected, strict=True):
        words = set(text.split())
        assert len(words & set(page.split())) > 0.8 * len(words)


# Limits


def workbook(cells: Mapping[str, int]) -> bytes:
    import openpyxl

    book, data = openpyxl.Workbook(), io.BytesIO()
    for place, value in cells.items():
        book.active[place] = value
    book.save(data)
    return data.getvalue()


def test_cells_are_counted_up_to_the_last_row_and_column() -> None:
    assert count_cells(workbook({"A1": 1, "C2": 2, "B7": 3})) == 21
    assert count_cells(workbook({"XFD1048576": 1})) == 16_384 * 1_048_576


def test_a_workbook_of_too_many_cells_is_refused() -> None:
    limits = ConversionLimits(processes=0, cells=20)
    converter = MarkitdownConverter(limits)
    few, many = workbook({"E4": 1}), workbook({"E5": 1})
    assert asyncio.run(converter.convert(Source("a.xlsx", few))).text
    with pytest.raises(ConversionError, match=r"a\.xlsx: has 25 cells, .* the limit is 20"):
        asyncio.run(converter.convert(Source("a.xlsx", many)))


def test_files_are_converted_elsewhere_within_limits() -> None:
    async def work() -> list[str]:
        converter = MarkitdownConverter(ConversionLimits(processes=1, characters=30))
        try:
            first = await converter.convert(Source("a.csv", b"word\nHafen\n"))
            with pytest.raises(ConversionError, match="the limit is 30"):
                await converter.convert(Source("b.csv", b"word\n" + b"Hafen\n" * 10))
            return first.text.split()
        finally:
            await converter.aclose()

    assert "Hafen" in asyncio.run(work())
