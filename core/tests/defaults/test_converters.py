"""Markdown, plain text, and the choice among all converters: encodings, titles, front matter, what is refused and how."""

from __future__ import annotations

import asyncio
import codecs
import json
import logging
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, create_model

from hierdoc import ConversionError, Document, Source
from hierdoc.defaults.converters import AutoConverter, MarkdownConverter, TextConverter
from hierdoc.errors import UnsupportedFormatError
from hierdoc.plugin import (
    ConversionLimits,
    Converter,
    Operational,
    Provider,
    ProviderConfig,
    Registry,
    hookimpl,
)
from hierdoc.plugin.decoding import decode, find_title, front_matter

PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"


def convert(converter: Converter, name: str, data: bytes) -> Document:
    return asyncio.run(converter.convert(Source(name, data)))


class TestDecoding:
    @pytest.mark.parametrize(
        "encoding",
        ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252"],
    )
    def test_common_encodings_are_recognised(self, encoding: str) -> None:
        text = "§ 5 Über die Prüfung\nGroße Übung, Maß für Maß\n"
        assert decode(text.encode(encoding), "a.txt") == text

    @pytest.mark.parametrize("between", ["\0", "\0\0", "   \0", "\0   \0  "])
    def test_regular_zero_bytes_make_no_utf16(self, between: str) -> None:
        for text in (f"r0001 Widget{between}" * 999, f"abc{between}" * 999):
            with pytest.raises(ConversionError, match="control characters"):
                decode(text.encode(), "a.txt")

    def test_utf16_without_mark_may_be_cyrillic(self) -> None:
        text = "Статья 1. Основные положения, 2020\n" * 3
        assert decode(text.encode("utf-16-le"), "a.txt") == text

    def test_windows_quotes_are_quotes(self) -> None:
        assert decode(b"\x93Term\x94 means \x80 5", "a.txt") == "“Term” means € 5"

    def test_single_bytes_of_another_encoding_do_not_garble_the_rest(self) -> None:
        data = "Prüfung – größer, schöner, müder\n".encode() + b"caf\xe9\n"
        assert decode(data, "a.txt") == "Prüfung – größer, schöner, müder\ncafé\n"

    @pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
    def test_lines_end_with_newlines(self, ending: str) -> None:
        assert decode(f"a{ending}b{ending}".encode(), "a.txt") == "a\nb\n"

    def test_a_few_zero_bytes_are_replaced_and_said(self, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.WARNING, logger="hierdoc"):
            assert decode(b"before\0after", "a.txt") == "before\ufffdafter"
        assert "a.txt: 1 zero bytes were replaced" in caplog.text

    def test_binary_content_is_refused(self) -> None:
        with pytest.raises(ConversionError, match=r"a\.txt: is not text: it is full of control"):
            decode(bytes(range(256)) * 20, "a.txt")

    @pytest.mark.parametrize(
        ("data", "what"), [(PDF, "PDF"), (b"PK\x03\x04..", "ZIP or Office"), (b"{\\rtf1", "RTF")]
    )
    def test_another_format_under_a_false_name_is_named(self, data: bytes, what: str) -> None:
        with pytest.raises(ConversionError, match=f"it is a {what} file"):
            decode(data, "a.md")

    def test_half_a_character_at_the_end_loses_nothing_else(self) -> None:
        assert decode(codecs.BOM_UTF16_LE + "abc".encode("utf-16-le") + b"x", "a") == "abc\ufffd"

    @given(st.binary(max_size=200))
    def test_whatever_the_bytes_the_text_can_be_stored(self, data: bytes) -> None:
        try:
            text = decode(data, "a.txt")
        except ConversionError:
            return
        assert "\0" not in text
        assert "\r" not in text
        assert text.encode().decode() == text

    @given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])))
    def test_utf8_is_read_as_it_is(self, text: str) -> None:
        if not text.startswith(("\ufeff", "%PDF-", "%!PS", "{\\rtf")):
            assert decode(text.encode(), "a.txt") == text


class TestFrontMatter:
    def test_becomes_metadata_and_stays_in_the_text(self) -> None:
        text = "---\ntitle: An Act\ntags: [a, b]\n---\n# Heading\n"
        document = convert(MarkdownConverter(), "act.md", text.encode())
        assert document.metadata == {"title": "An Act", "tags": ["a", "b"]}
        assert (document.title, document.text) == ("An Act", text)

    def test_values_are_what_json_holds(self) -> None:
        text = "---\ndate: 2020-05-01\nat: 2020-05-01 10:00:00\n1: {a: .inf}\nset: !!set {x}\n---\n"
        assert front_matter(text) == {
            "date": "2020-05-01",
            "at": "2020-05-01T10:00:00",
            "1": {"a": "inf"},
            "set": ["x"],
        }

    @pytest.mark.parametrize(
        "body",
        [
            "a: &x [1, 1]\nb: *x",
            "a: [1, 2",
            "a: 2020-13-45",
            "a: !!python/object:os.system {}",
            "a: !!timestamp x",
            "a: " + "[" * 10_000,
            "- a\n- b",
            "text: " + "x" * 70_000,
        ],
        ids=["alias", "open", "date", "object", "tag", "deep", "list", "long"],
    )
    def test_what_is_not_to_be_trusted_stays_text(self, body: str) -> None:
        text = f"---\n{body}\n---\n# Heading\n"
        document = convert(MarkdownConverter(), "a.md", text.encode())
        assert (document.metadata, document.title, document.text) == ({}, "Heading", text)

    def test_a_document_that_begins_with_a_line_has_none(self) -> None:
        assert front_matter("---\n\nWe, the people: all.\n\n---\n") == {}

    @given(st.text(alphabet="abc:-[]{}!&*#|>'\"\n 019.,?%@", max_size=60))
    def test_never_fails(self, body: str) -> None:
        json.dumps(front_matter(f"---\n{body}\n---\n"))


class TestTitle:
    @pytest.mark.parametrize(
        ("text", "title"),
        [
            ("# One\n\n## Two\n", "One"),
            ("## Before\n\n# The only one\n", "The only one"),
            ("## First\n\n# A\n\n# B\n", "First"),
            ("```\n# code\n```\n\n## After\n", "After"),
            ("Setext\n======\n", "Setext"),
            ("# *Marked* `up`\n", "Marked up"),
            ("no heading\n", "report"),
            (
                "no heading\n\nThis act may be cited as the “Berth Act of 2020”.\n",
                "Berth Act of 2020",
            ),
            ("", "report"),
        ],
    )
    def test_comes_from_the_headings_else_the_name(self, text: str, title: str) -> None:
        assert find_title(text, {}, "docs/report.md") == title

    @pytest.mark.parametrize(
        ("metadata", "title"),
        [({"title": "T"}, "T"), ({"Title": "T"}, "T"), ({"title": 7}, "7"), ({"title": ""}, "H")],
    )
    def test_comes_from_the_front_matter_first(
        self, metadata: Mapping[str, Any], title: str
    ) -> None:
        assert find_title("# H\n", metadata, "a.md") == title

    def test_is_one_short_line(self) -> None:
        assert len(find_title("# " + "word " * 1000, {}, "a.md")) <= 300
        assert find_title("", {"title": "a\n  b"}, "a.md") == "a b"

    def test_of_a_name_that_is_all_suffix(self) -> None:
        assert find_title("", {}, ".md") == ".md"


def test_plain_text_has_no_front_matter() -> None:
    document = convert(TextConverter(), "a.txt", b"---\ntitle: x\n---\ntext\n")
    assert (document.metadata, document.title) == ({}, "a")


def test_a_line_of_ten_million_characters_is_kept() -> None:
    data = b"# Long\n" + b"word " * 2_000_000
    document = convert(MarkdownConverter(), "a.md", data)
    assert (document.title, len(document.text)) == ("Long", len(data))


class Fixed:
    """Converts everything to its own name."""

    def __init__(self, name: str, *suffixes: str) -> None:
        self.name = name
        self.suffixes = suffixes

    async def convert(self, source: Source) -> Document:
        return Document(source.name, self.name, self.name)


class Plugin:
    """Registers these converters, and one that cannot be opened without settings."""

    def __init__(self, *converters: Fixed) -> None:
        self.converters = converters
        self.opened: list[str] = []

    @hookimpl
    def hierdoc_converters(self) -> list[Provider[Any, Any]]:
        return [self.provider(converter) for converter in self.converters] + [
            self.provider(Fixed("needy", ".key"), secret=(str, ...))
        ]

    def provider(self, converter: Fixed, **fields: Any) -> Provider[Any, Any]:
        name = converter.name
        config: Any = create_model(
            name, __base__=ProviderConfig, provider=(Literal[name], name), **fields
        )

        def open_it(config: ProviderConfig) -> Fixed:
            self.opened.append(name)
            return converter

        return Provider(config, open_it)


def auto_with(*converters: Fixed) -> tuple[AutoConverter, Plugin]:
    registry, plugin = Registry(frozenset()), Plugin(*converters)
    registry.register(plugin, "test")
    return AutoConverter(registry), plugin


class TestAuto:
    @pytest.mark.parametrize("name", ["a.md", "a.MARKDOWN", "a.txt", "a.TEXT"])
    def test_reads_what_core_reads_without_opening_a_plugin(self, name: str) -> None:
        auto, plugin = auto_with(Fixed("greedy", ".md", ".markdown", ".txt", ".text"))
        assert convert(auto, name, b"text").text.strip() == "text"
        assert name[name.index(".") :].lower() in auto.suffixes
        assert plugin.opened == []

    def test_reads_org_mode_as_text_unless_a_plugin_claims_it(self) -> None:
        auto, _ = auto_with()
        assert convert(auto, "a.org", b"* Lamps\n").text == "* Lamps\n"
        auto, _ = auto_with(Fixed("org", ".org"))
        assert convert(auto, "a.org", b"* Lamps\n").text == "org"

    def test_takes_the_specialist(self) -> None:
        auto, _ = auto_with(Fixed("many", ".pdf", ".docx"), Fixed("one", ".pdf"))
        assert convert(auto, "a.pdf", PDF).text == "one"
        assert convert(auto, "a.docx", b"PK").text == "many"

    def test_opens_a_plugin_once(self) -> None:
        auto, plugin = auto_with(Fixed("one", ".pdf"))
        for _ in range(3):
            convert(auto, "a.pdf", PDF)
        assert plugin.opened == ["one"]

    def test_hands_its_limits_to_plugins_that_have_some_and_closes_them(self) -> None:
        seen: list[ConversionLimits] = []
        closed: list[str] = []

        class Config(ProviderConfig):
            """Limited."""

            provider: Literal["limited"] = "limited"
            limits: Operational[ConversionLimits] = Field(default_factory=ConversionLimits)

        class Limited(Fixed):
            async def aclose(self) -> None:
                closed.append(self.name)

        class LimitedPlugin:
            @hookimpl
            def hierdoc_converters(self) -> list[Provider[Any, Any]]:
                def open_it(config: Config) -> Limited:
                    seen.append(config.limits)
                    return Limited("limited", ".pdf")

                return [Provider(Config, open_it)]

        registry = Registry(frozenset())
        registry.register(LimitedPlugin(), "test")
        registry.register(Plugin(Fixed("plain", ".docx")), "plain")
        limits = ConversionLimits(seconds=7)
        auto = AutoConverter(registry, limits)
        asyncio.run(auto.aclose())
        assert convert(auto, "a.pdf", PDF).text == "limited"
        assert seen == [limits]
        assert closed == []
        asyncio.run(auto.aclose())
        assert closed == ["limited"]

    def test_names_the_extra_that_reads_the_format(self) -> None:
        auto, _ = auto_with()
        with pytest.raises(
            UnsupportedFormatError, match=r"a\.pdf: no installed .* reads \.pdf"
        ) as e:
            convert(auto, "a.pdf", PDF)
        assert e.value.hint == "pip install 'hierdoc[pdf]'"

    def test_names_another_extra_for_office(self) -> None:
        auto, _ = auto_with()
        with pytest.raises(UnsupportedFormatError) as e:
            convert(auto, "a.pptx", b"PK")
        assert e.value.hint == "pip install 'hierdoc[markitdown]'"

    @pytest.mark.parametrize(
        ("name", "extra"), [("a.xml", "xml"), ("a.epub", "ebook"), ("a.docx", "docx")]
    )
    def test_names_the_extra_that_reads_the_structure(self, name: str, extra: str) -> None:
        auto, _ = auto_with()
        with pytest.raises(UnsupportedFormatError) as e:
            convert(auto, name, b"<a/>")
        assert e.value.hint == f"pip install 'hierdoc[{extra}]'"

    @pytest.mark.parametrize(
        ("name", "said"), [("a.rst", "'hierdoc[rst]'"), ("a.adoc", "convert it to markdown")]
    )
    def test_says_what_is_read_as_bare_text(self, name: str, said: str) -> None:
        auto, _ = auto_with()
        (note,) = convert(auto, name, b"text").notes
        assert "is read as bare text" in note
        assert said in note

    def test_says_nothing_of_what_is_read_well(self) -> None:
        auto, _ = auto_with()
        assert convert(auto, "a.md", b"text").notes == ()

    def test_does_not_take_data_formats_of_the_extra_for_text(self) -> None:
        auto, _ = auto_with()
        with pytest.raises(UnsupportedFormatError):
            convert(auto, "a.json", b"{}")

    def test_names_what_it_reads_where_no_extra_helps(self) -> None:
        auto, _ = auto_with(Fixed("one", ".pages"))
        with pytest.raises(UnsupportedFormatError, match=r"reads \.odp files") as raised:
            convert(auto, "a.odp", b"PK\x03\x04")
        assert ".md," in str(raised.value.hint)
        assert ".pages" in str(raised.value.hint)

    def test_says_which_plugins_cannot_be_used(self) -> None:
        auto, _ = auto_with()
        with pytest.raises(
            UnsupportedFormatError, match="cannot be used: needy: needs settings: secret"
        ):
            convert(auto, "a.key", PDF)

    @pytest.mark.parametrize("name", ["README", "a.rst", "a.unknown", "a.py"])
    def test_reads_what_is_clearly_text_as_text(self, name: str) -> None:
        auto, _ = auto_with()
        assert convert(auto, name, "Größe".encode()).text == "Größe"

    @pytest.mark.parametrize("data", [PDF, b"a\0b", b"{\\rtf1 x}", "Größe".encode("latin-1")])
    def test_reads_nothing_else_without_a_converter(self, data: bytes) -> None:
        auto, _ = auto_with()
        with pytest.raises(UnsupportedFormatError):
            convert(auto, "a.unknown", data)

    def test_its_suffixes_are_all_that_is_installed(self) -> None:
        auto, _ = auto_with(Fixed("one", ".pdf"))
        assert {".md", ".txt", ".pdf"} <= set(auto.suffixes)
        assert len(auto.suffixes) == len(list(auto.suffixes))
        assert ".zip" not in auto.suffixes


def test_a_text_file_imports_no_plugin() -> None:
    program = (
        "import asyncio, sys; from hierdoc import Source\n"
        "from hierdoc.defaults.converters import AutoConverter\n"
        "for name in ('a.md', 'a.txt'):\n"
        "    asyncio.run(AutoConverter().convert(Source(name, b'text')))\n"
        "print([m for m in sys.modules if m.startswith('hierdoc_') or m == 'markitdown'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
