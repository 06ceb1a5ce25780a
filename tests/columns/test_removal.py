"""A cluster without some of its pods: indexes, sources and templates stay in step."""

import json

import msgspec
import numpy as np

from kplace.columns import ClusterBuilder
from kplace.columns.removal import without_pods
from kplace.objects.core import Node, Pod
from kplace.objects.meta import ObjectMeta


def columns():
    builder = ClusterBuilder()
    builder.add("Node", Node(metadata=ObjectMeta(name="n")), b'"n"', "test")
    for name, node, app in (("a", "n", "x"), ("b", "", "y"), ("c", "n", "y"), ("d", "n", "x")):
        manifest = {"metadata": {"name": name, "labels": {"app": app}}, "spec": {"nodeName": node}}
        builder.add("Pod", msgspec.convert(manifest, Pod), json.dumps(name).encode(), "test")
    return builder.finish()


def test_the_others_keep_their_order_and_all_that_belongs_to_them():
    before = columns()
    after = without_pods(before, np.array([0, 2], np.int32))
    assert after.pods.names == ["b", "d"]
    assert after.pods.node.tolist() == [-1, 0]
    assert [after.templates[code].labels["app"] for code in after.pods.template] == ["y", "x"]
    assert [(item.kind, bytes(item.raw), item.pod) for item in after.sources] == [
        ("Node", b'"n"', -1),
        ("Pod", b'"b"', 0),
        ("Pod", b'"d"', 1),
    ]
    assert len(before.pods) == 4


def test_nobody_gone_changes_nothing():
    before = columns()
    assert without_pods(before, np.zeros(0, np.int32)) is before
