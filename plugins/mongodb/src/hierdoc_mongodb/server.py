"""What a server can do: whether it fuses rankings, and what `hierdoc doctor` says of it."""

from __future__ import annotations

from collections.abc import Sequence

from hierdoc_mongodb import MongoConfig, MongoVectorConfig
from hierdoc_mongodb.connection import BUSY, Connection, Database, RefusedError
from hierdoc_mongodb.fields import VECTORS, fused, scored, tokens, with_words

NO_FUSION = (224, 17308, 40218, 40324)
"""Codes of a server that knows no `$rankFusion`, may not use it, or does not tell its scores."""

_NO_COLLECTION = 26
"""The code of a server that wants a collection to be there before it tells of its indexes."""

_NOT_THERE = "hierdoc-none"
"""A collection that nobody makes."""


async def fuses(connection: Connection) -> bool:
    """Whether a server fuses rankings and tells their scores: it is asked for those of a collection that is not there."""
    by_vector = [
        {
            "$vectorSearch": {
                "index": VECTORS,
                "path": "vector",
                "queryVector": [1.0],
                "exact": True,
                "limit": 1,
            }
        }
    ]
    stages = [
        *fused(by_vector, [*with_words(tokens(["any"]), None), {"$limit": 1}], 1.0, 1.0),
        scored("score"),
    ]

    async def request(database: Database) -> None:
        await (await database[_NOT_THERE].aggregate(stages)).to_list()

    try:
        await connection.ask(request)
    except RefusedError as error:
        if error.code in BUSY:
            raise
        return False
    return True


async def check(config: MongoConfig) -> str:
    """Raise `StoreError` where the server does not answer, refuses the user or cannot search; else say what is there, and who fuses."""
    connection = Connection(config)
    names = [f"{config.collection}-{kind}" for kind in ("keyword", "vector")]

    async def has_indexes(name: str) -> bool:
        async def listed(database: Database) -> Sequence[object]:
            return await (await database[name].aggregate([{"$listSearchIndexes": {}}])).to_list()

        try:
            return bool(await connection.ask(listed))
        except RefusedError as error:
            if error.code != _NO_COLLECTION:
                raise
            return False

    try:
        version = (await connection.ask(lambda of: of.command("buildInfo"))).get("version")
        told = [f"MongoDB {version}"]
        there = [name for name in names if await has_indexes(name)]
        if isinstance(config, MongoVectorConfig):
            fusing = await fuses(connection)
            told.append(
                f"{'it' if fusing else 'without $rankFusion, so hierdoc'} fuses hybrid searches"
            )
    finally:
        await connection.aclose()
    told.append(
        f"collections: {', '.join(there)}"
        if there
        else "no collection yet: the first ingest makes one"
    )
    return "; ".join(told)
