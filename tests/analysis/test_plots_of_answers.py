"""Pictures of answers: what they show are the numbers of the answers' tables."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import kplace
from kplace import plot
from kplace.analysis.capacity import frontier
from kplace.analysis.compare import compare_versions
from kplace.analysis.drain import drain_each
from kplace.errors import UsageError
from kplace.testing import make_node
from kplace.testing.clusters import cluster_of
from tests.analysis.pictures import bars, words


@pytest.fixture(scope="module")
def run():
    return kplace.place(kplace.read("data/demo"), preemption="dry-run")


def test_curves_have_the_median_and_the_range():
    chance = np.random.default_rng(0)
    runs = pd.DataFrame(
        [
            {"load": load, "configuration": name, "seed": seed, "pending": chance.random(), "error": None}
            for load in (50, 70, 90)
            for name in "ab"
            for seed in range(5)
        ]
    )
    runs.loc[0, "error"] = "failed"
    figure = plot.curves(runs, "pending", by="configuration")
    good = runs[runs["error"].isna()]
    for band, line in zip(figure.data[::2], figure.data[1::2], strict=True):
        own = good[good["configuration"] == line.name].groupby("load")["pending"]
        assert list(line.y) == own.median().tolist()
        assert list(band.y) == [*own.max(), *own.min()[::-1]]
    with pytest.raises(UsageError, match="there is no 'spend'"):
        plot.curves(runs, "spend")


def test_capacity_in_pictures(run):
    found = kplace.capacity(run.cluster, like=["shop/web", "shop/sequencer", "ml/inference"])
    shown = {name: length for (_, name), length in bars(found.plot()).items()}
    assert shown == dict(zip(found.table["spec"], found.table["capacity"], strict=True))
    by_zone = found.by("zone")
    copies = {(kind, zone): number for (kind, zone), number in bars(found.plot.copies("zone")).items() if number}
    assert copies == {(row["spec"], row["zone"]): row["copies"] for row in by_zone.to_dict("records")}
    why = bars(found.plot.binding(0))
    for row in found.binding[0].to_dict("records"):
        parts = [length for (_, name), length in why.items() if row["reason"].startswith(name.removesuffix("…"))]
        assert sum(parts) == row["nodes"]
    table = frontier(run.cluster, like=["shop/web", "batch/reconcile"], points=4)
    (line,) = plot.frontier(table).data
    assert list(line.y) == table["batch/reconcile"].tolist()
    with pytest.raises(UsageError, match="two columns"):
        plot.frontier(table.assign(third=1))


def test_a_drain_in_pictures(run):
    found = kplace.drain(run.cluster, ["gen-a1", "mem-a1"])
    shown = bars(found.plot())
    for row in found.nodes.to_dict("records"):
        assert shown["find another node", row["node"]] == row["moves"]
        assert shown["stay pending", row["node"]] == row["pending"]
    (trace,) = found.plot.moves("node").data
    pods = found.pods[found.pods["outcome"].isin(["moves", "pending"])]
    expected = Counter(zip(pods["from_node"], pods["node"].astype(object).fillna("pending"), strict=True))
    seen = {(y, x): trace.z[i][j] for i, y in enumerate(trace.y) for j, x in enumerate(trace.x) if trace.z[i][j]}
    assert seen == expected
    assert len(found.plot.utilisation("memory").data) == 2
    each = drain_each(run.cluster)
    table = each.nodes
    shown = bars(each.plot("zone"))
    for zone, rows in table.groupby("zone", observed=True):
        assert sum(length for (_, name), length in shown.items() if name == zone) == len(rows)
        assert shown["can go, with the others of the set", zone] == rows["in_set"].sum()


def test_a_comparison_in_pictures(run):
    found = kplace.compare(run.before, second={"seed": 1})
    shown = bars(found.plot())
    expected = Counter(zip(found.pods["cause"], found.pods["change"], strict=True))
    assert shown == expected
    shares = bars(found.plot.figures())
    assert shares["before", "utilisation cpu"] == found.figures.loc["utilisation cpu", "before"]
    before, after = found.plot.utilisation().data
    assert list(before.y) == sorted(found.before.nodes["utilisation_cpu_milli"], reverse=True)
    assert list(after.y) == sorted(found.after.nodes["utilisation_cpu_milli"], reverse=True)
    table = compare_versions(run.before, "1.35..1.36")
    assert bars(plot.versions(table))["placed elsewhere", "1.36"] == table["moved"].iloc[1]


def test_chance_and_regret_in_pictures(run):
    found = kplace.stability(run.before, runs=6)
    some = found.pods[(found.pods["p_pending"] > 0) & (found.pods["p_pending"] < 1)]
    (trace,) = found.plot().data
    names = some["namespace"].astype(str) + "/" + some["pod"].astype(str)
    assert dict(zip(trace.y, trace.x, strict=True)) == dict(zip(names, some["p_pending"], strict=True))
    rescored = kplace.rescore(run.cluster)
    (line,) = rescored.plot().data
    assert line.y[0] == rescored.standing.regret
    assert line.y[-1] == rescored.after.regret
    assert line.x[-1] == len(rescored.moves)


def test_what_sampling_costs_in_a_picture():
    nodes = pd.DataFrame({"node": [f"n{i}" for i in range(150)], "cpu": [8 + 56 * (i < 5) for i in range(150)]})
    waiting = pd.DataFrame({"pod": [f"p{i}" for i in range(40)], "cpu": "1"})
    cluster = kplace.Cluster.from_frames(nodes, waiting)
    found = kplace.sampling(cluster, percentages=[5, 50, 80], pods=20, tolerance=0.5)
    traces = {trace.name.partition(":")[0]: trace for trace in found.plot().data}
    table, line = found.table, traces["mean loss"]
    assert list(line.x) == table["nodes_wanted"].tolist()
    assert list(line.y) == table["loss_mean"].tolist()
    assert list(line.error_y.array) == table["loss_stderr"].tolist()
    assert max(line.error_y.array) > 0
    assert max(line.y) > min(line.y)
    assert list(line.text) == ["0, 5, 50", "", "", "80", "100"]
    assert set(traces["tolerance"].y) == {0.5}
    for name, column in (("recommended", "recommended"), ("set now", "current")):
        (row,) = table[table[column]].to_dict("records")
        assert traces[name].name == f"{name}: {row['percentage']}"
        assert (*traces[name].x, *traces[name].y) == (row["nodes_wanted"], row["loss_mean"])


def test_sampling_without_anything_to_draw(run):
    assert words(kplace.sampling(run.before).plot()) == ["sampling does not happen: there are fewer than 100 nodes"]
    nodes = pd.DataFrame({"node": [f"n{i}" for i in range(100)], "cpu": 1})
    found = kplace.sampling(kplace.Cluster.from_frames(nodes, pd.DataFrame({"pod": ["p"], "cpu": "2"})))
    assert words(found.plot()) == ["no pod found a node"]


def test_plans_in_a_picture():
    nodes = pd.DataFrame({"node": ["a"], "cpu": [4], "instance_type": ["small"]})
    pods = pd.DataFrame({"pod": ["web", "db", "job"], "cpu": "3", "node": ["a", None, None]})
    found = kplace.provision(kplace.Cluster.from_frames(nodes, pods), pools=True, prices={"small": 0.1})
    cost, least = found.plot().data
    assert list(cost.x) == found.table["cost"].tolist()
    assert list(least.x) == found.table["at_least"].tolist()
    assert list(found.plot.nodes().data[0].y) == found.best.nodes["node"].tolist()


def test_why_in_a_picture(run):
    found = kplace.why(run.cluster, "data/cache-warmer")
    shown = bars(found.plot())
    assert {name: shown["left", name] for name in found.funnel["plugin"].replace("", "all nodes")} == dict(
        zip(found.funnel["plugin"].replace("", "all nodes"), found.funnel["left"], strict=True)
    )


def test_a_drain_without_pods_to_move():
    cluster = cluster_of(make_node("n"))
    assert words(kplace.drain(cluster, "n").plot.moves()) == ["no pod has to move"]
    assert bars(kplace.drain(cluster, "n").plot())["find another node", "n"] == 0
