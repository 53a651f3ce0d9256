"""Definitions of real laws, contracts and standards: how many of those listed by hand are found, and what else is.

With `--draw 50` it prints so many of what it finds in each kind of document, drawn at random, to be judged by eye.
"""

from __future__ import annotations

import argparse
import random
from functools import cache

from common import DATA, Report, shared
from definitions_truth import READ, STANDING

from hierdoc.models import Definition
from hierdoc.structure import find_definitions, section_tree

_KINDS = {
    "German laws": ("legal/de/*.md", "legal/gesetze/*.md"),
    "French codes": ("legal/fr/*.md",),
    "contracts": ("legal/contracts/*.md", "legal/contracts/cuad/*.txt"),
    "technical": (
        "technical/nist-800-63b/*.md",
        "technical/asvs/*.md",
        "technical/eips/*.md",
        "technical/peps/*.rst",
    ),
    "US law": ("legal/*.md",),
}


def main() -> None:
    """Print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the same: it takes seconds")
    parser.add_argument("--draw", type=int, default=0, help="definitions to print of each kind")
    options = parser.parse_args()
    shared("legal")
    if options.draw:
        _draw(options.draw)
        return
    report = Report("definitions", "definitions listed by hand that are found, and others")
    report.table("sections read whole", [_read(kind) for kind in READ])
    rows = [_standing(kind) for kind in STANDING]
    report.table("definitions met in random sections", rows)
    for row in rows:
        report.target(f"{row['documents']}, share that is found", row["share"], ">=", 0.95)
    report.save()


def _read(kind: str) -> dict[str, object]:
    listed = found = wrong = 0
    for place, terms in READ[kind].items():
        path, _, section = place.partition("#")
        expected = _terms(terms)
        there = {
            one.term
            for one in _definitions(path)
            if not section or one.section_id == section
        }  # fmt: skip
        listed += len(expected)
        found += len(expected & there)
        wrong += len(there - expected)
    precision = found / (found + wrong) if found else 0.0
    return {"documents": kind, "listed": listed, "found": found, "wrong": wrong, "recall": found / listed, "precision": precision}  # fmt: skip


def _standing(kind: str) -> dict[str, object]:
    missing: list[str] = []
    listed = 0
    for path, terms in STANDING[kind].items():
        expected = _terms(terms)
        listed += len(expected)
        missing += sorted(expected - {one.term for one in _definitions(path)})
    share = (listed - len(missing)) / listed
    return {"documents": kind, "listed": listed, "share": share, "missing": ", ".join(missing)}


def _terms(text: str) -> set[str]:
    return {term.strip() for term in text.split(";") if term.strip()}


@cache
def _definitions(path: str) -> tuple[Definition, ...]:
    text = (DATA / path).read_text(encoding="utf-8", errors="replace")
    return find_definitions(text, path, section_tree(text, domain="auto"))


def _draw(count: int) -> None:
    generator = random.Random(7)
    for kind, patterns in _KINDS.items():
        files = [file for pattern in patterns for file in sorted(DATA.glob(pattern))]
        found = [one for file in files for one in _definitions(file.relative_to(DATA).as_posix())]
        print(f"\n{kind}: {len(found)}\n")
        for one in generator.sample(found, min(count, len(found))):
            print(
                f"{one.source}  {one.section_id}  {one.term!r}: {' '.join(one.text.split())[:240]}"
            )


if __name__ == "__main__":
    main()
