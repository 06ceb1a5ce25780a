"""The storage plugins against the naive version: verdicts, choices, what is attached; both engines; undoing."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kplace.dtypes import NO_NODE, PreemptionMode, TieBreak
from kplace.engine.attempt import Attempt
from kplace.engine.batch import place_batch
from kplace.engine.binding import bind, give_back, hold
from kplace.engine.cycle import Options, try_pod
from kplace.engine.place import place_waiting
from kplace.framework.diagnosis import node_reasons
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState
from kplace.testing.clusters import state_of
from tests.naive.volumes import Storage, claims_of
from tests.plugins.storage_clusters import clusters

PROFILE = default_profile()
OPTIONS = Options(tie_break=TieBreak.FIRST, preemption=PreemptionMode.OFF)


def said(attempt: Attempt) -> dict[str, list[str]]:
    """Reasons by node."""
    filters, names = attempt.filters, attempt.cycle.state.columns.nodes.names
    assert filters is not None
    return {
        name: list(
            node_reasons(
                PROFILE, attempt.cycle, attempt.pre_filters, filters, int(filters.plugin[n]), int(filters.detail[n])
            )
        )
        if filters.code[n]
        else []
        for n, name in enumerate(names)
    }


def everything(state: ClusterState) -> Any:
    """All that pods' coming and going changes."""
    attached, bindings = state.attached, state.volume_bindings
    return (
        state.loads.requested.tolist(),
        None if attached is None else (attached.counts.tolist(), dict(attached._users)),
        dict(bindings.settled),
        dict(bindings.claim_of),
        state.node_of_pod.tolist(),
    )


@settings(max_examples=150)
@given(clusters())
def test_verdicts_and_bindings_are_those_of_the_naive_version(objects: list[dict]):
    state, naive = state_of(*objects), Storage(objects)
    names = state.columns.nodes.names
    for number, pod in enumerate(np.flatnonzero(state.node_of_pod == NO_NODE).tolist()):
        manifest = naive.pods[state.columns.pods.names[pod]]
        attempt = try_pod(state, PROFILE, pod, number, OPTIONS)
        assert not attempt.error
        rejection = naive.rejection(manifest)
        assert attempt.pre_filters.rejection.reasons == ((rejection,) if rejection else ())
        if rejection:
            continue
        assert said(attempt) == {name: naive.reasons(manifest, name) for name in names}
        if attempt.node == NO_NODE:
            continue
        before = dict(state.volume_bindings.settled)
        assert hold(state, attempt) is None
        assert bind(state, attempt) is None
        found = naive.place(manifest, names[attempt.node])
        own = {
            claim: ("volume", settled.volume) if settled.volume else ("node", settled.node)
            for (_, claim), settled in state.volume_bindings.settled.items()
            if claim in claims_of(manifest) and ("default", claim) not in before
        }
        assert own == {name: what for name, what in found.items() if ("default", name) not in before}
        assert state.attached is None or all(
            state.attached.counts[row, n] == naive.attached(name, driver)
            for row, driver in enumerate(state.attached.drivers)
            for n, name in enumerate(names)
        )


@settings(max_examples=60)
@given(clusters(), st.data())
def test_what_a_pod_held_is_as_it_was_once_it_is_given_back(objects: list[dict], data: st.DataObject):
    state = state_of(*objects)
    for number, pod in enumerate(np.flatnonzero(state.node_of_pod == NO_NODE).tolist()):
        attempt = try_pod(state, PROFILE, pod, number, OPTIONS)
        if attempt.node == NO_NODE:
            continue
        as_it_was = everything(state)
        hold(state, attempt)
        give_back(state, attempt)
        shared = {claim for claim, settled in state.volume_bindings.settled.items() if settled.pod != pod}
        assert shared <= as_it_was[2].keys()
        assert everything(state) == as_it_was
        if data.draw(st.booleans()):
            hold(state, attempt)
            bind(state, attempt)


@settings(max_examples=30)
@given(clusters())
def test_pods_that_are_tried_on_and_off_leave_nothing_behind(objects: list[dict]):
    state = state_of(*objects)
    as_it_was = everything(state)
    pods = np.flatnonzero(state.node_of_pod == NO_NODE).astype(np.int32)
    nodes = np.arange(len(pods), dtype=np.int32) % state.n_nodes
    state.shift(pods, nodes, 1)
    state.shift(pods, nodes, -1)
    assert everything(state) == as_it_was


@settings(max_examples=80)
@given(clusters(n_waiting=8), st.sampled_from(PreemptionMode), st.sampled_from(TieBreak))
def test_both_engines_agree(objects: list[dict], preemption: PreemptionMode, tie_break: TieBreak):
    for number, item in enumerate(objects):
        if item["kind"] == "Pod":
            item["spec"]["priority"] = number % 3
    options = Options(tie_break=tie_break, preemption=preemption)
    readable, batch = state_of(*objects), state_of(*objects)
    wanted, got = place_waiting(readable, [PROFILE], options), place_batch(batch, [PROFILE], options)
    assert got.node.tolist() == wanted.node.tolist()
    assert got.messages == wanted.messages
    assert got.next_start_index.tolist() == wanted.next_start_index.tolist()
    assert everything(batch) == everything(readable)
