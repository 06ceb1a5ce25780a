"""One scheduling attempt as its plugins see it."""

from collections.abc import Callable, Hashable
from typing import TypeVar

from kplace.columns.templates import Template
from kplace.state import ClusterState

T = TypeVar("T")


class Cycle:
    """The pod of one attempt, the state it meets, and what plugins keep from one extension point to the next.

    Attributes
    ----------
    state : ClusterState
    pod : int
        Index of the pod.
    template : Template
        Its template.
    """

    __slots__ = ("_memory", "pod", "state", "template")

    def __init__(self, state: ClusterState, pod: int) -> None:
        self.state = state
        self.pod = pod
        self.template = state.template_of(pod)
        self._memory: dict[Hashable, object] = {}

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
        KeyError
            Nothing was kept.
        TypeError
            It is not of the expected type.
        """
        value = self._memory[key]
        if not isinstance(value, kind):
            msg = f"cycle state {key!r}: expected {kind.__name__}, got {type(value).__name__}"
            raise TypeError(msg)
        return value

    def compiled(self, owner: Hashable, make: Callable[[Template], T]) -> T:
        """What ``owner`` derives from this pod's template alone, made once for all pods that share it."""
        return self.state.compiled(owner, self.template, make)
