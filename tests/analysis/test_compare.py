"""What two runs disagree on, and whether the cause that is named is one."""

import pandas as pd
import pytest

import kplace
from kplace.analysis.compare import compare, compare_versions
from kplace.errors import UsageError

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
    assert set(found.pods["cause"]) <= {"draw", "earlier", "score", "filter"}
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
