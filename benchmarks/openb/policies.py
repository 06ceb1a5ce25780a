"""Placing the trace: with whole GPUs as Kubernetes does it, and with shared ones by GpuShare."""

import time
from dataclasses import dataclass

import numpy as np

import kplace
from kplace.api import Cluster
from kplace.dtypes import I32, I64, Mask, PreemptionMode, TieBreak
from kplace.engine.batch import place_batch
from kplace.engine.cycle import Options
from kplace.plugins.contrib import GpuShare
from kplace.plugins.contrib.gpushare.args import GpuShareArgs, TaskArgs
from kplace.plugins.contrib.gpushare.kernels import MILLI, TaskMix
from kplace.plugins.contrib.gpushare.ledger import DeviceLedger
from kplace.plugins.contrib.gpushare.mix import mix_of_pods
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState

SHARING = {
    "percentageOfNodesToScore": 100,
    "profiles": [
        {
            "plugins": {
                "multiPoint": {"enabled": [{"name": "GpuShare"}]},
                "score": {"disabled": [{"name": "*"}], "enabled": [{"name": "GpuShare"}]},
            },
            "pluginConfig": [{"name": "NodeResourcesFit", "args": {"ignoredResources": ["nvidia.com/gpu"]}}],
        }
    ],
}
"""The stock filters and GpuShare; GpuShare alone scores, as the policies of the paper do."""


@dataclass(frozen=True)
class Policy:
    """How pods are placed.

    Attributes
    ----------
    strategy : str
        Of GpuShare; empty for the stock profile, to which a pod takes as many whole GPUs as it has a part in.
    percentage : int
        Of the pods, the most frequent kinds that FGD looks at.
    ties : str
        How one of several best nodes is taken: ``random`` as kube-scheduler does, or the ``first`` by name.
    """

    name: str
    strategy: str = ""
    percentage: int = 100
    ties: str = "random"


POLICIES = (
    Policy("whole GPUs"),
    Policy("best-fit", "BestFit"),
    Policy("FGD", "FGD"),
    Policy("FGD, 95 %", "FGD", 95),
    Policy("best-fit, first", "BestFit", ties="first"),
    Policy("FGD, first", "FGD", ties="first"),
    Policy("FGD, 95 %, first", "FGD", 95, "first"),
)


@dataclass(frozen=True)
class Workload:
    """What the table itself says of its pods, before the load is tuned.

    Attributes
    ----------
    mix : TaskMix
        What fragmentation is measured against: the kinds that make up 95 % of the pods.
    """

    mix: TaskMix
    everything: TaskMix

    @staticmethod
    def of(table: Cluster) -> "Workload":
        """The kinds of pods in a table."""
        ledger = DeviceLedger(table.columns, GpuShareArgs().device_resources)
        numbers = np.bincount(table.columns.pods.template, minlength=len(ledger.demands))
        return Workload(mix_of_pods(ledger.demands, numbers, 95), mix_of_pods(ledger.demands, numbers, 100))

    def tasks(self, percentage: int) -> tuple[TaskArgs, ...]:
        """The same as arguments of GpuShare; the tables at hand bind no pod to a model."""
        mix = self.mix if percentage == 95 else self.everything
        assert mix.models.all()
        columns = (mix.cpu.tolist(), mix.number.tolist(), mix.milli.tolist(), mix.weight.tolist())
        rows = zip(*columns, strict=True)
        return tuple(TaskArgs(f"{cpu}m", number, milli or MILLI, (), weight) for cpu, number, milli, weight in rows)


@dataclass(frozen=True)
class Outcome:
    """Who came where.

    Attributes
    ----------
    ledger : DeviceLedger
        Of idle devices: models, demands, numbers of devices.
    pods, nodes : int32 ndarrays
        In the order in which the pods were tried; `NO_NODE` for one that was not placed.
    devices : bool ndarray, shape (n_pods, max_devices)
        By pod (not by row), the devices it has.
    held : int64 ndarray
        By pod, thousandths that are taken off each of them.
    seconds : float
        That the placing took.
    """

    cluster: Cluster
    ledger: DeviceLedger
    pods: I32
    nodes: I32
    devices: Mask
    held: I64
    seconds: float


def run(cluster: Cluster, policy: Policy, workload: Workload, seed: int) -> Outcome:
    """Place a cluster's pods."""
    idle = DeviceLedger(cluster.columns, GpuShareArgs().device_resources)
    started = time.perf_counter()
    if policy.strategy:
        args = GpuShareArgs(policy.strategy, task_mix=workload.tasks(policy.percentage))
        plugin = GpuShare(args)
        placed = kplace.place(
            cluster, seed=seed, tie_break=policy.ties, config=SHARING, plugins=[plugin], preemption="off"
        ).columns
        seconds = time.perf_counter() - started
        assert plugin.last_ledger is not None
        devices = plugin.last_ledger.held
        held = np.array([demand.milli for demand in idle.demands], np.int64)[cluster.columns.pods.template]
    else:
        tie_break = TieBreak.FIRST if policy.ties == "first" else TieBreak.RANDOM
        options = Options(tie_break, seed, 100, PreemptionMode.OFF)
        placed = place_batch(ClusterState(cluster.columns), [default_profile()], options)
        seconds = time.perf_counter() - started
        devices = _whole_devices(idle, placed.pod, placed.node)
        held = np.full(len(placed.pod), MILLI, np.int64)
    return Outcome(cluster, idle, placed.pod, placed.node, devices, held, seconds)


def _whole_devices(idle: DeviceLedger, pods: I32, nodes: I32) -> Mask:
    """Devices for pods that only have numbers of them: the first that are idle."""
    devices = np.zeros((len(pods), idle.devices.free.shape[1]), np.bool_)
    begin = np.zeros(len(idle.devices.number), np.int64)
    for pod, node in zip(pods.tolist(), nodes.tolist(), strict=True):
        if node >= 0:
            number = idle.demand_of(pod).number
            devices[pod, begin[node] : begin[node] + number] = True
            begin[node] += number
    return devices
