"""Every error that hierdoc raises on purpose.

    HierdocError                    has a message and, where there is a way out, a `.hint`
    ├── ConfigError                 the configuration is wrong: where, what, the nearest right thing
    │   └── UnknownProviderError    `provider:` names nothing that is installed
    ├── PluginError                 a plugin raised what it did not mean to, or lacks a method
    │   ├── PluginLoadError         a plugin, or the library it needs, cannot be imported
    │   └── PluginConflictError     two distributions provide the same name
    ├── SourceError                 the source is missing, empty or out of bounds
    │   └── ConversionError         one file cannot be converted
    │       └── UnsupportedFormatError   no installed converter reads this format
    ├── EmbeddingError              a text cannot be embedded, while others can
    ├── StoreError                  a backend cannot do its work
    │   ├── IndexMismatchError      the index was made by another embedder, dimension or schema
    │   ├── IndexDamagedError       what the index holds is not what was written
    │   ├── IndexLockedError        another process holds the index
    │   └── PartialWriteError       some records of a batch were not written; `.failed` names them
    ├── CapabilityError             a backend was asked for what it does not claim
    ├── GroundTruthError            a line of a ground truth is wrong, or expects what the index does not hold
    ├── QueryError                  the query, `top_k`, mode or filter is not usable
    └── DegradedError               a leg failed and `search.on_degraded` is `raise`

The command line prints the message and the hint, and a traceback only with `--debug`.
"""

from __future__ import annotations

from collections.abc import Mapping


class HierdocError(Exception):
    """Base of all errors of hierdoc.

    Args:
        message: What happened and where.
        hint: What to do next; None where nothing sensible can be said.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class ConfigError(HierdocError):
    """The configuration cannot be read or does not validate."""


class UnknownProviderError(ConfigError):
    """A component names a provider that nothing installed provides."""


class PluginError(HierdocError):
    """A plugin is at fault: the message names its provider and distribution, the cause is what it raised."""


class PluginLoadError(PluginError):
    """A plugin, or the library behind it, fails to import; raised from the original error."""


class PluginConflictError(PluginError):
    """Two installed distributions provide one name for one kind of component."""


class SourceError(HierdocError):
    """The configured source is missing, holds no readable document, or a path leads out of it."""


class ConversionError(SourceError):
    """One file cannot be converted; the others are not affected."""


class UnsupportedFormatError(ConversionError):
    """No installed converter reads files of this format; the hint names the extra that does."""


class EmbeddingError(HierdocError):
    """A text cannot be embedded, while others can: an ingest reports its document as failed and goes on."""


class StoreError(HierdocError):
    """A vector or keyword backend cannot do its work."""


class IndexMismatchError(StoreError):
    """The index was built by another embedder, dimension or schema version; nothing was mixed."""


class IndexDamagedError(StoreError):
    """What the index holds cannot be read or is not what was written; an ingest builds it anew from the source."""


class IndexLockedError(StoreError):
    """Another process is writing to the index."""


class PartialWriteError(StoreError):
    """Some records of a batch were not written.

    Args:
        message: What happened and where.
        failed: Chunk id -> reason, for exactly the records that were not written.
        hint: What to do next.
    """

    def __init__(self, message: str, *, failed: Mapping[str, str], hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.failed = dict(failed)


class CapabilityError(HierdocError):
    """A backend was asked for something that it does not claim to be able to do."""


class GroundTruthError(HierdocError):
    """A ground truth cannot be read, or expects a document that the index does not hold."""


class QueryError(HierdocError):
    """The query, `top_k`, the mode or the filter is not usable."""


class DegradedError(HierdocError):
    """A leg of the search failed and the configuration says to raise rather than go on without it."""
