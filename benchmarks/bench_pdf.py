"""PDF: pages per second of processor time beside markitdown and pdfminer, and headings beside the files' own outlines."""

from __future__ import annotations

import asyncio
import itertools
import re
import time
from collections.abc import Callable, Coroutine, Sequence
from importlib.util import find_spec
from typing import Any

from common import DATA, Report, arguments, skip

from hierdoc import Document, Source
from hierdoc.structure import find_headings

PAGES_PER_SECOND = 100
MOST_PAGES_OF_PEERS = 8
LONGEST_PAUSE_MS = 50


def main() -> None:
    """Measure speed, then headings, then how long the event loop stands still."""
    if not find_spec("hierdoc_pdf"):
        skip("hierdoc-pdf is not installed")
    from hierdoc_pdf.converter import PdfConverter

    options = arguments()
    report = Report(
        "pdf", "Conversion of PDF.", ["hierdoc-pdf", "pypdfium2", "markitdown", "pdfminer.six"]
    )
    files = sorted(DATA.rglob("*.pdf"), key=lambda file: file.stat().st_size)
    files = files[:1] if options.quick else files
    if not files:
        skip("no PDF in the shared data; HIERDOC_SHARED_DATA names its folder")
    sources = [Source(file.name, file.read_bytes()) for file in files]
    rows = [_speed(source, 1 if options.quick else 3) for source in sources]
    report.table(
        "Pages per second of processor time",
        rows,
        f"best of several; peers read the first {MOST_PAGES_OF_PEERS} pages only; `pdfium alone` loads the text of "
        "each page and does nothing with it",
    )
    for row in rows:
        report.target(
            f"pages/s, {row['file']}", float(str(row["hierdoc-pdf"])), ">=", PAGES_PER_SECOND
        )
    judged = [row for source in sources if (row := _headings(source))]
    if judged:
        report.table(
            "Headings found by typography alone, beside the file's outline",
            judged,
            "level accuracy: of pairs of neighbouring found entries, how many stand in the same relation, deeper, level or "
            "outside; headings that the outline does not name count against precision",
        )
    pauses = [
        {
            "file": source.name[:28],
            "longest pause ms": _pause(PdfConverter().convert(source)),
            "beside plain Python": _pause(asyncio.to_thread(_busy, 1.0)),
        }
        for source in sources
    ]
    report.table(
        "Event loop while a file is converted",
        pauses,
        "of a task that asks for 1 ms of sleep, again and again",
    )
    report.target(
        "longest pause ms",
        max(float(str(row["longest pause ms"])) for row in pauses),
        "<=",
        LONGEST_PAUSE_MS,
    )
    report.save()


def _convert(source: Source, *, outline: bool = True) -> Document:
    from hierdoc_pdf.converter import PdfConverter

    return asyncio.run(PdfConverter(outline=outline).convert(source))


def _speed(source: Source, repetitions: int) -> dict[str, object]:
    """Pages per second of processor time of all that read PDF here."""
    pages = len(_convert(source).page_starts)
    row: dict[str, object] = {"file": source.name[:28], "pages": pages}
    row["hierdoc-pdf"] = pages / _least(lambda: _convert(source), repetitions)
    row["pdfium alone"] = pages / _least(lambda: _bare(source), repetitions)
    few = min(pages, MOST_PAGES_OF_PEERS)
    short = _first_pages(source, few)
    if find_spec("hierdoc_markitdown") and find_spec("markitdown"):
        row["markitdown"] = few / _least(lambda: _markitdown(short), 1)
    if find_spec("pdfminer"):
        row["pdfminer"] = few / _least(lambda: _pdfminer(short), 1)
    return row


def _least(work: Callable[[], object], repetitions: int) -> float:
    """The least processor time, in seconds, of several runs."""
    spent = []
    for _ in range(repetitions):
        started = time.process_time()
        work()
        spent.append(time.process_time() - started)
    return min(spent)


def _bare(source: Source) -> None:
    import pypdfium2
    import pypdfium2.raw as pdfium

    with pypdfium2.PdfDocument(source.data) as document:
        for number in range(len(document)):
            page = pdfium.FPDF_LoadPage(document.raw, number)
            text = pdfium.FPDFText_LoadPage(page)
            pdfium.FPDFText_ClosePage(text)
            pdfium.FPDF_ClosePage(page)


def _first_pages(source: Source, count: int) -> Source:
    import io

    import pypdfium2

    out = io.BytesIO()
    with pypdfium2.PdfDocument(source.data) as whole, pypdfium2.PdfDocument.new() as part:
        part.import_pages(whole, list(range(count)))
        part.save(out)
    return Source(source.name, out.getvalue())


def _markitdown(source: Source) -> Document:
    from hierdoc_markitdown.converter import MarkitdownConverter

    return asyncio.run(MarkitdownConverter().convert(source))


def _pdfminer(source: Source) -> str:
    import io
    import logging

    from pdfminer.high_level import extract_text

    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    return str(extract_text(io.BytesIO(source.data)))


def _headings(source: Source) -> dict[str, object] | None:
    """How well the outline is found again without looking at it; None for a file without one."""
    wanted = _outline(source)
    if len(wanted) < 5:
        return None
    document = _convert(source, outline=False)
    found = [
        (
            heading.level,
            _letters(heading.title),
            sum(start <= heading.char_start for start in document.page_starts) - 1,
        )
        for heading in find_headings(document.text)
    ]
    on_page = [entry for entry in wanted if entry[1] in _letters(_page(document, entry[2]))]
    matched = [(entry, _match(entry, found)) for entry in wanted]
    pairs = [(entry, heading) for entry, heading in matched if heading]
    hits = {heading for _, heading in pairs}
    related = sum(
        _sign(one[0][0] - other[0][0]) == _sign(one[1][0] - other[1][0])
        for one, other in itertools.pairwise(pairs)
    )
    return {
        "file": source.name[:28],
        "entries": len(wanted),
        "of them on their page": len(on_page),
        "headings": len(found),
        "recall": len(pairs) / len(wanted),
        "recall of those on page": sum(bool(_match(entry, found)) for entry in on_page)
        / max(1, len(on_page)),
        "precision": len(hits) / max(1, len(found)),
        "level accuracy": related / max(1, len(pairs) - 1),
    }


def _outline(source: Source) -> list[tuple[int, str, int]]:
    """Level, letters of the title, and page of each entry."""
    from hierdoc_pdf.reading import PDFIUM, Reader, pypdfium2

    with PDFIUM, pypdfium2.PdfDocument(source.data) as document:
        return [
            (entry.level, _letters(entry.title), entry.page) for entry in Reader(document).outline()
        ]


def _page(document: Document, page: int) -> str:
    starts = [*document.page_starts, len(document.text)]
    return document.text[starts[page] : starts[page + 1]]


def _match(
    entry: tuple[int, str, int], found: Sequence[tuple[int, str, int]]
) -> tuple[int, str, int] | None:
    """The heading that has an entry's title, on its page or next to it."""
    near = [heading for heading in found if abs(heading[2] - entry[2]) <= 1]
    near.sort(key=lambda heading: (heading[1] != entry[1], abs(heading[2] - entry[2])))
    return next((heading for heading in near if _same(heading[1], entry[1])), None)


def _same(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return bool(short) and (
        one == other
        or (len(short) >= 0.6 * len(long) and (long.startswith(short) or long.endswith(short)))
    )


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _busy(seconds: float) -> None:
    """Plain Python in a thread, to know what this machine does to an event loop anyway."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def _pause(work: Coroutine[Any, Any, object]) -> float:
    """The longest time, in milliseconds, for which a task beside the work could not run."""

    async def watched() -> float:
        longest = 0.0
        done = asyncio.Event()

        async def watch() -> None:
            nonlocal longest
            while not done.is_set():
                started = time.perf_counter()
                await asyncio.sleep(0.001)
                longest = max(longest, (time.perf_counter() - started) * 1000 - 1)

        watcher = asyncio.create_task(watch())
        await work
        done.set()
        await watcher
        return longest

    return asyncio.run(watched())


if __name__ == "__main__":
    main()
