"""The index: the one object that knows the whole way from files to hits, and back.

async with Index.open(load_config("hierdoc.yaml")) as index:
    report = await index.ingest()
    result = await index.search("reporting duties")
"""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any, TypeVar

from hierdoc.components import Components, names_failing_plugins
from hierdoc.config.loading import load_config
from hierdoc.config.models import Config
from hierdoc.errors import (
    CapabilityError,
    IndexDamagedError,
    IndexLockedError,
    IndexMismatchError,
    QueryError,
    SourceError,
    StoreError,
)
from hierdoc.expressions import read_filter
from hierdoc.filters import And, Contains, Equals, Filter, In, Or, require_shallow
from hierdoc.ingest.metadata import MetadataCallback
from hierdoc.ingest.reconcile import (
    KEYWORD_REBUILT,
    KeywordDamagedError,
    held_documents,
    reconcile,
)
from hierdoc.ingest.report import IngestReport
from hierdoc.metadata import asks_metadata, resolved
from hierdoc.models import (
    Chunk,
    Definition,
    Degradation,
    Hit,
    SearchResult,
    Section,
    Source,
)
from hierdoc.overview import Overview, OverviewKeeper
from hierdoc.plugin.capabilities import Capability
from hierdoc.plugin.protocols import KeywordBackend, SupportsCostLimit
from hierdoc.plugin.records import REBUILD, UNFINISHED, DocumentState
from hierdoc.plugin.registry import Registry, default_registry
from hierdoc.search.enrichment import citing, nearest_terms, spellings, with_links
from hierdoc.search.exact import find_section, within_section
from hierdoc.search.in_force import Dated, dated_documents, in_force, read_day
from hierdoc.search.pipeline import Legs, search, search_legs
from hierdoc.search.query import SearchPlan, plan
from hierdoc.structure.names import FIRST_OF_DOCUMENT

logger = logging.getLogger("hierdoc")

_EVERYTHING = 1_000_000
"""A limit that no document's records reach."""

_DEFINING = 200
"""Records with definitions of a term that are looked at."""


T = TypeVar("T")


@names_failing_plugins
class AsyncIndex:
    """A corpus: ingested once, kept up to date, searched.

    Nothing is read or written before the first call that needs it; stores are then prepared and a keyword index that
    differs from the records is repaired.
    """

    def __init__(
        self,
        config: Config,
        components: Components,
        metadata: MetadataCallback | None = None,
    ) -> None:
        self.config = config
        self._components = components
        self._metadata = metadata
        self._preparing = asyncio.Lock()
        self._prepared = False
        self._keyword_ready = components.keyword is None
        self._overview = OverviewKeeper(components.vector)
        self._all_have_fields: Overview | None = None
        self._called: tuple[Mapping[str, DocumentState], _DocumentsByName] | None = None
        self._dated: tuple[Mapping[str, DocumentState], Sequence[Dated]] | None = None
        self._repairs: list[str] = []

    @classmethod
    def open(
        cls,
        config: str | Path | Mapping[str, Any] | Config | None = None,
        *,
        source: str | Path | Sequence[str | Path] | None = None,
        registry: Registry | None = None,
        metadata: MetadataCallback | None = None,
    ) -> AsyncIndex:
        """The index of a configuration; use it with `async with`, or call `aclose`.

        Args:
            config: What `load_config` returns or takes.
            source: Instead of the configured source; without `config`, the defaults hold for the rest.
            registry: Where providers are looked up; this process's by default.
            metadata: Gives each file's values for fields that the configuration declares, by name; called at every ingest with its
                `Source`, in a thread of its own. An ingest without it takes these values away again.

        Raises:
            ConfigError: The configuration is wrong.
            PluginLoadError: A component's library is not installed.
        """
        registry = registry or default_registry()
        loaded = load_config(config, source=source, registry=registry)
        return cls(loaded, Components.open(loaded, registry), metadata)

    async def ingest(
        self,
        *,
        force: bool = False,
        dry: bool = False,
        progress: Callable[[int, int, str], Awaitable[None] | None] | None = None,
    ) -> IngestReport:
        """Bring the index up to date with the source.

        Unchanged documents are skipped, changed ones replaced, vanished ones removed; one bad file is reported and the
        rest ingested. Whenever it is interrupted, the next call carries on. What is damaged is built anew, which the report notes.

        Args:
            force: Make every document anew, whether it changed or not. Others find each as it was until it is replaced, unless
                the index is damaged or was made by another embedder: then it is dropped first.
            dry: Do nothing, ask no model, and report what would be done and, of context generators, embedders and rerankers that tell,
                what it and each search would cost.
            progress: Called with the number of files done, of all files, and the name of the last one. Where it is asynchronous, the
                ingest waits for it, and so can be held up for what matters more.

        Raises:
            SourceError: The source is missing or holds no document; nothing is changed.
            IndexMismatchError: The index was made by another embedder, and `force` is false.
            IndexLockedError: Another process is writing to the index.
        """
        from hierdoc.ingest.pipeline import (
            ingest,  # with all of `hierdoc.structure`, which searches do without
        )

        work = partial(
            ingest, self._components, self.config, progress=progress, metadata=self._metadata
        )
        reset = force and not await self._is_sound()
        try:
            if not reset:
                await self._ready()
            report = await work(force=force, reset=reset, dry=dry)
        except IndexDamagedError as error:
            if dry:
                raise
            logger.warning("the index is built anew: %s", error)
            self._repairs.append(f"the index was built anew from the source: {error}")
            report = await work(force=True, reset=True)
        finally:
            self._overview.forget()
        if dry:
            return report
        report = replace(report, notes=(*self._repairs, *report.notes))
        self._repairs = []
        self._prepared = self._keyword_ready = True
        return report

    async def search(
        self,
        query: str,
        *,
        top_k: int | None = None,
        mode: str | None = None,
        filter: Filter | None = None,
        where: str | None = None,
        as_of: str | date | None = None,
        expand: str | None = None,
        scope: bool | None = None,
    ) -> SearchResult:
        """The chunks that answer a query, best first.

        Args:
            query: A question, words, a citation, a heading or a phrase in double quotes.
            top_k: How many chunks, 1 to 100.
            mode: `hybrid`, `semantic`, `keyword` or `exact`.
            filter: Which records to consider, such as `Under(("Title I",))` for those of one part of the corpus.
            where: The same as an expression over metadata, such as `date >= 2020 and tags contains energy`.
            as_of: A day; only documents in force then are searched.
            expand: What comes with each chunk: `none`, `siblings` or `parent`.
            scope: Whether a document that the query names for certain is searched alone.

        Raises:
            QueryError: The query is empty, an argument is out of range, the filter is nested too deep or compares what is not
                declared so, or the index was made before its fields were declared.
            CapabilityError: The filter needs what a backend does not claim.
            DegradedError: A leg failed and the settings say to raise, or no leg is left.
        """
        chosen = self._plan(query, top_k, mode, expand, scope)
        asked = self._asked(filter, where, as_of)
        await self._ready()
        if as_of is not None:
            asked.append(await self._in_force(as_of))
        selected = And(*asked) if len(asked) > 1 else asked[0] if asked else None
        stale = await self._without_fields() if asks_metadata(selected) else ()
        known = await self._overview.current()
        result = await search(
            self._components, chosen, query, selected, known.names, known.incomplete
        )
        return replace(result, degraded=(*result.degraded, *stale))

    async def search_legs(self, query: str, *, candidates: int) -> Legs:
        """What each leg of a hybrid search finds, for those who fuse it themselves, as `hierdoc tune` does.

        Args:
            query: As for `search`.
            candidates: How many chunks each leg fetches.

        Returns:
            Their rankings, and how search itself fuses and arranges them: `Legs.fused` and `Legs.arranged`.

        Raises:
            CapabilityError: The vector backend fuses, so that there are no legs to be seen.
        """
        chosen = replace(self._plan(query, None, "hybrid"), candidates=candidates)
        if chosen.native:
            raise CapabilityError(
                "the vector backend fuses the legs itself",
                hint="Set `search.hybrid: fallback` to have them fused here.",
            )
        await self._ready()
        known = await self._overview.current()
        return await search_legs(self._components, chosen, query, known.names)

    async def chunks(self, source: str | None = None) -> Sequence[Chunk]:
        """Every chunk that the index holds, by document and position.

        Args:
            source: Only those of this document.

        Raises:
            QueryError: The index holds no document of that name.
        """
        await self._ready()
        if source is not None:
            found = await self._components.vector.find(Equals("source", source), _EVERYTHING)
            if not found:
                _require_document(source, await held_documents(self._components.vector))
            return sorted((one.chunk for one in found), key=lambda chunk: chunk.ordinal)
        pages = [page async for page in self._components.vector.scan()]
        chunks = [one.chunk for page in pages for one in page if one.id != UNFINISHED]
        return sorted(chunks, key=lambda chunk: (chunk.source, chunk.ordinal))

    async def original(self, source: str) -> Source:
        """The file that a document was made from, for as long as it is what was ingested.

        Raises:
            QueryError: The index holds no document of that name.
            SourceError: The file is gone, has changed since, or does not lie in the configured source.
        """
        from hierdoc.ingest.pipeline import original

        await self._ready()
        held = await held_documents(self._components.vector)
        _require_document(source, held)
        file, content_hash = await asyncio.to_thread(
            original, source, self.config, self._components, self._metadata
        )
        version = held[source].version
        if version is None or version.content_hash != content_hash:
            raise SourceError(
                f"{source}: has changed since it was ingested", hint="Run `hierdoc ingest`."
            )
        return file

    async def verify(self) -> None:
        """Read all that the index holds, so that stores compare it with what was written; a hundred megabytes take seconds.

        Raises:
            IndexDamagedError: Something in it is not what was written.
        """
        await self._ready()
        vector = self._components.vector
        held = 0
        async for records in vector.scan(vectors=True):
            held += len(records)
        counted = await vector.count()
        if held != counted:
            raise IndexDamagedError(
                f"the index holds {held} chunks and counts {counted}", hint=REBUILD
            )

    async def language_note(self) -> str | None:
        """Whether most of the index is in languages that the embedder does not know, in words; None if not. Reads the whole index."""
        await self._ready()
        counts: Counter[str | None] = Counter()
        async for records in self._components.vector.scan():
            counts.update(record.chunk.language for record in records)
        return self._components.language_note(counts)

    async def fill(self, keyword: KeywordBackend) -> None:
        """Make another keyword backend hold what this index holds, from the records alone."""
        await self._ready()
        await keyword.prepare(self._components.spec())
        await reconcile(self._components.vector, keyword)

    def check(
        self,
        query: str,
        *,
        top_k: int | None = None,
        mode: str | None = None,
        filter: Filter | None = None,
        where: str | None = None,
        as_of: str | date | None = None,
    ) -> None:
        """Raise as `search` would for these arguments, before anything is read."""
        self._plan(query, top_k, mode)
        self._asked(filter, where, as_of)

    @property
    def persistent(self) -> bool:
        """Whether what is ingested outlives this process."""
        return Capability.PERSISTENT in self._components.vector.capabilities

    @property
    def shared(self) -> bool:
        """Whether one process may ingest while others search."""
        stores = [self._components.vector, *filter(None, [self._components.keyword])]
        needed = {Capability.PERSISTENT, Capability.MULTI_PROCESS}
        return all(needed <= one.capabilities for one in stores)

    @property
    def is_cost_limited(self) -> bool:
        """Whether contexts or embeddings may cost only so much."""
        components = (self._components.context, self._components.embedder)
        return any(isinstance(one, SupportsCostLimit) and one.max_cost for one in components)

    async def remove(self, *sources: str) -> None:
        """Remove documents from the index; while their files are there, the next ingest adds them again.

        Args:
            sources: Names of documents, as hits show them.

        Raises:
            QueryError: The index holds no document of such a name; nothing is removed.
        """
        await self._ready()
        held = await held_documents(self._components.vector)
        for source in sources:
            _require_document(source, held)
        try:
            await self._components.vector.delete_documents(sources)
            if self._components.keyword:
                await self._components.keyword.delete_documents(sources)
        finally:
            self._overview.forget()

    async def outline(self, source: str) -> tuple[Section, ...]:
        """The section tree of an ingested document, from the index alone.

        Args:
            source: Its name as hits show it, or the end of it that no other document has (`act.md`).

        Raises:
            QueryError: The index holds no document of that name, or several.
        """
        await self._ready()
        records = await self._components.vector.find(Equals("source", source), _EVERYTHING)
        if not records:
            named = (await self._documents_by_name())(source)
            if len(named) > 1:
                raise QueryError(
                    f"{len(named)} documents are called {source!r}",
                    hint=f"Name one of them: {', '.join(named[:_NAMED_IN_HINT])}",
                )
            records = await self._components.vector.find(Equals("source", named[0]), _EVERYTHING)
        return _tree(section for record in records for section in record.chunk.sections)

    async def section(self, reference: str, *, documents: Sequence[str] = ()) -> Sequence[Hit]:
        """The text of a section and all below it, in document order.

        Args:
            reference: A citation ("Section 203(a)(1)", "Article I, Section 2"), a section id or a heading.
            documents: Look there alone; names as for `within`.

        Returns:
            Hits of that section in every document that has it; empty where none has.
        """
        if not reference.strip():
            raise QueryError("the reference is empty", hint="Name a section, as in: Section 2")
        place = await self.within(documents=documents)
        vector = self._components.vector
        return await with_links(vector, await find_section(vector, reference, place))

    async def beginnings(
        self,
        *,
        filter: Filter | None = None,
        where: str | None = None,
        as_of: str | date | None = None,
    ) -> Sequence[Chunk]:
        """The first chunk of every document that fits, by name: it has the document's title, language and metadata.

        Args:
            filter: As for `search`, such as `In("source", ["act.md"])`.
            where: As for `search`.
            as_of: As for `search`.

        Raises:
            QueryError: As for `search`.
            CapabilityError: The vector backend does not claim the look-ups that this needs.
        """
        asked = self._asked(filter, where, as_of)
        await self._ready()
        if as_of is not None:
            asked.append(await self._in_force(as_of))
        selected = And(Contains("section_keys", FIRST_OF_DOCUMENT), *asked)
        if asks_metadata(selected):
            await self._without_fields()
        found = await self._components.vector.find(selected, _EVERYTHING)
        incomplete = await self._overview.incomplete()
        chunks = [one.chunk for one in found if one.chunk.source not in incomplete]
        return sorted(chunks, key=lambda chunk: chunk.source)

    async def within(
        self, *, documents: Sequence[str] = (), under: Sequence[str] = ()
    ) -> Filter | None:
        """The filter for a part of the index, to give to `search`; None where nothing is named.

        Args:
            documents: Names as hits show them, their ends (`act.md`) or patterns (`2024/*.pdf`); what any of them names counts.
            under: Citations, section ids or headings; what lies in any of these sections counts.

        Raises:
            QueryError: The index has no such document or section.
            CapabilityError: The vector backend does not claim the look-ups that sections need.
        """
        await self._ready()
        vector = self._components.vector
        chosen: list[Filter] = []
        if documents:
            called = await self._documents_by_name()
            chosen.append(In("source", [one for name in documents for one in called(name)]))
        if under:
            places: list[Filter] = []
            for reference in under:
                found = await within_section(vector, reference)
                if found is None:
                    raise QueryError(
                        f"the index holds no section called {reference!r}",
                        hint="`hierdoc outline FILE` shows the sections of a document.",
                    )
                places.append(found)
            chosen.append(places[0] if len(places) == 1 else Or(*places))
        if not chosen:
            return None
        return chosen[0] if len(chosen) == 1 else And(*chosen)

    async def citing(
        self, reference: str, limit: int = 50, *, documents: Sequence[str] = ()
    ) -> Sequence[Hit]:
        """The chunks that cite a section or a document, of every ingested document, by name and in document order.

        Args:
            reference: A citation ("Section 203(a)(1)", "EIP-1559"), a section id or a heading.
            limit: How many at most.
            documents: Where the cited section stands; names as for `within`.

        Returns:
            Hits, their references those that cite it; empty where nothing cites it or no section is called so.
        """
        if not reference.strip():
            raise QueryError("the reference is empty", hint="Name a section, as in: Section 2")
        place = await self.within(documents=documents)
        found = await citing(self._components.vector, reference, limit, place)
        incomplete = await self._overview.incomplete()
        return [hit for hit in found if hit.chunk.source not in incomplete]

    async def define(self, term: str, *, documents: Sequence[str] = ()) -> Sequence[Definition]:
        """What the documents say that a term means, by source; documents that disagree all answer.

        Definitions of the term as it is written come first, then those of its singular, plural and other endings.

        Args:
            term: It.
            documents: Ask these alone; names as for `within`.
        """
        place = await self.within(documents=documents)
        wanted = {one: rank for rank, one in enumerate(spellings(term))}
        asked: Filter = Or(*(Contains("terms", one) for one in wanted))
        records = await self._components.vector.find(
            And(place, asked) if place else asked, _DEFINING
        )
        found = (one for record in records for one in record.chunk.definitions)
        kept = dict.fromkeys(one for one in found if one.term.casefold() in wanted)
        return sorted(kept, key=lambda one: min(wanted[one.term.casefold()], 1))

    async def terms_like(self, term: str, most: int = 5) -> Sequence[str]:
        """Defined terms that a term may have been meant for, the likeliest first; reads the whole index.

        Args:
            term: What no document defines.
            most: How many at most.
        """
        await self._ready()
        terms: dict[str, None] = {}
        async for records in self._components.vector.scan():
            terms |= {one.term: None for record in records for one in record.chunk.definitions}
        return await asyncio.to_thread(nearest_terms, term, terms, most)

    async def documents(self) -> Mapping[str, DocumentState]:
        """What the index holds of every document, by name."""
        await self._ready()
        return await held_documents(self._components.vector)

    async def count(self) -> int:
        """How many chunks the index holds."""
        await self._ready()
        return await self._components.vector.count()

    async def aclose(self) -> None:
        """Let go of all that the index holds; calling it again does nothing."""
        await self._overview.aclose()
        await self._components.aclose()

    async def __aenter__(self) -> AsyncIndex:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def _plan(
        self,
        query: str,
        top_k: int | None,
        mode: str | None,
        expand: str | None = None,
        scope: bool | None = None,
    ) -> SearchPlan:
        if not query.strip():
            raise QueryError(
                "the query is empty", hint="Ask with a word, a citation or a question."
            )
        vector, keyword = self._components.vector, self._components.keyword
        claimed = keyword.capabilities if keyword else None
        return plan(
            self.config.search,
            vector.capabilities,
            claimed,
            mode=mode,
            top_k=top_k,
            expand=expand,
            scope=scope,
        )

    async def _is_sound(self) -> bool:
        """Whether each document can be replaced where it is, so that others find the old or the new one meanwhile.

        An index that is damaged or was made for something else must be dropped first.
        """
        try:
            await self.verify()
        except IndexLockedError:
            raise
        except StoreError as error:
            logger.info("the index is dropped: %s", error)
            return False
        return True

    def _asked(
        self, filter: Filter | None, where: str | None, as_of: str | date | None
    ) -> list[Filter]:
        """What the filters of a search ask of stores, all at once."""
        declared = self._components.metadata
        if as_of is not None:
            read_day(as_of, declared)
        require_shallow(filter)
        given = [filter, None if where is None else read_filter(where)]
        return [resolved(one, declared) for one in given if one is not None]

    async def _in_force(self, as_of: str | date) -> Filter:
        """What was in force on a day, by documents as they are now: a newer version, whoever ingested it, supersedes the older ones."""
        vector, declared = self._components.vector, self._components.metadata
        held = await vector.documents()
        if self._dated is None or self._dated[0] != held:
            self._dated = held, await dated_documents(vector)
        return resolved(in_force(self._dated[1], read_day(as_of, declared), declared), declared)

    async def _without_fields(self) -> tuple[Degradation, ...]:
        """What filters by metadata cannot see: documents of ingests with other declared fields.

        Raises:
            QueryError: There are no others.
        """
        known = await self._overview.current()
        if self._all_have_fields is known:  # going through all states takes longer than a search
            return ()
        states = [known.held[source] for source in known.held.keys() - {UNFINISHED}]
        versions = [state.version for state in states if state.version is not None]
        without = sum(not self._components.has_fields(one.fingerprint) for one in versions)
        if not without:
            self._all_have_fields = known
            return ()
        reason = f"{without:,} of {len(versions):,} documents were ingested with other fields"
        if without == len(versions):
            raise QueryError(
                "the index was made before these fields of metadata were declared",
                hint="Run `hierdoc ingest`, or `Index.ingest`.",
            )
        return (Degradation("metadata", f"{reason}; `hierdoc ingest` reads them again"),)

    async def _ready(self) -> None:
        async with self._preparing:
            if not self._prepared:
                await self._components.vector.prepare(self._components.spec())
                self._prepared = True
            if not self._keyword_ready:
                self._keyword_ready = await self._prepare_keyword()

    async def _documents_by_name(self) -> _DocumentsByName:
        """What documents are there, for look-ups by a name or the end of one."""
        held = await self._components.vector.documents()
        if self._called is None or self._called[0] is not held:
            self._called = held, _DocumentsByName(name for name in held if name != UNFINISHED)
        return self._called[1]

    async def _prepare_keyword(self) -> bool:
        """Make the keyword index ready; it is derived, so whatever is wrong with it is repaired from the records.

        Returns:
            Whether it is. If not, the keyword leg fails visibly, and the next call tries again.
        """
        vector, keyword = self._components.vector, self._components.keyword
        assert keyword is not None
        try:
            try:
                await keyword.prepare(self._components.spec())
            except (IndexDamagedError, IndexMismatchError) as error:
                await self._reset_keyword(keyword, error)
        except StoreError as error:
            logger.warning("the keyword backend is not available: %s", error)
            return False
        try:
            try:
                await reconcile(vector, keyword, lacking=True)
            except KeywordDamagedError as error:  # in places that opening does not look at
                await self._reset_keyword(keyword, error)
                await reconcile(vector, keyword)
        except IndexLockedError:
            logger.info("another process is writing; it brings the keyword index up to date")
        except StoreError as error:
            logger.warning("the keyword index could not be repaired: %s", error)
        return True

    async def _reset_keyword(self, keyword: KeywordBackend, error: StoreError) -> None:
        logger.info("%s: %s", KEYWORD_REBUILT, error)
        await keyword.prepare(self._components.spec(), reset=True)
        self._repairs.append(f"{KEYWORD_REBUILT}: {error}")


def _require_document(source: str, held: Mapping[str, Any]) -> None:
    if source in held:
        return
    import difflib

    names = {PurePosixPath(one).name: one for one in held}
    last = difflib.get_close_matches(PurePosixPath(source).name, names, n=1, cutoff=0.7)
    near = [names[one] for one in last] or difflib.get_close_matches(source, held, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]}?" if near else "`hierdoc search` shows the names of documents."
    raise QueryError(f"the index holds no document called {source!r}", hint=hint)


_NAMED_IN_HINT = 5
_WILDCARD = re.compile(r"[*?\[]")


class _DocumentsByName:
    """The documents that a name, the end of one or a pattern means.

    Args:
        names: Of all documents.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._held = dict.fromkeys(names)
        self._by_last_part: dict[str, list[str]] = {}
        for name in self._held:
            self._by_last_part.setdefault(name.rpartition("/")[2], []).append(name)

    def __call__(self, name: str) -> Sequence[str]:
        """Names of the documents that one called so may be.

        Raises:
            QueryError: There is none.
        """
        if name in self._held:
            return [name]
        end = f"/{name.lstrip('/')}"
        alike = self._by_last_part.get(end.rpartition("/")[2], ())
        found = [one for one in alike if one.endswith(end)]
        if _WILDCARD.search(name):
            found = [one for one in self._held if one.endswith(end) or fnmatchcase(one, name)]
        if not found:
            _require_document(name, self._held)
        return found


def _tree(sections: Iterable[Section]) -> tuple[Section, ...]:
    """The tree of sections given in document order; a section lies in the nearest one before it of a lower level."""
    unique = {section.id: section for section in sections}
    children: dict[str | None, list[str]] = {None: []}
    path: list[Section] = []
    for section in unique.values():
        while path and path[-1].level >= section.level:
            path.pop()
        children.setdefault(path[-1].id if path else None, []).append(section.id)
        children.setdefault(section.id, [])
        path.append(section)
    built: dict[str, Section] = {}
    for identifier in reversed(
        unique
    ):  # children come after their parents, so are built before them
        below = tuple(built[child] for child in children[identifier])
        built[identifier] = replace(unique[identifier], children=below)
    return tuple(built[identifier] for identifier in children[None])


class Index:
    """An index for programs without asyncio: `AsyncIndex` in plain calls; see there for what each method does and raises.

    All indexes share one thread with one event loop, so a program without asyncio pays for it once, and one with asyncio may still
    call this from other threads.
    """

    def __init__(self, index: AsyncIndex) -> None:
        self._index = index

    @classmethod
    def open(
        cls,
        config: str | Path | Mapping[str, Any] | Config | None = None,
        *,
        source: str | Path | Sequence[str | Path] | None = None,
        registry: Registry | None = None,
        metadata: MetadataCallback | None = None,
    ) -> Index:
        """The index of a configuration; use it with `with`, or call `close`."""
        return cls(AsyncIndex.open(config, source=source, registry=registry, metadata=metadata))

    @property
    def config(self) -> Config:
        """The configuration it was opened with."""
        return self._index.config

    @property
    def persistent(self) -> bool:
        """Whether what is ingested outlives this process."""
        return self._index.persistent

    @property
    def shared(self) -> bool:
        """Whether one process may ingest while others search."""
        return self._index.shared

    @property
    def is_cost_limited(self) -> bool:
        """Whether contexts or embeddings may cost only so much."""
        return self._index.is_cost_limited

    def check(
        self,
        query: str,
        *,
        top_k: int | None = None,
        mode: str | None = None,
        filter: Filter | None = None,
        where: str | None = None,
        as_of: str | date | None = None,
    ) -> None:
        """Raise as `search` would for these arguments, before anything is read."""
        self._index.check(query, top_k=top_k, mode=mode, filter=filter, where=where, as_of=as_of)

    def ingest(
        self,
        *,
        force: bool = False,
        dry: bool = False,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> IngestReport:
        """Bring the index up to date with the source."""
        return _run(self._index.ingest(force=force, dry=dry, progress=progress))

    def search(
        self,
        query: str,
        *,
        top_k: int | None = None,
        mode: str | None = None,
        filter: Filter | None = None,
        where: str | None = None,
        as_of: str | date | None = None,
        expand: str | None = None,
        scope: bool | None = None,
    ) -> SearchResult:
        """The chunks that answer a query, best first; see `AsyncIndex.search`."""
        return _run(
            self._index.search(
                query,
                top_k=top_k,
                mode=mode,
                filter=filter,
                where=where,
                as_of=as_of,
                expand=expand,
                scope=scope,
            )
        )

    def search_legs(self, query: str, *, candidates: int) -> Legs:
        """What each leg of a hybrid search finds, before fusion."""
        return _run(self._index.search_legs(query, candidates=candidates))

    def chunks(self, source: str | None = None) -> Sequence[Chunk]:
        """Every chunk that the index holds, or every one of a document."""
        return _run(self._index.chunks(source))

    def original(self, source: str) -> Source:
        """The file that a document was made from, for as long as it is what was ingested."""
        return _run(self._index.original(source))

    def verify(self) -> None:
        """Read all that the index holds, and raise where something in it is not what was written."""
        _run(self._index.verify())

    def language_note(self) -> str | None:
        """Whether most of the index is in languages that the embedder does not know, in words."""
        return _run(self._index.language_note())

    def fill(self, keyword: KeywordBackend) -> None:
        """Make another keyword backend hold what this index holds."""
        _run(self._index.fill(keyword))

    def remove(self, *sources: str) -> None:
        """Remove documents from the index."""
        _run(self._index.remove(*sources))

    def outline(self, source: str) -> tuple[Section, ...]:
        """The section tree of an ingested document."""
        return _run(self._index.outline(source))

    def section(self, reference: str, *, documents: Sequence[str] = ()) -> Sequence[Hit]:
        """The text of a section, by citation or heading."""
        return _run(self._index.section(reference, documents=documents))

    def beginnings(
        self,
        *,
        filter: Filter | None = None,
        where: str | None = None,
        as_of: str | date | None = None,
    ) -> Sequence[Chunk]:
        """The first chunk of every document that fits."""
        return _run(self._index.beginnings(filter=filter, where=where, as_of=as_of))

    def within(self, *, documents: Sequence[str] = (), under: Sequence[str] = ()) -> Filter | None:
        """The filter for a part of the index; see `AsyncIndex.within`."""
        return _run(self._index.within(documents=documents, under=under))

    def citing(
        self, reference: str, limit: int = 50, *, documents: Sequence[str] = ()
    ) -> Sequence[Hit]:
        """The chunks that cite a section or a document."""
        return _run(self._index.citing(reference, limit, documents=documents))

    def define(self, term: str, *, documents: Sequence[str] = ()) -> Sequence[Definition]:
        """What the documents say that a term means."""
        return _run(self._index.define(term, documents=documents))

    def terms_like(self, term: str, most: int = 5) -> Sequence[str]:
        """Defined terms that a term may have been meant for."""
        return _run(self._index.terms_like(term, most))

    def documents(self) -> Mapping[str, DocumentState]:
        """What the index holds of every document, by name."""
        return _run(self._index.documents())

    def count(self) -> int:
        """How many chunks the index holds."""
        return _run(self._index.count())

    def close(self) -> None:
        """Let go of all that the index holds; calling it again does nothing."""
        _run(self._index.aclose())

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _run(work: Coroutine[Any, Any, T]) -> T:
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result()
    except BaseException:  # Ctrl-C reaches this thread only: stop the work, and wait until it has
        if future.cancel():
            _settle()
        raise


def _settle() -> None:
    """Wait until tasks cancelled just now have ended."""

    async def others() -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        await asyncio.wait(tasks, timeout=10) if tasks else None

    asyncio.run_coroutine_threadsafe(others(), _loop()).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="hierdoc", daemon=True).start()
    return loop
