"""From a profile and a state to the arrays that the fused loop works on."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kplace.dtypes import I32, I64, Code, Mask
from kplace.engine.fused.blocks import BLOCK
from kplace.engine.fused.class_table import Classes, TemplateAmounts, balanced_rows, scored_resources
from kplace.engine.fused.counter_table import CounterTable
from kplace.engine.fused.interning import Lists, RowTable
from kplace.engine.fused.known import BYPASSED, STATIC, first_of
from kplace.engine.fused.layout import (
    AFFINITY,
    FAR,
    FROM_BASE,
    FROM_KEPT,
    FROM_WINDOW,
    IGNORED,
    MANNER,
    NEAR,
    ROW,
    SPREAD,
    SPREAD_FROM_ZERO,
    STANDS,
    TAINT,
    BaseRows,
    CellPlan,
    Log,
    Run,
    ShapeTable,
    Statics,
    TemplateTable,
)
from kplace.engine.fused.loop import Placing
from kplace.engine.fused.scores import MAX_ITEMS
from kplace.engine.fused.shapes import Shapes
from kplace.engine.fused.volumes import EVERYWHERE, UNKNOWN, volumes_of
from kplace.engine.fused.weights import stay_in_range, weights_of
from kplace.engine.fused.workspace import cell_work, scratch
from kplace.framework import Cycle, Profile, ScorePlugin
from kplace.objects.core import Affinity, PodSpec
from kplace.objects.core import NodeAffinity as NodeAffinitySpec
from kplace.plugins.imagelocality.plugin import ImageLocality
from kplace.plugins.interpodaffinity.compiled import Compiled
from kplace.plugins.interpodaffinity.kernels import AffinityTopology, CountedTerms
from kplace.plugins.interpodaffinity.plugin import InterPodAffinity
from kplace.plugins.nodeaffinity.plugin import NodeAffinity
from kplace.plugins.nodeports.plugin import NodePorts
from kplace.plugins.noderesources.balanced_allocation import NodeResourcesBalancedAllocation
from kplace.plugins.noderesources.fit import NodeResourcesFit
from kplace.plugins.podtopologyspread.plugin import PodTopologySpread, SpreadPlan
from kplace.plugins.tainttoleration.plugin import TaintToleration
from kplace.state import ClusterState

_ROW_BYTES = 256 * 2**20
"""Memory that base rows may take."""


@dataclass(slots=True)
class _Columns:
    """Columns of the shape table while it is being filled.

    Attributes
    ----------
    rows : int32 ndarray, shape (n_shapes, 4)
        What distinguishes the classes of a shape's templates beside their amounts.
    is_known : bool ndarray, shape (n_shapes,)
        False for shapes that are left to the cycle.
    """

    table: I32
    rows: I32
    is_known: Mask
    filters: Lists
    spreads: Lists
    affinities: Lists


@dataclass(slots=True)
class _Tables:
    """The rows that templates share."""

    marks: RowTable[np.int8]
    image: RowTable[np.int16]
    raw: RowTable[np.int32]
    counters: CounterTable


class Compiler:
    """Compiles the templates of a run.

    Parameters
    ----------
    state : ClusterState
    profile : Profile
        One that `can_fuse`.
    want : int
        Number of feasible nodes that a search looks for.

    Attributes
    ----------
    volumes : PodVolumes
    """

    def __init__(self, state: ClusterState, profile: Profile, want: int) -> None:
        self._state = state
        self._profile = profile
        self._samples_all = want >= state.n_nodes
        self._weights = weights_of(profile)
        self._keeps_in_range = stay_in_range(self._weights)
        n_nodes = state.n_nodes
        scorers = [item.plugin for item in profile.score]
        self._statics = [plugin for plugin in profile.filter if isinstance(plugin, STATIC)]
        self._bypassed = [plugin for plugin in profile.pre_filter if isinstance(plugin, BYPASSED)]
        self._ports = first_of(profile.filter, NodePorts)
        self._hard_spread = first_of(profile.filter, PodTopologySpread)
        self._near = first_of(profile.filter, InterPodAffinity)
        self._narrowing = first_of(profile.pre_filter, NodeAffinity)
        self._taints = first_of(scorers, TaintToleration)
        self._preferred = first_of(scorers, NodeAffinity)
        self._soft_spread = first_of(scorers, PodTopologySpread)
        self._pods = first_of(scorers, InterPodAffinity)
        self._image = first_of(scorers, ImageLocality)
        fit = first_of(profile.filter, NodeResourcesFit)
        assert fit is not None
        self._fit = fit
        self._balance = first_of(scorers, NodeResourcesBalancedAllocation)
        self._shapes = Shapes(state.columns.templates)
        self.volumes = volumes_of(state, profile)
        self._tables = _Tables(
            marks=RowTable(n_nodes, np.int8),
            image=RowTable(n_nodes, np.int16),
            raw=RowTable(n_nodes, np.int32),
            counters=CounterTable(state),
        )
        n_shapes = len(self._shapes.first)
        self._columns = _Columns(
            table=np.full((4, n_shapes), -1, np.int32),
            rows=np.full((n_shapes, 4), -1, np.int32),
            is_known=np.zeros(n_shapes, np.bool_),
            filters=Lists(n_shapes, 3),
            spreads=Lists(n_shapes, 3),
            affinities=Lists(n_shapes, 1),
        )

    def compile(self, pods: Iterable[int], capacity: int) -> Run:
        """Compile the templates of some pods.

        Parameters
        ----------
        pods : iterable of int
            One pod of each template.
        capacity : int
            Number of changes of the state that the log must hold.
        """
        seen: set[int] = set()
        templates: list[int] = []
        for pod in pods:
            cycle = Cycle(self._state, pod)
            templates.append(cycle.template.code)
            if cycle.template.shape not in seen:
                seen.add(cycle.template.shape)
                self._add(cycle)
        return self._run(np.array(templates, np.int64), capacity)

    def _add(self, cycle: Cycle) -> None:
        """Compile one shape, unless it must be left to the cycle."""
        if any(plugin.pre_filter(cycle).code is not Code.SKIP for plugin in self._bypassed):
            return
        if self._narrowing is not None:
            narrowed = self._narrowing.pre_filter(cycle)
            if narrowed.nodes is not None or narrowed.code not in (Code.SUCCESS, Code.SKIP):
                return
        shape = cycle.template.shape
        missing = self._add_filters(cycle)
        passes = self._passes(cycle, missing)
        image = -1
        if self._image is not None:
            image = self._row(self._tables.image, _image_key(cycle.template.spec), self._image, cycle)
        if self._taints is not None:
            tolerations = cycle.template.spec.tolerations or ()
            self._columns.table[TAINT, shape] = self._row(self._tables.raw, ("taint", tolerations), self._taints, cycle)
        if self._preferred is not None and self._preferred.pre_score(cycle, self._state.all_nodes):
            key = _node_affinity(cycle.template.spec).preferred
            self._columns.table[AFFINITY, shape] = self._row(
                self._tables.raw, ("affinity", key), self._preferred, cycle
            )
        self._add_scores(cycle)
        self._columns.rows[shape] = (passes, image, *self._kept_rows(shape))
        self._columns.is_known[shape] = True

    def _kept_rows(self, code: int) -> tuple[int, int]:
        """Settle how a shape's totals are made; returns the raw scores that totals are kept with, -1 for none."""
        table, columns = self._columns.table, self._columns
        rows = (int(table[TAINT, code]), int(table[AFFINITY, code]))
        depends = columns.filters.count(code) or columns.spreads.count(code) or columns.affinities.count(code)
        table[MANNER, code] = FROM_WINDOW
        if not depends and rows == (-1, -1):
            table[MANNER, code] = FROM_BASE
        elif not depends and self._samples_all and self._keeps_in_range:
            table[MANNER, code] = FROM_KEPT
            return rows
        return -1, -1

    def _row(self, table: RowTable[Any], key: Hashable, plugin: ScorePlugin, cycle: Cycle) -> int:
        """Row of a plugin's raw scores; -1 if they are all 0."""
        row = table.row(key, lambda: plugin.score(cycle, self._state.all_nodes))
        return -1 if table.is_constant(row, 0) else row

    def _passes(self, cycle: Cycle, missing: Hashable) -> int:
        """Row of the nodes that no static filter rules out; ``missing`` names what else they must have."""
        spec = cycle.template.spec
        selector = tuple(sorted((spec.node_selector or {}).items()))
        key = (spec.tolerations, selector, _node_affinity(spec).required, missing)
        return self._tables.marks.row(key, lambda: self._static_mask(cycle))

    def _static_mask(self, cycle: Cycle) -> I64:
        mask = np.ones(self._state.n_nodes, np.bool_)
        for plugin in self._statics:
            mask &= plugin.filter(cycle, self._state.all_nodes).code == Code.SUCCESS
        plan = self._hard_spread.plans(cycle).hard if self._hard_spread is not None else None
        if plan is not None:
            mask &= (plan.topology.domain >= 0).all(axis=0)
        if self._near is not None:
            codes = self._near.topology(cycle).codes
            for key in self._near.compiled(cycle).required.affinity.keys:
                mask &= codes[key] >= 0
        return mask.astype(np.int64)

    def _add_filters(self, cycle: Cycle) -> Hashable:
        """Add the filters on counters; returns what identifies the labels that nodes must have for them."""
        code = cycle.template.shape
        keys: list[Hashable] = []
        if self._ports is not None and self._ports.pre_filter(cycle).code is not Code.SKIP:
            row = self._ports.conflicting(cycle)
            self._columns.filters.append(code, self._by_node(row), FAR, 0)
        plan = self._hard_spread.plans(cycle).hard if self._hard_spread is not None else None
        if plan is not None:
            keys += [item.division for item in plan.constraints]
            self._add_hard_spread(code, plan)
        if self._near is not None:
            compiled = self._near.compiled(cycle)
            keys += [int(key) for key in compiled.required.affinity.keys]
            self._add_near(code, compiled, self._near.topology(cycle))
        return tuple(keys)

    def _by_node(self, row: int) -> int:
        return self._tables.counters.counter(((row, 1),), self._tables.counters.code_row(self._state.all_nodes))

    def _add_hard_spread(self, code: int, plan: SpreadPlan) -> None:
        counters, terms = self._tables.counters, plan.terms
        for c in range(plan.shape[0]):
            own = int(terms.max_skew[c] - terms.self_match[c])
            eligible = int(plan.topology.n_eligible[c])
            counter = counters.counter(
                _counted(int(terms.row[c])),
                self._code(plan.topology.domain[c]),
                counters.mask_row(plan.topology.counted[c]),
                eligible,
            )
            enough = eligible >= terms.min_domains[c] and eligible > 0
            self._columns.filters.append(code, counter, SPREAD if enough else SPREAD_FROM_ZERO, own)

    def _add_near(self, code: int, compiled: Compiled, topology: AffinityTopology) -> None:
        required = compiled.required
        for terms in (required.anti_affinity, required.existing):
            for row, key in zip(terms.rows.tolist(), terms.keys.tolist(), strict=True):
                counter = self._tables.counters.counter(((row, 1),), self._code(topology.codes[key]))
                self._columns.filters.append(code, counter, FAR, 0)
        affinity = required.affinity
        anywhere = -1
        if affinity.row >= 0 and affinity.matches_self:
            labelled = (topology.codes[affinity.keys] >= 0).any(axis=0)
            one_domain = np.where(labelled, 0, -1).astype(np.int32)
            anywhere = self._tables.counters.counter(((affinity.row, 1),), self._code(one_domain))
        for key in affinity.keys.tolist():
            counter = self._tables.counters.counter(((affinity.row, 1),), self._code(topology.codes[key]))
            self._columns.filters.append(code, counter, NEAR, anywhere)

    def _add_scores(self, cycle: Cycle) -> None:
        code = cycle.template.shape
        plan = self._soft_spread.plans(cycle).soft if self._soft_spread is not None else None
        if plan is not None:
            self._add_soft_spread(code, plan)
        if self._pods is not None and self._pods.scores(cycle):
            self._add_affinity_counters(code, self._pods.compiled(cycle).scored, self._pods.topology(cycle))

    def _add_soft_spread(self, code: int, plan: SpreadPlan) -> None:
        if plan.shape[0] >= MAX_ITEMS:
            msg = (
                f"at most {MAX_ITEMS - 1} soft topology spread constraints can be told apart, a pod has {plan.shape[0]}"
            )
            raise ValueError(msg)
        counters, topology = self._tables.counters, plan.topology
        if topology.ignored.any():
            kept = ~topology.ignored
            self._columns.table[IGNORED, code] = self._tables.marks.row(kept.tobytes(), lambda: kept)
        for c in range(plan.shape[0]):
            labelled = np.where(topology.labelled[c], topology.domain[c], -1).astype(np.int32)
            counted = counters.mask_row(topology.counted[c] | ~topology.labelled[c])
            counter = counters.counter(_counted(int(plan.terms.row[c])), self._code(labelled), counted)
            size_code = self._code(topology.domain[c])
            self._columns.spreads.append(code, counter, size_code, int(plan.terms.max_skew[c]))

    def _add_affinity_counters(self, code: int, scored: CountedTerms, topology: AffinityTopology) -> None:
        by_key: dict[int, list[tuple[int, int]]] = {}
        for row, key, weight in zip(scored.rows.tolist(), scored.keys.tolist(), scored.weights.tolist(), strict=True):
            by_key.setdefault(key, []).append((row, weight))
        for key, terms in by_key.items():
            counter = self._tables.counters.counter(tuple(sorted(terms)), self._code(topology.codes[key]))
            self._columns.affinities.append(code, counter)

    def _code(self, codes: I32) -> int:
        return self._tables.counters.code_row(codes)

    def _run(self, used: I64, capacity: int) -> Run:
        tables, state = self._tables, self._state
        templates = state.columns.templates
        resources = state.columns.resources
        plain = _matrix([template.request for template in templates], len(resources))
        amounts = TemplateAmounts(
            plain=np.ascontiguousarray(np.hstack([plain, self.volumes.attached])),
            scored=_matrix([template.scored_request for template in templates], len(resources)),
            non_zero=_matrix([template.non_zero_request for template in templates], 2),
        )
        shape = self._shapes.of_template
        used = used[self._columns.is_known[shape[used]] & (self.volumes.mask[used] != UNKNOWN)]
        stands = self._columns.table[MANNER, shape[used]] != FROM_WINDOW
        classes = Classes(amounts, used, self._class_rows(used))
        allocatable = state.resources.allocatable
        return Run(
            cells=CellPlan(
                nodes=state.loads,
                weights=self._weights,
                shape=self._fit.shape,
                scored=scored_resources(self._fit.scored_rows(resources), allocatable),
                balanced=scored_resources(balanced_rows(self._balance, resources), allocatable),
                classes=classes.table(self._fit, self._balance, resources),
                statics=Statics(tables.marks.array(), tables.image.array(), tables.raw.array()),
                work=cell_work(state.n_nodes),
            ),
            rows=self._base_rows(len(classes), classes.class_of[used[stands]]),
            log=Log(np.zeros(capacity, np.int32), np.zeros(2, np.int64)),
            counters=tables.counters.arrays(),
            shapes=self._shape_table(),
            templates=TemplateTable(shape, classes.class_of, amounts.plain, amounts.non_zero),
            scratch=scratch(state.n_nodes, tables.counters.largest() + 1),
        )

    def _class_rows(self, used: I64) -> I32:
        """Rows of templates' classes: those of their shapes, but where their volumes rule out nodes too."""
        rows = self._columns.rows[self._shapes.of_template[used]]
        marks, masks = self._tables.marks, self.volumes.masks
        pairs = np.stack([rows[:, 0].astype(np.int64), self.volumes.mask[used]])
        distinct, which = np.unique(pairs, axis=1, return_inverse=True)
        combined = [
            passes if number == EVERYWHERE else marks.add(marks.get(passes) & masks[number])
            for passes, number in distinct.T.tolist()
        ]
        rows[:, 0] = np.array(combined, np.int32)[which.ravel()]
        return rows

    def _base_rows(self, n_classes: int, standing: I32) -> BaseRows:
        n_nodes = self._state.n_nodes
        n_rows = max(1, min(n_classes, _ROW_BYTES // max(2 * n_nodes, 1)))
        keeps = bool((self._columns.table[MANNER] == FROM_KEPT).any())
        table = np.zeros((4, n_classes), np.int64)
        table[ROW] = -1
        table[STANDS, standing] = 1
        return BaseRows(
            base=np.empty((n_rows, n_nodes), np.int16),
            table=table,
            kept=np.empty((n_rows, n_nodes) if keeps else (1, 1), np.int16),
            blocks=np.empty((n_rows, 4, -(-n_nodes // BLOCK)), np.int16),
        )

    def _shape_table(self) -> ShapeTable:
        columns, touches = self._columns, self._tables.counters.touches(self._shapes)
        lists = (columns.filters, columns.spreads, columns.affinities, touches)
        return ShapeTable(
            table=columns.table,
            starts=np.stack([item.starts() for item in lists]),
            filters=columns.filters.table(np.int64),
            spreads=columns.spreads.table(np.int64),
            affinities=columns.affinities.table(np.int32)[0].copy(),
            touches=touches.table(np.int32),
        )


def _matrix(vectors: list[I64], width: int) -> I64:
    return np.array(vectors, np.int64).reshape(len(vectors), width)


def _counted(row: int) -> tuple[tuple[int, int], ...]:
    """Terms of a constraint: none if no pod ever counts."""
    return ((row, 1),) if row >= 0 else ()


def _node_affinity(spec: PodSpec) -> NodeAffinitySpec:
    return (spec.affinity or Affinity()).node_affinity or NodeAffinitySpec()


def _image_key(spec: PodSpec) -> Hashable:
    containers = tuple(item.image for item in spec.containers or ())
    others = tuple(item.image for item in spec.init_containers or ())
    return containers, others, tuple(item.image.reference for item in spec.volumes or () if item.image)


def placing_of(state: ClusterState) -> Placing:
    """The groups of a state that placed pods count in, for those that there are now."""
    shapes = Shapes(state.columns.templates)
    lists = Lists(len(shapes.first), 1)
    for row in range(len(state.groups)):
        for shape in shapes.of_group(state, row):
            lists.append(shape, row)
    return Placing(
        row_start=lists.starts(),
        rows=lists.table(np.int32)[0].copy(),
        counts=state.groups.counts,
        totals=state.groups.totals,
    )
