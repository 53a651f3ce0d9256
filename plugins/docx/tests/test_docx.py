"""Word files to markdown: small ones made here, of XML, and what hostile ones may not do."""

from __future__ import annotations

import asyncio
import io
import shutil
import subprocess
import time
import zipfile
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import pytest

from hierdoc import ConversionError, Document, Section, Source
from hierdoc.defaults.converters import AutoConverter
from hierdoc.structure import flatten, understand
from hierdoc_docx.converter import DocxConverter
from hierdoc_docx.numerals import numeral
from hierdoc_xml import archive

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
NAMESPACES = (
    f'xmlns:w="{WORD}" xmlns:r="{OFFICE}" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
HEADINGS = "".join(
    f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/>'
    f'<w:pPr><w:outlineLvl w:val="{n - 1}"/></w:pPr></w:style>'
    for n in range(1, 10)
)
TITLE = '<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>'


def docx(
    body: str,
    *,
    styles: str = HEADINGS + TITLE,
    numbering: str = "",
    footnotes: str = "",
    links: Mapping[str, str] | None = None,
    title: str = "",
    author: str = "",
) -> bytes:
    """A file of this body; the parts that are empty are not there."""
    parts = {"styles": styles, "numbering": numbering, "footnotes": footnotes}
    kept = {name: text for name, text in parts.items() if text}
    related = "".join(
        f'<Relationship Id="p{name}" Type="{OFFICE}/{name}" Target="{name}.xml"/>' for name in kept
    ) + "".join(
        f'<Relationship Id="{key}" Type="{OFFICE}/hyperlink" Target="{target}" TargetMode="External"/>'
        for key, target in (links or {}).items()
    )
    types = "".join(
        f'<Override PartName="/word/{name}.xml"'
        f' ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.{name}+xml"/>'
        for name in kept
    )
    properties = f"<dc:title>{escape(title)}</dc:title><dc:creator>{escape(author)}</dc:creator>"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Override PartName="/word/document.xml"'
        ' ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
        f"{types}</Types>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="d" Type="{OFFICE}/officeDocument" Target="word/document.xml"/>'
        f'<Relationship Id="c" Type="{PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/>'
        "</Relationships>",
        "docProps/core.xml": f'<cp:coreProperties xmlns:cp="{PACKAGE}/metadata/core-properties" {NAMESPACES}>'
        f"{properties}</cp:coreProperties>",
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{related}</Relationships>',
        "word/document.xml": f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
        **{
            f"word/{name}.xml": f"<w:{name} {NAMESPACES}>{text}</w:{name}>"
            for name, text in kept.items()
        },
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def run(text: str, properties: str = "") -> str:
    """Words with these properties."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def p(
    text: str = "",
    style: str = "",
    numbered: tuple[int, int] | None = None,
    *,
    bold: bool = False,
    properties: str = "",
    held: str = "",
) -> str:
    """A paragraph of a text and of what is held besides; `numbered` by a list at a level."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    counted = (
        f'<w:numPr><w:ilvl w:val="{numbered[1]}"/><w:numId w:val="{numbered[0]}"/></w:numPr>'
        if numbered
        else ""
    )
    words = run(text, "<w:b/>" if bold else "") if text else ""
    return f"<w:p><w:pPr>{named}{counted}{properties}</w:pPr>{words}{held}</w:p>"


def definition(number: int, *levels: tuple[str, str] | tuple[str, str, str]) -> str:
    """The definition of lists: for each level its format, its text, and what else it states."""
    held = "".join(
        f'<w:lvl w:ilvl="{place}"><w:start w:val="1"/><w:numFmt w:val="{level[0]}"/>'
        f'{"".join(level[2:])}<w:lvlText w:val="{level[1]}"/></w:lvl>'
        for place, level in enumerate(levels)
    )
    return f'<w:abstractNum w:abstractNumId="{number}"><w:multiLevelType w:val="multilevel"/>{held}</w:abstractNum>'


def lists(
    *of: tuple[int, int], starts: Mapping[int, Sequence[tuple[int, int]]] | None = None
) -> str:
    """Lists with their definitions, and those that start by their own word: level and number."""
    held = ""
    for number, defined in of:
        own = "".join(
            f'<w:lvlOverride w:ilvl="{level}"><w:startOverride w:val="{start}"/></w:lvlOverride>'
            for level, start in (starts or {}).get(number, ())
        )
        held += f'<w:num w:numId="{number}"><w:abstractNumId w:val="{defined}"/>{own}</w:num>'
    return held


def convert(data: bytes, name: str = "a.docx") -> Document:
    return asyncio.run(DocxConverter().convert(Source(name, data)))


def sections(document: Document) -> list[Section]:
    return [entry.section for entry in flatten(understand(document).sections)]


CONTRACT = (
    definition(
        0,
        ("decimal", "%1.", '<w:pStyle w:val="Heading1"/>'),
        ("decimal", "%1.%2", '<w:pStyle w:val="Heading2"/>'),
        ("lowerLetter", "(%3)"),
        ("lowerRoman", "(%4)"),
    )
    + definition(1, ("bullet", "•"), ("bullet", "o"))
    + definition(2, ("decimal", "%1."), ("lowerLetter", "%2."))
    + lists((1, 0), (2, 1), (3, 2), (4, 2), starts={4: [(0, 1)]})
)
NUMBERED = TITLE + "".join(
    f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/>'
    f'<w:pPr><w:numPr><w:ilvl w:val="{n - 1}"/><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="{n - 1}"/></w:pPr></w:style>'
    for n in (1, 2)
)
BODY = "".join(
    (
        p("Supply Agreement", "Title"),
        p("Definitions", "Heading1"),
        p("“Goods” means what the Schedule lists.", "Heading2"),
        p("The following is part of the Price:", "Heading2"),
        p("taxes;", numbered=(1, 2)),
        p("duties, namely:", numbered=(1, 2)),
        p("import;", numbered=(1, 3)),
        p("export.", numbered=(1, 3)),
        p("Price", "Heading1"),
        p("The Buyer pays within thirty days.", "Heading2"),
        p("first", numbered=(1, 2)),
    )
)


class TestNumbers:
    def test_are_counted_as_word_does(self) -> None:
        document = convert(docx(BODY, styles=NUMBERED, numbering=CONTRACT))
        assert document.text.split("\n\n") == [
            "# Supply Agreement",
            "## 1. Definitions",
            "1.1 “Goods” means what the Schedule lists.",
            "1.2 The following is part of the Price:",
            "(a) taxes;",
            "(b) duties, namely:",
            "(i) import;",
            "(ii) export.",
            "## 2. Price",
            "2.1 The Buyer pays within thirty days.",
            "(a) first\n",
        ]
        keys = [section.id for section in sections(document)]
        assert {"sec_1", "sec_1_2", "sec_1_2_b_ii", "sec_2_1", "sec_2_1_a"} <= set(keys)

    @pytest.mark.skipif(not shutil.which("soffice"), reason="LibreOffice is not installed")
    def test_are_those_that_another_program_shows(self, tmp_path: Path) -> None:
        path = tmp_path / "a.docx"
        path.write_bytes(docx(BODY, styles=NUMBERED, numbering=CONTRACT))
        subprocess.run(
            [
                *("soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless"),
                *("--convert-to", "txt:Text", "--outdir", str(tmp_path), str(path)),
            ],
            check=True, capture_output=True, timeout=120,
        )  # fmt: skip
        shown = path.with_suffix(".txt").read_text(encoding="utf-8-sig")
        ours = convert(path.read_bytes()).text
        assert [line.strip() for line in shown.splitlines()] == [
            line.strip("# ") for line in ours.splitlines() if line
        ]

    def test_a_list_with_a_start_of_its_own_begins_anew_and_others_of_its_definition_count_on(
        self,
    ) -> None:
        numbering = definition(0, ("decimal", "Clause %1:")) + lists(
            (1, 0), (2, 0), (3, 0), starts={3: [(0, 7)]}
        )
        body = "".join(p(f"in {n}", numbered=(n, 0)) for n in (1, 1, 2, 3, 3, 1))
        assert convert(docx(body, numbering=numbering)).text.split("\n\n") == [
            "Clause 1: in 1", "Clause 2: in 1", "Clause 3: in 2",
            "Clause 7: in 3", "Clause 8: in 3", "Clause 9: in 1\n",
        ]  # fmt: skip

    def test_a_level_that_never_restarts_goes_on_and_one_that_restarts_late_waits(self) -> None:
        def shown(restart: str) -> list[str]:
            numbering = definition(
                0, ("decimal", "P%1"), ("decimal", "C%2"), ("decimal", "S%3", restart)
            ) + lists((1, 0))
            body = "".join(p("x", numbered=(1, level)) for level in (0, 1, 2, 1, 2, 0, 1, 2))
            return [
                line.split()[0]
                for line in convert(docx(body, numbering=numbering)).text.split("\n\n")
            ]

        assert shown("")[2::2] == ["S1", "S1", "C1"]
        assert shown('<w:lvlRestart w:val="0"/>') == "P1 C1 S1 C2 S2 P2 C1 S3".split()
        assert shown('<w:lvlRestart w:val="1"/>') == "P1 C1 S1 C2 S2 P2 C1 S1".split()

    def test_a_level_may_show_all_numbers_as_digits(self) -> None:
        numbering = definition(
            0, ("upperRoman", "Article %1"), ("decimalZero", "%1.%2", "<w:isLgl/>")
        ) + lists((1, 0))
        body = p("Fees", numbered=(1, 0)) + p("Due.", numbered=(1, 1)) + p("Paid.", numbered=(1, 1))
        text = convert(docx(body, numbering=numbering)).text
        assert text.split("\n\n") == ["Article I Fees", "1.01 Due.", "1.02 Paid.\n"]

    def test_a_paragraph_can_do_without_the_number_of_its_style(self) -> None:
        body = p("One", "Heading1") + p("Annex", "Heading1", (0, 0)) + p("Two", "Heading1")
        text = convert(docx(body, styles=NUMBERED, numbering=CONTRACT)).text
        assert text.split("\n\n") == ["# 1. One", "# Annex", "# 2. Two\n"]

    def test_an_empty_paragraph_counts_and_a_deleted_one_does_not(self) -> None:
        numbering = definition(0, ("decimal", "%1)")) + lists((1, 0))
        gone = p(numbered=(1, 0), properties="<w:rPr><w:del/></w:rPr>")
        body = p("a", numbered=(1, 0)) + p(numbered=(1, 0)) + gone + p("b", numbered=(1, 0))
        assert convert(docx(body, numbering=numbering)).text == "1) a\n\n3) b\n"

    def test_a_list_may_take_its_levels_from_a_style_of_lists(self) -> None:
        styles = (
            '<w:style w:type="numbering" w:styleId="Law"><w:name w:val="Law"/>'
            '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        )
        linked = '<w:abstractNum w:abstractNumId="5"><w:numStyleLink w:val="Law"/></w:abstractNum>'
        numbering = definition(0, ("decimal", "§ %1")) + linked + lists((1, 0), (2, 5))
        body = p("x", numbered=(2, 0)) + p("y", numbered=(1, 0))
        assert convert(docx(body, styles=styles, numbering=numbering)).text == "§ 1 x\n\n§ 2 y\n"

    @pytest.mark.parametrize(
        ("style", "number", "shown"),
        [
            ("decimal", 12, "12"), ("decimalZero", 3, "03"), ("lowerRoman", 44, "xliv"),
            ("upperRoman", 1999, "MCMXCIX"), ("upperRoman", 4000, "4000"), ("lowerLetter", 26, "z"),
            ("lowerLetter", 27, "aa"), ("upperLetter", 53, "AAA"), ("ordinal", 2, "2nd"), ("ordinal", 13, "13th"),
            ("cardinalText", 21, "Twenty-one"), ("ordinalText", 1, "First"), ("ordinalText", 20, "Twentieth"),
            ("ordinalText", 35, "Thirty-fifth"), ("ordinalText", 112, "112th"), ("chineseCounting", 21, "二十一"),
            ("chineseCounting", 10, "十"), ("russianLower", 3, "в"), ("none", 3, ""), ("hebrew1", 3, "3"),
            ("lowerLetter", 0, "0"),
        ],
    )  # fmt: skip
    def test_in_every_format(self, style: str, number: int, shown: str) -> None:
        assert numeral(number, style) == shown


class TestHeadings:
    def test_by_styles_based_on_others_and_by_their_own_level(self) -> None:
        styles = HEADINGS + (
            '<w:style w:type="paragraph" w:styleId="Ours"><w:name w:val="Firm Head"/><w:basedOn w:val="Heading2"/></w:style>'
            '<w:style w:type="paragraph" w:styleId="Not"><w:name w:val="Quiet"/><w:basedOn w:val="Heading2"/>'
            '<w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>'
        )
        body = "".join(
            (
                p("One", "Heading1"),
                p("Two", "Ours"),
                p("Quiet", "Not"),
                p("Three", properties='<w:outlineLvl w:val="2"/>'),
                p("Four", "Heading8"),
            )
        )
        text = convert(docx(body, styles=styles)).text
        assert text.split("\n\n") == ["# One", "## Two", "Quiet", "### Three", "###### Four\n"]

    def test_styles_that_are_based_on_each_other_end(self) -> None:
        styles = '<w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>'
        assert convert(docx(p("Text.", "A"), styles=styles)).text == "Text.\n"

    def test_a_long_paragraph_and_a_clause_in_the_style_of_one_stay_text(self) -> None:
        body = p("Heads", "Heading1") + p("The parties agree. " * 20, "Heading1")
        document = convert(docx(body, styles=NUMBERED, numbering=CONTRACT))
        assert [section.title for section in sections(document)][:1] == ["1. Heads"]
        assert "\n2. The parties agree." in document.text

    def test_a_short_heading_that_ends_as_a_sentence_stays_one(self) -> None:
        body = p("What is a berth?", "Heading1") + p("Fees.", "Heading1") + p("Text.")
        text = convert(docx(body, styles=NUMBERED, numbering=CONTRACT)).text
        assert text.startswith("# 1. What is a berth?\n\n# 2. Fees.\n")

    def test_without_any_bold_lines_and_numbers_divide(self) -> None:
        numbering = definition(0, ("decimal", "%1."), ("decimal", "%1.%2")) + lists((1, 0))
        body = p("HARBOUR AGREEMENT", bold=True) + "".join(
            p(title, numbered=(1, 0), bold=True)
            + p(f"The Master keeps {title.lower()} for a year.", numbered=(1, 1))
            + p("Nobody else does so.", numbered=(1, 1))
            for title in ("Records", "Keys", "Lamps")
        )
        document = convert(docx(body, numbering=numbering))
        found = {section.id: section.title for section in sections(document)}
        assert {"sec_1", "sec_2", "sec_3", "sec_2_1", "sec_3_2"} <= set(found)
        assert document.title == "HARBOUR AGREEMENT"


class TestTitles:
    def test_by_style_then_properties_that_the_text_confirms_then_the_words_above_the_first_number(
        self,
    ) -> None:
        numbered = p("Fees", "Heading1") + p("Text.")
        above = p("Lease of the Old Quay") + numbered

        def title(body: str, stated: str = "") -> str:
            return convert(docx(body, styles=NUMBERED, numbering=CONTRACT, title=stated)).title

        assert title(p("The Lease", "Title") + numbered, "Template 7") == "The Lease"
        assert title(above, "lease of the old quay") == "lease of the old quay"
        assert title(above, "Template 7") == "Lease of the Old Quay"
        assert title(p("x" * 5000) + numbered, "Template 7") == "a"
        assert (
            title(
                p("4.5.2031 EN Gazette 3/1, page one of this issue.")
                + p("LAW OF THE QUAYS")
                + p("of May,")
            )
            == "LAW OF THE QUAYS"
        )


class TestText:
    def test_lists_nest_and_end(self) -> None:
        body = "".join(
            (
                p("Head", "Heading1"),
                p("cash", numbered=(2, 0)),
                p("notes", numbered=(2, 1)),
                p("card", numbered=(2, 0)),
                p("Steps:"),
                p("open", numbered=(3, 0)),
                p("ask", numbered=(3, 1)),
                p("close", numbered=(3, 0)),
                p("Again:"),
                p("open", numbered=(4, 0)),
            )
        )
        text = convert(docx(body, numbering=CONTRACT)).text
        assert text == (
            "# Head\n\n- cash\n  - notes\n- card\n\nSteps:\n\n1. open\n\n   a. ask\n2. close\n\nAgain:\n\n1. open\n"
        )

    def test_words_are_marked_as_they_look(self) -> None:
        words = "".join(
            (
                run("plain "), run("bold", "<w:b/>"), run(" not", '<w:b w:val="0"/>'), run(" 10", ""),
                run("2", '<w:vertAlign w:val="superscript"/>'), run(" struck", "<w:strike/>"), run("secret", "<w:vanish/>"),
            )
        )  # fmt: skip
        link = f'<w:hyperlink r:id="out">{run("there")}</w:hyperlink><w:hyperlink w:anchor="x">{run(" here")}</w:hyperlink>'
        text = convert(docx(p(held=words + link), links={"out": "https://example.org/a"})).text
        assert text == "plain **bold** not 10² ~~struck~~[there](https://example.org/a) here\n"

    def test_tracked_changes_are_accepted_and_fields_show_their_result(self) -> None:
        held = "".join(
            (
                f"<w:ins>{run('new ')}</w:ins>",
                "<w:del><w:r><w:delText>old </w:delText></w:r></w:del>",
                f"<w:moveFrom>{run('there ')}</w:moveFrom><w:moveTo>{run('here ')}</w:moveTo>",
                '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> REF _1 \\r </w:instrText></w:r>',
                f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run("2.1")}<w:r><w:fldChar w:fldCharType="end"/></w:r>',
                "<w:r><w:tab/><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:br/><w:t>next</w:t></w:r>",
            )
        )
        assert convert(docx(p(held=held))).text == "new here 2.1 a-b\nnext\n"

    def test_tables_with_their_merged_cells(self) -> None:
        def cell(text: str, properties: str = "") -> str:
            return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text)}</w:tc>"

        head = (
            f"<w:tr><w:trPr><w:tblHeader/></w:trPr>{cell('Berth')}{cell('Fee')}{cell('Due')}</w:tr>"
        )
        begun, wide = '<w:vMerge w:val="restart"/>', '<w:gridSpan w:val="2"/>'
        first = f"<w:tr>{cell('1', begun)}{cell('10')}{cell('May')}</w:tr>"
        second = f"<w:tr>{cell('', '<w:vMerge/>')}{cell('none', wide)}</w:tr>"
        gone = f"<w:tr><w:trPr><w:del/></w:trPr>{cell('gone')}</w:tr>"
        text = convert(docx(f"<w:tbl>{head}{first}{second}{gone}</w:tbl>" + p("After."))).text
        rows = [[part.strip() for part in line.strip("|").split("|")] for line in text.splitlines()]
        assert rows[0] == ["Berth", "Fee", "Due"]
        assert rows[2] == ["1", "10", "May"]
        assert rows[3][:2] == ["", "none"]
        assert "gone" not in text
        assert text.endswith("After.\n")

    def test_notes_follow_their_paragraph(self) -> None:
        notes = (
            '<w:footnote w:type="separator" w:id="-1"><w:p/></w:footnote>'
            f'<w:footnote w:id="2">{p("See the Lamp Act.")}</w:footnote>'
        )
        held = run("Lamps burn") + '<w:r><w:footnoteReference w:id="2"/></w:r>' + run(" at night.")
        text = convert(docx(p(held=held) + p("Next."), footnotes=notes)).text
        assert text == "Lamps burn[1] at night.\n\n[1] See the Lamp Act.\n\nNext.\n"

    def test_what_is_not_for_readers_is_left_out(self) -> None:
        styles = HEADINGS + (
            '<w:style w:type="paragraph" w:styleId="T1"><w:name w:val="toc 1"/></w:style>'
        )
        contents = (
            '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
            f"<w:sdtContent>{p('Fees 3')}</w:sdtContent></w:sdt>"
        )
        control = f"<w:sdt><w:sdtContent>{p('Kept.')}</w:sdtContent></w:sdt>"
        text = convert(
            docx(contents + p("Fees 3", "T1") + p("Fees", "Heading1") + control, styles=styles)
        ).text
        assert text == "# Fees\n\nKept.\n"

    def test_a_text_box_follows_its_paragraph_once_and_a_picture_is_its_description(self) -> None:
        box = f"<w:txbxContent>{p('Boxed.')}</w:txbxContent>"
        held = (
            f"<w:r><mc:AlternateContent><mc:Choice><w:drawing>{box}</w:drawing></mc:Choice>"
            f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
            '<w:r><w:drawing><wp:inline><wp:docPr descr="A lamp"/></wp:inline></w:drawing></w:r>'
        )
        text = convert(docx(p("Before ", held=held) + p("After."))).text
        assert text.split("\n\n") == ["Before A lamp", "Boxed.", "After.\n"]


class TestOddFiles:
    def test_auto_prefers_it(self) -> None:
        found = asyncio.run(
            AutoConverter().convert(
                Source("a.docx", docx(BODY, styles=NUMBERED, numbering=CONTRACT))
            )
        )
        assert "\n1.2 The following" in found.text

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            (b"\xd0\xcf\x11\xe0 old", "is encrypted, or in the format of Word before 2007"),
            (b"no archive", "is damaged, or no .docx file"),
            (docx(BODY)[:500], "is damaged, or no .docx file"),
            (docx("<w:p>"), "is no well-formed XML"),
        ],
        ids=["old", "no archive", "cut", "no XML"],  # the bytes of an archive tell the time
    )
    def test_what_cannot_be_read_is_an_error(self, data: bytes, said: str) -> None:
        with pytest.raises(ConversionError, match=said):
            convert(data)

    def test_a_file_that_is_no_word_document_is_an_error(self) -> None:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as written:
            written.writestr("mimetype", "x")
        with pytest.raises(ConversionError, match=r"is damaged, or no \.docx file"):
            convert(out.getvalue())

    def test_a_part_that_unpacks_to_too_much_is_an_error(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(archive, "MOST_OF_ENTRY", 1000)
        with pytest.raises(ConversionError, match="unpacks to more than the limit"):
            convert(docx(p("x" * 2000)))

    def test_deep_nesting_keeps_the_text(self) -> None:
        inline = "<w:smartTag>" * 150 + run("deep") + "</w:smartTag>" * 150
        table = p("cell")
        for _ in range(40):
            table = f"<w:tbl><w:tr><w:tc>{table}</w:tc></w:tr></w:tbl>"
        text = convert(docx(p("Top ", held=inline) + table)).text
        assert "Top" in text
        assert "deep" in text
        assert "cell" in text

    def test_notes_and_boxes_that_hold_themselves_end(self) -> None:
        mark = '<w:r><w:footnoteReference w:id="2"/></w:r>'
        notes = f'<w:footnote w:id="2">{p("Note", held=mark * 20)}</w:footnote>'
        box = p("Box.")
        for _ in range(40):
            box = p(held=f"<w:r><w:drawing><w:txbxContent>{box}</w:txbxContent></w:drawing></w:r>")
        text = convert(docx(p("Text", held=mark * 2) + box, footnotes=notes)).text
        assert text.startswith("Text[1][1]\n\n[1] Note[1]")
        assert text.count("Box.") == 1

    def test_numbers_out_of_all_bounds_are_read(self) -> None:
        numbering = (
            definition(0, ("lowerRoman", "%1.%9", '<w:lvlRestart w:val="99"/>')).replace(
                'w:start w:val="1"', 'w:start w:val="999999999"'
            )
        ) + lists((1, 0), (2, 77))
        body = (
            p("a", numbered=(1, 0))
            + p("b", numbered=(1, 8))
            + p("c", numbered=(2, 0))
            + p("d", numbered=(9, 0))
        )
        assert "999999999" in convert(docx(body, numbering=numbering)).text

    def test_reading_takes_linear_time(self) -> None:
        def seconds(count: int) -> float:
            data = docx(p("The Master keeps it.", numbered=(1, 2)) * count, numbering=CONTRACT)
            start = time.process_time()
            convert(data)
            return time.process_time() - start

        seconds(100)
        assert seconds(4000) < 8 * seconds(1000) + 0.5
