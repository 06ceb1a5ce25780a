"""Metrics against plain pandas and loops, the figures of the report against the frames."""

import numpy as np
import pytest

from kplace.analysis import metrics
from kplace.analysis.report import report
from kplace.analysis.workloads import workload_column
from tests.analysis import plain
from tests.analysis.pages import check_figures

ENDINGS = ("cpu_milli", "memory_bytes", "pods")
NAMES = {"cpu_milli": "cpu", "memory_bytes": "memory"}
SHAPE = {"cpu_milli": 4_000, "memory_bytes": 8 << 30}
ZONE = "topology.kubernetes.io/zone"


def of_resource(table, name):
    return table[table["resource"] == name]


def test_utilisation_is_a_group_by(each):
    nodes = each.cluster.nodes
    for by in ("zone", "instance_type"):
        table = metrics.utilisation(each.cluster, by)
        sums = (
            nodes.assign(key=nodes[by].astype("object").fillna("none"))
            .groupby("key")[[f"{side}_{ending}" for side in ("requested", "allocatable") for ending in ENDINGS]]
            .sum()
        )
        for name, ending in zip(("cpu", "memory", "pods"), ENDINGS, strict=True):
            own = of_resource(table, name)
            own = own.set_index(own[by].astype("object").fillna("none"))
            assert own["requested"].to_dict() == sums[f"requested_{ending}"].to_dict()
            assert own["allocatable"].to_dict() == sums[f"allocatable_{ending}"].to_dict()
            share = sums[f"requested_{ending}"] / sums[f"allocatable_{ending}"]
            np.testing.assert_allclose(own["utilisation"].to_numpy(np.float64), share[own.index])


def test_imbalance_is_that_of_the_column(each):
    nodes = each.cluster.nodes
    table = metrics.imbalance(each.cluster).set_index("resource")
    for name, ending in (("cpu", "cpu_milli"), ("memory", "memory_bytes")):
        shares = nodes[f"requested_{ending}"] / nodes[f"allocatable_{ending}"]
        assert table.loc[name, "mean"] == pytest.approx(shares.mean())
        assert table.loc[name, "stddev"] == pytest.approx(shares.std(ddof=0))


def test_what_is_free_and_what_is_stranded(each):
    nodes = each.cluster.nodes
    found = metrics.schedulable(each.cluster, {NAMES[ending]: amount for ending, amount in SHAPE.items()})
    assert found["schedulable"].sum() == plain.fits(nodes, SHAPE)
    needs = metrics.smallest_needs(each.cluster.pods)
    table = metrics.stranded(each.cluster, needs).set_index("resource")
    for ending, name in NAMES.items():
        own = {ending: needs[name] for ending, name in NAMES.items() if name in needs}
        assert table.loc[name, "stranded"] == plain.stranded(nodes, ending, own)


def test_why_pods_wait_is_counted_pod_by_pod(small):
    reasons = small.run.reasons
    found = metrics.pending_by_plugin(small.run).set_index(["plugin", "reason"])["pods"]
    expected = reasons.astype({"plugin": "str", "reason": "str"}).groupby(["plugin", "reason"])["row"].nunique()
    assert found.to_dict() == expected.to_dict()
    wide = metrics.reasons_wide(small.run)
    assert (wide.drop(columns=["namespace", "pod"]).sum(axis=1) == len(small.run.nodes)).all()


def test_domains_are_counts_of_pods_by_zone(large):
    nodes = large.cluster.nodes.astype({"node": "str", "zone": "str"}).set_index("node")["zone"]
    pods = large.cluster.pods.assign(workload=workload_column(large.cluster.pods))
    pods = pods[pods["node"].notna()]
    counts = pods.groupby(["workload", pods["node"].astype("str").map(nodes)]).size()
    table = metrics.domains(large.cluster).astype({"workload": "str", "topology_key": "str", "domain": "str"})
    table = table[table["topology_key"] == ZONE]
    assert table["workload"].nunique() > 20
    for row in table.to_dict("records"):
        assert row["pods"] == counts.get((row["workload"], row["domain"]), 0)
        assert row["skew"] == row["max"] - row["min"]
    largest = table.groupby("workload")["pods"].max()
    assert table.groupby("workload")["max"].first().to_dict() == largest.to_dict()


def test_the_page_has_the_figures_of_the_frames(each):
    page = report(each.run)
    check_figures(page, each.run)
    assert len(page) < 10_000_000
