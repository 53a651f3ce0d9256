from .capabilities import ALL_FILTERS as ALL_FILTERS
from .capabilities import Capability as Capability
from .decoding import TITLE_LIMIT as TITLE_LIMIT
from .decoding import decode as decode
from .decoding import find_plain_title as find_plain_title
from .decoding import find_title as find_title
from .embedding import LocalEmbedder as LocalEmbedder
from .embedding import LocalModel as LocalModel
from .embedding import checked_vectors as checked_vectors
from .embedding import combine_windows as combine_windows
from .embedding import cut_windows as cut_windows
from .embedding import without_surrogates as without_surrogates
from .filtering import LIST_FIELDS as LIST_FIELDS
from .filtering import PARENT_CHAIN as PARENT_CHAIN
from .filtering import SCALAR_FIELDS as SCALAR_FIELDS
from .filtering import matches as matches
from .filtering import require_capabilities as require_capabilities
from .filtering import resolved as resolved
from .folding import FilterFold as FilterFold
from .folding import TagFold as TagFold
from .folding import chain_value as chain_value
from .folding import filter_values as filter_values
from .folding import join_conditions as join_conditions
from .folding import record_tags as record_tags
from .folding import tag as tag
from .hookspecs import hookimpl as hookimpl
from .memory import InMemoryKeywordBase as InMemoryKeywordBase
from .memory import Scorer as Scorer
from .memory import ScoringKeywordBackend as ScoringKeywordBackend
from .processes import Conversion as Conversion
from .processes import ConversionPool as ConversionPool
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
from .protocols import SupportsCostLimit as SupportsCostLimit
from .protocols import SupportsDeletedCount as SupportsDeletedCount
from .protocols import SupportsEmbeddingUsage as SupportsEmbeddingUsage
from .protocols import SupportsFindEach as SupportsFindEach
from .protocols import SupportsHybridSearch as SupportsHybridSearch
from .protocols import SupportsLanguages as SupportsLanguages
from .protocols import SupportsPhrases as SupportsPhrases
from .protocols import SupportsSearchEstimate as SupportsSearchEstimate
from .protocols import SupportsTermStatistics as SupportsTermStatistics
from .protocols import SupportsTokenCount as SupportsTokenCount
from .protocols import SupportsTokenLimit as SupportsTokenLimit
from .protocols import SupportsUsage as SupportsUsage
from .protocols import VectorBackend as VectorBackend
from .provider import ComponentKind as ComponentKind
from .provider import Provider as Provider
from .provider import check_embedder as check_embedder
from .ranking import best_matches as best_matches
from .ranking import best_matches_async as best_matches_async
from .ranking import ranked as ranked
from .records import REBUILD as REBUILD
from .records import TEXT_FIELDS as TEXT_FIELDS
from .records import DocumentState as DocumentState
from .records import DocumentVersion as DocumentVersion
from .records import Record as Record
from .registry import Registry as Registry
from .registry import default_registry as default_registry
from .sealing import seal as seal
from .sealing import unseal as unseal
from .settings import ConversionLimits as ConversionLimits
from .settings import HeaderSecret as HeaderSecret
from .settings import IndexPath as IndexPath
from .settings import Language as Language
from .settings import LocalPath as LocalPath
from .settings import Operational as Operational
from .settings import ProviderConfig as ProviderConfig
from .settings import StructureSettings as StructureSettings
from .settings import server_url as server_url
from .stores import document_states as document_states
from .stores import from_store_text as from_store_text
from .stores import make_manifest as make_manifest
from .stores import make_private_folder as make_private_folder
from .stores import masked as masked
from .stores import read_state_key as read_state_key
from .stores import require_manifest as require_manifest
from .stores import state_key as state_key
from .stores import states_from_rows as states_from_rows
from .stores import to_store_text as to_store_text
from .stores import unique_records as unique_records
from .synchronous import SyncVectorBackend as SyncVectorBackend
from .terms import RecordTerms as RecordTerms
from .terms import record_terms as record_terms
from .vectors import VectorMatrix as VectorMatrix
from .vectors import require_weights as require_weights
from .vectors import unit_query as unit_query
from .vectors import unit_vectors as unit_vectors
from .worker import Worker as Worker

__all__ = [
    "ALL_FILTERS",
    "LIST_FIELDS",
    "PARENT_CHAIN",
    "REBUILD",
    "SCALAR_FIELDS",
    "TEXT_FIELDS",
    "TITLE_LIMIT",
    "Capability",
    "Chunker",
    "ComponentKind",
    "ContextGenerator",
    "Conversion",
    "ConversionLimits",
    "ConversionPool",
    "Converter",
    "DocumentState",
    "DocumentVersion",
    "Embedder",
    "FilterFold",
    "Fuser",
    "HeaderSecret",
    "InMemoryKeywordBase",
    "IndexPath",
    "IndexSpec",
    "KeywordBackend",
    "Language",
    "LocalEmbedder",
    "LocalModel",
    "LocalPath",
    "Operational",
    "Provider",
    "ProviderConfig",
    "Record",
    "RecordTerms",
    "Registry",
    "Reranker",
    "Scorer",
    "ScoringKeywordBackend",
    "StructureSettings",
    "SupportsAtomicReplace",
    "SupportsClose",
    "SupportsCostLimit",
    "SupportsDeletedCount",
    "SupportsEmbeddingUsage",
    "SupportsFindEach",
    "SupportsHybridSearch",
    "SupportsLanguages",
    "SupportsPhrases",
    "SupportsSearchEstimate",
    "SupportsTermStatistics",
    "SupportsTokenCount",
    "SupportsTokenLimit",
    "SupportsUsage",
    "SyncVectorBackend",
    "TagFold",
    "VectorBackend",
    "VectorMatrix",
    "Worker",
    "best_matches",
    "best_matches_async",
    "chain_value",
    "check_embedder",
    "checked_vectors",
    "combine_windows",
    "cut_windows",
    "decode",
    "default_registry",
    "document_states",
    "filter_values",
    "find_plain_title",
    "find_title",
    "from_store_text",
    "hookimpl",
    "join_conditions",
    "make_manifest",
    "make_private_folder",
    "masked",
    "matches",
    "ranked",
    "read_state_key",
    "record_tags",
    "record_terms",
    "require_capabilities",
    "require_manifest",
    "require_weights",
    "resolved",
    "seal",
    "server_url",
    "state_key",
    "states_from_rows",
    "tag",
    "to_store_text",
    "unique_records",
    "unit_query",
    "unit_vectors",
    "unseal",
    "without_surrogates",
]
