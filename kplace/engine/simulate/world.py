"""The API server of a simulation, and how the scheduler's cache and queue follow it (upstream ``eventhandlers.go``)."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import structs

from kplace.columns.templates import Template
from kplace.dtypes import NO_TIME, Phase
from kplace.engine.simulate.changes import KIND_RESOURCES, node_changes, pod_changes
from kplace.engine.simulate.live_cluster import LiveCluster, PodChange
from kplace.engine.simulate.live_pod import LivePod
from kplace.engine.simulate.provisioning import carried_out
from kplace.engine.simulate.scenario import Change, PodVersion, Scenario, Verb, is_finished
from kplace.engine.simulate.swift import SwiftAttempts
from kplace.framework import Profile
from kplace.framework.events import (
    ASSIGNED_POD_ADD,
    ASSIGNED_POD_DELETE,
    NODE_ADD,
    NODE_DELETE,
    Action,
    ClusterEvent,
    Happening,
    NodeImage,
    PodImage,
)
from kplace.framework.interface import ClusterReader
from kplace.objects.core import Node
from kplace.queue import SchedulingQueue

if TYPE_CHECKING:
    from msgspec import Struct


_CORDONS = {Verb.CORDON: True, Verb.DRAIN: True, Verb.UNCORDON: False}
_VERB_ACTIONS = {Verb.ADD: Action.ADD, Verb.UPDATE: Action.UPDATE, Verb.DELETE: Action.DELETE}


def _nobody_waits(_pod: int) -> bool:
    return False


class World:
    """All objects as they are now.

    Parameters
    ----------
    scenario : Scenario
    profiles : mapping of str to Profile
        By scheduler name.
    queue : SchedulingQueue
    swift : SwiftAttempts
    recreates : bool
        Controllers make new pods in the place of those that were evicted or lost with their node.

    Attributes
    ----------
    pods : dict of str to LivePod
        The pods that exist, by ``namespace/name``.
    by_row : dict of int to LivePod
        These, and the last of each row that are gone: somebody may still speak of them.
    cluster : LiveCluster
    reject_waiting : callable
        Called with a pod that is deleted before it is bound; says whether a Permit plugin let it wait.
    """

    def __init__(
        self,
        scenario: Scenario,
        profiles: Mapping[str, Profile],
        queue: SchedulingQueue,
        swift: SwiftAttempts,
        *,
        recreates: bool = False,
    ) -> None:
        self._profiles = profiles
        self._recreates = recreates
        self._queue = queue
        self._resources = scenario.columns.resources
        self._templates = scenario.columns.templates
        self._template_of = scenario.columns.pods.template.tolist()
        self._objects: dict[tuple[str, str, str], Struct] = {}
        self._images: dict[str, NodeImage] = {}
        self.pods: dict[str, LivePod] = {}
        self.by_row: dict[int, LivePod] = {}
        sorters = [profile.queue_sort for profile in profiles.values()]
        readers = [sorter for sorter in sorters if isinstance(sorter, ClusterReader)]
        self.cluster = LiveCluster(scenario.columns, queue.nominator, swift, readers)
        self.reject_waiting: Callable[[int], bool] = _nobody_waits

    def apply(self, change: Change) -> None:
        """Do what a change says, and let the scheduler hear of it.

        What cannot be done is passed over: an update or a deletion of what is not there any more. Whoever drains a node
        evicts its pods; here it is only cordoned.
        """
        if change.kind == "Pod":
            self._apply_to_pod(change)
        elif change.kind == "Node":
            self._apply_to_node(change)
        else:
            self._apply_to_other(change)

    # What the scheduler and the kubelets do.

    def bind(self, pod: LivePod, node: str, started_ns: int) -> None:
        """Bind a pod: it is on its node from now on, as everybody knows."""
        old = pod.image
        pod.started_ns = started_ns
        self._replace(pod, PodImage(old.pod, old.template, node, old.nominated))

    def provision(self, pod: LivePod) -> None:
        """Bind the claims of a pod to what was settled for them, and make the volumes that are to be made."""
        node = self._images.get(pod.assumed)
        if node is None:
            return
        settled = dict(self.cluster.volume_bindings.settled)
        for item in tuple(carried_out(settled, pod.row, self._objects, node.node)):
            meta = item.metadata
            kind, namespace = type(item).__name__, meta.namespace or "default"
            verb = Verb.UPDATE if (kind, namespace, meta.name) in self._objects else Verb.ADD
            self._apply_to_other(Change(0, verb, kind, namespace, meta.name, item))

    def nominate(self, pod: LivePod, node: str) -> None:
        """Write a pod's nominated node into its status."""
        old = pod.image
        self._replace(pod, PodImage(old.pod, old.template, old.node, node))

    def begin_deletion(self, pod: LivePod, *, is_preempted: bool) -> None:
        """Mark a pod as being deleted."""
        pod.is_terminating = True
        pod.is_preempted = pod.is_preempted or is_preempted
        self._replace(pod, pod.image)

    def delete(self, pod: LivePod, *, is_forced: bool = False) -> None:
        """Remove a pod for good.

        Parameters
        ----------
        is_forced : bool
            Its controller, if it has one, did not want that: it makes another one, if controllers do.
        """
        pod.exists = False
        del self.pods[pod.key]
        image = pod.image
        if image.node:
            self.cluster.take(pod.row)
            self._happen(ASSIGNED_POD_DELETE, image, None)
        elif pod.scheduler in self._profiles:
            self._queue.delete(pod.row)
            if self.reject_waiting(pod.row):
                self._happen(ASSIGNED_POD_DELETE, image, None)
            elif image.nominated:
                self._happen(ASSIGNED_POD_DELETE, image, None, image.template.priority)
        if is_forced and self._recreates and image.template.owner is not None and not pod.assumed:
            self._recreate(pod)

    def assume(self, pod: LivePod, node: str) -> None:
        """Let a pod take its room before it is bound."""
        pod.assumed = node
        self._queue.nominator.delete(pod.row)
        self.cluster.put(pod.row, node)

    def assume_counted(self, pod: LivePod, node: str) -> None:
        """Let a pod take its room that a swift attempt has counted there already."""
        pod.assumed = node
        self._queue.nominator.delete(pod.row)
        self.cluster.put_counted(pod.row, node)

    def forget(self, pod: LivePod) -> None:
        """Undo `assume`: the pod could not be bound."""
        pod.assumed = ""
        self.cluster.take(pod.row)
        self._enter(pod)

    def tell_of_room(self, pod: LivePod, node: str, *, but_itself: bool = False) -> None:
        """Let other pods hear that one was forgotten: to them it is as good as deleted."""
        old = PodImage(pod.row, pod.image.template, node, pod.image.nominated)
        happening = Happening(ASSIGNED_POD_DELETE, old, None, self.cluster.columns)
        self._queue.happen(happening, but=pod.row if but_itself else None)

    def bound_to(self, node: str) -> list[LivePod]:
        """Pods that are bound to a node."""
        listed = (self.by_row[row] for row in self.cluster.pods_on(node))
        return [pod for pod in listed if pod.exists and pod.image.node]

    # Pods.

    def _apply_to_pod(self, change: Change) -> None:
        pod = self.pods.get(change.key)
        version = change.version
        if change.verb is Verb.DELETE:
            if pod is not None:
                self.delete(pod)
        elif isinstance(version, PodVersion):
            if change.verb is Verb.UPDATE and pod is not None:
                self._update_pod(pod, version)
            elif change.verb is Verb.ADD:
                if pod is not None:
                    self.delete(pod)
                self._add_pod(version, change.name)

    def _add_pod(self, version: PodVersion, name: str) -> None:
        if is_finished(version.phase):
            return
        row = version.row
        pod = LivePod(
            row=row,
            key=version.key,
            name=name,
            scheduler=version.scheduler,
            image=PodImage(row, self._template(row), version.node, version.nominated),
            phase=version.phase,
            started_ns=version.started_ns,
            lasts=version.lasts,
            is_terminating=version.is_terminating,
            is_preempted=version.is_preempted,
        )
        self.pods[pod.key] = self.by_row[row] = pod
        if version.node:
            self.cluster.put(row, version.node)
            self._happen(ASSIGNED_POD_ADD, None, pod.image)
        elif pod.scheduler in self._profiles:
            pod.entry = self._queue.add(pod.image, pod.scheduler, pod.key)

    def _recreate(self, gone: LivePod) -> None:
        """Add a new pod of the same template and name; it takes over the row."""
        row = gone.row
        pod = LivePod(
            row=row,
            key=gone.key,
            name=gone.name,
            scheduler=gone.scheduler,
            image=PodImage(row, gone.image.template),
            phase=Phase.PENDING,
            started_ns=NO_TIME,
            lasts=gone.lasts,
        )
        self.pods[pod.key] = self.by_row[row] = pod
        self._enter(pod)
        if pod.scheduler in self._profiles:
            pod.entry = self._queue.add(pod.image, pod.scheduler, pod.key)

    def _update_pod(self, pod: LivePod, version: PodVersion) -> None:
        """See an update from outside: what it does not say of the status and the node stays as it is."""
        if version.has_status:
            if is_finished(version.phase):
                self.delete(pod)
                return
            pod.phase, pod.started_ns = version.phase, version.started_ns
        pod.is_terminating = pod.is_terminating or version.is_terminating
        pod.is_preempted = pod.is_preempted or version.is_preempted
        nominated = version.nominated if version.has_status else pod.image.nominated
        node = pod.image.node or version.node
        self._replace(pod, PodImage(pod.row, self._template(version.row), node, nominated))

    def _template(self, row: int) -> Template:
        return self._templates[self._template_of[row]]

    def _replace(self, pod: LivePod, new: PodImage) -> None:
        """Give a pod another version, and let the scheduler see it."""
        old, pod.image = pod.image, new
        if old.node:
            self._enter(pod)
            for happening in pod_changes(old, new, self.cluster.columns):
                self._queue.happen(happening)
        elif new.node:
            self._see_binding(pod, old)
        elif pod.scheduler in self._profiles and not pod.assumed:
            self._enter(pod)
            assert pod.entry is not None
            pod.entry = self._queue.update(pod.entry, pod_changes(old, new, self.cluster.columns))
            if old.nominated and old.nominated != new.nominated:
                self._happen(ASSIGNED_POD_DELETE, old, None, old.template.priority)

    def _see_binding(self, pod: LivePod, old: PodImage) -> None:
        new = pod.image
        if pod.assumed and pod.assumed != new.node:
            self.cluster.take(pod.row)
            self.cluster.put(pod.row, new.node)
        self._enter(pod)
        if not pod.assumed:
            self.cluster.put(pod.row, new.node)
        pod.assumed = ""
        self._happen(ASSIGNED_POD_ADD, None, new)
        if pod.scheduler in self._profiles:
            self._queue.delete(pod.row, is_bound=True)
            if old.nominated:
                self._happen(ASSIGNED_POD_DELETE, old, None, old.template.priority)

    def _enter(self, pod: LivePod) -> None:
        """Enter a pod as it is now into its columns."""
        is_preempted = pod.is_terminating and pod.is_preempted
        self.cluster.change(
            PodChange(pod.row, pod.image.template.code, pod.started_ns, pod.is_terminating, is_preempted)
        )

    # Nodes and others.

    def _apply_to_node(self, change: Change) -> None:
        name, node = change.name, change.version
        old = self._images.get(name)
        if isinstance(node, Node):
            if old is not None:
                self._update_node(old, node)
            elif change.verb is Verb.ADD:
                new = self._images[name] = NodeImage(node, self._resources)
                self.cluster.add_node(node)
                self._happen(NODE_ADD, None, new)
        elif old is not None:
            if change.verb in _CORDONS:
                spec = structs.replace(old.node.spec, unschedulable=_CORDONS[change.verb])
                self._update_node(old, structs.replace(old.node, spec=spec))
            else:
                self._remove_node(old, name, with_pods=change.verb is Verb.FAIL)

    def _update_node(self, old: NodeImage, node: Node) -> None:
        new = self._images[node.metadata.name] = NodeImage(node, self._resources)
        self.cluster.update_node(node)
        for happening in node_changes(old, new, self.cluster.columns):
            self._queue.happen(happening)

    def _remove_node(self, old: NodeImage, name: str, *, with_pods: bool) -> None:
        # The event goes out first, as upstream's does.
        self._happen(NODE_DELETE, old, None)
        self.cluster.remove_node(name)
        del self._images[name]
        for pod in self.bound_to(name) if with_pods else ():
            self.delete(pod, is_forced=True)

    def _apply_to_other(self, change: Change) -> None:
        place = (change.kind, change.namespace, change.name)
        old, new = self._objects.pop(place, None), change.version
        if change.verb is Verb.DELETE and old is None:
            return
        verb = Verb.UPDATE if change.verb is Verb.ADD and old is not None else change.verb
        assert not isinstance(new, PodVersion)
        if new is not None:
            self._objects[place] = new
        self.cluster.set_object(change.kind, (change.namespace, change.name), new)
        resource = KIND_RESOURCES.get(change.kind)
        if resource is not None:
            self._queue.happen(Happening(ClusterEvent(resource, _VERB_ACTIONS[verb]), old, new, self.cluster.columns))

    def _happen(
        self,
        event: ClusterEvent,
        old: PodImage | NodeImage | None,
        new: PodImage | NodeImage | None,
        most_priority: int | None = None,
    ) -> None:
        self._queue.happen(Happening(event, old, new, self.cluster.columns), most_priority)
