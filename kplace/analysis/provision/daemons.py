"""What comes with every new node: pods of DaemonSets, and static pods of nodes like one that is there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec import structs

from kplace.columns import ClusterColumns, NodeColumns, Template
from kplace.dtypes import Mask
from kplace.io.expand.daemonset import may_run, unpinned, with_daemon_tolerations
from kplace.io.expand.owners import namespace_of
from kplace.io.expand.work import made_pod, reference_to
from kplace.objects.core import Pod, PodSpec
from kplace.objects.meta import ObjectMeta
from kplace.objects.workloads import DaemonSet


@dataclass(frozen=True, slots=True)
class DaemonPod:
    """A pod that a DaemonSet has on each node on which it may run.

    Attributes
    ----------
    pod : Pod
        Its name is the DaemonSet's.
    is_inferred : bool
        The input has its pods, but not the DaemonSet: what it requires of nodes by affinity is not known.
    """

    pod: Pod
    is_inferred: bool

    def runs_on(self, nodes: NodeColumns) -> Mask:
        """Nodes that would have one; shape (n_nodes,)."""
        return may_run(nodes, self.pod.spec)


def daemon_pods(columns: ClusterColumns) -> list[DaemonPod]:
    """One pod of each DaemonSet of a cluster: of those in the input, and of those that only pods tell of."""
    found = [
        DaemonPod(_made(item), is_inferred=False)
        for item in columns.of_kind(DaemonSet)
        if item.spec.template is not None and not item.metadata.deletion_timestamp
    ]
    known = {(item.pod.metadata.namespace, item.pod.metadata.name) for item in found}
    return found + [DaemonPod(pod, is_inferred=True) for pod in _inferred(columns, known)]


def _made(item: DaemonSet) -> Pod:
    template = item.spec.template
    assert template is not None
    owner = reference_to("DaemonSet", item.metadata)
    spec = with_daemon_tolerations(template.spec)
    return made_pod(template, item.metadata.name, namespace_of(item.metadata), owner, spec=spec)


def _inferred(columns: ClusterColumns, known: set[tuple[str, str]]) -> Iterator[Pod]:
    """A pod like the youngest of each DaemonSet that is not in the input itself."""
    youngest: dict[tuple[str, str], Template] = {}
    used = np.flatnonzero(np.bincount(_living(columns), minlength=len(columns.templates)))
    for code in used.tolist():
        template = columns.templates[code]
        if template.owner is not None and template.owner.kind == "DaemonSet":
            key = (template.namespace, template.owner.name)
            if key not in known:
                youngest[key] = template
    for (namespace, name), template in youngest.items():
        meta = ObjectMeta(
            name=name,
            namespace=namespace,
            labels=template.labels or None,
            annotations=template.annotations or None,
            owner_references=(template.owner,) if template.owner else None,
        )
        yield Pod(metadata=meta, spec=_bare(template.spec))


def _living(columns: ClusterColumns) -> np.ndarray:
    pods = columns.pods
    return pods.template[~pods.finished & ~pods.terminating]


def _bare(spec: PodSpec) -> PodSpec:
    return structs.replace(unpinned(spec), node_name="")


def static_pods(columns: ClusterColumns, node: str) -> list[tuple[str, int]]:
    """Static pods of a node of the cluster: their names without the node's, and the codes of their templates."""
    n = columns.nodes.index[node]
    pods = columns.pods
    here = np.flatnonzero(pods.holding & (pods.node == n)).tolist()
    found = []
    for pod in here:
        owner = columns.templates[pods.template[pod]].owner
        if owner is not None and owner.kind == "Node":
            found.append((pods.names[pod].removesuffix(f"-{node}"), int(pods.template[pod])))
    return found


def doubtful(columns: ClusterColumns, daemons: Sequence[DaemonPod]) -> list[str]:
    """Inferred DaemonSets that lack on nodes where they might run: they may require something that does not show."""
    names = []
    pods = columns.pods
    for item in daemons:
        if not item.is_inferred:
            continue
        meta = item.pod.metadata
        codes = [
            code
            for code, own in enumerate(columns.templates)
            if own.owner is not None
            and (own.namespace, own.owner.kind, own.owner.name) == (meta.namespace, "DaemonSet", meta.name)
        ]
        has = np.zeros(len(columns.nodes), np.bool_)
        mine = np.isin(pods.template, codes) & pods.holding
        has[pods.node[mine]] = True
        if (item.runs_on(columns.nodes) & ~has).any():
            names.append(f"{meta.namespace}/{meta.name}")
    return names
