"""What sealed files may not be when they are opened again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hierdoc import IndexDamagedError
from hierdoc.plugin import seal, unseal

BLOCK = 1 << 16


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file in another folder, and a longer one that is all but empty."""
    folder = tmp_path / "files"
    (folder / "deeper").mkdir(parents=True)
    (folder / "deeper" / "short").write_bytes(b"berths and buoys")
    with (folder / "long").open("wb") as file:
        file.seek(3 * BLOCK)
        file.write(b"end")
    return folder


def flip(folder: Path) -> None:
    (folder / "deeper" / "short").write_bytes(b"berths and buoyt")


def move(folder: Path) -> None:
    with (folder / "long").open("r+b") as file:
        file.write(bytes(BLOCK) + b"end".ljust(BLOCK, b"\0") + bytes(BLOCK + 3))


def lengthen(folder: Path) -> None:
    os.truncate(folder / "long", 4 * BLOCK)


def remove(folder: Path) -> None:
    (folder / "long").unlink()


def add(folder: Path) -> None:
    (folder / "more").touch()


@pytest.mark.parametrize("spoil", [flip, move, lengthen, remove, add])
def test_what_was_altered_is_damage_however_often_it_is_opened(
    folder: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    seal(folder, tmp_path / "sealed")
    spoil(folder)
    for _ in range(2):
        with pytest.raises(IndexDamagedError, match="is not what was written") as caught:
            unseal(folder, tmp_path / "sealed")
        assert "--force" in str(caught.value.hint)


def test_what_was_sealed_may_change_once_it_is_open(folder: Path, tmp_path: Path) -> None:
    seal(folder, tmp_path / "sealed")
    unseal(folder, tmp_path / "sealed")
    flip(folder)
    unseal(folder, tmp_path / "sealed")
    seal(folder, tmp_path / "sealed")
    unseal(folder, tmp_path / "sealed")


def test_a_hole_is_as_good_as_zeros(folder: Path, tmp_path: Path) -> None:
    seal(folder, tmp_path / "sealed")
    data = (folder / "long").read_bytes()
    (folder / "long").write_bytes(data)
    unseal(folder, tmp_path / "sealed")


def test_a_damaged_seal_is_damage(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "sealed").write_text("{")
    with pytest.raises(IndexDamagedError):
        unseal(folder, tmp_path / "sealed")
