"""What rescoring comes to, as tables."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kplace.analysis.figures import cluster_figures
from kplace.analysis.metrics.room import smallest_needs
from kplace.analysis.plots import chance
from kplace.analysis.rescore.drift import Rejection
from kplace.analysis.rescore.moves import Moves, Standing
from kplace.analysis.schema import (
    RESCORE_FIGURES,
    RESCORE_MOVES,
    RESCORE_PLUGINS,
    RESCORE_PODS,
    RESCORE_WORKLOADS,
)
from kplace.analysis.workloads import Workloads
from kplace.api import Cluster
from kplace.columns.release import released
from kplace.dtypes import I32, I64, NO_NODE, Mask
from kplace.engine.fused.scores import OUTSIDE
from kplace.engine.moving.rescore import Rescored
from kplace.frames.build import Values, category, category_of, frame, node_category, nullable, texts
from kplace.frames.pods import owner_part
from kplace.frames.schema import stamp

if TYPE_CHECKING:
    from kplace.analysis.plots.figure import Figure

OUTCOMES = ("stays", "moves", "pending")
_STAYS, _MOVES, _PENDING = range(3)
_NOTHING = np.iinfo(np.int64).min


@dataclass(frozen=True)
class Rescore:
    """Pods on nodes, each scored against the cluster without it.

    Attributes
    ----------
    before : Cluster
        As the release sees it.
    rows : int32 ndarray, shape (k,)
        The pods, as rows of its table of pods.
    plugins : tuple of str
        Those that score, and extenders.
    scored : Rescored
        What the scheduler says of each.
    rejections : dict of int to Rejection
        By position, why a pod's own node would not do today.
    blocking : list of str
        By position, the disruption budgets that allow no eviction now, joined by commas.
    greedy : Moves
    share : float
        Which part of the gain `enough` moves bring.
    """

    before: Cluster
    rows: I32
    plugins: tuple[str, ...]
    scored: Rescored
    rejections: dict[int, Rejection]
    blocking: list[str]
    greedy: Moves
    share: float

    def __repr__(self) -> str:
        drifted, regret = self.standing
        head = f"{self.would_move} of {len(self.rows)} pods would move, {drifted} drifted, regret {regret}"
        return f"<Rescore: {head}; {len(self.greedy.steps)} moves, regret {self.after.regret}>"

    @property
    def standing(self) -> Standing:
        """Pods that have drifted, and the regret of all others together."""
        return Standing.of(self.scored)

    @property
    def after(self) -> Standing:
        """The same after the moves."""
        return self.greedy.rounds[-1].after if self.greedy.rounds else self.standing

    @property
    def enough(self) -> int:
        """How few of the moves mend what all of them do, and bring `share` of their gain."""
        return self.greedy.enough(self.share)

    @property
    def would_move(self) -> int:
        """Pods whose own node is not among the best."""
        return int((self._outcome == _MOVES).sum())

    @property
    def cluster(self) -> Cluster:
        """The cluster after the moves: the moved pods are made anew, on their new nodes."""
        moved = np.array(sorted({step.pod for step in self.greedy.steps}), np.int32)
        columns = released(self.before.columns, moved)
        node = columns.pods.node.copy()
        node[moved] = self.greedy.columns.pods.node[moved]
        return Cluster(replace(columns, pods=replace(columns.pods, node=node)), self.before.case)

    @cached_property
    def pods(self) -> pd.DataFrame:
        """One row per pod, those with most to gain first: `kplace.analysis.schema.RESCORE_PODS`."""
        columns, rows, found = self.before.columns, self.rows, self.scored
        pods, by_position = columns.pods, range(len(rows))
        table: dict[str, Values] = {
            "namespace": category(pods.namespace[rows], list(pods.namespaces)),
            "pod": texts([pods.names[pod] for pod in rows.tolist()]),
            **owner_part(columns, pods.template[rows]),
            "priority": pods.priority[rows],
            "node": node_category(columns.nodes, pods.node[rows]),
            "outcome": category(self._outcome, OUTCOMES),
            "best_node": node_category(columns.nodes, found.node),
            "regret": nullable(self._regret, _NOTHING),
            "total": nullable(found.own, OUTSIDE),
            "best_total": nullable(found.best, OUTSIDE),
            "ties": found.ties,
            "feasible": found.feasible,
            "plugin": category(self._decider, self.plugins),
            "rejected_by": category_of([self._rejected_by(at) for at in by_position]),
            "reason": texts([self.rejections[at].reason if at in self.rejections else "" for at in by_position]),
            "budgets_blocking": texts(self.blocking),
        }
        for number, name in enumerate(self.plugins):
            table[f"difference_{name}"] = nullable(np.where(self._fits, self._differences[number], _NOTHING), _NOTHING)
        table["row"] = rows
        order = np.lexsort((rows, -np.where(self._fits, found.best - found.own, 0), self._fits))
        listed = frame(table, len(rows)).iloc[order].reset_index(drop=True)
        return stamp(listed, RESCORE_PODS)

    @cached_property
    def by_plugin(self) -> pd.DataFrame:
        """One row per plugin: `kplace.analysis.schema.RESCORE_PLUGINS`."""
        rejecting = [item.plugin for item in self.rejections.values()]
        names = list(dict.fromkeys([*self.plugins, *sorted(filter(None, rejecting))]))
        gaining = self._fits & (self._outcome == _MOVES)
        decides = np.bincount(self._decider[self._decider >= 0], minlength=len(self.plugins))
        sums = self._differences[:, gaining].sum(axis=1)
        count = len(names) - len(self.plugins)
        table = {
            "plugin": texts(names),
            "decides": np.append(decides, np.zeros(count, np.int64)).astype(np.int64),
            "difference": np.append(sums, np.zeros(count, np.int64)).astype(np.int64),
            "rejects": np.array([rejecting.count(name) for name in names], np.int64),
        }
        return stamp(frame(table, len(names)), RESCORE_PLUGINS)

    @cached_property
    def workloads(self) -> pd.DataFrame:
        """One row per workload, those with most to gain first: `kplace.analysis.schema.RESCORE_WORKLOADS`."""
        own = Workloads(self.before.columns)
        used, which = np.unique(own.of_pod[self.rows], return_inverse=True)
        regret = np.where(self._fits, self.scored.best - self.scored.own, 0)

        def sums(values: Mask | I64) -> I64:
            total = np.zeros(len(used), np.int64)
            np.add.at(total, which, values.astype(np.int64))
            return total

        largest = np.zeros(len(used), np.int64)
        np.maximum.at(largest, which, regret)
        table = {
            "workload": texts(own.names(used)),
            "kind": category_of([own.keys[row][1] for row in used.tolist()]),
            "pods": np.bincount(which, minlength=len(used)).astype(np.int64),
            "drifted": sums(~self._fits),
            "would_move": sums(self._outcome == _MOVES),
            "regret": sums(regret),
            "largest": largest,
        }
        listed = frame(table, len(used)).sort_values(
            ["drifted", "regret"], ascending=False, kind="stable", ignore_index=True
        )
        return stamp(listed, RESCORE_WORKLOADS)

    @cached_property
    def moves(self) -> pd.DataFrame:
        """One row per move, in order: `kplace.analysis.schema.RESCORE_MOVES`."""
        columns, steps, rounds = self.before.columns, self.greedy.steps, self.greedy.rounds
        pods = np.array([step.pod for step in steps], np.int32)
        sizes = [len(item.moves) for item in rounds]
        # What is known at the end of a round stands in the row of its last move.
        ends = np.cumsum(sizes, dtype=np.int64) - 1
        gains = np.array([item.before.regret - item.after.regret for item in rounds], np.int64)
        whole = int(gains.sum())
        shares = np.full(len(steps), np.nan)
        if whole > 0:
            shares[ends] = np.cumsum(gains) / whole

        def at_ends(values: list[int] | I64) -> Values:
            column = np.full(len(steps), _NOTHING, np.int64)
            column[ends] = values
            return nullable(column, _NOTHING)

        table = {
            "step": np.arange(1, len(steps) + 1, dtype=np.int64),
            "round": np.repeat(np.arange(1, len(rounds) + 1, dtype=np.int64), sizes),
            "namespace": category(columns.pods.namespace[pods], list(columns.pods.namespaces)),
            "pod": texts([columns.pods.names[pod] for pod in pods.tolist()]),
            "from_node": node_category(columns.nodes, np.array([step.source for step in steps], np.int32)),
            "to_node": node_category(columns.nodes, np.array([step.target for step in steps], np.int32)),
            "own_regret": nullable(np.array([step.regret for step in steps], np.int64), OUTSIDE),
            "gain": at_ends(gains),
            "drifted": at_ends([item.after.drifted for item in rounds]),
            "regret": at_ends([item.after.regret for item in rounds]),
            "share": shares,
            "enough": np.arange(len(steps)) < self.enough,
            "row": pods,
        }
        return stamp(frame(table, len(steps)), RESCORE_MOVES)

    @cached_property
    def figures(self) -> pd.DataFrame:
        """Metrics before and after the moves: `kplace.analysis.schema.RESCORE_FIGURES`."""
        needs = smallest_needs(self.before.pods)
        before = cluster_figures(self.before, needs)
        after = cluster_figures(self.cluster, needs) if self.greedy.steps else before
        own = {
            "drifted": [self.standing.drifted, self.after.drifted],
            "regret": [self.standing.regret, self.after.regret],
        }
        both = own | {name: [value, after[name]] for name, value in before.items()}
        table = pd.DataFrame({"figure": list(both), "before": 0.0, "after": 0.0})
        table[["before", "after"]] = np.array(list(both.values()), np.float64)
        table["change"] = table["after"] - table["before"]
        return stamp(table.astype({"figure": "str"}), RESCORE_FIGURES)

    def plot(self) -> "Figure":
        """What is left of the regret after each round of moves, as a picture."""
        return chance.regret(self.moves, self.standing.regret)

    @cached_property
    def _fits(self) -> Mask:
        """Pods whose own node no filter rejects."""
        mask: Mask = self.scored.own != OUTSIDE
        return mask

    @cached_property
    def _outcome(self) -> I64:
        own = self.before.columns.pods.node[self.rows]
        elsewhere = np.where(self.scored.node == NO_NODE, _PENDING, _MOVES)
        return np.where(self.scored.node == own, _STAYS, elsewhere)

    @cached_property
    def _regret(self) -> I64:
        return np.where(self._fits, self.scored.best - self.scored.own, _NOTHING)

    @cached_property
    def _differences(self) -> I64:
        """Weighted scores of the best node less those of the pod's own; shape (n_plugins, k)."""
        difference: I64 = self.scored.parts[1] - self.scored.parts[0]
        return difference

    @cached_property
    def _decider(self) -> I64:
        """The plugin that puts the best node ahead most; -1 where there is no regret."""
        if not self.plugins:
            return np.full(len(self.rows), -1, np.int64)
        return np.where(self._regret > 0, self._differences.argmax(axis=0), -1)

    def _rejected_by(self, at: int) -> str | None:
        return (self.rejections[at].plugin or None) if at in self.rejections else None
