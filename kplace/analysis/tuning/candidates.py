"""Weight vectors and scoring strategies to try, and profiles that have them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from kplace.api.hints import close_names, did_you_mean
from kplace.api.setup import Setup
from kplace.errors import UsageError
from kplace.framework import Profile, WeightedPlugin
from kplace.plugins import names
from kplace.plugins.noderesources.args import NodeResourcesFitArgs, ScoringStrategyType, ShapePoint
from kplace.plugins.noderesources.fit import NodeResourcesFit

P = TypeVar("P")

STRATEGIES = tuple(item.value for item in ScoringStrategyType)
MAX_WEIGHT = 2**31 - 1
"""Largest weight that a configuration can give a plugin."""
_SHAPE = (ShapePoint(0, 0), ShapePoint(100, 10))
"""Of RequestedToCapacityRatio, where the configuration has none: the fuller a node, the better."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something to try.

    Attributes
    ----------
    weights : tuple of (str, int)
        By plugin, in the profile's order; 0 is a plugin that does not score.
    strategy : str
        Of NodeResourcesFit; empty for the configuration's own.
    """

    weights: tuple[tuple[str, int], ...]
    strategy: str = ""

    @property
    def key(self) -> str:
        """What tells it from others."""
        return " ".join([self.strategy or "-", *(f"{name}={weight}" for name, weight in self.weights)])


def candidates_of(
    profile: Profile,
    *,
    vectors: int = 0,
    max_weight: int = 10,
    seed: int = 0,
    weights: Sequence[Mapping[str, int]] = (),
    strategies: Sequence[str] = (),
) -> list[Candidate]:
    """List what to try: the weights as they are, those that are given, and random ones; each with every strategy.

    Random weights are whole numbers from 0 to ``max_weight``, drawn plugin by plugin. More vectors begin with the same
    ones.

    Parameters
    ----------
    vectors, max_weight, seed : int
        How many random vectors, their largest weight, and the seed of the draws.
    weights : sequence of mapping of str to int
        Vectors to try; a plugin that one leaves out keeps its weight.
    strategies : sequence of str
        Scoring strategies of NodeResourcesFit; by default the configuration's own.

    Raises
    ------
    UsageError
        A plugin does not score in the profile, a weight is none that a configuration could have, or there is no such
        strategy.
    """
    own = {item.plugin.name: item.weight for item in profile.score}
    faults = [fault for number, vector in enumerate(weights) for fault in _check(vector, own, f"weights[{number}]")]
    if faults:
        raise UsageError("\n".join(faults))
    unknown = [name for name in strategies if name not in STRATEGIES]
    if unknown:
        msg = f"strategies: expected some of {', '.join(STRATEGIES)}, got {', '.join(unknown)}"
        raise UsageError(msg)
    if vectors < 0 or not 0 <= max_weight <= MAX_WEIGHT:
        msg = f"expected vectors from 0 on and max_weight from 0 to {MAX_WEIGHT}, got {vectors} and {max_weight}"
        raise UsageError(msg)
    drawn = np.random.default_rng(seed).integers(0, max_weight + 1, (vectors, len(own)))
    listed = [
        own,
        *(own | dict(vector) for vector in weights),
        *(dict(zip(own, row, strict=True)) for row in drawn.tolist()),
    ]
    found = [
        Candidate(tuple((name, int(weight)) for name, weight in vector.items()), strategy)
        for vector in listed
        if any(vector.values())
        for strategy in (strategies or ("",))
    ]
    return list(dict.fromkeys(found))


def _check(vector: Mapping[str, int], own: Mapping[str, int], where: str) -> Iterator[str]:
    """What is wrong with a vector."""
    for name, weight in vector.items():
        if name not in own:
            meant = did_you_mean(close_names(name, own))
            yield f"{where}: {name} does not score in the profile; those that do are {', '.join(own)}{meant}"
        elif isinstance(weight, bool) or not isinstance(weight, int) or not 0 <= weight <= MAX_WEIGHT:
            yield f"{where}: expected a whole number from 0 to {MAX_WEIGHT} for {name}, got {weight!r}"


def with_weights(profile: Profile, candidate: Candidate) -> Profile:
    """The profile with a candidate's weights; plugins of weight 0 are left out."""
    weights = dict(candidate.weights)
    kept = tuple(
        WeightedPlugin(item.plugin, weights[item.plugin.name], item.normalizer)
        for item in profile.score
        if weights[item.plugin.name]
    )
    scoring = {item.plugin.name for item in kept}
    dropped = set(weights) - scoring
    return replace(
        profile, score=kept, pre_score=tuple(plugin for plugin in profile.pre_score if plugin.name not in dropped)
    )


def with_strategy(setup: Setup, profile: Profile, name: str) -> Profile:
    """The profile with a scoring strategy of NodeResourcesFit; as it is without one."""
    if not name:
        return profile
    strategy = ScoringStrategyType(name)
    configured = next(item for item in setup.configuration.profiles if item.scheduler_name == profile.scheduler_name)
    args = configured.args.get(names.NODE_RESOURCES_FIT) or NodeResourcesFitArgs()
    own = args.scoring_strategy
    changed = replace(args, scoring_strategy=replace(own, type=strategy, shape=own.shape or _SHAPE))
    made = NodeResourcesFit(changed, behaviour=setup.behaviour)

    def swapped(plugins: tuple[P, ...]) -> tuple[P, ...]:
        kept: list[Any] = [made if isinstance(plugin, NodeResourcesFit) else plugin for plugin in plugins]
        return tuple(kept)

    scored = swapped(tuple(item.plugin for item in profile.score))
    return replace(
        profile,
        pre_filter=swapped(profile.pre_filter),
        filter=swapped(profile.filter),
        pre_score=swapped(profile.pre_score),
        score=tuple(replace(item, plugin=plugin) for item, plugin in zip(profile.score, scored, strict=True)),
    )
