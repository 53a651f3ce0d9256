"""The way from a configured source to files: what is found, how it is named, and what never stops the rest."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import ConversionError, SourceError
from hierdoc.ingest import sources as sources_module
from hierdoc.ingest.sources import SourceFile, discover, is_document, read

Tree = Callable[..., Path]

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Makes files, each with its own path as content, and gives the folder that holds them."""

    def make(*paths: str) -> Path:
        for path in paths:
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(path, encoding="utf-8")
        return tmp_path

    return make


def names(base: Path, *sources: str, suffixes: tuple[str, ...] = ()) -> list[str]:
    return [file.name for file in discover(sources, base, suffixes).files]


def test_a_file_is_named_relative_to_the_base(tree: Tree) -> None:
    base = tree("docs/act.md")
    assert names(base, "docs/act.md") == ["docs/act.md"]
    assert names(base / "docs", "act.md") == ["act.md"]


def test_a_file_outside_the_base_is_named_with_dots(tree: Tree) -> None:
    base = tree("project/a.md", "other/x.md")
    assert names(base / "project", "../other/x.md") == ["../other/x.md"]


def test_paths_that_differ_only_in_separators_do_not_collide(tree: Tree) -> None:
    base = tree("a/b.md", "a_b.md")
    assert names(base, ".") == ["a/b.md", "a_b.md"]


def test_a_folder_gives_its_documents_by_name(tree: Tree) -> None:
    base = tree("docs/z.md", "docs/a/b.txt", "docs/a.html")
    assert names(base, "docs") == ["docs/a.html", "docs/a/b.txt", "docs/z.md"]


def test_sources_keep_the_order_they_are_written_in(tree: Tree) -> None:
    base = tree("z/1.md", "a/2.md")
    assert names(base, "z", "a") == ["z/1.md", "a/2.md"]


def test_a_file_of_two_sources_is_taken_once(tree: Tree) -> None:
    base = tree("docs/a.md", "docs/sub/b.md")
    assert names(base, "docs", "docs/sub", "docs/a.md") == ["docs/a.md", "docs/sub/b.md"]


def test_hidden_entries_and_caches_are_left_out_of_folders(tree: Tree) -> None:
    base = tree("a.md", ".b.md", ".hierdoc/c.md", "node_modules/d.md", "x/__pycache__/e.md")
    assert names(base, ".") == ["a.md"]


def test_what_is_named_is_taken_whatever_its_name(tree: Tree) -> None:
    base = tree(".b.md", "picture.png", ".notes/c.md")
    assert names(base, ".b.md", "picture.png", ".notes") == [".b.md", "picture.png", ".notes/c.md"]


def test_no_documents_are_noted_in_one_line(tree: Tree) -> None:
    base = tree("a.md", "1.png", "2.png", "3.zip", "LICENSE")
    found = discover(["."], base)
    assert [file.name for file in found.files] == ["a.md"]
    assert found.notes == (".: skipped 4 files that are not documents (.png, .zip, no suffix)",)
    assert not found.failures


def test_documents_without_a_converter_are_not_skipped() -> None:
    assert all(is_document(f"a{suffix}") for suffix in (".pdf", ".DOCX", ".pptx", ".xlsx", ".odt"))
    assert not any(is_document(name) for name in ("a.png", "a.zip", "a.py", "uv.lock", "README"))


def test_what_the_converter_reads_is_a_document(tree: Tree) -> None:
    base = tree("a.md", "b.csv")
    assert names(base, ".") == ["a.md"]
    assert names(base, ".", suffixes=(".csv",)) == ["a.md", "b.csv"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("docs/*.md", ["docs/a.md", "docs/b[1].md"]),
        ("docs/**/*.md", ["docs/a.md", "docs/b[1].md", "docs/x/c.md", "docs/x/y/d.md"]),
        ("docs/**/y/*.md", ["docs/x/y/d.md"]),
        ("docs/?.md", ["docs/a.md"]),
        ("docs/[ab].md", ["docs/a.md"]),
        ("docs/b[1].md", ["docs/b[1].md"]),
        ("*/x", ["docs/x/c.md", "docs/x/y/d.md"]),
        ("docs/x/**", ["docs/x/c.md", "docs/x/y/d.md"]),
        ("docs/.h*", ["docs/.hidden.md"]),
    ],
)
def test_a_glob_stands_for_the_files_and_folders_that_it_matches(
    tree: Tree, pattern: str, expected: list[str]
) -> None:
    base = tree("docs/a.md", "docs/b[1].md", "docs/x/c.md", "docs/x/y/d.md", "docs/.hidden.md")
    assert names(base, pattern) == expected


def test_a_glob_below_a_folder_with_brackets_in_its_name(tree: Tree) -> None:
    base = tree("draft [2]/docs/a.md") / "draft [2]"
    assert names(base, "docs/*.md") == ["docs/a.md"]


def test_a_glob_that_matches_other_files_too_notes_them(tree: Tree) -> None:
    found = discover(["*"], tree("a.md", "b.png"))
    assert [file.name for file in found.files] == ["a.md"]
    assert found.notes == ("*: skipped 1 file that is not a document (.png)",)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("missing.md", "the source does not exist: missing.md"),
        ("missing/*/x.md", "nothing matches the source: missing"),
        ("*.pdf", "nothing matches the source"),
        ("empty", "the source holds no document: empty"),
        ("pictures", r"holds no document: pictures \(skipped 1 file that is not a document"),
    ],
)
def test_a_source_without_documents_is_an_error_that_names_it(
    tree: Tree, source: str, message: str
) -> None:
    base = tree("a.md", "pictures/a.png")
    (base / "empty").mkdir()
    with pytest.raises(SourceError, match=message) as raised:
        discover(["a.md", source], base)
    assert raised.value.hint


def test_no_source_at_all_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no source is configured"):
        discover([], tmp_path)


@posix_only
class TestLinks:
    def test_a_link_out_of_the_source_is_noted_and_not_followed(self, tree: Tree) -> None:
        base = tree("docs/a.md", "secret/s.md")
        (base / "docs/file.md").symlink_to(base / "secret/s.md")
        (base / "docs/folder").symlink_to(base / "secret")
        found = discover(["docs"], base)
        assert [file.name for file in found.files] == ["docs/a.md"]
        assert [note.split(", to")[0] for note in found.notes] == [
            "docs/file.md: is a link that leads out of the source",
            "docs/folder: is a link that leads out of the source",
        ]

    def test_a_glob_does_not_lead_out_either(self, tree: Tree) -> None:
        base = tree("docs/a/1.md", "secret/s.md")
        (base / "docs/b").symlink_to(base / "secret")
        assert names(base, "docs/*/*.md") == ["docs/a/1.md"]

    def test_a_file_reached_through_links_is_taken_once_by_its_own_name(self, tree: Tree) -> None:
        base = tree("docs/z/real.md")
        (base / "docs/a.md").symlink_to("z/real.md")
        (base / "docs/b").symlink_to("z")
        assert names(base, "docs") == ["docs/z/real.md"]

    def test_a_link_to_what_is_left_out_otherwise_is_followed(self, tree: Tree) -> None:
        base = tree("docs/.versions/3/a.md")
        (base / "docs/current").symlink_to(".versions/3")
        assert names(base, "docs") == ["docs/current/a.md"]

    def test_loops_end(self, tree: Tree) -> None:
        base = tree("docs/a.md", "docs/sub/b.md")
        (base / "docs/sub/up").symlink_to("..")
        (base / "docs/self").symlink_to("self")
        assert names(base, "docs") == ["docs/a.md", "docs/sub/b.md"]
        assert names(base, "docs/**/*.md") == ["docs/a.md", "docs/sub/b.md"]

    def test_a_link_that_leads_nowhere_is_noted(self, tree: Tree) -> None:
        base = tree("docs/a.md")
        (base / "docs/gone.md").symlink_to("nothing.md")
        assert discover(["docs"], base).notes == (
            "docs/gone.md: is a link that leads nowhere, skipped",
        )

    def test_a_link_that_is_named_may_lead_anywhere(self, tree: Tree) -> None:
        base = tree("project/a.md", "elsewhere/b.md")
        (base / "project/linked").symlink_to(base / "elsewhere")
        assert names(base / "project", "linked") == ["linked/b.md"]

    def test_names_do_not_depend_on_links_above_the_base(self, tree: Tree) -> None:
        base = tree("real/docs/a.md")
        (base / "link").symlink_to("real")
        assert names(base / "real", str(base / "link/docs")) == ["docs/a.md"]


@posix_only
class TestWhatIsNoFile:
    def test_pipes_and_sockets_in_a_folder_are_noted_and_never_opened(self, tree: Tree) -> None:
        base = tree("docs/a.md")
        os.mkfifo(base / "docs/pipe.md")
        with (
            tempfile.TemporaryDirectory() as short,
            socket.socket(socket.AF_UNIX) as server,
        ):
            server.bind(f"{short}/s.md")
            os.rename(f"{short}/s.md", base / "docs/socket.md")
            found = discover(["docs"], base)
        assert [file.name for file in found.files] == ["docs/a.md"]
        assert found.notes == (
            "docs/pipe.md: is not a regular file, skipped",
            "docs/socket.md: is not a regular file, skipped",
        )

    def test_a_pipe_that_is_named_is_an_error(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.md")
        with pytest.raises(SourceError, match="neither a file nor a folder"):
            discover(["pipe.md"], tmp_path)

    def test_a_file_that_became_a_pipe_is_not_waited_for(self, tree: Tree) -> None:
        base = tree("a.md")
        (file,) = discover(["a.md"], base).files
        (base / "a.md").unlink()
        os.mkfifo(base / "a.md")
        with pytest.raises(SourceError, match="not a regular file"):
            read(file)


@posix_only
class TestNames:
    def test_bytes_that_are_no_utf8_are_written_out(self, tmp_path: Path) -> None:
        file = os.fsencode(tmp_path) + b"/caf\xe9.md"
        try:
            os.close(os.open(file, os.O_CREAT | os.O_WRONLY))
        except OSError:
            pytest.skip("this file system takes UTF-8 names only")
        (found,) = discover(["."], tmp_path).files
        assert found.name == r"caf\xe9.md"
        assert read(found).data == b""

    def test_two_files_of_one_name_are_not_mixed_up(self, tmp_path: Path) -> None:
        (tmp_path / r"caf\xe9.md").write_text("a")
        try:
            Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md")).write_text("b")
        except OSError:
            pytest.skip("this file system takes UTF-8 names only")
        found = discover(["."], tmp_path)
        assert [file.name for file in found.files] == [r"caf\xe9.md"]
        assert [failure.error for failure in found.failures] == [
            "another file has this name; rename one"
        ]


def test_a_folder_that_cannot_be_read_is_a_failure_and_the_rest_is_found(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tree("docs/a.md", "docs/closed/b.md")
    list_folder = os.listdir

    def refuse(folder: str) -> list[str]:
        if str(folder).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return list_folder(folder)

    monkeypatch.setattr(os, "listdir", refuse)
    found = discover(["docs"], base)
    assert [file.name for file in found.files] == ["docs/a.md"]
    assert [(failure.source, failure.error) for failure in found.failures] == [
        ("docs/closed", "cannot be read: Permission denied")
    ]


def test_reading_gives_name_and_bytes(tree: Tree) -> None:
    base = tree("docs/a.md")
    (file,) = discover(["docs"], base).files
    source = read(file)
    assert (source.name, source.data, source.path) == (
        "docs/a.md",
        b"docs/a.md",
        base / "docs/a.md",
    )


def test_a_file_that_vanished_is_an_error_that_names_it(tree: Tree) -> None:
    base = tree("a.md")
    (file,) = discover(["a.md"], base).files
    (base / "a.md").unlink()
    with pytest.raises(SourceError, match=r"a\.md: cannot be read: No such file"):
        read(file)


@posix_only
def test_a_file_that_became_a_link_out_of_the_source_is_not_read(tree: Tree) -> None:
    base = tree("docs/a.md", "secret.md")
    (file,) = discover(["docs"], base).files
    (base / "docs/a.md").unlink()
    (base / "docs/a.md").symlink_to(base / "secret.md")
    with pytest.raises(SourceError, match=r"docs/a\.md: leads out of its source"):
        read(file)


def test_a_file_over_the_limit_is_refused(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    base = tree("docs/a.md")
    monkeypatch.setattr(sources_module, "MAX_BYTES", 4)
    with pytest.raises(ConversionError, match=r"docs/a\.md: is too large"):
        read(SourceFile("docs/a.md", base / "docs/a.md", base))


@given(st.lists(st.sampled_from("ab_"), min_size=1, max_size=4))
def test_any_pattern_ends_and_gives_each_file_once(parts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        for name in ("a/a/b.md", "a_b.md", "b/a_b.md", "_.md"):
            (base / name).parent.mkdir(parents=True, exist_ok=True)
            (base / name).touch()
        pattern = "/**/".join(f"*{part}*" for part in parts)
        try:
            found = names(base, pattern, "**/*.md")
        except SourceError:
            found = names(base, "**/*.md")
        assert sorted(found) == ["_.md", "a/a/b.md", "a_b.md", "b/a_b.md"]


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        ({"exclude": ["drafts/"]}, ["docs/a.md", "docs/b.txt"]),
        ({"exclude": ["*.md"]}, ["docs/b.txt"]),
        ({"exclude": ["*.md", "!a.md"]}, ["docs/a.md", "docs/b.txt"]),
        ({"exclude": ["/a.md"]}, ["docs/a.md", "docs/b.txt", "docs/drafts/c.md"]),
        ({"exclude": ["/docs/a.md"]}, ["docs/b.txt", "docs/drafts/c.md"]),
        ({"include": ["*.md"]}, ["docs/a.md", "docs/drafts/c.md"]),
        ({"include": ["drafts/"]}, ["docs/drafts/c.md"]),
        ({"include": ["*.md"], "exclude": ["drafts/"]}, ["docs/a.md"]),
    ],
)
def test_patterns_choose_by_the_names_of_documents(
    tmp_path: Path, patterns: dict[str, list[str]], names: list[str]
) -> None:
    for name in ("a.md", "b.txt", "drafts/c.md"):
        file = tmp_path / "docs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("text")
    found = discover(["docs"], tmp_path, **patterns)  # type: ignore[arg-type]
    assert [file.name for file in found.files] == names
    assert any("by `include` and `exclude`" in note for note in found.notes) == (len(names) < 3)


def test_patterns_that_leave_nothing_are_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("text")
    with pytest.raises(SourceError, match="left out 1 file or folder by `include` and `exclude`"):
        discover(["a.md"], tmp_path, exclude=["*"])
