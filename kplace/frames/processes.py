"""Pods that arrive by chance: a table of kinds of pods with their rates becomes a table of arrivals."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kplace.errors import Fault
from kplace.frames.rows import Refused, RowReader, shown
from kplace.state.rng import draw

PROCESS_SOURCE = "<frame process>"
HOUR = 3600
DAY = 24 * HOUR
_STEPS = 1 << 30
_STREAMS = 0x5DEECE66D
"""Distance between the seeds of two kinds."""
_MAX_SEED = 2**63 - 1
_MAX_RATE = 1e7


@dataclass(frozen=True, slots=True)
class _Kind:
    """Pods of one kind: how many arrive in an hour on average, how that swings over a day, how long they run."""

    rate: float
    swing: float
    lasts: float | None


def draw_arrivals(frame: pd.DataFrame, until: float, seed: int) -> tuple[pd.DataFrame, list[Fault]]:
    """Draw arrivals.

    Each kind is a Poisson process of its own, whose draws depend on the seed and the kind's position alone.

    Parameters
    ----------
    frame : DataFrame
        One row a kind of pod: ``pod`` (what their names begin with), ``rate`` (pods an hour), and, where wanted,
        ``swing`` (0 to 1: by which share the rate swings around its mean over a day, lowest at the start and highest
        after twelve hours), ``lasts`` (seconds that they run on average; exponentially distributed), and the columns
        of a table of arrivals.
    until : float
        Seconds; none arrives later.
    seed : int

    Returns
    -------
    arrivals : DataFrame
        In order of time, with ``at`` and ``lasts`` in whole milliseconds.
    faults : list of Fault

    Examples
    --------
    >>> kinds = pd.DataFrame({"pod": ["web"], "rate": [2.0], "cpu": ["1"]})
    >>> arrivals, faults = draw_arrivals(kinds, 7200, seed=1)
    >>> arrivals["pod"].tolist()[:2], bool((arrivals["at"] < 7200).all()), faults
    (['web-00000', 'web-00001'], True, [])
    """
    rows = RowReader(frame, PROCESS_SOURCE)
    names = rows.texts("pod")
    rates, swings = rows.read("rate", _rate), rows.read("swing", _share)
    means = rows.read("lasts", _length)
    for column, values in (("pod", names), ("rate", rates)):
        if column not in rows:
            rows.fault(None, column, "there is no such column")
        for row, value in enumerate(values):
            if column in rows and value is None and not _has_fault(rows, row):
                rows.fault(row, column, "is missing")
    if rows.faults:
        return frame.iloc[:0], rows.faults
    kinds = [_Kind(rate or 0.0, swing or 0.0, mean) for rate, swing, mean in zip(rates, swings, means, strict=True)]
    drawn = [(at, row, lasts) for row, kind in enumerate(kinds) for at, lasts in _arrivals(kind, row, until, seed)]
    drawn.sort(key=lambda item: item[:2])
    numbers = [0] * len(kinds)
    listed = []
    for _, row, _ in drawn:
        listed.append(f"{names[row]}-{numbers[row]:05d}")
        numbers[row] += 1
    arrivals = frame.iloc[[row for _, row, _ in drawn]].drop(columns=["rate", "swing"], errors="ignore")
    arrivals = arrivals.reset_index(drop=True).assign(pod=listed, at=[at for at, _, _ in drawn])
    if "lasts" in rows:
        arrivals["lasts"] = np.array([np.nan if lasts is None else lasts for _, _, lasts in drawn], np.float64)
    return arrivals, []


def _arrivals(kind: _Kind, row: int, until: float, seed: int) -> Iterator[tuple[float, float | None]]:
    """When pods of a kind arrive, and how long they run: those of a steady process, thinned out where fewer come."""
    own = (seed + (row + 1) * _STREAMS) & _MAX_SEED
    peak = kind.rate * (1 + kind.swing) / HOUR
    time, number = 0.0, 0
    while peak > 0:
        shares = [(int(draw(own, 3 * number + i, _STEPS)) + 1) / _STEPS for i in range(3)]
        number += 1
        time -= math.log(shares[0]) / peak
        if time >= until:
            return
        if shares[1] * (1 + kind.swing) <= 1 - kind.swing * math.cos(2 * math.pi * time / DAY):
            lasts = None if kind.lasts is None else max(round(-math.log(shares[2]) * kind.lasts, 3), 0.001)
            yield round(time, 3), lasts


def _has_fault(rows: RowReader, row: int) -> bool:
    return any(fault.subject == f"row {rows.label(row)}" for fault in rows.faults)


def _rate(value: object) -> float:
    return _number(value, _MAX_RATE, "pods an hour, 0 or more")


def _share(value: object) -> float:
    return _number(value, 1, "a share from 0 to 1")


def _length(value: object) -> float:
    return _number(value, 1e9, "seconds, 0 or more")


def _number(value: object, most: float, expected: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value <= most:
        msg = f"expected {expected}, got {shown(value)}"
        raise Refused(msg)
    return float(value)
