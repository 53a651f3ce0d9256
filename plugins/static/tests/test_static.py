"""The built-in `static` embedder: what its vectors promise, and that it reads words as its teacher does."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hierdoc_static import wordpiece
from hierdoc_static.embedder import StaticEmbedder
from hierdoc_static.wordpiece import MODEL, UNKNOWN, WordPieceTokenizer

SHARED = Path(
    os.environ.get("HIERDOC_SHARED_DATA")
    or Path(__file__).resolve().parents[3].parent / "shared" / "data"
)
TEACHER = SHARED / "models" / "all-MiniLM-L6-v2-onnx"

EMBEDDER = StaticEmbedder()
TEXTS = st.text(st.characters(), max_size=60) | st.lists(
    st.sampled_from(["the", "Duty", "of", "care,", "§ 4.2", "naïve", "data", "\n", "法律", "😀"]),
    max_size=30,
).map(" ".join)


def documents(*texts: str) -> Any:
    return asyncio.run(EMBEDDER.embed_documents(texts))


def query(text: str) -> Any:
    return asyncio.run(EMBEDDER.embed_query(text))


def bag(tokenizer: WordPieceTokenizer, text: str) -> Counter[int]:
    total: Counter[int] = Counter()
    for part in tokenizer.bags(text):
        total.update(part)
    return total


# What comes out


def test_documents_give_one_float32_row_each() -> None:
    vectors = documents("one text", "another")
    assert vectors.shape == (2, EMBEDDER.dimensions)
    assert vectors.dtype == np.float32


def test_a_query_gives_one_float32_vector() -> None:
    vector = query("one text")
    assert vector.shape == (EMBEDDER.dimensions,)
    assert vector.dtype == np.float32


def test_no_documents_give_no_rows() -> None:
    assert documents().shape == (0, EMBEDDER.dimensions)


def test_a_query_is_embedded_like_a_document() -> None:
    assert np.array_equal(query("duty of care"), documents("duty of care")[0])


@pytest.mark.parametrize("text", ["", " \n\t", "\x00\x00", "\ud800", "x" * 101, "ꙮ"])
def test_a_text_without_a_known_token_gives_the_zero_vector(text: str) -> None:
    assert not query(text).any()


def test_related_texts_are_more_similar_than_unrelated_ones() -> None:
    lawyer, attorney, banana = documents(
        "the lawyer went to court", "an attorney at the tribunal", "bananas are yellow fruit"
    )
    assert lawyer @ attorney > lawyer @ banana + 0.2


def test_the_end_of_a_long_text_counts() -> None:
    start = "the committee met on monday. " * 500
    assert not np.array_equal(query(start), query(start + "volcanic eruption"))


# Laws


@given(TEXTS)
def test_vectors_have_length_one_or_zero(text: str) -> None:
    length = float(np.linalg.norm(EMBEDDER.embed([text])[0]))
    assert length == 0 or length == pytest.approx(1, abs=1e-5)


@given(st.lists(TEXTS, min_size=1, max_size=8), st.randoms())
def test_a_vector_does_not_depend_on_its_batch(texts: list[str], random: Any) -> None:
    shuffled = random.sample(texts, len(texts))
    together = EMBEDDER.embed(shuffled)
    for row, text in zip(together, shuffled, strict=True):
        assert np.array_equal(row, EMBEDDER.embed([text])[0])


@given(
    st.lists(
        st.sampled_from(["the", "act", "of", "a", "state", "12", "(", ")", "harbour's"]),
        max_size=40,
    )
)
def test_word_order_does_not_matter(words: list[str]) -> None:
    forward, backward = EMBEDDER.embed([" ".join(words), " ".join(reversed(words))])
    assert np.array_equal(forward, backward)


@given(TEXTS)
def test_the_state_of_the_cache_does_not_matter(text: str) -> None:
    fresh = StaticEmbedder.__new__(StaticEmbedder)
    fresh.__dict__.update(EMBEDDER.__dict__)
    fresh._tokenizer = WordPieceTokenizer(list(EMBEDDER._tokenizer._ids))
    assert np.array_equal(fresh.embed([text]), EMBEDDER.embed([text]))


# Hostile and long texts


@pytest.mark.parametrize(
    "character", ["a", "\x00", "\ud800", "😀", "中", "é", "\u0301", ".", "—", "ب", " ", "\ufffe"]
)
def test_a_megabyte_of_one_character_takes_linear_time(character: str) -> None:
    started = time.process_time()
    query(character * 1_000_000)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "texts", [["the quick brown fox " * 500_000], ["the quick brown fox " * 50] * 10_000]
)
def test_much_text_does_not_block_the_event_loop(texts: list[str]) -> None:
    async def gaps() -> list[float]:
        found = []
        work = asyncio.ensure_future(EMBEDDER.embed_documents(texts))
        while not work.done():
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            found.append(time.perf_counter() - before)
        await work
        return sorted(found)

    # On a busy machine the odd gap is the scheduler's, so nine in ten must be short.
    found = asyncio.run(gaps())
    assert len(found) >= 5
    assert found[len(found) * 9 // 10] < 0.05


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_ten_thousand_passages_fit_in_200_megabytes(count: int) -> None:
    texts = [f"Passage {i} of the {i % 97}th act: " + "duty of care " * 60 for i in range(count)]
    tracemalloc.start()
    try:
        EMBEDDER.embed(texts)
        assert tracemalloc.get_traced_memory()[1] < 200e6
    finally:
        tracemalloc.stop()


def test_the_word_cache_is_bounded() -> None:
    tokenizer = WordPieceTokenizer(["a", "##a", "b", "##b", *map(str, range(10)), "##0", "##1"])
    bag(tokenizer, " ".join(map(str, range(wordpiece._CACHED_WORDS + 10))))
    assert len(tokenizer._ids_of) <= wordpiece._CACHED_WORDS


# The model file


def test_the_model_is_small() -> None:
    assert MODEL.stat().st_size <= 8.5e6


def test_the_model_names_its_teacher_and_licence() -> None:
    with np.load(MODEL, allow_pickle=False) as arrays:
        metadata = json.loads(arrays["metadata"].tobytes())
    assert metadata["teacher"] == "sentence-transformers/all-MiniLM-L6-v2"
    assert metadata["licence"] == "Apache-2.0"


def test_the_fingerprint_carries_the_digest_of_what_the_model_holds() -> None:
    digest = hashlib.sha256()
    with np.load(MODEL, allow_pickle=False) as arrays:
        for name in ("table", "scales", "vocabulary"):
            digest.update(arrays[name].tobytes())
    assert EMBEDDER.fingerprint == f"static-minilm@1.1:{digest.hexdigest()[:12]}"


def test_vectors_are_those_of_the_fingerprint() -> None:
    """Where this fails and the change is wanted, raise `_METHOD` or the model's version."""
    vector = query("The quick brown fox jumps over § 12 of the fence, naïvely.")
    assert vector[:4] == pytest.approx([0.384336, 0.058738, -0.187809, -0.015907], abs=1e-5)


def test_another_file_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", table=np.zeros((1, 1), dtype=np.int8))
    with pytest.raises(ValueError, match=r"other\.npz.*lacks.*vocabulary"):
        StaticEmbedder(tmp_path / "other.npz")


def test_importing_the_module_does_not_import_numpy() -> None:
    code = "import sys, hierdoc_static.embedder; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_embedder_has_the_shape_of_the_protocol() -> None:
    assert isinstance(EMBEDDER.fingerprint, str)
    assert isinstance(EMBEDDER.dimensions, int)
    assert inspect.iscoroutinefunction(EMBEDDER.embed_documents)
    assert inspect.iscoroutinefunction(EMBEDDER.embed_query)


# Reading words as the teacher does


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[Any, WordPieceTokenizer]]:
    tokenizers = pytest.importorskip("tokenizers", reason="the tokenizers package is not installed")
    if not (TEACHER / "tokenizer.json").exists():
        pytest.skip(f"the teacher is not at {TEACHER}; set HIERDOC_SHARED_DATA")
    theirs = tokenizers.Tokenizer.from_file(str(TEACHER / "tokenizer.json"))
    theirs.no_truncation()
    theirs.no_padding()
    ids = theirs.get_vocab()
    return theirs, WordPieceTokenizer(sorted(ids, key=ids.__getitem__))


def tokens(pair: tuple[Any, WordPieceTokenizer], text: str) -> tuple[list[int], list[int]]:
    """Those of the teacher, and ours."""
    theirs, ours = pair
    unknown = theirs.token_to_id("[UNK]")
    read = [token for word in ours.words(text) for token in word]
    ids = [unknown if token == UNKNOWN else token for token in read]
    return theirs.encode(text, add_special_tokens=False).ids, ids


@pytest.mark.parametrize(
    "text",
    [
        "Hello, World!",
        "naïve Ünïcödé ΣΊΣΥΦΟΣ İstanbul ǅ",
        "法律は law 第一条 한국어",
        "a\x00b\x0bc\u200bd\ufffde\u2028f\xa0g",
        "€100 §4.2 203(a)(1) 5µm 10³ ½ x²",
        "don’t “quote” — ‘single’ … e-mail_address@example.org",
        "x" * 100 + " " + "y" * 101,
        "mark\u0301ed \u0301 ,\u0301 e\u0301\u0327",
        "word\ufffeword \ue000 \U0001f468\u200d\U0001f469",
    ],
)
def test_tokens_are_the_teachers(pair: tuple[Any, WordPieceTokenizer], text: str) -> None:
    theirs, ours = tokens(pair, text)
    assert ours == theirs
    assert pair[1].count(text) == len(theirs)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(max_codepoint=0x24F), max_size=50))
def test_tokens_of_latin_texts_are_the_teachers(
    pair: tuple[Any, WordPieceTokenizer], text: str
) -> None:
    theirs, ours = tokens(pair, text)
    assert ours == theirs


@pytest.mark.parametrize("step", [30, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("folder", ["legal", "technical"])
def test_tokens_of_real_documents_are_the_teachers(
    pair: tuple[Any, WordPieceTokenizer], folder: str, step: int
) -> None:
    paths = [p for p in sorted((SHARED / folder).rglob("*")) if p.suffix in {".md", ".html"}]
    paths = paths[::step]
    assert paths, f"no documents in {SHARED / folder}"
    for path in paths:
        text = path.read_text(encoding="utf-8")
        theirs, ours = tokens(pair, text)
        assert ours == theirs, path.name


def test_similarities_follow_the_teachers(pair: tuple[Any, WordPieceTokenizer]) -> None:
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    tokenizer, _ = pair
    texts = [
        "The controller shall notify a personal data breach to the supervisory authority.",
        "Report a data leak to the regulator within 72 hours.",
        "Revenue grew because of higher prices and a better product mix.",
        "Net sales rose eight percent compared with last year.",
        "A transaction that runs out of gas is reverted.",
        "Every block header commits to the state root.",
        "The president may veto a bill passed by both houses.",
        "Congress can override the veto with a two-thirds majority.",
        "Add the onions and simmer the soup for an hour.",
        "The river floods the valley every spring.",
        "Patients with diabetes should check their blood sugar daily.",
        "She plays the violin in the city orchestra.",
    ]
    session = onnxruntime.InferenceSession(TEACHER / "model.onnx")
    taught = np.zeros((len(texts), 384))
    for row, text in enumerate(texts):
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        feeds = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        output = session.run(None, feeds)[0]
        taught[row] = output[0] if output.ndim == 2 else output[0].mean(axis=0)
    taught /= np.linalg.norm(taught, axis=1, keepdims=True)
    ours = documents(*texts)
    upper = np.triu_indices(len(texts), 1)
    correlation = np.corrcoef((taught @ taught.T)[upper], (ours @ ours.T)[upper])[0, 1]
    assert correlation > 0.75


def test_tokens_are_counted_as_berts_tokenizer_counts_them() -> None:
    embedder = StaticEmbedder()
    assert embedder.count_tokens("The cat, again.") == 5
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("unbelievably") > 1
