"""Why a pod goes where it goes, or nowhere."""

from dataclasses import replace
from difflib import get_close_matches

import numpy as np
import pandas as pd

from kplace.api.arguments import percentage_for
from kplace.api.cluster import Cluster
from kplace.columns import ClusterColumns
from kplace.dtypes import NO_NODE, TieBreak
from kplace.engine.cycle import Options, find_way_out, try_pod
from kplace.engine.diagnose import diagnose
from kplace.engine.place import register_nominations, split_waiting
from kplace.errors import UsageError
from kplace.frames.explain import explain_frame
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState

_MOST_COMPARED = 2000


def explain(
    cluster: Cluster, pod: str, *, top: int | None = None, percentage_of_nodes_to_score: int | None = None
) -> pd.DataFrame:
    """Show every node as the scheduler sees it for one pod: the first filter that rejects it, or all its scores.

    Parameters
    ----------
    cluster : Cluster
        The pod meets it as it stands: no other waiting pod is placed before, but nominated ones are left room for. To
        explain a pod after a run, take the run's `Placements.cluster`.
    pod : str
        ``NAMESPACE/NAME``; a name alone is looked for in ``default``. A pod that is already on a node is taken off
        first. A pod that the scheduler would not try (gated, finished, another scheduler's) is explained all the same.
    top : int, optional
        Keep this many rows only: the table begins with the best nodes.
    percentage_of_nodes_to_score : int, optional
        0 to 100; None as for `kplace.place`. Feasible nodes outside the sample that the scheduler would take are
        marked, and have no scores: what plugins score depends on the sample. Pass 100 to score all of them.

    Returns
    -------
    DataFrame
        The columns of `kplace.frames.schema.EXPLAIN`. ``attrs`` holds ``pod``, ``node`` (where it was before, or None),
        ``evaluated`` (nodes that the search visited), ``weights`` (of the plugins that scored), and ``message`` (why no
        node is feasible; empty if one is).

    Raises
    ------
    UsageError
        There is no such pod, or a number lies outside its range.

    Examples
    --------
    >>> cluster = Cluster.from_frames(
    ...     pd.DataFrame({"node": ["small", "large"], "cpu": ["1", "4"], "memory": ["4Gi", "8Gi"]}),
    ...     pd.DataFrame({"pod": ["web"], "cpu": ["2"], "memory": ["1Gi"]}),
    ... )
    >>> table = explain(cluster, "web")
    >>> table[["node", "verdict", "rank", "plugin", "reasons"]].to_dict("records")[1]["reasons"]
    'Insufficient cpu'
    """
    if top is not None and top < 1:
        msg = f"top: expected a positive number, got {top}"
        raise UsageError(msg)
    index = find_pod(cluster.columns, pod)
    held = int(cluster.columns.pods.node[index]) if cluster.columns.pods.holding[index] else NO_NODE
    state = ClusterState(_without_node(cluster.columns, index))
    profile = default_profile()
    options = Options(TieBreak.FIRST, 0, percentage_for(cluster, percentage_of_nodes_to_score))
    register_nominations(state, split_waiting(state, {profile.scheduler_name: profile})[2])
    attempt = try_pod(state, profile, index, 0, options)
    if attempt.node == NO_NODE:
        attempt.post_filters = find_way_out(attempt, options)
    table = explain_frame(attempt)
    scored = set(attempt.scores.raw) if attempt.scores else set()
    table.attrs |= {
        "pod": cluster.columns.pods.key(index),
        "node": None if held == NO_NODE else cluster.columns.nodes.names[held],
        "evaluated": attempt.sample.evaluated,
        "weights": {item.plugin.name: item.weight for item in profile.score if item.plugin.name in scored},
        "message": diagnose(attempt)[1] if attempt.node == NO_NODE else "",
    }
    return table if top is None else table.head(top)


def _without_node(columns: ClusterColumns, pod: int) -> ClusterColumns:
    """Take a pod off its node; nor does it name that node any more, which NodeName looks at."""
    node = columns.pods.node.copy()
    node[pod] = NO_NODE
    return replace(columns, pods=replace(columns.pods, node=node))


def find_pod(columns: ClusterColumns, pod: str) -> int:
    """Index of the pod ``NAMESPACE/NAME``.

    Raises
    ------
    UsageError
        There is none; the message names what may be meant.
    """
    pods = columns.pods
    namespace, slash, name = pod.rpartition("/")
    namespace = namespace if slash else "default"
    same_name = [index for index, own in enumerate(pods.names) if own == name]
    code = pods.namespaces.find(namespace)
    for index in same_name:
        if pods.namespace[index] == code:
            return index
    if same_name:
        meant = [pods.key(index) for index in same_name]
    else:
        close = [pods.names[index] for index in np.flatnonzero(pods.namespace == code)[:_MOST_COMPARED]]
        meant = [f"{namespace}/{own}" for own in get_close_matches(name, close, 3)]
    hint = f"; did you mean {' or '.join(meant[:3])}?" if meant else ""
    msg = f"pod: there is no pod {namespace}/{name} in the input{hint}"
    raise UsageError(msg)
