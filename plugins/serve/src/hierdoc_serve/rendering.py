"""Documents as HTML that is safe to show, with a part of them marked.

What the index holds of a document is markdown, whatever its format was, and may hold HTML. It is rendered, then sanitised; only
then do the marks become elements. Until then they are characters of Unicode's private use, which are taken out of documents first.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token

PASSAGE = "passage"
"""The id of the element where the marked part begins."""

_OPEN, _CLOSE = "\ue0f0", "\ue0f1"
_MARKS = str.maketrans({_OPEN: "\ufffd", _CLOSE: "\ufffd", "\0": "\ufffd"})

_TAGS = frozenset(
    [
        "a",
        "abbr",
        "b",
        "blockquote",
        "br",
        "caption",
        "code",
        "col",
        "colgroup",
        "dd",
        "del",
        "details",
        "dfn",
        "div",
        "dl",
        "dt",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "ins",
        "kbd",
        "li",
        "ol",
        "p",
        "pre",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "u",
        "ul",
        "var",
    ]
)
_ATTRIBUTES = {
    "a": {"href", "title"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
_SCHEMES = {"http", "https", "mailto"}


class Span(NamedTuple):
    """Characters of a text, the end exclusive."""

    start: int
    end: int


def rendered(text: str, marked: Span | None = None) -> str:
    """Markdown as safe HTML.

    Args:
        text: It.
        marked: The characters to mark; the first element of the marks has the id `PASSAGE`.
    """
    text = _with_front_matter_fenced(text.translate(_MARKS))  # as long as before
    renderer = _renderer()
    environment: dict[str, Any] = {}
    tokens = renderer.parse(text, environment)
    if marked is not None and marked.end > marked.start:
        tokens = _marked(renderer, tokens, text, marked, environment)
    made = renderer.renderer.render(tokens, renderer.options, environment)
    safe = nh3.clean(
        made,
        tags=set(_TAGS),
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )
    return _with_elements(safe)


def excerpt(text: str, most: int = 320) -> str:
    """The beginning of markdown as plain text on one line."""
    words = nh3.clean(_renderer().render(text[: 4 * most].translate(_MARKS)), tags=set())
    plain = " ".join(html.unescape(words).split())
    if len(plain) <= most:
        return plain
    return plain[: plain.rfind(" ", most // 2, most)] + " …"


def _with_front_matter_fenced(text: str) -> str:
    found = _FRONT_MATTER.match(text)
    if not found:
        return text
    return f"```{text[3 : found.end() - 3]}```{text[found.end() :]}"


_FRONT_MATTER = re.compile(r"---\n(?:(?!---|```).*\n){0,200}---(?=\n|$)")


def _with_elements(safe: str) -> str:
    """The marks as elements; none at all where the document's own HTML has swallowed some of them."""
    pieces = re.split(f"({_OPEN}|{_CLOSE})", safe)
    turns = [piece for piece in pieces if piece in (_OPEN, _CLOSE)]
    if turns != [_OPEN, _CLOSE] * (len(turns) // 2):
        return "".join(piece for piece in pieces if piece not in (_OPEN, _CLOSE))
    # Should a mark have come to stand in an attribute, its element must not end that: no quotes.
    first = [f"<mark id={PASSAGE}>", *["<mark>"] * len(turns)]
    opened = iter(first)
    return "".join(
        next(opened) if piece == _OPEN else "</mark>" if piece == _CLOSE else piece
        for piece in pieces
    )


@cache
def _renderer() -> MarkdownIt:
    renderer = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    renderer.add_render_rule("image", _image)
    renderer.add_render_rule("fence", _code)
    renderer.add_render_rule("code_block", _code)
    return renderer


def _image(self: Any, tokens: Sequence[Token], number: int, options: Any, environment: Any) -> str:
    """A picture's description: nothing is fetched for a document."""
    return f"[{escapeHtml(tokens[number].content)}]" if tokens[number].content else ""


def _code(self: Any, tokens: Sequence[Token], number: int, options: Any, environment: Any) -> str:
    return f"<pre><code>{escapeHtml(tokens[number].content)}</code></pre>\n"


# Marks


def _marked(
    renderer: MarkdownIt,
    tokens: Sequence[Token],
    text: str,
    marked: Span,
    environment: dict[str, Any],
) -> list[Token]:
    """The tokens with marks around what of each block's text is marked."""
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    around: list[Sequence[int]] = []
    found: list[Token] = []
    for token in tokens:
        lines = token.map or (around[-1] if around else None)
        if token.nesting == 1:
            around.append(lines or (0, 0))
        elif token.nesting == -1:
            around.pop()
        if token.type not in _LEAVES or lines is None:
            found.append(token)
            continue
        whole = Span(starts[lines[0]], starts[min(lines[1], len(starts) - 1)])
        if whole.end <= marked.start or whole.start >= marked.end:
            found.append(token)
        elif token.type == "html_block":
            found += [_mark(_OPEN), token, _mark(_CLOSE)]
        else:
            span = _within(token.content, text, whole, marked, fenced=token.type == "fence")
            found += _parted(renderer, token, span, environment)
    return found


_LEAVES = frozenset(("inline", "fence", "code_block", "html_block"))


def _parted(
    renderer: MarkdownIt, token: Token, span: Span, environment: dict[str, Any]
) -> Iterator[Token]:
    """A block's text in up to three parts, the middle one with marks around it."""
    content = token.content
    if not content[span.start : span.end].strip():
        yield token
        return
    if token.type != "inline":
        token.content = f"{content[: span.start]}{_OPEN}{content[span.start : span.end]}{_CLOSE}{content[span.end :]}"
        yield token
        return
    if not content[: span.start].strip() and not content[span.end :].strip():
        yield from (_mark(_OPEN), token, _mark(_CLOSE))
        return
    parts = (content[: span.start], content[span.start : span.end], content[span.end :])
    for part, around in zip(parts, (False, True, False), strict=True):
        if around:
            yield _mark(_OPEN)
        yield from renderer.parseInline(part, environment) if part else ()
        if around:
            yield _mark(_CLOSE)


def _mark(character: str) -> Token:
    return Token("html_block", "", 0, content=character)


def _within(content: str, text: str, whole: Span, marked: Span, *, fenced: bool) -> Span:
    """Which part of a block's content is marked; a line of the content is the end of one of the text, or lies within it."""
    source = text[whole.start : whole.end].split("\n")
    at = whole.start
    start, end, position, line = len(content), 0, 0, 0
    if fenced:
        at += len(source[0]) + 1
        line = 1
    lines = content.split("\n")
    for written in lines:
        column = -1
        while line < len(source):
            column = source[line].find(written.strip())
            if column >= 0:
                break
            at += len(source[line]) + 1
            line += 1
        if column < 0:  # not to be found: all of the block is marked
            return Span(0, len(content))
        column -= len(written) - len(written.lstrip())
        low = min(max(marked.start - at - column, 0), len(written))
        high = min(max(marked.end - at - column, 0), len(written))
        if high > low:
            start, end = min(start, position + low), position + high
        position += len(written) + 1
        if len(lines) > 1:
            at += len(source[line]) + 1
            line += 1
    return Span(min(start, end), end)
