"""Words, sentences and tokens, as far as that goes without a vocabulary: cheap and deterministic."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from itertools import chain

from hierdoc.text.words import words

_PUNCTUATION = string.punctuation.encode()
_LETTERS = string.ascii_letters.encode()
_SPACE = string.whitespace.encode()
_DIGITS = string.digits.encode()
_COMMON_WORDS = (" the ", " of ", " and ", " to ")
"""The commonest words of English, by which it is told from what vocabularies cut into pieces."""

_PER_LETTER = 41
"""Hundredths of a token that a letter counts, at most."""

_PER_ENGLISH_LETTER = 24
"""And at least."""

_PER_COMMON_WORD = 480
"""Hundredths of a token that each of these words takes from the letters around."""

_PER_DIGIT, _PER_OTHER_BYTE = 90, 50


SMALLEST_LIMIT = 8
"""Tokens that a piece of a text may have at least; less does not hold a few characters of any script."""


def estimate_tokens(text: str) -> int:
    """How many tokens a subword tokenizer makes of a text, rather too many than too few.

    One per punctuation mark, 0.9 per digit, half of one per UTF-8 byte outside ASCII, and 0.41 per letter, from which each of
    the commonest English words takes 4.8 tokens, down to 0.24 per letter: the vocabularies in use hold most English
    words whole and cut those of other languages, identifiers and hexadecimal data into pieces. Fitted to the WordPiece
    tokenizer of MiniLM on statutes, German law, technical markdown and code, where 1 % of texts have more
    tokens than estimated; for cl100k it is higher still on most texts.

    The estimate of a text is at most the sum of the estimates of its parts.
    """
    weights, letters = _weighed(text)
    if not letters:
        return -(-weights // 100)
    spelled = _PER_LETTER * letters - _PER_COMMON_WORD * _common_words(text)
    return -(-(weights + max(_PER_ENGLISH_LETTER * letters, spelled)) // 100)


def fits(text: str, limit: int) -> bool:
    """Whether a text has at most `limit` tokens by estimate; bounds that cost less are tried first."""
    if len(text) * 2 <= limit or (len(text) <= limit and text.isascii()):
        return True
    weights, letters = _weighed(text)
    rest = 100 * limit - weights
    if _PER_LETTER * letters <= rest:
        return True
    if _PER_ENGLISH_LETTER * letters > rest:
        return False
    return _PER_LETTER * letters - _PER_COMMON_WORD * _common_words(text) <= rest


def detect_language(text: str) -> str | None:
    """The language, as its ISO 639-1 code, by its commonest words; None where that is not clear.

    Knows Czech, Danish, Dutch, English, Finnish, French, German, Hungarian, Italian, Norwegian, Polish, Portuguese, Romanian,
    Russian, Slovak, Spanish and Swedish. Reads samples of a long text, from its beginning, middle and end.
    """
    glance = _sample(text, _GLANCE).lower().split()
    return _clearest(glance, _ENOUGH_HITS, _ENOUGH_LEAD) or _clearest(
        _WORD.findall(_sample(text, _SAMPLE).lower()), _FEWEST_HITS, _LEAST_LEAD
    )


def sentence_ends(text: str, start: int = 0, end: int | None = None) -> list[int]:
    """Where sentences end, behind their closing punctuation and the white space after it.

    Full stops of abbreviations, initials, numbers and citations (`Sec. 5`, `42 U.S.C. 7401`, `z. B.`) end none; those
    of Chinese and Japanese need no white space.

    Args:
        text: Plain text or markdown.
        start: Where to begin.
        end: Where to stop; the end of the text by default.
    """
    end = len(text) if end is None else end
    ends = []
    for stop in _SENTENCE_END.finditer(text, start, end):
        if text[stop.start()] == "." and not _ends_sentence(
            text, max(start, stop.start() - 16), stop
        ):
            continue
        ends.append(stop.end())
    return ends


def _ends_sentence(text: str, low: int, stop: re.Match[str]) -> bool:
    """Whether the full stop at this place ends a sentence and no abbreviation."""
    following = text[stop.end() : stop.end() + 1]
    if following.islower() or following in ",;:)":
        return False
    before = text[low : stop.start()]
    word = before.rsplit(None, 1)[-1] if before and not before[-1].isspace() else ""
    word = word.lstrip("([{\"'“‘„«*_")
    if _INITIALS.fullmatch(word) or word.lower() in _ABBREVIATIONS:
        return False
    return not (word.isdigit() and len(word) <= 2 and _stands_first(text, low, before, word))


def _stands_first(text: str, low: int, before: str, word: str) -> bool:
    """Whether a word begins its line, as the number of a list item does."""
    ahead = before[: len(before) - len(word)]
    line = ahead.rpartition("\n")[2]
    return not line.strip(" \t*_>#-") and ("\n" in ahead or low == 0)


def _sample(text: str, size: int) -> str:
    if len(text) <= 3 * size:
        return text
    middle = len(text) // 2
    return "\n".join((text[:size], text[middle : middle + size], text[-size:]))


def _clearest(sample: Sequence[str], fewest: int, lead: float) -> str | None:
    """The language of most of these words, if it has so many and so many times those of the second."""
    counts = Counter(chain.from_iterable(filter(None, map(_LANGUAGES_OF.get, sample))))
    if not counts:
        return None
    second, most = sorted((0, *counts.values()))[-2:]
    clear = most >= fewest and most >= _LEAST_SHARE * len(sample) and most >= lead * second
    return max(counts, key=counts.__getitem__) if clear else None


def _weighed(text: str) -> tuple[int, int]:
    """Hundredths of a token that all but letters and white space count, and how many letters there are."""
    data = text.encode("utf-8", "surrogatepass")
    others = data.translate(None, _LETTERS)
    letters = len(data) - len(others)
    marks = others.translate(None, _SPACE)
    if not marks:
        return 0, letters
    without_digits = marks.translate(None, _DIGITS)
    strange = len(without_digits.translate(None, _PUNCTUATION))
    digits, punctuation = len(marks) - len(without_digits), len(without_digits) - strange
    return 100 * punctuation + _PER_DIGIT * digits + _PER_OTHER_BYTE * strange, letters


def _common_words(text: str) -> int:
    count = text.count
    return sum([count(word) for word in _COMMON_WORDS])


_SENTENCE_END = re.compile(
    r"[.!?…。！？](?:(?<=[.!?…])[\"'”’»)\]*_]{0,4}\s{1,8}|(?<=[。！？])[。！？]*[”’」』）]*\s*)"
)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_ABBREVIATIONS = words(
    "sec secs sect art arts ch chap cl para paras par subpara no nos nr abs buchst lit ziff vol pp p pt fig figs tab app",
    "appx ex exh cf al vs v e.g i.e viz etc inc ltd co corp bros llc jr sr dr mr mrs ms prof hon gen gov st rep sen u.s u.s.c",
    "c.f.r fed reg stat supp cir pub ed eds rev approx est dept div jan feb mar apr jun jul aug sept sep oct nov dec bzw",
    "ggf usw vgl z.b d.h u.a i.v.m v.m s.o s.u bgbl rn rz aufl hrsg ca inkl zzgl evtl sog bspw abb kap anm hs alt i.s.d",
    "op cit ibid n nn bl ff f resp env réf m mm mme cap artt núm pág sr sra dr dra bijv nl o.a t.ex bl.a m.m jfr jf f.eks",
)

_WORD = re.compile(r"[^\W\d_]{2,}")
_GLANCE, _SAMPLE = 500, 2_000
_FEWEST_HITS, _LEAST_SHARE, _LEAST_LEAD = 4, 0.08, 1.2
_ENOUGH_HITS, _ENOUGH_LEAD = 16, 2.0
"""What makes a second, longer look needless."""
_FUNCTION_WORDS = {
    "cs": "a v se na je že o s z do i to k ve pro za by ale si po jako podle od které který která jeho nebo při již být jsou může "
    "lze není až jen také tak této tohoto nad před mezi bez byl bylo budou",
    "da": "og i at det en er den til på som af de med der ikke et har om vi men han for hvad jeg fra eller også blev efter "
    "være kan skal ved hvis denne dette sig mellem uden bliver kun når",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass "
    "sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis durch soweit",
    "en": "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which "
    "one you were all there would their we when who will shall any such may if no has its been must should",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha si porque esta son "
    "entre cuando muy sin sobre también hasta hay donde desde todo nos durante ni contra otros ese eso ante ellos",
    "fi": "ja on ei että se hän oli ovat joka mutta kun niin tai kuin mukaan myös jos sen sekä mitä voi ole vain ennen jossa "
    "jonka ovat hänen siitä jotka tämä tämän olla kanssa siinä sitä sillä mikä jota ollut",
    "fr": "de la le et les des en un une du que est pour qui dans a par plus pas au sur ne se ce il sont avec ou son aux "
    "cette mais comme on tout nous sa d l elle été ces leur y sans être lui peut toute ainsi",
    "hu": "a az és hogy nem is egy ez vagy azt ha meg csak kell mint már még volt lehet el az ezt amely amelyet valamint szerint "
    "kell után között alapján esetén által illetve köteles azonban nincs lesz minden",
    "it": "di e il la che in a per è un del della non si una i le con da al dei nel sono come più o gli alla ha delle lo ma "
    "anche dal nella se su questo essere ed sua suo tra quando dalla degli ai",
    "nl": "de van het een en in is dat op te zijn met voor niet aan er om die ook als dan maar bij uit door naar worden heeft "
    "nog wordt over hij werd tot of deze kan geen wel was moet zal zo waar alle ze meer",
    "no": "og i det som en er på til av for at med de ikke den har om et fra men vi var jeg han seg ble eller også etter skal "
    "hva kan være når hvis mellom uten blir bare dette denne så nå noe hun mot enn",
    "pl": "w i na z do o się nie że jest to jak po przez lub oraz dla od który która które jego ich może być są przy pod tym tego ze jej "
    "tylko także jeżeli gdy albo za ma jako by co już czy oraz mogą",
    "pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao das tem à seu sua ou ser "
    "quando muito nos já está também só pelo pela até isso ela entre era depois sem",
    "ro": "de și în a la cu pe care nu din este un o se mai ce că să sunt prin pentru fi sau ca al după dar au lui ale acest "
    "această fost lor când între iar poate ei fără cele cel unei unui",
    "ru": "и в не на что с по как это он к из за у от для но так же все его то или бы о если при до их она когда мы вы я "
    "только был быть может который также",
    "sk": "a v sa na je že o s z do i to k vo pre za by ale si po ako podľa od ktoré ktorý ktorá jeho alebo pri už byť sú môže "
    "možno nie až len aj tak tejto tohto nad pred medzi bez bol bolo budú",
    "sv": "och i att det som en på är av för med den till inte om ett har de från men vi var jag han sig eller också efter "
    "ska skall kan vara när hur mellan utan blir bara detta denna så nu något hon mot än vid där",
}
_LANGUAGES_OF: dict[str, tuple[str, ...]] = {}
for _language, _words in _FUNCTION_WORDS.items():
    for _one in set(_words.split()):
        _LANGUAGES_OF[_one] = (*_LANGUAGES_OF.get(_one, ()), _language)
