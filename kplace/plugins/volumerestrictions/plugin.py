"""VolumeRestrictions (upstream ``plugins/volumerestrictions``)."""

from collections.abc import Sequence

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.columns.storage import claims_of_spec
from kplace.columns.templates import Template
from kplace.dtypes import I32, NO_NODE, Code
from kplace.framework import Cycle, FilterPlugin, PreFilterExtensions, PreFilterPlugin, PreFilterResult, Verdict
from kplace.framework.events import Registration
from kplace.framework.interface import PROCEED, SKIP
from kplace.plugins import names
from kplace.plugins.volumerestrictions import hints
from kplace.plugins.volumerestrictions.disks import conflict, exclusive_disks
from kplace.plugins.volumes import claims_of, missing_claim, unresolvable

DISK_CONFLICT, CLAIM_IN_USE = range(2)
REASONS = (
    "node(s) had no available disk",
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
)


class InUse:
    """The ReadWriteOncePod claims of a pod, and how many users they have.

    Attributes
    ----------
    names : frozenset of str
    n_users : int
        One for each of the claims that pods use; and those that are tried on or off, by the name of a claim alone.
    """

    def __init__(self, claims: frozenset[str], n_users: int) -> None:
        self.names = claims
        self.n_users = n_users


class VolumeRestrictions:
    """Rules out nodes with a pod whose disk cannot be shared, and all nodes if a claim for one pod has one.

    Notes
    -----
    Like upstream, pods that are tried on or off nodes count by the names of their claims, whatever their namespace.
    """

    name = names.VOLUME_RESTRICTIONS

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Reject a pod whose claim does not exist; skip one without disks and without a claim that is in use."""
        spec = cycle.template.spec
        if not spec.volumes:
            return SKIP
        claims = set()
        for item in claims_of(cycle):
            if item.is_ephemeral:
                continue
            if item.claim is None:
                return unresolvable(missing_claim(item.name))
            if item.claim.is_for_one_pod:
                claims.add(item.name)
        users = cycle.state.shared(ClaimUsers, ClaimUsers)
        n_used = sum(users.is_placed(cycle, (cycle.template.namespace, claim)) for claim in claims)
        if not n_used and not exclusive_disks(spec):
            return SKIP
        cycle.write(self.name, InUse(frozenset(claims), n_used))
        return PROCEED

    def count_pod(self, cycle: Cycle, pod: int, node: int, sign: int) -> None:
        """See one pod more (``sign`` 1) or less (-1) on a node."""
        in_use = cycle.read(self.name, InUse)
        in_use.n_users += sign * _n_uses(cycle.state.template_of(pod), in_use.names)

    def couples(self, cycle: Cycle, template: Template) -> bool:
        """Whether pods of a template use one of the pod's claims: that is so for all nodes."""
        return _n_uses(template, cycle.read(self.name, InUse).names) > 0

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``."""
        verdict = Verdict.of_mask(np.ones(len(nodes), np.bool_), Code.UNSCHEDULABLE)
        if cycle.read(self.name, InUse).n_users > 0:
            verdict = Verdict.of_mask(np.zeros(len(nodes), np.bool_), Code.UNSCHEDULABLE, CLAIM_IN_USE)
        row = cycle.compiled(self.name, lambda template: conflict_group(cycle, template))
        if row >= 0:
            taken = cycle.state.groups.counts[row].take(nodes) > 0
            verdict.code[taken] = Code.UNSCHEDULABLE
            verdict.detail[taken] = DISK_CONFLICT
        return verdict

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Upstream's words."""
        return (REASONS[detail],)

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return hints.REGISTRATIONS


class ClaimUsers:
    """The pods that name each claim, whether or not they are on a node.

    Parameters
    ----------
    columns : ClusterColumns
    """

    def __init__(self, columns: ClusterColumns) -> None:
        self._templates: dict[tuple[str, str], list[int]] = {}
        for template in columns.templates:
            for volume in claims_of_spec(template.spec):
                if not volume.ephemeral:
                    key = (template.namespace, volume.claim)
                    self._templates.setdefault(key, []).append(template.code)

    def templates_of(self, claim: tuple[str, str]) -> Sequence[int]:
        """Codes of the templates whose pods name a claim."""
        return self._templates.get(claim, ())

    def is_placed(self, cycle: Cycle, claim: tuple[str, str]) -> bool:
        """Whether a pod on a node uses a claim."""
        state = cycle.state
        templates = self._templates.get(claim, ())
        return any(bool(np.any(state.node_of_pod[state.pods_of(code)] != NO_NODE)) for code in templates)


def conflict_group(cycle: Cycle, template: Template) -> int:
    """Row of the state's groups that counts the pods with a disk in the way of the template's; -1 without disks."""
    disks = exclusive_disks(template.spec)
    if not disks:
        return -1

    def member(other: Template) -> bool:
        return any(conflict(one, two) for one in disks for two in other.spec.volumes or ())

    return cycle.state.group((names.VOLUME_RESTRICTIONS, disks), member)


def _n_uses(template: Template, claims: frozenset[str]) -> int:
    return sum(volume.claim in claims for volume in claims_of_spec(template.spec) if not volume.ephemeral)


_pre_filter: type[PreFilterPlugin] = VolumeRestrictions
_extensions: type[PreFilterExtensions] = VolumeRestrictions
_filter: type[FilterPlugin] = VolumeRestrictions
