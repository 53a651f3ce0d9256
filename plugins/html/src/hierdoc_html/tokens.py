"""HTML text to tags and text: a tokenizer for documents of any quality, linear in their length.

Follows the HTML standard, chapter 13.2.5, where it decides what is text: comments, raw text elements, quotes in attributes.
Differs where that would lose text: a tag that never ends is text, and so is a CDATA section.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal


@dataclass(slots=True)
class Token:
    """A start tag, an end tag or text between tags.

    Attributes:
        kind: Which of these.
        value: The tag's lower-case name without namespace prefix; the text, its entities decoded.
        markup: A start tag's attributes, as written.
    """

    kind: Literal["start", "end", "text"]
    value: str
    markup: str = ""


def attributes(markup: str) -> dict[str, str]:
    """The attributes of a start tag by lower-case name, their entities decoded; "" for one without value."""
    values: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(markup):
        value = match["double"] or match["single"] or match["bare"] or ""
        values.setdefault(match["name"].lower(), html.unescape(value))
    return values


def tokens(markup: str) -> Iterator[Token]:
    """The tags and the text of a document, in order; comments, declarations and scripts left out.

    An element that ends in its own start tag (`<td/>`) gives two tokens in XHTML; elsewhere the slash means nothing.
    """
    is_xhtml = markup.lstrip()[:5] == "<?xml" or "//DTD XHTML" in markup[:1024]
    last = markup.rfind(">") + 1
    position = 0
    while position < last:
        found = _MARKUP.search(markup, position, last)
        if not found:
            break
        if found.start() > position:
            yield Token("text", html.unescape(markup[position : found.start()]))
        position = found.end()
        name = found["name"]
        if name is None:
            if found["data"] is not None:
                yield Token("text", found["data"])
            continue
        name = name.rpartition(":")[2].lower()
        if found["slash"]:
            yield Token("end", name)
            continue
        yield Token("start", name, found["attributes"])
        if is_xhtml and found["attributes"].endswith("/"):
            yield Token("end", name)
        elif name in _RAW_TEXT:
            end = _RAW_TEXT[name].search(markup, position)
            if name in _READABLE:
                if not end:  # an element like others, rather than all the rest of the document
                    continue
                yield Token("text", html.unescape(markup[position : end.start()]))
            yield Token("end", name)
            position = end.end() if end else len(markup)
    if position < len(markup):
        yield Token("text", html.unescape(markup[position:]))


_MARKUP = re.compile(
    r"""<(?:
        !--(?:-?>|.*?(?:--!?>|\Z))                         # a comment
      | !\[CDATA\[(?P<data>.*?)(?:\]\]>|\Z)
      | [!?][^>]*>                                         # a declaration or instruction
      | (?P<slash>/?)(?P<name>[A-Za-z][^\s/>]*)
        (?P<attributes>(?:[^=>]+|=\s*(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|))*)
        (?:>|\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"""(?P<name>[^\s/=>"'][^\s/=>]*)
        (?:\s*=\s*(?:"(?P<double>[^"]*)"?|'(?P<single>[^']*)'?|(?P<bare>[^\s"'][^\s]*)))?""",
    re.VERBOSE,
)
_RAW_TEXT = {
    name: re.compile(rf"</{name}(?=[\s/>])[^>]*(?:>|\Z)", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes")
}
_READABLE = ("title", "textarea", "xmp")
