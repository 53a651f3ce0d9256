"""What needs no library, registered through the same hooks as everybody's: configuration models and hooks, no more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    Provider,
    ProviderConfig,
    StructureSettings,
    hookimpl,
)

Language = Literal[
    "auto", "none", "da", "de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "ro", "ru", "sv"
]
"""How words are stemmed: by the language of each document, not at all, or always by one."""


class AutoConverterConfig(ProviderConfig):
    """Choose the converter by the file's suffix, among all that are installed."""

    provider: Literal["auto"] = "auto"


class MarkdownConfig(ProviderConfig):
    """Markdown, as it is."""

    provider: Literal["markdown"] = "markdown"


class TextConfig(ProviderConfig):
    """Plain text, as it is."""

    provider: Literal["text"] = "text"


class StructureConfig(StructureSettings, ProviderConfig):
    """Cut at headings first, then paragraphs, then sentences; small sections together."""

    provider: Literal["structure"] = "structure"
    max_chunk_tokens: int = Field(
        800,
        ge=20,
        le=8000,
        description="No chunk has more tokens: by the embedder's count near the limit if it can count, "
        "else by estimate.",
    )
    chunk_overlap: int = Field(
        50, ge=0, le=1000, description="Tokens repeated where a section is cut into several chunks."
    )
    min_chunk_tokens: int = Field(
        50,
        ge=0,
        le=8000,
        description="Small sections of one parent are put together up to so many tokens, numbered ones "
        "aside; 0 for never.",
    )
    extract_references: bool = Field(True, description="Look for references to other sections.")


class TokenConfig(StructureSettings, ProviderConfig):
    """Cut every so many tokens, whatever the structure."""

    provider: Literal["token"] = "token"
    max_chunk_tokens: int = Field(
        800,
        ge=20,
        le=8000,
        description="No chunk has more tokens: by the embedder's count near the limit if it can count, "
        "else by estimate.",
    )
    chunk_overlap: int = Field(
        50, ge=0, le=1000, description="Tokens that a chunk repeats of the one before."
    )


class NoContextConfig(ProviderConfig):
    """Index the text alone."""

    provider: Literal["none"] = "none"


class StructuralConfig(ProviderConfig):
    """The document's title and the parent chain."""

    provider: Literal["structural"] = "structural"


class InMemoryVectorConfig(ProviderConfig):
    """Records and vectors in memory, searched exactly, gone at the end."""

    provider: Literal["in-memory"] = "in-memory"


class InMemoryKeywordConfig(ProviderConfig):
    """BM25 over postings in memory, gone at the end."""

    provider: Literal["in-memory"] = "in-memory"
    k1: float = Field(1.5, ge=0, description="How soon repetitions of a term stop counting.")
    b: float = Field(0.75, ge=0, le=1, description="How much long chunks are held back.")
    variant: Literal["lucene", "okapi"] = Field(
        "lucene", description="Lucene's and Tantivy's formula, or that of rank_bm25.BM25Okapi."
    )
    language: Language = Field("auto", description="How words are stemmed.")


class AdaptiveConfig(ProviderConfig):
    """Sum of scaled scores, the keyword leg's by how much of the query it has found."""

    provider: Literal["adaptive"] = "adaptive"


class RrfConfig(ProviderConfig):
    """Reciprocal rank fusion."""

    provider: Literal["rrf"] = "rrf"
    k: int = Field(60, ge=0, description="Higher values flatten the differences between ranks.")


class WeightedSumConfig(ProviderConfig):
    """Convex combination of normalised scores."""

    provider: Literal["weighted-sum"] = "weighted-sum"


def _open_auto(config: AutoConverterConfig) -> Any:
    from hierdoc.defaults.converters import AutoConverter

    return AutoConverter()


def _open_markdown(config: MarkdownConfig) -> Any:
    from hierdoc.defaults.converters import MarkdownConverter

    return MarkdownConverter()


def _open_text(config: TextConfig) -> Any:
    from hierdoc.defaults.converters import TextConverter

    return TextConverter()


def _open_structure(config: StructureConfig) -> Any:
    from hierdoc.defaults.chunkers import StructureChunker

    return StructureChunker(
        config.max_chunk_tokens,
        config.chunk_overlap,
        config.min_chunk_tokens,
        domain=config.domain,
        max_subsection_depth=config.max_subsection_depth,
        extract_definitions=config.extract_definitions,
        extract_references=config.extract_references,
    )


def _open_token(config: TokenConfig) -> Any:
    from hierdoc.defaults.chunkers import TokenChunker

    return TokenChunker(
        config.max_chunk_tokens,
        config.chunk_overlap,
        domain=config.domain,
        max_subsection_depth=config.max_subsection_depth,
    )


def _open_no_context(config: NoContextConfig) -> Any:
    from hierdoc.defaults.contexts import NoContext

    return NoContext()


def _open_structural(config: StructuralConfig) -> Any:
    from hierdoc.defaults.contexts import StructuralContext

    return StructuralContext()


def _open_in_memory_vector(config: InMemoryVectorConfig) -> Any:
    from hierdoc.defaults.vector_memory import InMemoryVectorBackend

    return InMemoryVectorBackend()


def _open_in_memory_keyword(config: InMemoryKeywordConfig) -> Any:
    from hierdoc.defaults.keyword_memory import InMemoryKeywordBackend

    return InMemoryKeywordBackend(
        k1=config.k1, b=config.b, variant=config.variant, language=config.language
    )


def _open_adaptive(config: AdaptiveConfig) -> Any:
    from hierdoc.defaults.fusers import AdaptiveFuser

    return AdaptiveFuser()


def _open_rrf(config: RrfConfig) -> Any:
    from hierdoc.defaults.fusers import ReciprocalRankFuser

    return ReciprocalRankFuser(config.k)


def _open_weighted_sum(config: WeightedSumConfig) -> Any:
    from hierdoc.defaults.fusers import WeightedSumFuser

    return WeightedSumFuser()


@hookimpl
def hierdoc_converters() -> Iterable[Provider[Any, Any]]:
    """Markdown and plain text; `auto` chooses among all that are installed."""
    yield Provider("auto", AutoConverterConfig, _open_auto, "The right converter for each file")
    yield Provider("markdown", MarkdownConfig, _open_markdown, "Markdown with front matter")
    yield Provider("text", TextConfig, _open_text, "Plain text in any common encoding")


@hookimpl
def hierdoc_chunkers() -> Iterable[Provider[Any, Any]]:
    """By structure, and by length alone."""
    yield Provider("structure", StructureConfig, _open_structure, "Passages cut along the headings")
    yield Provider("token", TokenConfig, _open_token, "Passages of equal length")


@hookimpl
def hierdoc_context_generators() -> Iterable[Provider[Any, Any]]:
    """None, and title with parent chain."""
    yield Provider("none", NoContextConfig, _open_no_context, "No context: the text alone")
    yield Provider("structural", StructuralConfig, _open_structural, "Title and parent chain")


_WHOLE = ALL_FILTERS | {Capability.ATOMIC_REPLACE}


@hookimpl
def hierdoc_vector_backends() -> Iterable[Provider[Any, Any]]:
    """In memory."""
    yield Provider(
        "in-memory",
        InMemoryVectorConfig,
        _open_in_memory_vector,
        "In memory, searched exactly",
        capabilities=_WHOLE,
    )


@hookimpl
def hierdoc_keyword_backends() -> Iterable[Provider[Any, Any]]:
    """In memory."""
    yield Provider(
        "in-memory",
        InMemoryKeywordConfig,
        _open_in_memory_keyword,
        "BM25 in memory, any k1 and b",
        capabilities=ALL_FILTERS | {Capability.PHRASES},
    )


@hookimpl
def hierdoc_fusers() -> Iterable[Provider[Any, Any]]:
    """By rank and by score."""
    yield Provider(
        "adaptive", AdaptiveConfig, _open_adaptive, "Scores, weighed by what each leg has found"
    )
    yield Provider("rrf", RrfConfig, _open_rrf, "Reciprocal rank fusion")
    yield Provider(
        "weighted-sum", WeightedSumConfig, _open_weighted_sum, "Sum of normalised scores"
    )
