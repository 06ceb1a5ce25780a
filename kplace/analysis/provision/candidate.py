"""Candidates: kinds of nodes that could be added, each with what one costs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from msgspec import structs

from kplace.columns.release import CORDON
from kplace.objects.core import Node, NodeSpec, NodeStatus, Taint
from kplace.objects.meta import ObjectMeta, Quantity

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
ARCH = "kubernetes.io/arch"
OS = "kubernetes.io/os"
CAPACITY_TYPE = "karpenter.sh/capacity-type"
ZONES = (ZONE, "failure-domain.beta.kubernetes.io/zone")
TYPES = (INSTANCE_TYPE, "beta.kubernetes.io/instance-type")

_PASSING = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "ToBeDeletedByClusterAutoscaler")
"""Beginnings of taints that say how a node is doing, not what it is for."""


@dataclass(frozen=True, slots=True)
class Limit:
    """How much the nodes of some candidates may come to together.

    Attributes
    ----------
    name : str
        Whose it is, for people.
    room : dict of str to int
        By resource what may still be added, cpu in milli-cpu; ``nodes`` is their number.
    """

    name: str
    room: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kind of node that could be added.

    Attributes
    ----------
    name : str
        For people; no two candidates have the same.
    group : str
        Candidates that differ in nothing but the zone share it.
    source : str
        ``"node"`` (a manifest), ``"pool"`` (like nodes that are there), ``"shape"`` (of a table), ``"nodepool"``.
    node : Node
        What one is like: labels, taints, what it offers.
    price : Fraction
        What one costs.
    capacity : dict of str to int
        What one counts for under a limit.
    limit : Limit or None
        The same object for all candidates under it.
    like : str
        The node of the cluster that it is like, if it is.
    """

    name: str
    group: str
    source: str
    node: Node
    price: Fraction = Fraction(1)
    capacity: Mapping[str, int] = field(default_factory=dict)
    limit: Limit | None = None
    like: str = ""

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""
        return self.node.metadata.labels or {}

    @property
    def zone(self) -> str:
        """Its zone; empty without."""
        return first_label(self.labels, ZONES)

    @property
    def instance_type(self) -> str:
        """Its instance type; empty without."""
        return first_label(self.labels, TYPES)

    @property
    def capacity_type(self) -> str:
        """``spot``, ``on-demand`` and so on, as Karpenter labels it; empty without."""
        return self.labels.get(CAPACITY_TYPE, "")


def first_label(labels: Mapping[str, str], keys: Sequence[str]) -> str:
    """Value of the first of some labels that is there; empty if none is."""
    return next((labels[key] for key in keys if key in labels), "")


def template_node(
    name: str, labels: Mapping[str, str], taints: Sequence[Taint], allocatable: Mapping[str, Quantity]
) -> Node:
    """A node as a template: with a label of its host's name, as every kubelet sets it."""
    return Node(
        metadata=ObjectMeta(name=name, labels={HOSTNAME: name, **labels}),
        spec=NodeSpec(taints=tuple(taints) or None),
        status=NodeStatus(allocatable=dict(allocatable)),
    )


def as_template(node: Node) -> tuple[Node, list[Taint]]:
    """A node as one like it would join: schedulable, without images and without taints that pass.

    Returns
    -------
    node : Node
    taints : list of Taint
        Those that were left out.
    """
    taints = node.spec.taints or ()
    passing = [taint for taint in taints if taint == CORDON or taint.key.startswith(_PASSING)]
    kept = tuple(taint for taint in taints if taint not in passing)
    meta = ObjectMeta(
        name=node.metadata.name,
        labels={HOSTNAME: node.metadata.name, **(node.metadata.labels or {})},
        annotations=node.metadata.annotations,
    )
    status = structs.replace(node.status, images=None, conditions=None)
    return Node(metadata=meta, spec=NodeSpec(taints=kept or None), status=status), passing


def distinct(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Candidates with names that tell them apart: one that another has already is numbered."""
    seen: dict[str, int] = {}
    for item in candidates:
        number = seen[item.name] = seen.get(item.name, 0) + 1
        yield item if number == 1 else structs_name(item, f"{item.name} #{number}")


def structs_name(item: Candidate, name: str) -> Candidate:
    """The same candidate by another name."""
    return Candidate(name, item.group, item.source, item.node, item.price, item.capacity, item.limit, item.like)
