"""Taints and tolerations as one line of text."""

from collections.abc import Iterable

from kplace.objects.core import Taint, Toleration


def taint_text(taints: Iterable[Taint]) -> str:
    """Taints as ``kubectl taint`` takes them, joined by commas.

    Examples
    --------
    >>> taint_text([Taint("gpu", "yes", "NoSchedule"), Taint("spot", "", "PreferNoSchedule")])
    'gpu=yes:NoSchedule,spot:PreferNoSchedule'
    """
    return ",".join(f"{item.key}={item.value}:{item.effect}".replace("=:", ":") for item in taints)


def toleration_text(tolerations: Iterable[Toleration]) -> str:
    """Tolerations in the like form: ``key=value:Effect``, ``key:Effect`` for any value, ``*`` for any key.

    Examples
    --------
    >>> toleration_text([Toleration("gpu", "", "yes", "NoSchedule"), Toleration("a", "Exists")])
    'gpu=yes:NoSchedule,a'
    >>> toleration_text([Toleration(operator="Exists")])
    '*'
    """
    return ",".join(map(_one_toleration, tolerations))


def _one_toleration(toleration: Toleration) -> str:
    text = toleration.key or "*"
    if toleration.operator != "Exists":
        text += f"={toleration.value}"
    return f"{text}:{toleration.effect}" if toleration.effect else text
