"""The kit itself: nothing can be left out in silence, and every test says what to check."""

from __future__ import annotations

import asyncio
import os
import pkgutil
import re
import signal
import subprocess
import sys
import threading
import time
from itertools import chain
from typing import Any

import pytest

import hierdoc_testing
from hierdoc.plugin import Capability
from hierdoc_in_memory.vector import InMemoryVectorBackend
from hierdoc_static.embedder import StaticEmbedder
from hierdoc_testing import (
    EmbedderTests,
    FuserTests,
    Stores,
    VectorBackendTests,
    assert_never_blocks,
    conformance_tests,
    left_out,
    longest_stall,
)
from hierdoc_testing.base import HINT
from hierdoc_testing.component import Opener
from hierdoc_testing.watch import _waited

CLASSES = [
    getattr(hierdoc_testing, name) for name in hierdoc_testing.__all__ if name.endswith("Tests")
]


@pytest.mark.parametrize("tests", CLASSES, ids=lambda one: one.__name__)
def test_every_docstring_ends_with_what_to_check(tests: type) -> None:
    assert len(conformance_tests(tests)) > 5
    for name, test in conformance_tests(tests).items():
        what, _, check = (test.__doc__ or "").partition("When it fails: ")
        assert what.strip(), name
        assert len(check.strip()) > 20, name


def test_an_overridden_test_is_noticed() -> None:
    class Lax(FuserTests):
        def test_weights_count(self) -> None:  # type: ignore[override]
            pass

        test_ties_are_broken_by_id = None  # type: ignore[assignment]

    assert left_out(Lax) == {
        "test_weights_count": "overridden without xfail(reason=...)",
        "test_ties_are_broken_by_id": "removed",
    }
    with pytest.raises(AssertionError):
        Lax().test_every_conformance_test_is_there()


@pytest.mark.parametrize(
    "mark", [pytest.mark.skip("no"), pytest.mark.xfail, pytest.mark.xfail(reason=" ")]
)
def test_other_marks_are_no_excuse(mark: Any) -> None:
    class Lax(FuserTests):
        @mark
        def test_weights_count(self, fusers: Any) -> None:
            super().test_weights_count(fusers)

    assert list(left_out(Lax)) == ["test_weights_count"]


def test_an_expected_failure_with_a_reason_is_accepted() -> None:
    class Honest(FuserTests):
        @pytest.mark.xfail(reason="weights come with version 2")
        def test_weights_count(self, fusers: Any) -> None:
            super().test_weights_count(fusers)

    assert left_out(Honest) == {}


def test_the_test_that_guards_the_others_cannot_be_overridden() -> None:
    with pytest.raises(TypeError, match="guards"):
        type("Lax", (VectorBackendTests,), {"test_every_conformance_test_is_there": None})


def failures(broken: Any, test: str, tests: type = VectorBackendTests) -> str:
    """What the kit says of a component that fails this test, hint included."""
    with pytest.raises((Exception, pytest.fail.Exception)) as caught:
        getattr(tests(), test)(
            Stores(lambda collection: broken(), tests.kind)
            if tests is VectorBackendTests
            else Opener(broken, tests.kind)
        )
    return "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])


class Rankless:
    def __init__(self) -> None:
        self.capabilities = frozenset({Capability.ATOMIC_REPLACE})


def test_all_that_a_component_lacks_is_named_at_once() -> None:
    said = failures(Rankless, "test_upsert_adds")
    assert "Rankless is no vector component" in said
    for name in ("prepare", "upsert", "search", "find", "scan", "count", "replace_documents"):
        assert f"`{name}` is missing" in said
    assert HINT not in said


def test_what_cannot_be_opened_has_no_hint_that_points_elsewhere() -> None:
    def refuse() -> Any:
        raise OSError("no route to the store")

    said = failures(refuse, "test_names_of_any_shape_are_kept_apart")
    assert said == "no route to the store"


class Fussy(StaticEmbedder):
    async def embed_query(self, text: str) -> Any:
        if "\x00" in text:
            raise ValueError("embedded null byte")
        return await super().embed_query(text)


def test_the_odd_text_is_named() -> None:
    said = failures(Fussy, "test_odd_texts_are_embedded", EmbedderTests)
    assert said.startswith("with '\\x00': ValueError: embedded null byte")
    assert "replace what the tokenizer cannot take" in said or sys.version_info < (3, 11)


class Waits(InMemoryVectorBackend):
    async def count(self) -> int:
        await asyncio.Event().wait()  # for ever
        return 0


class Sleeps(InMemoryVectorBackend):
    async def count(self) -> int:
        threading.Event().wait()  # for ever, on the loop
        return 0


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs signals")
@pytest.mark.parametrize("stuck", [Waits, Sleeps])
def test_a_hang_is_given_up_and_its_line_named(
    stuck: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hierdoc_testing.patience.SHARE", 0.03)
    begun = time.monotonic()
    said = failures(stuck, "test_upsert_adds")
    assert time.monotonic() - begun < 10
    assert re.match(r"gave up after \d+ s in which nothing happens; it waits here:", said)
    assert re.search(rf"{re.escape(__file__)}:\d+ in count: .*for ever", said)
    assert HINT not in said


class WorksElsewhere(InMemoryVectorBackend):
    async def count(self) -> int:
        count = "import time; t = time.time()\nwhile time.time() < t + 3: pass"
        await asyncio.to_thread(subprocess.run, [sys.executable, "-c", count], check=True)
        return await super().count()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_what_a_process_of_the_component_does_is_no_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hierdoc_testing.patience.SHARE", 0.05)
    backend = WorksElsewhere()
    VectorBackendTests().test_upsert_adds(Stores(lambda collection: backend))


@pytest.mark.parametrize("tests", CLASSES, ids=lambda one: one.__name__)
def test_what_a_hint_names_is_there(tests: type) -> None:
    for test in conformance_tests(tests).values():
        for path in re.findall(r"`(hierdoc(?:\.\w+)+)\b", test.__doc__ or ""):
            if path != "hierdoc.yaml":
                assert pkgutil.resolve_name(path) is not None


def test_a_blocking_call_is_told_from_one_that_waits() -> None:
    async def block() -> None:
        time.sleep(0.1)

    async def wait() -> None:
        await asyncio.sleep(0.1)

    assert asyncio.run(longest_stall(block)) > 0.09
    assert min(asyncio.run(longest_stall(wait)) for _ in range(5)) < 0.05


def test_what_the_machine_owes_a_thread_is_not_the_component_s() -> None:
    """A thread that holds the interpreter and has no processor keeps the loop, too."""
    own = str(threading.get_native_id())
    before = {own: 1.0, "2": 5.0, "3": 0.5}
    assert _waited(before, {own: 1.25, "2": 5.0, "3": 0.5}) == 0.25
    assert _waited(before, {own: 1.25, "2": 5.5, "3": 0.75}) == 0.75
    assert _waited(before, {own: 1.0, "4": 0.5}) == 0.5
    assert _waited({}, {}) == 0.0


def test_a_call_that_blocks_again_and_again_is_told() -> None:
    async def block() -> None:
        time.sleep(0.1)

    with pytest.raises(AssertionError, match="kept the event loop for"):
        asyncio.run(assert_never_blocks("block", block))


@pytest.mark.parametrize("leaks", [False, True])
def test_files_of_others_are_no_matter(monkeypatch: pytest.MonkeyPatch, leaks: bool) -> None:
    """Other tests in this process may close files while a component is watched, or open some once."""
    monkeypatch.setattr("hierdoc_testing.watch._SETTLING", 0.1)
    others = [os.pipe() for _ in range(4)]
    strays, leaked = list[tuple[int, int]](), list[tuple[int, int]]()

    async def use() -> None:
        for file in others.pop():
            os.close(file)
        if len(others) == 1:
            strays.append(os.pipe())
        if leaks:
            leaked.append(os.pipe())

    try:
        if leaks:
            with pytest.raises(AssertionError, match="files left after each aclose: 2, 4, 2"):
                hierdoc_testing.assert_nothing_is_left(use)
        else:
            hierdoc_testing.assert_nothing_is_left(use)
    finally:
        for file in chain(*others, *strays, *leaked):
            os.close(file)
