"""Whether a search has found what was asked for, as far as words can tell.

Two things are looked at: how much of the query the best passage holds, kindred words and parts of compounds counted in part,
and how much of it is known at all, to any passage of the index. Every word of a question may be known and no passage hold
two of them; a question about something else has words that stand nowhere. The more passages there are, the more of any
question some passage holds by chance, so the more is asked for.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Sequence

from hierdoc.components import Components
from hierdoc.filters import Filter
from hierdoc.plugin.protocols import KeywordBackend
from hierdoc.plugin.records import Record
from hierdoc.search.evidence import Evidence

logger = logging.getLogger("hierdoc")

_KNOWN = 0.5
"""What a word counts that is known anywhere, beside 1 for one that the best passage has: see the page on search quality."""

_ENOUGH, _MORE, _MOST = 0.52, 0.1, 0.75
"""What is asked for of an index of 100 passages, for each tenfold more, and of the largest."""

_MOST_WORDS = 16
"""Words that are looked up; a query that lacks more of them in its best passages is a text of its own."""


async def is_thin(
    evidence: Evidence,
    examined: Sequence[Record],
    components: Components,
    keyword: KeywordBackend | None,
    filter: Filter | None,
) -> bool:
    """Whether the evidence is thin.

    Args:
        evidence: Of the query.
        examined: The best passages, fused and by keyword.
        components: Its vector backend tells how many passages there are.
        keyword: Tells of words whether any passage has them; without it the examined ones alone do.
        filter: Of the search.
    """
    known = evidence.known(examined)
    held = max(map(evidence.coverage, examined), default=0.0)
    if held + _KNOWN * known >= _MOST:
        return False
    held = max(map(evidence.kinship, examined), default=0.0)
    if not held:
        return True
    try:
        enough = wanted_of(await components.vector.count())
        if held + _KNOWN * known >= enough or held + _KNOWN < enough:
            return held + _KNOWN * known < enough
        words = evidence.missing_words(examined)
        if keyword is None or len(words) > _MOST_WORDS:
            return True
        found = await asyncio.gather(*(keyword.search(word, 1, filter) for word in words))
    except Exception as error:  # of any backend, after its leg has answered: the hits stand
        logger.warning("whether the words are known cannot be told: %s", error)
        return True
    known += sum(share for share, some in zip(words.values(), found, strict=True) if some)
    return held + _KNOWN * known < enough


def wanted_of(passages: int) -> float:
    """What the words of a query have to come to in an index of so many passages."""
    return min(_MOST, _ENOUGH + _MORE * (math.log10(max(passages, 1)) - 2))
