"""The benchmark of plugins: what is called, what is counted together, what counts as a change."""

from dataclasses import replace

import numpy as np
import pytest

import kplace
from kplace.analysis.bench import BenchReport, Cost, compare, timing
from kplace.analysis.bench.calls import calls_for, typical_pods
from kplace.analysis.bench.cluster import bench_cluster
from kplace.analysis.bench.picture import picture
from kplace.engine.cycle import Options, try_pod
from kplace.engine.place import split_waiting
from kplace.errors import InputError, UsageError
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState
from kplace.testing import make_node, make_pod
from kplace.testing.clusters import cluster_of


def cost(*ns: float, plugin: str = "Mine", nodes: int = 1000) -> Cost:
    return Cost(plugin, "filter", nodes, "web", nodes, ns, 0.5)


def report(*costs: Cost, probe_ns: float = 100.0) -> BenchReport:
    return BenchReport(costs, "1", "default-scheduler", 4, probe_ns)


@pytest.fixture
def brief(monkeypatch):
    monkeypatch.setattr(timing, "ROUND_NS", 1)


class TestCompare:
    def verdict(self, now: Cost, before: Cost, drift: float = 1.0) -> str:
        (change,) = compare(report(now, probe_ns=100 * drift), report(before))
        return change.verdict

    def test_rounds_that_lie_apart_are_a_change(self):
        assert self.verdict(cost(200, 205, 210, 215), cost(100, 105, 110, 115)) == "slower"
        assert self.verdict(cost(100, 105, 110, 115), cost(200, 205, 210, 215)) == "faster"

    def test_rounds_that_overlap_are_none(self):
        assert self.verdict(cost(100, 150, 200, 250), cost(90, 120, 160, 210)) == "same"

    def test_a_single_round_that_was_disturbed_does_not_matter(self):
        assert self.verdict(cost(100, 101, 102, 103, 900), cost(100, 101, 102, 103, 104)) == "same"
        assert self.verdict(cost(200, 201, 202, 203, 204), cost(100, 101, 102, 103, 900)) == "slower"

    def test_less_than_a_twentieth_is_none_however_steady(self):
        assert self.verdict(cost(104, 104, 104), cost(100, 100, 100)) == "same"

    def test_a_machine_that_got_slower_is_no_slower_plugin(self):
        assert self.verdict(cost(200, 205, 210, 215), cost(100, 105, 110, 115), drift=2.0) == "same"
        assert self.verdict(cost(400, 405, 410, 415), cost(100, 105, 110, 115), drift=2.0) == "slower"
        # It did not get faster either, though the machine would have let it.
        assert self.verdict(cost(100, 105, 110, 115), cost(100, 105, 110, 115), drift=0.5) == "same"

    def test_only_what_both_have_is_compared(self):
        now = report(cost(1, 1), cost(1, 1, nodes=5000))
        before = report(cost(1, 1, nodes=5000), cost(1, 1, plugin="Other"))
        assert [change.now.key for change in compare(now, before)] == [("Mine", "filter", 5000)]


@pytest.fixture
def state():
    return ClusterState(bench_cluster(60).columns)


class TestCalls:
    def test_they_give_what_a_cycle_gives(self, state):
        profile = default_profile()
        pod = state.columns.pods.names.index("spread")
        attempt = try_pod(state, profile, pod, 0, Options(percentage_of_nodes_to_score=100))
        calls = {(call.plugin, call.point): call for call in calls_for(state, profile, pod, 1)}
        scored = {plugin for plugin, point in calls if point == "score"}
        assert scored == set(attempt.scores.raw)
        for plugin in scored:
            np.testing.assert_array_equal(calls[plugin, "score"].run(), attempt.scores.raw[plugin])
        passing = np.ones(60, np.bool_)
        for (_, point), call in calls.items():
            if point == "filter":
                passing &= call.run().code == 0
        np.testing.assert_array_equal(np.flatnonzero(passing), np.sort(attempt.feasible))

    def test_a_skipped_plugin_is_not_asked(self, state):
        pod = state.columns.pods.names.index("plain")
        asked = {(call.plugin, call.point) for call in calls_for(state, default_profile(), pod, 1)}
        assert ("PodTopologySpread", "preFilter") in asked
        assert ("PodTopologySpread", "filter") not in asked
        assert ("PodTopologySpread", "score") not in asked

    def test_a_pod_that_fits_nowhere_comes_by_post_filter_each_time_anew(self, state):
        pod = state.columns.pods.names.index("urgent")
        calls = [call for call in calls_for(state, default_profile(), pod, 1) if call.plugin == "DefaultPreemption"]
        assert [call.point for call in calls] == ["postFilter"]
        assert not [call for call in calls_for(state, default_profile(), pod, 1) if call.point == "score"]
        before = state.resources.requested.copy()
        calls[0].run()
        calls[0].run()
        np.testing.assert_array_equal(state.resources.requested, before)

    def test_every_default_plugin_that_filters_or_scores_has_something_to_do(self):
        placed = kplace.place(bench_cluster(60), preemption="dry-run").pods
        assert placed.set_index("pod")["node"].isna().to_dict() == {
            name: name == "urgent"
            for name in (
                *("plain", "spread", "affinity", "anti-affinity", "node-affinity"),
                *("tolerant", "image", "port", "urgent"),
            )
        }


def test_typical_pods_stand_for_their_kind():
    kinds = [("a", "1"), ("b", "2"), ("a", "1"), ("c", "3"), ("b", "2"), ("a", "1")]
    pods = [make_pod(f"{app}-{at}").label(app=app).req(cpu=cpu) for at, (app, cpu) in enumerate(kinds)]
    state = ClusterState(cluster_of(make_node("n"), *pods).columns)
    queued = split_waiting(state, {"default-scheduler": default_profile()})[2]
    names = state.columns.pods.names
    assert [(names[pod], count) for pod, count in typical_pods(state, queued, 10)] == [
        ("a-0", 3),
        ("b-1", 2),
        ("c-3", 1),
    ]
    assert [(names[pod], count) for pod, count in typical_pods(state, queued, 2)] == [("a-0", 3), ("b-1", 2)]


class Counted:
    """Counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def score(self, cycle, nodes):
        self.calls += 1
        return np.zeros(len(nodes), np.int64)


@pytest.mark.usefixtures("brief")
class TestBench:
    def test_a_plugin_of_ones_own(self):
        plugin = Counted()
        report = kplace.bench(nodes=[30, 40], rounds=3, plugins=[plugin])
        table = report.table
        own = table[table["plugin"] == "Counted"]
        assert own[["point", "nodes"]].values.tolist() == [["score", 30], ["score", 40]]
        # Eight pods find a node: a cycle, a first call, one to see how long it takes, and the rounds.
        assert plugin.calls == 2 * 8 * (1 + 2 + 3)
        assert all(len(cost.ns) == 3 for cost in report.costs)

    def test_shares_of_what_a_pod_comes_by_add_up(self):
        table = kplace.bench(nodes=[30], rounds=2).table
        assert table["share"].sum() == pytest.approx(1)
        assert set(table.loc[table["share"].isna(), "point"]) == {"postFilter"}

    def test_a_cluster_that_is_given(self):
        cluster = cluster_of(*(make_node(f"n{at}") for at in range(5)), make_pod("web").req(cpu="1"))
        table = kplace.bench(cluster=cluster, rounds=2).table
        assert set(table["nodes"]) == {5}
        assert set(table["pod"]) == {"web"}

    def test_arguments_that_cannot_be_used(self):
        with pytest.raises(UsageError, match="nodes: expected a whole number from 1 on, got 0"):
            kplace.bench(nodes=[0])
        with pytest.raises(UsageError, match="rounds: expected a whole number from 2 on, got 1"):
            kplace.bench(rounds=1)
        with pytest.raises(UsageError, match="no pod of it waits for default-scheduler"):
            kplace.bench(cluster=cluster_of(make_node("n")))


class TestFiles:
    def test_a_file_is_read_back(self, tmp_path):
        written = report(cost(1.5, 2.5), replace(cost(3.0, 4.0), share=None, point="postFilter"))
        written.to_json(tmp_path / "report.json")
        assert BenchReport.read(tmp_path / "report.json") == written

    @pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "kplace bench 1", "costs": [{"plugin": "x"}]}'])
    def test_another_file_is_refused(self, tmp_path, text):
        path = tmp_path / "other.json"
        path.write_text(text)
        with pytest.raises(InputError, match="expected what kplace bench plugins"):
            BenchReport.read(path)

    def test_the_picture_has_a_line_for_each_plugin(self):
        drawn = picture(report(cost(10, 20), cost(100, 200, nodes=10_000), cost(5, 6, plugin="A<B")))
        assert drawn.count("<polyline") == 2
        assert "A&lt;B, filter" in drawn
        assert "nothing was measured" in picture(report())
