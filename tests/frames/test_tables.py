import numpy as np
import pandas as pd
import pytest

import kplace
from kplace import Cluster
from kplace.frames import schema
from kplace.frames.usage import usage
from kplace.state import ClusterState
from tests.frames.tables import cluster


def dtypes(frame: pd.DataFrame) -> dict[str, str]:
    return {str(name): str(dtype) for name, dtype in frame.dtypes.items()}


@pytest.fixture(scope="module")
def placements():
    return kplace.place(cluster(), tie_break="first")


def scored_plugins(table: pd.DataFrame) -> list[str]:
    return [name.removeprefix("raw_") for name in table.columns if name.startswith("raw_")]


def test_every_table_has_exactly_the_columns_and_dtypes_of_the_schema(placements):
    before = placements.before
    of_pods = [*before.columns.resources]
    of_nodes = [*of_pods, "pods"]
    explained = kplace.explain(before, "shop/web-1")
    plugins = scored_plugins(explained)
    tables = [
        (before.nodes, schema.NODES, of_nodes, []),
        (before.pods, schema.PODS, of_pods, []),
        (placements.pods, schema.PLACED_PODS, [], []),
        (placements.nodes, schema.PLACED_NODES, of_nodes, []),
        (placements.reasons, schema.REASONS, [], []),
        (placements.preemptions, schema.PREEMPTIONS, [], []),
        (explained, schema.EXPLAIN, [], plugins),
    ]
    assert plugins
    assert {table.name for _, table, _, _ in tables} <= {table.name for table in schema.TABLES}
    for frame, table, resources, names in tables:
        assert dtypes(frame) == schema.expand(table, resources=resources, plugins=names), table.name
        assert frame.attrs["kplace_table"] == table.name
        assert frame.attrs["kplace_schema"] == schema.SCHEMA_VERSION


def test_tables_of_nothing_have_the_same_columns():
    empty = Cluster.from_frames(pd.DataFrame({"node": []}))
    placements = kplace.place(empty)
    resources = ["cpu", "memory", "ephemeral-storage"]
    for frame, table in (
        (empty.nodes, schema.NODES),
        (placements.nodes, schema.PLACED_NODES),
    ):
        assert dtypes(frame) == schema.expand(table, resources=[*resources, "pods"])
    for frame, table in (
        (empty.pods, schema.PODS),
        (placements.pods, schema.PLACED_PODS),
        (placements.reasons, schema.REASONS),
        (placements.preemptions, schema.PREEMPTIONS),
    ):
        assert dtypes(frame) == schema.expand(table, resources=resources)
    summary = placements.summary()
    assert (summary.nodes, summary.placed, summary.busiest) == (0, 0, ())


def test_node_table():
    nodes = cluster().nodes.set_index("node")
    # web-0 runs on a: 500 of 4000 milli-cpu, 1 of 8 GiB.
    assert nodes.loc["a", ["allocatable_cpu_milli", "requested_cpu_milli", "free_cpu_milli"]].tolist() == [
        4000,
        500,
        3500,
    ]
    assert nodes.loc["a", "utilisation_memory_bytes"] == 1 / 8
    assert nodes["requested_pods"].tolist() == [1, 0, 0]
    assert nodes["allocatable_nvidia.com/gpu"].tolist() == [0, 2, 0]
    assert np.isnan(nodes.loc["a", "utilisation_nvidia.com/gpu"])
    assert nodes["zone"].tolist() == ["x", "y", "x"]
    assert nodes["taints"].tolist() == ["", "gpu=yes:NoSchedule", ""]
    # Snapshot order is zone by zone: a (x), b (y), c (x).
    assert nodes["position"].tolist() == [0, 1, 2]


def test_node_rows_are_in_input_order_and_categories_in_snapshot_order():
    table = pd.DataFrame({"node": ["a", "b", "c", "d"], "cpu": 1, "zone": ["x", "x", "x", "y"]})
    nodes = Cluster.from_frames(table).nodes
    assert nodes["node"].tolist() == ["a", "b", "c", "d"]
    assert list(nodes["node"].cat.categories) == ["a", "d", "b", "c"]
    assert nodes["position"].tolist() == [0, 2, 3, 1]


def test_pod_table():
    pods = cluster().pods.set_index("pod")
    assert pods["waiting"].tolist() == [False, True, True, True, True]
    assert pods["node"].isna().tolist() == [False, True, True, True, True]
    assert pods.loc["web-0", "node"] == "a"
    assert pods["requested_cpu_milli"].tolist() == [500, 500, 2000, 64000, 1000]
    # Scores count 200 MiB for a container without a memory request.
    assert pods.loc["train", "requested_memory_bytes"] == 0
    assert pods.loc["train", "nonzero_requested_memory_bytes"] == 200 * 1024 * 1024
    assert pods.loc["train", "labels"] == {"app": "train"}
    assert pods.loc["train", "tolerations"] == "gpu:NoSchedule"
    assert pods.loc["db", "spec"]["containers"][0]["resources"]["requests"] == {"cpu": 2, "memory": "2Gi"}
    assert pods["created"].isna().all()


def test_placement_tables(placements):
    pods = placements.pods.set_index("pod")
    # db goes first by its priority. It leaves a 2 of 3.5 cores and 5 of 7 GiB.
    assert placements.pods["pod"].tolist() == ["db", "web-1", "huge", "train"]
    assert pods["status"].tolist() == ["scheduled", "scheduled", "unschedulable", "scheduled"]
    assert pods["node"].astype(object).where(pods["node"].notna(), None).tolist() == ["a", "a", None, "b"]
    assert pods["attempt"].tolist() == [0, 0, 0, 0]
    assert pods["total"].isna().tolist() == [False, False, True, False]
    # Only a is feasible for web-1: b is tainted, c cordoned.
    assert pods["runner_up"].isna().all()
    assert pods["ties"].tolist() == [1, 1, 0, 1]
    assert pods.loc["huge", "message"].startswith("0/3 nodes are available: ")
    assert pods.loc["db", "message"] == ""
    assert pods["row"].tolist() == [2, 1, 3, 4]


def test_reasons_table(placements):
    reasons = placements.reasons
    assert (reasons["pod"] == "huge").all()
    # One node each: a lacks cpu, b is tainted, c is cordoned.
    found = {(plugin, nodes) for plugin, nodes in zip(reasons["plugin"], reasons["nodes"], strict=True)}
    assert found == {("NodeResourcesFit", 1), ("TaintToleration", 1), ("NodeUnschedulable", 1)}


def test_nodes_before_and_after(placements):
    nodes = placements.nodes.set_index("node")
    assert nodes["requested_before_cpu_milli"].tolist() == [500, 0, 0]
    # a: web-0, db and web-1; b: train.
    assert nodes["requested_cpu_milli"].tolist() == [3000, 1000, 0]
    assert nodes["pods_placed"].tolist() == [2, 1, 0]
    assert nodes["requested_nvidia.com/gpu"].tolist() == [0, 1, 0]
    pd.testing.assert_series_equal(
        placements.cluster.nodes.set_index("node")["requested_cpu_milli"], nodes["requested_cpu_milli"]
    )


def test_usage_is_what_the_state_counts(placements):
    columns = placements.cluster.columns
    state = ClusterState(columns)
    used = usage(columns, columns.pods.node)
    np.testing.assert_array_equal(used.requested[:-1], state.resources.requested)
    np.testing.assert_array_equal(used.requested[-1], state.resources.pods)
    np.testing.assert_array_equal(used.non_zero, state.resources.non_zero_requested)


def test_usage_is_exact_beyond_the_precision_of_floats():
    most = 2**62
    nodes = pd.DataFrame({"node": ["a"], "cpu": 1})
    pods = pd.DataFrame({"pod": ["big", "small"], "memory": [str(most), "1"], "node": "a"})
    assert Cluster.from_frames(nodes, pods).nodes["requested_memory_bytes"].tolist() == [most + 1]


def test_schema_describes_itself():
    described = schema.describe()
    assert not described.duplicated(["table", "column"]).any()
    assert described["meaning"].str.endswith(".").all()
