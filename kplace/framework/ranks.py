"""Queues that are sorted by a rank of each pod: all that a plugin has to say."""

from typing import Protocol, runtime_checkable

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.columns.pods import PodColumns
from kplace.columns.templates import Template
from kplace.dtypes import I32
from kplace.framework.answers import rank_of
from kplace.framework.interface import ClusterReader, Plugin, QueueSortPlugin


@runtime_checkable
class RankPlugin(Plugin, Protocol):
    """Ranks pods.

    One that can sort many pods faster than one by one is a `QueueSortPlugin`.
    """

    def rank(self, template: Template, timestamp: int) -> tuple[int, ...]:
        """Rank of one pod: the smallest is tried first; see `QueueSortPlugin`."""
        ...


class RankSort:
    """A `RankPlugin` as a `QueueSortPlugin`.

    Parameters
    ----------
    plugin : RankPlugin
    """

    def __init__(self, plugin: RankPlugin) -> None:
        self.name = plugin.name
        self.plugin = plugin
        self._templates: list[Template] = []

    def read_cluster(self, columns: ClusterColumns) -> None:
        """Take the templates of the pods."""
        self._templates = columns.templates
        if isinstance(self.plugin, ClusterReader):
            self.plugin.read_cluster(columns)

    def rank(self, template: Template, timestamp: int) -> tuple[int, ...]:
        """What the plugin says."""
        return rank_of(self.plugin, self.plugin.rank(template, timestamp))

    def sort(self, pods: PodColumns, waiting: I32) -> I32:
        """Reorder pods by rank, with their creation as the time; ties keep the input's order."""

        def rank(pod: int) -> tuple[int, ...]:
            return self.rank(self._templates[pods.template[pod]], int(pods.created_ns[pod]))

        return np.array(sorted(np.sort(waiting).tolist(), key=rank), np.int32)


def as_queue_sort(plugin: Plugin) -> QueueSortPlugin | None:
    """View of a plugin at the extension point QueueSort; None if it does not sort."""
    if isinstance(plugin, QueueSortPlugin):
        return plugin
    return RankSort(plugin) if isinstance(plugin, RankPlugin) else None


_: type[QueueSortPlugin] = RankSort
