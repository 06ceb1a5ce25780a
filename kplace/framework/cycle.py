"""One scheduling attempt as its plugins see it."""

from collections.abc import Callable, Hashable
from typing import TypeVar

from kplace.columns.templates import Template
from kplace.dtypes import I32
from kplace.errors import AttemptError
from kplace.framework.node_view import NodeView
from kplace.framework.waiting import WaitingPods
from kplace.state import ClusterState
from kplace.state.node_resources import NodeResources, empty_node_resources

T = TypeVar("T")


class Cycle:
    """The pod of one attempt, the state it meets, and what plugins keep from one extension point to the next.

    Parameters
    ----------
    state : ClusterState
    pod : int
    waiting : WaitingPods, optional
        Those of the run.

    Attributes
    ----------
    state : ClusterState
    pod : int
        Index of the pod.
    template : Template
        Its template: labels, namespace, priority, spec and requests.
    nodes_are_bare : bool
        Score plugins know of a node only what a Node object says, and nothing of its pods and images: upstream since
        v1.33, for nodes that an extender sent back (kubernetes/kubernetes#141781).
    """

    __slots__ = ("_memory", "_waiting", "nodes_are_bare", "pod", "state", "template")

    def __init__(self, state: ClusterState, pod: int, waiting: WaitingPods | None = None) -> None:
        self.state = state
        self.pod = pod
        self.template = state.template_of(pod)
        self.nodes_are_bare = False
        self._memory: dict[Hashable, object] = {}
        self._waiting = waiting

    @property
    def pod_name(self) -> str:
        """Name of the pod."""
        return self.state.columns.pods.names[self.pod]

    def request(self, resource: str) -> int:
        """What the pod requests of a resource: cpu in milli-cpu, everything else in its own unit."""
        row = self.state.columns.resources.find(resource)
        return int(self.template.request[row]) if row >= 0 else 0

    def at(self, nodes: I32) -> NodeView:
        """What ``nodes`` have, by name: labels, resources and so on, as arrays of their length."""
        return NodeView(self.state, nodes)

    @property
    def waiting(self) -> WaitingPods:
        """The pods of the run that Permit plugins let wait."""
        if self._waiting is None:
            self._waiting = WaitingPods()
        return self._waiting

    @property
    def scored_resources(self) -> NodeResources:
        """What the nodes offer and what is requested of them, as score plugins see it."""
        if self.nodes_are_bare:
            return self.state.shared(NodeResources, lambda columns: empty_node_resources(columns.nodes))
        return self.state.resources

    def write(self, key: Hashable, value: object) -> None:
        """Keep something for a later extension point of this attempt (upstream ``CycleState.Write``)."""
        self._memory[key] = value

    def holds(self, key: Hashable) -> bool:
        """Whether anything was kept under ``key``."""
        return key in self._memory

    def read(self, key: Hashable, kind: type[T]) -> T:
        """What was kept under ``key``.

        Raises
        ------
        AttemptError
            Nothing was kept: the plugin's PreFilter or PreScore did not run.
        TypeError
            It is not of the expected type.
        """
        if key not in self._memory:
            msg = f'reading "{key}" from cycleState: not found'
            raise AttemptError(msg)
        value = self._memory[key]
        if not isinstance(value, kind):
            msg = f"cycle state {key!r}: expected {kind.__name__}, got {type(value).__name__}"
            raise TypeError(msg)
        return value

    def compiled(self, owner: Hashable, make: Callable[[Template], T]) -> T:
        """What ``owner`` derives from this pod's template alone, made once for all pods that share it."""
        return self.state.compiled(owner, self.template, make)

    def compiled_by_shape(self, owner: Hashable, make: Callable[[Template], T]) -> T:
        """What ``owner`` derives from this pod's template whatever amounts it requests.

        It is made once for all pods that differ in nothing else.
        """
        return self.state.compiled_by_shape(owner, self.template, make)
