"""hierdoc: retrieval over structured documents.

Names are imported on first use, so that `import hierdoc` and `hierdoc --help` cost next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hierdoc.analysis import Analyzer as Analyzer
    from hierdoc.builtin.fusers import reciprocal_rank_fusion as reciprocal_rank_fusion
    from hierdoc.builtin.keyword_memory import KeywordIndex as KeywordIndex
    from hierdoc.builtin.vector_matrix import unit_query as unit_query
    from hierdoc.builtin.vector_matrix import unit_vectors as unit_vectors
    from hierdoc.builtin.worker import Worker as Worker
    from hierdoc.capabilities import ALL_FILTERS as ALL_FILTERS
    from hierdoc.capabilities import Capability as Capability
    from hierdoc.config import ByProvider as ByProvider
    from hierdoc.config import Config as Config
    from hierdoc.config import IndexPath as IndexPath
    from hierdoc.config import LocalPath as LocalPath
    from hierdoc.config import ProviderConfig as ProviderConfig
    from hierdoc.config import SearchSettings as SearchSettings
    from hierdoc.config import StructureSettings as StructureSettings
    from hierdoc.errors import CapabilityError as CapabilityError
    from hierdoc.errors import ConfigError as ConfigError
    from hierdoc.errors import ConversionError as ConversionError
    from hierdoc.errors import DegradedError as DegradedError
    from hierdoc.errors import GroundTruthError as GroundTruthError
    from hierdoc.errors import HierdocError as HierdocError
    from hierdoc.errors import IndexLockedError as IndexLockedError
    from hierdoc.errors import IndexMismatchError as IndexMismatchError
    from hierdoc.errors import PartialWriteError as PartialWriteError
    from hierdoc.errors import PluginConflictError as PluginConflictError
    from hierdoc.errors import PluginError as PluginError
    from hierdoc.errors import PluginLoadError as PluginLoadError
    from hierdoc.errors import QueryError as QueryError
    from hierdoc.errors import SourceError as SourceError
    from hierdoc.errors import StoreError as StoreError
    from hierdoc.errors import UnknownProviderError as UnknownProviderError
    from hierdoc.errors import UnsupportedFormatError as UnsupportedFormatError
    from hierdoc.filters import LIST_FIELDS as LIST_FIELDS
    from hierdoc.filters import PARENT_CHAIN as PARENT_CHAIN
    from hierdoc.filters import SCALAR_FIELDS as SCALAR_FIELDS
    from hierdoc.filters import And as And
    from hierdoc.filters import Contains as Contains
    from hierdoc.filters import Equals as Equals
    from hierdoc.filters import Filter as Filter
    from hierdoc.filters import In as In
    from hierdoc.filters import Not as Not
    from hierdoc.filters import Or as Or
    from hierdoc.filters import Under as Under
    from hierdoc.filters import matches as matches
    from hierdoc.filters import require_capabilities as require_capabilities
    from hierdoc.hookspecs import hookimpl as hookimpl
    from hierdoc.index import Index as Index
    from hierdoc.models import AbsentCitation as AbsentCitation
    from hierdoc.models import Chunk as Chunk
    from hierdoc.models import Definition as Definition
    from hierdoc.models import Degradation as Degradation
    from hierdoc.models import Document as Document
    from hierdoc.models import DomainName as DomainName
    from hierdoc.models import Hit as Hit
    from hierdoc.models import LegScore as LegScore
    from hierdoc.models import Match as Match
    from hierdoc.models import Reference as Reference
    from hierdoc.models import SearchResult as SearchResult
    from hierdoc.models import Section as Section
    from hierdoc.models import Source as Source
    from hierdoc.protocols import Chunker as Chunker
    from hierdoc.protocols import ContextGenerator as ContextGenerator
    from hierdoc.protocols import Converter as Converter
    from hierdoc.protocols import Embedder as Embedder
    from hierdoc.protocols import Fuser as Fuser
    from hierdoc.protocols import IndexSpec as IndexSpec
    from hierdoc.protocols import KeywordBackend as KeywordBackend
    from hierdoc.protocols import Reranker as Reranker
    from hierdoc.protocols import SupportsAtomicReplace as SupportsAtomicReplace
    from hierdoc.protocols import SupportsClose as SupportsClose
    from hierdoc.protocols import SupportsCoverage as SupportsCoverage
    from hierdoc.protocols import SupportsHybridSearch as SupportsHybridSearch
    from hierdoc.protocols import SupportsPhrases as SupportsPhrases
    from hierdoc.protocols import SupportsTokenCount as SupportsTokenCount
    from hierdoc.protocols import SupportsTokenLimit as SupportsTokenLimit
    from hierdoc.protocols import VectorBackend as VectorBackend
    from hierdoc.records import DocumentState as DocumentState
    from hierdoc.records import Record as Record
    from hierdoc.records import Stamp as Stamp
    from hierdoc.registry import Kind as Kind
    from hierdoc.registry import Provider as Provider
    from hierdoc.registry import Registry as Registry
    from hierdoc.registry import default_registry as default_registry
    from hierdoc.reports import Failure as Failure
    from hierdoc.reports import IngestReport as IngestReport
    from hierdoc.settings import load_config as load_config
    from hierdoc.stores import from_store_text as from_store_text
    from hierdoc.stores import to_store_text as to_store_text

_HOMES = {
    "analysis": ("Analyzer",),
    "builtin.fusers": ("reciprocal_rank_fusion",),
    "builtin.keyword_memory": ("KeywordIndex",),
    "builtin.vector_matrix": ("unit_query", "unit_vectors"),
    "builtin.worker": ("Worker",),
    "capabilities": ("ALL_FILTERS", "Capability"),
    "config": (
        "ByProvider",
        "Config",
        "IndexPath",
        "LocalPath",
        "ProviderConfig",
        "SearchSettings",
        "StructureSettings",
    ),
    "errors": (
        "CapabilityError",
        "ConfigError",
        "ConversionError",
        "DegradedError",
        "GroundTruthError",
        "HierdocError",
        "IndexLockedError",
        "IndexMismatchError",
        "PartialWriteError",
        "PluginConflictError",
        "PluginError",
        "PluginLoadError",
        "QueryError",
        "SourceError",
        "StoreError",
        "UnknownProviderError",
        "UnsupportedFormatError",
    ),
    "filters": (
        "LIST_FIELDS",
        "PARENT_CHAIN",
        "SCALAR_FIELDS",
        "And",
        "Contains",
        "Equals",
        "Filter",
        "In",
        "Not",
        "Or",
        "Under",
        "matches",
        "require_capabilities",
    ),
    "hookspecs": ("hookimpl",),
    "index": ("Index",),
    "models": (
        "AbsentCitation",
        "Chunk",
        "Definition",
        "Degradation",
        "Document",
        "DomainName",
        "Hit",
        "LegScore",
        "Match",
        "Reference",
        "SearchResult",
        "Section",
        "Source",
    ),
    "protocols": (
        "Chunker",
        "ContextGenerator",
        "Converter",
        "Embedder",
        "Fuser",
        "IndexSpec",
        "KeywordBackend",
        "Reranker",
        "SupportsAtomicReplace",
        "SupportsClose",
        "SupportsCoverage",
        "SupportsHybridSearch",
        "SupportsPhrases",
        "SupportsTokenCount",
        "SupportsTokenLimit",
        "VectorBackend",
    ),
    "records": ("DocumentState", "Record", "Stamp"),
    "registry": ("Kind", "Provider", "Registry", "default_registry"),
    "reports": ("Failure", "IngestReport"),
    "settings": ("load_config",),
    "stores": ("from_store_text", "to_store_text"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(import_module(f"hierdoc.{_HOME_OF[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'hierdoc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
