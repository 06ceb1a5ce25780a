"""A study of 200 runs on 1,000 nodes, on disk, and what it comes to when it is done without Dask."""

from pathlib import Path

import pytest

from kplace.sweeps import Results, sweep

POOL = """
utilisation = { cpu = 0.06 }
zones = ["a", "b", "c"]
[[pools]]
name = "general"
count = 1000
shape = "m5.2xlarge"
[[workloads]]
name = "web"
weight = 3
replicas = { lognormal = { median = 4, sigma = 0.8 }, max = 40 }
requests = { cpu = "3", memory = "2Gi" }
spread = [{ key = "zone" }]
[[workloads]]
name = "batch"
replicas = 20
requests = { cpu = "2", memory = "6Gi" }
"""
STUDY = """
metrics = ["scheduled", "pending", "nodes_used", "imbalance:cpu"]
frames = ["reasons"]
[inputs]
pool = { synth = "pool.toml" }
[configurations]
packed = "packed.yaml"
shaped = "shaped.yaml"
[configurations.all-nodes]
percentageOfNodesToScore = 100
[configurations.spread]
profiles = [{ plugins = { score = { enabled = [{ name = "PodTopologySpread", weight = 20 }] } } }]
[axes]
configuration = ["default", "packed", "shaped", "all-nodes", "spread"]
seed = { low = 0, high = 3, step = 1 }
load = { low = 0.5, high = 5, step = 0.5 }
"""
STRATEGY = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: %s}}]}]
"""
STRATEGIES = {
    "packed": "{type: MostAllocated}",
    "shaped": "{type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: "
    "[{utilization: 0, score: 0}, {utilization: 100, score: 10}]}}",
}
N_RUNS = 200


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    """Its file."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "pool.toml").write_text(POOL)
    for name, strategy in STRATEGIES.items():
        (folder / f"{name}.yaml").write_text(STRATEGY % strategy)
    (folder / "loads.toml").write_text(STUDY)
    return folder / "loads.toml"


@pytest.fixture(scope="module")
def expected(study) -> Results:
    """What it comes to, one run after the other in this process."""
    return sweep(study, workers=0)
