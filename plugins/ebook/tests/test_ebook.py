"""EPUB and OpenDocument to markdown: small files made here, and what hostile ones may not do."""

from __future__ import annotations

import asyncio
import io
import time
import zipfile
from collections.abc import Mapping

import pytest

from hierdoc import ConversionError, Document, Section, Source
from hierdoc.defaults.converters import AutoConverter
from hierdoc.structure import flatten, understand
from hierdoc_ebook.converter import EbookConverter
from hierdoc_testing.converter import check_outline
from hierdoc_xml import archive

OFFICE = "urn:oasis:names:tc:opendocument:xmlns"
NAMESPACES = "".join(
    f' xmlns:{name}="{OFFICE}:{name}:1.0"' for name in ("office", "text", "table", "style")
) + (
    f' xmlns:fo="{OFFICE}:xsl-fo-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as written:
        for name, text in files.items():
            written.writestr(name, text)
    return out.getvalue()


def epub(documents: Mapping[str, str], nav: str = "", ncx: str = "", **others: str) -> bytes:
    """A book of these bodies, with the navigation of EPUB 3 or 2."""
    items = "".join(f"<item id='{name}' href='text/{name}'/>" for name in documents)
    spine = "".join(f"<itemref idref='{name}'/>" for name in documents)
    files = {
        "META-INF/container.xml": "<container><rootfiles><rootfile full-path='OPS/book.opf'/></rootfiles></container>",
        "OPS/book.opf": "<package xmlns:dc='http://purl.org/dc/elements/1.1/'><metadata><dc:title>The Book</dc:title>"
        "<dc:creator>A. One</dc:creator><dc:creator>B. Two</dc:creator><dc:language>de-DE</dc:language></metadata>"
        f"<manifest>{items}<item id='nav' href='nav.xhtml' properties='nav'/>"
        "<item id='ncx' href='toc.ncx' media-type='application/x-dtbncx+xml'/></manifest>"
        f"<spine><itemref idref='nav'/>{spine}</spine></package>",
        **{
            f"OPS/text/{name}": f"<html><head><title>x</title></head><body>{body}</body></html>"
            for name, body in documents.items()
        },
    }
    if nav:
        files["OPS/nav.xhtml"] = (
            f"<html><body><nav epub:type='toc'><h1>Contents</h1>{nav}</nav></body></html>"
        )
    if ncx:
        files["OPS/toc.ncx"] = (
            f"<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/'><navMap>{ncx}</navMap></ncx>"
        )
    return zipped({**files, **others})


def odt(body: str, styles: str = "", content: str = "", **others: str) -> bytes:
    """An OpenDocument text of this body."""
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:document-content{NAMESPACES}><office:automatic-styles>{content}"
            f"</office:automatic-styles><office:body><office:text>{body}</office:text></office:body></office:document-content>",
            "styles.xml": f"<office:document-styles{NAMESPACES}><office:styles>{styles}</office:styles></office:document-styles>",
            "meta.xml": f"<office:document-meta{NAMESPACES}><office:meta><dc:title>The Text</dc:title>"
            "<dc:language>fr</dc:language></office:meta></office:document-meta>",
            **others,
        }
    )


def convert(data: bytes, name: str) -> Document:
    document = asyncio.run(EbookConverter().convert(Source(name, data)))
    check_outline(document)
    return document


def outline(document: Document) -> list[tuple[str, int]]:
    found: list[Section] = [one.section for one in flatten(understand(document).sections)]
    return [(one.title, one.level) for one in found]


def link(target: str, title: str, inner: str = "") -> str:
    return f"<li><a href='text/{target}'>{title}</a>{f'<ol>{inner}</ol>' if inner else ''}</li>"


CHAPTERS = {
    "a.xhtml": "<section id='s'><h2>1 <br/>Berths</h2><p>One.</p><h3>Fees</h3><p>Two.</p></section>",
    "b.xhtml": "<p id='top'>Not headed.</p><div id='x'></div><h2>Quays</h2><p>Three.</p>",
}


class TestEpub:
    def test_levels_are_those_of_the_navigation(self) -> None:
        entries = link("a.xhtml#s", "Berths", link("b.xhtml#x", "Quays"))
        document = convert(epub(CHAPTERS, f"<ol>{entries}</ol>"), "a.epub")
        assert outline(document) == [("1 Berths", 1), ("Fees", 2), ("Quays", 2)]
        assert document.text == (
            "## 1 Berths\n\nOne.\n\n### Fees\n\nTwo.\n\nNot headed.\n\n## Quays\n\nThree.\n"
        )

    def test_what_it_leads_to_is_headed_by_its_words(self) -> None:
        entries = link("a.xhtml", "Berths") + link("b.xhtml", "Second part", link("b.xhtml#x", "Q"))
        document = convert(epub(CHAPTERS, f"<ol>{entries}</ol>"), "a.epub")
        assert outline(document) == [("1 Berths", 1), ("Fees", 2), ("Second part", 1), ("Quays", 2)]
        assert "Two.\n\n# Second part\n\nNot headed." in document.text

    def test_the_older_navigation_counts_too(self) -> None:
        points = (
            "<navPoint><navLabel><text>Berths</text></navLabel><content src='text/a.xhtml'/>"
            "<navPoint><navLabel><text>Quays</text></navLabel><content src='text/b.xhtml#x'/></navPoint></navPoint>"
        )
        document = convert(epub(CHAPTERS, ncx=points), "a.epub")
        assert outline(document) == [("1 Berths", 1), ("Fees", 2), ("Quays", 2)]

    def test_a_place_within_a_heading_is_the_heading(self) -> None:
        book = {"a.xhtml": "<h1>Ber<a id='x'></a>ths</h1><p>One.</p>"}
        document = convert(epub(book, f"<ol>{link('a.xhtml#x', 'B')}</ol>"), "a.epub")
        assert outline(document) == [("Berths", 1)]

    def test_without_navigation_headings_are_those_of_the_pages(self) -> None:
        document = convert(epub(CHAPTERS), "a.epub")
        assert document.outline == ()
        assert [title for title, _ in outline(document)] == ["1 Berths", "Fees", "Quays"]

    def test_what_the_book_says_of_itself_is_metadata(self) -> None:
        document = convert(epub(CHAPTERS), "a.epub")
        assert (document.title, document.language) == ("The Book", "de")
        assert document.metadata["author"] == "A. One, B. Two"

    def test_the_navigation_is_not_text(self) -> None:
        document = convert(epub(CHAPTERS, f"<ol>{link('a.xhtml', 'Entry')}</ol>"), "a.epub")
        assert "Contents" not in document.text
        assert "Entry" not in document.text

    @pytest.mark.parametrize("nav", ["<ol><li><a href='none.xhtml'>x</a></li></ol>", "<ol>", "x"])
    def test_a_navigation_that_leads_nowhere_does_no_harm(self, nav: str) -> None:
        assert "One." in convert(epub(CHAPTERS, nav), "a.epub").text

    def test_copy_protection_is_an_error_that_says_so(self) -> None:
        hidden = "<encryption><CipherReference URI='OPS/text/a.xhtml'/></encryption>"
        data = epub(CHAPTERS, **{"META-INF/encryption.xml": hidden})
        with pytest.raises(ConversionError, match=r"a\.epub: is encrypted"):
            convert(data, "a.epub")

    def test_hidden_fonts_are_none(self) -> None:
        hidden = "<encryption><CipherReference URI='OPS/a.ttf'/></encryption>"
        data = epub(CHAPTERS, **{"META-INF/encryption.xml": hidden})
        assert "One." in convert(data, "a.epub").text

    def test_many_entries_take_no_time(self) -> None:
        body = "".join(f"<a id='i{n}'></a>" for n in range(5000))
        nav = "".join(link(f"a.xhtml#i{n}", f"T{n}") for n in range(5000))
        started = time.process_time()
        convert(epub({"a.xhtml": f"{body}<p>x</p>"}, f"<ol>{nav}</ol>"), "a.epub")
        assert time.process_time() - started < 5


class TestOdt:
    def test_headings_are_those_of_the_outline(self) -> None:
        body = (
            "<text:p text:style-name='Title'>The Act</text:p><text:h text:outline-level='2'>Berths</text:h>"
            "<text:p>One<text:s text:c='3'/>two.<text:line-break/>Three.</text:p><text:h text:outline-level='9'>Deep</text:h>"
            "<text:h text:outline-level='2'>1. Fees</text:h><text:p/>"
        )
        document = convert(odt(body), "a.odt")
        assert outline(document) == [("The Act", 1), ("Berths", 2), ("Deep", 9), ("1. Fees", 2)]
        assert document.text == (
            "# The Act\n\n## Berths\n\nOne two.\nThree.\n\n###### Deep\n\n## 1. Fees\n"
        )
        assert (document.title, document.language) == ("The Text", "fr")

    def test_headings_have_the_numbers_that_the_outline_gives_them(self) -> None:
        levels = (
            "<text:outline-style><text:outline-level-style text:level='1' style:num-format='I' style:num-suffix='.'/>"
            "<text:outline-level-style text:level='2' style:num-format='1' text:display-levels='2'/></text:outline-style>"
        )
        body = "".join(
            f"<text:h text:outline-level='{level}'>T</text:h>" for level in (1, 2, 2, 1, 2)
        )
        document = convert(odt(body, levels), "a.odt")
        assert [title for title, _ in outline(document)] == [
            "I. T", "I.1 T", "I.2 T", "II. T", "II.1 T",
        ]  # fmt: skip

    def test_lists_tables_and_marks(self) -> None:
        styles = (
            "<style:style style:name='B' style:family='text'><style:text-properties fo:font-weight='bold'/></style:style>"
            "<text:list-style style:name='L'><text:list-level-style-number text:level='1' style:num-format='a'/></text:list-style>"
        )
        cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
        body = (
            "<text:p>A <text:span text:style-name='B'>bold</text:span> <text:a xlink:href='https://example.org/'>link</text:a></text:p>"
            "<text:list text:style-name='L'><text:list-item><text:p>One</text:p></text:list-item><text:list-item><text:p>Two</text:p>"
            "<text:list text:style-name='M'><text:list-item><text:p>In</text:p></text:list-item></text:list></text:list-item></text:list>"
            f"<table:table><table:table-header-rows><table:table-row>{cell.format('Ship')}{cell.format('Fee')}</table:table-row>"
            f"</table:table-header-rows><table:table-row>{cell.format('Large')}{cell.format('5')}</table:table-row></table:table>"
        )
        assert convert(odt(body, content=styles), "a.odt").text == (
            "A **bold** [link](https://example.org/)\n\na. One\n\nb. Two\n   - In\n\n"
            "| Ship | Fee |\n| --- | --- |\n| Large | 5 |\n"
        )

    def test_footnotes_follow_their_paragraph(self) -> None:
        note = "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Mostly.</text:p></text:note-body></text:note>"
        assert convert(odt(f"<text:p>True{note}.</text:p>"), "a.odt").text == (
            "True[1].\n\n[1] Mostly.\n"
        )

    def test_what_is_deleted_or_listed_is_left_out(self) -> None:
        body = (
            "<text:tracked-changes><text:p>Deleted</text:p></text:tracked-changes>"
            "<text:table-of-content><text:p>Listed</text:p></text:table-of-content><text:p>Kept<office:annotation>"
            "<text:p>Remark</text:p></office:annotation></text:p>"
        )
        assert convert(odt(body), "a.odt").text == "Kept\n"

    def test_a_numbered_heading_in_a_list_is_a_heading(self) -> None:
        body = "<text:list><text:list-item><text:h text:outline-level='1'>Fees</text:h></text:list-item></text:list>"
        assert outline(convert(odt(body), "a.odt")) == [("Fees", 1)]

    def test_a_password_is_an_error_that_says_so(self) -> None:
        data = odt("", **{"META-INF/manifest.xml": "<encryption-data/>"})
        with pytest.raises(ConversionError, match=r"a\.odt: is encrypted"):
            convert(data, "a.odt")

    def test_repeated_cells_are_bounded(self) -> None:
        cell = "<table:table-cell table:number-columns-repeated='9999'><text:p>x</text:p></table:table-cell>"
        row = f"<table:table-row table:number-rows-repeated='9999'>{cell * 50}</table:table-row>"
        assert len(convert(odt(f"<table:table>{row}</table:table>"), "a.odt").text) < 5000

    def test_deep_nesting_loses_no_text(self) -> None:
        body = f"{'<text:section>' * 150}<text:p>deep</text:p>{'</text:section>' * 150}"
        assert "deep" in convert(odt(body), "a.odt").text


class TestHostile:
    @pytest.mark.parametrize("name", ["a.epub", "a.odt"])
    @pytest.mark.parametrize(
        "data",
        [b"", b"PK\x03\x04 no", zipped({"readme.txt": "x"})],
        ids=["empty", "cut", "another"],  # the bytes of an archive tell the time
    )
    def test_other_files_are_errors_that_say_so(self, name: str, data: bytes) -> None:
        with pytest.raises(ConversionError, match=rf"{name}: is damaged, or no \.\w+ file"):
            convert(data, name)

    def test_broken_xml_is_an_error_that_says_where(self) -> None:
        with pytest.raises(ConversionError, match=r"a\.odt: content\.xml: is no well-formed XML"):
            convert(zipped({"content.xml": "<a>"}), "a.odt")

    def test_a_bomb_is_not_unpacked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(archive, "MOST_OF_ENTRY", 1 << 20)
        with pytest.raises(ConversionError, match=r"a\.odt: unpacks to more than the limit: 1 MiB"):
            convert(zipped({"content.xml": " " * (4 << 20)}), "a.odt")

    def test_many_small_bombs_are_not_either(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(archive, "MOST_UNPACKED", 1 << 20)
        book = {f"{n}.xhtml": f"<p>{'x' * (1 << 17)}</p>" for n in range(20)}
        with pytest.raises(ConversionError, match=r"a\.epub: unpacks to more"):
            convert(epub(book), "a.epub")

    def test_a_suffix_it_does_not_claim_is_an_error(self) -> None:
        with pytest.raises(ConversionError, match=r"a\.zip: is not of a format"):
            convert(b"PK", "a.zip")


@pytest.mark.parametrize(
    ("name", "data"), [("a.epub", epub(CHAPTERS)), ("a.odt", odt(""))], ids=["epub", "odt"]
)
def test_auto_takes_this_converter(name: str, data: bytes) -> None:
    assert asyncio.run(AutoConverter().convert(Source(name, data))) == convert(data, name)
