"""Ports of a node as descriptions have them: a number, with a protocol and an address of the node if need be."""

from kplace.objects.core import ContainerPort
from kplace.plugins.nodeports.ports import ANY_ADDRESS, HostPort

PROTOCOLS = ("TCP", "UDP", "SCTP")
_LARGEST = 65535


def parse_port(text: str | int) -> ContainerPort:
    """Read a port.

    Raises
    ------
    ValueError
        It is none.

    Examples
    --------
    >>> parse_port("10.0.0.1:53/UDP").host_port, parse_port(80).protocol
    (53, 'TCP')
    """
    address, _, rest = f"{text}".rpartition(":")
    number, _, protocol = rest.partition("/")
    if not number.isdecimal() or not 1 <= int(number) <= _LARGEST or (protocol or "TCP") not in PROTOCOLS:
        msg = f'expected a port from 1 to {_LARGEST}, such as 8080, "53/UDP" or "10.0.0.1:80/TCP", got "{text}"'
        raise ValueError(msg)
    return ContainerPort(int(number), int(number), address, protocol or "TCP")


def port_text(port: HostPort) -> str | int:
    """Write a port as `parse_port` reads it.

    Examples
    --------
    >>> port_text(HostPort("0.0.0.0", "TCP", 80)), port_text(HostPort("10.0.0.1", "UDP", 53))
    (80, '10.0.0.1:53/UDP')
    """
    address = "" if port.address == ANY_ADDRESS else f"{port.address}:"
    if not address and port.protocol == "TCP":
        return port.port
    return f"{address}{port.port}" + ("" if port.protocol == "TCP" else f"/{port.protocol}")
