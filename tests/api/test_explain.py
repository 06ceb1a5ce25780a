import pandas as pd
import pytest

import kplace
from kplace.errors import UsageError
from kplace.objects.meta import ObjectMeta
from kplace.objects.workloads import Deployment
from tests.frames.tables import NODES, PODS, cluster


def test_rejected_nodes_name_the_first_filter_and_its_words():
    table = kplace.explain(cluster(), "data/huge").set_index("node")
    assert table["verdict"].tolist() == ["rejected"] * 3
    found = table[["plugin", "code", "reasons"]].astype(str).to_dict("index")
    assert found == {
        # No eviction makes room for 64 cores on a node of 4.
        "a": {"plugin": "NodeResourcesFit", "code": "UnschedulableAndUnresolvable", "reasons": "Insufficient cpu"},
        "b": {
            "plugin": "TaintToleration",
            "code": "UnschedulableAndUnresolvable",
            "reasons": "node(s) had untolerated taint {gpu: yes}",
        },
        "c": {
            "plugin": "NodeUnschedulable",
            "code": "UnschedulableAndUnresolvable",
            "reasons": "node(s) were unschedulable",
        },
    }
    assert not [name for name in table.columns if name.startswith(("raw_", "weighted_"))]


def test_scores_add_up_and_rank():
    nodes = pd.DataFrame({"node": ["full", "free", "half"], "cpu": [4, 4, 4], "memory": ["8Gi", "8Gi", "8Gi"]})
    pods = pd.DataFrame(
        {
            "pod": ["x", "y", "new"],
            "cpu": [3, 1, 1],
            "memory": ["6Gi", "2Gi", "1Gi"],
            "node": ["full", "half", None],
        }
    )
    table = kplace.explain(kplace.Cluster.from_frames(nodes, pods), "new")
    assert table["node"].tolist() == ["free", "half", "full"]
    assert table["rank"].tolist() == [1, 2, 3]
    weighted = table[[name for name in table.columns if name.startswith("weighted_")]]
    assert weighted.sum(axis=1).tolist() == table["total"].tolist()
    for plugin, weight in table.attrs["weights"].items():
        assert (table[f"normalised_{plugin}"] * weight == table[f"weighted_{plugin}"]).all()
    # LeastAllocated on free: cpu (4000 - 1000) * 100 / 4000 = 75, memory (8 - 1) * 100 / 8 = 87; (75 + 87) / 2 = 81.
    assert table["raw_NodeResourcesFit"].iloc[0] == 81


def test_equal_totals_share_a_rank():
    nodes = pd.DataFrame({"node": ["a", "b", "c"], "cpu": [2, 4, 4], "memory": ["4Gi", "8Gi", "8Gi"]})
    table = kplace.explain(kplace.Cluster.from_frames(nodes, pd.DataFrame({"pod": ["p"], "cpu": ["1"]})), "p")
    assert table["node"].tolist() == ["b", "c", "a"]
    assert table["rank"].tolist() == [1, 1, 3]


def test_nodes_outside_the_sample_are_marked():
    nodes = pd.DataFrame({"node": [f"n{i:03}" for i in range(250)], "cpu": 4, "memory": "8Gi"})
    made = kplace.Cluster.from_frames(nodes, pd.DataFrame({"pod": ["p"], "cpu": ["1"]}))
    # 250 nodes: 50 - 250 // 125 = 48 per cent are 120.
    table = kplace.explain(made, "p")
    assert table["verdict"].value_counts().to_dict() == {"scored": 120, "outside sample": 130, "rejected": 0}
    outside = table[table["verdict"] == "outside sample"]
    assert outside["total"].isna().all()
    assert outside["plugin"].isna().all()
    assert table.attrs["evaluated"] == 120
    everything = kplace.explain(made, "p", percentage_of_nodes_to_score=100)
    assert (everything["verdict"] == "scored").all()


def test_a_running_pod_is_taken_off_first():
    nodes = pd.DataFrame({"node": ["a", "b"], "cpu": [2, 2], "memory": ["4Gi", "4Gi"]})
    pods = pd.DataFrame({"pod": ["p"], "cpu": ["2"], "memory": ["1Gi"], "node": ["a"]})
    table = kplace.explain(kplace.Cluster.from_frames(nodes, pods), "p")
    # Two cores are free on a only without the pod itself.
    assert table["verdict"].tolist() == ["scored", "scored"]
    assert table.attrs["node"] == "a"


def test_it_says_what_the_run_does():
    made = cluster()
    placements = kplace.place(made, tie_break="first")
    first = placements.pods.iloc[0]
    table = kplace.explain(made, f"{first['namespace']}/{first['pod']}")
    assert (table["node"].iloc[0], table["total"].iloc[0]) == (first["node"], first["total"])
    huge = kplace.explain(placements.cluster, "data/huge")
    assert huge.attrs["message"] == kplace.place(placements.cluster).pods["message"].iloc[0]


def test_top_keeps_the_best():
    assert len(kplace.explain(cluster(), "shop/web-1", top=2)) == 2
    with pytest.raises(UsageError, match="top: expected a positive number, got 0"):
        kplace.explain(cluster(), "shop/web-1", top=0)


@pytest.mark.parametrize(
    ("pod", "message"),
    [
        ("shop/web-9", "there is no pod shop/web-9 in the input; did you mean shop/web-1 or shop/web-0?"),
        ("web-1", "there is no pod default/web-1 in the input; did you mean shop/web-1?"),
        (
            "data/nothing-like-it",
            "there is no pod data/nothing-like-it in the input; in data there are data/db, data/huge, data/train",
        ),
        ("nowhere/xyz", "there is no pod nowhere/xyz in the input, which holds 5 pods, in data, shop"),
    ],
)
def test_pods_that_are_not_there(pod, message):
    with pytest.raises(UsageError) as caught:
        kplace.explain(cluster(), pod)
    assert str(caught.value) == f"pod: {message}"


def owned(names, kind, owner, labels=None, **more):
    table = {"namespace": "shop", "pod": names, "cpu": "1", "owner_kind": kind, "owner": owner, **more}
    return pd.DataFrame(table).assign(labels=[labels or {}] * len(names))


@pytest.mark.parametrize(
    ("pod", "hint"),
    [
        # A controller: its pods, those that wait before those that have a node.
        ("shop/web", "; it is a Deployment, with the pods shop/web-5c-b, shop/web-5c-a"),
        ("shop/web-5c", "; it is a ReplicaSet, with the pods shop/web-5c-b, shop/web-5c-a"),
        ("web", "; shop/web is a Deployment, with the pods shop/web-5c-b, shop/web-5c-a"),
        ("shop/db", "; it is a StatefulSet, with the pods shop/db-0, shop/db-1, shop/db-2 and 1 more"),
        ("shop/nightly", "; it is a CronJob, with the pod shop/nightly-123-x"),
        ("shop/nightly-123", "; it is a Job, with the pod shop/nightly-123-x"),
        # The beginning of names, here and elsewhere.
        ("shop/web-backend", "; pods that begin so: shop/web-backend-1"),
        ("nigh", "; pods that begin so: shop/nightly-123-x"),
        ("shop/", "; pods that begin so: shop/web-5c-b, shop/db-0, shop/db-1 and 6 more"),
        # Close names, of pods and of controllers.
        ("shop/wbe", "; did you mean shop/web?"),
        ("shop/db_1", "; did you mean shop/db-1 or shop/db?"),
        ("shop/xyz", "; in shop there are shop/web-5c-b, shop/db-0, shop/db-1 and 6 more"),
        ("", ", which holds 9 pods, in shop"),
        ("shpo/xyz", ", which holds 9 pods, in shop; did you mean shop/...?"),
    ],
)
def test_what_may_be_meant_by_a_name_that_no_pod_has(pod, hint):
    pods = pd.concat(
        [
            owned(["web-5c-a"], "ReplicaSet", "web-5c", {"pod-template-hash": "5c"}, node="a"),
            owned(["web-5c-b"], "ReplicaSet", "web-5c", {"pod-template-hash": "5c"}),
            owned([f"db-{number}" for number in range(4)], "StatefulSet", "db"),
            owned(["nightly-123-x"], "Job", "nightly-123"),
            # Its owner's name has no hash of the pod's: no Deployment "web-backend" can be told from it.
            owned(["web-backend-1"], "ReplicaSet", "web-bare"),
            owned(["plain"], None, None),
        ],
        ignore_index=True,
    )
    with pytest.raises(UsageError) as caught:
        kplace.explain(kplace.Cluster.from_frames(NODES, pods), pod)
    assert str(caught.value).endswith(f" in the input{hint}")


def test_a_controller_without_pods_is_named():
    others = cluster()
    others.columns.objects["Deployment"] = [Deployment(ObjectMeta(name="idle", namespace="shop"))]
    with pytest.raises(UsageError, match=r"; it is a Deployment, without pods$"):
        kplace.explain(others, "shop/idle")


def test_gated_pods_are_explained_all_the_same():
    made = kplace.Cluster.from_frames(NODES, PODS.assign(gated=True))
    assert kplace.explain(made, "shop/web-1")["verdict"].tolist()[0] == "scored"


GATES = [{"containers": [{"name": "main"}], "schedulingGates": [{"name": name} for name in ("a/b", "c/d")]}]


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({}, ""),
        ({"node": "a"}, ""),  # where it is, the table says
        ({"spec": GATES}, "it is held back by its gates a/b, c/d"),
        ({"gated": True}, "it is held back by its gate gated"),
        ({"scheduler": "other"}, 'it is left to the scheduler "other" (this is what default-scheduler would say)'),
        ({"phase": "Succeeded"}, "it ran to the end (Succeeded)"),
        ({"phase": "Failed", "gated": True, "terminating": True}, "it ran to the end (Failed)"),
        ({"terminating": True}, "it is being deleted"),
        ({"terminating": True, "gated": True}, "it is being deleted; it is held back by its gate gated"),
        ({"node": None, "waiting": False}, "it is bound to a node that is not in the input"),
    ],
)
def test_why_the_scheduler_would_not_try_a_pod(columns, why):
    pods = pd.DataFrame({"pod": ["p"], "cpu": ["1"], **columns})
    table = kplace.explain(kplace.Cluster.from_frames(NODES, pods), "p")
    assert table.attrs["untried"] == why
    assert (table["verdict"] == "scored").any()
