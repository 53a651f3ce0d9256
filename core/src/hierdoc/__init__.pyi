from .config.loading import load_config as load_config
from .config.models import Config as Config
from .defaults.fusers import reciprocal_rank_fusion as reciprocal_rank_fusion
from .errors import CapabilityError as CapabilityError
from .errors import ConfigError as ConfigError
from .errors import ConversionError as ConversionError
from .errors import DegradedError as DegradedError
from .errors import EmbeddingError as EmbeddingError
from .errors import HierdocError as HierdocError
from .errors import IndexDamagedError as IndexDamagedError
from .errors import IndexLockedError as IndexLockedError
from .errors import IndexMismatchError as IndexMismatchError
from .errors import PluginError as PluginError
from .errors import QueryError as QueryError
from .errors import SourceError as SourceError
from .errors import StoreError as StoreError
from .expressions import read_filter as read_filter
from .filters import Filter as Filter
from .index import AsyncIndex as AsyncIndex
from .index import Index as Index
from .ingest.report import Failure as Failure
from .ingest.report import IngestReport as IngestReport
from .models import Box as Box
from .models import Chunk as Chunk
from .models import Definition as Definition
from .models import Degradation as Degradation
from .models import Division as Division
from .models import Document as Document
from .models import Hit as Hit
from .models import LegScore as LegScore
from .models import Match as Match
from .models import MissingCitation as MissingCitation
from .models import Reference as Reference
from .models import SearchResult as SearchResult
from .models import Section as Section
from .models import Source as Source
from .models import Usage as Usage
from .models import Version as Version
from .text.analysis import Analyzer as Analyzer

__all__ = [
    "Analyzer",
    "AsyncIndex",
    "Box",
    "CapabilityError",
    "Chunk",
    "Config",
    "ConfigError",
    "ConversionError",
    "Definition",
    "Degradation",
    "DegradedError",
    "Division",
    "Document",
    "EmbeddingError",
    "Failure",
    "Filter",
    "HierdocError",
    "Hit",
    "Index",
    "IndexDamagedError",
    "IndexLockedError",
    "IndexMismatchError",
    "IngestReport",
    "LegScore",
    "Match",
    "MissingCitation",
    "PluginError",
    "QueryError",
    "Reference",
    "SearchResult",
    "Section",
    "Source",
    "SourceError",
    "StoreError",
    "Usage",
    "Version",
    "load_config",
    "read_filter",
    "reciprocal_rank_fusion",
]
