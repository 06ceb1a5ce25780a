"""Placing the trace: with whole GPUs as Kubernetes does it, and with shared ones by GpuShare."""

import time
from dataclasses import dataclass

import numpy as np

import kplace
from kplace.api import Cluster
from kplace.dtypes import I32, I64, Mask
from kplace.plugins.contrib import GpuShare
from kplace.plugins.contrib.gpushare.args import GpuShareArgs
from kplace.plugins.contrib.gpushare.kernels import MILLI, TaskMix
from kplace.plugins.contrib.gpushare.ledger import DeviceLedger
from kplace.plugins.contrib.gpushare.mix import mix_of_pods

WHOLE, BEST_FIT, FGD = "whole GPUs", "best-fit", "FGD"
POLICIES = (WHOLE, BEST_FIT, FGD)
STRATEGIES = {BEST_FIT: "BestFit", FGD: "FGD"}

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
class Outcome:
    """Who came where.

    Attributes
    ----------
    ledger : DeviceLedger
        Of idle devices: models, demands, numbers of devices.
    mix : TaskMix
        The workload that fragmentation is measured against.
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
    mix: TaskMix
    pods: I32
    nodes: I32
    devices: Mask
    held: I64
    seconds: float


def run(cluster: Cluster, policy: str, seed: int) -> Outcome:
    """Place a cluster's pods."""
    args = GpuShareArgs()
    idle = DeviceLedger(cluster.columns, args.device_resources)
    template = cluster.columns.pods.template
    mix = mix_of_pods(idle.demands, np.bincount(template, minlength=len(idle.demands)), args.task_mix_percentage)
    milli = np.array([demand.milli for demand in idle.demands], np.int64)[template]
    started = time.perf_counter()
    if policy == WHOLE:
        placed = kplace.place(cluster, seed=seed, percentage_of_nodes_to_score=100)
        seconds = time.perf_counter() - started
        devices = _whole_devices(idle, placed.columns.pod, placed.columns.node)
        held = np.full(len(template), MILLI, np.int64)
    else:
        plugin = GpuShare(GpuShareArgs(scoring_strategy=STRATEGIES[policy]))
        placed = kplace.place(cluster, seed=seed, config=SHARING, plugins=[plugin])
        seconds = time.perf_counter() - started
        assert plugin.last_ledger is not None
        devices, held = plugin.last_ledger.held, milli
    return Outcome(cluster, idle, mix, placed.columns.pod, placed.columns.node, devices, held, seconds)


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
