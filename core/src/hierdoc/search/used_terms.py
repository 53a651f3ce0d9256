"""Definitions of the terms that a query uses, looked up in the store."""

from __future__ import annotations

from hierdoc.errors import CapabilityError
from hierdoc.filters import Contains, Or
from hierdoc.models import Definition
from hierdoc.plugin.protocols import VectorBackend
from hierdoc.text.stemming import stop_words


async def used_terms(vector: VectorBackend, query: str) -> tuple[Definition, ...]:
    """Definitions of terms that the query uses, of the longest terms first; none where the store cannot look them up."""
    words = query.casefold().split()[:_QUERY_WORDS]
    words = [word.strip("\"'“”‘’„«».,;:!?()") for word in words]
    terms = {
        " ".join(words[start : start + length])
        for length in range(1, _LONGEST_TERM + 1)
        for start in range(len(words) - length + 1)
        if words[start] not in _FUNCTION_WORDS and words[start + length - 1] not in _FUNCTION_WORDS
    } - {""}
    if not terms:
        return ()
    any_term = Or(*(Contains("terms", term) for term in sorted(terms)))
    try:
        records = await vector.find(any_term, 4 * _MOST)
    except CapabilityError:
        return ()
    found = {one for record in records for one in record.chunk.definitions}
    used = [one for one in found if one.term.casefold() in terms]
    used.sort(key=lambda one: (-len(one.term), one.term, one.source, one.text))
    return tuple(used[:_MOST])


_LONGEST_TERM = 4
"""Words of a defined term that the query is searched for."""

_QUERY_WORDS = 24
"""Words of the query in which defined terms are looked for."""

_MOST = 5
"""Definitions attached to a hit at most."""

_FUNCTION_WORDS = stop_words(("en",))
"""No defined term begins or ends with one, or they would outnumber the others."""
