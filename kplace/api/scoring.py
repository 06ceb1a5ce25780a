"""Scoring the waiting pods of a cluster on all nodes, without placing them."""

from functools import partial

import numpy as np

from kplace.api.cluster import Cluster
from kplace.api.configuring import ConfigSource
from kplace.api.extending import OFF
from kplace.api.only import chosen_pods
from kplace.api.plugins import Plugins
from kplace.api.scores import Progress, Scores
from kplace.api.setup import Setup, set_up
from kplace.columns.quantity import QuantityError, value
from kplace.config import Configuration
from kplace.config.versions import DEFAULT_VERSION
from kplace.dtypes import TieBreak
from kplace.engine.cycle import Options
from kplace.engine.matrix import Workspace
from kplace.engine.matrix.arrays import Axes
from kplace.engine.matrix.fill import Filler
from kplace.engine.matrix.rows import goes_by_template, rows_of
from kplace.engine.place import register_nominations, split_waiting
from kplace.errors import UsageError
from kplace.framework import Profile
from kplace.state import ClusterState

DEFAULT_MEMORY = "2Gi"


def score(  # noqa: PLR0913 - all but the cluster are by keyword, and most are left alone
    cluster: Cluster,
    *,
    only: str | None = None,
    config: ConfigSource | Configuration | None = None,
    plugins: Plugins = (),
    kube_version: str = DEFAULT_VERSION,
    percentage_of_nodes_to_score: int | None = 100,
    memory: str | int = DEFAULT_MEMORY,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Score waiting pods on all nodes, each as if it were the first to be placed.

    Parameters
    ----------
    cluster : Cluster
        Nothing is placed; nominated pods are left room for.
    only : str, optional
        ``NAMESPACE`` or ``NAMESPACE/SELECTOR``: the pods to score, as for `kplace.place`. By default all that the
        scheduler would try.
    config, plugins, kube_version : optional
        As for `kplace.place`. Extenders are not called.
    percentage_of_nodes_to_score : int, optional
        0 to 100. By default all feasible nodes are scored; the scheduler itself would stop at a sample in large
        clusters, which another percentage (0 adapts it to their number, None is what the configuration says) does here
        too, from the first node on.
    memory : str or int
        What arrays and tables may take together, as a quantity such as ``"500Mi"`` or as bytes. What takes more is
        worked out and written in pieces.
    threads : int, optional
        By default one: on a machine of two processors more have rarely been quicker, as half of the work is the
        interpreter's. The outcome does not depend on it. One thread does the work where a plugin is not kplace's own.
    progress : callable, optional
        Called from time to time with the numbers of kinds of pods that are scored and to score.

    Returns
    -------
    Scores
        Nothing is worked out before it is asked for.

    Raises
    ------
    UsageError, ConfigError, PluginError
        As `kplace.place`.

    Examples
    --------
    >>> import pandas as pd
    >>> cluster = Cluster.from_frames(
    ...     pd.DataFrame({"node": ["a", "b"], "cpu": [4, 2], "memory": ["8Gi", "4Gi"]}),
    ...     pd.DataFrame({"pod": ["web-0", "web-1"], "cpu": ["500m", "500m"], "memory": ["1Gi", "1Gi"]}),
    ... )
    >>> scores = score(cluster)
    >>> scores
    <Scores: 2 pods of 1 kind on 2 nodes>
    >>> scores.decisions[["pod", "node", "margin", "decided_by"]].to_dict("records")[0]
    {'pod': 'web-0', 'node': 'a', 'margin': 12, 'decided_by': 'NodeResourcesFit'}
    """
    make_setup = partial(
        set_up, cluster, config, plugins, percentage_of_nodes_to_score, extenders=OFF, kube_version=kube_version
    )
    setup = make_setup()
    columns = setup.view_of(cluster).columns
    workspace = _workspace(setup, cluster)
    pods = split_waiting(workspace.state, workspace.profiles)[2]
    if only is not None:
        pods = pods[np.isin(pods, chosen_pods(columns, only))]
    rows = rows_of(workspace.state, workspace.profiles, pods)
    axes = Axes.of(workspace.profiles, len(columns.nodes))
    spare = [workspace]
    filler = Filler(
        lambda: spare.pop() if spare else _workspace(make_setup(), cluster),
        _n_threads(threads, setup.profiles),
        axes,
        Options(TieBreak.FIRST, percentage_of_nodes_to_score=setup.percentage_of_nodes_to_score),
        rows.first,
    )
    notes = tuple(str(note) for note in setup.notes_on(cluster))
    return Scores(columns, rows, filler, axes, _bytes(memory), notes, progress)


def _workspace(setup: Setup, cluster: Cluster) -> Workspace:
    """A state and profiles that nobody else has."""
    state = ClusterState(setup.view_of(cluster).columns)
    profiles = {profile.scheduler_name: profile for profile in setup.profiles}
    register_nominations(state, split_waiting(state, profiles)[2])
    return Workspace(state, profiles)


def _n_threads(given: int | None, profiles: tuple[Profile, ...]) -> int:
    if given is not None and (isinstance(given, bool) or not isinstance(given, int) or given < 1):
        msg = f"threads: expected a positive number, got {given!r}"
        raise UsageError(msg)
    scoring = [item.plugin for profile in profiles for item in profile.score]
    filtering = [item for profile in profiles for item in (*profile.pre_filter, *profile.filter, *profile.pre_score)]
    if not all(goes_by_template(plugin) for plugin in (*scoring, *filtering)):
        return 1
    return given or 1


def _bytes(memory: str | int) -> int:
    try:
        found = 0 if isinstance(memory, bool) else value(memory)
    except QuantityError as error:
        msg = f"memory: {error}"
        raise UsageError(msg) from error
    if found < 1:
        msg = f"memory: expected a positive number of bytes or a quantity such as 500Mi, got {memory!r}"
        raise UsageError(msg)
    return found
