"""Strings on their way into stores that take only valid Unicode."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hierdoc.plugin import from_store_text, to_store_text

ODD = st.text(
    st.one_of(
        st.sampled_from("\0\1\2\ud7fe\ud7ff\ud800\udc80\udfff\ue000ab"),
        st.characters(exclude_categories=()),
    )
)


@given(ODD)
def test_every_string_comes_back(text: str) -> None:
    assert from_store_text(to_store_text(text)) == text


@given(ODD)
def test_what_is_stored_is_valid_and_without_zero_characters(text: str) -> None:
    assert "\0" not in to_store_text(text)
    to_store_text(text).encode()


@given(ODD, ODD)
def test_the_order_stays(one: str, other: str) -> None:
    assert (one < other) == (to_store_text(one) < to_store_text(other))


def test_an_ordinary_string_stays_as_it_is() -> None:
    assert to_store_text("docs/ä 法 😀\n") == "docs/ä 法 😀\n"
