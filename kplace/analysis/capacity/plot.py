"""Pictures of a capacity."""

from typing import TYPE_CHECKING

from kplace.analysis.metrics.pools import POOL
from kplace.analysis.plots import room

if TYPE_CHECKING:
    from kplace.analysis.capacity.result import Capacity
    from kplace.analysis.plots.figure import Figure
    from kplace.analysis.subject import By


class CapacityPlot:
    """Pictures of a `Capacity`; ``capacity.plot()`` is `headroom`."""

    def __init__(self, capacity: "Capacity") -> None:
        self._capacity = capacity

    def __call__(self) -> "Figure":
        """`headroom`."""
        return self.headroom()

    def headroom(self) -> "Figure":
        """How many more pods of each kind fit; the colour says which plugin keeps the next one out."""
        return room.headroom(self._capacity.table)

    def copies(self, by: "By" = POOL) -> "Figure":
        """Where the copies go, by zone and pool, or by any columns of the table of nodes.

        Parameters
        ----------
        by : str or sequence of str
            As for `Capacity.by`.
        """
        return room.copies(self._capacity.by(by or POOL), by or POOL)

    def binding(self, kind: int = 0) -> "Figure":
        """Why no node takes one more of a kind, and how many of those nodes could take the first copy.

        Parameters
        ----------
        kind : int
            Its row in `Capacity.table`; 0 if all kinds came in turn.
        """
        return room.binding(self._capacity.binding[kind])
