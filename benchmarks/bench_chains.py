"""Chains: whether each section stands under the headings that its author put above it.

Three truths that no one typed:

    levels      the author's heading levels, read as markdown's: which headings are open where a section begins
    labels      of French codes, whose converter knows four levels: the labels in their order, articles alone
    flattened   the same document with all headings below the first written at one level; the chains have to come out as before
    skipping    with every other level left out, as far as six go
    deeper      with all levels moved down, as far as six go
    shuffled    with the levels in another order, the same throughout the document: there, too, only labels tell
    joined      a contract in plain text with all lines of a page joined, as scraped filings have them; likewise

Where levels are gone, an appendix may lie in nothing though its converter put it into the last chapter.

A level at which a converter wrote several kinds of headings says too little (`###### Kapitel 1`, nothing below it, `###### § 21`). The
sections under it are told apart: there the chain is right if it has the headings of the author's levels, and besides only such that stand
at that level.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from common import Report, arguments, shared

from hierdoc.models import Section
from hierdoc.structure import section_tree

RIGHT, FOREIGN = 99.0, 0.2
"""Per cent of sections that are to stand right, and that may stand under a heading which is not theirs."""

TRADITIONS = {
    "German laws": ["legal/gesetze/*.md", "legal/de/*.md"],
    "US constitutions": ["legal/*.md"],
    "contracts": ["legal/contracts/*.md"],
    "technical": ["technical/*/*.md"],
}
JOINED = {"contracts": ["legal/contracts/cuad/*.txt"]}
REWRITTEN = {
    "French codes": ["legal/fr/*.md"],
    "German laws": ["legal/gesetze/*.md"],
    "US constitutions": ["legal/*.md"],
}

Chain = tuple[str, ...]


def main() -> None:
    """Both tables."""
    arguments()
    report = Report("chains", "Chains of sections beside their authors' heading levels.", [])
    shared("legal")
    rows = [row("levels", name, patterns, by_levels) for name, patterns in TRADITIONS.items()]
    rows.append(row("labels", "French codes", ["legal/fr/*.md"], by_labels))
    rows += [
        row(truth, name, patterns, partial(rewritten, levels=levels))
        for truth, levels in LEVELS.items()
        for name, patterns in REWRITTEN.items()
    ]
    rows += [row("joined", name, patterns, joined) for name, patterns in JOINED.items()]
    report.table("chains of sections", rows)
    for one in rows:
        if one["truth"] not in (*LEVELS, "joined"):
            report.target(
                f"{one['documents']}: right, per cent", float(str(one["right %"])), ">=", RIGHT
            )
            report.target(
                f"{one['documents']}: with a foreign heading, per cent",
                float(str(one["foreign %"])), "<=", FOREIGN,
            )  # fmt: skip
    report.save()


def row(truth: str, name: str, patterns: list[str], compared: object) -> dict[str, object]:
    """What one tradition comes to."""
    total = right = foreign = 0
    for file in [file for pattern in patterns for file in sorted(shared().glob(pattern))]:
        text = _without_code(file.read_text(encoding="utf-8"))
        for expected, allowed, found in compared(text):  # type: ignore[operator]
            extra = set(found) - set(expected)
            total += 1
            right += set(expected) <= set(found) and extra <= allowed
            foreign += bool(extra - allowed)
    return {
        "truth": truth,
        "documents": name,
        "sections": total,
        "right %": 100 * right / max(1, total),
        "foreign %": 100 * foreign / max(1, total),
    }


def by_levels(text: str) -> Iterator[tuple[Chain, set[str], Chain]]:
    """For each heading its chain by the author's levels, headings of its own level that may stand above it too, and its chain."""
    found = chains(text)
    around: list[tuple[int, str]] = []
    beside: set[str] = set()
    for heading in _HEADING.finditer(text):
        if heading.start() not in found:
            continue
        level, (title, chain) = len(heading[1]), found[heading.start()]
        while around and around[-1][0] >= level:
            depth, closed = around.pop()
            beside = beside | {closed} if depth == level else set()
        yield tuple(one for _, one in around), set(beside), chain
        around.append((level, title))


def by_labels(text: str) -> Iterator[tuple[Chain, set[str], Chain]]:
    """For each article the divisions above it by the order of their labels, all others, and its chain."""
    found = chains(text)
    around: list[tuple[int, int, str]] = []
    others: set[str] = set()
    for heading in _HEADING.finditer(text):
        if heading.start() not in found:
            continue
        title, chain = found[heading.start()]
        rank = next((rank for rank, label in enumerate(_LABELS) if label.match(title)), None)
        level = len(heading[1])
        while around and (around[-1][1] > level or (rank is not None and around[-1][0] >= rank)):
            around.pop()
        if rank is None:
            others.add(title)
        elif rank == len(_LABELS) - 1:
            yield tuple(one for _, _, one in around), others, chain
        else:
            around.append((rank, level, title))


def rewritten(
    text: str, levels: Callable[[list[int]], Mapping[int, int]]
) -> Iterator[tuple[Chain, set[str], Chain]]:
    """For each heading its chain as the document has it, nothing, and its chain where headings have other levels.

    Args:
        text: The document.
        levels: What becomes of its levels, given those that it has below its first heading, in order.
    """
    before = chains(text)
    first = next(_HEADING.finditer(text), None)
    known = sorted(
        {len(one[1]) for one in _HEADING.finditer(text) if first and one.start() != first.start()}
    )
    other = levels(known)
    moved, shift = {}, 0

    def at_another_level(heading: re.Match[str]) -> str:
        nonlocal shift
        moved[heading.start()] = heading.start() + shift
        marks = heading[1]
        if first and heading.start() != first.start():
            marks = "#" * other[len(marks)]
        shift += len(marks) - len(heading[1])
        return marks

    after = chains(_HEADING.sub(at_another_level, text))
    for start, (title, chain) in before.items():
        if start in moved:
            found = after.get(moved[start], ("", ("absent",)))[1]
            cut = _within_appendix((*chain, title))
            lost = len(cut) < len(chain) and set(found) <= set(chain)
            yield cut if lost else chain, set(chain) if lost else set(), found


def _within_appendix(chain: Chain) -> Chain:
    """What of a chain, the section itself at its end, lies in its innermost appendix."""
    places = [place for place, title in enumerate(chain) if _APPENDIX.match(title)]
    return chain[places[-1] : -1] if places else chain[:-1]


def joined(text: str) -> Iterator[tuple[Chain, set[str], Chain]]:
    """For each section of a text in lines its chain as it stands there, nothing, and its chain where the lines are joined.

    A section that is found in the joined text alone counts as one whose chain is foreign.
    """
    if sum(len(line) for line in text.split("\n") if len(line) > _PAGE // 3) > len(text) / 2:
        return
    lines = text.split("\n")
    repeated = Counter(line for line in lines if line.strip())
    text = "\n".join(line for line in lines if repeated[line] < _REPEATED)
    pages = [" ".join(text.split())[start : start + _PAGE] for start in range(0, len(text), _PAGE)]
    before, after = _keyed(text), _keyed("\n\n".join(pages))
    for place, chain in before.items():
        yield chain, set(), after.get(place, ("absent",) if chain != ("absent",) else ())
    for _ in after.keys() - before.keys():
        yield (), set(), ("added",)


def _keyed(text: str) -> dict[int, Chain]:
    """The keys of each numbered section and of those around it, by how many characters stand before it, white space aside.

    The number that the contract as a whole has among the exhibits of a filing is left out.
    """
    found: dict[int, Chain] = {}

    def walk(sections: tuple[Section, ...], chain: Chain) -> None:
        for one in sections:
            inner = chain
            if one.key and not (one.key.startswith("exhibit") and not found):
                inner = (*chain, one.key)
                found[len("".join(text[: one.char_start].split()))] = inner
            walk(one.children, inner)

    walk(section_tree(text, domain="auto"), ())
    return found


def chains(text: str) -> Mapping[int, tuple[str, Chain]]:
    """Title and chain of each section, by where it begins."""
    found: dict[int, tuple[str, Chain]] = {}

    def walk(sections: tuple[Section, ...], chain: Chain) -> None:
        for one in sections:
            found[one.char_start] = one.title, chain
            walk(one.children, (*chain, one.title))

    walk(section_tree(text, domain="auto"), ())
    return found


def _without_code(text: str) -> str:
    return re.sub(r"(?ms)^(```|~~~).*?^\1", lambda code: code[0].replace("#", " "), text)


_PAGE = 3_000
"""Characters of a page."""

_REPEATED = 3
"""How often a line stands in a text that is a header or footer of pages."""

LEVELS: dict[str, Callable[[list[int]], Mapping[int, int]]] = {
    "flattened": lambda known: dict.fromkeys(known, 2),
    "skipping": lambda known: {level: min(6, 2 + 2 * place) for place, level in enumerate(known)},
    "deeper": lambda known: {level: min(6, level + 2) for level in known},
    "shuffled": lambda known: dict(zip(known, [*known[1::2], *reversed(known[::2])], strict=True)),
}
"""What is done to the levels of a document."""

_APPENDIX = re.compile(r"(?:Anlage|Anhang|Annexe|Appendix)\b|Schlu(?:ß|ss)formel")
_HEADING = re.compile(r"(?m)^(#{1,6})(?=\s)")
_LABELS = [
    re.compile(label, re.IGNORECASE)
    for label in (
        "partie [lra]", "livre ", "titre ", "sous-titre ", "chapitre ", "section ", "sous-section ", "paragraphe ",
        "article ",
    )
]  # fmt: skip
"""Of French codes, the outermost first."""


if __name__ == "__main__":
    main()
