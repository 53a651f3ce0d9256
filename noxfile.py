"""The project's chores; `nox -l` lists them, `nox` alone runs those that need no more than Python and pip."""

from __future__ import annotations

import atexit
import os
import re
import runpy
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import nox

nox.needs_version = ">=2024.4.15"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["checks", "tests"]

ROOT = Path(__file__).parent
WORKSPACE = ROOT / ".nox" / "workspace"
"""The environment that lint, typing, tests and docs share."""

ROOM = 4_000_000_000
"""Bytes that a file system in memory must have free to take the tests' temporary files."""

PARALLEL = ["-n", str(min(8, 1 + (os.cpu_count() or 1))), "--dist", "loadgroup"]
"""One process more than there are cores: many tests wait for another process."""

IN_FULL = {
    name: os.environ.get(name, number)
    for name, number in (
        ("HIERDOC_FAULTS", "200"),
        ("HIERDOC_KILLS", "200"),
        ("HIERDOC_ROUNDS", "20"),
    )
}
"""How often tests with faults try, for each embedded store, unless the environment says otherwise."""

SERVERS = runpy.run_path(str(ROOT / "tests" / "servers.py"))
"""The module that starts the servers which plugins describe."""

PLUGINS = sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def sync(session: nox.Session, environment: str | Path, *options: str) -> None:
    """Install the whole workspace with its development tools into an environment."""
    session.run_install(
        "uv", "sync", "--quiet", "--all-packages", *options,
        env={"UV_PROJECT_ENVIRONMENT": str(environment)}, external=True,
    )  # fmt: skip


def run(session: nox.Session, command: str, *arguments: str, **options: Any) -> None:
    """Run a command of the environment that lint, typing, tests and docs share."""
    sync(session, WORKSPACE, "--python", sys.executable)
    folder = WORKSPACE / ("Scripts" if os.name == "nt" else "bin")
    # Tests start many processes: each would compile all modules anew where bytecode is not written.
    environment = {"PYTHONDONTWRITEBYTECODE": "", **options.pop("env", {})}
    session.run(str(folder / command), *arguments, env=environment, external=True, **options)


@contextmanager
def temporary_files() -> Iterator[dict[str, str]]:
    """The variable that leads temporary files into memory, where there is room for them, until the end."""
    memory = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it
    if "TMPDIR" in os.environ or not memory.is_dir() or shutil.disk_usage(memory).free < ROOM:
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="hierdoc-", dir=memory) as folder:
        # Where root runs the tests, PostgreSQL's files in it are another user's.
        Path(folder).chmod(0o711)
        yield {"TMPDIR": folder}


def pytest(
    session: nox.Session, *options: str, marks: str = "", env: dict[str, str] | None = None
) -> None:
    """Run tests side by side, and after them, one by one, those that measure time."""
    with temporary_files() as environment:
        environment |= env or {}
        for tests in parts(marks):
            run(
                session, "pytest", *tests, *options, *session.posargs,
                env=environment, success_codes=[0, NO_TESTS],
            )  # fmt: skip


def parts(marks: str) -> list[list[str]]:
    """pytest's options for the tests that run side by side, and for those that run one by one."""
    also = f" and {marks}" if marks else ""
    return [[*PARALLEL, "-m", f"not alone{also}"], ["-m", f"alone{also}"]]


NO_TESTS = 5
"""pytest's exit status where the marks select none of the tests."""


@nox.session(venv_backend="none")
def tests(session: nox.Session) -> None:
    """All tests against the latest libraries, but for those that `nightly` has; arguments go to pytest."""
    pytest(session, "--ignore=tests/test_docs.py", marks="not nightly")


@nox.session(venv_backend="none")
def nightly(session: nox.Session) -> None:
    """All that the default sessions leave out: every test in full, every plugin x its oldest and latest SDK, and more."""
    if interpreter(OLDEST) is None:
        session.warn(f"no python{OLDEST} is on the path or among pyenv's: `oldest` will be skipped")
    for name in ("everything", "oldest", "installs"):
        session.notify(name)
    for plugin in PLUGINS:
        for sdk in ("oldest", "latest"):
            session.notify(f"conformance(plugin='{plugin}', sdk='{sdk}')")
    session.notify("torch")
    session.notify("models")
    session.notify("mutants")
    session.notify("bench", ["--quick"])


@nox.session(venv_backend="none")
def everything(session: nox.Session) -> None:
    """All tests in full: 1,000 kills, 1,000 damaged files, ten thousand records on every store, every configuration, the laws on many examples."""
    pytest(
        session, "--ignore=tests/test_docs.py", "--hypothesis-profile=nightly",
        env=IN_FULL,
    )  # fmt: skip


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603


def interpreter(version: str) -> str | None:
    """The path of a Python of this version: on the path, or one of pyenv's, whose shims refuse what nobody chose."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = [
        shutil.which(f"python{version}"),
        *sorted(root.glob(f"versions/{version}.*/bin/python")),
    ]
    return next((str(one) for one in found if one and _succeeds([str(one), "-c", ""])), None)


OLDEST = "3.10"
"""The oldest Python that the distributions declare."""


@nox.session(python=interpreter(OLDEST) or OLDEST)
def oldest(session: nox.Session) -> None:
    """All tests on the oldest Python with the oldest libraries that the distributions declare."""
    lock = ROOT / "uv.lock"
    kept = lock.read_bytes() if lock.exists() else None
    try:
        place = session.virtualenv.location
        # The libraries of Milvus Lite take no NumPy as old as that of others.
        oldest = (
            "--resolution",
            "lowest-direct",
            "--upgrade",
            "--no-group",
            "lite",
            "--no-group",
            "browser",
        )
        sync(session, place, "--python", place, *oldest)
        # The reference pages are written with the latest libraries, which name some types differently.
        with temporary_files() as environment:
            for tests in parts("not nightly"):
                session.run(
                    "pytest", *tests, "--ignore=tests/test_docs.py", *session.posargs,
                    env=environment, success_codes=[0, NO_TESTS],
                )  # fmt: skip
    finally:
        lock.unlink(missing_ok=True)
        if kept:
            lock.write_bytes(kept)


@nox.session
@nox.parametrize("sdk", ["oldest", "latest"])
@nox.parametrize("plugin", PLUGINS)
def conformance(session: nox.Session, plugin: str, sdk: str) -> None:
    """A plugin against the conformance kit; all of them give one table."""
    folder = ROOT / "plugins" / plugin
    files = sorted(map(str, folder.glob("tests/*conformance*.py")))
    if not files:
        RESULTS.append((plugin, sdk, "-", "no conformance tests", "-"))
        return
    resolution = "lowest-direct" if sdk == "oldest" else "highest"
    with services(session, folder) as (packages, environment, missing):
        session.run_install(
            "uv", "pip", "install", "--quiet", "--python", session.virtualenv.location, "--resolution", resolution,
            "-r", str(ROOT / "core" / "pyproject.toml"), "-r", str(folder / "pyproject.toml"),
            "-e", str(ROOT / "core"), "-e", str(ROOT / "plugins" / "testing"), "-e", str(folder), "pytest>=8.2", *packages,
            *(option for name in siblings(plugin) for option in ("-e", str(ROOT / "plugins" / name))), external=True,
        )  # fmt: skip
        report = Path(session.create_tmp()) / "report.xml"
        report.unlink(missing_ok=True)
        session.run(
            "pytest", "-q", *files, f"--junitxml={report}", *session.posargs,
            env=environment, success_codes=[0, 1, 5],
        )  # fmt: skip
    passed, skipped, failed = counted(report)
    reasons = "; ".join([*missing, *skipped])
    RESULTS.append((plugin, sdk, str(passed), reasons or "none", ", ".join(failed) or "none"))
    if failed:
        session.error(f"{len(failed)} conformance tests fail")


TORCH = ["cross-encoder", "sentence-transformers"]
"""Plugins whose libraries bring torch, several gigabytes: other sessions do without them, and skip what needs them."""


@nox.session
def torch(session: nox.Session) -> None:
    """The tests of plugins that need torch, which is installed for them alone; arguments go to pytest."""
    folders = [ROOT / "plugins" / name for name in TORCH]
    session.run_install(
        # Without the workspace's own settings, which leave torch out.
        "uv", "pip", "install", "--quiet", "--no-config", "--python", session.virtualenv.location,
        "-e", str(ROOT / "core"), "-e", str(ROOT / "plugins" / "testing"), "pytest>=8.2",
        *(option for folder in folders for option in ("-e", str(folder))), external=True,
    )  # fmt: skip
    session.run("pytest", "-q", *(str(folder / "tests") for folder in folders), *session.posargs)


@nox.session(venv_backend="none")
def models(session: nox.Session) -> None:
    """Contexts and rerankers on a small chat model, which the first run fetches and builds: 650 MB, five minutes of two cores; arguments go to pytest."""
    try:
        with server("llm") as url:
            environment = {"HIERDOC_TEST_CHAT_URL": url}
            run(session, "pytest", "-s", "tests/test_models.py", *session.posargs, env=environment)
    except SERVERS["UnavailableError"] as error:
        session.skip(f"no chat model: {error}")


@nox.session(venv_backend="none")
def mutants(session: nox.Session) -> None:
    """Every component that is wrong on purpose, by the conformance test that catches it, as a table; arguments go to pytest."""
    folder = Path(session.create_tmp())
    files = sorted(map(str, (ROOT / "plugins" / "testing").glob("tests/test_mutants_*.py")))
    cases: list[ElementTree.Element] = []
    for number, tests in enumerate(parts("")):
        report = folder / f"mutants-{number}.xml"
        report.unlink(missing_ok=True)
        run(
            session, "pytest", "-q", *files, "-k", "test_the_kit_fails_it", *tests, "-o", "junit_family=xunit1", f"--junitxml={report}", *session.posargs,
            success_codes=[0, 1],
        )  # fmt: skip
        cases += ElementTree.parse(report).iter("testcase")  # noqa: S314 - pytest wrote it
    rows = []
    for case in cases:
        kind = str(case.get("classname")).rpartition("test_mutants_")[2]
        name = str(case.get("name")).partition("[")[2][:-1]
        test = next((str(one.get("value")) for one in case.iter("property")), "-")
        missed = case.find("failure") is not None or case.find("error") is not None
        rows.append((kind, name, "not caught" if missed else test))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in [("kind", "what is wrong", "caught by"), *sorted(rows)]:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )
    caught = sum(test != "not caught" for *_, test in rows)
    print(f"{caught} of {len(rows)} caught ({caught / len(rows):.1%})")
    if caught < len(rows):
        session.error(f"{len(rows) - caught} are not caught")


def siblings(plugin: str) -> set[str]:
    """The other plugins of this repository that a plugin builds on, and those that these do."""
    text = (ROOT / "plugins" / plugin / "pyproject.toml").read_text("utf-8")
    named = re.findall(r'^    "hierdoc-([a-z0-9-]+)[\[>=<"]', text, re.MULTILINE)
    own = set(named) & set(PLUGINS)
    return own.union(*map(siblings, own))


RESULTS: list[tuple[str, str, str, str, str]] = []
"""Of the conformance sessions of this run: plugin, sdk, passed, skipped and why, failed."""


@atexit.register
def show_results() -> None:
    """The table of all conformance sessions."""
    if not RESULTS:
        return
    rows = [("plugin", "sdk", "passed", "skipped (why)", "failed"), *RESULTS]
    widths = [min(max(len(row[place]) for row in rows), 60) for place in range(4)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row[:4], widths, strict=True)]
        print("  ".join([*cells, row[4]]).rstrip())


def counted(report: Path) -> tuple[int, list[str], list[str]]:
    """What pytest reports: how many passed, why others were skipped, which failed."""
    passed, skipped, failed = 0, Counter[str](), []
    for case in ElementTree.parse(report).iter("testcase"):  # noqa: S314 - pytest wrote it
        skip = case.find("skipped")
        if skip is not None:
            told = f"{skip.get('message')}"
            if told == "collection skipped":  # of a whole file; the reason stands in a tuple
                told = f"{skip.text}".rstrip("')")
            reason = told.rpartition("Skipped: ")[2]
            kit = reason.startswith(("claims ", "does not claim "))
            skipped["capabilities" if kit else reason] += 1
        elif case.find("failure") is not None or case.find("error") is not None:
            failed.append(str(case.get("name")))
        else:
            passed += 1
    return passed, [f"{number} {reason}" for reason, number in skipped.items()], failed


@contextmanager
def services(
    session: nox.Session, folder: Path
) -> Iterator[tuple[list[str], dict[str, str], list[str]]]:
    """What the plugin's `[tool.hierdoc.services]` asks for: packages that bring a service, programs or containers, or why not.

    [tool.hierdoc.services.acme]
    embedded = "acme-server"                    # a package that brings it, for the plugin's own fixtures
    program = "tests/server.py"                 # else what describes it for tests/servers.py, which needs no more than `env`
    container = "acme/acme:2"                   # else an image, if Docker is there
    port = 9200                                 # of the container
    env = "HIERDOC_TEST_ACME_URL"               # tells the tests where it is
    url = "http://127.0.0.1:{port}"
    options = ["-e", "ACME_AUTH=off"]           # for `docker run`
    """
    wanted = nox.project.load_toml(folder / "pyproject.toml").get("tool", {}).get("hierdoc", {})
    packages: list[str] = []
    environment: dict[str, str] = {}
    missing: list[str] = []
    with ExitStack() as started:
        for name, service in wanted.get("services", {}).items():
            if "embedded" in service:
                packages.append(service["embedded"])
            elif os.environ.get(service.get("env", "")):
                continue  # it runs elsewhere already
            elif "program" in service:
                try:
                    environment[service["env"]] = started.enter_context(server(folder.name))
                except SERVERS["UnavailableError"] as error:
                    missing.append(f"no {name}: {error}")
                    session.warn(missing[-1])
            elif "container" in service and has_docker():
                container = start(session, service, environment)
                started.callback(
                    session.run, "docker", "stop", container, external=True, silent=True
                )
            else:
                missing.append(f"no {name}: no Docker here")
        yield packages, environment, missing


@contextmanager
def server(plugin: str) -> Iterator[str]:
    """The address of the server that a plugin describes, started with nothing in it."""
    with temporary_files() as memory, ExitStack() as files:
        place = tempfile.TemporaryDirectory(prefix=f"{plugin}-", dir=memory.get("TMPDIR"))
        started = SERVERS["Server"](plugin, Path(files.enter_context(place)))
        started.start()
        try:
            yield started.url
        finally:
            started.stop()


def has_docker() -> bool:
    """Whether a Docker daemon answers."""
    docker = shutil.which("docker")
    return bool(docker) and _succeeds([docker, "info"])


def start(session: nox.Session, service: dict[str, Any], environment: dict[str, str]) -> str:
    """Start a container on a free port, wait until it listens, and note its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    published = f"127.0.0.1:{port}:{service['port']}"
    container = session.run(
        "docker", "run", "--detach", "--rm", "-p", published, *service.get("options", []), service["container"],
        external=True, silent=True,
    )  # fmt: skip
    environment[service["env"]] = service["url"].format(port=port)
    for _ in range(120):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.5)
    return str(container).strip()


@nox.session(venv_backend="none")
def checks(session: nox.Session) -> None:
    """`typing`, `docs`, `lint` and `wheels`, two at a time: each uses one core."""
    sync(session, WORKSPACE, "--python", sys.executable)
    failed = []
    with ThreadPoolExecutor(2) as pool:
        names = ("typing", "docs", "lint", "wheels")
        for name, done in zip(names, pool.map(_session, names), strict=True):
            session.log(f"{name}\n{done.stdout}".rstrip())
            if done.returncode:
                failed.append(name)
    if failed:
        session.error(f"failed: {', '.join(failed)}")


def _session(name: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nox", "--session", name]
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.run(command, cwd=ROOT, check=False, **streams)  # noqa: S603


@nox.session(venv_backend="none")
def typing(session: nox.Session) -> None:
    """mypy, strict, over core and every plugin."""
    run(session, "mypy")


@nox.session(venv_backend="none")
def lint(session: nox.Session) -> None:
    """ruff's rules and format, and who may import whom."""
    run(session, "ruff", "check")
    run(session, "ruff", "format", "--check")
    run(session, "lint-imports", env={"PYTHONPATH": "core/src"})


@nox.session(venv_backend="none")
def docs(session: nox.Session) -> None:
    """Everything is documented, the generated pages are current, the examples run; then the site, strictly, into `site/`."""
    with temporary_files() as environment:
        run(session, "pytest", *PARALLEL, "tests/test_docs.py", *session.posargs, env=environment)
    run(
        session, "sphinx-build", "--quiet", "--fail-on-warning", "--fresh-env", "--builder", "html",
        "--doctree-dir", session.create_tmp(), "docs", "site",
    )  # fmt: skip


@nox.session(venv_backend="none")
def reference(session: nox.Session) -> None:
    """Write the generated pages of the docs anew."""
    run(session, "python", "docs/generate.py")


@nox.session(venv_backend="none")
def wheels(session: nox.Session) -> None:
    """Build every distribution, install the wheels into a clean environment, do the main job there."""
    install_wheels(session)


@nox.session(venv_backend="none")
def installs(session: nox.Session) -> None:
    """The same, and: core alone, all extras, a broken plugin beside them, the example, the sdists."""
    install_wheels(session, "--all")


def install_wheels(session: nox.Session, *options: str) -> None:
    """Build all distributions (with sdists where all is checked) and run the checks of tests/install_wheels.py."""
    folder = Path(session.create_tmp()) / "wheels"
    shutil.rmtree(folder, ignore_errors=True)
    kinds = [] if options else ["--wheel"]
    session.run(
        "uv", "build", "--quiet", "--all-packages", *kinds, "--out-dir", str(folder), external=True
    )
    with temporary_files() as environment:
        environment |= {"HIERDOC_WHEELS": str(folder.resolve()), "PYTHONDONTWRITEBYTECODE": ""}
        session.run(
            sys.executable, "tests/install_wheels.py", *options, env=environment, external=True
        )


@nox.session(venv_backend="none")
def faults(session: nox.Session) -> None:
    """Kill, damage, cut off and search beside every store that can be run here; a table of what was tried and what failed."""
    wires = sorted(str(file) for file in ROOT.glob("plugins/*/tests/test_wire.py"))
    tests = ["tests/test_kill.py", "tests/test_damage.py", "tests/test_readers.py"]
    with temporary_files() as environment:
        run(session, "pytest", *tests, *wires, *session.posargs, env=environment | IN_FULL)


@nox.session
def bench(session: nox.Session) -> None:
    """Run the benchmarks; each prints a table and writes JSON to benchmarks/results."""
    place = session.virtualenv.location
    sync(session, place, "--python", place, "--group", "bench")
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
    place = session.virtualenv.location
    sync(session, place, "--python", place)
    session.install("atheris")
    session.run(
        "python", "benchmarks/fuzz_structure.py", *(session.posargs or ["-max_total_time=300"])
    )


@nox.session
def changelog(session: nox.Session) -> None:
    """Collect the fragments of changelog.d into CHANGELOG.md: `nox -s changelog -- --version 0.2.0`, with `--draft` to look only."""
    session.install("towncrier>=24.8")
    session.run("towncrier", "build", *session.posargs)
