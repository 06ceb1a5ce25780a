"""What is done in a workload, one thing after the other."""

from dataclasses import dataclass

from kplace.columns import ClusterColumns
from kplace.dtypes import I32


@dataclass(frozen=True, slots=True)
class Placing:
    """Pods are tried for the first time.

    Attributes
    ----------
    pods : int32 ndarray
        By number.
    """

    pods: I32


@dataclass(frozen=True, slots=True)
class Deleting:
    """Pods leave.

    Attributes
    ----------
    pods : int32 ndarray
        By number.
    """

    pods: I32


@dataclass(frozen=True, slots=True)
class Retrying:
    """All pods that have been tried and have no node are tried again, for as long as one of them gets one."""


Step = Placing | Deleting | Retrying


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a workload in which nodes and objects stay what they are.

    Attributes
    ----------
    columns : ClusterColumns
        The nodes and objects of the stage, and all pods made up to its end.
    steps : tuple of Placing, Deleting or Retrying
    """

    columns: ClusterColumns
    steps: tuple[Step, ...]
