"""A profile: which plugins run at which extension point, in which order, with which weight."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from kplace.framework.cycle import Cycle
from kplace.framework.interface import (
    BindPlugin,
    FilterPlugin,
    NormalizeScorePlugin,
    PermitPlugin,
    Plugin,
    PostBindPlugin,
    PostFilterPlugin,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreScorePlugin,
    QueueSortPlugin,
    ReservePlugin,
    ScorePlugin,
    SelectivePlugin,
)


@dataclass(frozen=True, slots=True)
class WeightedPlugin:
    """A score plugin, its weight, and the same plugin again as a normaliser if it is one."""

    plugin: ScorePlugin
    weight: int
    normalizer: NormalizeScorePlugin | None

    @staticmethod
    def of(plugin: ScorePlugin, weight: int) -> "WeightedPlugin":
        """Wrap a plugin; whether it normalises is found out here, once."""
        return WeightedPlugin(plugin, weight, plugin if isinstance(plugin, NormalizeScorePlugin) else None)


@dataclass(frozen=True)
class Profile:
    """The plugins of one scheduler name, in running order at each extension point.

    Attributes
    ----------
    scheduler_name : str
    percentage_of_nodes_to_score : int or None
        None: the global setting applies.
    """

    scheduler_name: str
    queue_sort: QueueSortPlugin
    pre_enqueue: tuple[PreEnqueuePlugin, ...] = ()
    pre_filter: tuple[PreFilterPlugin, ...] = ()
    filter: tuple[FilterPlugin, ...] = ()
    post_filter: tuple[PostFilterPlugin, ...] = ()
    pre_score: tuple[PreScorePlugin, ...] = ()
    score: tuple[WeightedPlugin, ...] = ()
    reserve: tuple[ReservePlugin, ...] = ()
    permit: tuple[PermitPlugin, ...] = ()
    pre_bind: tuple[PreBindPlugin, ...] = ()
    bind: tuple[BindPlugin, ...] = ()
    post_bind: tuple[PostBindPlugin, ...] = ()
    percentage_of_nodes_to_score: int | None = None

    @cached_property
    def binds_plainly(self) -> bool:
        """Whether pods that have found their nodes are bound to them, and nothing else happens to most of them.

        So it is if nobody permits or hears of it, those that bind have the attribute ``is_plain``, and those that
        reserve or prepare a binding say which pods they are concerned with: see `binds_plainly_for`.
        """
        if self.permit or self.post_bind:
            return False
        if len(self._selective) != len(self.reserve) + len(self.pre_bind):
            return False
        return all(getattr(plugin, "is_plain", False) for plugin in self.bind)

    def binds_plainly_for(self, cycle: Cycle) -> bool:
        """Whether the pod of an attempt is bound to the node that it has found, and nothing else happens."""
        if not self.binds_plainly:
            return False
        return not any(plugin.concerns(cycle) for plugin in self._selective)

    @cached_property
    def _selective(self) -> tuple[SelectivePlugin, ...]:
        # Asked for with every pod, and a protocol takes microseconds to look at a plugin.
        return tuple(plugin for plugin in (*self.reserve, *self.pre_bind) if isinstance(plugin, SelectivePlugin))

    @staticmethod
    def of_multi_point(scheduler_name: str, plugins: Sequence[tuple[Plugin, int]]) -> "Profile":
        """Profile in which each plugin, in the order given, runs at every extension point that it implements.

        Parameters
        ----------
        plugins : sequence of (Plugin, int)
            With their weights, which matter for score plugins only.

        Raises
        ------
        ValueError
            Not exactly one of them sorts the queue.
        """
        sorters = [plugin for plugin, _ in plugins if isinstance(plugin, QueueSortPlugin)]
        if len(sorters) != 1:
            msg = f"a profile needs exactly one queue sort plugin, got {len(sorters)}"
            raise ValueError(msg)
        return Profile(
            scheduler_name=scheduler_name,
            queue_sort=sorters[0],
            pre_enqueue=tuple(plugin for plugin, _ in plugins if isinstance(plugin, PreEnqueuePlugin)),
            pre_filter=tuple(plugin for plugin, _ in plugins if isinstance(plugin, PreFilterPlugin)),
            filter=tuple(plugin for plugin, _ in plugins if isinstance(plugin, FilterPlugin)),
            post_filter=tuple(plugin for plugin, _ in plugins if isinstance(plugin, PostFilterPlugin)),
            pre_score=tuple(plugin for plugin, _ in plugins if isinstance(plugin, PreScorePlugin)),
            score=tuple(WeightedPlugin.of(plugin, w) for plugin, w in plugins if isinstance(plugin, ScorePlugin)),
            reserve=tuple(plugin for plugin, _ in plugins if isinstance(plugin, ReservePlugin)),
            permit=tuple(plugin for plugin, _ in plugins if isinstance(plugin, PermitPlugin)),
            pre_bind=tuple(plugin for plugin, _ in plugins if isinstance(plugin, PreBindPlugin)),
            bind=tuple(plugin for plugin, _ in plugins if isinstance(plugin, BindPlugin)),
            post_bind=tuple(plugin for plugin, _ in plugins if isinstance(plugin, PostBindPlugin)),
        )
