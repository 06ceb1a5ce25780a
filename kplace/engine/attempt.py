"""What one scheduling attempt found, as arrays: everything that a trace or an explanation is made from."""

from dataclasses import dataclass, field

from kplace.dtypes import I32, I64, NO_NODE, Status
from kplace.engine.sampling import Sample
from kplace.framework import Cycle, Profile
from kplace.framework.extending import ExtenderPhase
from kplace.framework.failure import PostFilterPhase
from kplace.framework.preemption import Preemption
from kplace.framework.runtime import FilterPhase, PreFilterPhase, ScorePhase


@dataclass(slots=True)
class Attempt:
    """One attempt at placing one pod.

    Attributes
    ----------
    number : int
        Which attempt of the whole run it is, from 0.
    filters : FilterPhase or None
        None if a PreFilter rejected the pod.
    sample : Sample
        The nodes that filters and extenders let pass, and how many were visited.
    start_index, next_start_index : int
    scores : ScorePhase or None
        None without a feasible node; with exactly one, what the scores would have been.
    best : int64 ndarray
        Positions in the sample of the highest total.
    node : int
        The chosen node; `NO_NODE` if none.
    post_filters : PostFilterPhase or None
        What the PostFilters said; None if they were not asked.
    retry : int
        Which attempt of this pod it is, from 0.
    is_preempting : bool
        Pods leave for this one, and it will be tried again at once.
    extenders : ExtenderPhase
        What extenders said; empty without any.
    error : str
        Why the attempt could not be brought to its end; empty if it was.
    """

    number: int
    cycle: Cycle
    profile: Profile
    pre_filters: PreFilterPhase
    filters: FilterPhase | None
    sample: Sample
    start_index: int
    next_start_index: int
    scores: ScorePhase | None
    best: I64
    node: int
    post_filters: PostFilterPhase | None = None
    retry: int = 0
    is_preempting: bool = False
    extenders: ExtenderPhase = field(default_factory=ExtenderPhase)
    error: str = ""

    @property
    def binds_plainly(self) -> bool:
        """Whether the pod is on the node that it has found, and nothing else happens."""
        if any(extender.binds for extender in self.extenders.extenders):
            return False
        return self.profile.binds_plainly_for(self.cycle)

    @property
    def pod(self) -> int:
        """The pod that was tried."""
        return self.cycle.pod

    @property
    def status(self) -> Status:
        """Whether a node was found."""
        if self.error:
            return Status.ERROR
        return Status.UNSCHEDULABLE if self.node == NO_NODE else Status.SCHEDULED

    @property
    def feasible(self) -> I32:
        """The sampled feasible nodes in the order they were found."""
        return self.sample.nodes

    @property
    def preemption(self) -> Preemption | None:
        """The pods that would have to leave for this one, if that was found out."""
        return self.post_filters.result.preemption if self.post_filters is not None else None
