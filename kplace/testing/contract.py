"""What a plugin must keep to, as checks: each yields what it finds wrong."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from kplace.api import Cluster
from kplace.columns import ClusterColumns
from kplace.config import ExtensionPoint
from kplace.dtypes import CODE_NAMES, I32, Code
from kplace.errors import PluginError
from kplace.framework import (
    Cycle,
    PermitPlugin,
    PermitResult,
    Plugin,
    PluginStatus,
    PreEnqueuePlugin,
    PreFilterExtensions,
    QueueSortPlugin,
    ReservePlugin,
    ScorePlugin,
)
from kplace.framework.answers import may_enter, rank_of, result_of, sorted_pods
from kplace.framework.interface import ClusterReader
from kplace.framework.masks import as_filter
from kplace.framework.ranks import as_queue_sort
from kplace.state import ClusterState
from kplace.testing.opinions import Opinion, opinion_of

MAX_PODS = 8
"""Waiting pods of different templates that a plugin is asked about."""


@dataclass(slots=True)
class Subject:
    """The plugin under test, and where it is tested.

    Attributes
    ----------
    make : callable
        Makes the plugin anew.
    cluster : Cluster
    scalar : object or None
        The same plugin for one node at a time.
    remarks : list of str
        What checks could not find out.
    """

    make: Callable[[], Plugin]
    cluster: Cluster
    scalar: Any = None
    remarks: list[str] = field(default_factory=list)

    @property
    def pods(self) -> list[int]:
        """One waiting pod of each of the first templates."""
        return some_pods(self.cluster.columns)


@dataclass(frozen=True, slots=True)
class Check:
    """A check.

    Attributes
    ----------
    title : str
        What is so if it finds nothing.
    points : frozenset of ExtensionPoint
        It concerns plugins that run at one of these.
    run : callable
        Yields what is wrong.
    """

    title: str
    points: frozenset[ExtensionPoint]
    run: Callable[[Subject], Iterator[str]]


def some_pods(columns: ClusterColumns) -> list[int]:
    """One waiting pod of each of the first templates."""
    waiting = np.flatnonzero(columns.pods.waiting)
    _, first = np.unique(columns.pods.template[waiting], return_index=True)
    return [int(pod) for pod in waiting[np.sort(first)][:MAX_PODS]]


def answers_are_sound(subject: Subject) -> Iterator[str]:
    """Answers have the right shape and type, scores lie in [0, 100], reasons are texts."""
    plugin, state = subject.make(), ClusterState(subject.cluster.columns)
    has_rejected = False
    for pod in subject.pods:
        opinion = opinion_of(plugin, Cycle(state, pod), state.all_nodes)
        yield from opinion.faults
        has_rejected |= any(code != Code.SUCCESS for code, _ in opinion.words or ())
    if as_filter(plugin) is not None and not has_rejected:
        subject.remarks.append("the filter lets every node pass: check it with a cluster in which it does not")
    yield from _queue_answers(plugin, subject.cluster.columns)


def _queue_answers(plugin: Plugin, columns: ClusterColumns) -> Iterator[str]:
    if isinstance(plugin, PreEnqueuePlugin):
        for template in columns.templates[:MAX_PODS]:
            if found := list(_faults(partial(may_enter, plugin, template))):
                yield from found
                break
    sorter = as_queue_sort(plugin)
    if sorter is not None:
        yield from _sort_answers(sorter, columns)


def _sort_answers(sorter: QueueSortPlugin, columns: ClusterColumns) -> Iterator[str]:
    """Whether sort and rank agree: no pod has a higher rank than one that comes after it."""
    if isinstance(sorter, ClusterReader):
        sorter.read_cluster(columns)
    templates, pods = columns.templates, columns.pods
    try:
        order = sorted_pods(sorter, pods, np.flatnonzero(pods.waiting).astype(np.int32))
        asked = ((templates[pods.template[pod]], int(pods.created_ns[pod])) for pod in order)
        ranks = [rank_of(sorter, sorter.rank(*pod)) for pod in asked]
    except PluginError as error:
        yield str(error)
        return
    if any(later < earlier for earlier, later in itertools.pairwise(ranks)):
        yield "sort and rank disagree"


def nodes_are_judged_alone(subject: Subject) -> Iterator[str]:
    """A filter's word on a node does not depend on which others it is asked about, nor on their order."""
    plugin, state = subject.make(), ClusterState(subject.cluster.columns)
    if as_filter(plugin) is None:
        return
    for pod in subject.pods:
        whole = _words(plugin, state, pod, state.all_nodes)
        for nodes in (
            state.all_nodes[::-1].copy(),
            state.all_nodes[::2].copy(),
            state.all_nodes[:1],
            state.all_nodes[:0],
        ):
            some = _words(plugin, state, pod, nodes)
            different = [node for node in some if some[node] != whole.get(node)]
            if different:
                yield f"filter: {_asked(state, pod)}: {_differs(different[0], whole, some)} when fewer nodes are given"
                break


def scores_follow_nodes(subject: Subject) -> Iterator[str]:
    """Scores are those of the nodes, in whatever order they are given."""
    plugin, state = subject.make(), ClusterState(subject.cluster.columns)
    if not isinstance(plugin, ScorePlugin):
        return
    for pod in subject.pods:
        given = opinion_of(plugin, Cycle(state, pod), state.all_nodes)
        turned = opinion_of(plugin, Cycle(state, pod), state.all_nodes[::-1].copy())
        yield from _first_difference(state, pod, given, turned, "score", "if the nodes are given in another order")


def answers_are_the_same_again(subject: Subject) -> Iterator[str]:
    """The same question gets the same answer, from the same plugin and from one made anew."""
    plugin, state = subject.make(), ClusterState(subject.cluster.columns)
    for pod in subject.pods:
        first = opinion_of(plugin, Cycle(state, pod), state.all_nodes)
        for asked, when in ((plugin, "when asked again"), (subject.make(), "from a plugin made anew")):
            again = opinion_of(asked, Cycle(state, pod), state.all_nodes)
            yield from _first_difference(state, pod, first, again, "answer", when)


def scores_are_fresh(subject: Subject) -> Iterator[str]:
    """A score may be written to by whoever gets it."""
    plugin, state = subject.make(), ClusterState(subject.cluster.columns)
    if not isinstance(plugin, ScorePlugin):
        return
    for pod in subject.pods:
        first = opinion_of(plugin, cycle := Cycle(state, pod), state.all_nodes)
        if first.raw is None or not len(first.raw):
            continue
        given = plugin.score(cycle, state.all_nodes)
        if not given.flags.writeable:
            yield "score returned an array that cannot be written to: expected a fresh one"
            return
        given[:] = -1
        if not np.array_equal(plugin.score(cycle, state.all_nodes), first.raw):
            yield "score returned an array that the plugin keeps: expected a fresh one"
            return


def nothing_is_changed(subject: Subject) -> Iterator[str]:
    """Questions do not change the cluster's state."""
    plugin, state = subject.make(), ClusterState(subject.cluster.columns)
    for pod in subject.pods:
        # Counts that a plugin begins to keep are no change.
        opinion_of(plugin, Cycle(state, pod), state.all_nodes)
        before = _snapshot(state)
        opinion_of(plugin, Cycle(state, pod), state.all_nodes)
        changed = _changed(before, _snapshot(state))
        if changed:
            yield f"{_asked(state, pod)}: the cluster's state was changed: {', '.join(changed)}"
            return


def order_of_nodes_does_not_matter(subject: Subject) -> Iterator[str]:
    """In a cluster with the same nodes in another order, every node gets the same answer."""
    given = subject.cluster
    nodes, pods = given.nodes, given.pods
    order = np.random.default_rng(0).permutation(len(nodes))
    clusters = [
        Cluster.from_frames(nodes, pods, others=given),
        Cluster.from_frames(nodes.iloc[order].reset_index(drop=True), pods, others=given),
    ]
    states = [ClusterState(cluster.columns) for cluster in clusters]
    for pod in some_pods(clusters[0].columns):
        said = [
            opinion_of(subject.make(), Cycle(state, pod), state.all_nodes).by_name(state.columns.nodes.names)
            for state in states
        ]
        different = [name for name in said[0] if said[0][name] != said[1].get(name)]
        if different:
            what = _differs(different[0], said[0], said[1])
            yield f"{_asked(states[0], pod)}: {what} when the cluster's nodes come in another order"
            return


def forget_undoes_assume(subject: Subject) -> Iterator[str]:
    """A pod that is put on a node and taken off again, with Reserve and Unreserve, leaves no trace."""
    plugin, state = subject.make(), ClusterState(subject.cluster.columns)
    if not state.n_nodes:
        return
    for pod in subject.pods:
        before = opinion_of(plugin, Cycle(state, pod), state.all_nodes)
        held = _snapshot(state)
        for node in _some_nodes(state):
            cycle = Cycle(state, pod)
            opinion_of(plugin, cycle, state.all_nodes)
            state.assume(pod, node)
            yield from _held_answers(plugin, cycle, node)
            if isinstance(plugin, ReservePlugin):
                plugin.unreserve(cycle, node)
            state.forget(pod)
        after = opinion_of(plugin, Cycle(state, pod), state.all_nodes)
        when = "once it was on a node and was taken off"
        yield from _first_difference(state, pod, before, after, "answer", when)
        if _changed(held, _snapshot(state)):
            yield f"{_asked(state, pod)}: the cluster's state is not what it was {when}"


def _held_answers(plugin: Plugin, cycle: Cycle, node: int) -> Iterator[str]:
    if isinstance(plugin, ReservePlugin):
        yield from _faults(lambda: result_of(plugin, "reserve", plugin.reserve(cycle, node), PluginStatus))
    if isinstance(plugin, PermitPlugin):
        yield from _faults(lambda: result_of(plugin, "permit", plugin.permit(cycle, node), PermitResult))


def _faults(ask: Callable[[], object]) -> Iterator[str]:
    """What is wrong with an answer, if anything."""
    try:
        ask()
    except PluginError as error:
        yield str(error)


def other_pods_are_seen(subject: Subject) -> Iterator[str]:
    """What preemption relies on: ``is_local``, ``couples`` and ``count_pod`` say the truth."""
    plugin, state = subject.make(), ClusterState(subject.cluster.columns)
    filtering = as_filter(plugin)
    if filtering is None or not state.n_nodes:
        return
    is_local = bool(getattr(filtering, "is_local", False))
    for pod in subject.pods:
        for node, other in zip(_some_nodes(state), subject.pods, strict=False):
            if other == pod:
                continue
            if is_local:
                before = _words(plugin, state, pod, state.all_nodes)
                state.assume(other, node)
                after = _words(plugin, state, pod, state.all_nodes)
                state.forget(other)
                moved = [at for at in before if at != state.columns.nodes.names[node] and before[at] != after[at]]
                if moved:
                    yield f"is_local: {_asked(state, pod)}: the word on {moved[0]} depends on pods of another node"
                    return
            if isinstance(plugin, PreFilterExtensions):
                yield from _counting(plugin, state, pod, (other, node))


def _counting(plugin: PreFilterExtensions, state: ClusterState, pod: int, placed: tuple[int, int]) -> Iterator[str]:
    """Whether a pod that ``count_pod`` is told of is seen as if it were there, and no longer once it is gone."""
    other, node = placed
    cycle = Cycle(state, pod)
    before = opinion_of(plugin, cycle, state.all_nodes)
    if before.words is None:
        return
    pods, nodes = np.array([other], np.int32), np.array([node], np.int32)
    state.shift(pods, nodes, 1)
    plugin.count_pod(cycle, other, node, 1)
    counted = opinion_of(plugin, cycle, state.all_nodes, is_prepared=True).words
    fresh = opinion_of(plugin, Cycle(state, pod), state.all_nodes)
    state.shift(pods, nodes, -1)
    plugin.count_pod(cycle, other, node, -1)
    again = opinion_of(plugin, cycle, state.all_nodes, is_prepared=True).words
    if fresh.words is not None and counted != fresh.words:
        yield f"count_pod: {_asked(state, pod)}: a pod that comes is not seen as PreFilter would see it"
    if again != before.words:
        yield f"count_pod: {_asked(state, pod)}: a pod that came and went is still seen"


def scalar_version_agrees(subject: Subject) -> Iterator[str]:
    """The version for one node at a time says the same, if there is one."""
    plugin, state, scalar = subject.make(), ClusterState(subject.cluster.columns), subject.scalar
    if scalar is None:
        return
    if isinstance(scalar, type):
        scalar = scalar()
    for pod in subject.pods:
        cycle = Cycle(state, pod)
        opinion = opinion_of(plugin, cycle, state.all_nodes)
        for node, name in enumerate(state.columns.nodes.names):
            if opinion.words is not None and hasattr(scalar, "filter"):
                passes = bool(scalar.filter(cycle, node))
                if passes != (opinion.words[node][0] is Code.SUCCESS):
                    yield f"filter: {_asked(state, pod)}, {name}: the scalar version says {passes}"
                    break
            if opinion.raw is not None and hasattr(scalar, "score"):
                score = int(scalar.score(cycle, node))
                if score != opinion.raw[node]:
                    yield f"score: {_asked(state, pod)}, {name}: {opinion.raw[node]}, the scalar version says {score}"
                    break


_FILTER = frozenset({ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER})
_SCORE = frozenset({ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE})
_EVERY = frozenset(ExtensionPoint)

SCALAR = Check("the scalar version agrees", _FILTER | _SCORE, scalar_version_agrees)
CHECKS = (
    Check("answers have the right shape, type and range", _EVERY, answers_are_sound),
    Check("a node is judged by itself", _FILTER, nodes_are_judged_alone),
    Check("scores follow their nodes", _SCORE, scores_follow_nodes),
    Check("the same question gets the same answer", _FILTER | _SCORE, answers_are_the_same_again),
    Check("scores are fresh arrays", _SCORE, scores_are_fresh),
    Check("questions change nothing", _FILTER | _SCORE, nothing_is_changed),
    Check("the order of the cluster's nodes does not matter", _FILTER | _SCORE, order_of_nodes_does_not_matter),
    Check("forget undoes assume", _EVERY, forget_undoes_assume),
    Check("other pods are seen as preemption shows them", _FILTER, other_pods_are_seen),
    SCALAR,
)
"""All checks, in order."""


def _words(plugin: Plugin, state: ClusterState, pod: int, nodes: I32) -> dict[str, object]:
    """A filter's words by node, nothing if its PreFilter lets it be skipped."""
    opinion = opinion_of(plugin, Cycle(state, pod), nodes)
    names = state.columns.nodes.names
    return {names[node]: opinion.words[i] for i, node in enumerate(nodes.tolist())} if opinion.words else {}


def _some_nodes(state: ClusterState) -> list[int]:
    return sorted({0, state.n_nodes // 2, state.n_nodes - 1})


def _asked(state: ClusterState, pod: int) -> str:
    return f"pod {state.columns.pods.key(pod)}"


def _differs(name: str, first: dict[str, Any], second: dict[str, Any]) -> str:
    return f"{name}: {_told(first.get(name))} becomes {_told(second.get(name))}"


def _told(said: object) -> str:
    """An answer in words."""
    match said:
        case (Code() as code, tuple() as reasons):
            return f"{CODE_NAMES[code]} ({', '.join(reasons)})" if reasons else CODE_NAMES[code]
        case (words, raw, final):
            scores = [] if raw is None else [f"score {raw}" if raw == final else f"scores {raw} and {final}"]
            return ", ".join([*([] if words is None else [_told(words)]), *scores]) or "nothing"
        case None:
            return "nothing"
    return str(said) or "nothing"


def _first_difference(
    state: ClusterState, pod: int, first: Opinion, second: Opinion, what: str, when: str
) -> Iterator[str]:
    names = state.columns.nodes.names
    said, again = first.by_name(names), second.by_name(names)
    different = [name for name in said if said[name] != again.get(name)]
    if different:
        yield f"{what}: {_asked(state, pod)}: {_differs(different[0], said, again)} {when}"


def _snapshot(state: ClusterState) -> dict[str, Any]:
    """Copies of everything that plugins must leave alone."""
    nominated = state.nominations.node_of_pod
    rows = len(state.groups)
    arrays = {
        **{name: getattr(state.resources, name) for name in state.resources._fields},
        "groups.counts": state.groups.counts[:rows],
        "groups.totals": state.groups.totals[:rows],
        "node_of_pod": state.node_of_pod,
        "nominations": nominated,
        "labels": np.concatenate(
            [np.zeros(0, np.int32), *(item.codes for item in state.columns.nodes.labels.values())]
        ),
        "requests": np.array([template.request for template in state.columns.templates]),
    }
    return {name: array.copy() for name, array in arrays.items()}


def _changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    # Rows that were added since are no change.
    return [name for name in before if not np.array_equal(before[name], after[name][: len(before[name])])]
