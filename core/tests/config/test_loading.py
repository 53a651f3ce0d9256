"""Configuration: precedence, places of errors, variables, paths, secrets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from pydantic import SecretStr

from hierdoc import ConfigError, load_config
from hierdoc.config.loading import find_config
from hierdoc.errors import PluginLoadError, UnknownProviderError
from hierdoc.plugin import ComponentKind, Provider, ProviderConfig, Registry, hookimpl

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        file = tmp_path / "hierdoc.yaml"
        file.write_text(text, encoding="utf-8")
        return file

    return write


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HIERDOC_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg-config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg-cache"))


def test_a_bare_name_is_a_provider(write: Write) -> None:
    config = load_config(write("vector: in-memory\nfuser: weighted-sum\n"))
    assert (config.vector.provider, config.fuser.provider) == ("in-memory", "weighted-sum")


def test_the_defaults_are_the_documented_ones() -> None:
    config = load_config({})
    chosen = {
        kind.value: getattr(config.component(kind), "provider", None) for kind in ComponentKind
    }
    assert chosen == {
        "converter": "auto",
        "chunker": "structure",
        "context": "structural",
        "embedder": "static",
        "vector": "sqlite",
        "keyword": "tantivy",
        "fuser": "adaptive",
        "reranker": None,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vectr: sqlite\n", "hierdoc.yaml:1: vectr: unknown key; did you mean `vector`?"),
        (
            "source: .\nvector:\n  provider: sqlite\n  pth: x\n",
            "hierdoc.yaml:4: vector.pth: unknown key; did you mean `path`?",
        ),
        (
            "search:\n  weights: {semntic: 1}\n",
            "hierdoc.yaml:2: search.weights.semntic: unknown key; did you mean `semantic`?",
        ),
        (
            "keyword:\n  provider: tantivy\n  lang: de\n",
            "hierdoc.yaml:3: keyword.lang: unknown key",
        ),
        ("search:\n\n  top_k: 101\n", "hierdoc.yaml:3: search.top_k: Input should be less than"),
        ("chunker:\n  provider: token\n  max_chunk_tokens: many\n", "hierdoc.yaml:3: chunker.max"),
        ("vector: {path: x}\n", "hierdoc.yaml:1: vector: write a provider's name"),
        ("vector: [a]\n", "hierdoc.yaml:1: vector: write a provider's name"),
        ("a: 1\na: 2\n", "hierdoc.yaml:2: the key 'a' stands here twice"),
        ("a: [1\n", "hierdoc.yaml:2: this is not YAML"),
        ("- a\n", "hierdoc.yaml:1: a configuration is a mapping"),
        (
            "source: ${NOWHERE_SET}\n",
            "hierdoc.yaml:1: source: the environment variable NOWHERE_SET",
        ),
    ],
)
def test_an_error_names_file_line_and_key(write: Write, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(write(text))
    assert message in str(caught.value)


def test_all_errors_are_told_at_once(write: Write) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(write("vectr: 1\nsearch: {top_k: 0}\n"))
    assert len(str(caught.value).splitlines()) == 2


def test_an_unknown_provider_names_the_nearest(write: Write) -> None:
    with pytest.raises(UnknownProviderError) as caught:
        load_config(write("source: .\nvector: sqlit\n"))
    assert ":2: vector: no vector provider is called 'sqlit'" in str(caught.value)
    assert "Did you mean sqlite?" in str(caught.value.hint)


def test_variables_and_their_defaults(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHERE", "papers")
    monkeypatch.setenv("EMPTY", "")
    monkeypatch.setenv("HOW_MANY", "7")
    config = load_config(
        write(
            "source: ['${WHERE}/a', '${UNSET_X:-b}', '${EMPTY:-c}', '$${WHERE}']\n"
            "search: {top_k: '${HOW_MANY}'}\n"
        )
    )
    assert config.source == ("papers/a", "b", "c", "${WHERE}")
    assert config.search.top_k == 7


def test_a_value_from_a_variable_cannot_add_keys(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVIL", "x\nvector: in-memory")
    assert load_config(write("source: ${EVIL}\n")).source == ("x\nvector: in-memory",)


def test_a_configuration_is_looked_for_upward_to_the_project_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / "project" / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "hierdoc.yaml").write_text("source: outside\n")
    (tmp_path / "project" / ".git").mkdir()
    assert find_config(deep) is None
    (tmp_path / "project" / "hierdoc.yaml").write_text("source: inside\n")
    monkeypatch.chdir(deep)
    assert load_config().source == ("inside",)


def test_the_environment_goes_before_the_folder(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("source: folder\n")
    other = tmp_path / "other.yaml"
    other.write_text("source: named\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HIERDOC_CONFIG", str(other))
    assert load_config().source == ("named",)
    assert load_config(tmp_path / "hierdoc.yaml").source == ("folder",)


def test_a_named_configuration_that_is_missing_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "nowhere.yaml")
    monkeypatch.setenv("HIERDOC_CONFIG", str(tmp_path / "nowhere.yaml"))
    with pytest.raises(ConfigError, match="HIERDOC_CONFIG"):
        load_config()


def test_the_user_configuration_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "xdg-config" / "hierdoc"
    folder.mkdir(parents=True)
    (folder / "hierdoc.yaml").write_text("source: mine\n")
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    assert load_config().source == ("mine",)


def test_an_index_lives_beside_its_configuration(write: Write, tmp_path: Path) -> None:
    config = load_config(write("source: .\nkeyword: {provider: tantivy, path: elsewhere}\n"))
    assert config.vector.model_dump()["path"] == tmp_path / ".hierdoc"
    assert config.keyword is not None
    assert config.keyword.model_dump()["path"] == tmp_path / "elsewhere"


def test_paths_of_a_mapping_start_at_the_folder_that_is_given(tmp_path: Path) -> None:
    config = load_config({"source": "docs", "vector": {"provider": "sqlite"}}, base=tmp_path)
    assert config.base == tmp_path
    assert config.vector.path == tmp_path / ".hierdoc"  # type: ignore[attr-defined]


def test_patterns_given_by_argument_replace_the_configured_ones(write: Write) -> None:
    file = write("source: .\ninclude: '*.md'\nexclude: [drafts/]\n")
    assert load_config(file).include == ("*.md",)
    config = load_config(file, exclude=["old/", "*.txt"])
    assert (config.include, config.exclude) == (("*.md",), ("old/", "*.txt"))


def test_what_is_no_pattern_is_refused(write: Write) -> None:
    with pytest.raises(ConfigError, match="is no pattern of a"):
        load_config(write("source: .\nexclude: ['!']\n"))


def test_without_a_configuration_an_index_lives_in_the_cache_under_its_source(
    tmp_path: Path,
) -> None:
    one, two = (load_config(source=tmp_path / name).vector.model_dump()["path"] for name in "ab")
    again = load_config(source=str(tmp_path / "x" / ".." / "a")).vector.model_dump()["path"]
    assert one.is_relative_to(tmp_path / "xdg-cache")
    assert one != two
    assert one == again


def test_a_source_given_by_argument_replaces_the_configured_one(
    write: Write, tmp_path: Path
) -> None:
    config = load_config(write("source: docs\n"), source=tmp_path / "other")
    assert config.source == (str(tmp_path / "other"),)
    assert load_config(load_config({}), source="a").source[0].endswith("/a")


class _Keyed(ProviderConfig):
    provider: Literal["keyed"] = "keyed"
    api_key: SecretStr
    port: int = 1


class _KeyedPlugin:
    @staticmethod
    @hookimpl
    def hierdoc_vector_backends() -> list[Provider[_Keyed, object]]:
        return [Provider(_Keyed, lambda config: object())]


@pytest.mark.parametrize(
    "text",
    [
        "vector: {provider: keyed, api_key: '${KEY}', port: '${KEY}'}\n",
        "vector: {provider: keyed, apikey: '${KEY}'}\n",
        "vector: {provider: keyed, api_key: {x: '${KEY}'}}\n",
        "search: {mode: '${KEY}'}\n",
    ],
)
def test_errors_never_show_a_secret(
    write: Write, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("KEY", "hush-hush")
    registry = Registry()
    registry.register(_KeyedPlugin, "keyed")
    with pytest.raises(ConfigError) as caught:
        load_config(write(text), registry=registry)
    shown = repr(caught.value) + str(caught.value) + str(caught.value.hint)
    assert "hush" not in shown
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_dumps_never_show_a_secret(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "hush-hush")
    registry = Registry()
    registry.register(_KeyedPlugin, "keyed")
    config = load_config(write("vector: {provider: keyed, api_key: '${KEY}'}\n"), registry=registry)
    assert "hush" not in repr(config) + str(config.model_dump()) + config.model_dump_json()


def test_a_library_that_is_missing_gives_the_install_line() -> None:
    class Config(ProviderConfig):
        provider: Literal["fastembed"] = "fastembed"

    def open_(config: Config) -> object:
        import no_such_library_anywhere

        return no_such_library_anywhere

    class Plugin:
        @staticmethod
        @hookimpl
        def hierdoc_embedders() -> list[Provider[Config, object]]:
            return [Provider(Config, open_)]

    registry = Registry(allowed=frozenset({"html", "in-memory", "sqlite", "static", "tantivy"}))
    registry.register(Plugin, "fastembed")
    with pytest.raises(PluginLoadError) as caught:
        registry.open(ComponentKind.EMBEDDER, Config())
    assert caught.value.hint == "pip install 'hierdoc[fastembed]'"


def test_several_missing_plugins_are_installed_by_one_line() -> None:
    registry = Registry()
    vars(registry)["_entry_points"] = []  # as where core is installed alone
    with pytest.raises(UnknownProviderError, match="no vector provider is called 'sqlite'") as told:
        load_config({"source": "docs"}, registry=registry)
    assert told.value.hint == "pip install 'hierdoc[static,sqlite,tantivy]'"


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text", [BOMB, "a: &a [*a]\n", "a: &a {b: *a}\n", "source: &a [docs, *a]\n"]
)
def test_aliases_that_stand_for_too_much_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "hierdoc.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match="stands for more than") as caught:
        load_config(file)
    assert "aliases" in str(caught.value.hint)


def test_aliases_that_stand_for_little_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "hierdoc.yaml"
    file.write_text(
        "vector: {provider: sqlite, path: &where index}\nkeyword: {provider: tantivy, path: *where}\n"
    )
    config = load_config(file)
    assert config.vector.path == config.keyword.path == tmp_path / "index"  # type: ignore[union-attr, attr-defined]


@pytest.mark.parametrize("text", ['source: "a\\0b"', 'vector: {provider: sqlite, path: "a\\0b"}'])
def test_a_zero_character_in_a_path_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "hierdoc.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"hierdoc.yaml:1: .*zero character"):
        load_config(file)
    with pytest.raises(ConfigError, match="zero character"):
        load_config(source="a\0b")
    with pytest.raises(ConfigError, match="zero character"):
        load_config(Path("a\0b.yaml"))
