"""What an extender is to the scheduler: somebody outside who has a say on nodes, scores, victims and binding.

Mirrors the interface ``Extender`` of upstream's framework. Who talks to it, and how, is no matter of this layer:
`kplace.io.extenders` does so over HTTP.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

from kplace.columns.templates import Template
from kplace.dtypes import I32, I64
from kplace.framework.cycle import Cycle
from kplace.framework.preemption import Candidates

EXTENDER = "Extender"
"""The name under which upstream enters all extenders among the plugins that a pod waits for."""

MAX_EXTENDER_PRIORITY = 10
"""Highest score that an extender is meant to give; upstream does not hold it to that."""


@dataclass(frozen=True, slots=True)
class FilterAnswer:
    """What an extender says of the nodes it was asked about.

    Attributes
    ----------
    nodes : int32 ndarray
        The nodes that pass, in the extender's order.
    failed : mapping of str to str
        Why nodes do not pass, by name; others may be named than were asked about, even unknown ones.
    unresolvable : mapping of str to str
        The same for nodes where it would not help if pods left; counts where a node is in both.
    is_bare : bool
        The nodes come from the extender as objects of its own, of which the scheduler knows nothing but what a Node
        object says.
    """

    nodes: I32
    failed: Mapping[str, str] = field(default_factory=dict)
    unresolvable: Mapping[str, str] = field(default_factory=dict)
    is_bare: bool = False


class Claim(NamedTuple):
    """Which pods would have to leave a node, in an extender's words.

    Attributes
    ----------
    node : int
    pods : int32 ndarray
        In the extender's order, which upstream takes for theirs by importance.
    violations : int
        How many of their evictions are said to break a disruption budget.
    """

    node: int
    pods: I32
    violations: int


@runtime_checkable
class Extender(Protocol):
    """Takes part in the scheduling of pods.

    Every call raises `kplace.errors.ExtenderError` if nothing usable comes back. A call is made only where the property
    of the same kind is True.
    """

    @property
    def name(self) -> str:
        """What it is called in scores and messages; upstream takes its URL."""
        ...

    @property
    def weight(self) -> int:
        """What its scores are multiplied by."""
        ...

    @property
    def is_ignorable(self) -> bool:
        """Whether pods are scheduled without it if a call comes to nothing."""
        ...

    @property
    def filters(self) -> bool:
        """Whether it rules out nodes."""
        ...

    @property
    def prioritizes(self) -> bool:
        """Whether it scores nodes."""
        ...

    @property
    def preempts(self) -> bool:
        """Whether it looks through the victims of preemption."""
        ...

    @property
    def binds(self) -> bool:
        """Whether it binds pods, in the place of the Bind plugins."""
        ...

    def is_interested(self, template: Template) -> bool:
        """Whether pods of a template are any of its business."""
        ...

    def filter(self, cycle: Cycle, nodes: I32) -> FilterAnswer:
        """Say which of ``nodes`` pass."""
        ...

    def prioritize(self, cycle: Cycle, nodes: I32) -> I64:
        """Scores of ``nodes``, before the weight."""
        ...

    def preempt(self, cycle: Cycle, candidates: Candidates) -> Sequence[Claim]:
        """Say on which nodes which pods should leave, in the place of ``candidates``."""
        ...

    def bind(self, cycle: Cycle, node: int) -> None:
        """Bind the pod to a node."""
        ...
