"""Runs from one start under other weights: each as if it had been the first one on a new state."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kplace
from kplace.dtypes import PreemptionMode
from kplace.engine.batch import place_batch
from kplace.engine.cycle import Options
from kplace.engine.fused.compile import Compiler
from kplace.engine.place import place_waiting
from kplace.engine.rerun import Reruns
from kplace.engine.results import result_hash
from kplace.framework import Profile, WeightedPlugin
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState
from kplace.testing import cluster_of, make_node, make_pod
from kplace.testing.strategies import MadeUp, Size, clusters
from tests.engine.test_fused import packing

OPTIONS = Options(preemption=PreemptionMode.OFF, seed=5)
N_SCORERS = len(default_profile().score)


def weighted(profile: Profile, weights) -> Profile:
    """The profile with other weights, in the order of its plugins; without those of weight 0."""
    kept = [
        WeightedPlugin(item.plugin, weight, item.normalizer)
        for item, weight in zip(profile.score, weights, strict=True)
        if weight
    ]
    names = {item.plugin.name for item in kept}
    dropped = {item.plugin.name for item in profile.score} - names
    pre_score = tuple(plugin for plugin in profile.pre_score if plugin.name not in dropped)
    return replace(profile, score=tuple(kept), pre_score=pre_score)


def vectors(largest: int):
    return st.lists(st.integers(0, largest), min_size=N_SCORERS, max_size=N_SCORERS).filter(any)


def check(columns, wholes, weights, options=OPTIONS):
    reruns = Reruns(columns, options)
    for vector in weights:
        profiles = [weighted(wholes[0], vector), *wholes[1:]]
        state, found = reruns.place(profiles, wholes)
        new = ClusterState(columns)
        wanted = place_batch(new, profiles, options)
        assert result_hash(found) == result_hash(wanted), vector
        assert found.messages == wanted.messages
        assert found.settled == wanted.settled
        assert np.array_equal(state.node_of_pod, new.node_of_pod)
        assert np.array_equal(state.loads.requested, new.loads.requested)


@settings(max_examples=25)
@given(
    clusters(Size(nodes=8, running=8, waiting=20)),
    st.lists(st.booleans(), min_size=20, max_size=20),
    st.lists(vectors(10) | vectors(400), min_size=2, max_size=4),
)
def test_as_if_nothing_had_been_before(made: MadeUp, choices: list[bool], weights):
    waiting = [pod for pod in made.pods if "nodeName" not in pod["spec"]]
    for pod, other in zip(waiting, choices, strict=False):
        if other:
            pod["spec"]["schedulerName"] = "packing"
    check(made.cluster().columns, [default_profile(), packing("packing")], weights)


@pytest.mark.parametrize("preset", ["ml-gpu", "web"])
def test_with_volumes_and_many_constraints(preset: str):
    columns = kplace.synth(preset, nodes=25, pods=150).columns
    assert preset == "web" or any(template.spec.volumes for template in columns.templates)
    weights = [(1,) * N_SCORERS, tuple(range(N_SCORERS)), (1,) * N_SCORERS]
    check(columns, [default_profile()], weights)


def test_each_template_is_compiled_once(monkeypatch):
    calls = []
    compiled = Compiler.compile
    monkeypatch.setattr(Compiler, "compile", lambda *given: calls.append(1) or compiled(*given))
    nodes = [make_node(f"n{at}").capacity(cpu="4", memory="8Gi", pods="10") for at in range(3)]
    reruns = Reruns(cluster_of(*nodes, make_pod("web").req(cpu="1")).columns, OPTIONS)
    whole = default_profile()
    for vector in np.random.default_rng(0).integers(1, 10, (5, N_SCORERS)).tolist():
        reruns.place([weighted(whole, vector)], [whole])
    assert len(calls) == 1


@settings(max_examples=25)
@given(clusters(Size(nodes=4, running=8, waiting=20)))
def test_without_reasons_the_same_pods_find_the_same_nodes(made: MadeUp):
    found, wanted = (
        place(made.state(), [default_profile()], options)
        for place, options in ((place_batch, replace(OPTIONS, explains=False)), (place_waiting, OPTIONS))
    )
    for name in ("pod", "status", "node", "evaluated", "feasible", "total", "runner_up", "ties", "next_start_index"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name


@pytest.mark.parametrize("mode", [PreemptionMode.DRY_RUN, PreemptionMode.IMMEDIATE])
def test_where_others_may_leave_the_reasons_are_found_out_all_the_same(mode: PreemptionMode):
    low = make_pod("low").req(cpu="4").priority(1).on("n0")
    columns = cluster_of(
        make_node("n0").capacity(cpu="4", memory="8Gi", pods="10"), low, make_pod("high").req(cpu="4").priority(2)
    ).columns
    options = Options(preemption=mode, explains=False)
    silent, wanted = (
        place_batch(ClusterState(columns), [default_profile()], item)
        for item in (options, replace(options, explains=True))
    )
    assert result_hash(silent) == result_hash(wanted)
    assert len(wanted.preemptions)
