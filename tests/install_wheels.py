"""Install the freshly built wheels into clean environments and do the main job there; `nox -s wheels` builds and calls.

HIERDOC_WHEELS names the folder with the wheels and sdists of all distributions. Needs nothing but the standard library; with
`uv` on the PATH it is faster, and the large wheels of plugins come from its cache. One line per check; exit status 1 at the
first that fails.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Mapping, Sequence
from email.parser import Parser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LARGEST = 12_000_000
"""Bytes that core's wheel may have."""

QUERY = "how do I search my documents"

OFFLINE = """
import socket
connect = socket.socket.connect
def connect_here(self, address):
    if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1"):
        raise OSError(f"the network is cut off: {address}")
    return connect(self, address)
def refuse(*arguments, **options):
    raise OSError(f"the network is cut off: {arguments}")
socket.socket.connect = connect_here
socket.socket.connect_ex = socket.getaddrinfo = refuse
from hierdoc.cli import main
main()
"""
"""The command line with the network cut off."""


class CheckError(Exception):
    """Something is not as it should be."""


class Wheel:
    """A wheel file and what its metadata says."""

    def __init__(self, file: Path) -> None:
        self.file = file
        with zipfile.ZipFile(file) as archive:
            self.names = archive.namelist()
            metadata = next(name for name in self.names if name.endswith(".dist-info/METADATA"))
            self.metadata = Parser().parsestr(archive.read(metadata).decode("utf-8"))
        self.distribution = str(self.metadata["Name"])
        self.version = str(self.metadata["Version"])

    def holds(self, end: str) -> bool:
        """Whether a file's path ends so."""
        return any(name.endswith(end) for name in self.names)


class Environment:
    """A fresh virtual environment, with a cache and configuration folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._uv = shutil.which("uv")
        if self._uv:
            run([self._uv, "venv", "--quiet", "--python", sys.executable, str(folder)])
        else:
            run([sys.executable, "-m", "venv", str(folder)])
        self.scripts = folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = str(self.scripts / "python")

    def install(self, *arguments: str) -> None:
        """Install with uv or pip; both understand these arguments."""
        if self._uv:
            run([self._uv, "pip", "install", "--quiet", "--python", self.python, *arguments])
        else:
            run([self.python, "-m", "pip", "install", "--quiet", *arguments])

    def hierdoc(self, *arguments: str, cwd: Path | None = None, status: int = 0) -> str:
        """What the `hierdoc` script prints, errors included where it is meant to fail."""
        script = str(self.scripts / "hierdoc")
        return run([script, *arguments], cwd=cwd, status=status, environment=self._own())

    def offline(self, *arguments: str, cwd: Path | None = None) -> str:
        """The same without a network."""
        command = [self.python, "-c", OFFLINE, *arguments]
        return run(command, cwd=cwd, environment=self._own())

    def plugins(self) -> Any:
        """What `hierdoc plugins list --json` says."""
        return json.loads(self.hierdoc("plugins", "list", "--json"))

    def _own(self) -> Mapping[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("HIERDOC_", "PYTHON", "VIRTUAL_ENV"))
        }
        own = {name: str(self._folder / name) for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
        return kept | own


def main() -> None:
    """Run all checks."""
    given = os.environ.get("HIERDOC_WHEELS")
    if not given:
        sys.exit("HIERDOC_WHEELS is not set: it names the folder with the built wheels and sdists")
    wheels = [Wheel(file) for file in sorted(Path(given).resolve().glob("*.whl"))]
    named = {wheel.distribution: wheel for wheel in wheels}
    if "hierdoc" not in named:
        sys.exit(f"{given} holds no wheel of hierdoc")
    core = named.pop("hierdoc")
    plugins = [one for one in named.values() if (ROOT / "plugins" / extra(one)).is_dir()]
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hierdoc-wheels-") as folder:
        try:
            check_contents(core, list(named.values()))
            check_core_alone(core, Path(folder))
            environment = check_plugins(core, plugins, Path(folder))
            check_broken_sibling(environment, Path(folder))
            check_example(core, named["hierdoc-example"], Path(folder))
            check_sdist(core, Path(folder))
        except CheckError as error:
            print(f"FAILED  {error}")
            sys.exit(1)
    print(f"all is well, after {time.monotonic() - started:.0f} s")


def check_contents(core: Wheel, others: Sequence[Wheel]) -> None:
    """What is in the wheels, and what is not."""
    for wheel in [core, *others]:
        package = wheel.distribution.replace("-", "_")
        tests = [name for name in wheel.names if {"tests", "conftest.py"} & set(name.split("/"))]
        require(not tests, f"{wheel.file.name} holds tests: {tests[:3]}")
        for end in (f"{package}/py.typed", ".dist-info/licenses/LICENSE"):
            require(wheel.holds(end), f"{wheel.file.name} lacks {end}")
        size = wheel.file.stat().st_size
        passed(f"{wheel.file.name}: {size:,} bytes, typed, licensed, without tests")
    data = [name for name in core.names if name.startswith("hierdoc/builtin/data/")]
    require(bool(data), f"{core.file.name} lacks the static model in hierdoc/builtin/data")
    size = core.file.stat().st_size
    require(size < LARGEST, f"{core.file.name} has {size:,} bytes, {LARGEST:,} at most")
    passed(f"core: the static model is in it ({len(data)} files), below {LARGEST:,} bytes")


def check_core_alone(core: Wheel, folder: Path) -> None:
    """Core's wheel and what it depends on, no plugin."""
    environment = Environment(folder / "core")
    environment.install(str(core.file))
    said = environment.hierdoc("--version")
    require(core.version in said, f"`hierdoc --version` says {said!r}, not {core.version}")
    passed(f"core alone: `hierdoc --version` says {core.version}")
    listed = environment.plugins()
    owners = {provider["distribution"] for provider in listed["providers"]}
    require(owners == {"hierdoc"}, f"core alone has providers of {sorted(owners)}")
    require(not listed["broken"], f"core alone has broken plugins: {listed['broken']}")
    passed(f"core alone: {len(listed['providers'])} providers, all its own")
    check_search(environment, "core alone", folder)


def check_plugins(core: Wheel, plugins: Sequence[Wheel], folder: Path) -> Environment:
    """Core with all extras that have a wheel here."""
    environment = Environment(folder / "extras")
    extras = ",".join(sorted(extra(plugin) for plugin in plugins))
    environment.install(f"hierdoc[{extras}]=={core.version}", "--find-links", str(core.file.parent))
    passed(f"hierdoc[{extras}] installs")
    listed = environment.plugins()
    require(not listed["broken"], f"broken plugins: {listed['broken']}")
    found = {one["distribution"]: one["version"] for one in listed["providers"]}
    wanted = {wheel.distribution: wheel.version for wheel in [core, *plugins]}
    require(found == wanted, f"`hierdoc plugins list` shows {found}, not {wanted}")
    passed(f"plugins: all {len(plugins)} are listed, unbroken, at their versions")
    check_search(environment, "with plugins", folder)
    if any(extra(plugin) == "rank-bm25" for plugin in plugins):
        check_configured(environment, folder / "configured")
    return environment


def check_configured(environment: Environment, folder: Path) -> None:
    """A configuration that names a plugin."""
    folder.mkdir()
    shutil.copytree(ROOT / "docs", folder / "docs")
    (folder / "hierdoc.yaml").write_text("source: docs\nkeyword: rank-bm25\n", encoding="utf-8")
    environment.hierdoc("ingest", cwd=folder)
    found = json.loads(environment.hierdoc("search", QUERY, "--json", cwd=folder))
    legs = {leg for hit in found["hits"] for leg in hit["scores"]}
    require(not found["degraded"], f"`keyword: rank-bm25` degrades: {found['degraded']}")
    require("keyword" in legs, f"`keyword: rank-bm25` finds nothing; legs: {sorted(legs)}")
    passed("plugins: a configuration with `keyword: rank-bm25` ingests and searches")


def check_broken_sibling(environment: Environment, folder: Path) -> None:
    """A plugin that raises when it is imported stops nobody else."""
    before = environment.plugins()["providers"]
    environment.install("--no-deps", str(broken_wheel(folder)))
    listed = environment.plugins()
    broken = [(one["name"], one["distribution"], one["version"]) for one in listed["broken"]]
    require(broken == [("sibling", "hierdoc-sibling", "9.9")], f"listed as broken: {broken}")
    reason = listed["broken"][0]["reason"]
    require("not my day" in reason, f"the broken plugin's reason is {reason!r}")
    require(listed["providers"] == before, "a broken plugin changes which providers there are")
    passed(f"broken sibling: listed as broken ({reason}), the others as before")
    check_search(environment, "broken sibling", folder)
    config = folder / "sibling.yaml"
    config.write_text("source: .\nkeyword: sibling\n", encoding="utf-8")
    said = environment.hierdoc("search", QUERY, "--config", str(config), status=2)
    require(
        "hierdoc-sibling" in said and "not my day" in said and "Traceback" not in said,
        f"naming a broken plugin says:\n{said}",
    )
    passed("broken sibling: naming it in a configuration says which distribution and why")


def check_example(core: Wheel, example: Wheel, folder: Path) -> None:
    """The tutorial's plugin in a clean environment: listed, conformant, and at work."""
    environment = Environment(folder / "example")
    environment.install(str(core.file), str(example.file), "pytest>=8.2")
    listed = {(one["kind"], one["name"]): one for one in environment.plugins()["providers"]}
    owner = listed.get(("converter", "org"), {}).get("distribution")
    require(owner == "hierdoc-example", f"`converter: org` is of {owner}")
    tests = ROOT / "contrib" / "hierdoc-example" / "tests"
    run(
        [
            environment.python,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-c",
            os.devnull,
            "--rootdir",
            str(tests),
            str(tests),
        ]
    )
    passed("hierdoc-example: conformant in a clean environment")
    source = folder / "notes"
    source.mkdir()
    (source / "act.org").write_text("* Harbour Act\n\n** Berths\n\nA berth is a place.\n", "utf-8")
    found = json.loads(environment.hierdoc("search", "Berths", "--source", str(source), "--json"))
    require(
        found["hits"][0]["parent_chain"] == ["Harbour Act", "Berths"], f"found: {found['hits']}"
    )
    passed("hierdoc-example: Org files are searched along their headings")


def check_sdist(core: Wheel, folder: Path) -> None:
    """The sdist builds the same wheel, which installs and works."""
    sdist = core.file.parent / f"hierdoc-{core.version}.tar.gz"
    require(sdist.is_file(), f"there is no {sdist.name}")
    environment = Environment(folder / "sdist")
    environment.install(str(sdist))
    said = environment.hierdoc("--version")
    require(core.version in said, f"from the sdist, `hierdoc --version` says {said!r}")
    passed(f"{sdist.name}: builds and installs")
    check_search(environment, "from the sdist", folder)


def check_search(environment: Environment, label: str, folder: Path) -> None:
    """Search the project's own docs without configuration, index or network."""
    found = json.loads(
        environment.offline("search", QUERY, "--source", str(ROOT / "docs"), "--json", cwd=folder)
    )
    require(bool(found["hits"]), f"{label}: a search of docs/ finds nothing")
    require(not found["degraded"], f"{label}: a search of docs/ degrades: {found['degraded']}")
    first = found["hits"][0]
    passed(f"{label}: an offline search of docs/ finds {first['source']}, {first['section_id']}")


def broken_wheel(folder: Path) -> Path:
    """A plugin whose module raises, as a wheel made by hand: no build tool needed."""
    info = "hierdoc_sibling-9.9.dist-info"
    files = {
        "hierdoc_sibling.py": "raise RuntimeError('not my day')\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: hierdoc-sibling\nVersion: 9.9\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[hierdoc]\nsibling = hierdoc_sibling\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    wheel = folder / "hierdoc_sibling-9.9-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return wheel


def extra(plugin: Wheel) -> str:
    """The extra of core that brings it."""
    return plugin.distribution.removeprefix("hierdoc-")


def run(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    status: int = 0,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Its standard output, with the errors where another exit status than 0 is expected.

    Raises:
        CheckError: Its exit status is another one.
    """
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    if done.returncode != status:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-20:])
        shown = " ".join(part for part in command if "\n" not in part)
        raise CheckError(f"exit status {done.returncode}, not {status}, of `{shown}`:\n{said}")
    return done.stdout + done.stderr if status else done.stdout


def require(fulfilled: bool, otherwise: str) -> None:
    """Raise CheckError unless it is so."""
    if not fulfilled:
        raise CheckError(otherwise)


def passed(what: str) -> None:
    """Say that a check has passed."""
    print(f"ok      {what}", flush=True)


if __name__ == "__main__":
    main()
