"""The parts of a Word file: XML files in a ZIP archive that relate to each other by lists of relationships."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from hierdoc import ConversionError, Source
from hierdoc_xml.archive import Archive

_OLE = b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True)
class Package:
    """What is read of a file.

    Attributes:
        body: The document's body.
        parts: Of `styles`, `numbering`, `footnotes` and `endnotes`, the roots of those that are there.
        links: For each relationship of the document that leads out of the file, where to.
        properties: The root of the core properties.
    """

    body: etree._Element
    parts: Mapping[str, etree._Element]
    links: Mapping[str, str]
    properties: etree._Element | None


PARTS = ("styles", "numbering", "footnotes", "endnotes")


def unpack(source: Source) -> Package:
    """The parts of a file.

    Raises:
        ConversionError: It is encrypted, damaged, or no Word file.
    """
    if source.data.startswith(_OLE):
        raise ConversionError(
            f"{source.name}: is encrypted, or in the format of Word before 2007",
            hint="Save it as .docx, without a password.",
        )
    archive = Archive(source)
    whole = _related(archive, "")
    path = whole.get("officeDocument", "")
    if path not in archive:
        raise ConversionError(f"{source.name}: is damaged, or no .docx file")
    body = archive.parse(path).find("{*}body")
    if body is None:
        raise ConversionError(f"{source.name}: holds no Word document")
    parts = _related(archive, path)
    properties = whole.get("core-properties", "")
    return Package(
        body,
        {name: archive.parse(parts[name]) for name in PARTS if parts.get(name) in archive},
        _links(archive, path),
        archive.parse(properties) if properties in archive else None,
    )


def _related(archive: Archive, path: str) -> dict[str, str]:
    """The parts that a part relates to, by the last word of the relationship's type; "" is the whole file."""
    folder = posixpath.dirname(path)
    found: dict[str, str] = {}
    for one in _relationships(archive, path):
        if one.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, one.get("Target", "")))
            found.setdefault(one.get("Type", "").rpartition("/")[2], target.lstrip("/"))
    return found


def _links(archive: Archive, path: str) -> dict[str, str]:
    return {
        one.get("Id", ""): one.get("Target", "")
        for one in _relationships(archive, path)
        if one.get("TargetMode") == "External"
    }


def _relationships(archive: Archive, path: str) -> list[etree._Element]:
    folder, name = posixpath.split(path)
    listed = posixpath.join(folder, "_rels", f"{name}.rels")
    return list(archive.parse(listed).iter("{*}Relationship")) if listed in archive else []
