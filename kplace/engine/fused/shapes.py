"""The shapes of a cluster's templates."""

from collections.abc import Sequence

import numpy as np

from kplace.columns.templates import Template
from kplace.state import ClusterState


class Shapes:
    """Templates by shape.

    Attributes
    ----------
    of_template : int32 ndarray, shape (n_templates,)
        Each template's shape.
    first : int64 ndarray, shape (n_shapes,)
        The first template of each shape.
    """

    def __init__(self, templates: Sequence[Template]) -> None:
        self.of_template = np.array([template.shape for template in templates], np.int32)
        n_shapes = int(self.of_template.max(initial=-1)) + 1
        self.first = np.zeros(n_shapes, np.int64)
        self.first[self.of_template[::-1]] = np.arange(len(templates))[::-1]

    def of_group(self, state: ClusterState, row: int) -> list[int]:
        """Shapes in a group of pods: what decides about membership is all in the shape."""
        members = np.zeros(len(self.first), np.bool_)
        members[self.of_template[state.groups.members(row)]] = True
        return np.flatnonzero(members).tolist()
