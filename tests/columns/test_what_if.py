"""Clusters with nodes and pods taken away or added are what reading the changed input gives."""

import io

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kplace
from kplace.api import Cluster
from kplace.columns.addition import free_names, with_nodes, with_pods, with_templates
from kplace.columns.release import CORDON, cordoned, released
from kplace.columns.removal import without_nodes
from kplace.testing import strategies
from kplace.testing.clusters import cluster_of


def manifests(columns):
    """All objects, in the order in which they would be written."""
    file = io.BytesIO()
    Cluster(columns).to_manifests(file, form="json")
    return msgspec.json.decode(file.getvalue())["items"]


def read_again(tmp_path, items):
    path = tmp_path / "cluster.json"
    path.write_bytes(msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": items}))
    return kplace.read(path).columns


def offered(columns):
    """What each node offers, by the names of the resources."""
    rows = zip(columns.resources, columns.nodes.allocatable.tolist(), strict=True)
    return {name: row for name, row in rows if any(row)}


def same_nodes(columns, others):
    """Whether two clusters' nodes say the same, label by label."""
    one, other = columns.nodes, others.nodes
    assert one.names == other.names
    assert one.arrival.tolist() == other.arrival.tolist()
    assert set(one.labels) == set(other.labels)
    for key, column in one.labels.items():
        assert column.values == other.labels[key].values, key
        assert column.codes.tolist() == other.labels[key].codes.tolist(), key
    assert [one.taint_sets[code] for code in one.taint_set] == [other.taint_sets[code] for code in other.taint_set]
    assert one.unschedulable.tolist() == other.unschedulable.tolist()
    assert offered(columns) == offered(others)
    assert one.allowed_pods.tolist() == other.allowed_pods.tolist()
    assert one.annotations == other.annotations


def same_outcome(one, other):
    """Whether two clusters place alike, pod by pod."""
    left, right = (kplace.place(Cluster(columns), preemption="off") for columns in (one, other))
    keys = ["namespace", "pod", "status", "node", "total", "evaluated", "message"]
    frames = [run.pods[keys].astype({"namespace": "str", "node": "str"}) for run in (left, right)]
    assert frames[0].to_dict("records") == frames[1].to_dict("records")


@pytest.fixture(scope="module")
def demo():
    return kplace.read("data/demo").columns


@pytest.mark.parametrize("gone", [["gen-a1"], ["gen-b1", "gen-b2", "cp-a1"], ["mem-c1", "gpu-a1", "gpu-b1"]])
def test_without_nodes_is_the_input_without_them(demo, tmp_path, gone):
    after = without_nodes(demo, np.array([demo.nodes.index[name] for name in gone], np.int32))
    # Controllers must not make the lost pods anew: only what is left is read.
    kept = [item for item in manifests(demo) if not (item["kind"] == "Node" and item["metadata"]["name"] in gone)]
    kept = [item for item in kept if item.get("spec", {}).get("nodeName") not in gone]
    kept = [item for item in kept if item["kind"] not in {"Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"}]
    kept = [item for item in kept if item["kind"] != "ReplicaSet"]
    again = read_again(tmp_path, kept)
    same_nodes(after, again)
    assert [after.pods.key(pod) for pod in range(len(after.pods))] == [
        again.pods.key(pod) for pod in range(len(again.pods))
    ]
    assert after.pods.node.tolist() == again.pods.node.tolist()


def test_what_is_written_of_a_cluster_without_nodes_is_that_cluster(demo, tmp_path):
    gone = np.array([demo.nodes.index[name] for name in ("gen-b1", "spot-c1")], np.int32)
    after = without_nodes(demo, gone)
    names = [item["metadata"]["name"] for item in manifests(after) if item["kind"] == "Node"]
    assert sorted(names) == sorted(set(demo.nodes.names) - {"gen-b1", "spot-c1"})


@pytest.mark.parametrize("nodes", [["gen-a1", "gpu-b1"]])
def test_a_cordoned_node_is_written_cordoned(demo, tmp_path, nodes):
    after = cordoned(demo, np.array([demo.nodes.index[name] for name in nodes], np.int32))
    again = read_again(tmp_path, manifests(after))
    same_nodes(after, again)
    for name in nodes:
        n = after.nodes.index[name]
        assert after.nodes.unschedulable[n]
        assert CORDON in after.nodes.taint_sets[after.nodes.taint_set[n]]
    same_outcome(after, again)


def test_nodes_that_are_cordoned_already_stay_as_they_are(demo):
    n = np.flatnonzero(demo.nodes.unschedulable).astype(np.int32)
    assert len(n)
    assert cordoned(demo, n) is demo


def test_released_pods_wait_at_the_end_of_the_queue(demo):
    pods = np.flatnonzero(demo.pods.holding)[:3].astype(np.int32)
    after = released(demo, pods)
    assert after.pods.waiting[pods].all()
    others = np.setdiff1d(np.arange(len(demo.pods)), pods)
    assert after.pods.node[others].tolist() == demo.pods.node[others].tolist()
    assert (after.pods.created_ns[pods] >= demo.pods.created_ns[demo.pods.created_ns < 2**63 - 1].max()).all()
    written = {item["metadata"]["name"]: item for item in manifests(after) if item["kind"] == "Pod"}
    for pod in pods.tolist():
        assert not written[demo.pods.names[pod]]["spec"].get("nodeName")


def test_added_nodes_are_as_if_they_stood_at_the_end_of_the_input(demo, tmp_path):
    like = [demo.nodes.index["gen-a1"], demo.nodes.index["gpu-b1"]]
    after = with_nodes(demo, demo, like, ["new-1", "new-2"])
    again = read_again(tmp_path, manifests(after))
    same_nodes(after, again)
    assert after.nodes.label_values("kubernetes.io/hostname")[-2:] == ("new-1", "new-2")
    assert not any(
        len(image.nodes) and after.nodes.index["new-1"] in image.nodes for image in after.nodes.images.values()
    )
    bound = np.flatnonzero(demo.pods.node >= 0)
    was, now = demo.nodes.names, after.nodes.names
    assert [was[n] for n in demo.pods.node[bound]] == [now[n] for n in after.pods.node[bound]]


def test_added_pods_bring_their_resources(demo):
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "odd", "namespace": "elsewhere"},
        "spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "1", "a.example.com/thing": "2"}}}]},
    }
    added = cluster_of(pod).columns
    together, codes = with_templates(demo, added)
    after = with_pods(together, codes, ["odd-0"])
    assert list(after.resources)[3] == "a.example.com/thing"
    assert after.templates[codes[0]].request[[0, 3]].tolist() == [1000, 2]
    assert after.nodes.allocatable[3].tolist() == [0] * len(demo.nodes)
    assert [item.code for item in after.templates] == list(range(len(after.templates)))
    gpu = list(demo.resources).index("nvidia.com/gpu")
    assert after.nodes.allocatable[gpu + 1].tolist() == demo.nodes.allocatable[gpu].tolist()
    same = np.arange(len(demo.pods))
    left, right = (kplace.place(Cluster(item), preemption="off").pods for item in (demo, after))
    right = right[right["row"].isin(same)]
    assert left["node"].tolist() == right["node"].tolist()
    assert free_names(after, "elsewhere", "odd", 2) == ["odd-00000", "odd-00001"]


@settings(max_examples=15, deadline=None)
@given(data=st.data(), made=strategies.clusters())
def test_any_cluster_without_nodes_places_as_one_that_never_had_them(data, made):
    columns = made.cluster().columns
    gone = data.draw(st.sets(st.sampled_from(columns.nodes.names)))
    after = without_nodes(columns, np.array(sorted(columns.nodes.index[name] for name in gone), np.int32))
    nodes = [item for item in made.nodes if item["metadata"]["name"] not in gone]
    pods = [item for item in made.pods if item["spec"].get("nodeName") not in gone]
    again = cluster_of(*made.others, *nodes, *pods).columns
    same_nodes(after, again)
    same_outcome(after, again)
