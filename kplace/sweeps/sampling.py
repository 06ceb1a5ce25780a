"""Which runs a study consists of: grids, random samples, Latin hypercubes and lists, one run at a time."""

import hashlib
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec

from kplace.config.versions import DEFAULT_VERSION
from kplace.sweeps.description import DEFAULT, GRID, LATIN, LISTED, NOTHING, Parameters, Range, Study

FRACTIONAL = frozenset({"node_scale", "load"})
"""Axes whose values need not be whole."""
SETTING = "settings."
_SINGLE: dict[str, Any] = {
    "what_if": NOTHING,
    "node_scale": 1.0,
    "load": None,
    "seed": 0,
    "configuration": DEFAULT,
    "kube_version": DEFAULT_VERSION,
    "tie_break": "random",
    "preemption": None,
    "percentage_of_nodes_to_score": None,
}
"""The value of an axis that a study does not have."""
ORDER = ("input", "what_if", "node_scale", "load", "seed")
"""The axes that the cluster of a run depends on: in a grid they change last, so that neighbours share it."""
AXES = (*ORDER, *(name for name in _SINGLE if name not in ORDER))


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis.

    Attributes
    ----------
    name : str
        One of `AXES`, or ``settings.`` and a path.
    given : sequence or Range
    """

    name: str
    given: Sequence[Any] | Range

    @property
    def values(self) -> list[Any]:
        """The values of a grid."""
        if not isinstance(self.given, Range):
            return list(self.given)
        spread = self.given
        if spread.step is not None:
            count = 1 + math.floor((spread.high - spread.low) / spread.step + 1e-9)
            return [self._value(spread.low + i * spread.step) for i in range(count)]
        count = spread.count or 1
        shares = [i / (count - 1) if count > 1 else 0.0 for i in range(count)]
        return list(dict.fromkeys(self.at(share) for share in shares))

    def at(self, share: float) -> Any:  # noqa: ANN401 - values of any kind
        """The value at a share, 0 to 1, of the axis."""
        if not isinstance(self.given, Range):
            return self.given[min(int(share * len(self.given)), len(self.given) - 1)]
        low, high = self.given.low, self.given.high
        if self.given.log:
            return self._value(low * (high / low) ** share)
        return self._value(low + (high - low) * share)

    def _value(self, number: float) -> float | int:
        assert isinstance(self.given, Range)
        whole = isinstance(self.given.low, int) and isinstance(self.given.high, int)
        stepped = self.given.step is None or isinstance(self.given.step, int)
        if whole and stepped and self.name not in FRACTIONAL:
            return round(number)
        return float(f"{number:.12g}")


def axes_of(study: Study) -> list[Axis]:
    """All axes of a study, those of which it says nothing with their single value."""
    found = []
    for name in AXES:
        given = getattr(study.axes, name)
        if given is None:
            given = _by_default(study, name)
        found.append(Axis(name, given))
    return found + [Axis(SETTING + path, given) for path, given in study.axes.settings.items()]


def _by_default(study: Study, name: str) -> tuple[Any, ...]:
    if name == "input":
        return tuple(study.inputs)
    if name == "configuration" and study.configurations:
        return tuple(study.configurations)
    if name == "what_if":
        return (NOTHING, *study.what_if)
    return (_SINGLE[name],)


def runs_of(study: Study) -> Iterator[tuple[str, Parameters]]:
    """Every run of a study once, with its id, in an order in which neighbours share their cluster.

    The order and the draws depend on the study alone.
    """
    seen: set[str] = set()
    for parameters in itertools.chain(_sampled(study), _listed(study)):
        run = run_id(parameters)
        if run not in seen:
            seen.add(run)
            yield run, parameters


def run_id(parameters: Parameters) -> str:
    """What a run is called: a hash of its parameters."""
    return hashlib.sha256(msgspec.json.encode(parameters)).hexdigest()[:16]


def parameters_of(values: dict[str, Any]) -> Parameters:
    """Parameters out of values by the names of axes."""
    settings = {name.removeprefix(SETTING): value for name, value in values.items() if name.startswith(SETTING)}
    own = {name: value for name, value in values.items() if not name.startswith(SETTING)}
    for name in FRACTIONAL:
        own[name] = None if own[name] is None else float(own[name])
    return Parameters(**own, settings=msgspec.json.encode(dict(sorted(settings.items()))).decode())


def _sampled(study: Study) -> Iterator[Parameters]:
    if study.sample == LISTED:
        return
    axes = axes_of(study)
    names = [axis.name for axis in axes]
    if study.sample == GRID:
        for values in itertools.product(*(axis.values for axis in axes)):
            yield parameters_of(dict(zip(names, values, strict=True)))
        return
    seeds = next(axis for axis in axes if axis.name == "seed").values
    drawn = [axis for axis in axes if axis.name != "seed"]
    columns = [_shares(study, axis.name) for axis in drawn]
    for i in range(study.points or 0):
        point = {axis.name: axis.at(column[i]) for axis, column in zip(drawn, columns, strict=True)}
        for seed in seeds:
            yield parameters_of(point | {"seed": seed})


def _shares(study: Study, axis: str) -> list[float]:
    """Where on an axis each point of a random sample lies."""
    random, number = Random(f"{study.sample_seed}/{axis}"), study.points or 0
    if study.sample != LATIN:
        return [random.random() for _ in range(number)]
    strata = list(range(number))
    random.shuffle(strata)
    return [(stratum + random.random()) / number for stratum in strata]


def _listed(study: Study) -> Iterator[Parameters]:
    first = {axis.name: axis.values[0] for axis in axes_of(study) if not axis.name.startswith(SETTING)}
    for point in study.run:
        given = {name: getattr(point, name) for name in AXES if getattr(point, name) is not None}
        settings = {SETTING + path: value for path, value in point.settings.items()}
        yield parameters_of(first | given | settings)


def varied(study: Study) -> list[str]:
    """Names of the axes that have more than one value."""
    return [axis.name for axis in axes_of(study) if isinstance(axis.given, Range) or len(axis.given) > 1]
