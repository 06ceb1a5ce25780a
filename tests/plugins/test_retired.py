"""Plugins that only files of earlier releases name: the arithmetic by hand, oracles, and whole runs."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kplace
from kplace.errors import AttemptError
from kplace.framework import Cycle
from kplace.framework.events import Action, ClusterEvent, Resource
from kplace.plugins.nodelabel.plugin import NodeLabel
from kplace.plugins.nodepreferavoidpods.plugin import ANNOTATION, NodePreferAvoidPods
from kplace.plugins.older import OLDER
from kplace.plugins.selectorspread.plugin import SelectorSpread, spread_scores
from kplace.plugins.serviceaffinity.args import ServiceAffinityArgs
from kplace.plugins.serviceaffinity.plugin import ServiceAffinity
from kplace.testing import cluster_of, make_node, make_pod, state_of
from tests.naive import retired as naive

SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"selector": {"app": "web"}},
}


def cycle_of(*items):
    """The cycle of the last pod."""
    state = state_of(*items)
    return Cycle(state, len(state.columns.pods) - 1)


def web(name="new"):
    return make_pod(name).label(app="web")


def spread(cycle, nodes=None):
    """Raw and normalised scores of SelectorSpread."""
    plugin, nodes = SelectorSpread(), cycle.state.all_nodes if nodes is None else np.array(nodes, np.int32)
    plugin.pre_score(cycle, nodes)
    raw = plugin.score(cycle, nodes)
    scores = raw.copy()
    plugin.normalize_score(cycle, nodes, scores)
    return raw.tolist(), scores.tolist()


NODES = (make_node("a").zone("x"), make_node("b").zone("y"), make_node("c").zone("x"))


def test_spreading_by_node_and_zone():
    # By node 2, 0, 1; by zone 3 and 0. c: a third of 50, and nothing for its zone; b: all.
    pods = [web("1").on("a"), web("2").on("a"), web("3").on("c"), make_pod("other").on("b")]
    assert spread(cycle_of(*NODES, SERVICE, *pods, web())) == ([2, 0, 1], [0, 100, 16])


def test_spreading_without_zones_is_by_node_alone():
    nodes = [make_node(name) for name in "abc"]
    pods = [web(str(number)).on(node) for number, node in enumerate("aaab")]
    assert spread(cycle_of(*nodes, SERVICE, *pods, web())) == ([3, 1, 0], [0, 66, 100])


def test_spreading_looks_at_the_feasible_nodes_only():
    # Without a, it is c that has the most pods.
    pods = [web("1").on("a"), web("2").on("a"), web("3").on("c")]
    assert spread(cycle_of(*NODES, SERVICE, *pods, web()), [1, 2]) == ([0, 1], [100, 0])


def test_pods_that_go_and_pods_of_other_namespaces_do_not_count():
    pods = [web("1").terminating().on("a"), make_pod("2", "shop").label(app="web").on("b")]
    assert spread(cycle_of(*NODES, SERVICE, *pods, web())) == ([0, 0, 0], [100, 100, 100])


def test_pods_without_services_and_controllers_are_not_spread():
    assert spread(cycle_of(*NODES, web("1").on("a"), web())) == ([0, 0, 0], [100, 100, 100])


def test_a_replica_set_spreads_its_pods():
    replicas = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "web-1", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}}},
    }
    pods = [web("1").owner("ReplicaSet", "web-1").on("a"), web().owner("ReplicaSet", "web-1")]
    # a has all there are; c shares its zone: a third for its being empty itself
    assert spread(cycle_of(*NODES, replicas, *pods)) == ([1, 0, 0], [0, 100, 33])


def test_pods_with_constraints_of_their_own_are_left_alone():
    pods = [web("1").on("a"), web().spread("zone")]
    assert spread(cycle_of(*NODES, SERVICE, *pods)) == ([0, 0, 0], [0, 0, 0])


def test_spreading_without_pre_score_is_an_error():
    cycle = cycle_of(*NODES, SERVICE, web())
    with pytest.raises(AttemptError, match='reading "PreScoreSelectorSpread" from cycleState: not found'):
        SelectorSpread().score(cycle, cycle.state.all_nodes)


def avoiding(name, text):
    return make_node(name).metadata(annotations={ANNOTATION: text})


def signature(kind, uid):
    return {"podSignature": {"podController": {"apiVersion": "v1", "kind": kind, "uid": uid, "name": "web"}}}


def owned(kind, uid):
    reference = {"apiVersion": "apps/v1", "kind": kind, "name": "web", "uid": uid, "controller": True}
    return make_pod("new").metadata(ownerReferences=[reference])


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        (owned("ReplicaSet", "7"), [0, 100, 100, 100, 100]),
        (owned("ReplicaSet", "8"), [0, 100, 100, 100, 100]),
        (owned("ReplicationController", "7"), [100, 0, 100, 100, 100]),
        (owned("StatefulSet", "9"), [100, 100, 100, 100, 100]),
        (make_pod("new"), [100, 100, 100, 100, 100]),
    ],
)
def test_nodes_that_prefer_to_avoid_pods(pod, expected):
    nodes = [
        avoiding("a", json.dumps({"preferAvoidPods": [signature("ReplicaSet", "7"), signature("ReplicaSet", "8")]})),
        avoiding("b", json.dumps({"preferAvoidPods": [signature("ReplicationController", "7")]})),
        avoiding("c", json.dumps({"preferAvoidPods": [signature("StatefulSet", "9"), {"podSignature": {}}]})),
        avoiding("d", '{"preferAvoidPods": [{"podSignature": {"podController": {"kind": "ReplicaSet", "uid": "7"}}}'),
        avoiding("e", ""),
    ]
    cycle = cycle_of(*nodes, pod)
    assert NodePreferAvoidPods().score(cycle, cycle.state.all_nodes).tolist() == expected


def affinity(*labels, spread_over=()):
    return ServiceAffinity(ServiceAffinityArgs(labels, spread_over))


RACKS = (
    make_node("a").label(rack="1", row="n"),
    make_node("b").label(rack="2", row="n"),
    make_node("c").label(rack="2"),
    make_node("d"),
)


def passing(plugin, cycle):
    passes = plugin.filter(cycle, cycle.state.all_nodes)
    return [name for name, ok in zip(cycle.state.columns.nodes.names, passes.tolist(), strict=True) if ok]


@pytest.mark.parametrize(
    ("labels", "items", "expected"),
    [
        # the first pod of the service goes anywhere
        (["rack"], [SERVICE, web()], "abcd"),
        # the next ones to the same rack
        (["rack"], [SERVICE, web("1").on("b"), web()], "bc"),
        # in the order of the nodes the first one counts
        (["rack"], [SERVICE, web("1").on("b"), web("2").on("a"), web()], "a"),
        # a pod that goes counts as well; one of another namespace does not
        (
            ["rack"],
            [SERVICE, make_pod("1", "shop").label(app="web").on("a"), web("2").terminating().on("b"), web()],
            "bc",
        ),
        # it need only have the labels of the pod
        (["rack"], [SERVICE, web("1").label(tier="x").on("b"), web()], "bc"),
        (["rack"], [SERVICE, web("1").on("b"), web().label(tier="x")], "abcd"),
        # without a service nobody is asked
        (["rack"], [web("1").on("b"), web()], "abcd"),
        # all labels must agree; one that the node of the first pod lacks does not matter
        (["rack", "row"], [SERVICE, web("1").on("b"), web()], "b"),
        (["rack", "row"], [SERVICE, web("1").on("c"), web()], "bc"),
        (["rack"], [SERVICE, web("1").on("d"), web()], "abcd"),
        # the pod's own node selector comes first
        (["rack"], [SERVICE, web("1").on("b"), web().node_selector(rack="1")], "a"),
        (["rack", "row"], [SERVICE, web("1").on("b"), web().node_selector(rack="1")], "a"),
        (["rack"], [web().node_selector(rack="3")], ""),
        # without labels there is nothing to do
        ([], [SERVICE, web("1").on("b"), web().node_selector(rack="1")], "abcd"),
    ],
)
def test_service_affinity(labels, items, expected):
    assert passing(affinity(*labels), cycle_of(*RACKS, *items)) == list(expected)


def test_pods_that_set_the_labels_couple_nodes():
    cycle = cycle_of(*RACKS, SERVICE, web("1").on("b"), make_pod("2").on("b"), web())
    plugin = affinity("rack")
    found = [plugin.couples(cycle, cycle.state.template_of(pod)) for pod in range(2)]
    assert found == [True, False]


def test_service_affinity_sees_pods_that_are_taken_away():
    cycle = cycle_of(*RACKS, SERVICE, web("1").on("b"), web())
    plugin, gone = affinity("rack"), np.array([0], np.int32)
    assert passing(plugin, cycle) == ["b", "c"]
    cycle.state.shift(gone, np.array([1], np.int32), -1)
    assert passing(plugin, cycle) == list("abcd")


def service_scores(plugin, cycle):
    raw = plugin.score(cycle, cycle.state.all_nodes)
    scores = raw.copy()
    plugin.normalize_score(cycle, cycle.state.all_nodes, scores)
    return raw.tolist(), scores.tolist()


def test_service_anti_affinity():
    # Of 3 pods rack 1 has 1 and rack 2 has 2: 66.6 and 33.3; nodes without the label get nothing.
    pods = [web("1").on("a"), web("2").on("b"), web("3").on("c"), web("4").terminating().on("a"), web()]
    cycle = cycle_of(*RACKS, SERVICE, *pods)
    assert service_scores(affinity(spread_over=("rack",)), cycle) == ([1, 1, 1, 0], [66, 33, 33, 0])
    # The row n has 2 of 3: 33.3. Halves of both: 33.3 + 16.6, which doubles bring to just below 50; 16.6 + 16.6; 16.6
    assert service_scores(affinity(spread_over=("rack", "row")), cycle)[1] == [49, 33, 16, 0]
    assert service_scores(affinity(), cycle)[1] == [0, 0, 0, 0]


def test_service_anti_affinity_without_pods():
    cycle = cycle_of(*RACKS, SERVICE, web())
    assert service_scores(affinity(spread_over=("rack",)), cycle) == ([0, 0, 0, 0], [100, 100, 100, 0])


def test_only_the_first_service_counts():
    everything = {**SERVICE, "metadata": {"name": "all", "namespace": "default"}, "spec": {"selector": {}}}
    pods = [web("1").on("a"), web()]
    # An empty selector selects the pod, and then no pod is counted.
    assert service_scores(affinity(spread_over=("rack",)), cycle_of(*RACKS, SERVICE, everything, *pods))[0][0] == 1
    assert service_scores(affinity(spread_over=("rack",)), cycle_of(*RACKS, everything, SERVICE, *pods))[0][0] == 0


LABELS = st.fixed_dictionaries({}, optional={"app": st.sampled_from(["web", "db"]), "tier": st.sampled_from("xy")})
NODE = st.fixed_dictionaries(
    {
        "labels": st.fixed_dictionaries(
            {},
            optional={
                key: st.sampled_from("12") for key in ("rack", "row", naive.ZONES[1], naive.ZONES[0], naive.REGIONS[1])
            },
        ),
        "pods": st.lists(st.fixed_dictionaries({"labels": LABELS, "going": st.booleans()}), max_size=4),
    }
)


def built(nodes, labels, selector, node_selector=None):
    """The cycle of a pod, and the nodes in the order of the snapshot."""
    items = []
    for number, node in enumerate(nodes):
        items.append(make_node(f"n{number}").label(node["labels"]))
        for place, pod in enumerate(node["pods"]):
            running = make_pod(f"p{number}-{place}").label(pod["labels"]).on(f"n{number}")
            items.append(running.terminating() if pod["going"] else running)
    if selector:
        items.append({**SERVICE, "spec": {"selector": selector}})
    cycle = cycle_of(*items, make_pod("new").label(labels).node_selector(node_selector or {}))
    return cycle, [nodes[int(name[1:])] for name in cycle.state.columns.nodes.names]


@given(st.lists(NODE, min_size=1, max_size=6), st.sampled_from([{}, {"app": "web"}]))
def test_spreading_against_the_oracle(nodes, selector):
    cycle, listed = built(nodes, {"app": "web"}, selector)
    assert spread(cycle)[1] == naive.spread(listed, selector)


@given(st.lists(NODE, min_size=1, max_size=6), LABELS, st.lists(st.sampled_from(["rack", "row"]), unique=True))
def test_service_anti_affinity_against_the_oracle(nodes, labels, keys):
    cycle, listed = built(nodes, labels, {"app": "web"})
    selector = {"app": "web"} if labels.get("app") == "web" else {}
    assert service_scores(affinity(spread_over=tuple(keys)), cycle)[1] == naive.apart(listed, selector, keys)


@given(
    st.lists(NODE, min_size=1, max_size=6),
    LABELS,
    st.lists(st.sampled_from(["rack", "row"])),
    st.fixed_dictionaries({}, optional={"rack": st.sampled_from("12")}),
)
def test_service_affinity_against_the_oracle(nodes, labels, keys, node_selector):
    cycle, listed = built(nodes, labels, {"app": "web"}, node_selector)
    passes = affinity(*keys).filter(cycle, cycle.state.all_nodes).tolist()
    pod = {"labels": labels, "node_selector": node_selector}
    assert passes == naive.affine(listed, pod, keys, is_served=labels.get("app") == "web")


def test_full_scores_stay_full():
    # 100 * (1 - 2/3) + 2/3 * 100 in doubles is 100 and not a little less.
    assert spread_scores(np.zeros(2, np.int64), np.array([0, 1], np.int32)).tolist() == [100, 100]


# Whole files of earlier releases.


def config(version, text=None):
    return {
        "apiVersion": f"kubescheduler.config.k8s.io/{version}",
        "kind": "KubeSchedulerConfiguration",
        **(text or {}),
    }


def policy(predicates, priorities):
    return {"apiVersion": "v1", "kind": "Policy", "predicates": predicates, "priorities": priorities}


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2", "v1beta3", "v1"])
def test_files_of_all_versions_place(version):
    cluster = cluster_of(make_node("a"), make_node("b"), make_pod("new").req(cpu="1"))
    placements = kplace.place(cluster, config=config(version))
    assert placements.pods["status"].tolist() == ["scheduled"]


def test_a_profile_with_retired_plugins_scores():
    plugins = [("NodePreferAvoidPods", 10000), ("SelectorSpread", 2), ("NodeResourcesMostAllocated", 1)]
    enabled = [{"name": name, "weight": weight} for name, weight in plugins]
    profile = {"plugins": {"score": {"disabled": [{"name": "*"}], "enabled": enabled}}}
    profile["plugins"]["preScore"] = {"disabled": [{"name": "*"}], "enabled": [{"name": "SelectorSpread"}]}
    text = json.dumps({"preferAvoidPods": [signature("ReplicaSet", "7")]})
    pod = owned("ReplicaSet", "7").label(app="web").req(cpu="1", memory="1Gi")
    nodes = [node.capacity(cpu="4", memory="8Gi") for node in (avoiding("a", text), make_node("b"), make_node("c"))]
    cluster = cluster_of(*nodes, SERVICE, web("1").on("b"), pod)
    table = kplace.explain(cluster, "default/new", config=config("v1beta1", {"profiles": [profile]})).set_index("node")
    assert table["normalised_SelectorSpread"].to_dict() == {"a": 100, "b": 0, "c": 100}
    assert table["weighted_NodePreferAvoidPods"].to_dict() == {"a": 0, "b": 1000000, "c": 1000000}
    # cpu 1 of 4, memory 1 of 8: (25 + 12) / 2; on b the pod without requests counts 100m and 200 MiB more:
    # 1100 / 4000 = 27, (1024 + 200) / 8192 = 14; (27 + 14) / 2
    assert table["raw_NodeResourcesMostAllocated"].to_dict() == {"a": 18, "b": 20, "c": 18}
    assert table.index[0] == "c"


def test_a_policy_with_all_custom_plugins():
    predicates = [
        {"name": "PodFitsResources"},
        {"name": "Rack", "argument": {"serviceAffinity": {"labels": ["rack"]}}},
        {"name": "Good", "argument": {"labelsPresence": {"labels": ["bad"], "presence": False}}},
    ]
    priorities = [
        {"name": "Apart", "weight": 3, "argument": {"serviceAntiAffinity": {"label": "row"}}},
        {"name": "Fast", "weight": 2, "argument": {"labelPreference": {"label": "fast", "presence": True}}},
    ]
    nodes = (
        make_node("a").label(rack="1", row="n"),
        make_node("b").label(rack="1", row="s"),
        make_node("c").label(rack="1", row="s", bad=""),
        make_node("d").label(rack="2", row="s", fast=""),
    )
    cluster = cluster_of(*nodes, SERVICE, web("1").on("a"), web())
    table = kplace.explain(cluster, "default/new", config=policy(predicates, priorities)).set_index("node")
    assert table["reasons"].to_dict() == {
        "a": "",
        "b": "",
        "c": "node(s) didn't have the requested labels",
        "d": "node(s) didn't match service affinity",
    }
    assert table.loc["c", "code"] == "UnschedulableAndUnresolvable"
    assert table.loc["d", "code"] == "Unschedulable"
    assert table.loc[["a", "b"], "weighted_ServiceAffinity"].tolist() == [0, 300]
    assert kplace.place(cluster, config=policy(predicates, priorities)).pods["node"].tolist() == ["b"]


def disk(name: str) -> dict:
    return {"name": name, "awsElasticBlockStore": {"volumeID": name}}


def disk_pod(name: str, *disks: str, node: str = "") -> dict:
    spec = {"containers": [{"name": "main"}], "volumes": [disk(item) for item in disks]}
    meta = {"name": name, "namespace": "default"}
    return {"kind": "Pod", "metadata": meta, "spec": spec | ({"nodeName": node} if node else {})}


@pytest.mark.parametrize(
    ("labels", "allocatable", "migrated", "reason"),
    [
        ({}, {}, "", ""),
        ({"node.kubernetes.io/instance-type": "m5.large"}, {}, "", "node(s) exceed max volume count"),
        ({"node.kubernetes.io/instance-type": "m5.large"}, {"attachable-volumes-aws-ebs": "40"}, "", ""),
        ({}, {"attachable-volumes-aws-ebs": "26"}, "", "node(s) exceed max volume count"),
        ({}, {"attachable-volumes-aws-ebs": "26"}, "kubernetes.io/aws-ebs", ""),
        ({}, {"attachable-volumes-aws-ebs": "27"}, "", ""),
    ],
)
def test_disks_of_a_node_are_counted_once_up_to_its_limit(labels, allocatable, migrated, reason):
    node = {"metadata": {"name": "a", "labels": labels}, "status": {"allocatable": {"pods": "110"} | allocatable}}
    annotations = {"storage.alpha.kubernetes.io/migrated-plugins": migrated} if migrated else {}
    csi = {"kind": "CSINode", "metadata": {"name": "a", "annotations": annotations}}
    running = [disk_pod(f"run{i}", f"e{i}", node="a") for i in range(25)]
    cluster = cluster_of({"kind": "Node"} | node, csi, *running, disk_pod("new", "x1", "x2"))
    placements = kplace.place(cluster, config=config("v1beta2"))
    assert placements.reasons["reason"].tolist() == ([reason] if reason else [])


def test_a_claim_without_a_disk_counts_by_its_provisioner():
    node = {
        "kind": "Node",
        "metadata": {"name": "a"},
        "status": {"allocatable": {"pods": "9", "attachable-volumes-gce-pd": "1"}},
    }
    storage = {"kind": "StorageClass", "metadata": {"name": "pd"}, "provisioner": "kubernetes.io/gce-pd"}
    wait = storage | {"volumeBindingMode": "WaitForFirstConsumer"}
    claims = [
        {"kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": {"storageClassName": "pd"}}
        for name in ("one", "two")
    ]
    pods = [
        {
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {
                "containers": [{"name": "m"}],
                "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": name}}],
            },
        }
        for name in ("one", "two")
    ]
    placements = kplace.place(cluster_of(node, wait, *claims, *pods), config=config("v1beta2"))
    assert placements.pods["status"].tolist() == ["scheduled", "unschedulable"]
    assert placements.reasons["plugin"].tolist() == ["GCEPDLimits"]


def test_events():
    nodes = ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)
    pods = ClusterEvent(Resource.POD, Action.UPDATE | Action.DELETE)
    assert [item.event for item in NodeLabel().events_to_register()] == [nodes]
    assert [item.event for item in affinity("rack").events_to_register()] == [pods, nodes]
    assert affinity().events_to_register() == ()


def test_every_retired_plugin_is_made():
    assert {make(None).name for name, make in OLDER.items() if "Resources" not in name and "Ratio" not in name} == {
        "AzureDiskLimits",
        "CinderLimits",
        "EBSLimits",
        "GCEPDLimits",
        "NodeLabel",
        "NodePreferAvoidPods",
        "SelectorSpread",
        "ServiceAffinity",
    }
