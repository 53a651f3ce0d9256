"""The documentation: everything is in it, generated pages are current, links resolve, examples run.

An HTML comment on the line above a fenced block says what is special about it:

    <!-- file: PATH -->      the block is saved there, in the page's folder, before what follows runs
    <!-- output -->          what the block above prints: these lines in this order, `...` stands for anything
    <!-- status: N -->       the command ends with this exit status instead of 0
    <!-- not run: WHY -->    for people only

Otherwise ```python runs, `await` included, all blocks of a page in one namespace; of ```sh those lines run that `_run_line` knows;
```yaml is validated as a configuration, unless it is saved under another name than hierdoc.yaml. Blocks of other languages are only read. Each page has a folder of its own.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import importlib
import inspect
import io
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import click
import pytest

import hierdoc.plugin
import hierdoc_evaluation
from hierdoc import Config, cli, errors, load_config
from hierdoc.config.models import SearchSettings, Weights
from hierdoc.filters import Filter
from hierdoc.plugin import ALL_FILTERS, Capability, ComponentKind, Registry, default_registry
from hierdoc.plugin.protocols import Backend

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "core" / "README.md"]

page_by_page = pytest.mark.parametrize(
    "page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES]
)


# Everything is documented


def read(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def section(name: str, heading: str) -> str:
    """The part of a page below a heading, down to the next one of any level."""
    parts = re.split(r"^#+ (.+)$", read(name), flags=re.MULTILINE)
    titles = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert heading in titles, f"docs/{name} has no heading {heading!r}"
    return titles[heading]


@pytest.fixture
def generate(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The generator of the reference pages."""
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("generate")


def test_generated_pages_are_current(generate: Any) -> None:
    assert not list(generate.stale_pages()), "run python docs/generate.py"


@pytest.mark.parametrize("kind", list(ComponentKind), ids=str)
def test_every_hook_is_documented(kind: ComponentKind) -> None:
    assert "Example" in section("reference/hooks.md", f"`{kind.hook}`")
    assert f"`{kind.hook}`" in read("plugins/kinds.md")


def test_the_hook_for_commands_is_documented() -> None:
    assert "Example" in section("reference/hooks.md", "`hierdoc_register_commands`")
    assert "`hierdoc_register_commands(cli)`" in read("plugins/kinds.md")


@pytest.mark.parametrize("kind", list(ComponentKind), ids=str)
def test_the_example_of_a_hook_is_a_plugin(kind: ComponentKind) -> None:
    body = section("reference/hooks.md", f"`{kind.hook}`")
    (code,) = re.findall(r"```python\n(.*?)```", body, re.DOTALL)
    plugin = ModuleType("example")
    exec(compile(code, "example", "exec", dont_inherit=True), vars(plugin))
    registry = Registry(allowed=frozenset())
    registry.register(plugin, "example")
    assert "this program" in [one.distribution for one in registry.providers(kind)]


@pytest.mark.parametrize(
    ("heading", "model"),
    [
        ("Top-level keys", Config),
        ("`search`", SearchSettings),
        ("`search.weights`", Weights),
    ],
)
def test_every_key_is_documented(heading: str, model: Any) -> None:
    rows = section("reference/config.md", heading)
    for name, one in model.model_fields.items():
        assert f"| `{name}` |" in rows
        assert one.description
        assert one.description in rows


def test_every_key_of_every_provider_is_documented(generate: Any) -> None:
    registered = generate.first_party_providers()
    assert {one.distribution for one in registered} > {"hierdoc-core", "hierdoc-sqlite"}
    for one in registered:
        rows = section("reference/config.md", f"`{one.kind.value}: {one.provider.name}`")
        assert one.provider.summary.rstrip(".") in rows
        for name, key in one.provider.config.model_fields.items():
            if name != "provider":
                assert f"| `{name}` |" in rows
                assert key.description, f"{one.provider.name}: {name} has no description"
                assert key.description in rows


def test_every_command_and_option_is_documented(generate: Any) -> None:
    found = dict(generate.commands())
    assert ("hierdoc", "plugins", "list") in found
    for words, command in found.items():
        body = section("reference/cli.md", f"`{' '.join(words)}`")
        assert inspect.cleandoc(command.help or "missing") in body
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help
                assert parameter.help in body
                assert all(name in body for name in parameter.opts)
            else:
                assert str(parameter.name).upper() in body


def test_every_environment_variable_is_documented() -> None:
    code = "".join(file.read_text("utf-8") for file in ROOT.glob("core/src/hierdoc/**/*.py"))
    names = set(re.findall(r'environ(?:\.get\(|\[)"(\w+)"', code))
    assert {"HIERDOC_CONFIG", "HIERDOC_PLUGINS"} <= names
    for name in names:
        assert f"| `{name}` |" in read("reference/cli.md")


def _errors() -> list[type[Exception]]:
    found = [value for value in vars(errors).values() if inspect.isclass(value)]
    return [one for one in found if issubclass(one, errors.HierdocError)]


@pytest.mark.parametrize("error", _errors(), ids=lambda error: error.__name__)
def test_every_error_is_documented(error: type[Exception]) -> None:
    body = section("errors.md", f"`{error.__name__}`")
    assert "When:" in body
    tree = re.findall(r"^([│ ├└─]*)(\w+)$", section("errors.md", "Every error"), re.MULTILINE)
    names = [name for _, name in tree]
    above = tree[: names.index(error.__name__)]
    depth = len(tree[names.index(error.__name__)][0])
    parents = [name for indent, name in above if len(indent) < depth]
    assert (parents or ["Exception"])[-1] == error.__bases__[0].__name__


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("api.md", [*hierdoc.__all__, *(node.__name__ for node in get_args(Filter))]),
        ("plugin.md", hierdoc.plugin.__all__),
        ("evaluation.md", hierdoc_evaluation.__all__),
    ],
)
def test_every_public_name_is_documented(page: str, names: list[str]) -> None:
    headings = re.findall(r"^### `(\w+)`$", read(f"reference/{page}"), re.MULTILINE)
    assert set(headings) >= set(names)
    assert len(set(headings)) == len(headings)


def test_the_contract_of_backends_names_every_method() -> None:
    methods = {name for name in vars(Backend) if not name.startswith("_")}
    assert {"prepare", "upsert", "delete_documents"} <= methods
    for name in methods:
        assert f"`{name}" in read("plugins/contract.md")


def test_every_json_key_is_documented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("act.md").write_text("# Act\n\n## Section 1\n\n“Quay” means a wall. See Section 1.\n")
    lines = [
        '{"question": "quay", "section": "Section 1"}',
        '{"question": "wall", "text": "a wall"}',
    ]
    Path("truth.jsonl").write_text("\n".join(lines))
    page = read("reference/cli.md")
    for line in (
        "ingest --source act.md", "search quay --source act.md", "section 'Section 1' --source act.md",
        "define quay --source act.md", "outline act.md", "plugins list", "doctor --source act.md",
        "eval truth.jsonl --source act.md", "tune truth.jsonl --source act.md --folds 2 --trials 3",
    ):  # fmt: skip
        status, printed = _hierdoc(*shlex.split(line), "--json")
        assert status == 0, printed
        for key in re.findall(r'^ *"(\w+)":', printed, re.MULTILINE):
            assert f'"{key}"' in page, f"hierdoc {line} --json: {key}"


def test_every_capability_is_documented_with_who_has_it() -> None:
    body = section("backends.md", "Capabilities")
    for capability in Capability:
        assert f"`{capability.name}`" in body
    kinds = {"vector": ComponentKind.VECTOR, "keyword": ComponentKind.KEYWORD}
    rows = re.findall(r"^\| `(\w+): ([\w-]+)` \| (.*) \|$", body, re.MULTILINE)
    assert len(rows) == 4
    registry = Registry(allowed=frozenset(("in-memory", "sqlite", "tantivy")))
    for kind, name, claimed in rows:
        config = registry.find(kinds[kind], name).config()
        capabilities = registry.open(kinds[kind], config).capabilities
        filters = "all filters" in claimed
        assert filters == (capabilities >= ALL_FILTERS)
        others = {one.name for one in capabilities - ALL_FILTERS}
        assert set(re.findall(r"`(\w+)`", claimed)) == others


# Pages


@page_by_page
def test_links_resolve(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", _prose(page)):
        assert not target.startswith(("http:", "https:")), f"{target}: a page of the web"
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), target
        if anchor:
            assert anchor in _anchors(file), target


@page_by_page
def test_nothing_of_this_machine_is_in_it(page: Path) -> None:
    text = page.read_text("utf-8")
    assert str(ROOT) not in text
    assert str(Path.home()) not in text


def test_every_page_is_on_the_map() -> None:
    for page in DOCS.rglob("*.md"):
        if page != DOCS / "index.md":
            assert f"({page.relative_to(DOCS).as_posix()})" in read("index.md")


def test_internals_leads_through_files_that_exist() -> None:
    way = read("internals.md").partition("## Layers")[0]
    files = re.findall(r"^\d\. \*\*`([\w/]+\.py)`", way, re.MULTILINE)
    assert len(files) == 14, "a query and a document each pass through seven"
    for file in files:
        assert (ROOT / "core" / "src" / "hierdoc" / file).exists(), file


@pytest.mark.parametrize("name", ["main command", "test command"])
def test_the_readme_has_one_line_for_ci_between_its_marks(name: str) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    marked = re.findall(rf"<!-- {name} -->\n```sh\n(.+)\n```\n<!-- end -->", text)
    assert len(marked) == 1


def _prose(page: Path) -> str:
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.M | re.S)


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


# Examples


@page_by_page
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "src"))
    if page.name == "README.md":  # stands where docs/ is
        shutil.copytree(DOCS, tmp_path / "docs")
    example = _Example(page, tmp_path)
    for block in _blocks(page):
        example.take(block)


@dataclass
class _Block:
    """A fenced block: where it begins, what the comment above it says, its language and its text."""

    place: str
    mark: str
    language: str
    text: str


@dataclass
class _Example:
    """What a page's examples have done so far."""

    page: Path
    folder: Path
    namespace: dict[str, Any] = field(default_factory=lambda: {"__name__": "example"})
    printed: str = ""

    def take(self, block: _Block) -> None:
        kind, _, argument = block.mark.partition(": ")
        if kind == "not run":
            assert argument, f"{block.place}: say why it is not run"
            return
        if kind == "output":
            _compare(block, self.printed)
        elif kind == "file":
            file = self.folder / argument
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, "utf-8")
        elif block.language == "python":
            self.printed = self._run_python(block)
        elif block.language == "sh":
            status = int(argument) if kind == "status" else 0
            lines = block.text.splitlines()
            self.printed = "".join(self._run_line(block, line, status) for line in lines)
        if block.language == "yaml" and (kind != "file" or argument.endswith("hierdoc.yaml")):
            file = self.folder / "validated.yaml"
            file.write_text(block.text, "utf-8")
            load_config(file, registry=Registry())

    def _run_python(self, block: _Block) -> str:
        code = compile(block.text, block.place, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            waiting = eval(code, self.namespace)
            if inspect.iscoroutine(waiting):
                asyncio.run(waiting)
        return out.getvalue()

    def _run_line(self, block: _Block, line: str, status: int) -> str:
        words = shlex.split(line, comments=True)
        if words == ["pip", "install", "-e", "."]:
            self._install()
            return ""
        if words[:3] == ["python", "-m", "pytest"]:
            command = [sys.executable, *words[1:], "-p", "no:cacheprovider"]
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
            left, printed = done.returncode, done.stdout + done.stderr
        elif words[:1] == ["hierdoc"]:
            left, printed = _hierdoc(*words[1:])
        else:
            return ""
        assert left == status, f"{block.place}: {line}\n{printed}"
        return printed

    def _install(self) -> None:
        """Make the project in the folder look installed, as an editable install would, without a build."""
        project = (self.folder / "pyproject.toml").read_text("utf-8")
        (name,) = re.findall(r'^name = "(.+)"', project, re.MULTILINE)
        points = re.findall(
            r"^\[project\.entry-points\.hierdoc\]\n((?:.+\n)+)", project, re.MULTILINE
        )
        folder = self.folder / "src" / f"{name.replace('-', '_')}-0.1.0.dist-info"
        folder.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n"
        (folder / "METADATA").write_text(metadata, "utf-8")
        (folder / "entry_points.txt").write_text(
            "[hierdoc]\n" + points[0].replace('"', ""), "utf-8"
        )
        importlib.invalidate_caches()


def _blocks(page: Path) -> Iterator[_Block]:
    text = page.read_text("utf-8")
    pattern = r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$"
    for found in re.finditer(pattern, text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, found.start("text"))
        place = f"{page.relative_to(ROOT)}:{line}"
        yield _Block(place, found["mark"] or "", found["language"], found["text"])


def _compare(block: _Block, printed: str) -> None:
    """Every line of the block stands in what was printed, in this order; runs of spaces do not matter."""
    lines = iter([" ".join(line.split()) for line in printed.splitlines()])
    for expected in (" ".join(line.split()) for line in block.text.splitlines()):
        if expected in ("", "..."):
            continue
        pattern = re.compile(re.escape(expected).replace(r"\.\.\.", ".*"))
        found = any(pattern.fullmatch(line) for line in lines)
        assert found, f"{block.place}: not printed here: {expected}\n{printed}"


def _hierdoc(*arguments: str) -> tuple[int, str]:
    """Run the command line in this process, in the current folder: exit status, and what it printed."""
    default_registry.cache_clear()
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.setattr(sys, "argv", ["hierdoc", *arguments])
        patch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as left:
            cli.main()
    return int(left.value.code or 0), out.getvalue() + err.getvalue()
