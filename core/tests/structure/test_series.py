"""Numbers and letters that only their run tells to be headings."""

from __future__ import annotations

from hierdoc.structure.sections import flatten, section_tree

TEXT = "What there is to say of this is said here, at the length that a paragraph of prose has."


def keys(text: str) -> list[str | None]:
    return [one.section.key for one in flatten(section_tree(text, domain="auto"))]


def test_numbers_alone_above_their_text() -> None:
    text = f"CHARTER\n\nCHAPTER I\nTHE PORT\n\n1\n{TEXT}\n\n2\n{TEXT}\n\nCHAPTER II\nDUES\n\n3\n{TEXT}\n\n4\n{TEXT}\n"
    assert keys(text) == ["ch_1", "sec_1", "sec_2", "ch_2", "sec_3", "sec_4"]


def test_numbers_alone_below_titles_and_numerals() -> None:
    text = f"CONSTITUCIÓN\n\nTÍTULO I\nDE LA REPÚBLICA\n\n1\n{TEXT}\n\n2\n{TEXT}\n\nTÍTULO II\nDE LOS DERECHOS\n\n3\n{TEXT}\n"
    assert keys(text) == ["title_1", "sec_1", "sec_2", "title_2", "sec_3"]


def test_articles_below_numerals() -> None:
    text = "ЗАКОН\n\nI. ОСНОВНЕ ОДРЕДБЕ\n\nЧлан 1.\n\nТекст члана.\n\nЧлан 2.\n\nТекст члана.\n\nII. РЕГИСТАР\n\nЧлан 3.\n\nТекст члана.\n"
    flat = flatten(section_tree(text, domain="auto"))
    assert [(one.section.key, one.parent) for one in flat] == [
        ("sec_1", -1), ("art_1", 0), ("art_2", 0), ("sec_2", -1), ("art_3", 3),
    ]  # fmt: skip


def test_numbers_of_pages_are_none() -> None:
    broken = TEXT.rstrip(".") + " and it goes"
    text = "".join(f"{broken}\n\n{number}\n{TEXT} {broken}\n\n" for number in (1, 2, 3, 4))
    assert keys(f"Report\n\n{text}") == []


def test_numbers_in_the_middle_of_the_line_are_none() -> None:
    text = "".join(f"{TEXT}\n\n                    {number}\n{TEXT}\n\n" for number in (1, 2, 3, 4))
    assert keys(f"Report\n\n{text}") == []


def test_numbers_with_their_title_in_the_next_line() -> None:
    text = "".join(
        f"{number}.\n{title}\n\n{TEXT}\n\n"
        for number, title in enumerate(("BUSINESS", "PROPERTIES", "LEGAL PROCEEDINGS"), 1)
    )
    assert keys(f"Annual Report\n\n{text}") == ["sec_1", "sec_2", "sec_3"]


def test_letters_begin_anew_in_each_item() -> None:
    text = "".join(
        f"ITEM {number}.\n{title}\n\nA. History\n\n{TEXT}\n\nB. Plans\n\n{TEXT}\n\n"
        for number, title in ((3, "KEY INFORMATION"), (4, "THE COMPANY"), (5, "OUTLOOK"))
    )
    assert keys(f"Annual Report\n\nPART I\n\n{text}") == [
        "part_1",
        *("item_3", "item_3_a", "item_3_b", "item_4", "item_4_a", "item_4_b"),
        *("item_5", "item_5_a", "item_5_b"),
    ]


def test_letters_in_one_item_alone_are_a_list() -> None:
    text = f"Annual Report\n\nPART I\n\nITEM 3.\nKEY INFORMATION\n\n{TEXT}\n\nITEM 4.\nTHE COMPANY\n\nA. History\n\n{TEXT}\n\nB. Plans\n\n{TEXT}\n\nITEM 5.\nOUTLOOK\n\n{TEXT}\n"
    assert keys(text) == ["part_1", "item_3", "item_4", "item_5"]


FILING = (
    "ANNUAL REPORT\n\nTable of Contents\n\nPART I          PAGE\nItem 1   Business   1\nItem 2   Properties   9\nPART II\nItem 1   Proceedings   12\nItem 2   Exhibits   14\n\n"
    "PART I\n\nItem 1   Business\n\n{0}\n\n{1}Item 2   Properties\n\n{0}\n\n{1}PART II\n\nItem 1   Proceedings\n\n{0}\n\n{1}Item 2   Exhibits\n\n{0}\n"
)


def test_items_count_anew_in_each_part() -> None:
    expected = ["part_1", "item_1", "item_2", "part_2", "item_1", "item_2"]
    assert keys(FILING.format(TEXT, "")) == expected
    assert keys(FILING.format(TEXT, "Table of Contents\n\n3\n\n")) == expected


def test_a_title_of_two_words_behind_a_label() -> None:
    text = "".join(
        f"Section 2.{number}  {title} {TEXT}\n\n"
        for number, title in enumerate(("The Loan.", "The Fee.", "Interest."), 1)
    )
    found = flatten(section_tree(f"LOAN AGREEMENT\n\nARTICLE 2\nTHE LOAN\n\n{text}", domain="auto"))
    assert [one.section.title for one in found][1:] == [
        "Section 2.1 The Loan.", "Section 2.2 The Fee.", "Section 2.3 Interest.",
    ]  # fmt: skip


def test_exhibits_are_a_list() -> None:
    text = f"Annual Report\n\nPART I\n\nITEM 1.\nBUSINESS\n\n{TEXT}\n\nITEM 2.\nPROPERTIES\n\n{TEXT}\n\nITEM 6.\nEXHIBITS\n\n31.1 Certification of Officers\n31.2 Certification of Directors\n32.1 Section 1350 Certification\n"
    assert keys(text) == ["part_1", "item_1", "item_2", "item_6"]
