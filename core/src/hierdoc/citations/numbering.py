"""Citations: found in text, and brought to one form, the key, by which they can be compared.

    Section 203(a)(1), Sec. 203 (a) (1)     sec_203_a_1
    § 4.2, "4.2 Scope" as a heading         sec_4_2
    Article IV, Art. 4, Artikel 4           art_4
    point (f) of Article 6(1)               art_6_1_f
    § 1 Abs. 2 Satz 1 Nr. 3                 sec_1_2_3
    Fourteenth Amendment                    amend_14
    12 U.S.C. 1841(a)                       sec_1841_a, of the work usc_12
    Directive 95/46/EC                      dir_95_46

A key is in lower case: a label, then the number of each level. Sentences (`Satz 1`) are not numbered in a text, so they
are no level of a key. Of a list or range (`199(1), (3) and (5) to (11)`) each number that is written becomes a citation;
the last of a range also says what lies inside. Citations within each other (`Article I, Section 2`) are found one by one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from hierdoc.citations.enclosed import enclosed_heading
from hierdoc.citations.grammar import (
    COLON_CODE,
    NUMBER_THEN_LABEL,
    Number,
    key_of,
    number_at,
    number_before,
    without_zeros,
)
from hierdoc.citations.reading import Citation, scan
from hierdoc.citations.vocabulary import (
    CAPITAL_ORDINALS,
    CASED,
    COUNTED,
    COUNTED_BEFORE,
    HEADING_LABELS,
    IDENTIFIERS,
    INWARD,
    LABELS,
    NOT_IDENTIFIERS,
    PARAGRAPHS,
    RESTARTING,
    WORDS,
    cardinal_value,
    ordinal_value,
)
from hierdoc.citations.work_names import work_key
from hierdoc.citations.works import KINDS, STANDARD_BEFORE, is_kind
from hierdoc.text.stemming import stop_words
from hierdoc.text.words import INITIAL

PARAGRAPH = "para"
"""The label of numbered paragraphs, as judgments and resolutions have them."""


def find_citations(text: str) -> list[Citation]:
    """All citations, in order, none within another. Time is linear in the length of the text."""
    return scan(text)[0]


def section_key(title: str) -> str | None:
    """The key of a numbered heading, None for another."""
    return split_heading(title)[0]


@lru_cache(maxsize=16_384)  # of a long code, too: each step asks for all its headings
def split_heading(title: str) -> tuple[str | None, str]:
    """The key of a heading and the text behind its number; None and the whole title where it has no number.

    `SEC. 203. REPORTS.` gives `sec_203` and `REPORTS.`; a number alone counts as a section's (`4.2 Scope`).
    """
    counted = _NUMBER_FIRST.match(title)
    before = number_before(counted) if counted else enclosed_heading(title.lstrip("#* \u3000"))
    if before:
        end = before.end if counted else len(title) - len(title.lstrip("#* \u3000")) + before.end
        return before.unit, title[end:].lstrip(_BETWEEN)
    labelled = _LABEL_AT_START.match(title)
    if labelled:
        prefix = _label_prefix(labelled[1], hyphen=labelled[2] == "-")
        parsed = number_at(title, labelled.end(), prefix) if prefix else None
        if prefix in COUNTED and not parsed:
            parsed = _counted_behind(title, labelled.end(), prefix)
        if parsed and prefix == "art" and (capitals := _CAPITALS_ALONE.match(title, parsed.end)):
            return f"{parsed.key}-{capitals[1].lower()}", ""
        if parsed:
            return parsed.key, title[parsed.end :].lstrip(_BETWEEN)
        ordinal = _ordinal_heading(title)
        if ordinal:
            return ordinal[0], title[ordinal[1] :].lstrip(_BETWEEN)
    bare = _BARE_NUMBER.match(title)
    if bare:
        labelled = _LABEL_AFTER_NUMBER.match(title)
        prefix = _label_prefix(labelled[2], hyphen=False) if labelled else None
        if labelled and prefix in COUNTED and labelled[2].lower() in COUNTED_BEFORE:
            return f"{prefix}_{labelled[1]}", title[labelled.end() :].lstrip(_BETWEEN)
        number = without_zeros(
            bare[1] or bare[2] or bare[3] or (bare[4] or bare[5] or bare[6]).lower()
        )
        return key_of(f"sec_{number.replace('.', '_').replace('–', '-')}"), title[
            bare.end() :
        ].lstrip(_BETWEEN)
    clause = _CLAUSE.match(title)
    value = ordinal_value(clause[1]) if clause else 0
    if clause and value:
        return f"cl_{value}", title[clause.end() :].lstrip(_BETWEEN)
    return None, title


def heading_key(title: str) -> str:
    """The form in which headings are compared: one case, one kind of quote, dash and space, no punctuation at the end."""
    if title.isascii():
        folded = title.lower()
    else:
        folded = unicodedata.normalize("NFKC", title).casefold().translate(_TYPOGRAPHY)
    return " ".join(folded.split()).lstrip("# ").rstrip(_TRAILING)


def without_gloss(name: str) -> str:
    """A heading's key without what explains it in brackets: `right to erasure` of `right to erasure ('right to be forgotten')`."""
    return _GLOSS.sub("", name) if name[-1:] == ")" else name


def find_query_citations(query: str) -> tuple[Citation, ...]:
    """The citations of a query, which may be written as people type them.

    One that is no more than a number, `4.2`, `1798.140(b)` or `v5.0.0-6.2.8`, cites a section; so does one of three levels behind an
    abbreviation, `NIST 5.1.1.2`, or one that begins a query that goes on with a name, `12-301 of the Beekeeping Code`.
    `fourth amendment` is the Fourth Amendment. A work may be named in whatever words, before the last citation or behind the first.
    """
    found = _cited(query)
    if all(_is_product(one) for one in found):
        codes = tuple(_codes(query))
        if {one.text for one in codes}.difference(one.text for one in found):
            return codes
    return _of_named_work(query, found)


def _is_product(one: Citation) -> bool:
    """Whether capitals and a number name what no label does: `PX-200`."""
    return one.key.partition("_")[0] not in (*LABELS, *IDENTIFIERS, *_DOCUMENT_LABELS, PARAGRAPH)


def _codes(query: str) -> Iterator[Citation]:
    """Codes that entries of lists and tables begin with, such as those of errors and parts: `E1042`, `error 4290`."""
    if len(query.split()) > _LONGEST_WORK:
        return
    for named in islice(_CODE.finditer(query), _MOST_CODES):
        code = named[1] or named[2]
        if re.split("[0-9-]", code)[0] not in NOT_IDENTIFIERS:
            key = f"{CODE}_{code.lower()}"
            yield Citation(code, key, key, *named.span(), is_guess=True)


CODE = "code"
"""The label of codes."""

_MOST_CODES = 3
_CODE = re.compile(
    r"(?<![\w.,/-])(?:([A-Z]{1,4}-?(?!(?:19|20)[0-9]{2}(?!\w))[0-9]{2,6}[A-Z]?)|(?i:error|fault|alarm|warning|code|fehler|erreur|errore)\s([A-Z]{0,3}-?[0-9]{2,6}))(?![\w/-]|[.,]\w)"
)
"""Capitals and a number of two digits and more, or a number behind a word for such codes."""


def _cited(query: str) -> tuple[Citation, ...]:
    bare = _BARE_QUERY.match(query)
    if bare:
        guessed = _MAY_BE_PART.match(query) is not None
        return tuple(replace(one, is_guess=guessed) for one in find_citations(f"Section {bare[1]}"))
    versioned = _VERSIONED.match(query)
    if versioned:
        cited = find_citations(f"Section {versioned[1]}")
        return tuple(
            [replace(one, text=query.strip(" .?"), start=0, end=len(query)) for one in cited]
        )
    code = _BARE_CODE.match(query)
    if code:
        return tuple(find_citations(f"Article {code[1]}"))
    if _LEADING_NUMBER.match(query):
        return tuple(_with_work(query, one) for one in _behind_label(query))
    if named := _GERMAN_PARAGRAPH.search(query) or _SHORT_SECTION.search(query):
        return tuple(_with_sign(query, named))
    capital = _TYPED_ORDINAL.sub(lambda found: found[0].title(), query)
    found = find_citations(capital)
    if capital != query:
        typed = find_citations(query)
        if len(_telling(_TYPED_ORDINAL.sub(" ", query))) > _MOST_BESIDES:
            return tuple(typed)
        known = {one.start for one in typed}
        found = [
            replace(one, text=query[one.start : one.end], is_guess=one.start not in known)
            for one in found
        ]
    found = [_of_standard(query, _with_level_before(query, one)) for one in found]
    headed = _written_as_heading(query, found)
    return headed or (*found, *_guessed(query, found), *([] if found else _of_series(query)))


def _with_level_before(query: str, one: Citation) -> Citation:
    """The citation, with the level that stands before it."""
    level = _LEVEL_BEFORE.search(query, 0, one.start)
    if level is None or one.inside:
        return one
    key = key_of(one.key, (level[1],))
    return replace(one, text=query[level.start() : one.end], key=key, start=level.start())


def _with_sign(query: str, named: re.Match[str]) -> Iterator[Citation]:
    """The citations of a query in which a word stands for the sign, `Paragraph 211 StGB`, `s 9(1) of the Boats Act`."""
    label = "Rule " if named[0][0] in "rR" else "§"
    behind = query[named.end() :].lstrip() if label[-1] == " " else query[named.end() :]
    shift = len(query) - len(behind) - named.start() - len(label)
    for one in find_citations(f"{query[: named.start()]}{label}{behind}"):
        start = one.start + (shift if one.start > named.start() else 0)
        end = one.end + (shift if one.end > named.start() else 0)
        yield replace(one, text=query[start:end], start=start, end=end)


def _of_named_work(query: str, found: tuple[Citation, ...]) -> tuple[Citation, ...]:
    """The citations with the work that the rest of the query names, where the grammar of texts found none."""
    places = [one for one in found if _is_place(one)]
    if any(one.work for one in found):
        return tuple(_with_number(query, one) for one in found)
    if not places or any(one.key.startswith(_WHOLE) for one in found):
        return found
    first, last = min(one.start for one in places), max(one.end for one in places)
    before, behind = query[:first], query[last:]
    led = _LED.match(behind)
    if led or not before.strip():
        name = _NAME_ENDS.split(behind[led.end() if led else 0 :].lstrip(" ,"))[0]
    elif not behind.strip(_BETWEEN + "?!"):
        name = before
    else:
        return found
    name = name.strip(_BETWEEN + "?!(")
    if not _is_written_as_name(name):
        return found
    work = work_key(name)
    return tuple(replace(one, work=work) if _is_place(one) else one for one in found)


def _with_number(query: str, one: Citation) -> Citation:
    """The citation, with the number with which the name of its work goes on: `the Dock Protocol`, `Version 2`."""
    more = _NUMBER_GOES_ON.match(query, one.end) if one.work else None
    if not more or one.key.startswith(_WHOLE) or one.work.startswith(_WHOLE):
        return one
    work = work_key(f"{one.work} {more[0]}")
    return replace(one, text=query[one.start : more.end()], end=more.end(), work=work)


_NUMBER_GOES_ON = re.compile(
    r"\s(?:for|on)\s(?:the\s)?[A-Z][^,;:?!()]*"
    r"|(?:[/-][A-Z][\w/-]*)?(?:\s(?:[Vv]ersion|[Nn]o\.?|[Nn]r\.?|№|v\.?|[Rr]evision|[Ee]dition|[Ii]ssue))?[\s/]?[0-9](?:[\w./:-]*\w)?(?!\w|\s(?:%|\())"
)


def _is_place(one: Citation) -> bool:
    """Whether a citation is of a part, and not of a whole document."""
    label = one.key.partition("_")[0]
    return (label in LABELS and label not in IDENTIFIERS) or label == PARAGRAPH


_DOCUMENT_LABELS = ("dir", "dec", "usc", "cfr", "publ")
_WHOLE = tuple(f"{label}_" for label in (*IDENTIFIERS, *_DOCUMENT_LABELS))
"""What the keys of whole documents begin with, which say themselves what they hold."""


def _is_written_as_name(name: str) -> bool:
    """Whether words beside a citation name a work: one says of what kind it is, or it has a number of its own."""
    parts = _NAME_WORD.findall(name)
    if not 0 < len(parts) <= _LONGEST_WORK or _ASKS.search(name):
        return False
    kinds = [is_kind(part) for part in parts]
    designated = any(char.isdigit() for char in name) and any(part[0].isupper() for part in parts)
    return designated or (any(kinds) and (len(parts) > 1 or parts[0].casefold() not in KINDS))


_NAME_WORD = re.compile(r"[^\W_](?:[\w’'&/.:-]*\w)?")
_LED = re.compile(rf",?\s(?:{INWARD}|from|den|zum|zur|от|на|του|της|w|z)\s(?:the\s|τ\w+\s)?")
"""Words that lead from a citation to the name of its work."""

_NAME_ENDS = re.compile(
    r"[,;:?!](?=\s|\Z)|(?<![0-9])\.(?=\s[A-Z]|\s*\Z)"
    r"|\s(?:with|between|among|zwischen|mit|entre|avec|tra|fra|tussen|mellan|mellem)\s(?=\S+\s?[A-Z]|[A-Z])"
    r"|\s(?:says?|said|means?|appl(?:y|ies)|requires?|covers?|provides?|deals?|allows?|permits?|prohibits?|regelt|sagt|gilt|bestimmt|lautet|verlangt|erlaubt"
    r"|dit|prévoit|dispose|exige|dice|establece|regula|prevé|stabilisce|prevede|diz|estabelece|zegt|bepaalt)\b"
)
"""Where the name of a work ends behind a citation: at a pause, a party to it, or a verb with which a question goes on."""

_ASKS = re.compile(
    r"\b(?:what|which|where|when|who|why|how|does|is|are|can|must|shall|show|find|explain|tell|see|per|was|wie|wo|wer|wann|welche[rsmn]?|gilt|nach|gemäß|siehe|zeige"
    r"|que|quoi|quel(?:le)?s?|comment|où|selon|voir|dit|qué|cuál|cómo|dónde|según|che|cosa|quale|secondo)\b",
    re.IGNORECASE,
)
"""Words of a question, or of a sentence that leads to a citation."""


def _behind_label(query: str) -> Iterator[Citation]:
    """The citations of a query that begins with the number of a section."""
    label = "Section "
    for one in find_citations(label + query):
        start, end = max(0, one.start - len(label)), one.end - len(label)
        yield replace(one, text=query[start:end], start=start, end=end)


def _with_work(query: str, one: Citation) -> Citation:
    """The citation, with the work that is named behind it in whatever words, to the end of the query."""
    named = None if one.work else _WORK_BEHIND.match(query, one.end)
    name = named[1] if named else ""
    if not named or not _may_name_work(name):
        return one
    return replace(one, text=query[one.start : named.end()], end=named.end(), work=work_key(name))


def _may_name_work(name: str) -> bool:
    return len(name.split()) <= _LONGEST_WORK and any(
        word not in stop_words(("en", "de", "fr")) for word in name.lower().split()
    )


def _written_as_heading(query: str, found: Sequence[Citation]) -> tuple[Citation, ...]:
    """A division that is cited as its heading is written, `ARTICLE ONE of the Credit Agreement`, `1. Hauptstück des Almgesetzes`."""
    if any(one.start == 0 for one in found):
        return ()
    key, rest = split_heading(query)
    if key is None or (_BARE_NUMBER.match(query) and not _LABEL_AFTER_NUMBER.match(query)):
        return ()
    end = len(query) - len(rest)
    one = Citation(query[:end].rstrip(_BETWEEN), key, key, 0, len(query[:end].rstrip(_BETWEEN)))
    if key.startswith(_WHOLE):
        return (one, *(replace(other, work=other.work or key) for other in found))
    if not rest.strip(" .?!"):
        return (one,)
    cited = _with_work(query, replace(one, work=next((other.key for other in found), "")))
    return (cited, *found) if cited.work else ()


def _of_standard(query: str, one: Citation) -> Citation:
    """The citation, with the standard that is named before it: `ISO 9001, clause 8.1`."""
    named = STANDARD_BEFORE.search(query, 0, one.start) if not one.work else None
    return replace(one, work=work_key(named["name"])) if named else one


def _guessed(query: str, found: Sequence[Citation]) -> Iterator[Citation]:
    """Sections that a number alone cites, `recommendation 1.2.3`, also behind the name of its work: `NIST 5.1.1.2`, `RFC 9110 15.5.5`, `stgb 211`."""
    is_named = all(_is_product(one) and one.start == 0 for one in found)
    if is_named and (named := _NAME_AND_NUMBER.match(query)) and _is_series(named[1]):
        one = _guess(query, named, "sec", named[2])
        levels = re.findall(r"\w+", named[3])
        work = work_key(named[1])
        yield replace(
            one, key=key_of(one.key, levels), work=work, is_guess=not named[1][-1].isdigit()
        )
        return
    if not found and (named := _ABBREVIATED.search(query)):
        work, number, labels = named[1].lower(), named[2], ["sec"]
    elif not found and (named := _CALLED_NUMBER.search(query)):
        one = _guess(query, named, "sec", named[1] or named[2])
        if one.work or named[1]:
            yield one
        return
    elif not found and (named := _WORK_AND_NUMBER.match(query)) and not _CODE.match(query):
        work, number, labels = named[1].lower(), named[2].lower(), ["sec", "art"]
    elif not found and (named := _NUMBER_AND_SHORT.match(query)):
        work, number, labels = named[2].lower(), named[1], ["sec", "art"]
    elif not found and (named := _PARAGRAPH.search(query)):
        yield _guess(query, named, PARAGRAPH, named[1] or named[2])
        return
    elif len(found) == 1 and (named := _BEHIND_IDENTIFIER.match(query, found[0].end)):
        if found[0].key.partition("_")[0] not in IDENTIFIERS:
            return
        work, number, labels = found[0].key, named[1], ["sec"]
    else:
        return
    number = without_zeros(number)
    for label in labels:
        unit = f"{label}_{number.replace('.', '_')}"
        yield Citation(named[0].strip(), unit, unit, *named.span(), (), work, True)


def _of_series(query: str) -> Iterator[Citation]:
    """Entries of series that a space joins to their number, `ADR 11`, where headings have a hyphen, `ADR-0011`."""
    if _CODE.search(query) or _DECIMAL.search(query):
        return
    form = _SERIES_ALONE if _SERIES_ALONE.match(query) else _SERIES
    for named in islice(form.finditer(query), _MOST_CODES):
        label = named[1].lower()
        if label not in WORDS and named[1].upper() not in NOT_IDENTIFIERS:
            key = f"{label}_{without_zeros(named[2])}"
            yield Citation(named[0].strip(), key, key, *named.span(), is_guess=True)


def is_of_series(one: Citation) -> bool:
    """Whether a citation may be no more than a name and a number: nothing but an entry of that key makes it one."""
    label = one.key.partition("_")[0]
    known = label in LABELS or label in (CODE, PARAGRAPH)
    return one.is_guess and not (one.work or known)


def _is_series(name: str) -> bool:
    """Whether what stands before a number is a name: it ends with a number of its own, or says its kind."""
    parts = _NAME_WORD.findall(name)
    if not parts or len(parts) > _LONGEST_WORK or _ASKS.search(name):
        return False
    return any(char.isdigit() for char in parts[-1]) or any(map(is_kind, parts))


def _guess(query: str, named: re.Match[str], label: str, number: str) -> Citation:
    """What a word and number cite, with the work that is named behind or before them: `Aldous v Port of Marl [6]`."""
    unit = f"{label}_{without_zeros(number).lower().replace('.', '_')}"
    one = Citation(named[0].strip(), unit, unit, *named.span(), (), "", True)
    cited = _with_work(query, one)
    name = query[: named.start()].strip(" ,").removesuffix(" at")
    parts = name.lower().split()
    before = (
        0 < len(parts) <= _LONGEST_WORK
        and parts[0] not in stop_words(("en", "de", "fr"))
        and any(char.isupper() or char.isdigit() for char in name)
    )
    if cited.work or not before:
        return cited
    return replace(one, text=query[: one.end].strip(), start=0, work=work_key(name))


def _telling(text: str) -> list[str]:
    return [word for word in text.lower().split() if word not in stop_words(("en",))]


DIVISION = "division_"
"""What the names of divisions begin with by the number that their sections have before their own: Chapter 8 with 8.1."""


def spelt_out(key: str) -> str:
    """A key as people write citations: `Section 203(a)(1)`, `Article 49-B`, `Schedule 1`; another as it is."""
    label, _, number = key.partition("_")
    name = _NAMES.get(label)
    parts = number.split("_")
    if name is None or not parts[0]:
        return key
    if all(
        part.isdigit() for part in parts
    ):  # the levels of a decimal number, or a list of paragraphs
        return f"{name} {'.'.join(parts)}"
    levels = "".join(f"({part})" for part in parts[1:])
    return f"{name} {parts[0].upper() if '-' in parts[0] else parts[0]}{levels}"


def meanings(key: str, unit: str) -> list[tuple[str, str]]:
    """The keys that a citation may mean, each with its unit, the likeliest first.

    A clause or regulation may be a section that is numbered alone, `Clause 4.2` is `cl_4_2` or `sec_4_2` as `Article 4.2` and `Rule 4.2` are, and what lies in a schedule often is
    one, `paragraph 2 of Schedule 1` is `sched_1_sec_2` or `sched_1_2`. The article `6:162` of a code may be the article 162 of its sixth book.
    """
    if lettered := _LETTERED.match(unit):
        labels = dict.fromkeys((unit.partition("_")[0], "sec", "app", "annex"))
        start = lettered.start(1)
        return [(f"{label}{key[start:]}", f"{label}{unit[start:]}") for label in labels]
    label, _, number = unit.partition("_")
    if label == "art" and ":" in number:
        own = len(unit) - len(number.partition(":")[2])
        return [(key, unit), (f"art_{key[own:]}", f"art_{unit[own:]}")]
    parted = "_" in number
    if (
        label in (PARAGRAPH, "rule", "cl")
        or (label in ("art", "item") and parted)
        or (label == "reg" and not parted)  # of an instrument, not `Regulation 2016/679`
    ):
        return [(key, unit), (f"sec{key[len(label) :]}", f"sec{unit[len(label) :]}")]
    if key != unit and label in RESTARTING:
        levels = key[len(unit) + 1 :]
        return [(f"{unit}_sec_{levels}", f"{unit}_sec_{levels.partition('_')[0]}"), (key, unit)]
    return [(key, unit)]


@lru_cache(maxsize=4096)  # a text cites the same sections again and again
def enclosing_keys(key: str, unit: str) -> tuple[str, ...]:
    """The key, then those of the levels around it up to its unit: `sec_203_a_1`, `sec_203_a`, `sec_203`.

    Of a citation with several meanings, those of each.
    """
    found: list[str] = []
    for name, around in meanings(key, unit):
        levels = name[len(around) :].split("_")[1:]
        found += ["_".join((around, *levels[:count])) for count in range(len(levels), -1, -1)]
    return tuple(found)


def _label_prefix(word: str, *, hyphen: bool) -> str | None:
    """What the keys of this label begin with; None if it is none, or none that a hyphen joins to its number."""
    known = CASED.get(word) or WORDS.get(word.lower())
    prefix = (known.prefix if known else "") or HEADING_LABELS.get(word.lower(), "")
    if not hyphen or prefix in IDENTIFIERS:
        return prefix or None
    capitals = word.isascii() and word.isupper() and 2 <= len(word) <= 10
    return word.lower() if capitals and word not in NOT_IDENTIFIERS and not known else None


_CLAUSE = re.compile(r"[\s#*]*([^\W\d_]{3,14}(?<=[oaOA]))(?:\.[ ]?[-–—:]{0,2}|[ ]?[-–—:])(?:\s|\Z)")
"""`PRIMERA.- OBJETO`: the clauses of contracts that ordinals alone count."""
_NAMES = {
    label: forms.split()[0].capitalize()
    for label, forms in LABELS.items()
    if label not in IDENTIFIERS
} | {name: name.upper() for name in IDENTIFIERS}
_LETTERED = re.compile(r"(?:sec|cl|app|annex)(_[a-z])(?=_[0-9]|\Z)")
"""What lies in an appendix, `A.1`: its key may begin with that of the appendix or with a section's."""
_BARE_QUERY = re.compile(
    r"\s*([0-9]{1,5}[a-z]?(?:(?:[.:-][0-9]{1,5}[a-z]?)+(?:\([0-9a-zA-Z]{1,5}\))*|(?:\([0-9a-zA-Z]{1,5}\))+)|[A-Z](?:\.[0-9]{1,3}){1,4})[.?\s]*\Z"
)
_MAY_BE_PART = re.compile(r"\s*[0-9]{3,6}(?:-[0-9]{1,6})+[.?\s]*\Z")
"""A number that is a part's or an order's as well: `7741-032`."""
_LEVEL_BEFORE = re.compile(
    r"(?<!\w)(?:letra|letras|lletra|apartat|lettera|lett\.?|lettre|litera|lit\.?|alínea|buchst(?:abe|\.)|inciso|numeral|pkt|punto|comma|onder|onderdeel)[ \xa0][“\"'‘]?([a-z]|[ivx]{2,5}|[IVX]{1,5}|[0-9]{1,2})[”\"'’]?\)?,?[ \xa0]"
    r"(?:(?:del|de|do|da|des|von|van|du)\s(?:la\s)?|dell['’]|de\sl['’])\Z",
    re.IGNORECASE,
)
"""A level before its article: `letra b) del artículo 5.2`, `lett. a) dell'art. 3`."""
_VERSIONED = re.compile(
    r"\s*[vV](?:[0-9]{1,3}(?:\.[0-9]{1,3}){0,3}-)?([0-9]{1,3}(?:\.[0-9]{1,3}){0,4})[.?\s]*\Z"
)
"""The requirement `V6.2.4`, also with the version of its standard."""
_TYPED_ORDINAL = re.compile(
    rf"(?<![\w-])(?:{CAPITAL_ORDINALS.lower()})\s(?:amendment|schedule|annex|protocol)s?\b"
)
"""What is a citation in a query, and in running text may be one of several changes or plans."""
_MOST_BESIDES = 2
"""Telling words besides; with more of them `the first amendment to the credit agreement` is asked about."""
_ABBREVIATED = re.compile(r"\b([A-Z]{3,8})\s((?:[0-9]{1,3}\.){2,5}[0-9]{1,3})(?![\w.]\w)")
"""A section's number behind the name of its work, or a version behind that of a program."""
_CALLED_NUMBER = re.compile(
    r"\b(?:ziffer|ziff\.|nummer|recommendation|requirement|control|criterion|criteria|principle|provision|guideline|by-?law|law|canon|step|safeguard|measure|practice|policy|term|condition"
    r"|empfehlung|anforderung|grundsatz|maßnahme|leitlinie|recommandation|exigence|principe|mesure|ligne directrice|requisito|principio|medida|norma|directriz|recomendación)"
    r"\s(?:((?:[0-9]{1,3}\.|[A-Z]\.(?=[0-9])){1,4}[0-9]{1,3})|([0-9]{1,3}))(?![\w.]\w)",
    re.IGNORECASE,
)
"""What standards and contracts call their numbered paragraphs, `recommendation 1.2.3`, `Ziffer 4`; a number without parts only with its work."""
_GERMAN_PARAGRAPH = re.compile(
    r"\bParagraph(?:en)?(?=\s[0-9]{1,4}[a-z]?\s(?:(?:des|der|im|vom)\s[A-ZÄÖÜ]|[A-ZÄÖÜ]{2,8}\b|[A-ZÄÖÜ][a-zäöü]{0,4}[A-ZÄÖÜ]))"
)
_SHORT_SECTION = re.compile(
    r"(?<!\S)(?:ss?|rr?)\.?(?=\s?[0-9]{1,4}[A-Z]{0,2}(?:\.[0-9]{1,3})?(?:\([0-9a-zA-Z]{1,4}\))*(?:[.?]?\s*\Z|,?\s(?:of\s(?:the\s)?)?[A-Z]|\s?(?:and|or|to|[–-])\s?[0-9]))"
)
"""What lawyers of the Commonwealth write for `section` and `rule`, before a number and the name of an act or nothing."""
_DECIMAL = re.compile(r"[0-9]\.[0-9]")
_SERIES = re.compile(
    r"(?<![\w./-])([A-Z]{2,10})\s((?!(?:1[89]|20)[0-9]{2}(?!\w))[0-9]{1,6})(?![\w/%-]|[.,]\w)"
)
_SERIES_ALONE = re.compile(
    r"\A\s*([a-zA-Z]{2,10})\s((?!(?:1[89]|20)[0-9]{2}(?!\w))[0-9]{1,6})(?=[.?\s]*\Z)"
)
_NUMBER_AND_SHORT = re.compile(
    r"\s*([0-9]{1,5}[a-z]?)\s([A-ZÄÖÜ]{2,8}|[A-ZÄÖÜ][a-zäöü]{0,4}[A-ZÄÖÜ][A-Za-z]{0,5})[.?\s]*\Z"
)
"""`1319a ABGB`."""
_NAME_AND_NUMBER = re.compile(
    r"\s*([^\n?!;]{2,80}?)(?:,|:)?\s(?:item\s|control\s|§\s?)?((?:[0-9]{1,3}|[A-Z])(?:\.[0-9]{1,3}){1,5})((?:\s?\(?[a-z0-9]\)){0,3})[.?\s]*\Z"
)
"""`VNS 27001:2022, 6.1.2 a)`, `Tariff of Pilotage 3.3`: a decimal number behind the name of a work."""
_LEADING_NUMBER = re.compile(
    r"(?:[0-9]{1,5}[a-z]?(?:[.:-][0-9]{1,5}[a-z]?)+(?:\([0-9a-zA-Z]{1,5}\))*|[A-Z](?:\.[0-9]{1,3}){1,4}),?\s(?:(?:of|in|under)\s(?:the\s)?[A-Z]|(?:des|der|du|del|della|do|da)\s\w|(?:de l|dell)['’])"
)
"""A section's number alone that begins a query, before the name of its work: `12-301(b) of the Beekeeping Code`."""
_WORK_AND_NUMBER = re.compile(r"\s*([^\W\d_]{2,10})\s([0-9]{1,4}[a-z]?)[.?\s]*\Z")
_PARAGRAPH = re.compile(
    rf"(?:\b(?:{'|'.join(sorted(PARAGRAPHS))})\.?\s|¶{{1,2}}\s?)\[?([1-9][0-9]{{0,3}})\]?(?![\w(/-]|\.\w)"
    r"|(?<=[\w,]\s)\[([1-9][0-9]{0,2})\](?=[\s.?!]*\Z)",
    re.IGNORECASE,
)
_WORK_BEHIND = re.compile(
    r",?\s(?:of|in|from|des|der|de la|de l['’]|della|del|de|du)\s?(?:the\s)?([^\n?!;]{2,100}?)[.?!\s]*\Z"
)
_LONGEST_WORK = 10
"""Words of a work's name before the number of its paragraph: `Aldous v Port of Marl [6]`."""
_BEHIND_IDENTIFIER = re.compile(r",?\s((?:[0-9]{1,3}\.){1,5}[0-9]{1,3})(?![\w.]\w)")
_CAPITALS_ALONE = re.compile(r"[ \xa0]([A-Z]{2,3})\s*\Z")
"""What ends the number of `Article 46 AGD`; in a text it may be the name of a work."""
_BARE_CODE = re.compile(r"\s*((?:L\.?O|[LRDA])\.? ?\*{0,2}[0-9]{1,4}(?:-[0-9]{1,3}){0,4})[.?\s]*\Z")
_BETWEEN = " \t\xa0\u3000.:;,)]–—-"
_GLOSS = re.compile(r"(?<=\w)\s\([^()0-9]{3,80}\)\Z")
_TRAILING = " .:;,!?-"
_TYPOGRAPHY = {
    **dict.fromkeys(map(ord, "‘’‚‛′´"), "'"),
    **dict.fromkeys(map(ord, "“”„‟«»″"), '"'),
    **dict.fromkeys(map(ord, "‐‑‒–—―−"), "-"),
    0xAD: "",
}
_LABEL_AT_START = re.compile(
    r"[\s#*\[(]*((?:[Ss]ous-|SOUS-)?[^\W\d_]{2,}(?![ऀ-ःऺ-्])|[^\W\d_]+[ऀ-ःऺ-्](?:[^\W\d_]|[ऀ-ःऺ-्])+|§{1,2})\.?[ \xa0\u202f\t]{0,4}(-?)"
)
_NUMBER_FIRST = re.compile(rf"[\s#*]*{NUMBER_THEN_LABEL}(?! ?[0-9])")
_BARE_NUMBER = re.compile(
    r"\s*(?:V?([0-9]{1,5}(?:\.[0-9]{1,5})+(?:-[0-9]{1,3}|[a-z])?)(?=[.):]?\\?\*?(?:\s|\Z))"
    rf"|(0{{0,3}}[0-9]{{1,3}})(?=[.):](?:\s|\Z))|([0-9]{{1,2}}|0{{1,3}}[1-9][0-9]{{0,2}})(?=[ \xa0\t]+{INITIAL})"
    rf"|({COLON_CODE})(?=\.?(?:\s|\Z))"
    r"|([0-9]{1,3}[A-Z]?[-–][0-9]{1,5}(?:\.[0-9]{1,3})?(?=\.[ \t]+[A-Z(])"
    r"|[0-9]{1,3}[A-Z]?(?:-[0-9]{1,4}){2}(?:\.[0-9]{1,3})?(?=\.?[ \t]+[A-Z(]))"
    rf"|([A-Z](?:\.[0-9]{{1,3}}){{1,4}})(?=\.?[ \t]+(?:[(“\"]|{INITIAL})))"
)
_LABEL_AFTER_NUMBER = re.compile(r"\s*([0-9]{1,3})\.[ \xa0]([^\W\d_]{2,20})(?!\w)")
_ORDINAL_THEN_LABEL = re.compile(
    r"[\s#*\[(]*([^\W\d_]+(?:-[^\W\d_]+)?)[ \xa0]([^\W\d_]{2,20})(?!\w)"
)
_ORDINAL = re.compile(r"([^\W\d_]{3,14}(?:-[^\W\d_]{3,7})?)(?![\w-])")


def _ordinal_heading(title: str) -> tuple[str, int] | None:
    """The key of a heading such as `Erster Abschnitt`, and where it ends."""
    found = _ORDINAL_THEN_LABEL.match(title)
    value = ordinal_value(found[1]) if found else 0
    prefix = _label_prefix(found[2], hyphen=False) if found and value else None
    return (f"{prefix}_{value}", found.end()) if found and prefix in COUNTED else None


def _counted_behind(title: str, position: int, prefix: str | None) -> Number | None:
    """The number of a heading such as `Título primero` or `Chapter One`."""
    found = _ORDINAL.match(title, position)
    value = (ordinal_value(found[1]) or cardinal_value(found[1])) if found else 0
    return Number(prefix or "", str(value), [], found.end()) if found and value else None
