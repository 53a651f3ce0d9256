"""Law and other structured documents that no one wrote, made by a seeded generator: their outline is known by construction.

A `Tradition` says as data how its documents are divided, how their parts count, and what in their text looks like a heading and is
none. `made` gives a document of it as the parts that `printed_truth` prints.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

import made_words as language
from made_words import Language
from printed_truth import Kind, Part, walk, with_title

Counting = Literal["anew", "digits", "on", "hundreds", "parts"]
"""How a level counts: from 1 in each part around it, the same with the numbers around it before its own, on through the document,
101 in the first and 201 in the second, 1.1 in 1."""


@dataclass(frozen=True)
class Level:
    """One level of divisions or sections.

    Attributes:
        form: Of the heading, with `{n}` or `{I}`, `{A}`, `{w}` for its number, `{p}` for that of the part around it, `{t}`, `{T}` or `{C}`
            for its title; what follows a line ending stands below.
        counting: See `Counting`.
        few: How many there are in a part, at least and at most.
        optional: The share of parts that have none of it, but the next level at once.
        run_in: Whether text follows on the heading's line.
    """

    form: str
    counting: Counting = "anew"
    few: tuple[int, int] = (2, 4)
    optional: float = 0.0
    run_in: bool = False


@dataclass(frozen=True)
class Tradition:
    """How documents of one kind look.

    Attributes:
        name: For the table.
        words: Its language.
        title: Of the document.
        opening: Paragraphs before the first part.
        levels: The outermost first; the last holds text.
        items: Forms of enumerators, the outermost first.
        led: Whether outer items have a heading, `(a) In general.—`.
        starts: Sentences that begin like headings, with `{n}`.
        cites: Ends of sentences that cite, with `{n}`.
        inserted: How numbers of inserted sections end; empty where there are none.
        repealed: What a repealed section says instead of its title; empty where there are none.
        gone: A heading for several sections that are repealed, with `{n}` and `{m}`; empty where there are none.
        ordinals: The words that `{w}` counts with.
        recitals: What stands before numbered recitals; empty where there are none.
        contents: The title of a table of contents; empty where there is none.
        annex: The level that comes behind all others, with sections of its own; None where there is none.
        annex_levels: Those within it.
        quotes: Whether law is quoted that looks like its own.
        lists: Lines of lists that are no sections.
        tables: Whether there are tables whose rows begin with numbers.
    """

    name: str
    words: Language
    title: str
    opening: Sequence[str]
    levels: Sequence[Level]
    items: Sequence[str] = ()
    led: bool = False
    starts: Sequence[str] = ()
    cites: Sequence[str] = ()
    inserted: Sequence[str] = ()
    repealed: str = ""
    gone: str = ""
    ordinals: Sequence[str] = ()
    recitals: str = ""
    contents: str = ""
    annex: Level | None = None
    annex_levels: Sequence[Level] = ()
    quotes: bool = False
    lists: bool = False
    tables: bool = False


def made(tradition: Tradition, seed: int, sections: int = 150) -> tuple[Part, ...]:
    """A document of a tradition with about so many sections, the same for the same seed."""
    return _Maker(tradition, Random(f"{tradition.name}-{seed}"), sections).document()


class _Maker:
    def __init__(self, tradition: Tradition, random: Random, sections: int) -> None:
        self.kind, self.random = tradition, random
        self.left = sections
        self.most = sections
        self.counts: dict[int, int] = {}

    def document(self) -> tuple[Part, ...]:
        """All of it below its title."""
        kind = self.kind
        body: list[str | Part] = [*kind.opening]
        if kind.recitals:
            recitals = [
                Part(f"({number})", (self._text(),), kind="item")
                for number in range(1, self.random.randint(8, 30))
            ]
            body.append(Part(kind.recitals, tuple(recitals), kind="aside"))
        parts: list[Part] = []
        number = 0
        while self.left > 0:
            number += 1
            parts += self._level(0, kind.levels, "", number)
        if kind.annex:
            for place in range(1, self.random.randint(2, 4)):
                parts.append(self._annex(place))
        if kind.contents and self.random.random() < _WITH_CONTENTS:
            body.append(Part(kind.contents, (self._contents(parts),), kind="aside"))
        return with_title(kind.title, [*body, *parts])

    def _contents(self, parts: Sequence[Part]) -> str:
        """Headings with dots and page numbers."""
        lines = []
        page = 3
        for part in walk(parts):
            if part.kind not in ("item", "aside"):
                page += self.random.randint(0, 2)
                shown = " ".join(one for one in (part.heading, part.below) if one)[:60]
                lines.append(f"   {shown} {'.' * max(4, 66 - len(shown))} {page}")
        return "\n".join(lines)

    def _annex(self, place: int) -> Part:
        kind = self.kind
        assert kind.annex
        self.left = 8
        body: list[str | Part] = []
        letter = self._numbers(kind.annex, place, "")["A"]
        self.counts = {}
        if kind.annex_levels:
            for number in range(1, self.random.randint(3, 6)):
                body += self._level(0, kind.annex_levels, letter, number)
        else:
            body.append(self._text())
        return self._part(kind.annex, self._numbers(kind.annex, place, ""), body, "division")

    def _level(self, depth: int, levels: Sequence[Level], around: str, place: int) -> list[Part]:
        """The part of a level with this place among its siblings, or those of the next level where it is left out."""
        level = levels[depth]
        if depth + 1 == len(levels):
            return self._leaf(level, depth, around, place)
        numbers = self._counted(level, depth, around, place)
        body: list[str | Part] = []
        if self.random.random() < (0.6 if level.counting == "parts" else _WITH_NOTE):
            body.append(self._text())
        below = depth + 1
        if (
            levels[below].optional
            and below + 1 < len(levels)
            and self.random.random() < levels[below].optional
        ):
            below += 1
        if levels is self.kind.levels:
            for inner in range(below, len(levels)):
                if levels[inner].counting in ("anew", "digits"):
                    self.counts.pop(inner, None)
        for inner_place in range(1, self.random.randint(*levels[below].few) + 1):
            body += self._level(below, levels, numbers["p"], inner_place)
            if self.left <= 0:
                break
        leaf = level.counting == "parts"
        if leaf:
            self.left -= 1
        return [self._part(level, numbers, body, "section" if leaf else "division")]

    def _leaf(self, level: Level, depth: int, around: str, place: int) -> list[Part]:
        kind, random = self.kind, self.random
        self.left -= 1
        numbers = self._counted(level, depth, around, place)
        if level.counting != "parts" and random.random() < 0.02:  # numbers that are left out
            self.counts[depth] = self.counts.get(depth, 0) + random.randint(1, 3)
        found = [self._part(level, numbers, self._section(), "section")]
        if kind.inserted and level.counting in ("on", "hundreds") and random.random() < 0.06:
            ending = kind.inserted[0]
            own = {key: f"{one}{ending}" if key == "n" else one for key, one in numbers.items()}
            found.append(self._part(level, {**own, **self._titles()}, self._section(), "section"))
        if kind.gone and random.random() < 0.03:
            first = self.counts.get(depth, 0) + 1
            self.counts[depth] = first + 2
            found.append(Part(kind.gone.format(n=first, m=first + 2), kind="aside"))
        if kind.repealed and random.random() < 0.04:
            empty = self._counted(level, depth, around, place + 1)
            found.append(
                self._part(
                    level,
                    {**empty, "t": kind.repealed, "C": kind.repealed, "T": kind.repealed},
                    [],
                    "section",
                )
            )
        return found

    def _counted(self, level: Level, depth: int, around: str, place: int) -> dict[str, str]:
        if level.counting == "on" or (level.counting in ("anew", "digits") and depth):
            place = self.counts[depth] = self.counts.get(depth, 0) + 1
        elif level.counting == "hundreds":
            key = 1000 + int(around or 0)
            place = self.counts[key] = self.counts.get(key, 0) + 1
            return {**self._numbers(level, 100 * int(around or 0) + place, around)}
        return self._numbers(level, place, around)

    def _numbers(self, level: Level, value: int, around: str) -> dict[str, str]:
        ordinals = self.kind.ordinals
        letters = string.ascii_uppercase
        own = f"{around}.{value}" if level.counting == "parts" and around else str(value)
        return {
            "n": own, "p": f"{around}{value}" if level.counting == "digits" else own, "around": around, "I": _roman(value),
            "A": letters[(value - 1) % 26], "w": ordinals[(value - 1) % len(ordinals)] if ordinals else "",
            "I1": "Ier" if value == 1 else _roman(value),
            **self._titles(),
        }  # fmt: skip

    def _titles(self) -> dict[str, str]:
        title = self.kind.words.title(self.random)
        return {"t": title, "T": title.upper(), "C": _capitalised(title)}

    def _part(
        self, level: Level, numbers: dict[str, str], body: Sequence[str | Part], kind: Kind
    ) -> Part:
        heading, _, below = level.form.format(**numbers).partition("\n")
        return Part(heading, tuple(body), below, kind, level.run_in)

    def _section(self) -> list[str | Part]:
        """What stands in a section: text, items, and what only looks like a heading."""
        kind, random = self.kind, self.random
        body: list[str | Part] = []
        if not kind.items or random.random() < 0.5:
            body.append(self._text())
        if kind.items and random.random() < 0.7:
            if body and random.random() < 0.5:
                body[-1] = f"{str(body[-1]).rstrip('.')}:"
            body += self._items(0)
        if not body:
            body.append(self._text())
        if kind.starts and random.random() < 0.15:
            self._put_in(
                body,
                random.choice(kind.starts).format(n=random.randint(1, 60), m=random.randint(2, 9)),
            )
        if kind.quotes and random.random() < 0.06:
            self._put_in(body, self._quoted())
        if kind.lists and random.random() < 0.15:
            sign = random.choice(("{}.", "{})", "({})"))
            lines = [
                f"   {sign.format(number)} {kind.words.sentence(random)}"
                for number in range(1, random.randint(3, 6))
            ]
            self._put_in(body, "\n".join(lines))
        if kind.lists and random.random() < 0.08:
            self._put_in(body, "```\n# 3.2 Options\n## Section 4. Sample\nrun --all\n```")
        if kind.tables and random.random() < 0.1:
            rows = [
                f"   {random.randint(1, 9)}.{number}      {random.randint(10, 999)}      yes"
                for number in range(1, 5)
            ]
            self._put_in(body, "\n".join(["   Field    Octets   Used", *rows]))
        return body

    def _put_in(self, body: list[str | Part], text: str) -> None:
        """Put a paragraph behind the text at the beginning, before items."""
        first = next((place for place, one in enumerate(body) if isinstance(one, Part)), len(body))
        body.insert(first if first else len(body), text)

    def _items(self, depth: int) -> list[Part]:
        kind, random = self.kind, self.random
        form = kind.items[depth]
        count = random.randint(2, 5 if depth else 7)
        if depth == 0 and random.random() < 0.05:
            count = random.randint(10, 24)
        items = []
        for value in range(1, count + 1):
            body: list[str | Part] = []
            deeper = depth + 1 < len(kind.items) and random.random() < 0.25
            lead = (
                f"{_capitalised(kind.words.title(random))}.—"
                if kind.led and depth < 2 and random.random() < 0.5
                else ""
            )
            if deeper:
                if lead or not kind.led or random.random() < 0.8:
                    body.append(f"{self.kind.words.sentence(random).rstrip('.')}:")
                body += self._items(depth + 1)
            else:
                body.append(self._text(2))
            items.append(Part(_enumerator(form, value), tuple(body), kind="item", lead=lead))
        return items

    def _text(self, most: int = 3) -> str:
        text = self.kind.words.paragraph(self.random, most)
        if self.kind.cites and self.random.random() < 0.35:
            cited = self.random.choice(self.kind.cites).format(
                n=self.random.randint(1, 60), m=self.random.randint(2, 9)
            )
            text = f"{text.rstrip('.')}{cited} {self.kind.words.sentence(self.random)}"
        return text

    def _quoted(self) -> str:
        number = self.random.randint(1, 60)
        title = self.kind.words.title(self.random).upper()
        lines = (self.kind.words.sentence(self.random) for _ in range(2))
        return "\n".join(
            [
                f"“SEC. {number}. {title}.",
                *(f"“({sign}) {line}" for sign, line in zip("ab", lines, strict=True)),
            ]
        )


_WITH_CONTENTS = 0.5
_WITH_NOTE = 0.1
"""The share of divisions in which text stands before the first part."""


def _enumerator(form: str, value: int) -> str:
    sign = form.strip("().°-§ ")
    written = {
        "1": lambda: str(value), "a": lambda: _letters(value), "A": lambda: _letters(value).upper(),
        "i": lambda: _roman(value).lower(), "I": lambda: _roman(value), "aa": lambda: _letters(value) * 2,
    }[sign]()  # fmt: skip
    return form.replace(sign, written)


def _letters(value: int) -> str:
    return string.ascii_lowercase[(value - 1) % 26] * (1 + (value - 1) // 26)


def _roman(value: int) -> str:
    shown = ""
    for worth, sign in (
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ):
        while value >= worth:
            shown, value = shown + sign, value - worth
    return shown


def _capitalised(title: str) -> str:
    return " ".join(
        word if word in _SMALL else word[0].upper() + word[1:] for word in title.split()
    )


_SMALL = frozenset(("of", "and", "the", "a", "an", "for", "on", "to"))

_ENGLISH_STARTS = (
    "Section {n} applies to a permit that was granted before this Act commenced.",
    "Sections {n} and {m} do not apply in that case, and neither does the tariff.",
    "Part {m} of this Act has effect subject to any order made under this section.",
    "{n} days after the notice is given, the register is to be closed.",
)

TRADITIONS = (
    Tradition(
        "US bill", language.ENGLISH, "A BILL To provide for harbours and for other purposes.",
        ("116th CONGRESS, 1st Session", "Be it enacted by the Senate and House of Representatives of the United States of America in Congress assembled,"),
        (
            Level("TITLE {I}—{T}"), Level("Subtitle {A}—{C}", few=(2, 3), optional=0.6),
            Level("SEC. {n}. {T}.", "hundreds", few=(3, 9)),
        ),
        ("(a)", "(1)", "(A)", "(i)", "(I)"), led=True, starts=_ENGLISH_STARTS,
        cites=(" under section {n}.", " as provided in section {n}(a)({m}) of this Act.", ", subject to Title {m} of Public Law 9{n}."),
        inserted=("A",), quotes=True, contents="Table of Contents",
    ),
    Tradition(
        "US state code", language.ENGLISH, "Title 28. Commercial Instruments and Harbours.",
        ("The Legislature of the State enacts the following statutes.",),
        (Level("Article {n}. {C}.", few=(2, 4)), Level("Part {A}. {C}.", few=(2, 4)), Level("§ 28:{n}. {C}.", "hundreds", few=(4, 12))),
        ("(a)", "(1)", "(A)"), starts=("Section 28:{m}{n} applies to a transfer that is not perfected.",),
        cites=(" under § 28:{m}{n}.", " as section 28:{m}-{n} provides."), inserted=(".01",), repealed="Repealed",
    ),
    Tradition(
        "US constitution", language.ENGLISH, "Constitution of the State of Harbours", ("We, the people of the State, establish this Constitution.",),
        (Level("Article {I}. {C}", few=(4, 8)), Level("Section {n}. {C}.", few=(3, 15), run_in=True)),
        ("(a)", "(1)"), starts=("Section {n} applies to an officer who is appointed under this article.",),
        cites=(" under Section {m}.", " as Article II, Section {m}, provides."), inserted=(),
    ),
    Tradition(
        "US state code, dashed", language.ENGLISH, "Title 28. Commercial Instruments and Harbours.",
        ("The Legislature of the State enacts the following statutes.",),
        (Level("Chapter {n}. {C}.", few=(2, 4)), Level("Subchapter {I}. {C}.", few=(2, 3)), Level("28:{around}-{n}. {C}.", "hundreds", few=(4, 12))),
        ("(a)", "(1)", "(A)"), cites=(" under section 28:{m}-{n}.",),
    ),
    Tradition(
        "UK act", language.ENGLISH, "Harbours (Amendment) Act 2019",
        ("An Act to make provision about harbours in the United Kingdom; and for connected purposes.", "Be it enacted by the Queen’s most Excellent Majesty, by and with the advice and consent of Parliament, as follows:—"),
        (Level("Part {n}  {C}", few=(2, 4)), Level("Chapter {n}  {C}", few=(2, 3), optional=0.5), Level("{n}  {t}", "on", few=(3, 9))),
        ("(1)", "(a)", "(i)"), starts=_ENGLISH_STARTS, cites=(" under section {n}.", " as defined in section {n}({m})."),
        inserted=("A",), annex=Level("Schedule {n}  {C}"), annex_levels=(Level("Part {n}  {C}"), Level("{n}  {t}", "on", few=(2, 5))),
        contents="Contents",
    ),
    Tradition(
        "EU regulation", language.ENGLISH, "REGULATION (EU) 2019/999 OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL on harbours",
        ("THE EUROPEAN PARLIAMENT AND THE COUNCIL OF THE EUROPEAN UNION, having regard to the proposal; Member States shall apply this Regulation.",),
        (Level("CHAPTER {I}\n{T}"), Level("Section {n}\n{t}", few=(2, 3), optional=0.6), Level("Article {n}\n{t}", "on", few=(3, 8))),
        ("1.", "(a)", "(i)"), starts=("Article {n} of Regulation (EU) 2016/679 applies to the register.", "Articles {m} and {n} shall not apply to Member States."),
        cites=(" referred to in Article {n}({m}).", ", pursuant to Chapter V and Article {n}."), inserted=("a",), recitals="Whereas:",
        annex=Level("ANNEX {I}\n{T}"),
    ),
    Tradition(
        "German law", language.GERMAN, "Hafengesetz (HafG)", ("Der Bundestag hat das folgende Gesetz beschlossen:",),
        (Level("Teil {n}\n{t}", few=(2, 4)), Level("Abschnitt {n}\n{t}", few=(2, 3), optional=0.4), Level("§ {n} {t}", "on", few=(3, 9))),
        ("(1)", "1.", "a)", "aa)"), starts=("§ {n} Absatz {m} gilt entsprechend, soweit das Register betroffen ist.", "Die §§ {m} und {n} bleiben unberührt.", "§ {n} Nummer {m} und 4 der Hafenordnung bleibt unberührt."),
        cites=(" nach § {n}.", " im Sinne des § {n} Absatz {m}."), inserted=("a",), repealed="(weggefallen)", gone="§§ {n} bis {m} (weggefallen)", annex=Level("Anlage {n}\n{t}"),
        contents="Inhaltsübersicht",
    ),
    Tradition(
        "French code", language.FRENCH, "Code des ports", ("Le présent code est applicable à compter de sa publication.",),
        (
            Level("Livre {I1} : {t}", few=(2, 3)), Level("Titre {I1} : {t}", few=(2, 3)), Level("Chapitre {I1} : {t}", few=(2, 3), optional=0.3),
            Level("Section {n} : {t}", few=(2, 3), optional=0.5), Level("Article {n}", "on", few=(3, 8)),
        ),
        ("1°", "a)"), starts=("L’article {n} est applicable aux ports.", "Article {n} du règlement, paragraphe {m}, non applicable aux ports.", "Les articles {m} et {n} ne sont pas applicables dans ce cas."),
        cites=(" mentionné à l’article {n}.", " dans les conditions prévues au chapitre II du titre {m}."), inserted=(" bis",),
    ),
    Tradition(
        "French code, lettered", language.FRENCH, "Code des ports", ("Le présent code est applicable à compter de sa publication.",),
        (
            Level("PARTIE LÉGISLATIVE", few=(1, 1)), Level("Livre {I1} : {t}", "digits", few=(3, 5)), Level("TITRE {I1} : {T}", "digits", few=(2, 3)),
            Level("Chapitre {I1} : {t}", "digits", few=(2, 3)), Level("Article L{around}-{n}", few=(3, 12)),
        ),
        ("1°", "a)"), starts=("L’article L{m}{n}-{n} est applicable aux ports.",), cites=(" mentionné à l’article L{m}{n}-{n}.", " du I de l’article R. {n}-{m}."),
    ),
    Tradition(
        "Italian code", language.ITALIAN, "Codice dei porti", ("Il presente codice disciplina i porti.",),
        (
            Level("LIBRO {w}\n{t}", few=(2, 3)), Level("TITOLO {I}\n{t}", few=(2, 3)), Level("CAPO {I}\n{t}", few=(2, 3), optional=0.3),
            Level("Art. {n}.\n{t}", "on", few=(3, 8)),
        ),
        ("1.", "a)"), starts=("L’articolo {n} si applica ai porti.", "{n} giorni dopo la notifica il registro è chiuso."), cites=(" di cui all’articolo {n}.", " ai sensi dell’art. {n}, comma {m}."), inserted=("-bis",),
        ordinals=("PRIMO", "SECONDO", "TERZO", "QUARTO", "QUINTO", "SESTO", "SETTIMO", "OTTAVO", "NONO", "DECIMO"),
        repealed="ABROGATO",
    ),
    Tradition(
        "Spanish code", language.SPANISH, "Código de puertos", ("El presente código regula los puertos.",),
        (
            Level("LIBRO {w}\n{t}", few=(2, 3)), Level("TÍTULO {I}\n{t}", few=(2, 3)), Level("CAPÍTULO {I}\n{t}", few=(2, 3), optional=0.3),
            Level("Artículo {n}. {t}.", "on", few=(3, 8)),
        ),
        ("1.", "a)"), starts=("El artículo {n} se aplicará a los puertos.",), cites=(" previsto en el artículo {n}.", " conforme al artículo {n}.{m}."),
        inserted=(" bis",), ordinals=("PRIMERO", "SEGUNDO", "TERCERO", "CUARTO", "QUINTO", "SEXTO", "SÉPTIMO", "OCTAVO", "NOVENO", "DÉCIMO"),
    ),
    Tradition(
        "Portuguese code", language.PORTUGUESE, "Código dos portos", ("O presente código regula os portos.",),
        (
            Level("LIVRO {I}\n{t}", few=(2, 3)), Level("TÍTULO {I}\n{t}", few=(2, 3)), Level("CAPÍTULO {I}\n{t}", few=(2, 3), optional=0.3),
            Level("Artigo {n}.º\n{t}", "on", few=(3, 8)),
        ),
        ("1.", "a)"), starts=("O artigo {n}.º aplica-se aos portos.",), cites=(" previsto no artigo {n}.º.", " nos termos do n.º {m} do artigo {n}.º."),
    ),
    Tradition(
        "Dutch act", language.DUTCH, "Havenwet", ("Wij bij de gratie Gods hebben goedgevonden en verstaan:",),
        (Level("Hoofdstuk {n}. {t}", few=(2, 4)), Level("Afdeling {n}. {t}", few=(2, 3), optional=0.4), Level("Artikel {n}", "on", few=(3, 8))),
        ("1.", "a."), starts=("Artikel {n} is van overeenkomstige toepassing.",), cites=(" bedoeld in artikel {n}, eerste lid.", " ingevolge de artikelen {m} en {n}."),
        inserted=("a",),
    ),
    Tradition(
        "Polish code", language.POLISH, "Kodeks portowy", ("Ustawa określa zasady działania portów.",),
        (
            Level("KSIĘGA {w}\n{t}", few=(2, 3)), Level("Tytuł {I}\n{t}", few=(2, 3)), Level("Dział {I}\n{t}", few=(2, 3), optional=0.3),
            Level("Rozdział {n}\n{t}", few=(2, 3)), Level("Art. {n}.", "on", few=(3, 8), run_in=True),
        ),
        ("1.", "1)", "a)"), starts=("Art. {n} stosuje się odpowiednio do portów.",), cites=(" o którym mowa w art. {n} ust. {m}.", " na podstawie art. {n}."), inserted=("a",),
        ordinals=("PIERWSZA", "DRUGA", "TRZECIA", "CZWARTA", "PIĄTA", "SZÓSTA", "SIÓDMA", "ÓSMA", "DZIEWIĄTA", "DZIESIĄTA"),
    ),
    Tradition(
        "contract", language.ENGLISH, "SUPPLY AGREEMENT",
        ("This Supply Agreement is made on the Effective Date by and between Alpha Harbours Ltd. (the “Supplier”) and Beta Lines Inc. (the “Customer”), together the parties.",),
        (Level("{n}. {T}", "parts", few=(3, 8)), Level("{n} {C}.", "parts", few=(2, 6), run_in=True)),
        ("(a)", "(i)", "(A)"), starts=("Section {m}.{m} applies to each shipment that the parties agree.",), cites=(" under Section {m}.{n}.", " pursuant to clause {m}.{m}({n})."),
        annex=Level("Schedule {n}  {C}"),
    ),
    Tradition(
        "contract by articles", language.ENGLISH, "LICENSE AGREEMENT",
        ("This License Agreement is made on the Effective Date by and between Alpha Inc. (“Licensor”) and Beta LLC (“Licensee”), together the parties.",),
        (Level("ARTICLE {I}\n{T}", few=(3, 8)), Level("Section {around}.{n} {C}.", few=(2, 6), run_in=True)),
        ("(a)", "(i)", "(A)"), starts=("Section {m}.{m} applies to each product that the parties name.",), cites=(" under Section {m}.{n}.",),
        annex=Level("Exhibit {A}  {C}"),
    ),
    Tradition(
        "RFC", language.TECHNICAL, "The Harbour Transfer Protocol",
        ("Network Working Group. Request for Comments: 9999", "This document describes a protocol for the transfer of frames."),
        (Level("{n}.  {C}", "parts", few=(3, 7)), Level("{n}.  {C}", "parts", few=(2, 5), optional=0.2), Level("{n}.  {C}", "parts", few=(2, 4))),
        cites=(" as described in Section {m}.{m}.", " (see Section {m}.{n}.1)."), contents="Table of Contents", lists=True, tables=True,
        annex=Level("Appendix {A}.  {C}"), annex_levels=(Level("{n}.  {C}", "parts"),),
    ),
    Tradition(
        "ISO standard", language.TECHNICAL, "ISO 99999: Harbour equipment — Requirements",
        ("This document specifies requirements for harbour equipment.",),
        (Level("{n} {t}", "parts", few=(3, 7)), Level("{n} {t}", "parts", few=(2, 5)), Level("{n} {t}", "parts", few=(2, 4))),
        starts=("{m}.{m} also applies to equipment in storage, if the manufacturer says so.",), cites=(" in accordance with {m}.{m}.", " (see {m}.{m}.1 and Annex A)."),
        lists=True, tables=True, contents="Contents", annex=Level("Annex {A} (normative) {C}"), annex_levels=(Level("{n} {t}", "parts"),),
    ),
    Tradition(
        "handbook", language.TECHNICAL, "Harbour Crane Handbook", ("This handbook is for operators of harbour cranes.",),
        (Level("Chapter {n}: {C}", "parts", few=(3, 6)), Level("{n} {C}", "parts", few=(2, 6)), Level("{n} {C}", "parts", few=(2, 5), optional=0.3)),
        cites=(" as described in Chapter {m}.", " (see {m}.{m})."), lists=True, tables=True, contents="Contents", annex=Level("Appendix {A}: {C}"),
    ),
    Tradition(
        "annual report", language.FILING, "FORM 10-K", ("ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934",),
        (Level("PART {I}", few=(3, 4)), Level("Item {n}. {C}", "on", few=(3, 5))),
        cites=(" as discussed in Item {m}.", ", as described in Part I, Item 1A, “Risk Factors.”"), inserted=("A",), tables=True,
    ),
)  # fmt: skip
"""All that there are."""
