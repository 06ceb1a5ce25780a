"""What placing all pods has come to, in a few numbers."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from kplace.analysis.metrics import domains, imbalance, packing, stranded, utilisation
from kplace.api import Cluster
from kplace.columns import ClusterColumns
from kplace.dtypes import CPU, MEMORY
from kplace.frames.schema import resource_column
from kplace.state import ClusterState

_RESOURCES = ("cpu", "memory")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where a placement stands; the definitions are those of `kplace.analysis.metrics`.

    Attributes
    ----------
    pending : int
        Pods that found no node.
    nodes_used : int
        Nodes with at least one pod.
    utilisation_cpu, utilisation_memory : float
        Requested of what the nodes in use offer.
    imbalance : float
        Standard deviation of the nodes' utilisation, the mean of cpu and memory.
    fragmentation : float
        What is free but stranded, of what is offered, the mean of cpu and memory.
    violations : int
        Topology spread constraints of workloads that are broken.
    """

    pending: int
    nodes_used: int
    utilisation_cpu: float
    utilisation_memory: float
    imbalance: float
    fragmentation: float
    violations: int


def outcome_of(state: ClusterState, pending: int, needs: dict[str, int], *, has_constraints: bool) -> Outcome:
    """Measure a state after its pods were placed.

    Parameters
    ----------
    needs : dict of str to int
        What the smallest pod requests, for which room must be left that is worth anything.
    has_constraints : bool
        Whether any pod has topology spread constraints, which take a while to look at.
    """
    nodes = nodes_table(state)
    used = nodes[nodes["requested_pods"] > 0]
    shares = utilisation(used, resources=_RESOURCES).set_index("resource")["utilisation"]
    spread = imbalance(nodes, resources=_RESOURCES)["stddev"]
    left = stranded(nodes, needs).set_index("resource")["share"].reindex(list(_RESOURCES))
    broken = 0
    if has_constraints:
        table = domains(Cluster(_placed(state)))
        constraints = table.drop_duplicates(["workload", "topology_key", "max_skew", "enforced"])
        broken = int(constraints["violates"].sum())
    return Outcome(
        pending=pending,
        nodes_used=packing(nodes, resources=_RESOURCES).used,
        utilisation_cpu=float(shares.get("cpu", np.nan)),
        utilisation_memory=float(shares.get("memory", np.nan)),
        imbalance=float(spread.mean()),
        fragmentation=float(left.mean()),
        violations=broken,
    )


def nodes_table(state: ClusterState) -> pd.DataFrame:
    """The columns of a table of nodes that the metrics look at."""
    nodes, used = state.columns.nodes, state.resources
    table: dict[str, object] = {"node": nodes.names, "unschedulable": nodes.unschedulable}
    for row, name in ((CPU, "cpu"), (MEMORY, "memory")):
        ending = resource_column(name)
        table[f"allocatable_{ending}"] = used.allocatable[row]
        table[f"requested_{ending}"] = used.requested[row]
        table[f"free_{ending}"] = used.allocatable[row] - used.requested[row]
    table["allocatable_pods"], table["requested_pods"] = used.allowed_pods, used.pods
    table["free_pods"] = used.allowed_pods - used.pods
    return pd.DataFrame(table)


def _placed(state: ClusterState) -> ClusterColumns:
    """The cluster with its pods where the state has them."""
    return replace(state.columns, pods=replace(state.columns.pods, node=state.node_of_pod.copy()))
