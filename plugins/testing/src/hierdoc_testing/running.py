"""Runs conformance tests without a test session: to see what a component that is wrong on purpose fails."""

from __future__ import annotations

import inspect
import itertools
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from hierdoc_testing.base import conformance_tests
from hierdoc_testing.component import Opener
from hierdoc_testing.stores import Stores

_OPENERS = ("chunkers", "generators", "converters", "embedders", "fusers", "rerankers")


def failing_tests(
    tests: type,
    open_component: Callable[..., Any],
    *,
    only: Collection[str] = (),
    at_most: int | None = None,
    samples: Sequence[Any] = (),
) -> Mapping[str, str]:
    """The conformance tests that a component fails, and the first line of each error.

    Args:
        tests: One of the kit's classes, or a class derived from it.
        open_component: What the author's fixture would give: for backends a function of a collection's name, else of nothing;
            for `PluginTests` a function to the `PluginUnderTest`.
        only: Names of the tests to run; all by default.
        at_most: After so many failures, the other tests are left out.
        samples: For `ConverterTests`: what its fixture `samples` would give.
    """
    failed: dict[str, str] = {}
    for name, test in sorted(conformance_tests(tests).items(), key=lambda one: _cost(one[0])):
        if only and name not in only:
            continue
        for values in _parameters(test):
            if at_most is not None and len(failed) >= at_most:
                return failed
            with tempfile.TemporaryDirectory() as folder:
                fixtures = _fixtures(tests, open_component, samples, Path(folder))
                needed = set(inspect.signature(test).parameters) - {"self"} - set(values)
                given = {one: make() for one, make in fixtures.items() if one in needed}
                try:
                    getattr(tests(), name)(**given, **values)
                except pytest.skip.Exception:
                    continue
                except (
                    Exception,
                    pytest.fail.Exception,
                ) as error:  # reported: that is what is asked for
                    failed[name] = f"{type(error).__name__}: {error}".split("\n")[0]
                finally:
                    if "monkeypatch" in given:
                        given["monkeypatch"].undo()
    return failed


def _fixtures(
    tests: type, open_component: Callable[..., Any], samples: Sequence[Any], folder: Path
) -> Mapping[str, Callable[[], Any]]:
    kind = getattr(tests, "kind", None)
    return {
        **{name: lambda: Opener(open_component, kind) for name in _OPENERS},
        "stores": lambda: Stores(open_component, kind),
        "samples": lambda: samples,
        "tmp_path": lambda: folder,
        "plugin": open_component,
        "monkeypatch": pytest.MonkeyPatch,
        **{
            f"open_{kind}": lambda: open_component
            for kind in ("backend", "chunker", "context_generator", "converter", "embedder", "fuser", "reranker")
        },
    }  # fmt: skip


def _parameters(test: Callable[..., Any]) -> Iterator[Mapping[str, Any]]:
    """The values of every combination of a test's `parametrize` marks, each of one name."""
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    names = [mark.args[0] for mark in marks]
    for values in itertools.product(*(list(mark.args[1]) for mark in marks)):
        yield dict(zip(names, values, strict=True))


def _cost(name: str) -> tuple[bool, bool]:
    """Quick tests first."""
    slow = (
        "ten_thousand",
        "scan_gives",
        "never_blocked",
        "nothing_is_left",
        "megabyte",
        "long_file",
        "any_shape",
        "second_process",
        "that_is_killed",
    )
    return any(word in name for word in slow), "filter" in name or "operator" in name
