"""The question: why is this pod pending, and what single change would let it in."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np
import pandas as pd

from kplace.analysis.metrics.pending import funnel
from kplace.analysis.plots import waiting
from kplace.analysis.schema import WHY
from kplace.analysis.trial import Scheduling, Trial
from kplace.analysis.why.candidates import candidates
from kplace.analysis.why.changes import KINDS, Change
from kplace.analysis.why.force import Room, priorities, room_of
from kplace.api import Cluster
from kplace.api.finding import find_pod
from kplace.api.standing import why_untried
from kplace.columns import ClusterColumns
from kplace.columns.release import released
from kplace.dtypes import NO_NODE
from kplace.engine.diagnose import diagnose
from kplace.frames.explain import explain_frame
from kplace.frames.schema import stamp

if TYPE_CHECKING:
    from kplace.analysis.plots.figure import Figure


@dataclass(frozen=True)
class Why:
    """Why a pod is pending.

    Attributes
    ----------
    pod : str
        ``namespace/name``.
    node : str
        Where it fits as things are; empty if nowhere.
    room : Room or None
        The node on which it makes room for itself by preemption, and the pods that leave for it; None if it does not.
    untried : str
        Why the scheduler would not try it at all; empty if it would.
    message : str
        What the scheduler says; empty if it fits.
    nodes : DataFrame
        What each node says: `kplace.frames.schema.EXPLAIN`.
    changes : DataFrame
        Single changes with which it fits, each tried: `kplace.analysis.schema.WHY`.
    """

    pod: str
    node: str
    room: Room | None
    untried: str
    message: str
    nodes: pd.DataFrame
    changes: pd.DataFrame

    def __repr__(self) -> str:
        fits = f"fits on {self.node}" if self.node else f"{len(self.changes)} single changes let it in"
        return f"<Why: {self.pod}, {fits}>"

    @property
    def funnel(self) -> pd.DataFrame:
        """How the search narrows down: `kplace.analysis.metrics.funnel`."""
        return funnel(self.nodes)

    def plot(self) -> "Figure":
        """The funnel as a picture: how many nodes each filter leaves."""
        return waiting.funnel(self.nodes)


def why(cluster: Cluster, pod: str, *, each: int = 3, **scheduling: Unpack[Scheduling]) -> Why:
    """Say why a pod is pending, and which single changes would let it in.

    Changes of the pod: a lower request of one resource, a toleration, a rule left out or loosened, another host port,
    another claim or volume, a priority with which it pushes others out. Changes of the cluster: a node uncordoned or
    labelled, one pod evicted, one more node of a shape that is there. Each is tried: it is told only if the scheduler
    then finds a node.

    Parameters
    ----------
    cluster : Cluster
        As it stands: other waiting pods are left out. For the end of a run take its `Placements.cluster`.
    pod : str
        ``NAMESPACE/NAME``; a name alone is looked for in ``default``. A pod on a node is taken off first.
    each : int
        The most changes of a kind, the smallest first.
    **scheduling
        As for `kplace.capacity`.

    Returns
    -------
    Why

    Raises
    ------
    UsageError
        There is no such pod.

    Examples
    --------
    >>> nodes = pd.DataFrame({"node": ["a"], "cpu": [4], "memory": ["8Gi"]})
    >>> pods = pd.DataFrame({"pod": ["web"], "cpu": ["6"], "memory": ["1Gi"]})
    >>> why(Cluster.from_frames(nodes, pods), "web").changes["change"].tolist()
    ['request 4,000m of cpu instead of 6,000m']
    """
    index = find_pod(cluster.columns, pod)
    trial = Trial.of(cluster, scheduling, "dry-run")
    columns = trial.view_of(cluster).columns
    if columns.pods.node[index] != NO_NODE:
        columns = released(columns, np.array([index], np.int32))
    everywhere = replace(trial, options=replace(trial.options, percentage_of_nodes_to_score=100))
    attempt = everywhere.attempt(columns, index)
    explained = explain_frame(attempt)
    fits = attempt.node != NO_NODE
    room = None if fits else room_of(everywhere, columns, index, attempt)
    tried = [] if fits else _tried(everywhere, columns, index, explained, each)
    if not fits and room is None:
        tried += _by_force(everywhere, columns, index)
    profile = trial.profile_of(columns, index)
    return Why(
        pod=columns.pods.key(index),
        node=columns.nodes.names[attempt.node] if fits else "",
        room=room,
        untried=why_untried(columns, index, trial.setup.profiles, profile),
        message="" if fits else diagnose(attempt)[1],
        nodes=explained,
        changes=_table(tried),
    )


class _Told(NamedTuple):
    """A change with which the pod fits, and the node that it then goes to."""

    kind: str
    text: str
    node: str
    size: float


def _tried(trial: Trial, columns: ClusterColumns, pod: int, explained: pd.DataFrame, each: int) -> list[_Told]:
    """Changes with which the pod fits; the smallest of each kind."""
    found: list[_Told] = []
    by_kind: dict[str, list[Change]] = {}
    for change in candidates(columns, pod, explained):
        by_kind.setdefault(change.kind, []).append(change)
    for kind, changes in by_kind.items():
        number = 0
        for change in sorted(changes, key=lambda item: item.size):
            changed = change.apply()
            attempt = trial.attempt(changed, change.pod, asks_others=False)
            if attempt.node != NO_NODE:
                found.append(_Told(kind, change.text, changed.nodes.names[attempt.node], float(change.size)))
                number += 1
            if number == each:
                break
    return found


def _by_force(trial: Trial, columns: ClusterColumns, pod: int) -> list[_Told]:
    """Priorities with which the pod makes room for itself."""
    own = int(columns.pods.priority[pod])
    return [
        _Told(
            "priority",
            f"{text}: {room.text} {'leaves' if len(room.victims) == 1 else 'leave'}",
            room.node,
            float(value - own),
        )
        for text, value, room in priorities(trial, columns, pod)
    ]


def _table(found: list[_Told]) -> pd.DataFrame:
    rows = sorted(found, key=lambda told: KINDS.index(told.kind))
    table = pd.DataFrame(rows, columns=list(_Told._fields)).rename(columns={"text": "change"})
    return stamp(table.astype({"kind": "str", "change": "str", "node": "str", "size": "float64"}), WHY)
