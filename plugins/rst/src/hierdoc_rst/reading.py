"""docutils' tree to the tree of HTML elements that says the same, with the sections that begin in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from docutils import nodes

from hierdoc_html.blocks import Mark
from hierdoc_html.tree import Child, Node, element

MOST_NESTED = 80
"""Nodes that lie deeper are text and nothing else."""


def read(document: nodes.document) -> tuple[Node, dict[str, str]]:
    """The document as the children of one nameless element, and its fields at the beginning, in lower case."""
    held = [one for one in document.children if not isinstance(one, _INVISIBLE)]
    fields: dict[str, str] = {}
    first: list[Child] = []
    if held and isinstance(held[0], nodes.field_list):
        fields, first = _header(held.pop(0))
    return element("", [*first, *_all(held, 0, 0)]), fields


_INVISIBLE = (nodes.comment, nodes.pending, nodes.substitution_definition, nodes.meta)


def _header(node: nodes.Node) -> tuple[dict[str, str], list[Child]]:
    """The fields at the beginning, and the same as lines of a paragraph: `PEP: 484`."""
    fields: dict[str, str] = {}
    lines: list[Child] = []
    for field in node.children:
        name, body = (_one_line(part.rawsource or part.astext()) for part in field.children)
        fields.setdefault(name.lower(), body)
        lines += [f"{name}: {body}", element("br")]
    return fields, [element("p", lines[:-1])]


def _all(held: Iterable[nodes.Node], level: int, depth: int) -> list[Child]:
    return [child for node in held for child in _read(node, level, depth)]


def _read(node: nodes.Node, level: int, depth: int) -> Sequence[Child]:
    """What one node becomes.

    Args:
        node: It.
        level: How many sections are around it.
        depth: How many nodes are.
    """
    if isinstance(node, nodes.Text):
        return [str(node)]
    if depth > MOST_NESTED:
        return [element("p", [_one_line(node.astext())])]
    kind = type(node).__name__
    special = _SPECIAL.get(kind)
    if special:
        return special(node, level, depth + 1)
    if kind in _LEFT_OUT:
        return []
    held = _all(node.children, level, depth + 1)
    if kind in _ELEMENTS:
        return [element(_ELEMENTS[kind], held)]
    if kind in _ADMONITIONS:
        title = element("p", [element("strong", [kind.capitalize()])])
        return [element("blockquote", [title, *held])]
    return held


def _section(node: nodes.Node, level: int, depth: int) -> list[Child]:
    title, *rest = node.children
    line = _one_line(title.astext())
    mark = Mark(level + 1) if line else None
    heading = element(f"h{min(level + 1, 6)}", [line], mark)
    return [heading, *_all(rest, level + 1, depth)]


def _title(node: nodes.Node, level: int, depth: int) -> list[Child]:
    """The title of what is no section, such as a table or a box."""
    held = _all(node.children, level, depth)
    if isinstance(node.parent, nodes.table):
        return [element("caption", held)]
    return [element("p", [element("strong", held)])]


def _code(node: nodes.Node, level: int, depth: int) -> list[Child]:
    kinds = [kind for kind in node.get("classes", ()) if kind not in ("code", "highlight")]
    language = {"language": kinds[0]} if kinds and "code" in node["classes"] else {}
    return [element("pre", [node.astext()], None, **language)]


def _numbered(node: nodes.Node, level: int, depth: int) -> list[Child]:
    held = _all(node.children, level, depth)
    style = _STYLES.get(node.get("enumtype", ""), "")
    start = str(node.get("start", 1))
    return [element("ol", held, None, start=start, type=style)]


def _note(node: nodes.Node, level: int, depth: int) -> list[Child]:
    """A footnote or citation behind its label."""
    label = next((one for one in node.children if isinstance(one, nodes.label)), None)
    rest = [one for one in node.children if one is not label]
    named = f"[{label.astext()}] " if label is not None else ""
    if rest and isinstance(rest[0], nodes.paragraph):
        first = element("p", [named, *_all(rest[0].children, level, depth)])
        return [first, *_all(rest[1:], level, depth)]
    return [element("p", [named]), *_all(rest, level, depth)]


def _mark(node: nodes.Node, level: int, depth: int) -> list[Child]:
    return [f"[{node.astext()}]"]


def _link(node: nodes.Node, level: int, depth: int) -> list[Child]:
    held = _all(node.children, level, depth)
    target = node.get("refuri")
    return [element("a", held, None, href=target)] if target else held


def _cell(node: nodes.Node, level: int, depth: int) -> list[Child]:
    name = "th" if isinstance(node.parent.parent, nodes.thead) else "td"
    rows, columns = (str(int(node.get(one, 0)) + 1) for one in ("morerows", "morecols"))
    return [element(name, _all(node.children, level, depth), None, rowspan=rows, colspan=columns)]


def _lines(node: nodes.Node, level: int, depth: int) -> list[Child]:
    """Lines of verse, each as it stands; those of an inner block follow."""
    held: list[Child] = []
    for line in node.findall(nodes.line):
        held += [*_all(line.children, level, depth), element("br")]
    return [element("p", held[:-1])]


def _field(node: nodes.Node, level: int, depth: int) -> list[Child]:
    name, body = node.children
    named = [*_all(name.children, level, depth), ":"]
    return [element("dt", named), element("dd", _all(body.children, level, depth))]


def _option(node: nodes.Node, level: int, depth: int) -> list[Child]:
    return [element("dt", [element("code", [", ".join(one.astext() for one in node.children)])])]


def _definition(node: nodes.Node, level: int, depth: int) -> list[Child]:
    """A term, what kind it is of, and its definition."""
    named: list[Child] = []
    rest: list[Child] = []
    for one in node.children:
        held = _all(one.children, level, depth)
        if isinstance(one, nodes.term):
            named += [", ", *held] if named else held
        elif isinstance(one, nodes.classifier):
            named += [" : ", element("em", held)]
        else:
            rest.append(element("dd", held))
    return [element("dt", named), *rest]


def _topic(node: nodes.Node, level: int, depth: int) -> list[Child]:
    if "contents" in node["classes"]:  # lists the sections
        return []
    return [element("blockquote", _all(node.children, level, depth))]


def _image(node: nodes.Node, level: int, depth: int) -> list[Child]:
    alt = str(node.get("alt") or "")
    return [alt] if isinstance(node.parent, nodes.TextElement) else [element("p", [alt])]


def _message(node: nodes.Node, level: int, depth: int) -> list[Child]:
    """What docutils complains of: the text of the document, not the complaint."""
    held = [one for one in node.children if isinstance(one, nodes.literal_block)]
    return _all(held, level, depth)


_SPECIAL: dict[str, Callable[[nodes.Node, int, int], Sequence[Child]]] = {
    "section": _section,
    "title": _title,
    "literal_block": _code,
    "doctest_block": _code,
    "math_block": _code,
    "enumerated_list": _numbered,
    "footnote": _note,
    "citation": _note,
    "footnote_reference": _mark,
    "citation_reference": _mark,
    "reference": _link,
    "entry": _cell,
    "line_block": _lines,
    "field": _field,
    "option_group": _option,
    "definition_list_item": _definition,
    "topic": _topic,
    "image": _image,
    "system_message": _message,
}
_ELEMENTS = {
    "paragraph": "p",
    "caption": "p",
    "attribution": "p",
    "bullet_list": "ul",
    "list_item": "li",
    "block_quote": "blockquote",
    "sidebar": "blockquote",
    "admonition": "blockquote",
    "definition_list": "dl",
    "field_list": "dl",
    "option_list": "dl",
    "description": "dd",
    "table": "table",
    "thead": "thead",
    "tbody": "tbody",
    "row": "tr",
    "transition": "hr",
    "emphasis": "em",
    "strong": "strong",
    "rubric": "p",
    "literal": "code",
    "math": "code",
    "title_reference": "em",
    "subscript": "sub",
    "superscript": "sup",
    "figure": "div",
    "legend": "div",
    "container": "div",
    "compound": "div",
}
_ADMONITIONS = frozenset(
    ("attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning")
)
_LEFT_OUT = frozenset((*(kind.__name__ for kind in _INVISIBLE), "colspec", "label"))
_STYLES = {"loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I"}


def _one_line(text: str) -> str:
    return " ".join(text.split())
