"""Score matrices: many pods of few kinds with their best nodes, and pods that are all different with everything.

pytest benchmarks/bench_scores.py --benchmark-enable
"""

import msgspec
import numpy as np
import pytest

import kplace
from benchmarks.workloads import SOURCE, WORKLOADS, build, node, pod
from kplace.api import Cluster
from kplace.columns import ClusterBuilder
from kplace.objects.core import Pod, PodStatus
from kplace.objects.meta import ObjectMeta, ResourceRequirements

KINDS = ("basic", "topologyspread", "podaffinity", "podantiaffinity", "nodeaffinity", "taints", "topologyspread-soft")
N_NODES = 5000


def cluster_of_kinds(n_kinds: int, n_pods: int, *, is_busy: bool, n_nodes: int = N_NODES) -> Cluster:
    """Waiting pods of so many kinds, which differ in rules and requests; a busy node runs a pod of random size."""
    builder = ClusterBuilder()
    random = np.random.default_rng(0)
    for i in range(n_nodes):
        builder.add("Node", node(i, tainted=True), b"{}", SOURCE)
    for i in range(n_nodes if is_busy else 0):
        cpu, memory = random.integers(100, 8000), random.integers(200, 30_000)
        running = pod(i, cpu=f"{cpu}m", memory=f"{memory}Mi", node_name=f"node-{i:05d}")
        metadata = ObjectMeta(name=f"running-{i}", namespace="default", labels={"app": f"spread-{i % 10}"})
        builder.add_pod(Pod(metadata=metadata, spec=running.spec, status=PodStatus(phase="Running")), SOURCE)
    made = [WORKLOADS[KINDS[kind % len(KINDS)]](kind // len(KINDS)) for kind in range(n_kinds)]
    for i in range(n_pods):
        kind = made[i % n_kinds]
        requests = {"cpu": f"{100 + i % n_kinds}m", "memory": f"{200 + i % n_kinds}Mi"}
        container = msgspec.structs.replace(
            kind.spec.containers[0], resources=ResourceRequirements(requests=dict(requests))
        )
        metadata = ObjectMeta(name=f"pod-{i:06d}", namespace="default", labels=kind.metadata.labels)
        spec = msgspec.structs.replace(kind.spec, containers=(container,))
        builder.add_pod(Pod(metadata=metadata, spec=spec, status=PodStatus(phase="Pending")), SOURCE)
    return Cluster(builder.finish())


def test_the_best_ten_of_many_pods(benchmark):
    cluster = cluster_of_kinds(200, 100_000, is_busy=True)
    kplace.score(Cluster(build("mixed", 20, 40))).top(3)
    best = benchmark.pedantic(lambda: kplace.score(cluster).top(10), rounds=3)
    assert len(best) == 1_000_000


@pytest.mark.parametrize("is_busy", [False, True], ids=["nodes alike", "nodes all different"])
@pytest.mark.parametrize("threads", [1, 2])
def test_everything_of_pods_that_are_all_different(benchmark, threads: int, is_busy: bool):
    cluster = cluster_of_kinds(1000, 1000, is_busy=is_busy)
    kplace.score(Cluster(build("mixed", 20, 40))).arrays()

    def run():
        return kplace.score(cluster, threads=threads, memory="4Gi").arrays().arrays

    arrays = benchmark.pedantic(run, rounds=5, warmup_rounds=1)
    cells = len(arrays) * len(arrays.axes.plugins) * arrays.axes.n_nodes
    scored = int((arrays.scores.sum(axis=1) * (arrays.verdict == 0).sum(axis=1)).sum())
    best = benchmark.stats.stats.min
    benchmark.extra_info |= {"cells_per_second": cells / best, "scores_per_second": scored / best}
