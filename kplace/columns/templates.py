"""Templates: the scheduling-relevant part of a pod, shared by all pods that agree in it."""

from dataclasses import dataclass

from kplace.dtypes import I64
from kplace.objects.core import Affinity, PodSpec, PodStatus
from kplace.objects.meta import OwnerReference


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """What placing a pod depends on, apart from its name and times.

    Attributes
    ----------
    code : int
        Its index among the cluster's templates.
    shape : int
        Templates that differ in nothing but the amounts they request and the names of their claims share a shape.
    namespace : str
    labels : dict of str to str
    annotations : dict of str to str
        Those that plugins read: `kplace.columns.annotations.READ`.
    owner : OwnerReference or None
        The controlling owner, which default spreading looks at.
    spec : PodSpec
        With the API server's defaults applied, without the node's name.
    priority : int
    request : int64 ndarray, shape (n_resources,)
        What the pod takes from a node; cpu in milli-cpu.
    non_zero_request : int64 ndarray, shape (2,)
        Milli-cpu and bytes of memory with the defaults of scoring for containers that request none.
    scored_request : int64 ndarray, shape (n_resources,)
        What NodeResourcesFit's score counts for the pod itself.
    resize : PodStatus or None
        The part of the status that says what a resize under way still holds.
    keyed_affinity : Affinity or None
        The affinity as it stands in the input, if it has ``matchLabelKeys`` or ``mismatchLabelKeys``.
    """

    code: int
    shape: int
    namespace: str
    labels: dict[str, str]
    annotations: dict[str, str]
    owner: OwnerReference | None
    spec: PodSpec
    priority: int
    request: I64
    non_zero_request: I64
    scored_request: I64
    resize: PodStatus | None = None
    keyed_affinity: Affinity | None = None

    @property
    def is_gated(self) -> bool:
        """Whether the pod has scheduling gates."""
        return bool(self.spec.scheduling_gates)
