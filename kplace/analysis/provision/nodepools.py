"""Candidates of Karpenter's NodePools: every type of machine, zone and capacity type that their requirements allow."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kplace.analysis.provision.candidate import (
    CAPACITY_TYPE,
    OS,
    REGION,
    ZONE,
    Candidate,
    Limit,
    template_node,
)
from kplace.analysis.provision.machines import Machine, launched_labels, placed
from kplace.api.hints import close_names, did_you_mean, listed
from kplace.columns import ClusterColumns
from kplace.columns.cluster import Note
from kplace.columns.node_selectors import requirement_mask
from kplace.columns.nodes import build_nodes
from kplace.columns.quantity import milli_value, value
from kplace.columns.resources import resource_names
from kplace.dtypes import Mask
from kplace.errors import Fault, InputError
from kplace.io.nodepools import read_nodepools
from kplace.io.sources import Argument
from kplace.objects.core import Node
from kplace.objects.meta import ObjectMeta, SelectorRequirement
from kplace.objects.nodepool import NodePool, NodePoolRequirement

POOL = "karpenter.sh/nodepool"
_CAPACITY_TYPES = ("on-demand", "spot", "reserved")
_SYSTEMS = ("linux", "windows")
_OF_PROVIDERS = ("kubernetes.io/", "k8s.io/", "karpenter.", "topology.", "eks.amazonaws.com/")
"""What keys of labels contain that are not for users to make up."""

Labels = Mapping[str, str]


def nodepool_candidates(
    columns: ClusterColumns,
    files: Sequence[Argument],
    machines: Sequence[Machine],
    zones: Mapping[str, str],
    notes: list[Note],
) -> list[Candidate]:
    """Candidates of the NodePools of some files, those of the heaviest first.

    Parameters
    ----------
    columns : ClusterColumns
        The cluster: what it has of a pool's nodes counts under the limits.
    files : sequence of path
    machines : sequence of Machine
    zones : mapping of str to str
        With their regions.
    notes : list of Note
        Takes what a user should know.

    Raises
    ------
    InputError
        With every fault of every file: what cannot be known of the machines, and what no machine meets, are such.
    """
    pools = sorted(read_nodepools(*files), key=lambda item: -(item[1].spec.weight or 0))
    faults: list[Fault] = []
    found: list[Candidate] = []
    for source, pool in pools:
        reader = _Pool(pool, source, machines, zones, faults)
        found += reader.candidates(_limit(columns, pool))
        if any(item.min_values for item in reader.requirements):
            text = "Karpenter picks among as many as minValues asks for when it launches a node; a plan names one"
            notes.append(Note("min-values", f"NodePool {pool.metadata.name}: {text}"))
    if len({pool.spec.weight or 0 for _, pool in pools}) > 1:
        text = "NodePools have weights: they decide between equal prices only, and Karpenter heeds them first"
        notes.append(Note("nodepool-weights", text))
    if faults:
        raise InputError(faults)
    return found


@dataclass(frozen=True, slots=True)
class _Pool:
    pool: NodePool
    source: str
    machines: Sequence[Machine]
    zones: Mapping[str, str]
    faults: list[Fault]

    @property
    def requirements(self) -> Sequence[NodePoolRequirement]:
        """Its requirements."""
        return self.pool.spec.template.spec.requirements or ()

    @property
    def labels(self) -> dict[str, str]:
        """Labels that all of its nodes have."""
        return {**(self.pool.spec.template.metadata.labels or {}), POOL: self.pool.metadata.name}

    def candidates(self, limit: Limit | None) -> Iterator[Candidate]:
        """Every kind of node that it allows."""
        before = len(self.faults)
        of_machines = [launched_labels(machine) for machine in self.machines]
        known = {key for labels in of_machines for key in labels}
        own = self._own_labels(known)
        choices = {
            ZONE: self._choices(ZONE, list(self.zones), always=True),
            CAPACITY_TYPE: self._choices(CAPACITY_TYPE, _CAPACITY_TYPES),
            OS: self._choices(OS, _SYSTEMS),
        }
        allowed = self._meeting([labels | own for labels in of_machines], known | own.keys())
        chosen = np.flatnonzero(allowed).tolist()
        if not chosen and len(self.faults) == before:
            self._fault("spec.template.spec.requirements", "no type of the table of shapes meets all of them")
        self._check_minimum([of_machines[m] for m in chosen], choices)
        if len(self.faults) > before:
            return
        several = len(choices[CAPACITY_TYPE]) > 1
        for m in chosen:
            machine = self.machines[m]
            for capacity_type in choices[CAPACITY_TYPE]:
                group = f"{self.pool.metadata.name}/{machine.name}" + (f" {capacity_type}" if several else "")
                for system in choices[OS]:
                    for zone in choices[ZONE] or [""]:
                        place = placed(zone, self.zones.get(zone, ""))
                        labels = {**of_machines[m], OS: system, CAPACITY_TYPE: capacity_type, **own, **place}
                        taints = self.pool.spec.template.spec.taints or ()
                        node = template_node(machine.name, labels, taints, machine.allocatable)
                        name = f"{group} {zone}".strip()
                        yield Candidate(name, group, "nodepool", node, capacity=machine.capacity, limit=limit)

    def _own_labels(self, known: set[str]) -> dict[str, str]:
        """Labels that the pool makes up: its template's, and those of which requirements leave a single value."""
        own = self.labels
        for i, item in enumerate(self.requirements):
            if item.key in known or item.key in own or item.key in (ZONE, CAPACITY_TYPE, OS, REGION):
                continue
            path = f"spec.template.spec.requirements[{i}]"
            if any(part in item.key for part in _OF_PROVIDERS):
                meant = did_you_mean(close_names(item.key, sorted(known))) or f"; it has {listed(sorted(known))}"
                self._fault(f"{path}.key", f'the table of shapes has no column "{item.key}"{meant}')
            elif item.operator == "In" and len(item.values or ()) == 1:
                own[item.key] = (item.values or ("",))[0]
            elif item.operator not in ("NotIn", "DoesNotExist"):
                message = f'which value nodes have of "{item.key}" is not said: expected In with a single value'
                self._fault(path, message)
        return own

    def _choices(self, key: str, usual: Sequence[str], *, always: bool = False) -> list[str]:
        """Values of a label that requirements allow; without any on it the first usual one, or all of them."""
        own = self.pool.spec.template.metadata.labels or {}
        mine = [item for item in self.requirements if item.key == key]
        if key in own:
            values = [own[key]]
        elif mine:
            values = list(dict.fromkeys([*usual, *(value for item in mine for value in item.values or ())]))
        else:
            values = list(usual) if always else list(usual[:1])
        allowed = _meeting([{key: value} for value in values], [(item.key, item) for item in mine])
        found = [value for value, fits in zip(values, allowed.tolist(), strict=True) if fits]
        if mine and not found:
            self._fault("spec.template.spec.requirements", f"they leave no value of {key}")
        return found

    def _meeting(self, label_sets: Sequence[Labels], known: set[str]) -> Mask:
        asked = [(item.key, item) for item in self.requirements if item.key in known]
        return _meeting(label_sets, asked)

    def _check_minimum(self, label_sets: Sequence[Labels], choices: Mapping[str, Sequence[str]]) -> None:
        """See that there are as many values as minValues asks for."""
        for i, item in enumerate(self.requirements):
            if item.min_values is None:
                continue
            there = set(choices.get(item.key, ())) or {labels[item.key] for labels in label_sets if item.key in labels}
            if len(there) < item.min_values:
                path = f"spec.template.spec.requirements[{i}].minValues"
                self._fault(path, f"{item.min_values} values of {item.key} are asked for, the types have {len(there)}")

    def _fault(self, path: str, message: str) -> None:
        self.faults.append(Fault(self.source, f"NodePool {self.pool.metadata.name}", path, message))


def _meeting(label_sets: Sequence[Labels], asked: Sequence[tuple[str, NodePoolRequirement]]) -> Mask:
    """Which sets of labels meet all of some requirements."""
    nodes = build_nodes(
        [Node(metadata=ObjectMeta(name=str(i), labels=dict(labels))) for i, labels in enumerate(label_sets)],
        resource_names(()),
        range(len(label_sets)),
    )
    mask = np.ones(len(label_sets), np.bool_)
    for _, item in asked:
        mask &= requirement_mask(nodes, SelectorRequirement(item.key, item.operator, item.values))
    return mask


def _limit(columns: ClusterColumns, pool: NodePool) -> Limit | None:
    """What the limits of a pool leave, less what its nodes in the cluster offer."""
    limits = pool.spec.limits
    if not limits:
        return None
    nodes = columns.nodes
    mine = requirement_mask(nodes, SelectorRequirement(POOL, "In", (pool.metadata.name,)))
    used: Counter[str] = Counter({"nodes": int(mine.sum())})
    for row, name in enumerate(columns.resources):
        used[name] = int(nodes.allocatable[row, mine].sum())
    room = {
        name: (milli_value(quantity) if name == "cpu" else value(quantity)) - used[name]
        for name, quantity in limits.items()
    }
    return Limit(f"NodePool {pool.metadata.name}", room)
