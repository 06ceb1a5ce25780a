"""The decision record of a run, in the schema of the golden cases: every attempt with everything it looked at.

Two forms: the full one keeps each node's reasons and scores, the slim one (counts) numbers only. `FullTrace` collects
the full one in memory, `TraceWriter` writes either to a file, one attempt after the other.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO

import msgspec
import numpy as np

from kplace.dtypes import CODE_NAMES, I32, I64, NO_NODE, Code, Status
from kplace.engine.attempt import Attempt
from kplace.engine.cycle import Options
from kplace.engine.place import split_waiting
from kplace.engine.sampling import num_feasible_nodes_to_find
from kplace.errors import AttemptError
from kplace.framework import PROCEED, Cycle, PostFilterResult, PreFilterResult, Profile
from kplace.framework.binding import Setback
from kplace.framework.diagnosis import node_reasons, rejecter
from kplace.framework.failure import PostFilterPhase
from kplace.framework.preemption import Preemption
from kplace.framework.runtime import PASSED
from kplace.state import ClusterState

Record = dict[str, Any]
RecordMaker = Callable[[Attempt, str, Options], Record]


class FullTrace:
    """Collects the full record; pass `watch` as a watcher of the run.

    Parameters
    ----------
    state : ClusterState
        Before the run.
    profiles : sequence of Profile
    options : Options
    """

    def __init__(self, state: ClusterState, profiles: Sequence[Profile], options: Options) -> None:
        self._columns = state.columns
        self._options = options
        self._queue, untried = queue_record(state, profiles)
        self._pods = untried

    def watch(self, attempt: Attempt, message: str) -> None:
        """Record one attempt."""
        self._pods.append(full_record(attempt, message, self._options))

    def record(self) -> Record:
        """The whole record."""
        return {"nodeOrder": self._columns.nodes.names, "queueOrder": self._queue, "pods": self._pods}


class TraceWriter:
    """Writes the record as JSON while the run goes on; pass `watch` as a watcher of the run.

    Each attempt stands on its own line. The file holds nothing but ``{"nodeOrder", "queueOrder", "pods"}``.

    Parameters
    ----------
    file : binary file
    state : ClusterState
        Before the run.
    profiles : sequence of Profile
    options : Options
    make : callable
        `full_record` or `counts_record`.
    only : int32 ndarray, optional
        The pods that the run tries; None for all.
    """

    def __init__(
        self,
        file: BinaryIO,
        state: ClusterState,
        profiles: Sequence[Profile],
        options: Options,
        make: RecordMaker,
        *,
        only: I32 | None = None,
    ) -> None:
        self._file = file
        self._options = options
        self._make = make
        self._encoder = msgspec.json.Encoder()
        self._separator = b"\n"
        queue, untried = queue_record(state, profiles, only)
        encode = self._encoder.encode
        file.write(b'{"nodeOrder":%b,\n"queueOrder":%b,\n"pods":[' % (encode(state.columns.nodes.names), encode(queue)))
        for record in untried:
            self._write(record)

    def watch(self, attempt: Attempt, message: str) -> None:
        """Write one attempt."""
        self._write(self._make(attempt, message, self._options))

    def watch_setback(self, attempt: Attempt, setback: Setback) -> None:
        """Write that a pod does not get the node that an attempt had found."""
        self._write(setback_record(attempt, setback))

    def close(self) -> None:
        """Write the end; the file stays open."""
        self._file.write(b"\n]}\n")

    def _write(self, record: Record) -> None:
        self._file.write(self._separator + self._encoder.encode(record))
        self._separator = b",\n"


def setback_record(attempt: Attempt, setback: Setback) -> Record:
    """Record of a pod that does not get the node that an attempt had found; the attempt has its own before it."""
    columns = attempt.cycle.state.columns
    status = Status.ERROR if setback.is_error else Status.UNSCHEDULABLE
    return {
        "pod": columns.pods.key(attempt.pod),
        "attempt": attempt.retry,
        "state": status.name.lower(),
        "lost": {"node": columns.nodes.names[attempt.node], "point": setback.point.value, "plugin": setback.plugin},
        "fitError": setback.message,
    }


def queue_record(
    state: ClusterState, profiles: Sequence[Profile], only: I32 | None = None
) -> tuple[list[str], list[Record]]:
    """Names in queue order, and the records of the pods that do not enter the queue."""
    pods = state.columns.pods
    parts = split_waiting(state, {profile.scheduler_name: profile for profile in profiles})
    skipped, gated, queued = parts if only is None else (part[np.isin(part, only)] for part in parts)
    outside = sorted([(int(pod), "skipped") for pod in skipped] + [(int(pod), "gated") for pod in gated])
    untried = [{"pod": pods.key(pod), "attempt": 0, "state": word} for pod, word in outside]
    return [pods.key(pod) for pod in queued], untried


def full_record(attempt: Attempt, message: str, options: Options) -> Record:
    """Record of one attempt with every node's verdict and scores."""
    record = _head(attempt)
    names = attempt.cycle.state.columns.nodes.names
    prefilter = pre_filter_record(attempt)
    if prefilter:
        record["prefilter"] = prefilter
    if attempt.pre_filters.skipped:
        record["skippedFilter"] = sorted(attempt.pre_filters.skipped)
    record["rejected"] = rejected_record(attempt)
    if attempt.extenders.skipped:
        record["skippedExtenders"] = [call._asdict() for call in attempt.extenders.skipped]
    record["sample"] = {
        "feasible": [names[n] for n in attempt.feasible],
        "evaluated": attempt.sample.evaluated,
        **_search_record(attempt, options),
    }
    if attempt.scores is not None:
        if attempt.scores.skipped:
            record["skippedScore"] = sorted(attempt.scores.skipped)
        record |= score_record(attempt, names)
    if attempt.node != NO_NODE:
        record["chosen"] = names[attempt.node]
    if message:
        record["fitError"] = message
    if attempt.post_filters is not None:
        record["postFilter"] = post_filter_record(attempt, attempt.post_filters)
    return record


def counts_record(attempt: Attempt, message: str, options: Options) -> Record:
    """Record of one attempt with numbers only, as the family ``large`` of the golden cases has it."""
    record = _head(attempt)
    names = attempt.cycle.state.columns.nodes.names
    record["sample"] = {
        "evaluated": attempt.sample.evaluated,
        "startNodeIndex": attempt.start_index,
        "nextStartNodeIndex": attempt.next_start_index,
        "feasible": len(attempt.feasible),
    }
    if attempt.scores is not None:
        record["best"] = len(attempt.best)
        record["bestTotal"] = int(attempt.scores.total.max())
    if attempt.node != NO_NODE:
        record["chosen"] = names[attempt.node]
    if message:
        record["fitError"] = message
    if attempt.post_filters is not None:
        record["postFilter"] = _nomination_record(attempt, attempt.post_filters.result)
    return record


def _head(attempt: Attempt) -> Record:
    pods = attempt.cycle.state.columns.pods
    state = "preempting" if attempt.is_preempting else attempt.status.name.lower()
    return {"pod": pods.key(attempt.pod), "attempt": attempt.retry, "state": state}


def _search_record(attempt: Attempt, options: Options) -> Record:
    own = attempt.profile.percentage_of_nodes_to_score
    percentage = options.percentage_of_nodes_to_score if own is None else own
    return {
        "numNodesToFind": num_feasible_nodes_to_find(attempt.cycle.state.n_nodes, percentage),
        "startNodeIndex": attempt.start_index,
        "nextStartNodeIndex": attempt.next_start_index,
    }


def pre_filter_record(attempt: Attempt) -> Record:
    """Every PreFilter's own word where it rejects the pod or narrows the nodes, each called by itself."""
    state = attempt.cycle.state
    names = state.columns.nodes.names
    record: Record = {}
    for plugin in attempt.profile.pre_filter:
        try:
            result = plugin.pre_filter(Cycle(state, attempt.pod)) or PROCEED
        except AttemptError as error:
            result = PreFilterResult(Code.ERROR, (str(error),))
        if result.nodes is not None:
            record[plugin.name] = {"nodes": sorted([*(names[n] for n in result.nodes), *result.unknown])}
        elif result.code not in (Code.SUCCESS, Code.SKIP):
            record[plugin.name] = {"code": CODE_NAMES[result.code], "reasons": list(result.reasons)}
    return record


def rejected_record(attempt: Attempt) -> Record:
    """Every node that was filtered out: plugin, code, reasons."""
    names = attempt.cycle.state.columns.nodes.names
    if attempt.filters is None:
        plugin = attempt.pre_filters.rejected_by
        if plugin is None:
            return {}
        rejection = attempt.pre_filters.rejection
        return {name: [plugin.name, CODE_NAMES[rejection.code], list(rejection.reasons)] for name in names}
    outcome = attempt.filters
    words: dict[tuple[int, int], list[str]] = {}
    record: Record = {}
    for n in np.flatnonzero(outcome.plugin != PASSED):
        index, detail = int(outcome.plugin[n]), int(outcome.detail[n])
        if (index, detail) not in words:
            reasons = node_reasons(attempt.profile, attempt.cycle, attempt.pre_filters, outcome, index, detail)
            words[index, detail] = list(reasons)
        name = rejecter(attempt.profile, outcome, index, detail)
        record[names[n]] = [name, CODE_NAMES[Code(outcome.code[n])], words[index, detail]]
    return record


def post_filter_record(attempt: Attempt, phase: PostFilterPhase) -> Record:
    """What PostFilters said: the message, or the nodes where room can be made and the pods that would have to go."""
    result = phase.result
    record = _nomination_record(attempt, result) | {"message": result.message}
    if phase.plugin:
        record["plugin"] = phase.plugin
    if result.preemption is not None:
        record |= _preemption_record(attempt, result.preemption)
    return record


def _nomination_record(attempt: Attempt, result: PostFilterResult) -> Record:
    names = attempt.cycle.state.columns.nodes.names
    node = None
    if result.nomination is not None:
        node = "" if result.nomination == NO_NODE else names[result.nomination]
    return {"code": CODE_NAMES[result.code], "nominatedNode": node}


def _preemption_record(attempt: Attempt, preemption: Preemption) -> Record:
    columns = attempt.cycle.state.columns
    candidates = preemption.candidates
    order = [columns.nodes.names[node] for node in candidates.nodes]
    victims = [[columns.pods.key(pod) for pod in candidates.victims_of(i).tolist()] for i in range(len(order))]
    record: Record = {
        "victims": victims[preemption.chosen],
        "candidates": {
            node: {"victims": pods, "pdbViolations": number}
            for node, pods, number in zip(order, victims, candidates.violations.tolist(), strict=True)
        },
        "candidateOrder": order,
    }
    if len(preemption.tied) > 1:
        record["tied"] = [order[position] for position in preemption.tied]
    return record


def score_record(attempt: Attempt, names: Sequence[str]) -> Record:
    """Raw and final scores of the sample, totals and the best nodes."""
    assert attempt.scores is not None
    sample = [names[n] for n in attempt.feasible]
    record: Record = {}
    if attempt.scores.raw:
        record["scores"] = {
            plugin: _by_node(sample, raw, attempt.scores.final[plugin]) for plugin, raw in attempt.scores.raw.items()
        }
    record["total"] = dict(zip(sample, attempt.scores.total.tolist(), strict=True))
    record["best"] = [sample[position] for position in attempt.best]
    if len(sample) == 1:
        record["skippedByOne"] = True
    return record


def _by_node(sample: Sequence[str], raw: I64, final: I64) -> Mapping[str, list[int]]:
    return {name: [before, after] for name, before, after in zip(sample, raw.tolist(), final.tolist(), strict=True)}
