"""Two engines, one truth: the batch engine gives what the readable one gives, row by row, and leaves the same state."""

import dataclasses
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import kplace
from kplace.config.versions import VERSIONS
from kplace.dtypes import PreemptionMode, TieBreak
from kplace.engine.batch import place_batch
from kplace.engine.cycle import Options
from kplace.engine.place import place_waiting
from kplace.state import ClusterState
from kplace.testing.strategies import EVERYTHING, WITHOUT_NOMINATIONS, Feature, MadeUp, Size, clusters
from tests.properties.records import PROFILE

OPTIONS = st.builds(
    Options,
    tie_break=st.sampled_from(TieBreak),
    seed=st.integers(0, 3),
    preemption=st.sampled_from(PreemptionMode),
)


def plain(value: object) -> Any:
    """Columns as lists, whatever holds them."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return value.tolist() if isinstance(value, np.ndarray) else value


def left(state: ClusterState) -> dict[str, Any]:
    """What a run leaves."""
    groups = state.groups
    return {
        "node": state.node_of_pod.tolist(),
        "nominated": state.nominations.node_of_pod.tolist(),
        "start": state.next_start_index,
        "requested": state.resources.requested.tolist(),
        "non_zero": state.resources.non_zero_requested.tolist(),
        "pods": state.resources.pods.tolist(),
        "listed": [state.node_pods.of(node).tolist() for node in range(state.n_nodes)],
        "totals": [int(groups.counts[row].sum()) for row in range(len(groups))]
        == groups.totals[: len(groups)].tolist(),
    }


def check(made: MadeUp, options: Options) -> None:
    readable, batch = made.state(), made.state()
    wanted = place_waiting(readable, [PROFILE], options)
    got = place_batch(batch, [PROFILE], options)
    assert plain(got) == plain(wanted)
    assert left(batch) == left(readable)


@settings(max_examples=150)
@given(clusters(Size(nodes=8, running=10, waiting=10), features=EVERYTHING), OPTIONS)
def test_everything_together(made: MadeUp, options: Options):
    check(made, options)


@settings(max_examples=60)
@given(
    clusters(Size(nodes=12, running=8, waiting=24), features=[Feature.SPREAD, Feature.POD_AFFINITY, Feature.OWNERS]),
    OPTIONS,
)
def test_what_other_pods_decide(made: MadeUp, options: Options):
    check(made, options)


@settings(max_examples=60)
@given(clusters(Size(nodes=6, running=8, waiting=30, workloads=3), features=WITHOUT_NOMINATIONS), OPTIONS)
def test_many_pods_of_few_workloads(made: MadeUp, options: Options):
    check(made, options)


@settings(max_examples=40)
@given(clusters(Size(nodes=8, waiting=8)), OPTIONS, st.integers(8, 30), st.sampled_from([0, 1, 60, 100]))
def test_large_clusters(made: MadeUp, options: Options, times: int, percentage: int):
    """From a hundred nodes on only a sample is scored, and the next search begins where this one ended."""
    grown = made.grown(nodes=times, waiting=6)
    check(grown, dataclasses.replace(options, percentage_of_nodes_to_score=percentage))


@settings(max_examples=60)
@given(
    clusters(Size(nodes=8, running=8, waiting=10), features=EVERYTHING),
    st.sampled_from(VERSIONS),
    st.sampled_from(["immediate", "dry-run", "off"]),
)
def test_other_releases(made: MadeUp, version: str, preemption: str):
    """The loop knows what each release of Kubernetes does."""
    cluster = made.cluster()
    batch, readable = (
        kplace.place(cluster, kube_version=version, preemption=preemption, engine=engine)
        for engine in ("batch", "cycle")
    )
    assert batch.result_hash == readable.result_hash
    assert batch.pods["message"].tolist() == readable.pods["message"].tolist()
