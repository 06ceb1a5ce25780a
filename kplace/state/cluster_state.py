"""The mutable state of a cluster while its pods are placed."""

import copy
from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.columns.storage import Storage
from kplace.columns.template_index import TemplateIndex
from kplace.columns.templates import Template
from kplace.dtypes import I32, I64, NO_NODE
from kplace.state.attached_volumes import AttachedVolumes
from kplace.state.groups import Membership, PodGroups, add_to_rows
from kplace.state.node_pods import Importance, NodePods
from kplace.state.node_resources import Request, add_pod, add_pods, empty_node_resources, first_rows
from kplace.state.nominations import Nominations
from kplace.state.volume_bindings import VolumeBindings

T = TypeVar("T")


_BY_SHAPE = "by shape"


class Following:
    """Marks what is derived from the columns but kept current with a state: no two states share it."""


class ClusterState:
    """Where every pod is and what that leaves on every node.

    Parameters
    ----------
    columns : ClusterColumns
        The cluster as read; never modified.
    placed : int32 ndarray, optional
        The pods that are on nodes, in the order in which they came there. By default those that hold a node in the
        input, in its order.

    Attributes
    ----------
    node_of_pod : int32 ndarray, shape (n_pods,)
        The node each pod takes room on; `NO_NODE` if none.
    resources : NodeResources
    loads : NodeResources
        The same, with a row for each driver of attached volumes after those of the resources.
    groups : PodGroups
    nominations : Nominations
    importance : Importance
    attached : AttachedVolumes or None
        None if no pod has a volume.
    volume_bindings : VolumeBindings
    next_start_index : int
        Where the next search for feasible nodes begins.
    """

    def __init__(self, columns: ClusterColumns, placed: I32 | None = None) -> None:
        self.columns = columns
        self.resources = empty_node_resources(columns.nodes)
        self.groups = PodGroups(columns.templates, len(columns.nodes))
        self.node_of_pod: I32 = np.full(len(columns.pods), NO_NODE, np.int32)
        self.nominations = Nominations(columns.pods.nominated, columns.pods.priority)
        self.importance = Importance(columns.pods.priority, columns.pods.started_ns)
        self.next_start_index = 0
        self.all_nodes: I32 = np.arange(len(columns.nodes), dtype=np.int32)
        self._requests = [Request(item.request, item.non_zero_request) for item in columns.templates]
        self._arrivals = 0
        self._arrival: I64 = np.zeros(len(columns.pods), np.int64)
        self._node_pods: NodePods | None = None
        self.volume_bindings = VolumeBindings()
        self._compiled: dict[tuple[Hashable, int], object] = {}
        self._shared: dict[Hashable, object] = {}
        has_volumes = any(template.spec.volumes for template in columns.templates)
        self.attached = AttachedVolumes(columns, self.storage) if has_volumes else None
        self.loads = self.resources if self.attached is None else self.attached.beside(columns.nodes)
        if self.attached is not None:
            self.resources = first_rows(self.loads, len(columns.resources))
        if placed is None:
            self._settle(np.flatnonzero(columns.pods.holding))
        else:
            self._settle(placed.astype(np.int64))
            self._arrivals = len(placed)
            self._arrival[placed] = np.arange(1, len(placed) + 1)

    def fork(self) -> "ClusterState":
        """The same state, to go on apart: what happens to the one the other does not see.

        What was derived from templates and columns is shared, but for what is `Following`. Plugins that keep anything
        else that changes in `compiled` or `shared` must not be asked about both.
        """
        twin = copy.copy(self)
        twin.loads = self.loads._replace(
            requested=self.loads.requested.copy(),
            non_zero_requested=self.loads.non_zero_requested.copy(),
            pods=self.loads.pods.copy(),
        )
        twin.resources = twin.loads
        if self.attached is not None:
            twin.attached = self.attached.fork(twin.loads)
            twin.resources = first_rows(twin.loads, len(self.columns.resources))
        twin.groups, twin.nominations = self.groups.fork(), self.nominations.fork()
        twin.volume_bindings = self.volume_bindings.fork()
        twin.node_of_pod, twin._arrival = self.node_of_pod.copy(), self._arrival.copy()
        twin._node_pods = copy.deepcopy(self._node_pods)
        twin._compiled = dict(self._compiled)
        twin._shared = {key: value for key, value in self._shared.items() if not isinstance(value, Following)}
        return twin

    @property
    def n_nodes(self) -> int:
        """Number of nodes in the snapshot."""
        return len(self.columns.nodes)

    def template_of(self, pod: int) -> Template:
        """Template of a pod."""
        return self.columns.templates[self.columns.pods.template[pod]]

    @property
    def storage(self) -> Storage:
        """Claims, volumes, classes and CSI objects."""
        return self.shared(Storage, Storage)

    @property
    def node_pods(self) -> NodePods:
        """The pods on each node; made when it is first asked for, and kept current from then on."""
        if self._node_pods is None:
            pods = np.flatnonzero(self.node_of_pod >= 0).astype(np.int32)
            # Those of the input came in its order, at time 0.
            pods = pods[np.argsort(self._arrival[pods], kind="stable")]
            self._node_pods = NodePods(self.importance, pods, self.node_of_pod[pods], self.n_nodes)
        return self._node_pods

    def pods_of(self, template: int) -> I64:
        """Pods of a template, whether or not they are on nodes."""
        return self.shared(_PodsByTemplate, _pods_by_template).of(np.array([template], np.int32))

    def lower_pods(self, nodes: I32, priority: int) -> I64:
        """Number of pods of a lower priority on each of some nodes, shape (k,)."""
        if priority <= self._lowest_priority:
            return np.zeros(len(nodes), np.int64)
        return self.node_pods.below(nodes, priority)

    def assume(self, pod: int, node: int) -> None:
        """Put a pod on a node: its request and its groups are counted there from now on; a nomination is used up."""
        self._count(pod, node, 1)
        self._arrivals += 1
        self._arrival[pod] = self._arrivals
        self.node_of_pod[pod] = node
        self.nominations.clear(pod)
        if self._node_pods is not None:
            self._node_pods.add(pod, node)

    def settle(self, pods: I32, nodes: I32, *, lists_are_current: bool) -> None:
        """Enter pods that an engine has put on nodes by itself: requests and groups are counted there already.

        Parameters
        ----------
        pods, nodes : int32 ndarrays, shape (k,)
            In the order of arrival.
        lists_are_current : bool
            The engine has kept `node_pods` current too.
        """
        self.node_of_pod[pods] = nodes
        self._arrival[pods] = np.arange(self._arrivals + 1, self._arrivals + 1 + len(pods))
        self._arrivals += len(pods)
        if self._node_pods is not None and not lists_are_current:
            for pod, node in zip(pods.tolist(), nodes.tolist(), strict=True):
                self._node_pods.add(pod, node)

    def forget(self, pod: int) -> None:
        """Take a pod off its node; undoes `assume` bit for bit but for a nomination."""
        node = int(self.node_of_pod[pod])
        # Where the last pod of the list goes cannot be told afterwards: the list must be there.
        self.node_pods.remove(pod, node)
        self._count(pod, node, -1)
        self.node_of_pod[pod] = NO_NODE

    def shift(self, pods: I32, nodes: I32, sign: int) -> None:
        """Count pods on nodes where they are not (``sign`` 1), or no longer where they are (-1), to try something out.

        Whoever does so undoes it by the opposite call. Requests and groups are all that changes; neither
        ``node_of_pod`` nor `node_pods` do.

        Parameters
        ----------
        pods, nodes : int32 ndarrays, shape (k,)
        """
        columns = self.columns.pods
        template = columns.template[pods]
        add_pods(self.resources, self._request_table, template, nodes, sign)
        self.groups.count((template, columns.terminating[pods]), nodes, sign)
        if self.attached is not None:
            self.attached.count_many(pods, nodes, sign)

    def group(
        self,
        key: Hashable,
        member: Membership,
        *,
        among: Iterable[int] | None = None,
        skips_terminating: bool = False,
    ) -> int:
        """Row of ``groups.counts`` for a group of templates, counted over the pods placed so far.

        See `PodGroups.add` for the parameters; `template_index` finds what a selector's group is ``among``.
        """
        row = self.groups.find(key)
        if row < 0:
            known = len(self.groups)
            row = self.groups.add(key, member, among=among, skips_terminating=skips_terminating)
            if row == known:
                self._recount(row)
        return row

    @property
    def template_index(self) -> TemplateIndex:
        """The templates by label."""
        return self.shared(TemplateIndex, lambda columns: TemplateIndex(columns.templates))

    def compiled(self, owner: Hashable, template: Template, make: Callable[[Template], T]) -> T:
        """What ``owner`` derives from a template, made once and kept as long as the nodes do not change."""
        key = (owner, template.code)
        if key not in self._compiled:
            self._compiled[key] = make(template)
        return self._compiled[key]  # type: ignore[return-value]

    def compiled_by_shape(self, owner: Hashable, template: Template, make: Callable[[Template], T]) -> T:
        """What ``owner`` derives from a template whatever amounts it requests, made once for all of that shape."""
        key = ((_BY_SHAPE, owner), template.shape)
        if key not in self._compiled:
            self._compiled[key] = make(template)
        return self._compiled[key]  # type: ignore[return-value]

    def shared(self, owner: Hashable, make: Callable[[ClusterColumns], T]) -> T:
        """What ``owner`` derives from the columns as a whole, made once and kept as long as the nodes do not change."""
        if owner not in self._shared:
            self._shared[owner] = make(self.columns)
        return self._shared[owner]  # type: ignore[return-value]

    def drop_shared(self, owner: Hashable) -> None:
        """Forget what ``owner`` derived from the columns, for it depends on something that has changed."""
        self._shared.pop(owner, None)

    def change_template(self, pod: int, template: int) -> None:
        """Give a pod that is on no node another template; the column of the columns is changed with it."""
        self.columns.pods.template[pod] = template
        self.columns.pods.priority[pod] = self.columns.templates[template].priority
        self._shared.pop(_PodsByTemplate, None)

    @cached_property
    def _lowest_priority(self) -> int:
        """Lowest priority that any pod has or may come to have."""
        return min((template.priority for template in self.columns.templates), default=0)

    @cached_property
    def _request_table(self) -> Request:
        """The requests of all templates, template axis first."""
        return Request(
            np.array([request.plain for request in self._requests], np.int64).reshape(len(self._requests), -1),
            np.array([request.non_zero for request in self._requests], np.int64).reshape(len(self._requests), -1),
        )

    def _settle(self, pods: I64) -> None:
        """Put the pods that the input has on nodes there, all at once; no group exists yet."""
        nodes = self.columns.pods.node[pods]
        self.node_of_pod[pods] = nodes
        if len(pods):
            add_pods(self.resources, self._request_table, self.columns.pods.template[pods], nodes, 1)
        if self.attached is not None:
            self.attached.count_many(pods, nodes, 1)

    def _count(self, pod: int, node: int, sign: int) -> None:
        template = int(self.columns.pods.template[pod])
        add_pod(self.resources, self._requests[template], node, sign)
        rows = self.groups.rows(template, terminating=bool(self.columns.pods.terminating[pod]))
        if len(rows):
            add_to_rows(self.groups.counts, self.groups.totals, rows, node, sign)
        if self.attached is not None:
            self.attached.count(pod, node, sign)

    def _recount(self, row: int) -> None:
        by_template = self.shared(_PodsByTemplate, _pods_by_template)
        pods = by_template.of(self.groups.members(row))
        pods = pods[self.node_of_pod[pods] >= 0]
        self.groups.recount(row, self.node_of_pod[pods], self.columns.pods.terminating[pods])


class _PodsByTemplate(NamedTuple):
    """The pods sorted by template.

    Attributes
    ----------
    pods : int64 ndarray, shape (n_pods,)
    starts : int64 ndarray, shape (n_templates + 1,)
        Where each template's pods begin in ``pods``, and the end.
    """

    pods: I64
    starts: I64

    def of(self, templates: I32) -> I64:
        """Pods of some templates."""
        first = self.starts[templates]
        lengths = self.starts[templates + 1] - first
        shift = first - (np.cumsum(lengths) - lengths)
        return self.pods[np.arange(lengths.sum()) + np.repeat(shift, lengths)]


def _pods_by_template(columns: ClusterColumns) -> _PodsByTemplate:
    template = columns.pods.template
    order = np.argsort(template, kind="stable")
    return _PodsByTemplate(order, np.searchsorted(template[order], np.arange(len(columns.templates) + 1)))
