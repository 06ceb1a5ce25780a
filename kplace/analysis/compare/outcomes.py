"""What became of each pod in two runs, side by side."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from kplace.api import Placements
from kplace.dtypes import NO_NODE

_STATES = ("preempted", "skipped")
"""Statuses that are told by their own names; what else has no node is pending."""
CHANGES = (
    "moved",
    "now pending",
    "now placed",
    *(f"{word} {state}" for state in _STATES for word in ("now", "no longer")),
    "only before",
    "only after",
)
_KEYS = ["namespace", "pod"]
_TEXTS = {"namespace": "str", "pod": "str", "status": "str", "node": "str"}


def disagreements(before: Placements, after: Placements) -> pd.DataFrame:
    """Pods that two runs disagree on, in the order in which the second one tried them.

    Returns
    -------
    DataFrame
        The columns of `kplace.analysis.schema.COMPARE` but for cause and plugin, and ``pushes``: whether others left
        for the pod in one of the runs.
    """
    left, right = _outcomes(before), _outcomes(after)
    left, right = _with_running(left, right, before), _with_running(right, left, after)
    both = left.merge(right, on=_KEYS, how="outer", suffixes=("_before", "_after"), sort=False)
    both["change"] = ""
    for change, mask in _masks(both):
        both.loc[(both["change"] == "") & mask, "change"] = change
    both["preemptor"] = both["preemptor_after"].fillna(both["preemptor_before"])
    both["pushes"] = (both["pushes_before"] == True) | (both["pushes_after"] == True)  # noqa: E712 - NA is neither
    both["row"] = both["row_after"].fillna(-1).astype("int32")
    order = {row: position for position, row in enumerate(after.pods["row"].tolist())}
    at = both["row"].map(order).fillna(len(order)).to_numpy()
    both = both.iloc[np.argsort(at, kind="stable")]
    return both[both["change"] != ""].reset_index(drop=True)


def _outcomes(run: Placements) -> pd.DataFrame:
    """Pods that a run looked at, and pods that were there and left for others."""
    gone = run.preemptions[run.preemptions["carried_out"]].drop_duplicates("victim_row")
    for_whom = gone["namespace"].astype("str") + "/" + gone["pod"].astype("str")
    own = run.pods[[*_KEYS, "status", "node", "total", "row"]].astype(_TEXTS)
    others = ~gone["victim_row"].isin(own["row"])
    victims = pd.DataFrame(
        {
            "namespace": gone["victim_namespace"].astype("str"),
            "pod": gone["victim"].astype("str"),
            "status": "preempted",
            "node": pd.Series(pd.NA, index=gone.index, dtype="str"),
            "total": pd.Series(pd.NA, index=gone.index, dtype="Int64"),
            "row": gone["victim_row"],
        }
    )[others]
    table = pd.concat([own, victims], ignore_index=True)
    preemptors = dict(zip(gone["victim_row"].tolist(), for_whom.tolist(), strict=True))
    table["preemptor"] = table["row"].map(preemptors).astype("str")
    table["pushes"] = table["row"].isin(gone["row"])
    return table


def _with_running(table: pd.DataFrame, other: pd.DataFrame, run: Placements) -> pd.DataFrame:
    """A run's outcomes with those pods that were there all along, of which the other run has pushed out some."""
    gone = other.loc[other["status"] == "preempted", _KEYS].merge(table[_KEYS], on=_KEYS, how="left", indicator=True)
    missing = set(gone.loc[gone["_merge"] == "left_only", _KEYS].itertuples(index=False, name=None))
    if not missing or not run.has_cluster:
        return table
    columns = run.before.columns
    pods, names = columns.pods, columns.nodes.names
    rows = [
        (*key, "scheduled", names[pods.node[pod]], pod, False)
        for pod in np.flatnonzero(pods.node != NO_NODE).tolist()
        if (key := (pods.namespaces[pods.namespace[pod]], pods.names[pod])) in missing
    ]
    running = pd.DataFrame(rows, columns=[*_KEYS, "status", "node", "row", "pushes"])
    return pd.concat([table, running.astype(_TEXTS)], ignore_index=True)


def _masks(both: pd.DataFrame) -> Iterator[tuple[str, pd.Series]]:
    """Which pods each change is true of; the first that is counts."""
    there = both["status_before"].notna(), both["status_after"].notna()
    placed = both["status_before"] == "scheduled", both["status_after"] == "scheduled"
    yield "only before", there[0] & ~there[1]
    yield "only after", ~there[0] & there[1]
    yield "moved", placed[0] & placed[1] & (both["node_before"] != both["node_after"])
    for state in _STATES:
        was, now = both["status_before"] == state, both["status_after"] == state
        yield f"now {state}", now & ~was
        yield f"no longer {state}", was & ~now
    yield "now pending", placed[0] & ~placed[1]
    yield "now placed", ~placed[0] & placed[1]
