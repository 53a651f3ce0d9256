"""Works as queries name them: which document is meant, which is another, and what no document has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hierdoc import Index

Indexed = Callable[[Mapping[str, str]], Index]

DOCUMENTS = {
    "conduct.md": "# Code of Conduct\n\n## 1. Gifts\n\nNone.\n\n## 2. Conflicts\n\nTell us.\n",
    "supplier.md": "# Supplier Code of Conduct\n\n## 1. Labour\n\nNone below sixteen.\n\n## 5. Audits\n\nAt any time.\n",
    "ponds-act.md": "# THE PONDS ACT\n\n### 7. Dues\n\n(1) A duck pays.\n\n(2) A swan pays half.\n",
    "ponds-amendment.md": "# THE PONDS (AMENDMENT) ACT, 2032\n\n### 2. Section 7\n\nIt is amended.\n\n### 3. Saving\n\nOld ducks.\n",
    "bns-400-2022.md": "# BNS 400:2022 Boat houses\n\n## 4 Roofs\n\n### 4.1 Tiles\n\nRed.\n\n### 4.2 Gutters\n\nWide.\n",
    "bns-400-2013.md": "# BNS 400:2013 Boat houses\n\n## 4 Roofs\n\n### 4.1 Tiles\n\nGrey.\n",
    "naredba.md": "# НАРЕДБА № 5 от 12 май 2031 г. за лодките\n\n**Чл. 1.** Лодките се броят.\n\n**Чл. 2.** Веслата също.\n",
    "zakon.md": "# ЗАКОН ЗА ЛОДКИТЕ\n\n**Чл. 1.** Лодките плуват.\n\n**Чл. 3.** Глобата е десет лева.\n",
    "ikeho.md": "# 池法\n\n## 第一条\n\n池は公のものとする。\n\n## 第四条\n\n鴨は料金を納める。\n",
    "teiche.md": "# Teichgesetz (TeichG)\n\n## § 7 Enten\n\n(1) Enten zahlen.\n\n(2) Schwäne zahlen die Hälfte.\n",
    "rivers.md": "# THE RIVERS ACT\n\nACT NO. 9 OF 2030\n\n### 2. Fords\n\nDry.\n\n### 12. Weirs\n\nWet.\n",
    "h10.md": "# H10 Heater Handbook\n\n## 1 Faults\n\n### E310 Cold\n\nLight it.\n\n### E311 Hot\n\nWait.\n",
    "h20.md": "# H20 Heater Handbook\n\n## 1 Faults\n\n| Code | Meaning |\n|---|---|\n| E310 | Cold |\n| E320 | Wet |\n",
}


@pytest.fixture(scope="module")
def shelf(indexed: Indexed) -> Index:
    return indexed(DOCUMENTS)


@pytest.mark.parametrize(
    ("query", "file", "named"),
    [
        ("section 1 of the Code of Conduct", "conduct.md", "sec_1"),
        ("Supplier Code of Conduct, section 1", "supplier.md", "sec_1"),
        ("section 3 of the Ponds (Amendment) Act", "ponds-amendment.md", "sec_3"),
        ("BNS 400:2013, 4.1", "bns-400-2013.md", "sec_4_1"),
        ("bns 400:2022 4.2", "bns-400-2022.md", "sec_4_2"),
        ("чл. 2 от Наредба № 5", "naredba.md", "art_2"),
        ("Наредба № 5 от 2031 г., чл. 1", "naredba.md", "art_1"),
        ("чл. 3 от Закона за лодките", "zakon.md", "art_3"),
        ("池法第四条", "ikeho.md", "art_4"),
        ("section 12 of Act 9 of 2030", "rivers.md", "sec_12"),
        ("s 12, Rivers Act", "rivers.md", "sec_12"),
        ("E311", "h10.md", "e311_hot"),
        ("E310 on the H10", "h10.md", "e310_cold"),
        ("E320", "h20.md", None),
        ("H20 E310", "h20.md", None),
    ],
)
def test_the_work_that_is_named_has_the_place(
    shelf: Index, query: str, file: str, named: str | None
) -> None:
    result = shelf.search(query)
    certain = [(Path(hit.chunk.source).name, hit.named) for hit in result.hits if hit.certain]
    assert certain == [(file, named)]
    assert not result.missing


@pytest.mark.parametrize(
    "query",
    [
        "section 5 of the Code of Conduct",  # the supplier's has one
        "section 2 of the Code of Conduct for Volunteers",
        "section 3 of the Ponds Act",  # the amending act has one
        "section 7 of the Meadows Act",
        "BNS 400:2013, 4.2",
        "clause 4.1 of BNS 400:2018",
        "§ 7 Abs. 3 TeichG",
        "чл. 2 от Наредба № 6",
        "чл. 2 от Закона за лодките",
        "沼法第四条",
        "section 12 of Act 8 of 2030",
        "E399",
        "E311 on the H20",
        "E310 on the H30",
    ],
)
def test_what_no_document_has_is_missing(shelf: Index, query: str) -> None:
    result = shelf.search(query)
    assert not any(hit.certain for hit in result.hits)
    assert result.missing


@pytest.mark.parametrize("query", ["E310", "clause 4.1 of BNS 400"])
def test_what_several_documents_have_is_ambiguous(shelf: Index, query: str) -> None:
    result = shelf.search(query)
    assert len(result.ambiguous) == 2
    assert not any(hit.certain for hit in result.hits)


def test_what_a_text_only_mentions_is_neither_certain_nor_missing(shelf: Index) -> None:
    result = shelf.search("ducks in section 7")
    assert not result.missing


def test_no_code_is_missing_where_none_can_be_looked_up(tmp_path: Path) -> None:
    (tmp_path / "h10.md").write_text(DOCUMENTS["h10.md"])
    config = {"source": str(tmp_path), "vector": "in-memory", "keyword": None}
    with Index.open(config) as index:
        index.ingest()
        assert not index.search("E399").missing
