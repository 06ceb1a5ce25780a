"""A pod in the queue, with all that the queue knows of it (upstream's ``QueuedPodInfo``)."""

from dataclasses import dataclass
from enum import StrEnum

from kplace.framework.events import PodImage

NO_PLUGINS: frozenset[str] = frozenset()


class Place(StrEnum):
    """Where a pod is."""

    OUTSIDE = ""
    ACTIVE = "active"
    BACKOFF = "backoff"
    UNSCHEDULABLE = "unschedulable"
    GATED = "gated"
    IN_FLIGHT = "inflight"


@dataclass(slots=True, eq=False)
class QueuedPod:
    """A pod that waits, or is being tried.

    Attributes
    ----------
    image : PodImage
        The pod as it was last seen.
    profile : str
        Its scheduler.
    key : str
        ``namespace/name``.
    timestamp : int
        Nanoseconds; when it entered the queue, then when it last failed.
    step : int
        The clock's step at that time: it tells pods of the same time apart.
    entered : int
        When it first entered the queue.
    attempts : int
        How often it was taken out to be tried.
    unschedulable_count, error_count : int
        Failures by some plugin, and failures in a row by none: each decides a backoff.
    plugins : frozenset of str
        The plugins that rejected it, in its last attempt or at the door.
    pending : frozenset of str
        Those that wait for something outside.
    gating : str
        The plugin that keeps it out; empty if none does.
    expiry : int or None
        When its backoff ends; None until it is asked for.
    active_since : int or None
        When it first came into the active queue.
    place : Place
    """

    image: PodImage
    profile: str
    key: str
    timestamp: int
    step: int
    entered: int
    attempts: int = 0
    unschedulable_count: int = 0
    error_count: int = 0
    plugins: frozenset[str] = NO_PLUGINS
    pending: frozenset[str] = NO_PLUGINS
    gating: str = ""
    expiry: int | None = None
    active_since: int | None = None
    place: Place = Place.OUTSIDE

    @property
    def pod(self) -> int:
        """Row of the pod."""
        return self.image.pod

    @property
    def priority(self) -> int:
        """Priority of the pod."""
        return self.image.template.priority

    @property
    def rejecting(self) -> frozenset[str]:
        """All plugins that an event may change the mind of."""
        return self.plugins | self.pending if self.pending else self.plugins
