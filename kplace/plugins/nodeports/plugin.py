"""NodePorts (upstream ``plugins/nodeports``)."""

from collections.abc import Sequence
from typing import NamedTuple

from kplace.columns.cluster import ClusterColumns
from kplace.columns.templates import Template
from kplace.config.versions import V1_34, Behaviour
from kplace.dtypes import I32, Code
from kplace.framework import Cycle, FilterPlugin, PreFilterResult, Verdict
from kplace.framework.events import Registration
from kplace.framework.interface import PROCEED, SKIP, PreFilterPlugin
from kplace.plugins import names
from kplace.plugins.nodeports import hints
from kplace.plugins.nodeports.ports import HostPort, conflicts, host_ports
from kplace.state import ClusterState

REASON = "node(s) didn't have free ports for the requested pod ports"


class NodePorts:
    """Rules out nodes on which a pod holds a host port that this one wants.

    Parameters
    ----------
    behaviour : Behaviour, optional
        That of another release.

    Notes
    -----
    Pods with a conflicting port are counted by node. Upstream keeps the set of ports in use instead, so that of two
    pods which were forced onto one node with the same port the first to leave frees it there; here the second holds it
    still.
    """

    name = names.NODE_PORTS
    is_local = True

    def __init__(self, *, behaviour: Behaviour = V1_34) -> None:
        self._sidecars = behaviour.sidecar_ports

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Skip a pod without host ports."""
        table = port_table(cycle.state, sidecars=self._sidecars)
        return PROCEED if table.by_template[cycle.template.code] else SKIP

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``."""
        row = self.conflicting(cycle)
        return Verdict.of_mask(cycle.state.groups.counts[row].take(nodes) == 0, Code.UNSCHEDULABLE)

    def conflicting(self, cycle: Cycle) -> int:
        """Row of the state's groups that counts the pods whose host ports conflict with the pod's."""
        return cycle.compiled_by_shape(
            (self.name, self._sidecars),
            lambda template: conflict_group(cycle.state, template, sidecars=self._sidecars),
        )

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return hints.registrations(sidecars=self._sidecars)

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Upstream's words."""
        return (REASON,)


class PortTable(NamedTuple):
    """The host ports of all templates.

    Attributes
    ----------
    by_template : list of frozenset of HostPort
    users : dict of (str, int) to list of int
        By protocol and number, the codes of the templates with such a port at any address.
    """

    by_template: list[frozenset[HostPort]]
    users: dict[tuple[str, int], list[int]]


def port_table(state: ClusterState, *, sidecars: bool = True) -> PortTable:
    """Host ports of all templates, those of sidecars included or not."""
    return state.shared((PortTable, sidecars), lambda columns: _collect(columns, sidecars=sidecars))


def _collect(columns: ClusterColumns, *, sidecars: bool) -> PortTable:
    table = PortTable([host_ports(template.spec, sidecars=sidecars) for template in columns.templates], {})
    for code, ports in enumerate(table.by_template):
        for pair in {(port.protocol, port.port) for port in ports}:
            table.users.setdefault(pair, []).append(code)
    return table


def conflict_group(state: ClusterState, template: Template, *, sidecars: bool = True) -> int:
    """Row of the state's groups that counts the pods whose host ports conflict with the template's."""
    table = port_table(state, sidecars=sidecars)
    wanted = table.by_template[template.code]

    def member(other: Template) -> bool:
        return any(conflicts(one, two) for one in wanted for two in table.by_template[other.code])

    among = {code for port in wanted for code in table.users[port.protocol, port.port]}
    return state.group((names.NODE_PORTS, sidecars, wanted), member, among=among)


_pre_filter: type[PreFilterPlugin] = NodePorts
_filter: type[FilterPlugin] = NodePorts
