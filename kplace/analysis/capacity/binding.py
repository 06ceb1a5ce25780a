"""What binds: why nodes that took copies, or could have, take no more."""

from collections import Counter
from dataclasses import replace

import pandas as pd

from kplace.analysis.capacity.count import Count
from kplace.analysis.specs import Spec
from kplace.analysis.trial import Trial
from kplace.columns import ClusterColumns
from kplace.columns.addition import free_names, with_pods
from kplace.dtypes import NO_NODE
from kplace.frames.explain import explain_frame


def binding(trial: Trial, before: ClusterColumns, found: Count, spec: Spec) -> pd.DataFrame:
    """Why no node takes the next copy.

    Parameters
    ----------
    before : ClusterColumns
        Without the copies.
    found : Count
        That ended with a copy of ``spec`` that found no node.

    Returns
    -------
    DataFrame
        ``plugin``, ``reason``, ``nodes``, and ``binding``: the number of those nodes among them that were feasible
        before the first copy came; most of these first. One node can have several reasons.
    """
    first = _verdicts(trial, _with_one(before, spec), len(before.pods))
    last = found.columns
    next_copy = int(((last.pods.node == NO_NODE).nonzero()[0])[-1]) if found.stopped_by >= 0 else -1
    then = _verdicts(trial, last, next_copy)
    could = set(first.loc[first["verdict"] != "rejected", "node"].astype("str"))
    counts: Counter[tuple[str, str]] = Counter()
    bound: Counter[tuple[str, str]] = Counter()
    rejected = then[then["verdict"] == "rejected"]
    for node, plugin, reasons in zip(
        rejected["node"].astype("str"), rejected["plugin"].astype("str"), rejected["reasons"], strict=True
    ):
        for reason in _split(reasons):
            counts[plugin, reason] += 1
            bound[plugin, reason] += node in could
    rows = [(plugin, reason, number, bound[plugin, reason]) for (plugin, reason), number in counts.items()]
    rows.sort(key=lambda row: (-row[3], -row[2], row[0], row[1]))
    return pd.DataFrame(rows, columns=["plugin", "reason", "nodes", "binding"])


def _split(reasons: str) -> list[str]:
    """Reasons of one node: NodeResourcesFit names each resource that is short."""
    parts = reasons.split(", ")
    return parts if all(part.startswith(("Insufficient", "Too many pods")) for part in parts) else [reasons]


def _with_one(columns: ClusterColumns, spec: Spec) -> ClusterColumns:
    space, _, stem = spec.name.partition("/")
    return with_pods(columns, [spec.template], free_names(columns, space, stem, 1))


def _verdicts(trial: Trial, columns: ClusterColumns, pod: int) -> pd.DataFrame:
    whole = replace(trial, options=replace(trial.options, percentage_of_nodes_to_score=100))
    return explain_frame(whole.attempt(columns, pod))
