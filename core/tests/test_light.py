"""Light to start: what an import brings with it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import hierdoc

HEAVY = {
    "numpy", "pydantic", "pluggy", "tantivy", "rich", "yaml", "Stemmer", "platformdirs", "asyncio", "sqlite3",
    "fastembed", "markitdown", "onnxruntime", "rank_bm25", "concurrent.futures",
}  # fmt: skip


def imported_by(code: str) -> set[str]:
    """Names of the modules that a fresh interpreter holds after running the code."""
    program = f"{code}\nimport sys; print('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["search", "--help"],
        ["plugins", "--help"],
        ["eval", "--help"],
        ["tune", "--help"],
    ],
)
def test_help_imports_next_to_nothing(arguments: list[str]) -> None:
    code = f"from hierdoc.cli import cli\ncli.main({arguments!r}, standalone_mode=False)"
    assert imported_by(code) & HEAVY == set()


def test_importing_hierdoc_imports_none_of_its_modules() -> None:
    ours = {name for name in imported_by("import hierdoc") if name.startswith("hierdoc")}
    assert ours == {"hierdoc"}


def test_importing_the_evaluation_imports_none_of_its_modules() -> None:
    loaded = imported_by("import hierdoc.evaluation")
    assert {name for name in loaded if name.startswith("hierdoc")} == {
        "hierdoc",
        "hierdoc.evaluation",
    }
    assert loaded & HEAVY == set()


def test_every_name_of_the_evaluation_can_be_had() -> None:
    from hierdoc import evaluation

    for name in evaluation.__all__:
        assert getattr(evaluation, name) is not None


def test_a_configuration_imports_no_engine() -> None:
    loaded = imported_by("import hierdoc; hierdoc.load_config({})")
    assert loaded & {"numpy", "tantivy", "Stemmer", "rich", "fastembed", "markitdown"} == set()


def test_every_public_name_can_be_had() -> None:
    for name in hierdoc.__all__:
        assert getattr(hierdoc, name) is not None


def test_what_type_checkers_see_is_what_there_is() -> None:
    import ast
    from pathlib import Path

    tree = ast.parse(Path(hierdoc.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.asname: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    assert seen == {name: f"hierdoc.{home}.{name}" for name, home in hierdoc._HOME_OF.items()}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = hierdoc.nothing
