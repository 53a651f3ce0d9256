"""The hooks by which plugins register components: module-level functions that return providers, nothing else.

A plugin is a module with one or more of these functions, marked with `hookimpl`, and an entry point in the group
`hierdoc` whose name is the provider's. The module is light: a config model, whose docstring's first line describes the
provider in lists, and the hooks. `Provider.open` imports the library behind it.

    # pyproject.toml
    [project.entry-points.hierdoc]
    shout = "hierdoc_shout"
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    import click

    from hierdoc.plugin.protocols import (
        Chunker,
        ContextGenerator,
        Converter,
        Embedder,
        Fuser,
        KeywordBackend,
        Reranker,
        VectorBackend,
    )
    from hierdoc.plugin.provider import Provider

hookspec = pluggy.HookspecMarker("hierdoc")
"""Marks the functions of this module as hooks."""

hookimpl = pluggy.HookimplMarker("hierdoc")
"""Marks a function of a plugin as its implementation of the hook of that name; hierdoc calls no others."""


@hookspec
def hierdoc_converters() -> Iterable[Provider[Any, Converter]]:  # type: ignore[empty-body]
    """Register converters: what turns a file into markdown.

    Example:
        ```python
        from typing import Literal

        from hierdoc import Document, Source
        from hierdoc.plugin import Provider, ProviderConfig, hookimpl

        class RstConfig(ProviderConfig):
            "reStructuredText, as it is."
            provider: Literal["rst"] = "rst"

        class RstConverter:
            suffixes = (".rst",)

            async def convert(self, source: Source) -> Document:
                return Document(source.name, title=source.name, text=source.data.decode())

        @hookimpl
        def hierdoc_converters():
            yield Provider(RstConfig, lambda config: RstConverter())
        ```
    """


@hookspec
def hierdoc_chunkers() -> Iterable[Provider[Any, Chunker]]:  # type: ignore[empty-body]
    r"""Register chunkers: what cuts a document into chunks.

    Example:
        ```python
        from typing import Literal

        from hierdoc import Chunk, Document
        from hierdoc.plugin import Provider, ProviderConfig, hookimpl
        from hierdoc.structure import ChunkMaker, Piece

        class WholeConfig(ProviderConfig):
            "One chunk per document."
            provider: Literal["whole"] = "whole"

        class WholeChunker:
            def chunk(self, document: Document) -> list[Chunk]:
                end = len(document.text)
                if not document.text.strip():
                    return []
                maker = ChunkMaker(document)  # knows sections, lines, pages, definitions
                return [maker.chunk(Piece(0, end, 0), maker.common_section(0, end), 0)]

        @hookimpl
        def hierdoc_chunkers():
            yield Provider(WholeConfig, lambda config: WholeChunker())
        ```
    """


@hookspec
def hierdoc_context_generators() -> Iterable[Provider[Any, ContextGenerator]]:  # type: ignore[empty-body]
    """Register context generators: what situates a chunk within its document before it is indexed.

    Example:
        ```python
        from typing import Literal

        from hierdoc.plugin import Provider, ProviderConfig, hookimpl

        class TitleConfig(ProviderConfig):
            "The document's title."
            provider: Literal["title"] = "title"

        class TitleContext:
            async def generate(self, document, chunks):
                return [document.title] * len(chunks)

        @hookimpl
        def hierdoc_context_generators():
            yield Provider(TitleConfig, lambda config: TitleContext())
        ```
    """


@hookspec
def hierdoc_embedders() -> Iterable[Provider[Any, Embedder]]:  # type: ignore[empty-body]
    """Register embedders: what turns texts into vectors.

    Example:
        ```python
        from typing import Literal

        from hierdoc.plugin import Provider, ProviderConfig, hookimpl

        class LengthConfig(ProviderConfig):
            "The length, as an angle."
            provider: Literal["length"] = "length"

        class LengthEmbedder:
            fingerprint = "length@1"
            dimensions = 2

            async def embed_documents(self, texts):
                import numpy as np

                angles = np.array([len(text) for text in texts], np.float32)
                return np.stack([np.cos(angles), np.sin(angles)], axis=1)

            async def embed_query(self, text):
                return (await self.embed_documents([text]))[0]

        @hookimpl
        def hierdoc_embedders():
            yield Provider(LengthConfig, lambda config: LengthEmbedder())
        ```
    """


@hookspec
def hierdoc_keyword_backends() -> Iterable[Provider[Any, KeywordBackend]]:  # type: ignore[empty-body]
    """Register keyword backends: what finds chunks by their words.

    Example:
        ```python
        from typing import Literal

        from hierdoc.plugin import ALL_FILTERS, Operational, Provider, ProviderConfig, hookimpl

        class ShoutConfig(ProviderConfig):
            "Full-text search in Shout."
            capabilities = ALL_FILTERS
            provider: Literal["shout"] = "shout"
            url: Operational[str] = "http://localhost:9200"

        def open_shout(config: ShoutConfig):
            from hierdoc_shout.backend import ShoutBackend  # imports the SDK

            return ShoutBackend(config.url)

        @hookimpl
        def hierdoc_keyword_backends():
            yield Provider(ShoutConfig, open_shout)
        ```
    """


@hookspec
def hierdoc_vector_backends() -> Iterable[Provider[Any, VectorBackend]]:  # type: ignore[empty-body]
    """Register vector backends: what holds the records and finds chunks by vector.

    Example:
        ```python
        from typing import Literal

        from pydantic import SecretStr

        from hierdoc.plugin import ALL_FILTERS, Operational, Provider, ProviderConfig, hookimpl

        class AcmeConfig(ProviderConfig):
            "Vectors in Acme."
            capabilities = ALL_FILTERS
            provider: Literal["acme"] = "acme"
            url: Operational[str]
            api_key: Operational[SecretStr | None] = None

        def open_acme(config: AcmeConfig):
            from hierdoc_acme.backend import AcmeBackend  # imports the SDK

            return AcmeBackend(config)

        @hookimpl
        def hierdoc_vector_backends():
            yield Provider(AcmeConfig, open_acme)
        ```
    """


@hookspec
def hierdoc_fusers() -> Iterable[Provider[Any, Fuser]]:  # type: ignore[empty-body]
    """Register fusers: what makes one ranking of several.

    Example:
        ```python
        from typing import Literal

        from hierdoc import Match
        from hierdoc.plugin import Provider, ProviderConfig, hookimpl

        class FirstConfig(ProviderConfig):
            "One leg after the other."
            provider: Literal["first"] = "first"

        class FirstLeg:
            def fuse(self, rankings, weights, limit, coverage=None):
                legs = sorted(rankings, key=lambda leg: -weights[leg])
                ids = dict.fromkeys(match.chunk_id for leg in legs for match in rankings[leg])
                return [Match(one, 1 / rank) for rank, one in enumerate(ids, start=1)][:limit]

        @hookimpl
        def hierdoc_fusers():
            yield Provider(FirstConfig, lambda config: FirstLeg())
        ```
    """


@hookspec
def hierdoc_rerankers() -> Iterable[Provider[Any, Reranker]]:  # type: ignore[empty-body]
    """Register rerankers: what orders the best hits again with a closer look.

    Example:
        ```python
        from typing import Literal

        from hierdoc.plugin import Provider, ProviderConfig, hookimpl

        class ShortConfig(ProviderConfig):
            "Short chunks first."
            provider: Literal["short"] = "short"

        class ShortFirst:
            async def rerank(self, query, hits, limit):
                return sorted(hits, key=lambda hit: len(hit.chunk.text))[:limit]

        @hookimpl
        def hierdoc_rerankers():
            yield Provider(ShortConfig, lambda config: ShortFirst())
        ```
    """


@hookspec
def hierdoc_register_commands(cli: click.Group) -> None:
    """Register commands on the command line's group.

    The command line calls this only when it meets a command that it does not know, so `hierdoc --help` stays fast.

    Example:
        ```python
        import click

        from hierdoc.plugin import hookimpl

        @hookimpl
        def hierdoc_register_commands(cli):
            @cli.command()
            def hello():
                "Say hello."
                click.echo("hello")
        ```
    """
