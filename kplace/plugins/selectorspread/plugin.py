"""SelectorSpread, which v1beta1, v1beta2 and policies have (``plugins/selectorspread`` of 1.22)."""

import numpy as np

from kplace.columns.node_order import REGION_LABELS, ZONE_LABELS, zone_key
from kplace.columns.nodes import NodeColumns
from kplace.columns.templates import Template
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import F64, I32, I64, MAX_NODE_SCORE, NO_VALUE
from kplace.framework import Cycle, NormalizeScorePlugin, PreScorePlugin, ScorePlugin
from kplace.plugins.default_selector import DefaultSelectors
from kplace.state import ClusterState

ZONE_WEIGHT = 2.0 / 3.0
_KEY = "PreScoreSelectorSpread"
_NO_ROW = -1


class SelectorSpread:
    """Prefers nodes and zones with few pods that the pod's services and its controller select.

    Pods with topology spread constraints of their own are left to PodTopologySpread: they score 0 everywhere.
    """

    name = "SelectorSpread"

    def pre_score(self, cycle: Cycle, nodes: I32) -> None:
        """Find the pods that count."""
        if not _is_left_out(cycle):
            row = cycle.compiled(self.name, lambda template: _row(cycle.state, template))
            cycle.write(_KEY, row)

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Pods on each of ``nodes`` that count: those of the namespace that are not being deleted.

        Raises
        ------
        AttemptError
            PreScore did not run.
        """
        if _is_left_out(cycle):
            return np.zeros(len(nodes), np.int64)
        row = cycle.read(_KEY, int)
        if row == _NO_ROW:
            return np.zeros(len(nodes), np.int64)
        return cycle.state.groups.counts[row, nodes].astype(np.int64)

    def normalize_score(self, cycle: Cycle, nodes: I32, scores: I64) -> None:
        """Fewer pods are better: a third is for the node, two thirds for its zone if it has one. Modified in place."""
        if not _is_left_out(cycle):
            columns = cycle.state.columns.nodes
            zones = columns.derived(self.name, lambda: zone_codes(columns))
            scores[:] = spread_scores(scores, zones[nodes])


def spread_scores(pods: I64, zones: I32) -> I64:
    """Scores of nodes with so many pods that count.

    Parameters
    ----------
    pods : int64 ndarray, shape (k,)
    zones : int32 ndarray, shape (k,)
        `NO_VALUE` for nodes without one.

    Examples
    --------
    Two zones with 1 and 3 pods. The first node: 100 * 2/3 / 3 + 100 * 2/3 * 2/3 = 66.6; the last one gets nothing.

    >>> spread_scores(np.array([1, 0, 3]), np.array([0, 1, 1], np.int32)).tolist()
    [66, 33, 0]
    """
    score = _shares_left(pods)
    zoned = zones != NO_VALUE
    if zoned.any():
        in_zone = np.bincount(zones[zoned], weights=pods[zoned]).astype(np.int64)
        by_zone = _shares_left(in_zone)[zones[zoned]]
        score[zoned] = score[zoned] * (1.0 - ZONE_WEIGHT) + ZONE_WEIGHT * by_zone
    return score.astype(np.int64)


def _shares_left(counts: I64) -> F64:
    """How far each is from the most, 100 if there is nothing at all."""
    most = int(counts.max(initial=0))
    if most == 0:
        return np.full(len(counts), float(MAX_NODE_SCORE))
    return MAX_NODE_SCORE * ((most - counts) / most)


def zone_codes(columns: NodeColumns) -> I32:
    """Zones of the nodes, numbered; `NO_VALUE` for nodes without one."""
    keys = (*REGION_LABELS, *ZONE_LABELS)
    known = {key: (columns.label_codes(key), columns.label_values(key)) for key in keys}
    zones, codes = Vocabulary(), np.full(len(columns), NO_VALUE, np.int32)
    for node in range(len(columns)):
        labels = {key: values[code[node]] for key, (code, values) in known.items() if code[node] != NO_VALUE}
        if zone := zone_key(labels):
            codes[node] = zones.code(zone)
    return codes


def _is_left_out(cycle: Cycle) -> bool:
    return bool(cycle.template.spec.topology_spread_constraints)


def _row(state: ClusterState, template: Template) -> int:
    """Row of the group counts for the pods that count; `_NO_ROW` if nothing selects the template's pods."""
    selector = state.shared(DefaultSelectors, DefaultSelectors).of(template)
    if selector.is_empty:
        return _NO_ROW
    namespace = template.namespace
    return state.group(
        ("SelectorSpread", namespace, selector),
        lambda other: other.namespace == namespace and selector.matches(other.labels),
        skips_terminating=True,
    )


_pre_score: type[PreScorePlugin] = SelectorSpread
_score: type[ScorePlugin] = SelectorSpread
_normalize: type[NormalizeScorePlugin] = SelectorSpread
