"""What a plugin says of one pod and one node, beyond filters and scores (upstream's ``framework.Status``)."""

from dataclasses import dataclass

from kplace.dtypes import Code

REJECTED = (Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.PENDING)
"""Codes that say that the pod cannot be there, and not that something went wrong."""


@dataclass(frozen=True, slots=True)
class PluginStatus:
    """An outcome with its reasons.

    Attributes
    ----------
    code : Code
        ``SUCCESS``; ``UNSCHEDULABLE``, ``UNSCHEDULABLE_AND_UNRESOLVABLE`` or ``PENDING`` (the pod is rejected: it waits
        until something changes); ``SKIP`` (a Bind plugin leaves the pod to the next one); ``WAIT`` (Permit only). Any
        other is an error: the pod is tried again after a while, whatever happens.
    reasons : tuple of str
        Why not.

    Examples
    --------
    >>> status = PluginStatus(Code.UNSCHEDULABLE, ("no licence left",))
    >>> status.is_success, status.is_rejected, status.message
    (False, True, 'no licence left')
    """

    code: Code = Code.SUCCESS
    reasons: tuple[str, ...] = ()

    @property
    def is_success(self) -> bool:
        """Whether all is well."""
        return self.code is Code.SUCCESS

    @property
    def is_rejected(self) -> bool:
        """Whether the pod is rejected, in contrast to an error."""
        return self.code in REJECTED

    @property
    def message(self) -> str:
        """The reasons in one text."""
        return ", ".join(self.reasons)


SUCCESS = PluginStatus()


@dataclass(frozen=True, slots=True)
class PermitResult:
    """Outcome of a Permit.

    Attributes
    ----------
    status : PluginStatus
        ``SUCCESS``, a rejection, or ``WAIT``: the pod keeps its place and is bound when it is allowed.
    timeout_ns : int
        How long it may wait, in nanoseconds; at most `MAX_TIMEOUT_NS`.
    """

    status: PluginStatus = SUCCESS
    timeout_ns: int = 0

    @staticmethod
    def reject(*reasons: str) -> "PermitResult":
        """Deny the pod its place."""
        return PermitResult(PluginStatus(Code.UNSCHEDULABLE, reasons))

    @staticmethod
    def wait(timeout_ns: int) -> "PermitResult":
        """Let the pod wait until it is allowed or rejected, or so many nanoseconds are over."""
        return PermitResult(PluginStatus(Code.WAIT), timeout_ns)


MAX_TIMEOUT_NS = 15 * 60 * 1_000_000_000
"""A pod waits no longer, whatever a Permit says (upstream's ``maxTimeout``)."""
