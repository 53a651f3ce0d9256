"""The kit itself: nothing can be left out in silence, and every test says what to check."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

import hierdoc_testing
from hierdoc_testing import (
    FuserTests,
    VectorBackendTests,
    conformance_tests,
    left_out,
    longest_stall,
)

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


def test_a_blocking_call_is_told_from_one_that_waits() -> None:
    async def block() -> None:
        time.sleep(0.1)

    async def wait() -> None:
        await asyncio.sleep(0.1)

    assert asyncio.run(longest_stall(block)) > 0.09
    assert min(asyncio.run(longest_stall(wait)) for _ in range(5)) < 0.05
