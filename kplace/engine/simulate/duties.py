"""An attempt on its way, why one has failed, and what is to be done later."""

from dataclasses import dataclass

from kplace.engine.attempt import Attempt
from kplace.engine.diagnose import Reasons
from kplace.engine.simulate.found import Found
from kplace.engine.simulate.live_pod import LivePod
from kplace.engine.simulate.record import Result
from kplace.framework.binding import Setback
from kplace.queue import QueuedPod
from kplace.queue.entry import NO_PLUGINS

UNSCHEDULABLE = "Unschedulable"
SCHEDULER_ERROR = "SchedulerError"


@dataclass(slots=True)
class Running:
    """An attempt that has begun.

    Attributes
    ----------
    entry : QueuedPod
    pod : LivePod
    attempt : Attempt or None
        None if there was no node at all, or if the attempt was a swift one.
    popped_at : int
    found : Found or None
        The node that was found; None if none was.
    """

    entry: QueuedPod
    pod: LivePod
    attempt: Attempt | None
    popped_at: int
    found: Found | None = None

    @property
    def binds_plainly(self) -> bool:
        """Whether nobody is asked, once a node was found, whether the pod may have it."""
        return self.attempt is None or self.attempt.binds_plainly


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a pod comes back.

    Attributes
    ----------
    result : Result
    reason, message : str
        As its condition has them.
    plugins : frozenset of str
    nomination : str or None
        The node it is promised; empty takes a promise back, None says nothing.
    reasons : tuple of (str, str, int)
        Plugin, reason and number of nodes.
    setback : Setback or None
        Why the pod does not get the node that was found; None if none was.
    """

    result: Result
    reason: str
    message: str
    plugins: frozenset[str] = NO_PLUGINS
    nomination: str | None = ""
    reasons: Reasons = ()
    setback: Setback | None = None

    @staticmethod
    def of(setback: Setback, result: Result) -> "Failure":
        """Put a setback as a failure."""
        if setback.is_error:
            return Failure(result, SCHEDULER_ERROR, setback.message, setback=setback)
        # Whose binding fails comes back by itself: there is nobody whose events it waits for.
        plugins: frozenset[str] = frozenset() if setback.is_retried else frozenset({setback.plugin})
        return Failure(result, UNSCHEDULABLE, setback.message, plugins, reasons=setback.reasons, setback=setback)


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """A binding that comes to its end.

    Attributes
    ----------
    running : Running
        The attempt that led to it.
    error : str
        Why it fails; empty if it does not.
    """

    running: Running
    error: str


@dataclass(frozen=True, slots=True, eq=False)
class Departure:
    """A pod that comes to its end.

    Attributes
    ----------
    pod : LivePod
    is_forced : bool
        It was evicted; otherwise it has done what it was for.
    """

    pod: LivePod
    is_forced: bool


Duty = Binding | Departure
"""What is to be done later."""
