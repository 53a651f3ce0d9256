"""A real Chromium for tests and for the pictures in the documentation."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

QUIET = (
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
"""It is to reach for nothing but the server under test."""


class MissingError(Exception):
    """There is no browser to be had here; says what is missing."""


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless Chromium, as Playwright gives it: the one that `HIERDOC_CHROMIUM` names, the system's, or Playwright's own.

    Raises:
        MissingError: There is none.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise MissingError("Playwright is not installed: uv sync --group browser") from None
    with sync_playwright() as playwright:
        kind = playwright.chromium
        known = (
            os.environ.get("HIERDOC_CHROMIUM"),
            *map(shutil.which, NAMES),
            kind.executable_path,
        )
        found = next((one for one in known if one and Path(one).exists()), None)
        if found is None:
            raise MissingError(
                "no Chromium here: install one, or name it in HIERDOC_CHROMIUM (on Debian: apt-get install chromium)"
            )
        # As root, as in containers, Chromium has no sandbox to offer.
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        options = [*QUIET, "--no-sandbox"] if root else [*QUIET]
        try:
            browser = kind.launch(executable_path=found, args=options)
        except Error as error:
            raise MissingError(f"{found} does not start: {str(error).splitlines()[0]}") from None
        try:
            yield browser
        finally:
            browser.close()
