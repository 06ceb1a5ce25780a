"""Nodes and pods as an extender sees them, wherever they come from."""

import json

import msgspec

from kplace.columns import ClusterBuilder
from kplace.io.extenders.objects import ObjectTexts
from kplace.objects.core import Node, Pod
from kplace.testing import cluster_of, make_node, make_pod


def built(*objects, made=()):
    """Columns of objects whose texts are not known, and of pods made from a controller."""
    builder = ClusterBuilder()
    for item in objects:
        builder.add(type(item).__name__, item, b"", "test")
    for item in made:
        builder.add_pod(item, "test")
    return builder.finish()


def test_texts_of_the_input_are_taken_as_they_are():
    # kplace has no use for the podCIDR, nor for an annotation: both are sent.
    node = make_node("a").metadata(annotations={"x": "y"}).spec(podCIDR="10.0.0.0/24")
    texts = ObjectTexts(cluster_of(node, make_node("b"), make_pod("web").spec(hostname="w")).columns)
    assert json.loads(texts.node(0)) == node.manifest()
    assert json.loads(texts.node(1)) == make_node("b").manifest()
    assert json.loads(texts.pod(0))["spec"]["hostname"] == "w"


def test_nodes_are_found_in_snapshot_order():
    # Zone by zone, one node of each in turn: a, c, b.
    nodes = [make_node("a").zone("x"), make_node("b").zone("x"), make_node("c").zone("y")]
    columns = cluster_of(*nodes).columns
    texts = ObjectTexts(columns)
    assert columns.nodes.names == ["a", "c", "b"]
    assert [json.loads(texts.node(n))["metadata"]["name"] for n in range(3)] == ["a", "c", "b"]


def test_a_node_without_a_text():
    node = (
        make_node("a").zone("x").taint("dedicated=db:NoSchedule").cordon().capacity(cpu="1500m", memory="1Ki", pods="7")
    )
    texts = ObjectTexts(built(node.obj(), Node()))
    assert json.loads(texts.node(0)) == {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "a", "labels": node.manifest()["metadata"]["labels"]},
        "spec": {"unschedulable": True, "taints": [{"key": "dedicated", "value": "db", "effect": "NoSchedule"}]},
        "status": {"allocatable": {"pods": "7", "cpu": "1500m", "memory": "1024", "ephemeral-storage": "0"}},
    }


def test_a_pod_that_was_made():
    pod = make_pod("web-0", "shop").label(app="web").req(cpu="1").owner("ReplicaSet", "web").obj()
    texts = ObjectTexts(built(make_node("a").obj(), made=[pod]))
    found = json.loads(texts.pod(0, "a"))
    assert found["metadata"]["namespace"] == "shop"
    assert found["metadata"]["labels"] == {"app": "web"}
    assert found["metadata"]["ownerReferences"][0]["name"] == "web"
    assert found["metadata"]["uid"] == texts.uid(0)
    assert found["spec"]["nodeName"] == "a"
    assert found["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "1"}
    assert msgspec.convert(found, Pod).metadata.name == "web-0"


def test_a_pod_names_the_node_it_is_on_and_no_other():
    texts = ObjectTexts(cluster_of(make_node("a"), make_pod("web").on("a"), make_pod("db")).columns)
    assert "nodeName" not in json.loads(texts.pod(0))["spec"]
    assert json.loads(texts.pod(0, "a"))["spec"]["nodeName"] == "a"
    assert json.loads(texts.pod(1, "b"))["spec"]["nodeName"] == "b"


def test_a_manifest_without_a_namespace_gets_one():
    manifest = make_pod("web").manifest()
    del manifest["metadata"]["namespace"]
    texts = ObjectTexts(cluster_of(manifest).columns)
    assert json.loads(texts.pod(0))["metadata"]["namespace"] == "default"
