"""Checkpoints: a simulation as bytes, to go on from later.

A checkpoint is a pickle: read only what you have written yourself.
"""

import hashlib
import pickle
import sys
from dataclasses import dataclass

import numpy as np

from kplace.engine.simulate.history import History
from kplace.engine.simulate.simulation import Simulation
from kplace.errors import UsageError
from kplace.version import __version__

_MAGIC = b"kplace checkpoint 1\n"


@dataclass(slots=True)
class Checkpoint:
    """Everything that a run goes on with.

    Attributes
    ----------
    simulation : Simulation
    history : History
        A watcher of it.
    log : object
        Another one.
    next_step : int
        When the next sample is taken.
    about : dict
        What the run was told, to be compared with what it is told when it goes on.
    """

    simulation: Simulation
    history: History
    log: object
    next_step: int
    about: dict[str, object]


def pack(checkpoint: Checkpoint) -> bytes:
    """Write a checkpoint."""
    body = pickle.dumps(checkpoint, protocol=pickle.HIGHEST_PROTOCOL)
    return b"".join((_MAGIC, _versions(), hashlib.sha256(body).digest(), body))


def unpack(data: bytes) -> Checkpoint:
    """Read a checkpoint.

    Raises
    ------
    UsageError
        It is none, is damaged, or was written with other versions of Python, numpy or kplace.
    """
    head = _MAGIC + _versions()
    start = len(head) + hashlib.sha256().digest_size
    if not data.startswith(_MAGIC):
        msg = "resume: the file is no checkpoint"
        raise UsageError(msg)
    if not data.startswith(head):
        msg = "resume: the checkpoint was written with another version of kplace, Python or numpy"
        raise UsageError(msg)
    if hashlib.sha256(data[start:]).digest() != data[len(head) : start]:
        msg = "resume: the checkpoint is damaged"
        raise UsageError(msg)
    checkpoint = pickle.loads(data[start:])
    assert isinstance(checkpoint, Checkpoint)
    return checkpoint


def _versions() -> bytes:
    return f"{__version__} {sys.version.split()[0]} {np.__version__}\n".encode()
