"""Counts of pods by group and node: how topology spread, pod affinity and host ports see the cluster.

A group is a set of templates that something wants counted: those that a selector matches, those that carry a certain
anti-affinity term, those that use a conflicting host port. How many pods of a group run on each node is one row of an
array; placing a pod adds one to a handful of rows. No plugin ever looks at pods one by one.
"""

import copy
from collections.abc import Callable, Hashable, Iterable, Sequence

import numpy as np

from kplace._jit import kernel
from kplace.columns.templates import Template
from kplace.dtypes import I32, I64, Mask

Membership = Callable[[Template], bool]


class PodGroups:
    """The groups in use and their counts.

    Groups of the same templates share one row, whatever they are called.

    Parameters
    ----------
    templates : sequence of Template
    n_nodes : int

    Attributes
    ----------
    counts : int32 ndarray, shape (capacity, n_nodes)
        Row ``g``: the number of pods of group ``g`` on each node. Rows beyond the number of groups are zero.
    totals : int64 ndarray, shape (capacity,)
        The number of pods of each group on all nodes. Both arrays are replaced by larger ones as groups are added.
    """

    def __init__(self, templates: Sequence[Template], n_nodes: int) -> None:
        self._templates = templates
        self._ids: dict[Hashable, int] = {}
        self._ids_by_members: dict[tuple[bytes, bool], int] = {}
        self._members: list[I32] = []
        self._skips_terminating: list[bool] = []
        self._groups_of: dict[int, list[int]] = {}
        self._rows: dict[tuple[int, bool], I32] = {}
        self.counts: I32 = np.zeros((4, n_nodes), np.int32)
        self.totals: I64 = np.zeros(4, np.int64)

    def __len__(self) -> int:
        return len(self._members)

    def fork(self) -> "PodGroups":
        """The same groups with the same counts, to be counted on apart."""
        twin = copy.copy(self)
        twin._ids, twin._ids_by_members = dict(self._ids), dict(self._ids_by_members)
        twin._members, twin._skips_terminating = list(self._members), list(self._skips_terminating)
        twin._groups_of = {template: list(rows) for template, rows in self._groups_of.items()}
        twin._rows = dict(self._rows)
        twin.counts, twin.totals = self.counts.copy(), self.totals.copy()
        return twin

    def find(self, key: Hashable) -> int:
        """Row of a group, or -1 if it was never added."""
        return self._ids.get(key, -1)

    def members(self, group: int) -> I32:
        """Codes of the templates in a group, ascending."""
        return self._members[group]

    def add(
        self,
        key: Hashable,
        member: Membership,
        *,
        among: Iterable[int] | None = None,
        skips_terminating: bool = False,
    ) -> int:
        """Row of a group, a new one unless there is a group of the same templates.

        Parameters
        ----------
        key : hashable
            Equal keys mean equal groups.
        member : callable
            Whether pods of a template belong to the group.
        among : iterable of int, optional
            Codes of the only templates worth asking about, without doubles; None for all.
        skips_terminating : bool
            Pods that are being deleted do not count, as in topology spread.

        Returns
        -------
        int
            The counts of a new row are zero until `recount` fills them.
        """
        asked = self._templates if among is None else [self._templates[code] for code in among]
        members = np.sort(np.array([template.code for template in asked if member(template)], np.int32))
        identity = (members.tobytes(), skips_terminating)
        group = self._ids_by_members.get(identity)
        if group is None:
            group = self._ids_by_members[identity] = self._append(members, skips_terminating=skips_terminating)
        self._ids[key] = group
        return group

    def recount(self, group: int, nodes: I32, terminating: Mask) -> None:
        """Count the pods of a group that are already placed, given by their nodes and deletion marks."""
        counted = nodes[~terminating] if self._skips_terminating[group] else nodes
        self.counts[group] = np.bincount(counted, minlength=self.counts.shape[1])
        self.totals[group] = len(counted)

    def rows(self, template: int, *, terminating: bool) -> I32:
        """Rows that a pod of a template adds to."""
        rows = self._rows.get((template, terminating))
        if rows is None:
            groups = self._groups_of.get(template, ())
            counting = [group for group in groups if not (terminating and self._skips_terminating[group])]
            rows = self._rows[template, terminating] = np.array(counting, np.int32)
        return rows

    def count(self, pods: tuple[I32, Mask], nodes: I32, sign: int) -> None:
        """Add (``sign`` 1) many pods at once or take them away (-1).

        Parameters
        ----------
        pods : (int32 ndarray, bool ndarray), shape (k,)
            Each pod's template and whether it is being deleted.
        nodes : int32 ndarray, shape (k,)
        """
        if not len(self):
            return
        template, terminating = pods
        kinds, kind = np.unique(2 * template.astype(np.int64) + terminating, return_inverse=True)
        rows = [self.rows(code >> 1, terminating=bool(code & 1)) for code in kinds.tolist()]
        start = np.cumsum([0, *map(len, rows)])
        if start[-1]:
            add_all_to_rows(self.counts, self.totals, (start, np.concatenate(rows)), kind, nodes, sign)

    def _append(self, members: I32, *, skips_terminating: bool) -> int:
        group = len(self._members)
        self._members.append(members)
        self._skips_terminating.append(skips_terminating)
        for template in members.tolist():
            self._groups_of.setdefault(template, []).append(group)
            self._rows.pop((template, False), None)
            self._rows.pop((template, True), None)
        if group == self.counts.shape[0]:
            self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)])
            self.totals = np.concatenate([self.totals, np.zeros_like(self.totals)])
        return group


@kernel
def add_to_rows(counts: I32, totals: I64, rows: I32, node: int, sign: int) -> None:
    """Add ``sign`` to one node's entry, and to the total, of some rows. Modified in place."""
    for i in range(rows.shape[0]):
        counts[rows[i], node] += sign
        totals[rows[i]] += sign


@kernel
def add_all_to_rows(counts: I32, totals: I64, rows: tuple[I64, I32], kind: I64, nodes: I32, sign: int) -> None:
    """Add ``sign`` for each of many pods to the rows of its kind. Modified in place.

    Parameters
    ----------
    rows : (int64 ndarray, int32 ndarray)
        Where each kind's rows begin, and the rows.
    kind, nodes : ndarrays, shape (k,)
        Each pod's kind and node.
    """
    start, flat = rows
    for i in range(kind.shape[0]):
        for j in range(start[kind[i]], start[kind[i] + 1]):
            counts[flat[j], nodes[i]] += sign
            totals[flat[j]] += sign
