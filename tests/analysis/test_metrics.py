"""Every metric is what its definition says, worked out once more in plain Python."""

import numpy as np
import pandas as pd
import pytest

import kplace
from kplace.analysis import metrics
from kplace.errors import UsageError
from kplace.testing import make_node, make_pod
from kplace.testing.clusters import cluster_of
from tests.analysis import plain

ENDINGS = ("cpu_milli", "memory_bytes", "pods")


def made_up_nodes(number, seed=0):
    """A table of nodes with the documented columns, some full, some cordoned, some overcommitted."""
    random = np.random.default_rng(seed)
    nodes = pd.DataFrame({"node": [f"n{i}" for i in range(number)]})
    nodes["zone"] = random.choice(["a", "b", "c"], number)
    nodes["instance_type"] = random.choice(["small", "large"], number)
    nodes["unschedulable"] = random.random(number) < 0.1
    for ending, size in (("cpu_milli", 16_000), ("memory_bytes", 64 << 30), ("pods", 20), ("nvidia.com/gpu", 8)):
        offered = random.integers(1, 5, number) * size // 4
        used = (offered * random.choice([0, 0.3, 0.9, 1.0, 1.1], number)).astype(np.int64)
        nodes[f"allocatable_{ending}"] = offered
        nodes[f"requested_{ending}"] = used
        nodes[f"free_{ending}"] = offered - used
        nodes[f"utilisation_{ending}"] = used / offered
    return nodes


@pytest.fixture(scope="module")
def demo():
    return kplace.read("data/demo")


@pytest.fixture(scope="module")
def run(demo):
    return kplace.place(demo)


@pytest.fixture(params=range(3))
def nodes(request):
    return made_up_nodes(60, request.param)


@pytest.mark.parametrize("ending", ENDINGS)
def test_utilisation_by_zone(nodes, ending):
    name = {"cpu_milli": "cpu", "memory_bytes": "memory"}.get(ending, ending)
    found = metrics.utilisation(nodes, "zone", resources=[name]).set_index("zone")["utilisation"]
    assert found.to_dict() == pytest.approx(plain.utilisation(nodes, "zone", ending))


def test_utilisation_of_all_nodes_by_label_and_by_several_columns(demo):
    whole = metrics.utilisation(demo).set_index("resource")
    assert whole.loc["cpu", "requested"] == demo.nodes["requested_cpu_milli"].sum()
    assert whole.loc["cpu", "nodes"] == 14
    by_label = metrics.utilisation(demo, "label:topology.kubernetes.io/zone", resources=["cpu"])
    by_zone = metrics.utilisation(demo, "zone", resources=["cpu"])
    assert by_label["utilisation"].tolist() == by_zone["utilisation"].tolist()
    both = metrics.utilisation(demo, ["zone", "instance_type"], resources=["memory"])
    assert both["allocatable"].sum() == demo.nodes["allocatable_memory_bytes"].sum()


def test_sums_beyond_64_bits_stay_exact():
    huge = 2**62
    nodes = pd.DataFrame({"node": list("abc"), "allocatable_memory_bytes": huge, "requested_memory_bytes": huge})
    assert metrics.utilisation(nodes)["allocatable"].tolist() == [3 * huge]


def test_imbalance(nodes):
    found = metrics.imbalance(nodes, resources=["cpu"]).iloc[0]
    shares = (nodes["requested_cpu_milli"] / nodes["allocatable_cpu_milli"]).tolist()
    assert found["range"] == pytest.approx(max(shares) - min(shares))
    assert found["stddev"] == pytest.approx(pd.Series(shares).std(ddof=0))
    assert found["cv"] == pytest.approx(pd.Series(shares).std(ddof=0) / pd.Series(shares).mean())
    assert found["gini"] == pytest.approx(plain.gini(shares))
    by_zone = metrics.imbalance(nodes, "zone", resources=["cpu"]).set_index("zone")
    own = nodes[nodes["zone"] == "b"]
    assert by_zone.loc["b", "mean"] == pytest.approx((own["requested_cpu_milli"] / own["allocatable_cpu_milli"]).mean())
    assert by_zone["nodes"].sum() == len(nodes)


def test_equal_nodes_have_no_imbalance():
    nodes = pd.DataFrame({"node": ["a", "b"], "allocatable_cpu_milli": 1000, "requested_cpu_milli": 500})
    found = metrics.imbalance(nodes).iloc[0]
    assert found[["range", "stddev", "cv", "gini"]].tolist() == [0, 0, 0, 0]


def test_packing(nodes):
    found = metrics.packing(nodes)
    assert found.least == plain.fewest(nodes, (*ENDINGS, "nvidia.com/gpu"))
    assert found.used == sum(row["requested_pods"] > 0 for row in plain.rows(nodes))
    assert found.nodes == found.used + found.empty
    assert found.efficiency == pytest.approx(found.least / found.used)


def test_stranded(nodes):
    needs = {"cpu": 2000, "memory": 8 << 30}
    found = metrics.stranded(nodes, needs).set_index("resource")
    ends = {"cpu_milli": 2000, "memory_bytes": 8 << 30}
    for resource, ending in (("cpu", "cpu_milli"), ("memory", "memory_bytes"), ("nvidia.com/gpu", "nvidia.com/gpu")):
        assert found.loc[resource, "stranded"] == plain.stranded(nodes, ending, ends)
        free = nodes[f"free_{ending}"].clip(lower=0).sum()
        assert found.loc[resource, ["stranded", "usable", "cordoned"]].sum() == free
    by_zone = metrics.stranded(nodes, needs, "zone")
    assert by_zone.groupby("resource")["stranded"].sum()["cpu"] == found.loc["cpu", "stranded"]


def test_stranded_takes_the_smallest_pod_of_the_cluster(demo, nodes):
    needs = metrics.smallest_needs(demo.pods)
    assert needs == {
        name: int(amounts[amounts > 0].min())
        for name, amounts in (
            ("cpu", demo.pods["requested_cpu_milli"]),
            ("memory", demo.pods["requested_memory_bytes"]),
        )
    }
    assert metrics.stranded(demo).equals(metrics.stranded(demo, needs))
    with pytest.raises(UsageError, match="needs: a plain table"):
        metrics.stranded(nodes)


def test_schedulable_count_and_fullness(nodes):
    shape = {"cpu": 1500, "memory": 6 << 30}
    ends = {"cpu_milli": 1500, "memory_bytes": 6 << 30}
    found = metrics.schedulable(nodes, shape)
    assert found["schedulable"].tolist() == [plain.fits(nodes, ends)]
    by_zone = metrics.schedulable(nodes, shape, "zone").set_index("zone")
    for zone, own in nodes.groupby("zone"):
        assert by_zone.loc[zone, "schedulable"] == plain.fits(own, ends)
    fullness = metrics.effective_fullness(nodes, shape)
    free = nodes["free_cpu_milli"].clip(lower=0).sum()
    assert fullness["cpu"] == pytest.approx(1 - plain.fits(nodes, ends) * 1500 / free)


def test_the_binding_resource():
    nodes = cluster_of(
        make_node("a").capacity(cpu="4", memory="1Gi", pods="10"),
        make_node("b").capacity(cpu="4", memory="2Gi", pods="10"),
    )
    assert metrics.schedulable(nodes, {"cpu": 1000, "memory": 1 << 30}).to_dict("records") == [
        {"nodes": 2, "schedulable": 3, "binding": "memory"}
    ]


def test_largest_free_block(nodes):
    found = metrics.largest_free(nodes, resources=["cpu"]).iloc[0]
    there = nodes[~nodes["unschedulable"]]
    assert found["largest"] == there["free_cpu_milli"].max()
    assert there.set_index("node").loc[found["node"], "free_cpu_milli"] == found["largest"]


def test_largest_pods_are_those_that_no_other_beats(nodes):
    found = metrics.largest_pods(nodes)
    there = nodes[~nodes["unschedulable"] & (nodes["free_pods"] > 0)]
    pairs = set(zip(there["free_cpu_milli"], there["free_memory_bytes"], strict=True))
    best = {
        pair
        for pair in pairs
        if not any(other != pair and other[0] >= pair[0] and other[1] >= pair[1] for other in pairs)
    }
    assert set(zip(found["free_cpu_milli"], found["free_memory_bytes"], strict=True)) == best


def test_lopsided(nodes):
    found = metrics.lopsided(nodes)
    row = nodes.iloc[7]
    assert found["n7"] == pytest.approx(
        abs(row["requested_cpu_milli"] / row["allocatable_cpu_milli"] - row["utilisation_memory_bytes"])
    )


def test_gpu_histogram(nodes):
    found = metrics.gpu_histogram(nodes)
    there = nodes[~nodes["unschedulable"]]
    for free, number in found.items():
        assert number == (there["free_nvidia.com/gpu"].clip(lower=0) == free).sum()


@pytest.mark.parametrize("seed", range(3))
def test_gpu_fragmentation_with_shared_devices(seed):
    nodes = made_up_nodes(25, seed)
    random = np.random.default_rng(seed)
    free = {name: random.choice([0, 250, 500, 1000], random.integers(1, 5)).tolist() for name in nodes["node"]}
    devices = pd.DataFrame([(name, left) for name, own in free.items() for left in own], columns=["node", "free_milli"])
    mix = pd.DataFrame(
        {
            "requested_cpu_milli": [1000, 4000, 500, 2000],
            "requested_memory_bytes": [1 << 30, 8 << 30, 0, 0],
            "gpus": [1, 2, 0, 1],
            "gpu_milli": [300, 1000, 1000, 1000],
            "weight": [5, 1, 3, 2],
        }
    )
    found = metrics.gpu_fragmentation(nodes, mix, devices=devices)
    assert found.fragment_milli == pytest.approx(plain.fragmentation(nodes, mix.to_dict("records"), free))
    assert found.idle_milli == devices["free_milli"].sum()
    assert found.by_node.sum() == pytest.approx(found.fragment_milli)
    assert found.by_category.sum() == pytest.approx(found.idle_milli)


def test_whole_gpus_that_all_can_be_used_are_no_fragments():
    cluster = cluster_of(make_node("a").capacity(cpu="8", memory="8Gi", pods="10", **{"nvidia.com/gpu": "4"}))
    mix = pd.DataFrame({"requested_cpu_milli": [1000], "gpus": [2]})
    assert metrics.gpu_fragmentation(cluster, mix).fragment_milli == 0
    assert metrics.gpu_fragmentation(cluster, mix.assign(gpus=5)).of_idle == 1


def test_domains_of_a_constraint():
    nodes = [make_node(f"n{i}").zone(zone).capacity(cpu="8", memory="8Gi", pods="10") for i, zone in enumerate("aabc")]
    labels = {"app": "web"}
    pods = [
        make_pod(f"w{i}").label(labels).owner("ReplicaSet", "web").spread("zone").on(f"n{n}")
        for i, n in enumerate((0, 1, 2))
    ]
    found = metrics.domains(cluster_of(*nodes, *pods))
    assert found[["domain", "pods", "skew", "violates"]].to_dict("list") == {
        "domain": ["a", "b", "c"],
        "pods": [2, 1, 0],
        "skew": [2, 2, 2],
        "violates": [True, True, True],
    }


def test_skews_are_those_of_the_domains(run):
    keys = ["workload", "topology_key", "min", "max", "skew", "max_skew", "enforced", "violates"]
    by_domain = metrics.domains(run).astype({"topology_key": "str"})
    found = metrics.skews(run)
    assert len(found) > 1
    expected = by_domain.groupby(keys, sort=False).size().rename("domains").reset_index()
    merged = found.groupby(keys, sort=False)["domains"].sum().reset_index()
    pd.testing.assert_frame_equal(merged, expected, check_dtype=False)


def test_domains_by_key_count_each_workload(run):
    columns = run.cluster
    found = metrics.domains(run, keys=["topology.kubernetes.io/zone"])
    own = found[found["max_skew"].isna()]
    pods = columns.pods[columns.pods["node"].notna() & ~columns.pods["terminating"]]
    zone = columns.nodes.set_index(columns.nodes["node"].astype("str"))["zone"].astype("str")
    catalog = pods[pods["owner"].str.startswith("catalog", na=False)]
    counts = catalog["node"].astype("str").map(zone).value_counts().to_dict()
    rows = own[own["workload"].str.endswith("/catalog")]
    assert {row["domain"]: row["pods"] for row in rows.to_dict("records") if row["pods"]} == counts


def test_no_enforced_constraint_is_broken_by_what_the_scheduler_places(run):
    found = metrics.domains(run)
    assert len(found)
    before = metrics.domains(run.before)
    broken = set(before.loc[before["violates"] & before["enforced"], "workload"])
    assert set(found.loc[found["violates"] & found["enforced"], "workload"]) <= broken


def test_replicas_lost_with_a_zone(run):
    found = metrics.replicas_lost(run).set_index("workload")
    cluster = run.cluster
    pods = cluster.pods[cluster.pods["node"].notna() & ~cluster.pods["phase"].isin(["Succeeded", "Failed"])]
    zone = cluster.nodes.set_index(cluster.nodes["node"].astype("str"))["zone"].astype("str")
    catalog = pods[pods["owner"].str.startswith("catalog", na=False) & ~pods["terminating"]]
    counts = catalog["node"].astype("str").map(zone).value_counts()
    row = (
        found.loc["shop/catalog"]
        if "shop/catalog" in found.index
        else found.loc[found.index.str.endswith("/catalog")].iloc[0]
    )
    assert (row["lost"], row["pods"]) == (counts.max(), counts.sum())


def test_pending_by_plugin(run):
    found = metrics.pending_by_plugin(run).set_index(["plugin", "reason"])
    expected = {}
    for row in run.reasons.to_dict("records"):
        expected.setdefault((row["plugin"], row["reason"]), set()).add(row["row"])
    assert {key: found.loc[key, "pods"] for key in expected} == {key: len(rows) for key, rows in expected.items()}


def test_reasons_wide_counts_each_node_once(run):
    wide = metrics.reasons_wide(run)
    assert len(wide) == run.reasons["row"].nunique()
    assert (wide.drop(columns=["namespace", "pod"]).sum(axis=1) == len(run.nodes)).all()


def test_a_node_that_is_short_of_two_things_is_one_node():
    nodes = [
        make_node("both").capacity(cpu="1", memory="1Gi", pods="10"),
        make_node("cpu").capacity(cpu="1", memory="8Gi", pods="10"),
        make_node("taint").capacity(cpu="8", memory="8Gi", pods="10").taint("only=me:NoSchedule"),
    ]
    run = kplace.place(cluster_of(*nodes, make_pod("big").req(cpu="4", memory="4Gi")), preemption="off")
    assert run.reasons["nodes"].tolist() == [2, 1, 1]
    columns = ["NodeResourcesFit", "TaintToleration"]
    assert metrics.reasons_wide(run)[columns].values.tolist() == [[2, 1]]
    assert metrics.reasons_wide(run.reasons, n_nodes=3)[columns].values.tolist() == [[2, 1]]
    assert metrics.reasons_wide(run.reasons)[columns].values.tolist() == [[3, 1]]


def test_funnel(run):
    table = kplace.explain(run.cluster, "data/cache-warmer")
    found = metrics.funnel(table)
    assert found["left"].tolist()[0] == 14
    assert found["left"].iloc[-1] == (table["verdict"] != "rejected").sum()
    assert (found["left"].diff().dropna() == -found["rejected"].iloc[1:]).all()


def test_margins(run):
    found = metrics.margins(run)
    placed = run.pods[run.pods["status"] == "scheduled"]
    assert found.placed == len(placed)
    assert found.tied == sum(row["ties"] > 1 for row in placed.to_dict("records"))
    own = [row["total"] - row["runner_up"] for row in placed.to_dict("records") if row["feasible"] > 1]
    assert found.median == pytest.approx(float(np.median(own)))


def test_pools_add_up(nodes):
    found = metrics.pools(nodes, shape={"cpu": 1000})
    assert found["nodes"].sum() == len(nodes)
    assert found["free_cpu_milli"].sum() == nodes["free_cpu_milli"].sum()
    assert found["schedulable"].sum() == plain.fits(nodes, {"cpu_milli": 1000})
    assert found["largest_cpu_milli"].max() == nodes.loc[~nodes["unschedulable"], "free_cpu_milli"].max()


def test_cost():
    nodes = made_up_nodes(10)
    found = metrics.cost(nodes, {"small": 1.0, "large": 4.0}, needs={"cpu": 1000}).set_index("instance_type")
    assert found.loc["large", "cost"] == 4.0 * (nodes["instance_type"] == "large").sum()
    idle = sum(
        {"small": 1.0, "large": 4.0}[row["instance_type"]]
        * (1 - min(1, max(row["utilisation_cpu_milli"], row["utilisation_memory_bytes"])))
        for row in nodes.to_dict("records")
    )
    assert found["idle"].sum() == pytest.approx(idle)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda nodes: metrics.utilisation(nodes, "zon"), "by: there is no 'zon'; did you mean zone?"),
        (lambda nodes: metrics.utilisation(nodes, resources=["gpu"]), "resources: there is no 'gpu'"),
        (lambda _: metrics.utilisation([1]), "nodes: expected a Cluster, Placements or a DataFrame, got list"),
        (lambda nodes: metrics.utilisation(nodes.drop(columns="node")), "nodes: expected a table with a column 'node'"),
        (metrics.domains, "expected a Cluster, Placements, or a table of nodes with one of pods"),
        (metrics.margins, "expected Placements or a table of placed pods"),
    ],
)
def test_what_cannot_be_used_is_refused(call, message):
    with pytest.raises(UsageError, match=message.replace("?", r"\?").replace("(", r"\(")):
        call(made_up_nodes(3))
