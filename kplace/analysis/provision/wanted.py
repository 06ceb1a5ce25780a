"""A cluster with all that has to fit waiting in it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from kplace.analysis.specs import pods_of_files, schedulable_specs, specs_like
from kplace.api import Cluster
from kplace.columns import ClusterColumns
from kplace.columns.addition import free_names, with_pods
from kplace.columns.removal import without_pods
from kplace.errors import UsageError


def wanted(
    cluster: Cluster,
    schedulers: Sequence[str],
    *,
    pods: str | Path | Sequence[str | Path],
    like: str | Sequence[str],
    copies: int,
    waiting: bool,
) -> Cluster:
    """The cluster with the pods that are asked for, all of which wait.

    Parameters
    ----------
    schedulers : sequence of str
        Those that there are.
    pods : path or sequence of paths
        Files with pods, or with controllers.
    like : str or sequence of str
        Workloads or pods of the cluster.
    copies : int
        How many of each pod of the files, and of each that is named.
    waiting : bool
        The cluster's own waiting pods have to fit as well; otherwise they are left out.

    Raises
    ------
    InputError
        With every fault of the files.
    UsageError
        There is no such workload, or no pod at all is asked for.
    """
    files = [pods] if isinstance(pods, str | Path) else list(pods)
    named = [like] if isinstance(like, str) else list(like)
    specs = specs_like(cluster, named)
    if not waiting:
        if not files and not named:
            msg = "waiting: without the waiting pods, name others that have to fit: pods or like"
            raise UsageError(msg)
        gone = np.flatnonzero(cluster.columns.pods.waiting).astype(np.int32)
        cluster = Cluster(without_pods(cluster.columns, gone), cluster.case)
    if files:
        added = pods_of_files(cluster, files)
        cluster = Cluster(_with_objects(cluster.columns, added.columns), cluster.case).with_pods(added, copies=copies)
    columns, specs = schedulable_specs(cluster.columns, specs, schedulers)
    for spec in specs:
        space, _, stem = spec.name.partition("/")
        columns = with_pods(columns, [spec.template] * copies, free_names(columns, space, stem, copies))
    return Cluster(columns, cluster.case) if specs else cluster


def _with_objects(columns: ClusterColumns, added: ClusterColumns) -> ClusterColumns:
    """The cluster with objects of files that it has not: claims, Services and all else that pods refer to."""
    objects = dict(columns.objects)
    for kind, items in added.objects.items():
        known = {_name(item) for item in objects.get(kind, ())}
        objects[kind] = [*objects.get(kind, ()), *(item for item in items if _name(item) not in known)]
    return replace(columns, objects=objects)


def _name(item: object) -> tuple[str, str]:
    meta = getattr(item, "metadata", None)
    return (getattr(meta, "namespace", "") or "default", getattr(meta, "name", ""))
