"""How much is allocated and how much is fragmented, as more and more of the workload has arrived."""

from dataclasses import dataclass

import numpy as np

from benchmarks.openb.policies import Outcome
from kplace.dtypes import CPU, F64
from kplace.plugins.contrib.gpushare import kernels
from kplace.plugins.contrib.gpushare.kernels import TaskMix


@dataclass(frozen=True)
class Curves:
    """Shares of the cluster's GPU capacity in percent, by percent of it that has arrived as demand.

    Attributes
    ----------
    arrived : float64 ndarray
        0, 1, 2, ...
    allocated : float64 ndarray
        What the placed pods demand.
    handed_out : float64 ndarray
        What nobody else can have: the same, or more where pods get whole GPUs.
    fragmented : float64 ndarray
        What is idle and of no use to the workload, in expectation.
    idle : float64 ndarray
        What is not handed out.
    """

    arrived: F64
    allocated: F64
    handed_out: F64
    fragmented: F64
    idle: F64

    @property
    def fragmented_of_idle(self) -> F64:
        """Share of what is idle that is fragmented, in percent."""
        return 100 * np.divide(self.fragmented, self.idle, out=np.zeros_like(self.idle), where=self.idle > 0)


def curves(outcome: Outcome, mix: TaskMix) -> Curves:
    """Go through a run once more, pod by pod, and look at the cluster after each percent."""
    columns, ledger = outcome.cluster.columns, outcome.ledger
    free = ledger.devices.free.copy()
    devices = ledger.devices._replace(free=free)
    cpu_free = columns.nodes.allocatable[CPU].copy()
    lost = np.zeros(len(cpu_free), np.int64)
    capacity, weight = int(ledger.devices.number.sum()) * kernels.MILLI, int(mix.weight.sum())
    rows: list[tuple[float, ...]] = []
    arrived = allocated = 0

    def look() -> None:
        kernels.fragmentations(devices, cpu_free, mix, lost)
        idle = int(np.maximum(free, 0).sum())
        rows.append((len(rows), allocated, capacity - idle, int(lost.sum()) / weight, idle))

    for pod, node in zip(outcome.pods.tolist(), outcome.nodes.tolist(), strict=True):
        demand = ledger.demand_of(pod)
        while arrived * 100 >= len(rows) * capacity:
            look()
        arrived += demand.number * demand.milli
        if node >= 0:
            allocated += demand.number * demand.milli
            cpu_free[node] -= demand.cpu
            free[node, outcome.devices[pod]] -= outcome.held[pod]
    look()
    table = np.array(rows).T
    return Curves(table[0], *(100 * table[1:] / capacity))
