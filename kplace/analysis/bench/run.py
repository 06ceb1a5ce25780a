"""Measuring the plugins of a profile."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from kplace.analysis.bench.calls import POINTS, POST_FILTER, Call, calls_for, typical_pods
from kplace.analysis.bench.cluster import bench_cluster
from kplace.analysis.bench.report import BenchReport, Cost
from kplace.analysis.bench.timing import probe_ns, rounds_of
from kplace.api import Cluster
from kplace.api.configuring import ConfigSource
from kplace.api.extending import OFF
from kplace.api.plugins import Plugins
from kplace.api.setup import set_up
from kplace.config import Configuration
from kplace.config.versions import DEFAULT_VERSION
from kplace.engine.place import split_waiting
from kplace.errors import UsageError
from kplace.framework import Profile
from kplace.state import ClusterState
from kplace.version import __version__

SIZES = (1_000, 10_000, 100_000)
"""Numbers of nodes, unless others are asked for."""
ROUNDS = 7
MOST_PODS = 20
"""Kinds of pods that are measured of a cluster that is given."""

Progress = Callable[[str, int, int], None]
"""Called with what is being measured, and how many of how many rounds are done."""


def bench(
    *,
    nodes: Sequence[int] = SIZES,
    cluster: Cluster | None = None,
    config: ConfigSource | Configuration | None = None,
    plugins: Plugins = (),
    kube_version: str = DEFAULT_VERSION,
    rounds: int = ROUNDS,
    progress: Progress | None = None,
) -> BenchReport:
    """Measure what each plugin costs at each extension point whose work grows with the cluster.

    Parameters
    ----------
    nodes : sequence of int
        Sizes of the clusters in which plugins are measured: see `kplace.analysis.bench.cluster.bench_cluster`.
    cluster : Cluster, optional
        Measure in this one instead, with its waiting pods, of which those of the most frequent kinds are taken.
    config, plugins, kube_version : optional
        As for `kplace.place`. Of several profiles the first one is measured.
    rounds : int
        How often everything is measured; two at least, or there is no spread.
    progress : callable, optional

    Returns
    -------
    BenchReport

    Raises
    ------
    UsageError
        An argument cannot be used, or no pod of the cluster waits for the profile's scheduler.
    AttemptError
        A plugin cannot do its work.

    Examples
    --------
    >>> report = bench(nodes=[50], rounds=2)
    >>> report.table.query("point == 'filter'")["plugin"].head(2).tolist()
    ['NodeUnschedulable', 'NodeName']
    """
    sizes = [_positive("nodes", number) for number in nodes] if cluster is None else [len(cluster.columns.nodes)]
    _positive("rounds", rounds, 2)
    costs: list[Cost] = []
    probes, scheduler = [], ""
    for size in sizes:
        measured = bench_cluster(size) if cluster is None else cluster
        setup = set_up(measured, config, plugins, extenders=OFF, kube_version=kube_version)
        profile = setup.profiles[0]
        scheduler = profile.scheduler_name
        state = ClusterState(setup.view_of(measured).columns)
        calls = list(_calls(state, profile))
        told = None if progress is None else _telling(progress, size)
        probes.append(probe_ns())
        found = rounds_of([call.run for call in calls], rounds, told)
        probes.append(probe_ns())
        costs += _costs(calls, found, size)
    return BenchReport(tuple(costs), __version__, scheduler, rounds, float(np.median(probes)))


def _telling(progress: Progress, size: int) -> Callable[[int, int], None]:
    return lambda done, total: progress(f"{size:,} nodes", done, total)


def _positive(argument: str, given: object, least: int = 1) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < least:
        msg = f"{argument}: expected a whole number from {least} on, got {given!r}"
        raise UsageError(msg)
    return int(given)


def _calls(state: ClusterState, profile: Profile) -> Iterator[Call]:
    queued = split_waiting(state, {profile.scheduler_name: profile})[2]
    if not len(queued):
        msg = f"cluster: no pod of it waits for {profile.scheduler_name}; there is nothing to ask plugins about"
        raise UsageError(msg)
    for pod, weight in typical_pods(state, queued, MOST_PODS):
        yield from calls_for(state, profile, pod, weight)


def _costs(calls: Sequence[Call], found: Sequence[Sequence[float]], size: int) -> Iterator[Cost]:
    """Of each plugin and point the pod that takes the longest, and its share over all pods."""
    medians = np.array([np.median(ns) for ns in found])
    by_key: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, call in enumerate(calls):
        by_key[call.plugin, call.point].append(at)
    weights = np.array([call.weight for call in calls], np.float64)
    on_the_way = np.array([call.point != POST_FILTER for call in calls])
    total = float((medians * weights)[on_the_way].sum())
    # The order of a cycle: dict order is that of the first pod, which may skip what another one does not.
    for plugin, point in sorted(by_key, key=lambda key: POINTS.index(key[1])):
        listed = np.array(by_key[plugin, point])
        slowest = int(listed[np.argmax(medians[listed])])
        call = calls[slowest]
        share = None if point == POST_FILTER else float((medians * weights)[listed].sum()) / total
        yield Cost(plugin, point, size, call.pod, call.nodes, tuple(found[slowest]), share)
