"""The PDF converter on small files made here byte by byte, on arbitrary bytes, and on real files."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hierdoc import ConversionError, Document, Source
from hierdoc.plugin import ComponentKind, Registry
from hierdoc.structure import document_tree, find_headings
from hierdoc_pdf import converter as converter_module
from hierdoc_pdf.converter import PdfConverter

FONTS = {
    "regular": "Helvetica",
    "bold": "Helvetica-Bold",
    "italic": "Helvetica-Oblique",
    "low": "Times-Bold",
}
LOW = (
    " /FontDescriptor << /Type /FontDescriptor /FontName /Times-Bold /Flags 262178 /Ascent 400 /Descent -100"
    " /FontBBox [0 -100 1000 400] /ItalicAngle 0 /CapHeight 400 /StemV 80 >>"
)
"""A font that is said to be lower than its letters are."""

HEIGHT = 792
BOTTOM = 72


class Text(NamedTuple):
    """Text that begins at x, y, from the top left corner of the page."""

    x: float
    y: float
    text: str
    size: float = 10
    font: str = "regular"


def pdf(
    *pages: Sequence[Text],
    outline: Sequence[tuple[str, int]] = (),
    title: str = "",
    rotate: int = 0,
    encrypted: bool = False,
    picture: bool = False,
) -> bytes:
    """A PDF file of these pages, 612 x 792 points each.

    Args:
        pages: What stands on each.
        outline: Titles with the page that each leads to, from 0.
        title: In the metadata.
        rotate: How far viewers turn the pages, in degrees.
        encrypted: Whether it asks for a password that nobody knows.
        picture: Whether a picture covers each page.
    """
    objects: list[str] = ["", "", f"<< /Title ({title}) >>"]
    fonts = ""
    for key, name in FONTS.items():
        fonts += f"/{key} {len(objects) + 1} 0 R "
        objects.append(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding{LOW if key == 'low' else ''} >>"
        )
    objects.append(
        "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\n"
        "stream\nx\nendstream"
    )
    drawing = f"/XObject << /picture {len(objects)} 0 R >>" if picture else ""
    kids = []
    for page in pages:
        drawn = "q 612 0 0 792 0 0 cm /picture Do Q\n" if picture else ""
        drawn += "\n".join(_shown(text) for text in page)
        objects.append(f"<< /Length {len(drawn.encode('cp1252'))} >>\nstream\n{drawn}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 {HEIGHT}] /Rotate {rotate} "
            f"/Resources << /Font << {fonts}>> {drawing} >> /Contents {len(objects)} 0 R >>"
        )
        kids.append(len(objects))
    objects[1] = (
        f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>"
    )
    entries = ""
    if outline:
        first = len(objects) + 2
        last = first + len(outline) - 1
        objects.append(
            f"<< /Type /Outlines /First {first} 0 R /Last {last} 0 R /Count {len(outline)} >>"
        )
        for i, (entry, page_number) in enumerate(outline):
            following = f"/Next {first + i + 1} 0 R" if first + i < last else ""
            objects.append(
                f"<< /Title ({entry}) /Parent {first - 1} 0 R {following} /Dest [{kids[page_number]} 0 R /XYZ 0 {HEIGHT} 0] >>"
            )
        entries = f"/Outlines {first - 1} 0 R"
    objects[0] = f"<< /Type /Catalog /Pages 2 0 R {entries} >>"
    return _file(objects, encrypted)


def book(opening: Sequence[tuple[str, int]], titles: Sequence[tuple[str, str]]) -> list[list[Text]]:
    """The pages of a book: contents, and for each chapter its opening and a page that names chapter and section beside its number.

    Args:
        opening: The lines that a chapter begins with, and their sizes.
        titles: The number in words and the title of each chapter.
    """
    numbers = {"One": 1, "Two": 2, "Twentyone": 21}
    contents = [Text(72, 80, "Contents", 24, "bold")]
    pages: list[list[Text]] = []
    for word, title in titles:
        number = numbers[word]
        for entry in (f"{number} {title}", f"{number}.1 Use of it", f"{number}.2 Fees for it"):
            contents.append(
                Text(72, 120 + 14 * len(contents), f"{entry} {'. ' * 30} {len(pages) + 1}")
            )
        page: list[Text] = []
        y = 120.0
        for text, size in opening:
            shown = text.format(
                number=number, title=title, word=word.upper(), capitals=title.upper()
            )
            page.append(Text(72, y, shown, size, "bold"))
            y += 2 * size
        page += [
            Text(72, y + 40, f"{number}.1", 12, "bold"),
            Text(110, y + 40, "Use of it", 12, "bold"),
        ]
        page += [*lines(PROSE, top=y + 60), Text(500, 770, str(len(pages) + 1))]
        pages.append(page)
        for head in (
            (f"{len(pages) + 1}", f"Chapter {number}. {title}"),
            (f"{number}.2. Fees for it", f"{len(pages) + 2}"),
        ):
            page = [Text(72, 40, head[0], 10, "bold"), Text(400, 40, head[1], 10, "bold")]
            if len(pages) % 3 == 1:
                page += [
                    Text(72, 80, f"{number}.2", 12, "bold"),
                    Text(110, 80, "Fees for it", 12, "bold"),
                ]
            pages.append([*page, *lines(PROSE * 3, top=100)])
    return [[*contents, Text(300, 770, "ii")], *pages]


def lines(
    texts: Sequence[str],
    *,
    x: float = 72,
    top: float = 72,
    pitch: float = 12,
    size: float = 10,
    font: str = "regular",
) -> list[Text]:
    """Texts below each other."""
    return [Text(x, top + i * pitch, text, size, font) for i, text in enumerate(texts)]


def _shown(text: Text) -> str:
    escaped = text.text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /{text.font} {text.size} Tf {text.x} {HEIGHT - text.y} Td ({escaped}) Tj ET"


def _file(objects: Sequence[str], encrypted: bool) -> bytes:
    key = "00" * 32
    lock = f"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{key}> /U <{key}> >> /ID [<00> <00>]"
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252"))
    start = out.tell()
    places = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{places}".encode())
    trailer = f"/Size {len(objects) + 1} /Root 1 0 R /Info 3 0 R {lock if encrypted else ''}"
    out.write(f"trailer << {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def convert(data: bytes, name: str = "a.pdf", **options: object) -> Document:
    return asyncio.run(PdfConverter(**options).convert(Source(name, data)))  # type: ignore[arg-type]


def pages(document: Document) -> list[str]:
    starts = [*document.page_starts, len(document.text)]
    return [document.text[start:end].strip() for start, end in pairwise(starts)]


def headings(document: Document) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in find_headings(document.text)]


PROSE = (
    "The agency shall publish a report on the state of all",
    "harbours within one year, and every second year after",
    "that. The report names each harbour and its owner.",
)


class TestPages:
    def test_every_page_begins_where_it_says(self) -> None:
        document = convert(pdf([Text(72, 72, "First.")], [Text(72, 72, "Second.")]))
        assert pages(document) == ["First.", "Second."]
        assert document.page_starts[0] == 0

    def test_a_page_without_text_has_its_place(self) -> None:
        document = convert(pdf([Text(72, 72, "One.")], [], [Text(72, 72, "Three.")]))
        assert pages(document) == ["One.", "", "Three."]

    def test_a_paragraph_over_two_pages_is_one_and_knows_both(self) -> None:
        first = lines([*PROSE[:2], "that and in any year in which an owner changes, as the"])
        document = convert(pdf(first, lines(["agency sees fit. It is public."])))
        assert "\n" not in document.text
        assert pages(document)[1] == "agency sees fit. It is public."

    @pytest.mark.parametrize("degrees", [0, 90, 180, 270])
    def test_pages_may_be_turned(self, degrees: int) -> None:
        document = convert(pdf([*lines(PROSE)], rotate=degrees))
        assert "report" in document.text

    def test_running_heads_and_page_numbers_go(self) -> None:
        made = [
            [
                Text(72, 40, "Harbour Report 2024"),
                *lines([f"Text of part {'abcd'[i]} of it.", "And some more."], top=100 + 20 * i),
                Text(300, 760, str(i + 1)),
            ]
            for i in range(4)
        ]
        text = convert(pdf(*made)).text
        assert "Harbour Report" not in text
        assert not any(line.strip().isdigit() for line in text.splitlines())
        assert "Text of part d" in text

    def test_line_numbers_at_the_margin_go(self) -> None:
        numbered = [Text(40, 72 + 20 * i, str(i + 1)) for i in range(12)]
        words = [Text(90, 72 + 20 * i, f"line {'abcdefghijkl'[i]} of the bill") for i in range(12)]
        text = convert(pdf([*numbered, *words])).text
        assert "line b of the bill" in text
        assert not any(character.isdigit() for character in text)


class TestText:
    def test_lines_become_a_paragraph(self) -> None:
        assert convert(pdf(lines(PROSE))).text == " ".join(PROSE)

    def test_broken_words_are_mended_by_the_words_of_the_document(self) -> None:
        broken = [
            "We publish the information and the long-term plans.",
            "All of this is infor-",
            "mation that is of long-",
            "term interest.",
        ]
        text = convert(pdf(lines(broken))).text
        assert "information that is of long-term interest" in text

    def test_columns_are_read_one_after_the_other(self) -> None:
        left = [f"left column line {word} goes on here and" for word in "abcdefghij"]
        right = [f"right column line {word} goes on here and" for word in "abcdefghij"]
        made = [*lines(left, x=60), *lines(right, x=330, top=78)]
        mixed = [text for pair in zip(made[:10], made[10:], strict=True) for text in pair]
        text = convert(pdf(mixed)).text
        assert text.index("left column line j") < text.index("right column line a")

    def test_bullets_are_items(self) -> None:
        made = [*lines(PROSE), *lines(["\u2022 one thing", "\u2022 another thing"], top=130)]
        assert convert(pdf(made)).text.endswith("- one thing\n- another thing")

    def test_enumerations_begin_paragraphs(self) -> None:
        made = lines(["(a) The first thing; and", "(b) the second thing."])
        assert convert(pdf(made)).text == "(a) The first thing; and\n\n(b) the second thing."

    @pytest.mark.parametrize(
        "odd", ["# no heading", "> no quote", "- no item", "``` no code", "==="]
    )
    def test_what_only_looks_like_markdown_is_escaped(self, odd: str) -> None:
        text = convert(pdf([Text(72, 72, "A paragraph here."), Text(72, 100, odd)])).text
        assert not find_headings(text)
        assert not any(line.startswith(("#", ">", "```", "===")) for line in text.splitlines())


class TestTables:
    STATEMENT = (
        (("2022", 350), ("2021", 450)),
        (("Net sales", 72), ("$", 320), ("1,234", 345), ("$", 420), ("987", 450)),
        (("Cost of sales", 72), ("(600)", 345), ("(500)", 445)),
        (("Gross profit", 72), ("$", 320), ("634", 350), ("$", 420), ("487", 450)),
    )

    def made(self) -> bytes:
        rows = [
            Text(x, 120 + 14 * i, text) for i, row in enumerate(self.STATEMENT) for text, x in row
        ]
        return pdf([*lines(PROSE), *rows])

    def test_a_statement_is_a_table(self) -> None:
        assert convert(self.made()).text.split("\n\n")[1].split("\n") == [
            "|  | 2022 | 2021 |",
            "| --- | ---: | ---: |",
            "| Net sales | $1,234 | $987 |",
            "| Cost of sales | (600) | (500) |",
            "| Gross profit | $634 | $487 |",
        ]

    def test_without_tables_rows_are_text(self) -> None:
        text = convert(self.made(), tables=False).text
        assert "|" not in text
        assert "Cost of sales (600) (500)" in text


class TestHeadings:
    def test_an_exhibit_has_its_title_from_below_and_a_part_has_none(self) -> None:
        made = [
            [Text(72, 72, "PART I", 10, "bold"), Text(72, 96, "Lamps of the harbour", 10, "bold")],
            [Text(300, 72, "Exhibit 21", 10, "bold"), Text(72, 96, "Keepers", 10, "bold")],
            [Text(72, 72, "CHAPTER 1", 10, "bold"), Text(72, 96, "Wicks", 10, "bold")],
        ]
        texts = [[f"{line} of {name}" for line in PROSE] for name in ("oil", "brass", "glass")]
        made = [[*page, *lines(text, top=130)] for page, text in zip(made, texts, strict=True)]
        found = headings(convert(pdf(*made)))
        assert [title for _, title in found] == [
            "PART I", "Lamps of the harbour", "Exhibit 21 Keepers", "CHAPTER 1 Wicks"
        ]  # fmt: skip

    @pytest.mark.parametrize(("x", "is_one"), [(446.6, True), (430, False)])
    def test_a_chapter_that_opens_at_the_right_has_its_title_further_down(
        self, x: float, is_one: bool
    ) -> None:
        made = [
            [
                Text(400, 100, f"CHAPITRE {number}", 20, "bold"),
                Text(x, 180, title, 14, "bold"),  # as wide as the letters are
                Text(72, 260, f"{number}.1 Devoirs", 14, "bold"),
                *lines([f"{line} of {title}" for line in PROSE], top=300),
            ]
            for number, title in ((1, "EPARCHIE"), (2, "EPARCHIE"))
        ]
        found = [title for _, title in headings(convert(pdf(*made, [])))]
        assert ("CHAPITRE 1 EPARCHIE" in found) == is_one

    def test_the_text_of_an_exhibit_in_larger_letters_is_text(self) -> None:
        titles = ["Lamps", "Fees", "Keepers", "Moorings", "Appeals", "Rents"]

        def page(number: int, top: float, size: float, end: Sequence[str]) -> list[Text]:
            said = [
                f"{number}{i} of the harbours are in a state in which they need it"
                for i in range(30)
            ]
            return lines([*said, *end], top=top, size=size, pitch=1.2 * size)

        report = [
            [Text(72, 72, f"ITEM {i}. {title}", 9, "bold"), *page(i, 100, 9, [])]
            for i, title in enumerate([*titles, *titles], start=1)
        ]
        agreement = ["The owner leases the lamp.", "Dated at the harbour."]
        exhibit = [page(number, 72, 12, agreement) for number in range(20, 24)]
        found = headings(convert(pdf(*report, *exhibit)))
        assert [title.split()[0] for _, title in found] == ["ITEM"] * 12

    def test_a_label_has_its_title_from_the_next_paragraph_that_is_set_like_it(self) -> None:
        def page(label: str, title: str, top: float) -> list[Text]:
            heads = [Text(72, top, label, 14, "bold"), Text(72, top + 28, title, 11, "regular")]
            return [*heads, *lines(PROSE, top=top + 60)]

        capitals = headings(
            convert(
                pdf(
                    [
                        *page("PART 1", "LAMPS AND FEES", 72),
                        *page("PART 2", "OFFENCES OF KEEPERS", 300),
                    ]
                )
            )
        )
        assert [title for _, title in capitals] == [
            "PART 1 LAMPS AND FEES",
            "PART 2 OFFENCES OF KEEPERS",
        ]
        own = headings(
            convert(
                pdf(
                    [
                        Text(72, 72, "PART 1", 14, "bold"),
                        Text(72, 100, "Interpretation", 12, "bold"),
                        *lines(PROSE, top=130),
                    ]
                )
            )
        )
        assert [title for _, title in own] == ["PART 1", "Interpretation"]
        nested = headings(
            convert(pdf([*page("TITOLO I", "CAPO I", 72), *page("TITOLO II", "CAPO I", 300)]))
        )
        assert [title for _, title in nested] == ["TITOLO I", "CAPO I", "TITOLO II", "CAPO I"]

    @pytest.mark.parametrize("title", ["Offences", "no pay", "Interpretation", "Act"])
    def test_letters_that_reach_higher_than_their_font_make_no_other_level(
        self, title: str
    ) -> None:
        page = [
            *(Text(72, 72, "Registers", 14, "low"), *lines(PROSE, top=90)),
            *(Text(72, 140, title, 14, "low"), *lines(PROSE, top=160)),
            *(Text(72, 220, "Annex of old works", 12, "low"), *lines(PROSE, top=240)),
        ]
        found = headings(convert(pdf(page)))
        assert found == [(1, "Registers"), (1, title), (2, "Annex of old works")]

    def test_larger_and_bold_lines_are_headings_of_consistent_levels(self) -> None:
        made = [
            Text(72, 60, "An Annual Report", 20, "bold"),
            Text(72, 100, "Harbours", 14, "bold"),
            *lines(PROSE, top=120),
            Text(72, 180, "Large ones", 10, "bold"),
            *lines(PROSE, top=200),
            Text(72, 260, "Rivers", 14, "bold"),
            *lines(PROSE, top=280),
            Text(72, 340, "Small ones", 10, "bold"),
            *lines(PROSE, top=360),
        ]
        assert headings(convert(pdf(made))) == [
            (1, "An Annual Report"),
            (2, "Harbours"),
            (3, "Large ones"),
            (2, "Rivers"),
            (3, "Small ones"),
        ]

    @pytest.mark.parametrize("label", ["Article 5", "Clause 5", "CHAPTER V", "Artigo 5"])
    def test_the_title_of_a_label_stands_below_it(self, label: str) -> None:
        made = [Text(72, 60, label, 11, "bold"), Text(72, 73, "Penalties", 11, "bold")]
        text = ["The fee is due within thirty days.", "It is paid to the registrar."]
        assert headings(convert(pdf([*made, *lines(text, top=100)]))) == [(1, f"{label} Penalties")]

    def test_titles_hold_chapters_and_these_hold_sections(self) -> None:
        made: list[Text] = []
        y = 60.0
        labels = ["TITLE I - PORTS", "CHAPTER 1 - DUTIES", "SEC. 101. REPORTS.", "SEC. 102. FEES.",
                  "TITLE II - RIVERS", "CHAPTER 1 - SHIPS", "SEC. 201. LOCKS."]  # fmt: skip
        for label in labels:
            made.append(Text(72, y, label, 10, "bold"))
            y += 20
            if label.startswith("SEC"):
                made += lines(
                    ["(a) IN GENERAL. The agency reports.", "(b) FORM. In writing."], top=y
                )
                y += 34
        found = document_tree(convert(pdf(made)))
        assert [one.title for one in found] == ["TITLE I - PORTS", "TITLE II - RIVERS"]
        chapters = [chapter for title in found for chapter in title.children]
        assert [[one.title for one in chapter.children] for chapter in chapters] == [
            ["SEC. 101. REPORTS.", "SEC. 102. FEES."],
            ["SEC. 201. LOCKS."],
        ]

    def test_a_typed_document_is_divided_by_its_labels_and_called_by_its_first_words(self) -> None:
        made = lines(["Boats and Moorings Act"], top=60)
        y = 90.0
        for label in ("PART I", "1 Short title", "2 Moorings", "PART II", "3 Fees", "4 Offences"):
            made += lines([label], top=y)
            y += 24
            if label.startswith("PART"):
                made += lines(["GENERAL RULES" if label == "PART I" else "MONEY"], top=y)
                y += 24
            else:
                made += lines(PROSE, top=y)
                y += 60
        document = convert(pdf(made))
        assert document.title == "Boats and Moorings Act"
        assert [
            (part.title, [one.title for one in part.children]) for part in document_tree(document)
        ] == [
            ("PART I GENERAL RULES", ["1 Short title", "2 Moorings"]),
            ("PART II MONEY", ["3 Fees", "4 Offences"]),
        ]

    @pytest.mark.parametrize(
        "opening",
        [
            [("Chapter {number}", 20), ("{title}", 24)],
            [("CHAPTER", 14), ("{word}", 14), ("{capitals}", 14)],
            [("CHAPTER {number}", 12), ("{title}", 20)],
        ],
    )
    def test_a_book_has_its_chapters_and_sections(self, opening: list[tuple[str, int]]) -> None:
        titles = [("One", "Harbours"), ("Two", "Rivers"), ("Twentyone", "Lakes")]
        document = convert(pdf(*book(opening, titles)))
        found = document_tree(document)
        chapters = [one for one in found if (one.key or "").startswith("ch_")]
        assert [one.key for one in chapters] == ["ch_1", "ch_2", "ch_21"]
        assert [one.title.casefold().split()[-1] for one in chapters] == [
            title.casefold() for _, title in titles
        ]
        assert [[one.title for one in chapter.children] for chapter in chapters] == [
            [f"{number}.1 Use of it", f"{number}.2 Fees for it"] for number in (1, 2, 21)
        ]
        assert "ii" not in document.text.split()
        assert document.text.count("Fees for it") == 2 * len(titles)  # in contents and text

    def test_a_note_ends_no_section(self) -> None:
        made = [
            Text(72, 60, "1 Mooring", 14, "bold"),
            *lines(PROSE, top=80),
            Text(72, 140, "Warning", 10, "bold"),
            *lines(PROSE, top=154),
            Text(72, 220, "Warning signs", 10, "bold"),
            *lines(PROSE, top=234),
        ]
        assert [title for _, title in headings(convert(pdf(made)))] == [
            "1 Mooring",
            "Warning signs",
        ]

    def test_a_title_that_a_paragraph_begins_with_is_taken_from_the_outline(self) -> None:
        names = ("Mooring", "Fees", "Limits")
        made = [
            lines(
                [f"{i}. {name}. Every boat that stays overnight in a harbour of the town", *PROSE],
                top=60,
            )
            for i, name in enumerate(names, start=1)
        ]
        outline = [(f"{i}. {name}", i - 1) for i, name in enumerate(names, start=1)]
        document = convert(pdf(*made, outline=outline))
        assert headings(document) == [(1, f"{i}. {name}.") for i, name in enumerate(names, start=1)]
        assert document.text.count("Mooring") == 1
        assert "\nEvery boat that stays" in document.text

    def test_italics_set_nothing_apart_where_all_is_italic(self) -> None:
        made = [
            *lines(PROSE, top=60, font="italic"),
            *lines(["For another example, if you type"], top=110, font="italic"),
            *lines(PROSE, top=140, font="italic"),
        ]
        assert headings(convert(pdf(made))) == []

    def test_the_outline_decides(self) -> None:
        made = [
            [Text(72, 60, f"Part {name}", 10, "bold"), *lines(PROSE, top=90)]
            for name in ("one", "two", "three")
        ]
        outline = [("Part one", 0), ("Part two", 1), ("Part three", 2)]
        assert headings(convert(pdf(*made, outline=outline))) == [
            (1, "Part one"),
            (1, "Part two"),
            (1, "Part three"),
        ]

    def test_a_table_of_contents_gives_none(self) -> None:
        entries = ["Harbours", "Rivers", "Lakes", "Seas", "Ponds"]
        contents = [Text(72, 60, "Contents", 10, "bold")]
        contents += [
            Text(72, 90 + 14 * i, f"{entry} {'.' * 40} {i + 2}", 10, "bold")
            for i, entry in enumerate(entries)
        ]
        rest = [[Text(72, 60, entry, 14, "bold"), *lines(PROSE, top=90)] for entry in entries]
        assert [title for _, title in headings(convert(pdf(contents, *rest)))] == entries

    @pytest.mark.parametrize(
        ("metadata", "title"),
        [
            ("Annual report 2022", "Annual report 2022"),
            ("Microsoft Word - draft", "act"),
            ("", "act"),
        ],
    )
    def test_the_title_is_the_one_for_readers(self, metadata: str, title: str) -> None:
        assert convert(pdf(lines(PROSE), title=metadata), "docs/act.pdf").title == title


class TestRefusals:
    @pytest.mark.parametrize("picture", [True, False])
    def test_a_scan_is_an_error_that_says_what_to_do(self, picture: bool) -> None:
        with pytest.raises(ConversionError, match=r"scan\.pdf: has no text layer") as raised:
            convert(pdf([], [], picture=picture), "scan.pdf")
        assert "OCR" in str(raised.value.hint)

    def test_a_stamp_on_each_picture_is_no_text_layer(self) -> None:
        with pytest.raises(ConversionError, match="has no text layer"):
            convert(pdf([Text(72, 72, "RECEIVED")], [Text(72, 72, "RECEIVED")], picture=True))

    def test_an_encrypted_file_is_an_error_that_names_the_setting(self) -> None:
        with pytest.raises(ConversionError, match=r"a\.pdf: is encrypted") as raised:
            convert(pdf(lines(PROSE), encrypted=True))
        assert "`password`" in str(raised.value.hint)

    def test_a_wrong_password_is_not_shown(self) -> None:
        with pytest.raises(ConversionError, match="the password is wrong") as raised:
            convert(pdf(lines(PROSE), encrypted=True), password="geheim")
        assert "geheim" not in f"{raised.value}{raised.value.hint}"

    @pytest.mark.parametrize("data", [b"", b"%PDF-1.7", b"<html>no</html>", pdf(lines(PROSE))[:60]])
    def test_a_damaged_file_is_an_error_that_says_so(self, data: bytes) -> None:
        with pytest.raises(ConversionError, match=r"a\.pdf: is damaged"):
            convert(data)

    def test_a_file_without_pages_is_an_error(self) -> None:
        with pytest.raises(
            ConversionError, match="is encrypted"
        ):  # an error of another file before
            convert(pdf(lines(PROSE), encrypted=True))
        with pytest.raises(ConversionError, match=r"a\.pdf: is damaged"):
            convert(pdf())

    def test_too_many_pages_are_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(converter_module, "MOST_PAGES", 1)
        with pytest.raises(ConversionError, match="has 2 pages, the limit is 1"):
            convert(pdf(lines(PROSE), lines(PROSE)))

    def test_too_much_text_is_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(converter_module, "MOST_CHARACTERS", 100)
        with pytest.raises(ConversionError, match="more than 100 characters"):
            convert(pdf(lines(PROSE)))


SAMPLE = pdf(
    [Text(72, 40, "A Report", 20, "bold"), *lines(PROSE)], lines(PROSE), outline=[("A Report", 0)]
)


class TestArbitraryBytes:
    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(data=st.binary(max_size=400), header=st.booleans())
    def test_random_bytes_raise_nothing_else(self, data: bytes, header: bool) -> None:
        self.convert_or_refuse(b"%PDF-1.7\n" + data if header else data)

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(
        cut=st.integers(0, len(SAMPLE)),
        place=st.integers(0, len(SAMPLE) - 1),
        value=st.binary(min_size=1, max_size=8),
    )
    def test_cut_and_changed_files_raise_nothing_else(
        self, cut: int, place: int, value: bytes
    ) -> None:
        self.convert_or_refuse(SAMPLE[:cut])
        self.convert_or_refuse(SAMPLE[:place] + value + SAMPLE[place + len(value) :])

    def test_cut_real_files_raise_nothing_else(self, shared_data: Path) -> None:
        file = shared_data / "legal" / "bill-hr8847.pdf"
        if not file.is_file():
            pytest.skip("no bill in the shared data")
        data = file.read_bytes()
        for share in (0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
            self.convert_or_refuse(data[: int(share * len(data))])

    def convert_or_refuse(self, data: bytes) -> None:
        try:
            starts = convert(data).page_starts
        except ConversionError:
            return
        assert list(starts) == sorted(starts)


class TestPlugin:
    def test_auto_prefers_it(self) -> None:
        registry = Registry()
        auto = registry.open(
            ComponentKind.CONVERTER, registry.find(ComponentKind.CONVERTER, "auto").config()
        )
        assert isinstance(auto.plugins()[".pdf"], PdfConverter)

    def test_it_is_found_by_name_and_keeps_the_password_secret(self) -> None:
        config = Registry().find(ComponentKind.CONVERTER, "pdf").config(password="geheim")
        assert "geheim" not in repr(config)
        assert "geheim" not in config.model_dump_json()

    def test_opening_it_imports_nothing_heavy(self) -> None:
        program = (
            "import sys; from hierdoc.plugin import ComponentKind, default_registry\n"
            "registry = default_registry()\n"
            "registry.open(ComponentKind.CONVERTER, registry.find(ComponentKind.CONVERTER, 'pdf').config())\n"
            "print(sorted({'pypdfium2', 'numpy'} & set(sys.modules)))"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "[]"

    def test_several_files_are_converted_side_by_side(self) -> None:
        async def all_at_once() -> list[Document]:
            converter = PdfConverter()
            sources = [
                Source(f"{i}.pdf", pdf([Text(72, 72, f"File {i} of some.")])) for i in range(8)
            ]
            return await asyncio.gather(*(converter.convert(source) for source in sources))

        found = asyncio.run(all_at_once())
        assert [document.text for document in found] == [f"File {i} of some." for i in range(8)]


class TestRealFiles:
    @pytest.fixture
    def bill(self, shared_data: Path) -> Document:
        file = shared_data / "legal" / "bill-hr8847.pdf"
        if not file.is_file():
            pytest.skip("no bill in the shared data")
        return convert(file.read_bytes(), "bill.pdf")

    def test_a_bill_has_its_titles_chapters_and_sections(self, bill: Document) -> None:
        depths: dict[str, set[int]] = {"TITLE ": set(), "CHAPTER ": set(), "SEC. ": set()}
        waiting = [(one, 0) for one in document_tree(bill) if "TITLE" in one.title]
        while waiting:
            one, depth = waiting.pop()
            for word, found in depths.items():
                if one.title.startswith(word):
                    found.add(depth)
            waiting += [(child, depth + 1) for child in one.children]
        assert depths == {"TITLE ": {0}, "CHAPTER ": {1}, "SEC. ": {2}}

    def test_a_bill_has_its_subsections_as_paragraphs(self, bill: Document) -> None:
        assert "\n\n(a) SHORT TITLE." in bill.text

    def test_every_page_holds_its_words(self, bill: Document, shared_data: Path) -> None:
        import pypdfium2

        with pypdfium2.PdfDocument(shared_data / "legal" / "bill-hr8847.pdf") as file:
            for page, text in enumerate(pages(bill)):
                words = set(file[page].get_textpage().get_text_range().split())
                assert len(words & set(text.replace("\\", "").split())) >= 0.9 * len(words)

    def test_a_filing_has_its_items(self, shared_data: Path) -> None:
        file = shared_data / "filings" / "GENERALMILLS_2020_10K.pdf"
        if not file.is_file():
            pytest.skip("no filing in the shared data")
        found = headings(convert(file.read_bytes()))
        items = [level for level, title in found if title.lower().startswith("item")]
        assert len(items) >= 18
        assert len(set(items)) == 1
        assert any("Consolidated Balance Sheets" in title for _, title in found)


def standing(document: Document, wanted: str) -> list[tuple[int, float, float, float, float]]:
    """Page and rectangle, in points from the top left corner, of the lines that hold a text."""
    return [
        (box.page, box.left * 612, box.top * HEIGHT, box.right * 612, box.bottom * HEIGHT)
        for box in document.boxes
        if wanted in document.text[box.char_start : box.char_end]
    ]


def test_every_line_has_the_box_that_it_is_printed_in() -> None:
    body = [
        Text(72, 100 + 14 * at, f"Line number *{at}* of the first page_ goes") for at in range(20)
    ]
    document = convert(pdf(body, [Text(90, 300, "Alone on the second page.")]))
    for at in range(20):
        ((page, left, top, right, bottom),) = standing(document, f"\\*{at}\\*")
        assert (page, round(left)) == (1, 72)
        assert top < 100 + 14 * at <= bottom
        assert 150 < right < 400
    ((page, left, top, _, bottom),) = standing(document, "Alone")
    assert (page, round(left)) == (2, 90)
    assert top < 300 <= bottom


def test_boxes_follow_the_text_and_cover_all_of_it() -> None:
    lines = [
        Text(72, 100 + 14 * at, f"Words of line {at} that go on and on for a while")
        for at in range(9)
    ]
    document = convert(pdf(lines, lines))
    for before, after in pairwise(document.boxes):
        assert before.char_end <= after.char_start
    bare = set(range(len(document.text)))
    for box in document.boxes:
        bare -= set(range(box.char_start, box.char_end))
    assert not "".join(document.text[at] for at in bare).strip(" \n#-")


def test_rows_of_a_table_have_boxes_of_their_own() -> None:
    rows = [
        ("Item", "2021", "2022"),
        ("Berths", "1,200", "1,300"),
        ("Cranes", "12", "14"),
        ("Tugs", "7", "9"),
    ]
    texts = [
        Text(72 + 150 * column, 100 + 20 * row, text)
        for row, cells in enumerate(rows)
        for column, text in enumerate(cells)
    ]
    document = convert(pdf(texts))
    assert "| Cranes |" in document.text
    ((_, left, top, right, bottom),) = standing(document, "| Cranes |")
    assert top < 140 <= bottom < 160
    assert left < 80
    assert right > 372


def test_on_a_turned_page_boxes_are_as_it_is_shown() -> None:
    document = convert(
        pdf([Text(72, 100, "Some words that are turned with their page.")], rotate=90)
    )
    width, height = HEIGHT, 612
    # What stood at the top left now stands at the top right, from top to bottom.
    assert min(box.left for box in document.boxes) * width > 0.8 * width
    down = max(box.bottom for box in document.boxes) - min(box.top for box in document.boxes)
    assert 150 < down * height < 400
