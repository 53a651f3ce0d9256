"""What only a Weaviate can show: whose collections it opens, and that documents in doubt are written again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from hierdoc import IndexMismatchError, StoreError
from hierdoc.plugin import ComponentKind, DocumentState, Registry
from hierdoc_testing.corpus import SPEC, make_document_records
from hierdoc_weaviate import WeaviateVectorConfig
from hierdoc_weaviate.objects import make_mark
from hierdoc_weaviate.vector import WeaviateVectorBackend


def run(
    fields: dict[str, Any], scenario: Callable[[Any], Awaitable[Any]], reset: bool = False
) -> Any:
    async def whole() -> Any:
        backend = WeaviateVectorBackend(WeaviateVectorConfig(**fields))
        try:
            await backend.prepare(SPEC, reset=reset)
            return await scenario(backend)
        finally:
            await backend.aclose()

    return asyncio.run(whole())


async def count(backend: Any) -> int:
    found: int = await backend.count()
    return found


@pytest.mark.parametrize("reset", [False, True])
def test_somebody_elses_collection_is_left_alone(weaviate: Any, reset: bool) -> None:
    weaviate.ask("POST", "/schema", {"class": f"{weaviate.prefix}_kit_vector"})
    with pytest.raises(StoreError, match="was not made by hierdoc") as caught:
        run(weaviate.fields(), count, reset)
    assert "collection" in str(caught.value.hint)


def test_a_collection_has_tenants_or_none(weaviate: Any) -> None:
    run(weaviate.fields("one"), count)
    with pytest.raises(StoreError, match="has no tenants"):
        run(weaviate.fields("one", tenant="de"), count)
    run(weaviate.fields("more", tenant="de"), count)
    with pytest.raises(StoreError, match="has tenants, and none is named"):
        run(weaviate.fields("more"), count)


def test_a_tenant_that_is_made_anew_leaves_the_others(weaviate: Any) -> None:
    records = make_document_records("a.md", 3)
    for tenant in ("de", "at"):
        run(weaviate.fields(tenant=tenant), lambda backend: backend.upsert(records))
    assert run(weaviate.fields(tenant="de"), count, reset=True) == 0
    assert run(weaviate.fields(tenant="at"), count) == 3


@pytest.mark.parametrize("tenant", [None, "de"])
def test_another_formula_is_refused(weaviate: Any, tenant: str | None) -> None:
    run(weaviate.fields(tenant=tenant), count)
    with pytest.raises(IndexMismatchError, match="bm25") as caught:
        run(weaviate.fields(tenant=tenant, b=0.5), count)
    assert ("tenants share" in str(caught.value.hint)) == (tenant is not None)
    if tenant is None:
        assert run(weaviate.fields(b=0.5), count, reset=True) == 0


def test_documents_whose_write_was_cut_off_are_not_complete_until_they_are_written_again(
    weaviate: Any,
) -> None:
    records = {name: make_document_records(name, 3) for name in ("a.md", "b.md", "c.md")}

    async def scenario(backend: Any) -> None:
        for one in records.values():
            await backend.upsert(one)
        await backend._corpus._write_mark(make_mark(["a.md", "b.md", "never written.md"]))
        held = await backend.documents()
        assert held["a.md"] == held["b.md"] == DocumentState(None, 3)
        assert held["c.md"].complete
        assert len(held) == 3
        assert await backend.count() == 9
        assert sum([len(page) async for page in backend.scan()]) == 9
        await backend.delete_documents(["a.md"])
        assert set(await backend.documents()) == {"c.md"}
        await backend.upsert(records["a.md"] + records["b.md"])
        assert all(state.complete for state in (await backend.documents()).values())
        assert await backend.count() == 9

    run(weaviate.fields(), scenario)


def test_an_index_lives_there_from_the_first_ingest_to_the_last(
    weaviate: Any, check_pipeline: Callable[[dict[str, Any]], None]
) -> None:
    check_pipeline({"vector": weaviate.fields(), "keyword": weaviate.fields(tenant=None)})


@pytest.mark.nightly
@pytest.mark.parametrize("seconds", ["1", "3600"])
def test_doctor_says_whether_bm25_finds_what_was_just_written(
    start_server: Callable[..., Any], seconds: str
) -> None:
    server = start_server("weaviate", PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS=seconds)
    url, grpc_url = server.url.split()
    check = Registry().find(ComponentKind.VECTOR, "weaviate").check
    assert check is not None

    async def checked() -> str | None:
        return await check(WeaviateVectorConfig(url=url, grpc_url=grpc_url))

    said = asyncio.run(checked())
    assert ("leaves the best matches out" in str(said)) == (seconds == "3600")
    with httpx.Client(base_url=f"{url}/v1") as client:
        assert client.get("/schema").json()["classes"] == []
