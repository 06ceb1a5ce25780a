"""Score matrices: what the cycle says of each pod, whatever is shared, however much memory and however many threads."""

import dataclasses

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import kplace
from kplace.api.scores import ScoreBlock, Scores
from kplace.dtypes import NO_NODE, TieBreak
from kplace.engine.cycle import Options, try_pod
from kplace.engine.matrix.kernels import OUTSIDE_SAMPLE, REJECTED, SCORED
from kplace.engine.place import register_nominations, split_waiting
from kplace.framework.runtime import PASSED
from kplace.state import ClusterState
from kplace.testing import make_node, make_pod
from kplace.testing.clusters import cluster_of
from kplace.testing.strategies import EVERYTHING, MadeUp, Size, clusters
from tests.properties.records import PROFILE

SIZE = Size(nodes=6, running=8, waiting=6)


def same(left: ScoreBlock, right: ScoreBlock) -> None:
    np.testing.assert_array_equal(left.pods, right.pods)
    for field in dataclasses.fields(left.arrays):
        if field.name != "axes":
            got, wanted = (getattr(block.arrays, field.name) for block in (left, right))
            if field.name == "messages":
                got, wanted = np.array(got), np.array(wanted)
            np.testing.assert_array_equal(got[left.row], wanted[right.row], err_msg=field.name)


def in_three_sizes(made: MadeUp) -> MadeUp:
    """Every waiting pod three times; the copies differ in the processor time that they request."""
    grown = made.grown(waiting=3)
    waiting = [pod for pod in grown.pods if "nodeName" not in pod["spec"]]
    for at, pod in enumerate(waiting[len(waiting) // 3 :]):
        resources = pod["spec"]["containers"][0].setdefault("resources", {})
        resources["requests"] = {**resources.get("requests", {}), "cpu": f"{10 + 7 * at}m"}
    return grown


@settings(max_examples=60)
@given(clusters(SIZE, features=EVERYTHING), st.sampled_from([0, 100]), st.booleans())
def test_it_is_what_the_cycle_says(made: MadeUp, percentage: int, varies: bool):
    made = in_three_sizes(made) if varies else made
    cluster = made.grown(nodes=25).cluster() if percentage == 0 else made.cluster()
    block = kplace.score(cluster, percentage_of_nodes_to_score=percentage, threads=1).arrays()
    state = ClusterState(cluster.columns)
    queued = split_waiting(state, {PROFILE.scheduler_name: PROFILE})[2]
    register_nominations(state, queued)
    np.testing.assert_array_equal(block.pods, queued)
    options = Options(TieBreak.FIRST, percentage_of_nodes_to_score=percentage)
    for pod, row in zip(block.pods.tolist(), block.row.tolist(), strict=True):
        attempt = try_pod(state, PROFILE, pod, 0, options)
        check_row(block, row, attempt)


def check_row(block: ScoreBlock, row: int, attempt) -> None:
    arrays, axes = block.arrays, block.arrays.axes
    assert arrays.winner[row] == attempt.node
    verdict = arrays.verdict[row]
    if attempt.filters is None:
        assert (verdict == REJECTED).all()
        name = attempt.pre_filters.rejected_by.name
        assert {axes.rejecters[code] for code in arrays.rejecter[row]} <= {name}
        return
    np.testing.assert_array_equal(verdict != REJECTED, attempt.filters.plugin == PASSED)
    scored = np.zeros(axes.n_nodes, np.bool_)
    scored[attempt.feasible] = True
    np.testing.assert_array_equal(verdict == SCORED, scored)
    np.testing.assert_array_equal(verdict == OUTSIDE_SAMPLE, (attempt.filters.plugin == PASSED) & ~scored)
    for node in np.flatnonzero(verdict == REJECTED).tolist():
        plugin = attempt.filters.plugin[node]
        name = attempt.profile.filter[plugin].name if plugin >= 0 else ""
        assert axes.rejecters[arrays.rejecter[row, node]] == name
    if attempt.scores is None:
        assert not arrays.scores[row].any()
        return
    nodes = attempt.feasible
    np.testing.assert_array_equal(arrays.total[row, nodes], attempt.scores.total)
    assert {axes.plugins[plugin] for plugin in np.flatnonzero(arrays.scores[row])} == attempt.scores.raw.keys()
    for name, raw in attempt.scores.raw.items():
        plugin = axes.plugin_index[name]
        np.testing.assert_array_equal(arrays.raw(plugin)[row, nodes], raw)
        np.testing.assert_array_equal(arrays.weighted[row, plugin, nodes], attempt.scores.final[name])


@settings(max_examples=25)
@given(clusters(SIZE, features=EVERYTHING))
def test_threads_and_memory_change_nothing(made: MadeUp):
    cluster = made.grown(waiting=2).cluster()
    once = kplace.score(cluster, threads=1)
    threaded = kplace.score(cluster, threads=3)
    same(threaded.arrays(), once.arrays())
    tiny = kplace.score(cluster, threads=2, memory=1)
    pieces = list(tiny.blocks())
    assert np.concatenate([block.pods for block in pieces]).tolist() == once.rows.pods.tolist()
    assert all(len(block.arrays) <= 1 for block in pieces)
    whole = once.arrays()
    for block in pieces:
        at = np.isin(whole.pods, block.pods)
        same(block, ScoreBlock(whole.pods[at], whole.row[at], whole.arrays))
    for layout in ("wide", "long"):
        joined = pd.concat(list(tiny.pieces(layout)), ignore_index=True) if len(tiny) else once.wide().head(0)
        table = getattr(once, layout)()
        if len(tiny):
            pd.testing.assert_frame_equal(joined.astype("str"), table.astype("str"))
    pd.testing.assert_frame_equal(tiny.decisions, once.decisions)
    kinds = ("raw", "normalised", "weighted")
    pd.testing.assert_frame_equal(tiny.top(3, kinds), once.top(3, kinds))


@settings(max_examples=60)
@given(clusters(SIZE, features=EVERYTHING))
def test_the_smallest_flip_is_one_and_is_the_smallest(made: MadeUp):
    scores = kplace.score(made.cluster(), threads=1)
    block, decisions = scores.arrays(), scores.decisions
    for at, row in enumerate(block.row.tolist()):
        naive = naive_flip(scores, block, row)
        said = decisions.iloc[at]
        if naive is None:
            assert pd.isna(said["flip_plugin"])
            continue
        plugin, weight, node = naive
        assert (said["flip_plugin"], said["flip_weight"], said["flip_node"]) == (plugin, weight, node)


def naive_flip(scores: Scores, block: ScoreBlock, row: int) -> tuple[str, int, str] | None:
    """Try all weights one by one: the first that makes another node win, the plugins in their order."""
    arrays = block.arrays
    winner = int(arrays.winner[row])
    nodes = np.flatnonzero(arrays.verdict[row] == SCORED)
    if winner == NO_NODE:
        return None
    normalised = arrays.normalised[row].astype(np.int64)
    for change in range(1, 900):
        for plugin in np.flatnonzero(arrays.scores[row]).tolist():
            for sign in (1, -1):
                weights = arrays.weights[row].copy()
                weights[plugin] += sign * change
                if weights[plugin] < 0:
                    continue
                totals = (normalised * (weights * arrays.scores[row])[:, None]).sum(axis=0)
                if totals[nodes].max() > totals[winner]:
                    node = nodes[np.argmax(totals[nodes])]
                    names = scores.columns.nodes.names
                    return scores.plugins[plugin], int(weights[plugin]), names[node]
    return None


@settings(max_examples=40)
@given(clusters(SIZE, features=EVERYTHING), st.integers(1, 8))
def test_the_best_nodes_are_those_of_the_wide_table(made: MadeUp, k: int):
    scores = kplace.score(made.cluster(), threads=1)
    wide, top, decisions = scores.wide(), scores.top(k), scores.decisions
    scored = wide[wide["verdict"] == "scored"]
    expected = scored.sort_values("total", ascending=False, kind="stable").groupby(["namespace", "pod"], observed=True)
    for (namespace, pod), best in expected:
        own = top[(top["namespace"] == namespace) & (top["pod"] == pod)]
        assert own["node"].tolist() == best["node"].head(k).tolist()
        assert own["total"].tolist() == best["total"].head(k).tolist()
        said = decisions[(decisions["namespace"] == namespace) & (decisions["pod"] == pod)].iloc[0]
        totals = best["total"].tolist()
        assert (said["node"], said["total"], said["ties"]) == (best["node"].iloc[0], totals[0], totals.count(totals[0]))
        if len(totals) > 1:
            assert (said["runner_up"], said["margin"]) == (best["node"].iloc[1], totals[0] - totals[1])


def test_explain_shows_the_same():
    nodes = [
        make_node(f"n{at}").capacity(cpu=str(2 + at), memory="8Gi", pods="10").zone("ab"[at % 2]) for at in range(5)
    ]
    running = make_pod("run").label(app="web").req(cpu="1", memory="1Gi").on("n2")
    waiting = [make_pod(f"web-{at}").label(app="web").req(cpu="3", memory="1Gi").spread("zone") for at in range(2)]
    cluster = cluster_of(*nodes, running, *waiting)
    scores = kplace.score(cluster)
    assert len(scores.rows) == 1
    wide = scores.wide()
    for pod in ("web-0", "web-1"):
        own = wide[wide["pod"] == pod].set_index(wide[wide["pod"] == pod]["node"].astype("str")).sort_index()
        table = kplace.explain(cluster, pod)
        shown = table.set_index(table["node"].astype("str")).sort_index()
        columns = [name for name in shown.columns if name in own.columns and name not in ("node",)]
        assert any(name.startswith("raw_") for name in columns)
        for name in columns:
            assert own[name].astype("str").tolist() == shown[name].astype("str").tolist(), name


class ByName:
    """Scores pods by their names, which kplace cannot know."""

    def score(self, cycle, nodes):
        return np.full(len(nodes), int(cycle.pod_name[-1]), np.int64)


def test_pods_are_told_apart_for_a_plugin_of_ones_own():
    cluster = cluster_of(make_node("n"), *(make_pod(f"web-{at}").req(cpu="1") for at in range(3)))
    scores = kplace.score(cluster, plugins=[ByName], threads=2)
    assert len(scores.rows) == 3
    assert scores.top(1, ("raw",))["raw_ByName"].tolist() == [0, 1, 2]


def test_pods_with_claims_of_their_own_are_told_apart():
    claims = [{"name": "data", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}}]
    pods = [make_pod(f"web-{at}").req(cpu="1").manifest() for at in range(2)]
    for pod in pods:
        pod["spec"]["volumes"] = claims
    assert len(kplace.score(cluster_of(make_node("n"), *pods)).rows) == 2
