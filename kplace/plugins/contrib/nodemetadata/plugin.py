"""NodeMetadata (scheduler-plugins' ``pkg/nodemetadata``)."""

import re
from collections.abc import Iterator

import numpy as np

from kplace.columns.nodes import NodeColumns
from kplace.dtypes import I32, I64
from kplace.framework import Cycle, NormalizeScorePlugin, ScorePlugin
from kplace.plugins.contrib.nodemetadata.args import LABEL, LOWEST, NEWEST, NUMBER, NodeMetadataArgs
from kplace.plugins.contrib.nodemetadata.go_time import SECOND, compile_layout
from kplace.plugins.contrib.nodemetadata.kernels import INVALID, spread_out

NOW_NS = 1_735_689_600 * SECOND
"""When ages are taken: 2025-01-01, for the answer must not depend on when it is asked. Only their differences count."""

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_HEXADECIMAL = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?|\.[0-9a-fA-F]+)[pP][+-]?\d+", re.ASCII)
_INT64 = 2**63


class NodeMetadata:
    """Scores nodes by a number or a time in one of their labels or annotations.

    Parameters
    ----------
    args : NodeMetadataArgs

    Notes
    -----
    Nodes without it, or with one that cannot be read, get 0, all others 1 to 100. A number loses its fraction. Ages are
    whole seconds; upstream takes them at the time of the attempt, which makes no difference to times in whole seconds.
    """

    name = "NodeMetadata"
    Args = NodeMetadataArgs

    def __init__(self, args: NodeMetadataArgs) -> None:
        self._args = args
        self._layout = compile_layout(args.timestamp_format)

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Number or age of each of ``nodes``, turned round if less is better."""
        columns = cycle.state.columns.nodes
        return columns.derived((type(self), self._args), lambda: self._raw(columns))[nodes]

    def normalize_score(self, cycle: Cycle, nodes: I32, scores: I64) -> None:
        """Spread the scores out over 1 to 100. Modified in place."""
        spread_out(scores)

    def _raw(self, columns: NodeColumns) -> I64:
        return np.fromiter(map(self._value, self._texts(columns)), np.int64, len(columns))

    def _texts(self, columns: NodeColumns) -> Iterator[str | None]:
        key = self._args.metadata_key
        if self._args.metadata_source != LABEL:
            return (annotations.get(key) for annotations in columns.annotations)
        values = (*columns.label_values(key), None)  # nodes without the label have the code -1: the last entry
        return (values[code] for code in columns.label_codes(key))

    def _value(self, text: str | None) -> int:
        if text is None:
            return INVALID
        if self._args.metadata_type == NUMBER:
            value = read_number(text)
            return INVALID if value is None else -value if self._args.scoring_strategy == LOWEST else value
        time = self._layout.parse(text)
        if time is None:
            return INVALID
        age = seconds_between(time, NOW_NS)
        return -age if self._args.scoring_strategy == NEWEST else age


def read_number(text: str) -> int | None:
    """Integer part of a number as Go reads it; None if it is none, or too large for 64 bits.

    Examples
    --------
    >>> read_number("2.5"), read_number("-1e3"), read_number("0x1p4"), read_number("1_000"), read_number("1e19")
    (2, -1000, 16, None, None)
    """
    if _NUMBER.fullmatch(text):
        number = float(text)
    elif _HEXADECIMAL.fullmatch(text):
        number = _from_hexadecimal(text)
    else:
        return None
    return int(number) if -_INT64 < number < _INT64 else None


def _from_hexadecimal(text: str) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:
        return np.inf


def seconds_between(time: int, now: int) -> int:
    """Whole seconds from one time to another, both in nanoseconds; more than 292 years is as good as 292 (Go's limit).

    Examples
    --------
    >>> seconds_between(0, 2_900_000_000), seconds_between(2_900_000_000, 0)
    (2, -2)
    """
    age = min(max(now - time, -_INT64), _INT64 - 1)
    return age // SECOND if age >= 0 else -(-age // SECOND)


_score: type[ScorePlugin] = NodeMetadata
_normalizer: type[NormalizeScorePlugin] = NodeMetadata
