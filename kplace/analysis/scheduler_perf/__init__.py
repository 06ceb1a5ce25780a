"""Throughput workloads in the format of upstream's scheduler_perf (``performance-config.yaml``), read and run."""

from kplace.analysis.scheduler_perf.document import Workload, own_workloads, read_workloads
from kplace.analysis.scheduler_perf.run import Measured, run_workload

__all__ = ["Measured", "Workload", "own_workloads", "read_workloads", "run_workload"]
