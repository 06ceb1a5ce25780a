"""Durations in words."""


def shown_duration(seconds: float) -> str:
    """A duration for people.

    Examples
    --------
    >>> shown_duration(0.5), shown_duration(90), shown_duration(90061)
    ('0.5s', '1m 30s', '1d 1h 1m')
    """
    if seconds < 60:
        return f"{seconds:g}s"
    rest = round(seconds)
    parts = []
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        number, rest = divmod(rest, length)
        if number:
            parts.append(f"{number}{unit}")
    return " ".join(parts[:3])
