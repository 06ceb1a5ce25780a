"""Changes that are told do let the pod in, and the smallest are found."""

import pytest

import kplace
from kplace.analysis.why import why
from kplace.errors import UsageError
from kplace.testing import make_node, make_pod
from kplace.testing.clusters import cluster_of


def changes(cluster, pod="web", **options):
    found = why(cluster, pod, **options)
    return list(zip(found.changes["kind"], found.changes["change"], found.changes["node"], strict=True))


def roomy(name):
    return make_node(name).capacity(cpu="4", memory="8Gi", pods="10")


def test_a_request_that_is_too_large():
    cluster = cluster_of(roomy("a"), roomy("b"), make_pod("db").req(cpu="1").on("a"), make_pod("web").req(cpu="6"))
    assert changes(cluster)[0] == ("request", "request 4,000m of cpu instead of 6,000m", "b")
    changed = cluster_of(roomy("a"), roomy("b"), make_pod("db").req(cpu="1").on("a"), make_pod("web").req(cpu="4"))
    assert kplace.place(changed).pods["node"].tolist() == ["b"]


def test_a_taint_and_a_cordon():
    nodes = [roomy("a").taint("dedicated=batch:NoSchedule"), roomy("b").cordon()]
    found = changes(cluster_of(*nodes, make_pod("web").req(cpu="1")))
    assert ("toleration", "tolerate the taint dedicated=batch:NoSchedule", "a") in found
    assert ("uncordon", "uncordon the node b", "b") in found


def test_a_node_selector_that_nothing_fits():
    pod = make_pod("web").req(cpu="1").node_selector({"disk": "ssd"})
    found = changes(cluster_of(roomy("a"), pod))
    assert ("node selector", "leave disk=ssd out of the node selector", "a") in found
    assert ("label", "label the node a with disk=ssd", "a") in found
    assert not [item for item in found if item[0] == "node"]


def test_a_node_that_is_full():
    pods = [make_pod("big").req(cpu="3").on("a"), make_pod("small").req(cpu="1").on("a"), make_pod("web").req(cpu="1")]
    found = changes(cluster_of(roomy("a"), *pods))
    assert found == [
        ("eviction", "evict default/small from the node a", "a"),
        ("eviction", "evict default/big from the node a", "a"),
        ("node", "add a node like a", "a-more"),
    ]


def test_two_things_at_once_are_too_much_for_a_single_change():
    pod = make_pod("web").req(cpu="6").node_selector({"disk": "ssd"})
    assert changes(cluster_of(roomy("a"), pod)) == []


def test_the_least_skew_that_is_enough():
    nodes = [roomy("a").zone("x"), make_node("b").zone("y").capacity(cpu="100m", memory="8Gi", pods="10")]
    own = {"app": "web"}
    running = [make_pod(f"w{i}").label(own).req(cpu="200m").on("a") for i in range(3)]
    found = changes(cluster_of(*nodes, *running, make_pod("web").label(own).req(cpu="200m").spread("zone")), each=1)
    assert ("spread", "allow a skew of 4 over topology.kubernetes.io/zone instead of 1", "a") in found


def test_affinity():
    pod = make_pod("web").req(cpu="1").affinity("zone", "app=cache")
    found = changes(cluster_of(roomy("a").zone("x"), pod))
    assert found == [("pod affinity", "leave the required pod affinity by topology.kubernetes.io/zone out", "a")]


def test_a_pod_that_fits():
    found = why(cluster_of(roomy("a"), make_pod("web").req(cpu="1")), "web")
    assert (found.node, found.message, len(found.changes)) == ("a", "", 0)


def test_every_change_of_the_demo_cluster_is_one():
    cluster = kplace.place(kplace.read("data/demo"), preemption="dry-run").cluster
    waiting = cluster.pods[cluster.pods["waiting"] & ~cluster.pods["gated"]]
    evictions = 0
    for row in waiting.to_dict("records"):
        key = f"{row['namespace']}/{row['pod']}"
        found = why(cluster, key)
        for kind, text in zip(found.changes["kind"], found.changes["change"], strict=True):
            if kind == "eviction":
                victim = text.split()[1]
                evictions += 1
                assert (kplace.explain(cluster.without_pods([victim]), key)["verdict"] == "scored").any()
            if kind == "node":
                like = text.split()[-1]
                table = kplace.explain(cluster.with_nodes({"new": like}), key)
                assert (table["verdict"] == "scored").any()
    assert evictions


def test_the_funnel_ends_with_nothing():
    found = why(cluster_of(roomy("a"), roomy("b").cordon(), make_pod("web").req(cpu="6")), "web")
    assert found.funnel["left"].tolist() == [2, 1, 0]
    assert found.message.startswith("0/2 nodes are available")


def test_no_such_pod():
    with pytest.raises(UsageError, match="there is no pod default/wbe"):
        why(cluster_of(roomy("a"), make_pod("web")), "wbe")
