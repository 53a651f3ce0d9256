"""Conformance tests for plugins: derive from a class, supply one fixture, and pytest shows what a component does not keep.

    from hierdoc_testing import VectorBackendTests

    class TestAcme(VectorBackendTests):
        @pytest.fixture
        def open_backend(self, tmp_path):
            return lambda collection: AcmeBackend(tmp_path / collection)

pytest loads `hierdoc_testing.pytest_plugin` by itself, so that a failing assertion shows its values.
"""

from __future__ import annotations

from hierdoc_testing.base import conformance_tests, contract, left_out
from hierdoc_testing.chunker import ChunkerTests
from hierdoc_testing.component import OpenComponent
from hierdoc_testing.context import ContextGeneratorTests
from hierdoc_testing.converter import ConverterTests, Sample, make_sample
from hierdoc_testing.corpus import (
    DIMENSIONS,
    DOCUMENT_VERSION,
    SPEC,
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
from hierdoc_testing.embedder import EmbedderTests
from hierdoc_testing.fuser import FuserTests
from hierdoc_testing.keyword import KeywordBackendTests
from hierdoc_testing.plugin import PluginTests, PluginUnderTest
from hierdoc_testing.reranker import RerankerTests
from hierdoc_testing.running import failing_tests
from hierdoc_testing.stores import OpenBackend, Stores
from hierdoc_testing.vector import VectorBackendTests
from hierdoc_testing.watch import assert_never_blocks, assert_nothing_is_left, longest_stall

__all__ = [
    "DIMENSIONS",
    "DOCUMENT_VERSION",
    "SPEC",
    "ChunkerTests",
    "ContextGeneratorTests",
    "ConverterTests",
    "EmbedderTests",
    "FuserTests",
    "KeywordBackendTests",
    "OpenBackend",
    "OpenComponent",
    "PluginTests",
    "PluginUnderTest",
    "RerankerTests",
    "Sample",
    "Stores",
    "VectorBackendTests",
    "assert_never_blocks",
    "assert_nothing_is_left",
    "conformance_tests",
    "contract",
    "direction",
    "directions",
    "failing_tests",
    "left_out",
    "longest_stall",
    "make_document",
    "make_document_records",
    "make_hits",
    "make_markdown",
    "make_record",
    "make_sample",
    "make_text",
    "make_whole_record",
    "unique_word",
]
