"""Checks of a plugin's contract, for its author's tests."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kplace.api import Cluster, read_config
from kplace.config import ExtensionPoint
from kplace.dtypes import Code
from kplace.errors import PluginContractError
from kplace.framework import Cycle, Plugin, PreFilterPlugin, PreScorePlugin, ScorePlugin
from kplace.framework.masks import as_filter
from kplace.framework.registry import PluginEntry, entry_of
from kplace.plugins.in_tree import IN_TREE
from kplace.plugins.registry import in_tree_registry
from kplace.state import ClusterState
from kplace.testing.contract import CHECKS, SCALAR, Subject, some_pods
from kplace.testing.sample import sample_cluster

N_NODES = 2000
"""Nodes of the cluster in which throughput is measured, unless another one is given."""
MOST_SHOWN = 2
"""Violations that are shown of one check."""
SECONDS = 0.1
"""How long each measurement goes on."""


@dataclass(frozen=True, slots=True)
class Throughput:
    """How fast a plugin answers at an extension point, with what prepares it."""

    point: str
    nodes: int
    seconds: float

    @property
    def nodes_per_second(self) -> float:
        """Nodes that it judges or scores in a second."""
        return self.nodes / self.seconds

    def __str__(self) -> str:
        speed = f"{self.nodes_per_second:,.0f} nodes/s"
        return f"{self.point}: {self.nodes:,} nodes in {self.seconds * 1e6:,.0f} us, {speed}"


@dataclass(frozen=True, slots=True)
class PluginReport:
    """What `check_plugin` found.

    Attributes
    ----------
    plugin : str
    points : tuple of str
        The extension points at which it runs.
    passed : tuple of str
        The checks, all of which it passed.
    remarks : tuple of str
        What they could not find out.
    throughput : tuple of Throughput
    """

    plugin: str
    points: tuple[str, ...]
    passed: tuple[str, ...]
    remarks: tuple[str, ...]
    throughput: tuple[Throughput, ...]

    def __str__(self) -> str:
        lines = [f"{self.plugin}: {', '.join(self.points)}"]
        lines += [f"  ok      {text}" for text in self.passed]
        lines += [f"  remark  {text}" for text in self.remarks]
        lines += [f"  speed   {item}" for item in self.throughput]
        return "\n".join(lines)


def check_plugin(
    plugin: type | Plugin,
    *,
    args: object = None,
    cluster: Cluster | None = None,
    scalar: object = None,
) -> PluginReport:
    """Check that a plugin keeps to its contract, and measure it.

    Parameters
    ----------
    plugin : type or Plugin
        A class, or a plugin that is made already.
    args : mapping or dataclass, optional
        Its arguments: as ``pluginConfig`` would have them, or made already.
    cluster : Cluster, optional
        Where it is checked: one in which it has something to say. By default `kplace.testing.sample_cluster`.
    scalar : object, optional
        The same plugin for one node at a time, to compare with: an object or a class with ``filter(cycle, node)``,
        which returns whether the node passes, or ``score(cycle, node)``, which returns the score before it is
        normalised.

    Returns
    -------
    PluginReport
        ``print`` shows it.

    Raises
    ------
    PluginContractError
        It does not; the message has everything that was found.
    PluginError
        It is no plugin at all, or cannot be made.
    ConfigError
        The arguments cannot be used.

    Examples
    --------
    >>> class OnlyCheap:
    ...     reason = "node(s) were too dear"
    ...
    ...     def filter(self, cycle, nodes):
    ...         return cycle.at(nodes).number("example.com/price", 0) < 1
    >>> check_plugin(OnlyCheap).points
    ('filter',)
    """
    entry = entry_of(plugin)
    made_args = _args(entry, args)
    subject = Subject(lambda: entry.make(made_args), cluster or sample_cluster(), scalar)
    checks = [check for check in CHECKS if check.points & entry.spec.points]
    violations = list(_name_faults(entry))
    for check in checks:
        violations += _shortened(list(dict.fromkeys(check.run(subject))))
    if violations:
        raise PluginContractError(entry.name, dict.fromkeys(violations))
    return PluginReport(
        plugin=entry.name,
        points=tuple(point.value for point in ExtensionPoint if point in entry.spec.points),
        passed=tuple(check.title for check in checks if check is not SCALAR or scalar is not None),
        remarks=tuple(dict.fromkeys(subject.remarks)),
        throughput=tuple(_measured(subject.make(), cluster or sample_cluster(N_NODES, 1))),
    )


def _shortened(found: list[str]) -> list[str]:
    """The first of many things that one check finds, which are mostly the same for every pod."""
    more = len(found) - MOST_SHOWN
    return found if more <= 1 else [*found[:MOST_SHOWN], f"and {more} more of that kind"]


def _name_faults(entry: PluginEntry) -> Iterator[str]:
    kind = entry.source if isinstance(entry.source, type) else type(entry.source)
    if entry.name in IN_TREE.retired or in_tree_registry().get(entry.name, kind) is not kind:
        yield f"name: {entry.name} is the name of one of kube-scheduler's own"


def _args(entry: PluginEntry, args: object) -> Any:  # noqa: ANN401 - each plugin has its own
    """Arguments as the plugin takes them; those of a configuration are read as one."""
    if not isinstance(args, Mapping):
        return args
    named = {"plugins": {"multiPoint": {"enabled": [{"name": entry.name}]}}}
    config = [{"name": entry.name, "args": dict(args)}]
    return read_config({"profiles": [named | {"pluginConfig": config}]}, plugins=[entry]).profiles[0].args[entry.name]


def _measured(plugin: Plugin, cluster: Cluster) -> Iterator[Throughput]:
    """Throughput with the pod that takes the longest: others may be skipped."""
    state = ClusterState(cluster.columns)
    asked = [_Asked(plugin, state, pod) for pod in some_pods(cluster.columns)]
    if not asked or not state.n_nodes:
        return
    if as_filter(plugin) is not None:
        slowest = max(asked, key=lambda item: _seconds(item.filter, SECONDS / 10))
        yield Throughput("filter", state.n_nodes, _seconds(slowest.filter))
    if isinstance(plugin, ScorePlugin):
        slowest = max(asked, key=lambda item: _seconds(item.score, SECONDS / 10))
        yield Throughput("score", state.n_nodes, _seconds(slowest.score))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A plugin with what it is asked about."""

    plugin: Plugin
    state: ClusterState
    pod: int

    def filter(self) -> None:
        cycle, filtering = Cycle(self.state, self.pod), as_filter(self.plugin)
        assert filtering is not None
        if isinstance(self.plugin, PreFilterPlugin):
            result = self.plugin.pre_filter(cycle)
            if result is not None and result.code is not Code.SUCCESS:
                return
        filtering.filter(cycle, self.state.all_nodes)

    def score(self) -> None:
        cycle = Cycle(self.state, self.pod)
        assert isinstance(self.plugin, ScorePlugin)
        if isinstance(self.plugin, PreScorePlugin):
            answer = self.plugin.pre_score(cycle, self.state.all_nodes)
            if answer is not None and not answer:
                return
        self.plugin.score(cycle, self.state.all_nodes)


def _seconds(call: Callable[[], None], patience: float = SECONDS) -> float:
    """Time of one call, the first one (which may compile) left out: the best of several rounds."""
    call()
    best, end = float("inf"), time.perf_counter() + patience
    while time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    return best
