"""NodePreferAvoidPods, which v1beta1, v1beta2 and policies have (``plugins/nodepreferavoidpods`` of 1.22)."""

from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec import Struct

from kplace.columns.nodes import NodeColumns
from kplace.dtypes import I32, I64, MAX_NODE_SCORE, Mask
from kplace.framework import Cycle, ScorePlugin

ANNOTATION = "scheduler.alpha.kubernetes.io/preferAvoidPods"
CONTROLLERS = frozenset({"ReplicationController", "ReplicaSet"})

Controller = tuple[str, str]
"""Kind and uid."""


class _PodController(Struct, frozen=True):
    kind: str = ""
    uid: str = ""


class _PodSignature(Struct, frozen=True, rename="camel"):
    pod_controller: _PodController | None = None


class _Avoided(Struct, frozen=True, rename="camel"):
    pod_signature: _PodSignature = _PodSignature()


class _AvoidPods(Struct, frozen=True, rename="camel"):
    prefer_avoid_pods: tuple[_Avoided, ...] | None = None


class NodePreferAvoidPods:
    """Scores 0 where a node's annotation names the pod's controller, 100 elsewhere.

    Only replication controllers and replica sets count.
    """

    name = "NodePreferAvoidPods"

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Score each of ``nodes``."""
        owner = cycle.template.owner
        scores = np.full(len(nodes), MAX_NODE_SCORE, np.int64)
        if owner is not None and owner.kind in CONTROLLERS:
            columns = cycle.state.columns.nodes
            avoiding = columns.derived(ANNOTATION, lambda: _avoiding(columns)).get((owner.kind, owner.uid))
            if avoiding is not None:
                scores[avoiding[nodes]] = 0
        return scores


def _avoiding(columns: NodeColumns) -> dict[Controller, Mask]:
    """The nodes, as a mask, that ask to be spared the pods of each controller."""
    found: dict[Controller, Mask] = {}
    for node, annotations in enumerate(columns.annotations):
        for controller in avoided_controllers(annotations.get(ANNOTATION, "")):
            found.setdefault(controller, np.zeros(len(columns), np.bool_))[node] = True
    return found


def avoided_controllers(text: str) -> Sequence[Controller]:
    """Controllers that the annotation names; none if it cannot be read, which keeps no pod away.

    Examples
    --------
    >>> avoided_controllers(
    ...     '{"preferAvoidPods": [{"podSignature": {"podController": {"kind": "ReplicaSet", "uid": "7"}}}]}'
    ... )
    [('ReplicaSet', '7')]
    >>> avoided_controllers("")
    []
    """
    try:
        content = msgspec.json.decode(text or "{}", type=_AvoidPods)
    except (msgspec.DecodeError, UnicodeError):
        return []
    signatures = (item.pod_signature.pod_controller for item in content.prefer_avoid_pods or ())
    return [(controller.kind, controller.uid) for controller in signatures if controller is not None]


_: type[ScorePlugin] = NodePreferAvoidPods
