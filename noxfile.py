"""The project's chores; `nox -l` lists them, `nox` alone runs those that need no more than Python and pip."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2024.4.15"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["lint", "typing", "tests", "docs", "wheels"]

ROOT = Path(__file__).parent
DISTRIBUTIONS = [ROOT / "core", *sorted(path.parent for path in ROOT.glob("*/*/pyproject.toml"))]
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def sync(session: nox.Session, *options: str) -> None:
    """Install the whole workspace with its development tools into the session's environment."""
    environment = {"UV_PROJECT_ENVIRONMENT": session.virtualenv.location}
    session.run_install(
        "uv", "sync", "--quiet", "--all-packages", "--python", session.virtualenv.location, *options,
        env=environment, external=True,
    )  # fmt: skip


@nox.session
def tests(session: nox.Session) -> None:
    """All tests against the latest libraries; arguments go to pytest."""
    sync(session)
    session.run("pytest", *session.posargs)


@nox.session(python="3.10")
def oldest(session: nox.Session) -> None:
    """All tests on the oldest Python with the oldest libraries that the distributions declare."""
    lock = ROOT / "uv.lock"
    kept = lock.read_bytes() if lock.exists() else None
    try:
        sync(session, "--resolution", "lowest-direct", "--upgrade")
        # The reference pages are written with the latest libraries, which name some types differently.
        session.run("pytest", "--ignore=tests/test_docs.py", *session.posargs)
    finally:
        lock.unlink(missing_ok=True)
        if kept:
            lock.write_bytes(kept)


@nox.session
def typing(session: nox.Session) -> None:
    """mypy, strict, over core and every plugin."""
    sync(session)
    session.run("mypy")


@nox.session
def lint(session: nox.Session) -> None:
    """ruff's rules and format, and who may import whom."""
    sync(session)
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("lint-imports", env={"PYTHONPATH": "core/src"})


@nox.session
def docs(session: nox.Session) -> None:
    """Everything is documented, the generated pages are current, the examples run."""
    sync(session)
    session.run("pytest", "tests/test_docs.py", *session.posargs)


@nox.session
def reference(session: nox.Session) -> None:
    """Write the generated pages of the docs anew."""
    sync(session)
    session.run("python", "docs/generate.py")


@nox.session(venv_backend="none")
def wheels(session: nox.Session) -> None:
    """Build every distribution, install the wheels into clean environments, resolve the extras, do the main job."""
    folder = Path(session.create_tmp()) / "wheels"
    shutil.rmtree(folder, ignore_errors=True)
    for distribution in DISTRIBUTIONS:
        session.run(
            "uv", "build", "--quiet", "--out-dir", str(folder), str(distribution), external=True
        )
    environment = {"HIERDOC_WHEELS": str(folder.resolve())}
    session.run(sys.executable, "tests/install_wheels.py", env=environment, external=True)


@nox.session
def kills(session: nox.Session) -> None:
    """Kill ingests at 200 random moments; each time the next ingest must make the index whole."""
    sync(session)
    session.run("pytest", "tests/test_kill.py", *session.posargs, env={"HIERDOC_KILLS": "200"})


@nox.session
def bench(session: nox.Session) -> None:
    """Run the benchmarks; each prints a table and writes JSON to benchmarks/results."""
    sync(session, "--group", "bench")
    benchmarks = ROOT / "benchmarks"
    for script in [*sorted(benchmarks.glob("bench_*.py")), benchmarks / "structure.py"]:
        session.run(
            "python",
            str(script),
            *session.posargs,
            env={"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")},
        )


@nox.session
def fuzz(session: nox.Session) -> None:
    """Feed bytes of chance to parser, grammar and chunker; arguments go to libFuzzer, as in -runs=100000."""
    sync(session)
    session.install("atheris")
    session.run(
        "python", "benchmarks/fuzz_structure.py", *(session.posargs or ["-max_total_time=300"])
    )


@nox.session(venv_backend="none")
def changelog(session: nox.Session) -> None:
    """Collect the fragments of changelog.d into CHANGELOG.md."""
    session.run(sys.executable, "changelog.d/collect.py", *session.posargs, external=True)
