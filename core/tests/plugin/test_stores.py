"""What all stores use: states of documents, manifests, secrets, and strings for those that take only valid Unicode."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from hierdoc import Chunk, IndexMismatchError
from hierdoc.plugin import (
    DocumentState,
    DocumentVersion,
    IndexSpec,
    Record,
    document_states,
    from_store_text,
    make_manifest,
    masked,
    read_state_key,
    require_manifest,
    state_key,
    states_from_rows,
    to_store_text,
    unique_records,
)

VERSION, OTHER = DocumentVersion("1", "pipeline", 2), DocumentVersion("2", "pipeline", 2)
MANIFEST = make_manifest(3, IndexSpec("static@1", 256), analyzer="hierdoc/1", bm25=[1.2, 0.75])

ODD = st.text(
    st.one_of(
        st.sampled_from("\0\1\2\ud7fe\ud7ff\ud800\udc80\udfff\ue000ab"),
        st.characters(exclude_categories=()),
    )
)


@given(ODD)
def test_every_string_comes_back(text: str) -> None:
    assert from_store_text(to_store_text(text)) == text


@given(ODD)
def test_what_is_stored_is_valid_and_without_zero_characters(text: str) -> None:
    assert "\0" not in to_store_text(text)
    to_store_text(text).encode()


@given(ODD, ODD)
def test_the_order_stays(one: str, other: str) -> None:
    assert (one < other) == (to_store_text(one) < to_store_text(other))


def test_an_ordinary_string_stays_as_it_is() -> None:
    assert to_store_text("docs/ä 法 😀\n") == "docs/ä 法 😀\n"


def test_states_are_counted_by_document_and_version() -> None:
    held = [("a", VERSION, 1), ("b", VERSION, 1), ("a", VERSION, 1), ("b", OTHER, 3)]
    assert document_states(held) == {
        "a": DocumentState(VERSION, 2),
        "b": DocumentState(None, 4),
    }
    assert document_states([]) == {}


def test_states_come_from_columns_of_stored_strings() -> None:
    rows = [(to_store_text("\ud800"), "1", "pipeline", 2, 2), ("b", "1", "pipeline", 2, 1)]
    expected = {"\ud800": DocumentState(VERSION, 2), "b": DocumentState(VERSION, 1)}
    assert states_from_rows(rows) == expected


# Two halves of a character side by side are that character to JSON; no file name has both.
@given(*[ODD.filter(lambda text: not re.search("[\ud800-\udbff][\udc00-\udfff]", text))] * 2)
def test_the_key_of_a_state_gives_it_back(source: str, content_hash: str) -> None:
    version = DocumentVersion(content_hash, "pipeline", 2)
    key = state_key(Record(Chunk(source, "text", 0, 4, 1, 1), version))
    assert key.isascii()
    assert read_state_key(key) == (source, version)


def test_of_records_with_one_id_the_last_counts() -> None:
    records = [
        Record(Chunk("a.md", text, 0, 1, 1, 1, id=name), VERSION)
        for name, text in (("x", "1"), ("y", "2"), ("x", "3"))
    ]
    assert [record.chunk.text for record in unique_records(records)] == ["3", "2"]


def test_a_manifest_that_comes_back_from_json_is_the_same() -> None:
    require_manifest(json.loads(json.dumps(MANIFEST)), MANIFEST, "index 'a'")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"embedder": "minilm@1", "dimensions": 384},
            "index 'a' was made for the embedder 'minilm@1' with 384 dimensions and not 'static@1' with 256 dimensions",
        ),
        (
            {"dimensions": 3, "bm25": [2]},
            "index 'a' was made for the embedder 'static@1' with 3 dimensions and not 'static@1' with 256 dimensions, "
            "bm25 [2] and not [1.2, 0.75]",
        ),
        ({"words": "x"}, "index 'a' was made for words 'x' and not None"),
        ({"schema": 2}, "index 'a' was made by an older version of hierdoc (schema 2, here 3)"),
        ({"schema": 9}, "index 'a' was made by a newer version of hierdoc (schema 9, here 3)"),
        (
            {"schema": None},
            "index 'a' was made by another version of hierdoc (schema None, here 3)",
        ),
    ],
)
def test_another_manifest_is_refused_with_what_differs_and_the_way_out(
    change: dict[str, Any], said: str
) -> None:
    with pytest.raises(IndexMismatchError) as raised:
        require_manifest(MANIFEST | change, MANIFEST, "index 'a'")
    assert str(raised.value).startswith(said)
    assert "`hierdoc ingest --force`" in str(raised.value.hint)


@pytest.mark.parametrize("found", [None, "", [], {}])
def test_what_is_no_manifest_is_refused(found: object) -> None:
    with pytest.raises(IndexMismatchError, match="another version"):
        require_manifest(found, MANIFEST, "index 'a'")


def test_another_way_out_stands_beside_building_anew() -> None:
    with pytest.raises(IndexMismatchError) as raised:
        require_manifest({"schema": 9}, MANIFEST, "a", or_else="name another `collection`")
    hint = "Update hierdoc, or build the index anew with `hierdoc ingest --force`, or name another `collection`."
    assert raised.value.hint == hint


def test_secrets_are_masked_as_urls_write_them() -> None:
    assert masked("a%2Fb%40c, a/b@c and a%2fb", ["a/b@c"]) == "***, *** and a%2fb"
    assert masked("a/b@c of a/b", ["a/b", "a/b@c"]) == "*** of ***"
    assert masked("p%40ss and p@ss", ["p%40ss"]) == "*** and ***"


def test_secrets_are_masked() -> None:
    text = "refused: key 'abc' for user"
    assert masked(text, [SecretStr("abc"), "user", None, SecretStr(""), ""]) == (
        "refused: key '***' for ***"
    )
