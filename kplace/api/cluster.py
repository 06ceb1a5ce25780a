"""A cluster as users hold it: columns inside, DataFrames outside."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kplace.columns import ClusterColumns, Note
from kplace.frames.nodes import nodes_frame
from kplace.frames.pods import pods_frame

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Case:
    """What a golden case file sets beside its objects.

    Attributes
    ----------
    percentage_of_nodes_to_score : int or None
    """

    percentage_of_nodes_to_score: int | None = None


class Cluster:
    """Nodes, pods and all else that placing pods depends on; never modified.

    Parameters
    ----------
    columns : ClusterColumns
    case : Case, optional
        Settings of a golden case file, if the cluster was read from one.
    """

    def __init__(self, columns: ClusterColumns, case: Case | None = None) -> None:
        self.columns = columns
        self.case = case

    @property
    def notes(self) -> list[Note]:
        """What the input lacks or holds that a user should know."""
        return self.columns.notes

    @cached_property
    def nodes(self) -> "pd.DataFrame":
        """One row per node: `kplace.frames.schema.NODES`."""
        return nodes_frame(self.columns)

    @cached_property
    def pods(self) -> "pd.DataFrame":
        """One row per pod: `kplace.frames.schema.PODS`."""
        return pods_frame(self.columns)

    def __repr__(self) -> str:
        waiting = int(self.columns.pods.waiting.sum())
        return f"<Cluster: {len(self.columns.nodes)} nodes, {len(self.columns.pods)} pods, {waiting} of them waiting>"


def read(*sources: str | Path) -> Cluster:
    """Read a cluster."""
    import gzip
    import json

    import msgspec

    from kplace.columns import ClusterBuilder
    from kplace.objects import core, policy, storage, workloads

    kinds = {
        n: getattr(m, n) for m in (core, workloads, policy, storage) for n in dir(m) if isinstance(getattr(m, n), type)
    }
    builder = ClusterBuilder()
    case = None
    for source in sources:
        data = Path(source).read_bytes()
        found = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
        if "objects" in found:
            case = Case((found.get("config") or {}).get("percentageOfNodesToScore"))
        for item in found.get("objects") or found.get("items") or [found]:
            if item["kind"] in kinds:
                kind = item["kind"]
                builder.add(kind, msgspec.convert(item, kinds[kind]), json.dumps(item).encode(), str(source))
    return Cluster(builder.finish(), case)
