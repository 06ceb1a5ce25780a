"""What a plugin costs: measured per extension point over clusters of several sizes, and compared with another time."""

from kplace.analysis.bench.compare import Change, compare
from kplace.analysis.bench.report import BenchReport, Cost
from kplace.analysis.bench.run import bench

__all__ = ["BenchReport", "Change", "Cost", "bench", "compare"]
