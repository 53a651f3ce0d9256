"""The page as a browser gets it: what it shows, that nothing in it can act, and how people sign in."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from PIL import Image

from hierdoc.errors import QueryError
from hierdoc.index import AsyncIndex
from hierdoc.models import Degradation, SearchResult
from hierdoc_tools.corpus import Corpus

Ask = Callable[..., httpx.Response]

TOKEN = "0123456789abcdef-token"


class Links(HTMLParser):
    """The links, forms and ids of a page; that labels and elements fit together."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.labelled: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.tags.append(tag)
        self.links += [given[name] for name in ("href", "src", "action") if name in given]
        self.ids += [given["id"]] if "id" in given else []
        self.labelled += [given["for"]] if "for" in given else []


def shown(response: httpx.Response) -> str:
    """The page as plain text."""
    assert response.headers["content-type"].startswith("text/html")
    return " ".join(re.sub("<[^>]*>", " ", response.text).split())


def marks(response: httpx.Response) -> str:
    return " ".join(re.findall(r"<mark[^>]*>(.*?)</mark>", response.text, re.DOTALL))


PAGES = (
    "/",
    "/?query=fee+for+a+berth",
    "/?query=swing+bridge&hit=1&mode=keyword",
    "/documents",
    "/document?source={act}",
    "/section?reference=Section+3&in=act.md",
    "/define?term=master",
    "/define?term=mastr",
    "/compare?query=fee&left=plain&right=words",
    "/section",
    "/define",
    "/compare",
)


@pytest.fixture(scope="session")
def act(ask: Ask) -> str:
    """What the index calls the act."""
    names = [one["source"] for one in ask("/api/documents").json()["documents"]]
    return next(name for name in names if name.endswith("act.md"))


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_whole_and_every_link_leads_somewhere(ask: Ask, act: str, path: str) -> None:
    response = ask(path.format(act=act))
    assert response.status_code == 200
    page = Links(response.text)
    assert len(page.ids) == len(set(page.ids))
    assert set(page.labelled) <= set(page.ids)
    assert page.tags.count("h1") >= 1
    assert "script" not in page.tags
    assert not re.search(r"\s(?:style|on\w+)=", re.sub(r">[^<]*<", "><", response.text))
    for link in set(page.links):
        parts = urlsplit(link)
        assert not parts.netloc
        if parts.fragment and not parts.path:
            assert parts.fragment in page.ids or parts.fragment == "passage"


def test_links_of_a_search_lead_to_pages_that_are_there(ask: Ask) -> None:
    page = Links(ask("/?query=fee+for+a+berth").text)
    followed = {link.partition("#")[0] for link in page.links if link.startswith("/")}
    assert len(followed) > 20
    for link in followed - {"/logout"}:
        assert ask(link).status_code == 200, link


def test_a_search_shows_the_best_hit_marked_in_its_document(ask: Ask) -> None:
    response = ask("/?query=fee+for+a+berth")
    assert "23.2 crowns a day" in marks(response)
    assert "command of a ship" not in marks(response)
    assert "command of a ship" in shown(response)
    assert "Why rank 1" in shown(response)


def test_another_hit_is_shown_when_it_is_chosen(ask: Ask) -> None:
    first, second = (marks(ask(f"/?query=fee+for+a+berth&hit={hit}")) for hit in (1, 2))
    assert first != second


@pytest.mark.parametrize("hit", ["0", "99", "-1", "x", "9" * 30, "1.5", "²"])
def test_a_hit_that_is_not_there_is_no_error(ask: Ask, hit: str) -> None:
    assert ask("/", params={"query": "fee", "hit": hit}).status_code == 200


def test_html_is_rendered_and_cannot_act(ask: Ask) -> None:
    response = ask("/?query=green+lantern+of+a+tug")
    assert "<strong>green lantern</strong>" in response.text
    assert "green lantern" in marks(response)
    assert "onclick" not in response.text
    assert "onerror" not in response.text


def test_pdf_is_shown_page_by_page_with_rectangles_where_the_passage_is(ask: Ask) -> None:
    response = ask("/?query=swing+bridge")
    found = Links(response.text)
    (picture,) = [link for link in found.links if link.startswith("/picture")]
    assert picture.endswith("page=2")
    assert len(re.findall("<rect ", response.text)) >= 1
    drawn = ask(picture)
    while (
        drawn.status_code == 504
    ):  # on a busy machine a process takes longer to start than a call may
        drawn = ask(picture)
    assert drawn.headers["content-type"] == "image/png"
    image = Image.open(io.BytesIO(drawn.content)).convert("L")
    for x, y, width, height in re.findall(r'<rect x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"/>', response.text):  # fmt: skip
        left, top = float(x) * image.width, float(y) * image.height
        right, bottom = left + float(width) * image.width, top + float(height) * image.height
        assert image.crop((int(left), int(top), int(right), int(bottom))).getextrema()[0] < 100
    blank = image.crop((0, int(image.height * 0.5), image.width, image.height))
    assert blank.getextrema() == (255, 255)


@pytest.mark.parametrize(
    ("asked", "status"),
    [("source=x&page=1", 400), ("page=1", 400), ("source={pdf}&page=99", 404), ("source={act}&page=1", 404)],
)  # fmt: skip
def test_a_picture_that_cannot_be_drawn_is_an_error(
    ask: Ask, act: str, asked: str, status: int
) -> None:
    pdf = act.replace("act.md", "cranes.pdf")
    assert ask("/picture?" + asked.format(act=act, pdf=pdf)).status_code == status


def test_a_file_that_has_changed_is_not_shown_as_if_it_had_not(
    ask: Ask, act: str, corpora: Mapping[str, Corpus]
) -> None:
    file = Path(next(iter(corpora.values())).config.source[0]) / "cranes.pdf"
    whole = file.read_bytes()
    try:
        file.write_bytes(whole + b"\n")
        response = ask(f"/picture?source={act.replace('act.md', 'cranes.pdf')}&page=1")
    finally:
        file.write_bytes(whole)
    assert response.status_code == 404
    assert "has changed since it was ingested" in shown(response)


def test_certain_and_ambiguous_are_shown(ask: Ask) -> None:
    assert '<span class="badge certain">' in ask("/?query=Section+3+of+the+Harbour+Act").text
    several = ask("/?query=Section+1")
    assert '<span class="badge ambiguous">' in several.text
    assert "Ambiguous: the query may mean places in" in shown(several)


def test_what_is_missing_and_what_was_left_out_is_shown(ask: Ask) -> None:
    response = ask("/?query=Section+77+of+the+Harbour+Act")
    assert "Not in the documents: Section 77" in shown(response)


def test_what_failed_is_shown_without_paths(
    ask: Ask, corpora: Mapping[str, Corpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    search = AsyncIndex.search

    async def degraded(self: AsyncIndex, *given: Any, **options: Any) -> SearchResult:
        found = await search(self, *given, **options)
        return replace(found, degraded=(Degradation("keyword", "/etc/secret/index is gone"),))

    monkeypatch.setattr(AsyncIndex, "search", degraded)
    told = shown(ask("/?query=fee"))
    assert "Searched without the keyword leg: .../index is gone" in told


def test_hits_are_shown_even_if_their_document_has_just_gone(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(self: AsyncIndex, source: str) -> None:
        raise QueryError("the index holds no document called so")

    monkeypatch.setattr(AsyncIndex, "chunks", gone)
    response = ask("/?query=fee+for+a+berth")
    assert response.status_code == 200
    assert "Section 3 Fees" in shown(response)
    assert "no document called so" in shown(response)


def test_a_query_is_shown_as_it_is_and_cannot_act(ask: Ask) -> None:
    for name in ("query", "mode", "in", "where"):
        response = ask("/", params={"query": "fee", name: '"><script>alert(1)</script>'})
        assert "<script" not in response.text
    assert "&lt;script&gt;" in ask("/", params={"query": '"><script>'}).text


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/?query=a&mode=sauce", 400, "mode"),
        ("/?query=a&in=nowhere.md", 400, "no document called"),
        ("/?query=" + "a" * 2001, 400, "2,000 at most"),
        ("/document?source=nowhere.md", 400, "no document called"),
        ("/document?source={act}&from=999999", 404, "no such place"),
        ("/section?reference=Section+77", 404, "No section is called"),
        ("/compare?query=a&left=sauce", 404, "no configuration called"),
        ("/?query=a&where=sauce+%3D+1", 400, "sauce"),
    ],
)
def test_what_is_wrong_is_said_on_the_page(
    ask: Ask, act: str, path: str, status: int, said: str
) -> None:
    response = ask(path.format(act=act))
    assert response.status_code == status
    assert 'role="alert"' in response.text
    assert said in shown(response)


def test_two_configurations_are_compared(ask: Ask) -> None:
    response = ask("/compare?query=when+may+a+tall+ship+pass+the+bridge&left=plain&right=words")
    assert "plain, hybrid:" in shown(response)
    assert "words, keyword:" in shown(response)
    assert "only here" in shown(response)


def test_a_section_shows_what_it_cites_and_what_cites_it(ask: Ask) -> None:
    told = shown(ask("/section?reference=Section+3&in=act.md"))
    assert "What it cites Section 9 of the Lost Act not in the index" in told
    assert "rules.md" in told.partition("What cites it")[2]


def test_definitions_lead_to_their_section(ask: Ask) -> None:
    response = ask("/define?term=master")
    assert "command of a ship" in shown(response)
    assert any("/section?reference=sec_1" in link for link in Links(response.text).links)


# Signing in


def test_people_sign_in_with_the_token(ask_secured: Ask) -> None:
    turned = ask_secured("/?query=fee")
    assert turned.status_code == 303
    assert turned.headers["location"] == "/login?next=%2F%3Fquery%3Dfee"
    form = ask_secured(turned.headers["location"])
    assert 'value="/?query=fee"' in form.text
    signed = ask_secured("/login", "POST", data={"token": TOKEN, "next": "/?query=fee"})
    assert (signed.status_code, signed.headers["location"]) == (303, "/?query=fee")
    cookie = signed.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert TOKEN not in cookie
    back = {"cookie": cookie.partition(";")[0]}
    assert ask_secured("/?query=fee", headers=back).status_code == 200
    assert ask_secured("/api/documents", headers=back).status_code == 200


def test_a_wrong_token_does_not_sign_in(ask_secured: Ask) -> None:
    refused = ask_secured("/login", "POST", data={"token": TOKEN[:-1]})
    assert refused.status_code == 403
    assert "set-cookie" not in refused.headers


@pytest.mark.parametrize("cookie", ["", "9999999999.", "9999999999.abc", "x.y", "9999999999.ü"])
def test_a_cookie_of_ones_own_making_does_not_sign_in(ask_secured: Ask, cookie: str) -> None:
    given = {"cookie": f"hierdoc_session={cookie}".encode()}
    assert ask_secured("/documents", headers=given).status_code == 303


@pytest.mark.parametrize(
    "address", ["//evil.example", "https://evil.example", "/\\evil.example", "x"]
)
def test_signing_in_leads_to_no_other_site(ask_secured: Ask, address: str) -> None:
    signed = ask_secured("/login", "POST", data={"token": TOKEN, "next": address})
    assert signed.headers["location"] == "/"
