"""What rescoring says of a pod is what explaining says of it in the cluster without it, whichever engine is asked."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kplace
from kplace.analysis.rescore import rescore
from kplace.analysis.rescore.judge import Judge
from kplace.analysis.rescore.moves import with_nodes_of
from kplace.analysis.trial import Trial
from kplace.errors import UsageError
from kplace.plugins.contrib import GpuShare
from kplace.testing import make_node, make_pod, strategies
from kplace.testing.clusters import cluster_of
from kplace.testing.strategies import EVERYTHING, Size
from tests.conformance.golden import CASES

GONE = {"DaemonSet", "Node"}
GOLDEN = ("mixed", "affinity", "spread", "spreaddefault", "volumes", "taints", "ports", "images")


@pytest.fixture(scope="module")
def demo():
    return kplace.place(kplace.read("data/demo"), preemption="off").cluster


def bound(cluster):
    pods = cluster.pods
    holds = pods["node"].notna() & ~pods["phase"].isin(["Succeeded", "Failed"]) & ~pods["terminating"]
    own = holds & ~pods["owner_kind"].isin(GONE) & (pods["scheduler"] == "default-scheduler")
    return pods[own]


def keys_of(table):
    return (table["namespace"].astype("str") + "/" + table["pod"]).tolist()


def plain(cluster, key, **scheduling):
    """The nodes as the pod sees them in the cluster without it."""
    table = kplace.explain(cluster.released([key]), key, percentage_of_nodes_to_score=100, **scheduling)
    return table.assign(node=table["node"].astype("str")).set_index("node"), table.attrs["error"]


def check_row(row, table, error, plugins):
    """Hold a row of `Rescore.pods` against the plain table."""
    scored = table[table["verdict"] == "scored"]
    own, best = row["node"], scored["total"].max() if len(scored) else None
    assert row["feasible"] == (0 if error else len(scored))
    if error or not len(scored):
        assert row["outcome"] == "pending"
        assert pd.isna(row["best_node"])
        assert row["reason"]
        return
    assert (row["best_total"], row["ties"]) == (best, (scored["total"] == best).sum())
    assert scored.loc[row["best_node"], "total"] == best
    if own in scored.index:
        assert (row["total"], row["regret"]) == (scored.loc[own, "total"], best - scored.loc[own, "total"])
        assert row["outcome"] == ("stays" if row["regret"] == 0 else "moves")
        assert (row["best_node"] == own) == (row["regret"] == 0)
        for name in plugins:
            column = f"weighted_{name}"
            parts = [0, 0] if column not in table else scored.loc[[row["best_node"], own], column].fillna(0).tolist()
            assert row[f"difference_{name}"] == parts[0] - parts[1], name
    else:
        assert pd.isna(row["regret"])
        assert row["outcome"] == "moves"
        assert row["rejected_by"] == table.loc[own, "plugin"] or pd.isna(table.loc[own, "plugin"])
        assert row["reason"] == table.loc[own, "reasons"]


def check(cluster, found, **scheduling):
    """Hold all rows against the plain tables, and the standing against their sums."""
    keys = keys_of(found.pods)
    assert sorted(keys) == sorted(keys_of(bound(cluster)))
    for key, row in zip(keys, found.pods.to_dict("records"), strict=True):
        check_row(row, *plain(cluster, key, **scheduling), found.plugins)
    assert found.standing == standing_of(found.pods)


def standing_of(pods):
    return (int(pods["regret"].isna().sum()), int(pods["regret"].sum()))


def test_every_pod_of_the_demo(demo):
    check(demo, rescore(demo, moves=0))


@pytest.mark.parametrize("config", [{"percentageOfNodesToScore": 30}, "MostAllocated"])
def test_under_another_configuration(demo, config):
    if config == "MostAllocated":
        args = {"scoringStrategy": {"type": "MostAllocated"}}
        profile = {"schedulerName": "default-scheduler", "pluginConfig": [{"name": "NodeResourcesFit", "args": args}]}
        config = {"profiles": [profile]}
    check(demo, rescore(demo, moves=0, config=config), config=config)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=strategies.clusters(Size(nodes=6, running=8, waiting=2), features=EVERYTHING))
def test_every_pod_of_any_cluster(made):
    cluster = made.cluster()
    check(cluster, rescore(cluster, moves=0, tie_break="first"))


def cases():
    return [path for family in GOLDEN for path in sorted((CASES / family).glob("*"))[:2]]


@pytest.mark.parametrize("path", cases(), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_every_pod_of_golden_cases_once_they_are_placed(path):
    cluster = kplace.place(kplace.read(path), preemption="off").cluster
    check(cluster, rescore(cluster, moves=0))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=strategies.clusters())
def test_both_engines_say_the_same(made):
    cluster = kplace.place(made.cluster(), preemption="off").cluster
    with pytest.MonkeyPatch.context() as patch:
        fast = rescore(cluster, moves=0)
        patch.setattr("kplace.analysis.rescore.judge.can_fuse", lambda _profile: False)
        slow = rescore(cluster, moves=0)
    pd.testing.assert_frame_equal(fast.pods, slow.pods)
    for one, other in zip(fast.scored, slow.scored, strict=True):
        np.testing.assert_array_equal(one, other)


def test_claims_and_attached_volumes_by_both_engines(monkeypatch):
    cluster = kplace.place(kplace.read("data/demo"), preemption="off").cluster
    fast = rescore(cluster, moves=0).pods
    monkeypatch.setattr("kplace.analysis.rescore.judge.can_fuse", lambda _profile: False)
    pd.testing.assert_frame_equal(fast, rescore(cluster, moves=0).pods)
    assert fast["owner_kind"].eq("StatefulSet").any()


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=strategies.clusters(Size(waiting=5)))
def test_the_pod_that_was_placed_last_has_no_regret(made):
    cluster = made.cluster()
    waiting = keys_of(cluster.pods[cluster.pods["waiting"]])
    for key in waiting:
        others = [other for other in waiting if other != key]
        run = kplace.place(cluster.without_pods(others), percentage_of_nodes_to_score=100, preemption="off")
        if (run.pods["status"] == "scheduled").any():
            found = rescore(run.cluster, workloads=key, moves=0).pods
            # A workload may have the name of the pod, too.
            row = found[found["pod"] == key.partition("/")[2]].iloc[0]
            assert (row["outcome"], row["regret"]) == ("stays", 0)


def replay(cluster, found):
    """Make the moves one by one, each checked against the plain table, and the standing after each round."""
    for item in found.greedy.rounds:
        assert item.after < item.before
        for move in item.moves:
            key, names = cluster.columns.pods.key(move.pod), cluster.columns.nodes.names
            assert cluster.columns.pods.node[move.pod] == move.source
            table, _ = plain(cluster, key)
            scored = table[table["verdict"] == "scored"]["total"]
            assert scored[names[move.target]] == scored.max()
            assert move.regret == (scored.max() - scored.get(names[move.source], scored.max() + 1))
            node = cluster.columns.pods.node.copy()
            node[move.pod] = move.target
            pods = replace(cluster.columns.pods, node=node)
            cluster = kplace.Cluster(replace(cluster.columns, pods=pods), cluster.case)
        assert item.after == rescore(cluster, moves=0).standing
    return cluster


def test_the_moves_of_the_demo(demo):
    found = rescore(demo)
    assert found.greedy.ended
    assert len(found.moves) > 3
    after = replay(demo, found)
    assert after.pods["node"].equals(found.cluster.pods["node"])
    table = found.moves
    assert table["gain"].sum() == found.standing.regret - found.after.regret
    np.testing.assert_allclose(table["share"], table["gain"].cumsum() / table["gain"].sum())
    assert table["enough"].sum() == found.enough == int((table["share"] < 0.8).sum()) + 1
    assert rescore(demo, share=1.0).enough == len(table)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=strategies.clusters())
def test_the_moves_of_any_cluster(made):
    cluster = kplace.place(made.cluster(), preemption="off").cluster
    replay(cluster, rescore(cluster, moves=4))


def crowd(nodes=6, pods=40):
    """One full node, the others empty."""
    items = [make_node(f"n{i}").capacity(cpu="64", memory="64Gi", pods="110") for i in range(nodes)]
    spread = [make_pod(f"p{i}").req(cpu="500m", memory="512Mi").on("n0").label({"app": "web"}) for i in range(pods)]
    return cluster_of(*items, *spread)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=strategies.clusters(), data=st.data())
def test_a_judge_that_has_moved_pods_says_what_a_new_one_says(made, data):
    cluster = kplace.place(made.cluster(), preemption="off").cluster
    columns = cluster.columns
    pods = np.flatnonzero(columns.pods.holding & ~columns.pods.terminating).astype(np.int32)
    trial = Trial.of(cluster, {"percentage_of_nodes_to_score": 100})
    judge = Judge(trial, pods)
    for _ in range(3):
        nodes = data.draw(st.lists(st.sampled_from(range(len(columns.nodes))), min_size=len(pods), max_size=len(pods)))
        moved = with_nodes_of(columns, pods, np.array(nodes, np.int32))
        for one, other in zip(judge.rescore(moved), Judge(trial, pods).rescore(moved), strict=True):
            np.testing.assert_array_equal(one, other)


def test_rounds_of_several_moves(monkeypatch):
    cluster = crowd()
    alone = rescore(cluster, moves=12)
    assert [len(item.moves) for item in alone.greedy.rounds] == [1] * 12
    monkeypatch.setattr("kplace.analysis.rescore.moves.SCORINGS", 1)
    monkeypatch.setattr("kplace.analysis.rescore.moves.LEAST_PASSES", 3)
    found = rescore(cluster, moves=12)
    assert [len(item.moves) for item in found.greedy.rounds] == [4, 4, 4]
    replay(cluster, found)
    table = found.moves
    assert table["round"].tolist() == [1] * 4 + [2] * 4 + [3] * 4
    assert table["gain"].notna().tolist() == [False, False, False, True] * 3
    assert table["enough"].sum() in (4, 8, 12)
    # Towards the end rounds get smaller, until no move does any good.
    long = rescore(cluster)
    assert long.greedy.ended
    assert long.after == (0, 0)
    replay(cluster, long)


def test_moves_without_number_end_at_last(monkeypatch):
    monkeypatch.setattr("kplace.analysis.rescore.moves.SCORINGS", 1)
    monkeypatch.setattr("kplace.analysis.rescore.moves.LEAST_PASSES", 2)
    monkeypatch.setattr("kplace.analysis.rescore.moves.LONGEST", 1)
    found = rescore(crowd())
    assert not found.greedy.ended
    assert len(found.greedy.rounds) == 2
    assert found.after < found.standing


def web(name, node="a"):
    return make_pod(name).label({"app": "web"}).req(cpu="1").on(node)


@pytest.mark.parametrize(
    ("node", "pods", "plugin", "reason"),
    [
        (
            make_node("a").taint("maintenance:NoSchedule"),
            [web("web")],
            "TaintToleration",
            "node(s) had untolerated taint {maintenance: }",
        ),
        (make_node("a").cordon(), [web("web")], "NodeUnschedulable", "node(s) were unschedulable"),
        (
            make_node("a").label({"disk": "hdd"}),
            [web("web").node_selector({"disk": "ssd"})],
            "NodeAffinity",
            "node(s) didn't match Pod's node affinity/selector",
        ),
        (
            make_node("a"),
            [web("web").anti_affinity("hostname", {"app": "web"}), web("other")],
            "InterPodAffinity",
            "node(s) didn't match pod anti-affinity rules",
        ),
        (make_node("a").capacity(cpu="1", memory="1Gi", pods="9"), [web("web"), web("two")], "NodeResourcesFit", "cpu"),
    ],
)
def test_drift_names_the_plugin(node, pods, plugin, reason):
    cluster = cluster_of(node, make_node("b").label({"disk": "ssd"}), *pods)
    row = rescore(cluster, moves=0).pods.set_index("pod").loc["web"]
    assert row["rejected_by"] == plugin
    assert reason in row["reason"]
    assert (row["outcome"], row["best_node"]) == ("moves", "b")
    assert pd.isna(row["total"])
    found = rescore(cluster)
    assert found.by_plugin.set_index("plugin")["rejects"][plugin] >= 1
    assert found.after.drifted == 0
    first = found.moves.iloc[0]
    assert (first["to_node"], first["drifted"]) == ("b", 0)
    assert pd.isna(first["own_regret"])


def test_who_is_left_out():
    pods = [
        web("web"),
        web("daemon").owner("DaemonSet", "d"),
        web("static").owner("Node", "a"),
        web("done").phase("Succeeded"),
        web("going").terminating(),
        make_pod("foreign").on("a").scheduler("other"),
        make_pod("waits"),
    ]
    found = rescore(cluster_of(make_node("a"), make_node("b"), *pods))
    assert found.pods["pod"].tolist() == ["web"]
    assert len(found.moves) == 1


def budget(allowed):
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}},
        "status": {"disruptionsAllowed": allowed, "currentHealthy": 2, "desiredHealthy": 2, "expectedPods": 2},
    }


@pytest.mark.parametrize(("allowed", "moved"), [(0, ["other"]), (1, ["web"])])
def test_budgets_keep_pods_where_they_are(allowed, moved):
    nodes = make_node("a"), make_node("b")
    pods = web("web"), make_pod("other").req(cpu="1").on("a")
    found = rescore(cluster_of(*nodes, *pods, budget(allowed)))
    assert found.pods.set_index("pod").loc["web", "budgets_blocking"] == ("" if allowed else "default/web")
    assert found.moves["pod"].tolist() == moved


def test_pods_and_nodes_can_be_chosen(demo):
    everything = rescore(demo, moves=0).pods
    some = rescore(demo, namespaces=["shop", "data"], moves=0).pods
    assert set(keys_of(some)) == set(keys_of(everything[everything["namespace"].isin(["shop", "data"])]))
    same = everything.set_index("row").loc[some["row"]]
    assert same["regret"].tolist() == some["regret"].tolist()
    workload = rescore(demo, workloads="shop/web", moves=0).pods
    assert len(workload) == 4
    assert set(workload["owner"].str.rpartition("-")[0]) == {"web"}
    zone = rescore(demo, where="zone=north-1a", moves=0).pods
    names = demo.nodes.loc[demo.nodes["zone"] == "north-1a", "node"].astype("str")
    assert set(zone["node"].astype("str")) <= set(names)
    assert len(zone)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"moves": -1}, "moves: expected a number, 0 or more, or None, got -1"),
        ({"moves": True}, "moves: expected a number"),
        ({"share": 0}, "share: expected a number above 0, at most 1, got 0"),
        ({"namespaces": "shpo"}, "namespaces: there is no pod in a namespace 'shpo'; did you mean shop"),
        ({"workloads": "shop/wbe"}, "workloads: there is neither a workload nor a pod shop/wbe in the input; did you"),
        ({"where": "zone=north-9"}, "where: no node has 'zone=north-9'"),
        ({"namespaces": "shop", "workloads": "data/orders-db"}, "no pod that could be elsewhere is left"),
    ],
)
def test_refusals(demo, options, message):
    with pytest.raises(UsageError) as caught:
        rescore(demo, **options)
    assert message in str(caught.value)


def test_the_tables_add_up(demo):
    found = rescore(demo)
    pods = found.pods
    by_plugin = found.by_plugin.set_index("plugin")
    gaining = pods[pods["regret"] > 0]
    for name in found.plugins:
        assert by_plugin["difference"][name] == gaining[f"difference_{name}"].sum()
        assert by_plugin["decides"][name] == (gaining["plugin"] == name).sum()
    assert (gaining["regret"] == gaining[[f"difference_{name}" for name in found.plugins]].sum(axis=1)).all()
    names = [f"difference_{name}" for name in found.plugins]
    assert (gaining[names].astype("int64").max(axis=1) > 0).all()
    workloads = found.workloads
    assert workloads["pods"].sum() == len(pods)
    assert workloads["would_move"].sum() == found.would_move == (pods["outcome"] == "moves").sum()
    assert (workloads["drifted"].sum(), workloads["regret"].sum()) == found.standing
    cart = pods[pods["owner"] == "cart-cache"]
    row = workloads.set_index("workload").loc["shop/cart-cache"]
    assert (row["regret"], row["largest"]) == (cart["regret"].sum(), cart["regret"].max())
    order = list(zip(pods["regret"].notna(), -pods["regret"].fillna(0), pods["row"], strict=True))
    assert order == sorted(order)
    figures = found.figures.set_index("figure")
    assert figures.loc["regret", ["before", "after"]].tolist() == [found.standing.regret, found.after.regret]
    assert figures.loc["nodes used", "after"] == (found.cluster.nodes["requested_pods"] > 0).sum()


def test_equal_inputs_give_equal_tables(demo):
    one, other = rescore(demo, seed=7, moves=5), rescore(demo, seed=7, moves=5)
    for name in ("pods", "by_plugin", "workloads", "moves", "figures"):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name))


def test_clusters_of_nothing():
    for cluster in (cluster_of(), cluster_of(make_node("a")), cluster_of(make_node("a"), make_pod("p"))):
        found = rescore(cluster)
        assert found.standing == (0, 0)
        assert [len(table) for table in (found.pods, found.workloads, found.moves)] == [0, 0, 0]
        assert len(found.figures)


class Picky:
    """A plugin of somebody's own: likes nodes by the name of the pod."""

    name = "Picky"

    def score(self, cycle, nodes):
        names = [cycle.state.columns.nodes.names[node] for node in nodes]
        return np.array([100 * name.endswith(cycle.pod_name[-1]) for name in names], np.int64)


def test_plugins_that_look_at_the_pod_itself():
    cluster = cluster_of(make_node("a"), make_node("b"), *(make_pod(name).on("a") for name in ("x-a", "x-b")))
    plugins = {"Picky": Picky}
    found = rescore(cluster, plugins=plugins)
    check(cluster, found, plugins=plugins)
    assert found.pods["difference_Picky"].tolist() == [100, 0]
    assert found.pods["plugin"].tolist()[0] == "Picky"
    assert found.moves["pod"].tolist() == ["x-b"]


def test_plugins_that_keep_books_about_pods():
    key = "alibabacloud.com/gpu-"
    nodes = [make_node(name).capacity(cpu="8", memory="8Gi", **{f"{key}count": "2"}) for name in ("a", "b")]
    pods = [
        make_pod(f"p{i}").req(cpu="1").metadata(annotations={f"{key}milli": str(milli), f"{key}count": "1"}).on("a")
        for i, milli in enumerate((600, 300, 300, 500))
    ]
    cluster = cluster_of(*nodes, *pods)
    plugins = {"GpuShare": GpuShare}
    found = rescore(cluster, plugins=plugins, moves=2)
    check(cluster, found, plugins=plugins)
    assert found.pods["difference_GpuShare"].ne(0).any()


def test_pods_of_several_schedulers():
    profiles = [{"schedulerName": name} for name in ("default-scheduler", "second")]
    profiles[1]["pluginConfig"] = [
        {"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "MostAllocated"}}},
        {"name": "NodeResourcesBalancedAllocation", "args": {"resources": [{"name": "cpu", "weight": 1}]}},
    ]
    pods = [make_pod(f"p{i}").req(cpu="1", memory="1Gi").on("a") for i in range(3)]
    others = [make_pod(f"q{i}").req(cpu="1", memory="1Gi").on("b").scheduler("second") for i in range(1)]
    cluster = cluster_of(make_node("a"), make_node("b"), *pods, *others)
    found = rescore(cluster, config={"profiles": profiles})
    rows = found.pods.set_index("pod")
    # The second one wants to be where most is requested already.
    assert rows.loc["q0", "best_node"] == "a"
    assert (rows.loc[["p0", "p1", "p2"], "regret"] > 0).all()
    assert found.after < found.standing
