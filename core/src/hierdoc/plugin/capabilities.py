"""What a backend may claim."""

from __future__ import annotations

from enum import Enum


class Capability(str, Enum):
    """What a backend may claim. An unclaimed capability raises `CapabilityError`; it is never imitated."""

    NATIVE_HYBRID = "native_hybrid"
    """`hybrid_search`: text and vector in one request, fused by the store."""
    PHRASES = "phrases"
    """`search_phrase`: words next to each other, in order."""
    ATOMIC_REPLACE = "atomic_replace"
    """`replace_documents`: documents change as a whole, whatever happens: also if the process is killed."""
    PERSISTENT = "persistent"
    """What was written is there after `aclose` and a new `open`."""
    MULTI_PROCESS = "multi_process"
    """Several processes may search while one writes, and see each write."""
    FILTER_EQUALS = "filter_equals"
    """`Equals`; each `FILTER_...` stands for one class of filters."""
    FILTER_IN = "filter_in"
    FILTER_CONTAINS = "filter_contains"
    FILTER_PREFIX = "filter_prefix"
    FILTER_AND = "filter_and"
    FILTER_OR = "filter_or"
    FILTER_NOT = "filter_not"


ALL_FILTERS: frozenset[Capability] = frozenset(
    capability for capability in Capability if capability.value.startswith("filter_")
)
"""For a backend that pushes every operator down."""
