"""The conformance tests of converters."""

from __future__ import annotations

import asyncio
import inspect
import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hierdoc import ConversionError, Document, Source
from hierdoc.plugin import ComponentKind
from hierdoc.structure import understand
from hierdoc_testing.base import Conformance, assert_same, contract, require, trying
from hierdoc_testing.component import OpenComponent, Opener, check_nothing_is_left
from hierdoc_testing.corpus import make_text
from hierdoc_testing.patience import LONG_QUIET
from hierdoc_testing.watch import assert_never_blocks


@dataclass(frozen=True)
class Sample:
    """A file to convert, and what must come of it.

    Attributes:
        name: Its name, with a suffix that the converter claims.
        data: Its bytes.
        words: Words that it holds, in this order.
        headings: Headings that it has, in this order.
        pages: What each of its pages begins with; none where the format has no pages.
    """

    name: str
    data: bytes
    words: Sequence[str]
    headings: Sequence[str] = ()
    pages: Sequence[str] = ()


_WORDS = ("Preliminary", "Straße", "法律责任", "договор", "naïve", "😀", "last-word")
_HEADINGS = ("Harbour Act", "Berths", "Fees")


def _markdown(paragraphs: Sequence[str]) -> str:
    return (
        "# Harbour Act\n\nPreliminary text of the Straße.\n\n## Berths\n\n法律责任 and договор.\n\n"
        + "".join(f"{text}\n\n" for text in paragraphs)
        + "## Fees\n\nA naïve fee 😀.\n\nThe last-word\n"
    )


def _html(paragraphs: Sequence[str]) -> str:
    return (
        "<!DOCTYPE html><html><head><meta charset='utf-8'><title>Harbour Act</title></head><body><h1>Harbour Act</h1>"
        "<p>Preliminary text of the Straße.</p><h2>Berths</h2><p>法律责任 and договор.</p>"
        + "".join(f"<p>{text}</p>" for text in paragraphs)
        + "<h2>Fees</h2><p>A naïve fee 😀.</p><p>The last-word</p></body></html>"
    )


_MAKERS: Mapping[str, tuple[Callable[[Sequence[str]], str], Sequence[str]]] = {
    ".md": (_markdown, _HEADINGS),
    ".markdown": (_markdown, _HEADINGS),
    ".txt": (_markdown, ()),
    ".html": (_html, _HEADINGS),
    ".htm": (_html, _HEADINGS),
}
"""What the kit can write itself."""


def make_sample(suffix: str, paragraphs: int = 0, name: str = "docs/harbour") -> Sample:
    """A file of one of the formats that the kit can write: `.md`, `.markdown`, `.txt`, `.html`, `.htm`."""
    write, headings = _MAKERS[suffix]
    numbered = [f"Paragraph{number} of the long part." for number in range(paragraphs)]
    words = [*_WORDS[:4], *(f"Paragraph{number}" for number in range(paragraphs)), *_WORDS[4:]]
    return Sample(f"{name}{suffix}", write(numbered).encode(), words, headings)


class ConverterTests(Conformance):
    """What a converter promises: derive from it, supply `open_converter` and, for formats of its own, `samples`."""

    kind = ComponentKind.CONVERTER

    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        """Supply this one: a function without arguments that gives a new converter."""
        raise NotImplementedError(
            "supply the fixture `open_converter`; see docs/plugins/testing.md"
        )

    @pytest.fixture
    def samples(self, open_converter: OpenComponent) -> Sequence[Sample]:
        """Files to convert; supply this one too where the converter reads no format that the kit can write."""
        claimed = [suffix for suffix in _MAKERS if suffix in open_converter().suffixes]
        if not claimed:
            raise NotImplementedError(
                f"supply the fixture `samples`: a list of `Sample`; the kit itself can only write {', '.join(_MAKERS)}"
            )
        return [make_sample(suffix) for suffix in claimed]

    @pytest.fixture
    def converters(self, open_converter: OpenComponent) -> Opener:
        """Opens the converter under test, and closes it."""
        return Opener(open_converter, self.kind)

    @contract
    def test_suffixes_are_lower_case_with_their_dot(self, converters: Opener) -> None:
        """`suffixes` says which files are read: `.md`, not `md` or `.MD`, each once.

        When it fails: compare with `Source.suffix`, which is lower case and has the dot.
        """
        converter = converters.open()
        suffixes = list(converter.suffixes)
        assert suffixes
        assert inspect.iscoroutinefunction(converter.convert)
        for suffix in suffixes:
            assert isinstance(suffix, str)
            assert suffix.startswith(".")
            assert suffix == suffix.lower().strip()
            assert len(suffix) > 1
        assert len(set(suffixes)) == len(suffixes)

    @contract
    async def test_the_document_is_complete(
        self, converters: Opener, samples: Sequence[Sample]
    ) -> None:
        """The document has the source's name, a title, all words of the file in their order and letters, and its pages where they begin.

        When it fails: look at what the format's library leaves out, at the end of the file, and at the encoding. `page_starts` counts
        characters, not bytes, and not those of a text that was changed afterwards.
        """
        converter = converters.open()
        for sample in samples:
            document = await converter.convert(Source(sample.name, sample.data))
            check_document(document, sample)

    @contract
    async def test_headings_are_headings(
        self, converters: Opener, samples: Sequence[Sample]
    ) -> None:
        """Headings of the file are headings of the markdown, in their order.

        When it fails: headings are all that the structure is read from; write them with `#`.
        """
        require(any(sample.headings for sample in samples), "no sample has headings")
        converter = converters.open()
        for sample in samples:
            document = await converter.convert(Source(sample.name, sample.data))
            titles = [section.title for section in _flat(understand(document).sections)]
            if sample.headings:
                assert [title for title in titles if title in sample.headings] == list(
                    sample.headings
                )

    @contract
    async def test_a_stated_outline_fits_the_text(
        self, converters: Opener, samples: Sequence[Sample]
    ) -> None:
        """The divisions of an `outline` come in the text's order, lie within it, and begin where their titles stand.

        When it fails: measure offsets in the finished text, and take titles from it: between `start` and `body`, without markup.
        """
        converter = converters.open()
        for sample in samples:
            document = await converter.convert(Source(sample.name, sample.data))
            check_outline(document)
            understand(document)

    @contract
    async def test_the_bytes_are_converted_not_the_file(
        self, converters: Opener, samples: Sequence[Sample], tmp_path: Path
    ) -> None:
        """`Source.data` counts: a file that is missing, or has changed since, makes no difference.

        When it fails: give the library a stream of the bytes, or a temporary file made of them.
        """
        converter = converters.open()
        for sample in samples:
            changed = tmp_path / Path(sample.name).name
            changed.write_bytes(b"changed since")
            for path in (None, changed, tmp_path / "missing"):
                document = await converter.convert(Source(sample.name, sample.data, path))
                check_document(document, sample)

    @contract
    async def test_names_of_any_shape(self, converters: Opener, samples: Sequence[Sample]) -> None:
        """The document's `source` is the name as it was given: folders, Unicode, spaces, an upper-case suffix.

        When it fails: take the name from the source; decide by `source.suffix`, which is lower case.
        """
        converter = converters.open()
        for sample in samples:
            suffix = Source(sample.name, b"").suffix
            for name in ("ä ö/法律", "a.b/c.d", "x" * 200, "caf\udce9", "# [title]"):
                for ending in (suffix, suffix.upper()):
                    source = Source(f"{name}{ending}", sample.data)
                    document = await converter.convert(source)
                    assert document.source == source.name
                    assert document.title.strip()

    @contract
    async def test_damaged_files_are_refused(
        self, converters: Opener, samples: Sequence[Sample]
    ) -> None:
        """Empty, cut, scrambled and wrong files raise `ConversionError` or give what can be read; nothing else is raised.

        When it fails: raise `ConversionError(message, hint=...)` from the library's own errors.
        """
        converter = converters.open()
        for sample in samples:
            data = sample.data
            scrambled = bytes((byte * 7 + 13) % 256 for byte in data)
            for damaged in (
                b"",
                data[: len(data) // 2],
                data[50:],
                scrambled,
                b"\x00" * 999,
                b"PK\x03\x04",
            ):
                try:
                    document = await converter.convert(Source(sample.name, damaged))
                except ConversionError:
                    continue
                assert isinstance(document, Document)

    @contract
    async def test_the_same_file_gives_the_same_document(
        self, converters: Opener, samples: Sequence[Sample]
    ) -> None:
        """A file is always converted alike, whatever was converted before, also under its name, or is converted beside it.

        When it fails: keep what belongs to a file in the call; leave the clock and chance out.
        """
        converter = converters.open()
        sources = [Source(sample.name, sample.data) for sample in samples]
        sources += [
            Source(f"copy-{n}{one.suffix}", one.data) for n in range(8) for one in sources[:1]
        ]
        afresh = [converters.open() for _ in samples]
        afresh += [converters.open()] * (len(sources) - len(samples))  # one for all copies
        pairs = zip(afresh, sources, strict=True)
        expected = [await one.convert(source) for one, source in pairs]
        together = await asyncio.gather(*(converter.convert(source) for source in sources))
        assert_same(together, expected)
        assert_same([await converter.convert(sources[0])], expected[:1])
        for suffix in [one for one in _MAKERS if one in converter.suffixes]:
            for paragraphs in (0, 3):  # of one name
                sample = make_sample(suffix, paragraphs)
                document = await converter.convert(Source(sample.name, sample.data))
                check_document(document, sample)
                assert ("Paragraph2" in document.text) == (paragraphs > 0)

    @contract
    async def test_a_long_file_is_converted_to_the_end(self, converters: Opener) -> None:
        """A file of 20,000 paragraphs keeps all of them. Only formats that the kit can write are tried.

        When it fails: look for a limit of the library, and say in an error what was left out, if it must be.
        """
        converter = converters.open()
        for suffix in self._claimed(converter)[:2]:
            sample = make_sample(suffix, 20_000)
            check_document(await converter.convert(Source(sample.name, sample.data)), sample)

    @contract
    async def test_encodings_are_recognised(self, converters: Opener) -> None:
        """UTF-8 with a byte order mark, UTF-16 with one, and Windows line ends keep all words. Only formats that the kit can write.

        When it fails: look at the byte order mark before you decode; it is no part of the text.
        """
        converter = converters.open()
        sample = make_sample(self._claimed(converter)[0])
        text = sample.data.decode()
        for data in (
            text.encode("utf-8-sig"),
            text.encode("utf-16"),
            text.replace("\n", "\r\n").encode(),
        ):
            document = await converter.convert(Source(sample.name, data))
            check_document(document, sample)
            assert "\ufeff" not in document.text

    @contract
    async def test_letters_stay_what_they_are(self, converters: Opener) -> None:
        """Exponents, fractions, ligatures, full-width and decomposed letters come out as they went in. Only formats that the kit can write.

        When it fails: leave out what makes letters alike: NFKC makes `5²` of five squared `52`, and no offset fits afterwards.
        """
        converter = converters.open()
        text = "Within 5² and ½ of ①, the oﬃce № 3 of ＡＢ\u2026 se\u0301jour, A\u030a and Å."
        for suffix in self._claimed(converter):
            data = f"<p>{text}</p>" if suffix.startswith(".htm") else f"{text}\n"
            document = await converter.convert(Source(f"docs/letters{suffix}", data.encode()))
            for word in text.split(" "):
                assert word in document.text

    @contract
    async def test_a_last_line_needs_no_end(self, converters: Opener) -> None:
        """A file whose last line has no line end, or that has but one line, keeps that line. Only formats that the kit can write.

        When it fails: look at what reads line by line, and at what waits for a closing mark.
        """
        converter = converters.open()
        for suffix in self._claimed(converter):
            sample = make_sample(suffix)
            data = sample.data.rstrip().removesuffix(b"</p></body></html>")
            document = await converter.convert(Source(sample.name, data))
            check_document(document, sample)
            one = await converter.convert(Source(f"one{suffix}", b"last-word"))
            assert one.text.strip() == "last-word"

    @contract
    async def test_latin_1_is_read_or_refused(self, converters: Opener) -> None:
        """A file in Latin-1 keeps its letters, or is refused: none is replaced or dropped. Only formats that the kit can write.

        When it fails: `decode` of `hierdoc.plugin.decoding` reads what is no UTF-8 as Windows-1252; `errors="replace"` loses letters.
        """
        converter = converters.open()
        for suffix in self._claimed(converter):
            text = "Über die Straße: ein naïver Gläubiger zahlt 5 £."
            data = (f"<p>{text}</p>" if suffix.startswith(".htm") else f"{text}\n").encode(
                "latin-1"
            )
            try:
                document = await converter.convert(Source(f"docs/latin{suffix}", data))
            except ConversionError:
                continue
            assert text in document.text

    @contract
    async def test_other_formats_are_refused(self, converters: Opener) -> None:
        """A ZIP or PDF file under the name of a text format raises `ConversionError`. Only formats that the kit can write.

        When it fails: look at the first bytes; letters that somehow come out of it would be indexed as if they were text.
        """
        converter = converters.open()
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("word/document.xml", make_text(3000))
        for suffix in self._claimed(converter):
            for data in (
                archive.getvalue(),
                b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n",
            ):
                with trying(f"{data[:4]!r} as {suffix}"), pytest.raises(ConversionError):
                    await converter.convert(Source(f"docs/other{suffix}", data))

    def _claimed(self, converter: Any) -> list[str]:
        claimed = [suffix for suffix in _MAKERS if suffix in converter.suffixes]
        require(bool(claimed), "reads no format that the kit can write")
        return claimed

    @contract(quiet=LONG_QUIET)
    async def test_the_event_loop_is_never_blocked(
        self, converters: Opener, samples: Sequence[Sample]
    ) -> None:
        """Converting, a long file too, keeps the event loop for no more than 50 ms.

        When it fails: give the work to a thread (`asyncio.to_thread`), or to a process where it holds the interpreter.
        """
        converter = converters.open()
        long = [make_sample(one, 4000) for one in _MAKERS if one in converter.suffixes][:1]
        for sample in [*samples, *long]:
            convert = partial(converter.convert, Source(sample.name, sample.data))
            await assert_never_blocks(f"convert of {sample.name}", convert)

    @contract
    def test_nothing_is_left_after_aclose(
        self, open_converter: OpenComponent, samples: Sequence[Sample]
    ) -> None:
        """No thread, task, open file or connection outlives `aclose`, or the call where there is no `aclose`.

        When it fails: close files and temporary folders in `convert`, clients and executors in `aclose`.
        """

        async def use(converter: Any) -> None:
            await converter.convert(Source(samples[0].name, samples[0].data))

        check_nothing_is_left(open_converter, use)


def check_document(document: Document, sample: Sample) -> None:
    """The document has what the sample says, and the form that the pipeline expects."""
    assert isinstance(document, Document)
    assert document.source == sample.name
    assert isinstance(document.title, str)
    assert document.title.strip()
    assert isinstance(document.text, str)
    assert document.sections == ()
    assert document.definitions == ()
    assert isinstance(document.metadata, Mapping)
    assert document.language is None or len(document.language) == 2
    starts = list(document.page_starts)
    assert starts == sorted(starts)
    assert not starts or (starts[0] == 0 and starts[-1] <= len(document.text))
    if sample.pages:
        begin = [
            document.text[start:].lstrip()[: len(one)]
            for start, one in zip(starts, sample.pages, strict=False)
        ]
        assert begin == list(sample.pages), "what pages begin with"
        assert len(starts) == len(sample.pages), "a start for each page"
    place = 0
    for word in sample.words:
        found = document.text.find(word, place)
        assert found >= 0, f"{word!r} is missing, or stands too early"
        place = found + len(word)


def check_outline(document: Document) -> None:
    """Every division begins behind the one before, within the text, with its title."""
    before = -1
    for one in document.outline:
        assert before < one.start <= one.body <= len(document.text), one
        assert one.level >= 1, one
        stated, written = _letters(one.title), _letters(document.text[one.start : one.body])
        assert one.title.strip(), one
        assert stated in written, f"{one.title!r} does not stand at {one.start}"
        before = one.start


def _letters(text: str) -> str:
    """A text without white space and punctuation, which is markup or stands beside it."""
    return "".join(filter(str.isalnum, text))


def _flat(sections: Any) -> list[Any]:
    return [one for section in sections for one in (section, *_flat(section.children))]
