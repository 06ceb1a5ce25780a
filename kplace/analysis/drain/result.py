"""What a drain comes to, as tables."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from kplace.analysis.budgets import Allowance
from kplace.analysis.drain.evictable import Leaving
from kplace.analysis.drain.plot import DrainPlot
from kplace.analysis.schema import DRAIN_NODES, DRAIN_PODS
from kplace.api import Cluster, Placements
from kplace.dtypes import I32, NO_NODE, Mask
from kplace.frames.build import category, node_category, texts
from kplace.frames.pods import owner_part
from kplace.frames.schema import stamp

OUTCOMES = ("moves", "pending", "daemon", "ending")
_MOVES, _PENDING, _DAEMON, _ENDING = range(4)


@dataclass(frozen=True)
class Drain:
    """What becomes of the pods on some nodes when these go.

    Attributes
    ----------
    before : Cluster
        The cluster with the nodes.
    order : int32 ndarray
        The nodes that go, as indexes, in the order of the drain.
    leaving : Leaving
        The pods on them.
    node : int32 ndarray
        For each evicted pod the node that it moves to, as an index; `NO_NODE` for one that stays pending.
    messages : dict of int to str
        Why pods stay pending, in the scheduler's words, by index of the pod.
    placements : Placements
        The run that tried last those that found no node at first; `Placements.cluster` is the cluster afterwards.
    allowance : Allowance
        What the disruption budgets allow.
    """

    before: Cluster
    order: I32
    leaving: Leaving
    node: I32
    messages: dict[int, str]
    placements: Placements
    allowance: Allowance

    def __repr__(self) -> str:
        return (
            f"<Drain: {len(self.order)} nodes, {len(self.node) - self.pending} pods move, {self.pending} stay pending>"
        )

    @property
    def cluster(self) -> Cluster:
        """The cluster afterwards."""
        return self.placements.cluster

    @property
    def pending(self) -> int:
        """Evicted pods that find no node."""
        return int((self.node == NO_NODE).sum())

    @property
    def is_clean(self) -> bool:
        """Whether every pod finds a node and no disruption budget forbids its eviction."""
        return not self.pending and not (self.nodes["budgets_blocking"] != "").any()

    @cached_property
    def pods(self) -> pd.DataFrame:
        """One row per pod that was on the nodes: `kplace.analysis.schema.DRAIN_PODS`."""
        columns, (evicted, staying, ending) = self.before.columns, self.leaving
        rows, others = np.concatenate([evicted, staying, ending]), len(staying) + len(ending)
        outcome = [np.where(self.node == NO_NODE, _PENDING, _MOVES), np.full(len(staying), _DAEMON)]
        pods = columns.pods
        table = {
            "namespace": category(pods.namespace[rows], list(pods.namespaces)),
            "pod": texts([pods.names[pod] for pod in rows.tolist()]),
            **owner_part(columns, pods.template[rows]),
            "priority": pods.priority[rows],
            "from_node": node_category(columns.nodes, pods.node[rows]),
            "outcome": category(np.concatenate([*outcome, np.full(len(ending), _ENDING)]), OUTCOMES),
            "node": node_category(columns.nodes, np.append(self.node, np.full(others, NO_NODE, np.int32))),
            "budgets": texts([self._budgets(pod) for pod in rows.tolist()]),
            "violates_budget": np.append(self.allowance.marked(evicted), np.zeros(others, np.bool_)),
            "message": texts([self.messages.get(pod, "") for pod in rows.tolist()]),
            "row": rows,
        }
        return stamp(pd.DataFrame(table), DRAIN_PODS)

    @cached_property
    def nodes(self) -> pd.DataFrame:
        """One row per node that goes, in the order of the drain: `kplace.analysis.schema.DRAIN_NODES`."""
        columns = self.before.columns
        rows = []
        for step, n in enumerate(self.order.tolist(), 1):
            here = columns.pods.node[self.leaving.evicted] == n
            own = self.leaving.evicted[here]
            broken = self.allowance.violated(own)
            blocked = broken & (self.allowance.allowed == 0)
            counts = (
                int((self.node[here] != NO_NODE).sum()),
                int((self.node[here] == NO_NODE).sum()),
                int((columns.pods.node[self.leaving.staying] == n).sum()),
                int((columns.pods.node[self.leaving.ending] == n).sum()),
            )
            rows.append((step, n, *counts, self._named(broken & ~blocked), self._named(blocked)))
        names = ["step", "node", *OUTCOMES, "budgets_waited_for", "budgets_blocking"]
        found = pd.DataFrame(rows, columns=names)
        found["node"] = node_category(columns.nodes, found["node"].to_numpy(np.int32))
        numbers = dict.fromkeys(("step", *OUTCOMES), "int64")
        return stamp(found.astype(numbers | dict.fromkeys(names[-2:], "str")), DRAIN_NODES)

    @property
    def plot(self) -> DrainPlot:
        """Pictures: ``plot.nodes()``, ``plot.moves("zone")``, ``plot.utilisation("cpu")``."""
        return DrainPlot(self)

    def _budgets(self, pod: int) -> str:
        return ",".join(self.allowance.names[budget] for budget in self.allowance.of_pod(pod).tolist())

    def _named(self, mask: Mask) -> str:
        return ",".join(name for name, chosen in zip(self.allowance.names, mask.tolist(), strict=True) if chosen)
