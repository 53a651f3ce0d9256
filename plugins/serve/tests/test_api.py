"""The JSON API: its calls, who may make them, their limits, and what errors say."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from hierdoc import errors
from hierdoc.index import AsyncIndex
from hierdoc_tools.corpus import Corpus

Ask = Callable[..., httpx.Response]

TOKEN = "0123456789abcdef-token"
BEARER = {"authorization": f"Bearer {TOKEN}"}


def error(response: httpx.Response) -> dict[str, str]:
    """What an error says; every error says three things."""
    said: dict[str, str] = response.json()["error"]
    assert set(said) == {"what", "where", "hint"}
    return said


# Calls


@pytest.mark.parametrize(
    ("call", "given", "expected"),
    [
        ("search", {"query": "fee for a berth"}, "23.2 crowns"),
        ("section", {"reference": "Section 3", "in": ["act.md"]}, "23.2 crowns"),
        ("outline", {"document": "act.md"}, "Section 3 Fees"),
        ("define", {"term": "master"}, "command of a ship"),
        ("references", {"reference": "Section 3", "in": ["act.md"]}, "rules.md"),
        ("documents", {}, "cranes.pdf"),
    ],
)
def test_every_call_is_answered_by_address_and_by_body(
    ask: Ask, call: str, given: dict[str, Any], expected: str
) -> None:
    by_address = ask(f"/api/{call}", params=given)
    by_body = ask(f"/api/{call}", "POST", json=given)
    assert by_address.status_code == by_body.status_code == 200
    assert by_address.json() == by_body.json()
    assert expected in by_address.text


def test_hits_have_their_place_and_with_details_why_they_are_here(ask: Ask) -> None:
    given = {"query": "when does the swing bridge open", "top_k": 1, "details": True}
    (hit,) = ask("/api/search", "POST", json=given).json()["hits"]
    assert hit["source"].endswith("cranes.pdf")
    assert hit["parent_chain"] == ["2 Bridges"]
    assert hit["scores"]["semantic"]["rank"] == 1
    assert {box["page"] for box in hit["boxes"]} == {2}
    del given["details"]
    (hit,) = ask("/api/search", "POST", json=given).json()["hits"]
    assert not {"scores", "why", "boxes"} & set(hit)


def test_certain_and_ambiguous_are_told_apart(ask: Ask) -> None:
    (hit,) = ask(
        "/api/search", params={"query": "Section 3 of the Harbour Act", "top_k": 1}
    ).json()["hits"]
    assert (hit["certain"], hit["ambiguous"]) == (True, False)
    several = ask("/api/search", params={"query": "Section 1"}).json()
    assert not any(hit["certain"] for hit in several["hits"])
    assert {hit["ambiguous"] for hit in several["hits"][:2]} == {True}


# OpenAPI


def test_openapi_describes_what_is_answered(ask: Ask) -> None:
    described = ask("/api/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    for call in ("search", "section", "outline", "define", "references", "documents"):
        path = described["paths"][f"/api/{call}"]
        assert {"get", "post"} <= set(path)
        assert path["get"]["description"]
        assert all(one["description"] for one in path["get"]["parameters"])
    assert _references(described) <= set(described["components"]["schemas"])
    assert "security" not in described


def test_openapi_says_where_a_token_is_needed(ask_secured: Ask) -> None:
    described = ask_secured("/api/openapi.json", headers=BEARER).json()
    assert described["security"] == [{"token": []}]


def test_replies_have_the_fields_that_openapi_describes(ask: Ask) -> None:
    schemas = ask("/api/openapi.json").json()["components"]["schemas"]
    found = ask("/api/search", params={"query": "master", "details": "true"}).json()
    assert set(found) <= set(schemas["SearchReply"]["properties"])
    assert set(found["hits"][0]) <= set(schemas["FoundChunk"]["properties"])


def _references(part: Any) -> set[str]:
    if isinstance(part, dict):
        own = {part["$ref"].rpartition("/")[2]} if "$ref" in part else set()
        return own.union(*map(_references, part.values()))
    return set().union(*map(_references, part)) if isinstance(part, list) else set()


# Errors


@pytest.mark.parametrize(
    ("path", "status", "where", "said"),
    [
        ("/api/search", 400, "query", "is missing"),
        ("/api/search?query=", 400, "query", "is empty"),
        ("/api/search?query=a&top_k=51", 400, "top_k", "50"),
        ("/api/search?query=a&budget_tokens=99999", 400, "budget_tokens", "16000"),
        ("/api/search?query=a&query=b", 400, "query", "twice"),
        ("/api/search?query=a&sauce=b", 400, "sauce", "no argument"),
        ("/api/search?query=" + "a" * 2001, 400, "query", "2,000 at most"),
        ("/api/search?query=a&in=nowhere.md", 404, "", "no document called"),
        ("/api/section?reference=Section+77", 404, "", "No section is called"),
        ("/api/documents?cursor=99", 400, "cursor", "not of this call"),
        ("/api/sauce", 404, "path", "no such call"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    ask: Ask, path: str, status: int, where: str, said: str
) -> None:
    response = ask(path)
    assert response.status_code == status
    assert error(response)["where"] == where
    assert said in error(response)["what"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{", "application/json"),
        (b"[1]", "application/json"),
        (b"[" * 100_000, "application/json"),
        (b"\xff", "application/json"),
        (b'{"query": "a"}', "text/plain"),
    ],
)
def test_a_body_that_is_no_json_object_is_refused(ask: Ask, body: bytes, kind: str) -> None:
    response = ask("/api/search", "POST", content=body, headers={"content-type": kind})
    assert response.status_code == 400
    assert error(response)["where"] == "body"


def test_a_body_that_is_too_large_is_refused(ask: Ask) -> None:
    response = ask("/api/search", "POST", content=b" " * 4_100_000)
    assert response.status_code == 413


def test_errors_have_no_paths_and_no_secrets(
    ask: Ask, corpora: Mapping[str, Corpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(Path(next(iter(corpora.values())).config.source[0]).parent)

    async def broken(self: AsyncIndex, *given: object, **options: object) -> None:
        raise errors.StoreError(f"{folder}/x and /etc/secret/key at https://me:pw@host/ are gone")

    monkeypatch.setattr(AsyncIndex, "search", broken)
    response = ask("/api/search", params={"query": "a"})
    assert response.status_code == 500
    assert "are gone" in error(response)["what"]
    assert not {"/etc/secret", folder, "pw@"} & set(response.text.split())
    assert "me:pw" not in response.text
    assert "/etc" not in response.text


def test_calls_in_a_minute_are_limited(ask_slowed: Ask) -> None:
    for _ in range(2):
        assert ask_slowed("/api/documents").status_code == 200
    response = ask_slowed("/api/documents")
    assert response.status_code == 429
    assert 1 <= int(response.headers["retry-after"]) <= 30
    assert ask_slowed("/?query=fee").status_code == 429


# Who may call


@pytest.mark.parametrize("path", ["/api/search?query=a", "/api/openapi.json", "/metrics", "/api/x"])
def test_without_the_token_nothing_is_told(ask_secured: Ask, path: str) -> None:
    for headers in ({}, {"authorization": f"Bearer {TOKEN}x"}, {"authorization": f"Basic {TOKEN}"}):
        response = ask_secured(path, headers=headers)
        assert response.status_code == 401
        assert response.headers["www-authenticate"].startswith("Bearer")
        assert "token" in error(response)["what"]
    assert ask_secured(path, headers=BEARER).status_code in (200, 404)


def test_health_is_told_to_all(ask_secured: Ask) -> None:
    assert ask_secured("/health").json() == {"status": "ok"}


def test_under_a_foreign_name_the_loopback_does_not_answer(ask: Ask) -> None:
    for host in ("evil.example:8766", "evil.example", "127.0.0.1.evil.example", "", "[::1].x"):
        assert ask("/api/documents", headers={"host": host}).status_code == 421
    for host in ("127.0.0.1", "localhost:8766", "[::1]:8766", "LOCALHOST"):
        assert ask("/api/documents", headers={"host": host}).status_code == 200


def test_metrics_count_what_was_asked(asking: Callable[..., Ask]) -> None:
    ask = asking()
    ask("/api/search?query=fee")
    ask("/api/search")
    ask("/secret-path")
    told = ask("/metrics")
    assert told.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'hierdoc_requests_total{call="search",status="200"} 1.0' in told.text
    assert 'hierdoc_requests_total{call="search",status="400"} 1.0' in told.text
    assert 'hierdoc_requests_total{call="other",status="404"} 1.0' in told.text
    assert "secret-path" not in told.text
    assert "hierdoc_ingest_running 0.0" in told.text
    (chunks,) = [line for line in told.text.splitlines() if line.startswith("hierdoc_chunks ")]
    assert float(chunks.split()[1]) > 5


def test_every_response_forbids_what_the_page_does_not_need(ask: Ask) -> None:
    for path in ("/", "/api/documents", "/api/x", "/health", "/style.css", "/picture?source=x"):
        headers = ask(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "script" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert len(headers.get_list("cache-control")) == 1


def test_json_is_what_it_says(ask: Ask) -> None:
    response = ask("/api/documents")
    assert response.headers["content-type"] == "application/json"
    assert json.loads(response.content)["found"] == 4
