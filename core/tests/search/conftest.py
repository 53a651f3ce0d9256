"""What tests of searches share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack

import pytest

from hierdoc import Index


@pytest.fixture(scope="module")
def indexed(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[Mapping[str, str]], Index]]:
    """Indexes texts, given by the names of their files, in memory."""
    with ExitStack() as opened:

        def index(texts: Mapping[str, str]) -> Index:
            folder = tmp_path_factory.mktemp("texts")
            for name, text in texts.items():
                (folder / name).write_text(text, encoding="utf-8")
            stores = {"vector": "in-memory", "keyword": "in-memory"}
            one = opened.enter_context(Index.open({"source": str(folder), **stores}))
            one.ingest()
            return one

        yield index
