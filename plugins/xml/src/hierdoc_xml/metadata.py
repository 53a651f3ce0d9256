"""What a book or text says of itself in the elements of Dublin Core."""

from __future__ import annotations

from lxml import etree

_KEYS = {
    "title": "title",
    "creator": "author",
    "language": "language",
    "identifier": "identifier",
    "date": "date",
    "publisher": "publisher",
    "description": "description",
}
_LONGEST = 1000


def dublin_core(root: etree._Element) -> dict[str, str]:
    """The first value of each element; of authors all."""
    found: dict[str, str] = {}
    for one in root.iter("{http://purl.org/dc/elements/1.1/}*"):
        key = _KEYS.get(etree.QName(one).localname)
        value = " ".join("".join(map(str, one.itertext())).split())[:_LONGEST]
        if not key or not value:
            continue
        if key == "author" and key in found:
            found[key] = f"{found[key]}, {value}"[:_LONGEST]
        found.setdefault(key, value)
    return found
