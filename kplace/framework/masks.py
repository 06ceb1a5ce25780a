"""Filters that just say which nodes pass: an array of booleans, and one reason for all others."""

from typing import Protocol, runtime_checkable

import numpy as np

from kplace.columns.templates import Template
from kplace.dtypes import I32, Code, Mask
from kplace.errors import PluginError
from kplace.framework.cycle import Cycle
from kplace.framework.interface import FilterPlugin, Plugin, Verdict


@runtime_checkable
class MaskPlugin(Plugin, Protocol):
    """Rules out nodes for one reason.

    A filter that gives reasons of its own is a `FilterPlugin` and returns a `Verdict`. Beside ``is_local`` and
    ``couples``, which mean what they mean there, it may have an attribute ``unresolvable = True``: no pod that leaves
    would help.
    """

    reason: str

    def filter(self, cycle: Cycle, nodes: I32) -> Mask:
        """Say for each of ``nodes`` whether it passes."""
        ...


class MaskFilter:
    """A `MaskPlugin` as a `FilterPlugin`.

    Parameters
    ----------
    plugin : MaskPlugin
    """

    def __init__(self, plugin: MaskPlugin) -> None:
        self.plugin = plugin
        self.name = plugin.name
        reason: object = plugin.reason
        if not isinstance(reason, str):
            msg = f"plugin {self.name}: its reason must be a text, got {reason!r}"
            raise PluginError(msg)
        self.is_local = bool(getattr(plugin, "is_local", False))
        unresolvable = getattr(plugin, "unresolvable", False)
        self._code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE if unresolvable else Code.UNSCHEDULABLE

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``.

        Raises
        ------
        PluginError
            The plugin's answer is no array of one boolean for each node.
        """
        passes = self.plugin.filter(cycle, nodes)
        if not isinstance(passes, np.ndarray) or passes.dtype != np.bool_ or passes.shape != (len(nodes),):
            what = f"{passes.dtype} {passes.shape}" if isinstance(passes, np.ndarray) else type(passes).__name__
            msg = f"plugin {self.name} must return one boolean for each of {len(nodes)} nodes as an array, got {what}"
            raise PluginError(msg)
        return Verdict.of_mask(passes, self._code)

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """The plugin's reason."""
        return (self.plugin.reason,)

    def couples(self, cycle: Cycle, template: Template) -> bool:
        """Whether pods that come or go on a node may change the word on another one; so it is unless it is denied."""
        couples = getattr(self.plugin, "couples", None)
        return True if couples is None else bool(couples(cycle, template))


def as_filter(plugin: Plugin) -> FilterPlugin | None:
    """View of a plugin at the extension point Filter; None if it does not filter."""
    if isinstance(plugin, FilterPlugin):
        return plugin
    return MaskFilter(plugin) if isinstance(plugin, MaskPlugin) else None


_: type[FilterPlugin] = MaskFilter
