"""The page in a real Chromium: how fast it is, where the marks stand, that keys suffice, and what axe-core finds."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from PIL import Image

from hierdoc import Index, load_config

pytestmark = [pytest.mark.nightly, pytest.mark.alone, pytest.mark.xdist_group("browser")]

DOCUMENTS, SECTIONS = 500, 20
PATIENCE = 300_000
"""Milliseconds that anything may take on a busy machine."""

WORDS = "harbour berth quay vessel master cargo tide pilot anchor lantern ballast manifest".split()

PAGES = (
    "/",
    "/?query=fee+for+a+berth",
    "/?query=when+does+the+swing+bridge+open",
    "/?query=green+lantern+of+a+tug",
    "/?query=Section+77+of+the+Harbour+Act",
    "/?query=x&mode=sauce",
    "/documents",
    "/document?source=docs/act.md&from=0&to=50",
    "/section?reference=Section+3&in=act.md",
    "/define?term=master",
    "/compare?query=fee+for+a+berth&right_mode=keyword",
    "/login",
)


@pytest.fixture(scope="module")
def browser(browsers: ModuleType) -> Iterator[Any]:
    try:
        with browsers.chromium() as browser:
            yield browser
    except browsers.MissingError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def site(
    browser: Any, harbour: ModuleType, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of `hierdoc serve` over 10,000 chunks and the small corpus."""
    folder: Path = harbour.written_formats(tmp_path_factory.mktemp("site"))
    config = folder / "hierdoc.yaml"
    config.write_text(
        config.read_text()
        + "chunker: {provider: structure, max_chunk_tokens: 300, chunk_overlap: 0}\n"
    )
    for number in range(DOCUMENTS):
        parts = [f"# Rule {number}\n"]
        for section in range(1, SECTIONS + 1):
            told = " ".join(WORDS[(number * section + one) % len(WORDS)] for one in range(150))
            parts.append(
                f"## Section {section} Matter {number}x{section}\n\nword{number}x{section} {told}\n"
            )
        (folder / "docs" / f"rule-{number}.md").write_text("\n".join(parts))
    with Index.open(load_config(config)) as index:
        index.ingest()
        assert index.count() >= 10_000
    with harbour.running("serve", "--port", "0", "--rate", "0", cwd=folder) as address:
        yield address.rstrip("/")


@pytest.fixture
def open_page(browser: Any, site: str) -> Iterator[Callable[..., Any]]:
    """Open an address in a window of its own; what the console says is kept as `console`."""
    contexts = []

    def open_page(path: str, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.console = []
        page.on("console", lambda message: page.console.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: page.console.append(f"error: {error}"))
        page.on("requestfailed", lambda request: page.console.append(f"failed: {request.url}"))
        page.goto(site + path)
        page.wait_for_load_state("networkidle")
        return page

    yield open_page
    for context in contexts:
        context.close()


def test_it_is_painted_and_answers_soon(open_page: Callable[..., Any], site: str) -> None:
    """Best of five, so that a busy moment does not count; prints both figures."""
    page = open_page("/")
    painted, answered = [], []
    for number in range(5):
        for path in ("/", f"/?query=word{number + 7}x{number + 3}+harbour+pilot"):
            page.goto(site + path)
            timing = page.evaluate(TIMING)
            (painted if path == "/" else answered).append(timing)
    first = min(paint for _, paint in painted)
    found = min(answer for answer, _ in answered)
    shown = min(paint for _, paint in answered)
    print(f"\nfirst paint {first:.0f} ms, of hits {shown:.0f} ms; answer {found:.0f} ms")
    assert first <= 300
    assert shown <= 300
    assert found <= 100


TIMING = """() => new Promise(done => new PerformanceObserver(list => {
  const [paint] = list.getEntriesByName('first-contentful-paint');
  const [navigation] = performance.getEntriesByType('navigation');
  if (paint) done([navigation.responseEnd - navigation.requestStart, paint.startTime]);
}).observe({type: 'paint', buffered: true}))"""


@pytest.mark.parametrize("path", PAGES)
def test_the_console_says_nothing(open_page: Callable[..., Any], path: str) -> None:
    page = open_page(path)
    expected = ["error: Failed to load resource"] if "sauce" in path else []
    assert [line[:30] for line in page.console] == [line[:30] for line in expected]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_serious(open_page: Callable[..., Any], path: str, scheme: str) -> None:
    if not find_spec("axe_playwright_python"):
        pytest.skip("axe-core is not installed: uv sync --group browser")
    page = open_page(path, color_scheme=scheme, bypass_csp=True)
    for closed in page.query_selector_all("details:not([open]) > summary"):
        closed.click()
    page.add_script_tag(
        content=files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    )
    found = page.evaluate("() => axe.run()")["violations"]
    serious = [
        (one["id"], node["html"][:200], node.get("failureSummary", "")[:300])
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
    assert serious == []


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("fee for a berth", "The fee for a berth is 23.2 crowns a day."),
        ("green lantern of a tug", "Every tug shows a green lantern at night."),
    ],
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_markdown_and_html_are_marked_where_they_answer(
    open_page: Callable[..., Any], query: str, text: str, scheme: str
) -> None:
    page = open_page(f"/?query={query.replace(' ', '+')}", color_scheme=scheme)
    mark = page.locator("mark", has_text=text)
    mark.scroll_into_view_if_needed()
    assert mark.count() == 1
    place, ground = mark.bounding_box(), page.locator(".reader").bounding_box()
    picture = screenshot(page)
    expected = (255, 229, 138) if scheme == "light" else (107, 82, 0)
    assert picture.getpixel((int(place["x"]) + 1, int(place["y"]) + 2)) == expected
    beside = (int(ground["x"] + ground["width"]) - 30, int(place["y"]) + 5)
    assert picture.getpixel(beside) != expected
    assert "command of a ship" not in " ".join(page.locator("mark").all_inner_texts())


def test_pdf_is_marked_where_it_answers(open_page: Callable[..., Any]) -> None:
    page = open_page("/?query=when+does+the+swing+bridge+open")
    image = page.locator(".sheet img")
    page.locator(".sheet rect").last.scroll_into_view_if_needed()
    image.evaluate("one => one.decode()")
    sheet = image.bounding_box()
    rectangles = [one.bounding_box() for one in page.locator(".sheet rect").all()]
    picture = screenshot(page)
    scale = sheet["width"] / 612
    for x, baseline in ((74, 792 - 700), (74, 792 - 676), (330, 792 - 676)):  # where words stand
        place = sheet["x"] + x * scale, sheet["y"] + (baseline - 3) * scale
        assert any(
            box["x"] <= place[0] <= box["x"] + box["width"]
            and box["y"] <= place[1] <= box["y"] + box["height"]
            for box in rectangles
        )
    for box in rectangles:  # and nothing around them
        assert box["x"] >= sheet["x"] + 68 * scale
        assert box["y"] >= sheet["y"] + (792 - 700 - 22) * scale
        assert box["x"] + box["width"] <= sheet["x"] + 420 * scale
        assert box["y"] + box["height"] <= sheet["y"] + (792 - 676 + 8) * scale
    for box in rectangles:
        red, _, blue = picture.getpixel((int(box["x"]) + 1, int(box["y"]) + 1))
        assert red > 230
        assert blue < 200
        beside = (int(sheet["x"]) + 20, int(box["y"]) + 1)
        assert picture.getpixel(beside) == (255, 255, 255)


def test_keys_suffice_and_scripts_are_not_needed(open_page: Callable[..., Any]) -> None:
    page = open_page("/", java_script_enabled=False)
    page.keyboard.type("Section 1")
    page.keyboard.press("Enter")
    page.wait_for_url("**query=Section*")
    assert page.locator(".badge.ambiguous").count() >= 2
    second = page.locator("#hit-2 h3 a")
    for _ in range(60):
        page.keyboard.press("Tab")
        if second.evaluate("one => one === document.activeElement"):
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**hit=2**")
    assert page.locator("#hit-2.chosen").count() == 1


def test_on_a_narrow_screen_nothing_is_cut_off(open_page: Callable[..., Any], site: str) -> None:
    page = open_page("/?query=fee+for+a+berth")
    page.set_viewport_size({"width": 360, "height": 700})
    for path in PAGES:
        page.goto(site + path)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 360, path


def screenshot(page: Any) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")
