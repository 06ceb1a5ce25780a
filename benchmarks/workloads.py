"""The throughput workloads: clusters and waiting pods, object by object as published.

Node ``i`` has 32 cpu, 128Gi, 110 pods, a zone ``zone-{i mod 3}`` and a disk ``ssd`` or ``hdd``; pods request 100m cpu
and 200Mi. Each workload says how its pods, and for some its nodes, differ from that.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from kplace.columns import ClusterBuilder, ClusterColumns
from kplace.objects.core import (
    Affinity,
    Container,
    Namespace,
    Node,
    NodeAffinity,
    NodeSelector,
    NodeSelectorTerm,
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
from kplace.objects.meta import LabelSelector, ObjectMeta, ResourceRequirements, SelectorRequirement

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
SOURCE = "workload"

PodMaker = Callable[[int], Pod]


def pod(
    i: int, *, cpu: str = "100m", memory: str = "200Mi", labels: dict[str, str] | None = None, **spec: object
) -> Pod:
    """Waiting pod ``i`` with one container."""
    container = Container(
        name="pause",
        image="registry.k8s.io/pause:3.10",
        resources=ResourceRequirements(requests={"cpu": cpu, "memory": memory}),
    )
    return Pod(
        metadata=ObjectMeta(name=f"pod-{i:06d}", namespace="default", labels=labels),
        spec=PodSpec(containers=(container,), **{"priority": 0, **spec}),
        status=PodStatus(phase="Pending"),
    )


def basic(i: int) -> Pod:
    """A pod that asks for nothing but resources."""
    return pod(i)


def _spread(i: int, action: str) -> Pod:
    labels = {"app": f"spread-{i % 10}"}
    constraints = tuple(
        TopologySpreadConstraint(
            max_skew=1, topology_key=key, when_unsatisfiable=action, label_selector=LabelSelector(match_labels=labels)
        )
        for key in (ZONE, HOST)
    )
    return pod(i, labels=labels, topology_spread_constraints=constraints)


def topologyspread(i: int) -> Pod:
    """Ten apps, each spread over zones and hosts, maxSkew 1, DoNotSchedule."""
    return _spread(i, "DoNotSchedule")


def topologyspread_soft(i: int) -> Pod:
    """Ten apps, each spread over zones and hosts, maxSkew 1, ScheduleAnyway."""
    return _spread(i, "ScheduleAnyway")


def _term(app: str, key: str) -> PodAffinityTerm:
    return PodAffinityTerm(label_selector=LabelSelector(match_labels={"app": app}), topology_key=key)


def podaffinity(i: int) -> Pod:
    """Ten apps: required affinity to the own app by zone, preferred to the next."""
    own, following = f"aff-{i % 10}", f"aff-{(i + 1) % 10}"
    affinity = PodAffinity(
        required=(_term(own, ZONE),),
        preferred=(WeightedPodAffinityTerm(weight=10, pod_affinity_term=_term(following, ZONE)),),
    )
    return pod(i, labels={"app": own}, affinity=Affinity(pod_affinity=affinity))


def podantiaffinity(i: int) -> Pod:
    """Fifty apps: required anti-affinity to the own app by host, preferred to the next."""
    group = i % 50
    own, following = f"anti-{group}", f"anti-{(group + 1) % 50}"
    affinity = PodAffinity(
        required=(_term(own, HOST),),
        preferred=(WeightedPodAffinityTerm(weight=50, pod_affinity_term=_term(following, HOST)),),
    )
    return pod(i, labels={"app": own}, affinity=Affinity(pod_anti_affinity=affinity))


def nodeaffinity(i: int) -> Pod:
    """Required in two of three zones, preferred on ssd nodes."""
    zones = NodeSelectorTerm(match_expressions=(SelectorRequirement(ZONE, "In", ("zone-0", "zone-1")),))
    ssd = NodeSelectorTerm(match_expressions=(SelectorRequirement("disk", "In", ("ssd",)),))
    affinity = NodeAffinity(
        required=NodeSelector(node_selector_terms=(zones,)),
        preferred=(PreferredSchedulingTerm(weight=20, preference=ssd),),
    )
    return pod(i, affinity=Affinity(node_affinity=affinity))


def taints(i: int) -> Pod:
    """Every second pod tolerates the dedicated nodes."""
    if i % 2:
        return pod(i)
    toleration = Toleration(key="dedicated", operator="Equal", value="batch", effect="NoSchedule")
    return pod(i, tolerations=(toleration,))


def unschedulable(i: int) -> Pod:
    """A pod that no node has room for."""
    return pod(i, cpu="64", memory="1Gi")


def preemption(i: int) -> Pod:
    """A pod that must push others out."""
    return pod(i, cpu="8", memory="1Gi", priority=1000)


_MIX = (basic, topologyspread, podaffinity, podantiaffinity, nodeaffinity, taints, topologyspread_soft, basic)


def mixed(i: int) -> Pod:
    """All of these in turn."""
    made = _MIX[i % 8](i // 8)
    return Pod(
        metadata=ObjectMeta(name=f"pod-{i:06d}", namespace="default", labels=made.metadata.labels),
        spec=made.spec,
        status=made.status,
    )


WORKLOADS: dict[str, PodMaker] = {
    "basic": basic,
    "topologyspread": topologyspread,
    "topologyspread-soft": topologyspread_soft,
    "podaffinity": podaffinity,
    "podantiaffinity": podantiaffinity,
    "nodeaffinity": nodeaffinity,
    "taints": taints,
    "mixed": mixed,
    "preemption": preemption,
    "unschedulable": unschedulable,
}
TAINTED = {"taints", "mixed"}


def node(i: int, *, tainted: bool = False) -> Node:
    """Node ``i``."""
    labels = {HOST: f"node-{i:05d}", ZONE: f"zone-{i % 3}", "topology.kubernetes.io/region": "r"}
    labels["disk"] = "ssd" if i % 4 == 0 else "hdd"
    listed: tuple[Taint, ...] = ()
    if tainted and i % 5 == 0:
        listed = (Taint(key="dedicated", value="batch", effect="NoSchedule"),)
    elif tainted and i % 5 == 1:
        listed = (Taint(key="old", value="yes", effect="PreferNoSchedule"),)
    allocatable = {"cpu": "32", "memory": "128Gi", "pods": "110", "ephemeral-storage": "200Gi"}
    return Node(
        metadata=ObjectMeta(name=f"node-{i:05d}", labels=labels),
        spec=NodeSpec(taints=listed),
        status=NodeStatus(allocatable=dict(allocatable)),
    )


def running_victims(n_nodes: int) -> Iterator[Pod]:
    """Four pods of low priority on every node, for ``preemption``."""
    start = datetime(2024, 1, 1, tzinfo=UTC)
    for i in range(n_nodes):
        for j in range(4):
            started = start + timedelta(seconds=(31 * i + 17 * j) % 100_000)
            made = pod(0, cpu="7900m", memory="4Gi", priority=(7 * i + 3 * j) % 10, node_name=f"node-{i:05d}")
            yield Pod(
                metadata=ObjectMeta(name=f"low-{i:05d}-{j}", namespace="default", labels={"app": "low"}),
                spec=made.spec,
                status=PodStatus(phase="Running", start_time=started.strftime("%Y-%m-%dT%H:%M:%SZ")),
            )


def build(workload: str, n_nodes: int, n_pods: int) -> ClusterColumns:
    """Cluster of a workload: its nodes, what runs on them, and ``n_pods`` waiting pods.

    Raises
    ------
    KeyError
        There is no such workload.
    """
    make = WORKLOADS[workload]
    builder = ClusterBuilder()
    builder.add("Namespace", Namespace(metadata=ObjectMeta(name="default")), b"{}", SOURCE)
    for i in range(n_nodes):
        builder.add("Node", node(i, tainted=workload in TAINTED), b"{}", SOURCE)
    if workload == "preemption":
        for victim in running_victims(n_nodes):
            builder.add_pod(victim, SOURCE)
    for i in range(n_pods):
        builder.add_pod(make(i), SOURCE)
    return builder.finish()
