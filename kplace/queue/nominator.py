"""The nominated nodes of waiting pods, by name (upstream ``backend/queue/nominator.go``).

A node that a pod was promised may vanish and come back: names outlive the rows of a snapshot.
"""

from collections.abc import Iterator

from kplace.dtypes import NO_NODE
from kplace.state import ClusterState


class Nominator:
    """Keeps the nominations and lets the state of the cluster see them."""

    def __init__(self) -> None:
        self._nodes: dict[int, str] = {}
        self._state: ClusterState | None = None

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Pods and their nodes, in the order they got them."""
        return iter(self._nodes.items())

    def __len__(self) -> int:
        return len(self._nodes)

    def attach(self, state: ClusterState) -> None:
        """Show the nominations to a state, from now on to no other."""
        self._state = state
        for pod, node in self._nodes.items():
            self._show(pod, node)

    def add(self, pod: int, node: str) -> None:
        """Nominate a pod, in place of what it had; an empty name takes its nomination away."""
        self.delete(pod)
        if node:
            self._nodes[pod] = node
            self._show(pod, node)

    def delete(self, pod: int) -> None:
        """Take a pod's nomination away, if it has one."""
        if self._nodes.pop(pod, None) is not None and self._state is not None:
            self._state.nominations.clear(pod)

    def update(self, pod: int, before: str, after: str) -> None:
        """Follow an update of a pod whose status named a node before and after it.

        A nomination that the API server does not know of yet outlives an update without one.
        """
        self.add(pod, after or ("" if before else self._nodes.get(pod, "")))

    def on(self, node: str) -> list[int]:
        """Pods that are nominated to a node."""
        return [pod for pod, own in self._nodes.items() if own == node]

    def _show(self, pod: int, node: str) -> None:
        if self._state is None:
            return
        row = self._state.columns.nodes.index.get(node, NO_NODE)
        if row != NO_NODE:
            self._state.nominations.nominate(pod, row)
