"""Look-ups in the store, put together so that a search asks once for all that it looks up."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from hierdoc.filters import Filter
from hierdoc.plugin.protocols import SupportsFindEach, VectorBackend
from hierdoc.plugin.records import Record


@dataclass(frozen=True, slots=True)
class LookUp:
    """The first records that a filter selects.

    Attributes:
        filter: Which records.
        limit: How many at most.
        key: The key of the section that it looks for, where it looks for one.
        meant: The key that the query means by it: another one where it looks for what encloses that.
        cited: The key of the citation, which may mean one or the other.
        meaning: Which of the citation's meanings that is, 0 the likeliest.
    """

    filter: Filter
    limit: int
    key: str = ""
    meant: str = ""
    cited: str = ""
    meaning: int = 0


Alternatives = Sequence[LookUp]
"""Of these the first that finds something counts."""

Stage = Sequence[Alternatives]
"""Look-ups that count together."""

Found = list[tuple[LookUp, Sequence[Record]]]


async def first_found(vector: VectorBackend, questions: Sequence[Sequence[Stage]]) -> list[Found]:
    """For each question what the first of its stages finds in which anything is found.

    A store that takes several look-ups in one call is asked once for all of them; of another one only what is still open is asked.

    Args:
        vector: Holds the records.
        questions: Each a sequence of stages, the narrowest first.

    Raises:
        CapabilityError: A filter uses an operator that the store does not claim.
    """
    if not isinstance(vector, SupportsFindEach):
        return await asyncio.gather(*(_one_by_one(vector, stages) for stages in questions))
    every = [
        one for stages in questions for stage in stages for options in stage for one in options
    ]
    if not every:
        return [[] for _ in questions]
    found = await vector.find_each([(one.filter, one.limit) for one in every])
    answers = {id(one): records for one, records in zip(every, found, strict=True)}
    return [
        next(
            (some for stage in stages if (some := _first_of(stage, answers))),
            [],
        )
        for stages in questions
    ]


def _first_of(stage: Stage, answers: dict[int, Sequence[Record]]) -> Found:
    found: Found = []
    for options in stage:
        for one in options:
            if records := answers[id(one)]:
                found.append((one, records))
                break
    return found


async def _one_by_one(vector: VectorBackend, stages: Sequence[Stage]) -> Found:
    for stage in stages:
        each = await asyncio.gather(*(_first(vector, options) for options in stage))
        if found := [one for one in each if one is not None]:
            return found
    return []


async def _first(
    vector: VectorBackend, options: Alternatives
) -> tuple[LookUp, Sequence[Record]] | None:
    for one in options:
        if records := await vector.find(one.filter, one.limit):
            return one, records
    return None
