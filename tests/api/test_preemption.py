"""Preemption through the library: modes, the table, the cluster after the run, files."""

import json

import pandas as pd
import pytest

import kplace
from kplace.errors import UsageError

PDB = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "db", "namespace": "data"},
    "spec": {"selector": {"matchLabels": {"app": "db"}}},
    "status": {"disruptionsAllowed": 0},
}


def item(name: str, cpu: str, priority: int, node: str = "", namespace: str = "shop", **labels: str) -> dict:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"containers": [container], "priority": priority, **({"nodeName": node} if node else {})},
        "status": {"phase": "Running" if node else "Pending", "startTime": "2026-01-01T00:00:00Z"},
    }


@pytest.fixture
def file(tmp_path):
    """A full node with a guarded pod and two that are not; one waiting pod for which the latter two must leave."""
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "a"},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}},
    }
    pods = [
        item("guarded", "1", 1, "a", "data", app="db"),
        item("cheap", "2", 0, "a"),
        item("dear", "1", 3, "a"),
        item("urgent", "3", 9),
    ]
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [node, PDB, *pods]}))
    return path


def test_by_default_victims_leave_in_their_time_and_the_pod_comes_back(file):
    placements = kplace.place(kplace.read(file))
    assert placements.run.preemption == "queue"
    # Both victims are gone before it is tried again.
    assert placements.pods[["pod", "status", "node", "attempt"]].values.tolist() == [["urgent", "scheduled", "a", 1]]
    assert placements.preemptions["carried_out"].all()
    assert sorted(placements.preemptions["victim"]) == ["cheap", "dear"]
    assert sorted(placements.cluster.pods["pod"]) == ["guarded", "urgent"]


def test_a_dry_run_leaves_the_pod_pending(file):
    placements = kplace.place(kplace.read(file), preemption="dry-run")
    assert placements.run.preemption == "dry-run"
    assert placements.pods[["pod", "status", "attempt"]].values.tolist() == [["urgent", "unschedulable", 0]]
    table = placements.preemptions
    assert table[["pod", "node", "victim_namespace", "victim", "victim_priority"]].values.tolist() == [
        ["urgent", "a", "shop", "dear", 3],
        ["urgent", "a", "shop", "cheap", 0],
    ]
    assert not table["violates_budget"].any()
    assert not table["carried_out"].any()
    assert placements.nodes["pods_preempted"].tolist() == [0]
    assert len(placements.cluster.pods) == 4


def test_immediate_pushes_out(file, tmp_path):
    placements = kplace.place(kplace.read(file), preemption="immediate")
    assert placements.pods[["pod", "status", "node", "attempt"]].values.tolist() == [["urgent", "scheduled", "a", 1]]
    assert placements.preemptions["carried_out"].all()
    nodes = placements.nodes.iloc[0]
    assert (nodes["requested_before_cpu_milli"], nodes["requested_cpu_milli"]) == (4000, 4000)
    assert (nodes["requested_before_pods"], nodes["requested_pods"]) == (3, 2)
    assert (nodes["pods_placed"], nodes["pods_preempted"]) == (1, 2)
    after = placements.cluster
    assert after.pods[["pod", "node"]].values.tolist() == [["guarded", "a"], ["urgent", "a"]]
    after.to_manifests(tmp_path / "after.yaml")
    again = kplace.read(tmp_path / "after.yaml")
    assert again.pods[["pod", "node"]].values.tolist() == [["guarded", "a"], ["urgent", "a"]]


def test_off_says_nothing_of_it(file):
    placements = kplace.place(kplace.read(file), preemption="off")
    assert placements.pods["message"].tolist() == [
        "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate"
    ]
    assert not len(placements.preemptions)


def test_budgets_that_break_are_marked(file):
    content = json.loads(file.read_text())
    content["items"][-1]["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "4"
    file.write_text(json.dumps(content))
    table = kplace.place(kplace.read(file), preemption="dry-run").preemptions
    assert table[["victim", "violates_budget"]].values.tolist() == [
        ["dear", False],
        ["guarded", True],
        ["cheap", False],
    ]


def test_an_unknown_mode(file):
    with pytest.raises(UsageError) as caught:
        kplace.place(kplace.read(file), preemption="imediate")
    assert str(caught.value).startswith("preemption: expected ")
    assert str(caught.value).endswith("got 'imediate'; did you mean 'immediate'?")


def test_a_case_file_decides_where_nothing_is_said(file, tmp_path):
    objects = json.loads(file.read_text())["items"]
    for preempt, mode in ((True, "immediate"), (False, "dry-run")):
        case = tmp_path / "case.json"
        case.write_text(json.dumps({"name": "x", "kubeVersion": "1.34.1", "preempt": preempt, "objects": objects}))
        assert kplace.place(kplace.read(case)).run.preemption == mode
        assert kplace.place(kplace.read(case), preemption="off").run.preemption == "off"


def test_a_dry_run_decides_nothing(file):
    off, dry, done = (kplace.place(kplace.read(file), preemption=mode) for mode in ("off", "dry-run", "immediate"))
    assert off.result_hash == dry.result_hash != done.result_hash


@pytest.mark.parametrize("name", ["run.json", "run.parquet"])
@pytest.mark.parametrize("mode", ["off", "dry-run", "immediate"])
def test_files_hold_the_table(file, tmp_path, mode, name):
    placements = kplace.place(kplace.read(file), preemption=mode)
    path = tmp_path / name
    (placements.to_json if name.endswith("json") else placements.to_parquet)(path)
    again = kplace.read_placements(path)
    assert again.result_hash == placements.result_hash
    pd.testing.assert_frame_equal(again.preemptions.astype("object"), placements.preemptions.astype("object"))
    assert again.summary() == placements.summary()


def test_the_summary_counts(file):
    summary = kplace.place(kplace.read(file), preemption="immediate").summary()
    assert (summary.placed, summary.pending, summary.preemptors, summary.victims) == (1, 0, 1, 2)
    summary = kplace.place(kplace.read(file), preemption="dry-run").summary()
    assert (summary.placed, summary.pending, summary.preemptors, summary.victims) == (0, 1, 1, 2)


def test_progress_counts_pods_not_attempts(file):
    seen = []
    kplace.place(kplace.read(file), preemption="immediate", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (1, 1)
    assert all(done <= total for done, total in seen)


def test_explain_says_what_the_run_says(file):
    cluster = kplace.read(file)
    placements = kplace.place(cluster, preemption="dry-run")
    assert kplace.explain(cluster, "shop/urgent").attrs["message"] == placements.pods["message"].iloc[0]
