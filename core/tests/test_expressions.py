"""Filters as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import Filter, HierdocError, read_filter
from hierdoc.errors import QueryError
from hierdoc.expressions import LONGEST_EXPRESSION
from hierdoc.filters import And, Compare, Not, Or, require_shallow

A, B, C = (Compare(name, "=", "1") for name in "abc")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("date >= 2020", Compare("date", ">=", "2020")),
        ("date>=2020-05-31", Compare("date", ">=", "2020-05-31")),
        ("n = -2.5e3", Compare("n", "=", "-2.5e3")),
        ("a == 1", A),
        ("a != x", Compare("a", "!=", "x")),
        ("in-force < 2020", Compare("in-force", "<", "2020")),
        ('author = "Grace Hopper"', Compare("author", "=", "Grace Hopper")),
        ("author = 'the \"boss\"'", Compare("author", "=", 'the "boss"')),
        ("author = 'and'", Compare("author", "=", "and")),
        ("straße = München", Compare("straße", "=", "München")),
        ("tags CONTAINS energy", Compare("tags", "contains", "energy")),
        ("x in (a, 'b c',d)", Compare("x", "in", ("a", "b c", "d"))),
        ("a = 1 and b = 1 or c = 1", Or(And(A, B), C)),
        ("a = 1 or b = 1 and c = 1", Or(A, And(B, C))),
        ("(a = 1 or b = 1) and c = 1", And(Or(A, B), C)),
        ("not a = 1 and b = 1", And(Not(A), B)),
        ("NOT (a = 1 AND b = 1)", Not(And(A, B))),
        ("not not a = 1", Not(Not(A))),
        ("\n a = 1\n  and b = 1 ", And(A, B)),
    ],
)
def test_an_expression_stands_for_a_filter(text: str, expected: Filter) -> None:
    assert read_filter(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "should be a field at character 1, the end"),
        ("date", "should be one of = != < <= > >= in contains at character 5, the end"),
        ("date >", "should be a value at character 7, the end"),
        ("date > and x = 1", "should be a value at character 8, where 'and x = 1' stands"),
        ("date >= 2020 or", "should be a field at character 16, the end"),
        ("(a = 1", "should be `and`, `or` or a closing bracket at character 7, the end"),
        ("a = 1)", "should be `and` or `or`, .* at character 6, where '\\)' stands"),
        ("a = b c", "or quotes around a value of several words at character 7, where 'c'"),
        ("a in b", "should be values in brackets at character 6"),
        ("a in (b c)", "should be a comma or a closing bracket at character 9"),
        ("a in ()", "should be a value at character 7"),
        ("a => 3", "should be one of .* at character 3, where '=> 3' stands"),
        ('a = "b', "a quote is not closed at character 5"),
        ("and = 3", "should be a field at character 1"),
        ("3 = a", "should be a field at character 1"),
        ("(" * 200, "nested more than"),
        ("not " * 200 + "a = 1", "nested more than"),
        ("a = 1" + " " * LONGEST_EXPRESSION, "more than 20,000 characters"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text: str, message: str) -> None:
    with pytest.raises(QueryError, match=message) as raised:
        read_filter(text)
    assert "date >= 2020" in str(raised.value.hint)
    assert len(str(raised.value)) < 500


@given(st.text(alphabet="ab1 ()=<>!,'\"andortcis", max_size=80))
def test_anything_is_read_or_refused(text: str) -> None:
    try:
        found = read_filter(text)
    except HierdocError:
        return
    require_shallow(found)


def test_what_is_read_is_never_too_deep() -> None:
    deepest = "(a = 1 and (b = 1 or " * 16 + "c = 1" + "))" * 16
    require_shallow(read_filter(deepest))
