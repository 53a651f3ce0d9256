"""What the tests of core share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real documents; HIERDOC_SHARED_DATA overrides where it is."""
    configured = os.environ.get("HIERDOC_SHARED_DATA")
    folder = Path(configured) if configured else _REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}: set HIERDOC_SHARED_DATA")
    return folder
