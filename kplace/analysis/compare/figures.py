"""A run in figures that can be held against those of another one."""

import pandas as pd

from kplace.analysis.figures import cluster_figures
from kplace.analysis.metrics.room import smallest_needs
from kplace.analysis.metrics.scores import margins
from kplace.api import Placements


def figures(run: Placements) -> pd.Series:
    """Metrics of a run by name: what became of the pods, how nodes are used, how close the decisions were.

    What takes the cluster itself is left out of a run that was read from a file.
    """
    status = run.pods["status"].value_counts()
    found: dict[str, float] = {
        "placed": int(status["scheduled"]),
        "pending": int(status["unschedulable"] + status["error"]),
        "skipped": int(status["skipped"]),
        "preempted": int(run.preemptions.loc[run.preemptions["carried_out"], "victim_row"].nunique()),
    }
    found |= cluster_figures(run, smallest_needs(run.before.pods) if run.has_cluster else {})
    close = margins(run)
    found |= {"decided by a draw": close.tied, "median margin": close.median}
    return pd.Series(found, dtype="float64")
