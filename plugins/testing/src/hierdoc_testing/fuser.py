"""The conformance tests of fusers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

import pytest

from hierdoc import Match
from hierdoc.plugin import ComponentKind
from hierdoc_testing.backend import check_matches
from hierdoc_testing.base import Conformance, assert_same, contract
from hierdoc_testing.component import OpenComponent, Opener

Rankings = Mapping[str, Sequence[Match]]

_EQUAL = {"semantic": 0.5, "keyword": 0.5}


def ranking(*ids: str, best: float = 0.9, step: float = 0.05) -> list[Match]:
    """A leg that found these, scores falling evenly."""
    return [Match(name, best - step * place) for place, name in enumerate(ids)]


class FuserTests(Conformance):
    """What a fuser promises: derive from it, supply `open_fuser`, and pytest does the rest."""

    kind = ComponentKind.FUSER

    @pytest.fixture
    def open_fuser(self) -> OpenComponent:
        """Supply this one: a function without arguments that gives a new fuser."""
        raise NotImplementedError("supply the fixture `open_fuser`; see docs/plugins/testing.md")

    @pytest.fixture
    def fusers(self, open_fuser: OpenComponent) -> Opener:
        """Opens the fuser under test."""
        return Opener(open_fuser, self.kind)

    def fuse(
        self,
        fuser: Any,
        rankings: Rankings,
        weights: Mapping[str, float] = _EQUAL,
        limit: int = 100,
    ) -> list[str]:
        """The ids of what the fuser makes of it, after a look at its form."""
        fused = fuser.fuse(rankings, weights, limit)
        check_matches(fused)
        assert len(fused) <= limit
        return [match.chunk_id for match in fused]

    @contract
    def test_every_chunk_of_every_leg_comes_once(self, fusers: Opener) -> None:
        """All that any leg found is there, each once, and nothing else.

        When it fails: join by id; a chunk that only one leg saw stays, from the first leg as from the last.
        """
        legs = {"semantic": ranking(*"abcdef"), "keyword": ranking(*"egcahx", best=12, step=2)}
        fused = self.fuse(fusers.open(), legs)
        assert sorted(fused) == sorted(set("abcdefegcahx"))
        three = {**legs, "exact": ranking("q", "a", best=1)}
        weights = {**_EQUAL, "exact": 0.2}
        assert sorted(self.fuse(fusers.open(), three, weights)) == sorted(set("abcdefghxq"))

    @contract
    def test_coverage_may_be_told(self, fusers: Opener) -> None:
        """Told how much of the query a leg's best match has, also of a leg that found nothing, a fuser still gives every chunk once.

        When it fails: `fuse` takes `coverage=None` as its last argument; a fuser may leave it aside.
        """
        legs = {"semantic": ranking(*"abc"), "keyword": ranking(*"cd", best=12, step=2)}
        for share in (0.0, 0.5, 1.0):
            fused = fusers.open().fuse(legs, _EQUAL, 10, {"keyword": share})
            check_matches(fused)
            assert sorted(match.chunk_id for match in fused) == list("abcd")
            for nothing in ({"semantic": legs["semantic"]}, {**legs, "keyword": []}):
                found = fusers.open().fuse(nothing, _EQUAL, 10, {"keyword": share})
                assert [match.chunk_id for match in found] == list("abc")

    @contract
    def test_one_leg_keeps_its_order(self, fusers: Opener) -> None:
        """Of one leg, and of one beside an empty one, the order stays, however many there are.

        When it fails: higher scores are better in every leg, also where all are negative.
        """
        names = [f"{number * 37 % 200:03d}" for number in range(200)]
        for leg in ("semantic", "keyword"):
            alone = {leg: ranking(*names, step=0.004)}
            assert_same(self.fuse(fusers.open(), alone, limit=500), names)
            beside = {**alone, "exact": []}
            weights = {**_EQUAL, "exact": 0.2}
            assert_same(self.fuse(fusers.open(), beside, weights, 500), names)
        negative = {"semantic": ranking("b", "a", "c", best=-0.2, step=0.1)}
        assert self.fuse(fusers.open(), negative) == ["b", "a", "c"]

    @contract
    def test_nothing_gives_nothing(self, fusers: Opener) -> None:
        """No legs, empty legs and a limit of 0 give an empty ranking.

        When it fails: look for a largest score or a sum of weights of nothing.
        """
        assert self.fuse(fusers.open(), {}) == []
        assert self.fuse(fusers.open(), {"semantic": [], "keyword": []}) == []
        assert self.fuse(fusers.open(), {"semantic": ranking("a"), "keyword": []}, limit=0) == []

    @contract
    def test_the_limit_takes_the_best(self, fusers: Opener) -> None:
        """A limit gives the beginning of the whole ranking.

        When it fails: cut after fusing, not the legs before.
        """
        legs = {"semantic": ranking(*"abcdefgh"), "keyword": ranking(*"hgfxyz", best=7, step=1)}
        whole = self.fuse(fusers.open(), legs)
        for limit in range(len(whole) + 2):
            assert self.fuse(fusers.open(), legs, limit=limit) == whole[:limit]

    @contract
    def test_what_both_legs_found_comes_first(self, fusers: Opener) -> None:
        """A chunk close to the top of both legs comes before those that only one leg has at its top.

        When it fails: contributions of legs are added; see that none replaces another or is divided away.
        """
        legs = {
            "semantic": [Match("s", 0.9), Match("both", 0.89), Match("t", 0.1)],
            "keyword": [Match("k", 9.0), Match("both", 8.9), Match("l", 1.0)],
        }
        assert self.fuse(fusers.open(), legs)[0] == "both"

    @contract
    def test_better_in_every_leg_is_better(self, fusers: Opener) -> None:
        """A chunk that every leg puts before another comes before it.

        When it fails: a better rank or score must never give less; ranks begin at 1.
        """
        order = [f"{number:02d}" for number in range(60, 0, -1)]
        legs = {
            "semantic": ranking(*order, step=0.01),
            "keyword": ranking(*order, best=30, step=0.4),
        }
        assert self.fuse(fusers.open(), legs) == order
        first = {"semantic": ranking("b", "a", "c"), "keyword": ranking("b", "c", "a", best=5)}
        assert self.fuse(fusers.open(), first)[0] == "b"

    @contract
    def test_weights_count(self, fusers: Opener) -> None:
        """The leg of more weight decides, whichever it is; weights belong to legs by name.

        When it fails: look weights up by the leg's name, not by position.
        """
        legs = {"semantic": ranking(*"abcd"), "keyword": ranking(*"dcba", best=9, step=2)}
        for weights in ({"semantic": 0.9, "keyword": 0.1}, {"keyword": 0.1, "semantic": 0.9}):
            assert self.fuse(fusers.open(), legs, weights) == list("abcd")
        for weights in ({"semantic": 0.1, "keyword": 0.9}, {"keyword": 0.9, "semantic": 0.1}):
            assert self.fuse(fusers.open(), legs, weights) == list("dcba")
        apart = {"semantic": ranking("a"), "keyword": ranking("b", best=9)}
        assert self.fuse(fusers.open(), apart, {"semantic": 0.2, "keyword": 0.8}) == ["b", "a"]
        assert self.fuse(fusers.open(), apart, {"semantic": 0.8, "keyword": 0.2}) == ["a", "b"]

    @contract
    def test_a_leg_of_no_weight_changes_no_order(self, fusers: Opener) -> None:
        """With weight 0, a leg, whichever it is, adds its chunks at the end and moves nothing.

        When it fails: 0 is a weight, not a missing one; do not fill it with a default. No leg is more than another.
        """
        three = {
            "semantic": ranking(*"abcd"),
            "keyword": ranking(*"cxby", best=9),
            "exact": ranking(*"ydqa", best=1),
        }
        weights = {"semantic": 0.5, "keyword": 0.3, "exact": 0.2}
        for leg in three:
            others = {name: found for name, found in three.items() if name != leg}
            expected = self.fuse(fusers.open(), others, {**weights, leg: 0.0})
            added = sorted({match.chunk_id for match in three[leg]} - set(expected))
            found = self.fuse(fusers.open(), three, {**weights, leg: 0.0})
            assert found == [*expected, *added], leg
        legs = {"semantic": ranking(*"abc"), "keyword": ranking(*"cxb", best=9)}
        found = self.fuse(fusers.open(), legs, {"semantic": 1.0, "keyword": 0.0})
        assert found == ["a", "b", "c", "x"]
        assert set(self.fuse(fusers.open(), legs, {"semantic": 0.0, "keyword": 0.0})) == set("abcx")

    @contract
    def test_a_leg_without_a_weight_is_an_error(self, fusers: Opener) -> None:
        """A leg that has no weight raises `ValueError`, also if it is empty or the last; further weights do no harm.

        When it fails: a loop over pairs that ends with the shorter list drops a leg in silence.
        """
        legs = {"semantic": ranking("a"), "keyword": ranking("b"), "exact": ranking("c")}
        for leg in legs:
            weights = {other: 0.5 for other in legs if other != leg}
            with pytest.raises(ValueError, match=leg):
                fusers.open().fuse(legs, weights, 10)
        with pytest.raises(ValueError, match="keyword"):
            fusers.open().fuse({"semantic": ranking("a"), "keyword": []}, {"semantic": 1.0}, 10)
        more = {**_EQUAL, "exact": 0.2, "hybrid": 0.8}
        assert self.fuse(fusers.open(), {"semantic": ranking("a")}, more) == ["a"]

    @contract
    def test_ties_are_broken_by_id(self, fusers: Opener) -> None:
        """Equal scores are ordered by chunk id, also where the limit cuts them.

        When it fails: sort by (-score, id).
        """
        legs = {"semantic": ranking("b", "A", "z"), "keyword": ranking("a", "B", "Z")}
        fused = fusers.open().fuse({"keyword": legs["keyword"]}, {"keyword": 0.0}, 10)
        assert [match.chunk_id for match in fused] == ["B", "Z", "a"]
        crossed = {"one": ranking("b", "a"), "other": ranking("a", "b")}
        weights = {"one": 0.5, "other": 0.5}
        assert self.fuse(fusers.open(), crossed, weights) == ["a", "b"]
        assert self.fuse(fusers.open(), crossed, weights, 1) == ["a"]

    @contract
    def test_legs_need_no_common_scale(self, fusers: Opener) -> None:
        """If the keyword leg's scores are multiplied by a thousand, or divided by it, the order stays; scores of 0 are scores.

        When it fails: use ranks, or bring the scores of each leg to a common scale before they are added; look for a division by the best
        score, which may be 0.
        """
        semantic = ranking(*"abcdefgh")
        base = {"semantic": semantic, "keyword": ranking(*"hdbxay", best=9, step=1.3)}
        expected = self.fuse(fusers.open(), base)
        for factor in (0.001, 1000.0):
            scaled = [Match(one.chunk_id, one.score * factor) for one in base["keyword"]]
            legs = {"semantic": semantic, "keyword": scaled}
            assert self.fuse(fusers.open(), legs) == expected
        for leg in base:
            nothing = [Match(one.chunk_id, 0.0) for one in base[leg]]
            found = self.fuse(fusers.open(), {**base, leg: nothing})
            assert sorted(found) == sorted(expected)

    @contract
    def test_the_order_of_legs_does_not_count(self, fusers: Opener) -> None:
        """The same legs in another order give the same ranking, to the last tie.

        When it fails: no leg is the first one; ties go by id alone. Sums of floats depend on their order in the last digit: `math.fsum`
        does not.
        """
        legs = {"semantic": ranking(*"abcdef"), "keyword": ranking(*"fbxyac", best=9, step=1)}
        turned = dict(reversed(legs.items()))
        assert self.fuse(fusers.open(), turned) == self.fuse(fusers.open(), legs)
        ties = {"one": ranking(*"abc"), "two": ranking(*"cab"), "three": ranking(*"bca")}
        weights = dict.fromkeys(ties, 0.1)
        expected = self.fuse(fusers.open(), ties, weights)
        for names in permutations(ties):
            found = self.fuse(fusers.open(), {name: ties[name] for name in names}, weights)
            assert found == expected, names

    @contract
    def test_the_same_legs_give_the_same_ranking(self, fusers: Opener) -> None:
        """A fuser keeps nothing from call to call, and changes nothing that it is given.

        When it fails: keep sums in variables of the call, and sort copies.
        """
        fuser = fusers.open()
        legs = {"semantic": ranking(*"abc"), "keyword": ranking(*"cax", best=9)}
        weights = dict(_EQUAL)
        first = list(fuser.fuse(legs, weights, 10))
        many = [f"{number:04d}" for number in range(3000)]
        turned = {"semantic": ranking(*"cba"), "keyword": ranking(*"xac", best=9)}
        others: list[Rankings] = [
            {"semantic": ranking(*"zyx"), "keyword": ranking("c")},
            {"semantic": ranking(*"xyz"), "keyword": ranking(*"zax", best=9)},
            turned,
            {
                "semantic": ranking(*many, step=0.0002),
                "keyword": ranking(*many[::-1], best=9, step=0.001),
            },
            {"semantic": [], "keyword": []},
        ]
        for other in others:  # of the same size, of the same ids, of thousands, of none
            afresh = list(fusers.open().fuse(other, weights, 10))
            assert list(fuser.fuse(other, weights, 10)) == afresh
            assert list(fuser.fuse(legs, weights, 10)) == first
        assert list(fuser.fuse(legs, {"semantic": 0.1, "keyword": 0.9}, 10)) != first
        assert legs == {"semantic": ranking(*"abc"), "keyword": ranking(*"cax", best=9)}
        assert weights == _EQUAL

    @contract
    def test_thousands_with_ids_of_any_shape(self, fusers: Opener) -> None:
        """Two legs of 5,000 chunks with odd ids are fused completely.

        When it fails: ids are strings, and nothing in them has a meaning.
        """
        odd = ["", " ", "1", "01", "a/b", "A/B", "é", "e\u0301", "\x00", "\ud800", "x" * 1000]
        names = [*odd, *(f"{number}" for number in range(100, 5089))]
        legs = {
            "semantic": ranking(*names, step=0.0003),
            "keyword": ranking(*names[::-1], best=60, step=0.01),
        }
        assert_same(sorted(self.fuse(fusers.open(), legs, limit=10_000)), sorted(names))
