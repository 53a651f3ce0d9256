"""The outlines of PDF files as truth: each entry's section, found under those that the outline puts around it.

Any folder of PDF files will do, of which those with outlines count: manuals that LaTeX, Sphinx, DocBook or Texinfo printed have
them, and their authors typed none of it by hand. Entries that are not printed near their page are left out. Each file is read as it comes, and once more without a look at its outline.

    python benchmarks/bench_outlines.py FOLDER
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from common import Report, skip
from pypdfium2 import PdfiumError

from hierdoc import ConversionError, Section, Source
from hierdoc.citations import split_heading
from hierdoc.structure import document_tree, understand

FEWEST_ENTRIES = 10
NEAR = 1
"""Pages by which a heading may be off."""


def main() -> None:
    """Print a line for each file and the sums."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most-pages", type=int, default=300, help="leave longer files out")
    parser.add_argument("--wrong", action="store_true", help="print what is wrong")
    options = parser.parse_args()
    files = sorted({*options.folder.rglob("*.pdf"), *options.folder.rglob("*.pdf.gz")})
    report = Report("outlines", "PDF files beside their own outlines.", ["hierdoc-pdf"])
    rows: list[dict[str, object]] = []
    sums: Counter[str] = Counter()
    for file in files:
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        row: dict[str, object] = {"file": file.name[:40]}
        for way in ("typography", "outline"):
            try:
                counts = _counts(Source(file.name, data), way, options)
            except (ConversionError, PdfiumError) as error:  # locked ones, for instance
                print(f"{file.name}: {error}")
                counts = None
            if counts is None:
                break
            row |= {"entries": counts["entries"], way: 100 * counts["right"] / counts["entries"]}
            sums.update({f"{way} {name}": count for name, count in counts.items()})
        else:
            rows.append(row)
    if not rows:
        skip(f"no PDF file in {options.folder} has an outline of {FEWEST_ENTRIES} entries")
    report.table("Chains, % of the entries", rows)
    report.table(
        "All",
        [
            {
                "read by": way,
                "files": len(rows),
                "entries": sums[f"{way} entries"],
                "found %": 100 * sums[f"{way} found"] / sums[f"{way} entries"],
                "chain %": 100 * sums[f"{way} right"] / sums[f"{way} entries"],
            }
            for way in ("typography", "outline")
        ],
        "a chain is right with all that the outline has around the entry, and nothing else, the document's first heading aside",
    )
    report.save()


def _counts(source: Source, way: str, options: argparse.Namespace) -> Counter[str] | None:
    """How many entries a file has, and for how many a heading and the right chain were found; None for a file that is left out."""
    from hierdoc_pdf.converter import convert
    from hierdoc_pdf.reading import PDFIUM, Reader, pypdfium2

    with PDFIUM, pypdfium2.PdfDocument(source.data) as file:
        if len(file) > options.most_pages:
            return None
        printed = [_said(file[page].get_textpage().get_text_range()) for page in range(len(file))]
        entries = Reader(file).outline()
    near = ["".join(printed[max(0, page - NEAR) : page + NEAR + 1]) for page in range(len(printed))]
    entries = [one for one in entries if _said(one.title) in near[min(one.page, len(near) - 1)]]
    if len(entries) < FEWEST_ENTRIES:
        return None
    text = convert(source, password=None, tables=True, outline=way == "outline")
    headings = list(_headings(document_tree(understand(text))))
    title = _said(headings[0][1][-1]) if headings else ""
    around: list[tuple[int, str]] = []
    taken: set[int] = set()
    counts = Counter(entries=len(entries))
    for entry in entries:
        around = [one for one in around if one[0] < entry.level]
        wanted = [_said(one) for _, one in around]
        around.append((entry.level, entry.title))
        for number, (page, chain) in enumerate(headings):
            near = abs(page - entry.page - 1) <= NEAR
            if near and number not in taken and _said(chain[-1]) == _said(entry.title):
                taken.add(number)
                found = [_said(one) for one in chain[:-1]]
                counts["found"] += 1
                right = [one for one in found if one != title] == [
                    one for one in wanted if one != title
                ]
                counts["right"] += right
                if options.wrong and not right:
                    print(
                        f"{source.name} p. {page}: {' > '.join(chain)}, in the outline below {wanted}"
                    )
                break
        else:
            if options.wrong:
                print(f"{source.name} p. {entry.page + 1}: no {entry.title}")
    return counts


def _headings(
    sections: Sequence[Section], around: tuple[str, ...] = ()
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The page and the chain of each section, its own title last."""
    for one in sections:
        chain = (*around, one.title)
        yield one.page_start or 0, chain
        yield from _headings(one.children, chain)


def _said(title: str) -> str:
    """The letters and digits of a title without its number: outlines have either, and of appendices their letter alone."""
    behind = re.sub(r"^[A-Z]\s+(?=[A-Z])", "", split_heading(title)[1] or title)
    return re.sub(r"[\W_]+", "", behind.casefold())


if __name__ == "__main__":
    main()
