"""Makes the pictures of `hierdoc serve` in these pages, with a real Chromium: python docs/screenshots.py [NAME ...]."""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests"))

import browsers  # noqa: E402 - a module of the tests
import harbour  # noqa: E402

PICTURES = {
    "serve-pdf": ("/?query=when+does+the+swing+bridge+open&top_k=4", "light"),
    "serve-dark": ("/?query=green+lantern+of+a+tug&top_k=4", "dark"),
    "serve-compare": ("/compare?query=may+a+tall+ship+pass&right_mode=keyword&top_k=4", "light"),
}
"""Address and colours by the name of the file."""

SIZE = {"width": 1180, "height": 720}
COLOURS = 64
PATIENCE = 300_000
"""Milliseconds that anything may take on a busy machine."""

ATTEMPTS = 20
IS_DRAWN = "one => one.decode().then(() => true, () => false)"


def main() -> None:
    """Write them."""
    folder = DOCS / "images"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, browsers.chromium() as browser:
        corpus = harbour.written_formats(Path(name))
        with harbour.running("serve", "--port", "0", "--ingest", cwd=corpus) as address:
            for picture in sys.argv[1:] or PICTURES:
                path, scheme = PICTURES[picture]
                context = browser.new_context(viewport=SIZE, color_scheme=scheme)
                context.set_default_timeout(PATIENCE)
                page = context.new_page()
                page.goto(address.rstrip("/") + "/health")
                while "building" in page.content():
                    page.wait_for_timeout(200)
                    page.reload()
                for _ in range(2):  # the first search opens the index
                    page.goto(address.rstrip("/") + path)
                for _ in range(
                    ATTEMPTS
                ):  # on a busy machine a page takes longer to draw than a call may
                    if all(image.evaluate(IS_DRAWN) for image in page.locator("img").all()):
                        break
                    page.reload()
                page.locator(".why summary").first.click()
                page.wait_for_load_state("networkidle")
                image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
                file = folder / f"{picture}.png"
                image.quantize(COLOURS).save(file, optimize=True)
                print(f"{file.relative_to(DOCS)}: {file.stat().st_size >> 10} KiB")
                context.close()


if __name__ == "__main__":
    main()
