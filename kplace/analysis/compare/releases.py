"""What an upgrade of Kubernetes changes, release by release, naming the rule."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Unpack

import pandas as pd

from kplace.analysis.compare.pairs import Comparison
from kplace.analysis.schema import COMPARE_VERSIONS
from kplace.analysis.trial import Progress, Scheduling, Trial, waiting_rows
from kplace.api import Cluster, Placements
from kplace.columns.rules import PodRules
from kplace.config.versions import CHANGES, VERSIONS, Behaviour, Change, behaviour_of, listed_versions, parse_version
from kplace.frames.schema import stamp

SEPARATOR = " | "
"""Between two rules."""


def compare_versions(
    cluster: Cluster,
    versions: str | Sequence[str] = f"{VERSIONS[0]}..{VERSIONS[-1]}",
    *,
    progress: Progress | None = None,
    **scheduling: Unpack[Scheduling],
) -> pd.DataFrame:
    """Place a cluster as several releases of Kubernetes would, each held against the one before.

    Parameters
    ----------
    cluster : Cluster
    versions : str or sequence of str
        ``"1.29..1.37"``, or the releases one by one.
    progress : callable, optional
        Called after each release.
    **scheduling
        As for `kplace.capacity`.

    Returns
    -------
    DataFrame
        `kplace.analysis.schema.COMPARE_VERSIONS`. Rules are those that make a difference in this cluster: each change
        between two releases is tried by itself on the older of them.

    Raises
    ------
    UsageError
        There is no such release.

    Examples
    --------
    >>> cluster = Cluster.from_frames(
    ...     pd.DataFrame({"node": ["a"], "cpu": [1]}), pd.DataFrame({"pod": ["x"], "cpu": [2]})
    ... )
    >>> compare_versions(cluster, "1.33..1.34")["pending"].tolist()
    [1, 1]
    """
    listed = listed_versions(versions)
    rows, before = [], None
    for number, version in enumerate(listed, 1):
        told: Scheduling = {**scheduling, "kube_version": version}
        run = _run(cluster, told, behaviour_of(version))
        status = run.pods["status"].value_counts()
        row: dict[str, object] = {
            "version": version,
            "placed": int(status["scheduled"]),
            "pending": int(status["unschedulable"] + status["error"]),
            "moved": 0,
            "now_pending": 0,
            "now_placed": 0,
            "scores_changed": 0,
            "messages_changed": 0,
            "rules": "",
        }
        if before is not None:
            row |= _differences(before[1], run)
            row["rules"] = SEPARATOR.join(_rules(cluster, scheduling, before, (version, run)))
        rows.append(row)
        before = (version, run)
        if progress is not None:
            progress(number, len(listed))
    table = pd.DataFrame(rows).astype({"version": "str", "rules": "str"})
    return stamp(table, COMPARE_VERSIONS)


def _run(cluster: Cluster, scheduling: Scheduling, behaviour: Behaviour) -> Placements:
    trial = Trial.of(cluster, scheduling, preemption="dry-run", behaviour=behaviour)
    view = trial.view_of(cluster)
    return trial.placements(view, waiting_rows(view.columns))


def _differences(before: Placements, after: Placements) -> dict[str, object]:
    counts = Comparison(before, after).counts
    keys = ["namespace", "pod"]
    both = before.pods.astype({"namespace": "str"}).merge(
        after.pods.astype({"namespace": "str"}), on=keys, suffixes=("_before", "_after")
    )
    totals = both["total_before"].fillna(-1) != both["total_after"].fillna(-1)
    return {
        "moved": counts["moved"],
        "now_pending": counts["now pending"],
        "now_placed": counts["now placed"],
        "scores_changed": int(totals.sum()),
        "messages_changed": int((both["message_before"] != both["message_after"]).sum()),
    }


def _rules(
    cluster: Cluster, scheduling: Scheduling, before: tuple[str, Placements], after: tuple[str, Placements]
) -> Iterable[str]:
    """Changes between two releases that by themselves make a difference to the older one's run."""
    if _signature(before[1]) == _signature(after[1]):
        return
    older, newer = behaviour_of(before[0]), behaviour_of(after[0])
    told: Scheduling = {**scheduling, "kube_version": before[0]}
    for change in CHANGES:
        switched = _switched(older, newer, change)
        if switched != older and _signature(_run(cluster, told, switched)) != _signature(before[1]):
            is_new = change.at(parse_version(after[0])) == change.value
            was, now = (change.before, change.after) if is_new else (change.after, change.before)
            yield f"{change.area}: {was}; now {now}"


def _switched(older: Behaviour, newer: Behaviour, change: Change) -> Behaviour:
    """The older behaviour with one switch as in the newer one."""
    if change.switch in {item.name for item in fields(PodRules)}:
        value = getattr(newer.pods, change.switch)
        return replace(older, pods=replace(older.pods, **{change.switch: value}))
    return replace(older, **{change.switch: getattr(newer, change.switch)})


def _signature(run: Placements) -> tuple[object, ...]:
    return run.result_hash, tuple(run.columns.messages)
