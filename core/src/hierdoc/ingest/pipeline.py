"""The ingest: from the configured source to stores that hold exactly what it contains.

Files are read, small ones several at once, converted one by one, understood and cut, and situated, several at once; their chunks are embedded and written
in batches, each document as a whole. What the stores already hold at the same content hash and pipeline fingerprint is left alone. Whatever
interrupts an ingest, the next one carries on where the stores are.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import logging
import os
import time
from collections import Counter, deque
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractContextManager, aclosing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count as counting
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Optional, Union

from hierdoc.components import Components
from hierdoc.config.models import Config, SearchSettings
from hierdoc.errors import (
    EmbeddingError,
    HierdocError,
    IndexDamagedError,
    IndexLockedError,
    PartialWriteError,
    StoreError,
)
from hierdoc.filters import Equals
from hierdoc.ingest.metadata import Fields, MetadataCallback, MetadataReader
from hierdoc.ingest.reconcile import (
    KEYWORD_REBUILT,
    KeywordDamagedError,
    forget_deleted,
    keyword_damage,
    reconcile,
)
from hierdoc.ingest.report import Failure, IngestReport
from hierdoc.ingest.sources import Discovery, SourceFile, discover, locate, read
from hierdoc.models import Chunk, Document, MetadataValue, Reference, Source, Usage
from hierdoc.plugin.capabilities import Capability
from hierdoc.plugin.decoding import TITLE_LIMIT
from hierdoc.plugin.protocols import (
    Backend,
    SupportsAtomicReplace,
    SupportsCostLimit,
    SupportsEmbeddingUsage,
    SupportsSearchEstimate,
    SupportsUsage,
)
from hierdoc.plugin.provider import ComponentKind
from hierdoc.plugin.records import (
    UNFINISHED,
    DocumentState,
    DocumentVersion,
    Record,
    unfinished_mark,
)
from hierdoc.plugin.settings import StructureSettings
from hierdoc.structure import place_of, understand
from hierdoc.structure.names import name_keys
from hierdoc.telemetry import Span, count, span
from hierdoc.text.language import estimate_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

logger = logging.getLogger("hierdoc")

Progress = Callable[[int, int, str], Awaitable[None] | None]

_EMBED_AT = 512
"""Chunks that are embedded and written together, and that are situated at once: generators wait for models elsewhere."""

_INDEX_AT = 8192
"""Chunks that the keyword backend gets together: a commit there costs as much as hundreds of chunks."""

_READ_AT = 1_000_000
"""Bytes of files that are read together."""

_CONVERT_AHEAD = min(os.cpu_count() or 1, 4)
"""Files whose conversion has begun while the one before is taken in: converters with processes of their own use all cores."""

Outcome = Union[tuple[Source, str, Fields], Exception]

Begun = Union[tuple[str, str, Fields, Optional["asyncio.Task[Document]"]], Exception]
"""Name and content hash of a file, its metadata beside it and its conversion, None for one that the store holds; or why it could not be read."""

_TRY_AGAIN = "~"
"""Stands in place of the first digit in the fingerprint of a document that lacks generated contexts: it is never up to date."""

_UNKNOWN_WORD = "- "
"""What a token of a context that is not generated yet counts as; by estimate it is one."""

_SAMPLED = 20
"""Unchanged documents, and chunks of each, that tell a dry run how long hits are."""

_LOCK_PATIENCE = (0.2, 0.5, 1.0, 2.0, 4.0)
"""Seconds between attempts at a keyword index that another process is just repairing."""


async def ingest(
    components: Components,
    config: Config,
    *,
    force: bool,
    reset: bool,
    dry: bool = False,
    progress: Progress | None,
    metadata: MetadataCallback | None = None,
) -> IngestReport:
    """Bring the stores up to date; see `Index.ingest`.

    Args:
        components: The opened ones; their stores are prepared, unless `reset`.
        config: Where the source is, and how it is understood.
        force: Make every document anew, also what did not change.
        reset: Drop what the stores hold first.
        dry: Write nothing, and ask no model: the report says what an ingest would do.
        progress: See there.
        metadata: See there.
    """
    started = time.perf_counter()
    attributes = {"gen_ai.data_source.id": components.data_source}
    with span("ingest", attributes, metric="hierdoc.ingest.duration") as current:
        suffixes = components.converter.suffixes
        found = await asyncio.to_thread(
            discover,
            config.source,
            config.base,
            suffixes,
            include=config.include,
            exclude=config.exclude,
        )
        if reset and not dry:
            await components.vector.prepare(components.spec(), reset=True)
            if components.keyword:
                await components.keyword.prepare(components.spec(), reset=True)
        # A store that is to be dropped may be unreadable, and a dry run does not drop it.
        held = {} if dry and reset else dict(await components.vector.documents())
        is_marked = held.pop(UNFINISHED, None) is not None
        reader = MetadataReader(components.metadata, metadata)
        steps = counting(1)

        async def done(name: str) -> None:
            waited = progress(next(steps), len(found.files), name) if progress else None
            if inspect.isawaitable(waited):
                await waited

        run = _Run(
            components,
            config.structure,
            reader,
            held,
            done,
            force=force,
            dry=dry,
            is_marked=is_marked,
        )
        if reset and not dry:
            await run.mark()
        run.failures += found.failures
        run.notes += found.notes
        async with aclosing(_ahead(run, deque(found.files))) as files, aclosing(run):
            async for file, outcome in files:
                await run.add(file, outcome)
            await run.take_in()
        await run.flush()
        await run.remove(_vanished(run.held, found, run.failures))
        if not dry:
            await run.finish()
        run.note_new_fields()
        chunks = run.planned if dry else await components.vector.count()
        report = run.report(chunks, time.perf_counter() - started)
        if dry:
            report = replace(report, search_usage=await run.search_usage(config.search))
        current.set(chunks=chunks, **report.counts)
        if not dry:
            for what, number in report.counts.items():
                count("hierdoc.ingest.documents", number, outcome=what)
        return report


def identify(
    chunks: Sequence[Chunk],
    contexts: Sequence[str],
    metadata: Mapping[str, MetadataValue] = MappingProxyType({}),
) -> list[Chunk]:
    """Give chunks their ids, contexts and metadata, and their references the chunks that they point to.

    A generated context stands before what the chunker gave.

    An id is a digest of the document's name, the text and, for a text that occurs several times, its number: it is the same
    after a re-ingest as long as the text is, and no other document has it.
    """
    seen: Counter[str] = Counter()
    ids = []
    for chunk in chunks:
        key = f"{chunk.source}\0{chunk.text}\0{seen[chunk.text]}"
        seen[chunk.text] += 1
        ids.append(
            hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        )
    begins = {
        section.id: identifier
        for chunk, identifier in zip(reversed(chunks), reversed(ids), strict=True)
        for section in chunk.sections
    }
    return [
        replace(
            chunk,
            id=identifier,
            context="\n".join(part for part in (context, chunk.context) if part),
            references=_with_chunks(chunk.references, begins),
            metadata=metadata,
        )
        for chunk, identifier, context in zip(chunks, ids, contexts, strict=True)
    ]


@dataclass(frozen=True)
class _Situating:
    """A document in chunks whose contexts are under way.

    Attributes:
        name: Of its file.
        content_hash: Of its bytes.
        document: It.
        chunks: Without contexts.
        metadata: Of each chunk.
        contexts: See `ContextGenerator.generate`.
    """

    name: str
    content_hash: str
    document: Document
    chunks: Sequence[Chunk]
    metadata: Mapping[str, MetadataValue]
    contexts: asyncio.Task[Sequence[str | None]]


@dataclass
class _Run:
    """One ingest: what it has found out, and what it has not written yet."""

    components: Components
    structure: StructureSettings
    metadata: MetadataReader
    held: Mapping[str, DocumentState]
    done: Callable[[str], Awaitable[None]]
    force: bool = False
    dry: bool = False
    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    noted: dict[str, list[str]] = field(default_factory=dict)
    lacking: dict[str, int] = field(default_factory=dict)
    planned: int = 0
    longest: int = 0
    usage: Usage | None = None
    to_embed: Usage = field(default_factory=Usage)
    embedded: int = 0
    languages: Counter[str | None] = field(default_factory=Counter)
    situating: deque[_Situating] = field(default_factory=deque)
    unwritten: list[Record] = field(default_factory=list)
    unindexed: list[Record] = field(default_factory=list)
    keyword_failed: bool = False
    is_marked: bool = False
    is_partial: bool = False

    def __post_init__(self) -> None:
        self.fingerprint = self.components.fingerprint()
        generator, embedder = self.components.context, self.components.embedder
        self.used_before = generator.usage if isinstance(generator, SupportsUsage) else Usage()
        self.embedded_before = (
            embedder.usage if isinstance(embedder, SupportsEmbeddingUsage) else Usage()
        )

    def begin(self, outcome: Outcome) -> Begun:
        """Begin to convert a file that was read, unless the store already holds it.

        Args:
            outcome: Of reading it: its bytes, their hash and its metadata beside it, or the error.
        """
        if isinstance(outcome, Exception):
            return outcome
        source, content_hash, beside = outcome
        current = self._is_current(source.name, content_hash)
        converted = None if current else asyncio.create_task(self._converted(source))
        return source.name, content_hash, beside, converted

    async def _converted(self, source: Source) -> Document:
        with _stage("convert", document=source.name):
            return await self.components.converter.convert(source)

    async def add(self, file: SourceFile, begun: Begun) -> None:
        """Take in one file, unless the store already holds it; a file that fails is reported.

        Args:
            file: It.
            begun: What `begin` gave.
        """
        situating = None
        with self._reporting(file.name):
            situating = await self._situating(begun)
        if situating and situating.chunks:
            self.situating.append(situating)
            await self.take_in(_EMBED_AT)
            return
        if situating:
            self.notes.append(f"{file.name} holds no text")
            await self.remove([file.name] if file.name in self.held else [])
        await self.done(file.name)

    async def take_in(self, most: int = 0) -> None:
        """Wait for the contexts of the documents that were added first, until no more than so many chunks wait for theirs."""
        while sum(len(one.chunks) for one in self.situating) > most:
            situating = self.situating.popleft()
            with self._reporting(situating.name):
                self._situated(situating, await situating.contexts)
            if len(self.unwritten) >= _EMBED_AT:
                await self.flush()
            await self.done(situating.name)

    async def aclose(self) -> None:
        """Ask for no more contexts."""
        tasks = [one.contexts for one in self.situating]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def flush(self) -> None:
        """Embed and write what is not written yet."""
        records, self.unwritten = self.unwritten, []
        if not records:
            return
        old = await self._held_records(records)
        if self.dry:
            await self._plan(records, old)
            return
        if self._leaves_gaps and any(record.chunk.source in self.held for record in records):
            await self.mark()
        records = await self._embedded(records, old)
        if not records:
            return
        await self._announce([one for one in records if one.id not in old])
        try:
            with _stage("store", chunks=len(records)):
                await _replace(self.components.vector, records, self.held)
        except PartialWriteError as error:
            self.is_partial = True
            failed = {one.chunk.source for one in records if one.id in error.failed}
            self.failures += [Failure(source, str(error)) for source in sorted(failed)]
            records = [one for one in records if one.chunk.source not in failed]
        self.unindexed += [Record(one.chunk, one.version) for one in records]
        if len(self.unindexed) >= _INDEX_AT:
            await self._index()

    async def mark(self) -> None:
        """Let searches tell that documents may be missing, also where this ingest is never finished."""
        if not self.is_marked:
            dimensions = self.components.embedder.dimensions
            await self.components.vector.upsert([unfinished_mark(dimensions)])
            self.is_marked = True

    async def remove(self, sources: Sequence[str]) -> None:
        """Remove documents; the keyword backend follows in `finish`."""
        if sources and not self.dry:
            await self.components.vector.delete_documents(sources)
        self.removed += sources

    async def finish(self) -> None:
        """Bring the keyword backend up to date; then nothing is missing any more, unless a document was written in part."""
        await self._index()
        vector, keyword = self.components.vector, self.components.keyword
        if keyword and not self.keyword_failed:
            await self._with_keyword(lambda: reconcile(vector, keyword))
        if keyword and not self.keyword_failed:
            await self._with_keyword(lambda: forget_deleted(vector, keyword))
        if self.is_marked and not self.is_partial:
            await vector.delete_documents([UNFINISHED])

    def note_new_fields(self) -> None:
        """Say how many documents were read again because other fields are declared."""
        versions = [state.version for name in self.updated if (state := self.held.get(name))]
        again = sum(not self.components.has_fields(one.fingerprint) for one in versions if one)
        if again:
            documents = "1 document was" if again == 1 else f"{again:,} documents were"
            self.notes.append(f"other fields of metadata are declared: {documents} read again")

    def report(self, chunks: int, seconds: float) -> IngestReport:
        """What was done; a document that failed counts as nothing else."""
        failed = {failure.source for failure in self.failures}
        about_languages = self.components.language_note(self.languages)
        embedder, embedding_usage = self.components.embedder, None
        if isinstance(embedder, SupportsEmbeddingUsage):
            done = embedder.usage - self.embedded_before
            embedding_usage = self.to_embed if self.dry else done
        return IngestReport(
            added=[name for name in self.added if name not in failed],
            updated=[name for name in self.updated if name not in failed],
            unchanged=self.unchanged,
            removed=self.removed,
            failures=self.failures,
            notes=[
                *self.notes,
                *(_grouped(note, names) for note, names in self.noted.items()),
                *filter(None, [self._about_contexts(failed), about_languages]),
            ],
            chunks=chunks,
            embedded=self.embedded,
            seconds=seconds,
            usage=self.usage,
            embedding_usage=embedding_usage,
            over_limit=self._over_limit() if self.dry else (),
            planned=self.dry,
        )

    def _over_limit(self) -> list[str]:
        """What would cost more than it may."""
        planned = {
            "contexts": (self.components.context, self.usage),
            "embeddings": (self.components.embedder, self.to_embed),
        }
        return [
            f"{what} would cost {usage.cost:,.4f}, and `max_cost` is {component.max_cost:,.4f}"
            for what, (component, usage) in planned.items()
            if isinstance(component, SupportsCostLimit) and component.max_cost is not None
            if usage and (usage.cost or 0) > component.max_cost
        ]

    async def search_usage(self, settings: SearchSettings) -> Usage | None:
        """What a search would ask the reranker's model for, at most; None where it does not tell."""
        reranker = self.components.reranker
        if not isinstance(reranker, SupportsSearchEstimate):
            return None
        for name in self.unchanged[:_SAMPLED]:
            records = await self.components.vector.find(Equals("source", name), _SAMPLED)
            self.longest = max(self.longest, _longest(records))
        hits = settings.rerank.candidates or settings.candidates_for(settings.top_k)
        return reranker.estimate(max(hits, settings.top_k), self.longest)

    def _about_contexts(self, failed: Container[str]) -> str | None:
        """How many chunks lack a generated context."""
        lacking = {name: count for name, count in self.lacking.items() if name not in failed}
        if not lacking:
            return None
        chunks = sum(lacking.values())
        return _grouped(
            f"no context could be generated for {chunks:,} chunk{'s' if chunks > 1 else ''}, which are found by their headings; "
            "the next ingest tries again",
            list(lacking),
        )

    @property
    def _leaves_gaps(self) -> bool:
        """Whether a document that is replaced is not there for a moment."""
        backends: list[Backend] = [self.components.vector, *filter(None, [self.components.keyword])]
        return any(Capability.ATOMIC_REPLACE not in one.capabilities for one in backends)

    def _is_current(self, name: str, content_hash: str) -> bool:
        state = self.held.get(name)
        if self.force or state is None or state.version is None or not state.complete:
            return False
        return state.version == DocumentVersion(content_hash, self.fingerprint, state.records)

    @contextmanager
    def _reporting(self, name: str) -> Iterator[None]:
        """Report what a document does to a component; the others go on."""
        try:
            yield
        except HierdocError as error:
            self.failures.append(Failure(name, _say(error).removeprefix(f"{name}: ")))
        except Exception as error:
            self.failures.append(Failure(name, f"{type(error).__name__}: {error}"))
            logger.info("%s failed", name, exc_info=True)

    async def _situating(self, begun: Begun) -> _Situating | None:
        """The document in chunks whose contexts have begun; None for one that the store holds."""
        if isinstance(begun, Exception):
            raise begun
        name, content_hash, beside, converted = begun
        if converted is None:
            self.unchanged.append(name)
            return None
        document = await converted
        if len(document.title) > TITLE_LIMIT:  # every chunk repeats it
            document = replace(document, title=document.title[:TITLE_LIMIT].rstrip())
        metadata = self.metadata.of(document, beside)
        for note in (*document.notes, *metadata.notes):
            self.noted.setdefault(note, []).append(document.source)
        with _stage("chunk", document=document.source):
            document, chunks = await asyncio.to_thread(self._cut, document)
        contexts = asyncio.create_task(self._generated(document, chunks))
        return _Situating(name, content_hash, document, chunks, metadata.values, contexts)

    def _situated(self, one: _Situating, generated: Sequence[str | None]) -> None:
        """Note the chunks of a document, with their contexts, as what is to be written."""
        contexts = [
            place_of(one.document, chunk) if context is None else context
            for chunk, context in zip(one.chunks, generated, strict=True)
        ]
        chunks = identify(one.chunks, contexts, one.metadata)
        (self.updated if one.name in self.held else self.added).append(one.name)
        self.languages.update(chunk.language for chunk in chunks)
        fingerprint = self.fingerprint
        lacking = 0 if self.dry else sum(context is None for context in generated)
        if lacking:
            self.lacking[one.name] = lacking
            fingerprint = _TRY_AGAIN + fingerprint[1:]
        version = DocumentVersion(one.content_hash, fingerprint, len(chunks))
        self.unwritten += [Record(chunk, version) for chunk in chunks]

    async def _generated(self, document: Document, chunks: Sequence[Chunk]) -> Sequence[str | None]:
        """The contexts of chunks, and what they cost added to the rest; in a dry run see `_likely_contexts`."""
        generator = self.components.context
        if not chunks:
            return []
        if self.dry:
            return await self._likely_contexts(document, chunks)
        try:
            with _stage("context", document=document.source):
                return await generator.generate(document, chunks)
        finally:
            if isinstance(generator, SupportsUsage):
                self.usage = generator.usage - self.used_before

    async def _likely_contexts(
        self, document: Document, chunks: Sequence[Chunk]
    ) -> Sequence[str | None]:
        """Contexts as far as no model has to be asked; else texts as long as those may be, and their cost added to the rest."""
        generator = self.components.context
        if isinstance(generator, SupportsUsage):
            estimated = await generator.estimate(document, chunks)
            self.usage = (self.usage or Usage()) + estimated
            if estimated.requests:
                answer = _UNKNOWN_WORD * (estimated.output // estimated.requests)
                return [f"{place_of(document, chunk)}\n{answer}" for chunk in chunks]
        elif ComponentKind.CONTEXT in self.components.origins:  # nobody knows what it costs
            return [None] * len(chunks)
        return await generator.generate(document, chunks)

    def _cut(self, document: Document) -> tuple[Document, Sequence[Chunk]]:
        settings = self.structure
        understood = understand(
            document,
            settings.domain,
            settings.max_subsection_depth,
            definitions=settings.extract_definitions,
        )
        chunks = list(self.components.chunker.chunk(understood))
        if chunks:
            keys = dict.fromkeys((*chunks[0].section_keys, *name_keys(understood)))
            chunks[0] = replace(chunks[0], section_keys=tuple(keys))
        return understood, chunks

    async def _embedded(self, records: Sequence[Record], old: Mapping[str, Record]) -> list[Record]:
        """The records with vectors, without those of documents whose text cannot be embedded, which are reported."""
        try:
            return await self._with_vectors(records, old)
        except EmbeddingError:
            pass  # one of the documents is at fault: which?
        embedded: list[Record] = []
        for source, its in groupby(records, key=lambda one: one.chunk.source):
            try:
                embedded += await self._with_vectors(list(its), old)
            except EmbeddingError as error:
                self.failures.append(Failure(source, _say(error)))
        return embedded

    async def _with_vectors(
        self, records: Sequence[Record], old: Mapping[str, Record]
    ) -> list[Record]:
        """The records with vectors: those of old ones where the indexed text is the same, new ones elsewhere."""
        known = self._kept(records, old)
        unknown = [record for record in records if record.id not in known]
        if unknown:
            with _stage("embeddings", {"gen_ai.operation.name": "embeddings"}, chunks=len(unknown)):
                wanted = [record.chunk.indexed_text for record in unknown]
                vectors = await self.components.embedder.embed_documents(wanted)
            known |= {record.id: vector for record, vector in zip(unknown, vectors, strict=True)}
            self.embedded += len(unknown)
        count("hierdoc.ingest.chunks", len(unknown), vector="embedded")
        count("hierdoc.ingest.chunks", len(known) - len(unknown), vector="kept")
        return [Record(one.chunk, one.version, known[one.id]) for one in records]

    def _kept(
        self, records: Sequence[Record], old: Mapping[str, Record]
    ) -> dict[str, NDArray[np.float32]]:
        """By id the vectors of old records whose indexed text is that of a new one."""
        if self.force:
            return {}
        texts = {record.id: record.chunk.indexed_text for record in records}
        return {
            name: one.vector
            for name, one in old.items()
            if one.vector is not None and one.chunk.indexed_text == texts[name]
        }

    async def _plan(self, records: Sequence[Record], old: Mapping[str, Record]) -> None:
        """Count records in place of writing them, and what embedding them would cost."""
        self.planned += len(records)
        self.longest = max(self.longest, _longest(records))
        kept, embedder = self._kept(records, old), self.components.embedder
        if isinstance(embedder, SupportsEmbeddingUsage):
            texts = [one.chunk.indexed_text for one in records if one.id not in kept]
            self.to_embed += await embedder.estimate(texts)

    async def _held_records(self, records: Sequence[Record]) -> dict[str, Record]:
        """What the store holds under the same ids, with vectors."""
        ids = [record.id for record in records if record.chunk.source in self.held]
        old = await self.components.vector.get(ids, vectors=True) if ids else []
        return {one.id: one for one in old}

    async def _announce(self, records: Sequence[Record]) -> None:
        """Let the keyword backend find what is about to take the place of something else.

        Whichever of the two the vector backend holds is found then, for a match without a record is no hit.
        """
        keyword = self.components.keyword
        new = [Record(one.chunk, one.version) for one in records if one.chunk.source in self.held]
        if not new or keyword is None or self.keyword_failed or self._leaves_gaps:
            return

        async def upsert() -> None:
            with keyword_damage():
                await keyword.upsert(new)

        await self._with_keyword(upsert)

    async def _index(self) -> None:
        """Give the keyword backend what it lacks."""
        records, self.unindexed = self.unindexed, []
        keyword = self.components.keyword
        if not records or keyword is None or self.keyword_failed:
            return

        async def replace_documents() -> None:
            with keyword_damage():
                await _replace(keyword, records, self.held)

        with _stage("index keywords", chunks=len(records)):
            await self._with_keyword(replace_documents)

    async def _with_keyword(self, work: Callable[[], Awaitable[object]]) -> None:
        """Do it, patiently while another process repairs; a backend that fails is reported, and left alone.

        One that is damaged is made anew from the records.
        """
        try:
            work = self._repairing(work)
            for seconds in _LOCK_PATIENCE:
                try:
                    await work()
                    return
                except IndexLockedError:
                    await asyncio.sleep(seconds)
            await work()
        except (IndexDamagedError, IndexLockedError):
            raise
        except StoreError as error:
            self.keyword_failed = True
            self.failures.append(Failure("(keyword index)", _say(error)))

    def _repairing(self, work: Callable[[], Awaitable[object]]) -> Callable[[], Awaitable[object]]:
        vector, keyword = self.components.vector, self.components.keyword
        assert keyword is not None

        async def repairing() -> None:
            try:
                await work()
            except KeywordDamagedError as error:
                self.notes.append(f"{KEYWORD_REBUILT}: {error}")
                await keyword.prepare(self.components.spec(), reset=True)
                await reconcile(vector, keyword)

        return repairing


def _stage(
    stage: str, attributes: Mapping[str, Any] | None = None, **own: object
) -> AbstractContextManager[Span]:
    """A span around a stage of an ingest.

    Args:
        stage: Its name.
        attributes: Of the conventions.
        own: Attributes of hierdoc's own.
    """
    told = {f"hierdoc.{name}": value for name, value in own.items()}
    given = {**(attributes or {}), **told}
    return span(stage, given, metric="hierdoc.ingest.stage.duration", stage=stage)


def _longest(records: Sequence[Record]) -> int:
    """Tokens of the longest text that a reranker may see, by estimate."""
    return max((estimate_tokens(record.chunk.indexed_text) for record in records), default=0)


async def _replace(backend: Backend, records: Sequence[Record], held: Container[str]) -> None:
    """Make these the only records of their documents.

    Without transactions the old ones are deleted first: a crash in between leaves fewer records than their version promises, which
    is noticed.
    """
    if Capability.ATOMIC_REPLACE in backend.capabilities:
        assert isinstance(backend, SupportsAtomicReplace)
        await backend.replace_documents(records)
        return
    sources = dict.fromkeys(record.chunk.source for record in records)
    await backend.delete_documents([source for source in sources if source in held])
    await backend.upsert(records)


def _with_chunks(
    references: tuple[Reference, ...], begins: Mapping[str, str]
) -> tuple[Reference, ...]:
    return tuple(
        replace(reference, chunk_ids=(begins[reference.section_id],))
        if reference.resolved and reference.section_id in begins
        else reference
        for reference in references
    )


def _grouped(note: str, names: Sequence[str]) -> str:
    """One line for all documents that have the same note."""
    others = len(names) - 1
    more = f" and {others:,} other{'s' if others > 1 else ''}" if others else ""
    return f"{names[0]}{more}: {note}"


def _vanished(held: Iterable[str], found: Discovery, failures: Sequence[Failure]) -> Sequence[str]:
    """Documents that the source has no more; what lies at or below something that could not be read may still be there."""
    kept = {file.name for file in found.files} | {failure.source for failure in failures}
    unreadable = tuple(f"{failure.source}/" for failure in failures)
    return [name for name in held if name not in kept and not name.startswith(unreadable)]


async def _ahead(
    run: _Run, left: deque[SourceFile]
) -> AsyncGenerator[tuple[SourceFile, Begun], None]:
    """The files in order, each with its conversion, some of which have begun before their turn comes."""
    begun: deque[tuple[SourceFile, Begun]] = deque()
    try:
        while left:
            for file, outcome in await asyncio.to_thread(_read_some, left, run.metadata):
                begun.append((file, run.begin(outcome)))
                if len(begun) > _CONVERT_AHEAD:
                    yield begun.popleft()
        while begun:
            yield begun.popleft()
    finally:
        waiting = [one[-1] for _, one in begun if not isinstance(one, Exception) and one[-1]]
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


def _read_some(
    left: deque[SourceFile], metadata: MetadataReader
) -> list[tuple[SourceFile, Outcome]]:
    """Read the next files: at least one, and more while they are small; a change of threads costs as much as reading ten."""
    found: list[tuple[SourceFile, Outcome]] = []
    size = 0
    while left and size < _READ_AT:
        file = left.popleft()
        try:
            source = read(file)
            beside = metadata.beside(file, source)
        except Exception as error:  # raised again where the file is taken in
            found.append((file, error))
        else:
            found.append((file, (source, hash_of(source, beside), beside)))
            size += len(source.data)
    return found


def hash_of(source: Source, beside: Fields) -> str:
    """What tells one version of a document from another: of the file's bytes, and of the metadata that came beside it."""
    content = hashlib.sha256(source.data)
    content.update(bytes(beside))
    return content.hexdigest()


def original(
    name: str, config: Config, components: Components, metadata: MetadataCallback | None
) -> tuple[Source, str]:
    """The file of a document as it is now, and its content hash; blocks while it is read.

    Raises:
        SourceError: It is gone, or does not lie in the configured source.
        ConversionError: It is larger than any that is ingested.
    """
    file = locate(name, config.source, config.base)
    source = read(file)
    beside = MetadataReader(components.metadata, metadata).beside(file, source)
    return source, hash_of(source, beside)


def _say(error: HierdocError) -> str:
    return f"{error}. {error.hint}" if error.hint else str(error)
