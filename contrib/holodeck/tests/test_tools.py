"""The tools as HoloDeck calls them: made ready, searched, and what they say when something is wrong."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Coroutine, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

import pytest

from hierdoc import ConfigError, StoreError
from hierdoc_holodeck import (
    Found,
    HierarchicalDocumentTool,
    ValidationError,
    VectorStoreTool,
    load_tool,
    load_tools,
)

T = TypeVar("T")

ACT = """# Harbour Act

## Section 1 Definitions

“Master” means the person who has command of a ship.

## Section 2 Reports

Every master shall report to the harbour office. Section 3 says what a late report costs.

## Section 3 Fees

The fee for a berth is 23.2 crowns a day.
"""


def done(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an agent with two documents."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "agent"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "act.md").write_text(ACT)
    (folder / "docs" / "rooms.txt").write_text("The library opens at nine and closes at six.\n")
    return folder


def laws(folder: Path, **fields: Any) -> HierarchicalDocumentTool:
    given = {"type": "hierarchical_document", "name": "laws", "description": "d", "source": "docs"}
    on_degraded = fields.pop("on_degraded", "warn")
    tool = load_tool({**given, **fields}, base_dir=folder, on_degraded=on_degraded)
    assert isinstance(tool, HierarchicalDocumentTool)
    return tool


def notes(folder: Path, **fields: Any) -> VectorStoreTool:
    given = {"type": "vectorstore", "name": "notes", "source": "docs"}
    tool = load_tool({**given, **fields}, base_dir=folder)
    assert isinstance(tool, VectorStoreTool)
    return tool


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> HierarchicalDocumentTool:
    """A document tool that is made ready once, for tests that only ask it."""
    folder = tmp_path_factory.mktemp("agent")
    (folder / "docs").mkdir()
    (folder / "docs" / "act.md").write_text(ACT)
    tool = laws(folder)
    done(tool.initialize())
    return tool


# hierarchical_document


def test_a_result_reads_as_holodecks_do(ready: HierarchicalDocumentTool) -> None:
    best, *_ = done(ready.search("what shall the master report in Section 2?"))
    assert best.exact_match
    assert best.format() == (
        "Score: 1.000 | Source: docs/act.md\n"
        "Location: Harbour Act > Section 2 Reports\n"
        "Section: sec_2\n"
        "\n"
        "## Section 2 Reports\n\n"
        "Every master shall report to the harbour office. Section 3 says what a late report costs.\n"
        "\n"
        "Relevant definitions:\n"
        "  - Master: “Master” means the person who has command of a ship."
    )
    assert [one.section_id for one in best.references] == ["sec_3"]


def test_a_long_definition_is_shortened(folder: Path) -> None:
    (folder / "docs" / "act.md").write_text(f"# Act\n\n“Quay” means {'a wall ' * 30}.\n")
    tool = laws(folder)
    done(tool.initialize())
    shown = done(tool.search("quay"))[0].format().splitlines()[-1]
    assert shown.startswith("  - Quay: “Quay” means")
    assert len(shown) == len("  - Quay: ") + 100
    assert shown.endswith("...")


@pytest.mark.parametrize("mode", ["semantic", "keyword"])
def test_scores_are_the_same_similarity_in_every_mode(
    folder: Path, ready: HierarchicalDocumentTool, mode: str
) -> None:
    query = "fee for a berth"
    known = {one.content: one.fused_score for one in done(ready.search(query))}
    (folder / "docs" / "rooms.txt").unlink()
    other = laws(folder, search_mode=mode)
    done(other.initialize())
    found = done(other.search(query))
    assert found
    for one in found:
        assert one.fused_score == pytest.approx(known[one.content], abs=1e-3)


def test_what_is_below_the_least_score_is_left_out_but_never_what_is_certain(folder: Path) -> None:
    tool = laws(folder, min_score=0.95)
    done(tool.initialize())
    assert [one.section_id for one in done(tool.search("Section 3"))] == ["sec_3"]
    assert done(tool.search("opening hours")) == []


def test_a_context_has_what_fits(ready: HierarchicalDocumentTool) -> None:
    whole = done(ready.get_context("berth"))
    assert whole.startswith("Context for query: berth\n\n[1] Score: ")
    short = done(ready.get_context("berth", max_tokens=70))
    assert len(short.encode()) <= 210
    assert short.startswith("Context for query: berth\n\n[1] Score: ")
    assert len(short) < len(whole)
    assert done(ready.get_context("berth", max_tokens=5)).startswith("No relevant context found")


def test_a_definition_is_looked_up_in_any_form(folder: Path) -> None:
    tool = laws(folder)
    assert tool.get_definition("master") is None
    done(tool.initialize())
    found = tool.get_definition("MASTERS")
    assert found == {
        "term": "Master",
        "definition": "“Master” means the person who has command of a ship.",
    }
    assert tool.get_definition("zebra") is None


def test_definitions_that_differ_are_all_told(folder: Path) -> None:
    (folder / "docs" / "code.md").write_text("# Code\n\n“Master” means a teacher of a guild.\n")
    tool = laws(folder)
    done(tool.initialize())
    found = tool.get_definition("master")
    assert found is not None
    assert "a teacher of a guild. (docs/code.md)" in found["definition"]
    assert "command of a ship. (docs/act.md)" in found["definition"]


def test_without_definitions_none_are_known(folder: Path) -> None:
    tool = laws(folder, extract_definitions=False)
    done(tool.initialize())
    assert tool.get_definition("master") is None
    assert "Relevant definitions" not in done(tool.search("master"))[0].format()


def test_without_cross_references_a_result_has_none(folder: Path) -> None:
    tool = laws(folder, extract_cross_references=False)
    done(tool.initialize())
    assert all(not one.references for one in done(tool.search("late report costs")))


def test_top_k_can_be_given_for_a_search(ready: HierarchicalDocumentTool) -> None:
    assert len(done(ready.search("ship", top_k=1))) == 1
    with pytest.raises(ValueError, match="top_k"):
        done(ready.search("ship", top_k=101))


# vectorstore


def test_a_vectorstore_answers_with_a_text(folder: Path) -> None:
    tool = notes(folder)
    done(tool.initialize())
    text = done(tool.search("when does the library open?"))
    head, blank, first, *_ = text.split("\n")
    assert (head, blank) == ("Found 2 result(s):", "")
    assert first.startswith("[1] Score: 0.")
    assert first.endswith(" | Source: docs/rooms.txt")
    assert "\n\n[2] Score: 0." in text
    assert not text.endswith("\n")


def test_a_vectorstore_says_that_nothing_is_near_enough(folder: Path) -> None:
    tool = notes(folder, min_similarity_score=0.99)
    done(tool.initialize())
    assert done(tool.search("zebra")) == "No results above similarity threshold 0.99"


def test_a_vectorstore_gives_top_k_results_at_most(folder: Path) -> None:
    tool = notes(folder, top_k=1)
    done(tool.initialize())
    assert done(tool.search("ship")).startswith("Found 1 result(s):")


# Both


@pytest.mark.parametrize(("make", "name"), [(laws, "HierarchicalDocumentTool"), (notes, "VectorStoreTool")])  # fmt: skip
def test_a_tool_must_be_initialized_and_asked_something(folder: Path, make: Any, name: str) -> None:
    tool = make(folder)
    with pytest.raises(RuntimeError, match=f"{name} must be initialized before search"):
        done(tool.search("ship"))
    done(tool.initialize())
    with pytest.raises(ValueError, match="Search query cannot be empty"):
        done(tool.search("  "))


@pytest.mark.parametrize("make", [laws, notes])
def test_a_source_that_is_not_there_is_told(folder: Path, make: Any) -> None:
    with pytest.raises(FileNotFoundError, match=r"Source path does not exist: .*gone \(conf"):
        done(make(folder, source="gone").initialize())


@pytest.mark.parametrize("make", [laws, notes])
def test_a_source_without_documents_is_told(folder: Path, make: Any) -> None:
    (folder / "empty").mkdir()
    (folder / "empty" / "picture.png").write_bytes(b"")
    with pytest.raises(ValidationError, match="holds no document"):
        done(make(folder, source="empty").initialize())
    with pytest.raises(ValueError, match="nothing matches"):
        done(make(folder, source="docs/*.rst").initialize())


def test_a_source_may_be_a_glob_or_a_file_url(folder: Path) -> None:
    for source, chunks in (("docs/*.txt", 1), ((folder / "docs" / "rooms.txt").as_uri(), 1)):
        tool = notes(folder, source=source)
        done(tool.initialize())
        assert tool.document_count == chunks


def test_nothing_outside_the_source_is_read(folder: Path) -> None:
    (folder / "secret.md").write_text("The password is swordfish.\n")
    (folder / "docs" / "link.md").symlink_to(folder / "secret.md")
    tool = notes(folder)
    done(tool.initialize())
    assert "swordfish" not in done(tool.search("password"))
    assert any("leads out of the source" in one for one in tool.warnings)


def test_a_bad_file_is_skipped_with_a_warning(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "docs" / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    tool = notes(folder)
    with caplog.at_level(logging.WARNING):
        done(tool.initialize())
    assert any("skipped docs/broken.pdf" in one for one in tool.warnings)
    assert "skipped docs/broken.pdf" in caplog.text
    assert "Found 2 result(s)" in done(tool.search("library"))


def test_progress_is_told_file_by_file(folder: Path) -> None:
    told: list[tuple[int, int | None]] = []
    done(laws(folder).initialize(progress_callback=lambda done, total: told.append((done, total))))
    assert told == [(1, 2), (2, 2)]


def test_a_changed_file_is_read_again(folder: Path) -> None:
    tool = notes(folder, database={"provider": "faiss", "path": "index"})
    done(tool.initialize())
    (folder / "docs" / "rooms.txt").write_text("The swimming pool opens at seven.\n")
    (folder / "docs" / "act.md").unlink()
    done(tool.initialize())
    assert "swimming pool" in done(tool.search("pool"))
    assert "berth" not in done(tool.search("berth"))
    done(tool.aclose())


def test_what_a_store_keeps_is_there_for_the_next_program(folder: Path) -> None:
    database = {"provider": "faiss", "path": "index"}
    first = laws(folder, database=database)
    done(first.initialize())
    done(first.aclose())
    again, told = laws(folder, database=database), []
    done(again.initialize(progress_callback=lambda done, total: told.append(done)))
    assert again.document_count == first.document_count
    assert done(again.search("Section 3"))[0].section_id == "sec_3"
    done(again.aclose())


def test_another_embedding_model_needs_a_forced_ingest(folder: Path) -> None:
    database = {"provider": "faiss", "path": "index"}
    first = notes(folder, database=database)
    done(first.initialize())
    done(first.aclose())
    other = notes(folder, database=database, embedding_model="minilm")
    with pytest.raises(ConfigError) as raised:
        done(other.initialize())
    assert raised.value.hint == "Call initialize(force_ingest=True)."
    done(other.aclose())


UNREACHABLE = {"provider": "postgres", "connection_string": "host=127.0.0.1 port=9", "timeout": 1}


@pytest.mark.parametrize("make", [laws, notes])
def test_a_store_that_cannot_be_reached_is_replaced_by_memory(folder: Path, make: Any) -> None:
    tool = make(folder, database=UNREACHABLE)
    done(tool.initialize())
    assert tool.warnings[-1].startswith("Failed to connect to postgres:")
    assert tool.warnings[-1].endswith("Falling back to in-memory storage.")
    assert done(tool.search("library"))


def test_it_is_an_error_if_the_program_says_so(folder: Path) -> None:
    with pytest.raises(StoreError):
        done(laws(folder, database=UNREACHABLE, on_degraded="raise").initialize())


class Refusing(BaseHTTPRequestHandler):
    """A server that knows no key, or from `answers` on."""

    answers = 0

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        type(self).answers -= 1
        vectors = [{"index": i, "embedding": [1.0] * 768} for i in range(len(texts))]
        body = json.dumps({"data": vectors} if self.answers >= 0 else {"error": "no key"}).encode()
        self.send_response(200 if self.answers >= 0 else 401)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def agent(folder: Path, server: str, kind: str) -> Path:
    """An agent whose tool is embedded by this server."""
    tool = {"type": kind, "name": "n", "description": "d", "source": "docs"}
    model = {"provider": "ollama", "name": "llama3", "endpoint": server}
    tools = [{**tool, "embedding_model": "nomic-embed-text:latest"}]
    file = folder / "agent.yaml"
    file.write_text(json.dumps({"model": model, "tools": tools}))
    return file


@pytest.mark.parametrize("kind", ["hierarchical_document", "vectorstore"])
def test_texts_that_cannot_be_embedded_are_an_error(folder: Path, server: str, kind: str) -> None:
    Refusing.answers = 0
    (tool,) = load_tools(agent(folder, server, kind))
    with pytest.raises(RuntimeError, match="401"):
        done(tool.initialize())


def test_a_query_that_cannot_be_embedded_is_an_error_of_a_vectorstore(
    folder: Path, server: str
) -> None:
    Refusing.answers = 1
    (tool,) = load_tools(agent(folder, server, "vectorstore"))
    done(tool.initialize())
    with pytest.raises(RuntimeError, match="Failed to generate query embedding"):
        done(tool.search("ship"))


def test_without_the_embedder_words_still_find_and_scores_are_unknown(
    folder: Path, server: str
) -> None:
    Refusing.answers = 1
    (tool,) = load_tools(agent(folder, server, "hierarchical_document"))
    done(tool.initialize())
    (best, *_) = done(tool.search("berth"))
    assert isinstance(best, Found)
    assert "23.2 crowns" in best.content
    assert best.format().startswith("Score: unknown | ")
