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
        ("priority", "a priority of 1: default/big leaves", "a"),
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


def test_a_spread_over_a_label_that_no_node_has():
    pod = make_pod("web").label({"app": "web"}).req(cpu="1").spread("rack")
    found = changes(cluster_of(roomy("a"), pod))
    assert found == [("spread", "let the spread over rack be a wish (ScheduleAnyway)", "a")]


def test_the_shape_of_the_largest_nodes_is_found_among_many():
    nodes = [make_node(f"n{i:02d}").capacity(cpu=f"{i + 2}", memory="8Gi", pods="10") for i in range(20)]
    pods = [make_pod("all").req(cpu="21").on("n19"), make_pod("web").req(cpu="21")]
    assert ("node", "add a node like n19", "n19-more") in changes(cluster_of(*nodes, *pods))


def test_affinity():
    pod = make_pod("web").req(cpu="1").affinity("zone", "app=cache")
    found = changes(cluster_of(roomy("a").zone("x"), pod))
    assert found == [("pod affinity", "leave the required pod affinity by topology.kubernetes.io/zone out", "a")]


def test_a_host_port_that_is_taken():
    nodes = [roomy("a"), roomy("b").taint("dedicated=x:NoSchedule")]
    own = make_pod("web").req(cpu="1").host_port(80).host_port(53, protocol="UDP")
    pods = [make_pod("old").req(cpu="1").host_port(80).on("a"), make_pod("other").req(cpu="1").host_port(81).on("a")]
    found = changes(cluster_of(*nodes, *pods, own))
    assert ("host port", "host port 82 instead of 80/TCP", "a") in found
    assert ("host port", "leave the host port 80/TCP out", "a") in found
    assert not [text for kind, text, _ in found if kind == "host port" and "UDP" in text]
    assert [text for kind, text, _ in found if kind == "eviction"] == ["evict default/old from the node a"]


def test_who_holds_the_port_is_found_among_many():
    pods = [make_pod(f"p{i:03d}").req(cpu="10m").on("a") for i in range(90)]
    holder = make_pod("z-holder").req(cpu="100m").priority(5).host_port(80).on("a")
    node = make_node("a").capacity(cpu="4", memory="8Gi", pods="110")
    found = changes(cluster_of(node, *pods, holder, make_pod("web").req(cpu="1").host_port(80)))
    assert ("eviction", "evict default/z-holder from the node a", "a") in found


ZONE = "topology.kubernetes.io/zone"


def volume(name, zone, claim):
    where = [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "fast",
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": "default", "name": claim},
            "nodeAffinity": {"required": {"nodeSelectorTerms": where}},
        },
    }


def claim(name, class_name="fast", volume_name="", **annotations):
    notes = {"pv.kubernetes.io/bind-completed": "yes"} if volume_name else {}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default", "annotations": notes | annotations},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": class_name,
            "volumeName": volume_name,
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }


def storage_class(name, provisioner, mode="WaitForFirstConsumer"):
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": mode,
    }


FAST, BY_HAND = storage_class("fast", "disk.example.com"), storage_class("by-hand", "kubernetes.io/no-provisioner")


def with_claim(name):
    return make_pod("web").req(cpu="1").spec(volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": name}}])


def test_a_claim_that_is_bound_in_another_zone():
    nodes = [roomy("a").zone("x"), make_node("b").zone("y").capacity(cpu="100m", memory="8Gi", pods="10")]
    items = [FAST, volume("pv", "y", "data"), claim("data", volume_name="pv"), with_claim("data")]
    found = changes(cluster_of(*nodes, *items))
    assert ("volume", "a fresh claim in the place of default/data, which is bound to pv", "a") in found
    run = kplace.place(cluster_of(*nodes, FAST, claim("data"), with_claim("data")))
    assert run.pods["node"].tolist() == ["a"]


def test_a_claim_without_a_volume():
    items = [BY_HAND, claim("data", "by-hand"), with_claim("data")]
    found = changes(cluster_of(roomy("a"), *items))
    text = "make a volume of 1,024Mi, class by-hand, that all nodes reach, for the claim default/data"
    assert found == [("volume", text, "a")]
    now = storage_class("now", "disk.example.com", "Immediate")
    found = changes(cluster_of(roomy("a"), now, claim("data", "now"), with_claim("data")))
    assert [kind for kind, _, _ in found] == ["volume"]


def test_a_claim_that_is_not_there():
    found = changes(cluster_of(roomy("a"), FAST, BY_HAND, with_claim("data")))
    assert found == [("volume", "make the claim default/data, of the class fast", "a")]
    assert kplace.place(cluster_of(roomy("a"), FAST, claim("data"), with_claim("data"))).pods["node"].tolist() == ["a"]


def test_a_volume_that_is_to_be_made_on_a_node_that_is_full():
    items = [FAST, claim("data", **{"volume.kubernetes.io/selected-node": "b"}), with_claim("data")]
    small = make_node("b").capacity(cpu="100m", memory="8Gi", pods="10")
    found = changes(cluster_of(roomy("a"), small, *items))
    assert ("volume", "a fresh claim in the place of default/data, which waits for one on b", "a") in found


def priority_class(name, value, **fields):
    head = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    return {**head, "metadata": {"name": name}, "value": value, **fields}


def test_the_smallest_priority_that_lets_it_in():
    pods = [
        make_pod("low").req(cpu="1").priority(5).on("a"),
        make_pod("middle").req(cpu="2").priority(20).on("a"),
        make_pod("high").req(cpu="1").priority(90).on("a"),
    ]
    classes = [priority_class("meek", 1000, preemptionPolicy="Never"), priority_class("bold", 50)]
    cluster = cluster_of(roomy("a"), *classes, priority_class("bolder", 70), *pods, make_pod("web").req(cpu="2"))
    told = why(cluster, "web").changes
    told = told[told["kind"] == "priority"]
    assert told["change"].tolist() == [
        "a priority of 21: default/middle leaves",
        "the priority class bold (50): default/middle leaves",
    ]
    for priority, victims in ((20, set()), (21, {"middle"}), (50, {"middle"})):
        changed = cluster_of(roomy("a"), *pods, make_pod("web").req(cpu="2").priority(priority))
        run = kplace.place(changed, preemption="immediate")
        assert set(run.preemptions["victim"]) == victims
        assert (run.pods["status"] == "scheduled").all() == bool(victims)


def test_a_pod_that_may_push_out_but_is_not_allowed_to():
    running = make_pod("low").req(cpu="4").on("a")
    pod = make_pod("web").req(cpu="2").priority(7)
    found = changes(cluster_of(roomy("a"), running, pod.spec(preemptionPolicy="Never")))
    assert ("priority", "let it push others out (preemptionPolicy): default/low leaves", "a") in found


def test_a_pod_that_makes_room_for_itself():
    found = why(
        cluster_of(roomy("a"), make_pod("low").req(cpu="4").on("a"), make_pod("web").req(cpu="2").priority(7)), "web"
    )
    assert (found.room.node, found.room.victims) == ("a", ("default/low",))
    assert "priority" not in set(found.changes["kind"])


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
