"""Whether an object has what its kind of component promises, seen without calling it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence

from hierdoc.plugin import protocols
from hierdoc.plugin.capabilities import Capability
from hierdoc.plugin.provider import ComponentKind

PROTOCOLS: dict[ComponentKind, type] = {
    ComponentKind.CONVERTER: protocols.Converter,
    ComponentKind.CHUNKER: protocols.Chunker,
    ComponentKind.CONTEXT: protocols.ContextGenerator,
    ComponentKind.EMBEDDER: protocols.Embedder,
    ComponentKind.VECTOR: protocols.VectorBackend,
    ComponentKind.KEYWORD: protocols.KeywordBackend,
    ComponentKind.FUSER: protocols.Fuser,
    ComponentKind.RERANKER: protocols.Reranker,
}
"""What a component of each kind must have."""

_CLAIMED: dict[Capability, type] = {
    Capability.NATIVE_HYBRID: protocols.SupportsHybridSearch,
    Capability.PHRASES: protocols.SupportsPhrases,
    Capability.ATOMIC_REPLACE: protocols.SupportsAtomicReplace,
}


def find_faults(kind: ComponentKind, component: object) -> Sequence[str]:
    """What the protocol asks for and the object lacks, methods of claimed capabilities included; empty if all is there."""
    wanted = [PROTOCOLS[kind]]
    if kind in (ComponentKind.VECTOR, ComponentKind.KEYWORD):
        claimed = getattr(component, "capabilities", None)
        if not isinstance(claimed, frozenset):
            return ["`capabilities` must be a frozenset"]
        wanted += [protocol for claim, protocol in _CLAIMED.items() if claim in claimed]
    faults = (_fault(component, name, member) for one in wanted for name, member in _members(one))
    return [fault for fault in faults if fault]


def _members(protocol: type) -> Iterator[tuple[str, object]]:
    for base in protocol.__mro__:
        if getattr(base, "_is_protocol", False):
            yield from ((name, one) for name, one in vars(base).items() if not name.startswith("_"))


def _fault(component: object, name: str, member: object) -> str | None:
    if isinstance(member, property):  # not read: an embedder may load its model to answer
        known = name in dir(component) or hasattr(type(component), "__getattr__")
        return None if known else f"`{name}` is missing"
    given = getattr(component, name, None)
    if not callable(given):
        return f"`{name}` is missing"
    wanted = inspect.iscoroutinefunction(member)
    if inspect.iscoroutinefunction(given) != wanted:
        return f"`{name}` must {'' if wanted else 'not '}be async"
    return None
