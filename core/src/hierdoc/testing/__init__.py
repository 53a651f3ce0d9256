"""Conformance tests for plugins: derive from a class, supply one fixture, and pytest shows what a component does not keep.

    from hierdoc.testing import VectorBackendTests

    class TestAcme(VectorBackendTests):
        @pytest.fixture
        def open_backend(self, tmp_path):
            return lambda collection: AcmeBackend(tmp_path / collection)

Needs pytest, which the author brings; nothing else of hierdoc imports this package.
"""

from __future__ import annotations

import pytest

_REWRITTEN = (
    "backend base filtering hybrid keyword lifecycle records scale vector watch writing".split()
)

pytest.register_assert_rewrite(*(f"hierdoc.testing.{name}" for name in _REWRITTEN))

from hierdoc.testing.base import contract, left_out, tests_of
from hierdoc.testing.corpus import (
    DIMENSIONS,
    SPEC,
    STAMP,
    direction,
    directions,
    make_document,
    make_document_records,
    make_hits,
    make_markdown,
    make_record,
    make_text,
    make_whole_record,
    unique_word,
)
from hierdoc.testing.keyword import KeywordBackendTests
from hierdoc.testing.stores import OpenBackend, Stores
from hierdoc.testing.vector import VectorBackendTests
from hierdoc.testing.watch import assert_never_blocks, assert_nothing_is_left, longest_stall

__all__ = [
    "DIMENSIONS",
    "SPEC",
    "STAMP",
    "KeywordBackendTests",
    "OpenBackend",
    "Stores",
    "VectorBackendTests",
    "assert_never_blocks",
    "assert_nothing_is_left",
    "contract",
    "direction",
    "directions",
    "left_out",
    "longest_stall",
    "make_document",
    "make_document_records",
    "make_hits",
    "make_markdown",
    "make_record",
    "make_text",
    "make_whole_record",
    "tests_of",
    "unique_word",
]
