"""Laws and guides in scripts without capitals: numbers within labels, digits and enumerators of their own."""

from __future__ import annotations

import pytest

from hierdoc.models import Document
from hierdoc.structure import flatten, section_tree, understand


def keys(text: str) -> list[str | None]:
    return [one.section.key for one in flatten(section_tree(text, domain="auto"))]


def titles(text: str) -> list[str]:
    document = understand(Document("a.txt", "a", text, plain_text=True))
    return [one.section.title for one in flatten(document.sections)]


def test_a_law_of_china() -> None:
    text = (
        "渡口法\n\n目　录\n\n第一章　总　则\n\n第二章　附　则\n\n第一章　总　则\n\n第一条　为了管理渡口，制定本法。\n\n"
        "第二条　渡口包括：\n\n（一）公共渡口；\n\n（二）私人渡口。\n\n第三条的规定适用于渡船。\n\n第二章　附　则\n\n第三条　本法自公布之日起施行。\n"
    )
    assert keys(text) == ["ch_1", "art_1", "art_2", "art_2_1", "art_2_2", "ch_2", "art_3"]


def test_a_law_of_japan() -> None:
    text = (
        "渡船法\n\n第一章　総則\n\n（目的）\n\n第一条　この法律は、渡船について定める。\n\n（定義）\n\n第二条　渡船とは、次のものをいう。\n\n"
        "一　動力船\n\n二　手漕ぎ船\n\n２　前項の規定は、準用する。\n\n第二条の二　渡船は安全でなければならない。\n\n附　則\n\nこの法律は、公布の日から施行する。\n"
    )
    assert [one for one in keys(text) if one] == [
        "ch_1", "art_1", "art_2", "art_2_1", "art_2_2", "art_2_2", "art_2-2",
    ]  # fmt: skip
    assert "附 則" in titles(text)


def test_a_law_of_korea() -> None:
    text = (
        "나루터법\n\n제1장 총칙\n\n제1조(목적) 이 법은 나루터에 관한 사항을 정한다.\n\n제2조(정의) ① 용어의 뜻은 다음과 같다.\n\n"
        "1. 나루터\n\n가. 공용\n\n나. 사용\n\n2. 나룻배\n\n② 제1조의 규정을 준용한다.\n\n제3조(등록) 등록한다.\n"
    )
    assert keys(text) == [
        "ch_1", "art_1", "art_2", "art_2_1", "art_2_1_1", "art_2_1_1_1", "art_2_1_1_2", "art_2_1_2", "art_2_2", "art_3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "قانون\n\nالباب الأول\nأحكام عامة\n\nالمادة ١\nتسري الأحكام.\n\nالمادة ٢\nيلتزم المالك.\n",
        "قانون\n\nالباب الأول\nأحكام عامة\n\nالمادة (1): تسري الأحكام.\n\nالمادة (2): يلتزم المالك.\n",
        "LUẬT BẾN PHÀ\n\nPhần I\nQUY ĐỊNH CHUNG\n\nĐiều 1. Phạm vi\n\nLuật này quy định.\n\nĐiều 2. Đối tượng\n\nLuật này áp dụng.\n",
        "ΝΟΜΟΣ\n\nΜΕΡΟΣ Α΄\nΓΕΝΙΚΑ\n\nΆρθρο 1\nΣκοπός\n\nΟ νόμος ρυθμίζει.\n\nΆρθρο 2\nΟρισμοί\n\nΙσχύουν.\n",
    ],
)
def test_labels_of_other_languages(text: str) -> None:
    assert keys(text) == ["part_1", "art_1", "art_2"]


def test_an_article_with_a_letter_of_its_own_alphabet() -> None:
    assert keys("НАРЕДБА\n\nЧл. 1. Текст.\n\nЧл. 2. Текст.\n\nЧл. 2а. Текст.\n\nЧл. 3. Текст.\n") == [
        "art_1", "art_2", "art_2а", "art_3",
    ]  # fmt: skip


GUIDE = "安装指南\n\n本指南说明如何安装。\n\n一、概述\n\n{0}\n\n（一）要求\n\n{0}\n\n（二）下载\n\n{0}\n\n二、安装\n\n{0}\n"
TEXT = "安装服务器以前应当先备份数据，并且确认版本。"


def test_chinese_numerals_number_chapters() -> None:
    assert titles(GUIDE.format(TEXT)) == ["一、概述", "(一)要求", "(二)下载", "二、安装"]


def test_chinese_numerals_number_items() -> None:
    text = f"说明\n\n{TEXT}步骤如下：\n\n一、关闭电源；\n\n二、连接电缆；\n\n三、打开电源。\n\n{TEXT}\n"
    assert titles(text) == []


def test_items_that_follow_each_other_are_no_headings() -> None:
    text = f"说明\n\n{TEXT}\n\n一、关闭电源\n二、连接电缆\n三、打开电源\n\n{TEXT}\n"
    assert titles(text) == []


def test_numbers_of_chapters_in_japanese() -> None:
    text = "手順書\n\n第1章 概要\n\n1.1 目的\n\nこの文書は手順を定める。\n\n1.2 対象\n\n管理者を対象とする。\n\n第2章 導入\n\n2.1 準備\n\n電源を確認する。\n"
    assert keys(text) == ["ch_1", "sec_1_1", "sec_1_2", "ch_2", "sec_2_1"]


def test_a_line_of_prose_that_begins_with_a_citation() -> None:
    text = "渡口法\n\n第一条　本法适用于渡口。\n\n第二条　渡口由县管理，\n第一条所称的渡口除外。\n\n第三条　本法施行。\n"
    assert keys(text) == ["art_1", "art_2", "art_3"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "渡船条例\n\n第 1 章 総則\n\n第 1 条 この条例は、渡船について定める。\n\n第 2 条 渡船は、市が運営する。\n\n第 2 章 運賃\n\n第 3 条 百円とする。\n",
            ["ch_1", "art_1", "art_2", "ch_2", "art_3"],
        ),
        (
            "渡船规定\n\n第 一 章  总 则\n\n第 一 条  为了管理渡船，制定本规定。\n\n第 二 条  适用于本市。\n\n第 二 章  运 营\n\n第 三 条  按时开行。\n",
            ["ch_1", "art_1", "art_2", "ch_2", "art_3"],
        ),
        (
            "나룻배 규정\n\n제 1 장 총칙\n\n제 1 조 (목적) 나룻배의 운영을 정한다.\n\n제 2 조 (정의) 배를 말한다.\n\n제 2 장 요금\n\n제 3 조 (요금) 천원으로 한다.\n",
            ["ch_1", "art_1", "art_2", "ch_2", "art_3"],
        ),
    ],
)
def test_spaces_within_labels(text: str, expected: list[str]) -> None:
    assert keys(text) == expected


def test_catalan_laws_in_plain_text() -> None:
    text = "Llei 4/2031, de barques\n\nTÍTOL I\n\nCAPÍTOL I. Objecte\n\nArticle 1. Objecte\n\nRegula les barques.\n\nArticle 2. Port\n\nÉs un lloc.\n\nCAPÍTOL II. Multes\n\nArticle 3. Multa\n\nÉs de cent euros.\n"
    assert keys(text) == ["title_1", "ch_1", "art_1", "art_2", "ch_2", "art_3"]
