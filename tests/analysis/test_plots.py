"""Pictures: what they show are the numbers of the tables, counted here by plain pandas; large clusters stay small."""

import builtins
import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kplace
from kplace import plot
from kplace.analysis import metrics
from kplace.analysis.drain import drain_each
from kplace.analysis.plots.drawn import bands, largest, spaced, told_apart
from kplace.errors import UsageError
from kplace.testing import make_node, make_pod
from kplace.testing.clusters import cluster_of
from tests.analysis.pictures import bars, words

MOST_BYTES = 100_000
ZONE = "topology.kubernetes.io/zone"


@pytest.fixture(scope="module")
def run():
    return kplace.place(kplace.read("data/demo"), preemption="dry-run")


@pytest.fixture(scope="module")
def large():
    """5,000 nodes with 100,000 pods, in the columns of the tables."""
    numbers = np.arange(5_000)
    requested = (numbers * 7919) % 32_000
    nodes = pd.DataFrame(
        {
            "node": [f"n{number:04d}" for number in numbers],
            "zone": [f"z{number % 3}" for number in numbers],
            "instance_type": [f"t{number % 50}" for number in numbers],
            "unschedulable": numbers % 97 == 0,
            "allocatable_cpu_milli": 32_000,
            "requested_cpu_milli": requested,
            "free_cpu_milli": 32_000 - requested,
            "allocatable_memory_bytes": 2**37,
            "requested_memory_bytes": (numbers * 104_729_123_457) % 2**37,
            "free_memory_bytes": 2**37 - (numbers * 104_729_123_457) % 2**37,
            "allocatable_pods": 110,
            "requested_pods": 20,
            "free_pods": 90,
        }
    )
    pods = pd.DataFrame({"pod": [f"p{n}" for n in range(100_000)], "namespace": [f"s{n % 40}" for n in range(100_000)]})
    pods["created"] = pd.to_datetime(np.arange(100_000), unit="s", utc=True)
    pods["lasts"] = 3600.0
    pods["requested_cpu_milli"] = 250
    return nodes, pods


def test_nodes_are_where_their_shares_are(run):
    table = run.nodes
    seen = {}
    for trace in plot.nodes(run).data:
        for name, kind, x, y in zip(trace.text, trace.customdata, trace.x, trace.y, strict=True):
            assert trace.name == kind
            seen[name] = (kind, x, y)
    assert seen == {
        row["node"]: (
            row["instance_type"],
            row["requested_cpu_milli"] / row["allocatable_cpu_milli"],
            row["requested_memory_bytes"] / row["allocatable_memory_bytes"],
        )
        for row in table.to_dict("records")
    }


def test_nodes_have_the_area_of_what_they_offer(run):
    sizes = run.nodes.set_index("node")["allocatable_cpu_milli"]
    for trace in plot.nodes(run).data:
        assert list(trace.marker.size) == sizes.loc[list(trace.text)].tolist()
        assert trace.marker.sizemode == "area"
    assert {trace.name for trace in plot.nodes(run, by="zone").data} == {"north-1a", "north-1b", "north-1c"}


def test_many_nodes_are_counted_in_cells(large):
    nodes, _ = large
    (trace,) = plot.nodes(nodes).data
    share = nodes["requested_cpu_milli"] / nodes["allocatable_cpu_milli"]
    memory = nodes["requested_memory_bytes"] / nodes["allocatable_memory_bytes"]
    expected = Counter(
        zip((share * 40).astype(int).clip(upper=39), (memory * 40).astype(int).clip(upper=39), strict=True)
    )
    found = {(x, y): trace.z[y][x] for x in range(40) for y in range(40) if not np.isnan(trace.z[y][x])}
    assert found == expected


def test_groups_beyond_the_colours_are_others(large):
    nodes, _ = large
    few = nodes.head(1000)
    names = [trace.name for trace in plot.nodes(few).data]
    assert len(names) == 7
    assert names[-1] == "others"
    assert sum(len(trace.x) for trace in plot.nodes(few).data) == 1000


def test_the_heatmap_has_the_shares_of_each_node(run):
    (trace,) = plot.heatmap(run).data
    table = run.nodes.set_index("node")
    for name, row in zip(trace.y, trace.z, strict=True):
        for resource, value in zip(trace.x, row, strict=True):
            ending = {"cpu": "cpu_milli", "memory": "memory_bytes", "ephemeral-storage": "ephemeral_storage_bytes"}
            own = table.loc[name]
            offered = own[f"allocatable_{ending.get(resource, resource)}"]
            share = own[f"requested_{ending.get(resource, resource)}"] / offered if offered else np.nan
            assert value == pytest.approx(share, nan_ok=True)
    fullest = np.nanmax(np.array(trace.z), axis=1)
    assert (np.diff(fullest) <= 0).all()


def test_rows_of_many_nodes_are_means(large):
    nodes, _ = large
    (trace,) = plot.heatmap(nodes, resources=["cpu"]).data
    shares = (nodes["requested_cpu_milli"] / nodes["allocatable_cpu_milli"]).sort_values(ascending=False).to_numpy()
    assert np.array(trace.z)[:, 0] == pytest.approx(shares.reshape(50, 100).mean(axis=1))
    assert trace.y[0] == "1 to 100"


def test_curves_of_a_run_are_before_and_after(run):
    before, after = plot.utilisation_curve(run).data
    for trace, prefix in ((before, "requested_before"), (after, "requested")):
        share = run.nodes[f"{prefix}_cpu_milli"] / run.nodes["allocatable_cpu_milli"]
        assert list(trace.y) == pytest.approx(sorted(share, reverse=True))
        assert list(trace.x) == list(range(1, len(share) + 1))
    assert (before.name, after.name) == ("before", "after")
    named = plot.utilisation_curve({"one": run.before, "other": run.nodes}, resource="memory")
    assert [trace.name for trace in named.data] == ["one", "other"]
    assert len(plot.utilisation_curve(run.before).data) == 1


def test_what_nodes_offer_adds_up(run):
    figure = plot.stranded(run, by=("zone", "instance_type"))
    table = run.nodes.assign(group=run.nodes["zone"].astype(str) + " / " + run.nodes["instance_type"].astype(str))
    offered = table.groupby("group")[["allocatable_cpu_milli", "allocatable_memory_bytes"]].sum()
    for axis, column, unit in (("x", "allocatable_cpu_milli", 1000), ("x2", "allocatable_memory_bytes", 2**30)):
        own = [trace for trace in figure.data if trace.xaxis in ({"x": (None, "x")}.get(axis, (axis,)))]
        sums = pd.DataFrame({trace.name: pd.Series(trace.y, index=trace.x) for trace in own}).sum(axis=1)
        assert sums.to_dict() == pytest.approx((offered[column] / unit).to_dict())


def test_stranded_of_a_table_needs_to_know_of_what(large):
    nodes, _ = large
    with pytest.raises(UsageError, match="needs"):
        plot.stranded(nodes)
    figure = plot.stranded(nodes, {"cpu": 500, "memory": 2**30}, "instance_type", resources=["cpu"])
    assert len(figure.data[0].x) == 30
    assert figure.data[0].x[-1] == "others"
    assert sum(sum(trace.y) for trace in figure.data) == pytest.approx(nodes["allocatable_cpu_milli"].sum() / 1000)


def test_gpus_and_shapes(run):
    (trace,) = plot.gpu_histogram(run).data
    counts = metrics.gpu_histogram(run)
    assert (list(trace.x), list(trace.y)) == (counts.index.tolist(), counts.tolist())
    (grid,) = plot.schedulable(run, cpu=[500, 4000], memory=[2**30, 2**35]).data
    for row, memory in enumerate([2**30, 2**35]):
        for column, cpu in enumerate([500, 4000]):
            number = metrics.schedulable(run, {"cpu": cpu, "memory": memory})["schedulable"].iloc[0]
            assert grid.customdata[row][column] == number
            assert grid.text[row][column] == f"{number:,}"
    assert list(grid.x) == ["500m", "4"]
    assert list(grid.y) == ["1 GiB", "32 GiB"]


def test_the_default_grid_ends_where_no_node_offers_more():
    cluster = cluster_of(make_node("n").capacity(cpu="2", memory="1Gi", pods="10"))
    (grid,) = plot.schedulable(cluster).data
    assert list(grid.x) == ["250m", "500m", "1", "2"]
    assert list(grid.y) == ["256 MiB", "512 MiB", "1 GiB"]
    assert np.array(grid.customdata).tolist() == [[4, 4, 2, 1], [2, 2, 2, 1], [1, 1, 1, 1]]


def test_reasons_are_those_of_the_pods(run):
    found = bars(plot.pending(run))
    reasons = run.reasons.astype({"reason": "str"})
    for reason, rows in reasons.groupby("reason"):
        if len(reason) <= 60:
            own = sum(length for (_, name), length in found.items() if name == reason)
            assert own == rows["row"].nunique()
    assert plot.pending(run.reasons).data == plot.pending(run).data


def test_the_funnel_is_that_of_the_nodes(run):
    explained = kplace.explain(run.cluster, "batch/big-sort-00000")
    found = bars(plot.funnel(explained))
    left = len(explained)
    assert found["left", "all nodes"] == left
    for plugin in explained["plugin"].cat.categories:
        number = int((explained["plugin"] == plugin).sum())
        left -= number
        if number:
            assert found["ruled out here", plugin] == number
            assert found["left", plugin] == left
    with pytest.raises(UsageError, match="explain"):
        plot.funnel(run.pods)


def test_domains_have_their_pods_and_the_band(run):
    figure = plot.domains(run, workload="shop/catalog")
    table = metrics.domains(run)
    table = table[(table["workload"] == "shop/catalog") & (table["topology_key"] == ZONE)]
    trace = next(trace for trace in figure.data if "north-1a" in trace.x)
    assert dict(zip(trace.x, trace.y, strict=True)) == dict(zip(table["domain"], table["pods"], strict=True))
    first = table.iloc[0]
    band = next(shape for shape in figure.layout.shapes if shape.yref.split()[0] == (trace.yaxis or "y"))
    assert (band.y0, band.y1) == (first["min"], first["min"] + first["max_skew"])
    with pytest.raises(UsageError, match="no topology spread constraint of 'shop/nothing'"):
        plot.domains(run, workload="shop/nothing")


def test_what_breaks_a_constraint_comes_first_and_is_marked():
    nodes = [make_node(f"n{zone}{i}").label({ZONE: zone}) for zone in "abc" for i in range(2)]
    pods = [make_pod(f"even{zone}").label({"app": "even"}).spread(ZONE).on(f"n{zone}0") for zone in "abc"]
    pods += [make_pod(f"odd{i}").label({"app": "odd"}).spread(ZONE).on("na0") for i in range(3)]
    figure = plot.domains(cluster_of(*nodes, *pods))
    assert [text.partition(" by")[0] for text in words(figure)] == ["default/odd", "default/even"]
    first, second = figure.data
    assert dict(zip(first.x, first.y, strict=True)) == {"a": 3, "b": 0, "c": 0}
    assert len(set(first.marker.color)) == 2
    assert len(set(second.marker.color)) == 1


def test_many_domains_are_thinned():
    nodes = [make_node(f"n{i:03d}") for i in range(200)]
    pods = [make_pod(f"p{i}").label({"app": "p"}).spread("kubernetes.io/hostname").on(f"n{i:03d}") for i in range(9)]
    (trace,) = plot.domains(cluster_of(*nodes, *pods)).data
    assert len(trace.x) == 60
    assert list(trace.y) == sorted(trace.y, reverse=True)
    assert trace.y[0] == 1
    assert trace.y[-1] == 0


def test_a_simulation_over_time(run):
    nodes = pd.DataFrame({"node": ["a"], "cpu": 4, "memory": "8Gi"})
    jobs = pd.DataFrame({"pod": [f"p{i}" for i in range(6)], "cpu": "2", "at": np.arange(6) * 30, "lasts": 100.0})
    history = kplace.simulate(kplace.Cluster.from_frames(nodes), arrivals=jobs)
    figure = plot.timeline(history)
    by_name = {trace.name: trace for trace in figure.data}
    assert list(by_name["cpu"].y) == history.timeline["utilisation_cpu_milli"].tolist()
    assert list(by_name["waiting for an event"].y) == history.timeline["unschedulable"].tolist()
    assert plot.timeline(history.timeline).data == figure.data
    with pytest.raises(UsageError, match="History"):
        plot.timeline(run)


def test_occupancy_counts_the_pods_that_are_there():
    pods = pd.DataFrame(
        {
            "pod": ["a", "b", "c", "d"],
            "namespace": ["x", "y", "x", "x"],
            "created": pd.to_datetime([0, 60, 120, None], unit="s", utc=True),
            "lasts": [100.0, np.nan, 30.0, 5.0],
            "requested_cpu_milli": [1000, 2000, 4000, 8000],
        }
    )
    figure = plot.occupancy(pods)
    for trace in figure.data:
        own = pods[(pods["namespace"] == trace.name) & pods["created"].notna()]
        starts = own["created"].astype("int64").to_numpy() / pods["created"].dropna().astype("int64").iloc[1] * 60
        ends = starts + own["lasts"].fillna(np.inf).to_numpy()
        cores = own["requested_cpu_milli"].to_numpy() / 1000
        for minutes, value in zip(trace.x, trace.y, strict=True):
            at = minutes * 60 if figure.layout.xaxis.title.text == "minutes" else minutes
            alive = (starts <= at + 1e-9) & (ends > at + 1e-9)
            if np.abs(np.concatenate([starts, ends]) - at).min() > 1e-6:
                assert value == cores[alive].sum()
    with pytest.raises(UsageError, match="lasts"):
        plot.occupancy(pods.drop(columns="lasts"))


@pytest.mark.parametrize("cluster", [cluster_of(), cluster_of(make_node("n"))], ids=["nothing", "a node"])
def test_nothing_is_said_and_not_an_error(cluster):
    run = kplace.place(cluster)
    takes = (plot.nodes, plot.heatmap, plot.utilisation_curve, plot.stranded, plot.schedulable)
    empty = not len(cluster.nodes)
    for subject in (cluster, run):
        for function in takes:
            assert bool(words(function(subject))) >= empty
        with pytest.raises(UsageError, match=r"there is no 'nvidia\.com/gpu'"):
            plot.gpu_histogram(subject)
        assert words(plot.domains(subject)) == ["no topology spread constraint"]
        assert words(plot.occupancy(subject)) == ["no pod has a time of creation"]
    assert words(plot.pending(run)) == ["no pod is pending"]
    assert words(kplace.compare(cluster).plot()) == ["both place every pod alike"]
    assert bool(words(drain_each(cluster).plot())) == empty


def test_large_clusters_make_small_pictures(large):
    nodes, pods = large
    needs = {"cpu": 500, "memory": 2**30}
    made = [
        plot.nodes(nodes),
        plot.heatmap(nodes),
        plot.utilisation_curve(nodes),
        plot.stranded(nodes, needs, "node"),
        plot.schedulable(nodes),
        plot.occupancy(pods),
    ]
    assert max(len(figure.to_json()) for figure in made) < MOST_BYTES


def test_without_plotly_the_message_says_what_to_install(run, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("plotly"):
            raise ImportError(name)
        return real(name, *rest)

    for name in [name for name in sys.modules if name.startswith("plotly")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match=r"pip install 'kplace\[plot\]'"):
        plot.nodes(run)


@given(st.integers(0, 3000), st.integers(1, 60))
def test_rows_are_spaced_and_put_together_without_loss(length, most):
    parts = bands(length, most)
    assert len(parts) <= most
    assert [row for part in parts for row in range(part.start, part.stop)] == list(range(length))
    at = spaced(length, most)
    assert len(at) <= max(most, 0)
    assert (np.diff(at) > 0).all()
    if length and most > 1:
        assert (at[0], at[-1]) == (0, length - 1)


@given(st.lists(st.sampled_from("abcdefgh"), max_size=60), st.integers(2, 6))
def test_groups_are_put_together_without_loss(letters, most):
    groups = told_apart(pd.Series(letters, dtype="str"), most)
    assert len(groups) == len(letters)
    assert len(set(groups) - {"others"}) <= most
    counts = Counter(letters)
    for name in set(groups) - {"others"}:
        assert (groups == name).sum() == counts[name]
    table = pd.DataFrame({"n": list(counts.values())}, index=list(counts), dtype="int64")
    assert largest(table, "n", most)["n"].sum() == len(letters)
    assert len(largest(table, "n", most)) <= most
