"""What expanding all controllers shares: the pods there are, the names in use, the tally for the notes."""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from msgspec import structs

from kplace.columns.builder import ClusterBuilder, subject_of
from kplace.columns.nodes import NodeColumns, build_nodes
from kplace.columns.resources import resource_names
from kplace.io.expand.claims import MadeClaims
from kplace.io.expand.naming import PodNames
from kplace.io.expand.owners import PodsByOwner
from kplace.objects.core import NodeStatus, Pod, PodSpec, PodTemplateSpec
from kplace.objects.meta import ObjectMeta, OwnerReference

_API_VERSIONS = {
    "ReplicationController": "v1",
    "ReplicaSet": "apps/v1",
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "Job": "batch/v1",
    "CronJob": "batch/v1",
}
REVISION_LABEL = "controller-revision-hash"
"""Label of the pods of StatefulSets and DaemonSets."""

_LISTED = 3


def reference_to(kind: str, meta: ObjectMeta) -> OwnerReference:
    """The controlling ownerReference on everything that a controller makes."""
    return OwnerReference(api_version=_API_VERSIONS[kind], kind=kind, name=meta.name, uid=meta.uid, controller=True)


def made_pod(
    template: PodTemplateSpec,
    name: str,
    namespace: str,
    owner: OwnerReference,
    *,
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
    spec: PodSpec | None = None,
) -> Pod:
    """Make a pod from a template (upstream ``GetPodFromTemplate``).

    Parameters
    ----------
    labels, annotations : dict of str to str, optional
        In addition to the template's; these win.
    spec : PodSpec, optional
        In place of the template's.
    """
    meta = template.metadata
    return Pod(
        metadata=ObjectMeta(
            name=name,
            namespace=namespace,
            labels={**(meta.labels or {}), **labels} if labels else meta.labels,
            annotations={**(meta.annotations or {}), **annotations} if annotations else meta.annotations,
            owner_references=(owner,),
        ),
        spec=template.spec if spec is None else spec,
    )


class Expansion:
    """Expanding the controllers of one input.

    Parameters
    ----------
    builder : ClusterBuilder
        Holds the input and takes the pods that are made.

    Attributes
    ----------
    owned : PodsByOwner
    claims : MadeClaims
    names : PodNames
    """

    def __init__(self, builder: ClusterBuilder) -> None:
        self.builder = builder
        self.owned = PodsByOwner(builder.pods)
        self.claims = MadeClaims(builder)
        self.names = PodNames((row.namespace, row.name) for row, _ in builder.pods)
        self._pods: Counter[str] = Counter()
        self._controllers: Counter[str] = Counter()
        self._without_template: list[str] = []
        self._surplus: list[str] = []
        self._held: list[str] = []
        self._repeated: list[str] = []

    @cached_property
    def nodes(self) -> NodeColumns:
        """The nodes by what decides where DaemonSets run: names, labels and taints, but no status."""
        bare = [structs.replace(node, status=NodeStatus()) for node in self.builder.nodes]
        return build_nodes(bare, resource_names(()))

    def usable(
        self, kind: str, meta: ObjectMeta, template: PodTemplateSpec | None, lacking: int
    ) -> PodTemplateSpec | None:
        """Return the template to make pods from; None if no pods lack, or if it has no containers (a note says so)."""
        if lacking <= 0:
            return None
        if template is None or not template.spec.containers:
            self._without_template.append(subject_of(kind, meta))
            return None
        return template

    def add(self, kind: str, pods: Iterable[Pod], source: str) -> None:
        """Add the pods made for one controller of a kind."""
        number = 0
        for pod in pods:
            self.builder.add_pod(pod, source)
            self.claims.make_ephemeral(pod)
            number += 1
        if number:
            self._pods[kind] += number
            self._controllers[kind] += 1

    def say_surplus(self, kind: str, meta: ObjectMeta, present: int, wanted: int) -> None:
        """Remember for a note that a controller has more pods than it wants, if so."""
        if present > wanted:
            self._surplus.append(f"{subject_of(kind, meta)}: {present:,} of {wanted:,}")

    def say_held(self, kind: str, meta: ObjectMeta, name: str) -> None:
        """Remember for a note that a pod could not be made, because another one holds its name."""
        self._held.append(f"{name} of {subject_of(kind, meta)}")

    def say_repeated(self, kind: str, meta: ObjectMeta) -> None:
        """Remember for a note that a controller is there a second time."""
        self._repeated.append(subject_of(kind, meta))

    def say_all(self) -> None:
        """Put into the builder's notes what was made and what was not."""
        parts = [
            f"{self._pods[kind]:,} from {_count(self._controllers[kind], kind)}"
            for kind in _API_VERSIONS
            if kind in self._pods
        ]
        if parts:
            made = _count(self._pods.total(), "pod")
            self.builder.note("made-pods", f"{made} made for controllers that lack them: {', '.join(parts)}")
        if self.claims.number:
            self.builder.note("made-claims", f"{_count(self.claims.number, 'claim')} made for pods that lack them")
        self._say(
            "no-pod-template",
            self._without_template,
            "controller",
            "lacking pods but without containers in the pod template: none made",
        )
        self._say("surplus-pods", self._surplus, "controller", "with more pods than replicas: all are kept")
        self._say("repeated-controllers", self._repeated, "controller", "there more than once: the first one counts")
        self._say(
            "held-names",
            self._held,
            "pod",
            "not made: one of the same name has ended, is being deleted or belongs to another",
        )

    def _say(self, topic: str, which: list[str], noun: str, what: str) -> None:
        if which:
            rest = len(which) - _LISTED
            more = f" and {rest:,} more" if rest > 0 else ""
            self.builder.note(topic, f"{_count(len(which), noun)} {what} ({', '.join(which[:_LISTED])}{more})")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
