"""What defined terms look like: the words and patterns by which `hierdoc.structure.definitions` finds them."""

from __future__ import annotations

import re

from hierdoc.text.words import words

VERBS = (
    "means|mean|shall mean|shall have the|has the(?: same)? meaning|have the(?: same)? meanings?|is defined|are defined"
    "|shall be construed|refers? to|denotes?|bezeichnet|bezeichnen|bedeutet|bedeuten|désigne|désignent|s'entend|signifie"
    "|significa|se entiende|se entenderá|si intende|indica|entende-se|betyder|avses|forstås|wordt verstaan|betekent|tarkoittaa"
    "|tarkoitetaan|înseamnă|означает"
)
WEAK_VERBS = "includes?|shall include|umfasst|umfassen"
"""Verbs that define only where the term opens a paragraph or item."""

TERM_WORDS = (
    "terms?|words?|expressions?|phrases?|begriffe?|ausdruck|ausdrücke|wort|termes?|mots?|términos?|termine|termini|termos?"
    "|begrepet|begreppet|begrebet|termen|uitdrukking|termului"
)
CLAUSES = (
    "in|for|as|when|im|für|nach|pour|aux fins|au sens|dans|a efectos|ai fini|para|i|vid|ved|voor"
)
"""How a clause begins that may stand before a defined term: `For the purposes of this Act, …`."""

GLOSSARY_NAMES = (
    "definitions?|glossary|terminology|defined terms|begriffsbestimmung(?:en)?|definition(?:en)?|glossar|définitions?"
    "|glossaire|definiciones|glosario|definizioni|glossario|definições|definities|definitioner|definisjoner|määritelmät"
    "|definiții|определения|interpretation|dictionary|begriffserklärung(?:en)?|begriffserläuterung(?:en)?|interpretación|interpretazione"
)
DEFINITIONS = re.compile(
    rf"\b(?:{GLOSSARY_NAMES})\b|\A(?:terms|key terms|begriffe)\W*\Z", re.IGNORECASE
)
ONLY_DEFINITIONS = re.compile(
    rf"\W*(?:\w+\s)?(?:terms and )?(?:{GLOSSARY_NAMES})(?:\s(?:and|of|und)\s(?:terms|abbreviations|acronyms))?\W*|\W*(?:key )?terms\W*",
    re.IGNORECASE,
)
NO_TERMS = words(
    "definition definitions note notes example examples warning caution important tip hint see source sources where hinweis beispiel anmerkung",
    "remarque exemple nota ejemplo esempio opmerking",
)


MARKER = (
    r"(?:[-*+•]|\(?[0-9]{1,4}[.)]|[0-9]{1,3}(?:\.[0-9]{1,3}){1,5}\.?|\(?[a-zA-Z]{1,5}\)|[a-zA-Z]\.)"
)
"""What stands before a list item."""

DECIMAL = re.compile(r"[0-9]+\.[0-9]")
"""A marker that may also number a section."""

QUOTED_TERM = (
    r"[\"“”„«'‘‚](?:(?<=[\"“”„«])([^\"“”„«»]{1,120})[\"“”»]"
    r"|(?<=['‘‚])(?<!\w['‘‚])['‘]?((?!\s)[^'’‘“”\"]{1,100}(?:['’](?=\w)[^'’‘“”\"]{1,60}){0,3})['’‘]{1,2}(?!\w))"
)
ASIDE = (
    r"[*_]{0,2}(?:\s{0,2}\([^()\n]{1,80}\))?"
    r"(?:,[^.;:\"“”‘’\n]{1,120},|,|\s(?:of|in|for|des|der|von)\s[^.,;:\"“”‘’\n]{1,60}?)?\s{1,3}"
)
"""What may stand between a term and its verb: `, in relation to a bank,`."""
TERM = re.compile(QUOTED_TERM)
ANOTHER_TERM = re.compile(
    r"\s{0,2},?\s{0,2}(?:(?:or|and|oder|und|ou|et|o|y|e)\s{1,2})?" + QUOTED_TERM
)
VERB = re.compile(rf"{ASIDE}(?:(?:{VERBS})|({WEAK_VERBS}))\b", re.IGNORECASE)
BOLD_TERM = re.compile(
    rf"\*(?<![*\\\w]\*)\*{{0,2}}(?=[^\s*])([^*\n]{{1,80}})\*{{1,3}}{ASIDE}(?:{VERBS}|{WEAK_VERBS})\b",
    re.IGNORECASE,
)
MOST_TERMS = 8

LOOK_BACK = 240
"""Characters before a term within which its sentence begins."""

PARAGRAPH_OR_ITEM = re.compile(
    rf"\n[ \t\r]*\n|\n(?=[ \t>|]*{MARKER}[ \t\n])|(?m:^) {{0,3}}#{{1,6}}[ \t][^\n]*\n"
)
CLAUSE = re.compile(r"[:;][\"”’»)*_]{0,3}\s+|[—–]\s*")
ITEM_LEAD = re.compile(rf"[ \t>|\n\r]*(?:{MARKER}(?:[ \t]+|[ \t\r]*\n[ \t]*))*")
SENTENCE_LEAD = re.compile(
    rf"(?:(?:{CLAUSES})\b[^.;:\"“”]{{0,140}},\s+)?(?:(?:the|an?|der|die|das|eine?|le|la|une?|el|una|il|uno)\s+)?(?:(?:{TERM_WORDS})\s+)?[*_]{{0,3}}\Z",
    re.IGNORECASE,
)
TERM_LEAD = re.compile(
    rf"\b(?:the|der|die|das|le|la|el|il)\s+(?:{TERM_WORDS})\s+[*_]{{0,3}}\Z", re.IGNORECASE
)
CATCH_LINE = re.compile(rf"[ \t]*{MARKER}[ \t][^\n]{{0,120}}—\Z")

GLOSSARY_ITEM = re.compile(
    rf"(?m)^(?P<lead>[ \t>]{{0,12}}(?:{MARKER}[ \t]+)?)(?:"
    r"(?:\*\*|__)([^*\n]{1,100}?):?(?:\*\*|__)[ \t]*[:–—-]?[ \t]*(?=\S)"
    r"|`([^`\n]{1,100})`[ \t]*(?::|[–—-])[ \t]+(?=\S)"
    rf"|(?:(?:An?|The)[ ])?{QUOTED_TERM}(?=[ \t\n,(])"
    rf"|(?!(?i:{CLAUSES})\b)([^\W\d_][\w/'’()-]{{0,39}}(?:[ \t][\w/'’()-]{{1,39}}){{0,4}}?)(?::|[ \t][–—-])[ \t]+(?=\S))"
)
DEFINITION_LIST = re.compile(r"(?m)^([^\s:#][^\n]{0,99})\n(?:[ \t]*\n)?:[ \t]+(?=\S)")

BLANK = re.compile(r"\n[ \t\r]*(?:\n|\Z)")
ITEM_LINE = re.compile(rf"(?m)^([ \t]*)({MARKER})(?=[ \t\r\n]|\Z)")
TEXT = re.compile(r"\S")
GOES_ON = re.compile(r"(?:[:;,—–]|\b(?:or|and|oder|und|ou|et))[*_]{0,2}\Z")
LONE_MARKER = re.compile(rf"\n[ \t]*{MARKER}[ \t]*\Z")

CALLS = ("he term ", "he terms ", "he word ", "he expression ", "he phrase ")
CALLED_TERM = re.compile(
    rf"((?!of |in |and |or |to )\w[\w’'-]{{1,39}}(?:[ ][\w’'-]{{1,40}}){{0,4}}?)\s(?:{VERBS})\b"
)
"""Its words are named without quotes."""

_INTRODUCTION = (
    r"the|an?|each|this|such|these|those|any|all|both|together|collectively|individually|jointly|hereinafter|hereafter|herein|in\sthis|also|referred\sto"
    r"|or|im\sFolgenden|im\sfolgenden|nachfolgend|nachstehend|folgend|kurz|ci-après|ci-dessous|en\sadelante|en\slo\ssucesivo|di\sseguito|hierna|doravante|i\sdet\sfølgende|nedan"
)
CLOSING = re.compile(r"\)(?:(?<=[\"”“»’']\))|(?<=\*\*\)))")
LONGEST_PARENTHESES = 200
PARENTHESES = re.compile(
    rf"\((?:(?P<lead>{_INTRODUCTION})\b[^()\"“”„«\n‘]{{0,60}})?[*_]{{0,3}}"
    r"(?:\"[^\"\n()]{2,60}\"|“[^”\n()]{2,60}”|„[^“”\n()]{2,60}[“”]|«[^»\n()]{2,60}»|(?<=[a-z,] )‘[^’\n()]{2,60}’|(?<=[a-z,] )'[^'\n()]{2,60}')"
    r"(?:[^()\n]{0,60}?(?:or|and|und|oder|et|ou|y|o|e)\s(?:[a-z]+\s){0,2}[\"“„«][^\"“”»\n()]{2,60}[\"“”»])*[*_]{0,3}[^()\n\"“”]{0,40}\)"
)
NAME_BEFORE = re.compile(
    r"(?:[A-ZÄÖÜ][\w.&’'-]*[,.]?|\b(?:corporation|company|partnership|association|cooperative|trust|bank|agency|authority|individual"
    r"|person|university|municipality|foundation|society|Gesellschaft|société),?)\s(?:[A-Z][\w.&’'-]*[,.]?\s)*\Z"
)
LONGEST_SENTENCE = 1_000

TABLE_OF_TERMS = re.compile(
    r"[ \t]*\|?[ \t*_]*(?:(?:defined |key )?terms?|abbreviations?|acronyms?|words?|expressions?|begriffe?|abkürzung|ausdruck|terme|término|termine|termo|begrip)[ \t*_]*"
    r"\|[ \t*_]*(?:definitions?|meanings?|descriptions?|explanation|stands for|expansion|bedeutung|definition|erläuterung|erklärung|beschreibung|définition|signification"
    r"|definición|significado|definizione|significato|definição|betekenis)[ \t*_]*(?:\|[^\n]*)?\n[ \t]*\|?[ \t:|-]+\n",
    re.IGNORECASE,
)
TABLE_ROW = re.compile(r"[ \t]*\|?[ \t]*([^|\n]{1,120}?)[ \t]*\|([^\n]*)")

PRONOUNS = (
    "it|this|that|these|those|they|he|she|we|which|what|who|nothing|if|where|references?|words|singular|es|dies|diese[rs]?|sie|er|als|"
    "il|elle|on|ce|cette|esto|este|esta|se|questo|si|det|den|het|dit"
)
PLAIN_TERM = re.compile(
    rf"(?m)^[ \t>]{{0,12}}(?:{MARKER}[ \t]+)?((?!(?i:{PRONOUNS}|{CLAUSES})\b)[^\W\d_][\w/’'-]{{0,39}}(?:[ ][\w/’'()-]{{1,39}}){{0,5}}?)(?:,[^.;:\n]{{1,80}},)?\s(?:{VERBS})\b"
)
"""A term that opens a paragraph of a section of definitions, with its verb."""

EXCEPTION = re.compile(
    r"\s*(?:[A-Z][A-Za-z ]{2,40}\.(?:—|–|--?)\s*)?(?:(?:The|Such|This|That|These)\s(?:terms?|expression|definition|word|phrase)(?:\s[\"“‘'][^\"”’'\n]{1,80}[\"”’']{1,2})?|It)\s"
    r"(?:does|do|shall|also|may|is|will)\s(?:not\s|also\s)?(?:be\s)?(?:includes?|extends?|appl(?:y|ies)|limited)\b"
    r"|\s*(?:EXCEPTIONS?|EXCLUSIONS?|INCLUSIONS?|SPECIAL RULES?|LIMITATIONS?)\.?(?:—|–|--?)",
)
"""What belongs to the definition before it: `The term does not include …`."""

ENDS = re.compile(r"[.;:!?”\"»’…—–|][)\]*_]{0,3}\Z")
FULL_LINE = 60
"""Characters of a line that ends because it is full."""
