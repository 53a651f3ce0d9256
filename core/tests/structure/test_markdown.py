"""Headings of CommonMark text: where they are, held against markdown-it-py, and what only looks like one."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from hierdoc.structure.layout import Lines
from hierdoc.structure.markdown import (
    LONGEST_SETEXT,
    find_headings,
    front_matter_end,
    heading_end,
)

ORACLE = MarkdownIt("commonmark", {"maxNesting": 1000})


def headings(text: str) -> list[tuple[int, int, str]]:
    """Line, level and inline markup of each heading."""
    return [(one.line, one.level, one.markup) for one in find_headings(text)]


def oracle(text: str) -> list[tuple[int, int, str]]:
    """The same by markdown-it-py, which knows no front matter: it reads blank lines instead.

    It makes a heading of a paragraph of any length that a rule follows at once, and so a title of a kilobyte; we do not.
    """
    behind = front_matter_end(text)
    tokens = ORACLE.parse("\n" * text.count("\n", 0, behind) + text[behind:])
    found = []
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            lines = [line.strip(" \t") for line in inline.content.split("\n")]
            markup = "\n".join(lines)
            if token.markup[0] == "#" or len(markup) <= LONGEST_SETEXT:
                found.append((token.map[0] + 1, int(token.tag[1]), markup))
    return found


def titles(text: str) -> list[str]:
    return [one.title for one in find_headings(text)]


# ATX headings


@pytest.mark.parametrize("level", range(1, 7))
def test_one_to_six_hashes_make_a_heading(level: int) -> None:
    assert headings("#" * level + " foo") == [(1, level, "foo")]


@pytest.mark.parametrize(
    "text", ["####### foo", "#foo", "#5 bolt", r"\## foo", "    # foo", "\t# foo", "foo\n    # bar"]
)
def test_what_is_no_atx_heading(text: str) -> None:
    assert headings(text) == []


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("#                  foo                     ", "foo"),
        ("   # foo", "foo"),
        ("## foo ##", "foo"),
        ("# foo ##################################", "foo"),
        ("### foo ###     ", "foo"),
        ("### foo ### b", "foo ### b"),
        ("# foo#", "foo#"),
        ("#\tFoo", "Foo"),
        ("## ", ""),
        ("#", ""),
        ("### ###", ""),
    ],
)
def test_the_content_stands_without_hashes_and_space_around_it(text: str, markup: str) -> None:
    assert [one[2] for one in headings(text)] == [markup]


def test_an_atx_heading_needs_no_blank_lines_around_it() -> None:
    assert headings("Foo bar\n# baz\nBar foo") == [(2, 1, "baz")]


# Setext headings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Foo\n=====", [(1, 1, "Foo")]),
        ("Foo\n-------------------------", [(1, 2, "Foo")]),
        ("Foo\nbar\n===", [(1, 1, "Foo\nbar")]),
        ("  Foo \n  ----      ", [(1, 2, "Foo")]),
        ("a\n\nFoo\n=", [(3, 1, "Foo")]),
        ("[foo]: /url\nbar\n===", [(2, 1, "bar")]),
        ("> [foo]: /url\nbar\n===", [(2, 1, "bar")]),
        ("\\> foo\n------", [(1, 2, "\\> foo")]),
    ],
)
def test_a_paragraph_above_an_underline_is_a_heading(text: str, expected: list[Any]) -> None:
    assert headings(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Foo\n\n---",  # a thematic break
        "Foo\n= =",
        "Foo\n--- -",
        "---\n---",
        "=====",
        "- foo\n-----",
        "- Foo\nbar\n---",  # a lazy line of the item
        "> foo\n-----",
        "> foo\nbar\n===",
        "    foo\n---",  # indented code
        "`Foo\n    ---",
        "| a |\n|---|",
        "a | b\n--- | ---",
        "[foo]: /url\n===",  # a definition is no paragraph
        "[foo]:\n===",
        "[foo]: /url\n'title'\n===",
        "[foo]: /url\n<del>\n---",
    ],
)
def test_what_is_no_setext_heading(text: str) -> None:
    assert headings(text) == []


@pytest.mark.parametrize("underline", ["---", "==="])
def test_a_long_paragraph_above_a_rule_is_no_heading(underline: str) -> None:
    paragraph = "One line of a paragraph that says a lot.\n" * 8
    assert headings(f"# a\n\n{paragraph}{underline}\nb\n\n## c\n") == [(1, 1, "a"), (14, 2, "c")]
    assert titles(f"{'long ' * 100}title\n{underline}\n") == []
    assert titles(f"{'long ' * 20}title\n{underline}\n") == [f"{'long ' * 20}title"]


@pytest.mark.parametrize("sign", ["-", "="])
def test_a_long_title_is_a_heading_where_its_underline_is_as_long(sign: str) -> None:
    title = f"{'An Act to amend the law of ferries, ' * 6}and for connected purposes"
    for length in (len(title), len(title) - 1, len(title) + 2):
        assert titles(f"{title}\n{sign * length}\n\nText.\n") == [title]
    for length in (3, 80, len(title) - 20, len(title) + 20):
        assert titles(f"{title}\n{sign * length}\n\nText.\n") == []
    assert titles(f"{title}\n{title}\n{sign * len(title)}\n") == []


# What hides headings


@pytest.mark.parametrize(
    "text",
    [
        "```\n# a\n```\n# b",
        "~~~ py\n# a\n~~~\n# b",
        "````\n# a\n```\n# a\n`````\n# b",
        "~~~\n```\n# a\n~~~~\n# b",
        "  ```\n# a\n   ```   \n# b",
        "```\n# a\n``` c\n# a\n```\n# b",
        "<!--\n# a\n-->\n# b",
        "<!-- c\n\n# a --> d\n# b",
        "<script>\n# a\n\n# a\n</script>\n# b",
        "<pre\n>\n# a\n</PRE>\n# b",
        "<style>\n\n# a</style>\n# b",
        "<textarea>\n\n# a\n</textarea>\n# b",
        "<?php\n# a\n?>\n# b",
        "<!DOCTYPE\n# a\n>\n# b",
        "<![CDATA[\n\n# a\n]]>\n# b",
        "<div>\n# a\n\n# b",
        "</td>\n# a\n\n# b",
        "<b class='x'>\n# a\n\n# b",
    ],
)
def test_fences_and_html_blocks_hide_headings_up_to_their_end(text: str) -> None:
    assert [one[2] for one in headings(text)] == ["b"]


@pytest.mark.parametrize("text", ["```\n# a", "~~~~\n# a\n~~~\n# a", "<!--\n\n# a", "<?\n# a"])
def test_what_is_not_closed_reaches_to_the_end(text: str) -> None:
    assert headings(text) == []


@pytest.mark.parametrize(
    "text", ["``` a`b\n# b", "x\n<b>\n# b", "`````\n`````\n# b", "<b>x\n# b", "<5\n# b"]
)
def test_what_only_looks_like_a_fence_or_html_block_hides_nothing(text: str) -> None:
    assert [one[2] for one in headings(text)] == ["b"]


@pytest.mark.parametrize(
    "text",
    [
        "> # a",
        "- # a",
        "1. # a",
        "- x\n\n  # a",
        "10. x\n\n    # a",
        "- x\n  ```\n  # a\n  ```",
        "- ```\n  # a\n  ```",
    ],
)
def test_headings_within_list_items_and_quotes_are_no_sections(text: str) -> None:
    assert headings(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "- x\n# b",
        "- x\n\n # b",
        "- ```\n# b",
        "> ```\n# b",
        "> <!--\n# b",
        "1. x\n\n  # b",
        "-\n\n  # b",
    ],
)
def test_a_heading_behind_a_list_or_quote_is_one(text: str) -> None:
    assert [one[2] for one in headings(text)] == ["b"]


# Front matter


@pytest.mark.parametrize(
    "matter",
    [
        "---\ntitle: x\n---\n",
        "---\ntitle: x\ntags:\n  - a\n- b\n\n# comment\n...\n",
        "---\r\ntitle: x\r\n---\r\n",
        "\ufeff---\ntitle: x\n--- \n",
        "---\n---\n",
    ],
)
def test_front_matter_is_neither_a_heading_nor_hides_one(matter: str) -> None:
    text = matter + "# a\n"
    assert front_matter_end(text) == len(matter)
    assert titles(text) == ["a"]


@pytest.mark.parametrize(
    "text",
    [
        "---\n\n# a\n\nkey: b\n\n---\n",
        "---\nSome words\n---\n",
        "---\ntitle: x\n",
        "a\n---\ntitle: x\n---\n",
        "---\nNote: this\nis prose\n---\n",
        "----\ntitle: x\n---\n",
    ],
)
def test_a_thematic_break_at_the_start_is_no_front_matter(text: str) -> None:
    assert front_matter_end(text) == 0


# Places


def test_a_heading_says_where_it_is() -> None:
    text = "x\n\n  # a #\n\nb\nc\n---\n"
    first, second = find_headings(text)
    assert text[first.char_start : first.char_end] == "  # a #"
    assert text[second.char_start : second.char_end] == "b\nc\n---"
    assert (first.line, second.line) == (3, 5)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_all_line_endings_count(ending: str) -> None:
    text = "---\na: b\n---\n# a\n\nb\nc\n===\n```\n# d\n```\n# e #\n".replace("\n", ending)
    found = find_headings(text)
    assert [(one.line, one.title) for one in found] == [(4, "a"), (6, "b c"), (12, "e")]
    assert [text[one.char_start] for one in found] == ["#", "b", "#"]
    assert text[found[2].char_start : found[2].char_end].strip() == "# e #"


def test_other_control_characters_end_no_line() -> None:
    assert headings("a\x0b# b\x0c# c\x85# d\u2028# e") == []


def test_a_byte_order_mark_hides_no_heading() -> None:
    assert titles("\ufeff# a") == ["a"]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("# a\nb\n===\n", "# a"),
        ("a\nb\n===\nc", "a\nb\n==="),
        ("a\n\n===\n", "a"),
        ("# a\r\nb", "# a"),
        ("a\r\n---\r\nb", "a\r\n---"),
        ("a", "a"),
    ],
)
def test_the_end_of_a_sections_heading_is_found_again(text: str, ends: str) -> None:
    assert text[: heading_end(text, 0, len(text))] == ends


def test_the_line_of_each_place() -> None:
    lines = Lines("a\nb\r\nc\rd")
    assert [lines.at(place) for place in range(8)] == [1, 1, 2, 2, 2, 3, 3, 4]
    assert lines.of(2, 6) == (2, 3)


# The oracle

FRAGMENTS = [
    "# a", "## b ##", "### c #", "#", "#d", "####### e", "===", "---", "--", "-", "=", "- ", "- x", "-  y", "* z",
    "1. o", "2) p", "> q", ">", "> - r", "- > s", "```", "````", "~~~", "``` py", "``` a`b", "# i", "text", "<div>",
    "</div>", "<b>", "<b>x", "<!--", "-->", "<!-- c -->", "<?", "?>", "<script>", "</script>", "<pre>", "***", "* * *",
    "- - -", "___", "|a|b|", "|-|-|", "\\# m", "\t", "  ", "- # h", "- ```", "1. # z", "+", "10. x", "<![CDATA[", "]]>",
    "<a href='x'>", "- \tt", "-\tu", "+   - x", "[a]: /u", "[a]: <b> 't'", "> [c]: d", "1234567890. a",
    "long " * 30 + "line", "long " * 60 + "line",
]  # fmt: skip
INDENTS = ["", "", "", " ", "  ", "   ", "    ", "\t"]
ENDINGS = ["\n", "\n", "\n\n", "\n \n"]
DOCUMENTS = st.lists(
    st.tuples(st.sampled_from(INDENTS), st.sampled_from(FRAGMENTS), st.sampled_from(ENDINGS)),
    max_size=10,
).map(lambda parts: "".join("".join(part) for part in parts))

LAZY_AND_DEEP = re.compile(r"[^\n \t][^\n]*\n(?: {4}| {0,3}\t)[ \t]*[^ \n\t]")
"""Text indented by four columns behind other text: a lazy line, of which markdown-it-py may make a block."""


@settings(max_examples=600)
@given(DOCUMENTS)
def test_headings_are_those_of_markdown_it(text: str) -> None:
    assume(not LAZY_AND_DEEP.search(text))
    assert headings(text) == oracle(text)


@given(DOCUMENTS)
def test_lines_and_spans_agree(text: str) -> None:
    lines = Lines(text)
    for one in find_headings(text):
        assert lines.at(one.char_start) == one.line
        assert one.char_start == 0 or text[one.char_start - 1] in "\r\n"
        assert heading_end(text, one.char_start, len(text)) == one.char_end


@given(DOCUMENTS, st.sampled_from(["\r\n", "\r"]))
def test_line_endings_make_no_difference(text: str, ending: str) -> None:
    assert headings(text.replace("\n", ending)) == headings(text)


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.nightly)])
def test_headings_of_real_documents_are_those_of_markdown_it(shared_data: Path, step: int) -> None:
    paths = sorted(shared_data.rglob("*.md"))[::step]
    assert paths
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert headings(text) == oracle(text), path.name


# Hostile text


@pytest.mark.parametrize(
    "text",
    [
        "# a\n" * 50_000,
        "a" * 10_000_000,
        "# " + "[" * 100_000,
        "# " + "`" * 100_000 + " `",
        "# " + "*a _b " * 50_000,
        "# " + "![" * 50_000 + "](" * 50_000,
        "# " + "<!--" * 100_000,
        "# " + "<a b='" * 50_000,
        "> " * 5_000 + "a\n===\n" * 1_000,
        "- " * 50_000 + "a\n" + "===\n  # b\n" * 1_000,
        "a\n" * 100_000 + "===\n",
        "- a\n\n" + "  # b\n" * 50_000,
        "x\n<b>\n" * 50_000,
        "[a]: b\n" * 50_000 + "===\n",
        "```\n~~~~\n" * 50_000,
        "---\n" * 100_000,
        "---\n" + "a: b\n" * 100_000,
        "<a " + "b " * 100_000 + "\n",
        "- a\n" + " \n" * 100_000 + "  # b\n",
    ],
    ids=lambda text: text[:12],
)
def test_hostile_text_is_read_without_recursion(text: str) -> None:
    assert len(find_headings(text)) <= 100_000
