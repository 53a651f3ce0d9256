"""Where tools and stores are read from, and which of several goes first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from hierdoc import ConfigError
from hierdoc_holodeck import load_tool, load_tools
from hierdoc_holodeck.loading import read_agent

STORE = {"type": "vectorstore", "name": "notes", "source": "docs"}


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an agent, with a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "agent"
    folder.mkdir()
    return folder


def write(file: Path, content: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return file


def store(folder: Path, tool: dict[str, Any]) -> dict[str, Any]:
    """The vector backend that a tool of an agent in this folder gets."""
    write(folder / "agent.yaml", {"tools": [tool]})
    (loaded,) = load_tools(folder / "agent.yaml")
    return loaded._translation.config.vector.model_dump(mode="json")


def qdrant(host: str) -> dict[str, str]:
    return {"provider": "qdrant", "connection_string": f"http://{host}:6333"}


def test_only_the_tools_that_search_documents_are_loaded_in_order(agent: Path) -> None:
    tools = [
        {"type": "vectorstore", "name": "b", "source": "."},
        {"type": "function", "name": "f", "file": "f.py", "function": "${NOT_SET}"},
        {"type": "hierarchical_document", "name": "a", "description": "d", "source": "."},
    ]
    file = write(agent / "agent.yaml", {"name": "x", "instructions": "${NOR_THIS}", "tools": tools})
    assert [tool.name for tool in load_tools(file)] == ["b", "a"]


def test_without_any_database_the_index_is_in_memory(agent: Path) -> None:
    assert store(agent, STORE)["provider"] == "in-memory"


def test_the_users_store_is_for_every_project(agent: Path, tmp_path: Path) -> None:
    write(tmp_path / "home" / ".holodeck" / "config.yaml", {"vectorstore": qdrant("user")})
    assert store(agent, STORE)["url"] == "http://user:6333"


def test_the_projects_store_goes_before_the_users(agent: Path, tmp_path: Path) -> None:
    write(tmp_path / "home" / ".holodeck" / "config.yaml", {"vectorstore": qdrant("user")})
    write(agent / ".holodeck" / "config.yaml", {"vectorstore": qdrant("project")})
    assert store(agent, STORE)["url"] == "http://project:6333"


def test_the_tools_own_database_goes_before_all(agent: Path) -> None:
    write(agent / ".holodeck" / "config.yaml", {"vectorstore": qdrant("project")})
    assert store(agent, {**STORE, "database": qdrant("own")})["url"] == "http://own:6333"
    assert store(agent, {**STORE, "database": {"provider": "in-memory"}})["provider"] == "in-memory"


def test_a_store_is_named(agent: Path, tmp_path: Path) -> None:
    write(
        tmp_path / "home" / ".holodeck" / "config.yml",
        {"vectorstores": {"mine": qdrant("user"), "ours": qdrant("user")}},
    )
    options = {"options": {"collection_name": "law"}}
    write(agent / "config.yaml", {"vectorstores": {"ours": {**qdrant("project"), **options}}})
    assert store(agent, {**STORE, "database": "mine"})["url"] == "http://user:6333"
    found = store(agent, {**STORE, "database": "ours"})
    assert (found["url"], found["collection"]) == ("http://project:6333", "law_notes")


def test_two_tools_share_a_store_and_no_collection(agent: Path) -> None:
    shared = {**qdrant("project"), "index_name": "shared"}
    write(agent / ".holodeck" / "config.yaml", {"vectorstore": shared})
    tools = [{**STORE, "name": "one"}, {**STORE, "name": "two"}]
    loaded = load_tools(write(agent / "agent.yaml", {"tools": tools}))
    names = [tool._translation.config.vector.model_dump()["collection"] for tool in loaded]
    assert names == ["shared_one", "shared_two"]


def test_variables_are_replaced_and_one_that_is_missing_is_named(
    agent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOST", "from-variable")
    assert store(agent, {**STORE, "database": qdrant("${HOST}")})["url"].startswith("http://from-v")
    with pytest.raises(ConfigError, match=r"tools\[0\].source: the environment variable NOWHERE"):
        store(agent, {**STORE, "source": "${NOWHERE}"})


def test_the_agents_models_are_completed_by_known_providers(agent: Path, tmp_path: Path) -> None:
    known = {"provider": "ollama", "name": "unused", "endpoint": "http://gpu:11434"}
    write(tmp_path / "home" / ".holodeck" / "config.yaml", {"providers": {"local": known}})
    model = {"provider": "ollama", "name": "llama3"}
    file = write(agent / "agent.yaml", {"model": model, "execution": {"file_timeout": 7}})
    _, around = read_agent(file)
    assert around.model is not None
    assert (around.model.name, around.model.endpoint) == ("llama3", "http://gpu:11434")
    assert around.file_timeout == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tools: [", "agent.yaml:1: this is not YAML"),
        ("- a\n- b", "this is no mapping"),
        ("tools: {a: b}", "tools: write a list"),
        ("tools:\n- {type: vectorstore, name: a, sorce: x}", "tools[0].sorce: unknown field; did"),
        (
            "tools:\n- &a {type: vectorstore, name: a, source: x}\n- *a",
            "several tools are called a",
        ),
    ],
)
def test_an_error_names_the_place(agent: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load_tools(write(agent / "agent.yaml", text))
    assert message in str(raised.value)


def test_an_agent_that_is_not_there_is_named(agent: Path) -> None:
    with pytest.raises(ConfigError, match=r"agent\.yaml: cannot be read"):
        load_tools(agent / "agent.yaml")


def test_aliases_cannot_stand_for_everything(agent: Path) -> None:
    lines = ["tools:", "- &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"- &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    with pytest.raises(ConfigError, match="stands for more than"):
        load_tools(write(agent / "agent.yaml", "\n".join(lines)))


def test_a_secret_is_not_in_an_error(agent: Path) -> None:
    database = {"provider": "qdrant", "connection_string": "mysql://u:hunter2@db/x"}
    with pytest.raises(ConfigError) as raised:
        store(agent, {**STORE, "database": database})
    assert "hunter2" not in f"{raised.value} {raised.value.hint}"


def test_a_single_tool_has_the_stores_of_its_folder(agent: Path) -> None:
    write(agent / ".holodeck" / "config.yaml", {"vectorstore": qdrant("project")})
    tool = load_tool(STORE, base_dir=agent)
    assert tool._translation.config.vector.model_dump()["url"] == "http://project:6333"
