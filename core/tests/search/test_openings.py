"""What a document begins with tells it from its namesakes: parties, dates, periods; a slip of the pen in its name denies nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hierdoc import Index, SearchResult

FERRY = """\
# FERRY AGREEMENT

dated as of {date}

between {owner} and the Council of Oster

## 1. Hours

The ferry runs from six to nine.

## 2. Fares

A fare is {fare} crowns.
"""

CHANGE = """\
# FIRST AMENDMENT TO FERRY AGREEMENT

made with TARN LINES LLC

## Section 1. Hours

The ferry runs until ten.

## Section 3. Law

The law of Oster governs.
"""

REPORT = """\
# LARCH PAPER COMPANY

{kind} REPORT ON FORM {form}

For the {period} ended {end}

## Item 1A. Risk Factors

Beetles eat larches.

## Item 2. Properties

Two mills stand in {year}.
"""

HANDBOOK = (
    "# Crew Handbook {years}\n\n## 1. Oars\n\nOars are ash.\n\n## 2. Sails\n\nSails are {sails}.\n"
)

DOCUMENTS = {
    "ferry-north.md": FERRY.format(date="May 4, 2031", owner="TARN LINES LLC", fare=3),
    "ferry-south.md": FERRY.format(date="7 June 2033", owner="VALE BOATS, INC.", fare=5),
    "change.md": CHANGE,
    "larch-2031.md": REPORT.format(kind="ANNUAL", form="10-K", period="fiscal year", end="June 30, 2031", year=2031),
    "larch-2032.md": REPORT.format(kind="ANNUAL", form="10-K", period="fiscal year", end="June 30, 2032", year=2032),
    "larch-2032-q1.md": REPORT.format(kind="QUARTERLY", form="10-Q", period="quarterly period", end="September 30, 2031", year=2032),
    "crew-2034.md": HANDBOOK.format(years="2034–2035", sails="red"),
    "crew-2035.md": HANDBOOK.format(years="2035–2036", sails="tan"),
    "mooring.md": "# Mooring Control Standard\n\n## 1. Ropes\n\nRopes are long.\n\n## 2. Rings\n\nRings are iron.\n",
    "tolls.md": "# Tolls Byelaw No. 7 amending Weirs Byelaw No. 4\n\n## 1. Toll\n\nA crown.\n\n## 2. Date\n\nMay.\n",
    "kursatzung.md": "# Kursatzung\n\nvom 1. April 2036\n\n## § 1 Taxe\n\nDrei Mark.\n\n## § 2 Zahlung\n\nBar.\n",
    "accord.md": "# Convention d'usage du quai\n\nen date du 12 mars 2037\n\n## Article 1\n\nLe quai sert.\n\n## Article 2\n\nIl est gratuit.\n",
    "diving-4.md": "# Diving Rules, Fourth Edition\n\n## 1. Gear\n\n### 1.1 Masks\n\nClean.\n\n### 1.2 Hoses\n\nNew.\n",
    "agozv.md": "# AGOZV 2018\n\n## § 1 Boote\n\nBoote liegen.\n\n## § 2 Kähne\n\nKähne fahren.\n",
    "weirs.md": "# Weirs Byelaw No. 4\n\n## 1. Weirs\n\nNone.\n\n## 2. Gates\n\nShut.\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def shelf(indexed: Callable[[Mapping[str, str]], Index]) -> Index:
    return indexed(DOCUMENTS)


def certain(result: SearchResult) -> list[tuple[str, str | None]]:
    return [(Path(hit.chunk.source).name, hit.named) for hit in result.hits if hit.certain]


@pytest.mark.parametrize(
    ("query", "file", "section"),
    [
        ("section 2 of the Ferry Agreement with Tarn Lines", "ferry-north.md", "sec_2"),
        ("section 2 of the ferry agreement with Vale Boats, Inc.", "ferry-south.md", "sec_2"),
        ("section 2 of the Vale ferry agreement", "ferry-south.md", "sec_2"),
        ("section 2 of the Ferry Agreement between Vale Boats and the Council of Oster", "ferry-south.md", "sec_2"),
        ("section 2 of the Ferry Agreement dated as of May 4, 2031", "ferry-north.md", "sec_2"),
        ("section 2 of the Ferry Agreement dated 7 June 2033", "ferry-south.md", "sec_2"),
        ("section 2 of the Ferry Agreement of the 4th May 2031", "ferry-north.md", "sec_2"),
        ("First Amendment to the Ferry Agreement, Section 3", "change.md", "sec_3"),
        ("Item 1A of Larch Paper's 2032 annual report", "larch-2032.md", "item_1a"),
        ("Item 2 of the FY2031 10-K of Larch Paper", "larch-2031.md", "item_2"),
        ("Item 1A of the Larch 10-Q for the first quarter of 2032", "larch-2032-q1.md", "item_1a"),
        ("section 2 of the 2035-36 Crew Handbook", "crew-2035.md", "sec_2"),
        ("section 2 of the Crew Handbook 2034/35", "crew-2034.md", "sec_2"),
        ("section 2 of Byelaw No. 4", "weirs.md", "sec_2"),
        ("section 2 of the agreement with Vale Boats", "ferry-south.md", "sec_2"),
        ("§ 2 der Kursatzung vom 1. April 2036", "kursatzung.md", "sec_2"),
        ("article 2 de la convention du 12 mars 2037", "accord.md", "art_2"),
        ("article 2 de la convention d'usage du quai", "accord.md", "art_2"),
        ("Diving Rules 4th edition, 1.2", "diving-4.md", "sec_1_2"),
        ("§ 2 AGOZV 2018", "agozv.md", "sec_2"),  # no day in August
        ("section 2 of the Mooring Control Standard", "mooring.md", "sec_2"),
    ],
)  # fmt: skip
def test_the_first_page_tells_namesakes_apart(
    shelf: Index, query: str, file: str, section: str
) -> None:
    result = shelf.search(query)
    assert certain(result) == [(file, section)]
    assert not result.missing


@pytest.mark.parametrize(
    "query",
    [
        "section 2 of the Ferry Agreement",
        "section 2 of the Ferry Agreement between Tarn Lines and the Council of Wester",
        "section 2 of the Ferry Agreement dated 8 June 2033",
        "Section 1 of the Second Amendment to Ferry Agreement",
        "Item 1A of the Larch 10-Q for the third quarter of 2032",
        "Item 1A of the Larch Paper 10-K",
        "section 2 of the Crew Handbook 2035",
        "section 2 of the Mooring Control Policy",
        "section 2 of the Crew Handbook 2036-37",
        "§ 2 der Kursatzung vom 2. April 2036",
        "article 2 de la convention du 13 mars 2037",
        "Diving Rules 5th edition, 1.2",
    ],
)
def test_nothing_is_certain_that_the_first_page_does_not_say(shelf: Index, query: str) -> None:
    assert certain(shelf.search(query)) == []


@pytest.mark.parametrize(
    "query",
    [
        "section 2 of the Ferry Agreement with Reed Barges",
        "section 2 of the Crew Handbook, 2029",
        "section 2 of the Crew Handbook, 2029 Edition",
        "section 2 of Byelaw No. 9",
    ],
)
def test_a_work_of_others_is_missing(shelf: Index, query: str) -> None:
    result = shelf.search(query)
    assert certain(result) == []
    assert result.missing


@pytest.mark.parametrize(
    ("query", "file"),
    [
        ("section 2 of the Moring Control Standard", "mooring.md"),
        ("section 2 of the Mooring Contorl Standard", "mooring.md"),
        ("Item 2 of the Lerch Paper 2031 10-K", "larch-2031.md"),
    ],
)
def test_a_slip_in_a_name_leaves_its_work_first_and_uncertain(
    shelf: Index, query: str, file: str
) -> None:
    result = shelf.search(query)
    assert Path(result.hits[0].chunk.source).name == file
    assert certain(result) == []
    assert not result.missing


@pytest.mark.parametrize("query", ["section 2 of the Morning Contra Standard", "§ 2 Weihrgesetz"])
def test_another_word_is_no_slip(shelf: Index, query: str) -> None:
    assert shelf.search(query).missing


def test_a_number_of_a_folder_is_no_section(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("folder") / "a_1_4"
    folder.mkdir()
    (folder / "crew.md").write_text(DOCUMENTS["crew-2034.md"].replace(" 2034–2035", " Tarn"))
    with Index.open({"source": str(folder), "vector": "in-memory", "keyword": "in-memory"}) as one:
        one.ingest()
        assert certain(one.search("Crew Handbook Tarn 4")) == []
