"""XML to markdown: one small document for each vocabulary, and what hostile files may not do."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import etree

from hierdoc import ConversionError, Document, Section, Source
from hierdoc.defaults.converters import AutoConverter
from hierdoc.structure import flatten, understand
from hierdoc_testing.converter import check_outline
from hierdoc_xml.converter import XmlConverter, vocabulary_of
from hierdoc_xml.vocabularies import VOCABULARIES, Vocabulary

ACT = """\
<?xml version="1.0"?>
<bill xmlns="http://schemas.gpo.gov/xml/uslm" xmlns:dc="http://purl.org/dc/elements/1.1/" xml:lang="en">
<meta><dc:title>Harbour Act</dc:title><citableAs>Public Law 9-1</citableAs>
<citableAsShortTitle>Harbour Act</citableAsShortTitle><approvedDate>2001-02-03</approvedDate></meta>
<main><longTitle><docTitle>AN ACT</docTitle><officialTitle>To keep harbours.</officialTitle></longTitle>
<toc><referenceItem><designator>Sec. 1.</designator><label>Listed.</label></referenceItem></toc>
<title><num value="I">TITLE I—</num><heading>HARBOURS</heading>
<section><num value="203">SEC. 203. </num><heading>REPORTS.<ref class="footnoteRef">1</ref></heading>
<footnote><sup>1</sup><p>So in law.</p></footnote>
<subsection><num value="a">(a) </num><heading>In general.—</heading><chapeau>The <term>master</term> shall<page>7</page>—</chapeau>
<paragraph><num value="1">(1) </num><content>report; and</content></paragraph>
<paragraph><num value="2">(2) </num><content>amend as follows: <quotedContent>
<section><num value="9">“SEC. 9. </num><heading>QUOTED.</heading><content>Old &lt;text&gt;.”</content></section>
</quotedContent></content></paragraph>
<continuation>as the office asks.</continuation></subsection>
<subsection><num value="b">(b) </num><sidenote><p>Deadline.</p></sidenote><content>Within 3 days.</content></subsection></section></title>
</main></bill>"""

AKOMA = """\
<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"><act name="act">
<meta><identification source="#s"><FRBRWork><FRBRthis value="/akn/xx/act/2001/1/main"/><FRBRuri value="/akn/xx/act/2001/1"/>
<FRBRdate date="2001-02-03" name="g"/></FRBRWork><FRBRExpression><FRBRlanguage language="eng"/></FRBRExpression></identification></meta>
<preface><longTitle><p>An <docType>Act</docType> about <docTitle>Harbours</docTitle></p></longTitle></preface>
<preamble><recitals><recital><num>(1)</num><p>Ships sink.</p></recital></recitals></preamble>
<body><chapter><num>CHAPTER II</num><heading>BERTHS</heading>
<article><num>6</num><heading>Use of berths</heading>
<paragraph><num>1.</num><list><intro><p>A berth<authorialNote marker="*"><p>A place.</p></authorialNote> is used by:</p></intro>
<point><num>(a)</num><content><p>ships; and</p></content></point><point><num>(b)</num><content><p>boats.</p></content></point></list></paragraph>
<paragraph><num>2.</num><content><p>It reads: <mod><quotedStructure><article><num>Article 99</num><content><p>Quoted.</p></content></article>
</quotedStructure></mod></p></content></paragraph></article>
<section><num>7</num><heading>Fees</heading><content><table><tr><th>Ship</th><th>Fee</th></tr><tr><td>Large</td><td>5</td></tr></table></content></section>
</chapter></body></act></akomaNtoso>"""

FORMEX = """\
<ACT><BIB.INSTANCE><DATE ISO="20010203">20010203</DATE><LG.DOC>EN</LG.DOC></BIB.INSTANCE>
<TITLE><TI><P>Regulation on <HT TYPE="BOLD">harbours</HT></P></TI></TITLE>
<PREAMBLE><GR.CONSID><GR.CONSID.INIT>Whereas:</GR.CONSID.INIT><CONSID><NP><NO.P>(1)</NO.P><TXT>Ships sink.</TXT></NP></CONSID></GR.CONSID></PREAMBLE>
<ENACTING.TERMS><DIVISION><TITLE><TI><P>CHAPTER I</P></TI><STI><P>Berths</P></STI></TITLE>
<ARTICLE IDENTIFIER="004"><TI.ART>Article 4</TI.ART><STI.ART><P>Definitions</P></STI.ART>
<PARAG IDENTIFIER="004.001"><NO.PARAG>1.</NO.PARAG><ALINEA><P>In this Regulation:</P>
<LIST TYPE="alpha"><ITEM><NP><NO.P>(a)</NO.P><TXT><QUOT.START CODE="2018"/>berth<QUOT.END CODE="2019"/> means a place;<NOTE NOTE.ID="E1"><P>As before.</P></NOTE></TXT></NP></ITEM>
<ITEM><NP><NO.P>(b)</NO.P><TXT>‘fee’ means money.</TXT></NP></ITEM></LIST></ALINEA></PARAG>
<PARAG><NO.PARAG>2.</NO.PARAG><ALINEA>It is replaced: <QUOT.S><ARTICLE><TI.ART>Article 99</TI.ART><ALINEA>Quoted.</ALINEA></ARTICLE></QUOT.S></ALINEA></PARAG>
</ARTICLE></DIVISION></ENACTING.TERMS></ACT>"""

GII = """\
<!DOCTYPE dokumente SYSTEM "gii-norm.dtd">
<dokumente><norm><metadaten><jurabk>HafG</jurabk><amtabk>HafG</amtabk><ausfertigung-datum manuell="ja">2001-02-03</ausfertigung-datum>
<langue>Gesetz &uuml;ber H&auml;fen</langue></metadaten><textdaten><fussnoten><Content><P>(+++ Nachweis +++)</P></Content></fussnoten></textdaten></norm>
<norm><metadaten><jurabk>HafG</jurabk><gliederungseinheit><gliederungskennzahl>000</gliederungskennzahl><gliederungsbez>-</gliederungsbez></gliederungseinheit><enbez>Eingangsformel</enbez></metadaten><textdaten><text><Content><P>Es gilt:</P></Content></text></textdaten></norm>
<norm><metadaten><gliederungseinheit><gliederungskennzahl>010</gliederungskennzahl><gliederungsbez>Abschnitt 1</gliederungsbez><gliederungstitel>Häfen</gliederungstitel></gliederungseinheit></metadaten></norm>
<norm><metadaten><gliederungseinheit><gliederungskennzahl>010</gliederungskennzahl><gliederungsbez>Abschnitt 1</gliederungsbez><gliederungstitel>Häfen</gliederungstitel></gliederungseinheit><enbez>§ 1</enbez><titel format="parat">Liegeplätze</titel></metadaten><textdaten><text format="XML"><Content>
<P>(1) Ein Liegeplatz dient<DL Type="arabic"><DT>1.</DT><DD Font="normal"><LA>Schiffen,</LA></DD><DT>2.</DT><DD><LA>Booten.</LA></DD></DL></P><P>(2) Er ist kostenlos.</P></Content></text></textdaten></norm>
<norm><metadaten><gliederungseinheit><gliederungskennzahl>020010</gliederungskennzahl><gliederungsbez>Titel 1</gliederungsbez><gliederungstitel/></gliederungseinheit><enbez>§ 2</enbez></metadaten><textdaten><text><Content><P>Schluss.</P></Content></text></textdaten></norm></dokumente>"""

DOCBOOK = """\
<book xmlns="http://docbook.org/ns/docbook" xmlns:xlink="http://www.w3.org/1999/xlink" version="5.0" xml:lang="de-AT">
<info><title>Handbook</title><pubdate>2001</pubdate></info><toc/>
<chapter><title>Berths</title><para>See <emphasis>this</emphasis> <literal>mooring</literal>.<footnote><para>As before.</para></footnote></para>
<note><para>Mind the tide.</para></note>
<section><title>Fees</title><itemizedlist><listitem><para>One</para></listitem><listitem><para>Two</para></listitem></itemizedlist>
<variablelist><varlistentry><term>Quay</term><listitem><para>A wall.</para></listitem></varlistentry></variablelist>
<programlisting language="python">a = 1
if a:
    pass</programlisting>
<table><title>Prices</title><tgroup cols="2"><thead><row><entry>Ship</entry><entry>Fee</entry></row></thead>
<tbody><row><entry morerows="1">Large</entry><entry>5</entry></row><row><entry>6</entry></row></tbody></tgroup></table></section></chapter></book>"""

JATS = """\
<article xml:lang="en"><front><journal-meta><journal-title>J</journal-title></journal-meta><article-meta>
<article-id pub-id-type="doi">10.1/2</article-id><title-group><article-title>On harbours</article-title></title-group>
<pub-date><year>2001</year></pub-date><abstract><title>Abstract</title><p>Short.</p></abstract></article-meta></front>
<body><sec><label>1</label><title>Introduction</title><p>As <xref ref-type="bibr">[1]</xref> says, <italic>S. marina</italic>.</p>
<sec><label>1.1</label><title>Aims</title><list><list-item><p>One</p></list-item></list></sec></sec></body>
<back><ref-list><title>References</title><ref><label>1</label><mixed-citation>A. Author. <article-title>Ships</article-title>. 1999.</mixed-citation></ref></ref-list></back></article>"""


def convert(text: str | bytes, name: str = "docs/a.xml") -> Document:
    data = text if isinstance(text, bytes) else text.encode()
    document = asyncio.run(XmlConverter().convert(Source(name, data)))
    check_outline(document)
    return document


def sections(document: Document) -> list[Section]:
    return [entry.section for entry in flatten(understand(document).sections)]


def ids(document: Document) -> list[str]:
    return [one.id for one in sections(document)]


def lines(document: Document) -> list[str]:
    return [line for line in document.text.split("\n") if line]


class TestUslm:
    def test_sections_and_numbers_are_those_of_the_markup(self) -> None:
        assert ids(convert(ACT)) == [
            "title_1", "sec_203", "sec_203_a", "sec_203_a_1", "sec_203_a_2", "sec_203_b",
        ]  # fmt: skip

    def test_the_text_is_that_of_the_act(self) -> None:
        assert lines(convert(ACT)) == [
            "AN ACT",
            "To keep harbours.",
            "# TITLE I— HARBOURS",
            "## SEC. 203. REPORTS.",
            "[1] So in law.",
            "(a) In general.—The master shall—",
            "(1) report; and",
            "(2) amend as follows:",
            "> “SEC. 9. QUOTED. Old \\<text>.”",
            "as the office asks.",
            "(b) Within 3 days.",
            "Deadline.",
        ]

    def test_what_the_act_says_of_itself_is_metadata(self) -> None:
        document = convert(ACT)
        assert (document.title, document.language) == ("Harbour Act", "en")
        assert document.metadata == {
            "title": "Harbour Act",
            "short_title": "Harbour Act",
            "citation": "Public Law 9-1",
            "date": "2001-02-03",
        }

    def test_titles_of_subsections_are_as_in_text(self) -> None:
        assert [one.title for one in sections(convert(ACT))][2:4] == ["(a) In general.", "(1)"]


class TestAkomaNtoso:
    def test_sections_and_numbers_are_those_of_the_markup(self) -> None:
        assert ids(convert(AKOMA)) == [
            "recital_1", "ch_2", "art_6", "art_6_1", "art_6_1_a", "art_6_1_b", "art_6_2", "sec_7",
        ]  # fmt: skip

    def test_the_text_is_that_of_the_act(self) -> None:
        text = convert(AKOMA).text
        assert "1. A berth[*] is used by:\n\n[*] A place.\n\n(a) ships; and\n\n(b) boats." in text
        assert "2. It reads:\n\n> Article 99 Quoted." in text
        assert "| Ship | Fee |\n| --- | --- |\n| Large | 5 |" in text

    def test_what_the_act_says_of_itself_is_metadata(self) -> None:
        document = convert(AKOMA)
        assert document.language == "en"
        assert document.metadata["date"] == "2001-02-03"
        assert document.metadata["identifier"] == "/akn/xx/act/2001/1"


class TestFormex:
    def test_sections_and_numbers_are_those_of_the_markup(self) -> None:
        document = convert(FORMEX)
        assert ids(document) == [
            "regulation_on_harbours", "recital_1", "ch_1", "art_4", "art_4_1", "art_4_1_a", "art_4_1_b", "art_4_2",
        ]  # fmt: skip
        assert document.title == "Regulation on harbours"
        assert (document.language, document.metadata["date"]) == ("en", "20010203")

    def test_definitions_are_found(self) -> None:
        found = understand(convert(FORMEX)).definitions
        assert [(one.term, one.section_id) for one in found] == [
            ("berth", "art_4"),
            ("fee", "art_4"),
        ]

    def test_recitals_are_cited_by_their_numbers(self) -> None:
        recital = sections(convert(FORMEX))[1]
        assert (recital.title, recital.key) == ("(1)", "recital_1")

    def test_footnotes_follow_their_paragraph(self) -> None:
        assert "means a place;[1]\n\n[1] As before." in convert(FORMEX).text


class TestGiiNorm:
    def test_sections_and_numbers_are_those_of_the_markup(self) -> None:
        assert ids(convert(GII)) == [
            "gesetz_uber_hafen", "eingangsformel", "abschn_1", "sec_1", "sec_1_1", "sec_1_1_1", "sec_1_1_2", "sec_1_2", "title_1", "sec_2",
        ]  # fmt: skip

    def test_divisions_lie_in_their_parts(self) -> None:
        found = [
            (one.title, one.level) for one in sections(convert(GII)) if one.title[0] not in "(12"
        ]
        assert found == [
            ("Gesetz über Häfen", 1), ("Eingangsformel", 2), ("Abschnitt 1 Häfen", 2), ("§ 1 Liegeplätze", 3),
            ("Titel 1", 3), ("§ 2", 4),
        ]  # fmt: skip

    def test_the_text_is_that_of_the_law(self) -> None:
        assert lines(convert(GII)) == [
            "# Gesetz über Häfen",
            "(+++ Nachweis +++)",
            "## Eingangsformel",
            "Es gilt:",
            "## Abschnitt 1 Häfen",
            "### § 1 Liegeplätze",
            "(1) Ein Liegeplatz dient",
            "1. Schiffen,",
            "2. Booten.",
            "(2) Er ist kostenlos.",
            "### Titel 1",
            "#### § 2",
            "Schluss.",
        ]

    def test_what_the_law_says_of_itself_is_metadata(self) -> None:
        document = convert(GII)
        assert document.title == "Gesetz über Häfen"
        assert document.metadata["abbreviation"] == "HafG"


class TestBooks:
    def test_docbook(self) -> None:
        document = convert(DOCBOOK)
        assert [one.title for one in sections(document)] == ["Handbook", "Berths", "Fees"]
        assert document.language == "de"
        assert lines(document) == [
            "# Handbook",
            "## Berths",
            "See *this* `mooring`.[1]",
            "[1] As before.",
            "> Mind the tide.",
            "### Fees",
            "- One",
            "- Two",
            "Quay",
            ":   A wall.",
            "```python",
            "a = 1",
            "if a:",
            "    pass",
            "```",
            "Prices",
            "| Ship | Fee |",
            "| --- | --- |",
            "| Large | 5 |",
            "|  | 6 |",
        ]

    def test_docbook_without_a_namespace(self) -> None:
        document = convert(
            "<article><title>T</title><sect1><title>S</title><para>x</para></sect1></article>"
        )
        assert [one.title for one in sections(document)] == ["T", "S"]
        assert not document.notes

    def test_jats(self) -> None:
        document = convert(JATS)
        found = [(one.title, one.key) for one in sections(document)]
        assert found == [
            ("On harbours", None),
            ("Abstract", None),
            ("1 Introduction", "sec_1"),
            ("1.1 Aims", "sec_1_1"),
            ("References", None),
        ]
        assert "As [1] says, *S. marina*." in document.text
        assert document.metadata["identifier"] == "10.1/2"
        assert "A. Author. Ships. 1999." in document.text

    def test_xhtml_is_read_as_html(self) -> None:
        markup = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><h1>A</h1><p>b</p></body></html>'
        document = convert(markup)
        assert document.text == "# A\n\nb\n"


class TestUnknown:
    MARKUP = "<stock><ship><name>Ada</name><size>5 &amp; 6</size></ship><p>One <b>two</b> three.</p></stock>"

    def test_blocks_are_apart_and_mixed_text_is_one(self) -> None:
        assert convert(self.MARKUP).text == "Ada\n\n5 & 6\n\nOne **two** three.\n"

    def test_it_is_noted(self) -> None:
        (note,) = convert(self.MARKUP).notes
        assert note.startswith("XML that begins with <stock> is read as bare text")

    def test_what_is_known_is_not_noted(self) -> None:
        assert not any(convert(one).notes for one in (ACT, AKOMA, FORMEX, GII, DOCBOOK, JATS))

    def test_feeds_are_text(self) -> None:
        feed = "<rss version='2.0'><channel><title>News</title><item><title>One</title></item></channel></rss>"
        assert lines(convert(feed)) == ["News", "One"]


class TestHostile:
    def test_entities_are_not_expanded(self) -> None:
        bomb = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><a><p>x &c; y</p></a>'
        assert convert(bomb).text == "x &c; y\n"

    def test_a_billion_laughs_is_quick(self) -> None:
        names = "abcdefghij"
        entities = "".join(
            f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(names)
        )
        started = time.process_time()
        with suppress(ConversionError):  # what libxml2 makes of it
            convert(f'<!DOCTYPE a [<!ENTITY a "ha">{entities}]><a>&j;</a>')
        assert time.process_time() - started < 1

    def test_files_are_not_opened(self, tmp_path: Path) -> None:
        secret = tmp_path / "secret.txt"
        secret.write_text("secret")
        document = convert(
            f'<!DOCTYPE a [<!ENTITY b SYSTEM "{secret.as_uri()}">]><a><p>x &b;</p></a>'
        )
        assert "secret" not in document.text.replace("&b;", "")

    @pytest.mark.parametrize(
        "markup", ["", "<a>", "no xml", "<a></b>", "<a b=1/>", "\0", "<a>" * 5000]
    )
    def test_broken_markup_is_an_error_that_says_so(self, markup: str) -> None:
        with pytest.raises(ConversionError, match=r"a\.xml: is no well-formed XML"):
            convert(markup)

    @pytest.mark.parametrize("name", ["div", "p", "table", "ul", "section", "b"])
    @pytest.mark.parametrize("depth", [90, 250])
    def test_deep_nesting_loses_no_text(self, name: str, depth: int) -> None:
        markup = f"<a><p>x</p>{f'<{name}>t ' * depth}deep{f'</{name}>' * depth}</a>"
        assert "deep" in convert(markup).text

    def test_deep_divisions_lose_no_text(self) -> None:
        opening = "<section><title>T</title><para>x</para>"
        markup = f"<article><title>A</title>{opening * 200}deep{'</section>' * 200}</article>"
        assert "deep" in convert(markup).text

    @pytest.mark.parametrize(
        "part", ["<p>x</p>", "<title>t</title>", "x<b>y</b>", "<num>(a)</num>"]
    )
    def test_time_grows_with_the_length_alone(self, part: str) -> None:
        root = '<section xmlns="http://docbook.org/ns/docbook">'
        started = time.process_time()
        convert(f"{root}{part * 30_000}</section>")
        assert time.process_time() - started < 10


@pytest.mark.parametrize("one", VOCABULARIES, ids=lambda one: one.name)
def test_a_table_gives_each_element_one_role(one: Vocabulary) -> None:
    names = [name for names in one.roles.values() for name in names.split()]
    assert sorted(set(names)) == sorted(names)


def test_auto_takes_this_converter() -> None:
    document = asyncio.run(AutoConverter().convert(Source("docs/a.xml", ACT.encode())))
    assert document == convert(ACT)


@pytest.mark.parametrize(
    "name", ["comps-1565", "comps-9748", "h1000_ih", "s3874_is", "114publ254-uslm"]
)
def test_published_law_has_the_sections_of_its_markup(shared_data: Path, name: str) -> None:
    data = (shared_data / "legal" / "uslm" / f"{name}.xml").read_bytes()
    root = etree.fromstring(data)
    assert vocabulary_of(root).name == "USLM"
    stated = []
    for one in root.iter("{*}num"):
        parent, around = one.getparent(), [str(outer.tag) for outer in one.iterancestors()]
        if parent is not None and not any("quoted" in tag for tag in around):
            stated.append(one.get("value", "").lower())
    document = convert(data)
    found = [one for one in sections(document) if one.key]
    assert len(found) == len(stated)
    assert [(one.key or "").rpartition("_")[2] for one in found if "(" in one.title[:1]] == [
        value for value, one in zip(stated, found, strict=True) if "(" in one.title[:1]
    ]
