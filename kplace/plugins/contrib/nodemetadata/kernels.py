"""Arithmetic of NodeMetadata."""

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import I64, MAX_NODE_SCORE

INVALID = np.iinfo(np.int64).min
"""Raw score of a node without the label or annotation, or whose value cannot be read."""

_LOWEST_VALID = 1
_WIDEST = 2.0**56


@kernel
def spread_out(scores: I64) -> None:
    """Bring raw scores to [1, 100] between the lowest and the highest, invalid ones to 0. Modified in place.

    All are 1 if they are the same. Differences beyond 2**56, where upstream's product would overflow, are divided as
    floating-point numbers.

    Notes
    -----
    Mirrors ``NormalizeScore`` of scheduler-plugins' ``pkg/nodemetadata/node_metadata.go``.
    """
    lowest, highest = np.iinfo(np.int64).max, INVALID
    for i in range(scores.shape[0]):
        if scores[i] != INVALID:
            lowest, highest = min(lowest, scores[i]), max(highest, scores[i])
    steps = MAX_NODE_SCORE - _LOWEST_VALID
    width = float(highest) - float(lowest)
    for i in range(scores.shape[0]):
        if scores[i] == INVALID:
            scores[i] = 0
        elif width <= 0.0:
            scores[i] = _LOWEST_VALID
        elif width <= _WIDEST:
            scores[i] = (scores[i] - lowest) * steps // (highest - lowest) + _LOWEST_VALID
        else:
            scores[i] = int((float(scores[i]) - float(lowest)) / width * steps) + _LOWEST_VALID
