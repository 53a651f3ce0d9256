"""Numbers that stand within their label, as Chinese, Japanese and Korean write them: `第五条第二款`, `第四条の二`, `제3조제1항`.

    第一百二十条之一    art_120-1
    第5条第2項第3号     art_5_2_3
    제2조의2            art_2-2

A work is named right before (`《船舶登记法》第五条`, `선박등록법 제2조`), as far as its name ends with a word for a law.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hierdoc.citations.grammar import Level, Number
from hierdoc.citations.work_names import work_key

DIVISIONS: dict[str, str] = {
    "part": "编 編 편 部 部分 부",
    "subpart": "分编 分編",
    "ch": "章 장",
    "sec": "节 節 절",
    "subsec": "款 관",
    "par": "目",
    "art": "条 條 조",
}
"""The first part of a key -> the labels that stand for it; `款` and `目` divide only where they begin a heading."""

LEVELS: dict[str, str] = {"para": "项 項 款 항", "no": "号 號 호", "point": "目 목"}
"""Kinds of levels below an article -> their labels."""


def counted(written: str) -> int:
    """What digits or Chinese numerals count, `120` or `一百二十`; 0 for what is none."""
    if written.isdecimal():
        return int(written)
    value = own = 0
    for sign in written:
        if sign in _POWERS:
            value += (own or 1) * _POWERS[sign]
            own = 0
        elif sign in _DIGITS:
            own = 10 * own + _DIGITS.index(sign)
        elif sign != "零":
            return 0
    return value + own


def enclosed_heading(title: str) -> Number | None:
    """The number of a heading such as `第一章 总则`; None for another."""
    if title[:1] not in _LEADS:
        return None
    found = HEADING.match(title)
    return _number(found[1], found[2], found[3], found.end()) if found else None


def find_enclosed(text: str) -> Iterator[tuple[int, Number, str]]:
    """Articles and divisions that a text cites so, in order: where each begins, its number with its levels, its work."""
    if not any(lead in text for lead in _LEADS):
        return
    for found in _CITED.finditer(text):
        number = _number(found["number"], found["label"], found["behind"], found.end())
        if number is None:
            continue
        number.levels = [
            Level(_KIND_OF[one[2]], str(counted(one[1])))
            for one in _LEVEL.finditer(found["levels"])
        ]
        start = found.start()
        before = _NAME_BEFORE.search(text, max(0, start - _LONGEST_NAME), start)
        group = (1 if before[1] else 3) if before else 0
        name = before[group] or "" if before else ""
        if before is None or not name or name in _OWN:
            yield start, number, ""
        else:
            yield before.start() if group == 1 else before.start(3), number, work_key(name)


def _number(written: str, label: str, behind: str | None, end: int) -> Number | None:
    written, _, part = written.partition("-")  # `第 2-1 條`
    value = counted(written)
    inserted = [str(counted(one)) for one in _NUMERAL.findall(behind or "")]
    own = "-".join((str(value), *filter(None, (part,)), *inserted))
    return Number(_LABEL_OF[label], own, [], end) if value else None


_LABEL_OF = {word: label for label, listed in DIVISIONS.items() for word in listed.split()}
_KIND_OF = {word: kind for kind, listed in LEVELS.items() for word in listed.split()}
_DIGITS = "〇一二三四五六七八九"
_POWERS = {"十": 10, "百": 100, "千": 1000}
NUMERALS = f"零{_DIGITS}{''.join(_POWERS)}"
_LEADS = ("第", "제")
_COUNT = rf"(?:[0-9０-９]{{1,4}}(?:-[0-9]{{1,2}})?|[{NUMERALS}]{{1,8}})"
_NUMERAL = re.compile(_COUNT)
_LABELS = "|".join(sorted(_LABEL_OF, key=len, reverse=True))
_INSERTED = rf"(?:[ 　]?(?:[のノ](?!一)|[之의])[ 　]?{_COUNT}(?![部定般つ人者種方切年月日項号款]))"
WITHIN = rf"[第제][ 　]?({_COUNT})[ 　]?({_LABELS})({_INSERTED}{{0,3}})"
"""The number, the label and what an inserted section has behind it."""

HEADING = re.compile(rf"{WITHIN}(?=[ \t\r\xa0　:：.(（《「【<\n*]|\Z)")
_ARTICLES = "|".join(DIVISIONS["art"].split())
_LEVEL = re.compile(rf"第?[ ]?[(（]?({_COUNT})[)）]?[ ]?([{''.join(_KIND_OF)}])")
_CITED = re.compile(
    rf"[第제][ ]?(?P<number>{_COUNT})[ ]?(?P<label>{_ARTICLES}|章|장|编|編|편|节|節|절)(?P<behind>{_INSERTED}{{0,3}})"
    rf"(?P<levels>(?:[ ]?[第제][ ]?[(（]?{_COUNT}[)）]?[ ]?[{''.join(_KIND_OF)}]){{0,4}})"
)
_LONGEST_NAME = 64
_NAME_BEFORE = re.compile(
    r"(?:《([^《》\n]{2,60})》|((?:[^\W\d_]{0,30}(?:依照|根据|按照|依据|违反|适用|符合))?([^\W\d_]{1,30}"
    r"(?:法|法律|法典|条例|條例|规定|规则|办法|章程|规程|規則|規程|令|규칙|규정|법률|법|조례|시행령|약관)|法|법)))[ ]?\Z"
)
"""A work that is named right before: in brackets, or in a word that ends as names of laws do, behind a verb that leads to it."""

_OWN = frozenset(
    (
        *("本法", "本条例", "本规定", "本办法", "本规则", "本章程", "同法", "同条例"),
        *("法", "この法律", "この規則", "本規則", "本規程", "이법", "법", "同令", "本條例"),
    )
)
"""Names by which a law calls itself, or the one that was named before."""
