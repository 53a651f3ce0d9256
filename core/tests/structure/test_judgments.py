"""Decisions of courts as plain text."""

from __future__ import annotations

import pytest

from hierdoc.models import Document
from hierdoc.structure import flatten, understand
from hierdoc.structure.judgments import is_judgment

SAID = (
    "The claimant owned a boat, and the defendant moored it badly, so that it sank in the harbour."
)
HEAD = "Alder v Birch Ltd [2031] EWCA Civ 9\n\nIN THE COURT OF APPEAL\n\nBefore:\n\nLORD JUSTICE ELM\nMR JUSTICE OAK\n\nBetween:\n\nALDER\n\nClaimant\n\n"


def chains(text: str) -> list[str]:
    """Each section with those around it, from the outside in."""
    document = understand(Document("a.txt", "a", text, plain_text=True))
    found: list[str] = []
    for one in flatten(document.sections):
        around = f"{found[one.parent]} > " if one.parent >= 0 else ""
        found.append(around + one.section.title)
    return found


def test_opinions_hold_headings_and_these_paragraphs() -> None:
    text = f"{HEAD}Lord Justice Elm:\n\nIntroduction\n\n1. {SAID}\n\n2. {SAID}\n\nThe law\n\n3. {SAID}\n\nMr Justice Oak:\n\n4. I agree.\n"
    assert chains(text) == [
        "Lord Justice Elm",
        "Lord Justice Elm > Introduction",
        "Lord Justice Elm > Introduction > 1.",
        "Lord Justice Elm > Introduction > 2.",
        "Lord Justice Elm > The law",
        "Lord Justice Elm > The law > 3.",
        "Mr Justice Oak",
        "Mr Justice Oak > 4.",
    ]


def test_letters_in_parentheses_lie_below_headings() -> None:
    text = f"{HEAD}A. The facts\n\n1. {SAID}\n\nB. Was there a breach?\n\n(1) The law\n\n2. {SAID}\n\n(2) The evidence\n\n3. {SAID}\n\nC. Conclusion\n\n4. {SAID}\n"
    assert chains(text) == [
        "A. The facts",
        "A. The facts > 1.",
        "B. Was there a breach?",
        "B. Was there a breach? > (1) The law",
        "B. Was there a breach? > (1) The law > 2.",
        "B. Was there a breach? > (2) The evidence",
        "B. Was there a breach? > (2) The evidence > 3.",
        "C. Conclusion",
        "C. Conclusion > 4.",
    ]


def test_headings_may_have_numbers_of_their_own() -> None:
    text = (
        f"{HEAD}LORD JUSTICE ELM: (with whom Mr Justice Ash agrees)\n\n1. Introduction\n\n1. {SAID}\n\n2. {SAID}\n\n2. The Act\n\n3. {SAID}\n\n"
        f"MR JUSTICE OAK: (dissenting)\n\n4. {SAID}\n"
    )
    elm, oak = "LORD JUSTICE ELM: (with whom Mr Justice Ash agrees)", "MR JUSTICE OAK: (dissenting)"
    assert chains(text) == [
        elm,
        f"{elm} > 1. Introduction",
        f"{elm} > 1. Introduction > 1.",
        f"{elm} > 1. Introduction > 2.",
        f"{elm} > 2. The Act",
        f"{elm} > 2. The Act > 3.",
        oak,
        f"{oak} > 4.",
    ]


def test_one_judge_alone_is_no_heading() -> None:
    text = f"{HEAD}Lord Justice Elm:\n\n1. {SAID}\n\n2. {SAID}\n\n3. {SAID}\n"
    assert chains(text) == ["1.", "2.", "3."]


def test_provisions_that_are_quoted_are_no_sections() -> None:
    text = f"{HEAD}1. {SAID}\n\n2. The Act provides:\n\nSection 4. Duties.\n\nSection 5. Fees.\n\n3. {SAID}\n"
    assert chains(text) == ["1.", "2.", "3."]


def test_numerals_and_letters_in_the_middle_of_the_line() -> None:
    middle = " " * 30
    text = (
        f"SUPREME COURT\n\nALDER v. BIRCH\n\n{SAID}\n{middle}I\n{SAID}\n{middle}A\n{SAID}\n{middle}B\n{SAID}\n"
        f"2               ALDER v. BIRCH\n\n{SAID}\n{middle}II\n{SAID}\n"
    )
    assert chains(text) == ["I", "I > A", "I > B", "II"]


def test_rules_that_name_a_case_keep_their_sections() -> None:
    rules = "".join(
        f"Rule {number}. Briefs.\n\nA brief shall be filed by the appellant.\n\n"
        for number in range(1, 11)
    )
    assert len(chains(f"SUPREME COURT RULES\n\nAlder v. Birch\n\n{rules}")) == 10


def test_letters_in_prose_are_none() -> None:
    assert chains(f"Notes\n\n{SAID}\nI\n{SAID}\nA\n{SAID}\n") == []


def test_opinions_of_justices() -> None:
    text = (
        f"SUPREME COURT\n\nALDER v. BIRCH\n\n   JUSTICE ELM delivered the opinion of the Court.\n   {SAID}\n\n"
        f"   JUSTICE OAK, with whom JUSTICE ASH joins, dissenting.\n   {SAID}\n"
    )
    assert [one.split()[1] for one in chains(text)] == ["ELM", "OAK,"]


@pytest.mark.parametrize(
    "text",
    [
        "Rules of the Supreme Court\n\nRule 1. An appellant shall file a brief. See Smith v. Jones.",
        "SUPPLY AGREEMENT\n\nbetween Alder Ltd\n\n- and -\n\nBirch Ltd, the Claimant",
        "SETTLEMENT AGREEMENT\n\nAlder v. Birch\n\nbetween the plaintiff and the defendant",
        "Red v blue: a comparison of colours",
        "An Act about courts of appeal and the plaintiff",
    ],
)
def test_other_texts_are_no_judgments(text: str) -> None:
    assert not is_judgment(text)
