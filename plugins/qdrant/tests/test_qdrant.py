"""The plugin `qdrant` beyond what every backend keeps: its places, its formulas, and what can go wrong on the way to a server."""

from __future__ import annotations

import asyncio
import json
import math
import os
import shutil
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from hierdoc import (
    Analyzer,
    AsyncIndex,
    Chunk,
    IndexDamagedError,
    IndexLockedError,
    IndexMismatchError,
    StoreError,
    reciprocal_rank_fusion,
)
from hierdoc.errors import PartialWriteError, PluginLoadError
from hierdoc.filters import Equals
from hierdoc.plugin import Capability, ComponentKind, DocumentVersion, IndexSpec, Record, Registry
from hierdoc_qdrant import QdrantConfig
from hierdoc_qdrant.backend import open_backend
from hierdoc_qdrant.points import keyword, point_id
from hierdoc_qdrant.sparse import Bm25, dimension

SPEC = IndexSpec("embedder", 4)

Scenario = Callable[[Any], Awaitable[Any]]


def record(id: str, text: str = "text", vector: Any = (1, 0, 0, 0), **fields: Any) -> Record:
    chunk = Chunk(fields.pop("source", "doc.md"), text, 0, len(text), 1, 1, id=id, **fields)
    return Record(chunk, DocumentVersion("hash", "pipeline", 1), np.array(vector, np.float32))


def run(config: QdrantConfig, scenario: Scenario, spec: IndexSpec = SPEC, **options: Any) -> Any:
    async def whole() -> Any:
        backend = open_backend(config)
        try:
            await backend.prepare(spec, **options)
            return await scenario(backend)
        finally:
            await backend.aclose()

    return asyncio.run(whole())


async def nothing(backend: Any) -> None:
    """A scenario in which the backend is only opened."""


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Makes pauses short, and tells how long they would have been."""
    pauses: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await real(0)

    monkeypatch.setattr("hierdoc_qdrant.client.asyncio.sleep", sleep)
    return pauses


@pytest.fixture(params=["embedded", "in memory", "server"])
def config(request: pytest.FixtureRequest, tmp_path: Path) -> QdrantConfig:
    if request.param == "server":
        return QdrantConfig(url=request.getfixturevalue("server").url)
    return (
        QdrantConfig(path=tmp_path)
        if request.param == "embedded"
        else QdrantConfig(location=":memory:")
    )


class TestConfiguration:
    @pytest.mark.parametrize("field", ["path", "url", "location"])
    def test_memory_may_be_written_as_any_place(self, field: str) -> None:
        config = QdrantConfig.model_validate({field: ":memory:"})
        assert (config.path, config.url, config.location) == (None, None, ":memory:")

    @pytest.mark.parametrize(
        "fields",
        [
            {"path": "x", "url": "http://host"},
            {"url": "host:6333"},
            {"url": "http://user:secret@host"},
            {"url": "http://user:a/secret@host"},
            {"url": "http://user:a@secret@host"},
            {"url": "http://host:6333?api_key=secret"},
            {"api_key": "secret\u200b"},
            {"api_key": "secret\n"},
            {"collection": "../up"},
            {"collection": ""},
            {"b": 1.1},
            {"k1": -1},
            {"timeout": 0},
            {"adress": "x"},
        ],
    )
    def test_impossible_settings_are_refused_without_showing_them(
        self, fields: dict[str, Any]
    ) -> None:
        with pytest.raises(ValidationError) as caught:
            QdrantConfig.model_validate(fields)
        assert "secret" not in str(caught.value)

    def test_capabilities_are_those_of_the_place(self, tmp_path: Path) -> None:
        def claimed(**fields: Any) -> set[Capability]:
            kept = {Capability.PERSISTENT, Capability.MULTI_PROCESS}
            return set(open_backend(QdrantConfig(**fields)).capabilities) & kept

        assert claimed(location=":memory:") == set()
        assert claimed(path=tmp_path) == {Capability.PERSISTENT}
        assert claimed() == {Capability.PERSISTENT, Capability.MULTI_PROCESS}

    def test_the_key_is_not_shown(self) -> None:
        config = QdrantConfig(url="https://host", api_key="s3cret")  # type: ignore[arg-type]
        assert "s3cret" not in f"{config!r} {config.model_dump_json()}"

    def test_without_qdrant_edge_the_hint_says_how_to_install_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "hierdoc_qdrant.edge", None)
        with pytest.raises(PluginLoadError) as caught:
            open_backend(QdrantConfig(path=tmp_path))
        assert caught.value.hint == "pip install 'hierdoc-qdrant[embedded]'"

    def test_the_top_module_does_not_import_the_libraries(self) -> None:
        code = (
            "import sys, hierdoc_qdrant\n"
            "sys.exit(bool({'qdrant_client', 'qdrant_edge', 'numpy', 'httpx'} & set(sys.modules)))"
        )
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

    def test_the_provider_is_found_by_its_name(self) -> None:
        provider = Registry().find(ComponentKind.VECTOR, "qdrant")
        assert provider.config is QdrantConfig
        assert provider.check is not None


class TestFormulas:
    def test_a_point_has_the_uuid5_of_its_chunk(self) -> None:
        namespace = uuid.UUID("6b1a52f7-1a0c-5c7e-9a0e-0d6f3b8f7c11")
        assert point_id("a/b.md#1") == str(uuid.uuid5(namespace, "a/b.md#1"))
        assert uuid.UUID(point_id("\ud800")).version == 5

    def test_keywords_stay_apart(self) -> None:
        values = ["a", "\x1fa", "\ud800", "\ud801", "x" * 5000, "x" * 5001, keyword("\ud800"), ""]
        assert len({keyword(value) for value in values}) == len(values)

    def test_sparse_vectors_are_bm25_but_for_the_idf(self) -> None:
        vector = Bm25(k1=1.2, b=0.75, average_length=4).document(Counter(["gas", "cost", "gas"]))
        expected = {
            dimension(term): count * 2.2 / (count + 1.2 * (0.25 + 0.75 * 3 / 4))
            for term, count in {"gas": 2, "cost": 1}.items()
        }
        assert dict(zip(vector.indices, vector.values, strict=True)) == pytest.approx(expected)
        assert list(vector.indices) == sorted(vector.indices)

    def test_text_is_scored_by_bm25(self, config: QdrantConfig) -> None:
        """The keyword leg alone ranks as BM25 with this formula does, idf over the collection included."""
        texts = {
            f"{n}": "gas " * (n % 4) + "cost " * (n % 3) + "filler " * (n % 5) for n in range(30)
        }
        analyzer, bm25 = Analyzer(), Bm25()
        terms = {name: analyzer.terms(text) for name, text in texts.items()}
        scores = {}
        for name, held in terms.items():
            values = bm25.document(Counter(held))
            weight = dict(zip(values.indices, values.values, strict=True))
            scores[name] = sum(
                math.log(1 + (30 - count + 0.5) / (count + 0.5)) * weight.get(dimension(term), 0)
                for term in ("gas", "cost")
                for count in [sum(term in one for one in terms.values())]
            )
        expected = sorted((score for score in scores.values() if score), reverse=True)

        async def scenario(backend: Any) -> list[float]:
            await backend.upsert([record(name, text) for name, text in texts.items()])
            weights = {"semantic": 0, "keyword": 1}
            found = await backend.hybrid_search("gas costs", np.ones(4, np.float32), 30, weights)
            return [scores[match.chunk_id] for match in found]

        assert run(config, scenario) == pytest.approx(expected, rel=1e-3)

    @pytest.mark.parametrize("weights", [(0.5, 0.3), (0.1, 0.9), (2.0, 1.0)])
    def test_the_fusion_is_that_of_core(
        self, config: QdrantConfig, weights: tuple[float, float]
    ) -> None:
        names = {"semantic": weights[0], "keyword": weights[1]}
        angles = np.linspace(0, 3, 40)
        records = [
            record(f"{n:02d}", "gas " * (1 + 7 * n % 40), (math.cos(angle), math.sin(angle), 0, 0))
            for n, angle in enumerate(angles)
        ]
        query = np.array([1, 0, 0, 0], np.float32)

        async def scenario(backend: Any) -> None:
            await backend.upsert(records)
            legs = {
                "semantic": await backend.search(query, 100),
                "keyword": await backend.hybrid_search(
                    "gas", query, 100, {"semantic": 0, "keyword": 1}
                ),
            }
            fused = await backend.hybrid_search("gas", query, 100, names)
            ranked = [[match.chunk_id for match in legs[leg]] for leg in names]
            wanted = dict(reciprocal_rank_fusion(ranked, weights=list(weights)))
            assert {one.chunk_id: one.score for one in fused} == pytest.approx(wanted, rel=1e-4)

        run(config, scenario)

    def test_a_leg_without_a_weight_is_an_error(self, config: QdrantConfig) -> None:
        async def scenario(backend: Any) -> None:
            with pytest.raises(ValueError, match="keyword"):
                await backend.hybrid_search("x", np.ones(4, np.float32), 5, {"semantic": 1})

        run(config, scenario)


class TestEmbedded:
    def test_another_process_is_told_that_the_index_is_in_use(self, tmp_path: Path) -> None:
        code = (
            "import asyncio, sys\nfrom pathlib import Path\nfrom hierdoc.plugin import IndexSpec\n"
            "from hierdoc_qdrant import QdrantConfig\nfrom hierdoc_qdrant.backend import open_backend\n"
            "backend = open_backend(QdrantConfig(path=Path(sys.argv[1])))\n"
            "try:\n    asyncio.run(backend.prepare(IndexSpec('embedder', 4), reset=len(sys.argv) > 2))\n"
            "except Exception as error:\n    print(type(error).__name__)\n"
        )

        async def scenario(backend: Any) -> list[str]:
            await backend.upsert([record("a")])
            told = []
            for options in ([], ["reset"]):
                command = [sys.executable, "-c", code, str(tmp_path), *options]
                told.append(
                    subprocess.run(
                        command, capture_output=True, text=True, check=True
                    ).stdout.strip()
                )
            assert await backend.count() == 1
            return told

        assert run(QdrantConfig(path=tmp_path), scenario) == ["IndexLockedError"] * 2

    def test_what_was_written_outlives_a_kill(self, tmp_path: Path) -> None:
        code = (
            "import asyncio, os, signal, sys\nfrom pathlib import Path\nimport numpy as np\n"
            "from hierdoc import Chunk\n"
            "from hierdoc.plugin import IndexSpec, Record, DocumentVersion\n"
            "from hierdoc_qdrant import QdrantConfig\nfrom hierdoc_qdrant.backend import open_backend\n"
            "async def main():\n"
            "    backend = open_backend(QdrantConfig(path=Path(sys.argv[1])))\n"
            "    await backend.prepare(IndexSpec('embedder', 4))\n"
            "    for n in range(300):\n"
            "        chunk = Chunk('doc.md', 'text', 0, 4, 1, 1, id=str(n))\n"
            "        await backend.upsert([Record(chunk, DocumentVersion('h', 'p', 300), np.ones(4, np.float32))])\n"
            "    os.kill(os.getpid(), signal.SIGKILL)\n"
            "asyncio.run(main())\n"
        )
        subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)

        async def scenario(backend: Any) -> None:
            assert await backend.count() == 300
            assert (await backend.documents())["doc.md"].complete

        run(QdrantConfig(path=tmp_path), scenario)

    def test_somebody_elses_folder_is_left_alone(self, tmp_path: Path) -> None:
        theirs = tmp_path / "qdrant" / "hierdoc" / "letter.txt"
        theirs.parent.mkdir(parents=True)
        theirs.write_text("Dear Sir")
        for reset in (False, True):
            with pytest.raises(StoreError, match="not a collection of hierdoc"):
                run(QdrantConfig(path=tmp_path), nothing, reset=reset)
        assert theirs.read_text() == "Dear Sir"

    def test_a_damaged_index_is_named_and_can_be_reset(self, tmp_path: Path) -> None:
        config = QdrantConfig(path=tmp_path)

        async def fill(backend: Any) -> None:
            await backend.upsert([record("a")])

        run(config, fill)
        shutil.rmtree(tmp_path / "qdrant" / "hierdoc" / "shard" / "segments")
        (tmp_path / "qdrant" / "hierdoc" / "shard" / "edge_config.json").write_text("{")
        with pytest.raises(StoreError, match=r"qdrant.hierdoc"):
            run(config, nothing)
        assert run(config, lambda backend: backend.count(), reset=True) == 0

    def test_altered_files_are_not_searched(self, tmp_path: Path) -> None:
        async def fill(backend: Any) -> None:
            await backend.upsert([record("a")])

        run(QdrantConfig(path=tmp_path), fill)
        run(QdrantConfig(path=tmp_path), nothing)  # closed by one that only read, too
        (vectors,) = (tmp_path / "qdrant" / "hierdoc" / "shard").rglob("vectors/chunk_0.mmap")
        with vectors.open("r+b") as file:
            byte = file.read(1)
            file.seek(0)
            file.write(bytes([byte[0] ^ 1]))
        with pytest.raises(IndexDamagedError, match="not what was written"):
            run(QdrantConfig(path=tmp_path), nothing)
        run(QdrantConfig(path=tmp_path), nothing, reset=True)

    @pytest.mark.parametrize("reset", [False, True], ids=["making", "replacing"])
    def test_what_a_kill_leaves_aside_is_removed(self, tmp_path: Path, reset: bool) -> None:
        if reset:
            run(QdrantConfig(path=tmp_path), nothing)
        last = "shutil.rmtree" if reset else "Path.rename"
        code = (
            "import asyncio, os, shutil, signal, sys\n"
            "from pathlib import Path\n"
            "from hierdoc.plugin import IndexSpec\n"
            "from hierdoc_qdrant import QdrantConfig\n"
            "from hierdoc_qdrant.backend import open_backend\n"
            f"{last} = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)\n"
            "backend = open_backend(QdrantConfig(path=Path(sys.argv[1])))\n"
            f"asyncio.run(backend.prepare(IndexSpec('embedder', 4), reset={reset}))\n"
        )
        subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
        left = set(os.listdir(tmp_path / "qdrant")) - {"hierdoc"}
        assert len(left) == 1
        run(QdrantConfig(path=tmp_path), nothing)
        assert os.listdir(tmp_path / "qdrant") == ["hierdoc"]

    def test_another_formula_needs_another_index(self, tmp_path: Path) -> None:
        run(QdrantConfig(path=tmp_path), nothing)
        with pytest.raises(IndexMismatchError, match="bm25"):
            run(QdrantConfig(path=tmp_path, k1=2.0), nothing)

    def test_the_check_finds_a_folder_in_use(self, tmp_path: Path) -> None:
        provider = Registry().find(ComponentKind.VECTOR, "qdrant")
        assert provider.check is not None
        check = provider.check

        async def scenario(backend: Any) -> None:
            with pytest.raises(IndexLockedError):
                await check(QdrantConfig(path=tmp_path))

        asyncio.run(_awaited(check(QdrantConfig(path=tmp_path))))
        run(QdrantConfig(path=tmp_path), scenario)
        asyncio.run(_awaited(check(QdrantConfig(path=tmp_path))))


class TestShapeOfRequests:
    def test_a_collection_is_made_with_both_vectors_and_indexes(self, server: Any) -> None:
        run(QdrantConfig(url=server.url, collection="laws"), nothing)
        (made,) = server.asked("PUT /collections/laws")
        assert made["vectors"]["dense"] == {"size": 4, "distance": "Dot"}
        assert made["sparse_vectors"] == {"text": {"modifier": "idf"}}
        assert made["metadata"]["hierdoc"]["embedder"] == "embedder"
        indexed = {one["field_name"] for one in server.asked("PUT /collections/laws/index")}
        assert {"source", "kind", "section_keys", "parent_chain", "state"} <= indexed

    def test_indexes_that_a_kill_has_kept_from_being_made_are_made_later(self, server: Any) -> None:
        config = QdrantConfig(url=server.url)
        run(config, nothing)
        del server._indexes["hierdoc"]["kind"]
        run(config, nothing)
        last = server.asked("PUT /collections/hierdoc/index")[-1]
        assert last == {"field_name": "kind", "field_schema": "keyword"}

    def test_a_hybrid_search_is_one_request(self, server: Any) -> None:
        async def scenario(backend: Any) -> None:
            await backend.upsert([record("a", "gas")])
            weights = {"semantic": 0.5, "keyword": 0.25}
            await backend.hybrid_search(
                "gas", np.ones(4, np.float32), 5, weights, Equals("kind", "table")
            )

        run(QdrantConfig(url=server.url), scenario)
        (asked,) = server.asked("POST /collections/hierdoc/points/query")
        assert asked["query"]["formula"] == {
            "sum": [{"mult": [0.5, "$score[0]"]}, {"mult": [0.25, "$score[1]"]}]
        }
        by_kind = {"must": [{"key": "kind", "match": {"value": "table"}}]}
        for leg, using in zip(asked["prefetch"], ("dense", "text"), strict=True):
            assert leg["query"] == {"rrf": {"k": 61}}
            (ranking,) = leg["prefetch"]
            assert (ranking["using"], ranking["filter"]) == (using, by_kind)

    def test_records_are_sent_in_batches(self, server: Any) -> None:
        async def scenario(backend: Any) -> None:
            await backend.upsert([record(str(n)) for n in range(25)])

        run(QdrantConfig(url=server.url, batch_size=10), scenario)
        sizes = [len(one["points"]) for one in server.asked("PUT /collections/hierdoc/points")]
        assert sizes == [10, 10, 5]

    @pytest.mark.parametrize("status", [429, 502, 503, 504])
    def test_a_busy_server_is_asked_again(
        self, server: Any, no_pauses: list[float], status: int
    ) -> None:
        async def scenario(backend: Any) -> int:
            busy = ("POST /collections/hierdoc/points/count", status, {}, "busy")
            server.failures += [busy, busy]
            count: int = await backend.count()
            return count

        assert run(QdrantConfig(url=server.url), scenario) == 0
        assert no_pauses == [0.2, 0.4]

    def test_the_server_says_when_to_ask_again(self, server: Any, no_pauses: list[float]) -> None:
        async def scenario(backend: Any) -> None:
            limited = (
                "POST .*/points/count",
                429,
                {"Retry-After": "3"},
                json.dumps({"status": {"error": "rate"}}),
            )
            server.failures += [limited]
            await backend.count()

        run(QdrantConfig(url=server.url), scenario)
        assert no_pauses == [3]

    def test_patience_has_an_end(self, server: Any, no_pauses: list[float]) -> None:
        async def scenario(backend: Any) -> None:
            server.failures += [("POST .*/points/count", 503, {}, "overloaded")] * 3
            with pytest.raises(StoreError, match="503: overloaded"):
                await backend.count()

        run(QdrantConfig(url=server.url, retries=2), scenario)
        assert not server.failures

    def test_a_refused_record_is_named_and_the_others_are_written(self, server: Any) -> None:
        server.refused = "forbidden"

        async def scenario(backend: Any) -> None:
            records = [record(str(n), "forbidden" if n in (3, 17) else "fine") for n in range(20)]
            with pytest.raises(PartialWriteError, match="2 of 20") as caught:
                await backend.upsert(records)
            assert set(caught.value.failed) == {"3", "17"}
            assert all("refused by the test" in one for one in caught.value.failed.values())
            assert await backend.count() == 18

        run(QdrantConfig(url=server.url), scenario)

    def test_where_the_server_fails_half_way_the_rest_is_named(self, server: Any) -> None:
        async def scenario(backend: Any) -> None:
            await backend.upsert([record("before")])
            server.failures += [
                ("PUT .*/points", 200, {}, DONE),
                ("PUT .*/points", 500, {}, "broken disk"),
            ]
            with pytest.raises(PartialWriteError) as caught:
                await backend.upsert([record(str(n)) for n in range(5)])
            assert set(caught.value.failed) == {"2", "3", "4"}

        run(QdrantConfig(url=server.url, batch_size=2), scenario)

    def test_where_nothing_was_written_the_error_is_whole(self, server: Any) -> None:
        async def scenario(backend: Any) -> None:
            server.failures += [("PUT .*/points", 500, {}, "broken disk")]
            with pytest.raises(StoreError, match="500: broken disk") as caught:
                await backend.upsert([record("a")])
            assert not isinstance(caught.value, PartialWriteError)

        run(QdrantConfig(url=server.url), scenario)

    def test_the_key_is_sent_and_never_told(self, server: Any) -> None:
        server.api_key = "s3cret"
        right = QdrantConfig(url=server.url, api_key="s3cret")  # type: ignore[arg-type]
        run(right, nothing)
        wrong = QdrantConfig(url=server.url, api_key="wr0ng")  # type: ignore[arg-type]
        server.failures += [("GET /", 403, {}, "the key wr0ng is not known")]
        with pytest.raises(StoreError, match="403") as caught:
            run(wrong, nothing)
        assert "wr0ng" not in str(caught.value)
        assert "api_key" in str(caught.value.hint)

    def test_no_server_is_a_clear_error(self) -> None:
        with pytest.raises(StoreError, match=r"127\.0\.0\.1:9: it cannot be reached") as caught:
            run(QdrantConfig(url="http://127.0.0.1:9", retries=0), nothing)
        assert caught.value.hint == "Start the server, or check `url`."

    def test_what_is_no_qdrant_is_a_clear_error(self, server: Any) -> None:
        server.failures += [("GET /", 200, {}, json.dumps({"name": "something else"}))]
        with pytest.raises(StoreError, match="no Qdrant"):
            run(QdrantConfig(url=server.url), nothing)

    def test_an_old_server_is_a_clear_error(self, server: Any) -> None:
        server.version = "1.12.4"
        with pytest.raises(StoreError, match=r"1\.12\.4; it must be 1\.16 or later"):
            run(QdrantConfig(url=server.url), nothing)

    def test_somebody_elses_collection_is_left_alone(self, server: Any) -> None:
        server._create("hierdoc", {"vectors": {"size": 4, "distance": "Cosine"}})
        for reset in (False, True):
            with pytest.raises(StoreError, match="not made by hierdoc"):
                run(QdrantConfig(url=server.url), nothing, reset=reset)
        assert not server.asked("DELETE .*")

    def test_the_check_asks_for_the_version(self, server: Any) -> None:
        provider = Registry().find(ComponentKind.VECTOR, "qdrant")
        assert provider.check is not None
        asyncio.run(_awaited(provider.check(QdrantConfig(url=server.url))))
        server.version = "1.0.0"
        with pytest.raises(StoreError, match=r"1\.0\.0"):
            asyncio.run(_awaited(provider.check(QdrantConfig(url=server.url))))


DONE = json.dumps({"result": {"operation_id": 0, "status": "completed"}, "status": "ok", "time": 0})


async def _awaited(work: Awaitable[Any]) -> Any:
    return await work


def test_the_whole_way_on_real_documents(
    config: QdrantConfig, shared_data: Path, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for file in sorted((shared_data / "technical" / "eips").glob("*.md"))[:12]:
        shutil.copy(file, docs)
    first = sorted(docs.iterdir())[0]
    vector = config.model_dump(exclude_defaults=True) | {"provider": "qdrant"}
    settings: Mapping[str, Any] = {"source": str(docs), "vector": vector, "keyword": "in-memory"}

    async def whole() -> None:
        async with AsyncIndex.open(settings) as index:
            report = await index.ingest()
            assert report.counts["added"] == 12
            assert not report.failures
            for mode in ("hybrid", "semantic", "keyword", "exact"):
                result = await index.search(
                    "Rationale" if mode == "exact" else "gas cost of storage", mode=mode
                )
                assert result.hits, mode
                assert not result.degraded
            changed = (
                first.read_text("utf-8") + "\n\n## Zanzibar\n\nThe zanzibar clause stands here.\n"
            )
            first.write_text(changed, "utf-8")
            sorted(docs.iterdir())[1].unlink()
            report = await index.ingest()
            assert (report.counts["updated"], report.counts["removed"]) == (1, 1)
            assert report.embedded < 10
            hit = (await index.search("zanzibar clause")).hits[0]
            assert "zanzibar" in hit.chunk.text
            count = await index.count()
            if config.location:
                return
        async with AsyncIndex.open(settings) as index:
            assert (await index.ingest()).counts["unchanged"] == 11
            assert await index.count() == count
            await index.remove(hit.chunk.source)
            assert hit.chunk.source not in await index.documents()

    asyncio.run(whole())
