"""Changes of host ports that might let a pod in."""

from collections.abc import Iterator, Mapping
from functools import partial

from msgspec import structs

from kplace.analysis.why.changes import Change, with_spec
from kplace.columns import ClusterColumns
from kplace.objects.core import Container, ContainerPort, PodSpec
from kplace.plugins import names
from kplace.plugins.nodeports.ports import HostPort, host_ports

LAST_PORT = 65535


def host_port_changes(columns: ClusterColumns, pod: int, says: Mapping[int, str]) -> Iterator[Change]:
    """Another host port in the place of each, the next one that no pod of the cluster wants, or none at all."""
    if names.NODE_PORTS not in says.values():
        return
    spec = columns.templates[columns.pods.template[pod]].spec
    used = {(own.protocol, own.port) for item in columns.templates for own in host_ports(item.spec)}
    for wanted in sorted(host_ports(spec)):
        name = f"{wanted.port}/{wanted.protocol}"
        numbers = range(wanted.port + 1, LAST_PORT + 1)
        free = next((port for port in numbers if (wanted.protocol, port) not in used), None)
        if free is not None:
            changed = partial(with_spec, columns, pod, _with_port(spec, wanted, free))
            yield Change("host port", f"host port {free} instead of {name}", 1, changed, pod)
        changed = partial(with_spec, columns, pod, _with_port(spec, wanted, 0))
        yield Change("host port", f"leave the host port {name} out", 2, changed, pod)


def _with_port(spec: PodSpec, wanted: HostPort, port: int) -> PodSpec:
    """A spec with another number for a host port; 0 for none."""

    def changed(containers: tuple[Container, ...] | None) -> tuple[Container, ...] | None:
        if containers is None:
            return None
        return tuple(
            structs.replace(item, ports=tuple(_changed(own, wanted, port) for own in item.ports))
            if item.ports
            else item
            for item in containers
        )

    return structs.replace(spec, containers=changed(spec.containers), init_containers=changed(spec.init_containers))


def _changed(own: ContainerPort, wanted: HostPort, port: int) -> ContainerPort:
    is_it = own.host_port == wanted.port and (own.protocol or "TCP") == wanted.protocol
    return structs.replace(own, host_port=port) if is_it else own
