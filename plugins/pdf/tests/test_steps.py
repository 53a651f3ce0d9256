"""Each step of the conversion by itself: rows, columns, tables, paragraphs, headings, levels, hyphens, markdown."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc.structure import find_headings
from hierdoc_pdf.characters import lost_letters, normalised, with_letters
from hierdoc_pdf.columns import regions
from hierdoc_pdf.contents import contents_rows
from hierdoc_pdf.furniture import without_furniture, without_line_numbers
from hierdoc_pdf.headings import heading_style, kind_of
from hierdoc_pdf.hyphens import Mender
from hierdoc_pdf.levels import assign_levels, without_labels_of_figures
from hierdoc_pdf.lines import Row, rows_of
from hierdoc_pdf.markdown import escaped, escaped_start, moved, render
from hierdoc_pdf.outline import apply_outline
from hierdoc_pdf.paragraphs import grouped
from hierdoc_pdf.reading import Entry, Page, Segment, style_of, style_of_file
from hierdoc_pdf.tables import Table, is_value, split_tables
from hierdoc_pdf.values import Block, Line, Style, Usual, line_of, usual_by_page, usual_of

USUAL = Usual(10.0, {20: 12.0})


def segment(
    text: str, x: float = 72, y: float = 100, size: float = 10, *, bold: bool = False
) -> Segment:
    """Text of half an em for each character whose foot is at y."""
    return Segment(x, x + 0.5 * size * len(text), y - size, y, text, bold)


def line(
    text: str,
    x: float = 72,
    y: float = 100,
    size: float = 10,
    *,
    bold: bool = False,
    right: float = 0,
) -> Line:
    x1 = right or x + 0.5 * size * len(text)
    return Line(text, x, x1, y - size, y, size, bold, False, 0.5 * size * len(text.split(" ")[0]))


def rows(*texts: tuple[tuple[str, float], ...]) -> list[Row]:
    return rows_of(segment(text, x, 100 + 14 * i) for i, row in enumerate(texts) for text, x in row)


def heading(text: str, size: int = 20, *, kind: str = "", bold: bool = True) -> Block:
    style = Style(kind or kind_of(text), size, bold, False, text.isupper(), False)
    return Block([(0, [text])], 0, 0.0, size / 2, style=style)


class TestRows:
    def test_pieces_on_one_line_are_one_row_from_left_to_right(self) -> None:
        found = rows_of([segment("right", 300), segment("left", 72), segment("below", 72, 120)])
        assert [[cell.text for cell in row.cells] for row in found] == [
            ["left", "right"],
            ["below"],
        ]

    def test_a_footnote_mark_joins_its_word(self) -> None:
        found = rows_of([segment("word", 72, 100), segment("(1)", 92, 96, 6)])
        assert [row.text for row in found] == ["word(1)"]

    @given(
        st.lists(st.tuples(st.floats(0, 600), st.floats(10, 800), st.floats(1, 40)), max_size=40)
    )
    def test_no_text_is_lost(self, places: list[tuple[float, float, float]]) -> None:
        segments = [segment(f"w{i}w", x, y, size) for i, (x, y, size) in enumerate(places)]
        shown = " ".join(row.text for row in rows_of(segments))
        assert all(f"w{i}w" in shown for i in range(len(segments)))


class TestColumns:
    LEFT = tuple(f"the left column goes on here {word}" for word in "abcdef")

    def test_two_columns_of_prose_are_two_regions(self) -> None:
        made = [segment(text, 60, 100 + 12 * i) for i, text in enumerate(self.LEFT)]
        made += [
            segment(text.replace("left", "next"), 320, 106 + 12 * i)
            for i, text in enumerate(self.LEFT)
        ]
        assert [len(region) for region in regions(made)] == [6, 6]

    def test_a_table_is_one_region(self) -> None:
        made = [segment(f"A long label of a row {i}", 60, 100 + 12 * i) for i in range(8)]
        made += [segment(str(100 + i), 400, 100 + 12 * i) for i in range(8)]
        assert len(regions(made)) == 1

    @given(st.lists(st.tuples(st.floats(0, 600), st.floats(10, 800)), max_size=40))
    def test_no_text_is_lost(self, places: list[tuple[float, float]]) -> None:
        segments = [segment(f"w{i}w", x, y) for i, (x, y) in enumerate(places)]
        shown = " ".join(row.text for region in regions(segments) for row in region)
        assert all(f"w{i}w" in shown for i in range(len(segments)))


class TestFurniture:
    def page(self, *segments: Segment) -> Page:
        return Page(612, 792, segments, 100)

    def test_what_repeats_at_one_height_goes(self) -> None:
        made = [
            self.page(
                segment("Annual Report", y=30),
                segment(f"Text {word}.", y=200),
                segment(f"F-{i}", y=780),
            )
            for i, word in enumerate("abcde", start=7)
        ]
        found = without_furniture(made)
        assert [[one.text for one in segments] for segments in found] == [
            [f"Text {word}."] for word in "abcde"
        ]

    def test_of_two_pages_what_stands_on_both_goes(self) -> None:
        made = [
            self.page(
                segment("Lease", y=30),
                segment(f"Article {i}", y=60),
                segment(f"Text {i}.", y=200),
                segment(str(i), y=780),
            )
            for i in (1, 2)
        ]
        found = without_furniture(made)
        assert [[one.text for one in segments] for segments in found] == [
            ["Article 1", "Text 1."],
            ["Article 2", "Text 2."],
        ]

    def test_a_title_below_a_running_head_with_its_words_is_kept(self) -> None:
        made = [
            self.page(segment("Lease", y=30), segment("Lease", y=60), segment("One.", y=200)),
            self.page(segment("Lease", y=30), segment("Two.", y=200)),
        ]
        found = without_furniture(made)
        assert [[one.text for one in segments] for segments in found] == [
            ["Lease", "One."],
            ["Two."],
        ]

    def test_page_numbers_go_wherever_the_page_ends(self) -> None:
        made = [
            self.page(segment(f"Text {word}.", y=100), segment(str(i), y=200 + 40 * i))
            for i, word in enumerate("abcde", start=7)
        ]
        assert all(len(segments) == 1 for segments in without_furniture(made))

    def test_the_head_of_a_part_stays_where_the_part_begins(self) -> None:
        heads = ["", "", "", "", "Notes to the Statements", "Notes to the Statements (continued)",
                 "Notes to the Statements (continued)", "", "", ""]  # fmt: skip
        made = [
            self.page(*[segment(head, y=30)] * bool(head), segment(f"Text {word}.", y=200))
            for head, word in zip(heads, "abcdefghij", strict=True)
        ]
        kept = [
            one.text
            for segments in without_furniture(made)
            for one in segments
            if "Notes" in one.text
        ]
        assert kept == ["Notes to the Statements"]

    def test_what_stands_beside_the_number_of_the_page_goes(self) -> None:
        made = []
        for i in range(1, 9):
            cells = [(str(i), 72.0), (f"Chapter {i}. Boats", 300.0)]
            if i % 2:
                cells = [(f"{i}.{i} Moorings", 72.0), (str(i), 500.0)]
            head = [segment(text, x, 30) for text, x in cells]
            made.append(self.page(*head, segment(f"Text {'abcdefgh'[i - 1]}.", y=200)))
        found = without_furniture(made)
        assert [[one.text for one in segments] for segments in found] == [
            [f"Text {letter}."] for letter in "abcdefgh"
        ]

    def test_what_stands_beside_the_title_of_the_document_goes(self) -> None:
        made = []
        for i, letter in enumerate("abcdefgh"):
            cells = [f"{i}.1. Duty {letter}", "Handbook of the Harbour"][:: 1 if i % 2 else -1]
            head = [segment(cells[0], 72, 30, bold=True), segment(cells[1], 400, 30, bold=True)]
            made.append(self.page(*head, segment(f"Text {letter}.", y=200)))
        found = without_furniture(made)
        assert [[one.text for one in segments] for segments in found] == [
            [f"Text {letter}."] for letter in "abcdefgh"
        ]

    def test_a_heading_right_above_text_below_a_running_head_is_kept(self) -> None:
        made = [
            self.page(
                segment(f"{name}(1)", 72, 40),
                segment("Commands", 250, 40),
                segment(f"{name}(1)", 480, 40),
                segment("NAME", y=93, bold=True),
                segment(f"{name} lights the lamps.", y=104),
            )
            for name in ("light", "wicket", "oilcan", "brasso")
        ]
        assert [segments[0].text for segments in without_furniture(made)] == ["NAME"] * 4

    def test_titles_of_chapters_beside_those_of_sections_go(self) -> None:
        heads = [
            ("1. LAMPS AND OIL", "1.1 HOW THE WICKS…"), ("1. LAMPS AND OIL", "1.2 OIL"), ("1. LAMPS AND OIL", "1.3 BRASS"),
            ("2. MOORINGS AND ROPES", "2.1 ROPES"), ("2. MOORINGS AND ROPES", "2.4 CHAINS"), ("3. TOLLS AND RENTS", "3.2 HOW TO SAY WHO…"),
        ]  # fmt: skip
        made = [
            self.page(
                segment(chapter, 72, 30),
                segment(section, 300, 30),
                segment("How to say who pays the toll", y=90, size=14, bold=True),
                segment(f"Text {letter}.", y=200),
            )
            for (chapter, section), letter in zip(heads, "abcdef", strict=True)
        ]
        found = without_furniture(made)
        assert not [one.text for segments in found for one in segments if one.text.isupper()]

    def test_titles_beside_what_a_few_pages_have_there_are_kept(self) -> None:
        made = [
            self.page(
                segment(f"Duty {letter}", 72, 60, bold=True),
                *[segment("See the annex", 400, 60)] * (i % 4 == 0),
                segment(f"Text {letter}.", y=200),
            )
            for i, letter in enumerate("abcdefghijkl")
        ]
        found = without_furniture(made)
        assert [segments[0].text for segments in found] == [f"Duty {one}" for one in "abcdefghijkl"]

    def test_a_title_with_its_number_that_counts_the_slides_is_kept(self) -> None:
        made = [
            self.page(
                segment(str(i), 72, 60, 24),
                segment(f"Subject {letter}", 130, 60, 24),
                segment("Some words about it.", y=200),
                segment("And more of them.", y=214),
            )
            for i, letter in enumerate("abcdef", start=1)
        ]
        found = without_furniture(made)
        assert [
            one.text
            for segments in (found[0], found[-1])
            for one in segments
            if "Subject" in one.text
        ] == ["Subject a", "Subject f"]

    def test_a_running_head_that_says_what_a_heading_says_goes(self) -> None:
        subjects = ["Harbours", "Rivers", "Lakes", "Seas", "Ponds", "Wells"]
        made = [
            self.page(
                segment(subject.upper(), y=30) if i else segment("Waters", y=30, size=18),
                segment(f"{i} {subject}", y=300, size=14, bold=True),
                *(segment("Some words about it.", y=y) for y in (100, 112, 320, 332)),
            )
            for i, subject in enumerate(subjects)
        ]
        found = without_furniture(made)
        assert [[one.text for one in segments][:1] for segments in found] == [
            ["Waters"], *([f"{i} {subject}"] for i, subject in enumerate(subjects) if i)
        ]  # fmt: skip

    def test_one_that_says_nothing_of_its_page_goes_where_nearly_all_at_its_place_do(self) -> None:
        heads = [*["Harbours"] * 6, "Lighthouses", *["Rivers"] * 6]
        made = [
            self.page(segment(head, y=30), segment(f"Text {letter}.", y=200))
            for head, letter in zip(heads, "abcdefghijklm", strict=True)
        ]
        assert all(len(segments) == 1 for segments in without_furniture(made)[1:])

    def test_headings_at_the_top_of_pages_stay_where_some_of_them_come_again(self) -> None:
        heads = ["Fees", "Keepers", "Fees", "Lamps", "Fees", "Moorings", "Appeals", "Repeal"]
        made = [
            self.page(segment(head, y=60, bold=True), segment(f"Text {letter}.", y=90))
            for head, letter in zip(heads, "abcdefgh", strict=True)
        ]
        kept = {one.text for segments in without_furniture(made) for one in segments}
        assert {"Keepers", "Lamps", "Moorings", "Appeals", "Repeal"} <= kept

    def test_a_title_that_heads_the_pages_behind_it_is_kept(self) -> None:
        made = [self.page(segment("harbours", y=300, size=30))] + [
            self.page(segment("harbours", y=30), segment(f"Text {letter}.", y=200))
            for letter in "abcde"
        ]
        found = without_furniture(made)
        assert [segments[0].text for segments in found] == [
            "harbours", *(f"Text {letter}." for letter in "abcde")
        ]  # fmt: skip

    def test_labels_that_count_the_exhibits_are_kept(self) -> None:
        made = [
            self.page(segment(f"Exhibit 31.{i}", 400, 40), segment(f"I, {name}, certify.", y=200))
            for i, name in enumerate(["Ann", "Ben", "Cid", "Dot"], start=1)
        ]
        assert [segments[0].text for segments in without_furniture(made)] == [
            "Exhibit 31.1", "Exhibit 31.2", "Exhibit 31.3", "Exhibit 31.4"
        ]  # fmt: skip

    def test_the_word_above_the_numbers_of_chapters_is_kept(self) -> None:
        words = ["ONE", "TWO", "THREE", "FOUR"]
        made = [
            self.page(
                segment("CHAPTER", y=60, size=20),
                segment(word, y=90, size=20),
                segment(f"Text of {word.lower()}.", y=200),
            )
            for word in words
        ]
        assert all(segments[0].text == "CHAPTER" for segments in without_furniture(made))

    def test_a_name_above_small_tables_is_no_title(self) -> None:
        made = [
            self.page(
                segment("Harbour Company", y=30),
                *(
                    segment(f"{word} {100 + i}", 72, 100 + 10 * i, 10 if text else 7)
                    for i in range(20)
                ),
            )
            for word, text in zip(["Dues", "Tolls", "Fees", "Rents"], (1, 1, 0, 1), strict=True)
        ]
        found = without_furniture(made)
        assert not any(one.text == "Harbour Company" for one in found[2])

    def test_numbers_in_a_table_are_no_line_numbers(self) -> None:
        made = [segment(f"Row {'abcdefghijkl'[i]}", 72, 100 + 12 * i) for i in range(12)]
        made += [segment(str(i * 7), 300, 100 + 12 * i) for i in range(12)]
        assert without_line_numbers(made) == made


class TestTables:
    def grid(self, *texts: tuple[tuple[str, float], ...]) -> list[list[str]]:
        (table,) = split_tables(rows(*texts), 10)
        assert isinstance(table, Table)
        return [list(row) for row in table.rows]

    def test_a_heading_over_columns_stands_above_each(self) -> None:
        assert self.grid(
            (("Years ended December 31", 300),),
            (("2022", 310), ("2021", 390)),
            (("Net sales", 72), ("100", 315), ("90", 400)),
            (("Costs of all kinds", 72), ("50", 320), ("40", 400)),
        )[0] == ["", "Years ended December 31 2022", "Years ended December 31 2021"]

    def test_a_wide_space_between_sentences_parts_no_row(self) -> None:
        first, second = "The keeper lights the lamps at dusk.", "To begin, see"
        made = rows(
            ((first, 72), (second, 72 + 5 * len(first) + 12)),
            (("to the table that follows, which names them all and", 72),),
            (("A lamp that is out is lit again.", 72), ("For this", 72 + 5 * 32 + 14)),
            (("one uses the pole that hangs on the wall of the house", 72),),
        )
        assert not any(isinstance(part, Table) for part in split_tables(made, 10))

    def test_sentences_in_columns_are_a_table(self) -> None:
        (table,) = split_tables(
            rows(
                (("Light the lamps at dusk.", 72), ("At five.", 220)),
                (("Put them out at dawn, all.", 72), ("At seven.", 220)),
                (("Trim the wicks of them.", 72), ("At noon.", 220)),
            ),
            10,
        )
        assert isinstance(table, Table)

    def test_a_section_label_is_a_row(self) -> None:
        found = self.grid(
            (("Cash", 80), ("1", 300), ("2", 400)),
            (("Assets", 72),),
            (("Goods", 80), ("3", 300), ("4", 400)),
        )
        assert ["Assets", "", ""] in found

    def test_a_bold_row_apart_from_columns_of_years_stands_above_the_table(self) -> None:
        made = [
            row
            for y, bold, texts in (
                (100, True, (("Statement of Income", 72), ("Acme and Subsidiaries", 330))),
                (126, False, (("(in millions)", 72), ("2022", 310), ("2021", 390))),
                (138, False, (("Net sales", 72), ("100", 315), ("90", 400))),
                (150, False, (("Costs of all kinds", 72), ("50", 320), ("40", 400))),
            )
            for row in rows_of(segment(text, x, y, bold=bold) for text, x in texts)
        ]
        title, table = split_tables(made, 10)
        assert isinstance(title, Row)
        assert title.text == "Statement of Income Acme and Subsidiaries"
        assert isinstance(table, Table)
        assert list(table.rows[0]) == ["(in millions)", "2022", "2021"]

    def test_bold_names_of_columns_stay_with_them(self) -> None:
        made = [
            row
            for y, bold, texts in (
                (100, True, (("Name", 72), ("Office", 310), ("Age", 390))),
                (126, False, (("Ann", 72), ("President", 310), ("51", 390))),
                (138, False, (("Bob", 72), ("Treasurer", 310), ("47", 390))),
            )
            for row in rows_of(segment(text, x, y, bold=bold) for text, x in texts)
        ]
        (table,) = split_tables(made, 10)
        assert isinstance(table, Table)
        assert list(table.rows[0]) == ["Name", "Office", "Age"]

    def test_numbered_headings_close_to_each_other_are_none(self) -> None:
        made = rows_of(
            segment(text, x, 100 + 20 * i, 12, bold=True)
            for i, row in enumerate([("1.1", "Boats"), ("1.1.1", "Small ones")])
            for text, x in zip(row, (72, 110), strict=True)
        )
        assert [one.text for one in split_tables(made, 10) if isinstance(one, Row)] == [
            "1.1 Boats",
            "1.1.1 Small ones",
        ]

    def test_numbers_before_names_are_a_table_where_they_are_set_as_text(self) -> None:
        assert self.grid(*((("1.1", 72), (name, 110), (name, 300)) for name in ("a b", "c d")))

    def test_prose_is_no_table(self) -> None:
        made = rows((("one line of text", 72),), (("and another one", 72),))
        assert split_tables(made, 10) == made

    @pytest.mark.parametrize(
        ("first", "second", "size", "bold", "is_table"),
        [
            ("1", "1.1", 14, True, False),
            ("1", "2", 11, True, False),
            ("A", "A.1", 14, True, False),
            ("A", "B", 10, True, True),
            ("1", "1.1", 14, False, False),
            ("1.1", "1.1.1", 9, True, False),
            ("1.1", "1.1.1", 10, False, True),
            ("1", "2", 10, True, True),
            ("1.1", "1.1.1", 7, True, True),
        ],
    )
    def test_headings_below_each_other_that_are_set_apart_are_no_table(
        self, first: str, second: str, size: float, bold: bool, is_table: bool
    ) -> None:
        made = [
            row
            for y, texts in (
                (100, ((first, 72), ("Berths", 140))),
                (118, ((second, 72), ("Of boats", 140))),
            )
            for row in rows_of(segment(text, x, y, size, bold=bold) for text, x in texts)
        ]
        parts = split_tables(made, 10)
        assert any(isinstance(part, Table) for part in parts) == is_table
        assert is_table or len(parts) == 2

    def test_a_heading_with_its_number_ends_a_table(self) -> None:
        made = [
            *rows((("\\lamp", 40), ("Lights a lamp.", 120)), (("\\wick", 40), ("Trims it.", 120))),
            *rows_of(
                segment(text, x, 132, bold=True) for text, x in (("2.3.1", 120), ("Oil", 160))
            ),
            *rows_of(segment(text, x, 148) for text, x in (("\\oil", 40), ("Buys oil.", 120))),
            *rows_of(segment(text, x, 162) for text, x in (("\\tar", 40), ("Buys tar.", 120))),
        ]
        found = [
            "table" if isinstance(part, Table) else part.text for part in split_tables(made, 10)
        ]
        assert found == ["table", "2.3.1 Oil", "table"]

    def test_bullets_are_no_column(self) -> None:
        made = rows((("•", 72), ("one thing", 90)), (("•", 72), ("another thing", 90)))
        assert [part.text for part in split_tables(made, 10) if isinstance(part, Row)] == [
            "• one thing",
            "• another thing",
        ]

    @pytest.mark.parametrize(
        "text", ["1,234", "$ 5.6", "(12)", "(3)%", "—", "45 %", "2022", "$(7)", "N/A"]
    )
    def test_amounts_are_values(self, text: str) -> None:
        assert is_value(text)

    @pytest.mark.parametrize("text", ["Total", "Note 3", "a", "March 31, 2021"])
    def test_words_are_none(self, text: str) -> None:
        assert not is_value(text)


class TestParagraphs:
    def test_a_wide_gap_parts_paragraphs(self) -> None:
        made = [
            line("one", y=100, right=400),
            line("two", y=112, right=400),
            line("three", y=140, right=400),
        ]
        assert [len(group) for group in grouped(made, USUAL)] == [2, 1]

    def test_a_short_line_ends_a_paragraph(self) -> None:
        made = [line("Long", right=400), line("Short.", y=112), line("Next", y=124, right=400)]
        assert [len(group) for group in grouped(made, USUAL)] == [2, 1]

    def test_a_number_that_only_wrapped_begins_none(self) -> None:
        made = [
            line("The rule of paragraph", y=100, right=400),
            line("(2) of this section holds.", y=112, right=300),
        ]
        assert len(grouped(made, USUAL)) == 1

    def test_bold_lines_stand_apart(self) -> None:
        made = [line("Title", bold=True), line("Text", y=112, right=400)]
        assert len(grouped(made, USUAL)) == 2

    def test_what_is_usual_is_learned_from_the_rows(self) -> None:
        made = rows_of(segment("text of the usual size, long", 72, 100 + 12 * i) for i in range(9))
        usual = usual_of([[[*made, *rows_of([segment("Title", 72, 300, 18)])]]])
        assert (usual.size, usual.line_pitch(10)) == (10.0, 12.0)


class TestUsual:
    TEXT = "The keeper of the lamps lights them before the sun is down and tends them"

    def sizes(self, *pages: list[float]) -> list[float]:
        """The usual size of each page, made of lines of these sizes."""
        laid_out = [
            [rows_of(segment(self.TEXT, 72, 100 + 16 * i, size) for i, size in enumerate(sizes))]
            for sizes in pages
        ]
        return [one.size for one in usual_by_page(laid_out, usual_of(laid_out))]

    def test_a_part_in_a_size_of_its_own_has_its_own(self) -> None:
        report, exhibit = [[9.0] * 40] * 12, [[12.0] * 30] * 6
        found = self.sizes(*report, *exhibit)
        assert found[:10] == [9.0] * 10
        assert found[-4:] == [12.0] * 4

    def test_larger_text_among_the_rest_is_set_apart(self) -> None:
        assert (
            self.sizes(*[[9.0] * 40] * 6, [9.0] * 10 + [12.0] * 30, *[[9.0] * 40] * 6) == [9.0] * 13
        )

    def test_one_page_of_its_own_is_none(self) -> None:
        assert self.sizes(*[[9.0] * 40] * 6, [12.0] * 8, *[[9.0] * 40] * 6) == [9.0] * 13


class TestHeadings:
    @pytest.mark.parametrize(
        ("text", "is_heading"),
        [
            ("L N", False),
            ("Y 42 h h h h", False),
            ("L E 2 8 H S 9 Z", False),
            ("a = b", False),
            ("R E P E A L", True),
            ("Go on", True),
            ("IT and AI", True),
            ("燈 火", True),
        ],
    )
    def test_letters_of_a_figure_are_none(self, text: str, is_heading: bool) -> None:
        found = heading_style([line(text, size=16)], USUAL, 72, 540, apart=True)
        assert (found is not None) == is_heading

    def style(
        self, text: str, *, bold: bool = False, size: float = 10, apart: bool = True
    ) -> Style | None:
        return heading_style([line(text, size=size, bold=bold)], USUAL, 72, 540, apart=apart)

    @pytest.mark.parametrize(
        ("text", "kind"),
        [
            ("Item 1A. Risk Factors", "item"),
            ("PART II", "part"),
            ("SEC. 203. REPORTS.", "sec"),
            ("§ 4 Fees", "sec"),
            ("2.1 Methods", "decimal 2"),
            ("CHAPITRE 3", "ch"),
            ("Artículo 7. Tasas", "art"),
            ("Глава 5 Общие положения", "ch"),
            ("Parte 2 del muelle", ""),
            ("Items that we exclude", ""),
            ("Section 5 of the Act says", ""),
            ("Particulars", ""),
        ],
    )
    def test_labels_are_recognised(self, text: str, kind: str) -> None:
        assert kind_of(text) == kind

    @pytest.mark.parametrize(
        "text",
        [
            "Three months ended March 31, 2021",
            "For the Fiscal Year Ended December 31, 2019",
            "As of December 31, 2022 and 2021",
            "January 1, 2020",
            "/s/ Ann Smith",
            "By: Ann Smith",
            "Date: May 4, 2021",
            "and of what is left to do.",
        ],
    )
    def test_bold_captions_and_signatures_are_none(self, text: str) -> None:
        assert self.style(text, bold=True) is None

    @pytest.mark.parametrize(
        "text", ["Events after December 31, 2022", "Quarters", "May 2021 review", "Year ended well"]
    )
    def test_headings_that_speak_of_time_are_kept(self, text: str) -> None:
        assert self.style(text, bold=True) is not None

    @pytest.mark.parametrize(
        "text", ["Risk factors", "Item 3. Legal Proceedings", "NOTE 2. REVENUE"]
    )
    def test_bold_lines_are_headings(self, text: str) -> None:
        assert self.style(text, bold=True)

    @pytest.mark.parametrize(
        "text",
        [
            "Plain text",
            "(a) In general",
            "• item",
            "$ 5,000",
            "Rivers ........ 7",
            "12",
            "ending in,",
        ],
    )
    def test_others_are_none(self, text: str) -> None:
        assert self.style(text) is None

    @pytest.mark.parametrize("text", ["(a) In general", "• item", "Rivers ........ 7", "1,234"])
    def test_not_even_in_bold(self, text: str) -> None:
        assert self.style(text, bold=True) is None

    @pytest.mark.parametrize(
        ("number", "name", "is_heading"),
        [
            ("7.5.2", "open_lock", True),
            ("7.5.2", "The keeper opens the lock.", False),
            ("7", "open_lock", False),
        ],
    )
    def test_a_bold_number_before_a_name_in_another_face_is_one(
        self, number: str, name: str, is_heading: bool
    ) -> None:
        (row,) = rows_of([segment(number, 72, bold=True), segment(name, 110)])
        found = heading_style([line_of(row)], USUAL, 72, 540, apart=True)
        assert (found is not None) == is_heading

    @pytest.mark.parametrize("size", [10, 14])
    def test_how_to_take_the_next_paragraph_is_none(self, size: float) -> None:
        assert self.style("Note", bold=True, size=size) is None
        assert self.style("Notes on lamps", bold=True, size=size) is not None

    def test_bold_sets_nothing_apart_where_all_is_bold(self) -> None:
        usual = Usual(10.0, {}, bold=True)
        assert heading_style([line("Some line", bold=True)], usual, 72, 540, apart=True) is None


class TestLevels:
    def levels(self, *blocks: Block) -> list[int]:
        assign_levels(blocks)
        return [block.level for block in blocks]

    def test_larger_is_outer(self) -> None:
        assert self.levels(heading("A", 32), heading("B", 24), heading("C", 24)) == [1, 2, 2]

    def test_what_has_labels_stands_on_one_level_whatever_its_looks(self) -> None:
        found = self.levels(
            heading("PART I", 28), heading("Chapter 1", 24), heading("Overview", 20),
            heading("PART II", 28), heading("Chapter 2", 24), heading("Chapter 3", 18),
        )  # fmt: skip
        assert found == [1, 1, 3, 1, 1, 1]

    def test_what_looks_as_they_do_stands_beside_them(self) -> None:
        found = self.levels(
            heading("1. Scope"), heading("1.1 Terms"), heading("2. Rules"), heading("References"),
        )  # fmt: skip
        assert found == [1, 1, 1, 1]

    def test_what_looks_as_a_few_labelled_ones_do_among_many_stays_where_it_is(self) -> None:
        parts = [heading("PART I", 28), heading("PART II", 28)]
        others = [heading(title) for title in ("Fees", "Lamps", "Keepers", "Moorings", "Appeals")]
        assert self.levels(*parts, *others, heading("Exhibit 4")) == [1, 1, 2, 2, 2, 2, 2, 1]

    def test_of_the_title_page_the_title_alone_holds_what_follows(self) -> None:
        first = [heading("Harbour Guide", 40), heading("For keepers", 40), heading("A. Mole", 28)]
        later = [heading("Lamps", 30), heading("Wicks", 24), heading("Moorings", 30)]
        for block in later:
            block.page = 3
        assert self.levels(*first, *later) == [1, 2, 3, 2, 4, 2]

    def test_what_is_set_as_nothing_else_is_holds_no_chapter(self) -> None:
        found = self.levels(
            heading("Chapter 1", 28), heading("Berths", 24), heading("SALE TODAY ONLY", 60),
            heading("Chapter 2", 28), heading("Fees", 24), heading("Chapter 3", 28),
        )  # fmt: skip
        assert found == [2, 3, 2, 2, 3, 2]

    def test_a_part_set_larger_holds_its_chapters_where_there_are_several(self) -> None:
        found = self.levels(
            heading("On Land", 40), heading("Chapter 1", 28), heading("Chapter 2", 28),
            heading("At Sea", 40), heading("Chapter 3", 28),
        )  # fmt: skip
        assert found == [1, 2, 2, 1, 2]

    def test_what_stands_among_numbers_of_one_chapter_stands_below_them(self) -> None:
        found = self.levels(
            heading("3. Lamps", 28), heading("3.1 Wicks", 24), heading("Figures", 40),
            heading("3.2 Oil", 24), heading("Notes", 40), heading("4. Fees", 28),
        )  # fmt: skip
        assert found[1] == found[3] < found[2]
        assert found[4] < found[2]

    def test_a_date_between_the_title_and_the_first_label_holds_nothing(self) -> None:
        found = self.levels(
            heading("Ports Act", 40), heading("2026 No. 14", 32), heading("1. Scope"),
            heading("2. Rules"), heading("3. End"),
        )  # fmt: skip
        assert found == [1, 3, 3, 3, 3]

    def test_capitals_of_a_title_do_not_part_headings_with_one_label(self) -> None:
        found = self.levels(
            heading("Article 1 SCOPE", 22), heading("Article 2 Terms", 22), heading("Remarks", 20)
        )
        assert found == [1, 1, 2]

    def test_one_that_is_set_otherwise_has_the_level_of_its_label(self) -> None:
        found = self.levels(
            heading("PART I", 24), heading("PART II", 24), heading("A", 22), heading("PART III", 20)
        )
        assert found == [1, 1, 2, 1]

    def test_what_names_a_table_or_figure_divides_nothing(self) -> None:
        found = self.levels(
            heading("Lamps", 28), heading("Figure 1. A wick", 18), heading("Oil", 24),
            heading("Table 1. Prices", 18), heading("Fees", 28), heading("Figure 2. A purse", 18),
        )  # fmt: skip
        assert found == [1, 6, 2, 6, 1, 6]

    def test_a_name_that_a_number_ends_is_no_label(self) -> None:
        found = self.levels(
            heading("Codes", 28), heading("EAN-8"), heading("EAN-13"), heading("UPC-A"),
            heading("Others", 28), heading("EAN-14"),
        )  # fmt: skip
        assert found == [1, 2, 2, 2, 1, 2]

    def test_acronyms_stand_beside_what_is_set_like_them(self) -> None:
        others = [heading(title) for title in ("Aztec code", "Data matrix", "Codablock")]
        assert self.levels(heading("Codes", 28), heading("ISBN"), *others) == [1, 2, 2, 2, 2]

    def test_words_in_capitals_stand_above_others(self) -> None:
        others = [heading(title) for title in ("Aztec code", "Data matrix", "Codablock")]
        assert self.levels(heading("Codes", 28), heading("INVENTORY"), *others) == [1, 2, 3, 3, 3]

    def test_a_size_that_occurs_once_does_not_join_those_around_it(self) -> None:
        sizes = [48, 41, 35, 29, 24, 22]
        many = [
            heading(f"Of {size} {word}", size)
            for word in ("oil", "tar", "tin", "sand")
            for size in sizes
        ]
        found = self.levels(heading("June", 32), *many)
        assert found[1:7] == [1, 2, 3, 4, 5, 6]

    def test_light_signs_larger_than_chapters_within_a_page_are_of_a_drawing(self) -> None:
        chapters = [heading(f"{i}. {name}", 28) for i, name in enumerate(["Oil", "Tar", "Tin"], 1)]
        drawn, part = heading("SEN GND", 40, bold=False), heading("Harbours", 40, bold=False)
        bold = heading("Boats", 40)
        part.page = bold.page = chapters[2].page = 1
        blocks = [*chapters[:2], drawn, part, bold, chapters[2]]
        without_labels_of_figures(blocks)
        assert [block.text for block in blocks if not block.style] == ["SEN GND"]

    @given(st.lists(st.tuples(st.sampled_from(["PART I", "Item 2.", "1. A", "1.1 B", "Note 1. C", "D"]),
                              st.integers(16, 40)), max_size=30))  # fmt: skip
    def test_levels_are_those_of_markdown(self, made: list[tuple[str, int]]) -> None:
        assert all(
            1 <= level <= 6 for level in self.levels(*(heading(text, size) for text, size in made))
        )


class TestOutline:
    def test_an_entry_that_is_not_on_its_page_becomes_a_heading(self) -> None:
        blocks = [heading("One"), heading("Two"), heading("Three")]
        entries = [
            Entry(1, "Item 1. All", 0, 0.0),
            *(Entry(2, name, 0, 0.0) for name in ("One", "Two", "Three")),
        ]
        assert apply_outline(blocks, entries)
        assert [(block.level, block.text) for block in blocks] == [
            (1, "Item 1. All"), (2, "One"), (2, "Two"), (2, "Three"),
        ]  # fmt: skip

    def test_an_entry_names_a_line_behind_its_number(self) -> None:
        line = Block([(0, ["7.1 open_lock"])], 0, 60.0, 10.0)
        text = Block([(0, ["7.2 open_lock and", "close_lock go together"])], 0, 90.0, 10.0)
        blocks = [heading("Locks"), heading("Boats"), line, text]
        names = ("Locks", "Boats", "open_lock")
        assert apply_outline(
            blocks, [Entry(1 + (i > 1), name, 0, 0.0) for i, name in enumerate(names)]
        )
        assert [(block.level, block.text) for block in blocks if block.style] == [
            (1, "Locks"), (1, "Boats"), (2, "7.1 open_lock")
        ]  # fmt: skip

    def test_an_outline_that_says_nothing_is_not_used(self) -> None:
        blocks = [heading("One"), heading("Two")]
        assert not apply_outline(blocks, [Entry(1, f"scan{i}.tif", 0, None) for i in range(9)])


class TestContents:
    def test_rows_that_lead_to_pages_are_found(self) -> None:
        made = rows(*((("Chapter about it", 72), (str(i), 500)) for i in (3, 5, 9, 12, 20)))
        assert contents_rows(made, 30) is not None

    def test_a_labelled_heading_above_is_none_of_them(self) -> None:
        entries = ((("Chapter about it", 72), (str(i), 500)) for i in (3, 5, 9, 12, 20))
        made = rows((("Item 7. Discussion", 72),), (("What it holds", 72),), *entries)
        found = contents_rows(made, 30)
        assert found is not None
        assert made[0].top < found[0] <= made[1].top

    def test_amounts_are_none(self) -> None:
        made = rows(
            *((("Sales", 72), (amount, 500)) for amount in ("900", "30", "700", "2", "800"))
        )
        assert contents_rows(made, 30) is None


class TestHyphens:
    @pytest.mark.parametrize(
        ("left", "right", "words", "whole"),
        [
            ("infor-", "mation", "information", "information"),
            ("infor\ufffe", "mation", "", "information"),
            ("long-", "term", "long-term", "long-term"),
            ("long-", "term", "long term", "long-term"),
            ("pages 3-", "5", "", "pages 3-5"),
            ("Anglo-", "Saxon", "", "Anglo-Saxon"),
            ("a word", "next", "", "a word next"),
        ],
    )
    def test_lines_are_joined(self, left: str, right: str, words: str, whole: str) -> None:
        joint = Mender(lambda: [words]).joints([left, right])[0]
        assert (left[:-1] if joint.cut else left) + joint.glue + right == whole


class TestCharacters:
    def test_ligatures_and_spaces_become_plain(self) -> None:
        assert normalised("e\ufb03cient\u00a0use\u00ad of\u2009it\x07") == "efficient use of it"

    def test_a_lost_letter_is_found_by_the_other_words(self) -> None:
        lost = lost_letters(["an af ect on", "it may affect all", "of course, a set of rules"])
        assert with_letters("an af ect of it", lost) == "an affect of it"

    @pytest.mark.parametrize(
        ("name", "style"),
        [
            ("ABCDEF+Times-Bold", (True, False)),
            ("Arial-ItalicMT", (False, True)),
            ("Times", (False, False)),
        ],
    )
    def test_fonts_say_their_style(self, name: str, style: tuple[bool, bool]) -> None:
        assert style_of(name, 0) == style

    @given(st.binary(max_size=300), st.sampled_from([b"\0\1\0\0", b"OTTO", b""]))
    def test_broken_font_files_say_something(self, data: bytes, magic: bytes) -> None:
        assert len(style_of_file(magic + data)) == 2


class TestMarkdown:
    @given(st.text(max_size=60).map(lambda text: " ".join(normalised(text).split())))
    def test_a_paragraph_never_becomes_a_heading(self, text: str) -> None:
        assert find_headings(f"Before.\n\n{escaped_start(text)}\n\nAfter.") == []

    def test_plain_text_stays(self) -> None:
        assert (
            escaped("Sales of 5 * 3, a_b and 10 < 20 & more [1].")
            == "Sales of 5 * 3, a_b and 10 < 20 & more [1]."
        )

    @given(
        st.text(alphabet="ab \\*_`<&[](~#", max_size=40).map(lambda text: " ".join(text.split()))
    )
    def test_places_are_found_again_behind_backslashes(self, text: str) -> None:
        written = escaped_start(text)
        ends = moved(range(len(text) + 1), text, written)
        assert ends[-1] == len(written)
        for place, (begin, end) in enumerate(pairwise(ends)):
            assert written[begin:end] in (text[place], "\\" + text[place])

    def test_pages_begin_within_a_paragraph(self) -> None:
        block = Block([(0, ["one two"]), (2, ["three"])], 0, 0.0, 10.0)
        text, starts, _ = render([block], [(612.0, 792.0)] * 3, Mender(list))
        assert text == "one two three"
        assert [text[start:] for start in starts] == ["one two three", "three", "three"]

    def test_cells_cannot_break_out(self) -> None:
        table = Block([], 0, 0.0, 10.0, table=Table([["a|b", "c"], ["d", "e"]], [False, False]))
        assert (
            render([table], [(612.0, 792.0)], Mender(list)).text.split("\n")[0] == "| a\\|b | c |"
        )
