"""The fold over filters, and the tags by which a store that knows only lists answers them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from hierdoc import Chunk, Filter
from hierdoc.filters import And, Contains, Equals, In, Not, Or, Under
from hierdoc.plugin import (
    DocumentVersion,
    FilterFold,
    Record,
    TagFold,
    filter_values,
    join_conditions,
    matches,
    record_tags,
    tag,
)

WORDS = st.sampled_from(["a", "b", "c", "", "\ud800", "a\x1fb"])
LEAVES = st.one_of(
    st.builds(Equals, st.sampled_from(["source", "section_id"]), WORDS),
    st.builds(In, st.sampled_from(["source", "language"]), st.lists(WORDS, max_size=3)),
    st.builds(Contains, st.sampled_from(["headings", "section_keys"]), WORDS),
    st.builds(Under, st.lists(WORDS, max_size=3)),
)
FILTERS: st.SearchStrategy[Filter] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda some: And(*some)),
        st.lists(inner, max_size=3).map(lambda some: Or(*some)),
        st.builds(Not, inner),
    ),
    max_leaves=8,
)
RECORDS = st.builds(
    lambda source, section, language, headings, keys, chain: Record(
        Chunk(
            source,
            "text",
            0,
            4,
            1,
            1,
            section_id=section,
            language=language,
            headings=tuple(headings),
            section_keys=tuple(keys),
            parent_chain=tuple(chain),
        ),
        DocumentVersion("hash", "pipeline", 1),
    ),
    WORDS,
    st.none() | WORDS,
    st.none() | WORDS,
    st.lists(WORDS, max_size=3),
    st.lists(WORDS, max_size=3),
    st.lists(WORDS, max_size=4),
)

Condition = Callable[[Record], bool]


class Judge(FilterFold[Condition]):
    """A filter as a function of a record."""

    def equals(self, field: str, value: str) -> Condition:
        return lambda record: record.fields()[field] == value

    def one_of(self, field: str, values: Sequence[str]) -> Condition:
        assert values
        return lambda record: record.fields()[field] in values

    def contains(self, field: str, value: str) -> Condition:
        return lambda record: value in record.fields()[field]

    def under(self, chain: Sequence[str]) -> Condition:
        assert chain
        return lambda record: record.chunk.parent_chain[: len(chain)] == tuple(chain)

    def all_of(self, parts: Sequence[Condition]) -> Condition:
        return lambda record: all(part(record) for part in parts)

    def any_of(self, parts: Sequence[Condition]) -> Condition:
        return lambda record: any(part(record) for part in parts)

    def negation(self, part: Condition) -> Condition:
        return lambda record: not part(record)


class Tags(TagFold[Callable[[set[str]], bool]]):
    """A filter as a function of a record's tags."""

    def has_any(self, tags: Sequence[str]) -> Callable[[set[str]], bool]:
        assert tags
        return lambda held: not held.isdisjoint(tags)

    def all_of(self, parts: Sequence[Callable[[set[str]], bool]]) -> Callable[[set[str]], bool]:
        return lambda held: all(part(held) for part in parts)

    def any_of(self, parts: Sequence[Callable[[set[str]], bool]]) -> Callable[[set[str]], bool]:
        return lambda held: any(part(held) for part in parts)

    def negation(self, part: Callable[[set[str]], bool]) -> Callable[[set[str]], bool]:
        return lambda held: not part(held)


class TagsAtOnce(Tags):
    """The same for a store that looks several tags up at once."""

    def has_all(self, tags: Sequence[str]) -> Callable[[set[str]], bool]:
        assert tags
        return lambda held: held.issuperset(tags)


@given(FILTERS, RECORDS)
def test_a_fold_means_what_the_filter_means(filter: Filter, record: Record) -> None:
    assert Judge()(filter)(record) == matches(filter, record.fields())


@given(FILTERS, RECORDS)
def test_tags_say_all_that_a_filter_asks(filter: Filter, record: Record) -> None:
    expected = matches(filter, record.fields())
    assert Tags()(filter)(set(record_tags(record))) == expected
    assert TagsAtOnce()(filter)(set(record_tags(record))) == expected


def test_leaves_side_by_side_are_one_look_up() -> None:
    looked_up: list[list[str]] = []

    class Counting(Tags):
        def has_any(self, tags: Sequence[str]) -> Callable[[set[str]], bool]:
            looked_up.append(list(tags))
            return super().has_any(tags)

    Counting()(Or(Equals("kind", "a"), Not(Equals("kind", "b")), Contains("headings", "c")))
    assert sorted(looked_up, key=len) == [
        [tag("kind", "b")],
        [tag("kind", "a"), tag("headings", "c")],
    ]


def test_the_parent_chain_has_a_value_at_every_depth() -> None:
    record = Record(
        Chunk("a.md", "", 0, 0, 1, 1, parent_chain=("I", "1")), DocumentVersion("h", "p", 1)
    )
    chains = [value for name, value in filter_values(record) if name == "parent_chain"]
    assert chains == ['["I"]', '["I", "1"]']


def test_many_conditions_are_joined_without_depth() -> None:
    joined = join_conditions([f"a = {n}" for n in range(1000)], "OR")
    assert [part.strip("()") for part in joined.split(" OR ")] == [f"a = {n}" for n in range(1000)]
    depth = deepest = 0
    for character in joined:
        depth += (character == "(") - (character == ")")
        deepest = max(depth, deepest)
    assert deepest <= 10
