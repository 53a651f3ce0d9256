"""The vocabulary of citations, as data: what parts of documents are called, by language, and what looks like one but is none.

To teach the grammar a word, add it here.
"""

from __future__ import annotations


def words(*texts: str) -> frozenset[str]:
    """The words of these texts."""
    return frozenset(" ".join(texts).split())


LABELS: dict[str, str] = {
    "sec": "section sections sec secs sect sects § §§ sección secciones sezione sezioni "
    "seção secção sectie avsnitt afsnit раздел",
    "art": "article articles art arts artikel artikels artikeln artículo artículos articolo articoli artigo artigos "
    "artikla articolul статья статьи",
    "ch": "chapter chapters ch chap kapitel kapitels kapiteln kap chapitre chapitres capítulo capítulos capitolo capitoli "
    "hoofdstuk luku capitolul глава",
    "part": "part parts teil teile teils teilen partie parties parte partes deel osa partea часть",
    "title": "title titles titel titels titre titres título títulos titolo titoli titlul",
    "book": "book books buch buches livre livres libro libri",
    "subtitle": "subtitle subtitles untertitel",
    "subch": "subchapter subchapters unterkapitel",
    "subpart": "subpart subparts unterabschnitt unterabschnitts",
    "div": "division divisions",
    "abschn": "abschnitt abschnitte abschnitts abschnitten",
    "amend": "amendment amendments amend amdt",
    "rule": "rule rules regel",
    "sched": "schedule schedules sched",
    "annex": "annex annexes anhang anhangs anhänge anlage anlagen annexe annexes anexo allegato bijlage bilaga bilag "
    "vedlegg liite приложение",
    "app": "appendix appendices appx",
    "exhibit": "exhibit exhibits exh",
    "item": "item items",
    "cl": "clause clauses cl klausel",
    "recital": "recital recitals erwägungsgrund erwägungsgründe considérant considerando",
    "table": "table tables tabelle tabellen tableau tabla tabella tabela tabell taulukko таблица",
    "fig": "figure figures fig figs abbildung abb figura figuur рисунок",
    "eip": "eip eips",
    "erc": "erc ercs",
    "rfc": "rfc rfcs",
    "bip": "bip bips",
    "pep": "pep peps",
}
"""The first part of a key -> the words, in lower case and without a full stop, that stand for it."""

PLURALS = words(
    "sections secs sects §§ abschnitte secciones articles arts artículos articoli artigos artikeln chapters kapiteln",
    "chapitres parts teile teilen titles titres rules schedules annexes anhänge anlagen appendices exhibits items",
    "clauses recitals tables tabellen figures figs eips ercs rfcs amendments divisions",
)
"""Words after which several numbers may follow: `Articles 15 to 22`."""

SECTIONS_IF_DECIMAL = frozenset(("abschn",))
"""Labels that mean the same as `sec` before a decimal number (`Abschnitt 4.2`), but a division that holds sections before
another: the second `Abschnitt 1` of a German act is not its § 1."""

IDENTIFIERS = frozenset(("eip", "erc", "rfc", "bip", "pep"))
"""Labels that a hyphen may join to their number, whatever their case: `EIP-1559`."""

NOT_IDENTIFIERS = words(
    "AES ANSI ASCII CA CD COVID CRC CVE DES DVD GMT GPT HTTP IEEE IP ISO MD MP PC RSA SHA SS TLS UTC UTF USB WWW X"
)
"""Capitals that a hyphen joins to a number without naming a part of a document: `SHA-256`."""

ROMAN = frozenset(
    (
        "art",
        "ch",
        "part",
        "title",
        "book",
        "subtitle",
        "subch",
        "subpart",
        "div",
        "amend",
        "sec",
        "table",
        "abschn",
    )
)
"""Labels that count in Roman numerals: `Article IV` is `art_4`."""

ROMAN_TO_39 = frozenset(("annex", "sched"))
"""Labels that count in Roman numerals or letters; I, V and X are read as numerals, C, D, L and M as letters."""

LETTERED = frozenset(
    (
        "part",
        "subtitle",
        "subch",
        "subpart",
        "div",
        "sched",
        "annex",
        "app",
        "exhibit",
        "table",
        "fig",
        "sec",
        "rule",
    )
)
"""Labels that may be followed by capital letters alone: `Appendix B`."""

LEVELS = words(
    "abs abs. absatz absatzes absätze nr nr. nummer nummern buchst buchst. buchstabe buchstaben lit lit. litera",
    "ziffer ziff. para para. paras. paragraph paragraphs subparagraph subparagraphs point points",
    "subsection subsections clause clauses letter lett. lettre lid alinéa apartado",
)
"""Words that lead one level down after a number: `§ 1 Abs. 2 Nr. 3` is `sec_1_2_3`."""

UNNUMBERED = words(
    "unterabs. unterabsatz uabs. satz satzes sätze hs hs. halbsatz halbsatzes alt alt. alternative sentence"
)
"""Words for what is counted but bears no number, as sentences do: it belongs to the citation, not to its key."""
