"""Nodes by zone, and the order in which snapshots list them while nodes come and go (upstream ``node_tree.go``)."""

from collections.abc import Iterator
from itertools import zip_longest


class NodeTree:
    """The nodes of each zone in order of addition.

    Examples
    --------
    >>> tree = NodeTree()
    >>> for node, zone in (("a1", "a"), ("a2", "a"), ("b1", "b")):
    ...     tree.add(node, zone)
    >>> list(tree)
    ['a1', 'b1', 'a2']
    >>> tree.move("a1", "a", "b")
    >>> list(tree)
    ['a2', 'b1', 'a1']
    """

    def __init__(self) -> None:
        self._zones: dict[str, dict[str, None]] = {}

    def __iter__(self) -> Iterator[str]:
        """The first node of each zone, the second of each, and so on; zones in order of their first node."""
        for rank in zip_longest(*self._zones.values()):
            yield from (name for name in rank if name is not None)

    def add(self, node: str, zone: str) -> None:
        """Put a node at the end of its zone."""
        self._zones.setdefault(zone, {})[node] = None

    def remove(self, node: str, zone: str) -> None:
        """Take a node out; a zone without nodes vanishes, and is the last one if it comes back."""
        del self._zones[zone][node]
        if not self._zones[zone]:
            del self._zones[zone]

    def move(self, node: str, old: str, new: str) -> None:
        """Put a node whose zone has changed at the end of the new one."""
        if old != new:
            self.remove(node, old)
            self.add(node, new)
