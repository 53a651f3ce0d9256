"""The settings that a search may have: what can be tuned, within which bounds, and as a configuration."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hierdoc.config.models import Config
from hierdoc.plugin.capabilities import Capability
from hierdoc.plugin.protocols import KeywordBackend
from hierdoc.plugin.provider import ComponentKind
from hierdoc.plugin.registry import Registry
from hierdoc.plugin.settings import ProviderConfig

CANDIDATES = (20, 50, 100, 200)
SHARES = tuple(round(0.1 * step, 1) for step in range(11))
"""Of the keyword leg in what semantic and keyword legs weigh together."""

EXACT = (0.1, 0.2, 0.4)
"""Weights of the exact leg; what it is certain of stands first whatever its weight."""

KEYWORD_FIELDS = ("k1", "b")
_STEPS = 5


class Point(dict[str, Any]):
    """Settings by dotted name, as `weights.keyword` or `fuser.k`; usable as a key."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


@dataclass(frozen=True)
class Space:
    """What may be tuned.

    Attributes:
        config: The configuration as it is.
        fusers: Configurations of every fuser, that of the present one with its present fields, by provider.
        fields: Numeric fields of each fuser with the values that are tried.
        keyword_fields: The same of the keyword backend: k1 and b, where it takes them.
        notes: What cannot be tuned, and why.
    """

    config: Config
    fusers: Mapping[str, ProviderConfig]
    fields: Mapping[str, Mapping[str, Sequence[float]]]
    keyword_fields: Mapping[str, Sequence[float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, config: Config, registry: Registry) -> Space:
        """What may be tuned of a configuration: fusers come from the registry, fields and bounds from their models."""
        fusers: dict[str, ProviderConfig] = {config.fuser.provider: config.fuser}
        notes = []
        for registered in registry.providers(ComponentKind.FUSER):
            provider = registered.provider
            if provider.name in fusers:
                continue
            try:
                opened = provider.config()
                registry.open(ComponentKind.FUSER, opened)
            except Exception as error:  # reported: a plugin's fuser that cannot be had is not tried
                notes.append(f"the fuser {provider.name} was not tried: {error}")
                continue
            fusers[provider.name] = opened
        fields = {name: numeric_fields(fuser) for name, fuser in fusers.items()}
        keyword_fields: dict[str, Sequence[float]] = {}
        if config.keyword is not None:
            numeric = numeric_fields(config.keyword)
            taken = {name: numeric[name] for name in KEYWORD_FIELDS if name in numeric}
            if taken and not _is_movable(config.keyword, registry):
                notes.append(
                    f"k1 and b were left alone: {config.keyword.provider} keeps its index on a server"
                )
            else:
                keyword_fields = taken
                if not taken:
                    notes.append(f"the keyword backend {config.keyword.provider} takes no k1 and b")
        return cls(config, fusers, fields, keyword_fields, tuple(notes))

    @property
    def baseline(self) -> Point:
        """The settings as they are."""
        settings = self.config.search
        point = Point(fuser=self.config.fuser.provider, candidates=self.present_candidates)
        for name in self.fields[self.config.fuser.provider]:
            point[f"fuser.{name}"] = getattr(self.config.fuser, name)
        for name in self.keyword_fields:
            point[f"keyword.{name}"] = getattr(self.config.keyword, name)
        for leg, weight in settings.weights.model_dump().items():
            point[f"weights.{leg}"] = weight
        return point

    @property
    def present_candidates(self) -> int:
        """How many chunks each leg fetches now."""
        return self.config.search.candidates_for(self.config.search.top_k)

    @property
    def candidate_choices(self) -> tuple[int, ...]:
        """How many chunks each leg may fetch."""
        least = self.config.search.top_k
        return tuple(sorted({n for n in CANDIDATES if n >= least} | {self.present_candidates}))

    @property
    def most_candidates(self) -> int:
        """The deepest ranking that a setting needs."""
        return self.candidate_choices[-1]

    @property
    def size(self) -> int:
        """How many points the grid has."""
        return sum(len(axes.grid) for axes in self._axes())

    def points(self, count: int, seed: int) -> Iterator[Point]:
        """So many points of the grid, the present settings first; drawn at random where it has more."""
        grid = [self.point(*values) for axes in self._axes() for values in axes.grid]
        if len(grid) > count:
            grid = random.Random(seed).sample(grid, max(count - 1, 0))  # noqa: S311 - no secret
        yield self.baseline
        yield from grid

    def point(
        self,
        fuser: str,
        share: float,
        exact: float,
        candidates: int,
        fields: Mapping[str, float],
    ) -> Point:
        """Settings from the axes of the space.

        Args:
            fuser: A provider.
            share: Of the keyword leg in what is left by the exact leg.
            exact: The exact leg's weight.
            candidates: Of each leg.
            fields: By dotted name, of fuser and keyword backend.
        """
        rest = 1 - exact
        return Point(
            fuser=fuser,
            candidates=candidates,
            **fields,
            **{
                "weights.semantic": round(rest * (1 - share), 4),
                "weights.keyword": round(rest * share, 4),
                "weights.exact": round(exact, 4),
            },
        )

    def fuser(self, point: Point) -> ProviderConfig:
        """The fuser's configuration."""
        return _changed(self.fusers[point["fuser"]], _below(point, "fuser"))

    def keyword(self, point: Point) -> ProviderConfig | None:
        """The keyword backend's configuration; None where it is the present one."""
        wanted, config = _below(point, "keyword"), self.config.keyword
        if config is None or all(getattr(config, name) == value for name, value in wanted.items()):
            return None
        return _changed(config, wanted)

    def weights(self, point: Point) -> dict[str, float]:
        """The weights by leg."""
        return _below(point, "weights")

    def candidates(self, point: Point) -> int:
        """How many chunks each leg fetches."""
        return int(point["candidates"])

    def elsewhere(self, config: ProviderConfig, folder: str, number: int) -> ProviderConfig:
        """The configuration with its index, if it keeps one, in a folder of its own."""
        if isinstance(getattr(config, "path", None), Path):
            return _changed(config, {"path": Path(folder) / str(number)})
        return config

    def changes(self, point: Point) -> dict[str, Any]:
        """What these settings change in the configuration, nested as in the file; nothing that stays as it is."""
        changes: dict[str, Any] = {}
        before = self.baseline
        if point["fuser"] != before["fuser"] or _below(point, "fuser") != _below(before, "fuser"):
            changes["fuser"] = {"provider": point["fuser"], **_below(point, "fuser")}
        if _below(point, "keyword") != _below(before, "keyword"):
            changes["keyword"] = _below(point, "keyword")
        if self.weights(point) != self.weights(before):
            changes.setdefault("search", {})["weights"] = self.weights(point)
        if point["candidates"] != before["candidates"]:
            changes.setdefault("search", {})["candidates"] = point["candidates"]
        return changes

    def _axes(self) -> Iterator[_Axes]:
        for name in self.fusers:
            fields = {f"fuser.{key}": values for key, values in self.fields[name].items()}
            fields |= {f"keyword.{key}": values for key, values in self.keyword_fields.items()}
            yield _Axes(name, self.candidate_choices, fields)


@dataclass(frozen=True)
class _Axes:
    """The grid of one fuser."""

    fuser: str
    candidates: Sequence[int]
    fields: Mapping[str, Sequence[float]]

    @property
    def grid(self) -> list[tuple[str, float, float, int, dict[str, float]]]:
        combined = itertools.product(*self.fields.values())
        fields = [dict(zip(self.fields, values, strict=True)) for values in combined]
        axes = itertools.product(SHARES, EXACT, self.candidates, fields)
        return [(self.fuser, *values) for values in axes]


def numeric_fields(config: ProviderConfig) -> dict[str, Sequence[float]]:
    """The numeric fields of a provider with values to try, within the bounds of its model; the present one among them.

    Between two bounds the values are evenly spaced, else they are a quarter of the present one to four times it.
    """
    schema = type(config).model_json_schema().get("properties", {})
    fields = {}
    for name, part in schema.items():
        present = getattr(config, name, None)
        if isinstance(present, bool) or not isinstance(present, (int, float)):
            continue
        if "enum" not in part and "const" not in part:
            fields[name] = _values(part, present)
    return fields


def _values(part: Mapping[str, Any], present: float) -> Sequence[float]:
    low = part.get("minimum", part.get("exclusiveMinimum"))
    high = part.get("maximum", part.get("exclusiveMaximum"))
    if low is not None and high is not None:
        values = [low + (high - low) * step / (_STEPS - 1) for step in range(_STEPS)]
    else:
        values = [(present or 1) * factor for factor in (0.25, 0.5, 1, 2, 4)]
    whole = isinstance(present, int)
    kept = {present}
    for value in values:
        rounded = round(value) if whole else round(value, 4)
        above = low is None or rounded > low or (rounded == low and "minimum" in part)
        below = high is None or rounded < high or (rounded == high and "maximum" in part)
        if above and below:
            kept.add(rounded)
    return tuple(sorted(kept))


def _is_movable(config: ProviderConfig, registry: Registry) -> bool:
    """Whether another index with other settings can be made without touching the present one."""
    if isinstance(getattr(config, "path", None), Path):
        return True
    backend: KeywordBackend = registry.open(ComponentKind.KEYWORD, config)
    return Capability.PERSISTENT not in backend.capabilities


def _changed(config: ProviderConfig, values: Mapping[str, Any]) -> ProviderConfig:
    return config.model_copy(update=dict(values))


def _below(point: Mapping[str, Any], name: str) -> dict[str, Any]:
    prefix = f"{name}."
    return {
        key.removeprefix(prefix): value for key, value in point.items() if key.startswith(prefix)
    }
