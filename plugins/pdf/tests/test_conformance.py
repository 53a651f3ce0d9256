"""The converter keeps what every converter promises, and pages begin where they say, behind letters of two bytes too."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hierdoc.plugin import ComponentKind, default_registry
from hierdoc_testing import ConverterTests, OpenComponent, Sample

PAGES = (
    ("Erste Seite", "Ueber die Straße und naïve Gläubiger, deren Häuser älter sind."),
    ("Zweite Seite", "Öffentliche Übungen für Schüler, größer als früher üblich."),
    ("Dritte Seite", "The last-word"),
)


def pdf(pages: Sequence[Sequence[str]]) -> bytes:
    """A PDF file with these lines on its pages, the first of each in large letters."""
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    bodies = ["<< /Type /Catalog /Pages 2 0 R >>", "", font]
    kids = []
    for lines in pages:
        shown = "\n".join(
            f"BT /F {24 if n == 0 else 10} Tf 72 {700 - 40 * n} Td ({line}) Tj ET"
            for n, line in enumerate(lines)
        )
        bodies.append(f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream")
        bodies.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F 3 0 R >> >> "
            f"/Contents {len(bodies)} 0 R >>"
        )
        kids.append(f"{len(bodies)} 0 R")
    bodies[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>"
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(bodies) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer << /Size {size} /Root 1 0 R >>\n"
    return out + f"{end}startxref\n{len(out)}\n%%EOF\n".encode()


class TestPdf(ConverterTests):
    @pytest.fixture
    def open_converter(self) -> OpenComponent:
        provider = default_registry().find(ComponentKind.CONVERTER, "pdf")
        return lambda: provider.open(provider.config())

    @pytest.fixture
    def samples(self) -> Sequence[Sample]:
        words = ["Erste", "Straße", "naïve", "Zweite", "größer", "Dritte", "last-word"]
        begin = [f"# {lines[0]}" for lines in PAGES]
        headings = [lines[0] for lines in PAGES]
        return [Sample("docs/pages.pdf", pdf(PAGES), words, headings, begin)]
