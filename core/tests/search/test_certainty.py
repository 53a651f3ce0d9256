"""Certain is the one place that a query names; of several none is, and another document's never is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hierdoc import Index, SearchResult

Indexed = Callable[[Mapping[str, str]], Index]

FISHERY = """\
# Ley 15688 de Pesca

## Artículo 17

La pesca requiere licencia de la autoridad.

## Artículo 18

El plazo es de un año.
"""

PORTS = """\
# Ley 14306 de Puertos

## Artículo 17

El puerto cobra una tasa por atraque.
"""

TREATY = """\
# Übereinkommen zur Auslegung der Artikel VI, XVI und XXIII des Hafenabkommens

## Artikel 10

Der Ausschuss tritt jährlich zusammen.
"""

HARBOUR_TREATY = """\
# Hafenabkommen

## Artikel 6

Die Gebühren sind gleich.

## Artikel 10

Schiffe melden sich an.
"""

INCOME_TAX = """\
# Einkommensteuergesetz (EStG)

## II. - Einkommen

### 1. - Voraussetzungen

#### § 2 Umfang der Besteuerung

Der Steuer unterliegen Einkünfte.

#### § 3 Freie Einnahmen

Steuerfrei sind Renten.

### 2. - Steuerermäßigung

#### § 34 Ermäßigung

Die Steuer wird ermäßigt.
"""

CODE = """\
# Code fiscal, annexe 9

## Article 49 B

La taxe est due.

## Article 49 C

La taxe est perçue.

## Article 49 Z

La taxe est versée.
"""

CONSTITUTION = """\
# Constitution du 4 octobre 1958

## Article 49

Le Premier ministre engage la responsabilité du Gouvernement.
"""

COMMERCIAL = """\
# Commercial Code

## § 28:9-525 Fees

(a) There is a fee.

(b) It is due.

(c) It is paid.

(d) The fee is five dollars.

## § 29:1-101 Titles

It may be cited.
"""

CHARTER = """\
# Charter of the Harbour Club

#### 17. Members

Members pay dues.

#### 18. Amendments

The charter is amended by vote.
"""

PEP = "PEP: 484\nTitle: Type Hints\n\nAbstract\n========\n\nHints are optional.\n"

RFC = """\
Network Working Group                                      R. Harbour
Request for Comments: 7234                                   Port Ltd


1.  Introduction

A cache stores.

2.  Storage

It keeps.

3.  Terms

Terms are used.

4.  Caching

4.1.  Keys

A key is used.

4.2.  Freshness

A response is fresh.

4.2.1.  Lifetime

It lives.

4.2.2.  Heuristics

A heuristic may be used.
"""

FILES = {
    "fishery.md": FISHERY,
    "ports.md": PORTS,
    "treaty.md": TREATY,
    "hafenabkommen.md": HARBOUR_TREATY,
    "estg.md": INCOME_TAX,
    "cgi.md": CODE,
    "constitution.md": CONSTITUTION,
    "commercial.md": COMMERCIAL,
    "charter.md": CHARTER,
    "types.txt": PEP,
    "caching.txt": RFC,
}


@pytest.fixture(scope="module")
def index(indexed: Indexed) -> Index:
    return indexed(FILES)


def certain(result: SearchResult) -> set[str]:
    """The documents of what is certain."""
    return {hit.chunk.source.rpartition("/")[2] for hit in result.hits if hit.certain}


@pytest.mark.parametrize(
    ("query", "source", "words"),
    [
        ("artículo 17 de la Ley 15688", "fishery.md", "licencia"),
        ("artículo 17 Ley 14306 de Puertos", "ports.md", "atraque"),
        ("Artikel 10 Übereinkommen zur Auslegung der Artikel VI, XVI und XXIII des Hafenabkommens", "treaty.md", "Ausschuss"),
        ("Artikel 10 Hafenabkommen", "hafenabkommen.md", "melden"),
        ("§ 2 EStG", "estg.md", "unterliegen"),
        ("§ 34 EStG", "estg.md", "ermäßigt"),
        ("Article 49 de la Constitution du 4 octobre 1958", "constitution.md", "ministre"),
        ("Article 49 B", "cgi.md", "due"),
        ("Article 49", "constitution.md", "ministre"),
        ("§ 28:9-525(d)", "commercial.md", "five dollars"),
        ("§ 28:9-525", "commercial.md", "five dollars"),
        ("Section 18", "charter.md", "by vote"),
        ("Section 4.2.2 of RFC 7234", "caching.txt", "heuristic"),
        ("PEP 484", "types.txt", "Hints"),
        ("RFC 7234 4.2.2", "caching.txt", "heuristic"),
        ("estg 34", "estg.md", "ermäßigt"),
    ],
)  # fmt: skip
def test_the_place_that_a_query_names_is_certain(
    index: Index, query: str, source: str, words: str
) -> None:
    result = index.search(query)
    assert words in result.hits[0].chunk.text
    assert certain(result) == {source}
    assert (result.ambiguous, result.missing) == ((), ())


def test_beside_what_is_certain_no_namesake_is_pinned(index: Index) -> None:
    result = index.search("artículo 17 de la Ley 15688")
    assert [hit.named for hit in result.hits].count("art_17") == 1


def test_where_several_documents_answer_none_is_certain(index: Index) -> None:
    result = index.search("artículo 17")
    assert certain(result) == set()
    assert {source.rpartition("/")[2] for source in result.ambiguous} == {"fishery.md", "ports.md"}
    assert [hit.ambiguous for hit in result.hits[:2]] == [True, True]
    printed = result.to_dict()
    assert printed["ambiguous"] == list(result.ambiguous)
    assert [hit["certain"] for hit in printed["hits"][:2]] == [False, False]


@pytest.mark.parametrize(
    "query",
    [
        "artículo 17 de la Ley 99999",
        "§ 2 UStG",
        "Article 49 du code minier",
        "Article 49 du code de l'aviation lunaire",
        "Article 49 D",
        "article 49 b bis",
        "Amendment 18",
        "§ 28",
        "§ 28:9-526",
        "Section 4.2.9 of RFC 7234",
        "Section 4.2.2 of RFC 9999",
        "PEP 485",
        "§ 99",
        "http 34",
        "TLS 4.2.2",
    ],
)
def test_what_is_not_there_is_never_certain(index: Index, query: str) -> None:
    assert certain(index.search(query)) == set()


def test_a_term_that_several_documents_explain_is_certain_nowhere(tmp_path: Path) -> None:
    (tmp_path / "bill.md").write_text(
        "# Harbour Bill\n\n## Sec. 1 Definitions\n\n(1) BERTH DATA.—The term 'berth data' means what a harbour master notes.\n\n"
        "(2) FEE.—The term 'fee' means what is paid.\n"
    )
    (tmp_path / "act.md").write_text(
        "# Data Act\n\n## Article 4 Definitions\n\n‘berth data’ means data about berths;\n\n‘crew’ means who sails;\n"
    )
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        for query in ("what is berth data", "berth data", "what does berth data mean"):
            result = opened.search(query)
            assert certain(result) == set(), query
            assert {one.rpartition("/")[2] for one in result.ambiguous} == {"bill.md", "act.md"}
        assert certain(opened.search("what is a fee")) == {"bill.md"}


def test_a_named_proposal_is_searched_for_what_else_is_asked(tmp_path: Path) -> None:
    for number, topic in ((712, "signing"), (713, "sealing")):
        sections = "".join(
            f"## {title}\n\n{words}\n\n"
            for title, words in (
                ("Abstract", f"About {topic} messages."),
                ("Rationale", f"Why {topic} is good for wallets and people."),
                ("Domain separator", f"The domain separator of {topic} keeps chains apart."),
            )
        )
        text = f"---\neip: {number}\ntitle: {topic.title()}\n---\n\n{sections}"
        (tmp_path / f"eip-{number}.md").write_text(text)
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        asked = opened.search("EIP-712 chains apart")
        assert (asked.hits[0].chunk.parent_chain[-1], asked.missing) == ("Domain separator", ())
        named = opened.search("EIP-712")
        assert (named.hits[0].chunk.ordinal, certain(named)) == (0, {"eip-712.md"})


def test_what_the_named_document_lacks_is_missing_whatever_others_have(index: Index) -> None:
    result = index.search("RFC 7234 section 18")
    assert [one.text for one in result.missing] == ["section 18"]
    assert {hit.chunk.source.rpartition("/")[2] for hit in result.hits} == {"caching.txt"}
    assert index.search("estg 99").missing == ()  # which may be no citation


def test_what_another_document_has_is_said_to_be_missing(index: Index) -> None:
    (missing,) = index.search("Article 49 du code minier").missing
    assert missing.text == "Article 49 du code minier"


def test_a_citation_within_a_title_names_the_work_alone(index: Index) -> None:
    result = index.search(
        "Übereinkommen zur Auslegung der Artikel VI, XVI und XXIII des Hafenabkommens"
    )
    assert certain(result) <= {"treaty.md"}
    assert result.hits[0].chunk.source.endswith("treaty.md")


def test_the_named_work_counts_before_anything_is_cut_off(tmp_path: Path) -> None:
    """Two hundred decrees have an article 7; the one that is named stands last by name."""
    for number in range(200):
        text = f"# Decreto de las frutas {number:03} y {number * 7 + 1:05}\n\n## Artículo 7\n\nLa fruta {number} es libre.\n"
        (tmp_path / f"{number:03}.md").write_text(text, encoding="utf-8")
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        result = opened.search("artículo 7 Decreto 198 (01387)")
    assert result.hits[0].chunk.source.endswith("198.md")
    assert certain(result) == {"198.md"}


def certain_sections(result: SearchResult) -> set[str | None]:
    """The sections of what is certain."""
    return {hit.section_id for hit in result.hits if hit.certain}


def test_a_name_beside_a_citation_is_certain_only_within_what_is_cited(tmp_path: Path) -> None:
    text = "# Lantern Supply Agreement\n\n## 1. Terms\n\n{0}\n\n## 2. Supply\n\n{0}\n"
    (tmp_path / "lanterns.md").write_text(text.format("The parties agree. " * 40), "utf-8")
    with Index.open(
        {"source": str(tmp_path), "vector": "in-memory", "keyword": "in-memory"}
    ) as index:
        index.ingest()
        assert certain_sections(index.search("Section 1 of the Lantern Supply Agreement")) == {
            "sec_1"
        }
        assert certain_sections(index.search("Section 7 of the Lantern Supply Agreement")) == set()
        assert certain_sections(index.search("Supply, Section 2")) == {"sec_2"}


def test_the_number_of_an_annex_is_no_heading_that_says_annex(tmp_path: Path) -> None:
    (tmp_path / "ways.md").write_text("# Ways Act\n\n## Art. 5 Annex\n\nWays are kept.\n", "utf-8")
    with Index.open(
        {"source": str(tmp_path), "vector": "in-memory", "keyword": "in-memory"}
    ) as index:
        index.ingest()
        assert certain_sections(index.search("Annex 5")) == set()


def test_what_follows_a_citation_may_name_a_work_in_small_letters(tmp_path: Path) -> None:
    (tmp_path / "pool.md").write_text(
        "# Règlement de la piscine\n\n## Art. 4\n\nDouches.\n", "utf-8"
    )
    with Index.open(
        {"source": str(tmp_path), "vector": "in-memory", "keyword": "in-memory"}
    ) as index:
        index.ingest()
        assert certain_sections(index.search("art. 4 ustawy o promach")) == set()
        assert certain_sections(index.search("art. 4 du règlement de la piscine")) == {"art_4"}


def test_a_document_is_not_certain_where_a_place_in_it_is_asked_for(tmp_path: Path) -> None:
    text = "# Regulation (EU) 2021/4321 on quays\n\nText of the regulation.\n"
    (tmp_path / "quays.md").write_text(text, "utf-8")
    with Index.open(
        {"source": str(tmp_path), "vector": "in-memory", "keyword": "in-memory"}
    ) as index:
        index.ingest()
        assert certain_sections(index.search("Article 2 Regulation 2021/4321")) == set()


TWINS = [
    "Berth Act of 2020",
    "Berth Amendment Act of 2020",
    "Berth Temporary Amendment Act of 2020",
    "Berth Amendment Act of 2021",
]


@pytest.fixture(scope="module")
def twins(indexed: Indexed) -> Index:
    """Acts whose titles hold each other; the last says its own in its text alone."""
    parts = "".join(f"## Sec. {one}. Duty\n\n(a) Pay {{}}.\n\n" for one in (2, 3))
    texts = {
        f"act-{number}.md": f"# {title}\n\n{parts.format(number, number)}"
        for number, title in enumerate(TWINS[:3])
    }
    head = f"This act may be cited as the “{TWINS[3]}”."
    texts["act-3.txt"] = f"{head}\n\n{parts.format(3, 3).replace('## ', '')}"
    return indexed(texts)


@pytest.mark.parametrize("form", ["Section 3 of the {}", "in the {}: sec. 3", "{} § 3"])
@pytest.mark.parametrize("number", range(len(TWINS)))
def test_of_acts_with_like_titles_the_one_that_is_named_in_full_is_meant(
    twins: Index, number: int, form: str
) -> None:
    hit = twins.search(form.format(TWINS[number])).hits[0]
    assert f"act-{number}." in hit.chunk.source
    assert hit.named == "sec_3"


def test_a_heading_is_told_from_the_one_above_it_that_ends_alike(tmp_path: Path) -> None:
    """Both end with `processor`; the query names the inner one, and where it stands."""
    (tmp_path / "act.md").write_text(
        "# Data Act\n\n## Chapter 4 Controller and processor\n\n### Article 28 Processor\n\nA processor is bound.\n\n"
        "### Article 29 Orders of a processor\n\nOrders are kept.\n"
    )
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        assert certain_sections(opened.search("Processor, Controller and processor")) == {"art_28"}


def test_a_section_called_like_a_proposal_is_found_in_the_document_that_is_named(
    tmp_path: Path,
) -> None:
    (tmp_path / "eip-2930.md").write_text("---\neip: 2930\ntitle: Lists\n---\n\nLists of access.\n")
    (tmp_path / "eip-6404.md").write_text(
        "---\neip: 6404\ntitle: SSZ transactions\n---\n\n# Specification\n\nIt is long.\n\n## EIP-2930\n\nHow they change.\n"
    )
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        first = opened.search("EIP-2930 of SSZ transactions").hits[0]
    assert (first.chunk.source.rpartition("/")[2], first.certain) == ("eip-6404.md", True)


def test_a_section_of_another_document_is_called_that(index: Index) -> None:
    first = index.search("§ 2 UStG").hits[0]
    assert (first.why, first.certain) == ("another document has Section 2 here", False)


def test_an_article_that_the_named_law_lacks_is_not_looked_for_in_others(tmp_path: Path) -> None:
    (tmp_path / "gdpr.md").write_text(
        "# Data Regulation\n\n## Article 6 Lawfulness\n\nIt is lawful.\n"
    )
    (tmp_path / "gg.md").write_text("# Grundgesetz\n\n## Art 120\n\nDer Bund zahlt.\n")
    (tmp_path / "ways.md").write_text("# Ways Act\n\n## Section 1 Ways\n\nWays are kept.\n")
    with Index.open(
        {"source": str(tmp_path), "vector": "in-memory", "keyword": "in-memory"}
    ) as opened:
        opened.ingest()
        result = opened.search("Article 120 GDPR")
    assert [one.text for one in result.missing] == ["Article 120 GDPR"]
    assert {Path(hit.chunk.source).name for hit in result.hits} == {"gdpr.md"}


def test_a_heading_is_known_without_what_explains_it(tmp_path: Path) -> None:
    (tmp_path / "data.md").write_text(
        "# Data Regulation\n\n## Article 16 Right to rectification\n\nThe right to erasure is another.\n\n"
        "## Article 17 Right to erasure (‘right to be forgotten’)\n\nIt is erased.\n"
    )
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        cut, whole = (
            opened.search(query).hits[0]
            for query in ("right to erasure", "Right to erasure ('right to be forgotten')")
        )
        (tmp_path / "other.md").write_text("# Notes\n\n## Right to erasure\n\nSee there.\n")
        opened.ingest()
        other = opened.search("right to erasure").hits[0]
    assert (cut.chunk.section_keys[-1], cut.certain) == ("art_17", False)
    assert (whole.chunk.section_keys[-1], whole.certain) == ("art_17", True)
    assert (other.chunk.title, other.certain) == ("Notes", True)


@pytest.mark.parametrize("query", ["Title V", "TITLE V"])
def test_a_heading_that_speaks_of_a_division_is_not_that_division(
    query: str, tmp_path: Path
) -> None:
    (tmp_path / "act.md").write_text(
        "# Mill Act\n\n## TITLE IV - STONES\n\nStones are round.\n\n## TITLE V - SAILS\n\n"
        + "Sails are white, and they turn in the wind. " * 80
        + "\n\n"
        "## TITLE VI - DATES\n\n### SEC. 601. EFFECTIVE DATES.\n\n(a) TITLE IV (STONES).—In May.\n\n(b) TITLE V (SAILS).—In June.\n"
    )
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        result = opened.search(query)
    assert {hit.chunk.section_keys[-1] for hit in result.hits if hit.certain} == {"title_5"}


def test_a_title_above_what_is_asked_for_within_it_is_not_that(tmp_path: Path) -> None:
    (tmp_path / "law.md").write_text(
        "## Code des phares\n\n# LIVRE Ier : PRINCIPES\n\n## Chapitre Ier : Objet\n\nLes phares brillent.\n\n"
        "# LIVRE II : SANCTIONS\n\nIl y en a.\n"
    )
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        result = opened.search("LIVRE Ier du code des phares")
    assert [hit.named for hit in result.hits if hit.certain] == ["book_1"]


LAKES = (
    "Lakes (Safety) Act 2021\n\nBe it enacted by the Parliament of the United Kingdom:\n\n"
    + "\n\n".join(
        f"{number}. (1) Boats on lakes shall be safe.\n\n(2) They are inspected."
        for number in (1, 2, 3)
    )
    + "\n\nFIRST SCHEDULE\n\n1. (1) Rafts are boats.\n\n(2) Swans are none.\n\n2. (1) So are canoes.\n\n(2) All float.\n"
)
RESOLUTION = (
    "61/104. Clean lakes\n\nThe General Assembly,\n\nRecalling its resolution 60/1 of 16 September 2005,\n\n"
    + "\n\n".join(
        f"{number}. Calls upon all States to keep their lakes clean, to report on what they have done to that end, and to help each other in doing so;"
        for number in range(1, 6)
    )
)


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("section 1 of the Lakes (Safety) Act 2021", "sec_1"),
        ("s 2(1) of the Lakes (Safety) Act 2021", "sec_2_1"),
        ("paragraph 4 of resolution 61/104", "para_4"),
        ("resolution 61/104, paragraph 4", "para_4"),
    ],
)
def test_a_place_is_certain_by_the_name_of_its_document(
    tmp_path: Path, query: str, named: str
) -> None:
    (tmp_path / "act.txt").write_text(LAKES)
    (tmp_path / "ga.txt").write_text(RESOLUTION)
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        result = opened.search(query)
    assert [hit.named for hit in result.hits if hit.certain] == [named]


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        ("paragraph 4", []),
        ("paragraph 3 of the Lakes (Safety) Act 2021", []),
        ("paragraph 9 of resolution 61/104", ["para_9"]),
    ],
)
def test_a_paragraph_is_certain_only_where_paragraphs_are_numbered_and_named(
    tmp_path: Path, query: str, missing: list[str]
) -> None:
    (tmp_path / "act.txt").write_text(LAKES)
    (tmp_path / "ga.txt").write_text(RESOLUTION)
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        result = opened.search(query)
    assert not any(hit.certain for hit in result.hits)
    assert [one.key for one in result.missing] == missing


def test_of_several_sections_in_one_passage_the_cited_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "law.md").write_text(
        "# Lawinenverordnung\n\n**§ 4 Karten**\n\nEs gibt Karten.\n\n**§§ 5 bis 7 (weggefallen)**\n\n**§ 8 Sperrungen**\n\n"
        "Wege sind zu sperren.\n\n**§ 9 Kosten**\n\nKosten trägt die Gemeinde.\n"
    )
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        hit = opened.search("§ 5 der Lawinenverordnung").hits[0]
    assert (hit.named, hit.why) == ("sec_5", "§ 5 der Lawinenverordnung begins here")


def test_of_two_places_none_is_certain_because_its_passage_lies_deeper(tmp_path: Path) -> None:
    long = "Le navire paie une taxe au port avant son départ. " * 40
    (tmp_path / "code.md").write_text(
        "# Code des ports\n\n## Article 1 bis\n\nLe port est ouvert.\n\n"
        "## Article 2 bis\n\nI. – Le navire paie.\n\nII. – Il part.\n\n"
        f"## Article 2 bis\n\nI. – {long}\n\nII. – {long}\n\n## Article 3\n\nLe port ferme.\n"
    )
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        result = opened.search("Article 2 bis du Code des ports")
    assert not any(hit.certain for hit in result.hits)
    assert result.ambiguous


@pytest.mark.parametrize(("heading", "certain"), [("SEC. 4. FEES", False), ("4. Fees", True)])
def test_a_rule_is_a_section_that_is_numbered_alone_and_none_that_is_called_so(
    tmp_path: Path, heading: str, certain: bool
) -> None:
    others = "".join(
        f"## {heading.replace('4', str(number))}\n\nMills shall turn.\n\n" for number in (1, 2, 3)
    )
    (tmp_path / "mill.md").write_text(
        f"# Mill Game Act\n\n{others}## {heading}\n\nA fee shall be paid.\n"
    )
    with Index.open(
        {"source": str(tmp_path), "vector": "in-memory", "keyword": "in-memory"}
    ) as opened:
        opened.ingest()
        result = opened.search("Rule 4 of the Mill Game Act")
    assert any(hit.certain for hit in result.hits) is certain


def test_what_is_called_so_elsewhere_hides_nothing_in_the_document_that_is_named(
    tmp_path: Path,
) -> None:
    (tmp_path / "supply.md").write_text(
        "# Supply Agreement\n\n## 1. Goods\n\nApples.\n\n## 2. Price\n\nTen.\n\n## 3. Notice\n\nA month.\n"
    )
    (tmp_path / "lease.md").write_text(
        "# Lease of the Mill\n\n## Clause 1 Term\n\nA year.\n\n## Clause 2 Rent\n\nFive.\n\n## Clause 3 Repairs\n\nAll.\n"
    )
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        named = opened.search("clause 3 of the Supply Agreement").hits[0]
        alone = opened.search("clause 3").hits[0]
    assert (Path(named.chunk.source).name, named.named, named.certain) == (
        "supply.md",
        "sec_3",
        True,
    )
    assert (Path(alone.chunk.source).name, alone.named, alone.certain) == ("lease.md", "cl_3", True)


@pytest.mark.parametrize(
    ("query", "certain"),
    [
        ("by-law 2 of the Weir Society", True),
        ("recommendation 2 of the Weir Society", False),
        ("recommendation 2 of the Weir Report", True),
    ],
)
def test_a_number_alone_is_certain_for_what_headings_call_so(
    tmp_path: Path, query: str, *, certain: bool
) -> None:
    body = "## 1. {}\n\nWe saw.\n\n## 2. {}\n\nWe heard.\n\n## 3. {}\n\nWe wrote.\n"
    (tmp_path / "laws.md").write_text(
        "# By-laws of the Weir Society\n\n" + body.format("Name", "Members", "Fees")
    )
    (tmp_path / "report.md").write_text(
        "# Recommendations of the Weir Report\n\n" + body.format("Gates", "Fish", "Funds")
    )
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        hit = opened.search(query).hits[0]
    assert (hit.named, hit.certain) == ("sec_2", certain)


OWN_TERMS = "# Terms of Service of Weir & Sons\n\n" + "\n\n".join(
    f"## {number}. {title}\n\nBoats are let by the hour."
    for number, title in enumerate(("Boats", "Hours", "Fees"), 1)
)
CLUB = "# Satzung des Ruderclubs Wehr e.V.\n\n" + "\n\n".join(
    f"## § {number} {title}\n\nDer Verein lebt."
    for number, title in enumerate(("Name", "Zweck", "Mittel"), 1)
)
LICENCE = "# Harbour Public Licence Version 1.1\n\n" + "\n\n".join(
    f"## {number}. {title}\n\nShips may be copied."
    for number, title in enumerate(("Grant", "Notice", "End"), 1)
)


@pytest.fixture(scope="module")
def others(indexed: Indexed) -> Index:
    return indexed({"terms.md": OWN_TERMS, "club.md": CLUB, "hpl.md": LICENCE})


@pytest.mark.parametrize(
    "query",
    [
        "section 3 of the MarlHub Terms of Service",
        "section 3 of the marlhub Terms of Service",
        "section 3 of the eMarl Terms of Service",
        "section 3 of marl.io's terms of service",
        "section 3 of the M&R Terms of Service",
        "marl.io terms of service section 3",
        "§ 3 der Satzung der marl eG",
        "§ 3 der Satzung der mar.li",
        "mar.li Satzung § 3",
        "section 3 of the Harbour Public Licence 2.0",
        "section 3 of the Harbour Public Licence v. 2.0",
        "section 3 of the Harbour Public Licence (2.0)",
        "Harbour Public Licence 2.0 section 3",
        "section 3 of the harbour private licence",
    ],
)
def test_a_name_that_no_document_has_is_certain_nowhere(others: Index, query: str) -> None:
    assert certain_sections(others.search(query)) == set()


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("section 3 of the Terms of Service", "terms.md"),
        ("section 3 of the Weir & Sons Terms of Service", "terms.md"),
        ("§ 3 der Satzung des Ruderclubs Wehr", "club.md"),
        ("§ 3 der Satzung des ruderclubs wehr", "club.md"),
        ("section 3 of the Harbour Public Licence 1.1", "hpl.md"),
        ("section 3 of the harbour public licence", "hpl.md"),
        ("Harbour Public Licence 1.1 section 3", "hpl.md"),
    ],
)
def test_a_name_is_known_in_whatever_case(others: Index, query: str, source: str) -> None:
    assert certain(others.search(query)) == {source}


MANUAL = """# Handbook of the Ferry

## Chapter 1 Ropes

Ropes hold the ferry.

### 1.1 Coiling

Ropes are coiled to the right.

## Chapter 2 Sails

Sails drive the ferry.

### 2.1 Mending

Sails are mended in winter.

## Appendix A Lists

### A.1 Spare parts

Two ropes and a sail.
"""


def test_a_section_may_be_the_chapter_whose_sections_bear_its_number(tmp_path: Path) -> None:
    (tmp_path / "handbook.md").write_text(MANUAL)
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    with Index.open({"source": str(tmp_path), **stores}) as opened:
        opened.ingest()
        result = opened.search("Section 2")
        assert result.hits[0].chunk.text.startswith("## Chapter 2 Sails")
        assert not result.hits[0].certain
        assert "Chapter 2 Sails has the sections" in result.hits[0].why
        assert [one.text for one in result.missing] == ["Section 2"]
        assert opened.search("Section 2.1").hits[0].certain
        assert [one.text for one in opened.search("Section 3").missing] == ["Section 3"]


def test_a_chapter_is_no_section_where_its_sections_are_numbered_through(tmp_path: Path) -> None:
    text = MANUAL.replace("1.1 Coiling", "Section 11 Coiling").replace(
        "2.1 Mending", "Section 12 Mending"
    )
    (tmp_path / "act.md").write_text(text)
    with Index.open(
        {"source": str(tmp_path), "vector": "in-memory", "keyword": "in-memory"}
    ) as opened:
        opened.ingest()
        assert [one.text for one in opened.search("Section 2").missing] == ["Section 2"]
