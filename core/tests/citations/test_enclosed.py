"""Citations whose number stands within their label, in Chinese, Japanese and Korean."""

from __future__ import annotations

import pytest

from hierdoc.citations import find_citations, split_heading


@pytest.mark.parametrize(
    ("text", "key", "work"),
    [
        ("依照渡口法第九十条第二款第（三）项的规定", "art_90_2_3", "渡口法"),
        ("本法第一百二十条之一", "art_120-1", ""),
        ("《船舶登记法》第五条", "art_5", "船舶登记法"),
        ("第4条の2第1項の規定により", "art_4-2_1", ""),
        ("この法律第三条の規定", "art_3", ""),
        ("第三条の一部を改正する", "art_3", ""),
        ("나루터법 제2조의2제1항제3호", "art_2-2_1_3", "나루터법"),
        ("이 법 제3조", "art_3", ""),
        ("第 2-1 條第 3 項", "art_2-1_3", ""),
        ("第二章に定める", "ch_2", ""),
    ],
)
def test_citations(text: str, key: str, work: str) -> None:
    assert [(one.key, one.work) for one in find_citations(text)] == [(key, work)]


@pytest.mark.parametrize(
    "text", ["第三者の権利", "第一次世界大戦", "第1回の会議", "제1회 회의", "第二天"]
)
def test_other_ordinals_cite_nothing(text: str) -> None:
    assert not find_citations(text)


@pytest.mark.parametrize(
    ("title", "key", "rest"),
    [
        ("第一章　总则", "ch_1", "总则"),
        ("第１２条", "art_12", ""),
        ("제2조의2(적용범위)", "art_2-2", "(적용범위)"),
        ("第1編 総則", "part_1", "総則"),
        ("第三者の権利", None, "第三者の権利"),
    ],
)
def test_headings(title: str, key: str | None, rest: str) -> None:
    assert split_heading(title) == (key, rest)
