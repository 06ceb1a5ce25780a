"""Runs a profile's plugins over a pod that has found its node: Reserve, Permit, PreBind, Bind, PostBind.

Mirrors the second half of upstream's ``schedulingCycle`` and its ``bindingCycle``. Nothing here changes the state but
what plugins do to it: `kplace.engine.binding` does.
"""

from collections import Counter
from dataclasses import dataclass

from kplace.config.points import ExtensionPoint
from kplace.dtypes import Code
from kplace.errors import AttemptError, ExtenderError
from kplace.framework.answers import result_of
from kplace.framework.cycle import Cycle
from kplace.framework.diagnosis import fit_error
from kplace.framework.extending import ExtenderPhase
from kplace.framework.interface import PermitPlugin, Plugin
from kplace.framework.profile import Profile
from kplace.framework.status import MAX_TIMEOUT_NS, SUCCESS, PermitResult, PluginStatus

NOT_BOUND = "no Bind plugin took the pod"


_BINDING = (ExtensionPoint.PRE_BIND, ExtensionPoint.BIND)


@dataclass(frozen=True, slots=True)
class Setback:
    """Why a pod does not get the node that it had found.

    Attributes
    ----------
    point : ExtensionPoint
        Where it failed.
    plugin : str
        Or the extender.
    status : PluginStatus
        Its own word.
    message : str
        What upstream writes into the pod's condition.
    """

    point: ExtensionPoint
    plugin: str
    status: PluginStatus
    message: str

    @staticmethod
    def of(point: ExtensionPoint, plugin: str, status: PluginStatus) -> "Setback":
        """Put what a plugin says into upstream's words.

        Examples
        --------
        >>> full = PluginStatus(Code.UNSCHEDULABLE, ("no licence left",))
        >>> Setback.of(ExtensionPoint.PERMIT, "Licences", full).message
        '0/1 nodes are available: 1 no licence left.'
        >>> Setback.of(ExtensionPoint.BIND, "Remote", PluginStatus(Code.ERROR, ("timed out",))).message
        'running Bind plugin "Remote": timed out'
        """
        if not status.is_rejected:
            message = f'running {point.interface.removesuffix("Plugin")} plugin "{plugin}": {status.message}'
        elif point in _BINDING:
            message = status.message
        else:
            message = fit_error(1, Counter(status.reasons), ())
        return Setback(point, plugin, status, message)

    @property
    def is_error(self) -> bool:
        """Whether something went wrong, in contrast to a rejection."""
        return not self.status.is_rejected

    @property
    def is_retried(self) -> bool:
        """Whether the pod is tried again after a while, whatever happens: after errors, and whenever binding fails.

        A pod that Reserve or Permit rejects waits until something changes.
        """
        return self.is_error or self.point in _BINDING

    @property
    def reasons(self) -> tuple[tuple[str, str, int], ...]:
        """Plugin, reason and number of nodes, as for pods that fit nowhere; an error has none."""
        if self.is_error:
            return ()
        return tuple((self.plugin, reason, 1) for reason in self.status.reasons)


def run_reserve(profile: Profile, cycle: Cycle, node: int) -> Setback | None:
    """Run the Reserves in order up to the first that fails; whoever calls must then call `run_unreserve`."""
    for plugin in profile.reserve:
        status = _status(plugin, "reserve", cycle, node)
        if not status.is_success:
            return Setback.of(ExtensionPoint.RESERVE, plugin.name, status)
    return None


def run_unreserve(profile: Profile, cycle: Cycle, node: int) -> None:
    """Run the Unreserves of all Reserve plugins in reverse order, also of those whose Reserve was not reached."""
    for plugin in reversed(profile.reserve):
        plugin.unreserve(cycle, node)


def run_permit(profile: Profile, cycle: Cycle, node: int) -> Setback | None:
    """Run the Permits in order up to the first that denies; after a Wait the pod is among ``cycle.waiting``."""
    timeouts: dict[str, int] = {}
    for plugin in profile.permit:
        result = _permit(plugin, cycle, node)
        if result.status.code is Code.WAIT:
            timeouts[plugin.name] = min(result.timeout_ns, MAX_TIMEOUT_NS)
        elif not result.status.is_success:
            return Setback.of(ExtensionPoint.PERMIT, plugin.name, result.status)
    if timeouts:
        cycle.waiting.add(cycle, node, timeouts)
    return None


def run_binding(profile: Profile, cycle: Cycle, node: int, extenders: ExtenderPhase) -> Setback | None:
    """Run the PreBinds, let an extender bind the pod or the first Bind that does not skip it, then run the PostBinds.

    A profile without any Bind plugin, which no configuration can have, leaves nothing to be done there.
    """
    for plugin in profile.pre_bind:
        status = _status(plugin, "pre_bind", cycle, node)
        if not status.is_success:
            return Setback.of(ExtensionPoint.PRE_BIND, plugin.name, status)
    setback = _run_bind(profile, cycle, node, extenders)
    if setback is None:
        for post in profile.post_bind:
            post.post_bind(cycle, node)
    return setback


def _run_bind(profile: Profile, cycle: Cycle, node: int, extenders: ExtenderPhase) -> Setback | None:
    try:
        if extenders.bind(cycle, node):
            return None
    except ExtenderError as error:
        return Setback(ExtensionPoint.BIND, error.plugin, PluginStatus(Code.ERROR, (str(error),)), str(error))
    for plugin in profile.bind:
        status = _status(plugin, "bind", cycle, node)
        if status.is_success:
            return None
        if status.code is not Code.SKIP:
            return Setback.of(ExtensionPoint.BIND, plugin.name, status)
    return Setback(ExtensionPoint.BIND, "", PluginStatus(Code.SKIP), NOT_BOUND) if profile.bind else None


def _status(plugin: Plugin, method: str, cycle: Cycle, node: int) -> PluginStatus:
    """What a plugin says; nothing is a success."""
    try:
        return result_of(plugin, method, getattr(plugin, method)(cycle, node), PluginStatus) or SUCCESS
    except AttemptError as error:
        return PluginStatus(Code.ERROR, (str(error),))


def _permit(plugin: PermitPlugin, cycle: Cycle, node: int) -> PermitResult:
    try:
        return result_of(plugin, "permit", plugin.permit(cycle, node), PermitResult) or PermitResult()
    except AttemptError as error:
        return PermitResult(PluginStatus(Code.ERROR, (str(error),)))
