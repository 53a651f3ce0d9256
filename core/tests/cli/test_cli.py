"""The command line as a user meets it: what it prints, where, and the exit status."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hierdoc.cli import output

ACT = """\
# Harbour Act

## Section 1 Definitions
“Harbour” means a place where ships lie at anchor.

## Section 2 Reports
Every master of a ship shall report to the harbour office; see Section 1.
"""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "act.md").write_text(ACT, encoding="utf-8")
    return folder


def printed(done: subprocess.CompletedProcess[str]) -> Any:
    """The one JSON object on stdout."""
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout)


def complaint(done: subprocess.CompletedProcess[str], status: int) -> str:
    """What a failed command says on stderr; never a traceback, never anything on stdout."""
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("search", "who reports", "docs"), "docs is one argument too many. Name documents with --source PATH."),
        (("search", "who", "reports"), "reports is one argument too many. Put the query into quotes."),
        (("section", "Section", "2"), "2 is one argument too many. Put the reference into quotes."),
        (("define", "a", "harbour"), "harbour is one argument too many. Put the term into quotes."),
    ],
)  # fmt: skip
def test_an_argument_too_many_is_told_what_to_do(
    run: Run, docs: Path, arguments: tuple[str, ...], hint: str
) -> None:
    assert docs.is_dir()
    assert hint in " ".join(complaint(run(*arguments), 2).split())


def test_search_needs_no_configuration_and_leaves_nothing_behind(
    run: Run, docs: Path, tmp_path: Path
) -> None:
    before = sorted(tmp_path.iterdir())
    done = run("search", "who reports", "--source", "docs")
    assert done.returncode == 0
    assert "docs/act.md:6-7" in done.stdout
    assert "Harbour Act > Section 2 Reports" in done.stdout
    assert "Every master of a ship" in done.stdout
    assert sorted(path for path in tmp_path.iterdir() if path.name != "xdg-cache") == [
        path for path in before if path.name != "xdg-cache"
    ]


def test_search_prints_the_contract(run: Run, docs: Path) -> None:
    result = printed(run("search", "section 2", "--source", "docs", "--json", "--top-k", "1"))
    assert list(result) == [
        "query", "mode", "top_k", "hits", "degraded", "low_confidence", "ambiguous", "scope", "timings_ms",
    ]  # fmt: skip
    (hit,) = result["hits"]
    assert (hit["source"], hit["section_id"], hit["rank"]) == ("docs/act.md", "sec_2", 1)
    assert hit["content"] == ACT[hit["char_start"] : hit["char_end"]]
    assert hit["scores"]["exact"]["rank"] == 1
    assert hit["page_start"] is None
    assert (result["degraded"], result["low_confidence"]) == ([], False)
    assert set(result["timings_ms"]) == {
        "embed",
        "semantic",
        "keyword",
        "exact",
        "fuse",
        "rerank",
        "total",
    }


def test_explain_says_why(run: Run, docs: Path) -> None:
    done = run("search", "section 2", "--source", "docs", "--explain")
    assert "section 2 begins here" in done.stdout
    assert "keyword leg ranks it" in done.stdout
    assert "indexed with: Harbour Act" in done.stdout
    assert "refers to: Section 1 (sec_1)" in done.stdout


def test_init_ingest_search(run: Run, docs: Path, tmp_path: Path) -> None:
    assert run("init").returncode == 0
    assert (tmp_path / "hierdoc.yaml").is_file()
    report = printed(run("ingest", "--json"))
    assert report["documents"] == {
        "added": 1, "updated": 0, "unchanged": 0, "removed": 0, "failed": 0,
    }  # fmt: skip
    assert set(report) == {"documents", "chunks", "seconds", "failures", "notes"}
    assert (tmp_path / ".hierdoc").is_dir()
    assert "docs/act.md" in run("search", "ships at anchor").stdout
    assert printed(run("ingest", "--json"))["documents"]["unchanged"] == 1


def test_a_dry_run_says_what_would_be_done(run: Run, docs: Path, tmp_path: Path) -> None:
    (tmp_path / "hierdoc.yaml").write_text("source: docs\n")
    report = printed(run("ingest", "--dry-run", "--json"))
    assert (report["planned"], report["documents"]["added"]) == (True, 1)
    assert "chunks to make" in run("ingest", "--dry-run").stdout
    assert printed(run("ingest", "--json"))["documents"]["added"] == 1


def test_init_overwrites_only_when_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "hierdoc.yaml").write_text("source: mine\n")
    assert "is there already" in complaint(run("init"), 2)
    assert (tmp_path / "hierdoc.yaml").read_text() == "source: mine\n"
    assert run("init", "--force").returncode == 0


def test_outline_follows_the_configuration(run: Run, docs: Path) -> None:
    bill = "SEC. 1. FIRST.\n\n(a) It shall be.\n\n(b) It shall not.\n"
    (docs / "bill.txt").write_text(bill, encoding="utf-8")
    assert "(b)  [sec_1_b" in run("outline", "docs/bill.txt").stdout
    (docs.parent / "hierdoc.yaml").write_text(
        "source: docs\nchunker: {provider: structure, max_subsection_depth: 0}\n", encoding="utf-8"
    )
    assert "[sec_1_b" not in run("outline", "docs/bill.txt").stdout
    (section,) = printed(run("outline", "docs/bill.txt", "--json"))["sections"]
    assert section["children"] == []


def test_outline_says_what_is_doubtful(run: Run, docs: Path) -> None:
    numbers = [*range(1, 14), *range(32, 80)]
    text = "".join(f"## Section {number}\n\nThe registrar keeps records.\n\n" for number in numbers)
    (docs / "gap.md").write_text(text, encoding="utf-8")
    doubt = "18 numbers are missing between Section 13 and Section 32"
    assert f"doubtful: {doubt}" in run("outline", "docs/gap.md").stderr
    assert printed(run("outline", "docs/gap.md", "--json"))["doubts"] == [doubt]
    assert printed(run("outline", "docs/act.md", "--json"))["doubts"] == []
    checks = printed(run("doctor", "--source", "docs", "--json"))["checks"]
    (structure,) = (one for one in checks if one["check"] == "structure")
    assert structure["ok"]
    assert f"docs/gap.md ({doubt})" in structure["detail"]


def test_outline_needs_no_index(run: Run, docs: Path) -> None:
    outline = printed(run("outline", "docs/act.md", "--json"))
    assert (outline["source"], outline["title"]) == ("docs/act.md", "Harbour Act")
    (root,) = outline["sections"]
    assert [child["id"] for child in root["children"]] == ["sec_1", "sec_2"]
    assert root["children"][0] == {
        "id": "sec_1",
        "title": "Section 1 Definitions",
        "level": 2,
        "char_start": ACT.index("## Section 1"),
        "char_end": ACT.index("## Section 2"),
        "line_start": 3,
        "line_end": 5,
        "page_start": None,
        "page_end": None,
        "children": [],
    }
    assert "Section 2 Reports  [sec_2 · line 6]" in run("outline", "docs/act.md").stdout


def test_section_and_define(run: Run, docs: Path) -> None:
    (match,) = printed(run("section", "Section 2", "--source", "docs", "--json"))["matches"]
    assert match["section_id"] == "sec_2"
    (definition,) = printed(run("define", "harbour", "--source", "docs", "--json"))["matches"]
    assert definition["term"] == "Harbour"
    assert definition["section_id"] == "sec_1"
    assert "ships lie at anchor" in definition["text"]
    assert run("section", "Section 9", "--source", "docs").returncode == 1
    assert run("define", "lighthouse", "--source", "docs").returncode == 1
    (plural,) = printed(run("define", "harbours", "--source", "docs", "--json"))["matches"]
    assert plural == definition
    unknown = run("define", "harbuor", "--source", "docs")
    assert unknown.returncode == 1
    assert "nearest: Harbour" in unknown.stderr


def test_plugins_list(run: Run) -> None:
    listed = printed(run("plugins", "list", "--json"))
    sqlite = [one for one in listed["providers"] if one["name"] == "sqlite"]
    assert [(one["kind"], one["distribution"]) for one in sqlite] == [("vector", "hierdoc-sqlite")]
    assert listed["broken"] == []
    assert "tantivy" in run("plugins", "list").stdout


def test_doctor(run: Run, docs: Path) -> None:
    checks = printed(run("doctor", "--source", "docs", "--json"))["checks"]
    assert all(check["ok"] for check in checks)
    assert {"configuration", "vector sqlite", "source", "index"} <= {one["check"] for one in checks}


def test_doctor_shows_what_a_provider_says(run: Run, docs: Path) -> None:
    checks = printed(run("doctor", "--source", "docs", "--json"))["checks"]
    (said,) = [one["detail"] for one in checks if one["check"] == "embedder static"]
    assert "hierdoc[minilm]" in said


def test_doctor_finds_what_is_wrong(run: Run, tmp_path: Path) -> None:
    (tmp_path / "hierdoc.yaml").write_text("source: nowhere\n")
    done = run("doctor")
    assert done.returncode == 1
    assert "WRONG source" in done.stdout


def test_schema_is_json_schema(run: Run) -> None:
    schema = printed(run("schema"))
    assert "https://json-schema.org" in schema["$schema"]
    assert {"source", "chunker", "search"} <= set(schema["properties"])


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["search", "x", "--source", "nowhere"], 1, "nowhere"),
        (["search", "", "--source", "docs"], 2, "the query is empty"),
        (["search", "x", "--source", "docs", "--top-k", "0"], 2, "from 1 to 100"),
        (["search", "x", "--source", "docs", "--top-k", "101"], 2, "from 1 to 100"),
        (["search", "x", "--source", "docs", "--mode", "magic"], 2, "magic"),
        (["search", "x"], 2, "--source"),
        (["search", "x", "--config", "missing.yaml"], 2, "missing.yaml"),
        (["ingest", "docs"], 2, "--source docs"),
        (["ingest", "--source", "empty"], 1, "empty"),
        (["ingest", "--source", "*.nothing"], 1, "*.nothing"),
        (["outline", "missing.md"], 1, "missing.md"),
        (["serch"], 2, "No such command 'serch'. Did you mean 'search'?"),
        (["zzz"], 2, "No such command 'zzz'."),
    ],
)
def test_wrong_use_is_told_plainly(
    run: Run, docs: Path, tmp_path: Path, arguments: list[str], status: int, message: str
) -> None:
    (tmp_path / "empty").mkdir()
    assert message in complaint(run(*arguments), status)


def test_a_search_before_any_ingest_says_what_to_do(run: Run, docs: Path) -> None:
    run("init")
    assert "hierdoc ingest" in complaint(run("search", "x"), 1)


def test_a_wrong_key_names_file_line_and_nearest(run: Run, tmp_path: Path) -> None:
    (tmp_path / "hierdoc.yaml").write_text("source: docs\nchunkr: token\n")
    assert "hierdoc.yaml:2: chunkr: unknown key; did you mean `chunker`?" in complaint(
        run("ingest"), 2
    )


def test_part_of_the_work_failing_shows_in_the_status(run: Run, docs: Path) -> None:
    (docs / "bad.pdf").write_bytes(b"no pdf")
    done = run("ingest", "--source", "docs", "--json", HIERDOC_PLUGINS="html,sqlite,static,tantivy")
    report = printed(done)
    assert done.returncode == 1
    assert report["documents"]["added"] == 1
    assert [one["source"] for one in report["failures"]] == ["docs/bad.pdf"]
    found = run(
        "search", "harbour", "--source", "docs", HIERDOC_PLUGINS="html,sqlite,static,tantivy"
    )
    assert found.returncode == 1
    assert "Harbour" in found.stdout
    assert "failed: docs/bad.pdf" in found.stderr


def test_a_source_of_which_nothing_can_be_read_says_so(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"no pdf")
    told = complaint(
        run("search", "x", "--source", "bad.pdf", HIERDOC_PLUGINS="html,sqlite,static,tantivy"), 1
    )
    assert "pip install 'hierdoc[pdf]'" in told
    assert "no document could be ingested" in told


def test_another_embedder_on_an_old_index_names_the_way_out(
    run: Run, docs: Path, tmp_path: Path
) -> None:
    import sqlite3

    run("init")
    run("ingest")
    database = sqlite3.connect(tmp_path / ".hierdoc" / "index.db")
    with database:
        database.execute("UPDATE manifest SET value = '\"other@1\"' WHERE key = 'embedder'")
    database.close()
    assert "--force" in complaint(run("search", "x"), 1)
    assert run("ingest", "--force").returncode == 0
    assert run("search", "harbour").returncode == 0


def test_an_index_of_another_version_in_the_cache_is_made_anew(
    run: Run, docs: Path, tmp_path: Path
) -> None:
    import sqlite3

    run("search", "harbour", "--source", "docs")
    (file,) = (tmp_path / "xdg-cache").rglob("index.db")
    database = sqlite3.connect(file)
    with database:
        database.execute("PRAGMA user_version = 1")
    database.close()
    done = run("search", "harbour", "--source", "docs")
    assert done.returncode == 0, done.stderr
    assert "Harbour Act" in done.stdout


def test_control_characters_of_a_document_never_reach_the_terminal(run: Run, docs: Path) -> None:
    (docs / "evil.md").write_text(
        "# Evil \x1b[31m title\n\nred \x1b]0;owned\x07 zebra [bold]x[/]\n"
    )
    done = run("search", "zebra", "--source", "docs")
    assert "\x1b" not in done.stdout
    assert "[bold]x[/]" in done.stdout


def test_control_characters_of_a_name_never_reach_the_terminal(run: Run, docs: Path) -> None:
    (docs / "a\nfailed: b\u2028.md").write_text("# Zebra\n\nA zebra.\n")
    (docs / "c\nd.md").write_bytes(b"%PDF-")
    done = run("ingest", "--source", "docs")
    assert "failed: docs/c\\nd.md: is not text" in done.stderr
    done = run("search", "zebra", "--source", "docs")
    assert "docs/a\\nfailed: b\\u2028.md:1" in done.stdout


def test_a_reader_that_leaves_early_is_no_error(docs: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        f'"{sys.executable}" -m hierdoc search harbour --source docs | head -n 1',
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.stderr.count("Traceback") == 0


def heed_interrupts() -> None:
    """Undo what shells do to programs in the background: they ignore the signal, and whatever they start ignores it too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.alone
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_its_like_stop_cleanly_and_the_next_ingest_carries_on(
    run: Run, tmp_path: Path, sent: signal.Signals
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(300):
        (folder / f"{number}.md").write_text(f"# Act {number}\n\n" + "The duty to report. " * 600)
    (tmp_path / "hierdoc.yaml").write_text("source: docs\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "hierdoc", "ingest"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / ".hierdoc" / "index.db").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(sent)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert "carry on" in stderr
    assert run("ingest").returncode == 0
    assert run("search", "duty to report").returncode == 0


def test_json_escapes_what_steers_a_terminal(run: Run, docs: Path) -> None:
    (docs / "evil.md").write_text(
        "# Evil\n\nzebra \x9b31m \u202e backwards \x7f\n", encoding="utf-8"
    )
    done = run("search", "zebra", "--source", "docs", "--json")
    assert not set(done.stdout) & set("\x9b\u202e\x7f")
    assert "\x9b31m \u202e" in printed(done)["hits"][0]["content"]


def test_json_explains_too(run: Run, docs: Path) -> None:
    (hit,) = printed(
        run("search", "section 2", "--source", "docs", "--json", "--explain", "--top-k", "1")
    )["hits"]
    assert hit["certain"] is True
    assert hit["why"] == "section 2 begins here"


def test_explain_tells_how_the_legs_were_weighed(run: Run, docs: Path) -> None:
    arguments = ("search", "who reports to the zebra", "--source", "docs", "--explain")
    assert (
        "the best match of the keyword leg has 50% of the query's words" in run(*arguments).stdout
    )
    assert printed(run(*arguments, "--json"))["coverage"] == {"keyword": 0.5}
    assert "coverage" not in printed(run(*arguments[:-1], "--json"))


def test_a_store_in_memory_is_filled_by_each_command(run: Run, docs: Path, tmp_path: Path) -> None:
    (tmp_path / "hierdoc.yaml").write_text("source: docs\nvector: in-memory\nkeyword: in-memory\n")
    assert "Every master" in run("search", "who reports").stdout
    assert "Every master" in run("section", "Section 2").stdout
    assert "ships lie" in run("define", "Harbour").stdout


def test_a_long_passage_is_cut_off_unless_asked_for(run: Run, docs: Path) -> None:
    lines = "\n".join(f"- item {number} of the ledger" for number in range(40))
    (docs / "long.md").write_text(f"# Ledger\n\n{lines}\n", encoding="utf-8")
    arguments = ("search", "ledger", "--source", "docs", "--top-k", "1")
    assert "more lines; --full shows them" in run(*arguments).stdout
    assert "item 39" in run(*arguments, "--full").stdout


def test_section_lists_what_cites_it(run: Run, docs: Path) -> None:
    arguments = ("section", "Section 1", "--source", "docs")
    assert "cited by  docs/act.md:6-7" in run(*arguments).stdout
    found = printed(run(*arguments, "--json"))
    assert [one["section_id"] for one in found["cited_by"]] == ["sec_2"]


METADATA = "source: docs\nmetadata: {effective: date, tags: list}\n"


def test_search_selects_by_metadata_and_as_of_a_day(run: Run, docs: Path, tmp_path: Path) -> None:
    (tmp_path / "hierdoc.yaml").write_text(METADATA)
    (docs / "act.md.meta.yaml").write_text("effective: 2020-05-31\ntags: [ships, harbours]\n")
    (docs / "old.md").write_text("---\neffective: 2019\n---\n" + ACT)
    assert run("ingest").returncode == 0
    done = run("search", "who reports", "--where", "effective > 2019", "--where", "tags in (ships)")
    assert "effective 2020-05-31 · tags ships, harbours" in done.stdout
    assert "old.md" not in done.stdout
    done = run("search", "who reports", "--as-of", "2020-01-01", "--json")
    assert {hit["source"] for hit in printed(done)["hits"]} == {"docs/old.md"}
    done = run("search", "who reports", "--in", "old.md", "--where", "effective = 2020")
    assert "nothing found" in done.stdout


def test_filters_that_are_wrong_are_said_before_a_long_ingest(
    run: Run, docs: Path, tmp_path: Path
) -> None:
    (tmp_path / "hierdoc.yaml").write_text(METADATA)
    for wrong, said in (
        ("effective >", "there should be a value at character 12, the end"),
        ("efective > 2019", "Did you mean effective?"),
        ("effective > soon", "that is not a date such as 2020-05-31"),
        ("tags = ships", "which takes: contains, in"),
    ):
        assert said in complaint(run("search", "who", "--where", wrong), 2)
    assert "that is not a day" in complaint(run("search", "who", "--as-of", "2020"), 2)
    assert not (tmp_path / ".hierdoc").exists()


def test_an_ingest_takes_what_patterns_choose_and_removes_the_rest(
    run: Run, docs: Path, tmp_path: Path
) -> None:
    (docs / "draft.md").write_text("# Draft\n\nA text.\n")
    (tmp_path / "hierdoc.yaml").write_text("source: docs\n")
    assert printed(run("ingest", "--json"))["documents"]["added"] == 2
    told = printed(run("ingest", "--json", "--exclude", "draft*"))
    assert (told["documents"]["unchanged"], told["documents"]["removed"]) == (1, 1)
    assert any("left out 1 file or folder" in note for note in told["notes"])


def test_without_a_terminal_progress_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr(output.time, "monotonic", lambda: clock[0])
    with output.progress_bar() as advance:
        for second in range(3_600):
            clock[0] = float(second)
            advance(second, 3_600, f"docs/{second}.md")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "5 of 3,600 files read, the last one docs/5.md"
    assert 5 < len(lines) < 15
