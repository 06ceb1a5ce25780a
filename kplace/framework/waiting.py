"""Pods that Permit plugins let wait: each has its node and keeps it until it is allowed, rejected, or out of time.

Mirrors upstream's ``runtime/waiting_pods_map.go`` on a clock of the caller's: nothing happens here by itself. Who runs
the pods looks from time to time at what was decided.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kplace.config.go import print_duration
from kplace.dtypes import Code
from kplace.framework.status import SUCCESS, PluginStatus

if TYPE_CHECKING:
    from kplace.framework.cycle import Cycle


@dataclass(slots=True, eq=False)
class WaitingPod:
    """A pod that waits.

    Attributes
    ----------
    cycle : Cycle
        Of the attempt in which it found its node.
    node : int
    since_ns : int
        When it began to wait.
    timeouts_ns : dict of str to int
        How long each of the plugins lets it wait that have not allowed it yet.
    """

    cycle: "Cycle"
    node: int
    since_ns: int
    timeouts_ns: dict[str, int]
    _pods: "WaitingPods" = field(repr=False)

    @property
    def pod(self) -> int:
        """Its index."""
        return self.cycle.pod

    @property
    def deadline_ns(self) -> int:
        """When the first of the plugins runs out of patience."""
        return self.since_ns + min(self.timeouts_ns.values())

    def allow(self, plugin: str) -> None:
        """Withdraw a plugin's objection; the pod is bound once no plugin has one."""
        self.timeouts_ns.pop(plugin, None)
        if not self.timeouts_ns:
            self._pods.decide(self, plugin, SUCCESS)

    def reject(self, plugin: str, message: str) -> None:
        """Take the pod's place away."""
        self._pods.decide(self, plugin, PluginStatus(Code.UNSCHEDULABLE, (message,)))


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a pod that waited: ``status`` and the plugin that had the last word."""

    waiting: WaitingPod
    plugin: str
    status: PluginStatus


class WaitingPods:
    """The waiting pods of a run, in the order in which they began to wait.

    Attributes
    ----------
    now_ns : int
        The time, set by whoever runs the pods.
    epoch_ns : int
        What its zero is since 1970, where that is known.

    Examples
    --------
    >>> from kplace.framework import Cycle
    >>> from kplace.testing import make_node, make_pod, state_of
    >>> waiting = WaitingPods()
    >>> for pod in (1, 0):
    ...     _ = waiting.add(Cycle(state_of(make_node("n"), make_pod("a"), make_pod("b")), pod), 0, {"Gang": 10 + pod})
    >>> [item.pod for item in waiting], waiting.next_deadline_ns
    ([1, 0], 10)
    >>> waiting.get(1).allow("Gang")
    >>> waiting.expire(10)
    >>> [(item.waiting.pod, item.status.message) for item in waiting.take_decided()]
    [(1, ''), (0, 'rejected due to timeout after waiting 10ns at plugin Gang')]
    """

    def __init__(self, now_ns: int = 0, epoch_ns: int = 0) -> None:
        self.now_ns = now_ns
        self.epoch_ns = epoch_ns
        self._waiting: dict[int, WaitingPod] = {}
        self._decided: list[Decision] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[WaitingPod]:
        # Who goes through them allows or rejects some on the way.
        return iter(list(self._waiting.values()))

    def __contains__(self, pod: int) -> bool:
        return pod in self._waiting

    def get(self, pod: int) -> WaitingPod | None:
        """A waiting pod by its index; None if it does not wait."""
        return self._waiting.get(pod)

    def add(self, cycle: "Cycle", node: int, timeouts_ns: Mapping[str, int]) -> WaitingPod:
        """Let a pod wait from now on, with the time that each plugin gives it."""
        item = self._waiting[cycle.pod] = WaitingPod(cycle, node, self.now_ns, dict(timeouts_ns), self)
        return item

    def decide(self, item: WaitingPod, plugin: str, status: PluginStatus) -> None:
        """End a pod's waiting; the first decision counts."""
        if self._waiting.get(item.pod) is item:
            del self._waiting[item.pod]
            self._decided.append(Decision(item, plugin, status))

    @property
    def next_deadline_ns(self) -> int | None:
        """When the next pod will be out of time; None if none waits."""
        return min((item.deadline_ns for item in self._waiting.values()), default=None)

    def expire(self, now_ns: int) -> None:
        """Reject the pods whose time is over by ``now_ns``, in the order in which it ran out; moves `now_ns` on."""
        self.now_ns = max(self.now_ns, now_ns)
        over = [item for item in self if item.deadline_ns <= now_ns]
        for item in sorted(over, key=lambda item: item.deadline_ns):
            plugin, timeout = min(item.timeouts_ns.items(), key=lambda entry: entry[1])
            item.reject(plugin, f"rejected due to timeout after waiting {print_duration(timeout)} at plugin {plugin}")

    def take_decided(self) -> list[Decision]:
        """What was decided since the last call, in that order."""
        decided, self._decided = self._decided, []
        return decided
