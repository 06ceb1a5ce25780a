"""Runs of the readable engine, and their records by name."""

from collections.abc import Iterator
from typing import Any

from kplace.dtypes import PreemptionMode, TieBreak
from kplace.engine.cycle import Options, try_pod
from kplace.engine.diagnose import diagnose
from kplace.engine.place import place_waiting, split_waiting
from kplace.io.trace import FullTrace, full_record
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState

PROFILE = default_profile()
OPTIONS = Options(TieBreak.FIRST, percentage_of_nodes_to_score=100, preemption=PreemptionMode.OFF)


def record_of(state: ClusterState, options: Options = OPTIONS) -> dict[str, Any]:
    """Place all waiting pods; the full record of it."""
    trace = FullTrace(state, [PROFILE], options)
    place_waiting(state, [PROFILE], options, watchers=[trace.watch])
    return trace.record()


def queue_of(state: ClusterState) -> list[int]:
    """The pods that will be tried, in order."""
    return split_waiting(state, {PROFILE.scheduler_name: PROFILE})[2].tolist()


def attempts(*states: ClusterState) -> Iterator[list[dict[str, Any]]]:
    """Try the pods of states with the same queue in step: the records of each attempt, then the same choice for all.

    The choice is the best node that comes first by name, so that it does not depend on the order of the nodes.
    """
    queues = [[state.columns.pods.key(pod) for pod in queue_of(state)] for state in states]
    assert queues.count(queues[0]) == len(queues)
    for number, pods in enumerate(zip(*map(queue_of, states), strict=True)):
        tried = [try_pod(state, PROFILE, pod, number, OPTIONS) for state, pod in zip(states, pods, strict=True)]
        yield [full_record(attempt, diagnose(attempt)[1] if attempt.node < 0 else "", OPTIONS) for attempt in tried]
        names = [state.columns.nodes.names for state in states]
        best = {names[0][tried[0].feasible[position]] for position in tried[0].best}
        if best:
            for state, pod in zip(states, pods, strict=True):
                state.assume(pod, state.columns.nodes.index[min(best)])


def unordered(record: dict[str, Any]) -> dict[str, Any]:
    """A record of one attempt without what depends on the order of the nodes."""
    sample = record["sample"]
    kept = record | {
        "sample": sample | {"feasible": sorted(sample["feasible"])},
        "best": sorted(record.get("best", ())),
    }
    del kept["sample"]["startNodeIndex"], kept["sample"]["nextStartNodeIndex"]
    kept.pop("chosen", None)
    return kept
