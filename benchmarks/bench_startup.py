"""Start-up: what `hierdoc --help` and a search from the command line cost, above the bare interpreter.

Modules are compiled before the first run that counts, as they are for everybody but the first caller after an installation.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from common import Report, arguments, run_measured, shared

HELP_CPU_MS = 100.0
"""What `hierdoc --help` may take of the processor above the bare interpreter."""


def main() -> None:
    """Run each command many times, in turns."""
    options = arguments()
    report = Report("startup", "Start of the command line.", ["click", "pydantic", "tantivy"])
    hierdoc = [sys.executable, "-m", "hierdoc"]
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "hierdoc.yaml")
        eips = shared("technical", "eips")
        config.write_text(f"source: {eips}\n", encoding="utf-8")
        run_measured([*hierdoc, "ingest", "--config", str(config)])
        query = ["search", "fee market", "--json"]
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "hierdoc --help": [*hierdoc, "--help"],
            "hierdoc --version": [*hierdoc, "--version"],
            "hierdoc search --help": [*hierdoc, "search", "--help"],
            "hierdoc search QUERY": [*hierdoc, *query, "--config", str(config)],
            "hierdoc search QUERY --source (unchanged)": [
                *hierdoc, *query, "--config", str(config), "--source", str(eips),
            ],
            "hierdoc plugins list": [*hierdoc, "plugins", "list", "--json"],
        }  # fmt: skip
        measured = in_turns(commands, 3 if options.quick else 20, Path(folder, "bytecode"))
    bare = measured["python -c pass"]
    report.table(
        f"{len(measured['python -c pass'])} runs each, medians; an index of {len(list(eips.glob('*.md')))} files",
        [
            {
                "command": name,
                "CPU ms": cpu(runs),
                "CPU ms above bare": cpu(runs) - cpu(bare),
                "wall ms": 1000 * median(run["seconds"] for run in runs),
                "peak MiB": median(run["peak_mib"] for run in runs),
            }
            for name, runs in measured.items()
        ],
    )
    above = cpu(measured["hierdoc --help"]) - cpu(bare)
    report.target("hierdoc --help above the bare interpreter, CPU ms", above, "<=", HELP_CPU_MS)
    report.save()


def in_turns(
    commands: Mapping[str, Sequence[str]], repetitions: int, bytecode: Path
) -> dict[str, list[dict[str, float]]]:
    """What each run took, by command; one run before the first is not counted."""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
    for number in range(repetitions + 1):
        for name, command in commands.items():
            run = run_measured(command, bytecode)
            if number:
                runs[name].append(run)
    return runs


def cpu(runs: Sequence[dict[str, float]]) -> float:
    """Median milliseconds of processor time."""
    return 1000 * median(run["cpu_seconds"] for run in runs)


if __name__ == "__main__":
    main()
