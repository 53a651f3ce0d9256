"""What tests of all distributions share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real documents beside the checkout; tests that need them skip where they are missing."""
    folder = Path(os.environ.get("HIERDOC_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no shared data: set HIERDOC_SHARED_DATA to a folder with real documents")
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep indexes and configurations of the user out of the tests, and theirs out of the user's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg-cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg-config"))
    monkeypatch.delenv("HIERDOC_CONFIG", raising=False)
    monkeypatch.delenv("HIERDOC_PLUGINS", raising=False)
