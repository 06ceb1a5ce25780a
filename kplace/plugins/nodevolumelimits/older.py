"""EBSLimits, GCEPDLimits, AzureDiskLimits and CinderLimits: in-tree disks by node, before CSI drivers took them over.

Configurations before v1 name them (upstream ``nodevolumelimits/non_csi.go``). Where a CSINode says that the in-tree
plugin has become a CSI driver they are silent, and NodeVolumeLimits counts instead.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from kplace.columns.nodes import NodeColumns
from kplace.columns.storage import Claim, claims_of_spec
from kplace.columns.storage.catalogue import PLUGINS
from kplace.columns.storage.in_tree import AZURE_DISK, CINDER, EBS, GCE_PD
from kplace.columns.templates import Template
from kplace.dtypes import I32, I64, Code, Mask
from kplace.errors import AttemptError
from kplace.framework import Cycle, FilterPlugin, Verdict
from kplace.objects.storage import VolumeSource
from kplace.plugins.nodevolumelimits.plugin import REASON
from kplace.plugins.volumes import claims_of, missing_claim, not_owner, pod_uid
from kplace.state import ClusterState

_INSTANCE_TYPES = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_NITRO = re.compile(r"^[cmr]5.*|t3|z1d")
_EBS_MAX, _NITRO_MAX = 39, 25


@dataclass(frozen=True, slots=True)
class Disks:
    """One kind of in-tree disks.

    Attributes
    ----------
    plugin : str
        Its name as a provisioner.
    resource : str
        The allocatable resource by which a node says how many it attaches.
    most : int
        How many a node attaches that does not say.
    name_of : callable
        A disk's name; None for a volume that is none.
    """

    plugin: str
    resource: str
    most: int
    name_of: Callable[[VolumeSource], str | None]


def _ebs(source: VolumeSource) -> str | None:
    return source.aws_elastic_block_store.volume_id if source.aws_elastic_block_store is not None else None


def _gce(source: VolumeSource) -> str | None:
    return source.gce_persistent_disk.pd_name if source.gce_persistent_disk is not None else None


def _azure(source: VolumeSource) -> str | None:
    return source.azure_disk.disk_name if source.azure_disk is not None else None


def _cinder(source: VolumeSource) -> str | None:
    return source.cinder.volume_id if source.cinder is not None else None


KINDS = {
    "EBSLimits": Disks(EBS, "attachable-volumes-aws-ebs", _EBS_MAX, _ebs),
    "GCEPDLimits": Disks(GCE_PD, "attachable-volumes-gce-pd", 16, _gce),
    "AzureDiskLimits": Disks(AZURE_DISK, "attachable-volumes-azure-disk", 16, _azure),
    "CinderLimits": Disks(CINDER, "attachable-volumes-cinder", 256, _cinder),
}


class InTreeLimits:
    """Rules out nodes that cannot attach one more pod's disks of a kind.

    Claims of ephemeral volumes count for the pod itself only, and not for pods that are there already.

    Parameters
    ----------
    name : str
        One of `KINDS`.
    """

    is_local = True

    def __init__(self, name: str) -> None:
        self.name = name
        self._disks = KINDS[name]

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``.

        Raises
        ------
        AttemptError
            A claim of the pod does not exist, or an ephemeral one is somebody else's.
        """
        state = cycle.state
        _check(cycle)
        own = {
            name for item in claims_of(cycle) if item.claim is not None for name in self._of_claim(state, item.claim)
        }
        own |= set(self._inline(cycle.template))
        passes = np.ones(len(nodes), np.bool_)
        if own:
            used, new = self._counts(state, own)
            passes = (used + new <= self._most(state)) | self._is_migrated(state)
        return Verdict.of_mask(passes.take(nodes) if own else passes, Code.UNSCHEDULABLE)

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Upstream's words."""
        return (REASON,)

    def _counts(self, state: ClusterState, own: set[str]) -> tuple[I64, I64]:
        """Numbers of disks in use on each node, and of those among the pod's own that are not, shape (n_nodes,)."""
        table = state.shared((self.name, "disks"), lambda _columns: self._users(state))
        used, new = np.zeros(state.n_nodes, np.int64), np.full(state.n_nodes, len(own), np.int64)
        for disk, templates in table.items():
            row = state.group((self.name, disk), _is_any, among=templates)
            present = state.groups.counts[row] > 0
            used += present
            if disk in own:
                new -= present
        return used, new

    def _users(self, state: ClusterState) -> dict[str, list[int]]:
        """Codes of the templates that use each disk."""
        users: dict[str, list[int]] = {}
        for template in state.columns.templates:
            if template.spec.volumes:
                for disk in {*self._inline(template), *self._of_claims(state, template)}:
                    users.setdefault(disk, []).append(template.code)
        return users

    def _inline(self, template: Template) -> Iterator[str]:
        for volume in template.spec.volumes or ():
            name = self._disks.name_of(volume)
            if name is not None:
                yield name

    def _of_claims(self, state: ClusterState, template: Template) -> Iterator[str]:
        for volume in claims_of_spec(template.spec):
            claim = state.storage.claims.get((template.namespace, volume.claim))
            if claim is not None:
                yield from self._of_claim(state, claim)

    def _of_claim(self, state: ClusterState, claim: Claim) -> Iterator[str]:
        """The disk of a claim; one that is not known yet goes by the claim's name (``filterVolumes``)."""
        found = state.storage.volumes.get(claim.volume_name) if claim.volume_name else None
        if found is not None:
            name = self._disks.name_of(found.item.spec)
            if name is not None:
                yield name
            return
        own = state.storage.classes.get(claim.item.spec.storage_class_name or "")
        if own is not None and own.provisioner == self._disks.plugin:
            yield f"(unbound)-{claim.full_name}"

    def _is_migrated(self, state: ClusterState) -> Mask:
        if state.attached is None:
            return np.zeros(state.n_nodes, np.bool_)
        return state.attached.migrated[PLUGINS.index(self._disks.plugin)]

    def _most(self, state: ClusterState) -> I64:
        """How many disks each node attaches."""
        most = np.full(state.n_nodes, self._disks.most, np.int64)
        if self._disks.plugin == EBS:
            most[_is_nitro(state.columns.nodes)] = _NITRO_MAX
        row = state.columns.resources.find(self._disks.resource)
        if row >= 0:
            said = state.resources.allocatable[row]
            most = np.where(said > 0, said, most)
        return most


def _check(cycle: Cycle) -> None:
    namespace = cycle.template.namespace
    for item in claims_of(cycle):
        if item.claim is None:
            msg = f"looking up PVC {namespace}/{item.name}: {missing_claim(item.name)}"
            raise AttemptError(msg)
        if item.is_ephemeral and not item.claim.is_made_for(pod_uid(cycle)):
            raise AttemptError(not_owner(item.claim, namespace, cycle.pod_name))


def _is_nitro(nodes: NodeColumns) -> Mask:
    """Nodes of an instance type that attaches fewer EBS volumes."""
    found = np.zeros(len(nodes), np.bool_)
    labelled = np.zeros(len(nodes), np.bool_)
    for key in _INSTANCE_TYPES:
        codes = nodes.label_codes(key)
        # The code of an absent label is -1, hence it reads the last entry.
        known = np.array([*(bool(_NITRO.search(value)) for value in nodes.label_values(key)), False], np.bool_)
        found |= known[codes] & ~labelled
        labelled |= codes >= 0
    return found


def _is_any(_template: Template) -> bool:
    return True


_filter: type[FilterPlugin] = InTreeLimits
