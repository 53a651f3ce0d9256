"""Word files whose pictures lie elsewhere: an empty picture in the file takes the place of each, and nothing is fetched.

mammoth, which markitdown reads Word files with, opens linked pictures from disk or the network or, in later versions, gives up on the
whole file. What a reader of text needs of a picture is its description, which stands in the file itself.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from base64 import b64decode
from collections.abc import Collection
from urllib.parse import unquote

_RELATIONS = re.compile(r"word/_rels/([^/]+)\.rels\Z")
_RELATION = re.compile(rb"<(?:\w+:)?Relationship\b[^>]*>")
_ATTRIBUTE = re.compile(rb"""([\w:]+)\s*=\s*("[^"]*"|'[^']*')""")
_BLIP = re.compile(rb"<(?:\w+:)?blip\b[^>]*>")
_LINK = re.compile(rb"""\s(\w+):link\s*=\s*("[^"]*"|'[^']*')""")

_PLACE = "word/media/hierdoc-linked.png"
_PICTURE = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
)


def without_linked_pictures(data: bytes) -> bytes:
    """The Word file with an empty picture for each that is not in it; the file itself where all are."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = frozenset(archive.namelist())
        relations = {
            match[1]: archive.read(name) for name in names if (match := _RELATIONS.match(name))
        }
        mended = {part: _mended(text, names) for part, text in relations.items()}
        if not any(identifiers for _, identifiers in mended.values()):
            return data
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as copy:
            for name in archive.namelist():
                folder, part = posixpath.split(name)
                match = _RELATIONS.match(name)
                if match:
                    text = mended[match[1]][0]
                elif folder == "word" and part in mended:
                    text = _embedding(archive.read(name), mended[part][1])
                else:
                    text = archive.read(name)
                copy.writestr(name, text)
            copy.writestr(_PLACE, _PICTURE)
    return out.getvalue()


def _mended(text: bytes, names: Collection[str]) -> tuple[bytes, Collection[bytes]]:
    """The relations of a part with those to pictures elsewhere leading to the empty one, and their identifiers."""
    identifiers: set[bytes] = set()

    def mend(match: re.Match[bytes]) -> bytes:
        tag = match[0]
        values = {name: value[1:-1] for name, value in _ATTRIBUTE.findall(tag)}
        if not values.get(b"Type", b"").endswith(b"/image"):
            return tag
        target = unquote(values.get(b"Target", b"").decode("utf-8", "replace"))
        inside = posixpath.normpath(posixpath.join("/word", target)).lstrip("/")
        if values.get(b"TargetMode") != b"External" and inside in names:
            return tag
        identifiers.add(values.get(b"Id", b""))
        kept = ((name, value) for name, value in values.items() if name != b"TargetMode")
        replaced = ((name, _TARGET if name == b"Target" else value) for name, value in kept)
        attributes = b" ".join(b'%s="%s"' % pair for pair in replaced)
        return b"<%s %s/>" % (tag[1:].split(None, 1)[0], attributes)

    return _RELATION.sub(mend, text), identifiers


def _embedding(text: bytes, identifiers: Collection[bytes]) -> bytes:
    """A part whose pictures with these identifiers are embedded and not linked."""

    def mend(match: re.Match[bytes]) -> bytes:
        tag = match[0]
        link = _LINK.search(tag)
        if not link or link[2][1:-1] not in identifiers:
            return tag
        embedded = b"" if b":embed" in tag else b" %s:embed=%s" % (link[1], link[2])
        return tag[: link.start()] + embedded + tag[link.end() :]

    return _BLIP.sub(mend, text) if identifiers else text


_TARGET = b"media/hierdoc-linked.png"
