"""A small corpus with definitions, references and metadata, and servers over it."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
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
        try:
            said = ""
            for line in ran.stderr:
                said += line
                if found := re.search(r"http://\S+", line):
                    break
            else:
                pytest.fail(f"the server ended: {said}")
            threading.Thread(target=ran.stderr.read, daemon=True).start()
            yield found[0]
        finally:
            ran.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                ran.wait(10)
            ran.kill()
