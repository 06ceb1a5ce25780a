"""Nodes in an equal state are scored once, by plugins that look only at what nodes offer and what is used of it."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kplace.columns.templates import Template
from kplace.dtypes import I32, I64
from kplace.framework import Cycle, Profile, ScorePlugin, WeightedPlugin
from kplace.plugins.noderesources.balanced_allocation import NodeResourcesBalancedAllocation
from kplace.plugins.noderesources.fit import NodeResourcesFit
from kplace.plugins.noderesources.kernels import Demand
from kplace.state import ClusterState
from kplace.state.node_resources import NodeResources

MOST_KEPT = 64
"""Rows of scores that are kept of one plugin."""


class NodeStates(NamedTuple):
    """The nodes by what they offer and what is used of it.

    Attributes
    ----------
    state : int32 ndarray, shape (n_nodes,)
        Number of each node's state.
    first : int32 ndarray, shape (n_states,)
        A node in each state.
    """

    state: I32
    first: I32


def node_states(resources: NodeResources) -> NodeStates:
    """Find out which nodes are in an equal state."""
    columns = np.vstack([np.atleast_2d(array) for array in resources])
    _, first, state = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    return NodeStates(state.ravel().astype(np.int32), first.astype(np.int32))


class ByState:
    """A score plugin that looks at resources alone, asked once for each demand and state.

    Parameters
    ----------
    plugin : NodeResourcesFit or NodeResourcesBalancedAllocation
    states : NodeStates
    """

    def __init__(self, plugin: NodeResourcesFit | NodeResourcesBalancedAllocation, states: NodeStates) -> None:
        self.name = plugin.name
        self._plugin = plugin
        self._states = states
        self._kept: dict[tuple[bytes, ...], I64] = {}

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Score each of ``nodes`` as the plugin does."""
        if cycle.nodes_are_bare:
            return self._plugin.score(cycle, nodes)
        key = tuple(array.tobytes() for array in _demand(self._plugin, cycle))
        row = self._kept.get(key)
        if row is None:
            if len(self._kept) == MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            row = self._kept[key] = self._plugin.score(cycle, self._states.first)
        return row[self._states.state[nodes]]


_: type[ScorePlugin] = ByState


def _demand(plugin: NodeResourcesFit | NodeResourcesBalancedAllocation, cycle: Cycle) -> Demand:
    return plugin.scored_demand(cycle) if isinstance(plugin, NodeResourcesFit) else plugin.demand(cycle)


def by_state(state: ClusterState, profile: Profile, templates: Iterable[Template]) -> Profile:
    """Let a profile's plugins share scores between nodes, and pods of some templates, where that saves work.

    It does if many nodes are in an equal state, or if many of the templates ask for the same.
    """
    states = node_states(state.resources)
    asked = [(item.request.tobytes(), item.scored_request.tobytes()) for item in templates]
    if 2 * len(states.first) > state.n_nodes and 2 * len(set(asked)) > len(asked):
        return profile
    return replace(profile, score=tuple(_wrapped(item, states) for item in profile.score))


def _wrapped(item: WeightedPlugin, states: NodeStates) -> WeightedPlugin:
    # Not a subclass, which may look at anything.
    if type(item.plugin) in (NodeResourcesFit, NodeResourcesBalancedAllocation):
        return WeightedPlugin.of(ByState(item.plugin, states), item.weight)  # type: ignore[arg-type]
    return item
