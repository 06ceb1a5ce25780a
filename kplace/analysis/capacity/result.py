"""What asking for capacity comes to, as tables and as the report of cluster-capacity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
import pandas as pd

from kplace.analysis.capacity.count import Count
from kplace.analysis.capacity.plot import CapacityPlot
from kplace.analysis.metrics.pools import POOL
from kplace.analysis.specs import Spec, request_of
from kplace.analysis.subject import keys_of
from kplace.api import Cluster
from kplace.api.hints import listed
from kplace.frames.schema import resource_column, stamp

LIMITED = "LimitReached"
UNSCHEDULABLE = "Unschedulable"


@dataclass(frozen=True)
class Capacity:
    """How many more pods of some kinds fit.

    Attributes
    ----------
    cluster : Cluster
        The one that was asked about.
    specs : tuple of Spec
        The kinds of pods.
    counts : tuple of Count
        One for each kind; a single one if all came in turn.
    sizes : tuple of int or None
        Copies of each kind in a round, if all came in turn.
    binding : tuple of DataFrame
        For each count why no node takes the next copy: ``plugin``, ``reason``, ``nodes``, ``binding`` (those among them
        that were feasible at first).
    """

    cluster: Cluster
    specs: tuple[Spec, ...]
    counts: tuple[Count, ...]
    sizes: tuple[int, ...] | None
    binding: tuple[pd.DataFrame, ...]

    def __repr__(self) -> str:
        if self.together:
            return f"<Capacity: {self.rounds} rounds of {', '.join(spec.name for spec in self.specs)}>"
        told = [f"{len(count.nodes)} more of {spec.name}" for spec, count in zip(self.specs, self.counts, strict=True)]
        return f"<Capacity: {listed(told)}>"

    @property
    def together(self) -> bool:
        """Whether all kinds came in turn, instead of each by itself."""
        return self.sizes is not None

    @property
    def rounds(self) -> int:
        """Whole rounds that fit, if the kinds came in turn; of a single kind the number of copies."""
        return self.counts[0].rounds(self.sizes or (1,))

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per kind of pod: `kplace.analysis.schema.CAPACITY`."""
        from kplace.analysis.schema import CAPACITY

        rows = []
        for kind, spec in enumerate(self.specs):
            found, bound = self._of_kind(kind)
            best = bound.iloc[0] if len(bound) else None
            mine = found.kinds == kind if self.together else np.ones(len(found.nodes), np.bool_)
            rows.append(
                {
                    "spec": spec.name,
                    "running": spec.running,
                    "capacity": int(mine.sum()),
                    "nodes": len(np.unique(found.nodes[mine])),
                    "limited": found.stopped_by < 0,
                    "plugin": None if best is None else best["plugin"],
                    "binding": None if best is None else best["reason"],
                    "message": found.message,
                    **self._request(spec),
                }
            )
        table = pd.DataFrame(rows).fillna(
            {f"requested_{resource_column(name)}": 0 for name in self.cluster.columns.resources}
        )
        amounts = {name: "int64" for name in table.columns if name.startswith("requested_")}
        texts = dict.fromkeys(("spec", "plugin", "binding", "message"), "str")
        return stamp(table.astype(amounts | texts), CAPACITY)

    def by(self, columns: str | Sequence[str] = POOL) -> pd.DataFrame:
        """Copies by zone and pool, or by any columns of the table of nodes.

        Parameters
        ----------
        columns : str or sequence of str
            Such as ``"zone"``, ``"node"``, ``"label:KEY"``.

        Returns
        -------
        DataFrame
            The columns, ``spec`` and ``copies``; without groups that take none.
        """
        nodes = self.cluster.nodes.sort_values("position")
        keys = keys_of(nodes, columns)
        parts = []
        for kind, spec in enumerate(self.specs):
            found, _ = self._of_kind(kind)
            mine = found.nodes[found.kinds == kind] if self.together else found.nodes
            table = pd.DataFrame({name: key.iloc[mine].astype("str").array for name, key in keys.items()})
            sums = table.assign(copies=1).groupby(list(keys), dropna=False)["copies"].sum().reset_index()
            sums.insert(len(keys), "spec", spec.name)
            parts.append(sums)
        return pd.concat(parts, ignore_index=True)

    def with_copies(self, kind: int = 0) -> Cluster:
        """The cluster with the copies on their nodes, to be asked further questions.

        Parameters
        ----------
        kind : int
            Whose copies: its row in `table`; 0 if all kinds came in turn. The copy that found no node, if that is why
            there are no more, waits in it.
        """
        return Cluster(self.counts[kind].columns, self.cluster.case)

    @property
    def plot(self) -> CapacityPlot:
        """Pictures: ``plot.headroom()``, ``plot.copies("zone")``, ``plot.binding()``."""
        return CapacityPlot(self)

    def review(self) -> dict[str, Any]:
        """The answer as the report of cluster-capacity: its ``ClusterCapacityReview``, ready for JSON.

        Each kind has an entry in ``status.pods``. Kinds that were asked about one by one stand beside each other, and
        ``failReason`` is that of the first.
        """
        first = self.counts[0]
        return {
            "kind": "ClusterCapacityReview",
            "spec": {
                "templates": [self._template(spec) for spec in self.specs],
                "podRequirements": [self._requirements(spec) for spec in self.specs],
            },
            "status": {
                "creationTimestamp": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
                "replicas": sum(len(item.nodes) for item in self.counts),
                "failReason": {
                    "failType": UNSCHEDULABLE if first.stopped_by >= 0 else LIMITED,
                    "failMessage": first.message or "the number of copies asked for was reached",
                },
                "pods": [self._pod(kind) for kind in range(len(self.specs))],
            },
        }

    def _of_kind(self, kind: int) -> tuple[Count, pd.DataFrame]:
        position = 0 if self.together else kind
        return self.counts[position], self.binding[position]

    def _request(self, spec: Spec) -> dict[str, int]:
        return {f"requested_{resource_column(name)}": amount for name, amount in self._amounts(spec).items()}

    def _amounts(self, spec: Spec) -> dict[str, int]:
        return request_of(self.counts[0].columns, spec)

    def _pod(self, kind: int) -> dict[str, Any]:
        found, _ = self._of_kind(kind)
        mine = found.nodes[found.kinds == kind] if self.together else found.nodes
        numbers = np.bincount(mine, minlength=len(self.cluster.columns.nodes))
        names = self.cluster.columns.nodes.names
        stopped = found.stopped_by == (kind if self.together else 0)
        return {
            "podName": self.specs[kind].name.partition("/")[2],
            "replicasOnNodes": [
                {"nodeName": names[n], "replicas": int(numbers[n])} for n in np.flatnonzero(numbers).tolist()
            ],
            "failSummary": [
                {"reason": reason, "count": nodes} for _, reason, nodes in (found.reasons if stopped else ())
            ],
        }

    def _template(self, spec: Spec) -> dict[str, Any]:
        template = self.counts[0].columns.templates[spec.template]
        meta: dict[str, object] = {"name": spec.name.partition("/")[2], "namespace": template.namespace}
        if template.labels:
            meta["labels"] = template.labels
        return {"metadata": meta, "spec": msgspec.to_builtins(template.spec)}

    def _requirements(self, spec: Spec) -> dict[str, Any]:
        amounts = self._amounts(spec)
        primary: Mapping[str, str] = {
            name: f"{amount}m" if name == "cpu" else str(amount) for name, amount in amounts.items() if "/" not in name
        }
        return {
            "podName": spec.name.partition("/")[2],
            "resources": {
                "primaryResources": dict(primary),
                "scalarResources": {name: amount for name, amount in amounts.items() if "/" in name},
            },
            "nodeSelectors": self.counts[0].columns.templates[spec.template].spec.node_selector or {},
        }
