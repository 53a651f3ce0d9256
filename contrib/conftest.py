"""What tests of adapters share: a small corpus, an index over it, and the examples of the page about frameworks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hierdoc import Index, load_config

PAGE = Path(__file__).parents[1] / "docs" / "frameworks.md"

ACT = """# Harbour Act

## Section 1 Definitions

“Master” means the person who has command of a ship.

## Section 2 Reports

Every master shall report to the harbour office. Section 3 says what a late report costs.

## Section 3 Fees

The fee for a berth is 23.2 crowns a day.

## Section 4 Quays

A quay is swept every morning before ships come in.
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder with `docs/act.md`."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "act.md").write_text(ACT, "utf-8")
    return tmp_path


@pytest.fixture
def acts(corpus: Path) -> Iterator[Index]:
    """An index over it, in memory."""
    stores = {"vector": "in-memory", "keyword": "in-memory"}
    config = load_config({"source": "docs", **stores}, base=corpus)
    with Index.open(config) as index:
        index.ingest()
        yield index


@pytest.fixture
def run_example(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], dict[str, object]]:
    """Runs the Python under a heading of the page, in the folder of the corpus; gives the names that it leaves."""

    def run(heading: str) -> dict[str, object]:
        monkeypatch.chdir(corpus)
        parts = re.split(r"^## (.+)$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
        body = dict(zip(parts[1::2], parts[2::2], strict=True))[heading]
        names: dict[str, object] = {"__name__": "example"}
        blocks = re.findall(r"^```python\n(.*?)^```", body, flags=re.MULTILINE | re.DOTALL)
        assert blocks
        for block in blocks:
            exec(compile(block, f"{PAGE.name}: {heading}", "exec", dont_inherit=True), names)  # noqa: S102
        return names

    return run
