"""Hostile files: small ones that would take minutes or gigabytes, each ingested by a process of its own.

seconds   of the whole ingest, the start of Python included
peak MiB  of resident memory, of the largest process
stored    bytes of the index for each byte of the file
outcome   chunks, or why the file failed
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from common import Report, arguments, run_measured

PATIENCE = 400
"""Seconds after which an ingest is ended."""

MOST_SECONDS, MOST_MIB = 320, 4096
"""What the limits of a conversion allow, and the start of Python."""

Maker = Callable[[float], bytes]
"""Makes a file of a size; 1 is the size that is measured."""


def main() -> None:
    """Ingest each file, print and save."""
    options = arguments()
    scale = 0.02 if options.quick else 1.0
    report = Report("hostile", "Ingest of files that are made to take long.", ["markitdown"])
    for title, makers in (("texts", TEXTS), ("files that unpack", PACKED)):
        rows = [measured(name, make(scale)) for name, make in makers.items()]
        report.table(f"{title}, one file each", rows)
        slowest = max(float(row["seconds"] or PATIENCE) for row in rows)
        report.target("seconds of the slowest", slowest, "<=", MOST_SECONDS)
        largest = max(float(row["peak MiB"] or 1 << 20) for row in rows)
        report.target("MiB of the largest", largest, "<=", MOST_MIB)
    report.save()


def measured(name: str, data: bytes) -> dict[str, Any]:
    """A row of the table: what the ingest of this one file takes."""
    with tempfile.TemporaryDirectory() as folder:
        file, outcome = Path(folder, name.rpartition(" ")[2]), Path(folder, "outcome")
        file.write_bytes(data)
        command = [sys.executable, "-c", _INGEST, str(file), str(outcome), str(PATIENCE)]
        row: dict[str, Any] = {"file": name, "KiB": len(data) / 1024}
        try:
            used = run_measured(command)
        except RuntimeError:
            ended = f"crashed, or ended after {PATIENCE} seconds"
            return row | {"seconds": None, "peak MiB": None, "stored": None, "outcome": ended}
        found = json.loads(outcome.read_text(encoding="utf-8"))
    return row | {
        "seconds": used["seconds"],
        "peak MiB": used["peak_mib"],
        "stored": found["stored"],
        "outcome": found["outcome"].replace(str(file), "")[:90],
    }


_INGEST = """
import json, signal, sys
from pathlib import Path
from hierdoc import Index
if hasattr(signal, "alarm"):
    signal.alarm(int(sys.argv[3]))
folder = Path(sys.argv[1]).parent / "index"
stores = {
    kind: {"provider": name, "path": str(folder)}
    for kind, name in (("vector", "sqlite"), ("keyword", "tantivy"))
}
with Index.open({"source": sys.argv[1], **stores}) as index:
    report = index.ingest()
size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
found = report.failures[0].error if report.failures else f"{report.chunks} chunks"
Path(sys.argv[2]).write_text(json.dumps({
    "outcome": found, "stored": size / Path(sys.argv[1]).stat().st_size,
}))
"""


def text(make: Callable[[int], str]) -> Maker:
    """A file of about a megabyte: the text is made for a number of parts of about ten characters."""
    return lambda scale: make(int(100_000 * scale)).encode()


def zipped(parts: Mapping[str, str]) -> bytes:
    """A ZIP archive of these files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return data.getvalue()


def word(body: str) -> bytes:
    """A Word file."""
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" '
            f'ContentType="{kind}"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
            f'Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{main}"><w:body>{body}</w:body></w:document>',
        }
    )


def sheet(rows: str) -> bytes:
    """An Excel file of one sheet."""
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
            f'ContentType="{kind}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" '
            f'ContentType="{kind}.worksheet+xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
            f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
            f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>',
        }
    )


def book(body: str) -> bytes:
    """An EPUB of one document."""
    return zipped(
        {
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
            "b.opf": '<package><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>',
            "a.xhtml": f"<html><body>{body}</body></html>",
        }
    )


def open_document(body: str) -> bytes:
    """An OpenDocument text."""
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    texts = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f'<o:document-content xmlns:o="{office}" xmlns:t="{texts}">'
            f"<o:body><o:text>{body}</o:text></o:body></o:document-content>",
        }
    )


def _row(number: int) -> str:
    return f'<row r="{number}"><c r="A{number}"><v>1</v></c></row>'


TEXTS: dict[str, Maker] = {
    "one citation, 60,000 levels cite.md": text(
        lambda n: f"# Act\n\nSee Section 1{'(a)' * (n * 6 // 10)} of it.\n"
    ),
    "one number, 100,000 parts dots.md": text(
        lambda n: f"# Act\n\nSee Section 1{'.1' * n} here.\n"
    ),
    "levels, then a list list.md": text(
        lambda n: f"# Act\n\nSee Section 1{'(a)' * (n // 10)}{', (b)' * (n // 10)}.\n"
    ),
    "numbered heading, 100,000 parts heads.md": text(
        lambda n: f"# 1{'.1' * n} Scope\n\n{'Some text of it. ' * n}\n"
    ),
    "one heading of a megabyte heading.md": text(lambda n: f"# {'some words ' * n}\n\nText.\n"),
    "underlined line of a megabyte under.md": text(
        lambda n: f"{'some words ' * n}\n===\n\nText.\n"
    ),
    "title of a megabyte title.md": text(
        lambda n: f"---\ntitle: {'a' * 60_000}\n---\n\n{'Some text of it. ' * n}\n"
    ),
    "title element of a megabyte title.html": text(
        lambda n: f"<title>{'some words ' * n}</title><p>{'Some text of it. ' * n}"
    ),
    "500,000 empty headings bare.md": text(lambda n: "#\n" * (n * 5)),
    "250,000 equal headings equal.md": text(lambda n: "# a\n" * (n * 5 // 2)),
    "long headings in each other nested.md": text(
        lambda n: (
            "".join(f"{'#' * level} {'word ' * n}\n\n" for level in range(1, 7)) + "Text. " * n
        )
    ),
    "list marks of one line lists.md": text(lambda n: f"{'- ' * (n * 5)}a\n"),
    "quote marks of one line quotes.md": text(lambda n: f"{'> ' * (n * 5)}a\n"),
    "indented list items indented.md": text(
        lambda n: "".join(f"{' ' * level}- a\n" for level in range(int((2 * n * 10) ** 0.5)))
    ),
    "100,000 items in each other items.md": text(
        lambda n: (
            "# Section 1. Scope\n\n"
            + "".join(f"({'a1iA'[k % 4]}) Text of it.\n\n" for k in range(n))
        )
    ),
    "table row of a megabyte row.md": text(
        lambda n: f"|{'a|' * n}\n|{'-|' * n}\n|{'some words|' * n}\n"
    ),
    "100,000 table rows, long header rows.md": text(
        lambda n: f"| {'words ' * (n // 2)} | b |\n|---|---|\n" + "| a | b |\n" * n
    ),
    "100,000 citations cites.md": text(
        lambda n: (
            "# Act\n\nSee " + " ".join(f"Section {k}," for k in range(1, n)) + " and no more.\n"
        )
    ),
    "one list of 100,000 numbers numbers.md": text(
        lambda n: "# Act\n\nSee sections " + ", ".join(map(str, range(1, n))) + " and no more.\n"
    ),
    "ranges of 200 numbers ranges.md": text(
        lambda n: (
            "# Act\n\n"
            + " ".join(f"See sections {k * 200} to {k * 200 + 199}." for k in range(n // 3))
        )
    ),
    "100,000 definitions of one term terms.md": text(
        lambda n: "# Definitions\n\n" + "“Harbour” means a port.\n\n" * n
    ),
    "definitions in one sentence chained.md": text(
        lambda n: (
            "# Definitions\n\nIn this Act:\n\n"
            + "".join(f"“Term {k}” means the following:\n\n" for k in range(n // 3))
        )
    ),
    "terms in one definition shared.md": text(
        lambda n: (
            "# Definitions\n\n" + " or ".join(f"“Term {k}”" for k in range(n)) + " means it.\n"
        )
    ),
    "one definition of a megabyte long.md": text(
        lambda n: f"# Definitions\n\n“Harbour” means {'a port or ' * n}a pier.\n"
    ),
    "short title of a megabyte short.md": text(
        lambda n: (
            f"# Act\n\nThis Act may be cited as the {'Water ' * n}Act.\n\n{'Some text. ' * n}\n"
        )
    ),
    "elements in each other deep.html": text(lambda n: "<div>" * n + "a" + "</div>" * n),
    "lists in each other deep-lists.html": text(lambda n: "<ul><li>a" * n),
    "tables in each other deep-tables.html": text(lambda n: "<table><tr><td>a" * n),
    "elements in each other deep.xml": text(
        lambda n: (
            "<article><body>"
            + "<sec><title>T</title><p>a</p>" * n
            + "</sec>" * n
            + "</body></article>"
        )
    ),
    "sections in each other deep-book.xml": text(
        lambda n: (
            '<book xmlns="http://docbook.org/ns/docbook" version="5.0"><title>B</title>'
            + "<section><title>T</title><para>a</para>" * (n // 2)
            + "</section>" * (n // 2)
            + "</book>"
        )
    ),
    "entities bomb.xml": text(
        lambda n: (
            '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">'
            + "".join(f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(9))
            + "]><a>&j;</a>"
        )
    ),
}

PACKED: dict[str, Maker] = {
    "one far cell far.xlsx": lambda scale: sheet(
        '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    ),
    "a million rows rows.xlsx": lambda scale: sheet(
        "".join(map(_row, range(1, int(1_000_000 * scale) + 1)))
    ),
    "180 MB of text text.docx": lambda scale: word(
        f"<w:p><w:r><w:t>{'words ' * int(30_000_000 * scale)}</w:t></w:r></w:p>"
    ),
    "two million paragraphs paragraphs.docx": lambda scale: word(
        "<w:p><w:r><w:t>a</w:t></w:r></w:p>" * int(2_000_000 * scale)
    ),
    "three million paragraphs paragraphs.epub": lambda scale: book(
        "<p>a</p>" * int(3_000_000 * scale)
    ),
    "elements in each other deep.epub": lambda scale: book("<div>" * int(1_000_000 * scale) + "a"),
    "a million paragraphs paragraphs.odt": lambda scale: open_document(
        "<t:p>a</t:p>" * int(1_000_000 * scale)
    ),
    "a million spaces spaces.odt": lambda scale: open_document(
        '<t:p>a<t:s t:c="99999999"/>b</t:p>' * int(100 * scale + 1)
    ),
}


if __name__ == "__main__":
    main()
