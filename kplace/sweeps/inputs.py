"""The inputs of a study: each is read once, and written into the bundle that workers map."""

import hashlib
import pickle
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from kplace.api import Cluster, read, synth
from kplace.columns import ClusterColumns
from kplace.columns.vocab import Vocabulary
from kplace.errors import Fault, InputError
from kplace.sweeps.bundle import writing_bundle
from kplace.sweeps.context import CONTEXT, INPUT
from kplace.sweeps.description import Synth
from kplace.sweeps.load import Loaded
from kplace.synthesis.load import PRESETS


def write_inputs(loaded: Loaded, path: Path, progress: Callable[[int, int], None] | None = None) -> dict[str, str]:
    """Read all inputs and write them, with what runs need beside them.

    Parameters
    ----------
    path : Path
        The bundle.
    progress : callable, optional
        Called after each with the numbers of inputs read and to read.

    Returns
    -------
    dict of str to str
        A digest of each input by its name.

    Raises
    ------
    InputError
        With every fault of every input.
    """
    digests: dict[str, str] = {}
    faults: list[Fault] = []
    with writing_bundle(path) as bundle:
        bundle.add(CONTEXT, loaded.context)
        for i, name in enumerate(loaded.study.inputs):
            try:
                cluster = _read(loaded, name)
            except InputError as error:
                faults += error.faults
                continue
            # Objects as they stood in the input are for writing them out again, which no run does.
            columns = replace(cluster.columns, sources=[])
            digests[name] = digest_of(columns)
            bundle.add(INPUT + name, (columns, cluster.case))
            if progress is not None:
                progress(i + 1, len(loaded.study.inputs))
        if faults:
            raise InputError(faults)
    return digests


def _read(loaded: Loaded, name: str) -> Cluster:
    given = loaded.study.inputs[name]
    if name in loaded.clusters:
        return loaded.clusters[name]
    if isinstance(given, Synth):
        described = given.synth if given.synth in PRESETS else str(loaded.folder / given.synth)
        return synth(described, seed=given.seed, nodes=given.nodes, pods=given.pods)
    paths = [given] if isinstance(given, str) else list(given)
    return read(*(str(loaded.folder / item) for item in paths))


def digest_of(columns: ClusterColumns) -> str:
    """A hash of all that a cluster holds, the same in every process."""
    # Objects that were read leave out what they have by default, those that were unpickled do not: all are the latter.
    copied = pickle.loads(pickle.dumps(replace(columns, sources=[], notes=[]), protocol=5))
    whole = msgspec.json.encode(copied, enc_hook=_plain)
    return hashlib.sha256(whole).hexdigest()[:16]


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.shape, hashlib.sha256(value.tobytes()).hexdigest()]
    if isinstance(value, Vocabulary):
        return value.names
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, np.generic):
        return value.item()
    msg = f"a cluster holds something of an unknown kind: {type(value).__name__}"
    raise TypeError(msg)
