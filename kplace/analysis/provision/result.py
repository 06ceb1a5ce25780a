"""What provisioning comes to, as tables."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import pandas as pd

from kplace.analysis.provision.candidate import Candidate
from kplace.analysis.provision.catalogue import Catalogue
from kplace.analysis.provision.demand import Demand
from kplace.analysis.provision.plot import ProvisionPlot
from kplace.analysis.provision.search import Tried
from kplace.analysis.schema import PROVISION_CANDIDATES, PROVISION_NODES, PROVISION_PLANS, PROVISION_PODS
from kplace.analysis.workloads import Workloads
from kplace.api import Cluster
from kplace.columns.cluster import Note
from kplace.dtypes import I64
from kplace.frames.build import category, texts
from kplace.frames.schema import resource_column, stamp
from kplace.frames.usage import holding_nodes, offered, usage


@dataclass(frozen=True)
class Plan:
    """Nodes to add, and what the scheduler makes of them.

    Attributes
    ----------
    name : str
        What it is made of.
    tried : Tried
    at_least : Fraction
        No nodes of the candidates that let the same pods in cost less.
    catalogue : Catalogue
    demand : Demand
    before : Cluster
    """

    name: str
    tried: Tried
    at_least: Fraction
    catalogue: Catalogue
    demand: Demand
    before: Cluster

    @property
    def counts(self) -> dict[str, int]:
        """Nodes to add, by name of the candidate; only those of which there are any."""
        pairs = zip(self.catalogue.candidates, self.tried.counts, strict=True)
        return {item.name: number for item, number in pairs if number}

    @property
    def cost(self) -> float:
        """What they cost together."""
        return float(self.tried.cost)

    @property
    def n_nodes(self) -> int:
        """How many they are."""
        return sum(self.tried.counts)

    @property
    def pending(self) -> int:
        """Pods that find no node even so."""
        return len(self.tried.pending)

    def __repr__(self) -> str:
        added = ", ".join(f"{number} {name}" for name, number in self.counts.items()) or "no nodes"
        return f"<Plan: {added}, cost {self.cost:g}, {self.pending} pending>"

    @property
    def gap(self) -> float:
        """How far the cost lies above the lower bound, as a share of that; 0 if nothing is needed."""
        return float(self.tried.cost / self.at_least - 1) if self.at_least else 0.0

    @cached_property
    def cluster(self) -> Cluster:
        """The cluster with the nodes: what fits today is where it is, daemons run, the other pods still wait."""
        return self._with_sources(self.tried.enlarged.columns.pods.node)

    @cached_property
    def placed(self) -> Cluster:
        """The cluster once the scheduler has placed the pods that wait."""
        outcome, node = self.tried.outcome, self.tried.enlarged.columns.pods.node.copy()
        node[outcome.pod] = np.where(outcome.node >= 0, outcome.node, node[outcome.pod])
        return self._with_sources(node)

    def _with_sources(self, node: np.ndarray) -> Cluster:
        columns = self.tried.enlarged.columns
        return Cluster(replace(columns, pods=replace(columns.pods, node=node)), self.before.case)

    @property
    def new(self) -> I64:
        """Indexes of the new nodes in `cluster`, candidate by candidate."""
        candidate = self.tried.enlarged.candidate
        rows = np.flatnonzero(candidate >= 0)
        names = self.tried.enlarged.columns.nodes.names
        return np.array(sorted(rows.tolist(), key=lambda n: (int(candidate[n]), names[n])), np.int64)

    @cached_property
    def nodes(self) -> pd.DataFrame:
        """One row per new node: `kplace.analysis.schema.PROVISION_NODES`."""
        columns, new = self.placed.columns, self.new
        candidates = [self.catalogue.candidates[c] for c in self.tried.enlarged.candidate[new].tolist()]
        taken = usage(columns, holding_nodes(columns)).requested[:, new]
        offers = offered(columns)[:, new]
        own = np.bincount(self.tried.node[self.tried.node >= 0], minlength=len(columns.nodes))[new]
        table: dict[str, object] = {
            "node": texts([columns.nodes.names[n] for n in new.tolist()]),
            "candidate": texts([item.name for item in candidates]),
            "zone": texts([item.zone or None for item in candidates]),
            "instance_type": texts([item.instance_type or None for item in candidates]),
            "price": np.array([float(item.price) for item in candidates], np.float64),
            "pods": own.astype(np.int64),
            "daemons": taken[-1] - own,
        }
        for row, name in enumerate([*columns.resources, "pods"]):
            ending = resource_column(name)
            if name != "pods" and not (offers[row].any() or taken[row].any()):
                continue
            table[f"allocatable_{ending}"] = offers[row]
            table[f"requested_{ending}"] = taken[row]
            with np.errstate(divide="ignore", invalid="ignore"):
                table[f"utilisation_{ending}"] = np.where(offers[row] > 0, taken[row] / offers[row], np.nan)
        return stamp(pd.DataFrame(table), PROVISION_NODES)

    @property
    def utilisation(self) -> dict[str, float]:
        """Requested of allocatable on the new nodes together, by resource; only resources that they offer."""
        columns, new = self.placed.columns, self.new
        taken = usage(columns, holding_nodes(columns)).requested[:, new].sum(axis=1)
        offers = offered(columns)[:, new].sum(axis=1)
        names = [*columns.resources, "pods"]
        return {name: float(taken[row] / offers[row]) for row, name in enumerate(names) if len(new) and offers[row] > 0}

    @property
    def binding(self) -> str:
        """The resource that is used up most on the new nodes; empty without nodes."""
        used = self.utilisation
        return max(used, key=lambda name: used[name]) if used else ""


@dataclass(frozen=True)
class Provision:
    """Which nodes to add so that pods that wait find a node.

    Attributes
    ----------
    before : Cluster
        The cluster with everything that has to fit waiting in it.
    fitted : int
        Pods that fit as things are.
    demand : Demand
        Those that do not.
    catalogue : Catalogue
        The candidates that were looked at.
    plans : tuple of Plan
        The best one first: the most pods let in, then the least cost.
    left_out : tuple of (Candidate, str)
        Candidates that were not looked at, and why.
    words : dict of int to str
        By pod, why no plan lets it in.
    notes : tuple of Note
    """

    before: Cluster
    fitted: int
    demand: Demand
    catalogue: Catalogue
    plans: tuple[Plan, ...]
    left_out: tuple[tuple[Candidate, str], ...]
    words: dict[int, str]
    notes: tuple[Note, ...]

    @property
    def best(self) -> Plan:
        """The best plan."""
        return self.plans[0]

    @property
    def pending(self) -> int:
        """Pods that the best plan does not let in."""
        return self.best.pending

    @property
    def has_prices(self) -> bool:
        """Whether anything is known of prices; otherwise every node costs 1, and costs are numbers of nodes."""
        return all(item.topic != "no-prices" for item in self.notes)

    def __repr__(self) -> str:
        number = len(self.demand.pods)
        return f"<Provision: {number - self.pending} of {number} pods that find no node get one, {self.best!r}>"

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per plan: `kplace.analysis.schema.PROVISION_PLANS`."""
        rows = []
        for number, plan in enumerate(self.plans, 1):
            row: dict[str, object] = {
                "plan": number,
                "made_of": plan.name,
                "cost": plan.cost,
                "at_least": float(plan.at_least),
                "gap": plan.gap,
                "nodes": plan.n_nodes,
                "add": ", ".join(f"{count} {name}" for name, count in plan.counts.items()),
                "placed": len(self.demand.pods) - plan.pending,
                "pending": plan.pending,
                "binding": plan.binding or None,
            }
            row |= {f"utilisation_{resource_column(name)}": share for name, share in plan.utilisation.items()}
            rows.append(row)
        table = pd.DataFrame(rows)
        whole = dict.fromkeys(("plan", "nodes", "placed", "pending"), "int64")
        return stamp(table.astype(whole | dict.fromkeys(("made_of", "add", "binding"), "str")), PROVISION_PLANS)

    @cached_property
    def pods(self) -> pd.DataFrame:
        """One row per pod that needs a node: `kplace.analysis.schema.PROVISION_PODS`."""
        columns, plan = self.demand.columns, self.best
        rows, enlarged = self.demand.pods, plan.tried.enlarged
        node = plan.tried.node
        names = enlarged.columns.nodes.names
        candidates = [item.name for item in plan.catalogue.candidates]
        kind = np.where(node >= 0, enlarged.candidate[np.maximum(node, 0)], -1)
        pods, workloads = columns.pods, Workloads(columns)
        messages = dict(zip(self.demand.first.pod.tolist(), self.demand.first.messages, strict=True))
        table = {
            "namespace": category(pods.namespace[rows], list(pods.namespaces)),
            "pod": texts([pods.names[pod] for pod in rows.tolist()]),
            "workload": texts(workloads.names(workloads.of_pod[rows])),
            "node": texts([names[n] if n >= 0 else None for n in node.tolist()]),
            "candidate": texts([candidates[c] if c >= 0 else None for c in kind.tolist()]),
            "message": texts([messages.get(pod, "") for pod in rows.tolist()]),
            "why_pending": texts([self.words.get(pod) for pod in rows.tolist()]),
            "row": rows,
        }
        return stamp(pd.DataFrame(table), PROVISION_PODS)

    @cached_property
    def candidates(self) -> pd.DataFrame:
        """One row per candidate: `kplace.analysis.schema.PROVISION_CANDIDATES`."""
        looked_at = self.catalogue.candidates
        every = [*looked_at, *(item for item, _ in self.left_out)]
        best = dict(zip((item.name for item in looked_at), self.best.tried.counts, strict=True))
        why = {item.name: reason for item, reason in self.left_out}
        table: dict[str, object] = {
            "candidate": texts([item.name for item in every]),
            "source": texts([item.source for item in every]),
            "zone": texts([item.zone or None for item in every]),
            "instance_type": texts([item.instance_type or None for item in every]),
            "price": np.array([float(item.price) for item in every], np.float64),
            "nodes": np.array([best.get(item.name, 0) for item in every], np.int64),
            "left_out": texts([why.get(item.name, "") for item in every]),
        }
        found = pd.DataFrame(table)
        return stamp(found, PROVISION_CANDIDATES)

    @property
    def plot(self) -> ProvisionPlot:
        """Pictures: ``plot.plans()``, ``plot.nodes()``."""
        return ProvisionPlot(self)


def ranked(plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """Plans, the best first; of several with the same nodes the first, and without nodes only if there is no other."""
    kept: dict[tuple[int, ...], Plan] = {}
    for plan in sorted(plans, key=lambda plan: plan.tried.rank):
        kept.setdefault(plan.tried.counts, plan)
    found = tuple(kept.values())
    return tuple(plan for plan in found if plan.n_nodes) or found[:1]
