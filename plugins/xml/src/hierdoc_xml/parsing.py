"""XML to a tree without opening anything that it names: no entities, no document types, no network."""

from __future__ import annotations

from lxml import etree

from hierdoc import ConversionError


def parse(data: bytes, name: str) -> etree._Element:
    """The root of a document; comments and processing instructions are left out, entities stay as they are written.

    Args:
        data: The file.
        name: Its name, for messages.

    Raises:
        ConversionError: It is not well-formed, or holds what libxml2 takes for an attack.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        reason = " ".join(str(error).split())[:300]
        raise ConversionError(
            f"{name}: is no well-formed XML: {reason}",
            hint="Correct it, or give it the suffix of its format.",
        ) from error
