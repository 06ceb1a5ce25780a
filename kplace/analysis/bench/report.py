"""What a benchmark of plugins has found, as a table and as a file."""

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from kplace.errors import Fault, InputError
from kplace.io.atomic import writing

FORMAT = "kplace bench 1"


@dataclass(frozen=True, slots=True)
class Cost:
    """What one plugin costs at one extension point in a cluster of one size.

    Attributes
    ----------
    plugin, point : str
    nodes : int
        Number of nodes of the cluster.
    pod : str
        The pod that takes the longest there; the figures are those of this pod.
    asked : int
        Number of nodes that the plugin is asked about for it.
    ns : tuple of float
        Nanoseconds of one call, a figure per round.
    share : float or None
        Part of the time that all plugins take for the pods together, from 0 to 1; None at PostFilter, which only pods
        come by that fit nowhere.
    """

    plugin: str
    point: str
    nodes: int
    pod: str
    asked: int
    ns: tuple[float, ...]
    share: float | None

    @property
    def median_ns(self) -> float:
        """Nanoseconds of one call, the median of the rounds."""
        return float(np.median(self.ns))

    @property
    def quartiles(self) -> tuple[float, float]:
        """Nanoseconds between which half of the rounds lie."""
        low, high = np.quantile(self.ns, (0.25, 0.75))
        return float(low), float(high)

    @property
    def ns_per_node(self) -> float:
        """Nanoseconds for each node that is asked about."""
        return self.median_ns / max(self.asked, 1)

    @property
    def nodes_per_second(self) -> float:
        """Nodes that are answered for in a second."""
        return 1e9 * self.asked / max(self.median_ns, 1e-9)

    @property
    def key(self) -> tuple[str, str, int]:
        """What two runs are compared by."""
        return self.plugin, self.point, self.nodes


@dataclass(frozen=True, slots=True)
class BenchReport:
    """What `kplace.bench` has measured.

    Attributes
    ----------
    costs : tuple of Cost
        By number of nodes, then in the order in which a cycle comes by them.
    version : str
        Of kplace.
    scheduler : str
        Name of the profile.
    rounds : int
    probe_ns : float
        What a fixed piece of work took on the machine at the same time: see `kplace.analysis.bench.timing.probe_ns`.
    """

    costs: tuple[Cost, ...]
    version: str
    scheduler: str
    rounds: int
    probe_ns: float

    def only(self, plugins: frozenset[str]) -> "BenchReport":
        """The same with some plugins' costs alone."""
        return replace(self, costs=tuple(cost for cost in self.costs if cost.plugin in plugins))

    @property
    def table(self) -> pd.DataFrame:
        """A row per plugin, extension point and size.

        Returns
        -------
        DataFrame
            Columns ``plugin``, ``point``, ``nodes``, ``pod``, ``asked``, ``ns`` (of one call: the median of the
            rounds), ``ns_low`` and ``ns_high`` (its quartiles), ``ns_per_node``, ``nodes_per_second``, ``share``.
        """
        rows = [
            {
                "plugin": cost.plugin,
                "point": cost.point,
                "nodes": cost.nodes,
                "pod": cost.pod,
                "asked": cost.asked,
                "ns": cost.median_ns,
                "ns_low": cost.quartiles[0],
                "ns_high": cost.quartiles[1],
                "ns_per_node": cost.ns_per_node,
                "nodes_per_second": cost.nodes_per_second,
                "share": np.nan if cost.share is None else cost.share,
            }
            for cost in self.costs
        ]
        return pd.DataFrame(rows, columns=list(_COLUMNS))

    def to_json(self, target: str | os.PathLike[str] | IO[bytes]) -> None:
        """Write everything, every round's figure too, so that another run can be compared with it.

        Raises
        ------
        OutputError
            The file cannot be written; nothing is left of it then.
        """
        record = {"format": FORMAT, **asdict(self)}
        with writing(target) as file:
            file.write(json.dumps(record, indent=1).encode() + b"\n")

    @staticmethod
    def read(path: str | os.PathLike[str]) -> "BenchReport":
        """Read what `to_json` has written.

        Raises
        ------
        InputError
            It is something else.
        OSError
            The file cannot be read.
        """
        try:
            record = json.loads(Path(path).read_bytes())
            if record.pop("format") != FORMAT:
                raise ValueError
            costs = tuple(_cost(item) for item in record.pop("costs"))
            return BenchReport(costs=costs, **record)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            msg = f"expected what kplace bench plugins --out FILE.json writes ({FORMAT!r})"
            raise InputError([Fault(str(path), "", "", msg)]) from error


_COLUMNS = (
    *("plugin", "point", "nodes", "pod", "asked"),
    *("ns", "ns_low", "ns_high", "ns_per_node", "nodes_per_second", "share"),
)


def _cost(item: dict[str, Any]) -> Cost:
    return Cost(**{**item, "ns": tuple(float(value) for value in item["ns"])})
