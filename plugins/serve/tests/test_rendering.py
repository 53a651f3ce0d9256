"""Documents as HTML: safe whatever they hold, and marked where they are to be."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc_serve.rendering import Span, excerpt, rendered

DOCUMENT = """\
# Title *x*

One **bold** sentence here. Second sentence goes
on over a line. Third one.

- item one
- item two with `code`

| a | b |
|---|---|
| first | second |
| third | fourth |

```text
code one
code two
```

Last.
"""


def marked(text: str, first: str, last: str) -> list[str]:
    """What is marked if the text from one place to another is, as plain text."""
    start = text.index(first)
    made = rendered(text, Span(start, text.index(last, start) + len(last)))
    found = re.findall(r"<mark[^>]*>(.*?)</mark>", made, re.DOTALL)
    assert made.count("<mark id=passage>") == (1 if found else 0)
    return [" ".join(html.unescape(re.sub("<[^>]*>", "", one)).split()) for one in found]


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("Second", "a line.", ["Second sentence goes on over a line."]),
        ("# Title", "here.", ["Title x", "One bold sentence here."]),
        ("Third", "item one", ["Third one.", "item one"]),
        ("| first", "second |", ["first", "second"]),
        ("| third", "code one", ["third", "fourth", "code one"]),
        ("code two", "Last.", ["code two", "Last."]),
    ],
)
def test_what_is_to_be_marked_is_and_nothing_else(
    first: str, last: str, expected: list[str]
) -> None:
    assert marked(DOCUMENT, first, last) == expected


def test_nothing_is_marked_unless_it_is_asked() -> None:
    assert "<mark" not in rendered(DOCUMENT)
    assert "<mark" not in rendered(DOCUMENT, Span(5, 5))
    assert "<mark" not in rendered("<mark id=passage>x</mark>\ue0f0\ue0f1 y")


def test_marks_do_not_change_what_is_shown() -> None:
    bare = re.sub(r"\s+", "", rendered(DOCUMENT))
    for start in range(0, len(DOCUMENT), 7):
        made = rendered(DOCUMENT, Span(start, start + 40))
        if "**" not in made and "`" not in made and "*x" not in made:
            assert re.sub(r"\s+", "", re.sub("</?mark( id=passage)?>", "", made)) == bare


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](http://tracker.example/pixel.png)",
        "[x](javascript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "<a href='javascript:alert(1)'>x</a>",
        "<p onclick=alert(1) style='position:fixed' id=main class=note>x</p>",
        "<iframe src=//evil.example></iframe>",
        "<form action=//evil.example><input name=token></form>",
        "<svg><script>alert(1)</script></svg>",
        "<math><style><img src=x onerror=alert(1)></style></math>",
        "<base href=//evil.example>",
        "<style>*{display:none}</style>",
        "<link rel=stylesheet href=//evil.example>",
        "<meta http-equiv=refresh content='0;url=//evil.example'>",
    ],
)
def test_what_a_document_says_cannot_act(attack: str) -> None:
    for text in (attack, f"before {attack} after", f"- {attack}", f"| {attack} |\n|---|\n| x |"):
        made = rendered(text, Span(0, len(text)))
        tags = re.findall(r"<\s*/?\s*([a-z0-9]+)([^>]*)>", made, re.IGNORECASE)
        for name, attributes in tags:
            assert name in {
                "p",
                "a",
                "ul",
                "li",
                "table",
                "thead",
                "tbody",
                "tr",
                "th",
                "td",
                "mark",
            }
            assert not re.search(r"\bon\w+\s*=|style|javascript:|data:|src|class", attributes)
        assert "evil.example" not in "".join(attributes for _, attributes in tags)


def test_links_lead_away_without_saying_where_from() -> None:
    assert 'rel="noopener noreferrer nofollow"' in rendered("[x](https://example.org)")


@given(
    st.text(alphabet="ab *_`#|-<>[]()&\"'=\n\\!~:/", max_size=80),
    st.integers(0, 80),
    st.integers(0, 80),
)
def test_any_text_is_rendered_and_marks_come_in_pairs(text: str, start: int, end: int) -> None:
    made = rendered(text, Span(start, end))
    turns = re.findall(r"<(/?)mark(?: id=passage)?>", made)
    assert turns == ["", "/"] * (len(turns) // 2)
    assert not set("\ue0f0\ue0f1") & set(made)


def test_front_matter_is_shown_as_it_is_written() -> None:
    made = rendered("---\ntitle: x\n---\n# Head\n\nBody", Span(0, 16))
    assert "<h1>Head</h1>" in made
    assert "title: x" in made
    assert "<h2>" not in made


def test_html_in_markdown_is_shown_as_such() -> None:
    made = rendered("<details><summary>More</summary>a<br>b</details>")
    assert made.startswith("<details><summary>More</summary>a<br>b</details>")


def test_pictures_are_named_and_not_fetched() -> None:
    assert rendered("![a <chart>](x.png)") == "<p>[a &lt;chart&gt;]</p>\n"


def test_an_excerpt_is_one_line_of_plain_text() -> None:
    assert excerpt("# Title\n\nSome *words* & <b>more</b>") == "Title Some words & more"
    assert excerpt("<script>x</script>a <!-- b --> c") == "a c"
    long = excerpt("word " * 1000)
    assert len(long) <= 322
    assert long.endswith("word …")
