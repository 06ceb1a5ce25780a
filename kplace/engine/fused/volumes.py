"""Which pods with volumes the loop can place, and what it has to know of them.

It can where the nodes for a pod's volumes are settled before the run, and where counting what is attached is adding and
subtracting: claims are bound, or a volume of their own is to be made for them, and nobody shares a volume with others.
The nodes then become one more static mask, and attached volumes are counted like resources. The others are left to the
cycle.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kplace.columns.storage import Claim
from kplace.columns.storage.catalogue import ANYWHERE
from kplace.columns.storage.claims import LOST
from kplace.columns.storage.volumes import Topology, in_topology, reachable_from
from kplace.columns.templates import Template
from kplace.dtypes import I32, I64, Mask
from kplace.framework import Profile
from kplace.objects.core import Volume
from kplace.objects.meta import NodeSelector
from kplace.plugins.nodevolumelimits.plugin import NodeVolumeLimits
from kplace.plugins.volumebinding.find import candidates_for, has_room, is_promised, provisionable
from kplace.plugins.volumebinding.plugin import VolumeBinding
from kplace.plugins.volumerestrictions.plugin import ClaimUsers, VolumeRestrictions
from kplace.plugins.volumezone.plugin import VolumeZone
from kplace.state import ClusterState
from kplace.state.volume_bindings import SettledClaim

if TYPE_CHECKING:
    from collections.abc import Sequence

_PLUGINS = (VolumeRestrictions, NodeVolumeLimits, VolumeBinding, VolumeZone)

EVERYWHERE = 0
"""Number of the mask of pods without volumes."""
UNKNOWN = -1
"""In place of a mask: the pod is left to the cycle."""


class Place(NamedTuple):
    """Where a volume can be reached from: its node affinity, and what its labels say."""

    required: NodeSelector | None
    topology: Topology


class Making(NamedTuple):
    """Where a volume can be made: by class, size in bytes, and the node if that was settled before."""

    class_name: str
    bytes: int | None
    node: str | None


MaskKey = tuple[Place | Making, ...]
"""What the nodes for a pod's volumes follow from."""


@dataclass(frozen=True, slots=True)
class PodVolumes:
    """The volumes of all templates, as the loop sees them.

    Attributes
    ----------
    mask : int32 ndarray, shape (n_templates,)
        Number of the nodes that a template's volumes can be used on; `UNKNOWN` for templates that are left to the
        cycle.
    masks : list of bool ndarray, shape (n_nodes,)
    attached : int64 ndarray, shape (n_templates, n_drivers)
        How many volumes of each driver are attached for one pod.
    delayed : dict of int to tuple of Claim
        By template the claims that a volume is to be made for.
    """

    mask: I32
    masks: list[Mask]
    attached: I64
    delayed: dict[int, tuple[Claim, ...]]

    def settle(self, state: ClusterState, pods: I32, nodes: I32) -> None:
        """Settle the claims of pods that the loop has placed, as Reserve and PreBind do."""
        if not self.delayed:
            return
        names, bindings = state.columns.nodes.names, state.volume_bindings
        templates = state.columns.pods.template[pods].tolist()
        for pod, template, node in zip(pods.tolist(), templates, nodes.tolist(), strict=True):
            for claim in self.delayed.get(template, ()):
                bindings.settle(claim.key, SettledClaim(pod, "", names[node]))
                bindings.write(claim.key)


def volumes_of(state: ClusterState, profile: Profile) -> PodVolumes:
    """Find out which templates with volumes the loop can place."""
    templates = state.columns.templates
    n_drivers = len(state.attached.drivers) if state.attached is not None else 0
    found = PodVolumes(
        mask=np.zeros(len(templates), np.int32),
        masks=[np.ones(state.n_nodes, np.bool_)],
        attached=np.zeros((len(templates), n_drivers), np.int64),
        delayed={},
    )
    if state.attached is None:
        return found
    reader = _Reader(state, profile)
    numbers: dict[MaskKey, int] = {}
    for template in templates:
        if template.spec.volumes:
            key = reader.read(template, found)
            if key and key not in numbers:
                numbers[key] = len(found.masks)
                found.masks.append(reader.mask(key))
            found.mask[template.code] = UNKNOWN if key is None else numbers[key] if key else EVERYWHERE
    return found


class _Reader:
    """Reads the volumes of templates one by one."""

    def __init__(self, state: ClusterState, profile: Profile) -> None:
        assert state.attached is not None
        self._state = state
        self._storage = state.storage
        self._attached = state.attached
        self._users = state.shared(ClaimUsers, ClaimUsers)
        points: Sequence[Sequence[object]] = (profile.pre_filter, profile.filter)
        self._knows = all(any(isinstance(plugin, kind) for plugin in point) for point in points for kind in _PLUGINS)
        binders = [plugin for plugin in profile.reserve if isinstance(plugin, VolumeBinding)]
        self._binds = bool(binders) and not any(plugin.scores_storage for plugin in binders)
        self._binds &= any(isinstance(plugin, VolumeBinding) for plugin in profile.pre_bind)
        self._examples: dict[Making, Claim] = {}
        self._n_pods = np.bincount(state.columns.pods.template, minlength=len(state.columns.templates)).tolist()

    def read(self, template: Template, found: PodVolumes) -> MaskKey | None:
        """What the nodes for a template's volumes follow from, None to leave it to the cycle. Fills in ``found``."""
        parts: MaskKey = ()
        delayed: tuple[Claim, ...] = ()
        for volume in template.spec.volumes or ():
            if volume.persistent_volume_claim is None:
                if _matters(volume):
                    return None
                continue
            claim = self._storage.claims.get((template.namespace, volume.persistent_volume_claim.claim_name))
            if claim is None or not self._is_usable(claim):
                return None
            if claim.is_bound:
                bound = self._storage.volumes.get(claim.volume_name)
                if bound is None:
                    return None
                parts += (Place(bound.required, bound.topology),)
            elif claim in delayed or not self._is_made_anew(claim):
                return None
            else:
                delayed += (claim,)
                parts += (self._making(claim),)
        if not self._knows or not self._count(template, found):
            return None
        if delayed:
            found.delayed[template.code] = delayed
        return parts

    def mask(self, key: MaskKey) -> Mask:
        """Nodes on which all of a pod's volumes can be used."""
        mask = np.ones(self._state.n_nodes, np.bool_)
        for part in key:
            if isinstance(part, Making):
                claim = self._examples[part]
                mask &= provisionable(self._state, claim) & has_room(self._storage, claim)
                if part.node is not None:
                    mask &= np.arange(len(mask)) == self._storage.nodes.index.get(part.node, UNKNOWN)
            else:
                mask &= reachable_from(self._storage.nodes, part.required)
                if part.topology:
                    mask &= in_topology(self._storage.nodes, part.topology)
        return mask

    def _making(self, claim: Claim) -> Making:
        making = Making(claim.class_name, claim.bytes, claim.selected_node)
        self._examples.setdefault(making, claim)
        return making

    def _is_usable(self, claim: Claim) -> bool:
        """Whether a claim is in order, and if one pod alone may use it, no other one does."""
        item = claim.item
        if item.status.phase == LOST or item.metadata.deletion_timestamp:
            return False
        return not claim.is_for_one_pod or self._has_one_user(claim)

    def _has_one_user(self, claim: Claim) -> bool:
        templates = self._users.templates_of(claim.key)
        return len(templates) == 1 and self._n_pods[templates[0]] == 1

    def _is_made_anew(self, claim: Claim) -> bool:
        """Whether a volume is made for an unbound claim wherever its pod goes, and for nobody else."""
        return (
            self._binds
            and not claim.volume_name
            and self._storage.waits(claim)
            and self._has_one_user(claim)
            and claim.key not in self._state.volume_bindings.settled
            and not self._might_get_one(claim)
        )

    def _might_get_one(self, claim: Claim) -> bool:
        """Whether there are volumes that would do for a claim, or that it was promised."""
        if not self._storage.of_class(claim.class_name):
            return False
        return is_promised(self._state, claim) or bool(candidates_for(self._state, claim).volumes)

    def _count(self, template: Template, found: PodVolumes) -> bool:
        """Count what is attached for a pod; False if that is not the same whatever others do. Fills in ``found``."""
        for item in self._attached.items_of_template(template.code):
            if item.plugin != ANYWHERE or self._attached.is_shared(item):
                return False
            found.attached[template.code, item.driver] += 1
        return True


def _matters(volume: Volume) -> bool:
    """Whether a volume that is no claim matters to a plugin."""
    return bool(
        volume.ephemeral
        or volume.gce_persistent_disk
        or volume.aws_elastic_block_store
        or volume.azure_disk
        or volume.cinder
        or volume.iscsi
        or volume.rbd
    )
