"""The table of an index: what it was made for, how it is made, and what ties with the last of its answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from lancedb.index import FTS, BTree, LabelList

from hierdoc_lancedb import rows

SCHEMA_VERSION = 2
"""Raised with every change of the columns or of what stands in them."""


async def create(connection: Any, name: str, made_for: Mapping[str, Any]) -> Any:
    """A new table with its indexes."""
    schema = rows.schema(made_for["dimensions"], json.dumps(made_for))
    table = await connection.create_table(name, schema=schema)
    await make_indexes(table, words=bool(made_for["words"]))
    return table


async def make_indexes(table: Any, *, words: bool) -> None:
    """Make the indexes of a table from its rows, in place of those that it has; that of the words only if asked."""
    for column in ("key", "document"):
        await table.create_index(column, config=BTree(), replace=True)
    await table.create_index("tags", config=LabelList(), replace=True)
    if words:  # the terms are final: nothing is to be folded, stemmed or dropped
        whole = FTS(
            base_tokenizer="whitespace",
            max_token_length=None,
            lower_case=False,
            stem=False,
            remove_stop_words=False,
            ascii_folding=False,
        )
        await table.create_index("terms", config=whole, replace=True)


async def with_ties(nearest: Callable[[int], Any], limit: int) -> list[tuple[float, str]]:
    """The `limit` nearest and all that are as far as the last of them."""
    wanted = limit + 1
    while limit > 0:
        found: list[tuple[float, str]] = await nearest(wanted)
        if len(found) < wanted or found[-1][0] > found[limit - 1][0]:
            return found
        wanted *= 4
    return []
