"""From the configured source to files: which ones there are, what they are called, and their bytes.

A source is a file, a folder or a glob. A glob stands for the files and folders that it matches (`*`, `?`, `[...]` within a
name, `**` for any folders between); a folder stands for the documents below it. What one file or folder does wrong is
noted and never stops the others.

In folders, hidden entries, `__pycache__` and `node_modules` are left out, and so is what is no document (see `is_document`).
Patterns as in a `.gitignore` choose among what is found, by the names of documents.
Symbolic links are followed as long as they stay within their source; each file is taken once, whatever links lead to it.
"""

from __future__ import annotations

import fnmatch
import os
import re
import stat
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from hierdoc.errors import ConversionError, SourceError
from hierdoc.ingest.report import Failure
from hierdoc.models import Source

_FORMATS = """
    md markdown mdown mkd mdx qmd rmd txt text html htm xhtml rst adoc asciidoc org tex
    pdf epub msg rtf doc docx odt ppt pptx odp xls xlsx ods
"""

DOCUMENT_SUFFIXES = frozenset(f".{name}" for name in _FORMATS.split())
"""Files of these formats are documents, whether or not a converter that reads them is installed."""

MAX_BYTES = 1 << 30
"""Larger files are refused: their text would not fit in memory several times over, as a conversion needs it."""

SIDECAR_SUFFIXES = (".meta.yaml", ".meta.yml", ".meta.json")
"""Behind the name of a document they make that of a file with its metadata."""

_LEFT_OUT = frozenset(("__pycache__", "node_modules"))
_WILDCARD = re.compile(r"[*?\[]")
_SUFFIXES_NAMED = 8
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to ingest.

    Attributes:
        name: The document's name: the file's POSIX path relative to the base folder; unique.
        path: Where it is.
        root: The source's real folder, or the file itself where it was named; its bytes are only read from within.
    """

    name: str
    path: Path
    root: Path


@dataclass(frozen=True, slots=True)
class Discovery:
    """What a source consists of.

    Attributes:
        files: Source by source, by name within each.
        failures: Files and folders that could not be looked at.
        notes: What was left out, and why.
    """

    files: tuple[SourceFile, ...]
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()


def discover(
    sources: Sequence[str],
    base: Path,
    suffixes: Collection[str] = (),
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> Discovery:
    """The files of the configured sources.

    Args:
        sources: Files, folders and globs; relative ones start at `base`.
        base: The folder that documents are named from.
        suffixes: What the converter reads besides well-known documents; only asked whether it contains a suffix.
        include: Patterns one of which a document must match; none for all.
        exclude: Patterns that leave documents out; these go first.

    Raises:
        SourceError: A source is missing, matches nothing, or holds no document.
    """
    if not sources:
        raise SourceError(
            "no source is configured", hint="Name a file, folder or glob as `source`."
        )
    found = _Found(os.path.abspath(base), suffixes, Choice(include, exclude))
    for source in sources:
        _Search(source, found).run()
    return Discovery(tuple(found.files), tuple(found.failures), tuple(found.notes))


class Choice:
    """Which documents patterns choose, as in a `.gitignore`: `*.md`, `drafts/`, `/docs/old/`, `**/a/*`, `!kept.md`.

    Args:
        include: A document must match one of these; none for all.
        exclude: A document that matches one of these is left out.

    Raises:
        ValueError: What is no pattern.
    """

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> None:
        self._include = _patterns(include)
        self._exclude = _patterns(exclude)

    def takes(self, name: str) -> bool:
        """Whether a document of this name is chosen."""
        if self._exclude is not None and self._exclude.match_file(name):
            return False
        return self._include is None or bool(self._include.match_file(name))

    def enters(self, name: str) -> bool:
        """Whether a folder of this name may hold documents that are chosen."""
        return self._exclude is None or not self._exclude.match_file(f"{name}/")


def _patterns(lines: Sequence[str]) -> Any:
    if not lines:
        return None
    from pathspec import GitIgnoreSpec  # only where there are patterns

    return GitIgnoreSpec.from_lines(lines)


def locate(name: str, sources: Sequence[str], base: Path) -> SourceFile:
    """The file of a document that was ingested from these sources.

    Args:
        name: The document's.
        sources: As for `discover`.
        base: As for `discover`.

    Raises:
        SourceError: It does not lie in any of them.
    """
    path = os.path.normpath(os.path.join(os.path.abspath(base), name))
    for source in sources:
        root = os.path.normpath(os.path.join(os.path.abspath(base), os.path.expanduser(source)))
        wild = None if os.path.lexists(root) else _first_wildcard(root)
        if wild is not None:
            root = os.path.join(*PurePath(root).parts[:wild])
        root = os.path.realpath(root)
        if _within(os.path.realpath(path), root):
            return SourceFile(name, Path(path), Path(root))
    raise SourceError(f"{name}: is not in the configured source any more")


def is_document(name: str, suffixes: Collection[str] = ()) -> bool:
    """Whether a file that was found in a folder is ingested; one that is named by the user always is.

    Well-known document formats are, so that a missing converter is an error and not a silent loss. Anything else, from
    images to lock files, is only if the converter says that it reads it.
    """
    suffix = PurePath(name).suffix.lower()
    return suffix in DOCUMENT_SUFFIXES or suffix in suffixes


def read(file: SourceFile, most: int | None = None) -> Source:
    """The file's bytes.

    Args:
        file: It.
        most: How many there may be; `MAX_BYTES` by default.

    Raises:
        SourceError: It vanished, may not be read, or leads out of its source by now.
        ConversionError: It is larger.
    """
    most = MAX_BYTES if most is None else most
    path = os.path.realpath(file.path)
    if not _within(path, str(file.root)):
        raise SourceError(
            f"{file.name}: leads out of its source, to {_escaped(path)}",
            hint="Name the file or folder it leads to as a source of its own.",
        )
    never_wait = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, never_wait | getattr(os, "O_BINARY", 0))
        with open(descriptor, "rb") as stream:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise SourceError(f"{file.name}: is not a regular file")
            if status.st_size > most:
                raise ConversionError(
                    f"{file.name}: is too large: {status.st_size >> 10:,} KiB, the limit is {most >> 10:,}",
                    hint="Split it into several files.",
                )
            return Source(file.name, stream.read(), file.path)
    except OSError as error:
        raise SourceError(f"{file.name}: cannot be read: {error.strerror}") from error


@dataclass
class _Found:
    """What the sources searched so far consist of."""

    base: str
    suffixes: Collection[str]
    choice: Choice
    files: list[SourceFile] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    real_files: set[str] = field(default_factory=set)


class _Search:
    """The search of one source.

    Args:
        source: As it is configured.
        found: What is found is added here.
    """

    def __init__(self, source: str, found: _Found) -> None:
        self._source = source
        self._found = found
        self._root = ""
        self._files: list[SourceFile] = []
        self._documents = 0
        self._failed = False
        self._skipped: Counter[str] = Counter()
        self._left_out = 0
        self._links: list[str] = []
        self._real_folders: set[str] = set()

    def run(self) -> None:
        """Find the source's files.

        Raises:
            SourceError: There are none.
        """
        path = os.path.normpath(os.path.join(self._found.base, os.path.expanduser(self._source)))
        if os.path.lexists(path):
            self._add_named(path)
        elif (wild := _first_wildcard(path)) is not None:
            self._add_matches(PurePath(path).parts, wild)
        else:
            raise SourceError(
                f"the source does not exist: {_escaped(self._source)}",
                hint=f"Correct the path; it was looked for at {_escaped(path)}.",
            )
        self._follow_links()
        self._found.files += sorted(self._files, key=lambda file: file.name)
        skipped = ", ".join(
            filter(None, (_describe_skipped(self._skipped), _describe_left_out(self._left_out)))
        )
        if skipped:
            self._found.notes.append(f"{_escaped(self._source)}: {skipped}")
        if not self._documents and not self._failed:
            raise SourceError(
                f"the source holds no document: {_escaped(self._source)}"
                + (f" ({skipped})" if skipped else ""),
                hint="Put documents there or name another file, folder or glob.",
            )

    def _add_named(self, path: str) -> None:
        """A file or folder that the user named, whatever its name and wherever it leads."""
        self._root = os.path.realpath(path)
        try:
            mode = os.stat(self._root).st_mode
        except OSError as error:
            raise SourceError(
                f"the source cannot be read: {_escaped(path)}: {error.strerror}"
            ) from error
        if stat.S_ISDIR(mode):
            self._walk([path])
        elif stat.S_ISREG(mode):
            self._take(path)
        else:
            raise SourceError(f"the source is neither a file nor a folder: {_escaped(path)}")

    def _add_matches(self, parts: tuple[str, ...], wild: int) -> None:
        """The files and folders that a glob matches; `parts[wild]` is its first part with a wildcard."""
        folder = os.path.join(*parts[:wild])
        self._root = os.path.realpath(folder)
        matches = list(self._matches(folder, parts[wild:]))
        if not matches:
            raise SourceError(
                f"nothing matches the source: {_escaped(self._source)}",
                hint="Correct the pattern; `**` stands for any folders between, as in docs/**/*.md.",
            )
        folders: list[str] = []
        for path in matches:
            self._visit(path, folders)
        self._walk(folders)

    def _matches(self, folder: str, pattern: tuple[str, ...]) -> Iterator[str]:
        """Paths below a folder that match a pattern's parts, one for each level."""
        pending = [(folder, pattern)]
        while pending:
            path, parts = pending.pop()
            if not parts:
                yield path
                continue
            part, rest = parts[0], parts[1:]
            if part == "**":
                pending.append((path, rest))
                if rest:  # at the end it stands for the folder, whole
                    pending += [(below, parts) for below in self._entries(path) if _is_open(below)]
            elif _WILDCARD.search(part):
                names = self._entries(path) if os.path.isdir(path) else []
                pending += [(below, rest) for below in names if _fits(below, part)]
            elif os.path.lexists(os.path.join(path, part)):
                pending.append((os.path.join(path, part), rest))

    def _walk(self, folders: list[str]) -> None:
        """Take the documents below these folders."""
        while folders:
            folder = folders.pop()
            real = os.path.realpath(folder)
            if real in self._real_folders or not self._stays_within(folder, real):
                continue
            if not self._found.choice.enters(self._name(folder)):
                self._left_out += 1
                continue
            self._real_folders.add(real)
            for path in self._entries(folder):
                if not _is_left_out(os.path.basename(path)):
                    self._visit(path, folders)

    def _visit(self, path: str, folders: list[str]) -> None:
        """Take a document, add a folder to those to walk, remember a link for later."""
        try:
            mode = os.lstat(path).st_mode
        except OSError as error:
            self._fail(path, error)
            return
        if stat.S_ISLNK(mode):
            self._links.append(path)
        elif stat.S_ISDIR(mode):
            folders.append(path)
        elif stat.S_ISREG(mode):
            self._take_document(path)
        else:
            self._note(path, "is not a regular file, skipped")

    def _follow_links(self) -> None:
        """Visit the links last, so that what lies in the source itself goes by its own name."""
        while self._links:
            links, self._links = sorted(self._links), []
            for link in links:
                if os.path.isdir(link):
                    self._walk([link])
                elif os.path.isfile(link):
                    self._take_document(link)
                elif self._stays_within(link, os.path.realpath(link)):
                    self._note(link, "is a link that leads nowhere, skipped")

    def _take_document(self, path: str) -> None:
        if path.lower().endswith(SIDECAR_SUFFIXES):
            document = path[: path.lower().rindex(".meta.")]
            if not os.path.isfile(document):
                name = os.path.basename(document)
                self._note(path, f"holds metadata of no document: there is no {name} beside it")
        elif is_document(path, self._found.suffixes):
            self._take(path)
        else:
            self._skipped[PurePath(path).suffix.lower()] += 1

    def _take(self, path: str) -> None:
        real = os.path.realpath(path)
        if not self._stays_within(path, real):
            return
        name = self._name(path)
        if not self._found.choice.takes(name):
            self._left_out += 1
            return
        self._documents += 1
        if real in self._found.real_files:
            return
        self._found.real_files.add(real)
        if name in self._found.names:
            self._found.failures.append(Failure(name, "another file has this name; rename one"))
            return
        self._found.names.add(name)
        self._files.append(SourceFile(name, Path(path), Path(self._root)))

    def _stays_within(self, path: str, real: str) -> bool:
        if _within(real, self._root):
            return True
        self._note(path, f"is a link that leads out of the source, to {real}; skipped")
        return False

    def _entries(self, folder: str) -> list[str]:
        try:
            return sorted(os.path.join(folder, name) for name in os.listdir(folder))
        except OSError as error:
            self._fail(folder, error)
            return []

    def _fail(self, path: str, error: OSError) -> None:
        self._failed = True
        failure = Failure(self._name(path), f"cannot be read: {error.strerror}")
        self._found.failures.append(failure)

    def _note(self, path: str, what: str) -> None:
        self._found.notes.append(_escaped(f"{self._name(path)}: {what}"))

    def _name(self, path: str) -> str:
        """The path relative to the base folder."""
        base = self._found.base
        name = _relative(path, base)
        if name.startswith("../"):  # perhaps only because a link above leads to one of the two
            folder, last = os.path.split(path)
            inside = _relative(os.path.join(os.path.realpath(folder), last), os.path.realpath(base))
            name = name if inside.startswith("../") else inside
        return _escaped(name)


def _relative(path: str, base: str) -> str:
    try:
        return PurePath(os.path.relpath(path, base)).as_posix()
    except ValueError:  # on another drive
        return PurePath(path).as_posix()


def _within(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _first_wildcard(path: str) -> int | None:
    """Which part of a path is the first with a wildcard, other than as a part of a real name."""
    parts = PurePath(path).parts
    for i, part in enumerate(parts):
        if _WILDCARD.search(part) and not os.path.lexists(os.path.join(*parts[: i + 1])):
            return i
    return None


def _is_left_out(name: str) -> bool:
    return name.startswith(".") or name in _LEFT_OUT


def _is_open(path: str) -> bool:
    """Whether `**` goes through this folder."""
    is_folder = os.path.isdir(path) and not os.path.islink(path)
    return is_folder and not _is_left_out(os.path.basename(path))


def _fits(path: str, pattern: str) -> bool:
    """Whether a name matches; hidden ones only if the pattern begins with a dot too."""
    name = os.path.basename(path)
    return fnmatch.fnmatchcase(name, pattern) and (pattern[0] == "." or not _is_left_out(name))


def _escaped(text: str) -> str:
    r"""A name with what a line of a report cannot show written as `\xe9` or `\n`: bytes that are no UTF-8, control characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = os.fsencode(text).decode("utf-8", "backslashreplace")
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _describe_skipped(skipped: Counter[str]) -> str:
    """`skipped 12 files that are not documents (.png, .zip)`, the commonest suffixes first; empty for none."""
    total = skipped.total()
    if not total:
        return ""
    named = [suffix or "no suffix" for suffix, _ in skipped.most_common(_SUFFIXES_NAMED)]
    more = ", ..." if len(skipped) > len(named) else ""
    files = (
        "1 file that is not a document" if total == 1 else f"{total:,} files that are not documents"
    )
    return f"skipped {files} ({', '.join(named)}{more})"


def _describe_left_out(number: int) -> str:
    """What patterns left out, in words; empty for nothing."""
    if not number:
        return ""
    things = "1 file or folder" if number == 1 else f"{number:,} files and folders"
    return f"left out {things} by `include` and `exclude`"
