"""``kplace.synth``: a cluster out of a description."""

from pathlib import Path

from kplace.api.cluster import Cluster
from kplace.errors import UsageError
from kplace.io.report import input_notes
from kplace.objects.defaulting import DEFAULT_SCHEDULER
from kplace.synthesis import fitted, generate, load_description, omissions, read_shapes
from kplace.synthesis.load import Given
from kplace.synthesis.workloads import NothingRequestedError


def synth(
    description: Given | None = None,
    *,
    like: Cluster | None = None,
    scale: float = 1.0,
    seed: int = 0,
    nodes: int | None = None,
    pods: int | None = None,
    shapes: str | Path | None = None,
) -> Cluster:
    """Make up a cluster.

    Parameters
    ----------
    description : str, path or mapping
        A preset (``small``, ``web``, ``ml-gpu``, ``edge``, ``batch``, ``datacenter-5k``, ``datacenter-100k``); a file
        (``.toml``, ``.yaml``, ``.json``); or the same as plain values. The reference has a page on what it may hold.
    like : Cluster, optional
        In the place of a description: one is fitted to this cluster (its shapes, labels, taints, sizes of apps,
        requests, constraints), so that it can be scaled up or varied. Notes say what of its pods is left out.
    scale : float
        So many times as many nodes and pods as the description has.
    seed : int
        The same description and seed give the same cluster, in any process.
    nodes, pods : int, optional
        How many, whatever the description says: pools and workloads keep their proportions. Pods of DaemonSets do not
        count.
    shapes : path, optional
        CSV table of types of machines beside the built-in ones, with the columns ``name``, ``cpu``, ``memory_gib`` and,
        if need be, ``arch``, ``pods``, ``gpu``, ``gpu_model``, ``storage_gib``.

    Returns
    -------
    Cluster
        The pods of DaemonSets run on their nodes; all others wait.

    Raises
    ------
    InputError
        With every fault of the description or of the table of shapes.
    UsageError
        There is no such preset, or an argument is out of range.

    Examples
    --------
    >>> synth("small")
    <Cluster: 6 nodes, 29 pods, 23 of them waiting>
    >>> pools = [{"name": "n", "count": 2, "shape": "m5.large"}]
    >>> workloads = [{"name": "w", "replicas": {"zipf": {"exponent": 1.5, "max": 20}}, "requests": {"cpu": "100m"}}]
    >>> synth({"pools": pools, "workloads": workloads, "pods": 50}, seed=7)
    <Cluster: 2 nodes, 50 pods, 50 of them waiting>
    """
    for name, number in (("seed", seed), ("nodes", nodes), ("pods", pods)):
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 0):
            msg = f"{name}: expected a whole number, 0 or more, got {number!r}"
            raise UsageError(msg)
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 < scale <= 1e6:
        msg = f"scale: expected a number above 0, got {scale!r}"
        raise UsageError(msg)
    if (description is None) == (like is None):
        msg = "description: expected a description, or a cluster to be like: exactly one of them"
        raise UsageError(msg)
    given = fitted(like.columns) if like is not None else description
    assert given is not None
    own = {} if shapes is None else read_shapes(shapes)
    read = load_description(given, nodes=nodes, pods=pods, scale=scale, shapes=own)
    try:
        columns = generate(read, seed, own)
    except NothingRequestedError as error:
        msg = f"description: workload {error}: give it requests, or say how many apps or pods there are"
        raise UsageError(msg) from error
    if like is not None:
        columns.notes.extend(omissions(like.columns))
    columns.notes.extend(input_notes(columns, [DEFAULT_SCHEDULER]))
    return Cluster(columns)
