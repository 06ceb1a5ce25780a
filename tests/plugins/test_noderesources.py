"""Node resources: fit and its reasons, the three scoring strategies, balance; by hand, and against an oracle."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplace.dtypes import CPU, EPHEMERAL_STORAGE, FIRST_SCALAR, MEMORY, Code
from kplace.errors import PluginError
from kplace.framework import Cycle
from kplace.plugins.noderesources import listed as kernels
from kplace.plugins.noderesources.args import (
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    ResourceSpec,
    ScoringStrategy,
    ScoringStrategyType,
    ShapePoint,
)
from kplace.plugins.noderesources.balanced_allocation import NodeResourcesBalancedAllocation
from kplace.plugins.noderesources.fit import NodeResourcesFit
from kplace.plugins.noderesources.kernels import Demand, Shape
from kplace.state.node_resources import NodeResources
from kplace.testing import make_node, make_pod, state_of
from kplace.testing.builders import NodeBuilder, PodBuilder
from tests.naive import noderesources as naive

GI = 1024**3
GPU = "nvidia.com/gpu"
FITS = Code.SUCCESS
FULL, NEVER = Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE
SMALL = make_node("small").capacity(cpu="2", memory="4Gi", pods="3")


def cycle_of(waiting: PodBuilder, *others: NodeBuilder | PodBuilder) -> Cycle:
    state = state_of(*others, waiting)
    return Cycle(state, len(state.node_of_pod) - 1)


def judged(waiting: PodBuilder, *others: NodeBuilder | PodBuilder, args: NodeResourcesFitArgs | None = None) -> list:
    """Code and reasons of the first node."""
    cycle, plugin = cycle_of(waiting, *others), NodeResourcesFit(args)
    verdict = plugin.filter(cycle, cycle.state.all_nodes[:1])
    return [Code(verdict.code[0]), *plugin.reasons(cycle, int(verdict.detail[0]))]


def pod(**amounts: str) -> PodBuilder:
    return make_pod("waiting").req(**amounts)


def running(number: int, **amounts: str) -> PodBuilder:
    return make_pod(f"running-{number}").req(**amounts).on("small")


@pytest.mark.parametrize(
    ("waiting", "others", "expected"),
    [
        (pod(cpu="2", memory="4Gi"), [], [FITS]),
        (pod(cpu="2001m"), [], [NEVER, "Insufficient cpu"]),  # more than the empty node has
        (pod(cpu="1"), [running(1, cpu="1001m")], [FULL, "Insufficient cpu"]),  # 2000 - 1001 < 1000
        (pod(cpu="999m"), [running(1, cpu="1001m")], [FITS]),
        (
            pod(cpu="1", memory="4Gi"),
            [running(1, cpu="2", memory="1")],
            [FULL, "Insufficient cpu", "Insufficient memory"],
        ),
        # One resource that no preemption can help is enough.
        (pod(cpu="1", memory="5Gi"), [running(1, cpu="2")], [NEVER, "Insufficient cpu", "Insufficient memory"]),
        (pod(), [running(1), running(2), running(3)], [FULL, "Too many pods"]),
        (pod(cpu="3"), [running(1), running(2), running(3)], [NEVER, "Too many pods", "Insufficient cpu"]),
        # A pod that requests nothing fits a node that is over-committed; one that requests zero does too.
        (pod(), [running(1, cpu="3", memory="9Gi")], [FITS]),
        (pod(cpu="0", memory="0", **{GPU: "0"}), [running(1, cpu="3", memory="9Gi")], [FITS]),
        # An over-committed resource that the pod does not ask for is not looked at.
        (pod(cpu="1"), [running(1, memory="9Gi")], [FITS]),
        (pod(**{GPU: "1"}), [], [NEVER, f"Insufficient {GPU}"]),
        (pod(**{"ephemeral-storage": "1"}), [], [NEVER, "Insufficient ephemeral-storage"]),
    ],
)
def test_fit(waiting: PodBuilder, others: list[PodBuilder], expected: list):
    assert judged(waiting, SMALL, *others) == expected


def test_a_node_that_does_not_say_how_many_pods_it_allows_allows_none():
    bare = SMALL.status(allocatable={"cpu": "2"})
    assert judged(pod(cpu="1"), bare) == [FULL, "Too many pods"]
    assert judged(pod(), bare) == [FULL, "Too many pods"]


def test_reasons_of_many_resources_are_told_apart():
    names = [f"example.com/r{number:02}" for number in range(kernels.MAX_REQUESTED)]
    waiting = pod(**dict.fromkeys(names, "1"))
    missing = [names[0], names[30], names[61]]
    node = SMALL.capacity(**{name: "1" for name in names if name not in missing})
    assert judged(waiting, node) == [NEVER, *(f"Insufficient {name}" for name in missing)]
    full = node.capacity(pods="0", **{name: "1" for name in names if name not in missing})
    assert judged(waiting, full) == [NEVER, "Too many pods", *(f"Insufficient {name}" for name in missing)]
    with pytest.raises(PluginError, match="requests 63 resources"):
        judged(pod(cpu="1", **dict.fromkeys(names, "1")), node)


@pytest.mark.parametrize(
    ("args", "lacking"),
    [
        (NodeResourcesFitArgs(), [GPU, "example.com/a"]),
        (NodeResourcesFitArgs(ignored_resources=frozenset([GPU])), ["example.com/a"]),
        (NodeResourcesFitArgs(ignored_resource_groups=frozenset(["example.com"])), [GPU]),
        # Only extended resources can be ignored.
        (NodeResourcesFitArgs(ignored_resources=frozenset(["cpu", "example.com"])), [GPU, "example.com/a"]),
    ],
)
def test_ignored_resources(args: NodeResourcesFitArgs, lacking: list[str]):
    waiting = pod(cpu="3", **{GPU: "1", "example.com/a": "1"})
    _, *reasons = judged(waiting, SMALL, args=args)
    assert sorted(reasons) == sorted(f"Insufficient {name}" for name in ["cpu", *lacking])


def scores(strategy: ScoringStrategy, waiting: PodBuilder, *others: NodeBuilder | PodBuilder) -> int:
    cycle = cycle_of(waiting, *others)
    plugin = NodeResourcesFit(NodeResourcesFitArgs(scoring_strategy=strategy))
    return int(plugin.score(cycle, cycle.state.all_nodes)[0])


LEAST = ScoringStrategy()
MOST = ScoringStrategy(ScoringStrategyType.MOST_ALLOCATED)
FOUR = make_node("small").capacity(cpu="4", memory="10000", **{GPU: "8"})


@pytest.mark.parametrize(
    ("strategy", "waiting", "others", "expected"),
    [
        # cpu (4000-3000)*100/4000 = 25, memory (10000-5000)*100/10000 = 50; (25+50)/2 = 37
        (LEAST, pod(cpu="3", memory="5000"), [], 37),
        (MOST, pod(cpu="3", memory="5000"), [], 62),  # (75+50)/2 = 62
        # With what runs there: cpu 4000-1000-1500 = 1500: 37; memory 10000-3000 = 7000: 70; (37+70)/2 = 53
        (LEAST, pod(cpu="1", memory="2000"), [running(1, cpu="1500m", memory="1000")], 53),
        # Without a request 100m and 200 MiB are counted: cpu (4000-100)*100/4000 = 97; memory far more than there is: 0
        (LEAST, pod(), [], 48),
        (MOST, pod(), [], 51),  # 2 and 100: 51
        # An explicit zero stays zero.
        (LEAST, pod(cpu="0", memory="0"), [], 100),
        # The same holds for what is there already: cpu 100m of the other pod, (4000-100-1000)*100/4000 = 72
        (LEAST, pod(cpu="1", memory="0"), [running(1, memory="0")], 86),  # (72+100)/2
        # Over-committed: 0 free, all used.
        (LEAST, pod(cpu="2", memory="10000"), [running(1, cpu="3", memory="0")], 0),
        (MOST, pod(cpu="2", memory="10000"), [running(1, cpu="3", memory="0")], 100),
    ],
)
def test_least_and_most_allocated(strategy: ScoringStrategy, waiting: PodBuilder, others: list, expected: int):
    assert scores(strategy, waiting, FOUR, *others) == expected


def test_weights_and_extended_resources():
    weighted = ScoringStrategy(resources=(ResourceSpec("cpu", 3), ResourceSpec("memory", 1), ResourceSpec(GPU, 4)))
    # cpu 25 * 3, memory 50 * 1: 125 / 4 = 31; the GPUs drop out, the pod does not ask for them.
    assert scores(weighted, pod(cpu="3", memory="5000"), FOUR) == 31
    # GPUs (8-2)*100/8 = 75, times 4: (75 + 50 + 300) / 8 = 53
    assert scores(weighted, pod(cpu="3", memory="5000", **{GPU: "2"}), FOUR) == 53
    # A node without GPUs: as in the first case.
    assert (
        scores(weighted, pod(cpu="3", memory="5000", **{GPU: "2"}), make_node("x").capacity(cpu="4", memory="10000"))
        == 31
    )
    assert scores(ScoringStrategy(resources=(ResourceSpec(GPU),)), pod(cpu="1"), FOUR) == 0


def test_pod_level_requests_are_not_seen_by_the_score():
    # The containers' defaults are counted: cpu (4000-100)*100/4000 = 97, memory 0: 48; a quirk of upstream.
    assert scores(LEAST, pod().pod_level(cpu="3", memory="5000"), FOUR) == 48


RISING = (ShapePoint(0, 0), ShapePoint(100, 10))
FALLING = (ShapePoint(0, 10), ShapePoint(100, 0))


@pytest.mark.parametrize(
    ("shape", "waiting", "expected"),
    [
        (RISING, pod(cpu="3", memory="5000"), 63),  # (75 + 50) / 2 = 62.5, rounded
        (FALLING, pod(cpu="3", memory="5000"), 38),  # (25 + 50) / 2 = 37.5
        (RISING, pod(cpu="3", memory="0"), 75),  # memory scores 0 and drops out
        (FALLING, pod(cpu="4", memory="10000"), 0),
        (RISING, pod(cpu="5", memory="10001"), 100),  # more than there is counts as all of it
        # From 100 at 20 down to 30 at 50: 100 - 70 * (30-20)/30, the step truncated to -23
        ((ShapePoint(20, 10), ShapePoint(50, 3)), pod(cpu="1200m", memory="3000"), 77),
        ((ShapePoint(20, 10), ShapePoint(50, 3)), pod(cpu="400m", memory="1000"), 100),  # before the first point
        ((ShapePoint(20, 10), ShapePoint(50, 3)), pod(cpu="4", memory="10000"), 30),  # behind the last
    ],
)
def test_requested_to_capacity_ratio(shape: tuple[ShapePoint, ...], waiting: PodBuilder, expected: int):
    strategy = ScoringStrategy(ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO, shape=shape)
    assert scores(strategy, waiting, FOUR) == expected


def balanced(waiting: PodBuilder, *others: NodeBuilder | PodBuilder, resources: tuple[str, ...] = ()) -> int | None:
    cycle = cycle_of(waiting, *others)
    specs = tuple(map(ResourceSpec, resources))
    plugin = NodeResourcesBalancedAllocation(NodeResourcesBalancedAllocationArgs(specs) if specs else None)
    if not plugin.pre_score(cycle, cycle.state.all_nodes):
        return None
    return int(plugin.score(cycle, cycle.state.all_nodes)[0])


@pytest.mark.parametrize(
    ("waiting", "others", "expected"),
    [
        (pod(cpu="2", memory="5000"), [], 100),  # a half of each
        (pod(cpu="3", memory="5000"), [], 87),  # |0.75 - 0.5| / 2 = 0.125
        (pod(cpu="3"), [], 62),  # no default for memory here: |0.75 - 0| / 2 = 0.375
        (pod(cpu="1", memory="5000"), [running(1, cpu="2", memory="2500")], 100),  # three quarters of each
        (pod(cpu="9", memory="5000"), [], 75),  # a share is 1 at the most: |1 - 0.5| / 2
        (pod().pod_level(cpu="3"), [], 62),  # what the pod as a whole requests counts
        (pod(), [], None),
        (pod(cpu="0", memory="0"), [], None),
    ],
)
def test_balance(waiting: PodBuilder, others: list, expected: int | None):
    assert balanced(waiting, FOUR, *others) == expected


def test_balance_of_three_and_of_one():
    three = ("cpu", "memory", GPU)
    # 0.75, 0.5, 0.25: mean 0.5, squares 0.0625 + 0 + 0.0625, deviation sqrt(0.125 / 3) = 0.204
    assert balanced(pod(cpu="3", memory="5000", **{GPU: "2"}), FOUR, resources=three) == 79
    assert balanced(pod(cpu="3", memory="5000"), FOUR, resources=three) == 87  # without GPUs it is of two
    assert balanced(pod(cpu="3"), FOUR, resources=("cpu",)) == 100
    assert balanced(pod(memory="1"), FOUR, resources=("cpu",)) is None


AMOUNTS = st.one_of(st.integers(0, 12), st.integers(1, 100), st.integers(0, 2**45))
ROWS = 5  # cpu, memory, ephemeral storage and two others


@st.composite
def nodes_and_demands(draw: st.DrawFn) -> tuple[NodeResources, Demand]:
    n_nodes = draw(st.integers(1, 4))
    numbers = st.lists(st.lists(AMOUNTS, min_size=n_nodes, max_size=n_nodes), min_size=ROWS, max_size=ROWS)
    counts = st.lists(st.integers(0, 4), min_size=n_nodes, max_size=n_nodes)
    columns = NodeResources(
        allocatable=np.array(draw(numbers), np.int64),
        requested=np.array(draw(numbers), np.int64),
        non_zero_requested=np.array(draw(numbers)[:2], np.int64),
        pods=np.array(draw(counts), np.int64),
        allowed_pods=np.array(draw(counts), np.int64),
    )
    rows = draw(st.lists(st.sampled_from(range(ROWS)), unique=True, max_size=ROWS))
    amounts = draw(st.lists(AMOUNTS, min_size=len(rows), max_size=len(rows)))
    weights = draw(st.lists(st.integers(1, 100), min_size=len(rows), max_size=len(rows)))
    demand = Demand(np.array(rows, np.int32), np.array(amounts, np.int64), np.array(weights, np.int64))
    return columns, demand


NAMES = {
    CPU: "cpu",
    MEMORY: "memory",
    EPHEMERAL_STORAGE: "ephemeral-storage",
    FIRST_SCALAR: "x/a",
    FIRST_SCALAR + 1: "x/b",
}
CODES = {Code.SUCCESS: "Success", FULL: "Unschedulable", NEVER: "UnschedulableAndUnresolvable"}


@settings(max_examples=150)
@given(nodes_and_demands())
def test_fit_against_the_oracle(drawn: tuple[NodeResources, Demand]):
    nodes, demand = drawn
    asked = demand.amounts > 0  # as the plugin asks
    demand = Demand(*(column[asked] for column in demand))
    listed = np.arange(nodes.allocatable.shape[1], dtype=np.int32)[::-1].copy()
    code, detail = np.empty(len(listed), np.int8), np.empty(len(listed), np.int64)
    kernels.fit(nodes, demand, listed, kernels.Gathered.of(len(listed)), (code, detail))
    request = {NAMES[row]: int(n) for row, n in zip(demand.rows.tolist(), demand.amounts, strict=True)}
    for i, n in enumerate(listed):
        room = {name: int(nodes.allocatable[row, n]) for row, name in NAMES.items()}
        room["pods"] = int(nodes.allowed_pods[n])
        used = {name: int(nodes.requested[row, n]) for row, name in NAMES.items()}
        reasons, expected = naive.lacking(
            request, room | {"pods": int(nodes.allowed_pods[n])}, used, int(nodes.pods[n])
        )
        bits = [f"Insufficient {name}" for bit, name in enumerate(request) if detail[i] >> bit & 1]
        assert (["Too many pods"] if detail[i] & kernels.TOO_MANY_PODS else []) + bits == reasons
        assert CODES[Code(code[i])] == expected


def uses(nodes: NodeResources, demand: Demand, n: int, *, for_balance: bool) -> list[naive.Use]:
    found = []
    for row, amount, weight in zip(*(column.tolist() for column in demand), strict=True):
        sums = nodes.non_zero_requested if row in (CPU, MEMORY) and not for_balance else nodes.requested
        found.append((int(sums[row, n]) + amount, int(nodes.allocatable[row, n]), weight))
    return found


@st.composite
def shapes(draw: st.DrawFn) -> list[tuple[int, int]]:
    xs = sorted(draw(st.sets(st.integers(0, 100), min_size=1, max_size=4)))
    return [(x, draw(st.integers(0, 10))) for x in xs]


Kernel = Callable[..., None]


@settings(max_examples=200)
@given(nodes_and_demands(), shapes())
def test_scores_against_the_oracle(drawn: tuple[NodeResources, Demand], points: list[tuple[int, int]]):
    nodes, demand = drawn
    listed = np.arange(nodes.allocatable.shape[1], dtype=np.int32)[::-1].copy()
    shape = Shape(np.array([x for x, _ in points], np.int64), np.array([10 * y for _, y in points], np.int64))

    def of_kernel(kernel: Kernel, *arguments: object) -> list[int]:
        found = np.empty(len(listed), np.int64)
        kernel(nodes, demand, *arguments, listed, kernels.Gathered.of(len(listed)), found)
        return found.tolist()

    used = [uses(nodes, demand, int(n), for_balance=False) for n in listed]
    assert of_kernel(kernels.least_allocated) == list(map(naive.least_allocated, used))
    assert of_kernel(kernels.most_allocated) == list(map(naive.most_allocated, used))
    assert of_kernel(kernels.capacity_ratio, shape) == [naive.capacity_ratio(item, points) for item in used]
    plain = [uses(nodes, demand, int(n), for_balance=True) for n in listed]
    assert of_kernel(kernels.balanced_allocation) == list(map(naive.balanced, plain))
