"""The study of the OpenB trace, on tables small enough to reckon with."""

from random import Random

import numpy as np
import pytest

from benchmarks.openb.chart import Axis, Line, draw
from benchmarks.openb.curves import curves
from benchmarks.openb.policies import POLICIES, Workload, run
from benchmarks.openb.trace import demand_milli, pod_rows, read, tuned

NODES = "sn,cpu_milli,memory_mib,gpu,model\nnode-0,32000,65536,2,T4\nnode-1,32000,65536,0,\n"
HEADER = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,creation_time"
PODS = f"{HEADER}\nlate,1000,1024,1,500,,9\nearly,1000,1024,1,300,,1\ncpu,1000,1024,0,0,,5\n"
BY_NAME = {policy.name: policy for policy in POLICIES}


@pytest.fixture
def table(tmp_path):
    (tmp_path / "openb_node_list_gpu_node.csv").write_text(NODES)
    (tmp_path / "openb_pod_list_default.csv").write_text(PODS)
    return tmp_path


def cluster_of(table, rows):
    return read(table / "openb_node_list_gpu_node.csv", rows, table)


def test_pods_come_in_the_order_of_creation(table):
    assert [row["name"] for row in pod_rows(table, "default")] == ["early", "cpu", "late"]


def test_tuning_the_load(table):
    rows = pod_rows(table, "default")
    found = tuned(rows, 2600, Random(1), shuffled=False)
    assert [row["name"] for row in found[:3]] == ["early", "cpu", "late"]
    demand = sum(map(demand_milli, found))
    # One more of the larger pods would have been too much.
    assert 2100 < demand <= 2600
    assert [int(row["creation_time"]) for row in found] == list(range(len(found)))
    assert len({row["name"] for row in found}) == len(found)
    assert found == tuned(rows, 2600, Random(1), shuffled=False)
    shuffled = [tuned(rows, 2600, Random(seed), shuffled=True)[:3] for seed in range(9)]
    assert {row["name"] for row in shuffled[0]} == {"early", "cpu", "late"}
    assert len({tuple(row["name"] for row in one) for one in shuffled}) > 1


@pytest.mark.parametrize(
    ("policy", "allocated", "handed_out"),
    [
        # 300 and 500 milli of 2000 that there are; whole devices are all there are.
        ("whole GPUs", 40, 100),
        ("best-fit", 40, 40),
        ("FGD", 40, 40),
        ("FGD, 95 %, first", 40, 40),
    ],
)
def test_curves(table, policy: str, allocated: float, handed_out: float):
    rows = pod_rows(table, "default")
    cluster = cluster_of(table, rows)
    workload = Workload.of(cluster)
    outcome = run(cluster, BY_NAME[policy], workload, 0)
    assert (outcome.nodes >= 0).all()
    found = curves(outcome, workload.mix)
    # The first look is before any pod, the last after all.
    assert (found.allocated[0], found.idle[0]) == (0, 100)
    # Of three kinds, the one without GPU can use nothing: a third of everything is a fragment.
    assert found.fragmented[0] == pytest.approx(100 / 3)
    assert (found.allocated[-1], found.handed_out[-1]) == (allocated, handed_out)
    assert np.allclose(found.handed_out + found.idle, 100)
    assert (np.diff(found.allocated) >= 0).all()
    assert (found.fragmented <= found.idle + 1e-9).all()


def test_chart():
    axis = Axis("x", 0, 10, 5)
    line = Line("a < b", "#000000", range(20), [float(i) for i in range(20)], low=[0.0] * 20, high=[9.0] * 20)
    drawn = draw("title", axis, Axis("y", 0, 20, 10), [line, Line("dots", "#111111", (5,), (10.0,), dots=True)])
    assert drawn.startswith("<svg")
    assert "a &lt; b" in drawn
    # The points within the axis, 0 to 10, in the chart's corners: 62 to 570 across, 348 up to half of 46 to 348.
    assert '<polyline points="62.0,348.0 ' in drawn
    assert '570.0,197.0"' in drawn
    assert '<circle cx="316.0" cy="197.0"' in drawn
