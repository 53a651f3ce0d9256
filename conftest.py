"""What tests of all distributions share."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent


_TEN_THOUSAND = ("ten_thousand", "scan_gives", "never_blocked")
"""What the kit's tests are called that write ten thousand records."""

_PROCESSES = ("second_process", "that_is_killed", "very_long_texts")
"""What the kit's tests are called that open a component in processes of their own, or have a model read for seconds."""

_BY_DAY = ("", "in-memory", "testing")
"""Plugins whose tests that measure time are not left to the night; those outside plugins are not either."""

_MUTANTS, _EVERY = ("test_the_kit_fails_it",), 4
"""What the tests are called that show mutants to the kit, and which of them are not left to the night."""

_TIMED = ("never_blocked", "event_loop")
"""What tests are called that measure time: another test beside them would spoil it."""

_ONE_LOOK = ("module_is_light", "missing_sdk")
"""What the kit's tests of a plugin are called that share what one fresh interpreter tells: they run in one process."""

_SHARING = ("chromadb", "lancedb", "milvus", "postgres", "redis", "weaviate")
"""Plugins whose tests share a server, or whose library takes seconds to import: all run in one process."""


def pytest_configure(config: pytest.Config) -> None:
    """Laws are tried on few examples, or, with `--hypothesis-profile=nightly`, on many."""
    with contextlib.suppress(ImportError):  # the conformance tests of a plugin do without
        from hypothesis import settings

        settings.register_profile("nightly", max_examples=1000, deadline=None)
        settings.register_profile("quick", max_examples=50, deadline=None)
        if config.getoption("--hypothesis-profile", None) is None:
            settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where only tests that run alone are wanted, pass over what has none: to import all others takes as long as to run these."""
    if (
        not config.getoption("markexpr", "").startswith("alone")
        or ROOT not in collection_path.parents
    ):
        return None
    folder, *names = collection_path.relative_to(ROOT).parts
    plugin = names[0] if folder == "plugins" and names else ""
    by_night = "not nightly" in config.getoption("markexpr")
    if collection_path.is_file():
        files = [collection_path] if collection_path.suffix == ".py" else []
    elif plugin and len(names) == 1:
        files = [*collection_path.glob("tests/**/*.py")]
    else:
        return None
    # Those of a plugin that it has from the kit are left to the night.
    signs = (
        ["mark.alone"]
        if by_night and plugin not in _BY_DAY
        else ["alone", "hierdoc_testing", *_TIMED]
    )
    return not any(sign in file.read_text("utf-8") for file in files for sign in signs) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what takes minutes, what measures time, and what shares a server."""
    mutants = [item for item in items if _has(item, _MUTANTS)]
    for item in {*mutants}.difference(mutants[::_EVERY]):
        item.add_marker(pytest.mark.nightly)
    for item in items:
        folder, name, *_ = item.path.relative_to(ROOT).parts
        plugin = name if folder == "plugins" else ""
        fixtures = getattr(item, "fixturenames", ())
        if plugin not in ("", "testing"):
            stores = "open_backend" in fixtures and _has(item, _TEN_THOUSAND)
            timed = plugin != "in-memory" and _has(item, _TIMED)
            if stores or timed or _has(item, _PROCESSES):
                item.add_marker(pytest.mark.nightly)
        if _has(item, _TIMED):
            item.add_marker(pytest.mark.alone)
        if plugin in _SHARING:
            item.add_marker(pytest.mark.xdist_group(plugin))
        elif _has(item, _ONE_LOOK):
            item.add_marker(pytest.mark.xdist_group(f"{folder}/{name}: a look"))


def pytest_collection_finish() -> None:
    """Spare the garbage collector the thousands of tests: some call it, and it would look at all of them each time."""
    gc.collect()
    gc.freeze()


def _has(item: pytest.Item, words: tuple[str, ...]) -> bool:
    return any(word in item.name for word in words)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real documents beside the checkout; tests that need them skip where they are missing."""
    folder = Path(os.environ.get("HIERDOC_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no shared data: set HIERDOC_SHARED_DATA to a folder with real documents")
    return folder


@pytest.fixture
def count_faults(record_property: Callable[[str, object], None]) -> Callable[[str, int, int], None]:
    """Takes what was tried for the table that `nox -s faults` ends with: the fault, how often, and how many times it failed."""
    return lambda fault, tried, failed: record_property("faults", [fault, tried, failed])


@pytest.fixture
def tell_moved(record_property: Callable[[str, object], None]) -> Callable[..., None]:
    """Takes a row of the table of `tests/test_moving.py`: a store, and shares by their names."""
    return lambda store, **shares: record_property("moved", (store, shares))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show the faults that were tried in the tests, and what became of a configuration in other stores."""
    counts: dict[str, list[int]] = {}
    for fault, tried, failed in _told(terminalreporter, "faults"):
        before = counts.get(fault, [0, 0])
        counts[fault] = [before[0] + tried, before[1] + failed]
    if counts:
        terminalreporter.section("faults")
        width = max(map(len, counts))
        terminalreporter.line(f"{'fault':{width}}  tried  failed")
        for fault, (tried, failed) in sorted(counts.items()):
            terminalreporter.line(f"{fault:{width}}  {tried:5,}  {failed:6,}")
    rows = _told(terminalreporter, "moved")
    if rows:
        terminalreporter.section("moved to another store")
        terminalreporter.line("  ".join([f"{'store':12}", *rows[0][1]]))
        for store, shares in rows:
            cells = [f"{share:{len(name)}.1%}" for name, share in shares.items()]
            terminalreporter.line("  ".join([f"{store:12}", *cells]))


def _told(terminalreporter: pytest.TerminalReporter, name: str) -> list[Any]:
    """What tests have recorded under a name."""
    return [
        value
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        if getattr(report, "when", "") == "call"
        for named, value in getattr(report, "user_properties", ())
        if named == name
    ]


@pytest.fixture(scope="session")
def wire() -> ModuleType:
    """The module `tests/wire.py`: a proxy that fails as it is told, and what stores must make of it."""
    return _module("wire")


@pytest.fixture(scope="session")
def servers() -> ModuleType:
    """The module `tests/servers.py`, which starts servers that plugins describe."""
    return _module("servers")


@pytest.fixture(scope="session")
def harbour() -> ModuleType:
    """A small corpus and servers over it; see `tests/harbour.py`."""
    return _module("harbour")


@pytest.fixture(scope="session")
def browsers() -> ModuleType:
    """The module `tests/browsers.py`: a real Chromium."""
    return _module("browsers")


@pytest.fixture
def start_server(servers: ModuleType, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Start a server for this test alone, by the plugin that describes it; further variables of its environment by name.

    It gives a `Server` of `tests/servers.py`, ended after the test. The test is skipped where no such server is to be had.
    """
    started: list[Any] = []

    def start(plugin: str, **environment: str) -> Any:
        folder = tmp_path / f"server-{len(started)}"
        server = servers.Server(plugin, folder, **environment)
        started.append(server)
        try:
            server.start()
        except servers.UnavailableError as error:
            pytest.skip(f"no {plugin}: {error}")
        return server

    yield start
    for server in started:
        server.stop()


def _module(name: str) -> ModuleType:
    spec = spec_from_file_location(name, ROOT / "tests" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep indexes and configurations of the user out of the tests, and theirs out of the user's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg-cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg-config"))
    monkeypatch.delenv("HIERDOC_CONFIG", raising=False)
    monkeypatch.delenv("HIERDOC_PLUGINS", raising=False)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run `hierdoc` in the test's folder, in this process; further variables of the environment by name."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        from hierdoc.cli import main
        from hierdoc.plugin import default_registry

        printed = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
        with monkeypatch.context() as patch:
            patch.chdir(tmp_path)
            patch.setattr(sys, "argv", ["hierdoc", *arguments])
            patch.setattr(sys, "stdout", printed[0])
            patch.setattr(sys, "stderr", printed[1])
            for name, value in environment.items():
                patch.setenv(name, value)
                default_registry.cache_clear()  # the variable may say which plugins there are
            with pytest.raises(SystemExit) as ended:
                main()
        if environment:
            default_registry.cache_clear()
        stdout, stderr = (_written(stream) for stream in printed)
        return subprocess.CompletedProcess(arguments, int(ended.value.code or 0), stdout, stderr)

    return run


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what asks a service try again at once."""
    monkeypatch.setattr("hierdoc_remote.patience._FIRST_PAUSE", 0.001)


@pytest.fixture
def chat_server() -> Iterator[Any]:
    """A server on this machine that answers as OpenAI's API for chats does."""
    from hierdoc_remote.loopback import chat, serving

    with serving(chat) as loopback:
        yield loopback


@pytest.fixture
def check_pipeline(shared_data: Path, tmp_path: Path) -> Callable[[Mapping[str, Any]], None]:
    """Takes backends through the whole way: a dozen documents in, found in every mode, changed, removed, opened again.

    What it is given is the part of a configuration that names the backends, which must be persistent.
    """
    chosen = sorted((shared_data / "technical" / "eips").glob("*.md"))[:12]
    if len(chosen) < 12:
        pytest.skip("the shared data has no dozen EIPs")
    folder = tmp_path / "eips"
    folder.mkdir()
    for file in chosen:
        shutil.copy(file, folder)
    changed = folder / chosen[0].name
    return lambda backends: asyncio.run(_live(changed, {"source": str(folder), **backends}))


async def _live(changed: Path, config: dict[str, Any]) -> None:
    from hierdoc import AsyncIndex
    from hierdoc.filters import Equals

    async with AsyncIndex.open(config) as index:
        report = await index.ingest()
        assert report.counts["added"] == 12, report.failures
        assert not report.failures
        names = sorted(await index.documents())
        modes = ["hybrid", "semantic", "exact", *(["keyword"] if config.get("keyword") else [])]
        for mode in modes:
            result = await index.search("Rationale", mode=mode)
            assert result.hits, mode
            assert not [one for one in result.degraded if one.leg != "keyword"], result.degraded
        (name,) = (one for one in names if one.endswith(changed.name))
        result = await index.search("the rationale of gas costs", filter=Equals("source", name))
        assert {hit.chunk.source for hit in result.hits} == {name}
        before = await index.count()
        changed.write_text("# Zanzibar\n\nThe harbour of Zanzibar has berths for dhows.\n")
        report = await index.ingest()
        assert (report.counts["updated"], report.counts["unchanged"]) == (1, 11)
        assert await index.count() < before
        assert (await index.search("berths for dhows in Zanzibar")).hits[0].chunk.source == name
    async with AsyncIndex.open(config) as index:
        report = await index.ingest()
        assert report.counts["unchanged"] == 12
        for mode in modes:
            result = await index.search("Zanzibar", mode=mode)
            assert result.hits[0].chunk.source == name, mode
        if config.get("keyword"):
            phrase = await index.search('"berths for dhows"')
            assert phrase.hits[0].certain or phrase.degraded
        changed.unlink()
        report = await index.ingest()
        assert report.removed == [name]
        assert name not in await index.documents()
        result = await index.search("Zanzibar", top_k=50)
        assert name not in {hit.chunk.source for hit in result.hits}


_ACT = """# Harbour Act

## Section 1 Definitions

“Master” means the person who has command of a ship.

## Section 2 Reports

Every master shall report to the harbour office. Section 3 says what a late report costs.

## Section 3 Fees

The fee for a berth is 23.2 crowns a day.

## Section 4 Quays

A quay is swept every morning before ships come in.
"""

_FRAMEWORKS = ROOT / "docs" / "frameworks.md"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder with `docs/act.md`."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "act.md").write_text(_ACT, "utf-8")
    return tmp_path


@pytest.fixture
def acts(corpus: Path) -> Iterator[Any]:
    """An index over it, in memory."""
    from hierdoc import Index, load_config

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
        parts = re.split(r"^## (.+)$", _FRAMEWORKS.read_text("utf-8"), flags=re.MULTILINE)
        body = dict(zip(parts[1::2], parts[2::2], strict=True))[heading]
        names: dict[str, object] = {"__name__": "example"}
        blocks = re.findall(r"^```python\n(.*?)^```", body, flags=re.MULTILINE | re.DOTALL)
        assert blocks
        for block in blocks:
            exec(compile(block, f"{_FRAMEWORKS.name}: {heading}", "exec", dont_inherit=True), names)  # noqa: S102
        return names

    return run
