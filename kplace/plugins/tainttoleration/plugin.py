"""TaintToleration (upstream ``plugins/tainttoleration``)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kplace.columns.nodes import NodeColumns
from kplace.config.versions import V1_34, Behaviour
from kplace.dtypes import I32, I64, Code
from kplace.framework import Cycle, FilterPlugin, NormalizeScorePlugin, ScorePlugin, Verdict
from kplace.framework.events import Registration
from kplace.objects.core import Taint, Toleration
from kplace.plugins import names
from kplace.plugins.helper import normalize
from kplace.plugins.tainttoleration import hints
from kplace.plugins.tolerations import PREFER_NO_SCHEDULE, first_untolerated, tolerated

NAMELESS_REASON = "node(s) had untolerated taint(s)"


class _Compiled(NamedTuple):
    """The taints as pods with certain tolerations see them.

    Attributes
    ----------
    verdict : Verdict
        Of all nodes; the detail is ``taint set * _STRIDE + position`` of the first untolerated taint.
    raw : int64 ndarray, shape (n_nodes,)
        Number of PreferNoSchedule taints that are not tolerated.
    """

    verdict: Verdict
    raw: I64


_STRIDE = 1 << 20
"""More taints than one node can have."""


class TaintToleration:
    """Rules out nodes with a NoSchedule or NoExecute taint not tolerated by the pod; counts PreferNoSchedule ones.

    Parameters
    ----------
    behaviour : Behaviour, optional
        That of another release.
    """

    name = names.TAINT_TOLERATION
    is_local = True

    def __init__(self, *, behaviour: Behaviour = V1_34) -> None:
        self._names_taints = behaviour.names_taints

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``."""
        return self._compiled(cycle).verdict.take(nodes)

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Name the first taint that is not tolerated, if the release does."""
        if not self._names_taints:
            return (NAMELESS_REASON,)
        taint = cycle.state.columns.nodes.taint_sets[detail // _STRIDE][detail % _STRIDE]
        return (f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}",)

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Number of untolerated PreferNoSchedule taints."""
        return self._compiled(cycle).raw[nodes]

    def normalize_score(self, cycle: Cycle, nodes: I32, scores: I64) -> None:
        """Fewer such taints are better. Modified in place."""
        normalize(scores, True)

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return hints.REGISTRATIONS

    def _compiled(self, cycle: Cycle) -> _Compiled:
        tolerations = cycle.template.spec.tolerations or ()
        return cycle.state.shared((self.name, tolerations), lambda columns: compiled(columns.nodes, tolerations))


def compiled(columns: NodeColumns, tolerations: tuple[Toleration, ...]) -> _Compiled:
    """View of all nodes' taints that pods with these tolerations have; shared by all templates that agree in them."""
    first = np.array([first_untolerated(taints, tolerations) for taints in columns.taint_sets], np.int64)
    preferred = np.array([count_untolerated(taints, tolerations) for taints in columns.taint_sets], np.int64)
    failing = first[columns.taint_set] if len(columns) else np.zeros(0, np.int64)
    verdict = Verdict(
        code=np.where(failing >= 0, Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.SUCCESS).astype(np.int8),
        detail=np.where(failing >= 0, columns.taint_set * np.int64(_STRIDE) + failing, 0),
    )
    return _Compiled(verdict, preferred[columns.taint_set] if len(columns) else np.zeros(0, np.int64))


def count_untolerated(taints: tuple[Taint, ...], tolerations: tuple[Toleration, ...]) -> int:
    """Number of PreferNoSchedule taints that no toleration of that effect, or of any effect, covers."""
    relevant = [item for item in tolerations if item.effect in ("", PREFER_NO_SCHEDULE)]
    return sum(taint.effect == PREFER_NO_SCHEDULE and not tolerated(taint, relevant) for taint in taints)


_filter: type[FilterPlugin] = TaintToleration
_score: type[ScorePlugin] = TaintToleration
_normalize: type[NormalizeScorePlugin] = TaintToleration
