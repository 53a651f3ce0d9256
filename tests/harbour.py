"""A small corpus with definitions, references and metadata, and servers over it."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

ACT = """\
---
effective: 2020-01-01
tags: [harbour, fees]
---
# Harbour Act

## Section 1 Definitions

“Harbour” means a place where ships lie at anchor and are loaded or unloaded.

“Master” means the person who has command of a ship.

## Section 2 Reports

(a) Every master of a ship shall report to the harbour office as Section 3(b) says.

(b) A report that is late costs the fee of Section 3(a).

## Section 3 Fees

(a) The fee for a berth is 23.2 crowns a day.

(b) It becomes due when the ship moors, subject to Section 9 of the Lost Act.
"""

RULES = """\
---
effective: 2022-01-01
tags: [fishing]
---
# Fishing Rules

## Section 1 Licences

A licence is granted to a master who has paid under Section 3 of the Harbour Act.

## Section 2 Fish

""" + "\n\n".join(
    f"({letter}) The catch of number {number} is landed at quay {number} and weighed there twice."
    for number, letter in enumerate("abcdefghijklmnopqrstuvwxyz")
) + "\n"  # fmt: skip

IN_MEMORY = {
    "vector": "in-memory",
    "keyword": "in-memory",
    "metadata": {"effective": "date", "tags": "list"},
}


GUIDE = """\
<!doctype html><title>Pilot Guide</title><h1>Pilot Guide</h1>
<h2>1 Lights</h2><p>Every tug shows a <b>green lantern</b> at night.</p>
<h2>2 Signals</h2><p>Three blasts mean that the engine goes astern.</p>
<script>document.title = "taken over"</script><p onclick="alert(1)">Ring the bell <img src=x onerror=alert(1)> twice.</p>
"""

CRANES = (
    [
        "1 Cranes",
        *[
            f"The crane at quay {number} is inspected by the engineer in spring."
            for number in range(9)
        ],
    ],
    ["2 Bridges", "The swing bridge opens at noon for masts above twenty metres."],
)


def pdf(*pages: Sequence[str]) -> bytes:
    """A PDF file of these lines, 72 points from the left and 24 apart, the first of each page larger."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for lines in pages:
        drawn = "".join(
            f"BT /F {18 if not at else 11} Tf 72 {700 - 24 * at} Td ({line}) Tj ET "
            for at, line in enumerate(lines)
        )
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects) + 2} 0 R"
            " /Resources << /Font << /F 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(drawn)} >> stream\n{drawn}\nendstream")
    written, offsets = "%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        offsets.append(len(written))
        written += f"{number} 0 obj {one} endobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    return (
        f"{written}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
    ).encode()


def written_formats(tmp_path: Path) -> Path:
    """The same with a document in HTML and one in PDF."""
    written(tmp_path)
    (tmp_path / "docs" / "guide.html").write_text(GUIDE, encoding="utf-8")
    (tmp_path / "docs" / "cranes.pdf").write_bytes(pdf(*CRANES))
    return tmp_path


def written(tmp_path: Path) -> Path:
    """The corpus in a folder, and a configuration beside it."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "act.md").write_text(ACT, encoding="utf-8")
    (docs / "rules.md").write_text(RULES, encoding="utf-8")
    (tmp_path / "hierdoc.yaml").write_text(
        "source: docs\nvector: {provider: sqlite, path: .hierdoc}\nkeyword: {provider: tantivy, path: .hierdoc}\n"
        "metadata: {effective: date, tags: list}\n"
    )
    return tmp_path


@contextmanager
def running(*arguments: str, cwd: Path, **environment: str) -> Iterator[str]:
    """The address of a server that `hierdoc` with these arguments starts, for as long as it is needed."""
    script = Path(sys.executable).with_name("hierdoc")
    command = [str(script), *arguments]
    settings = {**os.environ, **environment}
    with subprocess.Popen(command, cwd=cwd, env=settings, stderr=subprocess.PIPE, text=True) as ran:
        assert ran.stderr is not None
        rest = threading.Thread(target=ran.stderr.read, daemon=True)
        try:
            said = ""
            for line in ran.stderr:
                said += line
                if found := re.search(r"http://\S+", line):
                    break
            else:
                pytest.fail(f"the server ended: {said}")
            rest.start()
            yield found[0]
        finally:
            ran.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                ran.wait(10)
            ran.kill()
            if rest.is_alive():  # it must not read what is closed
                rest.join(30)
