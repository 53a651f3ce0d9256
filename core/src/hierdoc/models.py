"""The values that travel through hierdoc: all frozen, all plain data.

    Source ─► Document (Division, Section, Definition, Reference) ─► Chunk ─► Match ─► Hit ─► SearchResult

Character offsets index `Document.text`, ends are exclusive. Lines and pages start at 1, ends are inclusive; pages are
None where the format has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Literal, Union

ChunkKind = Literal["content", "definition", "requirement", "table", "code", "list"]
"""What a chunk mostly is."""

Mode = Literal["hybrid", "semantic", "keyword", "exact"]
"""Which legs a search uses."""

DomainName = Literal[
    "auto",
    "none",
    "us_legislative",
    "au_legislative",
    "eu_legislative",
    "de_legislative",
    "civil_legislative",
    "academic",
    "technical",
    "legal_contract",
]
"""How documents are divided besides headings: as a domain's are, as each shows itself to be (`auto`), or not (`none`)."""

MetadataType = Literal["text", "number", "date", "version", "boolean", "list"]
"""What a declared field of the documents' metadata holds; a list is one of texts."""

Expand = Literal["none", "parent", "siblings"]
"""How much of the section around a hit comes with it."""

Leg = Literal["semantic", "keyword", "exact"]
"""One way of finding chunks."""


@dataclass(frozen=True)
class Source:
    """A file as a converter gets it: read once, so that its hash and its text are of the same bytes.

    Attributes:
        name: The document's name everywhere in hierdoc: a POSIX path relative to the config file's folder or, without
            one, to the folder that holds the source.
        data: The file's bytes.
        path: Where it was read from; None for bytes that come from elsewhere.
    """

    name: str
    data: bytes = field(repr=False)
    path: Path | None = None

    @property
    def suffix(self) -> str:
        """The lower-case file name ending with its dot, as in `.md`; empty where there is none."""
        return Path(self.name).suffix.lower()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and all that stands under it.

    Attributes:
        id: Unique within the document: a normalised citation (`sec_203_a_1`) or a slug of the heading.
        title: The heading's text without markup.
        level: 1 for the outermost headings; levels may skip.
        char_start: Where the heading begins.
        char_end: Where the next section of the same or an outer level begins.
        line_start: The heading's own line.
        line_end: The last line of the section.
        page_start: The page of the heading.
        page_end: The page on which the section ends.
        children: Sections directly within this one, in document order.
        key: Its normalised citation (`sec_203_a_1`), which others may share; None where it has no number.
        body_start: Where its text begins behind the heading; None where that is not known.
    """

    id: str
    title: str
    level: int
    char_start: int
    char_end: int
    line_start: int
    line_end: int
    page_start: int | None = None
    page_end: int | None = None
    children: tuple[Section, ...] = ()
    key: str | None = None
    body_start: int | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """A version such as `2.10.1` or `3.0-draft`, as a document writes it; see `hierdoc.metadata` for how versions compare."""

    text: str

    def __str__(self) -> str:
        return self.text


MetadataValue = Union[str, int, float, bool, date, Version, tuple[str, ...]]
"""A value of a declared field of the documents' metadata."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A term and the text that defines it.

    Attributes:
        term: As the document writes it, without quotes.
        text: The defining text, whole.
        source: The document's name.
        section_id: The section it stands in; None before the first heading.
        scope: The id of the section that it governs, as its words say; None for the whole document.
    """

    term: str
    text: str
    source: str
    section_id: str | None = None
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A mention of another section, or of another document.

    Attributes:
        text: As the document writes it.
        section_id: The normalised citation or, once resolved, the id of the section that is meant.
        resolved: Whether that section is in the index.
        chunk_ids: Where its text begins; empty while unresolved.
        work: The key of the other work that it belongs to, if the text names one: `clean_water_act`, `eip_1559`.
        keys: The keys of its citations, the outermost first: `art_1` and `sec_2`; none where the work as a whole is meant.
        source: The name of the document that holds the section, where that is another one.
    """

    text: str
    section_id: str
    resolved: bool = False
    chunk_ids: tuple[str, ...] = ()
    work: str = ""
    keys: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Division:
    """A part of a document whose beginning the markup itself states: a heading, or an enumerated subsection.

    Attributes:
        start: Where its heading or enumerator begins in the text.
        body: Where the text behind that begins.
        level: 1 for the outermost, as deep as need be; it lies in the nearest one before it of a lower level.
        title: On one line, without markup, as it stands in the text between `start` and `body`.
        key: Its normalised citation (`sec_203`); None to have it read from the title, "" where it has none.
        enumerator: Of an enumerated subsection, as a part of a key: `a`, `1`, `iv`; its key is that of the section around and this.
    """

    start: int
    body: int
    level: int
    title: str
    key: str | None = None
    enumerator: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, and the characters whose text stands in it.

    Attributes:
        page: From 1.
        left, top, right, bottom: From 0 to 1: shares of the width and height of the page as it is shown, from its top left corner.
        char_start, char_end: The characters.
    """

    page: int
    left: float
    top: float
    right: float
    bottom: float
    char_start: int
    char_end: int


@dataclass(frozen=True)
class Document:
    """A converted file.

    Attributes:
        source: Its name.
        title: From the format's metadata or the first heading, else the file's name.
        text: Markdown; every offset elsewhere points into this.
        page_starts: For each page the offset at which it begins; empty where the format has no pages.
        metadata: Front matter and the like, as the document writes it; fields that are declared get their types at ingest.
        language: ISO 639-1 code; None where it is not clear.
        sections: The outermost sections; filled in by `hierdoc.structure`.
        definitions: Terms that the document defines; filled in by `hierdoc.structure`.
        outline: Its divisions in document order where the markup states them: the sections are then these and no others. Empty
            where they are to be found in the text.
        notes: What a user should know of how it was read; `ingest` reports each once, whatever the number of files.
        boxes: Where its text stands on its pages, in the order of the text, as finely as the converter knows; empty where it does not.
        levels_by_look: Whether the converter told the levels of headings from how they look on the page, and no author did: of
            headings at one level, labels say then which lies in which.
        plain_text: Whether the text is plain, not markdown: underlines of any kind mark headings then, and `#` may begin a comment.
    """

    source: str
    title: str
    text: str = field(repr=False)
    page_starts: tuple[int, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    language: str | None = None
    sections: tuple[Section, ...] = field(default=(), repr=False)
    definitions: tuple[Definition, ...] = field(default=(), repr=False)
    outline: tuple[Division, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()
    boxes: tuple[Box, ...] = field(default=(), repr=False)
    levels_by_look: bool = False
    plain_text: bool = False


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document's text and its place.

    Attributes:
        source: The document's name.
        text: Exactly `document.text[char_start:char_end]`.
        char_start, char_end, line_start, line_end, page_start, page_end: The span.
        id: Stable while the text stays the same, unique across documents; given by the index, empty before.
        ordinal: Position within the document, from 0.
        title: The document's title.
        parent_chain: Headings from the outermost to the section's own.
        section_id: The innermost section that the whole chunk lies in, headings without text of their own aside; None
            before the first heading.
        section_keys: Names by which a citation finds this chunk: ids and normalised citations of the sections that
            have text in it.
        ancestor_keys: The same of the sections around it.
        headings: Normalised headings of the sections that begin in it.
        sections: The sections that begin in it, without children: a document's outline is the sum of its chunks'.
        definitions: Terms defined in it.
        references: Citations found in it.
        kind: What it mostly is.
        language: The document's.
        context: Generated text that situates the chunk, and the header of a table that goes on in it; indexed with it,
            never part of `text`.
        metadata: The document's, of the fields that the configuration declares.
        boxes: Where it stands on its pages: a rectangle for each run of lines. Empty where the document has none.
    """

    source: str
    text: str
    char_start: int
    char_end: int
    line_start: int
    line_end: int
    page_start: int | None = None
    page_end: int | None = None
    id: str = ""
    ordinal: int = 0
    title: str = ""
    parent_chain: tuple[str, ...] = ()
    section_id: str | None = None
    section_keys: tuple[str, ...] = ()
    ancestor_keys: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    definitions: tuple[Definition, ...] = ()
    references: tuple[Reference, ...] = ()
    kind: ChunkKind = "content"
    language: str | None = None
    context: str = ""
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict, hash=False)
    boxes: tuple[Box, ...] = ()

    @property
    def indexed_text(self) -> str:
        """What is embedded: the context, then the text; `Record.text_fields` is what is searched by keyword."""
        return f"{self.context}\n\n{self.text}" if self.context else self.text


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model behind an API was asked for, or would be.

    Attributes:
        requests: How many.
        uncached: Tokens that it reads in full.
        written: Tokens that it reads and keeps for the requests that follow, where that is paid for apart.
        cached: Tokens that it reads from what it kept.
        output: Tokens that it generates.
        cost: In the currency of the configured prices; None where there are none.
    """

    requests: int = 0
    uncached: int = 0
    written: int = 0
    cached: int = 0
    output: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            self.requests + other.requests,
            self.uncached + other.uncached,
            self.written + other.written,
            self.cached + other.cached,
            self.output + other.output,
            sum(costs) if costs else None,
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            self.requests - other.requests,
            self.uncached - other.uncached,
            self.written - other.written,
            self.cached - other.cached,
            self.output - other.output,
            None if self.cost is None else self.cost - (other.cost or 0),
        )


@dataclass(frozen=True, slots=True)
class Match:
    """A chunk that a leg found; higher scores are better."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class LegScore:
    """Where a leg ranked a chunk, from 1, and the score it gave."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that was found, its place, and why it is here.

    Attributes:
        rank: From 1.
        score: Of the fusion, or of the reranker where there is one.
        scores: Rank and score of every leg that saw the chunk.
        chunk: It.
        certain: Whether it stands in the one place that the query names.
        ambiguous: Whether it stands in one of several places that the query may as well name; none of these is certain.
        definitions: Of terms that the query uses.
        references: Citations in the chunk.
        why: What the exact leg vouches for, in words; of other hits what raised or lessened their scores, empty if nothing did.
        named: The section that the query names and that stands in the chunk; None for other hits.
        more: Other chunks of the section, in document order, where the search was to expand its hits.
    """

    rank: int
    score: float
    scores: Mapping[str, LegScore]
    chunk: Chunk
    certain: bool = False
    definitions: tuple[Definition, ...] = ()
    references: tuple[Reference, ...] = ()
    why: str = ""
    named: str | None = None
    more: tuple[Chunk, ...] = ()
    ambiguous: bool = False

    @property
    def section_id(self) -> str | None:
        """The section that the query names or, where it names none, the chunk's own."""
        return self.named or self.chunk.section_id

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """The hit as the command line prints it with `--json`.

        With `--explain` also why it is here; `more` is there only if the search was to expand its hits, `boxes` where the document
        has them.
        """
        chunk = self.chunk
        reasons = {"why": self.why} if explain else {}
        return {
            "rank": self.rank,
            "score": self.score,
            "certain": self.certain,
            "ambiguous": self.ambiguous,
            "scores": {leg: asdict(score) for leg, score in self.scores.items()},
            "chunk_id": chunk.id,
            "source": chunk.source,
            "title": chunk.title,
            "parent_chain": list(chunk.parent_chain),
            "section_id": self.section_id,
            "kind": chunk.kind,
            "content": chunk.text,
            "context": chunk.context,
            "metadata": {name: _plain(value) for name, value in chunk.metadata.items()},
            "char_start": chunk.char_start,
            "char_end": chunk.char_end,
            "line_start": chunk.line_start,
            "line_end": chunk.line_end,
            "page_start": chunk.page_start,
            "page_end": chunk.page_end,
            "definitions": [asdict(definition) for definition in self.definitions],
            "references": [
                {**asdict(reference), "chunk_ids": list(reference.chunk_ids)}
                for reference in self.references
            ],
            **({"boxes": [asdict(one) for one in chunk.boxes]} if chunk.boxes else {}),
            **({"more": [_piece(one) for one in self.more]} if self.more else {}),
            **reasons,
        }


def _plain(value: MetadataValue) -> Any:
    """The value as JSON holds it: a date in ISO 8601, a version as it is written."""
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, (date, Version)) else value


def _piece(chunk: Chunk) -> dict[str, Any]:
    names = (
        "section_id",
        "char_start",
        "char_end",
        "line_start",
        "line_end",
        "page_start",
        "page_end",
    )
    fields = {name: getattr(chunk, name) for name in names}
    return {"chunk_id": chunk.id, "content": chunk.text, **fields}


@dataclass(frozen=True, slots=True)
class Degradation:
    """What a search had to do without, and why.

    Attributes:
        leg: One that did not take part; `index` where an ingest that has not finished leaves gaps in all of them.
        reason: Why.
    """

    leg: str
    reason: str


@dataclass(frozen=True, slots=True)
class MissingCitation:
    """A citation of the query that is not in the index.

    Attributes:
        text: As the query writes it.
        key: Its normalised form.
        nearest: What the index has of the same kind, cited as the query cites, the nearest numbers first; empty where none is near.
    """

    text: str
    key: str
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """What a context quotes from one place of a document: a chunk, or several that touch each other.

    Attributes:
        number: By which the context calls it, from 1.
        source, title, parent_chain, section_id: The document and the place in it; those of the first chunk.
        char_start, char_end, line_start, line_end, page_start, page_end: The span.
        text: Exactly these characters of the document.
    """

    number: int
    source: str
    title: str
    parent_chain: tuple[str, ...]
    section_id: str | None
    char_start: int
    char_end: int
    line_start: int
    line_end: int
    page_start: int | None
    page_end: int | None
    text: str = field(repr=False)

    @property
    def reference(self) -> str:
        """Where it stands, on one line: `act.md · Title I > Section 4 · page 3 · characters 120-480`."""
        pages = ""
        if self.page_start is not None:
            several = self.page_end not in (None, self.page_start)
            pages = (
                f"pages {self.page_start}-{self.page_end}" if several else f"page {self.page_start}"
            )
        place = " > ".join(" ".join(heading.split()) for heading in self.parent_chain)
        characters = f"characters {self.char_start}-{self.char_end}"
        return " · ".join(filter(None, (self.source, place, pages, characters)))


@dataclass(frozen=True, slots=True)
class Context:
    """What a search found, written down for a language model.

    Attributes:
        text: The passages with their numbers and places, then definitions of terms that the query uses, each once.
        passages: What the numbers in square brackets stand for.
        tokens: What the text counts, at most the budget.
        left_out: Hits for which there was no room.
    """

    text: str
    passages: tuple[Passage, ...]
    tokens: int
    left_out: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The context as the command line prints it with `--format context --json`."""
        return {
            "text": self.text,
            "passages": [
                {**asdict(one), "parent_chain": list(one.parent_chain)} for one in self.passages
            ],
            "tokens": self.tokens,
            "left_out": self.left_out,
        }


@dataclass(frozen=True)
class SearchResult:
    """What a search found.

    Attributes:
        query, mode, top_k: What was asked.
        hits: Best first.
        degraded: Legs that failed or were not available; empty when all is well.
        low_confidence: Whether the evidence is thin: nothing is certain, and what is cited does not exist or the query's words are lacking.
        missing: Citations of the query that the index does not have.
        scope: Documents that the query names for certain, which alone were searched by words and meaning; empty where all were.
        timings_ms: Milliseconds by step: embed, semantic, keyword, exact, fuse, rerank, total; 0 for what was not done.
        coverage: The share, from 0 to 1, of the query's words in the best match of a leg, by which a fuser such as `adaptive`
            weighs it; empty where none was told.
    """

    query: str
    mode: Mode
    top_k: int
    hits: tuple[Hit, ...] = ()
    degraded: tuple[Degradation, ...] = ()
    low_confidence: bool = False
    missing: tuple[MissingCitation, ...] = ()
    scope: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    coverage: Mapping[str, float] = field(default_factory=dict)

    @property
    def ambiguous(self) -> tuple[str, ...]:
        """Documents with places that the query may name as well as each other, the best first; empty where it names one."""
        return tuple(dict.fromkeys(hit.chunk.source for hit in self.hits if hit.ambiguous))

    def context(
        self, budget_tokens: int = 4_000, count_tokens: Callable[[str], int] | None = None
    ) -> Context:
        """What was found as a text for a language model: passages in reading order, merged where they touch, with places to cite.

        The best hits come in first, as long as they fit; documents stand in the order of their best hits. A hit that does not fit
        is left out, and further ones that do still come in.

        Args:
            budget_tokens: How many tokens the text may count.
            count_tokens: Counts those of a text as the model does; by default a third of its bytes, which is more than most models count.

        Raises:
            ValueError: The budget is below 1.
        """
        if budget_tokens < 1:
            raise ValueError(f"budget_tokens is {budget_tokens}; it is 1 at least")
        count = count_tokens or _count_tokens
        chosen: list[Hit] = []
        text, passages = "", _passages(())
        for hit in self.hits:
            tried = _passages([*chosen, hit])
            written = _written(tried, [*chosen, hit])
            if count(written) <= budget_tokens:
                chosen.append(hit)
                text, passages = written, tried
        return Context(text, passages, count(text), len(self.hits) - len(chosen))

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """The result as the command line prints it with `--json`; see `Hit.to_dict`.

        `missing` is there only if not empty, `coverage` only with `--explain`.
        """
        missing = [{**asdict(one), "nearest": list(one.nearest)} for one in self.missing]
        return {
            "query": self.query,
            "mode": self.mode,
            "top_k": self.top_k,
            "hits": [hit.to_dict(explain=explain) for hit in self.hits],
            "degraded": [asdict(degradation) for degradation in self.degraded],
            "low_confidence": self.low_confidence,
            "ambiguous": list(self.ambiguous),
            "scope": list(self.scope),
            **({"missing": missing} if missing else {}),
            **({"coverage": dict(self.coverage)} if explain else {}),
            "timings_ms": dict(self.timings_ms),
        }


def _count_tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // 3)


def _passages(hits: Sequence[Hit]) -> tuple[Passage, ...]:
    """The passages that hits make, numbered in reading order."""
    order = {
        source: place
        for place, source in enumerate(dict.fromkeys(hit.chunk.source for hit in hits))
    }
    chunks = sorted(
        (hit.chunk for hit in hits),
        key=lambda chunk: (order[chunk.source], chunk.char_start, -chunk.char_end),
    )
    merged: list[list[Chunk]] = []
    reach = 0
    for chunk in chunks:
        if merged and merged[-1][0].source == chunk.source and chunk.char_start <= reach:
            merged[-1].append(chunk)
            reach = max(reach, chunk.char_end)
        else:
            merged.append([chunk])
            reach = chunk.char_end
    return tuple([_passage(number, touching) for number, touching in enumerate(merged, start=1)])


def _passage(number: int, chunks: Sequence[Chunk]) -> Passage:
    """The passage of chunks that touch each other, in order."""
    first = chunks[0]
    text, end, line_end, page_end = "", first.char_start, first.line_end, first.page_end
    for chunk in chunks:
        if chunk.char_end > end:
            text += chunk.text[end - chunk.char_start :]
            end, line_end, page_end = chunk.char_end, chunk.line_end, chunk.page_end
    return Passage(
        number,
        first.source,
        first.title,
        first.parent_chain,
        first.section_id,
        first.char_start,
        end,
        first.line_start,
        line_end,
        first.page_start,
        page_end,
        text,
    )


def _written(passages: Sequence[Passage], hits: Sequence[Hit]) -> str:
    parts = [f"[{one.number}] {one.reference}\n{one.text.strip()}" for one in passages]
    defined = dict.fromkeys(one for hit in hits for one in hit.definitions)
    shown = [one for one in defined if not any(one.text in passage.text for passage in passages)]
    if shown:
        lines = [f"- {one.term} ({one.source}): {' '.join(one.text.split())}" for one in shown]
        parts.append("\n".join(["Definitions:", *lines]))
    return "\n\n".join(parts)
