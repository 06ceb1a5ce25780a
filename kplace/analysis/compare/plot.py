"""Pictures of a comparison."""

from typing import TYPE_CHECKING

from kplace.analysis.plots import moves, use

if TYPE_CHECKING:
    from kplace.analysis.compare.pairs import Comparison
    from kplace.analysis.plots.figure import Figure


class ComparisonPlot:
    """Pictures of a `Comparison`; ``comparison.plot()`` is `changes`."""

    def __init__(self, comparison: "Comparison") -> None:
        self._comparison = comparison

    def __call__(self) -> "Figure":
        """`changes`."""
        return self.changes()

    def changes(self) -> "Figure":
        """Pods that the runs disagree on, by what happened to them and what made the difference."""
        return moves.changes(self._comparison.pods)

    def figures(self) -> "Figure":
        """Utilisation, its spread over nodes and what is stranded, of both runs."""
        return moves.figures(self._comparison.figures)

    def utilisation(self, resource: str = "cpu") -> "Figure":
        """Requested shares of all nodes in both runs, the fullest first."""
        runs = {"before": self._comparison.before.nodes, "after": self._comparison.after.nodes}
        return use.utilisation_curve(runs, resource=resource)
