"""The sections of the report, each made of the metrics and tables that the library gives."""

from collections.abc import Iterator
from html import escape

import numpy as np
import pandas as pd

from kplace.analysis import metrics
from kplace.analysis.plots.drawn import node_points
from kplace.analysis.plots.style import PARTS, REQUESTED
from kplace.analysis.report import charts
from kplace.analysis.report.tables import amount, plain, table
from kplace.api import Cluster, Placements
from kplace.frames.schema import resource_of

MOST_WORKLOADS = 200
MOST_REASONS = 20
_AMOUNTS = ("share", "requested", "allocatable")


class Subject:
    """What the report is about: a run, or a cluster as it stands."""

    def __init__(self, subject: Cluster | Placements) -> None:
        self.subject = subject
        self.run = subject if isinstance(subject, Placements) else None
        self.nodes = subject.nodes
        self.cluster = self._cluster()

    def _cluster(self) -> Cluster | None:
        """The cluster as it is; None for a run that was read from a file."""
        if self.run is None:
            return self.subject if isinstance(self.subject, Cluster) else None
        return self.run.cluster if self.run.has_cluster else None

    @property
    def needs(self) -> dict[str, int]:
        """What the smallest pod requests; a tenth of a core and 128 MiB if that is not known."""
        return (metrics.smallest_needs(self.cluster.pods) if self.cluster else {}) or {"cpu": 100, "memory": 2**27}


def figures(about: Subject) -> dict[str, object]:
    """The numbers at the top of the page."""
    packed = metrics.packing(about.nodes)
    used = metrics.utilisation(about.nodes)
    found: dict[str, object] = {
        "nodes": packed.nodes,
        "nodes empty": packed.empty,
        "nodes cordoned": int(about.nodes["unschedulable"].sum()),
        "pods on nodes": int(about.nodes["requested_pods"].sum()),
        "utilisation": dict(zip(used["resource"], used["utilisation"].round(6).tolist(), strict=True)),
    }
    if about.run is not None:
        summary = about.run.summary()
        found |= {"placed": summary.placed, "pending": summary.pending, "gated": summary.gated}
        found["result"] = about.run.result_hash
    elif about.cluster is not None:
        found["waiting"] = int(about.cluster.columns.pods.waiting.sum())
    return found


def sections(about: Subject) -> Iterator[tuple[str, str]]:
    """Titles and contents, in order; without those that there is nothing to say about."""
    yield "Overview", _overview(figures(about))
    yield "Utilisation by zone and pool", _use(about)
    yield "Cpu against memory", _scatter(about)
    yield "Stranded capacity", _stranded(about)
    if about.run is not None and len(about.run.reasons):
        yield "Why pods are pending", _pending(about.run)
    if about.cluster is not None:
        spread = _spread(about.cluster)
        if spread:
            yield "Skew of workloads", spread
        lost = _lost(about.cluster)
        if lost:
            yield "Worst zone for each workload", lost
    gpus = [
        name
        for name in ("nvidia.com/gpu", "amd.com/gpu")
        if about.nodes.get(f"allocatable_{name}", pd.Series([0])).gt(0).any()
    ]
    for name in gpus:
        yield f"Free GPUs by node ({name})", _gpus(about, name)
    if about.run is not None and len(about.run.preemptions):
        yield "Preemptions", _preemptions(about.run)
    yield "Nodes", _nodes(about)


def _overview(found: dict[str, object]) -> str:
    shown: dict[str, str] = {}
    for name, value in found.items():
        if isinstance(value, dict):
            shown |= {f"{resource} requested": charts.percent(share) for resource, share in value.items()}
        elif name != "result":
            shown[name] = f"{value:,}"
    return charts.cards(shown)


def _use(about: Subject) -> str:
    parts = []
    for title, by in (("By zone", ["zone"]), ("By zone and instance type", ["zone", "instance_type"])):
        found = metrics.utilisation(about.nodes, by)
        rows = []
        for row in found[found["allocatable"] > 0].to_dict("records"):
            names = [str(row[name]) if pd.notna(row[name]) else "-" for name in by]
            share, shown = float(row["utilisation"]), amount(row["resource"])
            parts_of_bar = [("requested", min(share, 1), REQUESTED)]
            bar = charts.stacked(parts_of_bar, " ".join([*names, row["resource"]]))
            numbers = (charts.percent(share), shown(row["requested"]), shown(row["allocatable"]))
            rows.append([*map(escape, (*names, row["resource"])), bar, *numbers])
        body = plain([*by, "resource", "", *_AMOUNTS], rows, _AMOUNTS)
        parts.append(f"<details{' open' if len(by) == 1 else ''}><summary>{title}</summary>{body}</details>")
    return "".join(parts)


def _scatter(about: Subject) -> str:
    drawn = charts.scatter(node_points(about.nodes, "cpu", "memory", "instance_type"))
    spread = metrics.imbalance(about.nodes, resources=["cpu", "memory"])
    shares = dict.fromkeys(("min", "max", "range", "mean", "stddev"), charts.percent)
    words = (
        "Each node by what its pods request. Far from the dashed line, one resource will run out long before the other."
    )
    return f"<p>{words}</p><div class=chart>{drawn}</div>{table(spread, 'resources', shares, filtered=False)}"


def _stranded(about: Subject) -> str:
    found = metrics.stranded(about.nodes, about.needs)
    found = found[found["allocatable"] > 0]
    key = charts.legend([(words, colour) for _, words, colour in PARTS])
    rows = []
    for row in found.to_dict("records"):
        whole = max(row["allocatable"], row["requested"] + row["usable"] + row["stranded"] + row["cordoned"])
        bar = charts.stacked([(name, row[name] / whole, colour) for name, _, colour in PARTS], row["resource"])
        stranded = (charts.percent(row["stranded"] / whole), amount(row["resource"])(row["stranded"]))
        rows.append([escape(row["resource"]), bar, *stranded])
    needs = " and ".join(
        f"{value:,}m cpu" if name == "cpu" else f"{amount(name)(value)} {name}" for name, value in about.needs.items()
    )
    words = (
        "What is free but cannot be used, because the node has too little left of something else for a pod of "
        f"{escape(needs)}."
    )
    return f"<p>{words}</p>{key}{plain(('resource', '', 'stranded', 'amount'), rows, ('stranded', 'amount'))}"


def _pending(run: Placements) -> str:
    found = metrics.pending_by_plugin(run)
    waiting = run.pods[run.pods["status"].isin(["unschedulable", "error"])]
    pods = waiting[["namespace", "pod", "priority", "message"]]
    most = max(int(found["pods"].max()), 1)
    rows = [
        [
            escape(row["plugin"]),
            escape(row["reason"]),
            charts.stacked([("pods", row["pods"] / most, REQUESTED)], row["reason"]),
            f"{row['pods']:,}",
            f"{row['nodes']:,}",
        ]
        for row in found.head(MOST_REASONS).to_dict("records")
    ]
    words = "Pending pods that at least one node was ruled out for, by reason, and the most nodes for one pod."
    reasons = plain(("plugin", "reason", "", "pods", "nodes"), rows, ("pods", "nodes"))
    return f"<p>{words}</p>{reasons}{table(pods, 'pending pods')}"


def _spread(cluster: Cluster) -> str:
    found = metrics.domains(cluster)
    if not len(found):
        return ""
    keys = ["workload", "topology_key", "max_skew", "enforced"]
    each = found.groupby(keys, observed=True, sort=False, dropna=False).agg(
        domains=("domain", "size"),
        pods=("pods", "sum"),
        least=("min", "first"),
        most=("max", "first"),
        skew=("skew", "first"),
        broken=("violates", "any"),
    )
    listed = each.reset_index().sort_values(["broken", "skew"], ascending=False, kind="stable").head(MOST_WORKLOADS)
    words = "Topology spread constraints: how many pods the fullest and the emptiest domain have, and the skew allowed."
    return f"<p>{words}</p>{table(listed, 'constraints')}"


def _lost(cluster: Cluster) -> str:
    found = metrics.replicas_lost(cluster)
    listed = found[found["pods"] > 1].head(MOST_WORKLOADS)
    if not len(listed):
        return ""
    words = "The share of each workload's pods that is gone if its worst zone dies."
    return f"<p>{words}</p>{table(listed, 'workloads', {'share': charts.percent})}"


def _gpus(about: Subject, name: str) -> str:
    counts = metrics.gpu_histogram(about.nodes, name)
    label = ", ".join(f"{number:,} nodes with {free} free" for free, number in counts.items())
    return f"<div class=chart>{charts.columns(counts.to_numpy(), [str(free) for free in counts.index], label)}</div>"


def _preemptions(run: Placements) -> str:
    columns = [
        "namespace",
        "pod",
        "node",
        "victim_namespace",
        "victim",
        "victim_priority",
        "violates_budget",
        "carried_out",
    ]
    return table(run.preemptions[columns], "preemptions")


def _nodes(about: Subject) -> str:
    nodes = about.nodes
    shares = [name for name in nodes.columns if name.startswith("utilisation_") and nodes[name].gt(0).any()]
    fullest = nodes[shares].max(axis=1).to_numpy() if shares else np.zeros(len(nodes))
    listed = nodes.iloc[np.argsort(-fullest, kind="stable")]
    columns = ["node", "zone", "instance_type", "unschedulable", "requested_pods", *shares]
    shown = listed[columns].rename(columns={name: resource_of(name.removeprefix("utilisation_")) for name in shares})
    shown = shown.rename(columns={"requested_pods": "pods on it", "unschedulable": "cordoned"})
    written = {resource_of(name.removeprefix("utilisation_")): charts.percent for name in shares}
    words = "The fullest first, by the resource of which the largest share is requested."
    return f"<p>{words}</p>{table(shown, 'nodes', written)}"
