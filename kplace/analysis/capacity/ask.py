"""The questions: how many more, of each or in turn, and how one kind trades for another."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Unpack

import numpy as np
import pandas as pd

from kplace.analysis.capacity.binding import binding
from kplace.analysis.capacity.count import Count, count
from kplace.analysis.capacity.result import Capacity
from kplace.analysis.specs import Spec, every_spec, schedulable_specs, specs_like, specs_of_files
from kplace.analysis.trial import Progress, Scheduling, Trial
from kplace.api import Cluster
from kplace.api.hints import close_names, did_you_mean, listed
from kplace.errors import UsageError

_NOTHING = pd.DataFrame({"plugin": [], "reason": [], "nodes": [], "binding": []})


def capacity(
    cluster: Cluster,
    *,
    pods: str | Path | Sequence[str | Path] = (),
    like: str | Sequence[str] = (),
    top: int | None = None,
    mix: Mapping[str, int] | bool = False,
    limit: int | None = None,
    progress: Progress | None = None,
    **scheduling: Unpack[Scheduling],
) -> Capacity:
    """Say how many more pods fit: copies are placed one after another until one finds no node.

    Parameters
    ----------
    cluster : Cluster
        As it stands: pods that wait are left waiting. To ask what fits beside them, take a run's `Placements.cluster`.
    pods : path or sequence of paths
        Files with pods, or with controllers, of which each gives one kind of pod.
    like : str or sequence of str
        ``NAMESPACE/NAME`` of workloads or pods of the cluster. Without ``pods`` and ``like``, every workload is asked
        about, but for DaemonSets.
    top : int, optional
        Of every workload, the so many with the most pods.
    mix : mapping of str to int, or bool
        Let the kinds come in turn, instead of each in an empty room of its own: so many of each in a round, by
        ``namespace/name`` or name. True: one of each.
    limit : int, optional
        The most copies, or rounds.
    progress : callable, optional
        Called after each kind.
    **scheduling
        As for `kplace.place`: ``config``, ``plugins``, ``kube_version``, ``percentage_of_nodes_to_score``, ``seed``,
        ``tie_break``; ``extenders`` are asked by default, and bind nothing.

    Returns
    -------
    Capacity
        `Capacity.table` has the numbers, `Capacity.by` where the copies would go, `Capacity.binding` why no more fit.

    Raises
    ------
    InputError
        With every fault of the files.
    UsageError
        There is no such workload, or an argument cannot be used.

    Notes
    -----
    Copies push nobody out. What the answer depends on beside the cluster is what placing depends on: the seed and the
    sample too, if only by a little.

    Examples
    --------
    >>> nodes = pd.DataFrame({"node": ["a", "b"], "cpu": [4, 8], "memory": ["4Gi", "64Gi"]})
    >>> running = pd.DataFrame({"pod": ["web"], "node": ["a"], "cpu": ["1"], "memory": ["1Gi"]})
    >>> found = capacity(Cluster.from_frames(nodes, running), like="web")
    >>> found.table[["spec", "capacity", "binding"]].to_dict("records")
    [{'spec': 'default/web', 'capacity': 11, 'binding': 'Insufficient cpu'}]
    """
    if limit is not None and limit < 1:
        msg = f"limit: expected a positive number, got {limit}"
        raise UsageError(msg)
    trial = Trial.of(cluster, scheduling)
    asked, specs = kinds_of(cluster, pods, like, top)
    columns, specs = schedulable_specs(trial.view_of(asked).columns, specs, trial.schedulers)
    if mix is not False:
        sizes = _sizes(specs, mix)
        found, attempt = count(trial, columns, specs, sizes=sizes, limit=limit)
        bound = _NOTHING if attempt is None else binding(trial, columns, attempt, specs[found.stopped_by])
        return Capacity(cluster, tuple(specs), (found,), tuple(sizes), (bound,))
    counts: list[Count] = []
    bounds: list[pd.DataFrame] = []
    for number, spec in enumerate(specs, 1):
        found, attempt = count(trial, columns, [spec], limit=limit)
        counts.append(found)
        bounds.append(_NOTHING if attempt is None else binding(trial, columns, attempt, spec))
        if progress is not None:
            progress(number, len(specs))
    return Capacity(cluster, tuple(specs), tuple(counts), None, tuple(bounds))


def frontier(
    cluster: Cluster,
    *,
    pods: str | Path | Sequence[str | Path] = (),
    like: str | Sequence[str] = (),
    points: int = 11,
    progress: Progress | None = None,
    **scheduling: Unpack[Scheduling],
) -> pd.DataFrame:
    """Trade two kinds of pods against each other: so many of the one, and how many of the other still fit.

    Parameters
    ----------
    cluster, pods, like, progress, **scheduling
        As for `capacity`; exactly two kinds.
    points : int
        How many numbers of the first kind are tried, from none to as many as fit.

    Returns
    -------
    DataFrame
        One row per point, with the number of each kind: two columns named after them.

    Raises
    ------
    UsageError
        There are not two kinds.
    """
    trial = Trial.of(cluster, scheduling)
    asked, specs = kinds_of(cluster, pods, like, None)
    if len(specs) != 2:
        msg = f"frontier: expected two kinds of pods, got {len(specs)}"
        raise UsageError(msg)
    if points < 2:
        msg = f"points: expected at least 2, got {points}"
        raise UsageError(msg)
    columns, (one, other) = schedulable_specs(trial.view_of(asked).columns, specs, trial.schedulers)
    most = len(count(trial, columns, [one])[0].nodes)
    rows = []
    for number in sorted({int(value) for value in np.linspace(0, most, points).round()}):
        state = count(trial, columns, [one], limit=number)[0].columns if number else columns
        rows.append((number, len(count(trial, state, [other])[0].nodes)))
        if progress is not None:
            progress(len(rows), points)
    return pd.DataFrame(rows, columns=[one.name, other.name])


def kinds_of(
    cluster: Cluster, pods: str | Path | Sequence[str | Path], like: str | Sequence[str], top: int | None
) -> tuple[Cluster, list[Spec]]:
    """Kinds of pods that are asked about, and the cluster with their templates.

    Raises
    ------
    UsageError
        There are none.
    """
    files = [pods] if isinstance(pods, str | Path) else list(pods)
    names = [like] if isinstance(like, str) else list(like)
    specs: list[Spec] = []
    if files:
        cluster, specs = specs_of_files(cluster, files)
    specs += specs_like(cluster, names)
    if not files and not names:
        specs = every_spec(cluster, top)
        if not specs:
            msg = "pods: the cluster has no workload to ask about; name a file with a pod"
            raise UsageError(msg)
    return cluster, specs


def _sizes(specs: Sequence[Spec], mix: Mapping[str, int] | bool) -> list[int]:
    if isinstance(mix, bool):
        return [1] * len(specs)
    names = [spec.name for spec in specs]
    sizes = [0] * len(specs)
    for name, size in mix.items():
        places = [place for place, own in enumerate(names) if name in (own, own.partition("/")[2])]
        if len(places) != 1 or size < 0:
            meant = did_you_mean(close_names(name, names)) or f"; there are {listed(names)}"
            msg = f"mix: expected the name of one kind of pod and a number, got {name!r}: {size}{meant}"
            raise UsageError(msg)
        sizes[places[0]] = size
    if not sum(sizes):
        msg = "mix: expected at least one copy in a round"
        raise UsageError(msg)
    return sizes
