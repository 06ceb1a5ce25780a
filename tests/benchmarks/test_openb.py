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


@pytest.mark.parametrize("policy", ["whole GPUs", "best-fit", "FGD"])
def test_what_fits_nowhere_arrives_and_is_not_allocated(table, policy: str):
    # Of two devices the first pod takes one, the next two fit nowhere, the last takes 300 milli of what is left.
    sizes = ((1, 1000), (2, 1000), (4, 1000), (1, 300))
    lines = (f"p{i},1000,1024,{number},{milli},,{i}" for i, (number, milli) in enumerate(sizes))
    (table / "openb_pod_list_default.csv").write_text("\n".join([HEADER, *lines, ""]))
    rows = pod_rows(table, "default")
    cluster = cluster_of(table, rows)
    workload = Workload.of(cluster)
    outcome = run(cluster, BY_NAME[policy], workload, 0)
    assert [node >= 0 for node in outcome.nodes] == [True, False, False, True]
    found = curves(outcome, workload.mix)
    # Before the last pod 7000 milli of 2000 have arrived: a look at 0 to 350 percent, and one at the end.
    assert len(found.arrived) == 352
    # Percent 50 is reached with the first pod; that of those that fit nowhere adds nothing.
    assert set(found.allocated[51:351].tolist()) == {50}
    assert found.allocated[-1] == 65
    assert found.handed_out[-1] == (100 if policy == "whole GPUs" else 65)


def test_lines_are_cut_off_where_they_leave_the_axes():
    lines = [Line("low", "#000000", range(3), [-10.0, 0.0, 10.0]), Line("dots", "#111111", (1,), (-1.0,), dots=True)]
    drawn = draw("title", Axis("x", 0, 2, 1), Axis("y", 0, 10, 5), lines)
    # 302 high for 10: the first point lies as much below the axis, and the group is clipped.
    assert '<g clip-path="url(#frame)"><polyline points="62.0,650.0 316.0,348.0 570.0,46.0"' in drawn.replace("\n", "")
    # The one circle left is the legend's.
    assert drawn.count("<circle") == 1


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
