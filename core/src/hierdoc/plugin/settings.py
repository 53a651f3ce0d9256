"""What a provider's configuration is made of: the base model, paths, and how documents are understood."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationInfo,
    WithJsonSchema,
)

from hierdoc.models import DomainName
from hierdoc.plugin.capabilities import Capability

T = TypeVar("T")

_OPERATIONAL = "operational"

Operational = Annotated[T, _OPERATIONAL]
"""Marks a setting that changes no output, such as `timeout: Operational[float]`: paths, URLs, credentials, timeouts, retries,
threads and batch sizes. A change of it ingests nothing again."""

INDEX_FOLDER = ".hierdoc"
"""Where an index lives, beside its configuration."""


class Settings(BaseModel):
    """Base of all configuration models: frozen, and an unknown key is an error."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, protected_namespaces=()
    )


class ProviderConfig(Settings):
    """Base of a provider's configuration; the derived class adds `provider: Literal["name"] = "name"`.

    The first line of its docstring describes the provider in lists.

    Attributes:
        capabilities: What a backend with default settings claims; `hierdoc plugins list` shows it without opening one.
    """

    capabilities: ClassVar[frozenset[Capability]] = frozenset()

    provider: str

    def output_settings(self) -> dict[str, Any]:
        """The settings that decide what comes out, as JSON: all but the `Operational` ones."""
        fields = type(self).model_fields.items()
        operational = {name for name, field in fields if _OPERATIONAL in field.metadata}
        return self.model_dump(mode="json", exclude=operational)


class ConversionLimits(Settings):
    """What the conversion of one file may take. Real documents stay far below; a file that does not is reported as failed."""

    seconds: float = Field(300, gt=0, description="Time for one file.")
    memory_mib: int = Field(
        4096,
        ge=256,
        description="Address space of a process in MiB, libraries included; limited on Linux alone.",
    )
    characters: int = Field(50_000_000, ge=1, description="Characters of the converted text.")
    cells: int = Field(
        5_000_000,
        ge=1,
        description="Cells of a spreadsheet, the empty ones up to the last included.",
    )
    processes: int | None = Field(
        None,
        ge=0,
        le=64,
        description="Files that are converted at once, each in a process of its own; null for one on each core, at most 4. "
        "0 converts in the program itself, without limits on time and memory.",
    )


class StructureSettings(Settings):
    """How documents are understood; a chunker's configuration that derives from it lets users say so."""

    domain: DomainName = Field(
        "auto",
        description="How documents are divided besides headings: by numbers as in the texts of a domain; auto recognises "
        "it in each document, none sees headings alone.",
    )
    max_subsection_depth: int | None = Field(
        None,
        ge=0,
        le=20,
        description="How many levels of enumerated subsections, such as (a)(1), become sections of the outline and can be "
        "cited; null for all.",
    )
    extract_definitions: bool = Field(True, description="Look for defined terms.")


def _resolve_index_folder(value: Any, info: ValidationInfo) -> Any:
    context = info.context or {}
    base = context.get("base", Path.cwd())
    if value is None:
        return context.get("index_folder", base / INDEX_FOLDER)
    return base / value if isinstance(value, (str, Path)) else value


IndexPath = Annotated[
    Path,
    BeforeValidator(_resolve_index_folder),
    WithJsonSchema({"type": ["string", "null"], "format": "path"}),
    _OPERATIONAL,
]
"""A folder or file of the index. Relative paths start at the config file's folder; null is the index's own folder:
`.hierdoc` beside the config or, without one, a folder of the user's cache directory. Use it with
`Field(default=None, validate_default=True)`."""


def _resolve_path(value: Any, info: ValidationInfo) -> Any:
    base = (info.context or {}).get("base", Path.cwd())
    return base / Path(value).expanduser() if isinstance(value, (str, Path)) else value


LocalPath = Annotated[Path, BeforeValidator(_resolve_path)]
"""Any other local path; relative ones start at the config file's folder."""


def server_url(url: str) -> str:
    """The URL of a server, for validators: scheme, host, port and path, and nothing that may be secret, since messages show it.

    A password with a raw `@` or `/` ends early for whoever reads the URL: its rest would pass for the host or the path.

    Raises:
        ValueError: It is not, or more stands in it.
    """
    parts = urlsplit(url)
    if "@" in url or parts.query or parts.fragment:
        raise ValueError("leave users, passwords and keys out; they have settings of their own")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("write it as in https://host:1234")
    return url


def _fits_header(secret: SecretStr) -> SecretStr:
    plain = secret.get_secret_value()
    if not (plain.isascii() and plain.isprintable()):
        raise ValueError("it has a character that a header of HTTP cannot have; copy it again")
    return secret


HeaderSecret = Annotated[SecretStr, AfterValidator(_fits_header)]
"""A secret that is sent as a header of HTTP: printable ASCII."""


Language = Literal[
    "auto", "none", "da", "de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "ro", "ru", "sv"
]
"""How words are stemmed: by the language of each document, not at all, or always by one."""
