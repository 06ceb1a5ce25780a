from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kplace
from kplace import Cluster, InputError
from kplace.errors import UsageError
from tests.frames.tables import NODES, PODS, cluster

DEMO = Path(__file__).parents[2] / "data" / "demo"


def faults_of(nodes: pd.DataFrame, pods: pd.DataFrame | None = None) -> list[str]:
    with pytest.raises(InputError) as caught:
        Cluster.from_frames(nodes, pods)
    return [str(fault) for fault in caught.value.faults]


def only_pod(**columns: object) -> kplace.columns.templates.Template:
    made = Cluster.from_frames(
        NODES, pd.DataFrame({"pod": ["p"], **{name: [value] for name, value in columns.items()}})
    )
    return made.columns.templates[0]


def requests_of(made: Cluster, pod: int = 0) -> dict[str, int]:
    template = made.columns.templates[made.columns.pods.template[pod]]
    return {name: int(n) for name, n in zip(made.columns.resources, template.request, strict=True) if n}


def test_quantities_and_units_mean_the_same():
    by_quantity = pd.DataFrame({"node": ["a"], "cpu": ["1500m"], "memory": ["1.5Gi"], "nvidia.com/gpu": [2], "pods": 7})
    by_unit = pd.DataFrame(
        {
            "node": ["a"],
            "allocatable_cpu_milli": [1500],
            "allocatable_memory_bytes": [1536 * 1024 * 1024],
            "allocatable_nvidia.com/gpu": [2],
            "allocatable_pods": [7],
        }
    )
    first, second = Cluster.from_frames(by_quantity), Cluster.from_frames(by_unit)
    pd.testing.assert_frame_equal(first.nodes, second.nodes)
    assert first.columns.nodes.allowed_pods.tolist() == [7]


def test_a_column_of_integers_may_have_gaps():
    # pandas makes floats of integers beside NA; 2.0 GPUs are 2.
    nodes = pd.DataFrame({"node": ["a", "b"], "cpu": [4, np.nan], "nvidia.com/gpu": [2, None]})
    assert Cluster.from_frames(nodes).columns.nodes.allocatable.tolist() == [[4000, 0], [0, 0], [0, 0], [2, 0]]


def test_nodes_without_a_number_of_pods_allow_110():
    made = Cluster.from_frames(NODES)
    assert made.columns.nodes.allowed_pods.tolist() == [110, 110, 110]
    assert "default-pods" in [note.topic for note in made.notes]


def test_labels_of_all_kinds():
    nodes = pd.DataFrame(
        {
            "node": ["a", "b"],
            "labels": [{"disk": "ssd", "topology.kubernetes.io/zone": "x"}, None],
            "label:disk": [None, "hdd"],
            "label:gpu": ["yes", None],
            "zone": ["x", "y"],
        }
    )
    assert Cluster.from_frames(nodes).nodes["labels"].tolist() == [
        {"disk": "ssd", "topology.kubernetes.io/zone": "x", "gpu": "yes"},
        {"disk": "hdd", "topology.kubernetes.io/zone": "y"},
    ]


def test_plain_tables_get_hostnames_and_zones():
    labels = cluster().nodes["labels"].tolist()
    assert labels[0] == {"kubernetes.io/hostname": "a", "topology.kubernetes.io/zone": "x"}


def test_a_zone_in_its_old_label_is_not_written_again():
    old = "failure-domain.beta.kubernetes.io/zone"
    nodes = pd.DataFrame({"node": ["a"], "labels": [{old: "x"}], "zone": ["x"]})
    assert Cluster.from_frames(nodes).nodes["labels"].tolist() == [{old: "x"}]


def test_taints_as_text_or_dicts():
    taints = ["gpu=yes:NoSchedule,spot:PreferNoSchedule", [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}], ""]
    nodes = pd.DataFrame({"node": ["a", "b", "c"], "taints": taints})
    made = Cluster.from_frames(nodes).nodes["taints"].tolist()
    assert made == ["gpu=yes:NoSchedule,spot:PreferNoSchedule", "gpu=yes:NoSchedule", ""]


def test_every_fault_is_named_by_row_and_column():
    nodes = pd.DataFrame(
        {
            "node": ["a", None, "a", "d", "e"],
            "cpu": ["4cores", "1", "1", "-1", "1"],
            "taints": [None, None, None, "gpu=yes", "gpu:Never"],
            "labels": [{"a": 1}, None, None, None, {"topology.kubernetes.io/zone": "x"}],
            "zone": [None, None, None, None, "y"],
            "unschedulable": ["no", False, False, False, False],
            "images": [None, None, None, {"web": "large"}, None],
        },
        index=[10, 20, 30, 40, 50],
    )
    pods = pd.DataFrame(
        {
            "pod": ["p", "q", "r", "p"],
            "memory": ["1Gb", "1Gi", "1Gi", "1Gi"],
            "phase": ["Pending", "pending", None, None],
            "priority": [0, 1.5, 0, 0],
            "created": ["2026-01-31", "soon", None, None],
            "spec": [None, {"containers": [{"image": 5}], "priority": "high"}, "a spec", None],
            "requested_memory_bytes": [1, 1, 1, 1],
        }
    )
    assert faults_of(nodes, pods) == [
        "<frame nodes>: row 20: node: is missing",
        '<frame nodes>: row 30: node: "a" is there twice, first in row 10',
        '<frame nodes>: row 10: cpu: "4cores" is not a quantity: expected a number such as "500m", "1.5Gi" or "2e3"',
        "<frame nodes>: row 40: cpu: expected zero or more, got '-1'",
        "<frame nodes>: row 10: labels: expected a dict of texts, got {'a': 1}",
        '<frame nodes>: row 50: zone: says "y", but the labels say "x"',
        "<frame nodes>: row 10: unschedulable: expected true or false, got 'no'",
        '<frame nodes>: row 40: taints: expected "key=value:NoSchedule" or "key:NoExecute", got "gpu=yes"',
        "<frame nodes>: row 40: images: expected a whole number, got 'large'",
        '<frame pods>: row 3: pod: "p" is there twice, first in row 0',
        "<frame pods>: row 1: phase: expected one of Pending, Running, Succeeded, Failed, Unknown, got 'pending'",
        "<frame pods>: row 1: created: expected a time such as 2026-01-31T12:00:00Z, got 'soon'",
        "<frame pods>: row 1: spec.containers[0].image: expected a string, got a number (5): put it in quotes",
        '<frame pods>: row 1: spec.priority: expected an integer, got a string ("high")',
        "<frame pods>: row 2: spec: expected a dict, got 'a spec'",
        '<frame pods>: row 0: memory: "1Gb" is not a quantity: did you mean "1G"?',
        "<frame pods>: requested_memory_bytes: says the same as the column memory",
        "<frame pods>: row 1: priority: expected a whole number, got 1.5",
        '<frame nodes>: Node e: spec.taints[0].effect: "Never" is none of NoSchedule, PreferNoSchedule, NoExecute',
    ]


def test_a_table_without_names_is_refused():
    assert faults_of(pd.DataFrame({"cpu": [1]})) == ["<frame nodes>: node: there is no such column"]


def test_a_column_twice_is_refused():
    twice = pd.DataFrame([["a", 1, 2]], columns=["node", "cpu", "cpu"])
    assert faults_of(twice) == ["<frame nodes>: cpu: is there more than once"]


def test_something_else_than_a_table_is_refused():
    with pytest.raises(UsageError, match="nodes: expected a DataFrame, got list"):
        Cluster.from_frames([{"node": "a"}])


def test_columns_that_mean_nothing_are_named():
    made = Cluster.from_frames(NODES.assign(colour="red"), PODS.assign(size=3))
    notes = [note.message for note in made.notes if note.topic == "unknown-columns"]
    assert notes == ["columns of the nodes left out: colour", "columns of the pods left out: size"]


def test_pods_of_unknown_nodes_do_not_wait():
    made = Cluster.from_frames(NODES, PODS.assign(node="gone"))
    assert not made.pods["waiting"].any()
    again = Cluster.from_frames(made.nodes, made.pods)
    assert not again.pods["waiting"].any()
    assert again.pods["node"].isna().all()


def test_columns_count_more_than_the_spec():
    spec = {
        "containers": [{"name": "a", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2"}}}],
        "nodeSelector": {"disk": "ssd"},
        "priority": 5,
        "schedulingGates": [{"name": "wait"}],
    }
    template = only_pod(spec=spec, cpu="250m", priority=7, gated=False, node_selector={})
    assert template.spec.containers[0].resources.requests == {"memory": "1Gi", "cpu": "250m"}
    assert template.priority == 7
    assert not template.is_gated
    assert not template.spec.node_selector


def test_columns_that_agree_with_the_spec_change_nothing():
    spec = {
        "containers": [{"name": name, "resources": {"requests": {"cpu": "500m"}}} for name in "ab"],
        "overhead": {"cpu": "50m"},
    }
    assert len(only_pod(spec=spec, requested_cpu_milli=1050).spec.containers[1].resources.requests) == 1
    changed = only_pod(spec=spec, requested_cpu_milli=600).spec
    assert [dict(item.resources.requests or {}) for item in changed.containers] == [{"cpu": "600m"}, {}]
    assert not changed.overhead


def test_what_if_requests_shrink():
    made = cluster()
    pods = made.pods.assign(requested_cpu_milli=made.pods["requested_cpu_milli"] // 100)
    smaller = Cluster.from_frames(made.nodes, pods)
    assert requests_of(smaller, 3)["cpu"] == 640
    assert (kplace.place(smaller).pods["status"] == "scheduled").all()


@pytest.mark.parametrize("cpu", ["0m", 0, None])
def test_zero_requests_nothing(cpu):
    template = only_pod(cpu=cpu)
    assert template.request.tolist()[0] == 0
    # A container that requests no cpu counts as 100m in scores.
    assert template.non_zero_request.tolist()[0] == 100


def test_nodes_and_pods_make_the_same_cluster_again():
    made = kplace.read(DEMO)
    again = Cluster.from_frames(made.nodes, made.pods, others=made)
    pd.testing.assert_frame_equal(again.nodes, made.nodes)
    pd.testing.assert_frame_equal(again.pods.drop(columns="made"), made.pods.drop(columns="made"))
    first, second = kplace.place(made, seed=3), kplace.place(again, seed=3)
    assert first.result_hash == second.result_hash
    pd.testing.assert_frame_equal(first.reasons, second.reasons)
    assert second.summary().utilisation == first.summary().utilisation


def test_leaving_out_a_node_is_the_same_as_never_having_had_it(tmp_path):
    made = kplace.read(DEMO)
    gone = made.nodes["node"].iloc[0]
    fewer = Cluster.from_frames(made.nodes[made.nodes["node"] != gone], made.pods, others=made)
    fewer.to_manifests(tmp_path / "fewer.json")
    read = kplace.read(tmp_path / "fewer.json")
    assert read.columns.nodes.names == fewer.columns.nodes.names
    assert gone not in read.columns.nodes.names
