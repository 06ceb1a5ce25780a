"""Why a pod goes where it goes, or nowhere."""

from dataclasses import replace

import pandas as pd

from kplace.api.cluster import Cluster
from kplace.api.configuring import ConfigSource
from kplace.api.extending import CALL, closing
from kplace.api.finding import find_pod
from kplace.api.plugins import Plugins
from kplace.api.setup import set_up
from kplace.api.standing import why_untried
from kplace.columns import ClusterColumns
from kplace.config import Configuration
from kplace.config.versions import DEFAULT_VERSION
from kplace.dtypes import NO_NODE, TieBreak
from kplace.engine.cycle import Options, find_way_out, try_pod
from kplace.engine.diagnose import diagnose
from kplace.engine.place import register_nominations, split_waiting
from kplace.errors import UsageError
from kplace.frames.explain import explain_frame
from kplace.state import ClusterState


def explain(  # noqa: PLR0913 - all but the cluster and the pod are by keyword, and most are left alone
    cluster: Cluster,
    pod: str,
    *,
    top: int | None = None,
    config: ConfigSource | Configuration | None = None,
    plugins: Plugins = (),
    extenders: str = CALL,
    mend_extender_scores: bool = False,
    percentage_of_nodes_to_score: int | None = None,
    kube_version: str = DEFAULT_VERSION,
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
    config, plugins, extenders, mend_extender_scores, kube_version : optional
        As for `kplace.place`, but that nothing is bound. The pod meets the profile of its scheduler, or the first one
        if there is none.
    percentage_of_nodes_to_score : int, optional
        0 to 100; None as for `kplace.place`. Feasible nodes outside the sample that the scheduler would take are
        marked, and have no scores: what plugins score depends on the sample. Pass 100 to score all of them.

    Returns
    -------
    DataFrame
        The columns of `kplace.frames.schema.EXPLAIN`. ``attrs`` holds ``pod``, ``node`` (where it was before, or None),
        ``untried`` (why the scheduler would not try the pod at all; empty if it would), ``evaluated`` (nodes that the
        search visited), ``weights`` (of the plugins that scored), ``message`` (why the pod gets no node; empty if it
        does), ``error`` (what went wrong in the attempt; empty if nothing did), and ``notes`` (what to know of the
        cluster and of the configuration).

    Raises
    ------
    UsageError
        There is no such pod (the message says which ones may be meant), or a number lies outside its range.

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
    setup = set_up(
        cluster,
        config,
        plugins,
        percentage_of_nodes_to_score,
        extenders=extenders,
        mend_extender_scores=mend_extender_scores,
        kube_version=kube_version,
    )
    state = ClusterState(_without_node(setup.view_of(cluster).columns, index))
    pods = cluster.columns.pods
    profile = setup.profile_for(pods.schedulers[pods.scheduler[index]])
    options = Options(TieBreak.FIRST, 0, setup.percentage_of_nodes_to_score, extenders=setup.extenders)
    register_nominations(state, split_waiting(state, {item.scheduler_name: item for item in setup.profiles})[2])
    with closing(setup.extenders):
        attempt = try_pod(state, profile, index, 0, options)
        if attempt.node == NO_NODE:
            attempt.post_filters = find_way_out(attempt, options)
    table = explain_frame(attempt)
    scored = set(attempt.scores.raw) if attempt.scores else set()
    table.attrs |= {
        "pod": cluster.columns.pods.key(index),
        "node": None if held == NO_NODE else cluster.columns.nodes.names[held],
        "untried": why_untried(cluster.columns, index, setup.profiles, profile),
        "evaluated": attempt.sample.evaluated,
        "weights": {item.plugin.name: item.weight for item in profile.score if item.plugin.name in scored}
        | attempt.extenders.weights,
        "message": diagnose(attempt)[1] if attempt.node == NO_NODE else "",
        "error": attempt.error,
        "notes": [str(note) for note in setup.notes_on(cluster)],
    }
    return table if top is None else table.head(top)


def _without_node(columns: ClusterColumns, pod: int) -> ClusterColumns:
    """Take a pod off its node; nor does it name that node any more, which NodeName looks at."""
    node = columns.pods.node.copy()
    node[pod] = NO_NODE
    return replace(columns, pods=replace(columns.pods, node=node))
