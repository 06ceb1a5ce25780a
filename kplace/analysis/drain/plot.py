"""Pictures of a drain."""

from typing import TYPE_CHECKING

from kplace.analysis.plots import moves, use

if TYPE_CHECKING:
    from kplace.analysis.drain.result import Drain
    from kplace.analysis.plots.figure import Figure
    from kplace.analysis.subject import By


class DrainPlot:
    """Pictures of a `Drain`; ``drain.plot()`` is `nodes`."""

    def __init__(self, drain: "Drain") -> None:
        self._drain = drain

    def __call__(self) -> "Figure":
        """`nodes`."""
        return self.nodes()

    def nodes(self) -> "Figure":
        """What becomes of the pods of each node that goes, in the order of the drain."""
        return moves.drained_nodes(self._drain.nodes)

    def moves(self, by: "By" = "zone") -> "Figure":
        """From where to where evicted pods go, and how many stay pending.

        Parameters
        ----------
        by : str or sequence of str, optional
            Columns of the table of nodes.
        """
        return moves.moves(self._drain.pods, self._drain.before.nodes, by)

    def utilisation(self, resource: str = "cpu") -> "Figure":
        """Requested shares of all nodes before and after, the fullest first."""
        clusters = {"before": self._drain.before, "after": self._drain.cluster}
        return use.utilisation_curve(clusters, resource=resource)
