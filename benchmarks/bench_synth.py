"""Making a large cluster, and reading it back."""

import kplace
from kplace.synthesis import generate, load_description


def test_making(benchmark):
    description = load_description("datacenter-100k")
    columns = benchmark.pedantic(generate, args=(description, 0), rounds=1, warmup_rounds=0)
    benchmark.extra_info |= {"nodes": len(columns.nodes), "pods": len(columns.pods)}


def test_reading_a_snapshot(benchmark, tmp_path):
    kplace.Cluster(generate(load_description("datacenter-100k"), 0)).to_snapshot(tmp_path / "made.parquet")
    cluster = benchmark.pedantic(kplace.read, args=(tmp_path / "made.parquet",), rounds=2)
    benchmark.extra_info |= {"nodes": len(cluster.columns.nodes), "pods": len(cluster.columns.pods)}
