"""How words are folded and stemmed, by language, for `hierdoc.text.analysis`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache

import Stemmer

from hierdoc.text.stop_words import HOMOGRAPHS, STOP_WORDS

UNSTEMMED = "none"
DEFAULT = "en"  # for documents whose language is not known: short ones and technical ones, mostly

SNOWBALL = {
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
}
_SAME_AS = {"nb": "no", "nn": "no"}


_ACCENTS = re.compile(
    "(?<![иИуУ])\u0306|(?<![іІ])\u0308|[\u0300-\u0305\u0307\u0309-\u036f\u0591-\u05c7\u064b-\u065f]"
)
_UNMARKED = str.maketrans(
    {
        "ø": "o",
        "Ø": "O",
        "æ": "ae",
        "Æ": "Ae",
        "œ": "oe",
        "Œ": "Oe",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
    }
    | {"ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i"}
)


def fold(word: str) -> str:
    """Without accents, umlauts and vowel points; й, ў and ї are letters of their own and stay."""
    if word.isascii():
        return word
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", bare).translate(_UNMARKED)


_ENDINGS = {  # as folded -> as the stemmer knows them
    "es": {"cion": "ción", "sion": "sión"},
    "fr": {"ee": "e", "ees": "es", "iere": "ière", "ieres": "ières"},
    "it": {f"{stem}ita": f"{stem}ità" for stem in ("abil", "ibil", "al", "iv", "os", "ar", "id")},
    "pt": {
        "cao": "ção",
        "coes": "ções",
        "sao": "são",
        "soes": "sões",
        "avel": "ável",
        "ivel": "ível",
    }
    | {"aveis": "áveis", "iveis": "íveis", "ancia": "ância", "encia": "ência"},
    "ro": {
        f"{vowel}t{ending}": f"{vowel}ț{ending}"
        for vowel in "aiu"
        for ending in ("ia", "ie", "iei", "ii", "iile", "iilor", "iune", "iunea", "iuni", "iunii")
    },
}


def stemmer(variant: str) -> Callable[[str], str]:
    """Stems folded words of letters and leaves everything else as it is.

    Folding comes first, so that an accent left out makes no difference; where a stemmer knows a frequent ending only with
    its accents, they are put back for it, and taken off again.
    """
    if variant == UNSTEMMED:
        return lambda word: word
    snowball = Stemmer.Stemmer(SNOWBALL[variant], 0).stemWord
    endings = _ENDINGS.get(variant)
    if endings is None:
        return lambda word: (fold(snowball(word)) or word) if word.isalpha() else word
    ending = re.compile(f"(?:{'|'.join(endings)})$")

    def stem(word: str) -> str:
        if not word.isalpha():
            return word
        return fold(snowball(ending.sub(lambda found: endings[found[0]], word))) or word

    return stem


@lru_cache(maxsize=256)
def language_code(language: str | None) -> str:
    """The language to stem by; "none" for one that has no stemmer here."""
    if language is None:
        return DEFAULT
    code = language.replace("_", "-").partition("-")[0].lower()
    code = _SAME_AS.get(code, code)
    return code if code in SNOWBALL else UNSTEMMED


@cache
def stop_words(codes: tuple[str, ...]) -> frozenset[str]:
    """Folded words that a query in these languages does without; of several languages not those that mean something in one."""
    lists = [STOP_WORDS[code].split() for code in codes if code in STOP_WORDS]
    kept = set(HOMOGRAPHS.split()) if len(lists) > 1 else set()
    return frozenset(folded for words in lists for folded in map(fold, words) if folded not in kept)
