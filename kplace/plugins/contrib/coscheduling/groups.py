"""The PodGroups of a cluster and the pods that belong to them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.columns.pods import time_column
from kplace.columns.quantity import milli_value, value
from kplace.columns.templates import Template
from kplace.dtypes import I64, NO_TIME
from kplace.objects.scheduling import PodGroup
from kplace.state import ClusterState

LABEL = "scheduling.x-k8s.io/pod-group"
"""The label by which a pod says which group of its namespace it belongs to."""
_PODS = "pods"


def group_name(template: Template) -> str:
    """``namespace/name`` of the group that pods of a template belong to; empty for none."""
    name = template.labels.get(LABEL, "")
    return f"{template.namespace}/{name}" if name else ""


@dataclass(frozen=True, slots=True)
class Siblings:
    """The pods of a group, as far as they are known.

    Attributes
    ----------
    members : frozenset of int
        Codes of their templates.
    number, gated : int
        How many there are that have not run to their end, and how many of these are gated.
    """

    members: frozenset[int]
    number: int
    gated: int


class Groups:
    """PodGroups by ``namespace/name``; to be had by ``state.shared(Groups, Groups)``.

    Parameters
    ----------
    columns : ClusterColumns
    """

    def __init__(self, columns: ClusterColumns) -> None:
        self._columns = columns
        self._objects = {
            f"{group.metadata.namespace or 'default'}/{group.metadata.name}": group
            for group in columns.of_kind(PodGroup)
        }

    def find(self, name: str) -> PodGroup | None:
        """Look up a group; pods may name one that does not exist."""
        return self._objects.get(name)

    @cached_property
    def names(self) -> list[str]:
        """The group that pods of each template belong to, by the template's code."""
        return [group_name(template) for template in self._columns.templates]

    @cached_property
    def siblings(self) -> Mapping[str, Siblings]:
        """The pods of every group that any pod names."""
        members: dict[str, list[Template]] = {}
        for template, name in zip(self._columns.templates, self.names, strict=True):
            if name:
                members.setdefault(name, []).append(template)
        pods = self._columns.pods
        living = np.bincount(pods.template[~pods.finished], minlength=len(self._columns.templates))
        return {
            name: Siblings(
                frozenset(template.code for template in templates),
                sum(int(living[template.code]) for template in templates),
                sum(int(living[template.code]) for template in templates if template.is_gated),
            )
            for name, templates in members.items()
        }

    @cached_property
    def created_ns(self) -> dict[str, int]:
        """When each group was created; `NO_TIME` if it does not say."""
        texts = [group.metadata.creation_timestamp for group in self._objects.values()]
        return dict(zip(self._objects, time_column(texts, NO_TIME).tolist(), strict=True))

    @cached_property
    def position(self) -> dict[str, int]:
        """Position of each group that there is or that a pod names, in the order of their names."""
        return {name: i for i, name in enumerate(sorted(self._objects.keys() | self.siblings.keys()))}


def assigned(state: ClusterState, groups: Groups, name: str) -> int:
    """How many pods of a group have a node, those that wait to be bound included."""
    members = groups.siblings[name].members
    row = state.group((Groups, name), lambda template: template.code in members, among=sorted(members))
    return int(state.groups.totals[row])


def resource_gap(state: ClusterState, groups: Groups, name: str, group: PodGroup) -> dict[str, int]:
    """What the cluster lacks for a group's ``minResources`` and ``minMember`` pods; nothing if it has room for them.

    What the nodes have left, without the pods of the group, is added up, whatever fits where. Mirrors
    ``CheckClusterResource``: a resource is there as soon as the first so many nodes together have it.

    Returns
    -------
    dict of str to int
        By resource, cpu in milli-cpu.
    """
    wanted = {
        resource: milli_value(quantity) if resource == "cpu" else value(quantity)
        for resource, quantity in (group.spec.min_resources or {}).items()
    }
    wanted[_PODS] = group.spec.min_member
    left, pods_left = _left_without(state, groups.siblings[name].members)
    gap = {}
    for resource, amount in wanted.items():
        row = state.columns.resources.find(resource)
        offered = pods_left if resource == _PODS else left[row] if row >= 0 else np.zeros(state.n_nodes, np.int64)
        so_far = np.cumsum(offered)
        if not len(so_far) or so_far.max() < amount:
            gap[resource] = amount - int(so_far[-1] if len(so_far) else 0)
    return gap


def _left_without(state: ClusterState, members: frozenset[int]) -> tuple[I64, I64]:
    """What nodes have left, of resources and of pods, if the pods of some templates were not there."""
    resources = state.resources
    left = resources.allocatable - resources.requested
    pods_left = resources.allowed_pods - resources.pods
    template = state.columns.pods.template
    for pod in np.flatnonzero(np.isin(template, list(members)) & (state.node_of_pod >= 0)).tolist():
        node = state.node_of_pod[pod]
        left[:, node] += state.template_of(pod).request
        pods_left[node] += 1
    return left, pods_left
