"""Lines without a number that stand above sections of plain text."""

from __future__ import annotations

import pytest

from hierdoc.structure import flatten, section_tree

OPENING = "Mills Act\n\nAn Act respecting mills\n\nHer Majesty, by and with the advice of the House of Commons of Canada, enacts as follows:\n\n"


def chains(text: str) -> list[str]:
    """The titles of the sections, each behind those around it."""
    found: list[str] = []
    for one in flatten(section_tree(text, domain="auto")):
        around = f"{found[one.parent]} > " if one.parent >= 0 else ""
        found.append(around + one.section.title)
    return found


@pytest.mark.parametrize("mark", ["", "**"])
def test_a_heading_without_a_number_holds_the_sections_below_it(mark: str) -> None:
    text = (
        OPENING
        + f"{mark}Short Title{mark}\n\n1 This Act may be cited as the Mills Act.\n\n{mark}Licences{mark}\n\n2 (1) Every miller shall have one.\n\n"
        f"(2) It is free.\n\n3 The Minister may refuse it.\n\n3.1 No reason is given.\n\n{mark}Offences{mark}\n\n4 Milling without one is an offence.\n"
    )
    assert chains(text) == [
        "Short Title",
        "Short Title > 1",
        "Licences",
        "Licences > 2",
        "Licences > 2 > (1)",
        "Licences > 2 > (2)",
        "Licences > 3",
        "Licences > 3.1",
        "Offences",
        "Offences > 4",
    ]


def test_a_caption_stands_in_the_part_around_its_section() -> None:
    text = (
        "MILLS ACT 2019\n\nBe it enacted by the Oireachtas as follows:\n\nPART 1\nGENERAL\n\nShort title\n\n1. (1) This Act is the Mills Act 2019.\n\n(2) It begins at once.\n\n"
        "Interpretation\n\n2. In this Act a mill is one on a river.\n\nPART 2\nLICENCES\n\nDuty\n\n3. (1) Every miller shall have a licence.\n\n(2) It is free.\n"
    )
    assert [one for one in chains(text) if "(" not in one] == [
        "PART 1 GENERAL",
        "PART 1 GENERAL > Short title",
        "PART 1 GENERAL > Short title > 1.",
        "PART 1 GENERAL > Interpretation",
        "PART 1 GENERAL > Interpretation > 2.",
        "PART 2 LICENCES",
        "PART 2 LICENCES > Duty",
        "PART 2 LICENCES > Duty > 3.",
    ]


def test_the_title_below_a_division_is_no_caption_of_its_first_section() -> None:
    articles = "\n\n".join(
        f"Artículo {number}. Molinos.\n\nLa ley regula los molinos." for number in range(1, 7)
    )
    text = f"Ley de Molinos\n\nSabed: Que las Cortes Generales han aprobado la siguiente ley:\n\nTÍTULO PRELIMINAR\n\nDisposiciones generales\n\n{articles}\n"
    assert not any("generales" in one for one in chains(text))


def test_lines_that_stand_alone_elsewhere_too_are_no_captions() -> None:
    text = OPENING + "".join(
        f"{number} Every mill of the following kinds is exempt:\n\nWatermills\n\nWindmills\n\nHorse mills\n\n"
        for number in range(1, 6)
    )
    assert chains(text) == ["1", "2", "3", "4", "5"]
