"""Queries that ask for one thing that is there: what a term means, a phrase with other punctuation, an act by its whole title.

first %     queries whose first hit is, or may be, what was asked for
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from common import DATA, Report

from hierdoc import AsyncIndex, Chunk, Hit

Check = Callable[[Hit], bool]


@dataclass(frozen=True)
class Question:
    """What is asked, of what sort it is, and which hits are right."""

    text: str
    sort: str
    is_right: Check


MEANING = {
    "en": ("What does {t} mean?", 'What does "{t}" mean?', "definition of {t}", "{t} means", "meaning of {t}", "How is {t} defined?", "define {t}", "What is meant by {t}?"),
    "de": ("Was bedeutet {t}?", "Was versteht man unter {t}?", "Definition von {t}", "Was bedeutet „{t}“?", "{t} Begriff", "Wie ist {t} definiert?"),
    "fr": ("Qu'entend-on par {t} ?", "définition de {t}", "Que signifie {t} ?", "Qu’entend-on par « {t} » ?", "Que veut dire {t} ?", "Comment est défini {t} ?"),
}  # fmt: skip
WITHIN = {
    "en": ("definition of {t} in {y}", "What does {t} mean in {y}?", "{t} means, {y}", "In {y}, what is meant by {t}?", "definition of {t} for {y}"),
    "de": ("Was bedeutet {t} in {y}?", "Definition von {t}, {y}", "{t} Begriff {y}"),
    "fr": ("Qu'entend-on par {t} dans {y} ?", "définition de {t}, {y}"),
}  # fmt: skip

REAL = ("legal/gdpr.html", "legal/de/*.md", "legal/contracts/*.md", "legal/contracts/cuad/*.txt", "technical/nist-800-63b/*.md", "legal/fr/*.md", "legal/bill-hr8847.pdf")  # fmt: skip

SETS = ("definitions", "phrases", "titles")


def main() -> None:
    """Print and save."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=SETS)
    parser.add_argument("--failures", action="store_true", help="print the queries that fail")
    parser.add_argument(
        "--quick", action="store_true", help="made documents, few: measures nothing"
    )
    options = parser.parse_args()
    report = Report("asked", "Queries that ask for one thing that is there.", [])
    for name in [options.only] if options.only else SETS:
        chance = random.Random(options.seed)
        rows = asyncio.run(_SETS[name](chance, options.quick, options.failures))
        report.table(name, rows)
        for row in rows:
            limit = 90 if "within" in str(row["asked"]) else 97 if name == "definitions" else 99
            report.target(
                f"{row['asked']}: first, per cent", float(str(row["first %"])), ">=", limit
            )
    report.save()


async def measured(
    source: Sequence[str], ask: Callable[[Sequence[Chunk]], Sequence[Question]], *, failures: bool
) -> list[dict[str, object]]:
    """A row for each sort of question, about these files."""
    with tempfile.TemporaryDirectory() as folder:
        stores = {
            kind: {"provider": name, "path": folder}
            for kind, name in (("vector", "sqlite"), ("keyword", "tantivy"))
        }
        right: dict[str, list[bool]] = defaultdict(list)
        async with AsyncIndex.open({"source": list(source), **stores}) as index:
            await index.ingest()
            for one in ask(await index.chunks()):
                hits = (await index.search(one.text, top_k=3)).hits
                right[one.sort].append(bool(hits) and one.is_right(hits[0]))
                if failures and not right[one.sort][-1]:
                    found = hits[0].chunk if hits else None
                    where = (
                        (found.source, found.parent_chain[-1:], found.text[:80]) if found else None
                    )
                    print(f"  {one.sort}: {one.text!r} -> {where}")
    return [
        {"asked": sort, "n": len(held), "first %": 100 * statistics.mean(held)}
        for sort, held in sorted(right.items())
    ]


# Definitions


async def definitions(
    chance: random.Random, quick: bool, failures: bool
) -> list[dict[str, object]]:
    """Terms that made acts define by construction, and those that are found in real documents."""
    with tempfile.TemporaryDirectory() as folder:
        asked = written_acts(Path(folder), chance)
        rows = await measured([f"{folder}/*.md"], lambda chunks: asked, failures=failures)
    if not quick and DATA.exists():
        real = [str(DATA / one) for one in REAL]
        rows += await measured(real, lambda chunks: defined(chunks, chance), failures=failures)
    return rows


def defined(chunks: Sequence[Chunk], chance: random.Random, most: int = 300) -> list[Question]:
    """Questions about terms that chunks define, alone and with a heading that tells them apart."""
    held = [(one, chunk) for chunk in chunks for one in chunk.definitions if len(one.term) > 2]
    chance.shuffle(held)
    places: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one, chunk in held:
        for heading in {chunk.title, *chunk.parent_chain}:
            places[one.term.casefold(), heading].add(chunk.id)
    asked = []
    for one, chunk in held[:most]:
        language = (chunk.language or "en")[:2]
        term = one.term.casefold()
        form = chance.choice(MEANING.get(language, MEANING["en"]))
        asked.append(Question(form.format(t=one.term), "real: a term", _defines(term)))
    for one, chunk in held:
        language, term = (chunk.language or "en")[:2], one.term.casefold()
        around = [
            heading
            for heading in {chunk.title, *chunk.parent_chain}
            if 3 < len(heading) < 60 and len(places[term, heading]) == 1
        ]
        if around and len(asked) < 2 * most:
            form = chance.choice(WITHIN.get(language, WITHIN["en"]))
            text = form.format(t=one.term, y=chance.choice(sorted(around)))
            asked.append(Question(text, "real: a term within", _is(chunk.id)))
    return asked


def _defines(term: str, source: str = "", section: str = "") -> Check:
    def check(hit: Hit) -> bool:
        return any(one.term.casefold() == term for one in hit.chunk.definitions) and (
            not source or (Path(hit.chunk.source).name == source and section in hit.chunk.text)
        )

    return check


def _is(chunk_id: str) -> Check:
    return lambda hit: hit.chunk.id == chunk_id


TERMS = {
    "en": ("Berth", "Pilot", "Harbour master", "Vessel in distress", "Dangerous goods", "Tide gauge", "Co-owner", "Mooring buoy", "Port users' council", "Lay day", "Salvor", "Ship's agent", "E-document", "Ballast water", "Bunker"),
    "de": ("Liegeplatz", "Lotse", "Hafenmeister", "Schiff in Seenot", "Gefahrgut", "Pegel", "Miteigentümer", "Festmachetonne", "Hafennutzerrat", "Liegetag", "Berger", "Schiffsmakler", "E-Dokument", "Ballastwasser", "Bunker"),
    "fr": ("Poste", "Pilote", "Capitaine de port", "Navire en détresse", "Marchandises dangereuses", "Marégraphe", "Copropriétaire", "Bouée d'amarrage", "Conseil des usagers", "Jour de planche", "Sauveteur", "Agent maritime", "Document électronique", "Eau de ballast", "Soute"),
}  # fmt: skip
ACTS = {
    "en": ("{place} Harbours Act", "Chapter {n} {about}", "In this chapter:", "“{t}” means {d}.", "{t} may be inspected at any time; the owner shall keep records of each {t}.", "No {t} is exempt from fees, and the meaning of fees is settled by order."),
    "de": ("Hafengesetz {place}", "Kapitel {n} {about}", "Im Sinne dieses Kapitels bedeutet", "„{t}“: {d};", "Jeder {t} kann jederzeit geprüft werden; der Eigentümer führt Aufzeichnungen über {t}.", "{t} ist nicht von Gebühren befreit; was Gebühren bedeuten, regelt eine Verordnung."),
    "fr": ("Loi sur les ports de {place}", "Chapitre {n} {about}", "Au sens du présent chapitre, on entend par :", "« {t} » : {d} ;", "Tout {t} peut être inspecté à tout moment ; le propriétaire tient un registre de {t}.", "Aucun {t} n'est exempté de redevance, et la définition de la redevance est fixée par décret."),
}  # fmt: skip
ABOUT = {
    "en": ("Pilotage", "Waste", "Fishing", "Leisure craft", "Customs", "Cranes", "Wrecks", "Ice"),
    "de": ("Lotswesen", "Abfall", "Fischerei", "Sportboote", "Zoll", "Kräne", "Wracks", "Eis"),
    "fr": ("Pilotage", "Déchets", "Pêche", "Plaisance", "Douane", "Grues", "Épaves", "Glace"),
}
MEANT = {
    "en": ("anything that floats and carries {w}", "a person who takes charge of {w}", "the place where {w} is kept"),
    "de": ("alles, was schwimmt und {w} trägt", "eine Person, die {w} übernimmt", "der Ort, an dem {w} liegt"),
    "fr": ("tout ce qui flotte et porte {w}", "la personne qui prend en charge {w}", "le lieu où se trouve {w}"),
}  # fmt: skip
LOADS = {
    "en": ("grain", "coal", "mail", "salt", "timber", "fish", "wine", "slate", "wool", "iron"),
    "de": ("Getreide", "Kohle", "Post", "Salz", "Holz", "Fisch", "Wein", "Schiefer", "Wolle", "Eisen"),
    "fr": ("du grain", "du charbon", "du courrier", "du sel", "du bois", "du poisson", "du vin", "de l'ardoise", "de la laine", "du fer"),
}  # fmt: skip
PLACES = ("Aldmouth", "Berrow", "Crailquay", "Dornport", "Elverstad", "Farnholm")


def written_acts(folder: Path, chance: random.Random) -> list[Question]:
    """Write acts whose chapters define the same terms each in its own way; what is asked about them."""
    asked = []
    for language, (title, chapter, opening, sentence, *talk) in ACTS.items():
        for place in PLACES:
            name = title.format(place=place)
            parts = [f"# {name}\n"]
            held = []
            for number, about in enumerate(chance.sample(ABOUT[language], 4), start=1):
                parts += [f"## {chapter.format(n=number, about=about)}\n", f"{opening}\n"]
                terms = chance.sample(TERMS[language], 5)
                for term in terms:
                    meant = chance.choice(MEANT[language]).format(w=chance.choice(LOADS[language]))
                    written = sentence.format(
                        t=term, d=f"{meant}, no. {chance.randint(1000, 9999)}"
                    )
                    parts.append(f"{written}\n")
                    held.append((term, about, written))
                for _ in range(6):
                    said = [chance.choice(talk).format(t=one) for one in terms]
                    parts.append(
                        f"### {chance.choice(TERMS[language])}, {number}\n\n{' '.join(said)}\n"
                    )
            file = f"{place}-{language}.md".lower()
            folder.joinpath(file).write_text("\n".join(parts), "utf-8")
            for term, about, written in held:
                form = chance.choice(MEANING[language])
                check = _defines(term.casefold())
                asked.append(Question(form.format(t=term), f"made, {language}: a term", check))
                form = chance.choice(WITHIN[language])
                inside = _defines(term.casefold(), file, written)
                within = form.format(t=term, y=f"{about}, {name}")
                asked.append(Question(within, f"made, {language}: a term within", inside))
    return asked


# Phrases


async def phrases(chance: random.Random, quick: bool, failures: bool) -> list[dict[str, object]]:
    """Runs of words with a possessive, a hyphen or a comma in them, quoted with other punctuation."""
    if quick or not DATA.exists():
        return [{"asked": "phrases need real documents", "n": 0, "first %": 100.0}]
    source = [
        str(DATA / one) for one in (*REAL, "legal/alabama-constitution.md", "technical/eips/*.md")
    ]
    return await measured(source, lambda chunks: changed(chunks, chance), failures=failures)


_RUN = re.compile(r"[^\s|`*_#\[\]<>]+(?: [^\s|`*_#\[\]<>]+){5,8}")
_CHANGES: dict[str, Callable[[str], str]] = {
    "possessive written without apostrophe": lambda text: re.sub(r"(?<=\w)['’]s\b", "s", text),
    "possessive of the plural without apostrophe": lambda text: re.sub(r"(?<=s)['’](?=\s)", "", text),
    "possessive added": lambda text: re.sub(r"(?<=[a-z]{3}[^ius\W])s (?=[a-z])", "'s ", text, count=1),
    "typographic apostrophe": lambda text: text.replace("'", "\0").replace("’", "'").replace("\0", "’"),
    "hyphen left out": lambda text: re.sub(r"(?<=[a-z])-(?=[a-z])", " ", text),
    "hyphen for a space": lambda text: re.sub(r"(?<=[a-z]{2}) (?=[a-z]{2})", "-", text, count=1),
    "commas left out": lambda text: re.sub(r",(?=\s)", "", text),
    "comma added": lambda text: re.sub(r"(?<=[a-z]) (?=[a-z])", ", ", text, count=1),
    "brackets left out": lambda text: re.sub(r"[()]", "", text),
    "case and dashes": lambda text: text.upper().replace("-", "–"),
    "slash for space": lambda text: text.replace("/", " "),
    "full stops left out": lambda text: re.sub(r"(?<=[A-Za-z])\.(?=\s|[A-Za-z]\.)", "", text),
}  # fmt: skip
"""Ways in which a quotation may differ from what it quotes."""


def changed(chunks: Sequence[Chunk], chance: random.Random, most: int = 40) -> Iterator[Question]:
    """For each change phrases that it changes, whose words stand in one place alone or in several that all count."""
    shuffled = [*chunks]
    chance.shuffle(shuffled)
    bare = {chunk.id: f" {_bare(chunk.text)} " for chunk in chunks}
    for name, change in _CHANGES.items():
        found = 0
        for chunk in shuffled:
            runs = [one for one in _RUN.findall(chunk.text) if change(one) != one and '"' not in one and "”" not in one and "“" not in one]  # fmt: skip
            if not runs or found == most:
                continue
            run = chance.choice(runs)
            quoted = change(run)
            words = _bare(run)
            if len(words.split()) < 5:
                continue
            found += 1
            holders = {one for one, text in bare.items() if f" {words} " in text}
            yield Question(
                f'"{quoted}"', name, lambda hit, holders=holders: hit.chunk.id in holders
            )


def _bare(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", re.sub(r"(?<=\w)['’](?=\w)", "", text.casefold())))


# Titles


async def titles(chance: random.Random, quick: bool, failures: bool) -> list[dict[str, object]]:
    """Citations of sections of acts whose titles hold each other."""
    with tempfile.TemporaryDirectory() as folder:
        asked = written_twins(Path(folder), chance)
        return await measured([f"{folder}/*"], lambda chunks: asked, failures=failures)


SUBJECTS = (
    "Rental Housing", "Clean Water", "Ballot Access", "Street Vendor", "Medical Records", "Tree Canopy", "School Safety", "Taxicab Fare",
    "Noise Control", "Public Library", "Fire Code", "Tenant Payment Plan", "Wage Transparency", "Bicycle Parking",
)  # fmt: skip
TWINS = (
    "{s} Act of 2020", "{s} Amendment Act of 2020", "{s} Temporary Amendment Act of 2020", "{s} Emergency Amendment Act of 2020",
    "{s} Second Temporary Amendment Act of 2020", "{s} Clarification Amendment Act of 2020", "{s} Amendment Act of 2021",
)  # fmt: skip
CITING = (
    "Section {n} of the {t}", "{t}, section {n}", "Sec. {n}, {t}", "What does section {n} of the {t} say?", "{t} § {n}",
    "Under the {t}, what does section {n}({p}) require?", "in the {t}: sec. {n}",
)  # fmt: skip
DUTIES = (
    "keep a register",
    "give notice",
    "pay the fee",
    "publish a report",
    "train the staff",
    "hold a hearing",
)


def written_twins(folder: Path, chance: random.Random) -> list[Question]:
    """Write acts with near-twin titles; citations of their sections in several forms."""
    asked = []
    number = 0
    for subject in SUBJECTS:
        for form in chance.sample(TWINS, 5):
            title = form.format(s=subject)
            number += 1
            style = number % 3
            file = (
                f"act-{number}.md",
                f"{title.replace(' ', '-').lower()}.md",
                f"law-{number}.txt",
            )[style]
            lines = [f"# {title}" if style < 2 else title.upper(), ""]
            if style == 2:
                lines += [f"To amend the {subject} Act of 2020 and for other purposes.", "", f"This act may be cited as the “{title}”.", ""]  # fmt: skip
            count = chance.randint(4, 7)
            for section in range(2, count + 2):
                head = f"Sec. {section}. {chance.choice(DUTIES).capitalize()}."
                lines += [f"## {head}" if style < 2 else head, ""]
                for part in "ab":
                    lines += [f"({part}) The Mayor shall {chance.choice(DUTIES)} within {chance.randint(5, 90)} days under the {subject} Act.", ""]  # fmt: skip
            folder.joinpath(file).write_text("\n".join(lines), "utf-8")
            for _ in range(3):
                section = chance.randint(2, count + 1)
                text = chance.choice(CITING).format(n=section, t=title, p="a")
                asked.append(Question(text, "a section of a near-twin", _section(file, section)))
            asked.append(Question(title, "a near-twin by its title", lambda hit, file=file: Path(hit.chunk.source).name == file))  # fmt: skip
    return asked


def _section(file: str, number: int) -> Check:
    return lambda hit: Path(hit.chunk.source).name == file and f"Sec. {number}." in hit.chunk.text


_SETS = {"definitions": definitions, "phrases": phrases, "titles": titles}


if __name__ == "__main__":
    main()
