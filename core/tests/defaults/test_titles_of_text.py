"""What a plain text is called: by its file where that says something, else by what it opens with."""

from __future__ import annotations

import asyncio

import pytest

from hierdoc import Source
from hierdoc.defaults.converters import TextConverter
from hierdoc.plugin import find_plain_title


def title(text: str, name: str = "act.txt") -> str:
    return asyncio.run(TextConverter().convert(Source(name, text.encode()))).title


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gesetz über Seilbahnen (SeilbG)\n\nvom 3. Mai 2011\n", "Gesetz über Seilbahnen (SeilbG)"),
        ("     THE FERRIES\n    (SAFETY) ACT\n\nBe it enacted.\n", "THE FERRIES (SAFETY) ACT"),
        (
            "Working Group          A. Keeper\n\n     The Lamp Protocol\n\nText.\n",
            "The Lamp Protocol",
        ),
        ("渡船条例\n\n第1条 渡船について定める。\n", "渡船条例"),
        ("注意\n\n第1条 渡船について定める。\n", "act"),
        ("Text\n\nThe fee is due.\n", "act"),
        ("Section 5. Fees\n\nThe fee is due.\n", "act"),
        ("The fee is due within ten days.\n\nIt is small.\n", "act"),
    ],
)
def test_a_text_is_called_by_the_title_that_it_opens_with(text: str, expected: str) -> None:
    assert title(text) == expected


def test_a_file_whose_name_says_what_it_is_keeps_it() -> None:
    text = "SUPPLY AGREEMENT\n\nThis is an agreement.\n"
    assert title(text, "Blue Harbour supply agreement.txt") == "Blue Harbour supply agreement"


@pytest.mark.parametrize("text", ["", " \n\n ", "\x0c"])
def test_a_text_without_words_is_called_by_its_name(text: str) -> None:
    assert find_plain_title(text, "lamps.txt") == "lamps"
