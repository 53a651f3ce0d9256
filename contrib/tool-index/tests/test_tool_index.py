"""An index over tool definitions: what it reads, finds, and forgets."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from hierdoc import ConfigError
from hierdoc_tool_index import ToolIndex
from hierdoc_tool_index.definitions import read_definition

SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Where the file is"},
        "mode": {"enum": ["text", "binary"]},
    },
}
OPENAI = {
    "type": "function",
    "function": {"name": "read_file", "description": "Read a file", "parameters": SCHEMA},
}
RESPONSES = {
    "type": "function", "name": "read_file", "description": "Read a file", "parameters": SCHEMA,
}  # fmt: skip
ANTHROPIC = {"name": "read_file", "description": "Read a file", "input_schema": SCHEMA}
MCP = {"name": "read_file", "description": "Read a file", "inputSchema": SCHEMA}

TOOLS = [
    ANTHROPIC,
    {"name": "send_email", "description": "Send a message to somebody by electronic mail"},
    {"name": "get_weather", "description": "The weather forecast for a city and a day"},
    {"name": "create_invoice", "description": "Make out an invoice to a customer"},
]


def names(found: Any) -> list[str]:
    return [one.name for one in found]


@pytest.fixture(scope="module")
def loop() -> Any:
    loop = asyncio.new_event_loop()
    yield loop.run_until_complete
    loop.close()


@pytest.fixture
def index(loop: Any) -> ToolIndex:
    index = ToolIndex()
    loop(index.add(TOOLS))
    return index


@dataclass
class Dumped:
    """An object of an SDK, which dumps itself."""

    fields: dict[str, Any]

    def model_dump(self, *, by_alias: bool) -> dict[str, Any]:
        assert by_alias
        return self.fields


@pytest.mark.parametrize("given", [OPENAI, RESPONSES, ANTHROPIC, MCP, Dumped(MCP)])
def test_every_shape_says_the_same(given: Any) -> None:
    read = read_definition(given)
    assert (read.name, read.description) == ("read_file", "Read a file")
    assert read.parameters == ("path: Where the file is", "mode", "text, binary")
    assert read.given is given


@pytest.mark.parametrize("given", [{}, {"type": "web_search"}, {"name": " "}, {"name": 3}, "read", None])  # fmt: skip
def test_what_has_no_name_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match=r"name"):
        read_definition(given)


def test_nested_parameters_are_read() -> None:
    schema = {
        "properties": {
            "filter": {"anyOf": [{"properties": {"author": {"description": "Who wrote it"}}}]},
            "tags": {"items": {"enum": ["urgent", "later"]}},
        }
    }
    read = read_definition({"name": "find", "parameters": schema})
    assert read.parameters == ("filter", "tags", "author: Who wrote it", "urgent, later")


def test_a_schema_within_itself_ends() -> None:
    schema: dict[str, Any] = {"properties": {}}
    schema["properties"]["child"] = schema
    assert len(read_definition({"name": "tree", "parameters": schema}).text) <= 20_000


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
def test_the_tool_that_is_needed_comes_first(loop: Any, index: ToolIndex, mode: Any) -> None:
    found = loop(index.search("what will the weather be tomorrow", mode=mode))
    assert found[0].name == "get_weather"
    assert found[0].score == 1
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert found[0].definition is TOOLS[2]


def test_words_of_parameters_and_parts_of_names_find(loop: Any, index: ToolIndex) -> None:
    assert names(loop(index.search("invoice", mode="keyword"))) == ["create_invoice"]
    assert names(loop(index.search("binary", mode="keyword"))) == ["read_file"]


def test_both_legs_show_their_scores(loop: Any, index: ToolIndex) -> None:
    found = loop(index.search("send a message"))
    assert set(found[0].scores) == {"semantic", "keyword"}


def test_top_k_and_threshold_leave_out(loop: Any, index: ToolIndex) -> None:
    assert len(loop(index.search("send an invoice by mail", top_k=2))) == 2
    strict = loop(index.search("the weather forecast for a city", threshold=0.9))
    assert names(strict) == ["get_weather"]


def test_some_tools_always_come(loop: Any, index: ToolIndex) -> None:
    found = loop(index.search("weather", top_k=1, mode="keyword", always=["read_file", "unknown"]))
    assert names(found) == ["get_weather", "read_file"]
    assert found[1].score == 0


def test_tools_come_and_go(loop: Any, index: ToolIndex) -> None:
    index.remove("get_weather", "unknown")
    assert "get_weather" not in names(loop(index.search("weather forecast", top_k=10)))
    later = {"name": "forecast", "description": "The weather of the days to come"}
    loop(index.add([later, {"name": "translate", "description": "Translate a text"}]))
    assert names(loop(index.search("weather", top_k=1))) == ["forecast"]
    assert set(index.names) == {
        "read_file",
        "send_email",
        "create_invoice",
        "forecast",
        "translate",
    }


def test_a_tool_of_the_same_name_is_replaced(loop: Any, index: ToolIndex) -> None:
    loop(index.add([{"name": "get_weather", "description": "Knit a pullover of wool"}]))
    assert len(index) == len(TOOLS)
    assert names(loop(index.search("wool pullover", top_k=1))) == ["get_weather"]
    assert loop(index.search("forecast for a city", mode="keyword")) == []


def test_one_bad_definition_adds_nothing(loop: Any, index: ToolIndex) -> None:
    with pytest.raises(ValueError, match="name"):
        loop(index.add([{"name": "new"}, {}]))
    assert "new" not in index


def test_an_empty_index_and_an_empty_request_find_nothing(loop: Any, index: ToolIndex) -> None:
    assert loop(ToolIndex().search("anything")) == []
    assert loop(index.search("  ")) == []


def test_without_an_embedder_words_are_left(loop: Any) -> None:
    index = ToolIndex(embedder=None)
    loop(index.add(TOOLS))
    assert names(loop(index.search("weather", mode="keyword"))) == ["get_weather"]
    with pytest.raises(ValueError, match="needs an embedder"):
        loop(index.search("weather"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"top_k": 0}, "top_k"), ({"threshold": 1.1}, "threshold"), ({"mode": "exact"}, "mode")],
)
def test_a_wrong_argument_is_told(
    loop: Any, index: ToolIndex, arguments: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        loop(index.search("weather", **arguments))


def test_components_are_those_of_documents() -> None:
    ToolIndex(fuser={"provider": "rrf", "k": 10}, weights={"semantic": 1, "keyword": 0})
    with pytest.raises(ConfigError, match="no embedder provider is called 'nothing'"):
        ToolIndex(embedder="nothing")
    with pytest.raises(ValueError, match="weight"):
        ToolIndex(weights={"semantic": 1})
