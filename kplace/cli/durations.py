"""Durations on the command line: ``90``, ``1.5s``, ``10ms``, ``2h30m``."""

import re

import click

_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}


class Duration(click.ParamType):  # type: ignore[type-arg]  # older releases of click take none
    """A number of seconds, or numbers with units one after another."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds of a duration."""
        if isinstance(value, int | float):
            return float(value)
        seconds = parse_duration(str(value))
        if seconds is None:
            self.fail(f"{value!r} is no duration, such as 90, 1.5s, 10ms or 2h30m", param, ctx)
        return seconds


def parse_duration(text: str) -> float | None:
    """Seconds of a duration; None if it is none.

    Examples
    --------
    >>> [parse_duration(text) for text in ("90", "1.5s", "10ms", "2h30m", "soon")]
    [90.0, 1.5, 0.01, 9000.0, None]
    """
    try:
        seconds = float(text)
    except ValueError:
        pass
    else:
        return seconds if 0 <= seconds < float("inf") else None
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return round(sum(float(number) * _SECONDS[unit] for number, unit in parts), 9)
