"""Which pods are on each node: in the order that upstream's NodeInfo keeps, and by importance.

The lists share one pool of int32; a node's block moves to the end of the pool, twice as large, when it is full.
"""

from typing import NamedTuple

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import I32, I64, NO_TIME, Mask

_SPARE = 4
"""Free places of a block at first."""


class Importance(NamedTuple):
    """What makes a pod more important than another.

    Attributes
    ----------
    priority : int64 ndarray, shape (n_pods,)
    started_ns : int64 ndarray, shape (n_pods,)
        `NO_TIME` if the pod has not started.
    """

    priority: I64
    started_ns: I64


class PodLists(NamedTuple):
    """The lists of all nodes.

    Attributes
    ----------
    start, length, room : int64 ndarray, shape (n_nodes,)
        Where a node's block begins in the pool, how many pods it holds and how many it could.
    pods : int32 ndarray
        The pool, each block in NodeInfo order.
    ranked : int32 ndarray
        The same blocks, the most important pod first.
    stale : bool ndarray, shape (n_nodes,)
        The node's block of ``ranked`` does not yet follow its block of ``pods``.
    """

    start: I64
    length: I64
    room: I64
    pods: I32
    ranked: I32
    stale: Mask


class NodePods:
    """The pods on each node.

    Parameters
    ----------
    importance : Importance
    pods, nodes : int32 ndarrays, shape (k,)
        The pods that are placed, in the order in which they came, and their nodes.
    n_nodes : int
    """

    def __init__(self, importance: Importance, pods: I32, nodes: I32, n_nodes: int) -> None:
        self._importance = importance
        length = np.bincount(nodes, minlength=n_nodes)
        room = length + _SPARE
        start = np.cumsum(room) - room
        pool = np.zeros(int(room.sum()), np.int32)
        order = np.argsort(nodes, kind="stable")
        rank = np.arange(len(pods)) - np.repeat(np.cumsum(length) - length, length)
        pool[start[nodes[order]] + rank] = pods[order]
        self._lists = PodLists(start, length, room, pool, np.zeros_like(pool), np.ones(n_nodes, np.bool_))
        self._used = len(pool)

    def of(self, node: int) -> I32:
        """Pods of a node in NodeInfo order."""
        lists = self._lists
        return lists.pods[lists.start[node] : lists.start[node] + lists.length[node]].copy()

    @property
    def lists(self) -> PodLists:
        """The lists themselves; other arrays take their place when a list grows."""
        return self._lists

    def add(self, pod: int, node: int) -> None:
        """Put a pod at the end of a node's list."""
        self.make_room(node)
        append(self._lists, pod, node)

    def make_room(self, node: int) -> None:
        """See to it that one more pod has room in a node's list."""
        if self._lists.length[node] == self._lists.room[node]:
            self._move_to_the_end(node)

    def remove(self, pod: int, node: int) -> None:
        """Take a pod off a node; the last of the list takes its place, as upstream has it."""
        remove(self._lists, pod, node)

    def below(self, nodes: I32, priority: int) -> I64:
        """Number of pods of a lower priority on each of some nodes, shape (k,)."""
        numbers = np.empty(len(nodes), np.int64)
        rank(self._lists, self._importance, nodes)
        count_below(self._lists, self._importance, nodes, priority, numbers)
        return numbers

    def least_important(self, nodes: I32, numbers: I64) -> I32:
        """The ``numbers`` least important pods of each of some nodes, node after node, the most important ones first.

        The nodes' ranks must be up to date, as after `below`.
        """
        found = np.empty(int(numbers.sum()), np.int32)
        take_least(self._lists, nodes, numbers, found)
        return found

    def _move_to_the_end(self, node: int) -> None:
        first, room = int(self._lists.start[node]), int(self._lists.room[node])
        if self._used + 2 * room > len(self._lists.pods):
            self._grow(self._used + 2 * room)
        lists = self._lists
        lists.pods[self._used : self._used + room] = lists.pods[first : first + room]
        lists.start[node], lists.room[node] = self._used, 2 * room
        self._used += 2 * room

    def _grow(self, least: int) -> None:
        """Replace the pool by one at least twice as large."""
        lists = self._lists
        more = np.zeros(max(least, 2 * len(lists.pods)) - len(lists.pods), np.int32)
        self._lists = lists._replace(
            pods=np.concatenate([lists.pods, more]), ranked=np.concatenate([lists.ranked, more])
        )


@kernel
def is_more_important(importance: Importance, one: int, other: int) -> bool:
    """Whether a pod is more important: a higher priority, or the same and an earlier start.

    Mirrors ``MoreImportantPod`` of ``pkg/scheduler/util``. A pod that has not started counts as started now, read from
    the clock in each comparison, hence each of two such pods is more important than the other.
    """
    if importance.priority[one] != importance.priority[other]:
        return importance.priority[one] > importance.priority[other]
    if importance.started_ns[one] == NO_TIME:
        return importance.started_ns[other] == NO_TIME
    return importance.started_ns[one] < importance.started_ns[other]


@kernel
def sort_by_importance(importance: Importance, pods: I32) -> None:
    """Sort pods, the most important first. Modified in place.

    An insertion sort, as Go's ``sort.Slice`` is for up to twelve elements: equal pods keep their order, and pods of the
    same priority that have not started come out in reverse. Go sorts longer lists in another way, which for equal pods
    may give another order.
    """
    for i in range(1, pods.shape[0]):
        pod = pods[i]
        j = i
        while j > 0 and is_more_important(importance, pod, pods[j - 1]):
            pods[j] = pods[j - 1]
            j -= 1
        pods[j] = pod


@kernel
def append(lists: PodLists, pod: int, node: int) -> None:
    """Put a pod at the end of a node's list, which has room. Modified in place."""
    lists.pods[lists.start[node] + lists.length[node]] = pod
    lists.length[node] += 1
    lists.stale[node] = True


@kernel
def remove(lists: PodLists, pod: int, node: int) -> None:
    """Take a pod off a node's list and put the last one in its place. Modified in place."""
    first = lists.start[node]
    last = first + lists.length[node] - 1
    for i in range(first, last + 1):
        if lists.pods[i] == pod:
            lists.pods[i] = lists.pods[last]
            lists.length[node] -= 1
            lists.stale[node] = True
            return


@kernel
def rank(lists: PodLists, importance: Importance, nodes: I32) -> None:
    """Bring the ranks of some nodes up to date. Modified in place."""
    for k in range(nodes.shape[0]):
        rank_node(lists, importance, nodes[k])


@kernel
def rank_node(lists: PodLists, importance: Importance, node: int) -> None:
    """Bring the ranks of a node up to date. Modified in place."""
    if lists.stale[node]:
        first = lists.start[node]
        end = first + lists.length[node]
        # Not a slice assignment: that may copy, and bare kernels, which call this one, cannot allocate.
        for i in range(first, end):
            lists.ranked[i] = lists.pods[i]
        sort_by_importance(importance, lists.ranked[first:end])
        lists.stale[node] = False


@kernel
def count_below(lists: PodLists, importance: Importance, nodes: I32, priority: int, numbers: I64) -> None:
    """Count the pods of a lower priority: they are the last ones of a ranked list. Writes ``numbers``."""
    for k in range(nodes.shape[0]):
        first = lists.start[nodes[k]]
        end = first + lists.length[nodes[k]]
        i = end
        while i > first and importance.priority[lists.ranked[i - 1]] < priority:
            i -= 1
        numbers[k] = end - i


@kernel
def take_least(lists: PodLists, nodes: I32, numbers: I64, found: I32) -> None:
    """Copy the last ``numbers`` pods of each node's ranked list. Writes ``found``."""
    at = 0
    for k in range(nodes.shape[0]):
        end = lists.start[nodes[k]] + lists.length[nodes[k]]
        for i in range(end - numbers[k], end):
            found[at] = lists.ranked[i]
            at += 1
