"""Ground truth: questions with what answers them, as JSON lines, read and written.

{"question": "Who reports?", "expected": [{"source": "act.md", "section": "Section 2"}]}
{"question": "Who reports?", "source": "act.md", "page": 4, "text": "every master of a ship"}
{"question": "Who won the cup?", "kind": "off-corpus", "expected": []}
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hierdoc.errors import GroundTruthError

DEFAULT_KIND = "question"

_CRITERIA = ("source", "section", "page", "text", "keywords")
_KEYS = ("id", "question", "kind", "expected", "evidence", *_CRITERIA)
_MISSPELT = 0.8
"""A key this similar to one of ours is taken for a slip, others for somebody's notes."""


@dataclass(frozen=True, slots=True)
class Expected:
    """One thing that answers a question; what is not given does not matter.

    Attributes:
        source: The document's name, or the end of its path.
        section: A citation ("Article I, Section 2"), a section id or a heading.
        page: From 1.
        text: What the chunk says.
        keywords: Words or phrases that all stand in the chunk.
    """

    source: str | None = None
    section: str | None = None
    page: int | None = None
    text: str | None = None
    keywords: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """What is given of it, as in a line of the file."""
        values = {name: getattr(self, name) for name in _CRITERIA}
        values["keywords"] = list(self.keywords)
        return {name: value for name, value in values.items() if value}


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what answers it.

    Attributes:
        question: The query.
        expected: Everything that ought to be found; nothing where the corpus holds no answer.
        id: Unique in its file; the line's number by default.
        kind: Questions of one kind are reported together.
        place: `file:line`, for messages.
    """

    question: str
    expected: tuple[Expected, ...]
    id: str = ""
    kind: str = DEFAULT_KIND
    place: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The question as a line of the file."""
        return {
            "id": self.id,
            "question": self.question,
            "kind": self.kind,
            "expected": [one.to_dict() for one in self.expected],
        }


def load_ground_truth(file: str | Path) -> tuple[Question, ...]:
    """The questions of a file, one JSON object per line; empty lines are skipped.

    Raises:
        GroundTruthError: The file cannot be read, holds no question, or a line is wrong: with file and line.
    """
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise GroundTruthError(f"{file}: cannot be read: {reason}") from error
    questions: dict[str, Question] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{file}:{number}"
        question = _question(_object(line, place), place, number)
        if question.id in questions:
            before = questions[question.id].place.rpartition(":")[2]
            raise GroundTruthError(f"{place}: the id {question.id!r} is that of line {before} too")
        questions[question.id] = question
    if not questions:
        raise GroundTruthError(
            f"{file}: holds no question",
            hint="Write one JSON object per line, or have some made: `hierdoc eval --make 100 -o FILE`.",
        )
    return tuple(questions.values())


def dump_ground_truth(questions: Iterable[Question]) -> str:
    """The questions as JSON lines."""
    lines = [json.dumps(question.to_dict(), ensure_ascii=False) for question in questions]
    return "".join(f"{line}\n" for line in lines)


def resolve_sources(
    questions: Iterable[Question], documents: Collection[str]
) -> tuple[Question, ...]:
    """The questions with the sources that they expect under their full names.

    A source may be written as the document's name, as the end of it from a folder on, or as a path that ends with the name.

    Raises:
        GroundTruthError: There is no such document, or there are several: with file, line and the nearest name.
    """
    known: dict[str, str] = {}
    resolved = []
    for question in questions:
        for expected in question.expected:
            if expected.source is not None and expected.source not in known:
                known[expected.source] = _resolved(expected.source, documents, question.place)
        items = tuple(
            replace(one, source=known[one.source]) if one.source is not None else one
            for one in question.expected
        )
        resolved.append(replace(question, expected=items))
    return tuple(resolved)


def _resolved(source: str, documents: Collection[str], place: str) -> str:
    wanted = source.replace("\\", "/").removeprefix("./")
    if wanted in documents:
        return wanted
    ends = [name for name in documents if _is_end(wanted, name) or _is_end(name, wanted)]
    if len(ends) == 1:
        return ends[0]
    where = f"{place}: " if place else ""
    if ends:
        named = ", ".join(sorted(ends)[:4])
        raise GroundTruthError(
            f"{where}the source {source!r} may be several documents: {named}",
            hint="Write more of its path.",
        )
    last = {name.rpartition("/")[2]: name for name in documents}
    near = difflib.get_close_matches(wanted, documents, n=1, cutoff=0.5)
    near = near or [last[n] for n in difflib.get_close_matches(wanted, last, n=1, cutoff=0.5)]
    hint = f"Did you mean {near[0]}?" if near else f"It holds {', '.join(sorted(documents)[:4])}."
    raise GroundTruthError(f"{where}the index holds no document {source!r}", hint=hint)


def _is_end(end: str, path: str) -> bool:
    return path.endswith("/" + end.lstrip("/")) if end else False


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        what = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        raise GroundTruthError(
            f"{place}: this is not JSON: {what}", hint="Write one JSON object per line."
        ) from None
    if not isinstance(value, dict):
        raise GroundTruthError(f"{place}: this is not a JSON object", hint="Write one per line.")
    return value


def _question(fields: Mapping[str, Any], place: str, number: int) -> Question:
    for key in fields:
        near = difflib.get_close_matches(key, _KEYS, n=1, cutoff=_MISSPELT)
        if key not in _KEYS and near:
            raise GroundTruthError(f"{place}: unknown key {key!r}; did you mean `{near[0]}`?")
    text = fields.get("question")
    if not isinstance(text, str) or not text.strip():
        raise GroundTruthError(f"{place}: `question` is missing or empty")
    name, kind = fields.get("id", number), fields.get("kind") or DEFAULT_KIND
    if not isinstance(name, (str, int)) or not isinstance(kind, str):
        raise GroundTruthError(f"{place}: `id` and `kind` are strings")
    return Question(text, _expected(fields, place), str(name), kind, place)


def _expected(fields: Mapping[str, Any], place: str) -> tuple[Expected, ...]:
    """The items of a line: a list, or fields of the line itself; those of `evidence` have the line's source."""
    given = fields.get("expected", fields.get("evidence"))
    flat = {name: fields[name] for name in _CRITERIA if fields.get(name) is not None}
    if given is None:
        if not flat:
            raise GroundTruthError(
                f"{place}: nothing says what is expected",
                hint='Give `expected`, or `source`, `section`, `page`, `text` or `keywords`; `"expected": []` says that there '
                "is no answer.",
            )
        return (_item(flat, place),)
    items = [given] if isinstance(given, Mapping) else given
    if not isinstance(items, list) or not all(isinstance(one, Mapping) for one in items):
        raise GroundTruthError(f"{place}: `expected` is not a list of objects")
    return tuple(_item({**flat, **one}, place) for one in items)


def _item(fields: Mapping[str, Any], place: str) -> Expected:
    for key in fields:
        if key not in _CRITERIA:
            near = difflib.get_close_matches(key, _CRITERIA, n=1)
            known = f"did you mean `{near[0]}`?" if near else f"known: {', '.join(_CRITERIA)}"
            raise GroundTruthError(f"{place}: unknown key {key!r} in `expected`; {known}")
    given = {name: value for name, value in fields.items() if value not in (None, "", [])}
    for name in ("source", "section", "text"):
        if name in given and not isinstance(given[name], str):
            raise GroundTruthError(f"{place}: `{name}` is not a string")
    page = given.get("page")
    if page is not None and (not isinstance(page, int) or isinstance(page, bool) or page < 1):
        raise GroundTruthError(f"{place}: `page` is not a number from 1")
    keywords = given.get("keywords", [])
    keywords = [keywords] if isinstance(keywords, str) else keywords
    if not isinstance(keywords, list) or not all(isinstance(one, str) for one in keywords):
        raise GroundTruthError(f"{place}: `keywords` is not a list of strings")
    if not given:
        raise GroundTruthError(f"{place}: an expected item says nothing")
    return Expected(**{**given, "keywords": tuple(keywords)})
