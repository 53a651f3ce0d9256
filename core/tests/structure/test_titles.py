"""The keys by which other documents cite a document."""

from __future__ import annotations

import pytest

from hierdoc import Document
from hierdoc.structure.titles import document_keys


@pytest.mark.parametrize(
    ("document", "key"),
    [
        (Document("eip-1559.md", "Fee market", "text"), "eip_1559"),
        (Document("a.md", "Fee market", "text", metadata={"eip": 1559}), "eip_1559"),
        (Document("a.md", "EIP-1559: Fee market", "text"), "eip_1559"),
        (Document("bgb.md", "Bürgerliches Gesetzbuch", "text"), "bgb"),
        (Document("a.md", "Clean Water Act", "text"), "clean_water_act"),
        (Document("a.md", "H.R. 1", 'This Act may be cited as the "Clean Water Act".'), "clean_water_act"),
        (Document("a.md", "H.R. 1", "This Act may be cited as the Canal Boats Act."), "canal_boats_act"),
        (Document("a.md", "a", "This Act may be cited as the Ferries (Safety) Act 2026."), "ferries_safety_act"),
        (Document("a.md", "LEI Nº 8.078, DE 11 DE SETEMBRO DE 1990", "Dispõe."), "lei_8078_1990"),
        (Document("a.md", "LEI Nº 8.078, DE 11 DE SETEMBRO DE 1990", "Dispõe."), "lei_8078"),
        (Document("a.md", "Privacy Act 1988", "text"), "privacy_act"),
        (Document("a.md", "L 119/1", "REGULATION (EU) 2016/679 OF THE COUNCIL\n"), "reg_2016_679"),
        (Document("a.md", "x", "COUNCIL DIRECTIVE 93/13/EEC of 5 April\n"), "dir_93_13"),
        (
            Document("a.md", "x", "REGULATION (EU) 2016/679\n\non data (General Data Regulation)\n"),
            "general_data_regulation",
        ),
    ],
)  # fmt: skip
def test_a_document_answers_to_its_number_and_names(document: Document, key: str) -> None:
    assert key in document_keys(document)


def test_an_act_that_a_document_speaks_of_is_not_its_name() -> None:
    text = "This law transposes Directive 95/46/EC of the Council.\n"
    assert document_keys(Document("law.md", "Data law", text)) == ("data_law",)


def test_a_name_that_says_only_the_kind_is_none() -> None:
    assert document_keys(Document("act.md", "Act", "text")) == ()
