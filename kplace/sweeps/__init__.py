"""Studies: many runs over configurations, clusters, seeds and what-ifs, on one machine or many, and their reports."""

from kplace.sweeps.results import Results, read_sweep
from kplace.sweeps.running import sweep

__all__ = ["Results", "read_sweep", "sweep"]
