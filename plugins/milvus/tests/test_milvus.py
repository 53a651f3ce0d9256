"""What the backends of `milvus` make of failures, folders and strangers: on Milvus Lite, in this process and in one of its own."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import grpc
import pytest
from pydantic import ValidationError

from hierdoc import IndexDamagedError, IndexLockedError, IndexMismatchError, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.plugin import Capability, ComponentKind, Registry
from hierdoc_milvus import MilvusConfig, MilvusVectorConfig, connection
from hierdoc_milvus.keyword import MilvusKeywordBackend
from hierdoc_milvus.rows import MOST_BYTES, token, words_of
from hierdoc_milvus.vector import MilvusVectorBackend
from hierdoc_testing.corpus import SPEC, make_record

Scenario = Callable[[Any], Awaitable[Any]]

lite = pytest.mark.skipif(find_spec("milvus_lite") is None, reason="milvus-lite is not installed")


def run(backend: Any, scenario: Scenario, **options: Any) -> Any:
    async def whole() -> Any:
        try:
            await backend.prepare(SPEC, **options)
            return await scenario(backend)
        finally:
            await backend.aclose()

    return asyncio.run(whole())


def vector(**fields: Any) -> MilvusVectorBackend:
    if "uri" in fields:
        fields["collection"] = f"test_{uuid4().hex}"
    return MilvusVectorBackend(MilvusVectorConfig(**fields))


async def count(backend: Any) -> int:
    found: int = await backend.count()
    return found


async def fill(backend: Any) -> None:
    await backend.upsert([make_record("a")])


def flip(file: Path) -> None:
    """Alter one bit in the middle of a file."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


class TestConfiguration:
    @pytest.mark.parametrize(
        "fields",
        [
            {"uri": "localhost:19530"},
            {"uri": "http://root:Milvus@localhost:19530"},
            {"path": "index", "uri": "http://localhost:19530"},
            {"collection": "my laws"},
            {"token": "schlüssel"},
        ],
    )
    def test_wrong_fields_are_refused(self, fields: dict[str, str]) -> None:
        with pytest.raises(ValidationError):
            MilvusConfig(**fields)  # type: ignore[arg-type]

    def test_only_a_server_serves_several_processes(self, tmp_path: Path) -> None:
        assert Capability.MULTI_PROCESS not in vector(path=tmp_path).capabilities
        assert Capability.MULTI_PROCESS in vector().capabilities

    def test_weights_are_asked_for(self) -> None:
        for weights in ({"semantic": 1}, {"semantic": 1, "keyword": -1}):
            with pytest.raises(ValueError, match="'keyword'"):
                asyncio.run(vector().hybrid_search("x", None, 5, weights))  # type: ignore[arg-type]


class TestWords:
    def test_each_term_counts_as_often_as_it_is_there(self) -> None:
        words = words_of({"berth": 2, "§": 1}).split()
        assert Counter(words) == {token("berth"): 2, token("§"): 1}
        assert all(word.isalnum() and word.islower() and len(word) == 8 for word in words)

    def test_of_long_texts_each_term_counts_for_less(self) -> None:
        words = words_of({"often": 90_000, "seldom": 3})
        assert len(words) <= MOST_BYTES
        counted = Counter(words.split())
        assert counted[token("often")] > 3000
        assert counted[token("seldom")] == 1

    def test_of_a_text_with_too_many_terms_some_are_left_out(self) -> None:
        assert len(words_of({f"term{n}": 1 for n in range(9000)})) <= MOST_BYTES


@lite
@pytest.mark.nightly  # a Milvus Lite takes a second to start
class TestFolder:
    def test_both_backends_share_a_folder(self, tmp_path: Path) -> None:
        async def both() -> int:
            keyword = MilvusKeywordBackend(MilvusConfig(path=tmp_path))
            other = vector(path=tmp_path)
            await keyword.prepare(SPEC)
            await other.prepare(SPEC)
            await other.upsert([make_record("a"), make_record("b")])
            await other.aclose()
            await keyword.upsert([make_record("a")])
            found = await keyword.count()
            await keyword.aclose()
            return int(found)

        assert asyncio.run(both()) == 1
        assert run(vector(path=tmp_path), count) == 2

    def test_another_process_that_has_the_folder_open_is_named(self, tmp_path: Path) -> None:
        fcntl = pytest.importorskip("fcntl")
        run(vector(path=tmp_path), count)
        with (tmp_path / "milvus.db" / "LOCK").open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with pytest.raises(
                IndexLockedError, match=r"another process has .*milvus\.db open"
            ) as caught:
                run(vector(path=tmp_path), count)
            assert caught.value.hint

    def test_somebody_elses_collection_is_left_alone(self, tmp_path: Path) -> None:
        async def strange(backend: Any) -> None:
            client = backend._collection.connection.client
            client.create_collection("foreign_vector", dimension=4)

        run(vector(path=tmp_path), strange)
        for reset in (False, True):
            with pytest.raises(StoreError, match="was not made by hierdoc"):
                run(vector(path=tmp_path, collection="foreign"), count, reset=reset)

    def test_another_formula_is_refused(self, tmp_path: Path) -> None:
        run(vector(path=tmp_path), count)
        with pytest.raises(IndexMismatchError, match="bm25"):
            run(vector(path=tmp_path, b=0.5), count)
        assert run(vector(path=tmp_path, b=0.5), count, reset=True) == 0

    @pytest.mark.parametrize("spoil", [flip, Path.unlink], ids=["altered", "gone"])
    @pytest.mark.parametrize("name", ["*.parquet", "schema.json"])
    def test_a_damaged_collection_is_not_searched_and_can_be_made_anew(
        self, tmp_path: Path, name: str, spoil: Callable[[Path], None]
    ) -> None:
        run(vector(path=tmp_path), fill)
        run(vector(path=tmp_path, collection="other"), fill)
        run(vector(path=tmp_path), count)  # closed by one that only read, too
        (file,) = (tmp_path / "milvus.db" / "collections" / "hierdoc_vector").rglob(name)
        spoil(file)
        for _ in range(2):
            with pytest.raises(
                IndexDamagedError, match=r"'hierdoc_vector' .* is damaged"
            ) as caught:
                run(vector(path=tmp_path), count)
            assert caught.value.hint
        assert run(vector(path=tmp_path, collection="other"), count) == 1
        run(vector(path=tmp_path), fill, reset=True)
        assert run(vector(path=tmp_path), count) == 1

    def test_a_process_that_is_killed_leaves_no_checksums(self, tmp_path: Path) -> None:
        async def killed(backend: Any) -> None:
            await fill(backend)
            (process, *_) = connection._LITE._running[(tmp_path / "milvus.db").absolute()]
            process.kill()

        run(vector(path=tmp_path), count)
        run(vector(path=tmp_path), killed)
        assert run(vector(path=tmp_path), count) == 1

    def test_an_index_lives_there_from_the_first_ingest_to_the_last(
        self, tmp_path: Path, check_pipeline: Callable[[dict[str, Any]], None]
    ) -> None:
        fields = {"provider": "milvus", "path": str(tmp_path / "index")}
        check_pipeline({"vector": fields, "keyword": fields})
        shutil.rmtree(tmp_path / "index")


class TestServer:
    def test_a_server_that_is_away_is_asked_again(self, relay: Any) -> None:
        async def scenario(backend: Any) -> None:
            relay.failures += [("Query", grpc.StatusCode.UNAVAILABLE)] * 2
            assert await backend.count() == 0

        run(vector(uri=relay.uri), scenario)
        assert relay.methods.count("Query") == 3

    def test_a_limit_of_the_rate_is_waited_for(self, relay: Any) -> None:
        from pymilvus.grpc_gen import common_pb2, milvus_pb2

        limited = common_pb2.Status(code=8, error_code=49, reason="rate limit exceeded")
        reply = milvus_pb2.QueryResults(status=limited).SerializeToString()

        async def scenario(backend: Any) -> None:
            relay.replies += [("Query", reply)] * 2
            assert await backend.count() == 0

        run(vector(uri=relay.uri), scenario)
        assert relay.methods.count("Query") == 3

    def test_a_busy_server_is_a_clear_error(self, relay: Any) -> None:
        async def scenario(backend: Any) -> None:
            relay.failures += [("Query", grpc.StatusCode.RESOURCE_EXHAUSTED)]
            with pytest.raises(StoreError, match="RESOURCE_EXHAUSTED: as the test says") as caught:
                await backend.count()
            assert "busy" in str(caught.value.hint)

        run(vector(uri=relay.uri), scenario)

    def test_patience_has_an_end_and_the_error_says_what_to_do(self, relay: Any) -> None:
        async def scenario(backend: Any) -> None:
            relay.failures += [("*", grpc.StatusCode.UNAVAILABLE)]
            with pytest.raises(StoreError, match=r"Milvus at 127\.0\.0\.1:\d+: ") as caught:
                await backend.count()
            assert "timeout" in str(caught.value.hint)

        run(vector(uri=relay.uri, timeout=1), scenario)

    @pytest.mark.parametrize(
        "code", [grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED]
    )
    def test_a_wrong_token_is_named_and_not_shown(self, relay: Any, code: grpc.StatusCode) -> None:
        relay.failures += [("*", code)]
        with pytest.raises(StoreError) as caught:
            run(vector(uri=relay.uri, token="root:wr0ng", timeout=1), count)
        assert "token" in str(caught.value.hint)
        assert "wr0ng" not in f"{caught.value!r} {caught.value.hint} {caught.value.__cause__!r}"

    def test_the_token_is_sent(self, relay: Any) -> None:
        run(vector(uri=relay.uri, token="root:Milvus"), count)
        assert relay.identities - {None}

    @pytest.mark.parametrize(("before", "lost"), [(0, None), (1, "2345"), (2, "45")])
    def test_where_the_server_fails_half_way_the_rest_is_named(
        self, relay: Any, before: int, lost: str | None
    ) -> None:
        async def scenario(backend: Any) -> None:
            await backend.count()
            original, left = relay.service, before

            def service(details: Any) -> Any:
                nonlocal left
                if details.method.endswith("/Upsert"):
                    left -= 1
                    if left < 0:
                        relay.failures = [("Upsert", grpc.StatusCode.INTERNAL)]
                return original(details)

            relay.service = service
            await backend.upsert([make_record(number) for number in "012345"])

        with pytest.raises(StoreError, match="as the test says") as caught:
            run(vector(uri=relay.uri, batch_size=2, timeout=1), scenario)
        named = caught.value.failed if isinstance(caught.value, PartialWriteError) else None
        assert (None if named is None else "".join(named)) == lost

    def test_no_server_is_a_clear_error(self) -> None:
        with pytest.raises(StoreError, match=r"Milvus at 127\.0\.0\.1:9: ") as caught:
            run(vector(uri="http://127.0.0.1:9", timeout=1), count)
        assert "`uri`" in str(caught.value.hint)

    def test_the_check_asks_the_server(self, relay: Any) -> None:
        found = Registry().find(ComponentKind.VECTOR, "milvus").check
        assert found is not None

        async def checked(config: MilvusVectorConfig) -> None:
            await found(config)

        asyncio.run(checked(MilvusVectorConfig(uri=relay.uri)))
        with pytest.raises(StoreError):
            asyncio.run(checked(MilvusVectorConfig(uri="http://127.0.0.1:9", timeout=1)))
