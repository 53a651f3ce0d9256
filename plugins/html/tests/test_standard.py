"""Markup without errors is read as the HTML standard has it: the text is that of the tree that lexbor builds."""

from __future__ import annotations

import html
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from hierdoc_html.blocks import write
from hierdoc_html.converter import decode_html
from hierdoc_html.flow import blocks_of
from hierdoc_html.tree import Node, parse


def text_of(root: Node) -> str:
    return write(blocks_of(root))


def by_lexbor(markup: str) -> Node:
    """The document by lexbor; it implies the end of every element, so that all count as ended."""
    root = Node("")
    pending: list[tuple[LexborNode | None, Node]] = [(LexborHTMLParser(markup).root, root)]
    while pending:
        found, parent = pending.pop()
        while found is not None:
            if found.tag == "-text":
                parent.children.append(found.text_content or "")
            elif found.tag and found.tag[0] not in "-!":
                attributes = found.attributes.items()
                written = " ".join(f'{key}="{html.escape(text or "")}"' for key, text in attributes)
                parent.children.append(Node(found.tag, markup=written, ended=True))
                pending.append((found.child, parent.children[-1]))
            found = found.next
    return root


def element(
    name: str, content: st.SearchStrategy[str], end: str | None = None
) -> st.SearchStrategy[str]:
    """An element; its end tag is there or not where `end` is empty."""
    ends = st.sampled_from((f"</{name}>", end)) if end is not None else st.just(f"</{name}>")
    return st.builds(lambda inner, closing: f"<{name}>{inner}{closing}", content, ends)


def several(part: st.SearchStrategy[str], most: int = 3) -> st.SearchStrategy[str]:
    return st.lists(part, min_size=1, max_size=most).map("".join)


WORDS = st.sampled_from(
    ("word", " two words ", "\n", "&amp; &#167;&nbsp;5", "4 &lt; 5", "<br>", "a")
)
LINK = st.sampled_from(("<a href='https://a.org/x'>link</a>", "<a href='#x'>anchor</a>"))
INLINE = several(
    st.recursive(
        WORDS | LINK,
        lambda inner: st.one_of(
            *(element(name, several(inner, 2)) for name in ("b", "i", "code", "span", "sup"))
        ),
        max_leaves=4,
    )
)


def containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Elements that hold paragraphs and the like, with all end tags or without those that may be left out."""
    content = several(inner) | INLINE
    cells = several(element("td", content, "") | element("th", INLINE, ""))
    table = element("table", several(element("tr", cells, "")))
    descriptions = several(element("dt", INLINE, "") | element("dd", content, ""))
    lists = [element(name, several(element("li", content, ""))) for name in ("ul", "ol")]
    others = [element(name, content) for name in ("div", "section", "blockquote")]
    return st.one_of(table, element("dl", descriptions), *lists, *others)


BLOCKS = st.recursive(
    element("p", INLINE, "") | element("h2", INLINE) | st.just("<hr>"), containers, max_leaves=8
)


@settings(deadline=None)
@given(several(BLOCKS, 4))
def test_markup_without_errors(markup: str) -> None:
    assert text_of(parse(markup)) == text_of(by_lexbor(markup))


@pytest.mark.parametrize("name", ["legal/gdpr.html", "technical/rfc/rfc9110.html"])
def test_published_documents(shared_data: Path, name: str) -> None:
    markup = decode_html((shared_data / name).read_bytes(), name)
    assert text_of(parse(markup)) == text_of(by_lexbor(markup))
