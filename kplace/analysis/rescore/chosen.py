"""Which pods are asked about."""

from collections.abc import Collection, Iterable

import numpy as np

from kplace.analysis.drain.evictable import stays_with_node
from kplace.analysis.nodesets import chosen_nodes
from kplace.analysis.workloads import Workloads
from kplace.api import Cluster
from kplace.api.hints import close_names, did_you_mean, listed
from kplace.columns import ClusterColumns
from kplace.dtypes import I32, Mask
from kplace.errors import UsageError


def chosen_bound(
    cluster: Cluster,
    schedulers: Collection[str],
    *,
    namespaces: str | Iterable[str] = (),
    workloads: str | Iterable[str] = (),
    where: str | Iterable[str] = (),
) -> I32:
    """Pods on nodes that may be elsewhere, in input order.

    Pods of DaemonSets, static pods, pods that have run to their end or are being deleted, and those of schedulers that
    are not there have no say.

    Parameters
    ----------
    schedulers : collection of str
        Names of the schedulers that there are.
    namespaces : str or iterable of str
        Pods of these only.
    workloads : str or iterable of str
        ``NAMESPACE/NAME`` of workloads or pods; a name alone is looked for in ``default``. Pods of these only.
    where : str or iterable of str
        Conditions on the nodes that the pods are on, as for `kplace.drain`.

    Raises
    ------
    UsageError
        Nothing is of such a name, a line for each; or no pod is left.
    """
    columns = cluster.columns
    able = bound(columns, schedulers)
    mask = able.copy()
    wrong: list[str] = []
    named = _as_list(namespaces)
    if named:
        mask &= _in_namespaces(columns, named, wrong)
    wanted = [name if "/" in name else f"default/{name}" for name in _as_list(workloads)]
    if wanted:
        mask &= _of_workloads(columns, wanted, wrong)
    if _as_list(where):
        try:
            mask &= np.isin(columns.pods.node, chosen_nodes(cluster, where=where))
        except UsageError as error:
            wrong.append(str(error))
    if wrong:
        raise UsageError("\n".join(wrong))
    if able.any() and not mask.any():
        msg = "no pod that could be elsewhere is left by namespaces, workloads and where together"
        raise UsageError(msg)
    return np.flatnonzero(mask).astype(np.int32)


def bound(columns: ClusterColumns, schedulers: Collection[str]) -> Mask:
    """Pods on nodes that could be elsewhere; shape (n_pods,)."""
    pods = columns.pods
    known = np.array([name in schedulers for name in pods.schedulers], np.bool_)
    ours = known[pods.scheduler] if len(known) else np.zeros(len(pods), np.bool_)
    return pods.holding & ~pods.terminating & ~stays_with_node(columns) & ours


def _as_list(given: str | Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _in_namespaces(columns: ClusterColumns, named: list[str], wrong: list[str]) -> Mask:
    known = list(columns.pods.namespaces)
    for name in named:
        if name not in known:
            there = f"the pods are in {listed(known)}" if known else "there are no pods"
            meant = did_you_mean(close_names(name, known)) or f"; {there}"
            wrong.append(f"namespaces: there is no pod in a namespace {name!r}{meant}")
    chosen: Mask = np.array([name in named for name in known], np.bool_)
    return chosen[columns.pods.namespace]


def _of_workloads(columns: ClusterColumns, wanted: list[str], wrong: list[str]) -> Mask:
    own = Workloads(columns)
    names = own.names()
    of_pod = np.array([name in wanted for name in names], np.bool_)[own.of_pod]
    keys = {columns.pods.key(pod): pod for pod in range(len(columns.pods))}
    for name in wanted:
        if name in keys:
            of_pod[keys[name]] = True
        elif name not in names:
            meant = did_you_mean(close_names(name, names))
            wrong.append(f"workloads: there is neither a workload nor a pod {name} in the input{meant}")
    return of_pod
