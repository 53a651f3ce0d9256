"""Keyword search on disk: BM25 and phrases in a Tantivy index, as the `tantivy` keyword backend.

    PATH/tantivy/                the index; every change is one commit: a crash leaves what was before, or what is after
    PATH/tantivy/hierdoc.json    of which schema and which analysis it is

Scores are Tantivy's: k1 1.2, b 0.75, lengths rounded to 256 steps, deleted records counted in the statistics until their segment
is gone: an ingest writes the others anew where too many are (`deleted`).
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import threading
import time
import uuid
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import tantivy

from hierdoc import Analyzer, Filter, IndexDamagedError, IndexLockedError, Match, StoreError
from hierdoc.plugin import (
    ALL_FILTERS,
    REBUILD,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    document_states,
    make_manifest,
    make_private_folder,
    record_terms,
    require_manifest,
    unique_records,
)
from hierdoc_tantivy import schema
from hierdoc_tantivy.checking import count_deleted, require_sound

_HEAP_BYTES = 32_000_000
_MOST_TERMS = 1024
_INLINE_CHARACTERS = 1_000
_INLINE_CHUNKS = 200_000

_OF_THE_DISK = ("IO error", "IoError", "No space", "Permission")
"""What Tantivy says where the file system fails, and not what stands in the files."""

_FORSAKEN_AFTER = 3600
"""Seconds without a change after which a folder that was made aside is nobody's."""

_READ_ONLY = ("PermissionDenied", "Permission denied", "ReadOnlyFilesystem", "Read-only")
"""What Tantivy says of a file that it may read and not write."""

_SEE_TO_DISK = "See to the folder's permissions and free space."


class TantivyKeywordBackend:
    """The keyword backend that keeps its index in a folder.

    Any number of processes may search; a search sees the last commit, whoever made it. One may write at a time: a call
    holds the lock until it returns or its process dies.

    A query may have any length; of more than 1,024 distinct terms those count that the fewest chunks have.

    Args:
        path: The index's folder; the Tantivy index is `tantivy` in it.
        language: How words are stemmed; see `Analyzer`.

    Attributes:
        capabilities: Atomic replacement, phrases, persistence, several processes and all filters.
    """

    capabilities = ALL_FILTERS | {
        Capability.ATOMIC_REPLACE,
        Capability.PHRASES,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    def __init__(self, path: Path, language: str = "auto") -> None:
        self._analyzer = Analyzer(language)
        self._folder = path / "tantivy"
        self._index: tantivy.Index | None = None
        self._view: _View | None = None
        self._links: tempfile.TemporaryDirectory[str] | None = None
        self._reloading = threading.Lock()
        self._writing = threading.Lock()

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the index, or make it.

        Raises:
            IndexMismatchError: It is of another schema or analysis, and `reset` is false.
            IndexDamagedError: Its files are not what was written, and `reset` is false.
            IndexLockedError: It is to be reset, and another process writes to it.
            StoreError: The folder cannot be made or read.
        """
        await asyncio.to_thread(self._prepare, reset)

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in one commit; one with a known id replaces it whole.

        Raises:
            IndexLockedError: Another process is writing; nothing was written.
        """
        if records:
            await asyncio.to_thread(self._write, partial(self._put, records=records))

    async def replace_documents(self, records: Sequence[Record]) -> None:
        """Make these the only records of their documents, in one commit.

        Raises:
            IndexLockedError: Another process is writing; nothing was written.
        """
        if records:
            sources = {record.chunk.source for record in records}
            work = partial(self._put, records=records, replaced=sources)
            await asyncio.to_thread(self._write, work)

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents in one commit.

        Raises:
            IndexLockedError: Another process is writing; nothing was deleted.
        """

        def delete(writer: tantivy.IndexWriter) -> None:
            for source in sources:
                writer.delete_documents_by_term("key", schema.key("source", source))

        if sources:
            await asyncio.to_thread(self._write, delete)

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Sequence[Match]:
        """Up to `limit` matches by BM25; a filter does not change their scores."""
        return await self._run(self._search, text, limit, filter)

    async def search_phrase(
        self, phrase: str, limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Chunks in which the phrase's words follow each other, scored as one term."""
        return await self._run(self._search_phrase, phrase, limit, filter)

    async def document_frequencies(self, words: Sequence[str]) -> Sequence[int]:
        """For each word how many chunks have it; deleted ones count until Tantivy merges their segment."""
        view = self._current()
        with self._reported():
            return [
                max(
                    (
                        view.searcher.doc_freq("terms", term)
                        for term in self._analyzer.query_terms(word, view.variants, compounds=False)
                    ),
                    default=0,
                )
                for word in words
            ]

    async def deleted(self) -> int:
        """How many deleted records the statistics still count."""

        def count() -> int:
            with self._reported():
                return count_deleted(self._folder)

        return await asyncio.to_thread(count)

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        return await asyncio.to_thread(self._documents)

    async def count(self) -> int:
        """The number of records."""
        return self._current().searcher.num_docs

    async def aclose(self) -> None:
        """Let go of the files; Tantivy's threads end within a second."""
        self._index = self._view = None
        links, self._links = self._links, None
        if links is not None:
            links.cleanup()

    # Opening

    def _prepare(self, reset: bool) -> None:
        with self._writing, self._reported():
            self._index = self._view = None
            if not self._folder.exists():
                self._create()
            elif reset:
                self._reset()
            self._require_marker()
            self._index = self._open()
            self._sweep()

    def _sweep(self) -> None:
        """Remove what processes that were killed left aside, an hour ago or more: nobody takes that long."""
        for left in self._folder.parent.glob(".tantivy-*"):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > _FORSAKEN_AFTER:
                    shutil.rmtree(left, ignore_errors=True)

    def _open(self) -> tantivy.Index:
        """Raises ValueError if this is not an index of our schema."""
        if not (self._folder / "meta.json").exists():
            raise ValueError("meta.json is missing")  # Tantivy would make an empty index
        require_sound(self._folder)
        self._links = None
        try:
            index = tantivy.Index(schema.schema(), path=str(self._folder))
            index.config_reader("manual")
        except ValueError as error:
            if not any(sign in str(error) for sign in _READ_ONLY):
                raise
            self._links = tempfile.TemporaryDirectory(prefix="hierdoc-tantivy-")
            self._link()
            index = tantivy.Index(schema.schema(), path=self._links.name)
            index.config_reader("manual")
        return index

    def _link(self) -> None:
        """Bring the folder of links up to date, if there is one.

        Tantivy locks a file to read, which a folder that can only be read does not let it: a folder of links to the index's files does.
        """
        if self._links is None:
            return
        for file in self._folder.iterdir():
            if file.suffix != ".lock":
                with suppress(FileExistsError):
                    Path(self._links.name, file.name).symlink_to(file.absolute())

    def _create(self) -> None:
        """Make an empty index aside and rename it: it is there whole or not at all."""
        aside = self._aside()
        make_private_folder(self._folder.parent)
        make_private_folder(aside)
        tantivy.Index(schema.schema(), path=str(aside))
        self._write_marker(aside)
        try:
            aside.rename(self._folder)
        except OSError:
            shutil.rmtree(aside, ignore_errors=True)
            if not self._folder.exists():  # otherwise another process was faster
                raise

    def _reset(self) -> None:
        """Empty the index; put a new one in the place of one that cannot be read."""
        try:
            with self._reported():
                index = self._open()
        except IndexDamagedError:
            aside = self._aside()
            self._folder.rename(aside)
            self._create()
            shutil.rmtree(aside, ignore_errors=True)
            return
        self._commit(index, lambda writer: writer.delete_all_documents())
        self._write_marker(self._folder)

    def _aside(self) -> Path:
        return self._folder.with_name(f".tantivy-{uuid.uuid4().hex}")

    def _marker(self) -> dict[str, object]:
        return make_manifest(schema.VERSION, analyzer=self._analyzer.fingerprint)

    def _write_marker(self, folder: Path) -> None:
        new = folder / f"hierdoc.json.{uuid.uuid4().hex}"
        new.write_text(json.dumps(self._marker()))
        new.replace(folder / "hierdoc.json")

    def _require_marker(self) -> None:
        try:
            found = json.loads((self._folder / "hierdoc.json").read_bytes())
        except (FileNotFoundError, ValueError):
            found = None
        require_manifest(found, self._marker(), f"the keyword index in {self._folder}")

    # Writing

    def _put(
        self,
        writer: tantivy.IndexWriter,
        records: Sequence[Record],
        replaced: Collection[str] = (),
    ) -> None:
        """Write records in the place of those with their ids and of all others of the replaced documents."""
        for source in replaced:
            writer.delete_documents_by_term("key", schema.key("source", source))
        searcher = self._current().searcher
        for record in unique_records(records):
            key = schema.key("id", record.id)
            if searcher.doc_freq("key", key):
                writer.delete_documents_by_term("key", key)
            writer.add_document(schema.document(record, record_terms(record, self._analyzer)))

    def _write(self, work: Callable[[tantivy.IndexWriter], None]) -> None:
        index = self._opened()
        if self._links is not None:
            raise StoreError(
                f"{self._folder} can only be read",
                hint="Check that the folder of the index can be written to.",
            )
        with self._writing, self._reported():
            self._commit(index, work)

    def _commit(self, index: tantivy.Index, work: Callable[[tantivy.IndexWriter], None]) -> None:
        """Do it in one commit; what a killed writer left in the way is swept aside."""
        for is_last in (False, True):
            try:
                with self._writer(index) as writer:
                    work(writer)
                    writer.commit()
                return
            except ValueError as error:
                if is_last or "FileAlreadyExists" not in str(error):
                    raise
            with self._writer(index) as writer:
                writer.garbage_collect_files()

    @contextmanager
    def _writer(self, index: tantivy.Index) -> Iterator[tantivy.IndexWriter]:
        """A writer, and with it the lock; what it did not commit is forgotten at the end."""
        try:
            writer = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
        except ValueError as error:
            if "LockBusy" not in str(error):
                raise
            raise IndexLockedError(
                f"{self._folder}: another process is writing to the keyword index",
                hint="Try again when it is done.",
            ) from error
        try:
            yield writer
        finally:
            writer.wait_merging_threads()

    # Searching

    async def _run(
        self,
        find: Callable[[str, int, Filter | None], list[Match]],
        text: str,
        limit: int,
        filter: Filter | None,
    ) -> list[Match]:
        view = self._view
        if view and view.searcher.num_docs <= _INLINE_CHUNKS and len(text) <= _INLINE_CHARACTERS:
            return find(text, limit, filter)  # it takes hardly longer than a change of threads
        return await asyncio.to_thread(find, text, limit, filter)

    def _search(self, text: str, limit: int, filter: Filter | None) -> list[Match]:
        view = self._current()
        counts = Counter(self._analyzer.query_terms(text, view.variants))
        chosen = list(counts)
        if len(chosen) > _MOST_TERMS:
            with self._reported():
                frequency = {term: view.searcher.doc_freq("terms", term) for term in chosen}
            known = [term for term in chosen if frequency[term]]
            chosen = sorted(known, key=frequency.__getitem__)[:_MOST_TERMS]
        query = schema.any_of([schema.term(term, counts[term]) for term in chosen])
        return self._best(view, schema.within(query, filter), limit)

    def _search_phrase(self, phrase: str, limit: int, filter: Filter | None) -> list[Match]:
        view = self._current()
        variants = {tuple(self._analyzer.phrase_terms(phrase, one)) for one in view.variants}
        phrases = [schema.phrase(terms) for terms in variants if terms]
        if not phrases:
            return []
        query = tantivy.Query.disjunction_max_query(phrases)
        return self._best(view, schema.within(query, filter), limit)

    def _best(self, view: _View, query: tantivy.Query, limit: int) -> list[Match]:
        """The best matches, ties by id.

        Tantivy breaks ties by the place in its files. So we ask for one match more than needed, and for more as long as the
        last one has the score of the last that is needed.
        """
        records, wanted = view.searcher.num_docs, limit + 1
        if limit < 1 or not records:
            return []
        with self._reported():
            while True:
                hits = view.searcher.search(query, min(wanted, records), count=False).hits
                if len(hits) < wanted or hits[-1][0] < hits[limit - 1][0]:
                    break
                wanted *= 16
            lowest = hits[:limit][-1][0] if hits else 0.0
            better = sum(score > lowest for score, _ in hits[:limit])
            end = bisect_right(hits, -lowest, key=lambda hit: -hit[0])
            found = sorted([(-score, view.record_id(address)) for score, address in hits[:better]])
            # Of words that stand once in chunks of one length hundreds may tie.
            tied = sorted([view.record_id(address) for _, address in hits[better:end]])
        best = [*found, *((-lowest, chunk_id) for chunk_id in tied[: limit - better])]
        return [Match(chunk_id, float(-negated)) for negated, chunk_id in best]

    def _documents(self) -> dict[str, DocumentState]:
        searcher = self._current().searcher
        shards = range(schema.SHARDS)
        with self._reported():
            return document_states(
                state for shard in shards for state in schema.count_states(searcher, shard)
            )

    def _current(self) -> _View:
        """The last commit, whoever made it."""
        index = self._opened()
        with self._reported():
            status = (self._folder / "meta.json").stat()
        state = (status.st_ino, status.st_mtime_ns, status.st_size)
        view = self._view
        if view is None or view.state != state:
            with self._reloading, self._reported():
                self._require_marker()
                self._link()
                index.reload()
                searcher = index.searcher()
                variants = tuple(
                    variant
                    for variant in ("none", *Analyzer.LANGUAGES)
                    if searcher.doc_freq("key", schema.key("variant", variant))
                )
                self._view = view = _View(searcher, variants, state)
        return view

    def _opened(self) -> tantivy.Index:
        if self._index is None:
            raise StoreError(f"{self._folder}: the keyword index is not open", hint="Prepare it.")
        return self._index

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Say it in hierdoc's terms when Tantivy or the file system fails."""
        try:
            yield
        except OSError as error:
            raise StoreError(f"{self._folder}: {error}", hint=_SEE_TO_DISK) from error
        except ValueError as error:
            if any(sign in str(error) for sign in _OF_THE_DISK):
                raise StoreError(f"{self._folder}: {error}", hint=_SEE_TO_DISK) from error
            raise IndexDamagedError(f"{self._folder} is damaged: {error}", hint=REBUILD) from error
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # Rust's, and no Exception
                raise
            self._view = None
            raise IndexDamagedError(f"{self._folder} is damaged: {error}", hint=REBUILD) from error


@dataclass(frozen=True)
class _View:
    """One commit: what searches it, the variants of its texts, and how its file is recognised."""

    searcher: tantivy.Searcher
    variants: tuple[str, ...]
    state: tuple[int, int, int]
    _ids: dict[tuple[int, int], str] = field(default_factory=dict)

    def record_id(self, address: tantivy.DocAddress) -> str:
        """The id of the record at an address; read from the files once."""
        place = (address.segment_ord, address.doc)
        found = self._ids.get(place)
        if found is None:
            found = self._ids[place] = schema.record_id(self.searcher.doc(address))
        return found
