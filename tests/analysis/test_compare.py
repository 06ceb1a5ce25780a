"""What two runs disagree on, and whether the cause that is named is one."""

from dataclasses import replace

import pandas as pd
import pytest

import kplace
from kplace.analysis.compare import compare, compare_versions
from kplace.errors import UsageError
from kplace.testing import make_node, make_pod
from kplace.testing.clusters import cluster_of

MOST = {
    "profiles": [
        {"pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "MostAllocated"}}}]}
    ]
}
NO_TAINTS = {"profiles": [{"plugins": {"multiPoint": {"disabled": [{"name": "TaintToleration"}]}}}]}


def config(body):
    return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", **body}


@pytest.fixture(scope="module")
def demo():
    return kplace.read("data/demo")


def merged(one, other):
    """The disagreements by a plain merge of both tables."""
    columns = ["namespace", "pod", "status", "node"]
    left, right = (run.pods[columns].astype("str").fillna("") for run in (one, other))
    both = left.merge(right, on=["namespace", "pod"], suffixes=("_before", "_after"))
    return both[(both["node_before"] != both["node_after"]) | (both["status_before"] != both["status_after"])]


def test_against_a_plain_merge(demo):
    found = compare(demo, second={"config": config(MOST)}, tie_break="first")
    one = kplace.place(demo, tie_break="first", preemption="off")
    other = kplace.place(demo, tie_break="first", preemption="off", config=config(MOST))
    plain = merged(one, other)
    assert set(found.pods["pod"]) == set(plain["pod"])
    assert found.counts["moved"] + found.counts["now pending"] + found.counts["now placed"] == len(plain)


def test_the_first_pod_that_moves_moves_by_the_plugin_that_was_changed(demo):
    pods = compare(demo, second={"config": config(MOST)}, tie_break="first").pods
    first = pods[pods["change"] == "moved"].iloc[0]
    assert (first["cause"], first["plugin"]) == ("score", "NodeResourcesFit")


def test_a_filter_that_is_switched_off_is_named(demo):
    pods = compare(demo, second={"config": config(NO_TAINTS)}, tie_break="first").pods
    filtered = pods[pods["cause"] == "filter"]
    assert filtered["plugin"].iloc[0] == "TaintToleration"
    assert (filtered["plugin"] == "TaintToleration").sum() > len(filtered) // 2


def test_other_seeds_differ_by_draws(demo):
    found = compare(demo, second={"seed": 1})
    assert set(found.pods["cause"]) == {"draw", "earlier"}
    assert found.pods["cause"].iloc[0] == "draw"


def test_the_same_is_the_same(demo):
    found = compare(demo, tie_break="first")
    assert found.is_same
    assert not len(found.pods)
    assert (found.figures["change"].dropna() == 0).all()


def test_two_clusters(demo):
    node = "gen-b2"
    found = compare(demo, demo.cordoned([node]), tie_break="first")
    assert node not in set(found.pods["node_after"].dropna())
    assert set(found.pods["cause"]) == {""}


def test_runs_as_they_are(demo):
    one, other = kplace.place(demo, seed=0), kplace.place(demo, seed=1)
    found = compare(one, other)
    assert set(found.pods["pod"]) == set(merged(one, other)["pod"])
    assert found.figures.loc["placed", "before"] == (one.pods["status"] == "scheduled").sum()


def test_releases(demo):
    table = compare_versions(demo, "1.33..1.36", tie_break="first")
    assert table["version"].tolist() == ["1.33", "1.34", "1.35", "1.36"]
    for row in table.to_dict("records"):
        run = kplace.place(demo, tie_break="first", preemption="dry-run", kube_version=row["version"])
        assert row["pending"] == (run.pods["status"] == "unschedulable").sum()
    rules = dict(zip(table["version"], table["rules"], strict=True))
    assert "TaintToleration" in rules["1.35"]
    assert "NodeResourcesBalancedAllocation" in rules["1.36"]
    assert rules["1.33"] == ""


@pytest.mark.parametrize("versions", ["1.34", "1.10..1.20", ["1.34"]])
def test_releases_that_cannot_be_compared(demo, versions):
    with pytest.raises(UsageError):
        compare_versions(demo, versions)


def test_what_is_no_run_is_refused():
    with pytest.raises(UsageError, match="expected a Cluster or Placements, got DataFrame"):
        compare(pd.DataFrame())


def test_a_scheduler_that_is_the_same_but_for_its_seed_disagrees_by_draws_alone():
    made = kplace.synth("web", nodes=60, pods=400)
    assert set(compare(made, second={"seed": 1}).pods["cause"]) == {"draw", "earlier"}


def first_alone(cluster, after, row):
    """Where the first scheduler puts a pod into the cluster that the second one had at its turn."""
    at = after.pods.index[after.pods["row"] == row][0]
    earlier = after.pods[(after.pods.index < at) & after.pods["node"].notna()]
    columns = cluster.columns
    node = columns.pods.node.copy()
    node[earlier["row"]] = [columns.nodes.index[name] for name in earlier["node"].astype("str")]
    turn = kplace.Cluster(replace(columns, pods=replace(columns.pods, node=node)))
    run = kplace.place(turn, tie_break="first", preemption="off", only=_only(columns, row)).pods
    return run["node"].astype("object").where(run["node"].notna(), None).iloc[-1]


def _only(columns, row):
    labels = columns.templates[columns.pods.template[row]].labels
    space = columns.pods.namespaces[columns.pods.namespace[row]]
    return f"{space}/" + ",".join(f"{key}={value}" for key, value in labels.items())


def test_what_follows_from_earlier_pods_the_first_scheduler_would_have_done_too():
    nodes = [make_node(f"n{i}").capacity(cpu="8", memory="16Gi", pods="20").zone("abc"[i % 3]) for i in range(6)]
    pods = [make_pod(f"p{i:02d}").label({"own": str(i)}).req(cpu=f"{i % 4 + 1}", memory="1Gi") for i in range(14)]
    cluster = cluster_of(*nodes, *pods)
    found = compare(cluster, second={"config": config(MOST)}, tie_break="first")
    assert set(found.pods["cause"]) >= {"earlier", "score"}
    for row in found.pods.to_dict("records"):
        node = row["node_after"] if isinstance(row["node_after"], str) else None
        assert (row["cause"] == "earlier") == (first_alone(cluster, found.after, row["row"]) == node)


def test_who_is_pushed_out_in_one_run_alone():
    nodes = [make_node("a").capacity(cpu="4", memory="8Gi", pods="10"), make_node("b").taint("dedicated=x:NoSchedule")]
    pods = [
        make_pod("old").req(cpu="3").on("a"),
        make_pod("vip").req(cpu="2").priority(10).label({"app": "vip"}),
        make_pod("small").req(cpu="1").priority(5),
    ]
    cluster = cluster_of(*nodes, *pods)
    for mode in ("immediate", "queue"):
        found = compare(cluster, second={"config": config(NO_TAINTS)}, preemption=mode, tie_break="first")
        rows = found.pods.set_index("pod")
        one, other = (
            kplace.place(cluster, preemption=mode, tie_break="first", config=told) for told in (None, config(NO_TAINTS))
        )
        pushed = [set(run.preemptions.loc[run.preemptions["carried_out"], "victim"]) for run in (one, other)]
        assert pushed == [{"old"}, set()]
        assert rows.loc["old", ["change", "cause", "preemptor", "node_after"]].tolist() == [
            "no longer preempted",
            "preemption",
            "default/vip",
            "a",
        ]
        assert rows.loc["vip", ["change", "node_before", "node_after", "cause"]].tolist() == [
            "moved",
            "a",
            "b",
            "preemption",
        ]
        back = compare(other, one).pods.set_index("pod")
        assert back.loc["old", ["change", "node_before"]].tolist() == ["now preempted", "a"]
        assert found.figures.loc["preempted", "change"] == -1


def test_runs_of_files_are_compared_without_their_clusters(demo, tmp_path):
    runs = [kplace.place(demo), kplace.place(demo, config=config(MOST))]
    for number, run in enumerate(runs):
        run.to_parquet(tmp_path / f"{number}.parquet")
    found = compare(*(kplace.read_placements(tmp_path / f"{number}.parquet") for number in (0, 1)))
    whole = compare(*runs)
    assert set(found.pods["pod"]) == set(whole.pods["pod"])
    assert found.figures["change"].to_dict() == whole.figures.loc[found.figures.index, "change"].to_dict()


def test_a_scheduler_of_another_name_leaves_the_pods_alone(demo):
    other = config({"profiles": [{"schedulerName": "mine"}]})
    found = compare(demo, second={"config": other})
    assert found.counts["now skipped"] == 61
    assert found.figures.loc["skipped", "change"] == 61
    assert found.counts["now pending"] == 0
