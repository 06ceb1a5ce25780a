"""GPUs: how many are free where, and how much of it is in pieces that nobody can use."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from kplace.analysis.subject import Subject, endings, nodes_of
from kplace.dtypes import F64, I64, Mask
from kplace.errors import UsageError

MILLI = 1000
NVIDIA = "nvidia.com/gpu"

CATEGORIES = ("q1_lack_both", "q2_lack_gpu", "q3_satisfied", "q4_lack_cpu", "xl_satisfied", "xr_lack_cpu", "no_access")
"""What a node is to a kind of pod, by the names of the authors of the measure.

q: pods that take GPUs; the node has too little of both, of GPUs, of neither, of cpu or memory. x: pods that take none;
the node has cpu and memory for them, or not. no_access: the node's GPUs are of a model that the pod does not run on.
"""
_LACK_BOTH, _LACK_GPU, _SATISFIED, _LACK_CPU, _PLAIN, _PLAIN_LACKS, _NO_ACCESS = range(7)


def gpu_histogram(subject: Subject, resource: str = NVIDIA) -> pd.Series:
    """Number of nodes by free GPUs, cordoned nodes left out: nodes without that resource do not count.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of nodes.
    resource : str

    Returns
    -------
    Series
        Number of nodes by number of free GPUs, from 0 to the most that a node has.
    """
    nodes = nodes_of(subject)
    (ending,) = endings(nodes, [resource])
    has = (nodes[f"allocatable_{ending}"] > 0).to_numpy() & ~_cordoned(nodes)
    free = nodes.loc[has, f"free_{ending}"].clip(lower=0).to_numpy(np.int64)
    most = int(nodes.loc[has, f"allocatable_{ending}"].max()) if has.any() else 0
    counts = np.bincount(free, minlength=most + 1)
    return pd.Series(counts, index=pd.RangeIndex(len(counts), name="free"), name="nodes")


@dataclass(frozen=True, slots=True)
class Fragmentation:
    """GPU that is free beside GPU that a pod of the mix can be expected not to be able to use.

    Attributes
    ----------
    capacity_milli, idle_milli : int
        Thousandths of GPUs in the cluster; those among them that are free.
    fragment_milli : float
        Expected thousandths of the idle ones that the next pod of the mix cannot use.
    of_idle, of_capacity : float
        ``fragment_milli`` as a share; NaN for a share of nothing.
    by_category : Series
        Idle thousandths by what the nodes are to the pods of the mix (`CATEGORIES`), in expectation; all but
        ``q3_satisfied`` are fragments as a whole, and of those the devices that are too small for the pod.
    by_node : Series
        ``fragment_milli`` of each node by its name.
    """

    capacity_milli: int
    idle_milli: int
    fragment_milli: float
    of_idle: float
    of_capacity: float
    by_category: pd.Series
    by_node: pd.Series


def gpu_fragmentation(
    subject: Subject, mix: pd.DataFrame, *, devices: pd.DataFrame | None = None, resource: str = NVIDIA
) -> Fragmentation:
    """GPU fragmentation by the measure of Weng et al. (USENIX ATC 2023), the one that FGD minimises.

    For a node and a kind of pod, the whole idle GPU of the node is a fragment if the pod cannot run there: it takes no
    GPU, cpu or memory is short, too few devices have as much left as it takes, or they are of another model. Otherwise
    those devices are that have less left than it takes of one. The sum over the nodes is averaged over the mix, each
    kind by its ``weight``.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of nodes.
    mix : DataFrame
        One row per kind of pod: ``requested_cpu_milli``, ``gpus`` (devices; 0 for none) and, each optional,
        ``requested_memory_bytes``, ``gpu_milli`` (thousandths of each device, by default 1000), ``weight`` (by default
        1) and ``model`` (a text, NA for any).
    devices : DataFrame, optional
        One row per device, for clusters that share them: ``node``, ``free_milli`` and, optionally, ``model``. By
        default each free unit of ``resource`` is a whole free device.
    resource : str
        Where ``devices`` is not given.

    Returns
    -------
    Fragmentation

    Raises
    ------
    UsageError
        A table lacks a column.
    """
    nodes = nodes_of(subject)
    for name in ("requested_cpu_milli", "gpus"):
        if name not in mix.columns:
            msg = f"mix: expected a column {name!r}, with one row per kind of pod"
            raise UsageError(msg)
    free, capacity, models = _devices(nodes, devices, resource)
    idle = free.sum(axis=1)
    cpu, memory = (nodes[f"free_{ending}"].to_numpy(np.int64) for ending in ("cpu_milli", "memory_bytes"))
    weights = mix["weight"].to_numpy(np.float64) if "weight" in mix else np.ones(len(mix))
    share = weights / weights.sum()
    lost: F64 = np.zeros(len(nodes))
    by_category: F64 = np.zeros(len(CATEGORIES))
    for kind, part in zip(mix.to_dict("records"), share.tolist(), strict=True):
        number, milli = int(kind["gpus"]), int(kind.get("gpu_milli", MILLI) or MILLI)
        short = (cpu < int(kind["requested_cpu_milli"])) | (memory < int(kind.get("requested_memory_bytes", 0) or 0))
        large = free >= milli
        lacks: Mask = large.sum(axis=1) < number
        wanted = kind.get("model")
        barred: Mask = np.zeros(len(nodes), np.bool_)
        if number and models is not None and isinstance(wanted, str) and wanted:
            barred = ~np.isin(models, wanted.split("|"))
        category = _categories(number, short, lacks, barred)
        wasted = np.where(category == _SATISFIED, np.where(large, 0, free).sum(axis=1), idle)
        lost += part * wasted
        by_category += part * np.bincount(category, weights=idle, minlength=len(CATEGORIES))
    total, offered = float(lost.sum()), int(capacity.sum())
    return Fragmentation(
        capacity_milli=offered,
        idle_milli=int(idle.sum()),
        fragment_milli=total,
        of_idle=total / idle.sum() if idle.sum() else float("nan"),
        of_capacity=total / offered if offered else float("nan"),
        by_category=pd.Series(by_category, index=pd.Index(CATEGORIES, name="category"), name="idle_milli"),
        by_node=pd.Series(lost, index=nodes["node"].astype("str"), name="fragment_milli"),
    )


def gpu_mix(pods: pd.DataFrame, resource: str = NVIDIA) -> pd.DataFrame:
    """Kinds of pods among those of a table, as `gpu_fragmentation` takes them: distinct requests, with their number.

    Parameters
    ----------
    pods : DataFrame
        A table of pods.
    """
    kinds = pd.DataFrame(
        {
            "requested_cpu_milli": pods["requested_cpu_milli"],
            "requested_memory_bytes": pods["requested_memory_bytes"],
            "gpus": pods.get(f"requested_{resource}", 0),
        }
    )
    return kinds.value_counts(sort=False).rename("weight").reset_index()


def _categories(number: int, short: Mask, lacks: Mask, barred: Mask) -> I64:
    if not number:
        return np.where(short, _PLAIN_LACKS, _PLAIN)
    found = np.select([lacks & short, lacks, short], [_LACK_BOTH, _LACK_GPU, _LACK_CPU], _SATISFIED)
    return np.where(barred, _NO_ACCESS, found)


def _devices(nodes: pd.DataFrame, devices: pd.DataFrame | None, resource: str) -> tuple[I64, I64, np.ndarray | None]:
    """Thousandths left on each device of each node, thousandths that each node has, and its model if that is known."""
    if devices is None:
        (ending,) = endings(nodes, [resource])
        number = nodes[f"allocatable_{ending}"].to_numpy(np.int64)
        left = nodes[f"free_{ending}"].clip(lower=0).to_numpy(np.int64)
        most = int(number.max()) if len(number) else 0
        return np.where(np.arange(most) < left[:, None], MILLI, 0), number * MILLI, None
    names = nodes["node"].astype("str").tolist()
    row = {name: position for position, name in enumerate(names)}
    where = devices["node"].astype("str").map(row)
    if where.isna().any():
        msg = f"devices: there is no node {devices['node'][where.isna()].iloc[0]!r} in the table of nodes"
        raise UsageError(msg)
    at = where.to_numpy(np.int64)
    place = devices.groupby(at).cumcount().to_numpy(np.int64)
    free = np.zeros((len(nodes), int(place.max()) + 1 if len(place) else 0), np.int64)
    free[at, place] = np.maximum(devices["free_milli"].to_numpy(np.int64), 0)
    models = None
    if "model" in devices:
        models = np.full(len(nodes), "", dtype=object)
        models[at] = devices["model"].astype("str").to_numpy()
    return free, np.bincount(at, minlength=len(nodes)) * MILLI, models


def _cordoned(nodes: pd.DataFrame) -> Mask:
    return nodes["unschedulable"].to_numpy(np.bool_) if "unschedulable" in nodes else np.zeros(len(nodes), np.bool_)
