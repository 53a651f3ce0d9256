"""Appendices that letters count behind numbered chapters, `A. Procedure`, with parts of their own, `A.1. Proposal`."""

from __future__ import annotations

import re
from dataclasses import replace

from hierdoc.quick import quick
from hierdoc.structure.candidates import Candidates, HeadingCandidate, merged
from hierdoc.structure.domains import RESTARTING
from hierdoc.structure.lines import VERB


def with_lettered_appendices(candidates: Candidates) -> Candidates:
    """The candidates with such appendices: the letters go on from A, and the first has a part behind it."""
    if (
        candidates.witness
        or candidates.outline
        or any(one.label in RESTARTING for one in candidates.numbered)
    ):
        return candidates
    parts = [one for one in candidates.lines if len(one.number) > 1 and one.number[0] == "a"]
    if not parts:
        return candidates
    text, hidden = candidates.layout.text, candidates.layout.hidden
    found: list[HeadingCandidate] = []
    for line in _APPENDIX.finditer(text):
        letter = line[2].lower()
        follows = letter == chr(ord("a") + len(found))
        if follows and not VERB.search(line[3]) and not hidden.holds(line.start(1)):
            title = " ".join(line[1].split())
            found.append(
                _candidate(line.start(1), line.end(1), title, 0, f"app_{letter}", "app", (letter,))
            )
    first = found[0].start if found else 0
    chapters = sum(
        one.label in ("number", "plain") and one.start < first for one in candidates.lines
    )
    if chapters < _FEWEST or parts[0].start < first:
        return candidates
    return replace(candidates, lines=tuple(merged(found, candidates.lines)))


_candidate = quick(HeadingCandidate)

_FEWEST = 3
"""Numbered chapters before the first appendix."""

_APPENDIX = re.compile(
    r"\n[ \t\r]*\n(([A-Z])\.[ \t]{1,4}([A-Z][^\n]{2,100}?[^\s.,;:]))(?=[ \t\r]*\n[ \t\r]*\n)"
)
