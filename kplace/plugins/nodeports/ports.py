"""Host ports, and which of them exclude each other."""

from typing import NamedTuple

from kplace.objects.core import PodSpec

ANY_ADDRESS = "0.0.0.0"


class HostPort(NamedTuple):
    """A port of the node that a container takes, with the defaults filled in."""

    address: str
    protocol: str
    port: int


def host_ports(spec: PodSpec, *, sidecars: bool = True) -> frozenset[HostPort]:
    """Host ports of a pod's containers and sidecars; plain init containers have ended when others start.

    Parameters
    ----------
    sidecars : bool
        False leaves sidecars out, as releases before v1.34 do.

    Notes
    -----
    Mirrors upstream's ``GetHostPorts`` and ``HostPortInfo.sanitize``: no address means all addresses, no protocol TCP.
    """
    initial = [item for item in spec.init_containers or () if sidecars and item.restart_policy == "Always"]
    return frozenset(
        HostPort(port.host_ip or ANY_ADDRESS, port.protocol or "TCP", port.host_port)
        for container in (*initial, *(spec.containers or ()))
        for port in container.ports or ()
        if port.host_port > 0
    )


def conflicts(one: HostPort, other: HostPort) -> bool:
    """Whether two host ports exclude each other on a node: same protocol and number, and addresses that meet.

    Examples
    --------
    >>> conflicts(HostPort("0.0.0.0", "TCP", 80), HostPort("10.0.0.1", "TCP", 80))
    True
    >>> conflicts(HostPort("10.0.0.2", "TCP", 80), HostPort("10.0.0.1", "TCP", 80))
    False
    """
    if one.protocol != other.protocol or one.port != other.port:
        return False
    return one.address == other.address or ANY_ADDRESS in (one.address, other.address)
