"""What the benchmarks share: timing side by side, a report as table and JSON, and an embedder that costs nothing."""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeVar

os.environ.setdefault(
    "OMP_NUM_THREADS", "1"
)  # read when numpy is imported: one thread for everybody
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from hierdoc import load_config
from hierdoc.plugin import (
    ComponentKind,
    Embedder,
    Provider,
    ProviderConfig,
    Registry,
    default_registry,
    hookimpl,
)

HERE = Path(__file__).parent
DATA = Path(os.environ.get("HIERDOC_SHARED_DATA", HERE.parents[1] / "shared" / "data"))
"""Real documents, which are no part of the project."""

T = TypeVar("T")


@dataclass(frozen=True)
class Samples:
    """How long one thing took, each time that it was done.

    Attributes:
        milliseconds: On the clock.
        cpu_milliseconds: Of the processor, all threads together: nearer to what a quiet machine would need.
    """

    milliseconds: Sequence[float]
    cpu_milliseconds: Sequence[float]

    @property
    def p50(self) -> float:
        """The median."""
        return statistics.median(self.milliseconds)

    @property
    def p95(self) -> float:
        """The duration that 95 of 100 stay below."""
        ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]

    @property
    def cpu(self) -> float:
        """The median of processor time."""
        return statistics.median(self.cpu_milliseconds)

    @property
    def best(self) -> float:
        """The shortest: what it costs when nothing else runs."""
        return min(self.milliseconds)


def interleaved(
    calls: Mapping[str, Callable[[int], object]],
    repetitions: int,
    slow: Mapping[str, int] | None = None,
    burst: int = 1,
) -> dict[str, Samples]:
    """Time several things in turns, so that whatever else the machine does hits all of them.

    Args:
        calls: By name; each is called with its number, from 0.
        repetitions: How many calls of each.
        slow: Names that are called only so many times.
        burst: How many calls make a turn; with 1, each finds the processor's caches full of what the others left.
    """
    clock: dict[str, list[float]] = {name: [] for name in calls}
    cpu: dict[str, list[float]] = {name: [] for name in calls}
    strides = {name: max(1, repetitions // count) for name, count in (slow or {}).items()}
    for call in calls.values():
        call(0)
    gc.collect()
    gc.freeze()  # what all of them hold is no garbage, and is not searched for any
    for first in range(0, repetitions, burst):
        for name, call in calls.items():
            for number in range(first, min(first + burst, repetitions)):
                if number % strides.get(name, 1):
                    continue
                started, used = time.perf_counter(), time.process_time()
                call(number)
                clock[name].append((time.perf_counter() - started) * 1000)
                cpu[name].append((time.process_time() - used) * 1000)
    gc.unfreeze()
    return {name: Samples(clock[name], cpu[name]) for name in calls}


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """What it returns, and the seconds that it took."""
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started


class Report:
    """One benchmark's outcome: printed as it comes, written as JSON at the end.

    Args:
        name: Of the script, without `bench_`.
        about: What is measured, in a sentence.
        packages: Distributions whose versions matter.
    """

    def __init__(self, name: str, about: str, packages: Iterable[str] = ()) -> None:
        self._name = name
        self._outcome: dict[str, Any] = {
            "benchmark": name,
            "command": shlex.join(["python", *_relative(sys.argv)]),
            "machine": machine(),
            "versions": {package: _version(package) for package in ("hierdoc", "numpy", *packages)},
            "tables": {},
            "targets": [],
        }
        print(f"{about}\n")
        print(f"command   {self._outcome['command']}")
        for kind in ("machine", "versions"):
            facts = ", ".join(f"{key} {value}" for key, value in self._outcome[kind].items())
            print(f"{kind:<9} {facts}")

    def table(self, title: str, rows: Sequence[Mapping[str, object]], note: str = "") -> None:
        """Print rows with the same keys as a table, and keep them."""
        self._outcome["tables"][title] = list(rows)
        cells = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
        print(f"\n{title}")
        for row in cells:
            first, *others = zip(row, widths, strict=True)
            line = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
            print("  " + "  ".join(line).rstrip())
        if note:
            print(f"  ({note})")
        sys.stdout.flush()

    def target(self, what: str, value: float, bound: Literal["<=", ">="], limit: float) -> None:
        """Say whether a figure is where it should be."""
        met = value <= limit if bound == "<=" else value >= limit
        self._outcome["targets"].append(
            {"what": what, "value": value, "bound": bound, "limit": limit, "met": met}
        )
        print(f"  target: {what} {bound} {limit:g}: {_cell(value)}, {'met' if met else 'MISSED'}")

    def save(self) -> None:
        """Write the JSON to `results/`, unless nothing was measured."""
        if "--quick" in sys.argv:
            return
        folder = HERE / "results"
        folder.mkdir(exist_ok=True)
        file = folder / f"{self._name}.json"
        self._outcome["machine"]["load_at_end"] = _load()
        file.write_text(json.dumps(self._outcome, indent=2) + "\n", encoding="utf-8")
        print(f"\nwritten to {file.relative_to(HERE.parent)}")


def arguments() -> argparse.Namespace:
    """The options that every benchmark takes."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--quick", action="store_true", help="small and few: shows that it runs, measures nothing"
    )
    return parser.parse_args()


def shared(*parts: str) -> Path:
    """A file or folder of the shared data; the benchmark ends without an error where it is missing."""
    path = DATA.joinpath(*parts)
    if not path.exists():
        skip(
            f"{'/'.join(parts)} of the shared data is missing; HIERDOC_SHARED_DATA names its folder"
        )
    return path


@contextmanager
def stores(keep: Path | None, name: str) -> Iterator[Path]:
    """A folder for the stores of an index: of this name below `keep`, where it stays for the next run, or else a temporary one."""
    if keep:
        folder = keep / name.replace(" ", "-")
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    else:
        with tempfile.TemporaryDirectory() as made:
            yield Path(made)


def skip(reason: str) -> NoReturn:
    """End the benchmark without an error."""
    print(f"skipped: {reason}")
    sys.exit(0)


def machine() -> dict[str, object]:
    """What a figure depends on besides the code."""
    return {
        "cores": os.cpu_count() or 1,
        "processor": _processor(),
        "python": platform.python_version(),
        "load": _load(),
    }


def run_measured(command: Sequence[str], bytecode: Path | None = None) -> dict[str, float]:
    """Run a program to its end.

    It is started by an interpreter of its own: what Linux reports as a child's peak memory includes that of the process
    which started it.

    Args:
        command: The program and its arguments.
        bytecode: Where Python keeps compiled modules; its usual places by default, if it may write there.

    Returns:
        `seconds` of wall time, `cpu_seconds` (user and system), `peak_mib` of resident memory.

    Raises:
        RuntimeError: It failed; with its output.
    """
    launcher = [sys.executable, "-S", "-c", _LAUNCHER, *command]
    environment = dict(os.environ)
    if bytecode:
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = str(bytecode)
    done = subprocess.run(launcher, capture_output=True, text=True, check=True, env=environment)
    outcome = json.loads(done.stdout)
    if outcome.pop("status"):
        raise RuntimeError(f"{shlex.join(command)} failed:\n{outcome['output']}")
    del outcome["output"]
    return {name: float(value) for name, value in outcome.items()}


_LAUNCHER = """
import json, os, subprocess, sys, tempfile, time
with tempfile.TemporaryFile("w+") as output:
    started = time.perf_counter()
    process = subprocess.Popen(sys.argv[1:], stdout=output, stderr=output)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    output.seek(0)
    print(json.dumps({
        "status": status, "output": output.read()[-2000:] if status else "", "seconds": seconds,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_mib": used.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10),
    }))
"""


class TableEmbedder:
    """Hands out random unit vectors that were made beforehand, so that embedding costs nothing.

    Exact search takes the same time whatever vectors mean.

    Args:
        dimensions: Length of a vector.
        rows: How many different ones there are; documents get them in turn.
    """

    def __init__(self, dimensions: int, rows: int) -> None:
        self.fingerprint = f"table-{dimensions}-{rows}"
        self.dimensions = dimensions
        self._table = unit_vectors(rows, dimensions, seed=1)
        self._query: NDArray[np.float32] = unit_vectors(1, dimensions, seed=2)[0]
        self._next = 0

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The next rows of the table."""
        rows = np.arange(self._next, self._next + len(texts)) % len(self._table)
        self._next += len(texts)
        return self._table[rows]

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """The same for all."""
        return self._query


class RememberingEmbedder:
    """The static embedder; a query that it has met before costs nothing."""

    def __init__(self) -> None:
        self._embedder: Embedder = default_registry().open(
            ComponentKind.EMBEDDER, load_config({}).embedder
        )
        self.fingerprint = f"remembered {self._embedder.fingerprint}"
        self.dimensions = self._embedder.dimensions
        self._queries: dict[str, NDArray[np.float32]] = {}

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder`."""
        return await self._embedder.embed_documents(texts)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """See `Embedder`."""
        if text not in self._queries:
            self._queries[text] = await self._embedder.embed_query(text)
        return self._queries[text]


class RememberedConfig(ProviderConfig):
    """The static embedder, each query embedded once."""

    provider: Literal["remembered"] = "remembered"


class TableConfig(ProviderConfig):
    """Random unit vectors at no cost."""

    provider: Literal["table"] = "table"
    dimensions: int = Field(256, ge=1)
    rows: int = Field(16_384, ge=1)


class _Plugin:
    @hookimpl
    def hierdoc_embedders(self) -> Iterable[Provider[Any, Any]]:
        yield Provider(TableConfig, lambda config: TableEmbedder(config.dimensions, config.rows))
        yield Provider(RememberedConfig, lambda config: RememberingEmbedder())


def registry() -> Registry:
    """All that is installed, and the embedders `table` and `remembered`."""
    made = Registry()
    made.register(_Plugin(), "benchmarks", "benchmarks")
    return made


def unit_vectors(count: int, dimensions: int, seed: int) -> NDArray[np.float32]:
    """float32 of shape [count, dimensions], rows of length 1."""
    vectors = np.random.default_rng(seed).standard_normal((count, dimensions), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


@contextmanager
def runner() -> Iterator[Callable[[Coroutine[Any, Any, T]], T]]:
    """What runs coroutines to their end, all on one event loop."""
    loop = asyncio.new_event_loop()
    try:
        yield loop.run_until_complete
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def _relative(command: Sequence[str]) -> list[str]:
    script = Path(command[0]).resolve()
    inside = script.is_relative_to(HERE.parent)
    return [str(script.relative_to(HERE.parent)) if inside else script.name, *command[1:]]


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _load() -> float | None:
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _cell(value: object) -> str:
    if not isinstance(value, float):
        return "-" if value is None else str(value)
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.3g}"
