"""The sentences in which laws define terms without quotes, and the abbreviations that stand in brackets, by language.

`SENTENCES` are data: each says what piece of text to look for, what stands before it in its sentence, and what behind. To teach
a language another way of defining, add a row. `LISTS` are what leads to a list of terms: `on entend par :`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from hierdoc.structure.definition_places import (
    MARKER,
)
from hierdoc.text.words import words


@dataclass(frozen=True, slots=True)
class Sentence:
    """One way of defining a term in a sentence; the group `term` of either pattern is the term.

    Attributes:
        language: Its code.
        anchors: Pieces of text, one of which is in each such sentence.
        before: What stands between the beginning of the sentence and the anchor.
        behind: What stands from the anchor on.
        accepts: Whether a term may be one; looks at the term and the text behind what matched.
    """

    language: str
    anchors: tuple[str, ...]
    before: re.Pattern[str]
    behind: re.Pattern[str]
    accepts: Callable[[str, str], bool]


def _accept_any(term: str, rest: str) -> bool:
    return _NO_BEGINNINGS.isdisjoint(term.casefold().split())


def _accept_noun(term: str, rest: str) -> bool:
    """In Romance languages: no pronoun and no mere reference."""
    parts = term.casefold().split()
    if any(one.startswith(("qu'", "qu’")) for one in parts):
        return False
    return _NO_ROMANCE_TERMS.isdisjoint(parts) and parts[0] not in _NO_ROMANCE_BEGINNINGS


def _accept_deemed(term: str, rest: str) -> bool:
    """Nor a participle: `est considérée comme abandonnée`."""
    return _accept_noun(term, rest) and not _PARTICIPLE.fullmatch(term.split()[0])


def _accept_german_noun(term: str, rest: str) -> bool:
    """A noun phrase; adjectives that open a sentence without a noun are no terms."""
    first = term.split()[0]
    if _TO_BE_DONE.fullmatch(first):
        return False
    if _PREDICATIVE.fullmatch(first.lower()) and not (" " in term and first[-1:] in "enr"):
        return False
    return _is_german_phrase(term) and not _LONE_ADJECTIVE.fullmatch(term)


def _is_german_phrase(term: str) -> bool:
    first, *others = term.split()
    if first.casefold() in _NO_BEGINNINGS or first.casefold() in _NO_GERMAN_TERMS:
        return False
    return len(others) < _MOST_WORDS and _NO_GERMAN_PARTS.isdisjoint(others)


def _accept_german_sense(term: str, rest: str) -> bool:
    """Whatever has a sense of its own, adjectives too, if the sentence does not say what is to be done with it."""
    return _is_german_phrase(term) and not _GERMAN_DUTY.match(rest)


def _accept_german_being(term: str, rest: str) -> bool:
    """Nothing but a noun phrase or a clause may follow: a main clause that ends with a verb or adjective defines nothing."""
    if _ADJECTIVE.fullmatch(term) and _WHO_OR_WHEN.match(rest):  # Rechtswidrig ist die Tat, wenn …
        return _is_german_phrase(term)
    if not _accept_german_noun(term, rest):
        return False
    if _CLAUSE.match(rest):  # Betreiber ist, wer eine Seilbahn betreibt; but: Gewählt ist, wer …
        return not _SAID_OF_SOMEONE.search(term)
    main = _MAIN_CLAUSE.match(rest)
    assert main
    last = main[0].split()[-1:] or [""]
    return not last[0][:1].islower() or last[0] in _GERMAN_PRONOUNS


_MOST_WORDS = 8

_DE = r"[A-ZÄÖÜ][\w/-]*(?:\s(?:\([^()\n]{1,40}\)\s)?[A-ZÄÖÜa-zäöüß][\w/-]*){0,9}?"
"""A German noun phrase at the beginning of a sentence."""
_DE_ARTICLE = r"(?:(?:[Ee]ine?|[Dd]er|[Dd]ie|[Dd]as|[Ee]ine[mr]|[Dd]em|[Dd]en)\s)?"
_DE_KIND = r"(?:nur\s|auch\s|insbesondere\s|ferner\s)?(?:jede[rs]?|eine?|der|die|das|wer|alle|derjenige|diejenigen?|dasjenige|solche)\b"
_DE_PLACE = r"(?:[^.;:,]|,(?=\s(?:[0-9§]|de[rs]\s))|(?<=Abs)\.|(?<=Nr)\.|(?<=Art)\.){0,90}?"

_ROMANCE = r"[^\W\d_][\w’'-]*(?:\s[\w’'/-]+){0,9}?"
_AFTER_TERM = r"\s?(?:[,:]\s?|\s(?<!\bde\s)(?<!\bà\s)(?<!\bet\s)(?<!\bou\s)(?<!\bpar\s)(?<!\bsur\s)(?<!\bdans\s)(?<!\bpour\s)(?<!\ben\s)(?<!\by\s)(?<!\bo\s)(?<!\bpor\s)(?<!\bcon\s))"
_QUOTED = r"[«“\"]\s?(?P<term>[^«»“”\"\n]{1,100}?)\s?[»”\"]"
_FR_KIND = r"(?:l[ae]s?\s|l[’']|une?\s|des\s|du\s|d[’']une?\s|toute?s?\s|tous\s|ceux\s|celles?\s|celui\s|ce\s|tant\s|non\s)"
_FR_CLAUSE = r"(?:(?:Pour|Aux?|Dans|En|Lorsque|Lorsqu['’]\w+|Si)\b[^.;:]{0,200}?,\s)?"
_FR_SENSE = r"(?:(?:Pour|Aux?|Dans|En)\b[^.;:]{0,200}?,?\s)?"
_NORDIC = r"(?:(?:en|ett|et|ei)\s)?(?P<term>[^\W\d_][\w-]*(?:\s[\w-]+){0,5}?)"
"""A noun phrase without its article."""
_ES_KIND = r"(?:el\s|las?\s|los?\s|una?\s|unos\s|aquel\w*\s|tod[oa]s?\s|cualquier\w*\s|quien\w*\s|al?\s|cada\s)"
_ES_CLAUSE = r"(?:(?:A|Para|En|Con)\b[^.;:]{0,200}?,?\s)?"

_FR_GENUS = (
    "actes?|accord|contrat|convention|droit|faits?|opération|affectation|mode|part|disposition|extinction|détention|fiction|individu|pacte|société|union"
    "|transport|agissements|manifestations|dépôt|sûreté|mesure"
)
"""What French codes say that something is, where they define it: `Le testament est un acte par lequel …`."""

SENTENCES: tuple[Sentence, ...] = (
    # Arbeitszeit im Sinne dieses Gesetzes ist …
    Sentence(
        "de",
        ("Sinne ", "Sinne\n"),
        re.compile(rf"(?:Eine?\s)?(?P<term>{_DE})(?:\s\([^()]{{1,80}}\))?\s(?:im|in\sdiesem)\s+"),
        re.compile(rf"Sinne\s+(?:dies|de[rs]|von)\w*\b{_DE_PLACE}\s(?:ist|sind|bedeutet|bezeichnet|bezeichnen|umfasst|umfaßt|umfassen)\b(?=[\s,:])"),
        _accept_german_sense,
    ),
    # Im Sinne dieses Gesetzes ist Verbraucher, wer …
    Sentence(
        "de",
        ("Sinne dies",),
        re.compile(r"Im\s"),
        re.compile(rf"Sinne\sdies\w+\s\w+\s(?:ist|sind|gilt als|gelten als)\s(?P<term>{_DE})(?:,\swer\b|\s(?={_DE_KIND}))"),
        _accept_german_noun,
    ),
    # Verbraucher ist jede natürliche Person, die …
    Sentence(
        "de",
        (" ist", "\nist", " sind", "\nsind"),
        re.compile(rf"(?P<term>{_DE})"),
        re.compile(rf"\s(?:ist|sind)(?:,\s(?=wer\b|was\b)|\s(?={_DE_KIND}))"),
        _accept_german_being,
    ),
    # Die Aktiengesellschaft ist eine Gesellschaft mit eigener Rechtspersönlichkeit.
    Sentence(
        "de",
        (" ist", " sind"),
        re.compile(rf"(?:Der|Die|Das)\s(?P<term>{_DE})"),
        re.compile(r"\s(?:ist\seine?|sind)\s(?=(?:[a-zäöüß]+e[nrs]?\s)?[A-ZÄÖÜ][\wäöüß-]+(?:,\s(?:der|die|das|bei|in|mit|deren|dessen|auf)\b|\smit\seigene))"),
        _accept_german_being,
    ),
    # Fernabsatzverträge sind Verträge, bei denen …
    Sentence(
        "de",
        (" sind", "\nsind"),
        re.compile(rf"(?P<term>{_DE})"),
        re.compile(r"\ssind\s(?=(?:[a-zäöüß]+lich\s)?(?:[a-zäöüß]+e[nrs]?\s){0,2}[A-ZÄÖÜ][\w-]+,\s(?:(?:bei|in|mit|an|auf|durch|von|für|aus)\s)?(?:die|denen|deren|welche)\b)"),
        _accept_german_being,
    ),
    # Als Betriebstätten sind insbesondere anzusehen
    Sentence(
        "de",
        (" ist", "\nist", " sind", "\nsind"),
        re.compile(rf"Als\s(?:eine?\s)?(?P<term>(?:[a-zäöüß]+e[nrs]?\s){{0,2}}{_DE})"),
        re.compile(r"\s(?:ist|sind)\s(?=[^.;:]{0,200}anzusehen(?<=\banzusehen)\b)"),
        _accept_german_noun,
    ),
    # Als Leistung gilt auch …
    Sentence(
        "de",
        (" gilt", "\ngilt", " gelten", "\ngelten"),
        re.compile(rf"Als\s(?:eine?\s)?(?P<term>(?:[a-zäöüß]+e[nrs]?\s){{0,2}}{_DE})(?:\sim\sSinne\s[^.;:]{{3,60}})?"),
        re.compile(r"\s(?:gilt|gelten)\b(?!\s§)"),
        _accept_german_noun,
    ),
    # Unter Betriebsstätte ist … zu verstehen
    Sentence(
        "de",
        ("Unter ",),
        re.compile(""),
        re.compile(rf"Unter\s{_DE_ARTICLE}(?P<term>(?:[a-zäöüß]+e[nrs]?\s){{0,2}}{_DE})(?:\sim\sSinne\s[^.;:]{{3,60}})?\s(?:versteh(?:t|en)\b|(?:ist|sind|wird|werden)\b(?=[^.;]{{0,300}}?\bverst))"),
        _accept_german_noun,
    ),
    # On entend par résidence normale le lieu où …
    Sentence(
        "fr",
        ("n entend par ", "n entend par\xa0", "n entendra par "),
        re.compile(rf"{_FR_SENSE}[Oo]"),
        re.compile(rf"n\sentend(?:ra)?\spar\s(?:{_QUOTED}|(?:le\sterme\s|la\snotion\sde\s)?(?P<plain>{_ROMANCE}){_AFTER_TERM}(?={_FR_KIND}))"),
        _accept_noun,
    ),
    # Par navire, on entend tout bâtiment
    Sentence(
        "fr",
        (" on entend ", " il faut entendre "),
        re.compile(rf"Par\s(?:{_QUOTED}|(?P<plain>{_ROMANCE})),?"),
        re.compile(r"\s(?:on\sentend|il\sfaut\sentendre)\s(?!par\b)"),
        _accept_noun,
    ),
    # Les titres cotés s'entendent des valeurs inscrites
    Sentence(
        "fr",
        ("s'entend", "s’entend"),
        re.compile(rf"{_FR_CLAUSE}(?:(?:(?:[Ll]es?|[Ll]a|[Uu]ne?|[Dd]es|[Cc]et?(?:te|s)?)\s|[Ll][’'])(?:notion\s(?:de\s|d[’']))?)?(?P<term>{_ROMANCE})(?:,?\s(?:mentionné|visé|prévu|défini|désigné|pour\sl|au\ssens|afférent|entrant|pris|retenu|constaté|figurant|dû|dues?\s|provenant|résultant|relati[fv]|qui\s|situé|soumis|compris|ouvrant|ayant|servant|détenu|versé|effectué|réalisé|soumis|bénéficiant|constitu)[^.;:]{{1,300}}?|,[^.;:,]{{1,120}},)?\s"),
        re.compile(r"s[’']entend(?:ent)?(?:\s(?:de|des|du|comme|par|au)\b|\sd[’']|\s?:|,\s)"),
        _accept_noun,
    ),
    # La transaction est un contrat par lequel …
    Sentence(
        "fr",
        (" est un ", " est une ", " est le ", " est la ", " est l'", " est l’", " sont des "),
        re.compile(rf"(?:(?:Les?|La|Une?)\s|L[’'])(?P<term>{_ROMANCE})(?:,[^.,;:]{{1,40}},)?"),
        re.compile(rf"\s(?:est|sont)\s(?:(?:une?|le|la|des)\s|l['’])(?=(?:{_FR_GENUS})\b|[^.,;:]{{3,60}}?\spar\s(?:lequel|laquelle)\b)"),
        _accept_noun,
    ),
    # Un trajet est défini comme l'utilisation en continu d'un ouvrage
    Sentence(
        "fr",
        (" est défini", " sont défini"),
        re.compile(rf"{_FR_CLAUSE}(?:(?:[Uu]ne?|[Ll]es?|[Ll]a|[Dd]es)\s|[Ll][’'])(?P<term>{_ROMANCE})"),
        re.compile(r"\s(?:est|sont)\sdéfinie?s?\scomme\s(?!à\b|aux?\b)"),
        _accept_noun,
    ),
    # Sont considérés comme fruits les revenus …
    Sentence(
        "fr",
        ("considéré", "réputé"),
        re.compile(rf"{_FR_CLAUSE}(?:Est|Sont|est|sont)\s(?:également\s|aussi\s|notamment\s)?"),
        re.compile(rf"(?:considéré|réputé)e?s?\scomme\s(?:une?\s|des\s)?(?P<term>{_ROMANCE})(?:\spour\sl[’'][^.;:,]{{1,120}}?)?(?:{_AFTER_TERM}(?={_FR_KIND})|\s?(?=:))"),
        _accept_deemed,
    ),
    # Est « partenaire » au sens du présent article toute personne qui …
    Sentence(
        "fr",
        (" au sens ",),
        re.compile(rf"{_FR_CLAUSE}(?:[Ee]st|[Ss]ont)\s{_QUOTED}"),
        re.compile(r"\sau\ssens\s[^.;:,]{1,140}?\s(?=(?:toute?s?|les?|la|une?|celui|celle)\b)"),
        _accept_noun,
    ),
    # Se entiende por consumidor la persona que …
    Sentence(
        "es",
        ("entiende por ", "entienden por ", "entenderá por ", "entenderán por "),
        re.compile(rf"{_ES_CLAUSE}[Ss]e\s"),
        re.compile(rf"ent(?:ienden?|enderán?)\spor\s(?:{_QUOTED}|(?P<plain>{_ROMANCE}){_AFTER_TERM}(?={_ES_KIND}))"),
        _accept_noun,
    ),
    # Por empresa se entenderá toda actividad
    Sentence(
        "es",
        (" se entiende", " se entender"),
        re.compile(rf"{_ES_CLAUSE}[Pp]or\s(?:{_QUOTED}|(?P<plain>{_ROMANCE})),?"),
        re.compile(r"\sse\sent(?:ienden?|enderán?)\s(?!por\b)"),
        _accept_noun,
    ),
    # Se considera consumidor a la persona que …
    Sentence(
        "es",
        ("considera", "la consideración de "),
        re.compile(rf"{_ES_CLAUSE}(?:[Ss]e\s|(?:[Tt]ienen?|[Tt]endrán?)\s(?:también\s)?)"),
        re.compile(rf"(?:considera(?:n|rán?)?\s(?:como\s)?|la\sconsideración\sde\s)(?P<term>{_ROMANCE}){_AFTER_TERM}(?={_ES_KIND})"),
        _accept_deemed,
    ),
    # Med hamn avses i denna lag …
    Sentence(
        "sv",
        (" avses", " förstås"),
        re.compile(rf"(?:(?:[0-9]{{1,3}}(?:\s[a-z])?\s)?§\s)?(?:(?:I|Vid|För)\s[^.;:]{{0,80}}?\s)?[Mm]ed\s{_NORDIC}"),
        re.compile(r"\s(?:avses|förstås)\s"),
        _accept_any,
    ),
    # Ved en havn forstås i denne lov …
    Sentence(
        "da",
        (" forstås",),
        re.compile(rf"(?:I\s[^.;:]{{0,80}}?\sforstås\s)?[Vv]ed\s{_NORDIC}"),
        re.compile(r"\sforstås\s"),
        _accept_any,
    ),
    # Med havn menes …
    Sentence(
        "no",
        (" menes", " forstås"),
        re.compile(rf"(?:I\s[^.;:]{{0,80}}?\s)?[Mm]ed\s{_NORDIC}"),
        re.compile(r"\s(?:menes|forstås)\s"),
        _accept_any,
    ),
    # As used in this chapter, municipality means …
    Sentence(
        "en",
        (" means ", " shall mean ", " mean "),
        re.compile(r"(?:As\sused\sin|For\s(?:the\s)?purposes?\sof|In|Under)\sth(?:is|ese)\s\w+,\s(?:the\s(?:term|word)s?\s|an?\s|the\s)?(?P<term>[^\W\d_][\w’'-]*(?:\s[\w’'-]+){0,5})"),
        re.compile(r"\s(?:shall\s)?means?\s"),
        _accept_any,
    ),
)  # fmt: skip

_ITEM = rf"(?=[ \t>]*{MARKER}[ \t\n])"
_GOES_ON = r"(?:[^.;:\n]|\n(?!\s*\n)){0,200}"
_COLON = re.compile(rf"{_GOES_ON}:(?:\s*\n|[ \xa0](?=(?:1[°º.)]|a\))[ \xa0]))")
_GERMAN_LIST = re.compile(
    r"Sinne\sdies\w+\s\w+\s?(?:ist|sind|bedeutet|bedeuten|gelten|gilt)?(?:\sals)?(?:\sdie\sBegriffe)?\s?:?\s*\n"
)

_GERMAN_LEAD = re.compile(r"[^.;:\n]{0,80}:?[ \t]*\n")
"""The rest of a line behind which a list begins, with a colon or, as in acts of the Union, without."""

LISTS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    *(("en", anchor, _COLON) for anchor in (
        "following definitions", "following terms", "following words", "following meanings", "definitions apply",
        "meanings ascribed", "meanings set forth",
    )),
    *(("fr", anchor, _COLON) for anchor in ("entend par", "ont le sens", "ont la signification", "définitions suivantes", "sont considérés comme", "sont considérées comme")),
    *(("es", anchor, _COLON) for anchor in (
        "entiende por", "entienden por", "entenderá por", "entenderán por", "siguientes definiciones",
        "definiciones siguientes", "los efectos de", "A efectos de",
    )),
    *(("de", anchor, _COLON) for anchor in ("folgende Begriffsbestimmungen", "nachfolgende Begriffe", "folgenden Begriffe")),
    *(("de", anchor, _GERMAN_LEAD) for anchor in ("bezeichnet der Ausdruck", "bezeichnen die Ausdrücke", "Gesetz gelten als", "Gesetz bedeuten")),
    *(("it", anchor, _COLON) for anchor in ("si intende per", "si intendono per", "si intende", "si intendono")),
    *(("pt", anchor, _COLON) for anchor in ("ntende-se por", "ntendem-se por", "onsidera-se", "onsideram-se", "seguintes definições")),
    *(("nl", anchor, _COLON) for anchor in ("verstaan onder", "wordt verstaan", "volgende begripsbepalingen")),
    *(("pl", anchor, _COLON) for anchor in ("mowa o", "oznaczają", "oznacza")),
    ("de", "Sinne dies", _GERMAN_LIST),
)  # fmt: skip
"""What leads to a list of terms: its language, a piece of it, and what matches from there to the end of its line."""

_NO_BEGINNINGS = words(
    "kein keine keiner in im bei beim auf an am für dem den des diese dieser dieses diesem diesen er sie es wir ihr hierbei dabei auch ferner zudem wer was wenn soweit sofern ob dass daß",
    "nach nicht mit von vom zum zur zu aus ohne um unter über vor während wegen gegen durch bis ab seit je jeder jede jedes alle nur dies das der die solche insbesondere hierzu hierfür",
    "allerdings ebenfalls folglich mithin somit insoweit insofern gleichfalls grundsätzlich teilweise regelmäßig dementsprechend demnach",
    "dazu darüber davon daneben daher danach dann damit so sonst sonstige ebenso entsprechend gleiches dasselbe deren dessen anstelle sind ist wird werden kann hat haben liegt besteht hierunter andere wie jedoch außerdem darüber überdies schließlich dagegen dort hier jetzt zunächst doch nun weder vielmehr lediglich hingegen indes gleichwohl bereits",
    "he she it they we you this that these those there which what who nothing any all each such by no not where if shall",
)
_NO_GERMAN_TERMS = words(
    "voraussetzung voraussetzungen ziel ziele zweck aufgabe aufgaben gegenstand grundlage ausnahme folge grund inhalt maßstab ausgangspunkt bestandteil beginn ende strafe mitglied",
    "mitglieder vorsitzender vorsitzende vorsitzende gerichtsstand stichtag anlass ausgenommen betroffen unberührt einzelheiten satz absatz nummer gleichzeitig zugleich grundsatz",
    "wichtigster wichtigste wichtiger zuständig maßgeblich maßgebend örtlich sachlich zulässig unzulässig nötig notwendig möglich kennzeichnend entscheidend leiter stellvertreter adressat empfänger ergebnis",
)
_NO_GERMAN_PARTS = words(
    "Absatz Absatzes Absätze Satz Satzes Sätze Nummer Nr dem den diesem diesen Artikel Paragraph Sinne ist sind wird werden nicht sich wenn dass"
)
_PREDICATIVE = re.compile(
    r"\w+(?:ig|lich|bar|isch|sam|(?<!sc)haft|end|los|tigt|tet|iert|nommen|schlossen|fugt|laubt|fallen)"
    r"|(?:an|auf|aus|bei|ein|vor|nach|zu|ab|mit|um|fest|dar|hin|mitzu|zurück|fort)(?:zu|ge)\w+(?:en|t)"
)
_TO_BE_DONE = re.compile(r"(?:An|Auf|Aus|Bei|Ein|Vor|Nach|Zu|Ab|Mit|Um|Fest|Dar|Hin)zu\w+en")
_ADJECTIVE = re.compile(r"[A-ZÄÖÜ][a-zäöüß]+(?:ig|lich|bar|isch|sam|haft|messen)")
_WHO_OR_WHEN = re.compile(
    r"wer\b|derjenige,|(?:der|die|das|eine?)\s[A-ZÄÖÜ]\w+,\s(?:der|die|das|wenn)\b"
)
_LONE_ADJECTIVE = re.compile(r"\w+(?:lich|ig|isch)e[nrs]?")
_GERMAN_DUTY = re.compile(
    r"(?:,\s(?:sofern|soweit|falls)\b|\s(?:zu|bei|nach|um|auf|mit|vom|von)\b|[^.;:,]{0,200}?\s(?:zu\s\w+en|\w+zu\w+en|anzuwenden|zulässig|unzulässig|steuerfrei|steuerpflichtig|verpflichtet|berechtigt|ausgeschlossen"
    r"|zuständig|möglich|erforderlich|beizufügen|vorzunehmen|abzuziehen|gegeben|worden|abziehbar|beihilfefähig|nichtig|unwirksam|wirksam|strafbar|entsprechend|maßgebend|maßgeblich)\s?[.;:,])"
)
_CLAUSE = re.compile(r"(?:wer|was)\b")
_SAID_OF_SOMEONE = re.compile(r"(?:t|ig|lich|bar|isch|sam|haft|frei|los|en)\Z")
_MAIN_CLAUSE = re.compile(r"(?:[^.,;:]|(?<=Abs)\.|(?<=Nr)\.|(?<=Art)\.|(?<=[0-9])\.(?!\s*\Z))*")
_GERMAN_PRONOUNS = words(
    "derjenige diejenigen diejenige dasjenige solche alle jeder jede jedes das der die wer was insbesondere dieselbe dieselben"
)

_NO_ROMANCE_BEGINNINGS = words(
    "au aux à pour dans en par sur avec sans si a ante con de des du para por sobre"
)
_NO_ROMANCE_TERMS = words(
    "ne qui que il elle on ce cette référence références mot mots n' quien no lo cuando si"
) | {"n’"}
_PARTICIPLE = re.compile(r"\w+(?:(?<!t)ée?s?|ant|ad[oa]s?|id[oa]s?)")
