"""Chapters that begin with a list of their own sections: the list makes no sections, and what is below it does."""

from __future__ import annotations

import pytest

from hierdoc.models import Document
from hierdoc.structure import document_tree, flatten

CHAPTERS = {"Boats": ("Kinds", "Sizes", "Names"), "Berths": ("Places", "Fees")}
TEXT = (
    "The rule applies to all boats in the harbour, whoever owns them and wherever they come from."
)


def sections(text: str, *, plain: bool = True) -> dict[str | None, str]:
    """The text of each section by its key."""
    document = Document("a.txt", "a", text, plain_text=plain)
    flat = [one.section for one in flatten(document_tree(document))]
    assert len({one.key for one in flat}) == len(flat)
    return {one.key: text[one.char_start : one.char_end] for one in flat}


def made(chapter: str, entry: str, section: str, between: str = "\n", lead: str = "") -> str:
    """An act of two chapters, each with a list of its sections."""
    parts, before = [], 0
    for number, (name, titles) in enumerate(CHAPTERS.items(), 1):
        named = [
            {"c": number, "s": place, "n": before + place, "title": title}
            for place, title in enumerate(titles, 1)
        ]
        before += len(titles)
        parts.append(chapter.format(c=number, name=name))
        parts.append(lead + between.join(entry.format(**one) for one in named))
        parts += [f"{section.format(**one)}{TEXT}" for one in named]
    return "HARBOUR RULES\n\n" + "\n\n".join(parts) + "\n"


@pytest.mark.parametrize("between", ["\n", "\n\n"])
@pytest.mark.parametrize(
    ("chapter", "entry", "section", "keys"),
    [
        ("Chapter {c}. {name}", "Section {n}. {title}", "Section {n}. {title}\n\n", ["sec_1", "sec_5"]),
        ("Chapter {c}. {name}", "§ {n}. {title}", "§ {n}. {title}\n\n", ["sec_1", "sec_5"]),
        ("CHAPTER {c}\n{name}", "{c}-{s}. {title}.", "{c}-{s}. {title}. ", ["sec_1-1", "sec_2-2"]),
        ("{c}. {name}", "{c}.{s} {title}", "{c}.{s} {title}\n\n", ["sec_1_1", "sec_2_2"]),
        ("PART {c}\n{name}", "{n} {title} ......... {n}", "{n} {title}\n\n", ["sec_1", "sec_5"]),
    ],
)  # fmt: skip
def test_a_list_below_a_chapter_makes_no_sections(
    chapter: str, entry: str, section: str, keys: list[str], between: str
) -> None:
    found = sections(made(chapter, entry, section, between))
    assert len([one for one in found if one]) == 7
    for key in keys:
        assert TEXT in found[key]


def test_a_list_below_headings_of_markdown() -> None:
    text = made("## {c}. {name}", "{c}.{s} {title}", "### {c}.{s} {title}\n\n", lead="In here:\n\n")
    found = sections(f"# {text}", plain=False)
    assert len([one for one in found if one]) == 7
    assert TEXT in found["sec_2_2"]


def test_sections_without_text_that_do_not_come_again_stay() -> None:
    repealed = "Chapter 1. Boats\n\nSection 1. Kinds (repealed)\n\nSection 2. Sizes (repealed)\n\nSection 3. Names\n\n"
    assert list(sections(f"HARBOUR ACT\n\n{repealed}{TEXT}\n")) == [
        "ch_1", "sec_1", "sec_2", "sec_3",
    ]  # fmt: skip


def test_sections_that_begin_anew_in_the_next_chapter_stay() -> None:
    chapter = (
        "Chapter {}. Boats\n\nSection 1. Kinds\n\nSection 2. Sizes\n\nSection 3. Names\n\n{}\n\n"
    )
    text = f"HARBOUR ACT\n\n{chapter.format(1, TEXT)}{chapter.format(2, TEXT)}"
    document = Document("a.txt", "a", text, plain_text=True)
    keys = [one.section.key for one in flatten(document_tree(document))]
    assert keys.count("sec_1") == keys.count("sec_3") == 2
