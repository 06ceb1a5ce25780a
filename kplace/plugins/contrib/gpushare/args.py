"""Arguments of GpuShare."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kplace.columns.annotations import GPU_COUNT
from kplace.columns.quantity import QuantityError, parse
from kplace.plugins.contrib.gpushare.kernels import MILLI

BEST_FIT: Literal["BestFit"] = "BestFit"
FGD: Literal["FGD"] = "FGD"
SIGMOID: Literal["Sigmoid"] = "Sigmoid"
MIN_MAX: Literal["MinMax"] = "MinMax"


@dataclass(frozen=True, slots=True)
class TaskArgs:
    """A kind of pod in the task mix.

    Attributes
    ----------
    cpu : str
        What it requests, as a quantity.
    gpu_count, gpu_milli : int
        How many GPUs it takes and how many thousandths of each.
    gpu_models : tuple of str
        The models that it runs on; none for any.
    weight : int
        How many of such pods there are.
    """

    cpu: str = "0"
    gpu_count: int = 0
    gpu_milli: int = MILLI
    gpu_models: tuple[str, ...] = ()
    weight: int = 1

    def check(self) -> Iterator[tuple[str, str]]:
        """Say what is wrong."""
        try:
            is_negative = parse(self.cpu) < 0
        except QuantityError as error:
            yield "cpu", str(error)
        else:
            if is_negative:
                yield "cpu", "must not be negative"
        if self.gpu_count < 0:
            yield "gpu_count", "must not be negative"
        if not 1 <= self.gpu_milli <= MILLI:
            yield "gpu_milli", f"must be between 1 and {MILLI}"
        if self.weight < 1:
            yield "weight", "must be greater than 0"


@dataclass(frozen=True, slots=True)
class GpuShareArgs:
    """Arguments of GpuShare.

    Attributes
    ----------
    scoring_strategy : {"FGD", "BestFit"}
    fragmentation_scale : {"Sigmoid", "MinMax"}
        How FGD's scores are brought to 0 to 100: by the logistic function of the GPUs by which fragmentation falls, as
        the paper's simulator does, 50 for no change; or from the worst node to the best one.
    device_resources : tuple of str
        Resources that may say how many GPUs a node has, the first that it offers does; and how many whole GPUs a pod
        takes whose annotations say nothing.
    task_mix : tuple of TaskArgs
        The workload that fragmentation is measured against; by default the pods of the cluster.
    task_mix_percentage : int
        Of the pods of the cluster, the most frequent kinds count that make up this share of them; 1 to 100. The paper
        takes 95, which may leave out all pods of several GPUs.
    """

    scoring_strategy: Literal["FGD", "BestFit"] = FGD
    fragmentation_scale: Literal["Sigmoid", "MinMax"] = SIGMOID
    device_resources: tuple[str, ...] = (GPU_COUNT, "nvidia.com/gpu")
    task_mix: tuple[TaskArgs, ...] = ()
    task_mix_percentage: int = 100

    def check(self) -> Iterator[tuple[str, str]]:
        """Say what is wrong."""
        if not self.device_resources:
            yield "device_resources", "must name a resource"
        if not 1 <= self.task_mix_percentage <= 100:
            yield "task_mix_percentage", "must be between 1 and 100"
