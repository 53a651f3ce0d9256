"""Implicit structure: sections that labels, numbers and enumerators begin where a text has no headings for them."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hierdoc import Document, Section
from hierdoc.models import DomainName
from hierdoc.structure import understand
from hierdoc.structure.domains import DOMAINS
from hierdoc.structure.sections import NO_PARENT, flatten, section_tree


def ids(text: str, domain: DomainName = "auto", depth: int | None = None) -> list[str]:
    return [
        entry.section.id
        for entry in flatten(section_tree(text, domain=domain, max_subsection_depth=depth))
    ]


def outline(text: str, domain: DomainName = "auto") -> str:
    """Titles, one per line, indented by two spaces per level of nesting."""
    lines: list[str] = []
    depths: list[int] = []
    for entry in flatten(section_tree(text, domain=domain)):
        depths.append(0 if entry.parent == NO_PARENT else depths[entry.parent] + 1)
        lines.append("  " * depths[-1] + entry.section.title)
    return "\n".join(lines)


def keys(text: str, domain: DomainName = "auto") -> list[str | None]:
    return [entry.section.key for entry in flatten(section_tree(text, domain=domain))]


def spans(text: str, domain: DomainName = "auto") -> list[tuple[int, int]]:
    """Of each section's own text, before the first section within it."""
    found = []
    for entry in flatten(section_tree(text, domain=domain)):
        section = entry.section
        inner = section.children[0].char_start if section.children else section.char_end
        found.append((section.char_start, inner))
    return found


BILL = """A BILL

To do things, Congress enacts:

TITLE I—GENERAL PROVISIONS

CHAPTER 2—REPORTS

SEC. 203. REPORTS.

(a) IN GENERAL.—The Secretary shall—

(1) report to Congress on—

(A) costs, including—

(i) direct costs; and

(ii) other costs; and

(B) benefits; and

(2) publish the report.

(b) TIMING.—The report is due each year.

TITLE II—OTHER MATTERS

SEC. 301. RULES.

The Secretary shall make rules.
"""

BILL_OUTLINE = """\
TITLE I—GENERAL PROVISIONS
  CHAPTER 2—REPORTS
    SEC. 203. REPORTS.
      (a) IN GENERAL.
        (1)
          (A)
            (i)
            (ii)
          (B)
        (2)
      (b) TIMING.
TITLE II—OTHER MATTERS
  SEC. 301. RULES."""

AUSTRALIAN = """Widgets Act 2001

The Parliament of Australia enacts:

Part 1—Preliminary

Division 1—General

1  Short title
  This Act may be cited as the Widgets Act.

2  Commencement
 (1) This Act commences:
 (a) on the day it receives the Royal Assent; or
 (b) if the Minister so directs:
 (i) on the day fixed; or
 (ii) 6 months after it.
 (2) Subsection (1) has effect.
 (2A) Nothing else has effect.

12A  Meaning of small widget
  It is what is not large.

Schedule 1—Transitional provisions

1  Application
  This Schedule applies.
"""

AUSTRALIAN_OUTLINE = """\
Part 1—Preliminary
  Division 1—General
    1 Short title
    2 Commencement
      (1)
        (a)
        (b)
          (i)
          (ii)
      (2)
      (2A)
    12A Meaning of small widget
Schedule 1—Transitional provisions
  1 Application"""

EUROPEAN = """Regulation (EU) 2030/1 of the European Parliament

Whereas:

(1) The first reason concerns Member States.

(2) The second reason concerns others.

CHAPTER I
General provisions

Article 1
Scope

1.   This Regulation applies:

(a)  in the Union; or

(b)  elsewhere, where that is:

(i)  agreed; and

(ii)  signed.

2.   It does not apply to Member States.

Article 2
Definitions

(1) ‘thing’ means a thing;

(2) ‘other’ means another.
"""

EUROPEAN_OUTLINE = """\
Whereas:
  (1)
  (2)
CHAPTER I General provisions
  Article 1 Scope
    1.
      (a)
      (b)
        (i)
        (ii)
    2.
  Article 2 Definitions
    (1)
    (2)"""

GERMAN = """Gesetz über die Beispiele

§ 1 Anwendungsbereich

(1) Dieses Gesetz gilt für die Verarbeitung von Daten durch
1. öffentliche Stellen und
2. andere Stellen, soweit sie
a) groß sind oder
b) klein und
aa) alt oder
bb) neu sind.
(2) Es gilt nicht nach Maßgabe des
§ 2 Abs. 1 dieses Gesetzes.

§ 2 Begriffe

Die Begriffe sind in der Anlage bestimmt und werden für alle verwendet.
"""

GERMAN_OUTLINE = """\
§ 1 Anwendungsbereich
  (1)
    1.
    2.
      a)
      b)
        aa)
        bb)
  (2)
§ 2 Begriffe"""

CONTRACT = """SERVICES AGREEMENT

This Agreement is made by and between the Customer and the Provider, each a party.

ARTICLE I
DEFINITIONS

Section 1.1 Defined Terms. As used here, words have their meaning.

Section 1.2 Interpretation

(a) Headings are for reference.

(b) The following apply:

(i) the singular includes the plural; and

(ii) the reverse.

ARTICLE II
FEES

Section 2.1 Payment. Subject to Section 1.2(b), the Customer shall pay.
"""

CONTRACT_OUTLINE = """\
ARTICLE I DEFINITIONS
  Section 1.1 Defined Terms.
  Section 1.2 Interpretation
    (a)
    (b)
      (i)
      (ii)
ARTICLE II FEES
  Section 2.1 Payment."""

NUMBERED_CONTRACT = """LEASE AGREEMENT

By and between the Landlord and the Tenant.

1. Definitions.

1.1 "Premises" means the house.

2. RENT

2.1 Amount. The Tenant shall pay, as set out in Section
1.1 of this Agreement, each month.
"""

NUMBERED_CONTRACT_OUTLINE = """\
1. Definitions.
  1.1
2. RENT
  2.1 Amount."""

PAPER = """Abstract

We measure things.

1 Introduction

Things were never measured.

1.1 Background

Nobody tried.

1.1.1 History

There is none.

2 Method

2.1 Measuring

We measured.
"""

PAPER_OUTLINE = """\
1 Introduction
  1.1 Background
    1.1.1 History
2 Method
  2.1 Measuring"""


@pytest.mark.parametrize(
    ("domain", "text", "expected"),
    [
        ("us_legislative", BILL, BILL_OUTLINE),
        ("au_legislative", AUSTRALIAN, AUSTRALIAN_OUTLINE),
        ("eu_legislative", EUROPEAN, EUROPEAN_OUTLINE),
        ("de_legislative", GERMAN, GERMAN_OUTLINE),
        ("legal_contract", CONTRACT, CONTRACT_OUTLINE),
        ("legal_contract", NUMBERED_CONTRACT, NUMBERED_CONTRACT_OUTLINE),
        ("academic", PAPER, PAPER_OUTLINE),
        ("technical", PAPER, PAPER_OUTLINE),
    ],
)
def test_each_domain_nests_its_labels(domain: DomainName, text: str, expected: str) -> None:
    assert outline(text, domain) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BILL, BILL_OUTLINE),
        (AUSTRALIAN, AUSTRALIAN_OUTLINE),
        (EUROPEAN, EUROPEAN_OUTLINE),
        (GERMAN, GERMAN_OUTLINE),
        (CONTRACT, CONTRACT_OUTLINE),
        (NUMBERED_CONTRACT, NUMBERED_CONTRACT_OUTLINE),
        (PAPER, PAPER_OUTLINE),
    ],
)
def test_auto_recognises_the_domain(text: str, expected: str) -> None:
    assert outline(text) == expected


def test_an_act_of_plain_numbers_is_none_of_decimal_ones() -> None:
    """Blank lines below its sections make them look like those of a report; its parts and levels tell."""
    text = (
        "WIDGETS ACT 2001\n\nPart 1  Preliminary\n\n1  Short title\n\nThis Act may be cited as the Widgets Act.\n\n"
        "2  Commencement\n\n(1) This Act commences:\n\n(a) on Monday; or\n\n(b) on Tuesday.\n\n(2) It has effect.\n\n"
        "Part 2  Widgets\n\n3  Meaning of widget\n\n(1) A widget is a thing:\n\n(a) that is small; or\n\n"
        "(b) that is large.\n\n4  Meaning of gadget\n\nA gadget is no widget.\n"
    )
    assert ids(text) == [
        "part_1", "sec_1", "sec_2", "sec_2_1", "sec_2_1_a", "sec_2_1_b", "sec_2_2",
        "part_2", "sec_3", "sec_3_1", "sec_3_1_a", "sec_3_1_b", "sec_4",
    ]  # fmt: skip
    assert ids(text) == ids(text, "au_legislative")


def test_none_sees_headings_alone() -> None:
    assert outline("# Act\n\n" + BILL, "none") == "Act"


# Ids and keys


def test_an_enumerated_subsection_is_named_after_its_section() -> None:
    assert {"sec_203", "sec_203_a", "sec_203_a_1", "sec_203_a_1_a_ii"} <= set(ids(BILL))
    assert {"sec_1_1_2_b_aa"} <= set(ids(GERMAN))
    assert {"art_1_1_b_i", "art_2_2", "recital_2"} <= set(ids(EUROPEAN))


@pytest.mark.parametrize("domain", ["auto", "legal_contract", "us_legislative"])
def test_recitals_are_read_in_a_text_of_any_domain(domain: str) -> None:
    text = (
        "# Rules on lamps\n\nWhereas:\n\n(1) Lamps burn.\n\n(2) Keepers sleep.\n\n## Article 1 Lamps\n\nA lamp burns.\n\n"
        "## Article 2 Keepers\n\n(1) A keeper wakes.\n\n(2) Whereas lamps burn, keepers rest.\n\n## Article 3 Oil\n\nWhereas:\n\n(a) oil is dear,\n"
    )
    assert {"recital_1", "recital_2", "art_2_1", "art_2_2"} <= set(ids(text, domain))
    assert "recital_a" not in ids(text, domain)


def test_an_id_is_told_apart_with_that_of_its_section_and_the_key_is_not() -> None:
    text = (
        "# Part 1\n\n## Section 1\n\n(a) shall\n\n(b) be\n\n# Part 2\n\n## Section 1\n\n(a) shall\n"
    )
    assert ids(text) == [
        "part_1",
        "part_1_sec_1",
        "part_1_sec_1_a",
        "part_1_sec_1_b",
        "part_2",
        "part_2_sec_1",
        "part_2_sec_1_a",
    ]
    assert keys(text)[2] == keys(text)[6] == "sec_1_a"


def test_a_change_elsewhere_renames_no_subsection() -> None:
    changed = BILL.replace("SEC. 301. RULES.", "SEC. 300. NEW.\n\n(a) New.\n\nSEC. 301. RULES.")
    assert set(ids(BILL)) < set(ids(changed))


# Depth


@pytest.mark.parametrize(
    ("depth", "deepest"),
    [(0, "sec_203"), (1, "sec_203_b"), (2, "sec_203_a_2"), (9, "sec_203_a_1_a_i")],
)
def test_enumerated_subsections_are_kept_down_to_a_depth(depth: int, deepest: str) -> None:
    found = ids(BILL, depth=depth)
    assert deepest in found
    assert all(one.count("_") <= depth + 1 for one in found if one.startswith("sec_203"))


# Letters and numerals


@pytest.mark.parametrize(
    ("enumerators", "expected"),
    [
        ("(a) (b) (c) (d) (e) (f) (g) (h) (i) (j)", "a b c d e f g h i j"),
        ("(a) (b) (c) (d) (e) (f) (g) (h) (i)", "a b c d e f g h i"),
        ("(a) (1) (A) (i) (ii)", "a a_1 a_1_a a_1_a_i a_1_a_ii"),
        ("(a) (b) (c) (d) (e) (f) (g) (h) (i) (ii)", "a b c d e f g h h_i h_ii"),
        ("(a) (i) (ii) (iii) (iv) (v) (vi) (b)", "a a_i a_ii a_iii a_iv a_v a_vi b"),
        ("(1) (2) (2a) (3)", "1 2 2a 3"),
        ("(1) (2) (5)", "1 2 5"),
        ("(y) (a)", "a"),
        ("(a) (aa) (ab) (b)", "a aa ab b"),
    ],
)
def test_enumerators_are_read_in_context(enumerators: str, expected: str) -> None:
    lines = "".join(f"{one} It shall be;\n\n" for one in enumerators.split())
    found = ids(f"SEC. 1. FIRST.\n\n{lines}", "us_legislative")
    assert " ".join(one.removeprefix("sec_1_") for one in found[1:]) == expected


def test_several_enumerators_may_begin_one_paragraph() -> None:
    text = "SEC. 203. REPORTS.\n(a)(1)(A)(i) The Secretary shall report.\n(ii) So shall others.\n(2) Again.\n"
    assert ids(text) == [
        "sec_203",
        "sec_203_a",
        "sec_203_a_1",
        "sec_203_a_1_a",
        "sec_203_a_1_a_i",
        "sec_203_a_1_a_ii",
        "sec_203_a_2",
    ]


# Headings


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("SEC. 203. REPORTS.", "SEC. 203. REPORTS."),
        ("Section 6. Quorum. A majority shall do.", "Section 6. Quorum."),
        ("Section 6. A majority shall do.", "Section 6."),
        ("Section 12.3.4 Scope", "Section 12.3.4 Scope"),
        ("§ 4.2 Reports", "§ 4.2 Reports"),
        ("Article 5", "Article 5"),
        ("Amendment 184", "Amendment 184"),
        ("**Section 6. Quorum.** A majority shall do.", "Section 6. Quorum."),
        ("Article IV. Of the states.", "Article IV. Of the states."),
    ],
)
def test_a_labelled_line_is_a_heading(line: str, title: str) -> None:
    assert outline(f"{line}\n\nThe rest shall follow.\n", "us_legislative") == title


def test_an_enumerator_may_have_a_heading_of_its_own() -> None:
    text = "§ 203. Reports\n\n(a) In general\n\nThe Secretary shall report.\n\n(b) Timing.—Each year.\n"
    assert outline(text) == "§ 203. Reports\n  (a) In general\n  (b) Timing."


def test_a_bold_paragraph_is_a_heading_below_the_last() -> None:
    text = "# Article I\n\n## Section 4\n**Freedom of speech.**\n\nNo law shall be passed.\n\n## Section 5\n"
    assert outline(text) == "Article I\n  Section 4\n    Freedom of speech.\n  Section 5"


def test_steps_are_headings() -> None:
    text = "Step 1: Mix\n\nMix it.\n\nStep 2: Bake\n\nBake it.\n"
    assert outline(text) == "Step 1: Mix\nStep 2: Bake"


# Markdown headings and implied ones together


def test_implied_headings_lie_beneath_the_nearest_heading() -> None:
    text = "# Charter\n\n## Powers\n\nSection 1. Taxes. It shall tax.\n\nSection 2. It shall not.\n\n## Duties\n\nNone."
    assert outline(text) == "Charter\n  Powers\n    Section 1. Taxes.\n    Section 2.\n  Duties"


def test_labels_outrank_flat_levels() -> None:
    text = "## TITLE I—A\n\n## SEC. 1. B.\n\nIt shall.\n\n## SEC. 2. C.\n\n## TITLE II—D\n\n## SEC. 3. E.\n"
    assert outline(text) == "TITLE I—A\n  SEC. 1. B.\n  SEC. 2. C.\nTITLE II—D\n  SEC. 3. E."


def test_consistent_levels_of_an_author_are_kept() -> None:
    text = (
        "# Section 1\n\nIt shall.\n\n## Article 1\n\n## Article 2\n\n# Section 2\n\n## Article 3\n"
    )
    assert outline(text) == "Section 1\n  Article 1\n  Article 2\nSection 2\n  Article 3"


def test_levels_are_kept_where_parts_divide_an_appendix_only() -> None:
    text = (
        "# TITLE I—A\n\n## CHAPTER 1—B\n\n### SEC. 1. C.\n\nIt shall.\n\n### SEC. 2. D.\n\n## CHAPTER 2—E\n\n### SEC. 3. F.\n\n"
        "# APPENDIX A\n\n### PART I—G\n\n#### SEC. 4. H.\n"
    )
    assert outline(text) == (
        "TITLE I—A\n  CHAPTER 1—B\n    SEC. 1. C.\n    SEC. 2. D.\n  CHAPTER 2—E\n    SEC. 3. F.\n"
        "APPENDIX A\n  PART I—G\n    SEC. 4. H."
    )


def test_labels_decide_only_among_headings_of_one_level() -> None:
    text = (
        "## TITLE I—A\n\n## CHAPTER 1—B\n\n## PART 1—C\n\n### SEC. 1. D.\n\nIt shall.\n\n## TITLE II—E\n\n## CHAPTER 2—F\n\n"
        "### SEC. 2. G.\n"
    )
    assert outline(text) == (
        "TITLE I—A\n  CHAPTER 1—B\n    PART 1—C\n      SEC. 1. D.\nTITLE II—E\n  CHAPTER 2—F\n    SEC. 2. G."
    )


def test_an_order_of_labels_that_is_the_authors_own_is_kept() -> None:
    """German codes have chapters within titles, or titles within chapters; some sections lie in no title."""
    text = (
        "# Gesetz\n\n## Abschnitt 1 - A\n\n### Titel 1 - B\n\n#### Kapitel 1 - C\n\n##### § 1 D\n\nText.\n\n"
        "### Titel 2 - E\n\n#### § 2 F\n\nText.\n\n## Abschnitt 2 - G\n\n### § 3 H\n\nText.\n"
    )
    assert outline(text) == (
        "Gesetz\n  Abschnitt 1 - A\n    Titel 1 - B\n      Kapitel 1 - C\n        § 1 D\n"
        "    Titel 2 - E\n      § 2 F\n  Abschnitt 2 - G\n    § 3 H"
    )


def test_notes_in_a_report_of_items_are_no_sections() -> None:
    items = "".join(
        f"## Item {number}. Topic\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n(a) Restated.\n\n(b) Estimated.\n\n"
        for number in range(1, 7)
    )
    text = f"# Report\n\nIt shall be filed.\n\n{items}# Exhibit 1\n\n## Section 1. Fees\n\nIt shall pay.\n"
    found = outline(text, "auto")
    assert "(a)" not in found
    assert found.count("Item") == 6


def test_an_implied_heading_does_not_leave_a_heading_of_another_kind() -> None:
    text = "# Act\n\n## Amendment 1\n\nPart I. It shall be.\n\n## Amendment 2\n\nIt shall not.\n"
    assert outline(text) == "Act\n  Amendment 1\n    Part I.\n  Amendment 2"


# What is no structure


@pytest.mark.parametrize(
    "text",
    [
        "Prose with (1) one thing and (2) another.\n\nMore prose that shall follow.\n",
        "# Tool\n\n1. Install\n2. Run\n\n- (a) one\n- (b) two\n",
        "# Tool\n\n1. Install\n\n   pip install\n\n2. Run\n",
        "Section 5 applies where it shall.\n\nSection 6 of the Act shall apply.\n",
        "It shall be done as set out in\nSection 5. Rules of the Act\nand nowhere else.\n",
        "It shall be done under\nSEC. 5\nof the Act.\n",
        "Version 1.2.3 Released\n\n1.2.4 Fixed bugs\n",
        "| Section 1 | Section 2 |\n|---|---|\n| (a) | (b) |\n",
        "```\nSEC. 1. FIRST.\n\nSEC. 2. SECOND.\n```\n",
        "<!--\nSEC. 1. FIRST.\n\nSEC. 2. SECOND.\n-->\n",
        "- ```\n  SEC. 1. FIRST.\n  ```\n",
        "SEC. 1. FIRST ........ 4\nSEC. 2. SECOND ....... 9\nIt shall.\n",
        "Article 5, paragraph 2, shall apply.\n\n§ 5 Abs. 2 gilt entsprechend.\n",
        "**Note:**\n\nwords\n\n**Is that so?**\n",
    ],
)
def test_what_only_looks_like_structure_adds_nothing(text: str) -> None:
    assert ids(text) == ids(text, "none")


@pytest.mark.parametrize(
    "broken",
    [
        "as set out in subsection (a) or\n(b) of this section.",
        "as set out in subsection (a) or\n\n(b) of this section.",
        "under paragraph\n(2) of it.",
        "where it shall be (a) old and\n(b) new.",
    ],
)
def test_a_citation_broken_over_lines_is_no_subsection(broken: str) -> None:
    text = f"SEC. 1. FIRST.\n\n(a) It shall be done {broken}\n"
    assert ids(text) == ["sec_1", "sec_1_a"]


def test_a_table_of_contents_is_left_out() -> None:
    contents = "TABLE OF CONTENTS\n\nTITLE I—GENERAL\n\nSEC. 1. FIRST.\n\nSEC. 2. SECOND.\n\nTITLE II—NONE\n\n"
    body = "TITLE I—GENERAL\n\nSEC. 1. FIRST.\n\nIt shall.\n\nSEC. 2. SECOND.\n\nIt shall not.\n\nTITLE II—NONE\n\nText.\n"
    assert (
        outline(contents + body)
        == "TITLE I—GENERAL\n  SEC. 1. FIRST.\n  SEC. 2. SECOND.\nTITLE II—NONE"
    )


# What is around


def test_page_breaks_begin_lines() -> None:
    assert outline(BILL.replace("\n\n(1)", "\f(1)")) == BILL_OUTLINE


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_endings_make_no_difference(ending: str) -> None:
    assert outline(BILL.replace("\n", ending)) == BILL_OUTLINE


def test_lines_of_a_section_are_its_own() -> None:
    text = "SEC. 1. FIRST.\n\n(a) It shall;\n\n    (1) be; and\n\n(b) have.\n"
    found = {
        entry.section.id: (entry.section.line_start, entry.section.line_end)
        for entry in flatten(section_tree(text, domain="auto"))
    }
    assert found == {"sec_1": (1, 7), "sec_1_a": (3, 6), "sec_1_a_1": (5, 6), "sec_1_b": (7, 7)}


def test_definitions_reach_over_the_subsections_within_them() -> None:
    text = "SEC. 1. DEFINITIONS.\n\n(1) The term “thing” means—\n\n(A) a stone; or\n\n(B) a stick.\n\n(2) The term “other” means none.\n"
    document = understand(Document("a", "a", text))
    assert [(one.term, one.section_id) for one in document.definitions] == [
        ("thing", "sec_1"),
        ("other", "sec_1"),
    ]
    assert document.definitions[0].text.endswith("(B) a stick.")


# Laws

DOMAIN = st.sampled_from(["auto", *DOMAINS])
PARTS = st.lists(
    st.sampled_from(
        [
            *(
                "TITLE I—X",
                "CHAPTER 2",
                "SEC. 1. FIRST.",
                "Section 2. Quorum. A half.",
                "§ 3 Drei",
                "Article 4",
            ),
            *(
                "(a)",
                "(1)",
                "(A)",
                "(i)",
                "(b)",
                "(2)",
                "1.",
                "2.",
                "a)",
                "1.1 Scope",
                "1 Scope",
                "2  Zwei",
            ),
            *(
                "# Head",
                "## SEC. 5. FIVE.",
                "**Bold.**",
                "Schedule 1",
                "Part A",
                "A.1 Part",
                "Whereas:",
            ),
            *(
                " ",
                "\n",
                "\n\n",
                "\n\n",
                "\n\n",
                "\f",
                "\r\n",
                "text shall be",
                ". ",
                ";",
                "—",
                "```",
                "ß",
                "\ufeff",
            ),
        ]
    ),
    max_size=40,
).map("".join)


def _flat(text: str, domain: DomainName) -> list[Section]:
    return [entry.section for entry in flatten(section_tree(text, domain=domain))]


@given(st.one_of(PARTS, st.text(max_size=80)), DOMAIN)
def test_own_texts_of_all_sections_make_the_document(text: str, domain: DomainName) -> None:
    found = spans(text, domain)
    begin = found[0][0] if found else len(text)
    assert text[:begin] + "".join(text[start:end] for start, end in found) == text
    assert all(before[1] == after[0] for before, after in pairwise(found))


@given(PARTS, DOMAIN)
def test_sections_lie_within_those_around_them_in_order(text: str, domain: DomainName) -> None:
    flat = flatten(section_tree(text, domain=domain))
    for entry in flat:
        section = entry.section
        assert section.char_start <= (section.body_start or 0) <= section.char_end
        assert section.line_start <= section.line_end
        if entry.parent != NO_PARENT:
            around = flat[entry.parent].section
            assert around.char_start < section.char_start < section.char_end <= around.char_end
            assert around.level < section.level


@given(PARTS, DOMAIN)
def test_ids_are_unique(text: str, domain: DomainName) -> None:
    found = [section.id for section in _flat(text, domain)]
    assert len(set(found)) == len(found)


@given(PARTS, DOMAIN)
def test_levels_alone_tell_the_tree(text: str, domain: DomainName) -> None:
    flat = flatten(section_tree(text, domain=domain))
    for index, entry in enumerate(flat):
        before = [
            place for place in range(index) if flat[place].section.level < entry.section.level
        ]
        assert entry.parent == (before[-1] if before else NO_PARENT)


@given(PARTS, DOMAIN)
@example("\n # Head", "auto")
def test_markdown_headings_are_always_sections(text: str, domain: DomainName) -> None:
    headings = {section.char_start for section in _flat(text, "none")}
    assert headings <= {section.char_start for section in _flat(text, domain)}


# Time

SECTIONS = "SEC. 1. FIRST.\n\nIt shall.\n\nSEC. 2. SECOND.\n\n"
HOSTILE = {
    "one line": "(a)" * 700_000,
    "nested brackets": SECTIONS + "(" * 100_000 + "a" + ")" * 100_000,
    "headings": "# SEC. 1. A\n\ntext\n" * 50_000,
    "enumerators": SECTIONS + "(h) x;\n(i) y;\n" * 20_000,
    "chains": SECTIONS + "(a)(1)(A)(i)(I)(aa) x;\n" * 5_000,
    "contents": "".join(f"SEC. {number}. FOO\n" for number in range(20_000)) * 2,
    "capitals": SECTIONS + "SEC. 3. " + "ABC DEF " * 250_000,
    "blank": SECTIONS + " \n" * 500_000,
    "bold": SECTIONS + "**" * 1_000_000,
    "dashes": SECTIONS + "(a) A" + "b c—" * 500_000,
    "numbers": "1" + ".1" * 500_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_no_longer_than_other_text(name: str) -> None:
    began = time.process_time()
    section_tree(HOSTILE[name], domain="auto")
    assert time.process_time() - began < 10


def test_a_heading_in_parentheses_does_not_go_on_in_the_paragraph_below() -> None:
    text = """# Regulation

## Article 17 Right to erasure (right to be forgotten)

1. The data subject has the right.

(a) This is one ground.

2. The controller takes steps.
"""
    ids = [one.section.id for one in flatten(section_tree(text, (), "eu_legislative"))]
    assert ids[1:] == ["art_17", "art_17_1", "art_17_1_a", "art_17_2"]
