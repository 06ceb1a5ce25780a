"""The extension points, one small protocol each, vectorised where the work is per node.

A plugin is an object with a ``name`` that has the methods of one or several of these protocols. Its calls in one
attempt::

    pre_filter(cycle)            once; may skip the plugin's filter, reject the pod, or narrow the nodes
    filter(cycle, nodes)         a verdict for each of ``nodes``
    pre_score(cycle, nodes)      once, with the feasible nodes; may skip the plugin's score
    score(cycle, nodes)          a raw score for each of ``nodes``
    normalize_score(cycle, nodes, scores)   raw scores to [0, 100], in place

and if no node is feasible::

    post_filter(cycle, failure)  once; may find a way for the pod to become schedulable

and once a node is chosen, with its index::

    reserve(cycle, node)         sets aside what the pod will use there
    permit(cycle, node)          approves, denies, or lets the pod wait
    pre_bind(cycle, node)        does what must be done before
    bind(cycle, node)            binds the pod, or leaves it to the next Bind plugin
    post_bind(cycle, node)       hears of it
    unreserve(cycle, node)       takes back what was set aside, if anything from reserve to bind fails

``nodes`` are indexes into the snapshot, int32: all of them, or a few. What depends on the pod's template alone belongs
into ``cycle.compiled(self, make)``, which is run once per template. A plugin that cannot do its work raises
`kplace.errors.AttemptError`: the pod's attempt then ends with an error.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.columns.pods import PodColumns
from kplace.columns.templates import Template
from kplace.dtypes import I8, I32, I64, Code, Mask
from kplace.framework.cycle import Cycle
from kplace.framework.preemption import Preemption
from kplace.framework.status import PermitResult, PluginStatus

if TYPE_CHECKING:
    from kplace.framework.failure import Failure


@dataclass(frozen=True, slots=True)
class PreFilterResult:
    """Outcome of a PreFilter.

    Attributes
    ----------
    code : Code
        ``SUCCESS``, ``SKIP`` (the plugin's Filter is left out), ``UNSCHEDULABLE`` or
        ``UNSCHEDULABLE_AND_UNRESOLVABLE``.
    reasons : tuple of str
        Why the pod was rejected.
    nodes : int32 ndarray, optional
        The only nodes worth looking at, ascending; None for all.
    unknown : tuple of str
        Names of nodes that ``nodes`` would hold too if they existed.
    """

    code: Code = Code.SUCCESS
    reasons: tuple[str, ...] = ()
    nodes: I32 | None = None
    unknown: tuple[str, ...] = ()


PROCEED = PreFilterResult()
SKIP = PreFilterResult(Code.SKIP)


@dataclass(frozen=True, slots=True)
class PostFilterResult:
    """Outcome of a PostFilter.

    Attributes
    ----------
    code : Code
        ``SUCCESS`` (the pod will fit once the plugin's doing has come into effect), ``UNSCHEDULABLE``,
        ``UNSCHEDULABLE_AND_UNRESOLVABLE`` or ``ERROR``.
    reasons : tuple of str
        Why not; parts of the pod's message.
    nomination : int, optional
        The node that the pod is to try first from now on; `NO_NODE` takes an earlier nomination away. None says
        nothing: an earlier nomination stays.
    preemption : Preemption, optional
        The pods that have to go.
    """

    code: Code
    reasons: tuple[str, ...] = ()
    nomination: int | None = None
    preemption: Preemption | None = None

    @property
    def message(self) -> str:
        """The reasons as the pod's message has them."""
        return ", ".join(self.reasons)


class Verdict(NamedTuple):
    """A filter's word on each of the nodes it was given.

    Attributes
    ----------
    code : int8 ndarray, shape (k,)
        A `Code` per node: ``SUCCESS`` lets it pass.
    detail : int64 ndarray, shape (k,)
        Why, in the plugin's own terms; its ``reasons`` turns one into words.
    """

    code: I8
    detail: I64

    @staticmethod
    def of_mask(passes: Mask, code: Code, detail: int = 0) -> "Verdict":
        """Verdict of a filter with a single reason: nodes outside the mask get ``code``."""
        return Verdict(np.where(passes, np.int8(0), np.int8(code)), np.full(len(passes), detail, np.int64))

    def take(self, nodes: I32) -> "Verdict":
        """The verdict on some of the nodes, by position."""
        return Verdict(self.code[nodes], self.detail[nodes])


@runtime_checkable
class Plugin(Protocol):
    """What every plugin has."""

    name: str


@runtime_checkable
class ClusterReader(Plugin, Protocol):
    """Sorts the queue by more than its pods: it is shown the cluster before."""

    def read_cluster(self, columns: ClusterColumns) -> None:
        """Take from the cluster what matters; called before a queue is sorted, and when other objects change."""
        ...


@runtime_checkable
class PreEnqueuePlugin(Plugin, Protocol):
    """Keeps pods out of the queue."""

    def pre_enqueue(self, template: Template) -> bool:
        """Whether a pod of this template may enter the queue."""
        ...


@runtime_checkable
class QueueSortPlugin(Plugin, Protocol):
    """Orders the queue."""

    def sort(self, pods: PodColumns, waiting: I32) -> I32:
        """Reorder the pods ``waiting``: the first is tried first."""
        ...

    def rank(self, template: Template, timestamp: int) -> tuple[int, ...]:
        """Rank of one pod in a queue that lives on: the smallest is tried first.

        Parameters
        ----------
        timestamp : int
            Nanoseconds since 1970; when the pod entered the queue or last failed.
        """
        ...


@runtime_checkable
class PreFilterPlugin(Plugin, Protocol):
    """Looks at the pod once before its nodes are filtered."""

    def pre_filter(self, cycle: Cycle) -> PreFilterResult | None:
        """Prepare, skip, reject, or narrow the nodes; None is `PROCEED`."""
        ...


@runtime_checkable
class PreFilterExtensions(Plugin, Protocol):
    """Keeps what a PreFilter counted in step with pods that are tried on or off a node (upstream's AddPod, RemovePod).

    Only plugins that keep counts of the attempt need it; what reads the state sees such pods there.
    """

    def count_pod(self, cycle: Cycle, pod: int, node: int, sign: int) -> None:
        """See one pod more (``sign`` 1) or less (-1) on a node."""
        ...


@runtime_checkable
class FilterPlugin(Plugin, Protocol):
    """Rules out nodes.

    A filter may have one of two more members, which let preemption try many nodes at once; without them it tries node
    after node. An attribute ``is_local = True`` says that its verdict on a node never depends on another node's pods.
    A method ``couples(cycle, template)`` says whether pods of a template that come or go on a node may change its
    verdict on another one; others are not shown to its ``count_pod``.
    """

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``."""
        ...

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Put a verdict's detail into upstream's words."""
        ...


@runtime_checkable
class PostFilterPlugin(Plugin, Protocol):
    """Looks for a way out for a pod that no node is feasible for."""

    def post_filter(self, cycle: Cycle, failure: "Failure") -> PostFilterResult | None:
        """Say what would help, or why nothing does (None: nothing). What is tried out on the state must be undone."""
        ...


@runtime_checkable
class PreScorePlugin(Plugin, Protocol):
    """Looks at the feasible nodes once before they are scored."""

    def pre_score(self, cycle: Cycle, nodes: I32) -> bool | None:
        """Prepare; False skips the plugin's Score (upstream's Skip), nothing returned does not."""
        ...


@runtime_checkable
class ScorePlugin(Plugin, Protocol):
    """Scores feasible nodes."""

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Raw scores of ``nodes``, as a fresh array."""
        ...


@runtime_checkable
class NormalizeScorePlugin(Plugin, Protocol):
    """Brings raw scores to [0, 100]."""

    def normalize_score(self, cycle: Cycle, nodes: I32, scores: I64) -> None:
        """Normalise ``scores`` of ``nodes``. Modified in place."""
        ...


@runtime_checkable
class ReservePlugin(Plugin, Protocol):
    """Keeps state of its own in step with the pods that have found their nodes; see also `SelectivePlugin`."""

    def reserve(self, cycle: Cycle, node: int) -> PluginStatus | None:
        """Set aside what the pod will use on its node; None is a success."""
        ...

    def unreserve(self, cycle: Cycle, node: int) -> None:
        """Take it back. Must not fail, and must bear a call for a pod that it set nothing aside for."""
        ...


@runtime_checkable
class SelectivePlugin(Plugin, Protocol):
    """Reserves or prepares bindings for some pods only: the batch engine can place the others."""

    def concerns(self, cycle: Cycle) -> bool:
        """Whether its Reserve and PreBind do anything for the cycle's pod, which its PreFilter has seen."""
        ...


@runtime_checkable
class PermitPlugin(Plugin, Protocol):
    """Has the last word before a pod is bound.

    The pods that wait are ``cycle.waiting``: a plugin goes through them, and allows or rejects them by its name.
    """

    def permit(self, cycle: Cycle, node: int) -> PermitResult | None:
        """Approve (None does so too), deny, or let the pod wait."""
        ...


@runtime_checkable
class PreBindPlugin(Plugin, Protocol):
    """Does what must be done before a pod is bound."""

    def pre_bind(self, cycle: Cycle, node: int) -> PluginStatus | None:
        """Do it; None is a success."""
        ...


@runtime_checkable
class BindPlugin(Plugin, Protocol):
    """Binds pods to their nodes."""

    def bind(self, cycle: Cycle, node: int) -> PluginStatus | None:
        """Bind the pod (None says so too); with ``SKIP`` the next Bind plugin is asked."""
        ...


@runtime_checkable
class PostBindPlugin(Plugin, Protocol):
    """Hears of bound pods."""

    def post_bind(self, cycle: Cycle, node: int) -> None:
        """Take note of it."""
        ...
