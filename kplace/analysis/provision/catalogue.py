"""The candidates as nodes, with what comes with each, and the cluster with some of them added."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np
from msgspec import structs

from kplace.analysis.provision.candidate import Candidate
from kplace.analysis.provision.daemons import DaemonPod, static_pods
from kplace.columns import ClusterBuilder, ClusterColumns
from kplace.columns.addition import with_nodes, with_pods, with_resources, with_templates
from kplace.columns.removal import without_nodes
from kplace.dtypes import I32, I64
from kplace.errors import UsageError
from kplace.frames.usage import offered
from kplace.objects.core import Node
from kplace.objects.storage import CSINode

_ADMITTING = ("PriorityClass", "RuntimeClass", "LimitRange", "Namespace")
_SOURCE = "<candidate>"
_LONGEST = 40
_NEW = "new-"
"""Beginning of the names of new nodes."""
_ODD = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Companion:
    """A pod that comes with every new node of some candidates.

    Attributes
    ----------
    namespace, name : str
        The node's name is put behind.
    template : int
        Code in the cluster.
    candidates : int64 ndarray
        The candidates, ascending.
    """

    namespace: str
    name: str
    template: int
    candidates: I64


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The candidates, made ready to be added to a cluster.

    Attributes
    ----------
    candidates : tuple of Candidate
    nodes : ClusterColumns
        One node of each.
    at : int32 ndarray, shape (n_candidates,)
        Index of each candidate's node in ``nodes``.
    companions : tuple of Companion
    taken : int64 ndarray, shape (n_resources + 1, n_candidates)
        What companions request; the last row is their number.
    room : int64 ndarray, shape (n_resources + 1, n_candidates)
        What is left for other pods; never negative.
    """

    candidates: tuple[Candidate, ...]
    nodes: ClusterColumns
    at: I32
    companions: tuple[Companion, ...]
    taken: I64
    room: I64

    def chosen(self, rows: Sequence[int]) -> "Catalogue":
        """The same with some of the candidates only."""
        place = {row: number for number, row in enumerate(rows)}
        keys = [self.nodes.nodes.names[self.at[row]] for row in rows]
        gone = np.setdiff1d(np.arange(len(self.nodes.nodes)), self.at[list(rows)]).astype(np.int32)
        nodes = without_nodes(self.nodes, gone)
        companions = tuple(
            replace(item, candidates=np.array([place[c] for c in item.candidates.tolist() if c in place], np.int64))
            for item in self.companions
        )
        chosen = list(rows)
        return replace(
            self,
            candidates=tuple(self.candidates[row] for row in chosen),
            nodes=nodes,
            at=np.array([nodes.nodes.index[key] for key in keys], np.int32),
            companions=companions,
            taken=self.taken[:, chosen],
            room=self.room[:, chosen],
        )


def catalogue_of(
    columns: ClusterColumns, candidates: Sequence[Candidate], daemons: Sequence[DaemonPod]
) -> tuple[ClusterColumns, Catalogue]:
    """Make candidates ready to be added.

    Parameters
    ----------
    columns : ClusterColumns
        The cluster that they would be added to.
    daemons : sequence of DaemonPod

    Returns
    -------
    columns : ClusterColumns
        The same cluster, which knows the resources of the candidates and the templates of their companions.
    catalogue : Catalogue

    Raises
    ------
    UsageError
        There are no candidates.
    """
    if not candidates:
        msg = "candidates: name what could be added: node manifests, pools, shapes or node pools"
        raise UsageError(msg)
    builder = ClusterBuilder()
    for kind in _ADMITTING:
        builder.objects.setdefault(kind, []).extend(columns.objects.get(kind, ()))
    for number, item in enumerate(candidates):
        node = structs.replace(item.node, metadata=structs.replace(item.node.metadata, name=_key(number)))
        builder.add("Node", node, _manifest(node), _SOURCE)
    for daemon in daemons:
        builder.add_pod(daemon.pod, _SOURCE)
    nodes = builder.finish()
    columns, codes = with_templates(columns, nodes)
    nodes = with_resources(nodes, columns.resources)
    at = np.array([nodes.nodes.index[_key(number)] for number in range(len(candidates))], np.int32)
    companions = [
        Companion(
            daemon.pod.metadata.namespace,
            daemon.pod.metadata.name,
            codes[nodes.pods.template[pod]],
            np.flatnonzero(daemon.runs_on(nodes.nodes)[at]),
        )
        for pod, daemon in enumerate(daemons)
    ]
    companions += _static(columns, candidates)
    taken = np.zeros((len(columns.resources) + 1, len(candidates)), np.int64)
    for companion in companions:
        request = np.append(columns.templates[companion.template].request, 1)
        taken[:, companion.candidates] += request[:, None]
    room = np.maximum(offered(nodes)[:, at] - taken, 0)
    bare = replace(nodes, pods=ClusterBuilder().finish().pods, templates=[])
    return columns, Catalogue(tuple(candidates), bare, at, tuple(companions), taken, room)


def _key(number: int) -> str:
    return f"candidate-{number:05d}"


def _manifest(node: Node) -> bytes:
    return msgspec.json.encode({"apiVersion": "v1", "kind": "Node"} | msgspec.to_builtins(node))


def _static(columns: ClusterColumns, candidates: Sequence[Candidate]) -> list[Companion]:
    """Static pods that nodes like one of the cluster have."""
    return [
        Companion(columns.templates[code].namespace, name, code, np.array([number], np.int64))
        for number, item in enumerate(candidates)
        if item.like
        for name, code in static_pods(columns, item.like)
    ]


@dataclass(frozen=True, slots=True)
class Enlarged:
    """A cluster with nodes added.

    Attributes
    ----------
    columns : ClusterColumns
        Its other pods have the indexes that they had.
    candidate : int64 ndarray, shape (n_nodes,)
        Which candidate each node is of; -1 for those that were there before.
    """

    columns: ClusterColumns
    candidate: I64


@dataclass
class Enlarger:
    """Adds nodes to a cluster, always the same ones for the same numbers.

    Parameters
    ----------
    columns : ClusterColumns
        The cluster, as `catalogue_of` gives it.
    catalogue : Catalogue
    """

    columns: ClusterColumns
    catalogue: Catalogue
    _stems: list[str] = field(init=False)

    def __post_init__(self) -> None:
        taken = [name for name in self.columns.nodes.names if name.startswith(_NEW)]
        self._stems = []
        seen: set[str] = set()
        for item in self.catalogue.candidates:
            stem = f"{_NEW}{_ODD.sub('-', item.name.lower()).strip('-')[:_LONGEST].strip('-')}"
            base, number = stem, 2
            while stem in seen or any(name.startswith(f"{stem}-") for name in taken):
                stem, number = f"{base}-{number}", number + 1
            seen.add(stem)
            self._stems.append(stem)

    def with_counts(self, counts: Sequence[int]) -> Enlarged:
        """Add so many nodes of each candidate, each with its companions."""
        like = [c for c, number in enumerate(counts) for _ in range(number)]
        names = [f"{self._stems[c]}-{i:04d}" for c, number in enumerate(counts) for i in range(number)]
        columns, catalogue = self.columns, self.catalogue
        larger = with_nodes(columns, catalogue.nodes, [int(catalogue.at[c]) for c in like], names)
        candidate = np.full(len(larger.nodes), -1, np.int64)
        where = np.array([larger.nodes.index[name] for name in names], np.int64)
        candidate[where] = like
        templates: list[int] = []
        pods: list[str] = []
        nodes: list[int] = []
        for companion in catalogue.companions:
            mine = set(companion.candidates.tolist())
            for n, name, c in zip(where.tolist(), names, like, strict=True):
                if c in mine:
                    templates.append(companion.template)
                    pods.append(f"{companion.name}-{name}")
                    nodes.append(n)
        larger = with_pods(larger, templates, pods, nodes)
        return Enlarged(self._with_drivers(larger, like, names), candidate)

    def _with_drivers(self, larger: ClusterColumns, like: Sequence[int], names: Sequence[str]) -> ClusterColumns:
        """Let nodes that are like one of the cluster attach as many volumes as it can."""
        known = {item.metadata.name: item for item in self.columns.of_kind(CSINode)}
        if not known:
            return larger
        added = []
        for c, name in zip(like, names, strict=True):
            own = known.get(self.catalogue.candidates[c].like)
            if own is not None:
                added.append(structs.replace(own, metadata=structs.replace(own.metadata, name=name)))
        objects = dict(larger.objects)
        objects["CSINode"] = [*objects.get("CSINode", ()), *added]
        return replace(larger, objects=objects)
