"""The cluster in which plugins are measured, unless another one is given: every default plugin has something to do.

It is written down here rather than described for `kplace.synthesis`. A figure is compared with those of earlier
releases (``--against``), so the cluster must stay what it is, node by node, whatever becomes of presets and draws; and
each waiting pod asks for just one thing, under the name that it has in tables, unlike workloads made up at random. To
measure in a cluster that is made up, give it: ``kplace synth datacenter-5k --out c.parquet``, then
``kplace bench plugins --input c.parquet``.
"""

from kplace.api import Cluster
from kplace.columns import ClusterBuilder
from kplace.objects.core import (
    Affinity,
    Container,
    ContainerImage,
    ContainerPort,
    Namespace,
    Node,
    NodeAffinity,
    NodeSpec,
    NodeStatus,
    Pod,
    PodAffinity,
    PodAffinityTerm,
    PodSpec,
    PodStatus,
    PreferredSchedulingTerm,
    Taint,
    Toleration,
    TopologySpreadConstraint,
    WeightedPodAffinityTerm,
)
from kplace.objects.meta import (
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    ObjectMeta,
    Quantity,
    ResourceRequirements,
    SelectorRequirement,
)

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
N_ZONES = 3
N_APPS = 10

_SOURCE = "<benchmark>"
_IMAGE = "registry.example.com/app:v1"
_SHAPES = (("16", "64Gi"), ("32", "128Gi"), ("64", "256Gi"))


def bench_cluster(n_nodes: int) -> Cluster:
    """Make a cluster of nodes of three shapes in three zones, a running pod on each, and one waiting pod of each kind.

    The kinds are named after what is asked for: ``plain``, ``spread`` (required and preferred), ``affinity`` and
    ``anti-affinity`` (the same), ``node-affinity``, ``tolerant``, ``image``, ``port``, and ``urgent``, which fits
    nowhere unless others leave.

    Examples
    --------
    >>> bench_cluster(100)
    <Cluster: 100 nodes, 109 pods, 9 of them waiting>
    """
    builder = ClusterBuilder()
    builder.add("Namespace", Namespace(metadata=ObjectMeta(name="default")), b"{}", _SOURCE)
    for number in range(n_nodes):
        builder.add("Node", _node(number), b"{}", _SOURCE)
    for number in range(n_nodes):
        builder.add_pod(_running(number), _SOURCE)
    for pod in _waiting():
        builder.add_pod(pod, _SOURCE)
    return Cluster(builder.finish())


def _node(number: int) -> Node:
    cpu, memory = _SHAPES[number % len(_SHAPES)]
    name = f"node-{number:06d}"
    taints = {3: (Taint("dedicated", "batch", "NoSchedule"),), 7: (Taint("old", "yes", "PreferNoSchedule"),)}
    images = (ContainerImage(names=(_IMAGE,), size_bytes=400_000_000),) if number % 4 == 0 else ()
    return Node(
        metadata=ObjectMeta(
            name=name,
            labels={HOST: name, ZONE: f"zone-{number % N_ZONES}", "disk": "ssd" if number % 4 == 0 else "hdd"},
        ),
        spec=NodeSpec(taints=taints.get(number % 10, ())),
        status=NodeStatus(allocatable={"cpu": cpu, "memory": memory, "pods": "110"}, images=images),
    )


def _running(number: int) -> Pod:
    requests: dict[str, Quantity] = {"cpu": f"{500 + number % 7 * 250}m", "memory": f"{1 + number % 5}Gi"}
    return _pod(f"running-{number:06d}", requests, app=number % N_APPS, node_name=f"node-{number:06d}")


def _waiting() -> list[Pod]:
    requests: dict[str, Quantity] = {"cpu": "500m", "memory": "1Gi"}
    zones = NodeSelectorTerm(match_expressions=(SelectorRequirement(ZONE, "In", ("zone-0", "zone-1")),))
    ssd = NodeSelectorTerm(match_expressions=(SelectorRequirement("disk", "In", ("ssd",)),))
    node_affinity = NodeAffinity(
        required=NodeSelector(node_selector_terms=(zones,)),
        preferred=(PreferredSchedulingTerm(weight=20, preference=ssd),),
    )
    tolerations = (Toleration(key="dedicated", operator="Equal", value="batch", effect="NoSchedule"),)
    return [
        _pod("plain", requests),
        _pod("spread", requests, app=0, topology_spread_constraints=_spread(0)),
        _pod("affinity", requests, app=1, affinity=Affinity(pod_affinity=_terms(1, ZONE))),
        _pod("anti-affinity", requests, app=2, affinity=Affinity(pod_anti_affinity=_terms(2, HOST))),
        _pod("node-affinity", requests, affinity=Affinity(node_affinity=node_affinity)),
        _pod("tolerant", requests, tolerations=tolerations),
        _pod("image", requests, image=_IMAGE),
        _pod("port", requests, port=8080),
        _pod("urgent", {"cpu": "64", "memory": "1Gi"}, priority=1000),
    ]


def _pod(
    name: str,
    requests: dict[str, Quantity],
    *,
    app: int | None = None,
    image: str = "registry.k8s.io/pause:3.10",
    port: int | None = None,
    **spec: object,
) -> Pod:
    ports = () if port is None else (ContainerPort(container_port=port, host_port=port),)
    container = Container(name="main", image=image, resources=ResourceRequirements(requests=requests), ports=ports)
    return Pod(
        metadata=ObjectMeta(name=name, namespace="default", labels=None if app is None else _labels(app)),
        spec=PodSpec(containers=(container,), **{"priority": 0, **spec}),  # type: ignore[arg-type]
        status=PodStatus(phase="Running" if "node_name" in spec else "Pending"),
    )


def _labels(app: int) -> dict[str, str]:
    return {"app": f"app-{app}"}


def _spread(app: int) -> tuple[TopologySpreadConstraint, ...]:
    return tuple(
        TopologySpreadConstraint(
            max_skew=5,
            topology_key=key,
            when_unsatisfiable=action,
            label_selector=LabelSelector(match_labels=_labels(app)),
        )
        for key, action in ((ZONE, "DoNotSchedule"), (ZONE, "ScheduleAnyway"), (HOST, "ScheduleAnyway"))
    )


def _terms(app: int, key: str) -> PodAffinity:
    """Terms for affinity or anti-affinity: required to the own app, preferred to the next."""
    own, following = (
        PodAffinityTerm(label_selector=LabelSelector(match_labels=_labels(number)), topology_key=key)
        for number in (app, app + 1)
    )
    return PodAffinity(required=(own,), preferred=(WeightedPodAffinityTerm(weight=50, pod_affinity_term=following),))
