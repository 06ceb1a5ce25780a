"""Dtypes, sentinels, units and enumerations: the numbers that every layer agrees on.

The glossary of axes: ``n`` nodes, ``p`` pods, ``r`` resources, ``g`` pod groups, ``t`` templates, ``k`` the nodes under
consideration. The node axis is always the last one.
"""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

I8 = NDArray[np.int8]
U8 = NDArray[np.uint8]
I16 = NDArray[np.int16]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

NO_NODE = -1
"""In an int32 column of node indexes: no node."""

NO_VALUE = -1
"""In an int32 column of label values: the node lacks the label."""

NO_TIME = np.iinfo(np.int64).max
"""In an int64 column of nanoseconds since 1970: no time was given (sorts after all others)."""

MIB = 1024 * 1024
MAX_NODE_SCORE = 100

CPU = 0
"""Row of cpu in every resource array; its unit is milli-cpu."""
MEMORY = 1
"""Row of memory in every resource array; its unit is bytes."""
EPHEMERAL_STORAGE = 2
"""Row of ephemeral-storage in every resource array; its unit is bytes."""
FIRST_SCALAR = 3
"""First row of the extended and other scalar resources."""

DEFAULT_MILLI_CPU_REQUEST = 100
"""What a container without a cpu request counts for in scores (upstream DefaultMilliCPURequest)."""
DEFAULT_MEMORY_REQUEST = 200 * MIB
"""What a container without a memory request counts for in scores (upstream DefaultMemoryRequest)."""


class Code(IntEnum):
    """Outcome of a plugin's call, as upstream's ``framework.Code``: it decides what happens to the pod next."""

    SUCCESS = 0
    ERROR = 1
    UNSCHEDULABLE = 2
    UNSCHEDULABLE_AND_UNRESOLVABLE = 3
    WAIT = 4
    SKIP = 5
    PENDING = 6


CODE_NAMES = {
    Code.SUCCESS: "Success",
    Code.ERROR: "Error",
    Code.UNSCHEDULABLE: "Unschedulable",
    Code.UNSCHEDULABLE_AND_UNRESOLVABLE: "UnschedulableAndUnresolvable",
    Code.WAIT: "Wait",
    Code.SKIP: "Skip",
    Code.PENDING: "Pending",
}


class Phase(IntEnum):
    """A pod's ``status.phase``."""

    PENDING = 0
    RUNNING = 1
    SUCCEEDED = 2
    FAILED = 3
    UNKNOWN = 4


class Status(IntEnum):
    """What became of a pod in a scheduling attempt."""

    SCHEDULED = 0
    UNSCHEDULABLE = 1
    GATED = 2
    SKIPPED = 3
    PREEMPTED = 4
    ERROR = 5


class TieBreak(IntEnum):
    """How one of several best nodes is taken."""

    FIRST = 0
    RANDOM = 1


class PreemptionMode(IntEnum):
    """What becomes of a pod for which others would have to leave."""

    OFF = 0
    """DefaultPreemption is not asked."""
    DRY_RUN = 1
    """It is said which pods would have to leave, and nothing is done."""
    IMMEDIATE = 2
    """They leave at once, and the pod is tried again at once."""
    QUEUE = 3
    """They leave after their grace period, and the pod comes back by the rules of the queue."""
