"""Documents that are twins but for a number: what tells them apart is asked for by it, and no twin answers for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hierdoc import Index, SearchResult

Indexed = Callable[[Mapping[str, str]], Index]

POLICY = """\
# Mooring Policy

Document number: {number}
Version: {version}

## 1. Lines

{lines} lines are needed.

## 2. Terms

"Slip" means {slip}.

## 3. Nights

Nights cost {lines} crowns.
"""

MANUAL = """\
# Winch Manual, Revision {letter}

## 2 Use

### 2.1 Rope

Rope of {letter}.
"""

ORDER = """\
# ORDER FORM NO. {number}

## 1. Scope

Scope of {number}.

## 2. Fees

Fees of {number}.
"""

NOTICES = """\
# Licences

## Keel Licence 1.0

### 1. Grant

It is granted.

### 2. Terms

(a) Be kind.

(b) Be brief.

## Anchor Licence, Version 2.0

### 4. Notice

Keep it.
"""

LEASE = """\
# LEASE AGREEMENT

between Weir Ltd ("Landlord") and Mill Ltd

## 1. Rent

Rent is due in May.
"""

SERVICES = """\
# SERVICES AGREEMENT

between Weir Ltd and Quay Ltd

## 1. Services

Services are rendered.

## EXHIBIT B PRICES

Prices are firm.
"""

SHELF = {
    "mooring-old.md": POLICY.format(number="POL-12", version="1.0", lines="Two", slip="a short berth"),
    "mooring-new.md": POLICY.format(number="POL-12", version="2.0", lines="Four", slip="a long berth"),
    "fuel.md": POLICY.format(number="POL-14", version="1.0", lines="No", slip="a receipt").replace("Mooring", "Fuel"),
    "winch-a.md": MANUAL.format(letter="A"),
    "winch-b.md": MANUAL.format(letter="B") + "\n### 2.2 Brake\n\nBrakes of B.\n",
    "order-1.md": ORDER.format(number=1),
    "order-2.md": ORDER.format(number=2),
    "licences.md": NOTICES,
    "lease.md": LEASE,
    "services.md": SERVICES,
}  # fmt: skip


@pytest.fixture(scope="module")
def shelf(indexed: Indexed) -> Index:
    return indexed(SHELF)


def certain(result: SearchResult) -> list[tuple[str, str | None]]:
    return [(Path(hit.chunk.source).name, hit.section_id) for hit in result.hits if hit.certain]


@pytest.mark.parametrize(
    ("query", "source", "section"),
    [
        ("section 3 of the Mooring Policy, version 2.0", "mooring-new.md", "sec_3"),
        ("section 3 of version 1.0 of the Mooring Policy", "mooring-old.md", "sec_3"),
        ("Mooring Policy v2 section 3", "mooring-new.md", "sec_3"),
        ("section 3 of POL-14", "fuel.md", "sec_3"),
        ("POL-14 §3", "fuel.md", "sec_3"),
        ("nights in version 2.0 of the Mooring Policy", "mooring-new.md", "sec_3"),
        ("definition of slip in version 2.0 of the Mooring Policy", "mooring-new.md", "sec_2"),
        ("Winch Manual Revision B section 2.1", "winch-b.md", "sec_2_1"),
        ("section 2.1 of the Winch Manual, rev. A", "winch-a.md", "sec_2_1"),
        ("section 2 of Order Form No. 2", "order-2.md", "sec_2"),
        ("Order Form 1 section 2", "order-1.md", "sec_2"),
        ("section 2(b) of the Keel Licence 1.0", "licences.md", "sec_2_b"),
        ("section 4 of the Anchor Licence 2.0", "licences.md", "sec_4"),
        ("section 1 of the Lease Agreement", "lease.md", "sec_1"),
    ],
)
def test_a_number_tells_one_twin_from_the_other(
    shelf: Index, query: str, source: str, section: str
) -> None:
    assert certain(shelf.search(query)) == [(source, section)]


@pytest.mark.parametrize(
    "query",
    [
        "section 3 of the Mooring Policy, version 3.0",
        "section 3 of the Mooring Policy",
        "section 3 of POL-12",
        "section 3 of the Fuel Policy 2019",
        "section 3 of the Fuel Policy, second edition",
        "section 3 of the Fuel Policy II",
        "section 3 of the fuel policy 1987",
        "section 3, II of the Fuel Policy",
        "section 3 of the draft Fuel Policy",
        "nights in version 3.0 of the Mooring Policy",
        "definition of slip in version 3.0",
        "section 2.2 of the Winch Manual, revision A",
        "section 2.1 of the Winch Manual, revision C",
        "section 2 of Order Form No. 3",
        "section 2(b) of the Keel Licence 2.0",
        "section 4 of the Anchor Licence 1.0",
        "Exhibit B of the Lease Agreement",
    ],
)
def test_a_twin_is_never_certain_for_a_number_that_it_does_not_have(
    shelf: Index, query: str
) -> None:
    assert certain(shelf.search(query)) == []


@pytest.mark.parametrize("query", ["section 3 of POL-12", "POL-12 §3", "section 3 of POL-14"])
def test_a_document_is_there_by_the_number_in_its_head(shelf: Index, query: str) -> None:
    assert shelf.search(query).missing == ()


def test_a_number_that_no_head_says_is_missing(shelf: Index) -> None:
    assert [one.text for one in shelf.search("section 3 of POL-99").missing] == ["POL-99"]


def test_a_document_that_is_called_as_it_is_cited_is_not_missing(indexed: Indexed) -> None:
    text = "# AMENDMENT NO. 2 TO THE LEASE\n\n## 1. Rent\n\nRent is due in June.\n"
    index = indexed({"second.md": text, "lease.md": LEASE})
    assert index.search("Amendment No. 2").missing == ()


def test_a_term_in_quotes_is_defined_where_others_use_it(indexed: Indexed) -> None:
    texts = {
        "defines.md": '# Berths\n\n## 1. Terms\n\n"Quay Day" means a day in port.\n',
        "uses.md": "# Fees\n\n## 1. Dues\n\nDues are paid within ten Quay Days.\n",
    }
    index = indexed(texts)
    assert certain(index.search('What does "Quay Day" mean?')) == [("defines.md", "sec_1")]
    assert certain(index.search('"within ten Quay Days"')) == [("uses.md", "sec_1")]


WHO = "A autoridade competente publica o registro das licenças no prazo de trinta dias, e o interessado pode recorrer da decisão."
RIVERS = f"""\
# Lei nº 14.990, de 3 de maio de 2031

Art. 1º Esta Lei dispõe sobre rios. {WHO}

Art. 2º {WHO} {WHO}

Art. 3º São deveres do pescador:

I - pagar;

II - remar;

III - cuidar.

Art. 4º {WHO}

Art. 5º {WHO}

Art. 6º {WHO}

Art. 7º {WHO}

§ 1º A multa é de cem reais.

§ 2º O prazo é de dez dias.
"""

CONSTITUTION = """\
# Constitution of the Islands

## Article I

### Section 7

Bills begin here.

### Section 8

Power is given here.
"""

CODE = "# Burgerlijk Wetboek Boek {book}\n\n## Artikel 162\n\n1. Eerst {book}.\n\n2. Dan {book}.\n\n## Artikel 163\n\nSlot.\n"


@pytest.mark.parametrize(
    ("query", "source", "section"),
    [
        ("art. 7, § 2 da Lei nº 14.990", "lei.md", "art_7_2"),
        ("art. 7, § 2", "lei.md", "art_7_2"),
        ("art. 3, II, da Lei 14.990", "lei.md", "art_3_ii"),
        ("art. I, § 8", "islands.md", "sec_8"),
        ("artikel 6:162 lid 2 BW", "bw6.md", "art_162_2"),
        ("art. 7:162 BW", "bw7.md", "art_162"),
    ],
)
def test_a_paragraph_is_found_as_its_country_cites_it(
    indexed: Indexed, query: str, source: str, section: str
) -> None:
    texts = {
        "lei.md": RIVERS,
        "islands.md": CONSTITUTION,
        "bw6.md": CODE.format(book=6),
        "bw7.md": CODE.format(book=7),
    }
    index = indexed(texts)
    found = index.search(query)
    assert certain(found) == [(source, section)]
    assert found.missing == ()
    assert certain(index.search("artikel 8:162 BW")) == []


def test_a_name_is_told_from_a_common_word_of_another_language(indexed: Indexed) -> None:
    """`havens` is Dutch; `haven` is what English leaves of `haven't`."""
    text = "# Veerwet\n\n## Artikel 5\n\nDe vergunning vervalt.\n\n## Artikel 6\n\nSlot.\n"
    index = indexed({"veren.md": text})
    assert certain(index.search("artikel 5 Veerwet")) == [("veren.md", "art_5")]
    assert certain(index.search("artikel 5 havens")) == []


@pytest.mark.parametrize(
    "behind",
    [
        ", II",
        " second indent",
        " andra stycket",
        ", 9°",
        "(zz)",
        "-9",
        " Abs. 9",
        ", box 7",
        " footnote 3",
        " lid 9",
        " al. 9",
    ],
)
def test_a_level_that_is_not_there_makes_nothing_certain(indexed: Indexed, behind: str) -> None:
    text = "# Ferry Act\n\n## Section 4 Fares\n\nFares are paid.\n\n## Section 5 Crews\n\nCrews rest.\n"
    index = indexed({"ferry.md": text})
    assert certain(index.search("Section 4 of the Ferry Act")) == [("ferry.md", "sec_4")]
    assert certain(index.search(f"Section 4{behind} of the Ferry Act")) == []
