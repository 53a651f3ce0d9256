"""Collect the fragments of this folder into CHANGELOG.md.

    python changelog.d/collect.py 0.2.0

A fragment is a file `NAME.KIND.md` with one sentence for users; KIND is added, changed, fixed or removed.
"""

from __future__ import annotations

import argparse
import datetime
from pathlib import Path

KINDS = ("added", "changed", "fixed", "removed")
FOLDER = Path(__file__).parent
CHANGELOG = FOLDER.parent / "CHANGELOG.md"


def main() -> None:
    """Write the new release's part at the top and delete the fragments."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("version")
    version = parser.parse_args().version
    fragments = sorted(FOLDER.glob("*.*.md"))
    parts = [f"## {version} ({datetime.date.today():%Y-%m-%d})"]
    for kind in KINDS:
        texts = [
            path.read_text("utf-8").strip()
            for path in fragments
            if path.name.endswith(f".{kind}.md")
        ]
        if texts:
            parts += [f"### {kind.capitalize()}", "\n".join(f"- {text}" for text in texts)]
    head, _, rest = CHANGELOG.read_text("utf-8").partition("\n## ")
    older = f"\n## {rest}" if rest else ""
    CHANGELOG.write_text("\n\n".join([head.strip(), *parts]) + "\n" + older, "utf-8")
    for path in fragments:
        path.unlink()


if __name__ == "__main__":
    main()
