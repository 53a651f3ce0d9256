"""Make the model of the built-in `static` embedder from a sentence-transformers teacher in ONNX form.

    python core/scripts/make_static_model.py TEACHER TEXTS... --output FILE [--hold-out NAME...]

The start is model2vec's: every token of the vocabulary through the teacher, cut to 256 dimensions,
weighted by how rare the token is. Then the table is trained: bags of tokens shall reproduce the
teacher's sentence vectors, and headings and sentences shall find the passages that they were taken
from. Training texts are the folders given (.md, .txt, .html, .pdf), the docstrings of the standard
library, numpy and scipy, and made-up word combinations that move rare tokens too.

Needs numpy, scipy, onnxruntime, tokenizers, and pypdfium2 for PDF files.
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
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import onnxruntime
import scipy
import scipy.sparse as sparse
from numpy.typing import NDArray
from tokenizers import Tokenizer

from hierdoc_static.wordpiece import WordPieceTokenizer

Matrix = NDArray[np.float32]

DIMENSIONS = 256
TEACHER_DIMENSIONS = 384
TEACHER_NAME = "sentence-transformers/all-MiniLM-L6-v2"
TEACHER_LICENCE = "Apache-2.0"
CLS, SEP = 101, 102
WINDOW_TOKENS = 254  # what the teacher reads at once, without [CLS] and [SEP]
NAME = "static-minilm"
VERSION = 1

Metrics = dict[str, dict[str, float]]

logger = logging.getLogger("make_static_model")


@dataclass(frozen=True)
class Document:
    """A training text as a flat list of blocks; a heading is a block too."""

    name: str
    group: str  # the name of its folder
    blocks: Sequence[tuple[bool, str]]  # (is a heading, text)


@dataclass
class Samples:
    """Texts for the teacher, each at most one window long, and long texts as lists of them."""

    texts: list[str] = field(default_factory=list)
    long: list[tuple[int, int]] = field(
        default_factory=list
    )  # (first, one past the last) of consecutive `texts`


def seeded(seed: int) -> random.Random:
    """A source of randomness that gives the same texts again."""
    return random.Random(seed)  # noqa: S311 - nothing secret is drawn


def read_documents(folders: Iterable[Path]) -> Iterator[Document]:
    """Read every text that can be read below the folders."""
    readers = {
        ".md": markdown_blocks,
        ".txt": markdown_blocks,
        ".html": html_blocks,
        ".pdf": pdf_blocks,
    }
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            reader = readers.get(path.suffix.lower())
            if reader and path.name != "README.md":
                yield Document(path.name, path.parent.name, reader(path))


def markdown_blocks(path: Path) -> list[tuple[bool, str]]:
    """Paragraphs and headings of a markdown or plain text file."""
    text = re.sub(
        r"\A---\n.*?\n---\n",
        "",
        path.read_text(encoding="utf-8", errors="replace"),
        flags=re.DOTALL,
    )
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
    _ENDS = frozenset(
        {"p", "div", "td", "li", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "dd", "dt"}
    )
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
            self._heading = tag in self._HEADINGS or bool(
                re.search(r"ti-|sti", dict(attrs).get("class") or "")
            )

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
                if (
                    not gathered
                    and 3 <= len(line.split()) <= 10
                    and letters > 0.7 * len(line)
                    and line[-1].isalpha()
                ):
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
    roots = [
        Path(sysconfig.get_paths()["stdlib"]),
        Path(np.__file__).parent,
        Path(scipy.__file__).parent,
    ]
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
                if isinstance(
                    node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
                ):
                    parts = re.split(r"\n\s*\n", ast.get_docstring(node) or "")
                    blocks += [(False, part.strip()) for part in parts if len(part.split()) > 3]
            if path.name == "topics.py" and path.parent.name == "pydoc_data":
                blocks += _topic_blocks(tree)
            if blocks:
                yield Document(path.name, root.name, blocks)


def _topic_blocks(tree: ast.Module) -> list[tuple[bool, str]]:
    """Paragraphs of the language reference, which `pydoc` carries as string constants."""
    strings = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return [
        (False, part.strip())
        for text in strings
        for part in re.split(r"\n\s*\n", text)
        if len(part.split()) > 3
    ]


def sentences(text: str) -> list[str]:
    """Cut at sentence ends, roughly."""
    return [
        part
        for part in re.split(r"(?<=[.;:!?])\s+(?=[\"“(]?[A-ZÄÖÜ0-9(])", " ".join(text.split()))
        if part
    ]


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


def draw_samples(
    documents: Sequence[Document], words: Sequence[str], scale: float, chance: random.Random
) -> Samples:
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
    prose = [
        s
        for d in documents
        for _, block in d.blocks
        for s in sentences(block)
        if 4 <= len(s.split()) <= 60
    ]
    prose = chance.sample(prose, min(len(prose), int(70_000 * scale)))
    texts += prose
    headings = sorted(
        {
            block
            for d in documents
            for heading, block in d.blocks
            if heading and len(block.split()) <= 25
        }
    )
    texts += chance.sample(headings, min(len(headings), int(20_000 * scale)))
    for _ in range(int(30_000 * scale)):
        query = chance.choice(prose).split()
        size = chance.randint(2, 8)
        first = chance.randrange(max(1, len(query) - size))
        texts.append(
            " ".join(query[first : first + size])
            if chance.random() < 0.5
            else " ".join(chance.sample(query, min(size, len(query))))
        )
    for _ in range(int(60_000 * scale)):
        texts.append(" ".join(chance.choices(words, k=chance.randint(2, 8))))
    for _ in range(int(40_000 * scale)):
        mixed = chance.choice(prose).split()[:25]
        for _ in range(chance.randint(1, 3)):
            mixed[chance.randrange(len(mixed))] = chance.choice(words)
        texts.append(" ".join(mixed))
    return samples


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
        vectors = np.zeros((len(rows), TEACHER_DIMENSIONS), dtype=np.float32)
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
                logger.info(
                    "teacher: %d of %d texts, %.0f s",
                    position,
                    len(rows),
                    time.monotonic() - started,
                )
        return unit(vectors)


def unit(vectors: Matrix) -> Matrix:
    """Scale rows to length one; zero rows stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def is_held_out(document: Document, names: Sequence[str], siblings: Counter[str]) -> bool:
    """Whether a document is for measuring: named so, or every fifth of a folder of more than 20."""
    chosen = zlib.crc32(document.name.encode()) % 5 == 0
    return document.name in names or (siblings[document.group] > 20 and chosen)


def draw_pairs(documents: Sequence[Document], chance: random.Random) -> tuple[list[str], list[str]]:
    """Draw queries and the passages that they shall find.

    A query is a sentence and its passage the rest of that passage, a few words of a sentence, or a
    heading and the text below it.
    """
    queries: list[str] = []
    found: list[str] = []
    for document in documents:
        for tokens in (100, 220):
            for passage in passages(document, tokens):
                parts = sentences(passage)
                for _ in range(2 if len(parts) >= 3 else 0):
                    query = chance.choice(parts)
                    words = query.split()
                    if 4 <= len(words) <= 60:
                        rest = " ".join(part for part in parts if part is not query)
                        if chance.random() < 0.4:
                            size = min(chance.randint(2, 8), len(words))
                            query = " ".join(chance.sample(words, size))
                            rest = " ".join(parts) if chance.random() < 0.5 else rest
                        queries.append(query)
                        found.append(rest)
        for heading, text in headed_texts(document, 100):
            queries.append(heading)
            found.append(text)
    return queries, found


def headed_texts(document: Document, shortest: int) -> Iterator[tuple[str, str]]:
    """Yield headings of several words with the first 1,200 characters below each."""
    heading = ""
    gathered: list[str] = []
    for is_heading, block in [*document.blocks, (True, "")]:
        if is_heading:
            text = " ".join(gathered)[:1200]
            if len(heading.split()) >= 2 and len(text) > shortest:
                yield heading, text
            heading, gathered = block, []
        else:
            gathered.append(block)


class Bags:
    """Turns texts into sparse rows of token weights, as the embedder weighs them."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._tokenizer = WordPieceTokenizer(vocabulary)
        self._size = len(vocabulary)

    def counts(self, texts: Sequence[str]) -> sparse.csr_matrix:
        """Token counts, shape [texts, vocabulary]."""
        starts, ids, counts = [0], array("i"), array("f")
        for text in texts:
            for bag in self._tokenizer.bags(text):
                ids.extend(bag.keys())
                counts.extend(bag.values())
            starts.append(len(ids))
        data = np.array(counts, dtype=np.float32)
        return sparse.csr_matrix((data, np.array(ids), starts), shape=(len(texts), self._size))


def damped(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """The weight of a token that occurs n times: the square root of n."""
    return counts.sqrt()


def long_texts(
    spans: Sequence[tuple[int, int]], counts: sparse.csr_matrix, vectors: Matrix
) -> tuple[sparse.csr_matrix, Matrix]:
    """Join windows to long texts: their counts are added, their vectors averaged by length."""
    rows = np.repeat(np.arange(len(spans)), [end - start for start, end in spans])
    columns = np.concatenate([np.arange(start, end) for start, end in spans])
    shape = (len(spans), counts.shape[0])
    joined = sparse.csr_matrix((np.ones(len(rows), dtype=np.float32), (rows, columns)), shape=shape)
    lengths = np.asarray(counts.sum(axis=1), dtype=np.float32)
    return (joined @ counts).tocsr(), unit(joined @ (vectors * lengths))


def rarity(size: int) -> Matrix:
    """SIF weights for a vocabulary sorted by frequency, as Zipf's law has it; shape [size, 1]."""
    rank = np.arange(2, size + 2)
    probability = 1 / (rank * np.log(rank))
    probability /= probability.sum()
    return np.asarray(1e-3 / (1e-3 + probability), dtype=np.float32)[:, None]


def principal_axes(vectors: Matrix) -> Matrix:
    """The 256 axes that keep most of the vectors' products; shape [384, 256]."""
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    return np.ascontiguousarray(axes[:, ::-1][:, :DIMENSIONS], dtype=np.float32)


class Trainer:
    """Adam on the token table: distance to the teacher's vectors plus a contrastive loss on pairs.

    Args:
        start: The table to start from, shape [vocabulary, 256].
        contrast: Weight of the contrastive loss. It makes a better searcher and a worse imitator.
        temperature: Of the contrastive loss.
        seed: Of the order of the rows.
    """

    def __init__(self, start: Matrix, contrast: float, temperature: float, seed: int) -> None:
        self.table = start.copy()
        self._contrast = contrast
        self._temperature = temperature
        self._chance = np.random.default_rng(seed)
        self._mean = np.zeros_like(start)
        self._square = np.zeros_like(start)
        self._steps = 0

    def train(
        self,
        rows: sparse.csr_matrix,
        targets: Matrix,
        pairs: tuple[sparse.csr_matrix, sparse.csr_matrix],
        epochs: int,
    ) -> None:
        """Train in batches of 8,192 rows and 1,024 pairs, with a rate that falls along a cosine."""
        size = 8192
        count = rows.shape[0]
        total = epochs * -(-count // size)
        for epoch in range(epochs):
            order = self._chance.permutation(count)
            similarities = []
            for start in range(0, count, size):
                batch = order[start : start + size]
                similarity, gradient = self._imitate(rows[batch], targets[batch])
                similarities.append(similarity)
                for _ in range(2):
                    drawn = self._chance.integers(0, pairs[0].shape[0], 1024)
                    contrast = self._tell_apart(pairs[0][drawn], pairs[1][drawn])
                    gradient += self._contrast / 2 * contrast
                self._step(gradient, 0.01 * (0.52 + 0.5 * np.cos(np.pi * self._steps / total)))
            logger.info("epoch %d: cosine to teacher %.4f", epoch + 1, np.mean(similarities))

    def _imitate(self, rows: sparse.csr_matrix, targets: Matrix) -> tuple[float, Matrix]:
        vectors, lengths = self._embed(rows)
        similarity = (vectors * targets).sum(axis=1, keepdims=True)
        gradient = (similarity * vectors - targets) / lengths / len(targets)
        return float(similarity.mean()), np.asarray(rows.T @ gradient, dtype=np.float32)

    def _tell_apart(self, queries: sparse.csr_matrix, found: sparse.csr_matrix) -> Matrix:
        left, left_lengths = self._embed(queries)
        right, right_lengths = self._embed(found)
        logits = left @ right.T / self._temperature
        error: Matrix = (softmax(logits, axis=1) + softmax(logits, axis=0)) / np.float32(2)
        np.fill_diagonal(error, error.diagonal() - 1)
        error /= self._temperature * len(left)
        left_gradient = _across(error @ right, left) / left_lengths
        right_gradient = _across(error.T @ left, right) / right_lengths
        return np.asarray(queries.T @ left_gradient + found.T @ right_gradient, dtype=np.float32)

    def _embed(self, rows: sparse.csr_matrix) -> tuple[Matrix, Matrix]:
        sums = np.asarray(rows @ self.table, dtype=np.float32)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True) + 1e-9
        return np.asarray(sums / lengths, dtype=np.float32), lengths

    def _step(self, gradient: Matrix, rate: float) -> None:
        self._steps += 1
        self._mean += 0.1 * (gradient - self._mean)
        self._square += 0.01 * (np.square(gradient) - self._square)
        mean = self._mean / (1 - 0.9**self._steps)
        square = self._square / (1 - 0.99**self._steps)
        self.table -= (rate * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)


def softmax(logits: Matrix, axis: int) -> Matrix:
    """Exponentials that add up to one along the axis."""
    powers = np.exp(logits - logits.max(axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True), dtype=np.float32)


def _across(gradient: Matrix, vectors: Matrix) -> Matrix:
    """The part of each gradient that turns its vector instead of stretching it."""
    stretch = (gradient * vectors).sum(axis=1, keepdims=True)
    return np.asarray(gradient - stretch * vectors, dtype=np.float32)


def no_vectors() -> Matrix:
    """No rows in the teacher's dimensions."""
    return np.zeros((0, TEACHER_DIMENSIONS), dtype=np.float32)


@dataclass
class Quest:
    """Queries, the texts among which each has to find one, and the teacher's vectors of both."""

    queries: list[str]
    pool: list[str]
    targets: list[int]
    query_vectors: Matrix = field(default_factory=no_vectors)
    pool_vectors: Matrix = field(default_factory=no_vectors)


def sentence_quest(documents: Sequence[Document], chance: random.Random) -> Quest:
    """Sentences to find the rest of the passage from which they were taken out."""
    parts = [passage for document in documents for passage in passages(document, 220)]
    chance.shuffle(parts)
    quest = Quest([], [], [])
    for passage in parts[:700]:
        split = sentences(passage)
        prose = [
            sentence
            for sentence in split
            if 8 <= len(sentence.split()) <= 40
            and sum(map(str.isalpha, sentence)) > 0.7 * len(sentence)
        ]
        if len(quest.queries) < 250 and len(split) >= 4 and prose:
            query = chance.choice(prose)
            quest.queries.append(query)
            quest.targets.append(len(quest.pool))
            passage = " ".join(part for part in split if part is not query)
        quest.pool.append(passage)
    return quest


def heading_quest(documents: Sequence[Document], chance: random.Random) -> Quest:
    """Headings to find the text below them; a bare number is no heading."""
    headed = [pair for document in documents for pair in headed_texts(document, 150)]
    chance.shuffle(headed)
    quest = Quest([], [], [])
    bare = re.compile(r"(Article|Section|Art|Table of Contents|\W|\d)+\w?")
    for heading, text in headed[:700]:
        letters = sum(map(str.isalpha, heading))
        known = heading in quest.queries or bare.fullmatch(heading) is not None
        if len(quest.queries) < 250 and letters > 0.6 * len(heading) and not known:
            quest.queries.append(heading)
            quest.targets.append(len(quest.pool))
        quest.pool.append(text)
    return quest


def quests(documents: Sequence[Document], teacher: Teacher, cache: Path | None) -> dict[str, Quest]:
    """Both kinds of quest for each group of documents, where there are at least 20 queries."""
    result: dict[str, Quest] = {}
    for group in sorted({document.group for document in documents}):
        members = [document for document in documents if document.group == group]
        chance = seeded(5)
        for kind, draw in (("sentences", sentence_quest), ("headings", heading_quest)):
            quest = draw(members, chance)
            if len(quest.queries) >= 20:
                quest.query_vectors = teacher.embed(quest.queries, cache)
                quest.pool_vectors = teacher.embed(quest.pool, cache)
                result[f"{group} {kind}"] = quest
    return result


def measure(quest: Quest, queries: Matrix, pool: Matrix) -> dict[str, float]:
    """nDCG@10 and recall@5 of unit vectors; of equal scores the middle rank counts."""
    scores = queries @ pool.T
    target = scores[np.arange(len(queries)), quest.targets][:, None]
    rank = 1 + (scores > target).sum(axis=1) + ((scores == target).sum(axis=1) - 1) / 2
    ndcg = np.where(rank <= 10, 1 / np.log2(rank + 1), 0).mean()
    return {"ndcg@10": round(float(ndcg), 4), "recall@5": round(float((rank <= 5).mean()), 4)}


def measure_table(table: Matrix, axes: Matrix, given: dict[str, Quest], bags: Bags) -> Metrics:
    """Measures of a token table on each quest, with the mean cosine to the teacher's vectors."""
    result: Metrics = {}
    for name, quest in given.items():
        queries = unit(damped(bags.counts(quest.queries)) @ table)
        pool = unit(damped(bags.counts(quest.pool)) @ table)
        taught = np.concatenate([quest.query_vectors, quest.pool_vectors]) @ axes
        cosine = float((np.concatenate([queries, pool]) * taught).sum(axis=1).mean())
        result[name] = {**measure(quest, queries, pool), "cosine": round(cosine, 4)}
    return result


def mean(metrics: Metrics, name: str) -> float:
    """Mean of one measure over all quests."""
    return sum(values[name] for values in metrics.values()) / len(metrics)


def quantised(table: Matrix) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Whole numbers from -127 to 127 and the factor of each row."""
    scales = np.maximum(np.abs(table).max(axis=1) / 127, 1e-4).astype(np.float16)
    whole = np.rint(table / scales.astype(np.float32)[:, None])
    return np.clip(whole, -127, 127).astype(np.int8), scales


def write_model(
    file: Path, table: NDArray[np.int8], scales: NDArray[np.float16], vocabulary: Sequence[str]
) -> None:
    """Write the arrays that `StaticEmbedder` reads; uncompressed, so that they load at once."""
    tokens = np.frombuffer("\n".join(vocabulary).encode(), dtype=np.uint8)
    digest = hashlib.sha256()
    for part in (table, scales, tokens):
        digest.update(part.tobytes())
    metadata = {
        "name": NAME,
        "version": VERSION,
        "teacher": TEACHER_NAME,
        "licence": TEACHER_LICENCE,
        "digest": digest.hexdigest(),
    }
    encoded = np.frombuffer(json.dumps(metadata).encode(), dtype=np.uint8)
    with file.open("wb") as stream:
        np.savez(stream, table=table, scales=scales, vocabulary=tokens, metadata=encoded)


def make_model(arguments: argparse.Namespace) -> dict[str, Metrics]:
    """Do all of it; returns the measures of the teacher, the start and the trained table."""
    teacher = Teacher(arguments.teacher, arguments.threads)
    cache: Path | None = arguments.cache
    everything = teacher.vocabulary()
    kept = [i for i, t in enumerate(everything) if not (t.startswith("[") and len(t) > 1)]
    vocabulary = [everything[i] for i in kept]
    words = [token for token in everything if token.isalpha() and len(token) > 2]
    bags = Bags(vocabulary)

    documents = list(read_documents(arguments.texts))
    siblings = Counter(document.group for document in documents)
    held_out = [d for d in documents if is_held_out(d, arguments.hold_out, siblings)]
    training = [d for d in documents if not is_held_out(d, arguments.hold_out, siblings)]
    training += docstring_documents()
    given = quests([*held_out, *read_documents(arguments.unseen)], teacher, cache)
    logger.info("%d documents to train on, %d held out", len(training), len(held_out))

    samples = draw_samples(training, words, arguments.scale, seeded(arguments.seed))
    vectors = teacher.embed(samples.texts, cache)
    counts = bags.counts(samples.texts)
    long_counts, long_vectors = long_texts(samples.long, counts, vectors)
    vectors = np.concatenate([vectors, long_vectors])
    rows = damped(sparse.vstack([counts, long_counts]).tocsr())
    axes = principal_axes(vectors)

    alone = teacher.embed_ids([[CLS, token, SEP] for token in kept])
    centred = alone - alone.mean(axis=0)
    baseline = centred @ principal_axes(centred) * rarity(len(kept))
    queries, found = draw_pairs(training, seeded(arguments.seed))
    trainer = Trainer(
        np.float32(0.3) * alone @ axes * rarity(len(kept)),
        arguments.contrast,
        arguments.temperature,
        arguments.seed,
    )
    trainer.train(
        rows,
        vectors @ axes,
        (damped(bags.counts(queries)), damped(bags.counts(found))),
        arguments.epochs,
    )
    table, scales = quantised(trainer.table)
    restored = table.astype(np.float32) * scales.astype(np.float32)[:, None]
    results = {
        "teacher": {n: measure(q, q.query_vectors, q.pool_vectors) for n, q in given.items()},
        "pca+sif": measure_table(baseline, principal_axes(centred), given, bags),
        "trained": measure_table(restored, axes, given, bags),
    }
    if given and mean(results["trained"], "ndcg@10") < mean(results["pca+sif"], "ndcg@10"):
        raise SystemExit("training made it worse on the documents held out: nothing written")
    write_model(arguments.output, table, scales, vocabulary)
    return results


def main() -> None:
    """Read the command line, make the model, print the measures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("teacher", type=Path, help="folder with model.onnx and tokenizer.json")
    parser.add_argument("texts", type=Path, nargs="+", help="folders of training texts")
    parser.add_argument("--output", type=Path, required=True, help="the .npz file to write")
    parser.add_argument("--hold-out", nargs="*", default=[], help="file names for measuring only")
    parser.add_argument("--unseen", type=Path, nargs="*", default=[], help="folders to measure on")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the training texts")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--contrast", type=float, default=0.04, help="weight of the pairs")
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cache", type=Path, help="folder to keep the teacher's vectors in")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    print(json.dumps(make_model(arguments), indent=1))


if __name__ == "__main__":
    main()
