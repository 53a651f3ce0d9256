"""What a component must be able to do: one protocol for each, and the capabilities that a backend may claim.

What does I/O is async; what only computes is plain. An SDK that is synchronous runs in a thread: no call blocks the
event loop for more than 50 ms. A component that holds a connection, thread or file also has `aclose` (`SupportsClose`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from hierdoc.plugin.capabilities import ALL_FILTERS as ALL_FILTERS
from hierdoc.plugin.capabilities import Capability as Capability

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hierdoc.filters import Filter
    from hierdoc.models import Chunk, Document, Hit, Match, Source, Usage
    from hierdoc.plugin.records import DocumentState, Record


@dataclass(frozen=True, slots=True)
class IndexSpec:
    """What an index is made for; a store remembers it and refuses another.

    Attributes:
        embedder: The embedder's fingerprint.
        dimensions: Length of its vectors.
    """

    embedder: str
    dimensions: int


class Converter(Protocol):
    """Turns a file into markdown.

    Attributes:
        suffixes: Lower-case file name endings with their dot. Of several installed converters `auto` takes the one
            that claims the fewest: the specialist.
    """

    @property
    def suffixes(self) -> Collection[str]:
        """See the class."""
        ...

    async def convert(self, source: Source) -> Document:
        """The document, made of `source.data` alone, with all of its text; `sections` and `definitions` are filled in later.

        Offsets, such as `page_starts`, count characters of its `text`. What is not what its name says is refused, not read as it comes.

        Letters stay what they are, code point by code point. Nothing is kept from one file to another, also of one name. Calls may overlap.

        Raises:
            ConversionError: The file is damaged, encrypted or not what its name says.
        """
        ...


class Chunker(Protocol):
    """Cuts a document into chunks."""

    def chunk(self, document: Document) -> Sequence[Chunk]:
        """Chunks in document order, their spans exact: `chunk.text == document.text[char_start:char_end]`, line ends included.

        All text that is not white space lies in a chunk, no chunk is blank, none lies within another; `ordinal` counts them from 0.
        Ids and contexts stay empty: the index gives them. The rest is what `Chunk` says: each section begins in one chunk, each
        definition stands in one, lines and pages are those of the span; a line ends with a line feed alone. `hierdoc.structure.ChunkMaker` fills it in.

        The text may have any line ends and thousands of blank lines. The same document always gives the same chunks, whatever was cut under
        its name before; several threads may call at once.
        """
        ...


@runtime_checkable
class SupportsTokenLimit(Protocol):
    """A chunker whose limit is in tokens, and which can go by the embedder's own count of them."""

    def counting(self, count_tokens: Callable[[str], int]) -> Chunker:
        """Another chunker like this one, its tokens counted so; ask only near the limit, it costs more than all else."""
        ...


class ContextGenerator(Protocol):
    """Situates chunks within their document."""

    async def generate(self, document: Document, chunks: Sequence[Chunk]) -> Sequence[str | None]:
        """One text per chunk, in order, whatever order they are given in; "" for none, None for one that could not be had this time.

        In place of None the chunk gets its place in the document, and the next ingest asks again for it; the report says so. Where no
        text at all can be had, raise. The generator owns caching, batching and limits. Calls for several documents may overlap. What the chunker gave a chunk
        as context, such as a table's header, stays and stands behind it.
        """
        ...


@runtime_checkable
class SupportsUsage(Protocol):
    """A context generator whose answers are paid for."""

    @property
    def usage(self) -> Usage:
        """What it has asked for since it was opened."""
        ...

    async def estimate(self, document: Document, chunks: Sequence[Chunk]) -> Usage:
        """What `generate` would ask for; asks for nothing itself."""
        ...


@runtime_checkable
class SupportsCostLimit(Protocol):
    """A context generator or an embedder that stops asking where it has cost what it may.

    It tells what it would cost, too: see `SupportsUsage` and `SupportsEmbeddingUsage`.
    """

    @property
    def max_cost(self) -> float | None:
        """What may be spent while it is open, in the currency of its usage's cost; None for anything."""
        ...


@runtime_checkable
class SupportsSearchEstimate(Protocol):
    """A reranker whose answers are paid for."""

    def estimate(self, hits: int, hit_tokens: int) -> Usage:
        """What one call would ask for at most, where nothing is kept from earlier ones; asks for nothing itself.

        Args:
            hits: How many it gets.
            hit_tokens: Tokens of the longest of them, by estimate.
        """
        ...


class Embedder(Protocol):
    """Turns texts into vectors.

    The same text gets the same vector in every process, on any day. The model is loaded at the first call, in a thread.

    Attributes:
        fingerprint: Changes whenever the same text would get another vector: with the model and its revision, and with every
            setting of the configuration that is not `Operational`.
        dimensions: Length of a vector.
    """

    @property
    def fingerprint(self) -> str:
        """See the class."""
        ...

    @property
    def dimensions(self) -> int:
        """See the class."""
        ...

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 of shape [len(texts), dimensions]; each row of length 1, or 0 where a text has nothing to embed.

        The same text gets the same vector whatever stands beside it. A failure raises; it is no zero vector. Special tokens
        in a text are text. Calls may overlap, and may be cancelled at any point. Whoever gets an array may change it. A text longer than the model reads is embedded in windows; it is never cut silently.
        """
        ...

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """float32 of shape [dimensions], of length 1 or 0, nearest to the documents that say the same; long ones count to their end too.

        The same query gets the same vector, also where its text was embedded as a document before.
        """
        ...


@runtime_checkable
class SupportsEmbeddingUsage(Protocol):
    """An embedder whose vectors are paid for, or whose model is at least asked over a network."""

    @property
    def usage(self) -> Usage:
        """What it has asked for since it was opened, queries not included."""
        ...

    async def estimate(self, texts: Sequence[str]) -> Usage:
        """What `embed_documents` would ask for; asks for nothing itself."""
        ...


@runtime_checkable
class SupportsTokenCount(Protocol):
    """An embedder that can tell how many tokens its model makes of a text."""

    def count_tokens(self, text: str) -> int:
        """The tokens of a text, special ones not included; called in any thread, for one text at a time.

        The tokenizer is loaded at the first call, not when the embedder is opened.

        Raises:
            HierdocError: It cannot be loaded. The limit is then judged by estimate.
        """
        ...


@runtime_checkable
class SupportsLanguages(Protocol):
    """An embedder that says which languages its model knows; of others hierdoc assumes that it knows all.

    Attributes:
        languages: By ISO 639-1 code, what the weight of the semantic leg is multiplied by among texts in that language: 1 for a
            model whose similarities spread like those of most.
    """

    @property
    def languages(self) -> Mapping[str, float]:
        """See the class."""
        ...


class Backend(Protocol):
    """What vector and keyword backends have in common.

    Ids, sources and texts are Python strings of any shape and length: paths, white space, any script, also NUL characters and lone
    surrogates, which file names and PDFs contain. A store that wants others maps them itself and gives these back. Strings are
    equal or not, and ordered, by code point.

    What was written is seen by the next call: an answer is never that of an earlier state. Calls may overlap; batches of any size are
    split to the store's limits. A call may be cancelled at any point: what it was to write is written or not, record by record, and
    later calls are answered as ever.

    What goes wrong is a `StoreError`, whatever the store's library raised: also where the store cannot be reached, or is gone. No
    message, hint or cause shows a password or key.

    Attributes:
        capabilities: What this backend, as configured, can do; known before `prepare`.
    """

    @property
    def capabilities(self) -> frozenset[Capability]:
        """See the class."""
        ...

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Make the store ready: called before anything else, and again to begin anew. What is held stays, unless `reset` drops it.

        Args:
            spec: What the index is made for.
            reset: Drop what the store holds of this collection first; then any spec will do.

        Raises:
            IndexMismatchError: The store was made for another spec or schema, and `reset` is false; nothing was changed. A keyword
                backend, which holds no vectors, may take any spec.
            IndexDamagedError: What it holds cannot be read, and `reset` is false, with which it is made anew.
            IndexLockedError: Another process holds it.
        """
        ...

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records; one with a known id replaces it whole, also if it was another document's. Of one id twice the last counts.

        Raises:
            PartialWriteError: Some were not written; the error names exactly these.
            StoreError: Nothing was written; the message names what is wrong.
        """
        ...

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents, and no others; unknown ones are no error."""
        ...

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source: counted in the store, so that what a crash left behind is noticed."""
        ...

    async def count(self) -> int:
        """The number of records."""
        ...

    async def aclose(self) -> None:
        """Let go of connections, threads and files; calling it again does nothing.

        What is asked afterwards raises `StoreError` or is answered as before, never as if nothing were held.
        """
        ...


class KeywordBackend(Backend, Protocol):
    """Finds chunks by their words."""

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Sequence[Match]:
        """Up to `limit` matches, best first, ties by chunk id; fewer only where fewer match, filter included.

        A lower limit gives the beginning of what a higher one gives, with the same scores. The filter holds whichever word a chunk has.
        A chunk matches if any of its `Record.text_fields` (name, context, text) has any word of the query, in any case and however many these are, under the backend's analysis
        of the chunk's language: it is found by the name of its document, too; `hierdoc.Analyzer` is one that serves all stores, and `record_terms` gives the words with their weights.
        More of the query scores higher, also where a word is in more than half of all chunks. Identifiers count whole: `203(a)(1)` comes
        before `203(a)(2)`, and `1559` finds `EIP-1559`. No character of the query has a special meaning; a query without a known word finds nothing.

        Raises:
            CapabilityError: The filter uses an operator that is not claimed.
        """
        ...


@runtime_checkable
class SupportsPhrases(Protocol):
    """A keyword backend with `Capability.PHRASES`."""

    async def search_phrase(
        self, phrase: str, limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Chunks in whose text the phrase's words follow each other, under the backend's analysis; limit, order and filter as in `search`.

        Neither the context nor the document's name is searched.

        Core compares what comes back with the phrase letter by letter, so an analysis that lets other forms match does no harm.
        """
        ...


@runtime_checkable
class SupportsTermStatistics(Protocol):
    """A keyword backend that tells how frequent words are, without a search for each."""

    async def document_frequencies(self, words: Sequence[str]) -> Sequence[int]:
        """For each word how many records have it, under the backend's analysis.

        Of a word of several terms the most frequent counts; a compound counts as a whole, `Asylrecht` where it stands and not where
        `Recht` does.

        Stores that learn of deletions late may count deleted records until then.
        """
        ...


@runtime_checkable
class SupportsDeletedCount(Protocol):
    """A keyword backend with `Capability.ATOMIC_REPLACE` that keeps deleted records in its statistics until they are written over."""

    async def deleted(self) -> int:
        """How many deleted records still count; where they are too many, an ingest replaces all documents by themselves."""
        ...


class VectorBackend(Backend, Protocol):
    """Holds the records, which are the truth of an index, and finds chunks by vector."""

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Up to `limit` matches by cosine similarity, best first, ties by chunk id, also where the limit cuts them.

        The score is the cosine, from -1 to 1. No record is too dissimilar to match; one whose vector has length 0 scores 0 or is left
        out.

        Args:
            vector: float32 of shape [dimensions], of length 1 or 0.
            limit: How many; fewer come back only where fewer match, also under a filter that selects little.
            filter: Which records to consider.

        Raises:
            CapabilityError: The filter uses an operator that is not claimed.
            QueryError: The vector is not of the index's dimensions.
        """
        ...

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, as they were written, in the order asked for, twice where asked for twice, unknown ids left out; with their vectors if asked.

        Vectors come back to half precision at least: an ingest keeps those of chunks that did not change.
        """
        ...

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """The first `limit` records that the filter selects, by source and then by `ordinal`, their position in the document.

        Raises:
            CapabilityError: The filter uses an operator that is not claimed.
        """
        ...

    def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages of at most 10,000; called, not awaited.

        What is not touched by writes beside it is given once, whatever they do.
        """
        ...


@runtime_checkable
class SupportsFindEach(Protocol):
    """A vector backend that answers several look-ups in one request."""

    async def find_each(self, requests: Sequence[tuple[Filter, int]]) -> Sequence[Sequence[Record]]:
        """What `find` gives for each filter and limit, in the order of the requests.

        Args:
            requests: Filters with their limits; of any number.

        Raises:
            CapabilityError: A filter uses an operator that is not claimed.
        """
        ...


@runtime_checkable
class SupportsAtomicReplace(Protocol):
    """A backend with `Capability.ATOMIC_REPLACE`."""

    async def replace_documents(self, records: Sequence[Record]) -> None:
        """Make these the only records of their documents: readers see a document before or after, never between. Of one id twice the last counts.

        That holds for other processes, too, and whatever ends this one: with `Capability.PERSISTENT` the store has the old or the new
        document when it is opened again.

        Raises:
            StoreError: Nothing was changed; the message names what is wrong.
        """
        ...


@runtime_checkable
class SupportsHybridSearch(Protocol):
    """A vector backend with `Capability.NATIVE_HYBRID`."""

    async def hybrid_search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        weights: Mapping[str, float],
        filter: Filter | None = None,
    ) -> Sequence[Match]:
        """Both legs in one request, fused by the store; limit, order, ties and filter as in `search`: the filter comes before the limit.

        Args:
            text: What the user typed; no character has a special meaning. Chunks without a word of it still match by their vector.
            vector: float32 of shape [dimensions]; of length 0 where the embedder knows no word of the text, which then decides alone.
            limit: How many.
            weights: How much the legs `semantic` and `keyword` count; those of other legs are to be ignored.
            filter: Which records to consider, in both legs.

        Raises:
            CapabilityError: The filter uses an operator that is not claimed.
        """
        ...


@runtime_checkable
class SupportsClose(Protocol):
    """Any component that holds a connection, thread or file."""

    async def aclose(self) -> None:
        """Let go of it; calling it again does nothing."""
        ...


class Fuser(Protocol):
    """Makes one ranking of several."""

    def fuse(
        self,
        rankings: Mapping[str, Sequence[Match]],
        weights: Mapping[str, float],
        limit: int,
        coverage: Mapping[str, float] | None = None,
    ) -> Sequence[Match]:
        """The best `limit` chunks over all legs, each once, best first, ties by chunk id.

        The order depends on the scale of no leg, whose scores may all be 0, and not on the order of legs, to the last tie: a chunk that every leg puts before another comes before
        it, one that several legs found counts for more, and a leg of weight 0, whichever it is, moves nothing. Nothing is kept from
        call to call.

        Args:
            rankings: By leg, each best first; a leg may be empty.
            weights: By leg, not negative; every leg of `rankings` has one, and there may be more.
            limit: How many to return.
            coverage: For legs where it is known the share, from 0 to 1, of the query's words in its best match, also for one that is
                empty; a fuser may leave it aside.

        Raises:
            ValueError: A leg without a weight.
        """
        ...


class Reranker(Protocol):
    """Orders the best hits again with a closer look."""

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Sequence[Hit]:
        """The best `limit` of these hits, best first, with their new scores, and otherwise as they were; `why` may have more behind what it has.

        None is left out but for the limit; a text too long for the model stays in, and so does one that another hit has too. The ranks of
        what is given say where it stood, and need not begin at 1. Hits of several documents may have the same `ordinal`: it is their ids that
        tell them apart. Calls may overlap, and may be cancelled at any point.
        """
        ...
