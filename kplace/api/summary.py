"""What a run came to, as plain data: the numbers that ``kplace place`` prints."""

from dataclasses import dataclass

import pandas as pd

from kplace.columns import Note
from kplace.frames.schema import resource_of

N_BUSIEST = 5


@dataclass(frozen=True, slots=True)
class PendingReason:
    """A reason for which pods stay pending.

    Attributes
    ----------
    plugin, reason : str
    pods : int
        Pending pods that at least one node was ruled out for by it.
    nodes : int
        The most nodes that it ruled out for one pod.
    """

    plugin: str
    reason: str
    pods: int
    nodes: int


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """How much of a resource the nodes offer and their pods request; cpu in milli-cpu, bytes, or a number.

    Attributes
    ----------
    resource : str
        Kubernetes' name of it; ``pods`` is the number of pods.
    allocatable, before, after : int
        Over all nodes: what they offer, what is requested before and after the run.
    """

    resource: str
    allocatable: int
    before: int
    after: int

    @property
    def share_before(self) -> float:
        """Requested before the run as a share of allocatable; NaN if nothing is offered."""
        return self.before / self.allocatable if self.allocatable else float("nan")

    @property
    def share_after(self) -> float:
        """Requested after the run as a share of allocatable; NaN if nothing is offered."""
        return self.after / self.allocatable if self.allocatable else float("nan")


@dataclass(frozen=True, slots=True)
class BusyNode:
    """A node with little left.

    Attributes
    ----------
    node : str
    zone : str
        Empty if the node has none.
    resource : str
        The resource of which the largest share is requested.
    share : float
        That share.
    cpu, memory : float
        Their shares; NaN if the node offers none.
    pods, placed : int
        Pods on it, and those among them that the run placed.
    """

    node: str
    zone: str
    resource: str
    share: float
    cpu: float
    memory: float
    pods: int
    placed: int


@dataclass(frozen=True, slots=True)
class Summary:
    """A run in numbers.

    Attributes
    ----------
    nodes, pods : int
        In the cluster.
    placed, pending, gated, skipped : int
        Pods that the run looked at, by what became of them. Gated pods wait for a gate to be lifted; skipped ones name
        a scheduler that is not simulated.
    made, made_placed : int
        Pods that the run looked at and that were made from controllers; those among them that it placed.
    preemptors, victims : int
        Pods that others of lower priority left for, and those others; in a dry run, pods that they would have to leave
        for.
    reasons : tuple of PendingReason
        Most pods first.
    utilisation : tuple of ResourceUse
        cpu, memory, pods, then the others that are offered or requested at all.
    busiest : tuple of BusyNode
        The fullest nodes, fullest first.
    notes : tuple of Note
        What the input lacks or holds that a user should know.
    """

    nodes: int
    pods: int
    placed: int
    pending: int
    gated: int
    skipped: int
    made: int
    made_placed: int
    preemptors: int
    victims: int
    reasons: tuple[PendingReason, ...]
    utilisation: tuple[ResourceUse, ...]
    busiest: tuple[BusyNode, ...]
    notes: tuple[Note, ...]


def summarise(
    nodes: pd.DataFrame,
    pods: pd.DataFrame,
    reasons: pd.DataFrame,
    preemptions: pd.DataFrame,
    *,
    n_pods: int,
    notes: tuple[Note, ...],
) -> Summary:
    """Sum up the tables of a run.

    Parameters
    ----------
    nodes, pods, reasons, preemptions : DataFrame
        `kplace.frames.schema.PLACED_NODES`, `PLACED_PODS`, `REASONS` and `PREEMPTIONS`.
    n_pods : int
        Pods in the cluster.
    """
    status = pods["status"].value_counts()
    made = pods["made"].to_numpy()
    placed = (pods["status"] == "scheduled").to_numpy()
    return Summary(
        nodes=len(nodes),
        pods=n_pods,
        placed=int(status["scheduled"]),
        pending=int(status["unschedulable"] + status["error"]),
        gated=int(status["gated"]),
        skipped=int(status["skipped"]),
        made=int(made.sum()),
        made_placed=int((made & placed).sum()),
        preemptors=int(preemptions["row"].nunique()),
        victims=int(preemptions["victim_row"].nunique()),
        reasons=_reasons(reasons),
        utilisation=_utilisation(nodes),
        busiest=_busiest(nodes),
        notes=notes,
    )


def _reasons(reasons: pd.DataFrame) -> tuple[PendingReason, ...]:
    grouped = reasons.groupby(["plugin", "reason"], observed=True)["nodes"].agg(["size", "max"]).reset_index()
    found = [
        PendingReason(str(plugin), str(reason), int(pods), int(nodes))
        for plugin, reason, pods, nodes in grouped.itertuples(index=False)
    ]
    return tuple(sorted(found, key=lambda item: (-item.pods, -item.nodes, item.plugin, item.reason)))


def _resources(nodes: pd.DataFrame) -> list[str]:
    """Endings of the resource columns: cpu, memory and pods first."""
    prefix = "allocatable_"
    endings = [str(name).removeprefix(prefix) for name in nodes.columns if str(name).startswith(prefix)]
    first = ["cpu_milli", "memory_bytes", "pods"]
    return first + [ending for ending in endings if ending not in first]


def _utilisation(nodes: pd.DataFrame) -> tuple[ResourceUse, ...]:
    found = []
    for ending in _resources(nodes):
        columns = [f"{prefix}_{ending}" for prefix in ("allocatable", "requested_before", "requested")]
        # Not summed by numpy: the amounts of a few huge nodes can be more than 64 bits hold.
        amounts = [sum(nodes[column].tolist()) for column in columns]
        if any(amounts):
            found.append(ResourceUse(resource_of(ending), *amounts))
    return tuple(found)


def _busiest(nodes: pd.DataFrame) -> tuple[BusyNode, ...]:
    endings = _resources(nodes)
    shares = nodes[[f"utilisation_{ending}" for ending in endings]].set_axis(endings, axis=1)
    fullest = shares.max(axis=1)
    top = fullest[fullest > 0].sort_values(ascending=False, kind="stable").head(N_BUSIEST).index
    if not len(top):
        return ()
    chosen = pd.DataFrame(
        {
            "node": nodes.loc[top, "node"].astype("str"),
            "zone": nodes.loc[top, "zone"].astype("object").where(nodes.loc[top, "zone"].notna(), ""),
            "resource": [resource_of(str(ending)) for ending in shares.loc[top].idxmax(axis=1)],
            "share": fullest[top],
            "cpu": shares.loc[top, "cpu_milli"],
            "memory": shares.loc[top, "memory_bytes"],
            "pods": nodes.loc[top, "requested_pods"],
            "placed": nodes.loc[top, "pods_placed"],
        }
    )
    return tuple(BusyNode(*row) for row in chosen.itertuples(index=False, name=None))
