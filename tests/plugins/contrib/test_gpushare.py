"""GpuShare: who fits on which devices, what best-fit and FGD choose, and that the books stay right."""

from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kplace
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import Code
from kplace.engine.cycle import Options
from kplace.engine.place import place_waiting
from kplace.errors import ConfigError, PluginError
from kplace.framework import Cycle, Profile
from kplace.plugins.contrib import GpuShare
from kplace.plugins.contrib.gpushare import kernels
from kplace.plugins.contrib.gpushare.args import GpuShareArgs, TaskArgs
from kplace.plugins.contrib.gpushare.kernels import GpuDemand, GpuDevices, GradientMemo, TaskMix
from kplace.plugins.contrib.gpushare.mix import mix_of_args, mix_of_pods
from kplace.plugins.contrib.gpushare.plugin import logistic_steps
from kplace.plugins.registry import in_tree_registry
from kplace.testing import check_plugin, cluster_of, make_node, make_pod, state_of
from tests.naive import gpushare as naive

FITS, NOT_NOW, NEVER = Code.SUCCESS, Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE
KEYS = {
    "milli": "alibabacloud.com/gpu-milli",
    "count": "alibabacloud.com/gpu-count",
    "model": "alibabacloud.com/gpu-card-model",
    "index": "alibabacloud.com/gpu-index",
}
MODELS = ("T4", "V100")


def gpu_node(name: str, gpus: int, *, cpu: str = "16", model: str = ""):
    amounts = {"cpu": cpu, "memory": "64Gi", "pods": "110"} | ({KEYS["count"]: str(gpus)} if gpus else {})
    node = make_node(name).status(allocatable=amounts)
    return node.label({KEYS["model"]: model}) if model else node


def gpu_pod(name: str, cpu: str = "1", **annotations: object):
    texts = {KEYS[key]: str(value) for key, value in annotations.items()}
    return make_pod(name).req(cpu=cpu).metadata(annotations=texts)


def free(plugin: GpuShare, state) -> list[list[int]]:
    """What is left on the devices of each node."""
    ledger = plugin.ledger(state)
    return [row[:number].tolist() for row, number in zip(ledger.devices.free, ledger.devices.number, strict=True)]


def verdicts(cycle: Cycle, plugin: GpuShare) -> list[tuple[Code, str]]:
    assert plugin.pre_filter(cycle).code is Code.SUCCESS
    verdict = plugin.filter(cycle, cycle.state.all_nodes)
    return [
        (Code(code), "" if code == FITS else plugin.reasons(cycle, int(detail))[0])
        for code, detail in zip(verdict.code, verdict.detail, strict=True)
    ]


# What pods and nodes say.


@pytest.mark.parametrize(
    ("pod", "demand"),
    [
        (gpu_pod("p", milli=460, count=1), (1, 460)),
        (gpu_pod("p", milli=460), (1, 460)),  # one device unless it says how many
        (gpu_pod("p", count=2), (2, 1000)),  # whole ones unless it says how much of each
        (gpu_pod("p", milli=500, count=4), (4, 500)),  # of four different ones
        (make_pod("p").req(**{"cpu": "1", "nvidia.com/gpu": "2"}), (2, 1000)),
        # Annotations say it better than the request that is there for other schedulers.
        (gpu_pod("p", milli=300, count=1).req(**{"cpu": "1", "nvidia.com/gpu": "1"}), (1, 300)),
        (gpu_pod("p", milli=0, count=1), (0, 0)),
        (make_pod("p").req(cpu="1"), (0, 1000)),
    ],
)
def test_what_a_pod_takes(pod, demand: tuple[int, int]):
    state = state_of(gpu_node("n", 8).status({"allocatable": {"nvidia.com/gpu": "8", "cpu": "9"}}), pod)
    found = GpuShare().ledger(state).demands[0]
    assert (found.number, found.milli) == demand


@pytest.mark.parametrize(
    ("annotations", "words"),
    [
        ({"milli": "half"}, 'annotation alibabacloud.com/gpu-milli: "half" is not a quantity'),
        ({"milli": 1001}, "annotation alibabacloud.com/gpu-milli: must not be more than 1000, got 1001"),
        ({"count": -1}, "annotation alibabacloud.com/gpu-count: must not be negative, got -1"),
        ({"milli": 100, "index": "1-1"}, "annotation alibabacloud.com/gpu-index: expected numbers joined by hyphens"),
    ],
)
def test_annotations_that_cannot_be_read_reject_the_pod(annotations: dict, words: str):
    cycle = Cycle(state_of(gpu_node("n", 8), gpu_pod("ok", milli=100), gpu_pod("p", **annotations)), 1)
    result = GpuShare().pre_filter(cycle)
    assert result.code is NEVER
    assert result.reasons[0].startswith(words)
    assert GpuShare().pre_filter(Cycle(cycle.state, 0)).code is Code.SUCCESS


def test_the_first_resource_that_a_node_offers_says_how_many_devices_it_has():
    both = make_node("both").status(allocatable={"cpu": "4", KEYS["count"]: "2", "nvidia.com/gpu": "4"})
    other = make_node("other").status(allocatable={"cpu": "4", "nvidia.com/gpu": "3"})
    state = state_of(both, other, make_node("none"), make_pod("p"))
    assert free(GpuShare(), state) == [[1000, 1000], [1000] * 3, []]


def test_a_resource_that_counts_something_else_is_refused():
    state = state_of(make_node("n").status(allocatable={"cpu": "4", "x.com/gpu-mem": "32560"}), make_pod("p"))
    with pytest.raises(PluginError, match="node n has 32560 devices, at most 1024 can be told apart"):
        GpuShare(GpuShareArgs(device_resources=("x.com/gpu-mem",))).ledger(state)


# Filter.


def test_filter():
    running = [
        gpu_pod("a", milli=600).on("busy"),  # busy: 400 and
        gpu_pod("b", milli=700).on("busy"),  # 300 left
        gpu_pod("c", count=2).on("full"),
    ]
    nodes = [gpu_node("idle", 2), gpu_node("busy", 2), gpu_node("full", 2), gpu_node("one", 1), gpu_node("cpu", 0)]
    room = "Insufficient alibabacloud.com/gpu-milli"
    for pod, expected in [
        (gpu_pod("p", milli=400), [FITS, FITS, NOT_NOW, FITS, NEVER]),
        (gpu_pod("p", milli=401), [FITS, NOT_NOW, NOT_NOW, FITS, NEVER]),
        # Two devices with 300 each: busy has 400 and 300; a node with one will never do.
        (gpu_pod("p", milli=300, count=2), [FITS, FITS, NOT_NOW, NEVER, NEVER]),
        (gpu_pod("p", milli=301, count=2), [FITS, NOT_NOW, NOT_NOW, NEVER, NEVER]),
    ]:
        cycle = Cycle(state_of(*nodes, *running, pod), 3)
        assert verdicts(cycle, GpuShare()) == [(code, "" if code is FITS else room) for code in expected]


def test_filter_by_model():
    nodes = [gpu_node("t", 1, model="T4"), gpu_node("v", 1, model="V100"), gpu_node("bare", 1)]
    wrong = (NEVER, "node(s) didn't match the pod's GPU model")
    for model, expected in [
        ("T4", [(FITS, ""), wrong, wrong]),
        ("T4|V100", [(FITS, ""), (FITS, ""), wrong]),
        ("A100", [wrong, wrong, wrong]),
        ("", [(FITS, "")] * 3),
    ]:
        cycle = Cycle(state_of(*nodes, gpu_pod("p", milli=1, model=model)), 0)
        assert verdicts(cycle, GpuShare()) == expected


def test_pods_without_gpus_are_not_filtered():
    assert GpuShare().pre_filter(Cycle(state_of(gpu_node("n", 1), make_pod("p")), 0)).code is Code.SKIP


# Scores and devices, by hand.


def mix(*tasks: tuple[int, int, int, int]) -> tuple[TaskArgs, ...]:
    """Tasks of cpu, devices, milli and weight."""
    return tuple(TaskArgs(str(cpu), number, milli, (), weight) for cpu, number, milli, weight in tasks)


def test_fragmentation_by_hand():
    # Left: 300 and 1000 milli, 4 cpu. The mix, ten pods:
    #   5 of 1 x 500: the 300 are too small                     -> 300
    #   2 of 2 x 500: only one device has 500                   -> 1300
    #   1 of 1 x 200 that needs 5 cpu                           -> 1300
    #   2 without GPU: whatever is left is of no use to them    -> 1300
    # (5 * 300 + 2 * 1300 + 1 * 1300 + 2 * 1300) / 10 = 8000 / 10 = 800
    tasks = mix((1, 1, 500, 5), (1, 2, 500, 2), (5, 1, 200, 1), (1, 0, 1, 2))
    plugin = GpuShare(GpuShareArgs(task_mix=tasks))
    state = state_of(gpu_node("n", 2, cpu="5"), gpu_node("cpu", 0), gpu_pod("a", milli=700).on("n"))
    lost, weight = plugin.fragmentation(state)
    assert (lost.tolist(), weight) == ([8000, 0], 10)


def test_gradient_by_hand():
    # The mix: 3 of 1 x 500, 1 of 1 x 1000. A pod of 1 x 500 comes to
    #   idle  (1000): before (3 * 0 + 0) / 4 = 0,         after, 500 left: (0 + 500) / 4 = 125     -> -125
    #   half  (500):  before (0 + 500) / 4 = 125,         after, nothing left: 0                   -> +125
    #   loose (700):  before (0 + 700) / 4 = 175,         after, 200 left: (3 * 200 + 200) / 4     -> -25
    #   two (500, 1000): on the first 125 -> 0: +125; on the second (0 + 500) / 4 + (0 + 500) / 4  -> -125
    state = state_of(
        *[gpu_node(name, 2 if name == "two" else 1) for name in ("idle", "half", "loose", "two")],
        gpu_pod("a", milli=500).on("half"),
        gpu_pod("b", milli=300).on("loose"),
        gpu_pod("c", milli=500).on("two"),
        gpu_pod("p", milli=500),
    )
    plugin = GpuShare(GpuShareArgs(task_mix=mix((1, 1, 500, 3), (1, 1, 1000, 1))))
    cycle = Cycle(state, 3)
    raw = plugin.score(cycle, state.all_nodes)
    assert raw.tolist() == [4 * -125, 4 * 125, 4 * -25, 4 * 125]
    plugin.normalize_score(cycle, state.all_nodes, raw)
    # 100 / (1 + e^0.125) = 46.8, 100 / (1 + e^-0.125) = 53.1, 100 / (1 + e^0.025) = 49.4
    assert raw.tolist() == [46, 53, 49, 53]
    state.assume(3, 3)
    plugin.reserve(cycle, 3)
    assert free(plugin, state)[3] == [0, 1000]


def test_min_max_scale():
    scores = np.array([-500, 500, -100, 500, 499], np.int64)
    state = state_of(gpu_node("n", 1), gpu_pod("p", milli=1))
    plugin = GpuShare(GpuShareArgs(fragmentation_scale="MinMax"))
    plugin.normalize_score(Cycle(state, 0), state.all_nodes, scores)
    # (x + 500) * 100 // 1000: only the best have 100
    assert scores.tolist() == [0, 100, 40, 100, 99]


def test_best_fit_by_hand():
    # The largest node has 16 cpu and 2000 milli. After a pod of 4 cpu and 500 milli
    #   big   has 12 / 16 and 1500 / 2000 left: 0.75 + 0.75  = 1.5
    #   small has  4 / 16 and  500 / 2000 left: 0.25 + 0.25  = 0.5
    #   used  has 12 / 16 and  900 / 2000 left: 0.75 + 0.45  = 1.2
    state = state_of(
        gpu_node("big", 2),
        gpu_node("small", 1, cpu="8"),
        gpu_node("used", 2),
        gpu_pod("a", "0", milli=600).on("used"),
        gpu_pod("p", "4", milli=500),
    )
    plugin = GpuShare(GpuShareArgs(scoring_strategy="BestFit"))
    cycle = Cycle(state, 1)
    raw = plugin.score(cycle, state.all_nodes)
    # In units of 1 / (16000 * 2000): 1.5, 0.5 and 1.2 times 32,000,000
    assert raw.tolist() == [-48_000_000, -16_000_000, -38_400_000]
    plugin.normalize_score(cycle, state.all_nodes, raw)
    assert raw.tolist() == [0, 100, 30]  # (1.5 - 1.2) / (1.5 - 0.5)


@pytest.mark.parametrize(
    ("left", "number", "milli", "taken"),
    [
        ([1000, 600, 700], 1, 500, [1]),  # the fullest one that will do
        ([1000, 600, 600], 1, 600, [1]),  # of equal ones the first
        ([1000, 400, 1000], 2, 1000, [0, 2]),
        ([900, 500, 700, 800], 2, 500, [1, 2]),  # different devices, the fullest ones
    ],
)
def test_tightest_devices(left: list[int], number: int, milli: int, taken: list[int]):
    free_milli, mask = np.array([*left, 0], np.int64), np.zeros(len(left) + 1, np.bool_)
    demand = GpuDemand(0, number, milli, np.ones(1, np.bool_))
    assert kernels.take_tightest(free_milli, len(left), demand, mask) == 0
    assert np.flatnonzero(mask).tolist() == taken
    assert free_milli[:-1].tolist() == [n - milli if d in taken else n for d, n in enumerate(left)]


@given(st.integers(1, 20_000), st.integers(-20_000_000, 20_000_000))
def test_logistic_steps_are_the_logistic_function(weight: int, drop: int):
    x = drop / weight / 1000
    exact = 100 / (1 + exp(-x)) if x > -700 else 0.0
    score = int(np.searchsorted(logistic_steps(weight), drop, side="right"))
    assert 0 <= score <= 99
    assert score in (int(exact - 1e-9), int(exact + 1e-9)) or exact > 99


def test_logistic_steps_of_no_change():
    assert np.searchsorted(logistic_steps(7), [-1, 0], side="right").tolist() == [49, 50]


# Against the naive version.

places = st.builds(
    naive.Place,
    cpu=st.integers(-2, 12).map(lambda n: 1000 * n),
    devices=st.lists(st.sampled_from([1000, 1000, 700, 500, 300, 0, -200]), max_size=4).map(tuple),
    model=st.sampled_from(["", *MODELS]),
)
tasks = st.builds(
    naive.Task,
    cpu=st.sampled_from([0, 1000, 4000, 9000]),
    number=st.sampled_from([0, 1, 1, 1, 2, 4]),
    milli=st.sampled_from([200, 300, 500, 700, 1000]),
    models=st.sampled_from([None, None, None, frozenset({"T4"}), frozenset(MODELS)]),
    weight=st.integers(1, 9),
)
VOCABULARY = Vocabulary(MODELS)


def as_devices(listed: list[naive.Place]) -> GpuDevices:
    width = max((len(place.devices) for place in listed), default=0) or 1
    rows = [[*place.devices, *[0] * (width - len(place.devices))] for place in listed]
    codes = [MODELS.index(place.model) if place.model else len(MODELS) for place in listed]
    number = [len(place.devices) for place in listed]
    columns = [np.array(column, np.int64) for column in (rows, number, codes, [0] * len(listed))]
    return GpuDevices(columns[0].reshape(-1, width), *columns[1:])


def as_demand(task: naive.Task) -> GpuDemand:
    models = [task.models is None or name in task.models for name in (*MODELS, "")]
    return GpuDemand(task.cpu, task.number, task.milli, np.array(models))


def as_mix(listed: list[naive.Task]) -> TaskMix:
    demands = [as_demand(task) for task in listed]
    columns = [np.array(column, np.int64) for column in zip(*(demand[:3] for demand in demands), strict=True)]
    return TaskMix(*columns, np.array([t.weight for t in listed]), np.array([demand.models for demand in demands]))


@settings(max_examples=60)
@given(st.lists(places, min_size=1, max_size=4), st.lists(tasks, min_size=1, max_size=5), tasks)
def test_kernels_agree_with_the_naive_version(listed, workload, task):
    devices, demand, kinds = as_devices(listed), as_demand(task), as_mix(workload)
    cpu = np.array([place.cpu for place in listed], np.int64)
    nodes = np.arange(len(listed), dtype=np.int32)
    verdict = np.empty(len(listed), np.int64)
    kernels.judge(devices, demand, nodes, verdict)
    assert (verdict == kernels.FITS).tolist() == [naive.fits(place, task) for place in listed]
    assert (verdict == kernels.WRONG_MODEL).tolist() == [not naive.suits(place, task) for place in listed]
    weight = sum(item.weight for item in workload)
    lost = np.empty(len(listed), np.int64)
    kernels.fragmentations(devices, cpu, kinds, lost)
    assert lost.tolist() == [weight * naive.expected_fragments(place, workload) for place in listed]
    fitting = nodes[verdict == kernels.FITS]
    scores = np.empty(len(fitting), np.int64)
    memo = GradientMemo(*(np.full(len(listed), value, np.int64) for value in (0, -1, 0)))
    kernels.gradient(devices, cpu, kinds, demand, memo, fitting, scores)
    expected = [naive.gradient(listed[n], task, workload) for n in fitting]
    assert scores.tolist() == [weight * drop for drop, _ in expected]
    for n, (_, taken) in zip(fitting, expected, strict=True):
        row, mask = devices.free[n].copy(), np.zeros(devices.free.shape[1], np.bool_)
        kernels.take_least_fragmenting(
            (row, int(devices.number[n]), int(cpu[n]) - task.cpu, int(devices.model[n])), kinds, demand, mask
        )
        assert tuple(np.flatnonzero(mask).tolist()) == taken
    largest = naive.Place(16_000, (1000,) * 4)
    kernels.best_fit(devices, cpu, (16_000, 4000), demand, fitting, scores)
    shares = [naive.best_fit(listed[n], task, largest) for n in fitting]
    assert scores.tolist() == [-2 * 16_000 * 4000 * share for share in shares]


# The workload that fragmentation is measured against.


def test_the_mix_is_of_the_most_frequent_pods():
    demands = [
        GpuDemand(cpu, number, milli, np.ones(1, np.bool_))
        for cpu, number, milli in [(1000, 1, 500), (2000, 0, 1000), (4000, 1, 1000), (1000, 1, 500), (9000, 8, 1000)]
    ]
    # Pods: 6 + 2 of 1 x 500 (two templates that differ in memory), 5 without GPU, 5 of 1 x 1000, 2 of 8 x 1000.
    numbers = np.array([6, 5, 5, 2, 2])
    whole = mix_of_pods(demands, numbers, 100)
    # As frequent, the larger comes first.
    assert list(
        zip(whole.cpu.tolist(), whole.number.tolist(), whole.milli.tolist(), whole.weight.tolist(), strict=True)
    ) == [
        (1000, 1, 500, 8),
        (4000, 1, 1000, 5),
        (2000, 0, 0, 5),
        (9000, 8, 1000, 2),
    ]
    # 40 % of 20 pods are 8; 41 % are 8.2, which takes one kind more.
    assert [len(mix_of_pods(demands, numbers, share).weight) for share in (40, 41, 90, 91)] == [1, 2, 3, 4]


def test_the_mix_of_the_arguments():
    found = mix_of_args((TaskArgs("500m", 1, 300, ("V100", "A100"), 3), TaskArgs("2")), VOCABULARY)
    assert (found.cpu.tolist(), found.number.tolist(), found.milli.tolist()) == ([500, 2000], [1, 0], [300, 0])
    assert found.models.tolist() == [[False, True, False], [True, True, True]]


def test_pods_that_have_ended_are_no_part_of_the_mix():
    state = state_of(gpu_node("n", 1), gpu_pod("a", milli=300), gpu_pod("b", milli=500).phase("Succeeded"))
    assert GpuShare().task_mix(state).milli.tolist() == [300]


# The books.


def profile(plugin: GpuShare) -> Profile:
    return Profile.of_multi_point(
        "default-scheduler", [(make(), 1) for make in in_tree_registry().values()] + [(plugin, 1)]
    )


def test_pods_of_the_input_have_devices():
    state = state_of(
        gpu_node("n", 3),
        gpu_pod("a", milli=400).on("n"),
        gpu_pod("b", milli=700, index=2).on("n"),
        gpu_pod("c", milli=300).on("n"),  # fits on the device of a and on that of b, which is fuller
        gpu_pod("d", count=2).on("n"),  # does not fit at all: the emptiest hold too much
        gpu_pod("e", milli=100, index=7).on("n"),  # there is no such device
        gpu_pod("f", milli=500).phase("Succeeded").on("n"),
    )
    # a takes 0, b takes 2 (300 left), c takes 2 (0 left): 600, 1000, 0 are left. d takes 1, and 0 besides: -400, 0, 0.
    # No device has 100 for e, of the emptiest it is the first.
    assert free(GpuShare(), state) == [[-400, -100, 0]]


def test_reserve_and_unreserve_undo_each_other():
    state = state_of(gpu_node("n", 2), gpu_pod("a", milli=400).on("n"), gpu_pod("p", milli=500), make_pod("q"))
    plugin = GpuShare(GpuShareArgs(scoring_strategy="BestFit"))
    cycle = Cycle(state, 1)
    before = free(plugin, state)
    state.assume(1, 0)
    assert plugin.reserve(cycle, 0) is None
    assert free(plugin, state) == [[100, 1000]]
    plugin.unreserve(cycle, 0)
    state.forget(1)
    assert free(plugin, state) == before
    # One that nothing was set aside for.
    plugin.unreserve(Cycle(state, 2), 0)
    assert free(plugin, state) == before


def test_reserve_refuses_a_node_without_room():
    state = state_of(gpu_node("n", 1), gpu_pod("a", milli=600).on("n"), gpu_pod("p", milli=500))
    state.assume(1, 0)
    status = GpuShare().reserve(Cycle(state, 1), 0)
    assert status is not None
    assert (status.code, status.reasons) == (NOT_NOW, ("Insufficient alibabacloud.com/gpu-milli",))


def test_the_books_follow_pods_that_come_and_go_otherwise():
    state = state_of(gpu_node("n", 1), gpu_node("m", 1), gpu_pod("a", milli=600).on("n"), gpu_pod("b", milli=300))
    plugin = GpuShare()
    assert free(plugin, state) == [[400], [1000]]
    state.forget(0)
    state.assume(1, 1)
    assert free(plugin, state) == [[1000], [700]]


def test_a_pod_that_is_tried_off_or_on_a_node_leaves_no_trace():
    state = state_of(gpu_node("n", 2), gpu_pod("a", milli=600).on("n"), gpu_pod("b", milli=700))
    plugin, cycle = GpuShare(), Cycle(state, 1)
    before = free(plugin, state)
    plugin.count_pod(cycle, 0, 0, -1)
    assert free(plugin, state) == [[1000, 1000]]
    plugin.count_pod(cycle, 0, 0, 1)
    plugin.count_pod(cycle, 1, 0, 1)
    assert free(plugin, state) == [[400, 300]]
    plugin.count_pod(cycle, 1, 0, -1)
    assert free(plugin, state) == before


def test_preemption_frees_devices():
    cluster = cluster_of(
        gpu_node("n", 2),
        gpu_pod("low", milli=800).on("n").priority(1).started("2025-01-01T00:00:00Z"),
        gpu_pod("other", milli=900).on("n").priority(9),
        gpu_pod("high", milli=500).priority(5),
    )
    placed = kplace.place(cluster, plugins=[GpuShare], preemption="immediate")
    assert placed.pods.set_index("pod").node.to_dict()["high"] == "n"
    assert placed.preemptions.victim.tolist() == ["low"]


amounts = st.sampled_from([(1, 200), (1, 300), (1, 500), (1, 700), (1, 1000), (2, 1000), (2, 500), (0, 0)])


@settings(max_examples=25)
@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=4),
    st.lists(amounts, max_size=14),
    st.sampled_from(["FGD", "BestFit"]),
)
def test_no_device_holds_too_much_and_every_pod_has_its_own(gpus, wanted, strategy):
    pods = [gpu_pod(f"p{i}", count=n, milli=milli) if n else make_pod(f"p{i}") for i, (n, milli) in enumerate(wanted)]
    state = state_of(*[gpu_node(f"n{i}", n) for i, n in enumerate(gpus)], *pods)
    plugin = GpuShare(GpuShareArgs(scoring_strategy=strategy))
    placed = place_waiting(state, [profile(plugin)], Options())
    ledger = plugin.ledger(state)
    used = np.zeros_like(ledger.devices.free)
    for pod, node in zip(placed.pod.tolist(), placed.node.tolist(), strict=True):
        number, milli = wanted[pod]
        assert ledger.held[pod].sum() == (number if node >= 0 else 0)
        used[node] += milli * ledger.held[pod]
    exists = np.arange(used.shape[1]) < ledger.devices.number[:, None]
    assert not used[~exists].any()
    assert (ledger.devices.free[exists] == 1000 - used[exists]).all()
    assert (ledger.devices.free >= 0).all()


# As a whole.


@pytest.mark.parametrize("strategy", ["FGD", "BestFit"])
@pytest.mark.parametrize("scale", ["Sigmoid", "MinMax"])
def test_it_keeps_to_the_contract(strategy: str, scale: str):
    nodes = [gpu_node(f"n{i}", i % 5, model=("", *MODELS)[i % 3]) for i in range(12)]
    running = [gpu_pod(f"r{i}", milli=100 * (1 + i % 9)).on(f"n{1 + 5 * (i % 2)}") for i in range(4)]
    waiting = [gpu_pod(f"w{i}", count=1 + i % 2, milli=250 * (1 + i % 4), model="T4|V100" * (i % 2)) for i in range(6)]
    cluster = cluster_of(*nodes, *running, *waiting, make_pod("plain"))
    args = {"scoringStrategy": strategy, "fragmentationScale": scale}
    assert check_plugin(GpuShare, args=args, cluster=cluster).passed


def test_one_cluster_under_two_profiles():
    """Pods that request whole GPUs and say in annotations what they really take."""
    both = {"cpu": "1", "nvidia.com/gpu": "1"}
    pods = [gpu_pod(f"p{i}", milli=500, count=1).req(**both) for i in range(4)]
    node = make_node("n").status(allocatable={"cpu": "8", "memory": "8Gi", "pods": "9", "nvidia.com/gpu": "2"})
    cluster = cluster_of(node, *pods)
    assert (kplace.place(cluster).pods.status == "scheduled").sum() == 2
    ignoring = {"name": "NodeResourcesFit", "args": {"ignoredResources": ["nvidia.com/gpu"]}}
    config = {
        "profiles": [{"plugins": {"multiPoint": {"enabled": [{"name": "GpuShare"}]}}, "pluginConfig": [ignoring]}]
    }
    assert (kplace.place(cluster, config=config, plugins=[GpuShare]).pods.status == "scheduled").sum() == 4


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"scoringStrategy": "Fgd"}, 'scoringStrategy: Unsupported value: "Fgd": supported values: "FGD", "BestFit"'),
        ({"taskMixPercentage": 0}, "taskMixPercentage: Invalid value: 0: must be between 1 and 100"),
        ({"deviceResources": []}, 'deviceResources: Invalid value: "": must name a resource'),
        ({"taskMix": [{}, {"gpuMilli": 1001}]}, "taskMix[1].gpuMilli: Invalid value: 1001: must be between 1 and 1000"),
        ({"taskMix": [{"cpu": "-1"}]}, 'taskMix[0].cpu: Invalid value: "-1": must not be negative'),
        ({"taskMix": [{"cpu": "many", "gpuCount": 1}]}, 'taskMix[0].cpu: Invalid value: "many"'),
        ({"taskMix": [{"weight": 0}]}, "taskMix[0].weight: Invalid value: 0: must be greater than 0"),
        ({"taskMix": [{"gpuCount": -1}]}, "taskMix[0].gpuCount: Invalid value: -1: must not be negative"),
    ],
)
def test_arguments_at_fault(args: dict, message: str):
    config = {"profiles": [{"pluginConfig": [{"name": "GpuShare", "args": args}]}]}
    with pytest.raises(ConfigError) as error:
        kplace.read_config(config, plugins=[GpuShare])
    assert message in str(error.value)
