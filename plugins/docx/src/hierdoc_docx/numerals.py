"""How a number is written in the formats that Word numbers paragraphs in; those not named here are written as decimal digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping

_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_LARGEST_ROMAN = 3999
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщыэюя"
_LARGEST_LETTERS = 780
"""Beyond it, Word begins anew."""

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_CHINESE = "〇一二三四五六七八九"


def numeral(number: int, style: str) -> str:
    """A number in a format, by Word's name of it: `decimal`, `lowerRoman`, `ordinalText`; "" in `none` and `bullet`."""
    write = _FORMATS.get(style, str)
    return write(number) if number > 0 or write is str else str(number)


def _roman(number: int) -> str:
    if number > _LARGEST_ROMAN:
        return str(number)
    roman = ""
    for value, letters in _ROMAN:
        roman += number // value * letters
        number %= value
    return roman


def _letters(alphabet: str) -> Callable[[int], str]:
    """Letters as Word counts with them: `z` is followed by `aa`, `bb`."""

    def write(number: int) -> str:
        rounds, place = divmod((number - 1) % _LARGEST_LETTERS, len(alphabet))
        return alphabet[place] * (rounds + 1)

    return write


def _words(number: int) -> str:
    if number >= 100:
        return str(number)
    if number < len(_ONES):
        return _ONES[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")


def _ordinal_words(number: int) -> str:
    words = _words(number)
    if words.isdigit():
        return _ordinal(number)
    head, dash, last = words.rpartition("-")
    ordinal = _ORDINALS.get(last) or (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")
    return head + dash + ordinal


def _ordinal(number: int) -> str:
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else suffix}"


def _chinese(number: int) -> str:
    if number >= 100:
        return "".join(_CHINESE[int(digit)] for digit in str(number))
    tens, ones = divmod(number, 10)
    if not tens:
        return _CHINESE[ones]
    return (_CHINESE[tens] if tens > 1 else "") + "十" + (_CHINESE[ones] if ones else "")


def _nothing(_: int) -> str:
    return ""


def _capital(write: Callable[[int], str]) -> Callable[[int], str]:
    return lambda number: write(number).upper()


def _sentence(write: Callable[[int], str]) -> Callable[[int], str]:
    return lambda number: write(number).capitalize()


_FORMATS: Mapping[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda number: f"{number:02}",
    "lowerRoman": _roman,
    "upperRoman": _capital(_roman),
    "lowerLetter": _letters(_LATIN),
    "upperLetter": _capital(_letters(_LATIN)),
    "russianLower": _letters(_RUSSIAN),
    "russianUpper": _capital(_letters(_RUSSIAN)),
    "ordinal": _ordinal,
    "cardinalText": _sentence(_words),
    "ordinalText": _sentence(_ordinal_words),
    **dict.fromkeys(
        (
            *("chineseCounting", "chineseCountingThousand", "japaneseCounting"),
            *("ideographDigital", "taiwaneseCounting", "taiwaneseCountingThousand"),
        ),
        _chinese,
    ),
    **dict.fromkeys(("none", "bullet"), _nothing),
}
