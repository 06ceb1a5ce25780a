"""Which pods have a node in view: the nodes on which room was or is being made for them (upstream's nominator)."""

import copy

import numpy as np

from kplace.dtypes import I32, I64, NO_NODE


class Nominations:
    """The nominated nodes of waiting pods.

    Parameters
    ----------
    nominated : int32 ndarray, shape (n_pods,)
        ``status.nominatedNodeName`` as the input has it.
    priority : int64 ndarray, shape (n_pods,)

    Attributes
    ----------
    node_of_pod : int32 ndarray, shape (n_pods,)
        The node that each pod is to try first; `NO_NODE` if none. Written by the methods only.

    Notes
    -----
    Other pods see a nomination only while its pod is in the queue, from `register` on: a gated pod, or one of another
    scheduler, holds no room.
    """

    def __init__(self, nominated: I32, priority: I64) -> None:
        self.node_of_pod = nominated.copy()
        self._priority = priority
        self._held: dict[int, int] = {}
        self._columns: tuple[I32, I32] | None = None

    def __len__(self) -> int:
        """Number of nominations that other pods see."""
        return len(self._held)

    def fork(self) -> "Nominations":
        """The same nominations, to go on apart."""
        twin = copy.copy(self)
        twin.node_of_pod, twin._held = self.node_of_pod.copy(), dict(self._held)
        return twin

    def register(self, pod: int) -> None:
        """Let others see the nomination of a pod that enters the queue, if it has one."""
        if self.node_of_pod[pod] != NO_NODE:
            self._hold(pod, int(self.node_of_pod[pod]))

    def nominate(self, pod: int, node: int) -> None:
        """Give a pod a node to try first, in place of the one it had."""
        self.node_of_pod[pod] = node
        self._hold(pod, node)

    def clear(self, pod: int) -> None:
        """Take a pod's nomination away, if it has one."""
        self.node_of_pod[pod] = NO_NODE
        if self._held.pop(pod, None) is not None:
            self._columns = None

    def below(self, node: int, priority: int) -> list[int]:
        """Pods of a lower priority that have a node in view, in the order they got it."""
        return [pod for pod, own in self._held.items() if own == node and self._priority[pod] < priority]

    def rivals(self, pod: int) -> tuple[I32, I32]:
        """Pods that a pod has to leave room for, and the nodes that they have in view.

        They are the other nominated pods of the same or a higher priority, in the order they were nominated.
        """
        pods, nodes = self._as_columns()
        kept = (self._priority[pods] >= self._priority[pod]) & (pods != pod)
        return pods[kept], nodes[kept]

    def _hold(self, pod: int, node: int) -> None:
        self._held.pop(pod, None)
        self._held[pod] = node
        self._columns = None

    def _as_columns(self) -> tuple[I32, I32]:
        if self._columns is None:
            pairs = np.array(list(self._held.items()), np.int32).reshape(-1, 2)
            self._columns = pairs[:, 0].copy(), pairs[:, 1].copy()
        return self._columns
