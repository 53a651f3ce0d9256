"""Which 8-bit encoding a text is in: told by how often each language has its letters, and where in words they stand.

In Windows-1251 `статья` is six letters of Russian; read as Windows-1252 it is `ñòàòüÿ`, which no language writes. Windows-1252 counts unless
another encoding explains the bytes much better, so a few of them never decide. To teach a language, add a line to `_LANGUAGES`.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import cache

from hierdoc.text.words import words

DEFAULT = "cp1252"


def eight_bit_encoding(data: bytes) -> str:
    """The encoding of a text that is neither UTF-8 nor UTF-16, as Python calls it.

    Args:
        data: The text; its beginning decides.
    """
    sample = b" " + data[:_SAMPLE] + b" "
    seen = Counter(
        around for around in zip(sample, sample[1:], sample[2:], strict=False) if around[1] > 127
    )
    count = seen.total()
    best, likeliest = DEFAULT, _likelihood(seen, DEFAULT) + _SURENESS + _SURENESS_EACH * count
    for encoding in _ENCODINGS:
        likelihood = _likelihood(seen, encoding) - _SELDOM * count * (encoding in _OLD)
        if encoding != DEFAULT and likelihood > likeliest:
            best, likeliest = encoding, likelihood
    return best


def _likelihood(seen: Counter[tuple[int, int, int]], encoding: str) -> float:
    """How likely bytes are that stand beside others, as the logarithm of a probability: in the likeliest of the languages."""
    decoded = _characters(encoding)
    places: Counter[tuple[str, str, str]] = Counter()
    for (before, byte, behind), times in seen.items():
        places[decoded[before], decoded[byte], decoded[behind]] += times
    rarity = {place: _rarity_of_place(*place) for place in places}
    shared = sum(rarity[place] * times for place, times in places.items())
    letters: Counter[str] = Counter()
    for place, times in places.items():
        if place[1].isalpha():
            letters[place[1].lower()] += times
    languages = _ENCODINGS[encoding]
    return shared + max(
        (
            sum(times * language.get(letter, _FOREIGN) for letter, times in letters.items())
            for language in map(_letters_of, languages)
        ),
        default=0.0,
    )


def _rarity_of_place(before: str, char: str, behind: str) -> float:
    """How seldom such a character stands between these two, whatever the language."""
    if not char.isalpha():
        return _rarity_of_sign(before, char, behind)
    breaks = before.islower() if char.isupper() else before.isupper() and behind.isupper()
    rarity = _CAPITAL_WITHIN if breaks else 0.0
    beside = [one for one in (before, behind) if one.isalpha()]
    if _is_of_own_script(char):
        return rarity + _MIXED * sum(not _is_of_own_script(one) for one in beside)
    if not beside:
        return rarity + (_LIKELY if char in _WORDS_ALONE else _ALONE)
    return rarity + _BESIDE * sum(one > "\x7f" for one in beside) / 2


def _rarity_of_sign(before: str, char: str, behind: str) -> float:
    """How seldom a sign stands between these two: within a word hardly ever, before and behind one only some do."""
    if char == "\xa0" or (char in _APOSTROPHES and before.isalpha() and behind.isalpha()):
        return _LIKELY
    opens = not before.isalpha() and (not behind.isalpha() or char in _OPENING)
    closes = not behind.isalpha() and (not before.isalpha() or char in _CLOSING)
    if char not in _SIGNS or not (opens or closes):
        return _IMPOSSIBLE
    return _LIKELY if char in _COMMON_SIGNS else _SIGN


def _is_of_own_script(char: str) -> bool:
    """Whether a letter is Greek or Cyrillic: words are of one script, while letters with accents stand among others."""
    return "\u0370" <= char <= "\u052f"


@cache
def _letters_of(language: str) -> dict[str, float]:
    """The logarithm of the probability of each letter beyond ASCII."""
    letters = _LANGUAGES[language]
    steep = max(_STEEPEST, len(letters) / _STEEPNESS)
    weights = [math.exp(-rank / steep) for rank in range(len(letters))]
    whole = sum(weights)
    return {
        letter: math.log(weight / whole) for letter, weight in zip(letters, weights, strict=True)
    }


@cache
def _characters(encoding: str) -> tuple[str, ...]:
    return tuple(bytes([byte]).decode(encoding, "replace") for byte in range(256))


_SAMPLE = 100_000
"""Bytes that are looked at."""

_SURENESS, _SURENESS_EACH = 6.0, 0.25
"""How much likelier than the default another encoding must be, and by how much more for each byte."""

_SELDOM = 0.25
"""By how much likelier, for each byte, an encoding must be that hardly anybody uses any more."""

_OLD = words("cp850 cp852 cp737")
_FOREIGN = math.log(0.0005)
_LIKELY, _SIGN, _IMPOSSIBLE = math.log(0.3), math.log(0.05), math.log(0.00005)
_CAPITAL_WITHIN, _MIXED, _BESIDE, _ALONE = (
    math.log(0.01),
    math.log(0.02),
    math.log(0.03),
    math.log(0.005),
)
_STEEPEST, _STEEPNESS = 1.5, 3.6
_WORDS_ALONE = frozenset("àèéóòÀÈÉÓÒ")
_APOSTROPHES = "’'\xad"
_OPENING, _CLOSING = frozenset("“‘„‚‹«»›¿¡£€¥\xa0№•§"), frozenset("”’“‘»«›‹…°™®©ºª¹²³–—\xa0•")
_COMMON_SIGNS = frozenset("“”‘’„«»–—…•§°©№€£\xa0\xad")
_SIGNS = frozenset("“”‘’„‚‹›«»–—…•·§¶°©®™€£¥¢½¼¾±×÷µªº№¹²³¿¡¬\xa0\xad─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬█▀▄■")

_LANGUAGES: dict[str, str] = {
    "ru": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
    "uk": "оаинівтерслкдупмяьгйзбчхцєжїюшщфґ",
    "bg": "аоиетнрсвлкдпмзябъугчцжйщшхфюь",
    "be": "аыніертсолкдяпмувйзцьўгбхчжшюэёф",
    "sr": "аоиенсртјвукдмлпгзбцчћшжњљхђфџ",
    "mk": "аоеинтрсвдклпмујгзбчцшжњќхфљѓџѕ",
    "el": "αοιετνσρκπςμληυίόάέγδήθύχωφώξβζψϊΐϋΰ",
    "pl": "łęąóśżćńź",
    "cs": "íáéěřýčžšůúťóďň",
    "sk": "áíéúýčžšťľóôňäďĺŕ",
    "hu": "áéöóőíüúű",
    "ro": "ăîâşţ",
    "sl": "čšž",
    "hr": "čšžćđ",
    "sq": "ëç",
    "tr": "ıüşçğöâî",
    "lt": "ėšųžįčąūę",
    "lv": "āīēšūņģļžķč",
    "et": "äõüöšž",
    "de": "üäöß",
    "fr": "éèàêçùîôûâëïœüÿ",
    "es": "óíáéñúüª",
    "pt": "ãçáéóêíõúâàôü",
    "it": "àèìòùéî",
    "ca": "óàèéíòúçïü",
    "nl": "ëéïèöüá",
    "sv": "äåöéü",
    "da": "øåæé",
    "is": "áíðþéóöúæý",
    "ga": "áíéóú",
    "cy": "âîêôûïáëö",
    "mixed": "éüáäóöèíàãçñúåøêôâæîßëòùõïìûðþýœšžÿ",
}
"""Letters beyond ASCII, in small, from the commonest on; `mixed` for names and passages of several languages of the West."""

_CYRILLIC = ("ru", "uk", "bg", "be", "sr", "mk")
_CENTRAL = ("pl", "cs", "sk", "hu", "ro", "sl", "hr", "de")
_WESTERN = ("de", "fr", "es", "pt", "it", "ca", "nl", "sv", "da", "is", "ga", "cy", "sq", "et")
_ENCODINGS: dict[str, tuple[str, ...]] = {
    DEFAULT: (*_WESTERN, "mixed"),
    "cp1251": _CYRILLIC,
    "koi8_u": _CYRILLIC,
    "iso8859_5": _CYRILLIC,
    "cp866": _CYRILLIC,
    "cp1253": ("el",),
    "iso8859_7": ("el",),
    "cp737": ("el",),
    "cp1250": _CENTRAL,
    "iso8859_2": _CENTRAL,
    "cp852": _CENTRAL,
    "cp1254": ("tr",),
    "cp1257": ("lt", "lv", "et"),
    "cp850": _WESTERN,
}
"""Encodings, each with the languages that are written in it, the commoner first: of two that explain a text alike the first counts."""
