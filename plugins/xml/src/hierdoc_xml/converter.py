"""XML to markdown with the outline that its markup states.

What an element means is read from the table of its vocabulary; see `hierdoc_xml.vocabularies`.
"""

from __future__ import annotations

import asyncio
import html
import re
from typing import Any

from lxml import etree

from hierdoc import Document, Source
from hierdoc.plugin.decoding import TITLE_LIMIT, find_title
from hierdoc_html.blocks import write_outlined
from hierdoc_html.converter import HtmlConverter
from hierdoc_html.flow import blocks_of
from hierdoc_xml.parsing import parse
from hierdoc_xml.reading import local_name, read
from hierdoc_xml.vocabularies import UNKNOWN, VOCABULARIES, Vocabulary


class XmlConverter:
    """Makes markdown of XML; of a vocabulary that it does not know, bare text."""

    suffixes = (".xml",)

    async def convert(self, source: Source) -> Document:
        """The document.

        Raises:
            ConversionError: The file is not well-formed, or holds more than an honest file does.
        """
        root = await asyncio.to_thread(parse, source.data, source.name)
        if local_name(root) == "html":
            return await HtmlConverter().convert(source)
        return await asyncio.to_thread(_convert, root, source.name)


def vocabulary_of(root: etree._Element) -> Vocabulary:
    """The vocabulary of a document, by the namespace of its root or by the root's name."""
    namespace = str(root.tag)[1:].partition("}")[0] if str(root.tag).startswith("{") else ""
    name = local_name(root)
    held = {local_name(child) for child in root}
    for one in VOCABULARIES:
        if any(part in namespace for part in one.namespaces):
            return one
        if name in one.roots.split() and (not one.holding or held & set(one.holding.split())):
            return one
    return UNKNOWN


def _convert(root: etree._Element, name: str) -> Document:
    vocabulary = vocabulary_of(root)
    text, outline = write_outlined(blocks_of(read(root, vocabulary)))
    metadata = _metadata(root, vocabulary)
    language = _language(root, metadata.pop("language", ""))
    title = metadata.get("title", "")[:TITLE_LIMIT] or find_title(text, {}, name)
    notes = (_bare(root),) if vocabulary is UNKNOWN else ()
    return Document(name, title, text, (), metadata, language, outline=outline, notes=notes)


def _metadata(root: etree._Element, vocabulary: Vocabulary) -> dict[str, str]:
    """What the document says of itself, by key."""
    found = {}
    for key, paths in vocabulary.metadata.items():
        for path in paths:
            value = _value(root, path)
            if value:
                found[key] = value
                break
    return found


def _value(root: etree._Element, path: str) -> str:
    """The text of the first element or attribute at a path."""
    steps, _, attribute = path.partition("@")
    query = "."
    for step in steps.split("/"):
        query += "/" if step == "*" else f"/*[local-name()='{step}']"
    if attribute:
        query += f"/@*[local-name()='{attribute}']"
    found: Any = root.xpath(f"({query})[1]")
    if not found:
        return ""
    text = str(found[0]) if attribute else html.unescape("".join(map(str, found[0].itertext())))
    return " ".join(text.split())[:_LONGEST_VALUE]


def _language(root: etree._Element, stated: str) -> str | None:
    own = str(root.get("{http://www.w3.org/XML/1998/namespace}lang") or "")
    for name in (own, stated):
        code = re.split(r"[-_]", name.strip().lower())[0]
        code = _OF_THREE.get(code, code)
        if re.fullmatch(r"[a-z]{2}", code):
            return code
    return None


def _bare(root: etree._Element) -> str:
    known = ", ".join(one.name for one in VOCABULARIES)
    return (
        f"XML that begins with <{local_name(root)}> is read as bare text;"
        f" structure is read from {known}"
    )


_LONGEST_VALUE = 1000
_OF_THREE = {
    "eng": "en", "fra": "fr", "fre": "fr", "deu": "de", "ger": "de", "ita": "it", "spa": "es", "por": "pt", "nld": "nl",
    "dut": "nl", "pol": "pl", "swe": "sv", "dan": "da", "fin": "fi", "ces": "cs", "cze": "cs", "ell": "el", "gre": "el",
    "hun": "hu", "ron": "ro", "rum": "ro", "slk": "sk", "slo": "sk", "slv": "sl", "bul": "bg", "hrv": "hr", "est": "et",
    "lav": "lv", "lit": "lt", "mlt": "mt", "gle": "ga",
}  # fmt: skip
"""Codes of three letters, as Akoma Ntoso has them."""
