from .capabilities import ALL_FILTERS as ALL_FILTERS
from .capabilities import Capability as Capability
from .decoding import TITLE_LIMIT as TITLE_LIMIT
from .decoding import decode as decode
from .decoding import find_title as find_title
from .filtering import LIST_FIELDS as LIST_FIELDS
from .filtering import PARENT_CHAIN as PARENT_CHAIN
from .filtering import SCALAR_FIELDS as SCALAR_FIELDS
from .filtering import matches as matches
from .filtering import require_capabilities as require_capabilities
from .hookspecs import hookimpl as hookimpl
from .protocols import Chunker as Chunker
from .protocols import ContextGenerator as ContextGenerator
from .protocols import Converter as Converter
from .protocols import Embedder as Embedder
from .protocols import Fuser as Fuser
from .protocols import IndexSpec as IndexSpec
from .protocols import KeywordBackend as KeywordBackend
from .protocols import Reranker as Reranker
from .protocols import SupportsAtomicReplace as SupportsAtomicReplace
from .protocols import SupportsClose as SupportsClose
from .protocols import SupportsCoverage as SupportsCoverage
from .protocols import SupportsHybridSearch as SupportsHybridSearch
from .protocols import SupportsPhrases as SupportsPhrases
from .protocols import SupportsTokenCount as SupportsTokenCount
from .protocols import SupportsTokenLimit as SupportsTokenLimit
from .protocols import VectorBackend as VectorBackend
from .provider import ComponentKind as ComponentKind
from .provider import Provider as Provider
from .records import DocumentState as DocumentState
from .records import Record as Record
from .records import Stamp as Stamp
from .registry import Registry as Registry
from .registry import default_registry as default_registry
from .settings import IndexPath as IndexPath
from .settings import LocalPath as LocalPath
from .settings import Operational as Operational
from .settings import ProviderConfig as ProviderConfig
from .settings import StructureSettings as StructureSettings
from .stores import from_store_text as from_store_text
from .stores import to_store_text as to_store_text
from .vectors import VectorMatrix as VectorMatrix
from .vectors import unit_query as unit_query
from .vectors import unit_vectors as unit_vectors
from .worker import Worker as Worker

__all__ = [
    "ALL_FILTERS",
    "LIST_FIELDS",
    "PARENT_CHAIN",
    "SCALAR_FIELDS",
    "TITLE_LIMIT",
    "Capability",
    "Chunker",
    "ComponentKind",
    "ContextGenerator",
    "Converter",
    "DocumentState",
    "Embedder",
    "Fuser",
    "IndexPath",
    "IndexSpec",
    "KeywordBackend",
    "LocalPath",
    "Operational",
    "Provider",
    "ProviderConfig",
    "Record",
    "Registry",
    "Reranker",
    "Stamp",
    "StructureSettings",
    "SupportsAtomicReplace",
    "SupportsClose",
    "SupportsCoverage",
    "SupportsHybridSearch",
    "SupportsPhrases",
    "SupportsTokenCount",
    "SupportsTokenLimit",
    "VectorBackend",
    "VectorMatrix",
    "Worker",
    "decode",
    "default_registry",
    "find_title",
    "from_store_text",
    "hookimpl",
    "matches",
    "require_capabilities",
    "to_store_text",
    "unit_query",
    "unit_vectors",
]
