"""Stores that last and are wrong on purpose, each over a real SQLite file: the conformance kit fails every one."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hierdoc import Filter, IndexLockedError
from hierdoc.filters import Equals
from hierdoc.plugin import DocumentState, IndexSpec, Record
from hierdoc_sqlite.backend import SqliteVectorBackend
from hierdoc_testing import SPEC, VectorBackendTests, failing_tests


class Right(SqliteVectorBackend):
    """Right, to be made wrong."""

    caught_by = ""


class ReplacesInTwoTransactions(Right):
    caught_by = "test_a_replacement_that_is_killed_leaves_the_old_or_the_new"

    async def replace_documents(self, records: Sequence[Record]) -> None:
        await self.delete_documents([*{one.chunk.source for one in records}])
        await self.upsert(records)


class ReplacesInPortions(Right):
    caught_by = "test_a_replacement_that_is_killed_leaves_the_old_or_the_new"

    async def replace_documents(self, records: Sequence[Record]) -> None:
        await super().replace_documents(records[:100])
        for start in range(100, len(records), 100):
            await asyncio.sleep(0.01)  # the way to a server and back
            await self.upsert(records[start : start + 100])


class DeletesWhenAllIsWritten(Right):
    caught_by = "test_a_replacement_that_is_killed_leaves_the_old_or_the_new"

    async def replace_documents(self, records: Sequence[Record]) -> None:
        await self.upsert(records)
        await super().replace_documents(records)


class ReplacesInMemory(Right):
    """What was replaced last is back once the store is opened again, as if nothing had been committed."""

    caught_by = "test_replaced_documents_are_there_after_reopening"
    before: tuple[Record, ...] = ()
    replaced: tuple[str, ...] = ()

    async def replace_documents(self, records: Sequence[Record]) -> None:
        self.replaced = tuple(dict.fromkeys(one.chunk.source for one in records))
        held = [await self.find(Equals("source", one), 10_000) for one in self.replaced]
        ids = [record.id for found in held for record in found]
        self.before = tuple(await self.get(ids, vectors=True))
        await super().replace_documents(records)

    async def aclose(self) -> None:
        replaced, self.replaced = self.replaced, ()
        if replaced:
            await self.delete_documents(replaced)
            await self.upsert(self.before)
        await super().aclose()


class ForgetsWhatWasWrittenLast(Right):
    caught_by = "test_what_is_persistent_is_there_after_reopening"
    last: tuple[str, ...] = ()

    async def upsert(self, records: Sequence[Record]) -> None:
        await super().upsert(records)
        self.last = tuple({one.chunk.source for one in records})

    async def aclose(self) -> None:
        last, self.last = self.last, ()
        if last:
            await self.delete_documents(last)
        await super().aclose()


class _ToldWithinTheProcess(Right):
    """Keeps what it read until somebody of this process writes."""

    writes: ClassVar[list[int]] = [0]

    async def upsert(self, records: Sequence[Record]) -> None:
        await super().upsert(records)
        self.writes[0] += 1

    async def delete_documents(self, sources: Sequence[str]) -> None:
        await super().delete_documents(sources)
        self.writes[0] += 1


class SearchesWhatItRead(_ToldWithinTheProcess):
    caught_by = "test_a_second_process_sees_what_is_written"
    kept: Any = None

    async def search(self, vector: Any, limit: int, filter: Filter | None = None) -> Any:
        key = (tuple(self.writes), limit, repr(filter))
        if self.kept is None or self.kept[0] != key:
            self.kept = key, await super().search(vector, limit, filter)
        return self.kept[1]


class CountsWhatItRead(_ToldWithinTheProcess):
    caught_by = "test_a_second_process_sees_what_is_written"
    kept: Any = None

    async def documents(self) -> Any:
        key = tuple(self.writes)
        if self.kept is None or self.kept[0] != key:
            self.kept = key, await super().documents()
        held: dict[str, DocumentState] = self.kept[1]
        return held


class LocksOthersOut(Right):
    """Lets in whoever is of the same process."""

    caught_by = "test_a_second_process_sees_what_is_written"

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        await super().prepare(spec, reset=reset)
        self.file = os.open(Path(self._path).with_suffix(".lock"), os.O_CREAT | os.O_RDWR)
        try:
            fcntl.lockf(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise IndexLockedError("another process has it open") from error

    async def aclose(self) -> None:
        with contextlib.suppress(AttributeError, OSError):
            os.close(self.file)
        await super().aclose()


class TakesAnySpecWhenReopened(Right):
    caught_by = "test_what_is_persistent_refuses_another_spec"

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        await super().prepare(spec if reset else SPEC, reset=reset)


MUTANTS = [
    one
    for one in list(globals().values())
    if isinstance(one, type) and getattr(one, "caught_by", "")
]
SECOND_PROCESSES = ("second_process", "that_is_killed")


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(
            one,
            id=one.__name__,
            marks=[pytest.mark.nightly]
            if any(word in one.caught_by for word in SECOND_PROCESSES)
            else [],
        )
        for one in MUTANTS
    ],
)
def test_the_kit_fails_it(
    mutant: Any, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    record_property("caught by", mutant.caught_by)
    found = failing_tests(
        VectorBackendTests,
        lambda collection: mutant(tmp_path / collection),
        only=[mutant.caught_by],
    )
    assert list(found) == [mutant.caught_by]
    assert "taken to a second process" not in found[mutant.caught_by]
