"""Make the model of the built-in `static` embedder from a sentence-transformers teacher in ONNX form.

    python core/scripts/make_static_model.py TEACHER TEXTS... --output FILE [--hold-out NAME...] [--unseen FOLDER]

The start is model2vec's: every token of the vocabulary through the teacher, cut to 256 dimensions, weighted by how rare the
token is. Then the table is trained so that weighted bags of tokens reproduce the teacher's sentence vectors. Training texts are the
folders given (.md, .txt, .html, .pdf), the docstrings of the standard library, numpy and scipy, and made-up word combinations that move rare tokens
too. Needs numpy, scipy, onnxruntime, tokenizers, and pypdfium2 for PDF files.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import logging
import random
import re
import sysconfig
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import scipy
import scipy.sparse
from numpy.typing import NDArray
from tokenizers import Tokenizer

from hierdoc.builtin.static import WordPieceTokenizer

Matrix = NDArray[np.float32]

DIMENSIONS = 256
WINDOW_TOKENS = 254  # what the teacher reads at once, without [CLS] and [SEP]
NAME = "static-minilm"
VERSION = 1

logger = logging.getLogger("make_static_model")


# --- texts -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Document:
    """A training text as a flat list of blocks; a heading is a block too."""

    name: str
    blocks: Sequence[tuple[bool, str]]  # (is a heading, text)


@dataclass
class Samples:
    """Texts for the teacher, each at most one window long, and long texts as lists of them."""

    texts: list[str] = field(default_factory=list)
    long: list[tuple[int, int]] = field(default_factory=list)  # (first, one past the last) of consecutive `texts`


def read_documents(folders: Iterable[Path]) -> Iterator[Document]:
    """Read every text that can be read below the folders."""
    readers = {".md": markdown_blocks, ".txt": markdown_blocks, ".html": html_blocks, ".pdf": pdf_blocks}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            reader = readers.get(path.suffix.lower())
            if reader and path.name != "README.md":
                yield Document(path.name, reader(path))


def markdown_blocks(path: Path) -> list[tuple[bool, str]]:
    """Paragraphs and headings of a markdown or plain text file."""
    text = re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)
    blocks: list[tuple[bool, str]] = []
    for block in re.split(r"\n\s*\n|(?<=\n)(?=#{1,6} )", text):
        heading, _, rest = block.strip().partition("\n")
        if heading.startswith("#"):
            blocks.append((True, heading.lstrip("# ")))
            block = rest
        if block.strip():
            blocks.append((False, block.strip()))
    return blocks


class _BlockParser(HTMLParser):
    _ENDS = frozenset({"p", "div", "td", "li", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "dd", "dt"})
    _HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[tuple[bool, str]] = []
        self._text: list[str] = []
        self._skipped = 0
        self._heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"script", "style", "nav"}:
            self._skipped += 1
        elif tag in self._ENDS:
            self._flush()
            self._heading = tag in self._HEADINGS or bool(re.search(r"ti-|sti", dict(attrs).get("class") or ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in {"script", "style", "nav"}:
            self._skipped -= 1
        elif tag in self._ENDS:
            self._flush()
            self._heading = False

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self._text.append(data)

    def _flush(self) -> None:
        text = " ".join("".join(self._text).split())
        self._text.clear()
        if text:
            self.blocks.append((self._heading, text))


def html_blocks(path: Path) -> list[tuple[bool, str]]:
    """Blocks of an HTML file; headings by tag, or by the class names that the EU's Official Journal uses."""
    parser = _BlockParser()
    parser.feed(path.read_text(encoding="utf-8", errors="replace"))
    parser.close()
    return parser.blocks


def pdf_blocks(path: Path) -> list[tuple[bool, str]]:
    """Lines of a PDF file gathered to blocks that end where a line ends a sentence; short lines alone count as headings."""
    import pypdfium2

    blocks: list[tuple[bool, str]] = []
    with pypdfium2.PdfDocument(path) as pdf:
        for page in pdf:
            gathered: list[str] = []
            for line in page.get_textpage().get_text_range().splitlines():
                line = line.strip()
                letters = sum(map(str.isalpha, line))
                if not gathered and 3 <= len(line.split()) <= 10 and letters > 0.7 * len(line) and line[-1].isalpha():
                    blocks.append((True, line))
                elif line:
                    gathered.append(line)
                    if line.endswith((".", ":", ";")) or sum(map(len, gathered)) > 600:
                        blocks.append((False, " ".join(gathered)))
                        gathered = []
            if gathered:
                blocks.append((False, " ".join(gathered)))
    return blocks


def docstring_documents() -> Iterator[Document]:
    """General technical prose that is wherever this script runs: docstrings of the standard library, numpy and scipy."""
    roots = [Path(sysconfig.get_paths()["stdlib"]), Path(np.__file__).parent, Path(scipy.__file__).parent]
    skipped = {"test", "tests", "site-packages", "idlelib", "lib2to3", "turtledemo"}
    for root in roots:
        for path in sorted(root.rglob("*.py")):
            if skipped & set(path.relative_to(root).parts):
                continue
            try:
                tree = ast.parse(path.read_bytes())
            except SyntaxError:
                continue
            blocks: list[tuple[bool, str]] = []
            for node in ast.walk(tree):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                    parts = re.split(r"\n\s*\n", ast.get_docstring(node) or "")
                    blocks += [(False, part.strip()) for part in parts if len(part.split()) > 3]
            if path.name == "topics.py" and path.parent.name == "pydoc_data":
                blocks += _topic_blocks(tree)
            if blocks:
                yield Document(f"{root.name}/{path.relative_to(root)}", blocks)


def _topic_blocks(tree: ast.Module) -> list[tuple[bool, str]]:
    """Paragraphs of the language reference, which `pydoc` carries as string constants."""
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [(False, part.strip()) for text in strings for part in re.split(r"\n\s*\n", text) if len(part.split()) > 3]


def sentences(text: str) -> list[str]:
    """Cut at sentence ends, roughly."""
    return [part for part in re.split(r"(?<=[.;:!?])\s+(?=[\"“(]?[A-ZÄÖÜ0-9(])", " ".join(text.split())) if part]


def passages(document: Document, tokens: int) -> list[str]:
    """Consecutive blocks joined to passages of about so many tokens (four characters each)."""
    result: list[str] = []
    gathered: list[str] = []
    size = 0
    for _, block in document.blocks:
        for start in range(0, len(block), 4 * tokens):
            part = block[start : start + 4 * tokens]
            if size + len(part) > 4 * tokens and gathered:
                result.append("\n\n".join(gathered))
                gathered, size = [], 0
            gathered.append(part)
            size += len(part)
    if gathered:
        result.append("\n\n".join(gathered))
    return result


def draw_samples(documents: Sequence[Document], words: Sequence[str], scale: float, chance: random.Random) -> Samples:
    """Draw passages, long texts, sentences, headings, short queries and made-up texts.

    Args:
        documents: The training documents.
        words: The vocabulary's whole words; the made-up texts use them evenly.
        scale: Share of the full number of texts.
        chance: Source of randomness.
    """
    samples = Samples()
    texts = samples.texts
    for document in documents:
        parts = passages(document, chance.choice([60, 120, 200, 220]))
        start = len(texts)
        texts += [part for part in parts if chance.random() < scale]
        while start + 1 < len(texts):
            end = min(len(texts), start + chance.randint(2, 8))
            samples.long.append((start, end))
            start = end
    prose = [s for d in documents for _, block in d.blocks for s in sentences(block) if 4 <= len(s.split()) <= 60]
    prose = chance.sample(prose, min(len(prose), int(70_000 * scale)))
    texts += prose
    headings = sorted({block for d in documents for heading, block in d.blocks if heading and len(block.split()) <= 25})
    texts += chance.sample(headings, min(len(headings), int(20_000 * scale)))
    for _ in range(int(30_000 * scale)):
        query = chance.choice(prose).split()
        size = chance.randint(2, 8)
        first = chance.randrange(max(1, len(query) - size))
        texts.append(" ".join(query[first : first + size]) if chance.random() < 0.5 else " ".join(chance.sample(query, min(size, len(query)))))
    for _ in range(int(60_000 * scale)):
        texts.append(" ".join(chance.choices(words, k=chance.randint(2, 8))))
    for _ in range(int(40_000 * scale)):
        mixed = chance.choice(prose).split()[:25]
        for _ in range(chance.randint(1, 3)):
            mixed[chance.randrange(len(mixed))] = chance.choice(words)
        texts.append(" ".join(mixed))
    return samples


# --- teacher ---------------------------------------------------------------------------------------------------------------


class Teacher:
    """The sentence-transformers model: tokens in, one vector of length one out."""

    def __init__(self, folder: Path, threads: int) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(
            folder / "model.onnx", options, providers=["CPUExecutionProvider"]
        )
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(WINDOW_TOKENS + 2)

    def vocabulary(self) -> list[str]:
        """Tokens in the order of their ids."""
        ids = self.tokenizer.get_vocab()
        return sorted(ids, key=ids.__getitem__)

    def embed(self, texts: Sequence[str], cache: Path | None) -> Matrix:
        """Embed texts, cut to one window each; shape [texts, 384]."""
        key = hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:16]
        stored = cache / f"{key}.npy" if cache else None
        if stored and stored.exists():
            return np.asarray(np.load(stored), dtype=np.float32)
        rows = [encoding.ids for encoding in self.tokenizer.encode_batch_fast(list(texts))]
        vectors = self.embed_ids(rows)
        if stored:
            np.save(stored, vectors.astype(np.float16))
        return vectors

    def embed_ids(self, rows: Sequence[Sequence[int]]) -> Matrix:
        """Embed token sequences that carry [CLS] and [SEP]; shape [rows, 384]."""
        order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
        vectors = np.zeros((len(rows), 384), dtype=np.float32)
        started, done, position = time.monotonic(), 0, 0
        while position < len(order):
            longest = len(rows[order[min(position + 63, len(order) - 1)]])
            batch = order[position : position + max(4, min(64, 2048 // longest))]
            position += len(batch)
            ids = np.zeros((len(batch), max(len(rows[row]) for row in batch)), dtype=np.int64)
            mask = np.zeros_like(ids)
            for index, row in enumerate(batch):
                ids[index, : len(rows[row])] = rows[row]
                mask[index, : len(rows[row])] = 1
            feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            output = self._session.run(None, feeds)[0]
            if output.ndim == 3:
                output = (output * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
            vectors[batch] = output
            done += 1
            if done % 1000 == 0:
                logger.info("teacher: %d of %d texts, %.0f s", position, len(rows), time.monotonic() - started)
        return unit(vectors)


def unit(vectors: Matrix) -> Matrix:
    """Scale rows to length one; zero rows stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)
