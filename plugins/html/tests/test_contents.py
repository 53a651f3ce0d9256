"""Headings that a page's own table of contents lists."""

from __future__ import annotations

import asyncio

import pytest

from hierdoc import Source
from hierdoc_html.converter import HtmlConverter

NAV = """<nav><ul><li><a href="#a">Fees</a><ul><li><a href="#b">Berths</a></li><li><a href="#c">Cranes</a></li></ul></li>
<li><a href="#d">Records</a></li></ul></nav>"""


def headings(markup: str) -> list[str]:
    document = asyncio.run(HtmlConverter().convert(Source("page.html", markup.encode())))
    return [line for line in document.text.split("\n") if line.startswith("#")]


def page(contents: str, form: str) -> str:
    titles = (("a", "Fees", 1), ("b", "Berths", 2), ("c", "Cranes", 2), ("d", "Records", 1))
    body = "".join(
        form.format(id=name, title=title, level=1 + level) + "<p>Text.</p>"
        for name, title, level in titles
    )
    return f"<html><body><h1>Harbours</h1>{contents}{body}</body></html>"


LISTED = ["# Harbours", "## Fees", "### Berths", "### Cranes", "## Records"]


def test_paragraphs_that_are_listed_become_headings() -> None:
    assert headings(page(NAV, '<p id="{id}">{title}</p>')) == LISTED


def test_headings_of_one_level_take_the_levels_of_the_list() -> None:
    assert headings(page(NAV, '<h2 id="{id}">{title}</h2>')) == LISTED


def test_levels_that_differ_are_the_authors() -> None:
    flat = (
        "<ul>"
        + "".join(
            f'<li><a href="#{one}">{title}</a></li>'
            for one, title in zip("abcd", ("Fees", "Berths", "Cranes", "Records"), strict=True)
        )
        + "</ul>"
    )
    assert headings(page(flat, '<h{level} id="{id}">{title}</h{level}>')) == LISTED


def test_classes_tell_the_levels_of_lines() -> None:
    entries = (("a", "Fees", 1), ("b", "Berths", 2), ("c", "Cranes", 2), ("d", "Records", 1))
    lines = "".join(
        f'<p class="toc{level}"><a href="#{one}">{title}</a> .... {place}</p>'
        for place, (one, title, level) in enumerate(entries)
    )
    assert headings(page(lines, '<p id="{id}">{title}</p>')) == LISTED


@pytest.mark.parametrize(
    "contents",
    [
        '<ul><li><a href="#x">Home</a></li><li><a href="#y">About</a></li><li><a href="#z">Contact</a></li></ul>',
        '<ul><li><a href="/fees">Fees</a></li><li><a href="/berths">Berths</a></li><li><a href="/cranes">Cranes</a></li></ul>',
        '<p>See <a href="#a">Fees</a>, which every vessel that calls at the port has to pay, and <a href="#d">Records</a>.</p>',
    ],
)
def test_links_that_are_no_table_of_contents(contents: str) -> None:
    assert headings(page(contents, '<p id="{id}">{title}</p>')) == ["# Harbours"]


def test_a_list_most_of_which_is_not_there_is_not_believed() -> None:
    entries = "".join(f'<li><a href="#{place}">Part {place}</a></li>' for place in range(9))
    contents = f'<ul>{entries}<li><a href="#a">Fees</a></li></ul>'
    assert headings(page(contents, '<p id="{id}">{title}</p>')) == ["# Harbours"]


def test_a_number_and_its_title_below_make_one_heading() -> None:
    contents = "".join(
        f'<li><a href="#s{one}">Article {one} Subject {one}</a></li>' for one in range(1, 4)
    )
    body = "".join(
        f'<p id="s{one}"><i>Article {one}</i></p><p>Subject {one}</p><p>Text.</p>'
        for one in range(1, 4)
    )
    markup = f"<html><body><h1>Act</h1><ul>{contents}</ul>{body}</body></html>"
    assert headings(markup) == [
        "# Act",
        "## Article 1 Subject 1",
        "## Article 2 Subject 2",
        "## Article 3 Subject 3",
    ]
