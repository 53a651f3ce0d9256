"""The vocabularies as tables: what each element is to a reader. To teach the converter one, add a table here.

A role is one of these, or the name of the HTML element that an element corresponds to:

    division    a part with a heading; its number and heading are children of it
    item        an enumerated subsection, if it has a number; else what it holds
    number      the number of a division or item: `SEC. 203.`, `(a)`
    heading     the heading of a division or item
    heads       holds numbers and headings and, beside them, nothing that is read
    title       the title of the document, shown as its outermost heading
    quoted      text of another document, an amendment: none of its parts are sections of this one
    contents    a table of contents, left out; within quoted text it is text
    note        a footnote: its mark stays, its text follows the paragraph
    mark        refers to a footnote that stands elsewhere
    margin      a note beside the text, which follows the paragraph
    terms       a list of pairs `dt` and `dd`; enumerated ones are items
    character   stands for the character whose code is in `CODE`
    wrap        holds what it holds
    out         left out
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Vocabulary:
    """A vocabulary of XML.

    Attributes:
        name: What it is called.
        roots: Root elements that tell it from others.
        namespaces: What its namespaces contain: a root in one of these is of it, whatever its name.
        holding: Children of which a root without such a namespace must have one.
        roles: For each role the elements that have it; `child.class` and `parent/child` have precedence over `child`.
        labels: For a division without a label in its number, the word that citations call it by.
        metadata: For each key of the metadata the paths to its value below the root, in the order in which they are tried; `*`
            stands for any elements between, `@` is before an attribute.
        part: The path from a division to what names the part that it belongs to, and that all of that part repeat.
        depth: The child of that whose text says by its length, three characters a level, how deep the part lies.
        numbered: Paragraphs that begin with their number in parentheses, which is no element of its own.
    """

    name: str
    roots: str = ""
    namespaces: tuple[str, ...] = ()
    holding: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    metadata: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    part: str = ""
    depth: str = ""
    numbered: str = ""

    def role_of(self) -> dict[str, str]:
        """The role of each element."""
        table = {name: role for role, names in COMMON.items() for name in names.split()}
        return table | {name: role for role, names in self.roles.items() for name in names.split()}


COMMON = {
    "p": "p",
    "strong": "b strong",
    "em": "i em",
    "sup": "sup",
    "sub": "sub",
    "code": "code tt",
    "br": "br",
    "ul": "ul",
    "ol": "ol",
    "li": "li",
    "table": "table",
    "caption": "caption",
    "thead": "thead",
    "tbody": "tbody",
    "tfoot": "tfoot",
    "tr": "tr row",
    "td": "td entry",
    "th": "th",
    "out": "colgroup col colspec script style",
    "wrap": "tgroup",
    "pre": "pre",
    "blockquote": "blockquote",
    "span": "span",
    "a": "a",
}
"""Elements that mean the same wherever they occur."""

USLM = Vocabulary(
    "USLM",
    namespaces=("schemas.gpo.gov/xml/uslm", "xml.house.gov/schemas/uslm"),
    roles={
        "division": "title subtitle part subpart chapter subchapter article subarticle division subdivision section"
        " appropriations appendix schedule preamble reorganizationPlan courtRule compiledAct level",
        "item": "subsection paragraph subparagraph clause subclause item subitem subsubitem",
        "number": "num",
        "heading": "heading subheading",
        "quoted": "quotedContent",
        "contents": "toc",
        "note": "footnote",
        "margin": "sidenote editorialNote sourceCredit",
        "out": "meta page",
        "p": "content chapeau continuation",
        "wrap": "main preface signatures notes legislativeHistory",
        "em": "i",
        "mark": "ref.footnoteRef",
        "div": "preface/title",
        "span": "editorialNote/b explanationNote/b inline term proviso ref quotedText headingText shortTitle date designator label amendingAction committee sponsor cosponsor",
        "ul": "layout groupItem",
        "li": "referenceItem",
    },
    labels={"section": "Section", "title": "Title", "chapter": "Chapter", "part": "Part"},
    metadata={
        "title": ("meta/title", "*/docTitle"),
        "short_title": ("meta/citableAsShortTitle", "meta/containsShortTitle", "*/shortTitle"),
        "citation": ("meta/citableAs",),
        "number": ("meta/docNumber",),
        "type": ("meta/type",),
        "date": ("meta/approvedDate",),
        "language": ("meta/language",),
    },
)

AKOMA_NTOSO = Vocabulary(
    "Akoma Ntoso",
    roots="akomaNtoso",
    roles={
        "division": "book part title chapter section article tome subtitle subpart subchapter subdivision"
        " rule subrule division hcontainer attachment component conclusion subsectionGroup crossHeading",
        "item": "subsection paragraph subparagraph clause subclause point indent sublist item alinea list proviso"
        " transitional recital blockList",
        "number": "num",
        "heading": "heading subheading",
        "quoted": "quotedStructure embeddedStructure embeddedText",
        "contents": "toc",
        "note": "authorialNote",
        "margin": "remark",
        "out": "meta eol eop coverPage",
        "p": "p block listIntroduction listWrapUp tocItem citation",
        "wrap": "content intro wrapUp container formula recitals citations preface preamble body mainBody act bill doc statement"
        " officialGazette documentCollection amendment judgment judgmentBody debate debateBody collectionBody attachments components conclusions"
        " longTitle",
        "em": "i def term",
        "span": "ref mref rref mod quotedText ins inline docTitle docNumber docType docDate docProponent docPurpose"
        " docIntroducer docStage docStatus shortTitle date person organization role concept location quantity"
        " placeholder abbr session signature judge lawyer party outcome neutralCitation affectedDocument",
        "sub": "sub",
        "strong": "b",
        "code": "code",
    },
    labels={
        "section": "Section",
        "article": "Article",
        "chapter": "Chapter",
        "part": "Part",
        "title": "Title",
        "rule": "Rule",
        "recital": "Recital",
    },
    metadata={
        "title": ("*/preface/*/docTitle", "*/FRBRWork/FRBRalias@value", "*/longTitle"),
        "short_title": ("*/shortTitle", "*/FRBRname@value"),
        "number": ("*/FRBRWork/FRBRnumber@value", "*/docNumber"),
        "date": ("*/FRBRWork/FRBRdate@date",),
        "identifier": ("*/FRBRWork/FRBRuri@value", "*/FRBRWork/FRBRthis@value"),
        "language": ("*/FRBRlanguage@language",),
    },
)

FORMEX = Vocabulary(
    "Formex",
    roots="COMBINED.FMX DOC ACT ANNEX CONS.ACT CONS.ANNEX GENERAL AGR CJT CASE OPINION DECISION LETTER PROC CORR",
    roles={
        "division": "DIVISION GR.SEQ ARTICLE ANNEX CONS.ANNEX SUBDIV CONTENTS.CORR",
        "item": "PARAG NP",
        "number": "NO.PARAG NO.P TI.ART NO.SEQ",
        "heading": "TI STI STI.ART TI.CONTENTS",
        "heads": "TITLE",
        "title": "ACT/TITLE CONS.DOC/TITLE GENERAL/TITLE AGR/TITLE",
        "quoted": "QUOT.S",
        "contents": "TOC",
        "note": "NOTE",
        "out": "BIB.INSTANCE BIB.DATA BIB.DOC INFO.CONSLEG INFO.PROD",
        "wrap": "CONS.ACT CONS.DOC ACT ENACTING.TERMS ENACTING.TERMS.CJT PREAMBLE PREAMBLE.INIT PREAMBLE.FINAL GR.VISA GR.CONSID"
        " GR.CONSID.INIT CONSID CONTENTS FINAL ALINEA LIST ITEM TXT.PREAMBLE GR.ANNOTATION PL.DATE SIGNATURE SIGNATORY BLK CORPUS",
        "p": "P VISA TXT DLIST.ITEM",
        "character": "QUOT.START QUOT.END",
        "span": "HT FT DATE REF.DOC.OJ REF.DOC REF.DOC.SE ADDR.S LINK",
        "table": "TBL",
        "caption": "TBL/TITLE",
        "tr": "ROW",
        "td": "CELL",
        "br": "BR",
        "blockquote": "QUOT",
        "dl": "DLIST",
        "dt": "TERM",
        "dd": "DEFINITION",
    },
    labels={"ARTICLE": "Article", "ANNEX": "Annex", "CONSID/NP": "Recital"},
    metadata={
        "title": ("*/TITLE/TI", "TITLE/TI"),
        "number": ("*/NO.DOC/NO.CURRENT",),
        "identifier": ("*/NO.CELEX",),
        "date": ("*/BIB.DATA/DATE@ISO", "*/DATE@ISO"),
        "language": ("*/LG.DOC", "*/LG.OJ"),
    },
)

DOCBOOK = Vocabulary(
    "DocBook",
    roots="book article set part chapter appendix preface section sect1 refentry glossary bibliography",
    namespaces=("docbook.org/ns/docbook",),
    holding="title info bookinfo articleinfo setinfo chapter section sect1 para simpara refnamediv",
    roles={
        "division": "set book part chapter appendix preface article section sect1 sect2 sect3 sect4 sect5 simplesect reference"
        " refentry refsect1 refsect2 refsect3 refsection refsynopsisdiv glossary glossdiv bibliography bibliodiv colophon dedication"
        " acknowledgements partintro qandaset qandadiv",
        "heads": "info bookinfo articleinfo chapterinfo appendixinfo sectioninfo sect1info sect2info sect3info sect4info"
        " prefaceinfo partinfo setinfo refnamediv",
        "number": "label",
        "heading": "title subtitle refname",
        "contents": "toc lot index tocchap",
        "note": "footnote",
        "out": "indexterm titleabbrev remark imagedata videodata audiodata refmeta",
        "p": "para simpara term.para refpurpose bridgehead bibliomixed bibliomisc attribution",
        "ul": "itemizedlist simplelist calloutlist",
        "ol": "orderedlist procedure substeps",
        "li": "listitem step member callout",
        "dl": "variablelist glosslist",
        "dt": "term glossentry/glossterm question",
        "dd": "varlistentry/listitem glossdef answer",
        "wrap": "varlistentry glossentry formalpara example informalexample figure informalfigure mediaobject textobject"
        " qandaentry epigraph sidebar abstract highlights screenshot glossseealso",
        "blockquote": "blockquote note tip important warning caution",
        "pre": "programlisting screen literallayout synopsis",
        "table": "informaltable table",
        "caption": "table/title informaltable/title table/caption",
        "em": "emphasis firstterm citetitle replaceable",
        "code": "literal code command filename function varname option parameter classname constant envar userinput"
        " computeroutput systemitem type methodname markup",
        "q": "quote",
        "sub": "subscript",
        "sup": "superscript",
        "span": "phrase xref link ulink trademark acronym abbrev citation productname application foreignphrase date glossterm"
        " keycap keycombo guimenu guibutton guilabel email uri author personname firstname surname orgname inlinemediaobject",
    },
    metadata={
        "title": (
            "info/title",
            "bookinfo/title",
            "articleinfo/title",
            "title",
            "chapterinfo/title",
        ),
        "date": ("info/pubdate", "info/date", "bookinfo/pubdate", "articleinfo/pubdate"),
        "identifier": ("info/biblioid", "bookinfo/isbn", "info/productnumber"),
        "version": ("info/edition", "info/releaseinfo", "bookinfo/edition"),
    },
    labels={"chapter": "Chapter", "appendix": "Appendix", "part": "Part", "section": "Section"},
)

JATS = Vocabulary(
    "JATS",
    roots="article book-part book standards-document standard adoption",
    holding="front body book-meta front-stub",
    roles={
        "division": "sec abstract trans-abstract app ack ref-list glossary fn-group bio notes boxed-text book-part",
        "number": "label",
        "heading": "title subtitle",
        "title": "article-title std-title",
        "out": "journal-meta article-id article-categories contrib-group aff author-notes pub-date elocation-id history article-meta/volume article-meta/issue article-meta/fpage article-meta/lpage"
        " permissions self-uri related-article funding-group counts custom-meta-group graphic media alternatives/graphic object-id issn"
        " processing-meta std-ident iso-meta reg-meta nat-meta book-meta page-range supplementary-material alt-title"
        " alt-text season year.iso ext-link.out",
        "contents": "toc",
        "wrap": "front article-meta title-group body back app-group disp-formula-group fig-group table-wrap-group floats-group fig"
        " table-wrap table-wrap-foot kwd-group array statement fn verse-group def-item ref-item front-stub book-part-meta named-book-part-body",
        "p": "p ref attrib disp-formula verse-line kwd speech",
        "ul": "list",
        "li": "list-item",
        "dl": "def-list",
        "dt": "term",
        "dd": "def",
        "pre": "preformat code",
        "code": "monospace",
        "blockquote": "disp-quote",
        "em": "italic",
        "strong": "bold",
        "span": "xref ext-link uri inline-formula named-content styled-content sc email mixed-citation element-citation"
        " citation name surname given-names person-group source year volume issue fpage lpage pub-id etal tex-math"
        " mixed-citation/article-title element-citation/article-title",
    },
    labels={"app": "Appendix"},
    metadata={
        "title": (
            "front/article-meta/title-group/article-title",
            "*/title-group/article-title",
            "*/std-title",
        ),
        "date": ("front/article-meta/pub-date@iso-8601-date", "front/article-meta/pub-date/year"),
        "identifier": ("front/article-meta/article-id", "*/std-ref", "*/article-id"),
    },
)

GII_NORM = Vocabulary(
    "gii-norm",
    roots="dokumente",
    roles={
        "division": "norm",
        "heads": "metadaten gliederungseinheit",
        "number": "enbez gliederungsbez",
        "heading": "langue titel gliederungstitel",
        "contents": "TOC",
        "out": "jurabk amtabk ausfertigung-datum fundstelle standangabe gliederungskennzahl kurzue",
        "margin": "fussnoten",
        "wrap": "textdaten text Content",
        "p": "P",
        "table": "table",
        "terms": "DL",
        "dt": "DT",
        "dd": "DD",
        "strong": "B",
        "em": "I",
        "sup": "SUP",
        "sub": "SUB",
        "br": "BR",
        "span": "F LA NB SP",
        "pre": "pre",
    },
    metadata={
        "title": ("norm/metadaten/langue",),
        "short_title": ("norm/metadaten/kurzue", "norm/metadaten/jurabk"),
        "abbreviation": ("norm/metadaten/amtabk", "norm/metadaten/jurabk"),
        "date": ("norm/metadaten/ausfertigung-datum",),
    },
    part="metadaten/gliederungseinheit",
    depth="gliederungskennzahl",
    numbered="P",
)

UNKNOWN = Vocabulary("unknown")
"""Any other XML: text, one block for each element that holds no text beside other elements."""

VOCABULARIES = (USLM, AKOMA_NTOSO, FORMEX, GII_NORM, JATS, DOCBOOK)
"""In the order in which they are tried: DocBook and JATS have roots of the same name."""
