"""Appendices that letters count behind numbered chapters, and numbered items below numbered sections of a charter."""

from __future__ import annotations

from textwrap import dedent

from hierdoc.structure.sections import flatten, section_tree

CONSTITUTION = """
    Constitution of the Kite Club (v1.2)

    1. Introduction

       This club flies kites, as it always has done.

    2. Powers

      2.1. Members

       The members may:

        1. Fly a kite.
        2. Lend a kite:
            1. to a friend;
            2. to a stranger.
        3. Mend a kite.

      2.2. Officers

       The officers may do so, too.

    3. Money

       There is none.

    4. Kites

       They fly.

    A. Procedure

       These rules apply to what is decided.

      A.0. Proposal

        1. A member proposes.
        2. Another one seconds.

      A.1. Vote

       All vote.

    B. Use of words

       They are used as they are.
    """


def keys(text: str) -> list[str | None]:
    return [one.section.key for one in flatten(section_tree(dedent(text), domain="auto"))]


def test_appendices_behind_chapters() -> None:
    found = keys(CONSTITUTION)
    assert [one for one in found if one and one.startswith("app")] == [
        "app_a", "app_a_0", "app_a_0_1", "app_a_0_2", "app_a_1", "app_b",
    ]  # fmt: skip


def test_items_in_their_column() -> None:
    assert [one for one in keys(CONSTITUTION) if one and one.startswith("sec_2")] == [
        "sec_2", "sec_2_1", "sec_2_1_1", "sec_2_1_2", "sec_2_1_2_1", "sec_2_1_2_2", "sec_2_1_3", "sec_2_2",
    ]  # fmt: skip


def test_letters_without_parts_are_no_appendices() -> None:
    text = CONSTITUTION.replace("A.0. ", "").replace("A.1. ", "")
    assert "app_a_0" not in keys(text)


def test_letters_before_chapters_are_none() -> None:
    text = dedent(CONSTITUTION)
    body, behind = text[: text.index("A. Procedure")], text[text.index("A. Procedure") :]
    assert not any((one or "").startswith("app") for one in keys(f"Kites\n\n{behind}\n{body}"))
