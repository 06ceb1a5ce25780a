"""What binds: why nodes that took copies, or could have, take no more."""

from collections import Counter
from dataclasses import replace

import pandas as pd

from kplace.analysis.specs import Spec
from kplace.analysis.trial import Trial
from kplace.columns import ClusterColumns
from kplace.columns.addition import free_names, with_pods
from kplace.engine.attempt import Attempt
from kplace.frames.explain import explain_frame


def binding(trial: Trial, before: ClusterColumns, attempt: Attempt, spec: Spec) -> pd.DataFrame:
    """Why no node takes the next copy.

    Parameters
    ----------
    before : ClusterColumns
        Without the copies.
    attempt : Attempt
        At the copy of ``spec`` that found no node.

    Returns
    -------
    DataFrame
        ``plugin``, ``reason``, ``nodes``, and ``binding``: the number of those nodes among them that were feasible
        before the first copy came; most of these first. One node can have several reasons.
    """
    whole = replace(trial, options=replace(trial.options, percentage_of_nodes_to_score=100))
    first = explain_frame(whole.attempt(_with_one(before, spec), len(before.pods), asks_others=False))
    then = explain_frame(attempt)
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
