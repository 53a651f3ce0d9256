"""Shelves: documents that stand together in one index, near-twins among them, and what is asked of them; see `shelves/README.md`."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import made_words as words

FOLDER = Path(__file__).parent / "shelves"

LANGUAGES = {
    "en": words.ENGLISH, "de": words.GERMAN, "fr": words.FRENCH, "it": words.ITALIAN, "es": words.SPANISH, "pt": words.PORTUGUESE,
    "nl": words.DUTCH, "pl": words.POLISH, "technical": words.TECHNICAL, "filing": words.FILING,
}  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A part of a document: where it begins, and where what does not lie in it does."""

    file: str
    start: int
    end: int


@dataclass(frozen=True)
class Asked:
    """A query and what it names.

    Attributes:
        kind: For the table: `cited`, `phrase`, `meaning`, `subject`.
        query: As a person types it.
        places: The one that it names; several where these answer equally, none where nothing does.
    """

    kind: str
    query: str
    places: tuple[Place, ...]


@dataclass
class Shelf:
    """Documents and questions.

    Attributes:
        name: Of the file.
        texts: By the names of files.
        places: By the names of files, then by the marks.
        asked: What is asked.
    """

    name: str
    texts: dict[str, str] = field(default_factory=dict)
    places: dict[str, dict[str, Place]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)


def shelves(folder: Path = FOLDER) -> list[Shelf]:
    """All that there are, in the order of their names."""
    return [read(file) for file in sorted(folder.glob("*.txt"))]


def read(file: Path) -> Shelf:
    """A shelf from its notation."""
    shelf = Shelf(file.stem)
    documents, _, questions = file.read_text(encoding="utf-8").partition("\n>>>>\n")
    for part in re.split(r"(?m)^<<<< ", documents)[1:]:
        head, _, body = part.partition("\n")
        name, _, language = head.partition(" | ")
        drawn = random.Random(f"{file.stem}/{name}")
        spoken = LANGUAGES[language or "en"]
        filled = _FILLER.sub(lambda _, spoken=spoken, drawn=drawn: spoken.paragraph(drawn), body)
        shelf.texts[name], shelf.places[name] = _located(name, filled)
    for line in questions.splitlines():
        if line.strip() and not line.startswith("//"):
            shelf.asked += _questions(line, shelf)
    return shelf


def _located(name: str, text: str) -> tuple[str, dict[str, Place]]:
    """The text without its marks, and the places that these begin."""
    pieces: list[str] = []
    starts: list[tuple[str, int]] = []
    behind = length = 0
    for found in _MARK.finditer(text):
        pieces.append(text[behind : found.start()])
        length += found.start() - behind
        behind = found.end()
        starts.append((found[1], length))
    pieces.append(text[behind:])
    whole = "".join(pieces)
    places = {"": Place(name, 0, len(whole))}
    for index, (mark, start) in enumerate(starts):
        assert mark not in places, (name, mark)
        later = (place for other, place in starts[index + 1 :] if not other.startswith(f"{mark}/"))
        places[mark] = Place(name, start, next(later, len(whole)))
    return whole, places


def _questions(line: str, shelf: Shelf) -> Iterator[Asked]:
    kind, _, rest = line.partition(": ")
    query, arrow, target = rest.rpartition(" => ")
    assert arrow, line
    if not kind.endswith("*"):
        named = [] if target.strip() == "-" else target.split(" | ")
        yield Asked(kind, query, tuple(_place(one.strip(), shelf) for one in named))
        return
    depth = max(int(one[1]) for one in _SLOT.findall(query)) + 1
    for name in target.split(" | "):
        for mark, place in shelf.places[name.strip()].items():
            numbers = mark.split("/")
            if mark and len(numbers) == depth and not any(one.startswith("=") for one in numbers):
                yield Asked(kind[:-1], query.format(*numbers), (place,))


def _place(name: str, shelf: Shelf) -> Place:
    file, _, mark = name.partition("#")
    return shelf.places[file][mark]


_MARK = re.compile(r"\[\[(.+?)\]\]")
_SLOT = re.compile(r"\{[0-9]\}")
_FILLER = re.compile(r"(?<!\S)~(?=\s|$)")
