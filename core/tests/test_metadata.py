"""Values of declared fields: how they are read, and that comparisons of them are look-ups that answer as the values do."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdoc import CapabilityError, Filter, QueryError, Version
from hierdoc.filters import And, Compare, Equals, Not, Or
from hierdoc.metadata import (
    LONGEST,
    MOST_RANGES,
    metadata_entries,
    read_value,
    resolved,
    sort_key,
)
from hierdoc.models import MetadataType, MetadataValue
from hierdoc.plugin import matches

DECLARED: Mapping[str, MetadataType] = {
    "date": "date",
    "pages": "number",
    "version": "version",
    "author": "text",
    "tags": "list",
    "draft": "boolean",
    "In-Force": "date",
}


def selects(filter: Filter, **metadata: MetadataValue) -> bool:
    return matches(resolved(filter, DECLARED), {"metadata": metadata_entries(metadata)})


class TestReading:
    @pytest.mark.parametrize(
        ("raw", "kind", "value"),
        [
            ("  Ada\n Lovelace ", "text", "Ada Lovelace"),
            (7, "text", "7"),
            (True, "text", "true"),
            ("12", "number", 12),
            ("-2.50", "number", -2.5),
            ("1e3", "number", 1000.0),
            (3, "number", 3),
            ("2020-05-31", "date", date(2020, 5, 31)),
            ("20200531", "date", date(2020, 5, 31)),
            ("2020-05-31T23:59:59+02:00", "date", date(2020, 5, 31)),
            (datetime(2020, 5, 31, 8, 30), "date", date(2020, 5, 31)),
            ("2020-05", "date", date(2020, 5, 1)),
            (2020, "date", date(2020, 1, 1)),
            ("2.10", "version", Version("2.10")),
            ("v1.2-rc.1+build.5", "version", Version("v1.2-rc.1+build.5")),
            (2, "version", Version("2")),
            ("Yes", "boolean", True),
            ("off", "boolean", False),
            (False, "boolean", False),
            ("energy, law,, energy ", "list", ("energy", "law")),
            (["a, b", 3, None], "list", ("a, b", "3")),
            ({"b", "a"}, "list", ("a", "b")),
            (None, "date", None),
            (" ", "number", None),
            ([], "list", None),
        ],
    )
    def test_text_or_a_value_of_its_type_stands_for_a_value(
        self, raw: Any, kind: MetadataType, value: Any
    ) -> None:
        found = read_value(raw, kind)
        assert (found, type(found)) == (value, type(value))

    @pytest.mark.parametrize(
        ("raw", "kind"),
        [
            ("31 May 2020", "date"),
            ("2020-02-30", "date"),
            ("0000-01-01", "date"),
            (True, "date"),
            (2020.5, "date"),
            ("twelve", "number"),
            ("1,000", "number"),
            ("1e999", "number"),
            (float("nan"), "number"),
            (2**53 + 1, "number"),
            (True, "number"),
            ("second edition", "version"),
            ("1." * 40 + "1", "version"),
            ("maybe", "boolean"),
            (1, "boolean"),
            (["a"], "text"),
            ({"a": 1}, "text"),
            ("x" * (LONGEST + 1), "text"),
            (["x" * 600, "y" * 600], "list"),
            ([["a"]], "list"),
            ("x," * 100_000, "list"),
        ],
    )
    def test_a_value_of_another_type_is_refused_and_what_is_wanted_is_said(
        self, raw: Any, kind: MetadataType
    ) -> None:
        with pytest.raises(ValueError, match=r"^(a |text|true)"):
            read_value(raw, kind)


OPERATORS: Mapping[Any, Any] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
signs = pytest.mark.parametrize("sign", OPERATORS)


class TestComparing:
    @signs
    @given(held=st.dates(), asked=st.dates())
    def test_dates_compare_as_days(self, sign: Any, held: date, asked: date) -> None:
        assert selects(Compare("date", sign, asked), date=held) == OPERATORS[sign](held, asked)

    @signs
    @given(
        held=st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-300, 300)),
        asked=st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-300, 300)),
    )
    def test_numbers_compare_as_numbers(self, sign: Any, held: float, asked: float) -> None:
        assert selects(Compare("pages", sign, asked), pages=held) == OPERATORS[sign](held, asked)

    @signs
    @given(*[st.lists(st.integers(0, 300), min_size=1, max_size=4)] * 2)
    def test_versions_compare_number_by_number(
        self, sign: Any, held: list[int], asked: list[int]
    ) -> None:
        written = Version(".".join(map(str, held)))
        wanted = OPERATORS[sign]([*held, 0, 0, 0][:4], [*asked, 0, 0, 0][:4])
        compare = Compare("version", sign, ".".join(map(str, asked)))
        assert selects(compare, version=written) == wanted

    def test_words_behind_a_version_come_before_it_but_for_what_is_done_afterwards(self) -> None:
        order = (
            "0.9 1.0.dev3 1.0-alpha 1.0-alpha.1 1.0-alpha.beta 1.0b2 1.0b11 1.0-draft 1.0-rc.1 1.0 1.0.post1 1.0.1 1.2 1.10 "
            "2-draft 2 2024-05-01 2024-11"
        ).split()
        keys = [sort_key(Version(one)) for one in order]
        assert keys == sorted(set(keys))

    def test_what_is_the_same_version_is_equal(self) -> None:
        for one in ("2", "v2.0", "2.0.0", "2.0+build7", "V2"):
            assert selects(Compare("version", "=", "2.0"), version=Version(one))
        assert not selects(Compare("version", "=", "2.0"), version=Version("2.0-rc1"))

    def test_a_year_or_a_month_stands_for_its_days(self) -> None:
        first, last = date(2020, 1, 1), date(2020, 12, 31)
        for day, before, within, after in (
            (date(2019, 12, 31), True, False, False),
            (first, False, True, False),
            (last, False, True, False),
            (date(2021, 1, 1), False, False, True),
        ):
            assert selects(Compare("date", "<", "2020"), date=day) == before
            assert selects(Compare("date", "=", 2020), date=day) == within
            assert selects(Compare("date", ">", "2020"), date=day) == after
        assert selects(Compare("date", "=", "2020-12"), date=last)
        assert selects(Compare("date", "in", ("2018", "2020")), date=first)
        assert not selects(Compare("date", "in", ("2018", "2019")), date=first)

    def test_texts_are_equal_but_for_case_and_white_space(self) -> None:
        assert selects(Compare("author", "=", " STRASSE  7"), author="straße 7")
        assert not selects(Compare("author", "=", "Straße"), author="Straße 7")
        assert selects(Compare("author", "in", ("x", "ada")), author="Ada")

    def test_a_list_contains_its_texts_whole(self) -> None:
        tags = ("Energy", "labour law")
        assert selects(Compare("tags", "contains", "energy"), tags=tags)
        assert not selects(Compare("tags", "contains", "law"), tags=tags)
        assert selects(Compare("tags", "in", ("law", "Labour Law")), tags=tags)

    def test_booleans_are_equal(self) -> None:
        assert selects(Compare("draft", "=", "no"), draft=False)
        assert not selects(Compare("draft", "=", True), draft=False)

    @pytest.mark.parametrize("sign", ["<", "<=", ">", ">=", "=", "in"])
    def test_what_lacks_the_field_is_neither_equal_nor_before_nor_after(self, sign: Any) -> None:
        assert not selects(Compare("pages", sign, 7), draft=True)
        assert selects(Not(Compare("pages", sign, 7)), draft=True)

    def test_what_lacks_the_field_is_unequal(self) -> None:
        assert selects(Compare("pages", "!=", 7), draft=True)

    def test_fields_are_told_apart(self) -> None:
        assert not selects(Compare("pages", "=", 1), version=Version("1"))
        assert not selects(Compare("date", ">=", "2020"), **{"In-Force": date(2021, 1, 1)})

    def test_case_and_what_stands_between_words_do_not_count_in_names(self) -> None:
        assert selects(Compare("in_force", "=", "2021"), **{"In-Force": date(2021, 1, 1)})

    def test_comparisons_stand_among_other_filters(self) -> None:
        tree = And(Or(Compare("pages", ">", 3), Equals("kind", "table")), Not(Equals("kind", "x")))
        found = resolved(tree, DECLARED)
        entries = metadata_entries({"pages": 4})
        assert matches(found, {"kind": "content", "metadata": entries})
        assert matches(found, {"kind": "table", "metadata": ()})
        assert not matches(found, {"kind": "content", "metadata": ()})

    def test_fields_of_every_record_are_compared_by_equality(self) -> None:
        fields = {"kind": "table", "language": "de"}
        assert matches(resolved(Compare("kind", "=", "table"), {}), fields)
        assert matches(resolved(Compare("language", "in", ("fr", "de")), {}), fields)
        assert matches(resolved(Compare("language", "!=", "fr"), {}), fields)


class TestRefusing:
    @pytest.mark.parametrize(
        ("compare", "message", "hint"),
        [
            (Compare("verson", "=", 1), "no field is called 'verson'", "Did you mean version?"),
            (Compare("tags", "=", "a"), "tags does not take =", "list, which takes: contains, in"),
            (Compare("author", "<", "b"), "author does not take <", "takes: =, !=, in"),
            (Compare("kind", ">", "b"), "kind does not take >", "It takes: =, !=, in"),
            (Compare("pages", "=", "many"), "that is not a number such as 2.5", "as number"),
            (Compare("date", ">", "soon"), "that is not a date such as 2020-05-31", "as date"),
            (Compare("author", "=", ""), "that is not text", "as text"),
            (Compare("pages", "=", (1, 2)), "compares with one value", "`in`"),
            (Compare("pages", "~", 1), "does not take ~", "takes"),  # type: ignore[arg-type]
        ],
    )
    def test_what_cannot_be_compared_is_said(
        self, compare: Compare, message: str, hint: str
    ) -> None:
        with pytest.raises(QueryError, match=message) as raised:
            resolved(compare, DECLARED)
        assert hint in str(raised.value.hint)

    def test_without_declared_fields_the_way_to_declare_them_is_said(self) -> None:
        with pytest.raises(QueryError) as raised:
            resolved(Compare("author", "=", "Ada"), {})
        assert "under `metadata`" in str(raised.value.hint)

    def test_the_look_ups_of_one_filter_are_bounded(self) -> None:
        some = [Compare("pages", ">", number) for number in range(MOST_RANGES + 1)]
        resolved(Or(*some[1:]), DECLARED)
        with pytest.raises(QueryError, match=f"more than {MOST_RANGES} comparisons"):
            resolved(Or(*some), DECLARED)

    def test_a_backend_refuses_a_comparison(self) -> None:
        with pytest.raises(CapabilityError, match="does not filter by: pages > 3"):
            matches(And(Compare("pages", ">", 3)), {})


@given(st.one_of(st.text(), st.integers(), st.floats(), st.lists(st.text()), st.booleans()))
@pytest.mark.parametrize("kind", ["text", "number", "date", "version", "boolean", "list"])
def test_any_value_is_read_or_refused(kind: MetadataType, raw: Any) -> None:
    try:
        value = read_value(raw, kind)
    except ValueError:
        return
    if value is not None:
        assert len(metadata_entries({"field": value})) <= 2 * LONGEST
