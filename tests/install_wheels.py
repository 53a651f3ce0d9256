"""Install the freshly built wheels into clean environments and do the main job there.

`nox -s wheels` builds them and checks what `pip install hierdoc` brings. `nox -s installs` gives `--all`: core alone, all extras, a
broken plugin beside them, the example and the sdists are checked too.

HIERDOC_WHEELS names the folder with the wheels (and sdists) of all distributions. Needs nothing but the standard library; with
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
LARGEST = 1_000_000
"""Bytes that a wheel may have."""

LARGEST_WITH_MODEL = 12_000_000
"""Bytes that the wheel with the static embedding model may have."""

DEFAULTS = {f"hierdoc-{name}" for name in "evaluation html in-memory sqlite static tantivy".split()}
"""What the distribution `hierdoc` brings besides core."""

TOOLS = {
    "hierdoc-evaluation",
    "hierdoc-mcp",
    "hierdoc-remote",
    "hierdoc-serve",
    "hierdoc-testing",
    "hierdoc-tools",
    "hierdoc-watch",
}
"""Plugins without a provider."""

HEAVY = {"hierdoc-cross-encoder"}
"""Plugins that bring torch, several gigabytes; `nox -s torch` installs them."""

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
    if not {"hierdoc", "hierdoc-core"} <= set(named):
        sys.exit(f"{given} lacks the wheel of hierdoc or of hierdoc-core")
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hierdoc-wheels-") as folder:
        try:
            check_contents(wheels)
            check_defaults(named, Path(folder))
            if "--all" in sys.argv:
                check_core_alone(named["hierdoc-core"], Path(folder))
                environment = check_plugins(named, Path(folder))
                check_broken_sibling(environment, Path(folder))
                check_example(named, Path(folder))
                check_sdists(named, Path(folder))
        except CheckError as error:
            print(f"FAILED  {error}")
            sys.exit(1)
    print(f"all is well, after {time.monotonic() - started:.0f} s")


def check_contents(wheels: Sequence[Wheel]) -> None:
    """What is in the wheels, and what is not."""
    for wheel in wheels:
        tests = [name for name in wheel.names if {"tests", "conftest.py"} & set(name.split("/"))]
        require(not tests, f"{wheel.file.name} holds tests: {tests[:3]}")
        require(wheel.holds(".dist-info/licenses/LICENSE"), f"{wheel.file.name} lacks its licence")
        code = [name for name in wheel.names if ".dist-info/" not in name]
        if wheel.distribution == "hierdoc":
            require(not code, f"{wheel.file.name} holds code: {code[:3]}")
        else:
            missing = source_files(wheel) - set(code)
            require(not missing, f"{wheel.file.name} lacks {sorted(missing)[:3]}")
            require(wheel.holds("/py.typed"), f"{wheel.file.name} lacks py.typed")
        size = wheel.file.stat().st_size
        most = LARGEST_WITH_MODEL if wheel.distribution == "hierdoc-static" else LARGEST
        require(size < most, f"{wheel.file.name} has {size:,} bytes, {most:,} at most")
        passed(f"{wheel.file.name}: {size:,} bytes, complete, licensed, without tests")


def source_files(wheel: Wheel) -> set[str]:
    """All files of its packages in the checkout, stubs and data included."""
    folders = [ROOT / "core", *ROOT.glob("plugins/*"), *ROOT.glob("contrib/*")]
    (folder,) = (
        folder
        for folder in folders
        if folder.name in (wheel.distribution, wheel.distribution.removeprefix("hierdoc-"))
    )
    files = [file for file in folder.glob("src/**/*") if file.is_file()]
    kept = [file for file in files if "__pycache__" not in file.parts]
    return {file.relative_to(folder / "src").as_posix() for file in kept}


def check_defaults(named: Mapping[str, Wheel], folder: Path) -> None:
    """What `pip install hierdoc` brings does the main job without configuration or network."""
    environment = Environment(folder / "defaults")
    own = [str(named[name].file) for name in ("hierdoc", "hierdoc-core", *sorted(DEFAULTS))]
    environment.install(*own)
    version = named["hierdoc"].version
    said = environment.hierdoc("--version")
    require(version in said, f"`hierdoc --version` says {said!r}, not {version}")
    passed(f"hierdoc: `hierdoc --version` says {version}")
    listed = environment.plugins()
    owners = {provider["distribution"] for provider in listed["providers"]}
    wanted = {"hierdoc-core", *DEFAULTS} - TOOLS
    require(owners == wanted, f"hierdoc has providers of {sorted(owners)}, not {sorted(wanted)}")
    require(not listed["broken"], f"hierdoc has broken plugins: {listed['broken']}")
    passed(f"hierdoc: {len(listed['providers'])} providers, of core and the default plugins")
    check_search(environment, "hierdoc", folder)


def check_core_alone(core: Wheel, folder: Path) -> None:
    """Core's wheel and what it depends on: it works with what needs no library, and names what is missing."""
    environment = Environment(folder / "core")
    environment.install(str(core.file))
    said = environment.hierdoc("--version")
    require(core.version in said, f"`hierdoc --version` says {said!r}, not {core.version}")
    listed = environment.plugins()
    owners = {provider["distribution"] for provider in listed["providers"]}
    require(owners == {"hierdoc-core"}, f"core alone has providers of {sorted(owners)}")
    require(not listed["broken"], f"core alone has broken plugins: {listed['broken']}")
    passed(f"core alone: {len(listed['providers'])} providers, all its own")
    said = environment.hierdoc("search", QUERY, "--source", str(ROOT / "docs"), status=2)
    require("pip install 'hierdoc[" in said, f"core alone does not say what it needs:\n{said}")
    passed("core alone: a search names the plugin that it needs")
    outline = environment.offline("outline", str(ROOT / "README.md"), "--json", cwd=folder)
    require(bool(json.loads(outline)["sections"]), "core alone finds no sections in README.md")
    passed("core alone: `hierdoc outline` finds the sections of README.md")


def check_plugins(named: Mapping[str, Wheel], folder: Path) -> Environment:
    """hierdoc with all extras that have a wheel here."""
    hierdoc = named["hierdoc"]
    plugins = [name for name in set(named) - HEAVY if (ROOT / "plugins" / extra(name)).is_dir()]
    environment = Environment(folder / "extras")
    extras = ",".join(sorted(map(extra, plugins)))
    environment.install(
        f"hierdoc[{extras}]=={hierdoc.version}", "--find-links", str(hierdoc.file.parent)
    )
    passed(f"hierdoc[{extras}] installs")
    listed = environment.plugins()
    require(not listed["broken"], f"broken plugins: {listed['broken']}")
    found = {one["distribution"]: one["version"] for one in listed["providers"]}
    wanted = {name: named[name].version for name in {"hierdoc-core", *plugins} - TOOLS}
    require(found == wanted, f"`hierdoc plugins list` shows {found}, not {wanted}")
    passed(f"plugins: all {len(plugins)} are listed, unbroken, at their versions")
    check_search(environment, "with plugins", folder)
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


def check_example(named: Mapping[str, Wheel], folder: Path) -> None:
    """The tutorial's plugin in a clean environment: listed, conformant, and at work."""
    environment = Environment(folder / "example")
    own = {"hierdoc", "hierdoc-core", "hierdoc-example", "hierdoc-testing", *DEFAULTS}
    environment.install(*(str(named[name].file) for name in sorted(own)), "pytest>=8.2")
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


def check_sdists(named: Mapping[str, Wheel], folder: Path) -> None:
    """The sdists build the same wheels, which install and work."""
    environment = Environment(folder / "sdist")
    sdists = []
    for name in ("hierdoc", "hierdoc-core", *sorted(DEFAULTS)):
        wheel = named[name]
        sdists.append(wheel.file.with_name(f"{name.replace('-', '_')}-{wheel.version}.tar.gz"))
        require(sdists[-1].is_file(), f"there is no {sdists[-1].name}")
    environment.install(*map(str, sdists))
    said = environment.hierdoc("--version")
    version = named["hierdoc"].version
    require(version in said, f"from the sdists, `hierdoc --version` says {said!r}")
    passed(f"sdists of hierdoc {version}, core and the default plugins: build and install")
    check_search(environment, "from the sdists", folder)


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


def extra(distribution: str) -> str:
    """The extra that brings it."""
    return distribution.removeprefix("hierdoc-")


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
