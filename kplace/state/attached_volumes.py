"""Volumes attached to nodes: how many of each driver, kept current by assume and forget."""

import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.columns.nodes import NodeColumns
from kplace.columns.storage import Storage, claims_of_spec, ephemeral_claim_name
from kplace.columns.storage.catalogue import ANYWHERE, Attachment
from kplace.columns.templates import Template
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I32, I64, Mask
from kplace.state.node_resources import NodeResources, empty_node_resources


class AttachedItem(NamedTuple):
    """A volume of a pod, by codes.

    Attributes
    ----------
    volume, driver : int
    plugin : int
        Row of ``migrated`` that decides on which nodes it counts; `ANYWHERE` for all.
    """

    volume: int
    driver: int
    plugin: int


class AttachedVolumes:
    """How many distinct volumes of each driver the pods on each node use, or VolumeAttachments hold there.

    Parameters
    ----------
    columns : ClusterColumns
    storage : Storage

    Attributes
    ----------
    drivers : Vocabulary
        Names of the rows.
    counts, limits : int64 ndarray, shape (n_drivers, n_nodes)
    migrated : bool ndarray, shape (n_plugins, n_nodes)

    Notes
    -----
    Most volumes belong to one pod: these are counted straight. Of volumes that several pods may use, or that were
    attached before, it is kept how many pods use them on which node.
    """

    def __init__(self, columns: ClusterColumns, storage: Storage) -> None:
        self.drivers = Vocabulary()
        self._volumes = Vocabulary()
        self._storage = storage
        self._columns = columns
        self._by_template = [self._items(template, "", "") for template in columns.templates]
        ephemeral = np.array([_has_ephemeral(template) for template in columns.templates], np.bool_)
        self._by_pod = {
            pod: self._items(columns.templates[columns.pods.template[pod]], columns.pods.names[pod], uid)
            for pod in np.flatnonzero(ephemeral[columns.pods.template]).tolist()
            for uid in (columns.pods.uids[pod],)
        }
        self._concerns = ephemeral | np.array([bool(items) for items in self._by_template], np.bool_)
        attached = [(node, self._item(found)) for node, found in storage.attached()]
        self.limits = storage.limits(self.drivers)
        self.migrated = storage.migrated()
        self.counts: I64 = np.zeros_like(self.limits)
        self._held = {(item.volume, node) for node, item in attached}
        for _, node, driver in {(item.volume, node, item.driver) for node, item in attached}:
            self.counts[driver, node] += 1
        self._users: dict[tuple[int, int], int] = {}
        self._is_shared = self._shared(attached)

    def beside(self, nodes: NodeColumns) -> NodeResources:
        """Columns of nodes without any pod, with a row for each driver: ``counts`` and ``limits`` are the last ones.

        So whoever adds a pod's volumes to its request counts both at once.
        """
        empty = empty_node_resources(nodes)
        n_resources = len(empty.allocatable)
        loads = empty._replace(
            allocatable=np.concatenate([empty.allocatable, self.limits]),
            requested=np.concatenate([empty.requested, self.counts]),
        )
        self.limits, self.counts = loads.allocatable[n_resources:], loads.requested[n_resources:]
        return loads

    def fork(self, loads: NodeResources) -> "AttachedVolumes":
        """The same volumes, to be counted on apart, in the last rows of what `beside` gave or a copy of it."""
        twin = copy.copy(self)
        twin.counts = loads.requested[len(loads.requested) - len(self.counts) :]
        twin._users = dict(self._users)
        return twin

    def items_of_template(self, template: int) -> Sequence[AttachedItem]:
        """Distinct volumes of a template's pods; those of ephemeral claims, which are each pod's own, are left out."""
        return self._by_template[template]

    def items_of(self, pod: int) -> Sequence[AttachedItem]:
        """Distinct volumes of a pod."""
        own = self._by_pod.get(pod)
        return self._by_template[self._columns.pods.template[pod]] if own is None else own

    @property
    def adds_up(self) -> bool:
        """Whether each volume counts wherever its pod is, whoever else is there."""
        plain = all(item.plugin == ANYWHERE for items in self._all_items() for item in items)
        return plain and not bool(self._is_shared.any())

    def _all_items(self) -> Iterator[Sequence[AttachedItem]]:
        yield from self._by_template
        yield from self._by_pod.values()

    def is_shared(self, item: AttachedItem) -> bool:
        """Whether other pods may use a volume too, or a VolumeAttachment holds it somewhere."""
        return bool(self._is_shared[item.volume])

    def count(self, pod: int, node: int, sign: int) -> None:
        """Count a pod's volumes on a node (``sign`` 1), or no longer (-1)."""
        if not self._concerns[self._columns.pods.template[pod]]:
            return
        for item in self.items_of(pod):
            if item.plugin != ANYWHERE and not self.migrated[item.plugin, node]:
                continue
            if self._is_shared[item.volume]:
                self._count_shared(item, node, sign)
            else:
                self.counts[item.driver, node] += sign

    def count_many(self, pods: I32 | I64, nodes: I32, sign: int) -> None:
        """Count many pods' volumes."""
        concerned = np.flatnonzero(self._concerns[self._columns.pods.template[pods]])
        for pod, node in zip(pods[concerned].tolist(), nodes[concerned].tolist(), strict=True):
            self.count(pod, node, sign)

    def counts_for(self, pod: int) -> bool:
        """Whether a pod has volumes that count."""
        return bool(self._concerns[self._columns.pods.template[pod]])

    def new_on(self, item: AttachedItem, nodes: I32) -> Mask:
        """Nodes, of some, where a volume would have to be attached for one more pod: no pod uses it there yet."""
        new = np.ones(len(nodes), np.bool_)
        if item.plugin != ANYWHERE:
            new &= self.migrated[item.plugin, nodes]
        if self._is_shared[item.volume]:
            using = [node for volume, node in self._users if volume == item.volume]
            new &= ~np.isin(nodes, using)
        return new

    def _count_shared(self, item: AttachedItem, node: int, sign: int) -> None:
        key = (item.volume, node)
        before = self._users.get(key, 0)
        after = before + sign
        if after:
            self._users[key] = after
        else:
            del self._users[key]
        if (before == 0) != (after == 0) and key not in self._held:
            self.counts[item.driver, node] += sign

    def _shared(self, attached: Sequence[tuple[int, AttachedItem]]) -> Mask:
        """By volume, whether it has to be told apart who uses it where."""
        template = self._columns.pods.template
        numbers = np.bincount(template, minlength=len(self._by_template)).tolist()
        uses: Counter[int] = Counter()
        for items, number in zip(self._by_template, numbers, strict=True):
            for item in items:
                uses[item.volume] += number
        for items in self._by_pod.values():
            uses.update(item.volume for item in items)
        shared = np.zeros(len(self._volumes), np.bool_)
        for volume, number in uses.items():
            shared[volume] = number > 1
        for _, item in attached:
            shared[item.volume] = True
        return shared

    def _items(self, template: Template, pod: str, uid: str) -> tuple[AttachedItem, ...]:
        if not template.spec.volumes:
            return ()
        found = {self._item(attachment) for attachment in attachments_of(self._storage, template, pod, uid)}
        return tuple(sorted(found))

    def _item(self, found: Attachment) -> AttachedItem:
        return AttachedItem(self._volumes.code(found.volume), self.drivers.code(found.driver), found.plugin)


def attachments_of(storage: Storage, template: Template, pod: str, uid: str) -> Iterator[Attachment]:
    """Volumes that are attached for a pod; those of claims that do not exist are left out.

    Parameters
    ----------
    pod, uid : str
        The pod's; without a name its ephemeral volumes are left out.
    """
    for volume in template.spec.volumes or ():
        if volume.persistent_volume_claim is None and volume.ephemeral is None:
            found = storage.attachment_of_inline(volume)
            if found is not None:
                yield found
    for named in claims_of_spec(template.spec):
        if named.ephemeral and not pod:
            continue
        name = ephemeral_claim_name(pod, named.ephemeral) if named.ephemeral else named.claim
        claim = storage.claims.get((template.namespace, name))
        if claim is None or (named.ephemeral and not claim.is_made_for(uid)):
            continue
        found = storage.attachment_of_claim(claim)
        if found is not None:
            yield found


def _has_ephemeral(template: Template) -> bool:
    return any(volume.ephemeral is not None for volume in template.spec.volumes or ())
