"""Defined terms: which are found, which are not, and where their text ends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import Definition
from hierdoc.structure.definitions import find_definitions
from hierdoc.structure.sections import section_tree


def definitions(text: str) -> list[Definition]:
    return list(find_definitions(text, "a.md", section_tree(text)))


def terms(text: str) -> list[str]:
    return [definition.term for definition in definitions(text)]


# In any section


@pytest.mark.parametrize(
    "text",
    [
        '"child" means a person.',
        "“child” means a person.",
        "‘child’ means a person.",
        "'child' means a person.",
        "‘‘child’’ means a person.",
        "„child“ bezeichnet eine Person.",
        "«child» désigne une personne.",
        '**"child"** means a person.',
        "**child** means a person.",
        "**Child** (a minor) shall mean a person.".replace("Child", "child"),
        "The term 'child' has the meaning given that term in section 5.",
        "In this Act, “child” means a person.",
        "For the purposes of this Act, the term “child” means a person.",
        "(2) CHILD DEFINED.—For purposes of this section, a 'child' means a person.",
        "Une « enfant » désigne une personne.".replace("« enfant »", "«child»"),
        "- “child” means a person.",
        "(1) “child” means a person;",
        "a)  „child“ bezeichnet eine Person;",
        "(1) CHILD.—The term 'child' means a person.",
        "Words come first. “child” means a person.",
        "In this Act: “child” means a person.",
        "x means y; “child” means a person.",
        "“child”, in relation to a parent, means a person.",
        "‘child’ of the family means a person.",
        "“child” includes a foster child.",
        "Unless stated otherwise the term “child” means a person.",
        "The expression “child” shall be construed to include all persons.",
        "The term child means a person.",
        "“child” has the meaning given in section 5.",
        "***child*** of a family means a person.",
    ],
)
def test_a_quoted_or_bold_term_with_a_defining_verb(text: str) -> None:
    assert terms(text) == ["child"]


@pytest.mark.parametrize(
    "text",
    [
        'He said "no" means no.',
        'He said\n"no" means no.',
        "Note: this means that.",
        "Don't say 'no'. This means that.",
        "“Child” is a word.",
        "The company, called “Acme”, means business.",
        "Many words and “child” includes none.",
        '{"child": "means"}',
        "- **Note**: text",
        "Term: text",
        "**bold** text means nothing.",
        "# Payment terms\n\nNet: 30 days.",
        'Call f("Error") here ("x").',
        "What (as they “say”) counts.",
        "| Name | Age |\n|---|---|\n| Ann | 5 |\n",
    ],
)
def test_what_defines_nothing(text: str) -> None:
    assert terms(text) == []


def test_two_terms_may_share_a_definition() -> None:
    found = definitions("The term 'artificial intelligence' or 'AI' means a system.")
    assert {one.term for one in found} == {"artificial intelligence", "AI"}
    assert len({one.text for one in found}) == 1


def test_a_term_may_go_over_a_line() -> None:
    assert terms("(7) NAMES.—The term 'appropriate\ncommittees' means all.") == [
        "appropriate committees"
    ]


def test_a_definition_knows_its_section_and_source() -> None:
    assert definitions("“a” means b.\n\n# Terms of use\n\n“c” means d.\n") == [
        Definition("a", "“a” means b.", "a.md", None),
        Definition("c", "“c” means d.", "a.md", "terms_of_use"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Acme Corporation (the "Company") sells.', ["Company"]),
        ("Acme Corporation (hereinafter “Acme”) sells.", ["Acme"]),
        ('Acme Corporation ("Acme") sells.', ["Acme"]),
        ("A and B (together the “Parties” and each a “Party”) agree.", ["Parties", "Party"]),
        ("Die A GmbH (im Folgenden „Verkäufer“) verkauft.", ["Verkäufer"]),
        ("La société A (ci-après dénommée «Vendeur») vend.", ["Vendeur"]),
        ("La sociedad A (en adelante, «Vendedor») vende.", ["Vendedor"]),
        ("The Charter of Rights (the ‘Charter’) holds.", ["Charter"]),
    ],
)
def test_a_name_in_parentheses_stands_for_what_is_before_it(text: str, expected: list[str]) -> None:
    assert terms(text) == expected
    assert {one.text for one in definitions(text)} == {text}


@pytest.mark.parametrize(
    "header", ["| Term | Meaning |", "|Abbreviation|Definition|", "| Begriff | Bedeutung |"]
)
def test_a_table_of_terms(header: str) -> None:
    text = f"Text\n\n{header}\n|---|---|\n| **Foo** | a thing |\n| Bar | another |\n\nend"
    assert [(one.term, one.text) for one in definitions(text)] == [
        ("Foo", "| **Foo** | a thing |"),
        ("Bar", "| Bar | another |"),
    ]


# In sections of definitions


@pytest.mark.parametrize(
    "heading",
    ["Definitions", "1.2 Glossary", "Terms", "§ 2 Begriffsbestimmungen", "Interpretation"],
)
@pytest.mark.parametrize(
    "item",
    [
        "- **epoch**: The span of blocks.",
        "* **epoch** The span of blocks.",
        "- **epoch:** The span of blocks.",
        "**`epoch`** The span of blocks.",
        "- `epoch`: The span of blocks.",
        "- epoch: The span of blocks.",
        "- epoch – The span of blocks.",
        "1.  „epoch“ alle Blöcke;",
        "epoch\n:   The span of blocks.",
        "epoch means the span of blocks.",
    ],
)
def test_items_of_a_glossary(heading: str, item: str) -> None:
    assert terms(f"## {heading}\n\nIntroduction.\n\n{item}\n") == ["epoch"]
    assert terms(f"## Motivation\n\nIntroduction.\n\n{item}\n") == []


def test_a_word_and_a_colon_may_open_a_paragraph_of_a_glossary() -> None:
    text = "# Definitions\n\nWallet: A user agent.\n\nFor example: none.\n\nNote: none.\n\nsome text\nWallet: none\n"
    assert terms(text) == ["Wallet"]


def test_sections_within_a_glossary_belong_to_it() -> None:
    assert terms("# Glossary\n## A\n\n- **ant**: an animal\n\n# Other\n\n- **bee**: none\n") == [
        "ant"
    ]


def test_sections_within_one_that_also_speaks_of_definitions_do_not() -> None:
    assert terms("# Scope and definitions\n\n- **a**: b\n\n## Scope\n\n- **c**: d\n") == ["a"]


# Where the text ends


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("“a” means b.\n\nc", "b."),
        ("“a” means b\nand c.\n\nd", "and c."),
        ("(1) ‘a’ means b;\n(2) c", "b;"),
        ("1. ‘a’ means b;\n\n2. c", "b;"),
        ("- “a” means b;\n- c", "b;"),
        ("(1) ‘a’ means:\n\n(a) b;\n\n(b) c;\n\n(2) d", "c;"),
        ("1. ‘a’ means b:\n\n    a) c;\n\n    b) d;\n\n2. e", "d;"),
        ("1. ‘a’ means b.\n\n   More of it.\n\nNot of it.", "of it."),
        ("“a” means b; “c” means d.", "b;"),
        ("“a” means any of:\n\n- b\n- c\n\nd", "- c"),
        ("“a” means b.\n\n# C\n\nd", "b."),
        ("(1) A.—The term 'a' means b.\n(2) C.—The term 'c' means d.", "means b."),
        ("“a” means b. The term does not include c.\n\nd", "include c."),
        ("“a” means b.\n\nIt does not include c.\n\nd", "include c."),
        (
            "(A) IN GENERAL.—The term 'a' means b.\n\n(B) EXCEPTION.—The term 'a' does not include c.\n\n(C) d",
            "include c.",
        ),
        (
            "The term 'a' means something that goes over the end of a page of\n\na document.\n\nd",
            "document.",
        ),
    ],
)
def test_a_definition_reaches_to_the_end_of_its_item_or_paragraph(text: str, ends: str) -> None:
    first = definitions(text)[0].text
    assert first.endswith(ends)
    assert first in text


QUOTES = [
    "“a”",
    '"b"',
    "‘c’",
    "'d'",
    " means ",
    " or ",
    "\n\n",
    "\n",
    "(1) ",
    "- ",
    "x. ",
    ":",
    ";",
    "# Definitions\n",
    "**e**",
]


@given(st.lists(st.sampled_from(QUOTES), max_size=15).map("".join))
def test_every_text_is_a_piece_of_its_section(text: str) -> None:
    behind = 0
    for definition in definitions(text):
        behind = text.index(definition.text, behind)
        assert definition.text == definition.text.strip()
        assert definition.term
        assert definition.text


@pytest.mark.parametrize(
    "text",
    [
        '"a" ' * 50_000,
        '"a" means b. ' * 10_000,
        "‘" * 100_000,
        "# Terms\n" + "- **a**: b\n" * 20_000,
        "**a" * 50_000,
    ],
    ids=lambda text: text[:9],
)
def test_hostile_text_is_searched(text: str) -> None:
    assert len(definitions(text)) <= 20_000


# Real documents


def test_all_definitions_of_a_german_act_are_found(shared_data: Path) -> None:
    text = (shared_data / "legal" / "de" / "bdsg_2018.md").read_text(encoding="utf-8")
    found = definitions(text)
    quoted = [one for one in found if one.section_id == "sec_46"]
    assert len(quoted) == 17
    assert quoted[0].term == "personenbezogene Daten"
    assert quoted[0].text.endswith("identifiziert werden kann;")
    others = {one.term for one in found if one.section_id != "sec_46"}
    assert {
        "Öffentliche Stellen des Bundes",
        "Beschäftigte",
        "Datenträgerkontrolle",
        "Zutrittskontrolle",
    } & others


def test_definitions_of_technical_glossaries_are_found(shared_data: Path) -> None:
    text = (shared_data / "technical" / "eips" / "eip-1011.md").read_text(encoding="utf-8")
    assert [one.term for one in definitions(text) if one.section_id == "glossary"] == [
        "epoch",
        "finality",
        "checkpoint",
        "validator",
        "validator set",
        "dynasty",
        "slash",
    ]


def test_front_matter_and_metadata_define_nothing(shared_data: Path) -> None:
    text = (shared_data / "legal" / "de" / "gg.md").read_text(encoding="utf-8")
    assert all(one.section_id and one.section_id.startswith("art_") for one in definitions(text))
    assert {"Deutscher", "Gemeinschaftsaufgaben"} <= set(terms(text))


def test_clauses_with_decimal_numbers_define() -> None:
    text = (
        '1. DEFINITIONS\n\n1.1 "Affiliate" means a company.\n\n1.2 "Fee" has the meaning given in Section 2.\n\n'
        '1.3 Services. "Services" means work.\n\n2. FEES\n\n2.1 Pay.\n'
    )
    assert terms(text) == ["Affiliate", "Fee", "Services"]


def test_lines_of_an_interpretation_section_define() -> None:
    text = (
        "# Act\n\n## 6  Interpretation\n(1) In this Act, unless the contrary intention appears:\nagency means:\n"
        "(a) a Minister; or\n(b) a Department.\npersonal information means information about an individual.\n"
    )
    assert terms(text) == ["agency", "personal information"]


@pytest.mark.parametrize(
    ("heading", "first", "second"),
    [
        ("## 3 Terms and definitions", "### 3.1 audit", "### 3.2 interested party (preferred term)"),
        ("## Glossary", "### Audit", "### Interested party"),
    ],
)  # fmt: skip
def test_headings_within_a_glossary_are_terms(heading: str, first: str, second: str) -> None:
    text = f"# Doc\n\n{heading}\n\n{first}\n\nA process.\n\n{second}\n\nA person.\n\n## Next\n\n### Other\n\nText.\n"
    assert [one.casefold() for one in terms(text)] == ["audit", "interested party"]


def test_numbered_headings_of_definitions_that_are_no_terms() -> None:
    text = "# Doc\n\n## 3 Definitions\n\n### 3.1 General\n\nText.\n\n### 3.2 Scope\n\nText.\n"
    assert terms(text) == []


def test_a_company_that_is_described_before_its_name() -> None:
    text = 'This is made by Acme Corp., a Delaware corporation ("Provider"), and Beta LLC ("Customer").\n'
    assert set(terms(text)) == {"Provider", "Customer"}


def test_a_last_section_that_also_speaks_of_definitions() -> None:
    text = 'Section 1. Scope and definitions.\n\n(a) "Fee" means a sum.\n\n(b) Pay it.\n'
    assert terms(text) == ["Fee"]


def test_an_item_whose_marker_has_a_line_of_its_own() -> None:
    text = (
        "Article 3\n\nDefinitions\n\nFor this Regulation, the following shall apply:\n\n(a)\n‘service’ means a thing;\n\n"
        "(b)\n‘user of the service’ means a person;\n"
    )
    assert terms(text) == ["service", "user of the service"]


def test_an_italic_term_of_an_item() -> None:
    text = "(a) *Definitions.* For this part:\n\n(1) *Act* means the Lending Act.\n\n(2) It *really* means it.\n"
    assert terms(text) == ["Act"]


def test_every_name_of_a_glossary_holds_a_part_that_it_is_known_by() -> None:
    from hierdoc.structure import definitions as module

    names = [name for name in re.split(r"[|()?:]+", module._GLOSSARY_NAMES) if len(name) > 3]
    assert names
    parts = module._PARTS_OF_GLOSSARY_NAMES
    assert [name for name in names if not any(part in name for part in parts)] == []
