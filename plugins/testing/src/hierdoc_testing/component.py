"""What the tests of components other than backends share: the component is opened by a factory, and closed if it can be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from hierdoc.plugin import ComponentKind, SupportsClose
from hierdoc_testing.base import opening, require_complete
from hierdoc_testing.watch import assert_nothing_is_left

OpenComponent = Callable[[], Any]
"""Gives a new component, as configured for the tests."""


class Opener:
    """Opens components for one test, and closes them.

    Args:
        open_component: The author's fixture.
        kind: What it opens.
    """

    def __init__(self, open_component: OpenComponent, kind: ComponentKind | None = None) -> None:
        self.open_component = open_component
        self._kind = kind
        self._opened: list[Any] = []

    def open(self) -> Any:
        """A new component."""
        with opening():
            component = self.open_component()
        self._opened.append(require_complete(component, self._kind))
        return component

    async def finish(self) -> None:
        """Close all that can be closed."""
        for component in self._opened:
            await close(component)


async def close(component: Any) -> None:
    """Close a component that holds something."""
    if isinstance(component, SupportsClose):
        await component.aclose()


def check_nothing_is_left(
    open_component: OpenComponent, use: Callable[[Any], Awaitable[Any]]
) -> None:
    """Open, use and close components, twice each, and see that nothing stays behind."""

    async def once() -> Any:
        component = open_component()
        await use(component)
        await close(component)
        await close(component)
        return component

    assert_nothing_is_left(once)
