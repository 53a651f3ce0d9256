"""What needs no library, registered through the same hooks as everybody's: configuration models and hooks, no more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, Literal

from pydantic import Field

from hierdoc.plugin import (
    ConversionLimits,
    Operational,
    Provider,
    ProviderConfig,
    StructureSettings,
    hookimpl,
)


class AutoConverterConfig(ProviderConfig):
    """The right converter for each file, of all that are installed."""

    provider: Literal["auto"] = "auto"
    limits: Operational[ConversionLimits] = Field(
        default_factory=ConversionLimits, description="What the conversion of one file may take."
    )


class MarkdownConfig(ProviderConfig):
    """Markdown with front matter."""

    provider: Literal["markdown"] = "markdown"


class TextConfig(ProviderConfig):
    """Plain text in any common encoding."""

    provider: Literal["text"] = "text"


class _LimitedConfig(StructureSettings, ProviderConfig):
    max_chunk_tokens: int = Field(
        800,
        ge=20,
        le=8000,
        description="No chunk has more tokens: by the embedder's count near the limit if it can count, "
        "else by estimate.",
    )
    extract_references: bool = Field(True, description="Look for references to other sections.")


class StructureConfig(_LimitedConfig):
    """Chunks cut at headings, then paragraphs, then sentences; small sections together."""

    provider: Literal["structure"] = "structure"
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


class TokenConfig(_LimitedConfig):
    """Chunks of equal length, whatever the structure."""

    provider: Literal["token"] = "token"
    chunk_overlap: int = Field(
        50, ge=0, le=1000, description="Tokens that a chunk repeats of the one before."
    )


class NoContextConfig(ProviderConfig):
    """No context: the text alone."""

    provider: Literal["none"] = "none"


class StructuralConfig(ProviderConfig):
    """The document's title and the parent chain."""

    provider: Literal["structural"] = "structural"


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


def _opens(module: str, name: str) -> Callable[[ProviderConfig], Any]:
    """Makes an object of this class, which is imported only then; the settings are its arguments."""

    def open_(config: ProviderConfig) -> Any:
        made = getattr(import_module(f"hierdoc.defaults.{module}"), name)
        return made(**config.model_dump(exclude={"provider"}))

    return open_


def _open_auto(config: AutoConverterConfig) -> Any:
    from hierdoc.defaults.converters import AutoConverter

    return AutoConverter(limits=config.limits)


@hookimpl
def hierdoc_converters() -> Iterable[Provider[Any, Any]]:
    """Markdown and plain text; `auto` chooses among all that are installed."""
    yield Provider(AutoConverterConfig, _open_auto)
    yield Provider(MarkdownConfig, _opens("converters", "MarkdownConverter"))
    yield Provider(TextConfig, _opens("converters", "TextConverter"))


@hookimpl
def hierdoc_chunkers() -> Iterable[Provider[Any, Any]]:
    """By structure, and by length alone."""
    yield Provider(StructureConfig, _opens("chunkers", "StructureChunker"))
    yield Provider(TokenConfig, _opens("chunkers", "TokenChunker"))


@hookimpl
def hierdoc_context_generators() -> Iterable[Provider[Any, Any]]:
    """None, and title with parent chain."""
    yield Provider(NoContextConfig, _opens("contexts", "NoContext"))
    yield Provider(StructuralConfig, _opens("contexts", "StructuralContext"))


@hookimpl
def hierdoc_fusers() -> Iterable[Provider[Any, Any]]:
    """By rank and by score."""
    yield Provider(AdaptiveConfig, _opens("fusers", "AdaptiveFuser"))
    yield Provider(RrfConfig, _opens("fusers", "ReciprocalRankFuser"))
    yield Provider(WeightedSumConfig, _opens("fusers", "WeightedSumFuser"))
