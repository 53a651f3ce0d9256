"""The conformance tests of embedders."""

from __future__ import annotations

import asyncio
import inspect
import os
from typing import Any

import numpy as np
import pytest

from hierdoc.plugin import ComponentKind
from hierdoc_testing.base import (
    Conformance,
    assert_same,
    cancel_again_and_again,
    contract,
    trying,
)
from hierdoc_testing.child import child, embed
from hierdoc_testing.component import OpenComponent, Opener, check_nothing_is_left
from hierdoc_testing.corpus import make_text
from hierdoc_testing.patience import LONG_QUIET
from hierdoc_testing.watch import assert_never_blocks

TEXTS = (
    "The harbour master collects the fee for the berth.",
    "Photosynthesis turns light, water and carbon dioxide into sugar.",
    "The orchestra rehearsed the violin concerto before dawn.",
    "A volcano covered the village with ash and lava.",
    "Compilers translate programs into machine code.",
    "The goalkeeper saved a penalty in the last minute.",
    "Bakers knead dough of flour, salt and yeast.",
    "Bees dance to show each other where flowers are.",
)
"""Sentences of nothing in common."""

ODD_TEXTS = (
    "", " ", "\n\t", "…", "\x00", "lone \ud800 surrogate", "<|endoftext|> [CLS] </s> [MASK]", "😀 法律责任 договор naïve",
    "x" * 5_000, "a-" * 1_000, "\u200b\u00ad",
)  # fmt: skip
"""Texts that tokenizers and services stumble over."""

_VOLCANO = "The volcano covers the village with lava, magma and ash. "
_MUSIC = "The orchestra plays a violin concerto and a cello sonata. "


class EmbedderTests(Conformance):
    """What an embedder promises: derive from it, supply `open_embedder`, and pytest does the rest.

    A model for the tests may be small, but must tell texts of different words apart.
    """

    kind = ComponentKind.EMBEDDER

    alike = 0.99
    """Cosine from which on two vectors count as those of one text: batches may change the last digits."""

    @pytest.fixture
    def open_embedder(self) -> OpenComponent:
        """Supply this one: a function without arguments that gives a new embedder."""
        raise NotImplementedError("supply the fixture `open_embedder`; see docs/plugins/testing.md")

    @pytest.fixture
    def embedders(self, open_embedder: OpenComponent) -> Opener:
        """Opens the embedder under test, and closes it."""
        return Opener(open_embedder, self.kind)

    @contract
    async def test_fingerprint_and_dimensions_are_fixed(self, embedders: Opener) -> None:
        """Both are known before the first call, stay what they are, and are the same for every embedder of this configuration.

        When it fails: make the fingerprint of the model's name and revision, your version and all settings that change vectors; no
        addresses, times or counters.
        """
        embedder = embedders.open()
        fingerprint, dimensions = embedder.fingerprint, embedder.dimensions
        assert isinstance(fingerprint, str)
        assert fingerprint.strip()
        assert type(dimensions) is int
        assert dimensions > 0
        await embedder.embed_documents(TEXTS[:2])
        await embedder.embed_query("berth")
        for one in (embedder, embedders.open()):
            assert (one.fingerprint, one.dimensions) == (fingerprint, dimensions)

    @contract
    async def test_vectors_have_the_promised_shape(self, embedders: Opener) -> None:
        """Documents give float32 of shape [n, dimensions], a query float32 of shape [dimensions]; none gives [0, dimensions].

        When it fails: convert with `numpy.asarray(..., dtype=numpy.float32)`, and handle the empty list.
        """
        embedder = embedders.open()
        assert inspect.iscoroutinefunction(embedder.embed_documents)
        assert inspect.iscoroutinefunction(embedder.embed_query)
        for count in (0, 1, 2, len(TEXTS)):
            vectors = await embedder.embed_documents(TEXTS[:count])
            assert isinstance(vectors, np.ndarray)
            assert vectors.dtype == np.float32
            assert vectors.shape == (count, embedder.dimensions)
        query = await embedder.embed_query("berth")
        assert isinstance(query, np.ndarray)
        assert (query.dtype, query.shape) == (np.float32, (embedder.dimensions,))

    @contract
    async def test_vectors_have_length_one(self, embedders: Opener) -> None:
        """Texts with words give vectors of length 1.

        When it fails: divide by the length; a failure raises, it does not become a zero vector.
        """
        embedder = embedders.open()
        vectors = [*await embedder.embed_documents(TEXTS), await embedder.embed_query(TEXTS[0])]
        assert [float(np.linalg.norm(vector)) for vector in vectors] == pytest.approx(
            [1] * len(vectors), abs=1e-3
        )

    @contract
    async def test_odd_texts_are_embedded(self, embedders: Opener) -> None:
        """Empty texts, special tokens, NUL characters, lone surrogates and endless words give vectors of length 1 or 0, no NaN.

        When it fails: special tokens in a text are text; replace what the tokenizer cannot take; do not divide by a length of 0.
        """
        embedder = embedders.open()
        for text in ODD_TEXTS:
            with trying(text):
                given = [*await embedder.embed_documents([text]), await embedder.embed_query(text)]
                for vector in given:
                    length = float(np.linalg.norm(vector))
                    assert length == 0 or length == pytest.approx(1, abs=1e-3)
        vectors = await embedder.embed_documents([*ODD_TEXTS, TEXTS[0]])
        for vector in vectors:
            length = float(np.linalg.norm(vector))
            assert length == 0 or length == pytest.approx(1, abs=1e-3)
        (alone,) = await embedder.embed_documents([TEXTS[0]])
        assert float(alone @ vectors[-1]) >= self.alike

    @contract
    async def test_every_text_gets_its_own_vector(self, embedders: Opener) -> None:
        """1,100 texts in one call come back in order, none lost at the seams of batches, each as if it were alone.

        When it fails: look at how batches are cut, sorted by length and put together again, and at padding.
        """
        embedder = embedders.open()
        texts = [f"{TEXTS[number % len(TEXTS)]} {number}" for number in range(1100)]
        given = list(texts)
        vectors = await embedder.embed_documents(given)
        assert given == texts
        assert len(vectors) == len(texts)
        references = await embedder.embed_documents(TEXTS)
        nearest = np.argmax(vectors @ references.T, axis=1)
        assert_same(nearest.tolist(), (number % len(TEXTS) for number in range(len(texts))))
        for number in (0, 1, 31, 32, 63, 64, 95, 96, 99, 100, 255, 256, 1023, 1024, 1099):
            (alone,) = await embedder.embed_documents([texts[number]])
            assert float(alone @ vectors[number]) >= self.alike, number

    @contract
    async def test_a_text_is_always_embedded_alike(self, embedders: Opener) -> None:
        """The same text gets the same vector, in any company, at any time, from every embedder of this fingerprint.

        When it fails: leave chance out, and keep no state that vectors depend on: what is kept of documents is not what a query gets,
        and whoever gets an array may change it.
        """
        embedder = embedders.open()
        first = await embedder.embed_documents(TEXTS)
        backwards = (await embedder.embed_documents(TEXTS[::-1]))[::-1]
        mixed = await embedder.embed_documents([make_text(400), *TEXTS, "short"])
        other = await embedders.open().embed_documents(TEXTS)
        twice = await embedder.embed_documents([TEXTS[3], TEXTS[0], TEXTS[3]])
        for again in (backwards, mixed[1:-1], other):
            assert np.all(np.sum(first * again, axis=1) >= self.alike)
        assert np.allclose(twice[0], twice[2], atol=1e-2)
        query = await embedder.embed_query("the berth")
        kept = query.copy()
        await embedder.embed_documents(["the berth"])
        assert float(kept @ await embedder.embed_query("the berth")) >= self.alike
        query *= -1
        twice *= -1
        assert float(kept @ await embedder.embed_query("the berth")) >= self.alike
        (again,) = await embedder.embed_documents([TEXTS[3]])
        assert float(again @ first[3]) >= self.alike

    @contract
    async def test_texts_of_different_words_are_told_apart(self, embedders: Opener) -> None:
        """Different texts get different vectors, and a query is nearest to the text that has its words.

        When it fails: see that the text reaches the model, and that queries and documents are embedded for the same space.
        """
        embedder = embedders.open()
        vectors = await embedder.embed_documents(TEXTS)
        similar = vectors @ vectors.T - np.eye(len(TEXTS), dtype=np.float32)
        assert float(similar.max()) < self.alike
        for number, text in enumerate(TEXTS):
            query = await embedder.embed_query(text)
            assert int(np.argmax(vectors @ query)) == number

    @contract
    async def test_long_texts_are_embedded_to_the_end(self, embedders: Opener) -> None:
        """Of a text of 2,400 words, the beginning, the middle and the end all count.

        When it fails: embed what is longer than the model reads in windows and join their vectors; never cut in silence.
        """
        embedder = embedders.open()
        ground = _VOLCANO * 80
        texts = [
            ground * 3,
            _MUSIC * 80 + ground * 2,
            ground + _MUSIC * 80 + ground,
            ground * 2 + _MUSIC * 80,
        ]
        vectors = await embedder.embed_documents(texts)
        assert np.linalg.norm(vectors, axis=1) == pytest.approx([1] * 4, abs=1e-3)
        (music,) = await embedder.embed_documents([_MUSIC])
        towards = vectors @ music
        for part, nearness in zip(("beginning", "middle", "end"), towards[1:], strict=True):
            assert nearness > towards[0] + 0.02, f"the {part} does not count"

    @contract(quiet=LONG_QUIET)
    async def test_very_long_texts_are_embedded_to_the_end(self, embedders: Opener) -> None:
        """Of a text of 12,000 words, more tokens than any service takes at once, the end counts too.

        When it fails: some services cut what is beyond 8,191 tokens without a word: count, and embed in windows before they do.
        """
        embedder = embedders.open()
        whole = await embedder.embed_documents([_VOLCANO * 1200, _VOLCANO * 960 + _MUSIC * 240])
        (music,) = await embedder.embed_documents([_MUSIC])
        assert np.linalg.norm(whole, axis=1) == pytest.approx([1, 1], abs=1e-3)
        assert whole[1] @ music > whole[0] @ music + 0.02, "the end does not count"

    @contract
    async def test_long_queries_are_embedded_to_the_end(self, embedders: Opener) -> None:
        """A query of 1,200 words, such as a pasted letter, is embedded like a document of that length: its end counts too.

        When it fails: give long queries the windows that documents get; neither cut them nor refuse them.
        """
        embedder = embedders.open()
        (music,) = await embedder.embed_documents([_MUSIC])
        ground = await embedder.embed_query(_VOLCANO * 120)
        query = await embedder.embed_query(_VOLCANO * 80 + _MUSIC * 40)
        for vector in (ground, query):
            assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-3)
        assert query @ music > ground @ music + 0.02, "the end does not count"

    @contract(quiet=LONG_QUIET)
    async def test_a_second_process_embeds_alike(self, embedders: Opener) -> None:
        """Another process, with another seed for the hashes of strings, gives the same fingerprint and the same vectors.

        When it fails: never use `hash()`, the order of a set or an address; take a digest such as `hashlib.blake2b`. The fixture is taken
        to the other process: let what it gives hold paths and addresses only.
        """
        embedder, texts = embedders.open(), list(TEXTS[:4])
        documents = await embedder.embed_documents(texts)
        queries = [await embedder.embed_query(text) for text in texts]
        seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
        with child(
            embed, embedders.open_component, texts, environment={"PYTHONHASHSEED": seed}
        ) as other:
            fingerprint, vectors = await asyncio.to_thread(other.hear)
        assert fingerprint == embedder.fingerprint
        for ours, theirs in zip([*documents, *queries], vectors, strict=True):
            assert float(ours @ np.asarray(theirs, np.float32)) >= self.alike

    @contract
    async def test_calls_may_overlap(self, embedders: Opener) -> None:
        """Calls at the same time give what they give one by one.

        When it fails: models and tokenizers are often not safe for threads: one call at a time, or one for each thread.
        """
        embedder = embedders.open()
        expected = await embedder.embed_documents(TEXTS)
        calls = [embedder.embed_documents(TEXTS[n:] + TEXTS[:n]) for n in range(len(TEXTS))]
        for shift, vectors in enumerate(await asyncio.gather(*calls)):
            assert np.all(np.sum(np.roll(vectors, shift, axis=0) * expected, axis=1) >= self.alike)
        queries = await asyncio.gather(*(embedder.embed_query(text) for text in TEXTS))
        for number, query in enumerate(queries):
            assert int(np.argmax(expected @ query)) == number

    @contract
    async def test_a_cancelled_call_leaves_the_embedder_usable(self, embedders: Opener) -> None:
        """Whoever cancels a call, at whatever point of it, can go on: later calls are answered as ever.

        When it fails: release locks in `finally` or with `async with`; what a thread began goes on there.
        """
        embedder = embedders.open()
        expected = await embedder.embed_documents(TEXTS[:3])
        await cancel_again_and_again(
            lambda: embedder.embed_documents(TEXTS[:3]), lambda: embedder.embed_query(TEXTS[0])
        )
        again = await embedder.embed_documents(TEXTS[:3])
        assert np.all(np.sum(expected * again, axis=1) >= self.alike)
        assert int(np.argmax(expected @ await embedder.embed_query(TEXTS[0]))) == 0

    @contract(quiet=LONG_QUIET)
    async def test_the_event_loop_is_never_blocked(self, embedders: Opener) -> None:
        """Embedding 100 texts, or a query, keeps the event loop for no more than 50 ms; neither does the first call, which loads the model.

        When it fails: give the model and the tokenizer to a thread (`asyncio.to_thread`), its loading too.
        """
        embedder = embedders.open()
        fresh = [embedder]

        async def another() -> None:
            fresh[0] = embedders.open()

        await assert_never_blocks("the first call", lambda: fresh[0].embed_query("berth"), another)
        texts = [make_text(30, seed=number) for number in range(100)]
        await assert_never_blocks("embed_documents", lambda: embedder.embed_documents(texts))
        await assert_never_blocks("embed_query", lambda: embedder.embed_query(TEXTS[0]))

    @contract
    def test_nothing_is_left_after_aclose(self, open_embedder: OpenComponent) -> None:
        """No thread, task, open file or connection outlives `aclose`, or the call where there is no `aclose`.

        When it fails: close clients and executors in `aclose` and wait for them.
        """

        async def use(embedder: Any) -> None:
            await embedder.embed_documents(TEXTS)
            await embedder.embed_query("berth")

        check_nothing_is_left(open_embedder, use)
