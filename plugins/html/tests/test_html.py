"""HTML to markdown: what readers see and nothing else, whatever the markup's quality."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import ConversionError, Document, Source
from hierdoc.structure import find_headings
from hierdoc_html.blocks import Block, Mark, write_outlined
from hierdoc_html.converter import HtmlConverter
from hierdoc_html.flow import blocks_of
from hierdoc_html.headings import with_label_headings
from hierdoc_html.tables import Cell, Table, is_layout, is_marker
from hierdoc_html.tree import MOST_NESTED, element


def convert(markup: str | bytes, name: str = "page.html") -> Document:
    data = markup.encode() if isinstance(markup, str) else markup
    return asyncio.run(HtmlConverter().convert(Source(name, data)))


def markdown(markup: str) -> str:
    return convert(markup).text.strip()


class TestText:
    @pytest.mark.parametrize(
        ("markup", "expected"),
        [
            ("<h1>One</h1><h3>Three</h3>", "# One\n\n### Three"),
            ("<h2><b>Bold</b> and\n <i>lean</i></h2>", "## Bold and lean"),
            ("<h1>A<a class='headerlink' href='#a'>¶</a></h1>", "# A"),
            ("<h1>C* # </h1>", "# C\\* \\#"),
            ("<p>a\n  b&nbsp;&amp;&#32;c</p><p>d", "a b & c\n\nd"),
            ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
            ("a<br>b<br/><br>c", "a\nb\n\nc"),
            ("so&shy;ft zero\u200bwidth", "soft zerowidth"),
            ("<b>all bold</b>", "all bold"),
            ("<p>a <b>b</b>, <em>c</em> <del>d</del></p>", "a **b**, *c* ~~d~~"),
            ("<p>a<b> b </b>c</p>", "a **b** c"),
            ("<p>run <code>a | b</code> and <code>x`y</code></p>", "run `a | b` and `` x`y ``"),
            ("<p>5 &lt; 6 &lt;b&gt; &lt;!-- c</p>", "5 < 6 \\<b> \\<!-- c"),
            ("<p># no heading</p><p>&gt; no quote</p>", "\\# no heading\n\n\\> no quote"),
            ("<p>a<br>----</p>", "a\n\\----"),
            ("<q>quoted</q>", "“quoted”"),
            ("a<hr>b", "a\n\n***\n\nb"),
            ("1<sup>st</sup> m<sup>2</sup> x<sup>n+1</sup>", "1st m² xⁿ⁺¹"),
            ("text<sup>1</sup> 2016<sup>[3]</sup> e<sup>x</sup>", "text¹ 2016[3] e^x"),
            ("H<sub>2</sub>O x<sub>i</sub>", "H2O x_i"),
            ("<p><img src=a.png alt='A cat'> sat</p>", "A cat sat"),
            ("<figure><img alt=''><figcaption>Figure 1</figcaption></figure>", "Figure 1"),
        ],
    )
    def test_blocks_and_marks(self, markup: str, expected: str) -> None:
        assert markdown(markup) == expected

    @pytest.mark.parametrize(
        ("markup", "expected"),
        [
            ("<h4><span>1</span><span>Overview</span></h4>", "#### 1 Overview"),
            ("<p><span>(1)</span><span>This Act</span></p>", "(1) This Act"),
            ("<p><span>1</span><span>.5 m</span></p>", "1.5 m"),
            ("<p><span>a</span><span>bc</span></p>", "abc"),
        ],
    )
    def test_a_number_is_set_apart_from_its_text(self, markup: str, expected: str) -> None:
        assert markdown(markup) == expected

    @pytest.mark.parametrize(
        ("markup", "expected"),
        [
            ("<a href='/x'>relative</a>", "relative"),
            ("<a href='#x'>anchor</a>", "anchor"),
            ("<a href='https://a.org/x_(y) z'>abs</a>", "[abs](https://a.org/x_%28y%29%20z)"),
            ("<a href='https://a.org'>https://a.org</a>", "https://a.org"),
            ("see <a href='https://a.org'><b>x</b> y</a>.", "see [**x** y](https://a.org)."),
            ("<a name=x>target</a>", "target"),
        ],
    )
    def test_only_links_to_other_sites_are_kept(self, markup: str, expected: str) -> None:
        assert markdown(markup) == expected

    @pytest.mark.parametrize(
        "hidden",
        [
            "<script>if (a < b) { '</p>' }</script>",
            "<style>p { color: red }</style>",
            "<nav><ul><li>Home</li></ul></nav>",
            "<template><p>x</p></template>",
            "<div hidden>x</div>",
            "<div style='display: none'><p>x</p></div>",
            "<!-- comment <p>x</p> -->",
            "<!DOCTYPE html>",
            "<?php echo ?>",
            "<svg><text>x</text></svg>",
            "<select><option>x</select>",
        ],
    )
    def test_what_readers_do_not_see_is_left_out(self, hidden: str) -> None:
        assert markdown(f"<p>before</p>{hidden}<p>after</p>") == "before\n\nafter"

    def test_navigation_without_an_end_does_not_take_the_page_with_it(self) -> None:
        assert markdown("<nav><p>Home</p><p>The text") == "Home\n\nThe text"


class TestLists:
    @pytest.mark.parametrize(
        ("markup", "expected"),
        [
            ("<ul><li>a<li>b</ul>", "- a\n- b"),
            ("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
            ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
            ("<ul><li><p>a<p>b</ul>", "- a\n\n  b"),
            ("<ol start=3><li>a<li value=7>b<li>c</ol>", "3. a\n7. b\n8. c"),
            ("<ol type=a><li>x<li>y</ol>", "a. x\n\nb. y"),
            ("<ol type=i start=4><li>x</ol>", "iv. x"),
            ("<dl><dt>Term<dd>Text<dd>More<p>still</dl>", "Term\n:   Text\n:   More\n\n    still"),
            ("<blockquote><p>a<p>b</blockquote>", "> a\n\n> b"),
            ("<ul><li><blockquote>a</blockquote></ul>", "- > a"),
            ("<ul><li><h3>Card</h3>text</ul>", "### Card\n\ntext"),
        ],
    )
    def test_items_have_their_markers(self, markup: str, expected: str) -> None:
        assert markdown(markup) == expected


class TestCode:
    def test_is_fenced_with_its_language_and_kept_as_it_is(self) -> None:
        markup = (
            "<p>x</p><pre><code class='language-py'>def f():\n    return &lt;a&gt;\n</code></pre>"
        )
        assert markdown(markup) == "x\n\n```py\ndef f():\n    return <a>\n```"

    def test_fences_are_longer_than_those_within(self) -> None:
        assert markdown("<p>text</p><pre>```</pre>") == "text\n\n````\n```\n````"

    def test_a_page_that_wraps_plain_text_is_text(self) -> None:
        page = "<html><body><pre>\n      SEC. 1. TITLE.\n\n    This Act\n    may be cited.\n</pre></body>"
        assert markdown(page) == "SEC. 1. TITLE.\n\nThis Act\nmay be cited."


class TestTables:
    def test_data_becomes_a_markdown_table(self) -> None:
        markup = (
            "<table><caption>Ages</caption><thead><tr><th>Name<th>Age|y</thead>"
            "<tr><td>Ann<br>Lee<td>3<tr><td>Bob<td>4</table>"
        )
        assert markdown(markup) == (
            "Ages\n\n| Name | Age\\|y |\n| --- | --- |\n| Ann Lee | 3 |\n| Bob | 4 |"
        )

    def test_cells_that_span_keep_the_columns_in_line(self) -> None:
        markup = (
            "<table><tr><th>a<th colspan=2>b<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5"
            "<tr><td>6<td>7<td>8</table>"
        )
        rows = markdown(markup).split("\n")
        assert rows == [
            "| a | b |  |",
            "| --- | --- | --- |",
            "| 1 | 2 | 3 |",
            "|  | 4 | 5 |",
            "| 6 | 7 | 8 |",
        ]

    def test_a_grid_without_header_cells_is_data(self) -> None:
        markup = "<table border=0><tr><td>Sales<td>$<td>5<tr><td>Costs<td>$<td>4</table>"
        assert markdown(markup) == "| Sales | $ | 5 |\n| --- | --- | --- |\n| Costs | $ | 4 |"

    def test_numbered_paragraphs_in_tables_are_paragraphs(self) -> None:
        markup = (
            "<table border=0><tr><td><p>(1)</p><td><p>‘data’ means:</p>"
            "<table border=0><tr><td>(a)<td>this; or</table>"
            "<table border=0><tr><td>(b)<td>that.</table></table>"
            "<table border=0><tr><td>(2)<td>‘use’ means use.</table>"
        )
        assert markdown(markup) == (
            "(1) ‘data’ means:\n\n   (a) this; or\n\n   (b) that.\n\n(2) ‘use’ means use."
        )

    def test_bullets_in_tables_are_list_items(self) -> None:
        assert markdown("<table><tr><td>•<td>a<tr><td>•<td>b</table>") == "- a\n- b"

    def test_a_table_that_arranges_a_page_is_its_text(self) -> None:
        markup = "<table><tr><td><h1>Title</h1><p>text<td><ul><li>menu</ul></table>"
        assert markdown(markup) == "# Title\n\ntext\n\n- menu"

    def test_one_row_of_short_cells_is_a_line(self) -> None:
        assert markdown("<table><tr><td>4.5.2016<td>EN<td>L 119/1</table>") == "4.5.2016 EN L 119/1"

    def test_a_table_says_itself_that_it_is_none(self) -> None:
        grid = "<table {}><tr><td>a<td>b<tr><td>c<td>d</table>"
        assert markdown(grid.format("role=presentation")) == "a b\n\nc d"
        assert markdown(grid.format("")) == "| a | b |\n| --- | --- |\n| c | d |"

    def test_text_beside_the_cells_is_not_lost(self) -> None:
        assert markdown("<table>stray<tr><td>cell</table>") == "stray\n\ncell"

    def test_a_huge_span_does_not_blow_up(self) -> None:
        text = markdown("<table><tr><th colspan=100000 rowspan=100000>a<tr><td>b</table>")
        assert len(text) < 5000

    @pytest.mark.parametrize(
        "text", ["(1)", "(a)", "1.", "a)", "(iv)", "IV.", "2.1", "§ 3", "•", "—"]
    )
    def test_markers(self, text: str) -> None:
        assert is_marker(Cell([Block("paragraph", text)]))

    @pytest.mark.parametrize(
        "text", ["1", "2016", "Yes", "a", "12.50 %", "(approx.)", "1,234.", "§"]
    )
    def test_no_markers(self, text: str) -> None:
        assert not is_marker(Cell([Block("paragraph", text)]))

    def test_a_ranking_is_data_although_its_rows_are_numbered(self) -> None:
        rows = [[Cell([Block("paragraph", text)]) for text in row] for row in ("1.", "Ann", "30")]
        ranking = [[row[0] for row in rows] for _ in range(2)]
        assert not is_layout(Table(ranking))


class TestMalformed:
    @pytest.mark.parametrize(
        ("markup", "expected"),
        [
            ("", ""),
            ("only text", "only text"),
            ("<p>a</div></b></table>b", "ab"),
            ("<b>a<p>b</b>c", "a\n\nbc"),
            ("a < b and c > d", "a < b and c > d"),
            ("text <unfinished", "text \\<unfinished"),
            ("<h1>Title<p>text", "# Title\n\ntext"),
            ("<td>a<td>b", "a\n\nb"),
            ("<li>a<li>b", "a\n\nb"),
            ('<p title="a > b">c</p>', "c"),
            ('<td width="10"">c</td>', "c"),
            ("<p>a<![CDATA[b < c]]>", "ab < c"),
            ("<title>open<p>text", "open\n\ntext"),
            ("&bogus; &#xD800; &#0;", "&bogus; \ufffd \ufffd"),
        ],
    )
    def test_is_read_as_far_as_it_goes(self, markup: str, expected: str) -> None:
        assert markdown(markup) == expected

    def test_empty_elements_of_xhtml_end_at_once(self) -> None:
        page = "<?xml version='1.0'?><html><script src='x'/><a id='y'/><p>text</p><td/>more"
        assert markdown(page) == "text\n\nmore"

    @pytest.mark.parametrize(
        "tags",
        ["<div>x", "<table><tr><td>x", "<b>x", "<ul><li>x", "<blockquote>x", "<a><h1>x", "x</p>"],
    )
    def test_no_nesting_is_too_deep(self, tags: str) -> None:
        assert convert(tags * 5_000).text.count("x") == 5_000

    def test_text_at_any_depth_keeps_its_order(self) -> None:
        count = 2 * MOST_NESTED
        markup = "".join(f"<div>{i} " for i in range(count)) + "</div>end " * count
        assert re.findall(r"\w+", markdown(markup)) == [*map(str, range(count)), *["end"] * count]

    @given(
        st.lists(
            st.sampled_from(
                [
                    *("word", "<p>", "</p>", "<div>", "</div>", "<b>", "</b>", "<ul>", "</ul>"),
                    *("<li>", "<table>", "</table>", "<tr>", "<td>", "<th>", "</td>", "<h2>"),
                    *("</h2>", "<a href='x'>", "</a>", "<br>", "<dl>", "<dd>", "</dl>", "<pre>"),
                    *("</pre>", "<blockquote>", "</blockquote>", "<caption>", "<thead>", " "),
                ]
            ),
            max_size=40,
        )
    )
    def test_no_word_is_lost_or_doubled(self, parts: list[str]) -> None:
        assert convert("".join(parts)).text.count("word") == parts.count("word")


class TestEncoding:
    @pytest.mark.parametrize(
        ("head", "encoding"),
        [
            ("<meta charset=utf-8>", "utf-8"),
            ("<meta charset='iso-8859-1'>", "latin-1"),
            ("<meta http-equiv=Content-Type content='text/html; charset=windows-1252'>", "cp1252"),
            ("<meta charset=utf-8>", "latin-1"),
            ("<meta charset=iso-8859-1>", "utf-8"),
            ("", "utf-16"),
        ],
    )
    def test_is_what_the_bytes_are(self, head: str, encoding: str) -> None:
        assert convert(f"{head}<p>Größe</p>".encode(encoding)).text == "Größe\n"

    @pytest.mark.parametrize(
        ("head", "encoding", "text"),
        [
            ("<meta charset=windows-1251>", "cp1251", "Статья"),
            ("<?xml version='1.0' encoding='Shift_JIS'?>", "shift_jis", "第一条"),
            ("<meta charset=gb2312>", "gb18030", "第一条"),
            ("<meta charset=iso-8859-15>", "iso-8859-15", "€ 5"),
        ],
    )
    def test_is_the_declared_one_where_only_that_tells(
        self, head: str, encoding: str, text: str
    ) -> None:
        assert convert(f"{head}<p>{text}</p>".encode(encoding)).text == f"{text}\n"

    def test_codecs_that_are_no_encodings_are_ignored(self) -> None:
        assert convert("<meta charset=unicode_escape><p>\\u0041").text == "\\u0041\n"

    def test_another_format_is_refused(self) -> None:
        with pytest.raises(ConversionError, match=r"page\.html: is not text: it is a PDF file"):
            convert(b"%PDF-1.7")


class TestTitle:
    @pytest.mark.parametrize(
        ("markup", "title"),
        [
            ("<title> The\n Act </title><h1>H</h1>", "The Act"),
            ("<title>L_2016119EN.xml</title><h1>H</h1>", "H"),
            ("<title>Microsoft Word - act.docx</title><h2>H</h2>", "H"),
            ("<title></title><p>AN ACT TO AMEND</p><p>text", "AN ACT TO AMEND"),
            ("<p>Text only.", "page"),
            ("<svg><title>icon</title></svg><h1>H</h1>", "H"),
        ],
    )
    def test_comes_from_the_best_place(self, markup: str, title: str) -> None:
        assert convert(markup).title == title


def paragraphs(*texts: str) -> list[Block]:
    """Paragraphs; those between asterisks are bold."""
    return [Block("paragraph", text.strip("*"), strong=text.startswith("*")) for text in texts]


def outline(blocks: list[Block]) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in blocks if block.kind == "heading"]


class TestLabelHeadings:
    def test_labels_on_lines_of_their_own_take_the_titles_below(self) -> None:
        blocks = paragraphs(
            *("CHAPTER I", "General", "Article 1", "Scope", "1. Text.", "Article 2", "Aim"),
            *("Text.", "CHAPTER II", "Rights", "Section 1", "Access", "Article 3", "Copy", "Text."),
        )
        assert outline(with_label_headings(blocks)) == [
            (1, "CHAPTER I General"),
            (3, "Article 1 Scope"),
            (3, "Article 2 Aim"),
            (1, "CHAPTER II Rights"),
            (2, "Section 1 Access"),
            (3, "Article 3 Copy"),
        ]

    def test_what_follows_at_once_lies_within(self) -> None:
        blocks = paragraphs(
            *("Article I", "Section 1", "All powers.", "Section 2", "The House."),
            *("Article II", "Section 1", "The power."),
        )
        assert [level for level, _ in outline(with_label_headings(blocks))] == [1, 2, 2, 1, 2]

    def test_text_below_a_label_is_no_title(self) -> None:
        blocks = paragraphs("§ 1", "Dies gilt.", "§ 2", "Jenes auch;", "§ 3", "Ende")
        assert outline(with_label_headings(blocks)) == [(1, "§ 1"), (1, "§ 2"), (1, "§ 3")]

    def test_bold_labels_may_have_their_title_behind_them(self) -> None:
        blocks = paragraphs("*Item 1. Business*", "We sell.", "*Item 1A. Risks*", "*Item 2. Land*")
        assert outline(with_label_headings(blocks)) == [
            (1, "Item 1. Business"),
            (1, "Item 1A. Risks"),
            (1, "Item 2. Land"),
        ]

    def test_annexes_stand_outermost(self) -> None:
        blocks = paragraphs("Part 1", "Section 1", "a.", "Section 2", "b.", "Annex I", "c.")
        assert outline(with_label_headings(blocks))[-1] == (1, "Annex I")

    def test_one_heading_of_its_own_is_the_title_above(self) -> None:
        blocks = [Block("heading", "Act", 1), *paragraphs("§ 1", "a.", "§ 2", "b.", "§ 3", "c.")]
        assert [level for level, _ in outline(with_label_headings(blocks))] == [1, 2, 2, 2]

    @pytest.mark.parametrize(
        "blocks",
        [
            paragraphs("Article 1", "a.", "Article 2", "b."),
            paragraphs("Article 1 applies.", "Article 2 applies.", "Article 3 applies."),
            paragraphs("see Article 1", "1.", "2.", "3.", "4.2", "Table 1", "Table 2", "Table 3"),
            [
                Block("heading", "A", 1),
                Block("heading", "B", 2),
                *paragraphs("Article 1", "Article 2", "Article 3"),
            ],
            [Block("paragraph", f"Article {i}", linked=True) for i in range(9)],
            [Block("paragraph", f"Article {i}", first="- ", rest="  ") for i in range(9)],
        ],
        ids=["two", "sentences", "others", "has headings", "contents", "list"],
    )
    def test_other_documents_stay_as_they_are(self, blocks: list[Block]) -> None:
        assert with_label_headings(blocks) == blocks


def test_a_regulation_as_published_reads_as_text(shared_data: Path) -> None:
    document = convert((shared_data / "legal" / "gdpr.html").read_bytes(), "gdpr.html")
    headings = find_headings(document.text)
    articles = [heading for heading in headings if heading.title.startswith("Article ")]
    assert document.title.startswith("REGULATION (EU) 2016/679")
    assert len(articles) == 99
    assert articles[3].title == "Article 4 Definitions"
    article_4 = document.text[articles[3].char_start : articles[4].char_start]
    definitions = re.findall(r"^\((\d+)\) ‘[^’]+’ ", article_4, re.MULTILINE)
    assert definitions == [str(number) for number in range(1, 27)]
    assert "(1) ‘personal data’ means any information relating to" in article_4
    assert "|" not in document.text
    assert "(1) The protection of natural persons" in document.text


class TestOutline:
    """What converters of other formats state of the elements that they make."""

    def test_marked_headings_and_paragraphs_are_divisions(self) -> None:
        root = element(
            "",
            [
                element("h2", ["Fees <b"], Mark(1)),
                element("div", ["(a) In general.—", "Who moors ", element("em", ["pays"])], MARK),
                element("p", ["Text."]),
                element(
                    "ul", [element("li", [element("p", ["(b) More."], replace(MARK, lead="(b)"))])]
                ),
            ],
        )
        text, outline = write_outlined(blocks_of(root))
        assert text == "## Fees \\<b\n\n(a) In general.—Who moors *pays*\n\nText.\n\n- (b) More.\n"
        assert [(one.title, text[one.start : one.body]) for one in outline] == [
            ("Fees <b", "## Fees \\<b"),
            ("(a) In general.", "(a) In general.—"),
            ("(b)", "- (b)"),
        ]

    def test_a_mark_within_a_paragraph_is_the_paragraph_s(self) -> None:
        root = element("", [element("h1", ["A ", element("a", ["B"], Mark(3))]), "text"])
        _, (division,) = write_outlined(blocks_of(root))
        assert (division.title, division.level) == ("A B", 3)

    def test_what_has_no_text_is_no_division(self) -> None:
        root = element("", [element("h1", [" "], Mark(1)), element("p", ["Text."])])
        assert write_outlined(blocks_of(root)) == ("Text.\n", ())


MARK = Mark(2, enumerator="a", lead="(a) In general.—")
