"""Light to start: what importing the evaluation, and asking for its help, brings with it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import hierdoc_evaluation

HEAVY = {"numpy", "tantivy", "rich", "Stemmer", "sqlite3", "optuna"}


def imported_by(code: str) -> set[str]:
    """Names of the modules that a fresh interpreter holds after running the code."""
    program = f"{code}\nimport sys; print('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


def test_importing_the_evaluation_imports_none_of_its_modules() -> None:
    loaded = imported_by("import hierdoc_evaluation")
    assert {name for name in loaded if name.startswith("hierdoc_")} == {"hierdoc_evaluation"}
    assert loaded & HEAVY == set()


@pytest.mark.parametrize("command", ["eval", "tune"])
def test_help_imports_no_engine(command: str) -> None:
    code = f"from hierdoc.cli import cli\ncli.main(['{command}', '--help'], standalone_mode=False)"
    assert imported_by(code) & HEAVY == set()


def test_every_name_of_the_evaluation_can_be_had() -> None:
    for name in hierdoc_evaluation.__all__:
        assert getattr(hierdoc_evaluation, name) is not None
