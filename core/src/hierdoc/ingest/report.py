"""What an ingest did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from hierdoc.models import Usage


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that could not be ingested, and why."""

    source: str
    error: str


@dataclass(frozen=True)
class IngestReport:
    """What an ingest did.

    Attributes:
        added, updated, unchanged, removed: Names of documents.
        failures: Documents that could not be ingested; what the index held of them before, it still holds.
        notes: What a user should know though nothing failed, such as a file without text or read without its structure.
        chunks: How many chunks the index holds now.
        embedded: How many chunks were embedded; the others kept their vectors.
        seconds: Wall time.
        usage: What the context generator's model was asked for; None for a generator that asks none.
        embedding_usage: What the embedder's model was asked for; None for one in this process.
        search_usage: What each search would ask a reranker's model for, at most, in a dry run; None where none tells.
        over_limit: What would cost more than `max_cost` allows, in a dry run, in words: an ingest would end there.
        planned: Whether nothing was done, as in a dry run: what is told is what an ingest would do, and `chunks` are those that it would make.
    """

    added: Sequence[str] = ()
    updated: Sequence[str] = ()
    unchanged: Sequence[str] = ()
    removed: Sequence[str] = ()
    failures: Sequence[Failure] = ()
    notes: Sequence[str] = ()
    chunks: int = 0
    embedded: int = 0
    seconds: float = 0.0
    usage: Usage | None = None
    embedding_usage: Usage | None = None
    search_usage: Usage | None = None
    over_limit: Sequence[str] = ()
    planned: bool = False

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many documents were added, updated, unchanged, removed and failed."""
        names = ("added", "updated", "unchanged", "removed")
        return {name: len(getattr(self, name)) for name in names} | {"failed": len(self.failures)}

    def to_dict(self) -> dict[str, Any]:
        """The report as the command line prints it with `--json`; usages, `over_limit` and `planned` are there where they say something."""
        named = {
            "usage": self.usage,
            "embedding_usage": self.embedding_usage,
            "search_usage": self.search_usage,
        }
        usages = {name: asdict(usage) for name, usage in named.items() if usage}
        over_limit = {"over_limit": list(self.over_limit)} if self.over_limit else {}
        planned = {"planned": True} if self.planned else {}
        return {
            "documents": self.counts,
            "chunks": self.chunks,
            "seconds": self.seconds,
            "failures": [asdict(failure) for failure in self.failures],
            "notes": list(self.notes),
            **usages,
            **over_limit,
            **planned,
        }
