"""The topology spread constraints of a cluster's workloads, and the pods that each counts in its domains."""

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from kplace.analysis.workloads import workload_of
from kplace.columns import ClusterColumns, Template
from kplace.columns.node_order import ZONE_LABELS
from kplace.columns.node_selectors import required_node_affinity_mask
from kplace.columns.selectors import Selector, compile_selector
from kplace.columns.template_index import TemplateIndex
from kplace.dtypes import I32, I64, NO_VALUE, Mask
from kplace.objects.core import Affinity, TopologySpreadConstraint
from kplace.objects.core import NodeAffinity as NodeAffinitySpec
from kplace.plugins.tolerations import first_untolerated

ZONE = "topology.kubernetes.io/zone"
HARD = "DoNotSchedule"
_MOST_PODS = 2**22
"""Of all constraints together that are counted at once."""


class Domains(NamedTuple):
    """The domains of a key that have an eligible node.

    Attributes
    ----------
    key : str
    there : int64 ndarray, shape (n_domains,)
        Their positions in ``names``.
    names : tuple of str
        Values of the key.
    of_node : int32 ndarray, shape (n_nodes,)
        Position in ``there``; -1 for nodes that are not eligible.
    """

    key: str
    there: I64
    names: tuple[str, ...]
    of_node: I32

    @staticmethod
    def of(columns: ClusterColumns, key: str, eligible: Mask) -> "Domains":
        """Find the domains of a key on nodes that are eligible if they have it."""
        codes, names = domain_codes(columns, key)
        known = eligible & (codes >= 0)
        there = np.flatnonzero(np.bincount(codes[known], minlength=len(names)))
        position = np.full(len(names) + 1, -1, np.int32)
        position[there] = np.arange(len(there))
        return Domains(key, there, names, np.where(known, position[codes], np.int32(-1)))


class Constraint(NamedTuple):
    """A constraint of a workload.

    Attributes
    ----------
    workload : str
        Namespace and name, or what comes nearest to it.
    domains : Domains
    max_skew : int
    floor : int
        With fewer domains the smallest count is taken to be 0.
    enforced : bool
    """

    workload: str
    domains: Domains
    max_skew: int
    floor: int
    enforced: bool


class Constraints:
    """The constraints of a cluster that have a domain, ready to count pods wherever these are.

    Parameters
    ----------
    columns : ClusterColumns

    Attributes
    ----------
    items : list of Constraint
        Templates of one workload mostly say the same: each is there once.
    starts : int64 ndarray, shape (n_constraints + 1,)
        Where each one's domains begin in what `counts` gives, and the end.
    """

    def __init__(self, columns: ClusterColumns) -> None:
        self._columns = columns
        self._rows: dict[Hashable, int] = {}
        self._distinct: list[Domains] = []
        rows: list[int] = []
        matching: list[list[int]] = []
        self.items: list[Constraint] = []
        index = TemplateIndex(columns.templates)
        for template, item, selector in _each(columns):
            row = self._row(template, item)
            if len(self._distinct[row].there):
                rows.append(row)
                self.items.append(_read(template, item, self._distinct[row]))
                matching.append(_matching(columns, index, template, selector))
        self._row_of = np.array(rows, np.int64)
        self.starts: I64 = np.cumsum([0, *(len(item.domains.there) for item in self.items)], dtype=np.int64)
        self._pods = _Pods(columns, matching)

    def counts(self, node_of_pod: I32) -> I64:
        """Pods in each domain of each constraint, one constraint after the other.

        Parameters
        ----------
        node_of_pod : int32 ndarray, shape (n_pods,)
            Negative for pods on no node.
        """
        counts = np.zeros(int(self.starts[-1]), np.int64)
        if not self.items:
            return counts
        of_node = np.stack([domains.of_node for domains in self._distinct])
        for pods, which in self._pods.parts():
            node = node_of_pod[pods]
            domain = of_node[self._row_of[which], node]
            counted = (node >= 0) & (domain >= 0)
            counts += np.bincount((self.starts[which] + domain)[counted], minlength=len(counts))
        return counts

    def lows(self, counts: I64) -> I64:
        """The smallest count of each constraint, 0 where there are fewer domains than its floor."""
        few = np.diff(self.starts) < np.array([item.floor for item in self.items], np.int64)
        return np.where(few, 0, _by_constraint(np.minimum, counts, self.starts))

    def skews(self, counts: I64) -> I64:
        """The largest count of each constraint less the smallest."""
        return _by_constraint(np.maximum, counts, self.starts) - self.lows(counts)

    def _row(self, template: Template, item: TopologySpreadConstraint) -> int:
        """Number of the domains of a constraint; constraints that see the same nodes share them."""
        spec = template.spec
        keys = tuple(
            other.topology_key
            for other in spec.topology_spread_constraints or ()
            if other.when_unsatisfiable == item.when_unsatisfiable
        )
        affinity = (spec.affinity or Affinity()).node_affinity or NodeAffinitySpec()
        selected = (tuple(sorted((spec.node_selector or {}).items())), affinity.required)
        honours = (_honours_affinity(item), _honours_taints(item))
        key = (item.topology_key, keys, honours[0] and selected, honours[1] and (spec.tolerations or ()))
        if key not in self._rows:
            eligible = eligible_nodes(self._columns, template, item)
            self._rows[key] = len(self._distinct)
            self._distinct.append(Domains.of(self._columns, item.topology_key, eligible))
        return self._rows[key]


class _Pods:
    """The pods that some constraints count."""

    def __init__(self, columns: ClusterColumns, matching: Sequence[Sequence[int]]) -> None:
        counted = np.flatnonzero(~(columns.pods.finished | columns.pods.terminating))
        template = columns.pods.template[counted]
        numbers = np.bincount(template, minlength=len(columns.templates))
        starts = np.cumsum(numbers) - numbers
        self._pods = counted[np.argsort(template, kind="stable")]
        # A span for each template of each constraint.
        spans = np.array([code for codes in matching for code in codes], np.int64)
        self._which = np.repeat(np.arange(len(matching)), [len(codes) for codes in matching])
        self._first, self._length = starts[spans], numbers[spans]

    def parts(self) -> Iterator[tuple[I64, I64]]:
        """Pods and the constraint that counts each, so many at a time."""
        ends = np.cumsum(self._length)
        part = (ends - 1) // _MOST_PODS
        for number in np.unique(part).tolist():
            kept = part == number
            length = self._length[kept]
            shift = self._first[kept] - (np.cumsum(length) - length)
            at = np.arange(int(length.sum())) + np.repeat(shift, length)
            yield self._pods[at], np.repeat(self._which[kept], length)


def eligible_nodes(columns: ClusterColumns, template: Template, item: TopologySpreadConstraint) -> Mask:
    """Nodes that a constraint does not leave out, with all keys of the template's constraints of its kind."""
    nodes = columns.nodes
    mask = np.ones(len(nodes), np.bool_)
    for other in template.spec.topology_spread_constraints or ():
        if other.when_unsatisfiable == item.when_unsatisfiable:
            mask &= nodes.label_codes(other.topology_key) != NO_VALUE
    if _honours_affinity(item):
        mask &= required_node_affinity_mask(nodes, template.spec)
    if _honours_taints(item):
        tolerations = template.spec.tolerations or ()
        open_sets = np.array([first_untolerated(taints, tolerations) < 0 for taints in nodes.taint_sets], np.bool_)
        mask &= open_sets[nodes.taint_set]
    return mask


def domain_codes(columns: ClusterColumns, key: str) -> tuple[I64, tuple[str, ...]]:
    """Each node's value of a label, -1 for none, and the values; zones go by the older label where nodes have that."""
    names = ZONE_LABELS[::-1] if key == ZONE and key not in columns.nodes.labels else (key,)
    name = next((name for name in names if name in columns.nodes.labels), key)
    return columns.nodes.label_codes(name).astype(np.int64), columns.nodes.label_values(name)


def _honours_affinity(item: TopologySpreadConstraint) -> bool:
    return (item.node_affinity_policy or "Honor") == "Honor"


def _honours_taints(item: TopologySpreadConstraint) -> bool:
    return (item.node_taints_policy or "Ignore") == "Honor"


def _each(columns: ClusterColumns) -> Iterator[tuple[Template, TopologySpreadConstraint, Selector]]:
    """Distinct constraints of the workloads, each with a template that has it and the selector of what it counts."""
    seen: set[Hashable] = set()
    for template in columns.templates:
        for item in template.spec.topology_spread_constraints or ():
            workload = workload_of(template)
            mark = (workload if workload[1] else template.labels.get("app", str(template.labels)), template.namespace)
            selector = _selector(template, item)
            key = (*mark, msgspec.json.encode(item), selector)
            if key not in seen:
                seen.add(key)
                yield template, item, selector


def _selector(template: Template, item: TopologySpreadConstraint) -> Selector:
    selector = compile_selector(item.label_selector)
    for key in item.match_label_keys or ():
        if key in template.labels:
            (requirement,) = Selector.of_map({key: template.labels[key]}).requirements
            selector = selector.with_requirement(requirement)
    return selector


def _matching(columns: ClusterColumns, index: TemplateIndex, template: Template, selector: Selector) -> list[int]:
    """Codes of the templates whose pods a constraint of a template counts."""
    candidates = index.candidates(selector, (template.namespace,))
    others = (columns.templates[code] for code in candidates)
    return [other.code for other in others if other.namespace == template.namespace and selector.matches(other.labels)]


def _read(template: Template, item: TopologySpreadConstraint, domains: Domains) -> Constraint:
    space, _, own = workload_of(template)
    enforced = item.when_unsatisfiable == HARD
    return Constraint(
        workload=f"{space}/{own or template.labels.get('app', '') or '(no controller)'}",
        domains=domains,
        max_skew=item.max_skew,
        floor=(item.min_domains or 1) if enforced else 1,
        enforced=enforced,
    )


def _by_constraint(reduce: np.ufunc, counts: I64, starts: I64) -> I64:
    found: I64 = reduce.reduceat(counts, starts[:-1]) if len(starts) > 1 else np.zeros(0, np.int64)
    return found
