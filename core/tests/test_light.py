"""Light to start: what an import brings with it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import hierdoc
import hierdoc.plugin
import hierdoc.structure

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
    ],
)
def test_help_imports_next_to_nothing(arguments: list[str]) -> None:
    code = f"from hierdoc.cli import cli\ncli.main({arguments!r}, standalone_mode=False)"
    assert imported_by(code) & HEAVY == set()


def test_importing_hierdoc_imports_none_of_its_modules() -> None:
    ours = {name for name in imported_by("import hierdoc") if name.startswith("hierdoc")}
    assert ours == {"hierdoc"}


def test_a_configuration_imports_no_engine() -> None:
    loaded = imported_by("import hierdoc; hierdoc.load_config({})")
    assert loaded & {"numpy", "tantivy", "Stemmer", "rich", "fastembed", "markitdown"} == set()


def test_what_searches_needs_no_structure() -> None:
    loaded = imported_by("from hierdoc import Index; Index.open({'source': 'docs'})")
    assert "hierdoc.search.pipeline" in loaded
    light = {"hierdoc.structure.names", "hierdoc.structure.place"}
    assert {name for name in loaded if name.startswith("hierdoc.structure.")} <= light


def test_every_public_name_can_be_had() -> None:
    for module in (hierdoc, hierdoc.plugin, hierdoc.structure):
        for name in module.__all__:
            assert getattr(module, name) is not None


@pytest.mark.parametrize("module", [hierdoc, hierdoc.plugin])
def test_what_type_checkers_see_is_what_there_is(module: ModuleType) -> None:
    tree = ast.parse(Path(module.__file__ or "").with_suffix(".pyi").read_text(encoding="utf-8"))
    named = [node for node in tree.body if isinstance(node, ast.Assign)]
    assert sorted(ast.literal_eval(named[0].value)) == sorted(module.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = hierdoc.nothing
