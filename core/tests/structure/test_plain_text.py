"""Documents of many traditions as plain text: what they are divided by is recognised, and nothing else."""

from __future__ import annotations

from textwrap import dedent

import pytest

from hierdoc.structure.sections import find_nesting

REGULATION = """
    Title 12—Banks and Banking
    CHAPTER X—BUREAU OF LENDING
    PART 1026—TRUTH IN LENDING (REGULATION Z)
    Subpart A—General

    § 1026.1 Authority, purpose, and coverage.

    (a) Authority. This regulation is issued by the Bureau and shall bind creditors.

    (b) Coverage. (1) This part applies to each creditor if:

    (i) the credit is offered; and

    (ii) the credit is regular.

    § 1026.2 Definitions and rules of construction.

    (a) Definitions. For purposes of this part:

    (1) Act means the Lending Act.
    """

CODE = """
    DIVISION 3. OBLIGATIONS
    PART 4. OBLIGATIONS FROM TRANSACTIONS
    TITLE 1.81.5. Consumer Privacy Act

    1798.100.  General Duties of Businesses

    (a) A business shall inform consumers.

    (b) A third party may provide the information.

    1798.105.  Right to Delete

    (a) A consumer may request deletion.
    """

STANDARD = """
    1 Scope

    This document specifies requirements.

    2 Normative references

    There are none.

    3 Terms and definitions

    3.1
    audit
    systematic process for obtaining evidence

    3.2
    interested party
    person that can be affected

    4 Context

    4.1 Understanding the context

    The organization shall determine issues.

    9 Improvement

    9.1 Corrective action

    React to it.
    """

REQUEST = """
    Network Working Group

    1.  Introduction

       This word means what it says.

    2.  Overview

    2.1.  Handshake

       1.  The client sends a message.

       2.  The server answers.

    2.2.  Records

       1.  Short ones are sent alone.

       2.  Long ones are cut.

    3.  Security

       See Section 2.1.
    """

ACT = """
    Protection Act 2018

    PART 1
    Preliminary

    1 Overview
    (1) This Act makes provision about protection.
    (2) Most of it is new.

    2 Protection
    (1) This Act protects individuals by—
    (a) rules, and
    (b) rights.

    3 Terms
    (1) This section defines terms.

    SCHEDULE 1
    Section 2
    Special categories of protection
    PART 1
    Conditions relating to employment
    Social protection
    1 (1) This condition is met if—
    (a) it is necessary, and
    (b) it is written down.
    2 (1) This condition is met for health.
    """

GESETZ = """
    Gesetz über den Schutz

    Erster Teil
    Allgemeine Vorschriften

    § 1
    Anwendungsbereich

    (1) Dieses Gesetz gilt für alle.

    (2) Andere Vorschriften bleiben unberührt.

    Zweiter Teil
    Durchführung

    § 2 Pflichten

    (1) Verantwortliche haben Pflichten.
    """

AGREEMENT = """
    This Agreement is made by and between Alpha ("Alpha") and Beta (each a "Party").

    ARTICLE I
    DEFINITIONS

    Section 1.01 Certain defined terms. As used in this Agreement, terms have meanings.

    ARTICLE II
    CONFIDENTIALITY

    Section 2.01 Obligations.

    (a) Each Party shall keep secrets, but for Section 2.02.

    (b) No Party shall disclose them.

    Section 2.02 Exceptions. (a) This does not apply to public information.

    (b) A Party may disclose as required by law.
    """

SERVICES = """
    This Agreement (the "Agreement") is made by and between Alpha and Beta (the parties).

    1. DEFINITIONS

    1.1 "Affiliate" means a company.

    1.2 Services. "Services" means services.

    2. SERVICES

    2.1 Personnel.

    (a) Provider shall assign personnel.

    7. CONFIDENTIALITY

    7.1 Obligation. Keep it secret.

    14. MISCELLANEOUS

    14.1 Order. This Agreement prevails.
    """

GUIDANCE = """
    GUIDANCE FOR INDUSTRY

    I. INTRODUCTION

    This guidance describes thinking.

    II. BACKGROUND

    A. Framework

    The statute requires labels.

    B. Scope

    1. Prescription drugs

    These are covered. See section III.A.

    2. Other drugs

    These are not.

    III. RECOMMENDATIONS

    A. Labels

    They should be clear.
    """

HANDBOOK = """
    CHAPTER ONE
    INTRODUCTION

    1.1 PURPOSE

    This handbook helps.

    CHAPTER TWO
    CONTROLS

    2.1 ACCESS

    a. Develop and document:

    1. A policy that:

    2. Procedures;
    """

LEASE = """
    THIS LEASE is made between John Doe (the "Landlord") and Jane Roe (the "Tenant").

    1. Leased Property
    The Landlord agrees to rent the apartment.

    2. Term
    a. The term commences on March 1.
    b. Any notice must be written.

    3. Rent
    Subject to section 2, the rent is $1,200.
    """


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (REGULATION, "title_12 ch_10 part_1026 subpart_a sec_1026_1 (a b 1 i ii) sec_1026_2 (a 1)"),
        (CODE, "div_3 part_4 title_1_81_5 sec_1798_100 (a b) sec_1798_105 (a)"),
        (STANDARD, "sec_1 sec_2 sec_3 sec_3_1 sec_3_2 sec_4 sec_4_1 sec_9 sec_9_1"),
        (REQUEST, "sec_1 sec_2 sec_2_1 sec_2_2 sec_3"),
        (ACT, "part_1 sec_1 (1 2) sec_2 (1 a b) sec_3 (1) sched_1 part_1 sec_1 (1 a b) sec_2 (1)"),
        (GESETZ, "part_1 sec_1 (1 2) part_2 sec_2 (1)"),
        (AGREEMENT, "art_1 sec_1_01 art_2 sec_2_01 (a b) sec_2_02 (a b)"),
        (SERVICES, "sec_1 sec_1_1 sec_1_2 sec_2 sec_2_1 (a) sec_7 sec_7_1 sec_14 sec_14_1"),
        (GUIDANCE, "sec_1 sec_2 sec_2_a sec_2_b sec_2_b_1 sec_2_b_2 sec_3 sec_3_a"),
        (HANDBOOK, "ch_1 sec_1_1 ch_2 sec_2_1"),
        (LEASE, "sec_1 sec_2 (a b) sec_3"),
    ],
    ids=[
        "regulation", "code", "standard", "request", "act", "gesetz", "agreement", "services", "guidance", "handbook",
        "lease",
    ],
)  # fmt: skip
def test_what_divides_it_is_found(text: str, expected: str) -> None:
    marks = find_nesting(dedent(text)).headings
    found = [mark.key or mark.enumerator for mark in marks]
    assert found == expected.replace("(", "").replace(")", "").split()


def test_headings_of_an_outline_have_keys_in_markdown_too() -> None:
    text = "# Guide\n\n## I. Aim\n\nText.\n\n## II. Rules\n\n### A. Few\n\n#### 1. One\n\n### B. More\n\n## Annex\n"
    nesting = find_nesting(text)
    assert [mark.key for mark in nesting.headings] == [
        None, "sec_1", "sec_2", "sec_2_a", "sec_2_a_1", "sec_2_b", None,
    ]  # fmt: skip
    assert nesting.parents == (-1, 0, 0, 2, 3, 2, 0)


@pytest.mark.parametrize(
    "text",
    [
        "A. Smith wrote\n\nthis.\n\nB. Jones answered.\n",
        "I. Newton\n\nA physicist.\n\nA. Einstein\n\nAnother.\n",
        "In 2024.100 Things\n\nhappened.\n\n1234.500 Dollars\n\nwere paid.\n",
        "The values are:\n\n1.2\nof the first\n\n1.7\nof the second\n",
        "Section 5 \x1f\n\ntext",
        "It is set out in\nPART 1\nof this book.\n\nMore in\nPART 2\nof it.\n",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    assert find_nesting(text).headings == ()


def test_enumerators_behind_bullets() -> None:
    text = (
        "# Data Act 2018\n\n## PART 1 Preliminary\n\n### 1 Overview\n\n(1) This Act applies.\n\n### 2 Protection\n\n"
        "(1) This Act protects by—\n\n- (a) rules,\n- (b) rights.\n"
    )
    marks = find_nesting(text).headings
    found = [mark.key or mark.enumerator for mark in marks]
    assert found[1:] == ["part_1", "sec_1", "1", "sec_2", "1", "a", "b"]


LISTS = {
    "of sentences": "1. It defines terms;\n2. It sets rules;\n3. It ends.\n",
    "of titles": "1. Definitions\n2. Rules\n3. Ends\n",
    "apart": "1. Definitions\n\n2. Rules\n\n3. Ends\n",
    "indented": "   1. Definitions of terms\n\n   2. Rules of conduct\n\n   3. Ends\n",
    "with text below": "1. First goal\n\n   It is this.\n\n2. Second goal\n\n   It is that.\n",
    "before more text": "1. Definitions\n\n2. Rules\n\n3. Ends\n\nBesides, it has an annex.\n",
    "as long as the text": "1. Definitions\n2. Rules\n3. Ends\n4. More\n\nBesides, it has an annex.\n",
}


@pytest.mark.parametrize("listed", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("dot", [".", ""])
@pytest.mark.parametrize("parts", [False, True], ids=["without parts", "with parts"])
def test_a_list_in_an_introduction_takes_no_numbers_away(
    listed: str, dot: str, parts: bool
) -> None:
    sections = "".join(
        f"{number}{dot} {title}\n\n"
        + (f"{number}.1 First\n\nIt is first.\n\n{number}.2 Next\n\n" if parts else "")
        + "This is what it says.\n\n"
        for number, title in enumerate(("Scope", "Terms", "Duties", "End"), start=1)
    )
    text = f"A Standard\n\nIntroduction\n\nThis document does more than one thing:\n\n{listed}\n{sections}"
    marks = find_nesting(text).headings
    assert [mark.key for mark in marks] == [
        f"sec_{number}{part}"
        for number in range(1, 5)
        for part in (("", "_1", "_2") if parts else ("",))
    ]
    assert marks[0].start == text.index(f"1{dot} Scope")


@pytest.mark.parametrize(
    "before", ["   encoded = Encoding( data )", "   has a request URI of", "   see Sections 3 and"]
)
def test_a_number_further_out_than_the_text_above_begins_a_section(before: str) -> None:
    text = f"1. Scope\n\n   It is so.\n\n{before}\n\n1.1 Terms\n\n   They are.\n\n2. End\n\n2.1 Last\n\n   It ends.\n"
    marks = find_nesting(text).headings
    assert [mark.key for mark in marks] == ["sec_1", "sec_1_1", "sec_2", "sec_2_1"]


def test_the_first_sibling_may_be_there_by_its_parts_alone() -> None:
    text = (
        "1. Caching\n\n1.1.1 Correctness\n\nIt is.\n\n1.1.2 Warnings\n\nThey are.\n\n1.2 Expiration\n\n"
        "It ends.\n\n2. End\n\n2.1 Last\n\nIt is.\n"
    )
    marks = find_nesting(text).headings
    assert [mark.key for mark in marks] == [
        "sec_1", "sec_1_1_1", "sec_1_1_2", "sec_1_2", "sec_2", "sec_2_1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "sections",
    [
        ("1. Short title.— This Act may be called so.", "2. Definitions.— In this Act, terms have meanings."),
        ("1. (1) This Act may be called so.", "2. (1) In this Act, terms have meanings."),
        ("1.—(1) This Act may be called so.", "2.—(1) In this Act, terms have meanings."),
    ],
)  # fmt: skip
def test_sections_begin_with_their_text_below_headings_of_markdown(
    sections: tuple[str, str],
) -> None:
    text = (
        f"# The Ports Act, 1974\n\nBE it enacted by the Legislature:\n\n## CHAPTER I PRELIMINARY\n\n{sections[0]}\n\n## CHAPTER II BOARD\n\n{sections[1]}\n\n"
        "3. (1) There shall be a Board.\n\n(2) It shall have members.\n"
    )
    nesting = find_nesting(text)
    keys = [mark.key or mark.enumerator for mark in nesting.headings]
    assert [key for key in keys if key.startswith(("ch", "sec"))] == [
        "ch_1", "sec_1", "ch_2", "sec_2", "sec_3",
    ]  # fmt: skip
    around = dict(zip(keys, nesting.parents, strict=True))
    assert keys[around["sec_3"]] == "ch_2"


def test_numbers_are_looked_for_where_annexes_alone_have_headings() -> None:
    text = (
        "# MAINTENANCE CONTRACT\n\n1. Subject\n\n1.1 The contractor maintains lifts.\n\n1.2 It does so daily.\n\n"
        "2. Fees\n\n2.1 They are due.\n\n## Annex A Lifts\n\nTwo.\n"
    )
    keys = [mark.key for mark in find_nesting(text).headings]
    assert keys == [None, "sec_1", "sec_1_1", "sec_1_2", "sec_2", "sec_2_1", "annex_a"]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (
            "**1. Subject**\n\n**1.1** The contractor maintains lifts.\n\n**1.2** It does so daily.\n\n**2. Fees**\n\n"
            "**2.1** They are due.\n",
            ["sec_1", "sec_1_1", "sec_1_2", "sec_2", "sec_2_1"],
        ),
        (
            "**1. Abschnitt: Zweck**\n\n**Art. 1 Ziel**\n\nDieses Gesetz bezweckt die Erhaltung der Wege, die der Erholung dienen.\n\n**2. Abschnitt: Ende**\n\n"
            "**Art. 2 Vollzug**\n\nDer Bundesrat vollzieht dieses Gesetz und hört die Kantone an.\n",
            ["abschn_1", "art_1", "abschn_2", "art_2"],
        ),
        (
            "BE it enacted by the Legislature:\n\n**CHAPTER I PORTS**\n\n**1. Short title.—** (1) This Act is short.\n\n"
            "**2. Definitions.—** In this Act, terms have meanings.\n\n**3. Board.—** (1) There is a Board.\n",
            ["ch_1", "sec_1", "1", "sec_2", "sec_3", "1"],
        ),
        (
            "**Chapter I Provisions**\n\n**Article 1** The purpose of this Act is to promote harbours.\n\n"
            "**Article 2** (1) The term harbour means a berth.\n\n**Article 3** The Minister shall make a plan.\n",
            ["ch_1", "art_1", "art_2", "1", "art_3"],
        ),
        (
            "**Overview**\n\nIt works.\n\n**Install**\n\nRun it.\n\n**Configure**\n\nWrite it.\n",
            [None, None, None],
        ),
    ],
)  # fmt: skip
def test_bold_headings_and_numbers_below_a_title_of_markdown(
    text: str, keys: list[str | None]
) -> None:
    found = find_nesting(f"# Title of it\n\n{text}").headings
    assert [mark.key or mark.enumerator or None for mark in found][1:] == keys
