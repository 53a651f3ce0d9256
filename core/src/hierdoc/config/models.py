"""What a user writes: the models behind `hierdoc.yaml`, and the JSON Schema that editors complete it with.

A component is a mapping with `provider:` and that provider's own fields, or the bare provider name. `ByProvider` validates it
with the model that the provider brings, whoever it comes from.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError, core_schema

from hierdoc.errors import PluginError, UnknownProviderError
from hierdoc.expressions import FIELD_NAME, RESERVED
from hierdoc.filters import LIST_FIELDS, SCALAR_FIELDS
from hierdoc.metadata import normal_name
from hierdoc.models import Expand, MetadataType, Mode
from hierdoc.plugin.provider import ComponentKind
from hierdoc.plugin.registry import Registry, default_registry
from hierdoc.plugin.settings import ProviderConfig, Settings, StructureSettings

MOST_FIELDS = 50
"""Fields of metadata: each is on every chunk."""


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, (str, Path)) else value


class ByProvider:
    """Annotates a configuration field: validate the value with the model of the provider that it names.

    Args:
        kind: Which providers may be named.
    """

    def __init__(self, kind: ComponentKind) -> None:
        self.kind = kind

    def validate(self, value: Any, info: ValidationInfo) -> ProviderConfig:
        """The provider's own configuration; its errors keep their place below this field."""
        if isinstance(value, ProviderConfig):
            return value
        fields = {"provider": value} if isinstance(value, str) else value
        if not isinstance(fields, Mapping) or not isinstance(fields.get("provider"), str):
            raise PydanticCustomError(
                "provider", "write a provider's name, or a mapping with `provider:`"
            )
        try:
            provider = _registry(info.context).find(self.kind, fields["provider"])
        except (UnknownProviderError, PluginError) as error:
            text = f"{error}. {error.hint}" if error.hint else str(error)
            raise PydanticCustomError(
                "provider", "{text}", {"text": text, "error": error}
            ) from error
        return cast(ProviderConfig, provider.config.model_validate(fields, context=info.context))

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.with_info_plain_validator_function(
            self.validate,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda config: config.model_dump(mode="json")
            ),
        )

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        registered = default_registry().providers(self.kind)
        models = [
            _inlined(one.provider.config.model_json_schema())
            | {"description": one.provider.summary}
            for one in registered
        ]
        for model in models:
            model.setdefault("required", []).append("provider")
        names = [one.provider.name for one in registered]
        return {"anyOf": [{"type": "string", "enum": names}, *models]}


class Weights(Settings):
    """How much each leg counts in the fusion."""

    semantic: float = Field(0.5, ge=0, description="Weight of the semantic leg.")
    keyword: float = Field(0.3, ge=0, description="Weight of the keyword leg.")
    exact: float = Field(0.2, ge=0, description="Weight of the exact leg.")

    @model_validator(mode="after")
    def _some_weight(self) -> Weights:
        if self.semantic + self.keyword + self.exact == 0:
            raise ValueError("at least one weight must be above 0")
        return self


class RerankSettings(Settings):
    """How a reranker is asked."""

    candidates: int | None = Field(
        None,
        ge=1,
        le=1000,
        description="How many hits it orders; null for as many as a leg fetches.",
    )
    batch_size: int | None = Field(
        None, ge=1, description="How many hits it gets at a time; null for all at once."
    )
    timeout: float = Field(
        30.0,
        gt=0,
        description="Seconds after which the order stays the fusion's, which the result says.",
    )


class TermSettings(Settings):
    """A thing that people call otherwise than texts do."""

    names: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        min_length=1, description="What people call it; case, hyphens and plurals do not count."
    )
    also: str = Field("", description="The words that texts have for it.")
    tables: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        (), description="The kinds of tables in which it stands, such as `balance sheet`."
    )
    alone: bool = Field(
        True,
        description="Whether the names mean this wherever they stand, or only beside another of these terms.",
    )


class TableSettings(Settings):
    """A kind of table that is known by its rows or, where these may be anything, by a column."""

    name: str = Field(min_length=1, description="What it is called, and how terms refer to it.")
    titles: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        (), description="What else it is called."
    )
    rows: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        (), description="What its rows are called, or begin with."
    )
    columns: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        (), description="What one of its columns is called."
    )

    @model_validator(mode="after")
    def _some_label(self) -> TableSettings:
        if not self.rows and not self.columns:
            raise ValueError("a table is known by `rows` or `columns`: write one of them")
        return self


DomainOfTerms = Literal["accounting", "law", "everyday"]
"""The fields whose terms come with hierdoc; `everyday` are the words of people who know none of them."""


class SearchSettings(Settings):
    """How a search is done, unless the call says otherwise."""

    mode: Mode = Field("hybrid", description="Which legs take part: all, or one of them.")
    top_k: int = Field(10, ge=1, le=100, description="How many chunks to return.")
    weights: Weights = Field(Weights(), description="How much each leg counts in the fusion.")
    hybrid: Literal["auto", "native", "fallback"] = Field(
        "auto",
        description="Where semantic and keyword legs are fused: in a store that can (native), here (fallback), or "
        "native where the store claims it (auto).",
    )
    candidates: int | None = Field(
        None,
        ge=1,
        le=10_000,
        description="How many chunks each leg fetches; null for 50, and two more for each hit beyond ten.",
    )
    reword: bool = Field(
        True,
        description="Whether terms in a query, such as `capex`, are also searched for by the words that texts have for them and in the "
        "tables in which these stand, and sentences about the form of the answer are left out.",
    )
    domains: Annotated[tuple[DomainOfTerms, ...], BeforeValidator(_listed)] = Field(
        ("accounting", "law", "everyday"), description="Whose built-in terms `reword` knows."
    )
    terms: tuple[TermSettings, ...] = Field((), description="Further terms that `reword` knows.")
    tables: tuple[TableSettings, ...] = Field(
        (), description="Further kinds of tables that queries are understood to ask for."
    )
    expand: Expand = Field(
        "none",
        description="What comes with each chunk: nothing more, its neighbours in the section around it (siblings), or "
        "that whole section (parent).",
    )
    scope: bool = Field(
        True,
        description="Whether a document that the query names for certain is searched alone, by what the query asks about it.",
    )
    rerank: RerankSettings = Field(
        RerankSettings(), description="How the reranker is asked, where there is one."
    )
    on_degraded: Literal["warn", "raise"] = Field(
        "warn",
        description="When a leg fails: go on without it and say so in the result, or raise.",
    )

    def candidates_for(self, top_k: int) -> int:
        """How many chunks each leg fetches for so many hits."""
        return max(self.candidates or 50 + 2 * max(0, top_k - 10), top_k)


def _declared(fields: Mapping[str, MetadataType]) -> Mapping[str, MetadataType]:
    """The fields, if all have names that filters can tell from each other and from what every record has."""
    taken = {normal_name(name): "every chunk has" for name in (*SCALAR_FIELDS, *LIST_FIELDS)}
    for name in fields:
        if len(name) > 64 or not FIELD_NAME.fullmatch(name) or name.casefold() in RESERVED:
            raise ValueError(
                f"{name[:64]!r} cannot be a field: a name is a letter and up to 63 letters, digits, _ or -, "
                f"and none of {', '.join(sorted(RESERVED))}"
            )
        key = normal_name(name)
        if key in taken:
            raise ValueError(f"{name!r} cannot be a field: {taken[key]} one of that name")
        taken[key] = "the configuration declares"
    if len(fields) > MOST_FIELDS:
        raise ValueError(f"{len(fields)} fields; there may be {MOST_FIELDS}")
    return fields


def _readable(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The patterns, if all are such."""
    if patterns:
        from pathspec import GitIgnoreSpec

        for pattern in patterns:
            try:
                GitIgnoreSpec.from_lines([pattern])
            except ValueError as error:
                raise ValueError(f"{pattern!r} is no pattern of a .gitignore: {error}") from None
    return patterns


Patterns = Annotated[tuple[str, ...], BeforeValidator(_listed), AfterValidator(_readable)]
"""Patterns as in a `.gitignore`, or one."""


class Config(Settings):
    """A whole configuration: one key for each component, one for the source, one for the search."""

    source: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        (),
        description="File, folder or glob, or a list of them; relative to this file's folder.",
    )
    include: Patterns = Field(
        (),
        description="Patterns as in a .gitignore, one of which the name of a document must match, such as `*.md`; none for all.",
    )
    exclude: Patterns = Field(
        (),
        description="Patterns as in a .gitignore that leave documents and folders out, such as `drafts/`; these go before `include`.",
    )
    converter: Annotated[ProviderConfig, ByProvider(ComponentKind.CONVERTER)] = Field(
        "auto", validate_default=True, description="Turns files into markdown."
    )
    chunker: Annotated[ProviderConfig, ByProvider(ComponentKind.CHUNKER)] = Field(
        "structure", validate_default=True, description="Cuts documents into chunks."
    )
    context: Annotated[ProviderConfig, ByProvider(ComponentKind.CONTEXT)] = Field(
        "structural", validate_default=True, description="Situates chunks in their document."
    )
    embedder: Annotated[ProviderConfig, ByProvider(ComponentKind.EMBEDDER)] = Field(
        "static", validate_default=True, description="Turns texts into vectors."
    )
    vector: Annotated[ProviderConfig, ByProvider(ComponentKind.VECTOR)] = Field(
        "sqlite", validate_default=True, description="Holds the records; finds them by vector."
    )
    keyword: Annotated[ProviderConfig, ByProvider(ComponentKind.KEYWORD)] | None = Field(
        "tantivy",
        validate_default=True,
        description="Finds records by their words; null for no keyword leg.",
    )
    fuser: Annotated[ProviderConfig, ByProvider(ComponentKind.FUSER)] = Field(
        "adaptive", validate_default=True, description="Makes one ranking of several."
    )
    reranker: Annotated[ProviderConfig, ByProvider(ComponentKind.RERANKER)] | None = Field(
        None, description="Orders the best chunks again; null for none."
    )
    metadata: Annotated[Mapping[str, MetadataType], AfterValidator(_declared)] = Field(
        {},
        description="Fields of the documents' own metadata that searches filter by, each with its type: text, number, date, version, boolean or list.",
    )
    search: SearchSettings = Field(
        SearchSettings(), description="How a search is done, unless the call says otherwise."
    )

    _base: Path = PrivateAttr(default_factory=Path.cwd)
    _file: Path | None = PrivateAttr(default=None)

    @property
    def base(self) -> Path:
        """The folder that relative paths start at and that documents are named from."""
        return self._base

    @property
    def file(self) -> Path | None:
        """Where the configuration was read from; None for one that was not a file."""
        return self._file

    @property
    def structure(self) -> StructureSettings:
        """How documents are understood: the chunker's settings or, where it has none, the defaults."""
        chunker = self.chunker
        return chunker if isinstance(chunker, StructureSettings) else StructureSettings()

    def component(self, kind: ComponentKind) -> ProviderConfig | None:
        """The configuration of this kind of component."""
        return cast("ProviderConfig | None", getattr(self, kind.value))


def json_schema() -> dict[str, Any]:
    """The JSON Schema of `hierdoc.yaml`, with the fields of all providers installed here."""
    schema = Config.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with models within it in their places: the names of definitions hold for a whole file."""
    definitions = schema.pop("$defs", {})

    def inline(part: Any) -> Any:
        if isinstance(part, list):
            return [inline(one) for one in part]
        if not isinstance(part, dict):
            return part
        name = str(part.get("$ref", "")).removeprefix("#/$defs/")
        here = {key: value for key, value in part.items() if key != "$ref"}
        return (
            inline({**definitions[name], **here})
            if name in definitions
            else {key: inline(value) for key, value in here.items()}
        )

    inlined: dict[str, Any] = inline(schema)
    return inlined


def _registry(context: Mapping[str, Any] | None) -> Registry:
    return (context or {}).get("registry") or default_registry()
