"""Default constraints of PodTopologySpread: where their selector comes from, and how they score."""

import msgspec
import numpy as np
import pytest

from kplace.columns import ClusterBuilder
from kplace.columns.selectors import Operator, Requirement, Selector
from kplace.dtypes import Code
from kplace.framework import Cycle
from kplace.objects.core import Node, Pod, ReplicationController, Service, TopologySpreadConstraint
from kplace.objects.workloads import ReplicaSet, StatefulSet
from kplace.plugins.default_selector import DefaultSelectors
from kplace.plugins.podtopologyspread.args import DefaultingType, PodTopologySpreadArgs
from kplace.plugins.podtopologyspread.plugin import PodTopologySpread
from kplace.state import ClusterState
from tests.plugins.clusters import Spec, node, pod

ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"
KINDS = {kind.__name__: kind for kind in (Node, Pod, Service, ReplicationController, ReplicaSet, StatefulSet)}
WEB = {"app": "web"}


def service(name: str, selector: dict | None, namespace: str = "default") -> Spec:
    return {"kind": "Service", "metadata": {"name": name, "namespace": namespace}, "spec": {"selector": selector}}


def controller(kind: str, name: str, selector: dict | None, namespace: str = "default") -> Spec:
    return {"kind": kind, "metadata": {"name": name, "namespace": namespace}, "spec": {"selector": selector}}


def owned_by(kind: str, name: str, version: str, *, controls: bool | None = True) -> dict:
    return {"ownerReferences": [{"apiVersion": version, "kind": kind, "name": name, "controller": controls}]}


def state_of(nodes: list[Spec], pods: list[Spec], others: list[Spec]) -> ClusterState:
    builder = ClusterBuilder()
    listed = [{"kind": "Node", **item} for item in nodes] + others
    listed += [
        {"kind": "Pod", **item, "metadata": {"name": f"p{number}", **item["metadata"]}}
        for number, item in enumerate(pods)
    ]
    for item in listed:
        builder.add(item["kind"], msgspec.convert(item, KINDS[item["kind"]]), b"", "test")
    return ClusterState(builder.finish())


def selector_of(waiting: Spec, others: list[Spec]) -> Selector:
    columns = state_of([], [waiting], others).columns
    return DefaultSelectors(columns).of(columns.templates[0])


def one(key: str, value: str) -> Requirement:
    return Requirement(key, Operator.IN, (value,))


BOTH = {"app": "web", "tier": "front"}
HAS_TIER = {"matchExpressions": [{"key": "tier", "operator": "Exists"}]}
TIER = Requirement("tier", Operator.EXISTS)


@pytest.mark.parametrize(
    ("services", "requirements"),
    [
        ([], ()),
        ([service("s", WEB)], (one("app", "web"),)),
        # Labels of all matching services are merged; one that matches in part, not at all, or elsewhere adds nothing.
        ([service("s", WEB), service("t", {"tier": "front"})], (one("app", "web"), one("tier", "front"))),
        ([service("s", {"app": "db"}), service("t", {**WEB, "tier": "back"})], ()),
        ([service("s", WEB, "other")], ()),
        # Without a selector it matches no pod; with an empty one every pod, but has no label to add.
        ([service("s", None), service("t", {})], ()),
    ],
)
def test_selector_of_services(services: list[Spec], requirements: tuple[Requirement, ...]):
    assert selector_of(pod(labels=BOTH), services).requirements == requirements


REPLICAS = controller("ReplicaSet", "r", HAS_TIER)
STATEFUL = controller("StatefulSet", "r", HAS_TIER)
REPLICATION = controller("ReplicationController", "r", WEB)


@pytest.mark.parametrize(
    ("owner", "found", "requirements"),
    [
        (owned_by("ReplicaSet", "r", "apps/v1"), REPLICAS, (TIER,)),
        (owned_by("StatefulSet", "r", "apps/v1"), STATEFUL, (TIER,)),
        (owned_by("ReplicationController", "r", "v1"), REPLICATION, (one("app", "web"),)),
        # Kind, exact apiVersion, name and namespace must agree, and the owner must be the controlling one.
        (owned_by("StatefulSet", "r", "apps/v1"), REPLICAS, ()),
        (owned_by("ReplicaSet", "r", "apps/v1beta1"), REPLICAS, ()),
        (owned_by("ReplicationController", "r", "apps/v1"), REPLICATION, ()),
        (owned_by("ReplicaSet", "q", "apps/v1"), REPLICAS, ()),
        (owned_by("ReplicaSet", "r", "apps/v1"), controller("ReplicaSet", "r", HAS_TIER, "other"), ()),
        (owned_by("ReplicaSet", "r", "apps/v1", controls=None), REPLICAS, ()),
        (owned_by("ReplicaSet", "r", "apps/v1"), controller("ReplicaSet", "r", None), ()),
    ],
)
def test_selector_of_controllers(owner: dict, found: Spec, requirements: tuple[Requirement, ...]):
    assert selector_of(pod(**owner), [found]).requirements == requirements


def test_replica_sets_add_to_services_and_replication_controllers_override_them():
    front = service("s", WEB)
    added = pod(labels=BOTH, **owned_by("ReplicaSet", "r", "apps/v1"))
    assert selector_of(added, [front, REPLICAS]).requirements == (one("app", "web"), TIER)
    overriding = pod(labels=BOTH, **owned_by("ReplicationController", "r", "v1"))
    old = controller("ReplicationController", "r", {"app": "old"})
    assert selector_of(overriding, [front, old]).requirements == (one("app", "old"),)


def scores(plugin: PodTopologySpread, state: ClusterState, number: int) -> tuple[list[int], list[int]]:
    cycle = Cycle(state, number)
    assert plugin.pre_score(cycle, state.all_nodes)
    raw = plugin.score(cycle, state.all_nodes)
    final = raw.copy()
    plugin.normalize_score(cycle, state.all_nodes, final)
    return raw.tolist(), final.tolist()


def web(on: str = "", spec: dict | None = None) -> Spec:
    return pod(spec, on=on, labels=WEB)


def zones(**names: str | None) -> list[Spec]:
    """Nodes with their zones; None for a node without one."""
    return [node(name, {HOSTNAME: name} | ({} if zone is None else {ZONE: zone})) for name, zone in names.items()]


def test_system_constraints_need_a_selector():
    nodes = zones(a="x")
    plugin = PodTopologySpread()
    for others, scored in (([], False), ([service("s", WEB)], True)):
        cycle = Cycle(state_of(nodes, [web()], others), 0)
        assert plugin.pre_filter(cycle).code is Code.SKIP
        assert plugin.pre_score(cycle, cycle.state.all_nodes) is scored


def test_own_constraints_of_any_kind_switch_the_default_ones_off():
    hard = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
    state = state_of(zones(a="x"), [web(spec={"topologySpreadConstraints": [hard]})], [service("s", WEB)])
    assert not PodTopologySpread().pre_score(Cycle(state, 0), state.all_nodes)


def test_system_constraints():
    state = state_of(zones(a="x", b="y"), [web("a"), web()], [service("s", WEB)])
    # Two zones, two hosts, ln 4 = 1.386. a: 1.386 + 2 for its host, 1.386 + 4 for its zone = 8.77 -> 9; b: 2 + 4.
    # 100 * (9 + 6 - 9) / 9 = 66.
    assert scores(PodTopologySpread(), state, 1) == ([9, 6], [66, 100])


def test_system_constraints_let_nodes_lack_the_zone():
    state = state_of(zones(a="x", b="y", c=None), [web("a"), web("c"), web("c"), web()], [service("s", WEB)])
    # The missing zone counts as a third value: ln 5 = 1.609 for zones and hosts. a: 1.609 + 2 + 1.609 + 4 = 9.22,
    # b: 2 + 4, c: 2 * 1.609 + 2 = 5.22 without any part for a zone.
    assert scores(PodTopologySpread(), state, 3) == ([9, 6, 5], [55, 88, 100])


def test_own_constraints_with_the_keys_of_the_system_still_ignore_nodes():
    own = [
        {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": WEB}}
        for key in (HOSTNAME, ZONE)
    ]
    pods = [web("c"), web(), web(spec={"topologySpreadConstraints": own})]
    state = state_of(zones(a="x", b="y", c=None), pods, [service("s", WEB)])
    # By default ln 5 = 1.609, a and b 2 + 4, c 1.609 + 2; with own ones c is ignored.
    assert scores(PodTopologySpread(), state, 1) == ([6, 6, 4], [66, 66, 100])
    assert scores(PodTopologySpread(), state, 2) == ([0, 0, 0], [100, 100, 0])


def test_a_missing_zone_and_an_empty_one_are_the_same_domain():
    state = state_of(zones(a="", c=None), [web("c"), web("c"), web()], [service("s", WEB)])
    # One zone, ln 3 = 1.099: both pods count for a, which has the label: 2.197 + 4, and 2 for its host. Two hosts,
    # ln 4 = 1.386: both are on c, 2.77 + 2.
    raw = dict(zip(state.columns.nodes.names, scores(PodTopologySpread(), state, 2)[0], strict=True))
    assert raw == {"a": 8, "c": 5}


def test_listed_constraints():
    def listed(*items: tuple[int, str, str]) -> PodTopologySpread:
        constraints = tuple(
            TopologySpreadConstraint(max_skew=skew, topology_key=key, when_unsatisfiable=action)
            for skew, key, action in items
        )
        return PodTopologySpread(PodTopologySpreadArgs(constraints, DefaultingType.LIST))

    nodes = zones(a="x", b="y", c=None)
    state = state_of(nodes, [web("a"), web("c"), web()], [service("s", WEB)])
    # Unlike the system's, they ignore a node without the zone. Two candidates: ln 4 = 1.386, a: 2 * 1.386 = 2.77.
    soft = listed((1, ZONE, "ScheduleAnyway"), (1, HOSTNAME, "ScheduleAnyway"))
    assert scores(soft, state, 2) == ([3, 0, 0], [0, 100, 0])
    # They can filter too: x 1 + 1 - 0 = 2.
    hard = listed((1, ZONE, "DoNotSchedule"))
    cycle = Cycle(state, 2)
    assert hard.pre_filter(cycle).code is Code.SUCCESS
    assert np.array_equal(hard.filter(cycle, state.all_nodes).code, [Code.UNSCHEDULABLE, 0, 3])
    # Two plugins with different arguments serve one state.
    assert soft.pre_filter(Cycle(state, 2)).code is Code.SKIP
    # An empty list leaves nothing.
    assert not listed().pre_score(Cycle(state, 2), state.all_nodes)


def test_one_plugin_serves_several_clusters():
    plugin = PodTopologySpread()
    for others, scored in (([], [False, False]), ([service("s", WEB)], [True, False]), ([], [False, False])):
        state = state_of(zones(a="x"), [web(), pod(labels={"app": "db"})], others)
        assert [plugin.pre_score(Cycle(state, number), state.all_nodes) for number in (0, 1)] == scored
