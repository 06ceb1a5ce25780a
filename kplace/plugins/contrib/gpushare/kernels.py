"""Arithmetic of GpuShare: which devices a pod takes, how well it fits, how much it fragments.

A device has `MILLI` thousandths. All numbers are integers, and so is fragmentation: it is kept as thousandths times the
weight of the whole task mix.
"""

from typing import NamedTuple

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import I32, I64, MAX_NODE_SCORE, Mask

MILLI = 1000

FITS, WRONG_MODEL, TOO_FEW, NO_ROOM = 0, 1, 2, 3
"""Of a node and a pod: it has the devices; they are of another model; it never has so many; it has not now."""


class GpuDevices(NamedTuple):
    """The devices of all nodes.

    Attributes
    ----------
    free : int64 ndarray, shape (n_nodes, max_devices)
        Thousandths left on each device; below 0 on one that holds too much, 0 where there is none.
    number : int64 ndarray, shape (n_nodes,)
        Devices of the node: the first so many columns.
    model : int64 ndarray, shape (n_nodes,)
        Code of their model; the highest code stands for none.
    version : int64 ndarray, shape (n_nodes,)
        Grows with every change of the node's row of ``free``.
    """

    free: I64
    number: I64
    model: I64
    version: I64


class GpuDemand(NamedTuple):
    """What a pod takes.

    Attributes
    ----------
    cpu : int
        Milli-cpu.
    number : int
        Devices; 0 for a pod without GPUs.
    milli : int
        Thousandths of each of them.
    models : bool ndarray, shape (n_models + 1,)
        By code, the models that it runs on.
    """

    cpu: int
    number: int
    milli: int
    models: Mask


class TaskMix(NamedTuple):
    """The kinds of pods that fragmentation is measured against.

    Attributes
    ----------
    cpu, number, milli, weight : int64 ndarray, shape (n_kinds,)
        As in `GpuDemand`; ``weight`` is how many such pods there are.
    models : bool ndarray, shape (n_kinds, n_models + 1)
    """

    cpu: I64
    number: I64
    milli: I64
    weight: I64
    models: Mask


class GradientMemo(NamedTuple):
    """What pods of one demand would do to nodes, and what the nodes were like when that was found out.

    Attributes
    ----------
    drop, version, cpu_free : int64 ndarray, shape (n_nodes,)
        How much less fragmented the node would be; its ``version`` and the milli-cpu it had left then.
    """

    drop: I64
    version: I64
    cpu_free: I64


@kernel
def judge(devices: GpuDevices, demand: GpuDemand, nodes: I32, verdict: I64) -> None:
    """Say of each of ``nodes`` whether it has the devices that a pod takes. Fills ``verdict``, shape (k,)."""
    for i in range(nodes.shape[0]):
        n = nodes[i]
        if not demand.models[devices.model[n]]:
            verdict[i] = WRONG_MODEL
        elif devices.number[n] < demand.number:
            verdict[i] = TOO_FEW
        elif fitting(devices.free[n], devices.number[n], demand.milli) < demand.number:
            verdict[i] = NO_ROOM
        else:
            verdict[i] = FITS


@kernel
def fitting(free: I64, number: int, milli: int) -> int:
    """Number of a node's devices with so many thousandths left."""
    found = 0
    for d in range(number):
        if free[d] >= milli:
            found += 1
    return found


@kernel
def take_tightest(free: I64, number: int, demand: GpuDemand, taken: Mask) -> int:
    """Choose the fullest devices that the pod fits on, of equal ones the first.

    Parameters
    ----------
    free : int64 ndarray, shape (max_devices,)
        Of one node. Modified in place: what the pod takes is gone.
    taken : bool ndarray, shape (max_devices,)
        Modified in place: the devices it takes.

    Returns
    -------
    int
        How many it lacks.
    """
    for left in range(demand.number, 0, -1):
        best = -1
        for d in range(number):
            if not taken[d] and free[d] >= demand.milli and (best < 0 or free[d] < free[best]):
                best = d
        if best < 0:
            return left
        taken[best] = True
        free[best] -= demand.milli
    return 0


@kernel
def best_fit(
    devices: GpuDevices, cpu_free: I64, largest: tuple[int, int], demand: GpuDemand, nodes: I32, scores: I64
) -> None:
    """Score nodes by how little they would have left: the mean share of cpu and GPUs of the largest node.

    Parameters
    ----------
    cpu_free : int64 ndarray, shape (n_nodes,)
        Milli-cpu left on each node.
    largest : (int, int)
        Milli-cpu and thousandths of GPU that a node has at most.
    scores : int64 ndarray, shape (k,)
        Modified in place; 0 is the best.
    """
    largest_cpu, largest_gpu = largest
    gpu = demand.number * demand.milli
    for i in range(nodes.shape[0]):
        n = nodes[i]
        cpu_left = cpu_free[n] - demand.cpu
        gpu_left = total(devices.free[n], devices.number[n]) - gpu
        scores[i] = -(cpu_left * largest_gpu + gpu_left * largest_cpu)


@kernel
def total(free: I64, number: int) -> int:
    """Thousandths left on a node."""
    left = 0
    for d in range(number):
        left += max(free[d], 0)
    return left


@kernel
def fragmentation(free: I64, number: int, cpu_free: int, model: int, mix: TaskMix) -> int:
    """How much of what a node has left the pods of a mix could not use, added up over them.

    Parameters
    ----------
    free : int64 ndarray, shape (max_devices,)
        Of the node.
    cpu_free : int
        Milli-cpu left on it.

    Returns
    -------
    int
        Thousandths times weight; divide by the weight of the mix for the expectation.

    Notes
    -----
    The definition of Weng et al. (USENIX ATC 2023): to a pod that takes no GPU, or that the node has no room for, all
    that is left is a fragment; to any other the devices are that have less left than it takes of one. Memory does not
    count.
    """
    left = total(free, number)
    if left == 0:
        return 0
    lost = 0
    for t in range(mix.weight.shape[0]):
        wasted = left
        if mix.number[t] > 0 and cpu_free >= mix.cpu[t] and mix.models[t, model]:
            milli = mix.milli[t]
            fits, small = 0, 0
            for d in range(number):
                if free[d] >= milli:
                    fits += 1
                else:
                    small += max(free[d], 0)
            if fits >= mix.number[t]:
                wasted = small
        lost += mix.weight[t] * wasted
    return lost


@kernel
def fragmentations(devices: GpuDevices, cpu_free: I64, mix: TaskMix, lost: I64) -> None:
    """Fragmentation of every node. Fills ``lost``, shape (n_nodes,)."""
    for n in range(lost.shape[0]):
        lost[n] = fragmentation(devices.free[n], devices.number[n], cpu_free[n], devices.model[n], mix)


@kernel
def take_least_fragmenting(node: tuple[I64, int, int, int], mix: TaskMix, demand: GpuDemand, taken: Mask) -> int:
    """Choose the devices that leave the node least fragmented, of equally good ones the first.

    A pod of one device tries each; a pod of several takes the fullest ones that it fits on.

    Parameters
    ----------
    node : (free, number, cpu_free, model)
        As in `fragmentation`; ``cpu_free`` is what is left beside the pod. ``free`` is modified in place: what the pod
        takes is gone.
    taken : bool ndarray, shape (max_devices,)
        Modified in place: the devices it takes.

    Returns
    -------
    int
        Fragmentation of the node with the pod.
    """
    free, number, cpu_free, model = node
    if demand.number != 1:
        take_tightest(free, number, demand, taken)
        return fragmentation(free, number, cpu_free, model, mix)
    best, least = -1, 0
    for d in range(number):
        if free[d] < demand.milli or met_before(free, d):
            continue
        free[d] -= demand.milli
        lost = fragmentation(free, number, cpu_free, model, mix)
        free[d] += demand.milli
        if best < 0 or lost < least:
            best, least = d, lost
    if best >= 0:
        taken[best] = True
        free[best] -= demand.milli
    return least


@kernel
def met_before(free: I64, device: int) -> bool:
    """Whether a device before this one has as much left."""
    for d in range(device):
        if free[d] == free[device]:
            return True
    return False


@kernel
def gradient(
    devices: GpuDevices, cpu_free: I64, mix: TaskMix, demand: GpuDemand, memo: GradientMemo, nodes: I32, scores: I64
) -> None:
    """Score nodes that have room for a pod by how much less fragmented they would be with it. Fills ``scores``.

    Parameters
    ----------
    cpu_free : int64 ndarray, shape (n_nodes,)
        Milli-cpu left on each node.
    memo : GradientMemo
        Of pods with this demand. Modified in place.
    scores : int64 ndarray, shape (k,)
        Below 0 where a node would be more fragmented.
    """
    free = np.empty(devices.free.shape[1], np.int64)
    taken = np.zeros(devices.free.shape[1], np.bool_)
    for i in range(nodes.shape[0]):
        n = nodes[i]
        if memo.version[n] != devices.version[n] or memo.cpu_free[n] != cpu_free[n]:
            free[:] = devices.free[n]
            taken[:] = False
            before = fragmentation(free, devices.number[n], cpu_free[n], devices.model[n], mix)
            node = (free, devices.number[n], cpu_free[n] - demand.cpu, devices.model[n])
            memo.drop[n] = before - take_least_fragmenting(node, mix, demand, taken)
            memo.version[n] = devices.version[n]
            memo.cpu_free[n] = cpu_free[n]
        scores[i] = memo.drop[n]


@kernel
def stretch(scores: I64) -> None:
    """Bring scores to [0, 100] from the lowest to the highest, rounding down: only the best keep 100. In place.

    All are 0 if they are the same.
    """
    lowest, highest = scores.min(), scores.max()
    for i in range(scores.shape[0]):
        scores[i] = (scores[i] - lowest) * MAX_NODE_SCORE // (highest - lowest) if highest > lowest else 0
