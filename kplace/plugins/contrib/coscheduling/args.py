"""Arguments of Coscheduling."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CoschedulingArgs:
    """``CoschedulingArgs``.

    Attributes
    ----------
    permit_waiting_time_seconds : int
        How long pods wait for the others of a group that does not say so itself.
    pod_group_backoff_seconds : int
        How long a group is not tried again after it was rejected as a whole.
    pod_group_reject_percentage : int
        A pod that fits nowhere lets its group be if no more than this share of ``minMember`` lacks a node; 0 to 100.
    """

    permit_waiting_time_seconds: int = 60
    pod_group_backoff_seconds: int = 0
    pod_group_reject_percentage: int = 10

    def check(self) -> Iterator[tuple[str, str]]:
        """Say what is wrong (``ValidateCoschedulingArgs``)."""
        if self.permit_waiting_time_seconds < 0:
            yield "permit_waiting_time_seconds", "must be greater than 0"
        if self.pod_group_backoff_seconds < 0:
            yield "pod_group_backoff_seconds", "must be greater than 0"
        if not 0 <= self.pod_group_reject_percentage <= 100:
            yield "pod_group_reject_percentage", "must be between 0 and 100"
