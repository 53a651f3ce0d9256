"""Patterns for lines, which are tried only where a line begins with one of a few words."""

from __future__ import annotations

import re
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierdoc.structure import candidates, contents, enumerators, org, paragraphs, statutes
from hierdoc.structure.domains import DOMAINS
from hierdoc.structure.lines import ORDINAL_FORMS, LinePattern


def of(module: ModuleType) -> list[LinePattern]:
    return [one for one in vars(module).values() if isinstance(one, LinePattern)]


PATTERNS = [
    *(one for module in (candidates, contents, org, paragraphs, statutes) for one in of(module)),
    *{enumerators._line_pattern(one.enumerators) for one in DOMAINS.values() if one.enumerators},
]
BEGINNINGS = st.sampled_from(
    [
        *("Section 4. ", "ARTICLE IV", "§ 4.2 ", "Art. 5", "Sec. 12", "§§ 5 bis 7 (weggefallen)", "第三条 ", "제1조(목적)"),
        *("4.2 Scope", "12A  Meaning of", "3.—(1) A fee", "52.209-3 Terms", "A.1 Basics", "[12] The", "7. Berths", "0 None"),
        *("IV. Fees", "II.", "XII", "A. Index", "(a) the", "(iv) a", "a) der", "ii) das", "1° le", "- (b) of", "#. one"),
        *("2 kap. Tillstånd", "3 § Den som", "III. FEJEZET", "1. Abschnitt: Zweck", "Erster Teil", "FIRST SCHEDULE"),
        *("PRIMERA.- Objeto", "Disposición final primera", "ANNEX", "References", "附则", "부칙", "Глава първа"),
        *("AC-2(1) Account Management", "* Ports", "** Berths", "Contents", "TABLE OF CONTENTS", "목차", "Stk. 2. Den"),
        *("Parágrafo único. Os", "① 이 법은", "² Sie gilt", "十、Fees", "Chapter-IV", "5-11-1: Fees", "5.04.010 - Fees"),
        *("whenever a vessel", "the keeper", "Keepers shall", "", "```", "| a | b |", "> quoted", *ORDINAL_FORMS[:4]),
    ]
)  # fmt: skip
LINES = st.tuples(
    st.sampled_from(["", "  ", "\t", "\xa0", "**", "__", "# ", "### **", "    ", "* "]),
    BEGINNINGS,
    st.sampled_from(["", "**", " A fee is due.", "\r", " of this Act"]),
).map("".join)
TEXTS = st.lists(LINES, max_size=12).map("\n".join)


@settings(max_examples=25)
@given(TEXTS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_finds_the_lines_that_it_would_find_if_it_were_tried_everywhere(
    pattern: LinePattern, text: str
) -> None:
    def is_tried(found: re.Match[str]) -> bool:
        above = text[: found.start()].rpartition("\n")
        return not pattern._apart or (bool(above[1]) and not above[2].strip(" \t\r"))

    place, everywhere = 0, []
    first = None if pattern._apart else pattern._opening.match(text)
    if first:
        everywhere.append(first.span())
        place = first.end()
    while found := pattern._others.search(text, place):
        if is_tried(found):
            everywhere.append(found.span())
        place = found.end() if is_tried(found) else found.start() + 1
    assert [one.span() for one in pattern.finditer(text)] == everywhere


def test_a_line_that_begins_with_another_word_is_not_tried() -> None:
    pattern = LinePattern(r"[ ]*(\w+) 5", ("Berth",))
    text = "\nBerth 5 is free.\nMoor 5 is not.\n  Berth 5 again."
    assert [one[1] for one in pattern.finditer(text)] == ["Berth", "Berth"]
