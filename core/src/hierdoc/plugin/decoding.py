"""What the bytes of a text file say: characters, front matter, title.

Encodings: UTF-8, UTF-16 and UTF-32 by their byte order mark; UTF-16 without one by where its zero bytes lie; else UTF-8,
in which every byte that is none is read as Windows-1252, or a text of one byte a character, in the encoding that explains it best (`eight_bit.py`).
So a Latin-1 file is read as such, and a file of mixed origin loses nothing. Zero bytes within text become U+FFFD; a file full of control characters is no text.
"""

from __future__ import annotations

import codecs
import logging
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, ClassVar

import yaml

from hierdoc import ConversionError
from hierdoc.citations import section_key
from hierdoc.citations.works import cited_as
from hierdoc.plugin.eight_bit import DEFAULT, eight_bit_encoding

logger = logging.getLogger("hierdoc")

FRONT_MATTER_LIMIT = 64 * 1024
"""Characters; longer front matter is text and nothing else."""

TITLE_LIMIT = 300
"""Characters of a title; what goes beyond is cut off, in the title alone."""


def decode(data: bytes, name: str) -> str:
    r"""The text of a file, its lines ending with `\n`, without a byte order mark.

    Args:
        data: The file.
        name: Its name, for messages.

    Raises:
        ConversionError: It is no text.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _cleaned(_decoded(data[len(mark) :], encoding), name)
    _refuse_other_formats(data, name)
    encoding = _utf16_by_zero_bytes(data) or "utf-8"
    if encoding == "utf-8" and _is_binary(data):
        raise ConversionError(
            f"{name}: is not text: it is full of control characters",
            hint="If it is text, save it as UTF-8; if not, give it the suffix of its format.",
        )
    return _cleaned(_decoded(data, encoding), name)


def is_text(data: bytes) -> bool:
    """Whether these bytes are clearly text: UTF-8 or with a byte order mark, and without zero bytes."""
    if data.startswith(tuple(mark for mark, _ in _MARKS)):
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in data and not _is_binary(data) and not data.startswith(tuple(_FORMATS))


def decode_windows_1252(data: bytes) -> str:
    """Windows-1252 as browsers read it: never fails; its five unassigned bytes are control characters."""
    return codecs.charmap_decode(data, "strict", _WINDOWS_1252)[0]


def front_matter(text: str) -> dict[str, Any]:
    """The YAML front matter as values that JSON can hold; empty where there is none or it is not to be trusted.

    Dates are written in ISO 8601. Front matter that is longer than `FRONT_MATTER_LIMIT`, is no mapping, is not YAML or
    uses aliases, by which a few lines can stand for gigabytes, stays text and nothing else.
    """
    from hierdoc.structure import front_matter_end

    end = front_matter_end(text)
    if not 0 < end <= FRONT_MATTER_LIMIT:
        return {}
    body = _front_matter_body(text, end)
    try:
        values = yaml.load(body, _LOADER) if _is_harmless(body) else None  # noqa: S506 - a safe one
        return _json_ready(values) if isinstance(values, dict) else {}
    except _YAML_ERRORS:
        return {}


def written_front_matter(text: str) -> dict[str, Any]:
    """The front matter with values as they are written; see `written_values`. Empty where there is none or it is no mapping.

    Raises:
        ValueError: It is not to be trusted, as for `front_matter`; the message says why.
    """
    from hierdoc.structure import front_matter_end

    end = front_matter_end(text)
    values = _written(_front_matter_body(text, end)) if end > 0 else None
    return _by_text(values) if isinstance(values, dict) else {}


def written_values(body: str) -> dict[str, Any]:
    """A mapping in YAML whose values are text as it is written, lists and mappings of text, or None.

    `2.10` stays that and does not become 2.1, `no` does not become false, and a day that no calendar has harms nothing else.

    Raises:
        ValueError: It is no such mapping, too long, nested too deep or uses aliases; the message says which, and the line.
    """
    values = _written(body)
    if values is not None and not isinstance(values, dict):
        raise ValueError("it is no mapping of fields to values")
    return _by_text(values or {})


def _written(body: str) -> Any:
    if len(body) > FRONT_MATTER_LIMIT:
        raise ValueError(f"it has more than {FRONT_MATTER_LIMIT:,} characters")
    try:
        if not _is_harmless(body):
            raise ValueError("it uses aliases or is nested too deep")
        return yaml.load(body, _WrittenLoader)  # noqa: S506 - a safe one
    except yaml.MarkedYAMLError as error:
        line = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ValueError(f"it is not YAML{line}: {error.problem}") from None
    except _YAML_ERRORS as error:
        if isinstance(error, ValueError):
            raise
        raise ValueError("it is not YAML") from None


def _by_text(values: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in values.items()}


def find_title(text: str, metadata: Mapping[str, Any], name: str, *, plain: bool = False) -> str:
    """What a document is called.

    The front matter's `title`; else the level-1 heading that comes first or is the only one; else the first heading;
    else what the text says it may be cited as; else the file's name without suffix.

    Args:
        text: Markdown, or plain text.
        metadata: Its front matter.
        name: The document's name, a path.
        plain: Whether the text is plain.
    """
    from hierdoc.structure import find_headings
    from hierdoc.structure.layout import lay_out

    for key in ("title", "Title"):
        value = metadata.get(key)
        if isinstance(value, (str, int, float)) and str(value).strip():
            return _one_line(str(value))
    found = lay_out(text, plain=True).headings if plain else find_headings(text)
    headings = [heading for heading in found if heading.title]
    outermost = [heading for heading in headings if heading.level == 1]
    if len(outermost) == 1:
        return _one_line(outermost[0].title)
    if headings:
        return _one_line(headings[0].title)
    return _one_line(next(cited_as(text), "")) or PurePosixPath(name).stem or name


def find_plain_title(text: str, name: str) -> str:
    """What a plain text is called: as markdown is, but by its first words where the file's name says little.

    Args:
        text: The text.
        name: The document's name, a path.
    """
    from hierdoc.structure.manual_pages import manual_name

    title = manual_name(text) or find_title(text, {}, name, plain=True)
    if len(_WORD.findall(title)) < _TELLING and title == PurePosixPath(name).stem:
        return _opening_title(text) or title
    return title


def _opening_title(text: str) -> str:
    """The title that a plain text opens with: its first paragraph that reads like one; empty where there is none.

    Lines in columns, as above a specification, numbered labels and what ends as sentences do are none, nor is anything behind a label.
    """
    for place, paragraph in enumerate(
        _PARAGRAPH_END.split(text[:_OPENING].lstrip())[:_OPENING_PARAGRAPHS]
    ):
        shown = " ".join(paragraph.split())
        numbered = section_key(shown) is not None
        if place and numbered:
            break  # what follows lies in a part
        if (
            (len(_WORD.findall(shown)) > 1 or (place == 0 and _is_long_word(shown)))
            and len(shown) <= TITLE_LIMIT
            and paragraph.strip().count("\n") < _TITLE_LINES
            and (shown[0].isalpha() or _NUMBER_OF_ACT.match(shown))
            and not shown[0].islower()
            and (shown[-1] not in ".,;:" or shown.isupper())
            and not _COLUMNS.search(paragraph.strip())
            and not numbered
        ):
            return shown
    return ""


def _is_long_word(shown: str) -> bool:
    """Whether a word may be a title by itself: `WARTUNGSVERTRAG`, and `渡船条例`, whose signs are syllables or words."""
    return len(shown) >= (_SHORTEST_ALONE if shown[:1] < _SYLLABIC else _FEWEST_SIGNS)


_WORD = re.compile(r"[^\W\d_]{2,}")
_TELLING = 3
"""Words of a file's name that say what the file is."""

_NUMBER_OF_ACT = re.compile(r"[0-9]{1,4}/[0-9]{1,4}[.:]? \w")
"""What the titles of resolutions and decisions begin with, `74/219. Sustainable harbours`."""

_SYLLABIC, _FEWEST_SIGNS = "\u3040", 3
_SHORTEST_ALONE = 5
"""Letters of a word that is a title by itself, `WARTUNGSVERTRAG`."""
_OPENING, _OPENING_PARAGRAPHS, _TITLE_LINES = 4_000, 8, 3
_PARAGRAPH_END = re.compile(r"\n[ \t\r\f]*\n")
_COLUMNS = re.compile(r"\S[ \t]{3,}\S")


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FORMATS = {
    b"%PDF-": "PDF",
    b"PK\x03\x04": "ZIP or Office",
    b"\xd0\xcf\x11\xe0": "Office",
    b"{\\rtf": "RTF",
    b"%!PS": "PostScript",
    b"\x1f\x8b": "gzip",
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
}
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r\b\x1a\x1b"))
_PLAIN = bytes([0, *b"\t\n\r", *range(32, 127)])
_WINDOWS_1252 = "".join(
    bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256)
)
_MOST_NESTED = 20
_YAML_ERRORS = (
    yaml.YAMLError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What `safe_load` raises for input that is wrong, impossible dates and numbers included."""


def _refuse_other_formats(data: bytes, name: str) -> None:
    for start, name_of_format in _FORMATS.items():
        if data.startswith(start):
            raise ConversionError(
                f"{name}: is not text: it is a {name_of_format} file",
                hint="Give it the suffix of its format.",
            )


def _utf16_by_zero_bytes(data: bytes) -> str | None:
    """UTF-16 by the zero bytes of its spaces, digits and Latin letters, which are all even or all odd ones."""
    sample = data[:4096]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    few = max(2, len(sample) // 20)
    most = len(sample) // 2 * 9 // 10
    if max(even, odd) < most and not sample.translate(None, _PLAIN):
        return None  # pairs of ASCII characters that would make ideographs: zero bytes separate or pad something
    if even >= few and odd <= even // 10:
        encoding = "utf-16-be"
    elif odd >= few and even <= odd // 10:
        encoding = "utf-16-le"
    else:
        return None
    try:
        text = data[: len(data) // 2 * 2].decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if _is_binary(text[:4096].encode()) else encoding


def _is_binary(data: bytes) -> bool:
    """Whether more than a hundredth of the bytes, and more than a few, are control characters."""
    controls = len(data) - len(data.translate(None, _CONTROLS))
    return controls > 8 and controls * 100 > len(data)


def _decoded(data: bytes, encoding: str) -> str:
    if encoding != "utf-8":
        return data.decode(encoding, "replace")
    try:
        return data.decode()
    except UnicodeDecodeError:
        pass
    kept = data.decode("utf-8", "ignore")
    valid = sum(map(len, _NOT_ASCII.findall(kept)))
    invalid = len(data) - len(kept.encode())
    if invalid > valid:
        return _decoded_by_bytes(data)
    return data.decode("utf-8", _FALLBACK)


def _decoded_by_bytes(data: bytes) -> str:
    """A text in which each byte is a character."""
    encoding = eight_bit_encoding(data)
    return decode_windows_1252(data) if encoding == DEFAULT else data.decode(encoding, "replace")


_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_FALLBACK = "hierdoc.windows-1252"


_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's where PyYAML was built with it: ten times as fast."""


class _WrittenLoader(_LOADER):  # type: ignore[misc]
    """Takes no text for anything else, but for `null` and `~`."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {
        first: [one for one in some if one[0] == "tag:yaml.org,2002:null"]
        for first, some in _LOADER.yaml_implicit_resolvers.items()
    }


def _front_matter_body(text: str, end: int) -> str:
    return "\n".join(text[:end].rstrip().split("\n")[1:-1])


def _read_as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return decode_windows_1252(error.object[error.start : error.end]), error.end


codecs.register_error(_FALLBACK, _read_as_windows_1252)


def _cleaned(text: str, name: str) -> str:
    zeros = text.count("\0")
    if zeros:
        logger.warning("%s: %d zero bytes were replaced by U+FFFD", name, zeros)
        text = text.replace("\0", "\ufffd")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_harmless(body: str) -> bool:
    """Whether YAML has no aliases and little nesting: what it stands for is no larger than itself."""
    depth = 0
    for event in yaml.parse(body, _LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > _MOST_NESTED:
            return False
    return True


def _json_ready(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(_json_ready(key)): _json_ready(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_json_ready(item) for item in value]
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, (int, float)) and abs(value) < 2**63:
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _one_line(text: str) -> str:
    return " ".join(text[: 2 * TITLE_LIMIT].split())[:TITLE_LIMIT].rstrip()
