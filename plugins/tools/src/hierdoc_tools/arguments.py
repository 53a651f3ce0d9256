"""What the tools take: typed arguments, each with what a model is told of it, and errors that a model can act on."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from hierdoc_tools import limits

ErrorKind = Literal["arguments", "query", "missing", "rate", "time", "index", "internal"]
"""What a call failed of: its arguments, what they ask for, that there is none, limits of number or time, the state of the index, or hierdoc."""


class ToolError(Exception):
    """A call cannot be answered; the message is for the caller, who can do better with it.

    Attributes:
        what: What is wrong, as a sentence.
        hint: What to do about it; empty where there is nothing to say.
        where: Which argument or which part of the server it is about; empty where that is the call as a whole.
        kind: What it failed of.
        after: Seconds until it is worth another try; None where that makes no difference.
    """

    def __init__(
        self,
        what: str,
        hint: str = "",
        *,
        where: str = "",
        kind: ErrorKind = "query",
        after: float | None = None,
    ) -> None:
        super().__init__(f"{what} {hint}".strip())
        self.what, self.hint, self.where = what, hint, where
        self.kind: ErrorKind = kind
        self.after = after


def _listed(value: Any) -> Any:
    """Models give a single name where a list is wanted."""
    return [value] if isinstance(value, str) else value


Text = Annotated[str, Field(min_length=1, max_length=limits.QUERY)]
Names = Annotated[
    list[Annotated[str, Field(max_length=limits.QUERY)]],
    BeforeValidator(_listed),
    Field(max_length=limits.NAMES),
]
In_ = Annotated[
    Names,
    Field(
        alias="in",
        description="Only these documents: names as replies show them (`source`), their ends, or patterns such as '2024/*.pdf'.",
    ),
]
Budget = Annotated[
    int,
    Field(
        ge=limits.FEWEST_TOKENS,
        le=limits.MOST_TOKENS,
        description="About how many tokens the reply may have; what does not fit comes with `cursor`.",
    ),
]
Cursor = Annotated[
    str | None,
    Field(
        max_length=100,
        description="To go on: `next_cursor` of the reply before, with otherwise the same arguments.",
    ),
]


class Arguments(BaseModel):
    """What every tool takes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    budget_tokens: Budget = limits.BUDGET
    cursor: Cursor = None

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        """Some models give every argument, null where they mean none."""
        if isinstance(given, dict):
            return {name: value for name, value in given.items() if value is not None}
        return given


class Searching(Arguments):
    """The arguments of `search`."""

    query: Annotated[
        Text,
        Field(
            description='A question, words, a citation ("Section 203(a)"), a heading, or an exact phrase in double quotes.'
        ),
    ]
    documents: In_ = []
    under: Annotated[
        Names,
        Field(
            description="Only what lies in one of these sections: citations, section ids or headings."
        ),
    ] = []
    where: Annotated[
        str | None,
        Field(
            max_length=limits.QUERY,
            description='Only documents with such metadata, as in "date >= 2020 and tags contains energy".',
        ),
    ] = None
    as_of: Annotated[
        str | None,
        Field(max_length=40, description="Only what was in force on this day, as in 2020-05-31."),
    ] = None
    mode: Annotated[
        Literal["hybrid", "semantic", "keyword", "exact"] | None,
        Field(description="How to search; leave it out unless the results call for another."),
    ] = None
    top_k: Annotated[
        int | None,
        Field(ge=1, le=limits.TOP_K, description="How many chunks to find."),
    ] = None
    details: Annotated[
        bool,
        Field(
            description="Whether hits also say how each leg ranked them, what raised or lessened them, and where they stand on PDF pages."
        ),
    ] = False


class Reading(Arguments):
    """The arguments of `section`."""

    reference: Annotated[
        Text,
        Field(
            description='A citation ("Article 4(1)", "Section 203(a)(1)"), a section id from another reply, or a heading.'
        ),
    ]
    documents: In_ = []


class Outlining(Arguments):
    """The arguments of `outline`."""

    document: Annotated[
        Text, Field(description="The document: its name as replies show it (`source`), or its end.")
    ]
    under: Annotated[
        str | None,
        Field(
            max_length=limits.QUERY,
            description="Only what lies in this section: a citation, a section id or a heading.",
        ),
    ] = None
    depth: Annotated[
        int | None,
        Field(ge=1, le=20, description="How many levels of headings; as many as fit if left out."),
    ] = None


class Defining(Arguments):
    """The arguments of `define`."""

    term: Annotated[Text, Field(description='The term, as in "personal data".')]
    documents: In_ = []


class Referring(Arguments):
    """The arguments of `references`."""

    reference: Annotated[
        Text,
        Field(
            description="The section: a citation, a section id from another reply, or a heading."
        ),
    ]
    documents: Annotated[
        Names,
        Field(
            alias="in",
            description="Where the section stands: names of documents as replies show them (`source`), or their ends.",
        ),
    ] = []
    direction: Annotated[
        Literal["both", "cites", "cited_by"],
        Field(description="What the section cites, what cites it, or both."),
    ] = "both"


class Listing(Arguments):
    """The arguments of `documents`."""

    documents: In_ = []
    where: Annotated[
        str | None,
        Field(
            max_length=limits.QUERY,
            description='Only documents with such metadata, as in "date >= 2020".',
        ),
    ] = None
    as_of: Annotated[
        str | None,
        Field(max_length=40, description="Only what was in force on this day, as in 2020-05-31."),
    ] = None


def read_arguments(tool: str, wanted: type[Arguments], given: Mapping[str, Any]) -> Arguments:
    """The arguments of a call.

    Raises:
        ToolError: Some are wrong; it names each, and never repeats what was given at length.
    """
    try:
        return wanted.model_validate(given)
    except ValidationError as error:
        known = list(arguments_schema(wanted)["properties"])
        wrong = error.errors(include_url=False)[:5]
        said = [_wrong(one, known) for one in wrong]
        where = ", ".join(dict.fromkeys(_name(one) for one in wrong))
        message = _ended(f"{tool}: {'; '.join(said)}")
        raise ToolError(message, where=where, kind="arguments") from None


def sentence(message: str) -> str:
    """The message of an error as a sentence."""
    return _ended(message[:1].upper() + message[1:])


def _ended(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _wrong(error: Mapping[str, Any], known: Sequence[str]) -> str:
    name = _name(error)
    kind, value = error["type"], error["input"]
    if kind == "extra_forbidden":
        near = difflib.get_close_matches(name, known, n=1)
        meant = f"did you mean `{near[0]}`?" if near else f"it takes {', '.join(known)}"
        return f"there is no argument `{name}`: {meant}"
    if kind == "missing":
        return f"`{name}` is missing"
    if kind == "string_too_long":
        return f"`{name}` has {len(value):,} characters; {error['ctx']['max_length']:,} at most"
    if kind == "string_too_short":
        return f"`{name}` is empty"
    shown = f", not {value!r}" if isinstance(value, (int, float)) or len(repr(value)) <= 40 else ""
    said = str(error["msg"])
    return f"`{name}`: {said[:1].lower()}{said[1:]}{shown}"


def _name(error: Mapping[str, Any]) -> str:
    return ".".join(str(part)[:60] for part in error["loc"])


def arguments_schema(wanted: type[Arguments]) -> dict[str, Any]:
    """JSON Schema of arguments, as plain as models like it, those of paging last."""
    schema = wanted.model_json_schema()
    order = sorted(schema["properties"], key=lambda name: name in Arguments.model_fields)
    properties = {name: schema["properties"][name] for name in order}
    shown = {name: schema[name] for name in ("type", "additionalProperties")}
    required = schema.get("required", [])
    return dict(plain_schema({**shown, "properties": properties, "required": required}))


def plain_schema(schema: Any) -> Any:
    """A schema without titles and empty defaults; what may be null is what may be left out."""
    if isinstance(schema, list):
        return [plain_schema(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {
        key: plain_schema(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
        and not (key == "default" and value in (None, [], {}, "", False))
    }
    kinds = plain.get("anyOf")
    if kinds and _NULL in kinds:
        (inner,) = [kind for kind in kinds if kind != _NULL]
        plain = {**{key: value for key, value in plain.items() if key != "anyOf"}, **inner}
    return plain


_NULL = {"type": "null"}
