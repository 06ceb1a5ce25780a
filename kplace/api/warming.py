"""Compiling every kernel ahead of the first run."""

from importlib.resources import as_file, files

import numpy as np

from kplace.api.cluster import Cluster, read
from kplace.api.placing import place
from kplace.api.scoring import score
from kplace.dtypes import NO_NODE, PreemptionMode
from kplace.engine.attempt import Attempt
from kplace.engine.batch import place_batch
from kplace.engine.cycle import Options
from kplace.engine.fused.engine import FusedEngine
from kplace.engine.moving.mover import Mover
from kplace.engine.moving.rescorer import Rescorer
from kplace.engine.place import place_waiting
from kplace.framework import Plugin, Profile
from kplace.objects.defaulting import DEFAULT_SCHEDULER
from kplace.plugins import names
from kplace.plugins.in_tree import DEFAULT_ORDER
from kplace.plugins.noderesources.args import NodeResourcesFitArgs, ScoringStrategy, ScoringStrategyType, ShapePoint
from kplace.plugins.noderesources.fit import NodeResourcesFit
from kplace.plugins.registry import in_tree_registry
from kplace.state import ClusterState


def call_kernels() -> None:
    """Call every kernel: place the pods of ``warmup.yaml`` under each scoring strategy, and take them off again."""
    columns = _cluster().columns
    for strategy in ScoringStrategyType:
        shape = (ShapePoint(0, 0), ShapePoint(100, 10))
        profile = _profile(ScoringStrategy(strategy, shape=shape))
        state = ClusterState(columns)
        placed = place_waiting(state, [profile], Options(), watchers=[_count_once_more])
        for pod in placed.pod[placed.node != NO_NODE].tolist():
            state.forget(pod)
    batch = ClusterState(columns)
    place_batch(batch, [_profile(ScoringStrategy())], Options(preemption=PreemptionMode.IMMEDIATE))
    # As of v1.36 balances are compared, which the default release does not do.
    assert len(score(Cluster(columns), kube_version="1.36").decisions)
    # Two profiles: what one engine has placed the other is told of.
    engine = FusedEngine(batch, _profile(ScoringStrategy()), Options(), batch.all_nodes[:0])
    engine.note(0, 0, 1)
    engine.note_many(batch.all_nodes[:1], batch.all_nodes[:1])
    pods = np.flatnonzero(columns.pods.holding).astype(np.int32)
    Rescorer(ClusterState(columns), _profile(ScoringStrategy()), Options(), pods).rescore(pods[:0])
    mover = Mover(columns, _profile(ScoringStrategy()), Options(), pods)
    mover.take_off(pods)
    mover.find_nodes(pods)


def load_kernels() -> None:
    """Have the kernels that placing needs loaded in this process, compiling them if need be."""
    place(_cluster())


def _cluster() -> Cluster:
    with as_file(files("kplace.api") / "warmup.yaml") as path:
        return read(path)


def _count_once_more(attempt: Attempt, _message: str) -> None:
    """Call what plugins have for trying other pods on or off a node, which placing alone does not need."""
    for plugin in attempt.profile.pre_filter:
        count = getattr(plugin, "count_pod", None)
        if count and attempt.filters is not None and plugin.name not in attempt.pre_filters.skipped:
            count(attempt.cycle, attempt.pod, 0, 1)
            count(attempt.cycle, attempt.pod, 0, -1)


def _profile(strategy: ScoringStrategy) -> Profile:
    """The default profile with another scoring strategy."""
    registry = in_tree_registry()
    fit = NodeResourcesFit(NodeResourcesFitArgs(scoring_strategy=strategy))
    plugins: list[tuple[Plugin, int]] = [
        (fit if name == names.NODE_RESOURCES_FIT else registry[name](), weight)
        for name, weight in DEFAULT_ORDER
        if name in registry
    ]
    return Profile.of_multi_point(DEFAULT_SCHEDULER, plugins)
