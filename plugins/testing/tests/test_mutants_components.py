"""Chunkers, embedders, fusers and others that are wrong on purpose: the conformance kit fails every one."""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
import pytest

from hierdoc import Chunk, ConversionError, Division, Document, Hit, Match, Source
from hierdoc.defaults.chunkers import StructureChunker
from hierdoc.defaults.contexts import StructuralContext
from hierdoc.defaults.converters import MarkdownConverter
from hierdoc.defaults.fusers import ReciprocalRankFuser
from hierdoc.structure import flatten, understand
from hierdoc_static.embedder import StaticEmbedder
from hierdoc_testing import (
    ChunkerTests,
    ContextGeneratorTests,
    ConverterTests,
    EmbedderTests,
    FuserTests,
    RerankerTests,
    Sample,
    failing_tests,
    make_sample,
)


class _Chunker(StructureChunker):
    tests = ChunkerTests

    def __init__(self) -> None:
        super().__init__(120, 15)


class StripsTexts(_Chunker):
    caught_by = "test_spans_are_exact"

    def chunk(self, document: Document) -> Any:
        return [replace(one, text=one.text.strip() + " ") for one in super().chunk(document)]


class ShiftsOffsets(_Chunker):
    caught_by = "test_spans_are_exact"

    def chunk(self, document: Document) -> Any:
        return [replace(one, char_start=one.char_start + 1) for one in super().chunk(document)]


class LosesTheLastChunk(_Chunker):
    caught_by = "test_no_text_is_lost"

    def chunk(self, document: Document) -> Any:
        return super().chunk(document)[:-1]


class LosesThePreamble(_Chunker):
    caught_by = "test_no_text_is_lost"

    def chunk(self, document: Document) -> Any:
        kept = [one for one in super().chunk(document) if one.section_id or not document.sections]
        return [replace(one, ordinal=n) for n, one in enumerate(kept)]


class LosesLongChunks(_Chunker):
    caught_by = "test_no_text_is_lost"

    def chunk(self, document: Document) -> Any:
        kept = [one for one in super().chunk(document) if len(one.text) < 200]
        return [replace(one, ordinal=n) for n, one in enumerate(kept)]


class LastChunkFirst(_Chunker):
    caught_by = "test_chunks_come_in_document_order"

    def chunk(self, document: Document) -> Any:
        return super().chunk(document)[::-1]


class LinesFromZero(_Chunker):
    caught_by = "test_lines_and_pages_are_those_of_the_span"

    def chunk(self, document: Document) -> Any:
        return [replace(one, line_start=one.line_start - 1) for one in super().chunk(document)]


class NoPages(_Chunker):
    caught_by = "test_lines_and_pages_are_those_of_the_span"

    def chunk(self, document: Document) -> Any:
        return [replace(one, page_start=None, page_end=None) for one in super().chunk(document)]


class LastPageOneTooFar(_Chunker):
    caught_by = "test_lines_and_pages_are_those_of_the_span"

    def chunk(self, document: Document) -> Any:
        return [
            replace(one, page_end=one.page_end and one.page_end + 1)
            for one in super().chunk(document)
        ]


class OrdinalsGoOn(_Chunker):
    caught_by = "test_a_document_is_always_cut_alike"
    given = 0

    def chunk(self, document: Document) -> Any:
        chunks = [replace(o, ordinal=o.ordinal + self.given) for o in super().chunk(document)]
        self.given += len(chunks)
        return chunks


class RandomIds(_Chunker):
    caught_by = "test_what_core_gives_is_left_to_core"

    def chunk(self, document: Document) -> Any:
        return [replace(one, id=str(random.random())) for one in super().chunk(document)]


class NoSections(_Chunker):
    caught_by = "test_the_outline_is_the_sum_of_the_chunks"

    def chunk(self, document: Document) -> Any:
        return [replace(one, sections=()) for one in super().chunk(document)]


class SectionsTwice(_Chunker):
    caught_by = "test_the_outline_is_the_sum_of_the_chunks"

    def chunk(self, document: Document) -> Any:
        chunks = list(super().chunk(document))
        return [replace(one, sections=(*one.sections, *one.sections[:1])) for one in chunks]


class OwnHeadingMissing(_Chunker):
    caught_by = "test_the_parent_chain_leads_to_the_section"

    def chunk(self, document: Document) -> Any:
        return [replace(o, parent_chain=o.parent_chain[:-1]) for o in super().chunk(document)]


class ChainBackwards(_Chunker):
    caught_by = "test_the_parent_chain_leads_to_the_section"

    def chunk(self, document: Document) -> Any:
        return [replace(o, parent_chain=o.parent_chain[::-1]) for o in super().chunk(document)]


class LosesDefinitions(_Chunker):
    caught_by = "test_definitions_and_references_are_found_where_they_stand"

    def chunk(self, document: Document) -> Any:
        return [replace(one, definitions=()) for one in super().chunk(document)]


class WrongSource(_Chunker):
    caught_by = "test_spans_are_exact"

    def chunk(self, document: Document) -> Any:
        return [replace(one, source=document.title) for one in super().chunk(document)]


class BlankChunks(_Chunker):
    caught_by = "test_nothing_makes_no_chunks"

    def chunk(self, document: Document) -> Any:
        blank = Chunk(document.source, document.text, 0, len(document.text), 1, 1)
        return [blank] if not document.text.strip() else super().chunk(document)


class RemembersTheDocument(_Chunker):
    caught_by = "test_a_document_is_always_cut_alike"
    document: Document | None = None

    def chunk(self, document: Document) -> Any:
        self.document = self.document or document
        return super().chunk(self.document)


class UnixLineEnds(_Chunker):
    caught_by = "test_spans_are_exact"

    def chunk(self, document: Document) -> Any:
        return super().chunk(replace(document, text=document.text.replace("\r\n", "\n")))


class CollapsesBlankLines(_Chunker):
    caught_by = "test_spans_are_exact"

    def chunk(self, document: Document) -> Any:
        text = re.sub(r"\n{100,}", "\n\n", document.text)
        return super().chunk(replace(document, text=text))


class NoAncestors(_Chunker):
    caught_by = "test_ancestors_can_be_looked_up"

    def chunk(self, document: Document) -> Any:
        return [replace(one, ancestor_keys=()) for one in super().chunk(document)]


class TheInnermostAncestorOnly(_Chunker):
    caught_by = "test_ancestors_can_be_looked_up"

    def chunk(self, document: Document) -> Any:
        return [replace(o, ancestor_keys=o.ancestor_keys[-1:]) for o in super().chunk(document)]


class OwnSectionAmongAncestors(_Chunker):
    caught_by = "test_ancestors_can_be_looked_up"

    def chunk(self, document: Document) -> Any:
        return [
            replace(one, ancestor_keys=(*one.ancestor_keys, one.section_id or ""))
            for one in super().chunk(document)
        ]


class AllIsContent(_Chunker):
    caught_by = "test_kinds_are_those_of_the_text"

    def chunk(self, document: Document) -> Any:
        return [replace(one, kind="content") for one in super().chunk(document)]


class CountsInPlace(_Chunker):
    caught_by = "test_tokens_are_counted_as_told"

    def counting(self, count_tokens: Any) -> Any:
        self._count = count_tokens
        return self


class CountsAsBefore(_Chunker):
    caught_by = "test_tokens_are_counted_as_told"

    def counting(self, count_tokens: Any) -> Any:
        return self


class CachesBySource(_Chunker):
    caught_by = "test_a_document_is_always_cut_alike"

    def __init__(self) -> None:
        super().__init__()
        self.cache: dict[str, Any] = {}

    def chunk(self, document: Document) -> Any:
        if document.source not in self.cache:
            self.cache[document.source] = super().chunk(document)
        return self.cache[document.source]


class LinesOfSplitlines(_Chunker):
    caught_by = "test_lines_and_pages_are_those_of_the_span"

    def chunk(self, document: Document) -> Any:
        ends = list(accumulate(map(len, document.text.splitlines(keepends=True))))
        return [
            replace(
                one,
                line_start=1 + bisect_right(ends, one.char_start),
                line_end=1 + bisect_right(ends, one.char_end - 1),
            )
            for one in super().chunk(document)
        ]


class DefinitionsInEveryOverlap(_Chunker):
    caught_by = "test_definitions_and_references_are_found_where_they_stand"

    def chunk(self, document: Document) -> Any:
        return [
            replace(
                chunk,
                definitions=tuple(one for one in document.definitions if one.text in chunk.text),
            )
            for chunk in super().chunk(document)
        ]


class _Context(StructuralContext):
    tests = ContextGeneratorTests


class OneTooFew(_Context):
    caught_by = "test_one_text_for_each_chunk"

    async def generate(self, document: Document, chunks: Sequence[Chunk]) -> Any:
        return (await super().generate(document, chunks))[:-1]


class NothingForTheRest(_Context):
    caught_by = "test_each_text_belongs_to_its_chunk"

    async def generate(self, document: Document, chunks: Sequence[Chunk]) -> Any:
        return [*await super().generate(document, chunks[:300]), *[""] * (len(chunks) - 300 > 0)]


class ArrivalOrder(_Context):
    caught_by = "test_each_text_belongs_to_its_chunk"

    async def generate(self, document: Document, chunks: Sequence[Chunk]) -> Any:
        return sorted(await super().generate(document, chunks))


class NoneForNothing(_Context):
    caught_by = "test_one_text_for_each_chunk"

    async def generate(self, document: Document, chunks: Sequence[Chunk]) -> Any:
        return [
            None if n else one for n, one in enumerate(await super().generate(document, chunks))
        ]


class CachesByPosition(_Context):
    caught_by = "test_documents_are_kept_apart"

    def __init__(self) -> None:
        self.cache: dict[int, str] = {}

    async def generate(self, document: Document, chunks: Sequence[Chunk]) -> Any:
        made = await super().generate(document, chunks)
        return [
            self.cache.setdefault(chunk.ordinal, one)
            for chunk, one in zip(chunks, made, strict=True)
        ]


class BlockingContext(_Context):
    caught_by = "test_the_event_loop_is_never_blocked"

    async def generate(self, document: Document, chunks: Sequence[Chunk]) -> Any:
        time.sleep(0.15)
        return await super().generate(document, chunks)


class _Embedder(StaticEmbedder):
    tests = EmbedderTests


class Doubles(_Embedder):
    caught_by = "test_vectors_have_the_promised_shape"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        return (await super().embed_documents(texts)).astype(np.float64)


class Unnormalised(_Embedder):
    caught_by = "test_vectors_have_length_one"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        return (await super().embed_documents(texts)) * np.float32(3)


class FlatQueries(_Embedder):
    caught_by = "test_vectors_have_the_promised_shape"

    async def embed_query(self, text: str) -> Any:
        return (await super().embed_query(text))[None, :]


class NoEmptyList(_Embedder):
    caught_by = "test_vectors_have_the_promised_shape"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        return np.stack(
            [(await super(NoEmptyList, self).embed_documents([one]))[0] for one in texts]
        )


class SortedByLength(_Embedder):
    caught_by = "test_odd_texts_are_embedded"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        return await super().embed_documents(sorted(texts, key=len))


class LosesTheLastBatch(_Embedder):
    caught_by = "test_every_text_gets_its_own_vector"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        whole = len(texts) // 64 * 64 or len(texts)
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        vectors[:whole] = await super().embed_documents(texts[:whole])
        return vectors


class CutsTexts(_Embedder):
    caught_by = "test_long_texts_are_embedded_to_the_end"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        return await super().embed_documents([one[:2000] for one in texts])


class KeepsTheEnd(_Embedder):
    caught_by = "test_long_texts_are_embedded_to_the_end"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        return await super().embed_documents([one[-4000:] for one in texts])


class ZeroForFailures(_Embedder):
    caught_by = "test_vectors_have_the_promised_shape"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        vectors = await super().embed_documents(texts)
        return vectors * np.array([[len(one) % 7 != 0] for one in texts], np.float32)


class AlwaysTheSame(_Embedder):
    caught_by = "test_every_text_gets_its_own_vector"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        return np.tile(await super().embed_query("word"), (len(texts), 1))


class AnotherSpaceForQueries(_Embedder):
    caught_by = "test_texts_of_different_words_are_told_apart"

    async def embed_query(self, text: str) -> Any:
        return (await super().embed_query(text))[::-1].copy()


class FingerprintOfTheObject(_Embedder):
    caught_by = "test_fingerprint_and_dimensions_are_fixed"

    def __init__(self) -> None:
        super().__init__()
        self.fingerprint = f"static@{id(self)}"


class NoFingerprint(_Embedder):
    caught_by = "test_fingerprint_and_dimensions_are_fixed"

    def __init__(self) -> None:
        super().__init__()
        self.fingerprint = ""


class NanForNothing(_Embedder):
    caught_by = "test_odd_texts_are_embedded"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        vectors = await super().embed_documents(texts)
        vectors[~vectors.any(axis=1)] = np.nan
        return vectors


class SpecialTokensRaise(_Embedder):
    caught_by = "test_odd_texts_are_embedded"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        if any("<|endoftext|>" in one for one in texts):
            raise ValueError("special token")
        return await super().embed_documents(texts)


class Noisy(_Embedder):
    caught_by = "test_odd_texts_are_embedded"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        vectors = await super().embed_documents(texts)
        vectors += np.random.default_rng().normal(0, 0.05, vectors.shape).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class BlockingEmbedder(_Embedder):
    caught_by = "test_the_event_loop_is_never_blocked"

    async def embed_query(self, text: str) -> Any:
        time.sleep(0.15)
        return await super().embed_query(text)


class HashedWords(_Embedder):
    caught_by = "test_a_second_process_embeds_alike"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, hash(word) % self.dimensions] += 1
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)

    async def embed_query(self, text: str) -> Any:
        return (await self.embed_documents([text]))[0]


class FingerprintOfTheProcess(_Embedder):
    caught_by = "test_a_second_process_embeds_alike"

    def __init__(self) -> None:
        super().__init__()
        self.fingerprint = f"static@{os.getpid()}"


class CutsAtTheServicesLimit(_Embedder):
    caught_by = "test_very_long_texts_are_embedded_to_the_end"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        return await super().embed_documents([" ".join(one.split(" ")[:8191]) for one in texts])


class CutsQueries(_Embedder):
    caught_by = "test_long_queries_are_embedded_to_the_end"

    async def embed_query(self, text: str) -> Any:
        return await super().embed_query(" ".join(text.split(" ")[:512]))


class RefusesLongQueries(_Embedder):
    caught_by = "test_long_queries_are_embedded_to_the_end"

    async def embed_query(self, text: str) -> Any:
        if len(text.split()) > 512:
            raise ValueError("the query has more than 512 tokens")
        return await super().embed_query(text)


class SortsInPlaceByLength(_Embedder):
    caught_by = "test_every_text_gets_its_own_vector"

    async def embed_documents(self, texts: Any) -> Any:
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        if isinstance(texts, list):
            texts.sort(key=len)
            vectors[order] = await super().embed_documents(texts)
            return vectors
        return await super().embed_documents(texts)


class QueriesFromTheDocuments(_Embedder):
    """One cache for documents and for queries, which this model embeds another way."""

    caught_by = "test_a_text_is_always_embedded_alike"

    def __init__(self) -> None:
        super().__init__()
        self.cache: dict[str, Any] = {}

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        vectors = await super().embed_documents(texts)
        self.cache |= dict(zip(texts, vectors.copy(), strict=True))
        return vectors

    async def embed_query(self, text: str) -> Any:
        if text in self.cache:
            return self.cache[text].copy()
        vector = await super().embed_query(text)
        vector[:2] += np.float32(0.15) * vector.any()
        return vector / max(np.linalg.norm(vector), np.float32(1e-9))


class SharesItsArrays(_Embedder):
    caught_by = "test_a_text_is_always_embedded_alike"

    def __init__(self) -> None:
        super().__init__()
        self.cache: dict[str, Any] = {}

    async def embed_query(self, text: str) -> Any:
        if text not in self.cache:
            self.cache[text] = await super().embed_query(text)
        return self.cache[text]


class JoinsAsTheyArrive(_Embedder):
    caught_by = "test_every_text_gets_its_own_vector"

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        embed = super().embed_documents

        async def part(start: int) -> Any:
            batch = texts[start : start + 64]
            await asyncio.sleep(sum(map(len, batch)) / 1e6)
            return await embed(batch)

        parts = [part(start) for start in range(0, len(texts), 64)] or [embed([])]
        return np.concatenate([await one for one in asyncio.as_completed(parts)])


class KeepsItsTurn(_Embedder):
    caught_by = "test_a_cancelled_call_leaves_the_embedder_usable"

    def __init__(self) -> None:
        super().__init__()
        self.turn = asyncio.Lock()

    async def embed_query(self, text: str) -> Any:
        await self.turn.acquire()
        await asyncio.sleep(0)
        vector = await super().embed_query(text)
        self.turn.release()
        return vector


class LoadsOnTheLoop(_Embedder):
    caught_by = "test_the_event_loop_is_never_blocked"
    loaded = False

    async def embed_query(self, text: str) -> Any:
        if not self.loaded:
            time.sleep(0.15)
        self.loaded = True
        return await super().embed_query(text)


class _Fuser(ReciprocalRankFuser):
    tests = FuserTests


Legs = Mapping[str, Sequence[Match]]


class IgnoresWeights(_Fuser):
    caught_by = "test_weights_count"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        return super().fuse(rankings, dict.fromkeys(weights, 1.0), limit)


class WeightsByPosition(_Fuser):
    caught_by = "test_weights_count"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        given = dict(zip(rankings, weights.values(), strict=False))
        return super().fuse({leg: rankings[leg] for leg in given}, given, limit)


class DropsLegsWithoutWeight(_Fuser):
    caught_by = "test_a_leg_without_a_weight_is_an_error"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        return super().fuse({k: v for k, v in rankings.items() if k in weights}, weights, limit)


class DefaultWeights(_Fuser):
    caught_by = "test_a_leg_of_no_weight_changes_no_order"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        return super().fuse(rankings, {leg: weights.get(leg) or 1.0 for leg in rankings}, limit)


class AddsRawScores(_Fuser):
    caught_by = "test_weights_count"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        super().fuse(rankings, weights, limit)
        sums: dict[str, float] = {}
        for leg, found in rankings.items():
            for one in found:
                sums[one.chunk_id] = sums.get(one.chunk_id, 0) + weights[leg] * one.score
        return [Match(*one) for one in sorted(sums.items(), key=lambda o: (-o[1], o[0]))[:limit]]


class Concatenates(_Fuser):
    caught_by = "test_every_chunk_of_every_leg_comes_once"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        super().fuse(rankings, weights, limit)
        return [one for found in rankings.values() for one in found][:limit]


class BestRankOnly(_Fuser):
    caught_by = "test_what_both_legs_found_comes_first"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        super().fuse(rankings, weights, limit)
        best: dict[str, float] = {}
        for leg, found in rankings.items():
            for rank, one in enumerate(found, start=1):
                best[one.chunk_id] = max(best.get(one.chunk_id, 0), weights[leg] / (60 + rank))
        return [Match(*one) for one in sorted(best.items(), key=lambda o: (-o[1], o[0]))[:limit]]


class CutsTheLegs(_Fuser):
    caught_by = "test_the_limit_takes_the_best"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        return super().fuse({k: list(v)[:limit] for k, v in rankings.items()}, weights, limit)


class NoLimit(_Fuser):
    caught_by = "test_nothing_gives_nothing"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        return super().fuse(rankings, weights, 10_000)


class LastLegWins(_Fuser):
    caught_by = "test_every_chunk_of_every_leg_comes_once"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        fused = super().fuse(rankings, weights, 10_000)
        return sorted(fused, key=lambda one: one.score)[:limit]


class TiesByPosition(_Fuser):
    caught_by = "test_better_in_every_leg_is_better"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        place = {one.chunk_id: n for found in rankings.values() for n, one in enumerate(found)}
        fused = super().fuse(rankings, weights, 100_000)
        return sorted(fused, key=lambda one: (-one.score, place[one.chunk_id]))[:limit]


class SharedOnly(_Fuser):
    caught_by = "test_every_chunk_of_every_leg_comes_once"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        legs = [{one.chunk_id for one in found} for found in rankings.values() if found]
        common = set.intersection(*legs) if legs else set()
        return [o for o in super().fuse(rankings, weights, limit) if o.chunk_id in common]


class ExactAlwaysCounts(_Fuser):
    caught_by = "test_a_leg_of_no_weight_changes_no_order"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        super().fuse(rankings, weights, limit)
        exact = {"exact": max(weights.get("exact", 0), 0.2)} if "exact" in rankings else {}
        return super().fuse(rankings, {**weights, **exact}, limit)


class TheFirstLegAlwaysCounts(_Fuser):
    caught_by = "test_a_leg_of_no_weight_changes_no_order"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        super().fuse(rankings, weights, limit)
        first = {leg: max(weights[leg], 0.1) for leg in [*rankings][:1]}
        return super().fuse(rankings, {**weights, **first}, limit)


class _CachingFuser(_Fuser):
    caught_by = "test_the_same_legs_give_the_same_ranking"

    def __init__(self) -> None:
        super().__init__()
        self.cache: dict[Any, Any] = {}

    def key(self, rankings: Legs) -> Any:
        raise NotImplementedError

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        key = (self.key(rankings), limit)
        if key not in self.cache:
            self.cache[key] = super().fuse(rankings, weights, limit)
        return self.cache[key]


class CachesBySize(_CachingFuser):
    def key(self, rankings: Legs) -> Any:
        return tuple(len(found) for found in rankings.values())


class CachesByIds(_CachingFuser):
    def key(self, rankings: Legs) -> Any:
        return tuple(frozenset(one.chunk_id for one in found) for found in rankings.values())


class CachesWhateverTheWeights(_CachingFuser):
    def key(self, rankings: Legs) -> Any:
        return repr(rankings)


class RemembersThousands(_Fuser):
    caught_by = "test_the_same_legs_give_the_same_ranking"
    most = 0

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        self.most = max([self.most, *map(len, rankings.values())])
        scale = 0.5 if self.most > 1000 else 1.0
        fused = super().fuse(rankings, weights, limit)
        return [replace(one, score=one.score * scale) for one in fused]


class SpreadsEachLeg(_Fuser):
    """Scores of each leg from 0 to 1: the last of a leg, and so its only match, gets nothing."""

    caught_by = "test_weights_count"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        super().fuse(rankings, weights, limit)
        sums: dict[str, float] = {}
        for leg, found in rankings.items():
            low, high = (found[-1].score, found[0].score) if found else (0, 0)
            for one in found:
                share = (one.score - low) / ((high - low) or 1.0)
                sums[one.chunk_id] = sums.get(one.chunk_id, 0.0) + weights[leg] * share
        return [Match(*one) for one in sorted(sums.items(), key=lambda o: (-o[1], o[0]))[:limit]]


class DividesByTheBest(_Fuser):
    caught_by = "test_legs_need_no_common_scale"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        super().fuse(rankings, weights, limit)
        sums: dict[str, float] = {}
        for leg, found in rankings.items():
            for one in found:
                share = one.score / abs(found[0].score)
                sums[one.chunk_id] = sums.get(one.chunk_id, 0.0) + weights[leg] * share
        return [Match(*one) for one in sorted(sums.items(), key=lambda o: (-o[1], o[0]))[:limit]]


class WeightsAreShares(_Fuser):
    """The second leg gets what the first leaves of 1, whatever its weight."""

    caught_by = "test_a_leg_of_no_weight_changes_no_order"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        super().fuse(rankings, weights, limit)
        legs = sorted(rankings, reverse=True)
        if len(legs) == 2:
            weights = {legs[0]: min(weights[legs[0]], 1), legs[1]: 1 - min(weights[legs[0]], 1)}
        return super().fuse(rankings, weights, limit)


class AddsInTheOrderOfLegs(_Fuser):
    caught_by = "test_the_order_of_legs_does_not_count"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        super().fuse(rankings, weights, limit)
        sums: dict[str, float] = {}
        for leg, found in rankings.items():
            for rank, one in enumerate(found, start=1):
                sums[one.chunk_id] = sums.get(one.chunk_id, 0.0) + weights[leg] / (60 + rank)
        return [Match(*one) for one in sorted(sums.items(), key=lambda o: (-o[1], o[0]))[:limit]]


class LooksAtTheBestOfEachCovered(_Fuser):
    caught_by = "test_coverage_may_be_told"

    def fuse(
        self, rankings: Legs, weights: Mapping[str, float], limit: int, coverage: Any = None
    ) -> Any:
        best = {leg: rankings[leg][0].score for leg in coverage or {}}
        assert all(score > -2 for score in best.values())
        return super().fuse(rankings, weights, limit)


class RightReranker:
    tests = RerankerTests

    def score(self, query: str, text: str) -> float:
        return float(len(set(query.split()) & set(text.split())))

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Any:
        scored = [replace(hit, score=self.score(query, hit.chunk.text)) for hit in hits]
        return sorted(scored, key=lambda hit: -hit.score)[:limit]


class KeepsTheOrder(RightReranker):
    caught_by = "test_hits_come_back_whole_with_new_scores"

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Any:
        return list(hits)[:limit]


class WorstHitFirst(RightReranker):
    caught_by = "test_the_text_that_answers_comes_first"

    def score(self, query: str, text: str) -> float:
        return -super().score(query, text)


class KeepsOldScores(RightReranker):
    caught_by = "test_hits_come_back_whole_with_new_scores"

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Any:
        old = {hit.chunk.id: hit.score for hit in hits}
        ranked = await super().rerank(query, hits, limit)
        return [replace(hit, score=old[hit.chunk.id]) for hit in ranked]


class CutsFirst(RightReranker):
    caught_by = "test_the_limit_takes_the_best"

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Any:
        return await super().rerank(query, list(hits)[:limit], limit)


class DropsPoorHits(RightReranker):
    caught_by = "test_hits_come_back_whole_with_new_scores"

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Any:
        return [hit for hit in await super().rerank(query, hits, limit) if hit.score > 0]


class MakesNewHits(RightReranker):
    caught_by = "test_hits_come_back_whole_with_new_scores"

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Any:
        ranked = await super().rerank(query, hits, limit)
        return [Hit(n, hit.score, {}, hit.chunk) for n, hit in enumerate(ranked, start=1)]


class SortsInPlace(RightReranker):
    caught_by = "test_the_same_hits_are_ranked_alike"

    async def rerank(self, query: str, hits: Any, limit: int) -> Any:
        ranked = await super().rerank(query, hits, limit)
        hits.reverse()
        return ranked


class BatchesMixedUp(RightReranker):
    caught_by = "test_many_hits_keep_their_scores"

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Any:
        ranked = await super().rerank(query, hits[:32], limit)
        others = [replace(hit, score=-1.0) for hit in hits[32:]]
        return [*ranked, *others][:limit]


class BlockingReranker(RightReranker):
    caught_by = "test_the_event_loop_is_never_blocked"

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Any:
        time.sleep(0.15)
        return await super().rerank(query, hits, limit)


class TakesRanksForPlaces(RightReranker):
    caught_by = "test_ranks_need_not_begin_at_one"

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Any:
        ranked = await super().rerank(query, hits, len(hits))
        return [replace(hits[hit.rank - 1], score=hit.score) for hit in ranked][:limit]


class CutsByRank(RightReranker):
    caught_by = "test_ranks_need_not_begin_at_one"

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Any:
        return [
            hit
            for hit in await super().rerank(query, hits, limit)
            if hit.rank <= 200 and (hit.rank <= 20 or len(hits) > 20)
        ]


class MapsByText(RightReranker):
    caught_by = "test_hits_of_equal_texts_all_stay"

    def told_by(self, hit: Hit) -> str | int:
        return hit.chunk.text

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Any:
        of = {self.told_by(hit): hit for hit in hits}
        ranked = await super().rerank(query, hits, limit)
        return [replace(of[self.told_by(hit)], score=hit.score) for hit in ranked]


class DropsRepeatedTexts(RightReranker):
    caught_by = "test_hits_of_equal_texts_all_stay"

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Any:
        return await super().rerank(query, [*{hit.chunk.text: hit for hit in hits}.values()], limit)


class MapsByOrdinal(MapsByText):
    def told_by(self, hit: Hit) -> str | int:
        return hit.chunk.ordinal


class MapsByLowerCaseId(MapsByText):
    def told_by(self, hit: Hit) -> str | int:
        return hit.chunk.id.lower()


class RanksTwoHundred(RightReranker):
    caught_by = "test_many_hits_keep_their_scores"

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Any:
        ranked = await super().rerank(query, hits[:200], limit)
        return [*ranked, *(replace(hit, score=-1.0) for hit in hits[200:])][:limit]


class RerankerKeepsItsTurn(RightReranker):
    caught_by = "test_a_cancelled_call_leaves_the_reranker_usable"

    def __init__(self) -> None:
        self.turn = asyncio.Lock()

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Any:
        await self.turn.acquire()
        await asyncio.sleep(0)
        ranked = await super().rerank(query, hits, limit)
        self.turn.release()
        return ranked


class _Converter(MarkdownConverter):
    tests = ConverterTests


class UpperCaseSuffixes(_Converter):
    caught_by = "test_suffixes_are_lower_case_with_their_dot"
    suffixes = (".MD", ".md")


class LosesTheEnd(_Converter):
    caught_by = "test_the_document_is_complete"

    async def convert(self, source: Source) -> Document:
        document = await super().convert(source)
        return replace(document, text=document.text[:-15])


class CutsLongFiles(_Converter):
    caught_by = "test_a_long_file_is_converted_to_the_end"

    async def convert(self, source: Source) -> Document:
        document = await super().convert(source)
        return replace(document, text=document.text[:200_000])


class NoTitle(_Converter):
    caught_by = "test_the_document_is_complete"

    async def convert(self, source: Source) -> Document:
        return replace(await super().convert(source), title="")


class BaseNameAsSource(_Converter):
    caught_by = "test_the_document_is_complete"

    async def convert(self, source: Source) -> Document:
        return replace(await super().convert(source), source=source.name.rpartition("/")[2])


class ReadsTheFile(_Converter):
    caught_by = "test_the_bytes_are_converted_not_the_file"

    async def convert(self, source: Source) -> Document:
        if source.path is not None:
            source = replace(source, data=source.path.read_bytes())
        return await super().convert(source)


class FlatHeadings(_Converter):
    caught_by = "test_headings_are_headings"

    async def convert(self, source: Source) -> Document:
        document = await super().convert(source)
        return replace(document, text=document.text.replace("## ", ""))


class Latin1(_Converter):
    caught_by = "test_the_document_is_complete"

    async def convert(self, source: Source) -> Document:
        return Document(source.name, "Title", source.data.decode("latin-1"))


class AnyErrorAtAll(_Converter):
    caught_by = "test_damaged_files_are_refused"

    async def convert(self, source: Source) -> Document:
        try:
            return await super().convert(source)
        except ConversionError as error:
            raise ValueError("damaged") from error


class PagesFromOne(_Converter):
    caught_by = "test_the_document_is_complete"

    async def convert(self, source: Source) -> Document:
        return replace(await super().convert(source), page_starts=(1, 20))


class CachesByName(_Converter):
    caught_by = "test_the_same_file_gives_the_same_document"

    def __init__(self) -> None:
        self.cache: dict[str, Document] = {}

    async def convert(self, source: Source) -> Document:
        if source.name not in self.cache:
            self.cache[source.name] = await super().convert(source)
        return self.cache[source.name]


class FoldsLetters(_Converter):
    caught_by = "test_letters_stay_what_they_are"

    async def convert(self, source: Source) -> Document:
        document = await super().convert(source)
        return replace(document, text=unicodedata.normalize("NFKC", document.text))


class _Outlined(_Converter):
    """States the outline that its text has."""

    async def convert(self, source: Source) -> Document:
        document = await super().convert(source)
        flat = [one.section for one in flatten(understand(document).sections)]
        outline = [
            Division(one.char_start, one.body_start or 0, one.level, one.title) for one in flat
        ]
        return replace(document, outline=tuple(outline))


class OutlineOfTheSource(_Outlined):
    caught_by = "test_a_stated_outline_fits_the_text"

    async def convert(self, source: Source) -> Document:
        document = await super().convert(source)
        moved = (
            replace(one, start=one.start + 5, body=one.body + 5) for one in document.outline[1:]
        )
        return replace(document, outline=(*document.outline[:1], *moved))


class OutlineOutOfOrder(_Outlined):
    caught_by = "test_a_stated_outline_fits_the_text"

    async def convert(self, source: Source) -> Document:
        document = await super().convert(source)
        return replace(document, outline=document.outline[::-1])


class OutlineBeyondTheText(_Outlined):
    caught_by = "test_a_stated_outline_fits_the_text"

    async def convert(self, source: Source) -> Document:
        document = await super().convert(source)
        return replace(document, text=document.text.rstrip(), outline=(*document.outline, _BEYOND))


class LosesTheLastLine(_Converter):
    caught_by = "test_a_last_line_needs_no_end"

    async def convert(self, source: Source) -> Document:
        document = await super().convert(source)
        return replace(document, text=document.text[: document.text.rfind("\n") + 1])


class _Decodes(_Converter):
    errors = ""

    async def convert(self, source: Source) -> Document:
        data = source.data.decode("utf-8", self.errors).encode()
        return await super().convert(replace(source, data=data))


class ReplacesLatin1(_Decodes):
    caught_by = "test_latin_1_is_read_or_refused"
    errors = "replace"

    async def convert(self, source: Source) -> Document:
        if source.data[:2] in (b"\xff\xfe", b"PK", b"%P"):
            return await MarkdownConverter.convert(self, source)
        return await super().convert(source)


class DropsLatin1(ReplacesLatin1):
    errors = "ignore"


class ReadsArchives(_Converter):
    caught_by = "test_other_formats_are_refused"

    async def convert(self, source: Source) -> Document:
        try:
            return await super().convert(source)
        except ConversionError:
            return Document(source.name, "Title", source.data.decode("latin-1"))


class _Paged(_Converter):
    """Pages end with form feeds."""

    samples = (
        Sample("docs/paged.md", "Erste Straße\f법률 second\fÜber third".encode(), ["Erste", "Über"], pages=["Erste", "법률", "Über"]),
    )  # fmt: skip

    async def convert(self, source: Source) -> Document:
        document = await super().convert(source)
        starts = [0, *(one.end() for one in re.finditer("\f", document.text))]
        return replace(document, page_starts=tuple(starts))


class PagesInBytes(_Paged):
    caught_by = "test_the_document_is_complete"

    async def convert(self, source: Source) -> Document:
        document = await super().convert(source)
        starts = [len(document.text[:one].encode()) for one in document.page_starts]
        return replace(document, page_starts=tuple(min(one, len(document.text)) for one in starts))


class LosesTheLastPage(_Paged):
    caught_by = "test_the_document_is_complete"

    async def convert(self, source: Source) -> Document:
        document = await super().convert(source)
        return replace(document, page_starts=document.page_starts[:-1])


class BlockingConverter(_Converter):
    caught_by = "test_the_event_loop_is_never_blocked"

    async def convert(self, source: Source) -> Document:
        time.sleep(0.15)
        return await super().convert(source)


_BEYOND = Division(10**6, 10**6 + 1, 1, "Annex")
_RIGHT = (_Chunker, _Context, _Embedder, _Fuser, RightReranker, _Converter, _Outlined, _Paged)
SLOW = (
    BlockingContext,
    BlockingConverter,
    BlockingReranker,
    LoadsOnTheLoop,
    HashedWords,
    FingerprintOfTheProcess,
)
"""What takes ten seconds each: the measurement that `BlockingEmbedder` is caught by, and second processes."""

MUTANTS = [
    pytest.param(one, id=one.__name__, marks=[pytest.mark.nightly] if one in SLOW else [])
    for one in list(globals().values())
    if isinstance(one, type)
    and issubclass(one, _RIGHT)
    and not one.__name__.startswith("_")
    and hasattr(one, "caught_by")
]


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_kit_fails_it(
    mutant: Any,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    record_property("caught by", mutant.caught_by)
    monkeypatch.setattr("hierdoc_testing.patience.SHARE", 0.1)  # what some wait for never comes
    only, samples = [mutant.caught_by], getattr(mutant, "samples", [make_sample(".md")])
    assert list(failing_tests(mutant.tests, mutant, only=only, samples=samples)) == only


@pytest.mark.nightly
@pytest.mark.parametrize("right", _RIGHT, ids=lambda one: one.__name__.strip("_"))
def test_the_kit_passes_what_is_right(right: Any) -> None:
    samples = getattr(right, "samples", [make_sample(".md")])
    assert failing_tests(right.tests, right, samples=samples) == {}
