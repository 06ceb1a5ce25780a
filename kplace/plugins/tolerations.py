"""Whether a toleration tolerates a taint (upstream ``component-helpers/scheduling/corev1``)."""

from collections.abc import Iterable

from kplace.columns.release import CORDON
from kplace.objects.core import Taint, Toleration

__all__ = ["CORDON", "NO_EXECUTE", "NO_SCHEDULE", "PREFER_NO_SCHEDULE", "first_untolerated", "tolerated", "tolerates"]

NO_SCHEDULE = "NoSchedule"
PREFER_NO_SCHEDULE = "PreferNoSchedule"
NO_EXECUTE = "NoExecute"


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Whether one toleration covers a taint: an empty effect all effects, an empty key with Exists all keys.

    Examples
    --------
    >>> tolerates(Toleration(operator="Exists"), Taint(key="gpu", effect="NoSchedule"))
    True
    >>> tolerates(Toleration(key="gpu", value="a"), Taint(key="gpu", value="b", effect="NoSchedule"))
    False
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    return toleration.operator == "Exists"


def tolerated(taint: Taint, tolerations: Iterable[Toleration]) -> bool:
    """Whether any toleration covers the taint."""
    return any(tolerates(toleration, taint) for toleration in tolerations)


def first_untolerated(taints: Iterable[Taint], tolerations: Iterable[Toleration]) -> int:
    """Position of the first NoSchedule or NoExecute taint that nothing tolerates; -1 if there is none."""
    listed = tuple(tolerations)
    for position, taint in enumerate(taints):
        if taint.effect in (NO_SCHEDULE, NO_EXECUTE) and not tolerated(taint, listed):
            return position
    return -1
