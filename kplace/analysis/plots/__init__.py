"""Pictures for notebooks: each takes what its metric takes, and gives a figure of plotly.

Plotly is imported when the first picture is made. Figures hold the numbers of the tables that they are made from, and
no more of them than can be seen: of large clusters neighbours are put together, as each function says.
"""

from kplace.analysis.plots.moves import versions
from kplace.analysis.plots.over_time import curves, occupancy, timeline
from kplace.analysis.plots.room import frontier, schedulable
from kplace.analysis.plots.use import gpu_histogram, heatmap, nodes, stranded, utilisation_curve
from kplace.analysis.plots.waiting import domains, funnel, pending

__all__ = [
    "curves",
    "domains",
    "frontier",
    "funnel",
    "gpu_histogram",
    "heatmap",
    "nodes",
    "occupancy",
    "pending",
    "schedulable",
    "stranded",
    "timeline",
    "utilisation_curve",
    "versions",
]
