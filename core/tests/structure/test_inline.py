"""Inline markdown to plain text, held against markdown-it-py."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from hierdoc.structure.inline import plain_text
from hierdoc.structure.markdown import LONGEST_SETEXT, find_headings, front_matter_end

ORACLE = MarkdownIt("commonmark")
DEFINED = {"x"}


def read(markup: str) -> str:
    return plain_text(markup, DEFINED.__contains__)


def flat(tokens: Iterable[Token] | None) -> Iterator[str]:
    for token in tokens or ():
        if token.type == "image":
            yield from flat(token.children)
        elif token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.type in ("text", "text_special", "code_inline"):
            yield token.content


def oracle(markup: str) -> str:
    tokens = ORACLE.parse(f"# {markup}\n\n[x]: /url\n")
    return " ".join("".join(flat(tokens[1].children)).split())


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("plain", "plain"),
        ("*a* **b** ***c*** _d_ __e__", "a b c d e"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("**open", "**open"),
        ("`code *x*` and ``a ` b``", "code *x* and a ` b"),
        ("` a `", "a"),
        ("`open", "`open"),
        ("[text](url) [t](<a b> 'c') [](u)", "text t"),
        ("[text][x] [x][] [x]", "text x x"),
        ("[1] REQUEST [a][b]", "[1] REQUEST [a][b]"),
        ("![alt *text*](u.png)", "alt text"),
        ("[![alt](i)](u)", "alt"),
        ("[a [b](c) d](e)", "[a b d](e)"),
        (r"\*a\* \[b\] \q", r"*a* [b] \q"),
        ("&amp; &lt; &#167; &nope; &", "& < § &nope; &"),
        ("<http://a.b> <a@b.c>", "http://a.b a@b.c"),
        ('a <a name="x"></a>b <br/> <!-- c --> d', "a b d"),
        ("1 < 2 > 0", "1 < 2 > 0"),
        ("a\nb", "a b"),
        ("", ""),
    ],
)
def test_markup_is_stripped(markup: str, text: str) -> None:
    assert read(markup) == text


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# Scope {#scope}", "Scope"),
        ("# Scope {#scope .note key=value}", "Scope"),
        ("# Scope {.unnumbered} ##", "Scope"),
        ("# Scope {-}", "Scope"),
        ("# The set {a, b}", "The set {a, b}"),
    ],
)
def test_trailing_attributes_are_no_part_of_a_title(line: str, title: str) -> None:
    assert find_headings(line)[0].title == title


def test_a_reference_counts_only_where_the_document_defines_it() -> None:
    text = "# [a] and [b]\n\n[b]: /url\n"
    assert find_headings(text)[0].title == "[a] and b"


EMPHASIS = [
    "*", "**", "***", "_", "__", "`", "``", "a", "b ", "foo", " ", "\\", "\\*", "\\[", "[foo](u)", "[*foo*](<u v> 't')",
    "![alt](u)", "<b>", "</b>", "<!-- c -->", "<http://x.y>", "<", "&amp;", "&", "&#65;", ".", "“", "é", "!", "-",
    "<a b='c'>", "x*y", "\\`", '"', "#",
]  # fmt: skip
"""Complete links only: markdown-it-py reads the brackets of others otherwise than the specification's reference does."""


def composed(fragments: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(fragments), max_size=10).map(
        lambda parts: f"a{''.join(parts)}b"
    )


@settings(max_examples=400)
@given(composed([*EMPHASIS, "[x]", "[a][x]", "[x][]"]) | composed([*EMPHASIS, "[", "]", ")"]))
def test_the_text_is_that_of_markdown_it(markup: str) -> None:
    assert read(markup) == oracle(markup)


@given(st.text("[]()!*_`\\<>&;ax \n'\"", max_size=40))
def test_any_text_is_read(markup: str) -> None:
    assert "\n" not in read(markup)


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.nightly)])
def test_titles_of_real_documents_are_those_of_markdown_it(shared_data: Path, step: int) -> None:
    paths = sorted(shared_data.rglob("*.md"))[::step]
    assert paths
    for path in paths:
        text = path.read_text(encoding="utf-8")
        tokens = ORACLE.parse(text[front_matter_end(text) :])
        expected = [
            " ".join("".join(flat(inline.children)).split())
            for opening, inline in pairwise(tokens)
            if opening.type == "heading_open"
            and opening.level == 0
            and (opening.markup[0] == "#" or len(inline.content) <= LONGEST_SETEXT)
        ]
        assert [heading.title for heading in find_headings(text)] == expected, path.name
