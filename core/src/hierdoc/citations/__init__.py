"""The grammar of citations: found in text, and brought to one form, the key, by which they can be compared.

    from hierdoc.citations import find_citations, section_key

    [one.key for one in find_citations("See Sec. 203 (a) and Art. IV.")]     # ["sec_203_a", "art_4"]
    section_key("SEC. 203. REPORTS.")                                         # "sec_203"

This package is the door: others import from here alone, but for `structure`, which reads documents with the same words. Behind
it a text passes through

    reading.py       one pass over a text: each number, the label before it, the list and the work behind it
    grammar.py       the parts of a citation: numbers, levels below them, lists and ranges
    vocabulary.py    the words, by language; to teach the grammar one, add it there
    works.py         the works that citations belong to, named behind or before them
    work_names.py    how works are named, by language, and the keys of their names
    relative.py      `this chapter`, `the preceding Article`
    numbering.py     keys: of headings, of queries, of what a citation may mean
"""

from __future__ import annotations

from hierdoc.citations.numbering import (
    CODE,
    DIVISION,
    PARAGRAPH,
    enclosing_keys,
    find_citations,
    find_query_citations,
    heading_key,
    is_of_series,
    meanings,
    section_key,
    spelt_out,
    split_heading,
    without_gloss,
)
from hierdoc.citations.reading import Citation
from hierdoc.citations.vocabulary import LABELS
from hierdoc.citations.works import GENERIC

__all__ = [
    "CODE",
    "DIVISION",
    "GENERIC",
    "LABELS",
    "PARAGRAPH",
    "Citation",
    "enclosing_keys",
    "find_citations",
    "find_query_citations",
    "heading_key",
    "is_of_series",
    "meanings",
    "section_key",
    "spelt_out",
    "split_heading",
    "without_gloss",
]
