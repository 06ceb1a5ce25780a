"""Which resources a score looks at, and what a pod asks of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kplace.columns.resources import is_scalar
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import CPU, I32, I64, MEMORY, Mask
from kplace.plugins.noderesources.args import ResourceSpec
from kplace.plugins.noderesources.kernels import Demand


class ScoredRows(NamedTuple):
    """The resources that a score is configured with, as far as anybody offers or requests them.

    Attributes
    ----------
    rows : int32 ndarray, shape (k,)
        Rows of the resource arrays.
    weights : int64 ndarray, shape (k,)
    always : bool ndarray, shape (k,)
        False for scalar resources, which count for pods that request them only.
    """

    rows: I32
    weights: I64
    always: Mask


def scored_rows(specs: Sequence[ResourceSpec], resources: Vocabulary) -> ScoredRows:
    """Find the rows of configured resources."""
    known = [(resources.find(spec.name), spec.weight) for spec in specs if resources.find(spec.name) >= 0]
    rows = [row for row, _ in known]
    return ScoredRows(
        rows=np.array(rows, np.int32),
        weights=np.array([weight for _, weight in known], np.int64),
        always=np.array([row in (CPU, MEMORY) or not is_scalar(resources[row]) for row in rows], np.bool_),
    )


def scored_demand(scored: ScoredRows, amounts: I64) -> Demand:
    """Demand of a pod on the resources that are scored for it.

    Parameters
    ----------
    amounts : int64 ndarray, shape (n_resources,)
        What the pod requests.
    """
    wanted = amounts[scored.rows]
    kept = scored.always | (wanted > 0)
    return Demand(scored.rows[kept], wanted[kept], scored.weights[kept])
