"""What was found about rows of pods on all nodes, as arrays with the node axis last."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kplace.dtypes import I8, I16, I32, I64, NO_NODE, Mask
from kplace.engine.attempt import Attempt
from kplace.engine.matrix.kernels import REJECTED, enter_verdicts, scatter
from kplace.framework import Profile
from kplace.framework.runtime import ABSENT, PASSED, ScorePhase

VERDICTS = ("scored", "outside sample", "rejected")
"""Names of `SCORED`, `OUTSIDE_SAMPLE` and `REJECTED`."""
NOBODY = -1
"""In `ScoreArrays.rejecter`: nobody objects to the node."""


@dataclass(frozen=True)
class Axes:
    """The names that the axes of the arrays stand for.

    Attributes
    ----------
    plugins : tuple of str
        Those that score in any of the profiles.
    normalizing : tuple of str
        Those of them that normalise; what the others say is between 0 and 100 as it is.
    rejecters : tuple of str
        Those that may rule nodes out, after an empty name for nodes outside of what PreFilters left.
    n_nodes : int
    profiles : dict of str to Profile
    """

    plugins: tuple[str, ...]
    normalizing: tuple[str, ...]
    rejecters: tuple[str, ...]
    n_nodes: int
    profiles: dict[str, Profile]

    @staticmethod
    def of(profiles: dict[str, Profile], n_nodes: int) -> "Axes":
        """Collect the names of the plugins of some profiles."""
        scoring = [item for profile in profiles.values() for item in profile.score]
        rejecting = [item.name for profile in profiles.values() for item in (*profile.pre_filter, *profile.filter)]
        return Axes(
            plugins=tuple(dict.fromkeys(item.plugin.name for item in scoring)),
            normalizing=tuple(dict.fromkeys(item.plugin.name for item in scoring if item.normalizer is not None)),
            rejecters=tuple(dict.fromkeys(["", *rejecting])),
            n_nodes=n_nodes,
            profiles=profiles,
        )

    @cached_property
    def plugin_index(self) -> dict[str, int]:
        """Where each score plugin stands on its axis."""
        return {name: at for at, name in enumerate(self.plugins)}

    @cached_property
    def normalizing_index(self) -> dict[str, int]:
        """Where each plugin that normalises stands in `ScoreArrays.raw_normalizing`."""
        return {name: at for at, name in enumerate(self.normalizing)}

    @cached_property
    def rejecter_index(self) -> dict[str, int]:
        """The code of each name in `ScoreArrays.rejecter`."""
        return {name: at for at, name in enumerate(self.rejecters)}

    @cached_property
    def weights(self) -> dict[str, I64]:
        """By profile, the weight of each score plugin; 0 for one that it lacks."""
        found = {}
        for scheduler, profile in self.profiles.items():
            weights = {item.plugin.name: item.weight for item in profile.score}
            found[scheduler] = np.array([weights.get(name, 0) for name in self.plugins], np.int64)
        return found

    @cached_property
    def filter_codes(self) -> dict[str, I16]:
        """By profile, what stands in `ScoreArrays.rejecter` for an entry of ``FilterPhase.plugin`` less `ABSENT`."""
        return {
            name: np.array([0, NOBODY, *(self.rejecter_index[item.name] for item in profile.filter)], np.int16)
            for name, profile in self.profiles.items()
        }

    @property
    def bytes_per_row(self) -> int:
        """Memory that one row takes."""
        per_node = len(self.plugins) + 8 * len(self.normalizing) + 8 + 1 + 2
        return self.n_nodes * per_node + 64 * len(self.plugins) + 256


@dataclass(frozen=True, slots=True)
class ScoreArrays:
    """Rows of scores; what a node that is not scored has in the scores and in ``total`` is 0.

    Attributes
    ----------
    axes : Axes
    normalised : int8 ndarray, shape (n_rows, n_plugins, n_nodes)
        Scores brought to 0 to 100.
    raw_normalizing : int64 ndarray, shape (n_rows, n_normalizing, n_nodes)
        What those of the plugins have said that normalise: see `raw` for all of them.
    total : int64 ndarray, shape (n_rows, n_nodes)
        Sum of the weighted scores.
    verdict : int8 ndarray, shape (n_rows, n_nodes)
        `SCORED`, `OUTSIDE_SAMPLE` or `REJECTED`.
    rejecter : int16 ndarray, shape (n_rows, n_nodes)
        Code in ``axes.rejecters`` of the first filter that rejects a node, or of the PreFilter that rejects the pod;
        `NOBODY` for a feasible node, and where an error ended the attempt.
    scores : bool ndarray, shape (n_rows, n_plugins)
        Whether the plugin scored; it may lack in the profile, or have skipped the pod.
    weights : int64 ndarray, shape (n_rows, n_plugins)
    winner : int32 ndarray, shape (n_rows,)
        The first node of the highest total; `NO_NODE` if none is feasible.
    messages : list of str
        Why no node is feasible; empty if one is.
    """

    axes: Axes
    normalised: I8
    raw_normalizing: I64
    total: I64
    verdict: I8
    rejecter: I16
    scores: Mask
    weights: I64
    winner: I32
    messages: list[str]

    @staticmethod
    def blank(axes: Axes, n_rows: int) -> "ScoreArrays":
        """Rows in which nothing has been entered yet."""
        n_plugins, n_nodes = len(axes.plugins), axes.n_nodes
        return ScoreArrays(
            axes=axes,
            normalised=np.zeros((n_rows, n_plugins, n_nodes), np.int8),
            raw_normalizing=np.zeros((n_rows, len(axes.normalizing), n_nodes), np.int64),
            total=np.zeros((n_rows, n_nodes), np.int64),
            verdict=np.full((n_rows, n_nodes), REJECTED, np.int8),
            rejecter=np.full((n_rows, n_nodes), NOBODY, np.int16),
            scores=np.zeros((n_rows, n_plugins), np.bool_),
            weights=np.zeros((n_rows, n_plugins), np.int64),
            winner=np.full(n_rows, NO_NODE, np.int32),
            messages=[""] * n_rows,
        )

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.winner)

    def raw(self, plugin: int) -> I8 | I64:
        """What a plugin's Score said, shape (n_rows, n_nodes)."""
        at = self.axes.normalizing_index.get(self.axes.plugins[plugin])
        return self.normalised[:, plugin] if at is None else self.raw_normalizing[:, at]

    @property
    def weighted(self) -> I64:
        """Normalised scores times weights, shape (n_rows, n_plugins, n_nodes). Made anew."""
        return self.normalised * self.weights[:, :, None]

    @property
    def feasible(self) -> Mask:
        """Whether no filter objects, shape (n_rows, n_nodes). Made anew."""
        return self.verdict != REJECTED

    def enter(self, row: int, attempt: Attempt, message: str) -> None:
        """Write what an attempt has found into a row."""
        self.messages[row] = message
        self.winner[row] = attempt.node
        self.weights[row] = self.axes.weights[attempt.profile.scheduler_name]
        self._enter_filters(row, attempt)
        if attempt.scores is not None:
            self._enter_scores(row, attempt.scores, attempt.feasible)

    def _enter_filters(self, row: int, attempt: Attempt) -> None:
        filters = attempt.filters
        if filters is None:
            rejecting = attempt.pre_filters.rejected_by
            if rejecting is not None:
                self.rejecter[row] = self.axes.rejecter_index[rejecting.name]
            return
        codes = self.axes.filter_codes[attempt.profile.scheduler_name]
        np.take(codes, filters.plugin - ABSENT, out=self.rejecter[row])
        enter_verdicts(filters.plugin == PASSED, attempt.feasible, self.verdict[row])

    def _enter_scores(self, row: int, scores: ScorePhase, nodes: I32) -> None:
        scatter(scores.total, nodes, self.total[row])
        for name, raw in scores.raw.items():
            plugin = self.axes.plugin_index[name]
            self.scores[row, plugin] = True
            scatter(scores.normalised[name], nodes, self.normalised[row, plugin])
            at = self.axes.normalizing_index.get(name)
            if at is not None:
                scatter(raw, nodes, self.raw_normalizing[row, at])
