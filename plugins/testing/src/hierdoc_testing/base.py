"""What all conformance classes share: how a test is run, what it says when it fails, and that none is left out."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, TypeVar, overload

import pytest

from hierdoc.plugin import ComponentKind
from hierdoc.plugin.checking import find_faults
from hierdoc_testing.patience import QUIET, is_unhinted, patience, unhinted

TestT = TypeVar("TestT", bound=Callable[..., Any])

HINT = "When it fails:"
"""Begins the last paragraph of every test's docstring."""


@overload
def contract(test: TestT) -> TestT: ...


@overload
def contract(*, quiet: float) -> Callable[[TestT], TestT]: ...


def contract(test: TestT | None = None, *, quiet: float = QUIET) -> Any:
    """Make a conformance test: run it on an event loop of its own if it is async, and say what to check if it fails.

    Whatever the test got from a fixture and has a coroutine `finish` is finished on the same loop. A test that hangs is given up.

    Args:
        test: It.
        quiet: Seconds for which nothing may happen in this process before the test is given up.
    """
    if test is None:
        return functools.partial(contract, quiet=quiet)

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            with patience(quiet):
                outcome = test(*args, **kwargs)
                if inspect.iscoroutine(outcome):
                    asyncio.run(_supervised(outcome, kwargs.values()))
        except (Exception, pytest.fail.Exception) as error:
            _add_hint(error, test.__doc__ or "")
            raise

    run.is_contract = True  # type: ignore[attr-defined]
    return run


class Conformance:
    """Base of all conformance classes.

    Attributes:
        kind: What components are tested; None for plugins.
    """

    kind: ComponentKind | None = None

    @contract
    def test_every_conformance_test_is_there(self) -> None:
        """No test of the kit is overridden or removed, unless it is marked with `xfail(reason=...)`.

        When it fails: delete the override, or, where the component cannot keep that promise yet, write
        `@pytest.mark.xfail(reason="...")` above a method of the same name that calls the kit's with `super()`.
        """
        assert not left_out(type(self))

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        name = "test_every_conformance_test_is_there"
        if getattr(cls, name, None) is not getattr(Conformance, name):
            raise TypeError(f"{cls.__name__} overrides {name}, which guards all others")


def left_out(tests: type) -> Mapping[str, str]:
    """The tests of the kit that a class overrides or removes without an `xfail` that has a reason, and how.

    Args:
        tests: A class that is derived from one of the kit's.
    """
    expected: dict[str, Any] = {}
    for ancestor in reversed(tests.__mro__):
        if ancestor.__module__.startswith("hierdoc_testing"):
            expected |= {name: value for name, value in vars(ancestor).items() if _is_test(value)}
    problems = {}
    for name, test in expected.items():
        found = getattr(tests, name, None)
        if found is test or _expected_to_fail(found):
            continue
        problems[name] = "overridden without xfail(reason=...)" if callable(found) else "removed"
    return problems


def conformance_tests(tests: type) -> Mapping[str, Callable[..., Any]]:
    """The conformance tests of a class by name, in the order in which they are written, inherited ones first."""
    found: dict[str, Callable[..., Any]] = {}
    for ancestor in reversed(tests.__mro__):
        found |= {name: value for name, value in vars(ancestor).items() if _is_test(value)}
    return found


def _is_test(value: Any) -> bool:
    return getattr(value, "is_contract", False) is True


def _expected_to_fail(test: Any) -> bool:
    marks = getattr(test, "pytestmark", [])
    reasons = [mark.kwargs.get("reason") for mark in marks if mark.name == "xfail"]
    return any(isinstance(reason, str) and reason.strip() for reason in reasons)


async def _supervised(test: Awaitable[None], arguments: Any) -> None:
    try:
        await test
    finally:
        for argument in arguments:
            finish = getattr(argument, "finish", None)
            if inspect.iscoroutinefunction(finish):
                await finish()


def _add_hint(error: BaseException, docstring: str) -> None:
    """Python 3.11 and later show notes below the error; before, the docstring has to be looked up.

    What does not come from what the test asks for, such as a component that cannot be opened, has no hint that would point elsewhere.
    """
    if is_unhinted(error):
        return
    hint = inspect.cleandoc(docstring).rpartition(HINT)[2].strip()
    if hint and hasattr(error, "add_note"):
        error.add_note(f"{HINT} {' '.join(hint.split())}")


@contextlib.contextmanager
def opening() -> Iterator[None]:
    """What is raised within comes of opening a component, not of what a test asks for."""
    try:
        yield
    except Exception as error:
        unhinted(error)
        raise


def require_complete(component: Any, kind: ComponentKind | None) -> Any:
    """The component; the test fails, with all that is missing, unless it has what its protocol asks for.

    Args:
        component: It.
        kind: What it is to be; None for anything.
    """
    faults = find_faults(kind, component) if kind else ()
    if kind and faults:
        said = f"{type(component).__name__} is no {kind.value} component: {', '.join(faults)}"
        raise unhinted(pytest.fail.Exception(said, pytrace=False))
    return component


@contextlib.contextmanager
def trying(what: Any) -> Iterator[None]:
    """Name what was tried where the component fails within: one of many odd queries, texts or filters."""
    try:
        yield
    except (Exception, pytest.fail.Exception) as error:
        if is_unhinted(error):
            raise
        raise AssertionError(f"with {what!r:.300}: {type(error).__name__}: {error}") from error


async def cancel_again_and_again(*calls: Callable[[], Awaitable[Any]]) -> None:
    """Make each call several times, and cancel it after none, a few or many turns of the event loop.

    Args:
        calls: Functions that begin a call.
    """
    for call in calls:
        for turns in (0, 1, 2, 5, 20):
            task = asyncio.ensure_future(call())
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


def assert_same(found: Iterable[Any], expected: Iterable[Any]) -> None:
    """That two long sequences are equal; of others it shows the first difference, where pytest would compare for minutes.

    Args:
        found: What the component gave.
        expected: What it should have given, as many.
    """
    pairs = enumerate(zip_longest(found, expected, fillvalue="nothing"))
    place, (one, other) = next((pair for pair in pairs if pair[1][0] != pair[1][1]), (-1, ("", "")))
    if place >= 0:
        pytest.fail(f"number {place} is {one!r:.500}, not {other!r:.500}", pytrace=False)


def require(condition: bool, reason: str) -> None:
    """Skip the running test where a capability is not claimed or something is not there, and say so."""
    if not condition:
        pytest.skip(reason)
