"""DefaultBinder (upstream ``plugins/defaultbinder``)."""

from kplace.framework import BindPlugin, Cycle, PluginStatus
from kplace.plugins import names


class DefaultBinder:
    """Binds every pod; here that is to leave it where it was assumed."""

    name = names.DEFAULT_BINDER
    is_plain = True

    def bind(self, cycle: Cycle, node: int) -> PluginStatus | None:
        """Bind the pod."""
        return None


_: type[BindPlugin] = DefaultBinder
