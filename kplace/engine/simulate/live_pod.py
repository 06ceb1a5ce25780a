"""A pod as the API server of a simulation has it."""

from dataclasses import dataclass

from kplace.framework.events import PodImage
from kplace.queue import QueuedPod


@dataclass(slots=True, eq=False)
class LivePod:
    """A pod that exists, and what the scheduler holds of it.

    Attributes
    ----------
    row : int
        Its row of the pod columns: that of the version it was added with.
    key : str
        ``namespace/name``.
    name : str
    scheduler : str
    image : PodImage
        Its present version; the node is that which it is bound to.
    phase : int
    started_ns : int
        Nanoseconds since 1970.
    lasts : int or None
        Nanoseconds that it runs; None for ever.
    is_terminating : bool
        It is being deleted.
    is_preempted : bool
        It is being deleted, or about to be, because it was preempted.
    exists : bool
        False once it is gone.
    assumed : str
        The node that it is being bound to; empty if none.
    condition : (str, str)
        Reason and message of its last failure, as its status has them.
    n_setbacks : int
        How often it was set back after it had found a node.
    entry : QueuedPod or None
        Its place in the queue, the last one if it has none any more.
    """

    row: int
    key: str
    name: str
    scheduler: str
    image: PodImage
    phase: int
    started_ns: int
    lasts: int | None = None
    is_terminating: bool = False
    is_preempted: bool = False
    exists: bool = True
    assumed: str = ""
    condition: tuple[str, str] = ("", "")
    n_setbacks: int = 0
    entry: QueuedPod | None = None

    @property
    def attempts(self) -> int:
        """How often it was tried since it last entered the queue anew."""
        return self.entry.attempts if self.entry is not None else 0
