"""What has to fit: pods that find no node in the cluster as it stands, and where they might go at all."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kplace.analysis.provision.bound import Packing
from kplace.analysis.provision.candidate import HOSTNAME
from kplace.analysis.provision.catalogue import Catalogue, Enlarger
from kplace.analysis.trial import Trial
from kplace.columns import ClusterColumns, Template
from kplace.columns.selectors import compile_selector
from kplace.dtypes import I32, I64, Mask, Status
from kplace.engine.results import PlacementColumns
from kplace.errors import AttemptError
from kplace.framework import Cycle, Profile
from kplace.framework.diagnosis import node_reasons
from kplace.framework.runtime import ABSENT, PASSED, FilterPhase, PreFilterPhase, run_filters, run_pre_filters
from kplace.plugins import names
from kplace.plugins.nodeports.ports import host_ports
from kplace.plugins.noderesources.fit import NodeResourcesFit
from kplace.state import ClusterState

LASTING = frozenset(
    (
        names.NODE_UNSCHEDULABLE,
        names.NODE_NAME,
        names.TAINT_TOLERATION,
        names.NODE_AFFINITY,
        names.NODE_PORTS,
        names.NODE_RESOURCES_FIT,
    )
)
"""Filters that will reject a node for good once they do, however many pods and nodes come."""


@dataclass(frozen=True, slots=True)
class Demand:
    """Pods that wait and find no node, by class: those of a class are alike in all that matters.

    Attributes
    ----------
    columns : ClusterColumns
        The cluster in which they wait; what fits without new nodes is on its node.
    first : PlacementColumns
        The run that placed what fits.
    pods : int32 ndarray, shape (n_pods,)
        Ascending.
    classes : int64 ndarray, shape (n_pods,)
        Class of each.
    one : int32 ndarray, shape (n_classes,)
        The first pod of each class.
    """

    columns: ClusterColumns
    first: PlacementColumns
    pods: I32
    classes: I64
    one: I32

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.one)

    def counts(self, pods: I32) -> I64:
        """Pods of each class among some of the pods."""
        mine = self.classes[np.isin(self.pods, pods)]
        return np.bincount(mine, minlength=self.n_classes).astype(np.int64)

    def templates(self) -> list[Template]:
        """Template of each class."""
        return [self.columns.templates[code] for code in self.columns.pods.template[self.one].tolist()]


def demand_of(columns: ClusterColumns, first: PlacementColumns) -> Demand:
    """Pods that a run has found no node for.

    Parameters
    ----------
    columns : ClusterColumns
        The cluster after the run.
    first : PlacementColumns
        Its outcome.
    """
    pods = np.sort(first.pod[first.status == Status.UNSCHEDULABLE]).astype(np.int32)
    codes: dict[tuple[object, ...], int] = {}
    by_template: dict[int, int] = {}
    for code in dict.fromkeys(columns.pods.template[pods].tolist()):
        template = columns.templates[code]
        key: tuple[object, ...] = (template.shape, template.request.tobytes(), template.non_zero_request.tobytes())
        if template.spec.volumes or template.spec.resource_claims:
            key = ("alone", code)
        by_template[code] = codes.setdefault(key, len(codes))
    classes = np.array([by_template[code] for code in columns.pods.template[pods].tolist()], np.int64)
    _, where = np.unique(classes, return_index=True)
    return Demand(columns, first, pods, classes, pods[where] if len(pods) else pods)


@dataclass(frozen=True, slots=True)
class Opinions:
    """What filters say of a new node of each candidate, for one pod of each class.

    Attributes
    ----------
    passes : bool ndarray, shape (n_classes, n_candidates)
        The node would take it as things are.
    never : bool ndarray, shape (n_classes, n_candidates)
        Such a node will not take it, whatever else is added.
    elsewhere : bool ndarray, shape (n_classes,)
        A node that is there already might take it once other things have been added.
    """

    passes: Mask
    never: Mask
    elsewhere: Mask


class Prober:
    """Asks filters about one new node of each candidate.

    Parameters
    ----------
    trial : Trial
    enlarger : Enlarger
    demand : Demand
    """

    def __init__(self, trial: Trial, enlarger: Enlarger, demand: Demand) -> None:
        self._trial = trial
        self._enlarger = enlarger
        self._demand = demand
        self._n = len(enlarger.catalogue.candidates)

    def opinions(self, counts: Sequence[int], nodes: I32, pods: I32) -> Opinions:
        """What filters say once so many nodes have been added and pods are on their nodes.

        Parameters
        ----------
        counts : sequence of int
            Nodes added, by candidate; one more of each is asked about.
        nodes : int32 ndarray, shape (n_pods,)
            Node of each pod of the demand in the cluster with the nodes added; negative for none.
        pods : int32 ndarray
            Pods to ask about: the first of each class among them.
        """
        state, new, old = self._state(counts, nodes)
        shape = (self._demand.n_classes, self._n)
        passes, never = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        elsewhere = np.zeros(shape[0], np.bool_)
        for cls, pod in self._first(pods):
            profile, pre, filters, _ = self._filter(state, pod)
            if filters is None:
                elsewhere[cls] = True
                continue
            lasting = _lasting(profile, pre, filters)
            passes[cls] = filters.plugin[new] == PASSED
            never[cls] = lasting[new]
            elsewhere[cls] = not lasting[old].all()
        return Opinions(passes, never, elsewhere)

    def words(self, counts: Sequence[int], nodes: I32, pods: I32) -> dict[int, str]:
        """Why new nodes take some pods no more than the others do: by class, the candidates counted by reason."""
        state, new, _ = self._state(counts, nodes)
        said: dict[int, str] = {}
        for cls, pod in self._first(pods):
            profile, pre, filters, cycle = self._filter(state, pod)
            if filters is None:
                said[cls] = ", ".join(pre.rejection.reasons) or "it cannot be tried"
                continue
            counted: dict[str, int] = {}
            for plugin, detail in zip(filters.plugin[new].tolist(), filters.detail[new].tolist(), strict=True):
                if plugin != PASSED:
                    for reason in node_reasons(profile, cycle, pre, filters, plugin, detail):
                        counted[reason] = counted.get(reason, 0) + 1
            order = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
            said[cls] = ", ".join(f"{number} {reason}" for reason, number in order)
        return said

    def _first(self, pods: I32) -> list[tuple[int, int]]:
        """The first pod of each class among some, by class."""
        found: dict[int, int] = {}
        for pod, cls in zip(self._demand.pods.tolist(), self._demand.classes.tolist(), strict=True):
            if cls not in found and pod in pods:
                found[cls] = pod
        return sorted(found.items())

    def _state(self, counts: Sequence[int], nodes: I32) -> tuple[ClusterState, I64, I64]:
        larger = self._enlarger.with_counts([number + 1 for number in counts])
        fewer = self._enlarger.with_counts(counts)
        names = fewer.columns.nodes.names
        node = larger.columns.pods.node.copy()
        index = larger.columns.nodes.index
        node[self._demand.pods] = [index[names[n]] if n >= 0 else -1 for n in nodes.tolist()]
        columns = replace(larger.columns, pods=replace(larger.columns.pods, node=node))
        known = set(names)
        fresh = [n for n, name in enumerate(columns.nodes.names) if name not in known]
        new = np.array(sorted(fresh, key=lambda n: int(larger.candidate[n])), np.int64)
        old = np.flatnonzero(larger.candidate < 0)
        return ClusterState(columns), new, old

    def _filter(self, state: ClusterState, pod: int) -> tuple[Profile, PreFilterPhase, FilterPhase | None, Cycle]:
        profile = self._trial.profile_of(state.columns, pod)
        cycle = Cycle(state, pod, None)
        try:
            pre = run_pre_filters(profile, cycle)
            if pre.rejected_by is not None:
                return profile, pre, None, cycle
            return profile, pre, run_filters(profile, cycle, pre), cycle
        except AttemptError:
            return profile, PreFilterPhase.silent(), None, cycle


def _lasting(profile: Profile, pre: PreFilterPhase, filters: FilterPhase) -> Mask:
    """Nodes that are rejected for good."""
    own = np.array([*(plugin.name in LASTING for plugin in profile.filter), False], np.bool_)
    for_good = own[np.maximum(filters.plugin, -1)] & (filters.plugin >= 0)
    if set(pre.narrowed_by) <= {names.NODE_AFFINITY}:
        for_good |= filters.plugin == ABSENT
    return for_good


def packing_of(trial: Trial, demand: Demand, catalogue: Catalogue, fits: Mask) -> Packing:
    """The demand and the candidates as numbers: what NodeResourcesFit looks at, and what rules allow on one node."""
    templates = demand.templates()
    resources = demand.columns.resources
    request = np.zeros((len(resources) + 1, demand.n_classes), np.int64)
    alone = np.full(demand.n_classes, -1, np.int64)
    for cls, (pod, template) in enumerate(zip(demand.one.tolist(), templates, strict=True)):
        profile = trial.profile_of(demand.columns, pod)
        plugins = {plugin.name: plugin for plugin in profile.filter}
        fit = plugins.get(names.NODE_RESOURCES_FIT)
        if isinstance(fit, NodeResourcesFit):
            request[:-1, cls] = np.where(fit.filtered_rows(resources), template.request, 0)
            request[-1, cls] = 1
        if _takes_a_node(template, plugins):
            # Those that differ in amounts alone have the same labels, rules and ports.
            alone[cls] = template.shape
    prices = tuple(item.price for item in catalogue.candidates)
    counts = np.bincount(demand.classes, minlength=demand.n_classes).astype(np.int64)
    return Packing(counts, request, catalogue.room, prices, fits, alone)


def _takes_a_node(template: Template, plugins: Container[str]) -> bool:
    """Whether no two pods of a template ever share a node."""
    spec = template.spec
    if host_ports(spec) and names.NODE_PORTS in plugins:
        return True
    affinity = spec.affinity.pod_anti_affinity if spec.affinity else None
    for term in (affinity.required if affinity else None) or ():
        here = term.namespaces is None and term.namespace_selector is None
        is_own = here or template.namespace in (term.namespaces or ())
        matches = compile_selector(term.label_selector).matches(template.labels)
        if term.topology_key == HOSTNAME and is_own and matches and names.INTER_POD_AFFINITY in plugins:
            return True
    return False
