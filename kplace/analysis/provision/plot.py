"""Pictures of what provisioning comes to."""

from typing import TYPE_CHECKING

from kplace.analysis.plots import room, use

if TYPE_CHECKING:
    from kplace.analysis.plots.figure import Figure
    from kplace.analysis.provision.result import Provision


class ProvisionPlot:
    """Pictures of a `Provision`; ``provision.plot()`` is `plans`."""

    def __init__(self, provision: "Provision") -> None:
        self._provision = provision

    def __call__(self) -> "Figure":
        """`plans`."""
        return self.plans()

    def plans(self) -> "Figure":
        """What each plan costs beside the lower bound, and how many pods it lets in."""
        return room.plans(self._provision.table)

    def nodes(self) -> "Figure":
        """Requested share of each resource on each new node of the best plan."""
        return use.heatmap(self._provision.best.nodes)
