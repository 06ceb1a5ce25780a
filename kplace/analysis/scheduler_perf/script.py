"""A workload as clusters and the steps that are done in them."""

from dataclasses import dataclass

from kplace.analysis.scheduler_perf.document import Workload
from kplace.analysis.scheduler_perf.operations import OPERATIONS, Writer
from kplace.analysis.scheduler_perf.steps import Stage
from kplace.dtypes import I32


@dataclass(frozen=True, slots=True)
class Script:
    """What a workload comes to.

    Attributes
    ----------
    stages : tuple of Stage
        Another one begins where nodes come, or objects change, after pods have been tried.
    measured : int32 ndarray
        Pods whose placing is measured, by number.
    notes : tuple of str
        In what it is not quite what upstream does.
    """

    stages: tuple[Stage, ...]
    measured: I32
    notes: tuple[str, ...]


def script_of(workload: Workload) -> Script:
    """Make all objects of a workload, and the steps.

    Raises
    ------
    InputError
        A template cannot be used.
    """
    writer = Writer(workload)
    for number, operation in enumerate(workload.operations):
        OPERATIONS[operation["opcode"]](writer, number, operation)
    stages, measured = writer.finish()
    return Script(stages, measured, tuple(dict.fromkeys(writer.notes)))
