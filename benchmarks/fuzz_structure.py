"""Feed parser, grammar and chunker whatever atheris comes up with: nothing crashes, hangs, loses text or goes beyond the limit.

Arguments are libFuzzer's: `-max_total_time=300`, `-runs=100000`, a folder for the corpus.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["hierdoc.structure", "hierdoc.defaults.chunkers"]):
    from hierdoc import Document
    from hierdoc.citations import find_citations
    from hierdoc.defaults.chunkers import StructureChunker, TokenChunker
    from hierdoc.structure import find_headings, understand
    from hierdoc.text.language import estimate_tokens

_WORDS = (
    "# ", "## Section 1\n", "===\n", "---\n", "```\n", "~~~\n", "<!--", "-->", "<pre>\n", "> ", "- ", "1. ", "(a) ", "(1) ",
    "\n", "\n\n", "    ", "| a | b |\n", "|---|---|\n", "[a]: /b\n", "Section 203(a)(1) ", "§ 4 Abs. 2 ", "Article IV ",
    "1.1 ", "3.1\n", "I. Aim\n\n", "A. Few\n\n", "CHAPTER ONE\n", "§ 1026.1 Right of it.\n\n", "Erster Teil\n", "SCHEDULE 1\n",
    "1. Definitions and scope\n\n", "Glossary\n", "1798.100.  Duties\n\n", "audit\n", "This Agreement by and between parties ",
    "“x” means y. ", "'x' means ", "The Secretary shall report. ", "[", "](", "*", "_", "`", "\\", "&amp;", "<b>", "\r\n", "\r",
)  # fmt: skip


def one_input(data: bytes) -> None:
    """Make a document of the bytes: below 64 a word of the list, above as they are."""
    provider = atheris.FuzzedDataProvider(data)
    limit, overlap = provider.ConsumeIntInRange(8, 60), provider.ConsumeIntInRange(0, 30)
    pieces = []
    while provider.remaining_bytes() and len(pieces) < 400:
        number = provider.ConsumeIntInRange(0, 2 * len(_WORDS))
        pieces.append(
            _WORDS[number]
            if number < len(_WORDS)
            else provider.ConsumeUnicode(provider.ConsumeIntInRange(1, 8))
        )
    check("".join(pieces), limit, overlap)


def check(text: str, limit: int, overlap: int) -> None:
    """What must hold of every text.

    Raises:
        AssertionError: It does not.
    """
    document = understand(Document("a.md", "a", text))
    for definition in document.definitions:
        assert definition.term
        assert definition.text in text
    for heading in find_headings(text):
        assert heading.char_start == 0 or text[heading.char_start - 1] in "\r\n"
    for citation in find_citations(text):
        assert text[citation.start : citation.end] == citation.text
    for chunker in (StructureChunker(limit, overlap, limit // 2), TokenChunker(limit, overlap)):
        behind = 0
        for chunk in chunker.chunk(document):
            assert chunk.text == text[chunk.char_start : chunk.char_end]
            assert not text[behind : max(behind, chunk.char_start)].strip()
            assert chunk.char_end > behind
            assert overlap or chunk.char_start >= behind
            assert estimate_tokens(chunk.text) <= limit
            behind = chunk.char_end
        assert not text[behind:].strip()


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
