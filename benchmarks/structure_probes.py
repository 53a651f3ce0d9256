"""Inputs on which splitters are known to fail, and what each makes of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from structure_peers import Part, Split

from hierdoc import Document
from hierdoc.structure import understand
from hierdoc.text.analysis import Analyzer
from hierdoc.text.language import estimate_tokens

Verdict = Callable[[str, Sequence[Part]], str]
"""What a splitter did with a text: "ok", else what is wrong."""


def probe(split: Split) -> dict[str, str]:
    """The verdict on one splitter for each probe."""
    return {name: _judged(split, text, verdict) for name, (text, verdict) in PROBES.items()}


def own_probes() -> dict[str, str]:
    """Verdicts on what only hierdoc does; splitters know neither words nor definitions."""
    quotes = {
        "definitions in curly double quotes": "“child” means a person.",
        "definitions in single quotes": "The term 'child' means a person.",
        "definitions in low German quotes": "„Kind“ bezeichnet eine Person.",
    }
    found = {
        name: "ok" if understand(Document("a", "a", f"# A\n\n{text}\n")).definitions else "none"
        for name, text in quotes.items()
    }
    words = Analyzer("none").terms("§ 4.2 Überprüfung of 203(a)(1)")
    whole = {"4.2", "203(a)(1)"} <= set(words) and any(
        word.endswith("berprufung") for word in words
    )
    found["words beyond ASCII, citations whole"] = "ok" if whole else f"only {words}"
    return found


def _judged(split: Split, text: str, verdict: Verdict) -> str:
    try:
        parts = split(text)
    except Exception as error:  # what a probe is there to show
        return f"raises {type(error).__name__}"
    return verdict(text, parts)


def _headings(*wanted: str) -> Verdict:
    def verdict(text: str, parts: Sequence[Part]) -> str:
        if all(part.headings is None for part in parts):
            return "no headings"
        said = {heading.strip("# ") for part in parts for heading in part.headings or ()} - {""}
        false, missed = said - set(wanted), set(wanted) - said
        if false:
            return f"takes {sorted(false)[0]!r} for one"
        return f"misses {sorted(missed)[0]!r}" if missed else "ok"

    return verdict


def _exact(text: str, parts: Sequence[Part]) -> str:
    if any(part.start is None for part in parts):
        return "no offsets"
    wrong = sum(not text.startswith(part.text, part.start or 0) for part in parts)
    return f"{wrong} of {len(parts)} wrong" if wrong else "ok"


def _whole(text: str, parts: Sequence[Part]) -> str:
    held = " ".join(" ".join((*(part.headings or ()), part.text)) for part in parts)
    lost = [word for word in text.split() if word.strip("#") and word not in held]
    return f"loses {len(lost)} words" if lost else "ok"


def _bounded(text: str, parts: Sequence[Part]) -> str:
    most = max(estimate_tokens(part.text) for part in parts)
    return "ok" if most <= 1_000 else f"{most} tokens in one"


def _rows_whole(text: str, parts: Sequence[Part]) -> str:
    if len(parts) == 1:
        return "not cut"
    rows = set(text.split("\n"))
    cut = sum(line.strip() not in rows for part in parts for line in part.text.split("\n"))
    return f"cuts {cut} rows" if cut else "ok"


def _table(rows: int) -> str:
    chance = random.Random(1)
    lines = (f"| {n} | {chance.random():.6f} | some words about it |" for n in range(rows))
    return "\n".join(("| no | value | remark |", "|---|---|---|", *lines))


_WORDS = " ".join(["These are plain words of a paragraph."] * 60)

PROBES: dict[str, tuple[str, Verdict]] = {
    "# in an HTML comment": ("# A\n\n<!--\n# hidden\n-->\n\ntext\n", _headings("A")),
    "# in a ~~~ fence": ("# A\n\n~~~\n# hidden\n~~~\n\ntext\n", _headings("A")),
    "# in a fence within a longer fence": (
        "# A\n\n````\n```\n# hidden\n```\n# hidden\n````\n\ntext\n",
        _headings("A"),
    ),
    "# in a fence that is not closed": ("# A\n\ntext\n\n```\n# hidden\n", _headings("A")),
    "# in indented code": ("# A\n\n    # hidden\n\ntext\n", _headings("A")),
    "# in front matter": ("---\ntitle: x\n# hidden\n---\n\n# A\n\ntext\n", _headings("A")),
    "# in a raw HTML block": ("# A\n\n<pre>\n\n# hidden\n</pre>\n\ntext\n", _headings("A")),
    "setext headings": ("A\n=\n\ntext\n\nB\n---\n\nwords\n", _headings("A", "B")),
    "closing # and markup in headings": ("# A ##\n\ntext\n", _headings("A")),
    "exact offsets": (
        f"intro\n\n# A\n\n{_WORDS}\n\n\n## B\n\n- x\n- y\n\n{_WORDS}\n\n{_WORDS}\n",
        _exact,
    ),
    "exact offsets with CRLF": ("intro\r\n\r\n# A\r\n\r\ntext\r\n\r\n# B\r\n\r\nx\r\n", _exact),
    "text between a marker and the next heading": (
        "(a) alpha\n\n# A\n\n(b) beta gamma\n\n## B\n\n(1) delta\n",
        _whole,
    ),
    "a heading without text": ("# A\n\n## B\n\n# C\n\ntext\n", _whole),
    "<|endoftext|> in a file": ("# A\n\nbefore <|endoftext|> after\n", _whole),
    "a table of 1,500 rows": (f"# A\n\n{_table(1500)}\n", _bounded),
    "rows of that table": (f"# A\n\n{_table(1500)}\n", _rows_whole),
    "a line of 100,000 characters": ("# A\n\n" + "word " * 20_000 + "\n", _bounded),
}
"""By name: a document, and how to tell what a splitter made of it."""
