"""Pods to ask about: from files, of a workload that is there, or one of each workload."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from msgspec import structs

from kplace.analysis.workloads import BARE, Workloads
from kplace.api import Cluster
from kplace.api.finding import find_pod
from kplace.api.hints import close_names, did_you_mean
from kplace.columns import ClusterColumns
from kplace.columns.addition import with_template, with_templates
from kplace.errors import UsageError
from kplace.io.expand import expand
from kplace.io.read import read_builder

_ADMITTING = ("PriorityClass", "RuntimeClass", "LimitRange", "Namespace")
"""Kinds that have a say in what a new pod becomes."""
_PER_NODE = ("DaemonSet", "Node")
"""Owners of pods that come with their nodes: more of them cannot be asked for."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A kind of pod.

    Attributes
    ----------
    name : str
        ``namespace/name`` of the pod or the workload.
    template : int
        Code of its template among the cluster's.
    running : int
        Pods of the workload that are in the cluster already.
    """

    name: str
    template: int
    running: int = 0


def specs_of_files(cluster: Cluster, sources: Sequence[str | Path]) -> tuple[Cluster, list[Spec]]:
    """Kinds of pods that files hold: each pod, and one of each controller.

    Priorities, overheads, default requests and the labels of namespaces come from the cluster where the files do not
    say.

    Returns
    -------
    cluster : Cluster
        The same, with the kinds' templates known to it.
    specs : list of Spec

    Raises
    ------
    InputError
        With every fault of every file.
    UsageError
        They hold no pod and no controller of pods.
    """
    added = pods_of_files(cluster, sources).columns
    columns, codes = with_templates(cluster.columns, added)
    workloads = Workloads(added)
    _, first = np.unique(workloads.of_pod, return_index=True)
    specs = [
        Spec(workloads.names([workloads.of_pod[pod]])[0], codes[added.pods.template[pod]])
        for pod in sorted(first.tolist())
    ]
    return Cluster(columns, cluster.case), specs


def pods_of_files(cluster: Cluster, sources: Sequence[str | Path]) -> Cluster:
    """All that files hold, with the pods of its controllers made, as a cluster of its own.

    Priorities, overheads, default requests and the labels of namespaces come from ``cluster`` where the files do not
    say.

    Raises
    ------
    InputError
        With every fault of every file.
    UsageError
        They hold no pod and no controller of pods.
    """
    builder, _ = read_builder(*sources)
    for kind in _ADMITTING:
        builder.objects.setdefault(kind, []).extend(cluster.columns.objects.get(kind, ()))
    expand(builder)
    added = builder.finish()
    if not len(added.pods):
        msg = f"pods: there is neither a pod nor a controller of pods in {', '.join(map(str, sources))}"
        raise UsageError(msg)
    return Cluster(added)


def specs_like(cluster: Cluster, names: Sequence[str]) -> list[Spec]:
    """The kinds of pods that workloads or pods of the cluster are of.

    Parameters
    ----------
    names : sequence of str
        ``NAMESPACE/NAME`` of a workload (a Deployment and so on) or a pod; a name alone is looked for in ``default``.

    Returns
    -------
    list of Spec
        One for each name, in their order.

    Raises
    ------
    UsageError
        There is none of a name, or its pods come with their nodes: one such fault a line.
    """
    if not names:
        return []
    known: dict[str, tuple[Spec, str]] = {}
    for spec, kind in _all_specs(cluster.columns):
        known.setdefault(spec.name, (spec, kind))
    found, wrong = [], []
    for name in names:
        try:
            found.append(_spec_like(cluster, name if "/" in name else f"default/{name}", known))
        except UsageError as error:
            wrong.append(str(error))
    if wrong:
        raise UsageError("\n".join(wrong))
    return found


def _spec_like(cluster: Cluster, wanted: str, known: Mapping[str, tuple[Spec, str]]) -> Spec:
    """The kind of pod of one name; ``known`` are the workloads with their kinds."""
    if wanted in known:
        spec, kind = known[wanted]
        if kind in _PER_NODE:
            msg = f"like: {wanted} is a {kind}: one of its pods comes with each node, more cannot be asked for"
            raise UsageError(msg)
        return spec
    try:
        pod = find_pod(cluster.columns, wanted)
    except UsageError as error:
        meant = did_you_mean(close_names(wanted, known))
        msg = f"like: there is neither a workload nor a pod {wanted} in the input{meant}"
        raise UsageError(msg) from error
    return Spec(wanted, int(cluster.columns.pods.template[pod]), 1)


def every_spec(cluster: Cluster, top: int | None = None) -> list[Spec]:
    """One kind of pod for each workload of the cluster, those with most pods first.

    Pods without a controller that are alike but for their names are of one kind, called after the first of them. Pods
    of DaemonSets and static pods are left out, and so are pods without a controller that have run to their end.

    Parameters
    ----------
    top : int, optional
        The so many largest workloads only.
    """
    specs: list[Spec] = []
    bare: dict[int, int] = {}
    for spec, kind in _all_specs(cluster.columns):
        if kind == BARE and spec.template in bare:
            at = bare[spec.template]
            specs[at] = replace(specs[at], running=specs[at].running + spec.running)
        elif kind not in _PER_NODE:
            bare |= {spec.template: len(specs)} if kind == BARE else {}
            specs.append(spec)
    return sorted(specs, key=lambda spec: -spec.running)[:top]


def _all_specs(columns: ClusterColumns) -> Iterable[tuple[Spec, str]]:
    """Every workload with its kind; the kind of pod is that of most of its pods, of equally many the last."""
    workloads, pods = Workloads(columns), columns.pods
    active = np.flatnonzero(~pods.finished & ~pods.terminating)
    pairs, counts = np.unique(
        np.stack([workloads.of_pod[active], pods.template[active].astype(np.int64)]), axis=1, return_counts=True
    )
    best: dict[int, tuple[int, int]] = {}
    totals: dict[int, int] = {}
    for workload, template, number in zip(*pairs.tolist(), counts.tolist(), strict=True):
        totals[workload] = totals.get(workload, 0) + number
        best[workload] = max(best.get(workload, (0, 0)), (number, template))
    for workload, (_, template) in sorted(best.items()):
        space, kind, name = workloads.keys[workload]
        yield Spec(f"{space}/{name}", template, totals[workload]), kind


def schedulable_specs(
    columns: ClusterColumns, specs: Sequence[Spec], schedulers: Sequence[str]
) -> tuple[ClusterColumns, list[Spec]]:
    """The same kinds of pods as the scheduler would try them: without gates, and left to one that is simulated.

    Parameters
    ----------
    schedulers : sequence of str
        Those that are; a pod of another one is given to the first.
    """
    ready = []
    for given in specs:
        spec, template = given, columns.templates[given.template]
        own = template.spec.scheduler_name
        if template.is_gated or own not in schedulers:
            known = own if own in schedulers else schedulers[0]
            changed = structs.replace(template.spec, scheduling_gates=None, scheduler_name=known)
            columns, code = with_template(columns, replace(template, spec=changed))
            spec = replace(given, template=code)
        ready.append(spec)
    return columns, ready


def request_of(columns: ClusterColumns, spec: Spec) -> dict[str, int]:
    """What a pod of a kind requests, by Kubernetes' names; nothing that it does not request."""
    amounts = columns.templates[spec.template].request.tolist()
    return {name: amount for name, amount in zip(columns.resources, amounts, strict=True) if amount}
