"""Making frozen values fast, where there are thousands of them.

A frozen dataclass is made field by field through `object.__setattr__`, which takes three times as long as plain assignment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields, make_dataclass
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


def quick(cls: Callable[P, T]) -> Callable[P, T]:
    """A function that takes what a frozen dataclass with slots takes, and makes the same values of that class.

    They are made of a class with the same fields that is not frozen, and given the frozen one as soon as they are whole.

    Args:
        cls: The dataclass, without a `__post_init__` of its own.
    """

    def freeze(self: Any) -> None:
        self.__class__ = cls

    copied = [
        (one.name, one.type, field(default=one.default, default_factory=one.default_factory))
        for one in fields(cast(Any, cls))
    ]
    thawed = make_dataclass(
        "Thawed", copied, slots=True, eq=False, namespace={"__post_init__": freeze}
    )
    return cast(Callable[P, T], thawed)
