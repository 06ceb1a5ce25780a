"""What a report shows: as the study says, and otherwise what follows from its axes and metrics."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from kplace.analysis.measures import better_of
from kplace.sweeps.description import Report
from kplace.sweeps.results import Results
from kplace.sweeps.sampling import AXES, SETTING

SEED = "seed"
CIRCUMSTANCES = frozenset({"input", "load", SEED})
"""Axes that nobody chooses the value of: the best is what is best on the whole of them."""
_FEW = 12
"""Lines that can be told apart in a picture."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What is shown.

    Attributes
    ----------
    axes : list of str
        Axes that have more than one value, but for the seed.
    settings : list of str
        Those among them that somebody chooses the value of; all, if there are no such.
    metrics : list of str
    best, x, by : str
        Empty: nothing is.
    pareto : list of str
        Two or more metrics, or none.
    """

    axes: Sequence[str]
    settings: Sequence[str]
    metrics: Sequence[str]
    best: str
    x: str
    by: str
    pareto: Sequence[str]


def choose(results: Results, asked: Report | None) -> Choices:
    """Choose what to show of results."""
    asked = asked or Report()
    runs = results.runs
    axes = [name for name in axes_in(runs) if name != SEED and _varies(runs[name])]
    kept = results.metric_names
    metrics = [name for wanted in asked.metrics for name in _named(kept, wanted)] or kept
    judged = [name for name in metrics if better_of(name)]
    moving = [name for name in judged if _varies(runs[name])]
    x = asked.x or next((name for name in ("load", "node_scale", *axes) if name in axes and _is_number(runs[name])), "")
    few = [name for name in ("configuration", *axes) if name in axes and name != x and runs[name].nunique() <= _FEW]
    first = asked.metrics[0] if asked.metrics else ""
    best = asked.best or next((name for name in judged if name.partition(":")[0] == first.partition(":")[0]), "")
    return Choices(
        axes=axes,
        settings=[name for name in axes if name not in CIRCUMSTANCES] or axes,
        metrics=metrics,
        best=next(iter(_named(kept, best)), "") if best else next(iter([*moving, *judged]), ""),
        x=x,
        by=asked.by or next(iter(few), ""),
        pareto=[name for wanted in asked.pareto for name in _named(kept, wanted)[:1]] or _opposed(runs, moving),
    )


def axes_in(runs: pd.DataFrame) -> list[str]:
    """The axes among the columns of a table of runs."""
    return [str(name) for name in runs.columns if name in AXES or str(name).startswith(SETTING)]


def _named(kept: Sequence[str], wanted: str) -> list[str]:
    return [name for name in kept if wanted in (name, name.partition(":")[0])]


def _varies(column: pd.Series) -> bool:
    return len(column.unique()) > 1


def _is_number(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column)


def _opposed(runs: pd.DataFrame, metrics: Sequence[str]) -> list[str]:
    """Two metrics of which one is the worse where the other is the better, the most so; none if there are none."""
    sign = {name: 1 if better_of(name) == "higher" else -1 for name in metrics}
    turned = pd.DataFrame({name: runs[name] * sign[name] for name in metrics})
    pairs = [
        (float(turned[a].rank().corr(turned[b].rank())), a, b) for i, a in enumerate(metrics) for b in metrics[i + 1 :]
    ]
    least = min(pairs, key=lambda pair: pair[0], default=(1.0, "", ""))
    return [least[1], least[2]] if least[0] < 0 else []
