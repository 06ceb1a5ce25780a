"""The fused loop: on the published workloads, with several profiles, in several threads, and compiled once."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.workloads import WORKLOADS, build
from kplace._jit import JIT_DISABLED
from kplace.columns import ClusterColumns
from kplace.config.versions import VERSIONS, behaviour_of
from kplace.dtypes import PreemptionMode
from kplace.engine.batch import place_batch
from kplace.engine.cycle import Options
from kplace.engine.fused.known import can_fuse
from kplace.engine.fused.loop import run_pods
from kplace.engine.place import place_waiting
from kplace.engine.results import result_hash
from kplace.framework import Profile
from kplace.plugins.defaults import default_configuration, default_profile
from kplace.plugins.in_tree import DEFAULT_ORDER
from kplace.plugins.noderesources.args import (
    NodeResourcesFitArgs,
    ScoringStrategy,
    ScoringStrategyType,
    ShapePoint,
)
from kplace.plugins.noderesources.fit import NodeResourcesFit
from kplace.plugins.profiles import build_profiles
from kplace.plugins.registry import in_tree_registry
from kplace.state import ClusterState
from kplace.testing import cluster_of, make_node, make_pod
from kplace.testing.strategies import WITHOUT_NOMINATIONS, MadeUp, Size, clusters
from tests.properties.records import PROFILE


def options_for(workload: str, **settings: object) -> Options:
    mode = PreemptionMode.IMMEDIATE if workload == "preemption" else PreemptionMode.OFF
    return replace(Options(preemption=mode), **settings)


def hash_of(columns: ClusterColumns, options: Options, place=place_batch) -> str:
    return result_hash(place(ClusterState(columns), [default_profile()], options))


@pytest.mark.parametrize("percentage", [0, 100])
@pytest.mark.parametrize("workload", WORKLOADS)
def test_published_workloads(workload: str, percentage: int):
    columns = build(workload, 700, 250)
    options = options_for(workload, percentage_of_nodes_to_score=percentage, seed=3)
    assert hash_of(columns, options) == hash_of(columns, options, place_waiting)


def packing(name: str) -> Profile:
    """The default plugins, but as full as possible before as balanced as possible."""
    registry = in_tree_registry()
    strategy = ScoringStrategy(ScoringStrategyType.MOST_ALLOCATED)
    fit = NodeResourcesFit(NodeResourcesFitArgs(scoring_strategy=strategy))
    plugins = [
        (fit if key == fit.name else registry[key](), weight) for key, weight in DEFAULT_ORDER if key in registry
    ]
    return Profile.of_multi_point(name, plugins)


@settings(max_examples=60)
@given(
    clusters(Size(nodes=8, running=8, waiting=20), features=WITHOUT_NOMINATIONS),
    st.lists(st.booleans(), min_size=20, max_size=20),
    st.sampled_from(PreemptionMode),
)
def test_two_profiles_in_turn(made: MadeUp, choices: list[bool], mode: PreemptionMode):
    """What pods of one profile take the other's engine has to learn of."""
    waiting = [pod for pod in made.pods if "nodeName" not in pod["spec"]]
    for pod, other in zip(waiting, choices, strict=False):
        if other:
            pod["spec"]["schedulerName"] = "packing"
    profiles = [PROFILE, packing("packing")]
    options = Options(preemption=mode)
    batch, readable = (place(made.state(), profiles, options) for place in (place_batch, place_waiting))
    assert result_hash(batch) == result_hash(readable)
    assert batch.messages == readable.messages


@pytest.mark.parametrize("workload", ["mixed", "preemption"])
def test_threads_do_not_get_in_each_others_way(workload: str):
    columns = build(workload, 200, 400)
    seeds = range(6)
    alone = [hash_of(columns, options_for(workload, seed=seed)) for seed in seeds]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(lambda seed: hash_of(columns, options_for(workload, seed=seed)), seeds))
    assert together == alone
    assert len(set(alone)) > 1


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_the_loop_is_compiled_once():
    """Neither sizes nor resources nor profiles make for another compiled version."""
    for workload, nodes, pods in (("basic", 30, 20), ("mixed", 150, 40), ("preemption", 20, 10)):
        hash_of(build(workload, nodes, pods), options_for(workload))
    nodes = [
        make_node(f"n{i}").capacity(cpu="8", memory="16Gi", pods="10", **{"example.com/gpu": "4"}) for i in range(3)
    ]
    columns = cluster_of(*nodes, make_pod("web").req(cpu="1", **{"example.com/gpu": "1"})).columns
    for strategy in ScoringStrategyType:
        shape = (ShapePoint(0, 0), ShapePoint(100, 10))
        fit = NodeResourcesFit(NodeResourcesFitArgs(scoring_strategy=ScoringStrategy(strategy, shape=shape)))
        registry = in_tree_registry()
        plugins = [(fit if key == fit.name else registry[key](), 2) for key, _ in DEFAULT_ORDER if key in registry]
        place_batch(ClusterState(columns), [Profile.of_multi_point("default-scheduler", plugins)], Options())
    assert len(run_pods.signatures) == 1


@pytest.mark.parametrize("version", VERSIONS)
def test_every_release_goes_through_the_loop(version: str):
    (profile,) = build_profiles(default_configuration(), behaviour=behaviour_of(version)).profiles
    assert can_fuse(profile)
