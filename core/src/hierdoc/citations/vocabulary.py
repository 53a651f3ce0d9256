"""The vocabulary of citations: what parts of documents are called, by language, and what each word leads to.

The lists at the top are data: to teach the grammar a word, add it there. What follows looks words up as they are written.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hierdoc.text.words import words

LABELS: dict[str, str] = {
    "sec": "section sections sec secs sect sects § §§ sección secciones sezione sezioni "
    "seção seções secção secció seccions secțiunea secţiunea sectie afdeling afdelingen oddział avsnitt afsnit раздел раздела разделе дял"
    " mục bagian τμήμα τμημα धारा סעיף seksioni",
    "subsec": "sous-section sous-sections subsección subsecciones sottosezione sottosezioni subseção subseções subsecció subseccions",
    "par": "sous-paragraphe sous-paragraphes",
    "art": "article articles art arts artikel artikels artikeln artikelen artiklar artiklarna artículo artículos articolo articoli artigo artigos "
    "artikla artikkel artikkelen articolul artykuł artykuły статья статьи статье статью стаття статті ст член článek článku článok článku čl чл članak članka madde άρθρο άρθρου αρθρο المادة مادة"
    " pasal điều neni члан ماده अनुच्छेद มาตรา ข้อ მუხლი հոդված",
    "ch": "chapter chapters ch chap kapitel kapitels kapiteln kap chapitre chapitres capítulo capítulos capitolo capitoli "
    "capo capi hauptstück hauptstücke hauptstücks hoofdstuk rozdział rozdziały luku capitolul глава главы главе розділ розділу الفصل"
    " capítol capítols bab chương bölüm κεφάλαιο κεφαλαιο kreu kapitulli поглавље فصل अध्याय หมวด פרק თავი գլուխ",
    "part": "part parts teil teile teils teilen partie parties parte partes deel część części osa partea часть část části časť časti الباب"
    " phần kısım μέρος μερος pjesa део بخش भाग ภาค חלק კარი",
    "title": "title titles titel titels titre titres título títulos titolo titoli tytuł tytuły titlul hlava hlavy"
    " títol títols τίτλος τιτλος ลักษณะ титул",
    "book": "book books buch buches livre livres libro libros libri livro livros boek boeken księga księgi"
    " llibre llibres buku kitap βιβλίο βιβλιο књига",
    "subtitle": "subtitle subtitles untertitel sous-titre sous-titres subtítulo subtítulos sottotitolo sottotitoli",
    "subch": "subchapter subchapters unterkapitel sous-chapitre sous-chapitres oddíl oddiel",
    "subpart": "subpart subparts unterabschnitt unterabschnitts",
    "div": "division divisions dział działy díl díly diel",
    "abschn": "abschnitt abschnitte abschnitts abschnitten",
    "amend": "amendment amendments amend amdt",
    "rule": "rule rules regel",
    "sched": "schedule schedules sched",
    "annex": "annex annexes anhang anhangs anhänge anlage anlagen annexe annexes anexo anexos allegato allegati bijlage bilaga bilag "
    "vedlegg liite приложение",
    "app": "appendix appendices appx",
    "exhibit": "exhibit exhibits exh",
    "item": "item items",
    "cl": "clause clauses cl klausel cláusula cláusulas clausola clausole",
    "reg": "regulation regulations reg regs",
    "note": "note notes",
    "recital": "recital recitals erwägungsgrund erwägungsgründe erwgr considérant considerando overweging overwegingen",
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
    "capítols títols seccions llibres chapitres parts parties teile teilen titles titres rules schedules annexes anhänge anlagen appendices exhibits items",
    "clauses notes recitals tables tabellen figures figs eips ercs rfcs amendments divisions artikel art artikelen artiklar",
    "artiklarna kapitel sezioni seções capítulos capitoli títulos titoli partes allegati anexos erwägungsgründe",
)
"""Words after which several numbers may follow: `Articles 15 to 22`."""

ONE_OR_SEVERAL = words("art artikel kapitel")
"""Of these, those that stand before one number just as well."""

SECTIONS_IF_DECIMAL = frozenset(("abschn",))
"""Labels that mean the same as `sec` before a decimal number (`Abschnitt 4.2`), but a division that holds sections before
another: the second `Abschnitt 1` of a German act is not its § 1."""

IDENTIFIERS = words("eip erc rfc bip pep")
"""Labels that a hyphen may join to their number, whatever their case: `EIP-1559`."""

NOT_IDENTIFIERS = words(
    "AES ANSI ASCII CA CD COVID CRC CVE DES DVD GMT GPT HTTP IEEE IP ISO MD MP PC RSA SHA SS TLS UTC UTF USB WWW X"
)
"""Capitals that a hyphen joins to a number without naming a part of a document: `SHA-256`."""

HEADING_LABELS = {"paragraphe": "par", "paragraphes": "par", "paragraaf": "par", "párrafo": "par"}
"""Words that name a division where a heading begins with them, and a level elsewhere: `Paragraphe 2 : Les notaires`."""

ROMAN = words("art ch part title book subtitle subch subpart subsec par div amend sec table abschn")
"""Labels that count in Roman numerals: `Article IV` is `art_4`."""

ROMAN_TO_39 = words("annex sched")
"""Labels that count in Roman numerals or letters; I, V and X are read as numerals, C, D, L and M as letters."""

RESTARTING = words("sched annex app exhibit")
"""Labels of divisions behind a document, in which numbers begin anew."""

LETTERED = words("part subtitle subch subpart div sched annex app exhibit table fig sec rule")
"""Labels that may be followed by capital letters alone: `Appendix B`."""

LEVELS: dict[str, str] = {
    "para": "paragraph paragraphs para paras abs absatz absatzes absätze absätzen paragraphe paragraphes apartado "
    "apartados apartat apartats paràgraf paràgrafs párrafo párrafos paragrafo paragrafi comma commi lid leden stk n.º n.o alineatul alineatele alinéa alinéas ust ustęp ustępu odst odstavec odsek odsekom bekezdés alin al. stavak stavka ledd ledet stycket "
    "часть части частина частини ч ал алинея алинеи παρ παράγραφος παραγράφου",
    "sub": "subsection subsections subs subsec subsecs sub-section sub-sections",
    "subpara": "subparagraph subparagraphs subpara subparas sub-paragraph sub-paragraphs подпункт подпункта",
    "no": "pkt nr nummer nummern ziffer ziff ziffern fracción fracciones inciso incisos inc пункт пункта пункте п т точка",
    "point": "point points buchst buchstabe buchstaben lit litera letter lett lettre lettres let. letra letras lletra lletres lettera lettere sublit "
    "punto puntos punti punt onder onderdeel sub bst alínea alíneas litra punkt punkten písm písmeno буква",
    "cl": "clause clauses subclause subclauses sub-clause sub-clauses",
}
"""Kinds of levels below a number -> the words that lead to them: `§ 1 Abs. 2 Nr. 3` is `sec_1_2_3`."""

CAPITAL_LEVELS = {"Z": "no"}
"""Kinds of levels behind what leads to them as a capital alone, as in Austria: `§ 5 Abs. 1 Z 2`."""

UNNUMBERED = words(
    "unterabs unterabsatz uabs satz satzes sätze hs halbsatz halbsatzes alt alternative sentence sentences volzin",
    "phrase oración periodo frase абзац абзаца",
)
"""Words for what is counted but bears no number, as sentences do: it belongs to the citation, not to its key."""

PARAGRAPHS = words(
    "paragraph para absatz rn rdn rdnr rz randnummer randnr randziffer paragraphe point apartado párrafo punto paragrafo ponto"
)
"""Words that cite a numbered paragraph of a judgment or resolution, where no section is named."""

ORDINALS: tuple[str, ...] = (
    "first første första erster erste ersten erstes premier première primer primero primera primo prima unique único única unico unica eerste pierwszy pierwsza primeiro primeira první prvá prvý първа първи первый первая перша перший الأول الأولى kesatu pertama اول",
    "second annet annen andre andra andet zweiter zweite zweiten zweites deuxième seconde segundo segunda segon segona secondo seconda tweede drugi druga druhá druhý втора втори второй вторая друга другий الثاني الثانية kedua دوم",
    "third tredje dritter dritte dritten drittes troisième tercer tercero tercera terzo terza terceiro derde trzeci trzecia třetí tretia tretí трета трети третий третья третя третій الثالث الثالثة ketiga سوم",
    "fourth fjerde fjärde vierter vierte vierten viertes quatrième cuarto cuarta quart quarto quarta vierde czwarty czwarta čtvrtá čtvrtý štvrtá четвърта четвърти четвертый четвёртый четвертая четвёртая четверта четвертий الرابع الرابعة keempat چهارم",
    "fifth femte fünfter fünfte fünften fünftes cinquième quinto quinta cinquè cinquena vijfde piąty piąta pátá pátý piata пета пети пятый пятая п'ята п'ятий الخامس الخامسة kelima پنجم",
    "sixth sechster sechste sechsten sechstes sixième sisè sisena sexto sexta sesto sesta zesde szósty szósta šestá šestý šiesta шеста шести шестой шестая шоста шостий السادس السادسة keenam ششم",
    "seventh siebter siebte siebten siebenter siebente siebenten septième setè setena séptimo séptima settimo settima zevende siódmy siódma sétimo sétima sedmá sedmý siedma седма седми седьмой седьмая сьома сьомий السابع السابعة ketujuh هفتم",
    "eighth achter achte achten achtes huitième vuitè vuitena octavo octava ottavo ottava achtste ósmy ósma oitavo oitava osmá osmý ôsma осма осми восьмой восьмая восьма восьмий الثامن الثامنة kedelapan هشتم",
    "ninth neunter neunte neunten neuntes neuvième noveno novena novè nono nona negende dziewiąty dziewiąta devátá devátý deviata девета девети девятый девятая дев'ята дев'ятий التاسع التاسعة kesembilan نهم",
    "tenth zehnter zehnte zehnten zehntes dixième desè desena décimo décima decimo decima tiende dziesiąty dziesiąta desátá desátý desiata десета десети десятый десятая десята десятий العاشر العاشرة kesepuluh دهم",
    "eleventh elfter elfte elften onzième undécimo единадесета одиннадцатый одиннадцатая",
    "twelfth zwölfter zwölfte zwölften douzième duodécimo дванадесета двенадцатый двенадцатая",
    "thirteenth dreizehnter dreizehnte dreizehnten treizième тринадесета тринадцатый тринадцатая",
    "fourteenth vierzehnter vierzehnte vierzehnten quatorzième четиринадесета четырнадцатый четырнадцатая",
    "fifteenth fünfzehnter fünfzehnte fünfzehnten quinzième петнадесета пятнадцатый пятнадцатая",
    "sixteenth sechzehnter sechzehnte sechzehnten seizième шестнадесета шестнадцатый шестнадцатая",
    "seventeenth siebzehnter siebzehnte siebzehnten",
    "eighteenth achtzehnter achtzehnte achtzehnten",
    "nineteenth neunzehnter neunzehnte neunzehnten",
    "twentieth zwanzigster zwanzigste zwanzigsten",
    "twenty-first einundzwanzigster",
    "twenty-second zweiundzwanzigster",
    "twenty-third dreiundzwanzigster",
    "twenty-fourth vierundzwanzigster",
    "twenty-fifth fünfundzwanzigster",
    "twenty-sixth sechsundzwanzigster",
    "twenty-seventh siebenundzwanzigster",
    "twenty-eighth achtundzwanzigster",
    "twenty-ninth neunundzwanzigster",
    "thirtieth dreißigster",
)
"""Ordinal words, by what they count, from 1: `Fourteenth Amendment`, `Erster Abschnitt`, `second paragraph of Article 5`."""

_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

CARDINALS: tuple[str, ...] = (
    *_UNITS, "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    *(
        f"{ten}-{unit} {ten}{unit}" if unit else ten
        for ten in ("twenty", "thirty", "forty")
        for unit in ("", *_UNITS)
    ),
)  # fmt: skip
"""Number words behind a label, by what they count, from 1: `Chapter Three`, `CHAPTER TWENTYONE` as LaTeX prints it."""

COUNTED = words("cl amend sched art ch part title book abschn annex app subpart div sec subsec")
"""Labels that ordinals and number words count."""

COUNTED_BEFORE = words(
    "teil buch titel untertitel kapitel unterkapitel hauptstück abschnitt unterabschnitt anhang anlage luku osa"
)
"""Words of divisions that stand behind their number, `1. Abschnitt`; behind others it is a heading's: `18. Amendments`."""

NUMBER_FIRST: dict[str, str] = {
    "§": "sec",
    **dict.fromkeys(words("kap kapitlet luku luvun fejezet nodaļa skyrius poglavje"), "ch"),
    **dict.fromkeys(words("avd avdelning rész daļa dalis"), "part"),
    **dict.fromkeys(
        words("člen členu člena straipsnis straipsnio pants panta pantā cikk cikke"), "art"
    ),
    **dict.fromkeys(words("madde maddesi maddesinin maddesine maddesinde"), "art"),
    **dict.fromkeys(words("könyv"), "book"),
}
"""Labels that stand behind their number, with or without a full stop: `2 kap. 3 §`, `12. §`, `5. člen`, `III. FEJEZET`."""

ACTS: dict[str, str] = {
    "reg": "regulation regulations verordnung verordnungen règlement règlements reglamento reglamentos regolamento "
    "regolamenti verordening regulamento förordning forordning asetus regulamentul durchführungsverordnung",
    "dir": "directive directives richtlinie richtlinien directiva directivas direttiva direttive richtlijn diretiva "
    "direktiv direktivet direktiivi durchführungsrichtlinie",
    "dec": "decision decisions beschluss beschlusses décision décisions decisión decisiones decisione decisioni besluit "
    "decisão beslut afgørelse rahmenbeschluss rahmenbeschlusses durchführungsbeschluss durchführungsbeschlusses",
}
"""Acts that are named by number and year: `Directive 95/46/EC` is `dir_95_46`, and a document of its own."""

COMMUNITIES = words("EU EC EEC EURATOM UE CE CEE EG EWG JHA JAI JI EF EØF EGKS ECSC")
"""What stands in parentheses, or behind the number, where an act of the European Union is named."""

NUMBER_WORDS = words("no nos nr nrs number numbers num n° nº numéro núm nro")
"""Words between a label and its number: `Regulation (EC) No 45/2001`."""

TOGETHER = "and|or|und|oder|sowie|beziehungsweise|bzw\\.|et|ou|y|e|o|och|eller|en|og|és|și|sau|as well as|and/or|&"
RANGES = "to|through|thru|until|bis zu|bis einschließlich|bis|à|au|a|al|tot en met|tot|t/m|til|till|până la"
"""Words between numbers of a list, and of a range."""

INWARD = "of|in|under|to|des|der|dem|von|vom|im|de la|de|du|della|dello|del|di|van de|van het|van|do|da|av|af|i|din"
"""Words that lead from a part to what holds it: `point (f) of Article 6(1)`."""

WHOLE_SECTIONS = {
    **dict.fromkeys(
        words("subsection subsections paragraph paragraphs subparagraph subparagraphs"), "sec"
    ),
    **dict.fromkeys(words("subclause subclauses"), "cl"),
}
"""Words of levels that may lead to a number with its levels, as in Australia: `subsection 5(1)` is `sec_5_1`."""

DECIMAL_SECTIONS = words(
    "ziffer ziffern ziff nummer nummern nr punkt punkten paragraph paragraphs para paras"
)
"""Words of levels that before a decimal number lead to a section, as in contracts: `Ziffer 4.2` is `sec_4_2`."""


class Word(NamedTuple):
    """What a word of the vocabulary leads to.

    Attributes:
        prefix: What keys begin with behind it; empty where it is no label.
        level: The kind of level behind it; empty where it is none.
        several: Whether several numbers may follow.
        act: What the keys of acts begin with whose number and year follow.
        aside: Whether it stands between a label and its number, as `No` does.
    """

    prefix: str = ""
    level: str = ""
    several: bool = False
    act: str = ""
    aside: bool = False


def ordinal_value(word: str) -> int:
    """What an ordinal counts; 0 for another word."""
    return _ORDINAL_VALUES.get(word.lower(), 0)


def cardinal_value(word: str) -> int:
    """What a number word says; 0 for another word."""
    return _CARDINAL_VALUES.get(word.lower(), 0)


def roman_value(numeral: str, prefix: str = "") -> int:
    """The value of a Roman numeral; 0 for what is none, and for C, D, L and M alone, which are letters."""
    numeral = numeral.upper()
    if numeral in ("C", "D", "L", "M") or not _ROMAN_NUMERAL.match(numeral):
        return 0
    if prefix in ROMAN_TO_39 and numeral.strip("IVX"):
        return 0
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )


def _words_of_the_vocabulary() -> dict[str, Word]:
    """Every word in lower case."""
    made: dict[str, Word] = {}
    for prefix, several in LABELS.items():
        for word in several.split():
            made[word] = Word(prefix, several=word in PLURALS)
    for kind, several in LEVELS.items():
        for word in several.split():
            made[word] = made.get(word, Word())._replace(level=kind)
    for act, several in ACTS.items():
        for word in several.split():
            made[word] = made.get(word, Word())._replace(act=act)
    for word in UNNUMBERED:
        made.setdefault(word, Word())
    for word in NUMBER_WORDS:
        made[word] = made.get(word, Word())._replace(aside=True)
    return made


_ORDINAL_VALUES = {
    word: value for value, line in enumerate(ORDINALS, start=1) for word in line.split()
}
_CARDINAL_VALUES = {
    word: value for value, line in enumerate(CARDINALS, start=1) for word in line.split()
}
_ROMAN_NUMERAL = re.compile(
    r"(?=.)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\Z", re.DOTALL
)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

WORDS = _words_of_the_vocabulary()


def _variants(word: str) -> tuple[str, ...]:
    bare = word.translate(_WITHOUT_ACCENTS)  # as capitals are often written: CAPITULO
    return word, word.capitalize(), word.upper(), bare.capitalize(), bare.upper()


_WITHOUT_ACCENTS = str.maketrans("áàâéèêíìóòôúùçã", "aaaeeeiiooouuca")


CODE_WORD, LAW_WORD, COMMUNITY = Word("code"), Word("publ"), Word("community", aside=True)
CASED: dict[str, Word] = {cased: word for name, word in WORDS.items() for cased in _variants(name)}
CASED |= dict.fromkeys(("C", "R", "A", "USC", "CFR"), CODE_WORD)
CASED |= dict.fromkeys(("L", "Law"), LAW_WORD)
CASED |= {f"({name})": COMMUNITY for name in COMMUNITIES}
for _section in ("§", "§§"):
    CASED.pop(_section, None)
TAILS = (
    frozenset(word[-3:] for word in CASED if len(word) >= 3)
    | {"S C", "F R", "SCA"}
    | {"   ", "  §"}
)
TAILS |= {f"{word[-2:]} " for word in CASED if len(word) >= 2} | {" L ", " C "}
SHORT_TAILS = frozenset(word[-2:] for word in CASED if len(word) == 2) | {" L", "  "}
SECTION, SECTIONS = Word("sec"), Word("sec", several=True)

CAPITALISED = sorted(
    {
        written
        for line in (*ORDINALS, *CARDINALS)
        for word in line.split()
        for written in (word.capitalize(), word.title())
    },
    key=lambda word: (-len(word), word),
)
CAPITAL_ORDINALS = "|".join(
    f"{first}(?:{'|'.join(word[1:] for word in CAPITALISED if word[0] == first)})"
    for first in sorted({word[0] for word in CAPITALISED})
)
"""By their first letters, so that most words are dismissed at one look."""
