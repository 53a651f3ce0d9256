"""Understanding a document: its sections, definitions and references. Pure functions: no I/O, no clock, no logging.

    from hierdoc.structure import ChunkMaker, Piece, understand

    document = understand(Document(source="act.md", text=text))     # with sections, definitions and language
    maker = ChunkMaker(document)                                   # what any piece of it says about itself

This package is the door: others import from here alone; `understanding` goes the whole way. Behind it a text passes through these modules, each of which takes
the frozen value that the one before it made:

    layout.py        text -> Layout              headings of markdown, fences, tables
    candidates.py    Layout -> Candidates        what may be a heading, as it was found
    recognition.py   Candidates -> Domain        which tradition the text is of
    selection.py     Candidates -> Selection     which are headings: one automaton counts, `Domain` says how
    nesting.py       Selection -> Nesting        which lies in which, and the (a), (1) between them
    sections.py      Nesting -> Section          ids, keys, lines and pages
    chunks.py        Document -> Chunk           what a piece says about itself, where a chunker cuts

A document whose markup states its outline skips the steps before nesting: `stated.py` makes a Nesting of what is stated.

Beside the way stand the readers that these ask: `markdown`, `blocks` and `inline` (CommonMark), `lines` (where a line may begin a
section), `joined` (where one may within a long line), `contents` (the document's own table of contents, the best witness of all),
`captions` (lines without a number above sections), `levels` (the author's, and where they say too little, the labels'), `domains` (the traditions, as data), `enumerators`; behind it `doubts`
(what speaks against the sections); for chunks `packing`, `cutting`, `kinds`, `references`, `definitions`, `names`, `titles` and `place`.

Names are imported on first use, since the patterns of all traditions are made then and a search needs none; `__init__.pyi` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
