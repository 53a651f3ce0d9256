"""A document's own table of contents, and what it says of the body; truth by construction: outlines printed as plain text."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

import pytest

from hierdoc import Document
from hierdoc.models import Section
from hierdoc.structure import understand
from hierdoc.structure.sections import find_nesting


@dataclass(frozen=True)
class Heading:
    """One section of a made outline."""

    number: tuple[str, ...]
    title: str

    @property
    def key(self) -> str:
        return "_".join(("sec" if self.number[0].isdigit() else "app", *self.number)).lower()


@dataclass(frozen=True)
class Style:
    """How an outline is printed."""

    contents: str | None = "{number} {title}{dots}{page}"
    listed: int = 9
    """How deep the table of contents goes."""
    indent: int = 3
    step: int = 3
    body: str = "{number}  {title}"
    body_indent: int = 0
    dot: str = ""
    appendix: str = "Appendix {number}.  {title}"
    listed_appendix: str = "Appendix {number}. {title}{dots}{page}"
    name: str | None = "Table of Contents"
    blank: bool = True
    pages: bool = True
    leader: str = "."
    width: int = 72
    hard: bool = True
    """Whether titles begin with digits and small letters, and texts hold what looks like headings."""


STYLES = {
    "rfc 1945": Style("{number}  {title} {dots}  {page}", step=4, dot=".", appendix="{number}.  {title}",
                      listed_appendix="{number}.  {title} {dots}  {page}"),
    "rfc 2068": Style("{number} {title}{dots}{page}", step=1, body="{number} {title}"),
    "rfc 822": Style("{number}.  {title} {dots} {page}", indent=5, step=0, body="{number}.  {title}", body_indent=5),
    "xml2rfc": Style("{number}.  {title}  {dots}  {page}", dot=".", leader=" .", body="{number}.  {title}"),
    "xml2rfc, no pages": Style("{number}.  {title}", step=2, body="{number}.  {title}", pages=False,
                               listed_appendix="Appendix {number}.  {title}"),
    "iso": Style("{number}    {title} {dots} {page}", indent=0, step=0, name="Contents", body="{number}    {title}",
                 appendix="Annex {number}\n(informative)\n\n{title}", listed_appendix="Annex {number} (informative) {title} {dots} {page}"),
    "ieee": Style("{number} {title}{dots} {page}", indent=0, name="CONTENTS", dot=".", appendix="Annex {number}\n{title}",
                  listed_appendix="Annex {number} {title}{dots} {page}"),
    "tabs": Style("{number}\t{title}\t{page}", indent=0, step=0, name="Inhalt", pages=False,
                  listed_appendix="Appendix {number}\t{title}\t{page}"),
    "tight": Style(blank=False, dot="."),
    "two levels listed": Style(listed=2, body="{number}.  {title}"),
    "no title above": Style(name=None),
    "no contents": Style(contents=None, dot="."),
    "no contents, tidy": Style(contents=None, body="{number}  {title}", pages=False, hard=False),
}  # fmt: skip
_WORDS = (
    "Protocol Header Fields Registry Method Cache Control Message Framing Security Considerations Terms Status Entity"
    " Tag Range Units Transfer Coding Error Handling Changes from RFC"
).split()
_HARD = (
    "404 Not Found", "max-age", "http URL", "200 OK", "iSCSI Overview", "100-continue", "of quality values", "ETag",
    "5G Networks", "e-mail Addresses", "1xx Codes", "Changes from RFC 2068", "TE", "(Deprecated)", "\"no-cache\"",
    "Use of HTTP/1.1", "What is a Server?", "A Note on A.1",
)  # fmt: skip
_TEXTS = (
    "This section says what the field means. A recipient shall ignore what it does not know, as Section 3.1 says, and send",
    "The value is 3.2 or more. Values of 1.5 and 2.7 are common in what has been measured so far by those that measure",
    "See the list below; it is not complete, and it is not meant to be. What follows from it is said in the next part of the text",
)
_NOISE = (
    "   1.  The client sends a message.\n\n   2.  The server answers.\n\n   3.  They part.",
    "       +--------+--------+\n       | 3.2    |  4.1   |\n       +--------+--------+",
    "   # a comment in an example\n   option = 3.1\n\n   # another\n   option = 7",
    "   as is set out in Section\n   3.1 of this document, which goes on for a line\n   2.4 times as long.",
    "   Fields and values\n   -----------------\n   1.2    3.4    5.6",
    "      1. first item,\n      2. second item; and\n      3. third item.",
)  # fmt: skip

_LABELLED = "   Section 2.1 Message Framing\n\n   Part 3 of the Message\n\n   Item 4. Fields"
"""Lines that only a table of contents shows to be none of headings."""


def outline(seed: int, top: int = 6, *, hard: bool = True) -> list[Heading]:
    """A made outline, with titles that are hard to tell from text."""
    chance = random.Random(seed)

    def below(number: tuple[str, ...], depth: int) -> Iterator[Heading]:
        # Without a table of contents the number of an appendix says too little for a title like `200 OK`.
        yield Heading(number, title(hard and (depth > 1 or number[0].isdigit())))
        if depth < 4 and chance.random() < 0.6 / depth:
            for part in range(1, chance.randint(2, 5) + (8 if chance.random() < 0.1 else 0)):
                yield from below((*number, str(part)), depth + 1)

    def title(hard: bool) -> str:
        if hard and chance.random() < 0.3:
            return chance.choice(_HARD)
        words = " ".join(chance.choices(_WORDS, k=chance.choice((1, 2, 3, 4, 13))))
        return words[0].upper() + words[1:]

    return [one for name in (*map(str, range(1, top + 1)), "A", "B") for one in below((name,), 1)]


def printed(headings: list[Heading], style: Style, seed: int = 0) -> str:
    """An outline as plain text in one style."""
    chance = random.Random(seed)
    lines = [
        "",
        "Working Group                                     A. Author",
        "",
        " " * 20 + "A Made Protocol",
        "",
    ]
    if style.contents:
        lines += [*([style.name, ""] if style.name else []), *_contents(headings, style), ""]
    for one in headings:
        lines += _body_heading(one, style)
        for _ in range(chance.randint(1, 3)):
            text = " ".join(chance.choices(_TEXTS, k=2)) + "."
            lines += [*wrap(text, style.width, initial_indent="   ", subsequent_indent="   ")]
            lines += [""] if style.blank else []
        if style.hard and chance.random() < 0.3:
            noise = (*_NOISE, _LABELLED) if style.contents else _NOISE
            lines += ["", *chance.choice(noise).split("\n"), ""]
    return "\n".join(_paged(lines) if style.pages else lines) + "\n"


def _contents(headings: list[Heading], style: Style) -> Iterator[str]:
    assert style.contents
    for page, one in enumerate(headings, start=3):
        if len(one.number) > style.listed:
            continue
        labelled = len(one.number) == 1 and not one.number[0].isdigit()
        shape = style.listed_appendix if labelled else style.contents
        number = ".".join(one.number) + (
            "" if labelled else "" if "{number}." in shape else _dot(one, style)
        )
        indent = " " * (style.indent + style.step * (len(one.number) - 1))
        title, _, behind = shape.format(
            number=number, title=one.title, dots="\0", page="\0"
        ).partition("\0")
        if "\t" in shape:
            yield indent + shape.format(number=number, title=one.title, page=page)
            continue
        rows = wrap(title, style.width - 10, initial_indent=indent, subsequent_indent=indent + " " * 6,
                    break_long_words=False, drop_whitespace=True) or [""]  # fmt: skip
        yield from rows[:-1]
        if not behind:
            yield rows[-1]
            continue
        gap = " " if title.endswith(" ") else ""
        dots = style.leader * ((style.width - 6 - len(rows[-1])) // len(style.leader))
        yield f"{rows[-1]}{gap}{dots}{behind.replace(chr(0), str(page))}"


def _dot(one: Heading, style: Style) -> str:
    return style.dot if len(one.number) == 1 else ""


def _body_heading(one: Heading, style: Style) -> list[str]:
    labelled = len(one.number) == 1 and not one.number[0].isdigit()
    shape = style.appendix if labelled else style.body
    number = ".".join(one.number)
    if not labelled and "{number}." not in shape:
        number += _dot(one, style)
    indent = " " * style.body_indent
    rows = []
    for line in shape.format(number=number, title=one.title).split("\n"):
        rows += wrap(
            indent + line, style.width, subsequent_indent=indent + " " * 9, replace_whitespace=False
        ) or [""]
    return ["", *rows, ""] if style.blank else rows


def _paged(lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        yield line
        if number % 48 == 0:
            page = number // 48
            yield from (
                "",
                "",
                f"Author, et. al.             Standards Track                   [Page {page}]",
            )
            yield from (
                "\fRFC 9999                   A Made Protocol                 June 1999",
                "",
                "",
            )


def missing_and_false(text: str, headings: list[Heading]) -> tuple[list[str], list[str]]:
    """The keys of a made outline that are not found, and those found that it does not have, annexes called appendices."""
    found = [(mark.key or "").replace("annex", "app") for mark in find_nesting(text).headings]
    truth = [one.key for one in headings]
    missing = [key for key in truth if key not in found]
    false = [key for key in found if key not in truth]
    return missing, false + [key for key in set(found) if found.count(key) > 1 and key in truth]


@pytest.mark.parametrize("name", STYLES)
def test_all_numbers_of_an_outline_come_back(name: str) -> None:
    style = STYLES[name]
    for seed in range(3):
        headings = outline(seed, hard=style.hard)
        missing, false = missing_and_false(printed(headings, style, seed), headings)
        assert (missing, false) == ([], []), seed


@pytest.mark.nightly
@pytest.mark.parametrize("name", STYLES)
def test_all_but_one_in_a_hundred_numbers_of_many_outlines_come_back(name: str) -> None:
    style = STYLES[name]
    counted = wrong = 0
    for seed in range(100, 160):
        headings = outline(seed, hard=style.hard)
        missing, false = missing_and_false(printed(headings, style, seed), headings)
        assert len(false) <= 0.01 * len(headings)
        counted, wrong = counted + len(headings), wrong + len(missing)
    assert wrong <= 0.01 * counted


def keys(text: str) -> list[str | None]:
    return [mark.key for mark in find_nesting(text).headings]


TITLED = """
A Protocol

{contents}

1 Scope

   This is about more than one thing:

   1. Alpha

   2. Beta

2 404 Not Found

2.1 max-age

   It is so.

2.2 Values

   See
   2.2 Values, or

2.2.1 Deeper

   It is deep.

3 End
   of a title
"""
LISTED = ("1 Scope", "2 404 Not Found", "2.1 max-age", "2.2 Values", "3 End of a title")
FOUND = ["sec_1", "sec_2", "sec_2_1", "sec_2_2", "sec_2_2_1", "sec_3"]


@pytest.mark.parametrize(
    "title",
    ["Contents", "TABLE OF CONTENTS", "## Table of Contents", "**Inhaltsverzeichnis**", "Table des matières", "Índice", "Sommario:"],
)  # fmt: skip
@pytest.mark.parametrize(
    "line",
    ["{}", "   {}", "{} ..... 7", "{} . . . . 7", "{}\t7", "{}      7", "- {}", "- [{}](#there)"],
)
def test_what_the_contents_list_is_a_heading(title: str, line: str) -> None:
    contents = "\n".join(line.format(one) for one in LISTED)
    text = TITLED.format(contents=f"{title}\n\n{contents}")
    assert [key for key in keys(text) if key] == FOUND


def test_numbers_that_the_contents_do_not_list_beside_others_are_none() -> None:
    text = TITLED.format(contents="Contents\n\n" + "\n".join(LISTED))
    assert keys(text.replace("   It is so.", "2.3 Not Listed\n\n   It is so.\n\n2.1.1 Deep")) == [
        "sec_1", "sec_2", "sec_2_1", "sec_2_1_1", "sec_2_2", "sec_2_2_1", "sec_3",
    ]  # fmt: skip


def test_a_title_may_differ_a_little_from_the_contents() -> None:
    contents = "Contents\n\n" + "\n".join(LISTED).replace("max-age", "max-ages, all").replace(
        "Not", "No"
    )
    assert keys(TITLED.format(contents=contents)) == FOUND


def test_contents_that_the_body_does_not_have_are_no_witness() -> None:
    contents = "Contents\n\n1 One ..... 1\n2 Two ..... 2\n3 Three ..... 3\n4 Four ..... 4\n"
    text = f"{contents}\n1. Scope\n\nIt is.\n\n1.1 Terms\n\nThey are.\n\n2. End\n\nIt ends.\n\n2.1 Last\n\nIt is.\n"
    assert keys(text) == ["sec_1", "sec_1_1", "sec_2", "sec_2_1"]


def test_comments_and_rules_of_plain_text_are_no_headings_of_markdown() -> None:
    contents = "Contents\n\n" + "\n".join(LISTED)
    noise = "   It is so.\n\n   # a comment\n   x = 1\n\n   Fields\n   ------\n\n   ```\n   open\n"
    assert keys(TITLED.format(contents=contents).replace("   It is so.\n", noise)) == FOUND


def test_headings_of_markdown_stay_where_the_contents_list_them() -> None:
    contents = "\n".join(f"- [{one}](#there)" for one in LISTED)
    body = "".join(f"## {one}\n\nText.\n\n" for one in LISTED)
    marks = find_nesting(f"# A\n\n## Contents\n\n{contents}\n\n{body}").headings
    assert [mark.title for mark in marks] == ["A", "Contents", *LISTED]


def test_a_title_that_wraps_is_whole_without_contents_too() -> None:
    text = (
        "1.  Introduction\n\n    It is.\n\n1.1.  Changes to Simplify Multi-homed Web Servers and Conserve IP\n"
        "      Addresses\n\n    They are.\n\n2.  End\n\n    It ends.\n\n2.1.  Last\n\n    It is.\n"
    )
    marks = find_nesting(text).headings
    assert marks[1].title.endswith("Conserve IP Addresses")


@pytest.mark.parametrize("title", ["max-age", "404 Not Found", "http URL", "100-continue"])
def test_an_unlikely_title_counts_only_as_the_next_of_its_siblings(title: str) -> None:
    text = "1. A\n\n  Text.\n\n1.1 First\n\n  Text.\n\n{}\n\n  Text.\n\n2. B\n\n  Text.\n\n2.1 Last\n\n  Text.\n"
    around = ["sec_1", "sec_1_1", "sec_2", "sec_2_1"]
    assert keys(text.format(f"1.2 {title}")) == [*around[:2], "sec_1_2", *around[2:]]
    for other in (f"1.3 {title}", f"   1.2 {title}", f"Text:\n1.2 {title}", f"1.2 {title} is."):
        assert keys(text.format(other)) == around


HOSTILE = {
    "leaders": "1. A .... 1\n" * 100_000,
    "one number": "Contents\n\n1 A\n2 B\n3 C\n\n" + "1 A\n\n" * 100_000,
    "titles": "Contents\n1 A\n2 B\n3 C\n" * 20_000,
    "labels": "Contents\n\n" + "".join(f"Chapter {n} A\n" for n in range(1, 9_999)) * 2,
    "twice": "".join(f"{n}. A .... {n % 99}\n" for n in range(1, 5_000)) * 2 + "1. A\n\n" * 9_000,
    "dots": "." * 2_000_000,
    "lines of dots": ("." * 399 + "x\n") * 5_000,
    "wrapped": "Contents\n\n1 A\n" + "   goes on\n" * 200_000,
    "lists": "1. A\n\n2. B\n\n" * 20_000 + "1.1 C\n\n2.1 D\n",
    "anchors": "# A\n\n" + "[[a]]\n" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_no_longer_than_other_text(name: str) -> None:
    began = time.process_time()
    understand(Document("a", "a", HOSTILE[name]))
    assert time.process_time() - began < 10


def test_a_division_with_a_name_for_its_number_is_read_beside_a_table_of_contents() -> None:
    text = "\n".join(
        [
            "Table of Contents",
            "",
            "Part I ......... 1",
            "1. Berths ......... 2",
            "2. Fees ......... 3",
            "3. Repairs ......... 4",
            "",
            "Part General",
            "",
            *(f"{number}. {title}\n\nThe keeper of the harbour sees to it.\n" for number, title in
              enumerate(("Berths", "Fees", "Repairs"), 1)),
        ]
    )  # fmt: skip
    document = understand(Document("harbour.txt", "Harbour", text, plain_text=True))
    assert [one.title for one in document.sections][-3:] == ["1. Berths", "2. Fees", "3. Repairs"]


def manual(contents: str, *, preface: bool, label: str = "Chapter") -> str:
    """A manual whose preface has numbers of its own, as its chapters have, and whose table lists both without pages."""
    words = "The keeper of the harbour writes down what was seen and done, and signs it."
    listed = [
        "    1. Thanks",
        "    2. How to read this",
        "        2.1. Signs",
        "        2.2. Names",
    ]
    lines = [contents, "", *(["Preface", *listed] if preface else [])]
    body = ["Preface", *(one.strip() for one in listed)] if preface else []
    for chapter, title in enumerate(("Berths", "Fees", "Repairs"), 1):
        lines.append(f"{chapter}. {title}")
        body.append(f"{label}\xa0{chapter}.\xa0{title}")
        for part, name in enumerate(("Of boats", "Of ships"), 1):
            lines.append(f"    {chapter}.{part}. {name}")
            body.append(f"{chapter}.{part}. {name}")
    return "\n".join(["Harbour manual", "", *lines, "", *(f"{one}\n\n{words}\n" for one in body)])


def chains_of(text: str) -> list[str]:
    document = understand(Document("harbour.txt", "Harbour", text, plain_text=True))
    return [
        " > ".join((*(above.title for above in around), one.title))
        for one, around in walk(document.sections)
    ]


def walk(
    sections: Sequence[Section], around: tuple[Section, ...] = ()
) -> Iterator[tuple[Section, tuple[Section, ...]]]:
    for one in sections:
        yield one, around
        yield from walk(one.children, (*around, one))


def test_chapters_are_listed_behind_a_preface_with_numbers_of_its_own() -> None:
    chains = chains_of(manual("Table of Contents", preface=True))
    assert "Chapter 1. Berths > 1.2. Of ships" in chains
    assert "Chapter 3. Repairs > 3.1. Of boats" in chains
    assert "2. How to read this > 2.2. Names" in chains


@pytest.mark.parametrize(
    "contents",
    [
        "Tabla de contenidos",
        "Indholdsfortegnelse",
        "Obsah",
        "Mục lục",
        "Πίνακας Περιεχομένων",
        "目次",
    ],
)
def test_a_table_of_contents_is_called_in_many_languages(contents: str) -> None:
    chains = chains_of(manual(contents, preface=False))
    assert chains.count("Chapter 2. Fees > 2.1. Of boats") == 1
    assert len([one for one in chains if one.endswith("2.1. Of boats")]) == 1


def test_a_body_that_begins_further_out_than_its_table_does_not_go_on_with_it() -> None:
    listed = ["    1. Berths", "    2. Fees", "    3. Repairs"]
    body = [f"{one.strip()}\n\nThe keeper sees to it, as was agreed.\n" for one in listed]
    text = "\n".join(["Harbour manual", "", "Table of Contents", "", *listed, "", "", *body])
    assert chains_of(text)[-3:] == ["1. Berths", "2. Fees", "3. Repairs"]
