"""Conversions in processes of their own: limits, reuse, and files that do their worst."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import pytest

from hierdoc import ConversionError, Document, Index, Source
from hierdoc.config.models import json_schema
from hierdoc.plugin import (
    ConversionLimits,
    ConversionPool,
    Operational,
    Provider,
    ProviderConfig,
    Registry,
    hookimpl,
)

T = TypeVar("T")

CONVERSION = """
import logging, os, time
from pathlib import Path
from hierdoc import ConversionError, Document

def convert(source):
    words = source.data.decode().split()
    match words[0]:
        case "sleep":
            for mark in words[1:]:
                Path(mark).touch()
            time.sleep(60)
        case "grow":
            bytearray(4 << 30)
        case "die":
            os._exit(3)
        case "print":
            print("no reply", flush=True)
            os.write(1, b"no reply")
        case "warn":
            logging.getLogger("hierdoc").warning("%s is odd", source.name)
        case "refuse":
            raise ConversionError(f"{source.name}: is refused", hint="Do not.")
        case "break":
            raise ValueError("broken")
        case "meet":  # another process, or wait in vain
            mark = Path(words[1])
            mark.mkdir(exist_ok=True)
            (mark / str(os.getpid())).touch()
            while len(list(mark.iterdir())) < 2:
                time.sleep(0.02)
        case "repeat":
            return Document(source.name, "A", "a" * int(words[1]))
    return Document(source.name, "A", str(os.getpid()))
"""


@pytest.fixture(autouse=True)
def conversions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "odd_conversions.py").write_text(CONVERSION)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("odd_conversions", None)


def using(
    work: Callable[[Callable[[str], Awaitable[Document]]], Awaitable[T]],
    *,
    seconds: float = 30,
    memory_mib: int = 2048,
    characters: int = 1000,
    processes: int = 1,
) -> T:
    from odd_conversions import convert

    limits = ConversionLimits(
        seconds=seconds, memory_mib=memory_mib, characters=characters, processes=processes
    )

    async def run() -> T:
        pool = ConversionPool(convert, limits)
        try:
            return await work(lambda text: pool.convert(Source("docs/a.x", text.encode())))
        finally:
            await pool.aclose()

    return asyncio.run(run())


def failing(text: str, **limits: float) -> ConversionError:
    """The error of a file; the next one is converted all the same."""

    async def work(convert: Callable[[str], Awaitable[Document]]) -> ConversionError:
        with pytest.raises(ConversionError) as raised:
            await convert(text)
        assert int((await convert("fine")).text) != os.getpid()
        return raised.value

    return using(work, **limits)  # type: ignore[arg-type]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_process_converts_one_file_after_the_other() -> None:
    async def work(convert: Callable[[str], Awaitable[Document]]) -> set[int]:
        return {int((await convert("fine")).text) for _ in range(3)}

    (pid,) = using(work)
    assert pid != os.getpid()


def test_as_many_processes_as_configured_work_at_once() -> None:
    async def work(convert: Callable[[str], Awaitable[Document]]) -> set[int]:
        found = await asyncio.gather(*(convert("fine") for _ in range(8)))
        return {int(document.text) for document in found}

    assert len(using(work, processes=2)) == 2


def test_without_processes_files_are_converted_here() -> None:
    async def work(convert: Callable[[str], Awaitable[Document]]) -> int:
        return int((await convert("fine")).text)

    assert using(work, processes=0) == os.getpid()


def test_a_file_that_takes_too_long_fails() -> None:
    error = failing("sleep", seconds=2)
    assert str(error) == "docs/a.x: takes longer to convert than the limit, 2 seconds"
    assert "limits.seconds" in str(error.hint)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is not limited")
def test_a_file_that_takes_too_much_memory_fails() -> None:
    error = failing("grow")
    assert str(error) == "docs/a.x: takes more memory to convert than the limit, 2,048 MiB"
    assert "limits.memory_mib" in str(error.hint)


@pytest.mark.parametrize("processes", [0, 1])
def test_a_file_of_too_much_text_fails(processes: int) -> None:
    async def work(convert: Callable[[str], Awaitable[Document]]) -> int:
        with pytest.raises(ConversionError, match="holds 1,001 characters of text, the limit is"):
            await convert("repeat 1001")
        return len((await convert("repeat 1000")).text)

    assert using(work, processes=processes) == 1000


def test_a_file_that_ends_its_process_fails() -> None:
    assert "docs/a.x: ended the process that converted it, by status 3" in str(failing("die"))


def test_errors_arrive_with_their_hints() -> None:
    error = failing("refuse")
    assert (str(error), error.hint) == ("docs/a.x: is refused", "Do not.")
    assert str(failing("break")) == "docs/a.x: cannot be converted: ValueError: broken"


def test_what_a_library_prints_is_no_reply() -> None:
    async def work(convert: Callable[[str], Awaitable[Document]]) -> list[str]:
        return [(await convert(text)).text for text in ("print", "fine")]

    first, second = using(work)
    assert first == second


def test_warnings_are_logged_here(caplog: pytest.LogCaptureFixture) -> None:
    async def work(convert: Callable[[str], Awaitable[Document]]) -> Document:
        return await convert("warn")

    using(work)
    assert [(one.levelno, one.getMessage()) for one in caplog.records] == [
        (logging.WARNING, "docs/a.x is odd")
    ]


def test_a_conversion_that_no_other_process_finds_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from odd_conversions import convert

    monkeypatch.setattr(convert, "__module__", "__main__")
    with pytest.raises(ValueError, match="convert must be defined in a module"):
        ConversionPool(partial(convert), ConversionLimits())
    ConversionPool(convert)


def test_a_frozen_program_converts_in_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(convert: Callable[[str], Awaitable[Document]]) -> int:
        return int((await convert("fine")).text)

    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert using(work) == os.getpid()


def test_a_cancelled_conversion_ends_its_process() -> None:
    async def work(convert: Callable[[str], Awaitable[Document]]) -> float:
        pid = int((await convert("fine")).text)
        begun = asyncio.ensure_future(convert("sleep"))
        await asyncio.sleep(0.2)
        begun.cancel()
        started = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await begun
        assert int((await convert("fine")).text) != pid
        assert not is_alive(pid)
        return time.monotonic() - started

    assert using(work) < 20


PROGRAM = """
import asyncio, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores Ctrl-C
sys.path.insert(0, {folder!r})
from odd_conversions import convert
from hierdoc import Source
from hierdoc.plugin import ConversionLimits, ConversionPool

async def main():
    pool = ConversionPool(convert, ConversionLimits(processes=1))
    print((await pool.convert(Source("a.x", b"fine"))).text, flush=True)
    {then}

asyncio.run(main())
"""
_SLEEP = 'await pool.convert(Source("a.x", b"sleep asleep"))'


@pytest.mark.alone
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("then", "sent"),
    [
        ("pass", None),
        (_SLEEP, signal.SIGINT),
        (_SLEEP, signal.SIGKILL),
    ],
    ids=["end", "Ctrl-C", "killed"],
)
def test_no_process_outlives_the_program(
    tmp_path: Path, then: str, sent: signal.Signals | None
) -> None:
    program = textwrap.dedent(PROGRAM).format(folder=str(tmp_path), then=then)
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        if sent is not None:
            # A signal that comes just before the event loop waits is seen only when that ends: it is not `asyncio` that is tested.
            while parent.poll() is None and not (tmp_path / "asleep").exists():
                time.sleep(0.01)
            parent.send_signal(sent)
        parent.communicate(timeout=20)
    assert parent.returncode == (0 if sent is None else -sent)
    until = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_alive(pid)


def test_an_ingest_reports_the_file_and_goes_on(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number, text in enumerate(("fine", "sleep", "die", "fine", "repeat 2000", "fine")):
        (docs / f"{number}.x").write_text(text)
    with Index.open(
        {
            "source": str(docs),
            "converter": {"provider": "odd", "limits": {"seconds": 2, "characters": 1000}},
            "vector": "in-memory",
            "keyword": "in-memory",
        },
        registry=_registry(),
    ) as index:
        report = index.ingest()
    assert [Path(name).name for name in report.added] == ["0.x", "3.x", "5.x"]
    assert [one.error.partition(",")[0] for one in report.failures] == [
        "takes longer to convert than the limit",
        "ended the process that converted it",
        "holds 2",
    ]


def test_the_schema_holds_settings_within_settings() -> None:
    schema = json.dumps(json_schema())
    assert '"memory_mib"' in schema
    assert "#/$defs/ConversionLimits" not in schema


def test_limits_change_no_output() -> None:
    assert OddConfig().output_settings() == {"provider": "odd"}


def test_an_ingest_converts_several_files_at_once_and_keeps_their_order(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(6):
        (docs / f"{number}.x").write_text(f"meet {tmp_path / 'met'}")
    config = {"provider": "odd", "limits": {"seconds": 20, "processes": 2}}
    with Index.open(
        {"source": str(docs), "converter": config, "vector": "in-memory", "keyword": "in-memory"},
        registry=_registry(),
    ) as index:
        report = index.ingest()
    assert [Path(name).name for name in report.added] == [f"{number}.x" for number in range(6)]


class OddConfig(ProviderConfig):
    """Odd files."""

    provider: Literal["odd"] = "odd"
    limits: Operational[ConversionLimits] = ConversionLimits()


class OddConverter:
    suffixes = (".x",)

    def __init__(self, limits: ConversionLimits) -> None:
        from odd_conversions import convert

        self._pool = ConversionPool(convert, limits)

    async def convert(self, source: Source) -> Document:
        return await self._pool.convert(source)

    async def aclose(self) -> None:
        await self._pool.aclose()


class OddPlugin:
    @hookimpl
    def hierdoc_converters(self) -> Iterable[Provider[Any, Any]]:
        yield Provider(OddConfig, lambda config: OddConverter(config.limits))


def _registry() -> Registry:
    registry = Registry()
    registry.register(OddPlugin(), "odd", "odd")
    return registry
