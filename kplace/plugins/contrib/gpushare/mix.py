"""The task mix: the kinds of pods that fragmentation is measured against."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from kplace.columns.quantity import milli_value
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I64
from kplace.plugins.contrib.gpushare.args import TaskArgs
from kplace.plugins.contrib.gpushare.demand import allowed
from kplace.plugins.contrib.gpushare.kernels import GpuDemand, TaskMix


def mix_of_pods(demands: Sequence[GpuDemand], numbers: I64, percentage: int) -> TaskMix:
    """Build a mix of the most frequent kinds among some pods.

    Kinds are taken from the most frequent one on (of equally frequent ones the larger first) until they make up the
    share. Memory makes no difference between kinds.

    Parameters
    ----------
    demands : sequence of GpuDemand
        By template.
    numbers : int64 ndarray, shape (n_templates,)
        How many pods each has.
    percentage : int
        The share, 1 to 100.
    """
    counts: Counter[tuple[int, int, int, bytes]] = Counter()
    for demand, number in zip(demands, numbers.tolist(), strict=True):
        if number:
            milli = demand.milli if demand.number else 0
            counts[demand.cpu, milli, demand.number, demand.models.tobytes()] += number
    kinds = sorted(((number, kind) for kind, number in counts.items()), reverse=True)
    needed, taken = percentage * counts.total(), 0
    kept = []
    for number, kind in kinds:
        if taken * 100 >= needed:
            break
        kept.append((number, kind))
        taken += number
    n_models = len(demands[0].models) if demands else 1
    return TaskMix(
        cpu=np.array([kind[0] for _, kind in kept], np.int64),
        number=np.array([kind[2] for _, kind in kept], np.int64),
        milli=np.array([kind[1] for _, kind in kept], np.int64),
        weight=np.array([number for number, _ in kept], np.int64),
        models=np.array([np.frombuffer(kind[3], np.bool_) for _, kind in kept], np.bool_).reshape(-1, n_models),
    )


def mix_of_args(tasks: Sequence[TaskArgs], models: Vocabulary) -> TaskMix:
    """Build the mix that a configuration gives."""
    return TaskMix(
        cpu=np.array([milli_value(task.cpu) for task in tasks], np.int64),
        number=np.array([task.gpu_count for task in tasks], np.int64),
        milli=np.array([task.gpu_milli if task.gpu_count else 0 for task in tasks], np.int64),
        weight=np.array([task.weight for task in tasks], np.int64),
        models=np.array([allowed(task.gpu_models, models) for task in tasks], np.bool_),
    )
