"""Real nodes that are killed and come back, or lack plugins, and a cluster of three: each test starts its own, which takes seconds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import pytest

from hierdoc import AsyncIndex, Chunk, HierdocError
from hierdoc.plugin import DocumentVersion, IndexSpec, Record
from hierdoc_opensearch import OpenSearchVectorConfig
from hierdoc_opensearch.vector import OpenSearchVectorBackend

pytestmark = [pytest.mark.nightly, pytest.mark.xdist_group("opensearch")]

QUERY = "the berth of ship 7"


def write(folder: Path, version: int, documents: int = 30) -> None:
    """Documents that all have other text in each version."""
    folder.mkdir(exist_ok=True)
    for number in range(documents):
        sections = [
            f"## Section {one}\n\nThe berth of ship {number} has length {one * (version + 2)}.\n"
            for one in range(1, 12)
        ]
        (folder / f"act-{number}.md").write_text(f"# Act {number}\n\n" + "\n".join(sections))


def configured(folder: Path, url: Any, **fields: Any) -> dict[str, Any]:
    store = {"provider": "opensearch", "url": url, "timeout": 60, "retries": 1, **fields}
    return {"source": str(folder), "embedder": "static", "vector": store, "keyword": store}


async def contents(config: Mapping[str, Any]) -> tuple[set[str], set[str], Any]:
    """The ids of all chunks in both stores, and those of a search by words; scores depend on what was deleted and not yet merged."""
    async with AsyncIndex.open(config) as index:
        if config["vector"] == "in-memory":
            await index.ingest()
        chunks = {chunk.id for chunk in await index.chunks()}
        keyword = index._components.keyword
        assert keyword is not None
        words = {match.chunk_id for match in await keyword.search("berth", 10_000)}
        result = await index.search(QUERY, mode="keyword")
        assert not result.degraded
        return chunks, words, [hit.chunk.id for hit in result.hits]


async def ended(work: Coroutine[Any, Any, Any]) -> Any:
    """What comes of it, or, where it is not all well, how it says so."""
    try:
        done = await work
    except HierdocError as error:
        return "error" if error.hint else f"no way out of {error}"
    if getattr(done, "failures", ()):
        return "failures"
    return "degraded" if getattr(done, "degraded", ()) else done


@pytest.mark.parametrize("after", [1, 12, 29])
def test_a_kill_in_the_middle_of_an_ingest_loses_nothing(
    tmp_path: Path, start_server: Callable[..., Any], after: int, count_faults: Any
) -> None:
    corpus = tmp_path / "corpus"
    server = start_server("opensearch")
    config = configured(corpus, server.url)

    async def work() -> None:
        write(corpus, 0)
        async with AsyncIndex.open(config) as index:
            assert not (await index.ingest()).failures
        write(corpus, 1)

        def progress(done: int, total: int, name: str) -> None:
            if done == after:
                server.kill()

        async with AsyncIndex.open(config) as index:
            assert await ended(index.ingest(progress=progress)) in ("error", "failures")
        server.start()
        async with AsyncIndex.open(config) as index:
            assert not (await index.ingest()).failures
        memory = {**config, "vector": "in-memory", "keyword": "in-memory"}
        assert await contents(config) == await contents(memory)

    asyncio.run(work())
    count_faults("kill, `opensearch` node", 1, 0)


def test_a_kill_in_the_middle_of_searches_is_told_and_then_forgotten(
    tmp_path: Path, start_server: Callable[..., Any], count_faults: Any
) -> None:
    server = start_server("opensearch")
    write(tmp_path / "corpus", 0)

    async def found(index: AsyncIndex) -> Any:
        """The hits of a search, or how it says that there are none."""
        result = await ended(index.search(QUERY))
        return result if isinstance(result, str) else [hit.chunk.id for hit in result.hits]

    async def work() -> None:
        async with AsyncIndex.open(configured(tmp_path / "corpus", server.url)) as index:
            await index.ingest()
            before = await found(index)
            assert isinstance(before, list)
            searches = [asyncio.create_task(found(index)) for _ in range(50)]
            await asyncio.wait(searches, return_when=asyncio.FIRST_COMPLETED)
            server.kill()
            ends = [*await asyncio.gather(*searches), await found(index)]
            assert ends[-1] in ("error", "degraded")
            assert all(end in ("error", "degraded", before) for end in ends)
            await asyncio.to_thread(server.start)
            assert await found(index) == before

    asyncio.run(work())
    count_faults("kill, `opensearch` node", 1, 0)


def test_a_cluster_goes_on_without_one_of_its_nodes(
    tmp_path: Path, start_server: Callable[..., Any], servers: Any, count_faults: Any
) -> None:
    corpus = tmp_path / "corpus"
    nodes = three_nodes(tmp_path, start_server, servers)
    urls = [node.url for node in nodes]
    searches: list[Any] = []
    config = configured(corpus, urls, shards=3, replicas=1, timeout=30, retries=6)

    async def work() -> None:
        write(corpus, 0)
        async with AsyncIndex.open(config) as index:
            assert not (await index.ingest()).failures
        write(corpus, 1)
        manager = next(node for node in nodes if manages(node.url))

        def progress(done: int, total: int, name: str) -> None:
            if done == 12:
                manager.kill()

        async with AsyncIndex.open(config) as index, AsyncIndex.open(config) as searched:
            ingest = asyncio.create_task(index.ingest(progress=progress))
            while not ingest.done():
                result = await searched.search(QUERY)
                # The ingest takes all of a document out before it puts the new one in; a search tells of what is missing.
                assert {one.leg for one in result.degraded} <= {"index"}
                assert result.hits or result.degraded
                searches.append(result)
            assert not (await ingest).failures
        memory = {**config, "vector": "in-memory", "keyword": "in-memory"}
        held, wanted = await contents(config), await contents(memory)
        assert held[:2] == wanted[:2]

    asyncio.run(work())
    assert len(searches) > 10
    count_faults("kill, one of three `opensearch` nodes", 1, 0)


def three_nodes(folder: Path, start_server: Callable[..., Any], servers: Any) -> list[Any]:
    """Three nodes, each a process of its own, of one cluster."""
    ports = [servers.ports(folder / f"server-{number}", 2) for number in range(3)]
    cluster = ",".join(str(transport) for _, transport in ports)
    given = {"OPENSEARCH_CLUSTER": cluster, "OPENSEARCH_HEAP": "450m"}
    with ThreadPoolExecutor(3) as pool:  # none answers before two are there
        starts = [pool.submit(start_server, "opensearch", **given) for _ in range(3)]
        return [start.result() for start in starts]


def manages(url: str) -> bool:
    """Whether the node at this address is the one that all have elected."""
    with urlopen(f"{url}/_cluster/state/cluster_manager_node") as answer:
        elected = json.load(answer)["cluster_manager_node"]
    with urlopen(f"{url}/_nodes/_local?filter_path=nodes.*.name") as answer:
        return elected in json.load(answer)["nodes"]


def test_the_cluster_and_hierdoc_fuse_alike(start_server: Callable[..., Any]) -> None:
    url = start_server("opensearch").url
    query = np.array([0.3, 1, 0.1, 0], np.float32)
    weights = {"semantic": 0.3, "keyword": 0.6}
    texts = ["gas " * n + "oil " * (20 - n) for n in range(20)]
    records = [
        Record(
            Chunk("doc.md", text, 0, len(text), 1, 1, id=str(n), ordinal=n),
            DocumentVersion("hash", "pipeline", 20),
            np.array([1, n, n % 3, 0], np.float32),
        )
        for n, text in enumerate(texts)
    ]

    async def work() -> None:
        backend = OpenSearchVectorBackend(OpenSearchVectorConfig(url=url))
        try:
            await backend.prepare(IndexSpec("embedder", 4))
            await backend.upsert(records)
            by_cluster = await backend.hybrid_search("gas", query, 20, weights)
            backend._cluster = replace(backend._cluster, hybrid=False)
            here = await backend.hybrid_search("gas", query, 20, weights)
        finally:
            await backend.aclose()
        assert len(here) == 20
        assert [one.chunk_id for one in here] == [one.chunk_id for one in by_cluster]
        scores = [one.score for one in by_cluster]
        assert [one.score for one in here] == pytest.approx(scores, abs=1e-5)

    asyncio.run(work())


@pytest.mark.parametrize(
    ("plugins", "told"),
    [
        ("opensearch-knn", "with k-NN, without neural-search; hierdoc fuses by normalization"),
        ("", "it has no plugin k-NN"),
    ],
    ids=["k-NN alone", "no plugin"],
)
def test_a_node_that_lacks_plugins_is_used_for_what_it_can(
    tmp_path: Path, start_server: Callable[..., Any], plugins: str, told: str, run: Any
) -> None:
    server = start_server("opensearch", OPENSEARCH_PLUGINS=plugins)
    write(tmp_path / "corpus", 0)
    config = configured(tmp_path / "corpus", server.url)
    (tmp_path / "hierdoc.yaml").write_text(json.dumps(config))
    doctor = run("doctor")
    assert told in " ".join(doctor.stdout.split())
    if not plugins:
        config["vector"] = {"provider": "sqlite", "path": str(tmp_path / "index")}

    async def work() -> None:
        async with AsyncIndex.open(config) as index:
            assert not (await index.ingest()).failures
            for mode in ("hybrid", "keyword", "semantic"):
                result = await index.search(QUERY, mode=mode)
                assert "ship 7" in result.hits[0].chunk.text
                assert not result.degraded

    asyncio.run(work())
