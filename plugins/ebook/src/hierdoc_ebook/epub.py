"""EPUB 2 and 3: the documents of the spine, one after the other, and the navigation as their outline.

A heading that the navigation leads to has its level there; where it leads to no heading, its own words become one. Other
headings lie in what the navigation lists before them, by their own levels.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urldefrag

from lxml import etree

from hierdoc import ConversionError
from hierdoc_html.blocks import Mark
from hierdoc_html.converter import decode_html
from hierdoc_html.tree import HEADINGS, Child, Node, element, parse
from hierdoc_xml.archive import Archive
from hierdoc_xml.metadata import dublin_core


def read(archive: Archive) -> tuple[Node, dict[str, str]]:
    """The book as the children of one nameless element, and what it says of itself.

    Raises:
        ConversionError: It is no book, encrypted, or damaged.
    """
    package = _package(archive)
    _refuse_encrypted(archive, package)
    documents = {
        name: parse(decode_html(archive.read(name), archive.name))
        for name in package.spine
        if name in archive and name != package.navigation
    }
    if not documents:
        raise ConversionError(f"{archive.name}: holds no text that can be read")
    _Outline(documents).state(_navigation(archive, package))
    return element("", documents.values()), package.metadata


@dataclass(frozen=True)
class _Package:
    """What a book consists of.

    Attributes:
        metadata: What it says of itself.
        spine: Its documents in reading order, by their names in the archive.
        navigation: The document with the navigation of EPUB 3; "" for none.
        ncx: The one of EPUB 2; "" for none.
    """

    metadata: dict[str, str]
    spine: tuple[str, ...]
    navigation: str = ""
    ncx: str = ""


@dataclass(frozen=True)
class _Entry:
    """An entry of the navigation: how deep it lies, what it is called, and where it leads."""

    level: int
    title: str
    document: str
    fragment: str


def _package(archive: Archive) -> _Package:
    container = archive.parse("META-INF/container.xml")
    path = next((str(one.get("full-path", "")) for one in container.iter("{*}rootfile")), "")
    root = archive.parse(path)
    folder = posixpath.dirname(path)
    items: dict[str, str] = {}
    navigation = ncx = ""
    for item in root.iter("{*}item"):
        name = _within(folder, item.get("href", ""))[0]
        items[item.get("id", "")] = name
        if "nav" in item.get("properties", "").split():
            navigation = name
        if item.get("media-type") == "application/x-dtbncx+xml":
            ncx = name
    spine = (items.get(one.get("idref", ""), "") for one in root.iter("{*}itemref"))
    return _Package(dublin_core(root), tuple(dict.fromkeys(spine)), navigation, ncx)


def _refuse_encrypted(archive: Archive, package: _Package) -> None:
    """Fonts may be obfuscated; text must not be."""
    if "META-INF/encryption.xml" not in archive:
        return
    root = archive.parse("META-INF/encryption.xml")
    hidden = {unquote(one.get("URI", "")) for one in root.iter("{*}CipherReference")}
    if hidden & set(package.spine):
        raise ConversionError(
            f"{archive.name}: is encrypted", hint="Get a copy without copy protection."
        )


def _navigation(archive: Archive, package: _Package) -> Iterator[_Entry]:
    """The entries of the navigation, in its order; none where it is missing or damaged."""
    if package.navigation in archive:
        root = parse(decode_html(archive.read(package.navigation), archive.name))
        navs = [one for one in _nodes(root) if one.name == "nav"]
        kinds = [one.get("epub:type") or one.get("type") or one.get("role") or "" for one in navs]
        chosen = next((nav for nav, kind in zip(navs, kinds, strict=True) if "toc" in kind), None)
        if chosen or navs:
            yield from _of_list(chosen or navs[0], posixpath.dirname(package.navigation))
            return
    if package.ncx in archive:
        root = archive.parse(package.ncx)
        for point in root.iter("{*}navPoint"):
            yield from _of_point(point, posixpath.dirname(package.ncx))


def _of_list(nav: Node, folder: str) -> Iterator[_Entry]:
    """The links in a list of lists."""
    waiting = [(nav, 0)]
    while waiting:
        node, level = waiting.pop()
        if node.name == "a" and level:
            title = " ".join(node.text().split())
            yield _Entry(level, title, *_within(folder, node.get("href") or ""))
        inner = level + (node.name == "ol")
        held = [one for one in node.children if isinstance(one, Node)]
        waiting += [(one, inner) for one in reversed(held)]


def _of_point(point: etree._Element, folder: str) -> Iterator[_Entry]:
    title = "".join(map(str, point.xpath("./*[local-name()='navLabel']//text()")))
    target = next((one.get("src", "") for one in point.findall("{*}content")), "")
    level = 1 + sum(1 for _ in point.iterancestors("{*}navPoint"))
    yield _Entry(level, " ".join(title.split()), *_within(folder, target))


def _within(folder: str, reference: str) -> tuple[str, str]:
    """The name in the archive of what a document in a folder refers to, and the fragment."""
    path, fragment = urldefrag(reference)
    return posixpath.normpath(posixpath.join(folder, unquote(path))), unquote(fragment)


class _Outline:
    """The outline of a book's documents.

    Args:
        documents: By their names, in order.
    """

    def __init__(self, documents: Mapping[str, Node]) -> None:
        self._documents = documents
        self._parents: dict[int, Node] = {}
        self._ids: dict[tuple[str, str], Node] = {}
        self._next: dict[int, Node | None] = {}
        self._inserted: dict[int, list[Node]] = {}
        for name, root in documents.items():
            for node in _nodes(root):
                self._parents |= {id(one): node for one in node.children if isinstance(one, Node)}
                for place in filter(None, (node.get("id"), node.get("name"))):
                    self._ids.setdefault((name, place), node)
            self._look_ahead(root)

    def state(self, entries: Iterable[_Entry]) -> None:
        """Mark the headings that the entries lead to, and those between; without entries none, so that they count as in HTML."""
        for entry in entries:
            self._mark(entry)
        for root in self._documents.values():
            for node in list(_nodes(root)):
                self._insert(node)
        level = own = 0
        if not any(node.mark for node in self._headings()):
            return
        for node in self._headings():
            tag = HEADINGS[node.name]
            if node.mark:
                level, own = node.mark.level, tag
            else:
                node.mark = Mark(level + max(1, tag - own) if level else tag)

    def _headings(self) -> Iterator[Node]:
        for root in self._documents.values():
            yield from (node for node in _nodes(root) if node.name in HEADINGS)

    def _look_ahead(self, root: Node) -> None:
        """For each element find the heading that is the first text in it or behind; None where other text is."""
        following: Node | None = None
        for part in reversed(list(_visible(root))):
            if isinstance(part, str):
                following = None if part.strip() else following
                continue
            if part.name in HEADINGS and part.text().strip():
                following = part
            self._next[id(part)] = following

    def _mark(self, entry: _Entry) -> None:
        root = self._documents.get(entry.document)
        if root is None or not entry.title:
            return
        target = self._ids.get((entry.document, entry.fragment), root)
        heading = self._heading_at(target)
        if heading is None:
            heading = element(f"h{min(entry.level, 6)}", [entry.title])
            self._inserted.setdefault(id(target), []).append(heading)
        heading.mark = heading.mark or Mark(entry.level)

    def _heading_at(self, target: Node) -> Node | None:
        """The heading around a place, else the next, if no text stands between."""
        around: Node | None = target
        while around is not None:
            if around.name in HEADINGS:
                return around
            around = self._parents.get(id(around))
        return self._next.get(id(target))

    def _insert(self, node: Node) -> None:
        """Put the headings that are to be inserted before an element's children before them; before the document's, in it."""
        before = [*self._inserted.get(id(node), ())] if id(node) not in self._parents else []
        if not before and not any(id(one) in self._inserted for one in node.children):
            return
        held: list[Child] = [*before]
        for child in node.children:
            held += [*self._inserted.get(id(child), ()), child]
        node.children = held


def _visible(root: Node) -> Iterator[Child]:
    """All elements and text in document order, without what belongs to no page."""
    waiting: list[Child] = [root]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, Node) and part.name not in ("head", "style", "script"):
            waiting += reversed(part.children)


def _nodes(root: Node) -> Iterator[Node]:
    yield root
    yield from (part for part in root.parts() if isinstance(part, Node))
