"""The index: from files to hits and back, on real parts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from hierdoc import (
    AsyncIndex,
    CapabilityError,
    Chunk,
    DegradedError,
    Document,
    EmbeddingError,
    Index,
    IndexMismatchError,
    Match,
    QueryError,
    SearchResult,
    SourceError,
    StoreError,
)
from hierdoc.filters import Equals
from hierdoc.plugin import Capability, Provider, ProviderConfig, Registry, hookimpl
from hierdoc.structure.sections import flatten

ACT = """\
# Harbour Act

## Article I

### Section 1
“Harbour” means a place where ships lie at anchor.

### Section 2
Every master of a ship shall report to the harbour office; see Section 1.

## Article II

### Section 1
The fee for a berth is 23.2 EUR a day.

### Section 2
Penalties are set by the office. The words reasonable best efforts have no meaning here.
"""

HANDBOOK = """\
# Office handbook

## Opening hours
The office opens at eight.

## Rationale
Ships arrive early.
"""

EMBEDDED = {"vector": "sqlite", "keyword": "tantivy"}
IN_MEMORY = {"vector": "in-memory", "keyword": "in-memory"}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "act.md").write_text(ACT)
    (folder / "handbook.md").write_text(HANDBOOK)
    return folder


def using(
    source: Path | str,
    work: Callable[[AsyncIndex], Awaitable[Any]],
    config: Mapping[str, Any] = IN_MEMORY,
    registry: Registry | None = None,
) -> Any:
    """Open an index, do something with it, close it."""

    async def run() -> Any:
        async with AsyncIndex.open({"source": str(source), **config}, registry=registry) as index:
            return await work(index)

    return asyncio.run(run())


def searched(docs: Path, query: str, **arguments: Any) -> SearchResult:
    async def work(index: AsyncIndex) -> SearchResult:
        await index.ingest()
        return await index.search(query, **arguments)

    found: SearchResult = using(docs, work)
    return found


async def ingest(index: AsyncIndex) -> Any:
    return await index.ingest()


@pytest.mark.parametrize("config", [EMBEDDED, IN_MEMORY])
def test_what_was_ingested_is_found_with_its_place(docs: Path, config: Mapping[str, Any]) -> None:
    async def work(index: AsyncIndex) -> SearchResult:
        report = await index.ingest()
        assert report.counts == {
            "added": 2, "updated": 0, "unchanged": 0, "removed": 0, "failed": 0,
        }  # fmt: skip
        return await index.search("what does a berth cost")

    hit = using(docs, work, config).hits[0]
    assert hit.chunk.source == "docs/act.md"
    assert hit.chunk.parent_chain == ("Harbour Act", "Article II", "Section 1")
    assert "23.2 EUR" in hit.chunk.text
    assert ACT[hit.chunk.char_start : hit.chunk.char_end] == hit.chunk.text
    assert ACT.splitlines()[hit.chunk.line_start - 1] == hit.chunk.text.splitlines()[0]
    assert set(hit.scores) >= {"semantic", "keyword"}


def test_an_index_is_there_after_reopening(docs: Path) -> None:
    using(docs, ingest, EMBEDDED)
    found = using(docs, lambda index: index.search("berth"), EMBEDDED)
    assert "berth" in found.hits[0].chunk.text


def test_the_context_is_searched_but_not_returned(docs: Path) -> None:
    hit = searched(docs, "Harbour Act penalties").hits[0]
    assert "Harbour Act" in hit.chunk.context
    assert "Harbour Act" not in hit.chunk.text


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword", "exact"])
def test_the_four_modes(docs: Path, mode: str) -> None:
    result = searched(docs, "Rationale", mode=mode)
    assert result.mode == mode
    assert "Ships arrive early" in result.hits[0].chunk.text
    if mode != "hybrid":
        assert set(result.hits[0].scores) == {mode}


def test_scores_never_rise(docs: Path) -> None:
    for query in ("ship office", "Section 2", "Rationale"):
        scores = [hit.score for hit in searched(docs, query).hits]
        assert scores == sorted(scores, reverse=True)


def test_top_k_limits_the_hits(docs: Path) -> None:
    assert len(searched(docs, "office", top_k=1).hits) == 1


def test_a_citation_stands_first_and_once(docs: Path) -> None:
    result = searched(docs, "Article II, Section 1")
    assert result.hits[0].chunk.section_id == "art_2_sec_1"
    assert result.hits[0].certain
    ids = [hit.chunk.id for hit in result.hits]
    assert len(set(ids)) == len(ids)


def test_a_citation_inside_a_question(docs: Path) -> None:
    result = searched(docs, "What does Section 2 of Article I require of ships?")
    assert result.hits[0].chunk.section_id == "art_1_sec_2"


def test_of_equal_sections_that_of_the_act_named_in_the_query_stands_first(docs: Path) -> None:
    (docs / "berth.md").write_text("# Act on Berths\n\n## Section 2\n\nBerths are let.\n")
    assert "let" in searched(docs, "Section 2 of the Act on Berths").hits[0].chunk.text
    first = searched(docs, "Section 2 of the Harbour Act").hits[0].chunk
    assert first.title == "Harbour Act"


def test_a_citation_below_what_is_known_finds_what_encloses_it_and_is_not_certain(
    docs: Path,
) -> None:
    hit = searched(docs, "Section 1(q) of Article I").hits[0]
    assert hit.chunk.section_id == "art_1_sec_1"
    assert not hit.certain
    assert "encloses" in hit.why


def test_a_decimal_section_that_does_not_exist_is_not_another(docs: Path) -> None:
    assert not searched(docs, "Section 1.50", mode="exact").hits


def test_quotes_without_phrase_search_degrade_visibly(docs: Path) -> None:
    result = using(
        docs,
        lambda index: _after_ingest(index, index.search, '"reasonable best efforts"'),
        {"vector": "in-memory", "keyword": "rank-bm25"},
    )
    assert [one.leg for one in result.degraded] == ["exact"]
    assert "phrases" in result.degraded[0].reason


def test_a_quoted_phrase_is_found_word_for_word(docs: Path) -> None:
    result = searched(docs, '"Reasonable  best efforts"', mode="exact")
    assert [hit.chunk.section_id for hit in result.hits] == ["art_2_sec_2"]
    assert not searched(docs, '"efforts best"', mode="exact").hits


def test_a_filter_holds_for_every_leg(docs: Path) -> None:
    result = searched(docs, "office Section 2", filter=Equals("source", "docs/handbook.md"))
    assert result.hits
    assert {hit.chunk.source for hit in result.hits} == {"docs/handbook.md"}


def test_definitions_of_what_the_query_uses_are_attached(docs: Path) -> None:
    (definition,) = searched(docs, "who reports in a harbour").hits[0].definitions
    assert (definition.term, definition.section_id) == ("Harbour", "art_1_sec_1")


def test_references_lead_to_chunks(docs: Path) -> None:
    async def work(index: AsyncIndex) -> None:
        await index.ingest()
        (hit,) = await index.section("Article I, Section 2")
        (reference,) = hit.references
        (target,) = await index.section("Article I, Section 1")
        assert (reference.text, reference.resolved) == ("Section 1", True)
        assert reference.chunk_ids == (target.chunk.id,)

    using(docs, work)


def test_a_section_comes_whole_and_in_order(docs: Path) -> None:
    hits = using(docs, lambda index: _after_ingest(index, index.section, "Article II"))
    assert [hit.chunk.section_id for hit in hits] == ["art_2_sec_1", "art_2_sec_2"]
    assert not using(docs, lambda index: _after_ingest(index, index.section, "Section 99"))


def test_define_answers_from_every_document(docs: Path) -> None:
    (docs / "other.md").write_text("# Other\n\n“harbour” means any port.\n")
    found = using(docs, lambda index: _after_ingest(index, index.define, "HARBOUR"))
    assert [one.source for one in found] == ["docs/act.md", "docs/other.md"]


def test_the_outline_comes_from_the_index(docs: Path) -> None:
    (root,) = using(docs, lambda index: _after_ingest(index, index.outline, "docs/act.md"))
    assert root.title == "Harbour Act"
    assert [child.id for child in root.children] == ["art_1", "art_2"]
    assert [child.id for child in root.children[1].children] == ["art_2_sec_1", "art_2_sec_2"]


def test_the_outline_is_found_by_the_end_of_a_name(docs: Path) -> None:
    with Index.open(source=str(docs)) as index:
        index.ingest()
        (whole,) = [name for name in index.documents() if name.endswith("act.md")]
        assert index.outline("act.md") == index.outline(whole)


def test_an_end_that_several_names_have_is_refused(tmp_path: Path) -> None:
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "act.md").write_text("# Act\n\nText.\n")
    with Index.open(source=str(tmp_path)) as index:
        index.ingest()
        with pytest.raises(QueryError, match="2 documents are called"):
            index.outline("act.md")


def test_the_outline_of_an_unknown_document_names_the_nearest(docs: Path) -> None:
    with pytest.raises(QueryError) as caught:
        using(docs, lambda index: _after_ingest(index, index.outline, "docs/atc.md"))
    assert "docs/act.md" in str(caught.value.hint)


async def _after_ingest(
    index: AsyncIndex, call: Callable[..., Awaitable[Any]], *arguments: str
) -> Any:
    await index.ingest()
    return await call(*arguments)


@pytest.mark.parametrize("config", [EMBEDDED, IN_MEMORY])
def test_only_what_changed_is_done_again(docs: Path, config: Mapping[str, Any]) -> None:
    async def work(index: AsyncIndex) -> None:
        first = await index.ingest()
        again = await index.ingest()
        assert (again.counts["unchanged"], again.embedded) == (2, 0)
        (docs / "handbook.md").write_text(HANDBOOK.replace("at eight", "at nine"))
        changed = await index.ingest()
        assert list(changed.updated) == ["docs/handbook.md"]
        assert (changed.embedded, changed.chunks) == (1, first.chunks)
        result = await index.search("when does the office open", mode="keyword")
        assert "at nine" in result.hits[0].chunk.text
        assert not (await index.search("eight", mode="keyword")).hits

    using(docs, work, config)


@pytest.mark.parametrize("config", [EMBEDDED, IN_MEMORY])
def test_vanished_documents_are_removed(docs: Path, config: Mapping[str, Any]) -> None:
    async def work(index: AsyncIndex) -> None:
        await index.ingest()
        (docs / "act.md").unlink()
        report = await index.ingest()
        assert list(report.removed) == ["docs/act.md"]
        for mode in ("semantic", "keyword", "exact"):
            result = await index.search("Section 2", mode=mode)
            assert {hit.chunk.source for hit in result.hits} <= {"docs/handbook.md"}

    using(docs, work, config)


def test_a_removed_document_is_gone_until_the_next_ingest(docs: Path) -> None:
    async def work(index: AsyncIndex) -> None:
        await index.ingest()
        await index.remove("docs/act.md")
        assert list(await index.documents()) == ["docs/handbook.md"]
        assert not (await index.search("berth", mode="keyword")).hits
        with pytest.raises(QueryError):
            await index.remove("docs/act.md")
        assert list((await index.ingest()).added) == ["docs/act.md"]

    using(docs, work)


def test_a_dry_run_does_nothing_and_says_what_would_be_done(docs: Path) -> None:
    using(docs, ingest, EMBEDDED)
    (docs / "act.md").unlink()
    (docs / "handbook.md").write_text(HANDBOOK + "\nOne more line.\n")
    (docs / "new.md").write_text("# New\n\nText.\n")

    async def work(index: AsyncIndex) -> None:
        before = await index.documents()
        report = await index.ingest(dry=True)
        assert report.planned
        assert (report.added, report.updated, report.removed) == (
            ["docs/new.md"],
            ["docs/handbook.md"],
            ["docs/act.md"],
        )
        assert await index.documents() == before
        assert (await index.ingest()).counts == report.counts

    using(docs, work, EMBEDDED)


def test_a_chunk_without_a_context_gets_its_place_and_is_tried_again(docs: Path) -> None:
    registry = _registry(context=_MoodyContext)
    config = {**EMBEDDED, "context": "test"}

    async def work(index: AsyncIndex) -> None:
        report = await index.ingest()
        assert report.counts["added"] == 2
        assert any("no context could be generated for 4 chunks" in note for note in report.notes)
        (hit,) = (await index.search("Article II Section 1", top_k=1)).hits
        assert hit.chunk.context == "Harbour Act > Article II > Section 1"
        report = await index.ingest()
        assert (report.updated, report.notes) == (["docs/act.md"], ())
        (hit,) = (await index.search("Article II Section 1", top_k=1)).hits
        assert hit.chunk.context == "said"
        assert (await index.ingest()).counts["unchanged"] == 2

    _MoodyContext.answers = 0
    using(docs, work, config, registry)


def test_a_document_that_cannot_be_embedded_fails_alone(docs: Path) -> None:
    registry = _registry(embedder=_PickyEmbedder)
    report = using(docs, ingest, {**IN_MEMORY, "embedder": "test"}, registry)
    assert list(report.added) == ["docs/handbook.md"]
    (failure,) = report.failures
    assert (failure.source, failure.error) == ("docs/act.md", "no acts")


def test_ids_stay_the_same_and_differ_between_paths(docs: Path) -> None:
    (docs / "a").mkdir()
    (docs / "a" / "b.md").write_text(HANDBOOK)
    (docs / "a_b.md").write_text(HANDBOOK)

    async def work(index: AsyncIndex) -> list[list[str]]:
        await index.ingest()
        found = []
        for name in ("docs/a/b.md", "docs/a_b.md", "docs/handbook.md"):
            records = await index._components.vector.find(Equals("source", name), 100)
            found.append([record.id for record in records])
        return found

    first = using(docs, work)
    assert first == using(docs, work)
    flat = [one for ids in first for one in ids]
    assert len(set(flat)) == len(flat)


def test_one_bad_file_is_reported_and_the_rest_ingested(docs: Path) -> None:
    (docs / "broken.md").write_bytes(bytes(range(256)) * 100)

    async def work(index: AsyncIndex) -> None:
        report = await index.ingest()
        assert report.counts["added"] == 2
        (failure,) = report.failures
        assert failure.source == "docs/broken.md"
        assert "text" in failure.error

    using(docs, work)


def test_a_document_that_fails_keeps_what_the_index_held(docs: Path) -> None:
    class Failing(_Plugin):
        fail = False

        async def convert(self, source: Any) -> Any:
            from hierdoc import Document

            if Failing.fail:
                raise RuntimeError("converter crashed")
            return Document(source.name, source.name, source.data.decode())

    async def work(index: AsyncIndex) -> None:
        await index.ingest()
        (docs / "act.md").write_text("changed")
        Failing.fail = True
        report = await index.ingest()
        assert [one.source for one in report.failures] == ["docs/act.md"]
        assert "RuntimeError: converter crashed" in report.failures[0].error
        assert (await index.search("berth", mode="keyword")).hits

    registry = _registry(converter=Failing)
    using(docs, work, {**IN_MEMORY, "converter": "test"}, registry)


def test_an_empty_document_is_noted(docs: Path) -> None:
    (docs / "empty.md").write_text("\n  \n")
    report = using(docs, ingest)
    assert report.counts["failed"] == 0
    assert any("docs/empty.md" in note for note in report.notes)


def test_what_is_read_as_bare_text_is_noted_once_for_all_files_of_a_kind(docs: Path) -> None:
    for name in ("a.adoc", "b.adoc", "c.adoc", "d.tex"):
        (docs / name).write_text("= Berths\n\nA berth is a place.\n")
    report = using(docs, ingest)
    noted = [note for note in report.notes if "bare text" in note]
    assert [note.partition(" is read")[0] for note in noted] == [
        "docs/a.adoc and 2 others: .adoc",
        "docs/d.tex: .tex",
    ]
    assert report.to_dict()["notes"] == list(report.notes)


def test_a_document_that_becomes_empty_leaves_the_index(docs: Path) -> None:
    async def work(index: AsyncIndex) -> None:
        await index.ingest()
        (docs / "act.md").write_text("")
        await index.ingest()
        assert list(await index.documents()) == ["docs/handbook.md"]

    using(docs, work)


def test_a_missing_source_changes_nothing(docs: Path) -> None:
    async def work(index: AsyncIndex) -> None:
        await index.ingest()
        docs.rename(docs.with_name("moved"))
        with pytest.raises(SourceError, match="docs"):
            await index.ingest()
        assert len(await index.documents()) == 2

    using(docs, work)


def test_another_embedder_is_refused_with_the_way_out(docs: Path) -> None:
    using(docs, ingest, EMBEDDED)
    registry = _registry(embedder=_TinyEmbedder)
    config = {**EMBEDDED, "embedder": "test"}
    for call in (ingest, lambda index: index.search("berth")):
        with pytest.raises(IndexMismatchError) as caught:
            using(docs, call, config, registry)
        assert "--force" in str(caught.value.hint)
    report = using(docs, lambda index: index.ingest(force=True), config, registry)
    assert report.counts["added"] == 2


def test_a_rebuild_that_was_interrupted_marks_what_is_found_until_it_is_finished(
    docs: Path,
) -> None:
    using(docs, ingest, EMBEDDED)
    registry = _registry(embedder=_TinyEmbedder)
    config = {**EMBEDDED, "embedder": "test"}

    def interrupt(done: int, total: int, name: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        using(docs, lambda index: index.ingest(force=True, progress=interrupt), config, registry)

    async def work(index: AsyncIndex) -> tuple[list[str], int]:
        found = await index.search("berth")
        return [one.leg for one in found.degraded], len(await index.documents())

    assert using(docs, work, config, registry) == (["index"], 0)
    raising = {**config, "search": {"on_degraded": "raise"}}
    with pytest.raises(DegradedError, match="not whole"):
        using(docs, work, raising, registry)
    using(docs, ingest, config, registry)
    assert using(docs, work, config, registry) == ([], 2)


def test_a_forced_ingest_of_a_sound_index_replaces_its_documents(docs: Path) -> None:
    first = using(docs, ingest, EMBEDDED)
    report = using(docs, lambda index: index.ingest(force=True), EMBEDDED)
    assert report.counts["updated"] == 2
    assert report.embedded == first.embedded


def test_another_chunker_makes_chunks_anew_but_keeps_equal_embeddings(docs: Path) -> None:
    using(docs, ingest, EMBEDDED)
    config = {**EMBEDDED, "chunker": {"provider": "structure", "max_chunk_tokens": 700}}
    report = using(docs, ingest, config)
    assert report.counts["updated"] == 2
    assert report.embedded == 0


def test_a_lost_keyword_index_is_repaired_on_open(docs: Path) -> None:
    import shutil

    async def where(index: AsyncIndex) -> Path:
        await index.ingest()
        path: Path = index.config.vector.model_dump()["path"]
        return path

    folder = using(docs, where, EMBEDDED)
    shutil.rmtree(folder / "tantivy")
    result = using(docs, lambda index: index.search("berth", mode="keyword"), EMBEDDED)
    assert "berth" in result.hits[0].chunk.text


@pytest.mark.parametrize("query", ["", " ", "\n\t"])
def test_an_empty_query_is_refused(docs: Path, query: str) -> None:
    with pytest.raises(QueryError, match="empty"):
        searched(docs, query)


@pytest.mark.parametrize(
    "query", ["?", "§", "の", "a" * 5000, "\x00", "𝔘𝔫𝔦", '"', "((((", "AND OR NOT"]
)
def test_no_query_crashes(docs: Path, query: str) -> None:
    assert isinstance(searched(docs, query), SearchResult)


def test_what_the_documents_lack_is_low_confidence(docs: Path) -> None:
    assert searched(docs, "quantum chromodynamics lattice simulation").low_confidence
    assert not searched(docs, "fee for a berth").low_confidence


def test_a_failing_leg_degrades_the_result_visibly(
    docs: Path, caplog: pytest.LogCaptureFixture
) -> None:
    registry = _registry(embedder=_DeadEmbedder)

    async def work(index: AsyncIndex) -> SearchResult:
        _DeadEmbedder.dead = False
        await index.ingest()
        _DeadEmbedder.dead = True
        return await index.search("berth")

    with caplog.at_level(logging.WARNING, "hierdoc"):
        result = using(docs, work, {**IN_MEMORY, "embedder": "test"}, registry)
    assert "berth" in result.hits[0].chunk.text
    (degraded,) = result.degraded
    assert degraded.leg == "semantic"
    assert "no answer" in degraded.reason
    assert "semantic leg failed" in caplog.text


def test_a_failing_leg_raises_where_the_settings_say_so(docs: Path) -> None:
    registry = _registry(embedder=_DeadEmbedder)

    async def work(index: AsyncIndex, mode: str) -> None:
        _DeadEmbedder.dead = False
        await index.ingest()
        _DeadEmbedder.dead = True
        with pytest.raises(DegradedError, match="no answer") as caught:
            await index.search("berth", mode=mode)
        assert isinstance(caught.value.__cause__, StoreError)

    config = {**IN_MEMORY, "embedder": "test"}
    using(docs, lambda index: work(index, "semantic"), config, registry)
    config["search"] = {"on_degraded": "raise"}
    using(docs, lambda index: work(index, "hybrid"), config, registry)


def test_without_a_keyword_backend_hybrid_says_so(docs: Path) -> None:
    result = using(
        docs,
        lambda index: _after_ingest(index, index.search, "berth"),
        {"vector": "in-memory", "keyword": None},
    )
    assert [one.leg for one in result.degraded] == ["keyword"]


def test_a_reranker_orders_what_is_not_certain(docs: Path) -> None:
    class Reverse(_Plugin):
        async def rerank(self, query: str, hits: Sequence[Any], limit: int) -> Sequence[Any]:
            return list(reversed(hits))[:limit]

    registry = _registry(reranker=Reverse)
    config = {**IN_MEMORY, "reranker": "test"}
    result = using(
        docs, lambda index: _after_ingest(index, index.search, "Rationale"), config, registry
    )
    assert "Ships arrive early" in result.hits[0].chunk.text
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    assert result.timings_ms["rerank"] > 0


def test_a_reranker_that_takes_too_long_leaves_the_order(docs: Path) -> None:
    class Slow(_Plugin):
        async def rerank(self, query: str, hits: Sequence[Any], limit: int) -> Sequence[Any]:
            await asyncio.Event().wait()
            return hits

    registry = _registry(reranker=Slow)
    config = {**IN_MEMORY, "reranker": "test", "search": {"rerank": {"timeout": 0.05}}}
    plain = using(docs, lambda index: _after_ingest(index, index.search, "berth fee"), IN_MEMORY)
    result = using(
        docs, lambda index: _after_ingest(index, index.search, "berth fee"), config, registry
    )
    assert [hit.chunk.id for hit in result.hits] == [hit.chunk.id for hit in plain.hits]
    (degraded,) = result.degraded
    assert (degraded.leg, "longer than 0.05 seconds" in degraded.reason) == ("rerank", True)


def test_batches_of_a_reranker_become_one_ranking(docs: Path) -> None:
    sizes = []

    class ByLength(_Plugin):
        async def rerank(self, query: str, hits: Sequence[Any], limit: int) -> Sequence[Any]:
            sizes.append(len(hits))
            scored = [replace(hit, score=float(len(hit.chunk.text))) for hit in hits]
            return sorted(scored, key=lambda hit: -hit.score)[:limit]

    registry = _registry(reranker=ByLength)
    config = {**IN_MEMORY, "reranker": "test", "search": {"rerank": {"batch_size": 2}}}
    result = using(
        docs, lambda index: _after_ingest(index, index.search, "berth fee"), config, registry
    )
    lengths = [len(hit.chunk.text) for hit in result.hits if not hit.certain]
    assert lengths == sorted(lengths, reverse=True)
    assert max(sizes) == 2


def test_a_reranker_that_fails_leaves_the_order(docs: Path) -> None:
    class Failing(_Plugin):
        async def rerank(self, query: str, hits: Sequence[Any], limit: int) -> Sequence[Any]:
            raise TimeoutError("too slow")

    registry = _registry(reranker=Failing)
    config = {**IN_MEMORY, "reranker": "test"}
    result = using(
        docs, lambda index: _after_ingest(index, index.search, "berth"), config, registry
    )
    assert "berth" in result.hits[0].chunk.text
    assert [one.leg for one in result.degraded] == ["rerank"]


def test_a_capability_that_is_missing_raises_whatever_the_settings(docs: Path) -> None:
    async def work(index: AsyncIndex) -> None:
        await index.ingest()
        backend = index._components.keyword
        assert backend is not None

        async def refuse(*arguments: Any) -> Sequence[Match]:
            raise CapabilityError("keyword does not filter by: not")

        backend.search = refuse  # type: ignore[method-assign]
        with pytest.raises(CapabilityError):
            await index.search("berth")

    using(docs, work)


def test_searches_run_side_by_side(docs: Path) -> None:
    async def work(index: AsyncIndex) -> None:
        await index.ingest()
        results = await asyncio.gather(*(index.search("berth") for _ in range(20)))
        assert len({result.hits[0].chunk.id for result in results}) == 1

    using(docs, work, EMBEDDED)


def test_closing_twice_is_fine(docs: Path) -> None:
    async def work(index: AsyncIndex) -> None:
        await index.ingest()
        await index.aclose()

    using(docs, work, EMBEDDED)


def test_the_synchronous_face_does_the_same(docs: Path) -> None:
    seen: list[tuple[int, int, str]] = []
    with Index.open({"source": str(docs), **IN_MEMORY}) as index:
        report = index.ingest(progress=lambda *step: seen.append(step))
        assert report.counts["added"] == 2
        assert "berth" in index.search("berth", top_k=1).hits[0].chunk.text
        assert index.section("Article I")
        assert index.define("harbour")
        assert index.outline("docs/handbook.md")
        assert index.count() == report.chunks
        index.remove("docs/act.md")
        assert list(index.documents()) == ["docs/handbook.md"]
    assert [step[:2] for step in seen] == [(1, 2), (2, 2)]


def test_the_two_faces_have_the_same_methods() -> None:
    def public(cls: type) -> set[str]:
        return {name for name in vars(cls) if not name.startswith("_")}

    assert public(Index) - {"config"} == public(AsyncIndex) - {"aclose"} | {"close"}


class _Plugin:
    """Base of components made for a test."""

    suffixes = (".md",)
    capabilities: frozenset[Capability] = frozenset()


class _TinyEmbedder(_Plugin):
    fingerprint = "tiny@1"
    dimensions = 2

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        import numpy as np

        return np.tile(np.array([1, 0], dtype=np.float32), (len(texts), 1))

    async def embed_query(self, text: str) -> Any:
        return (await self.embed_documents([text]))[0]


class _MoodyContext(_Plugin):
    """Has nothing to say of an act the first time."""

    answers = 0

    async def generate(self, document: Document, chunks: Sequence[Chunk]) -> Sequence[str | None]:
        if document.source == "docs/act.md":
            type(self).answers += 1
        silent = document.source == "docs/act.md" and self.answers == 1
        return [None if silent else "said"] * len(chunks)


class _PickyEmbedder(_TinyEmbedder):
    async def embed_documents(self, texts: Sequence[str]) -> Any:
        if any("Harbour Act" in text for text in texts):
            raise EmbeddingError("no acts")
        return await super().embed_documents(texts)


class _DeadEmbedder(_TinyEmbedder):
    dead = False

    async def embed_query(self, text: str) -> Any:
        if self.dead:
            raise StoreError("the embedding service gives no answer")
        return await super().embed_query(text)


def _registry(**components: type) -> Registry:
    """A registry with a provider `test` for each kind that is given."""

    class Config(ProviderConfig):
        provider: Literal["test"] = "test"

    hooks = {
        "context": "context_generators",
        "converter": "converters",
        "embedder": "embedders",
        "reranker": "rerankers",
    }
    plugin: Any = type("Plugin", (), {})()
    for kind, component in components.items():
        setattr(plugin, f"hierdoc_{hooks[kind]}", hookimpl(_providing(component, Config)))
    registry = Registry(allowed=frozenset({"html", "in-memory", "sqlite", "static", "tantivy"}))
    registry.register(plugin, "test")
    return registry


def _providing(
    component: type, config: type[ProviderConfig]
) -> Callable[[], list[Provider[Any, Any]]]:
    return lambda: [Provider(config, lambda _: component())]


def test_legs_can_be_had_before_fusion(docs: Path) -> None:
    async def work(index: AsyncIndex) -> Any:
        await index.ingest()
        return await index.search_legs(
            "harbour office Section 2", candidates=3
        ), await index.search("harbour office Section 2")

    legs, result = using(docs, work)
    assert list(legs.rankings) == ["semantic", "keyword", "exact"]
    assert all(0 < len(ranking) <= 3 for ranking in legs.rankings.values())
    assert result.hits[0].chunk.id in legs.exact


def test_all_chunks_come_by_document_and_position(docs: Path) -> None:
    async def work(index: AsyncIndex) -> Any:
        await index.ingest()
        return await index.chunks()

    chunks = using(docs, work)
    places = [(chunk.source, chunk.ordinal) for chunk in chunks]
    assert places == sorted(places)
    assert {source for source, _ in places} == {"docs/act.md", "docs/handbook.md"}


def test_another_keyword_backend_is_filled_from_the_records(docs: Path) -> None:
    from hierdoc.plugin import ComponentKind, default_registry

    registry = default_registry()
    config = registry.find(ComponentKind.KEYWORD, "in-memory").config(k1=0.5)
    backend = registry.open(ComponentKind.KEYWORD, config)

    async def work(index: AsyncIndex) -> Any:
        await index.ingest()
        await index.fill(backend)
        return await backend.count(), await index.count()

    filled, held = using(docs, work)
    assert filled == held > 0


# Implicit structure

BILL = """SEC. 203. REPORTS.

(a) IN GENERAL.—The Secretary shall—

(1) report to Congress; and

(2) publish the report.

SEC. 204. RULES.

The Secretary shall make rules under section 203(a)(2).
"""


def test_a_citation_finds_the_deepest_level_that_exists(tmp_path: Path) -> None:
    (tmp_path / "bill.txt").write_text(BILL, encoding="utf-8")
    with Index.open(
        {"source": str(tmp_path / "bill.txt"), "vector": "in-memory", "keyword": "in-memory"}
    ) as index:
        index.ingest()
        hit = (index.search("What does Section 203(a)(1) say?")).hits[0]
        assert hit.certain
        assert "sec_203_a_1" in hit.chunk.section_keys
        assert [one.chunk.id for one in index.section("Section 203(a)(1)")] == [hit.chunk.id]
        reference = (index.section("Section 204"))[0].chunk.references[0]
        assert (reference.section_id, reference.resolved) == ("sec_203_a_2", True)


@pytest.mark.parametrize("chunker", ["structure", "token"])
def test_the_outline_is_that_of_the_domain_and_depth(tmp_path: Path, chunker: str) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "bill.txt").write_text(BILL, encoding="utf-8")

    def ids(**settings: Any) -> list[str]:
        config = {
            "source": str(docs),
            "keyword": "in-memory",
            "vector": "in-memory",
            "chunker": {"provider": chunker, **settings},
        }
        with Index.open(config) as index:
            index.ingest()
            (name,) = index.documents()
            return [one.section.id for one in flatten(index.outline(name))]

    every = ["sec_203", "sec_203_a", "sec_203_a_1", "sec_203_a_2", "sec_204"]
    assert ids() == every
    assert ids(max_subsection_depth=1) == ["sec_203", "sec_203_a", "sec_204"]
    assert ids(domain="none") == []


def test_another_domain_does_every_document_again(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "bill.txt").write_text(BILL, encoding="utf-8")
    path = str(tmp_path / "index")
    for domain, updated in (("auto", 0), ("auto", 0), ("none", 1)):
        config = {
            "source": str(tmp_path / "docs"),
            "vector": {"provider": "sqlite", "path": path},
            "keyword": None,
            "chunker": {"provider": "structure", "domain": domain},
        }
        with Index.open(config) as index:
            assert len((index.ingest()).updated) == updated


def test_the_chunks_of_a_document_come_in_order(docs: Path) -> None:
    with Index.open({"source": str(docs), **IN_MEMORY}) as index:
        index.ingest()
        every = index.chunks()
        name = every[0].source
        assert index.chunks(name) == [one for one in every if one.source == name]
        with pytest.raises(QueryError, match="no document called"):
            index.chunks("nothing.md")


def test_the_file_of_a_document_is_given_while_it_is_what_was_ingested(docs: Path) -> None:
    with Index.open({"source": str(docs), **IN_MEMORY}) as index:
        index.ingest()
        name = next(iter(index.documents()))
        file = next(path for path in docs.rglob("*") if path.name == Path(name).name)
        assert index.original(name).data == file.read_bytes()
        file.write_bytes(file.read_bytes() + b"\nmore\n")
        with pytest.raises(SourceError, match="changed since it was ingested"):
            index.original(name)
        file.unlink()
        with pytest.raises(SourceError, match="cannot be read"):
            index.original(name)
        with pytest.raises(QueryError, match="no document called"):
            index.original("../secret.md")


def test_the_file_of_a_document_is_not_given_from_outside_its_source(
    docs: Path, tmp_path: Path
) -> None:
    with Index.open({"source": str(docs), **IN_MEMORY}) as index:
        index.ingest()
        name = next(iter(index.documents()))
        file = next(path for path in docs.rglob("*") if path.name == Path(name).name)
        elsewhere = tmp_path / "elsewhere.md"
        file.rename(elsewhere)
        file.symlink_to(elsewhere)
        with pytest.raises(SourceError, match="not in the configured source"):
            index.original(name)
