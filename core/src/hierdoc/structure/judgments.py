"""Decisions of courts as plain text: the opinions of judges, under which headings and numbered paragraphs stand.

Provisions and contracts that a decision quotes are none of its own sections, however they are numbered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from hierdoc.citations import PARAGRAPH
from hierdoc.quick import quick
from hierdoc.structure.candidates import Candidates, HeadingCandidate, merged
from hierdoc.structure.charters import is_charter
from hierdoc.structure.layout import Layout


def is_judgment(text: str) -> bool:
    """Whether a text shows in its opening that it is the decision of a court: it names a case, and speaks of the court."""
    return _opens_as_judgment(text[:_OPENING])


@lru_cache(maxsize=8)
def _opens_as_judgment(opening: str) -> bool:
    if not any(sign in opening for sign in _TELLING):  # said of most texts, and fast
        return False
    named = _CASE.search(opening) is not None and _COURT.search(opening) is not None
    return named and not is_charter(opening)  # a settlement names its case, too


def without_quoted(candidates: Candidates) -> Candidates:
    """The candidates of a decision in plain text without lines that begin with a number: these count paragraphs, or are quoted."""
    plain = len(candidates.headings) <= 1 and not candidates.witness
    sections = sum(one.label in _SECTIONS and not one.unlikely for one in candidates.lines)
    if (
        not (candidates.lines and plain)
        or sections > _MOST_QUOTED
        or not is_judgment(candidates.layout.text)
    ):
        return candidates
    return replace(candidates, lines=())


def with_opinions(layout: Layout, headings: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """The headings of a decision, below those of its opinions, if it has several or others join in the one; without those of its head."""
    found = _opinions(layout)
    if len(found) < _FEWEST and not any(_JOINED.search(one.title) for one in found):
        return _behind_head(layout, headings, _first_place(layout.text, headings))
    begun = {one.start for one in found}
    lower = [
        replace(one, level=min(one.level + 1, 6)) if one.level else one
        for one in _behind_head(layout, headings, found[0].start)
        if one.start not in begun
    ]
    return merged(found, lower)


def leveled(
    layout: Layout, captions: Sequence[HeadingCandidate], headings: Sequence[HeadingCandidate]
) -> list[HeadingCandidate]:
    """The lines above paragraphs as headings with levels: what has a letter in parentheses lies below what has none, `(1) The law` below `B. Breach`.

    Args:
        layout: Of the text.
        captions: They, in order.
        headings: The others.
    """
    base = 1 + max((one.level for one in headings), default=0)
    order = [_OUTERMOST]
    found = []
    first = _head_end(layout.text, headings)
    for one in captions:
        if one.start < first:
            continue
        written = _PREFIX.match(one.title)
        kind = _kind_of(written[1]) if written else _OUTERMOST
        if kind not in order:
            order.append(kind)
        found.append(replace(one, level=min(base + order.index(kind), 6), label=None))
    return found


def _kind_of(written: str) -> str:
    """Numbers, numerals and letters."""
    return "1" if written.isdigit() else "i" if not written.strip("ivx") else "a"


def _first_place(text: str, headings: Sequence[HeadingCandidate]) -> int:
    """Where the first numbered paragraph begins, or the headings begin that stand right above it."""
    index = next((place for place, one in enumerate(headings) if one.label == PARAGRAPH), 0)
    least = _head_end(text, headings)
    while (
        index
        and headings[index - 1].start >= least
        and not text[headings[index - 1].body : headings[index].start].strip()
    ):
        index -= 1
    return headings[index].start if headings else 0


def _head_end(text: str, headings: Sequence[HeadingCandidate]) -> int:
    """Where the last line ends that says, above the first numbered paragraph, what a party is called."""
    first = next((one.start for one in headings if one.label == PARAGRAPH), 0)
    return max((line.end() for line in _PARTY.finditer(text, 0, first)), default=0)


def _behind_head(
    layout: Layout, headings: Sequence[HeadingCandidate], first: int
) -> list[HeadingCandidate]:
    """The headings from this place on, and before it those of markdown: names of courts and parties are none."""
    marked = {one.char_start for one in layout.headings}
    return [one for one in headings if one.start >= first or one.start in marked or one.label]


def _opinions(layout: Layout) -> list[HeadingCandidate]:
    """The lines with which opinions begin; those of one kind that come again on each page count once, and `JUDGMENT` only where no judge is named."""
    seen: set[str] = set()
    words: list[HeadingCandidate] = []
    judges: list[HeadingCandidate] = []
    for line in _OPINION.finditer(layout.text):
        start, title = line.start(1), " ".join(line[1].split())
        sure = line["word"] or line["sentence"] or title[-1] in ":.)"
        if layout.hidden.holds(start) or not (
            sure or _NUMBERED_BELOW.match(layout.text, line.end())
        ):
            continue
        if line["word"] and title in seen:
            continue
        seen.add(title)
        one = _candidate(start, line.end(1), title.rstrip(":"), 1)
        (words if line["word"] and title.lower() != "syllabus" else judges).append(one)
    return judges if len(judges) >= _FEWEST else merged(judges, words)


_candidate = quick(HeadingCandidate)

_FEWEST = 2
_OUTERMOST = ""
_PREFIX = re.compile(r"\(([a-zA-Z]{1,4}|[0-9]{1,2})\)")
_JOINED = re.compile(r"\((?:with|dissenting|concurring)")
_SECTIONS = frozenset(("sec", "art", "rule"))
_MOST_QUOTED = 8
"""Sections that a decision quotes with their headings at most; rules of court name cases too."""

_OPENING = 4_000
_CASE = re.compile(
    r"\[(?:19|20)[0-9]{2}\] [A-Z]{2,6}(?: \(?[A-Z][A-Za-z]{1,5}\)?)? [0-9]{1,5}\b|(?m:^[ \t#*]{0,60}[A-Z](?:[^.:;\n]|\.(?=,|\s+v\b)|(?<=\b[A-Z])\.){0,80} v\.? [A-Z][^\n]{1,80}$)"
    r"|\n[ \t]*(?:[Vv]s?\.|VERSUS|-v-)[ \t]*\n|\(Slip Opinion\)|Neutral Citation|preliminary ruling|CASE OF [A-Z]"
)
"""What names a case: a neutral citation, or the parties in a line of their own."""

_TELLING = (
    *(" v ", " v. ", "v.\n", "vs.\n", "V.\n", "v\n", "VERSUS", "-v-", "[19", "[20"),
    *("(Slip Opinion)", "Neutral Citation", "preliminary ruling", "CASE OF "),
)
_COURT = re.compile(
    r"\b(?:SUPREME|HIGH|DISTRICT|CIRCUIT|COUNTY|CROWN|FEDERAL|APPEALS?|CONSTITUTIONAL) COURT\b|\bCOURTS? OF (?:APPEALS?|JUSTICE|SESSION|THE UNITED)"
    r"|\bJUDGMENT OF THE (?:GENERAL )?COURT\b|\b(?:[Aa]ppell(?:ant|ee)|[Rr]espondent|[Pp]etitioner|[Pp]laintiff|[Dd]efendant|[Cc]laimant)s?\b"
    r"|\b(?:APPELLANT|RESPONDENT|PETITIONER|PLAINTIFF|DEFENDANT|CLAIMANT)S?\b|\b(?:LORD|LADY|MRS?|MS|CHIEF) JUSTICE [A-Z]"
    r"|\b[A-Z]{3,}, (?:Chief |Circuit |District )?Judges?\b|\bJUSTICE [A-Z]{3,}|\b(?:LORD|LADY) [A-Z]{3,}|\b[A-Z][a-z]+ L?JJ?\b|(?:HIS|HER) HONOUR"
)
"""What speaks of a court: its name, its judges, what parties are called."""

_PARTY = re.compile(
    r"(?mi)(?:^|[ \t]{3})[ \t]*(?:(?:appellant|respondent|petitioner|plaintiff|defendant|claimant|applicant)(?:s|\(s\))?[ /,-]{0,3}){1,4}\.?[ \t]*$"
)
_NAME = r"[A-Z][\w'’-]{1,20}(?:(?: of| de)? [A-Z][\w'’-]{1,20}){0,3}"
_JUDGE = (
    rf"(?:(?i:the )?(?i:right honourable |rt\.? hon\.? )?(?i:(?:lord|lady)(?: chief)?(?: justice)?|(?:mrs?|ms)\.? justice|dame|sir|baroness)"
    rf"|(?i:chief justice|justice|hhj|(?:his|her) honour(?: judge)?|(?:deputy )?judge)) {_NAME}(?:,? (?:LJ|MR|P|VC|KC|QC|JSC|DPSC|PSC|SC))?"
    rf"|{_NAME}(?:(?:, {_NAME}){{0,4}},? (?i:and) {_NAME})? (?:LJJ?|JJ?|CJ|ACJ|JA|JJA|P|VC|MR|DP|AJ)"
    rf"|{_NAME}, (?:(?:Chief|Circuit|District|Presiding|Senior) )?(?:Judge|Justice|J\.|C\.J\.|P\.J\.)|(?i:his|her) (?i:honour)|THE COURT|PER CURIAM"
    r"|(?i:the (?:master of the rolls|lord chief justice|lord president|lord justice clerk|president|vice-president|chancellor))"
)
_APART = r"(?=[ \t]*\n[ \t]*(?:\n|\Z))"
_WORDS = r"Syllabus|SYLLABUS|JUDGMENT|J ?U ?D ?G ?M ?E ?N ?T|(?:Approved )?Judgment|Reasons for [Jj]udgment|REASONS FOR JUDGMENT"
_SENTENCE = (
    r"(?:THE )?(?:CHIEF )?(?:JUSTICE|Justice) [A-Z][\w'’-]{1,20}(?:,[^\n.]{0,60})? "
    r"(?:delivered|announced|dissenting|concurring)[^.\n]{0,80}\."
)
_BEHIND_JUDGE = (
    r"(?: ?\([^()\n]{3,120}\))?[:.]?| ?:? ?\((?:with|dissenting|concurring)[^()]{0,160}\):?"
    r"|, (?:dissenting|concurring)[^\n.]{0,60}[.:]"
)
_OPINION = re.compile(
    rf"(?:\A|(?<=\n))[ \t]{{0,60}}((?P<word>{_WORDS}){_APART}|(?P<sentence>{_SENTENCE})(?=[ \t]*\n)|(?:{_JUDGE})(?:{_BEHIND_JUDGE}){_APART})"
)
_NUMBERED_BELOW = re.compile(r"\s{1,20}(?:\*\*)?(?:\[1\]|[0-9]{1,3}[.\s])")
