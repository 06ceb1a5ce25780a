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


def parse_taints(text: str) -> tuple[Taint, ...]:
    """Taints of a text: undoes `taint_text`.

    Raises
    ------
    ValueError
        A part has no effect.

    Examples
    --------
    >>> taint_text(parse_taints("gpu=yes:NoSchedule, spot:PreferNoSchedule"))
    'gpu=yes:NoSchedule,spot:PreferNoSchedule'
    """
    return tuple(map(_parse_taint, _parts(text)))


def parse_tolerations(text: str) -> tuple[Toleration, ...]:
    """Tolerations of a text: undoes `toleration_text`.

    Raises
    ------
    ValueError
        A part has a value but no key.

    Examples
    --------
    >>> toleration_text(parse_tolerations("gpu=yes:NoSchedule, a, *:NoExecute, *"))
    'gpu=yes:NoSchedule,a,*:NoExecute,*'
    """
    return tuple(map(_parse_toleration, _parts(text)))


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _parse_taint(part: str) -> Taint:
    pair, colon, effect = part.rpartition(":")
    key, _, value = pair.partition("=")
    if not colon or not key or not effect:
        msg = f'expected "key=value:NoSchedule" or "key:NoExecute", got "{part}"'
        raise ValueError(msg)
    return Taint(key, value, effect)


def _parse_toleration(part: str) -> Toleration:
    pair, _, effect = part.partition(":")
    key, equals, value = pair.partition("=")
    if not key or (key == "*" and equals):
        msg = f'expected "key=value:NoSchedule", "key:NoExecute", "key" or "*", got "{part}"'
        raise ValueError(msg)
    return Toleration("" if key == "*" else key, "" if equals else "Exists", value, effect)
