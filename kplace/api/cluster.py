"""A cluster as users hold it: columns inside, DataFrames outside."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from kplace.api.finding import find_nodes, find_pods
from kplace.columns import ClusterColumns, Note
from kplace.columns.addition import free_names, with_nodes, with_pods, with_templates
from kplace.columns.release import cordoned, released
from kplace.columns.removal import without_nodes, without_pods
from kplace.errors import Fault, InputError, UsageError
from kplace.frames.from_frames import Rules, columns_from_frames
from kplace.frames.nodes import nodes_frame
from kplace.frames.pods import pods_frame
from kplace.io.atomic import Target
from kplace.io.expand import expand
from kplace.io.manifests import FORMS, api_version_of, write_manifests
from kplace.io.read import read_builder
from kplace.io.report import input_notes
from kplace.io.shape import fit
from kplace.io.snapshot import is_snapshot, read_snapshot, write_snapshot
from kplace.io.validate import CHECKS
from kplace.objects.defaulting import DEFAULT_SCHEDULER


@dataclass(frozen=True, slots=True)
class Case:
    """What a golden case file sets beside its objects.

    Attributes
    ----------
    config : mapping or None
        A KubeSchedulerConfiguration.
    preempt : bool
        Pods leave for others that have the higher priority.
    """

    config: Mapping[str, object] | None = None
    preempt: bool = False


_NO_PODS = pd.DataFrame({"pod": []})
RULES = Rules(checks=CHECKS, fit=fit, api_version=api_version_of)
"""What is known of objects, for those that are made of tables."""


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

    @staticmethod
    def from_frames(
        nodes: pd.DataFrame, pods: pd.DataFrame | None = None, *, others: "Cluster | None" = None
    ) -> "Cluster":
        """Make a cluster of a table of nodes and a table of pods.

        Parameters
        ----------
        nodes : DataFrame
            One row per node, in the order in which they were added to the cluster. Columns, all but the first optional:

            - ``node`` or ``name``
            - ``cpu``, ``memory``, ``ephemeral-storage``, ``pods`` and extended resources such as ``nvidia.com/gpu``:
              what the node offers, as Kubernetes writes quantities (``"500m"``, ``"8Gi"``, 4); or
              ``allocatable_cpu_milli``, ``allocatable_memory_bytes`` and so on, as `nodes` has them. Without a column
              for pods 110 are allowed.
            - ``labels``, dicts, and ``label:KEY``, one column for each label; ``zone``, ``region`` and
              ``instance_type`` stand for their labels. A table without ``labels`` gets ``kubernetes.io/hostname`` from
              the name.
            - ``taints``: ``"key=value:Effect,key:Effect"``, or lists of dicts
            - ``unschedulable``, and ``images``, dicts of names and bytes
        pods : DataFrame, optional
            One row per pod, in the order of the input. Columns, all but the first optional:

            - ``pod`` or ``name``, and ``namespace``, by default ``default``
            - ``node``: where it runs; NA for a waiting pod
            - ``cpu``, ``memory`` and the others: what it requests; or ``requested_cpu_milli`` and so on, as `pods` has
              them. 0 is as good as no request.
            - ``labels``, ``label:KEY``, ``node_selector`` (dicts); ``tolerations``:
              ``"key=value:Effect,key:Effect,*"``, or lists of dicts
            - ``priority``, ``scheduler``, ``gated``, ``phase``, ``terminating``, ``created``, ``started``,
              ``lasts`` (seconds that it runs in a simulation),
              ``owner_kind`` with ``owner``
            - ``spec``: a dict, the whole pod spec, for anything else. Where another column says something else, the
              column counts: what it requests is then requested by the first container alone.
        others : Cluster, optional
            Services, ReplicaSets, Namespaces, PriorityClasses and all other kinds are taken from it. Controllers are
            not expanded again.

        Returns
        -------
        Cluster

        Raises
        ------
        InputError
            With every fault of both tables, by row and column.

        Notes
        -----
        ``Cluster.from_frames(cluster.nodes, cluster.pods, others=cluster)`` places like ``cluster``. The tables do not
        carry uids, owners beyond kind and name, and nominated nodes; without ``others`` what depends on further objects
        is lost too, such as default spreading and the labels of namespaces.

        Examples
        --------
        >>> nodes = pd.DataFrame({"node": ["a", "b"], "cpu": [4, 8], "memory": "16Gi", "zone": ["x", "y"]})
        >>> pods = pd.DataFrame({"pod": ["web", "db"], "cpu": "500m", "memory": "1Gi", "node": [None, "b"]})
        >>> Cluster.from_frames(nodes, pods)
        <Cluster: 2 nodes, 2 pods, 1 of them waiting>
        """
        tables: dict[str, object] = {"nodes": nodes, "pods": _NO_PODS if pods is None else pods}
        for argument, given in tables.items():
            if not isinstance(given, pd.DataFrame):
                msg = f"{argument}: expected a DataFrame, got {type(given).__name__}"
                raise UsageError(msg)
        columns = columns_from_frames(
            nodes,
            _NO_PODS if pods is None else pods,
            RULES,
            others=None if others is None else others.columns,
        )
        columns.notes.extend(input_notes(columns, [DEFAULT_SCHEDULER]))
        return Cluster(columns, None if others is None else others.case)

    @property
    def notes(self) -> list[Note]:
        """What the input lacks or holds that a user should know."""
        return self.columns.notes

    @cached_property
    def nodes(self) -> pd.DataFrame:
        """One row per node: `kplace.frames.schema.NODES`."""
        return nodes_frame(self.columns)

    @cached_property
    def pods(self) -> pd.DataFrame:
        """One row per pod: `kplace.frames.schema.PODS`."""
        return pods_frame(self.columns)

    def without_nodes(self, nodes: Iterable[str]) -> "Cluster":
        """Take nodes away, with the pods that are on them; see `released` for pods that come back.

        Parameters
        ----------
        nodes : iterable of str
            Names.

        Returns
        -------
        Cluster
            What reading the input without those nodes and pods would give; made from the columns, without reading.

        Raises
        ------
        UsageError
            There is no such node.

        Examples
        --------
        >>> nodes = pd.DataFrame({"node": ["a", "b"], "cpu": [4, 8]})
        >>> Cluster.from_frames(nodes, pd.DataFrame({"pod": ["web"], "node": ["b"]})).without_nodes(["b"])
        <Cluster: 1 nodes, 0 pods, 0 of them waiting>
        """
        return self._changed(without_nodes(self.columns, find_nodes(self.columns, nodes)))

    def cordoned(self, nodes: Iterable[str]) -> "Cluster":
        """Cordon nodes: they keep their pods and take no more, as after ``kubectl cordon``.

        Parameters
        ----------
        nodes : iterable of str
            Names. They are marked as unschedulable and get the taint ``node.kubernetes.io/unschedulable``.

        Raises
        ------
        UsageError
            There is no such node.
        """
        return self._changed(cordoned(self.columns, find_nodes(self.columns, nodes)))

    def without_pods(self, pods: Iterable[str]) -> "Cluster":
        """Take pods away.

        Parameters
        ----------
        pods : iterable of str
            ``NAMESPACE/NAME``.

        Raises
        ------
        UsageError
            There is no such pod.
        """
        return self._changed(without_pods(self.columns, find_pods(self.columns, pods)))

    def released(self, pods: Iterable[str]) -> "Cluster":
        """Let pods leave their nodes and wait, as their controllers would make them anew.

        Parameters
        ----------
        pods : iterable of str
            ``NAMESPACE/NAME``. They come last in the queue among those of their priority.

        Raises
        ------
        UsageError
            There is no such pod.
        """
        return self._changed(released(self.columns, find_pods(self.columns, pods)))

    def with_pods(self, others: "Cluster", *, copies: int = 1) -> "Cluster":
        """Add pods that wait.

        Parameters
        ----------
        others : Cluster
            Its waiting pods are added; nothing else of it is.
        copies : int
            How many of each. A single one keeps its name where that is free; others are numbered.

        Returns
        -------
        Cluster
            The pods are the last ones, copy by copy.
        """
        columns, codes = with_templates(self.columns, others.columns)
        added = others.columns.pods
        chosen = np.flatnonzero(added.waiting).tolist()
        names: dict[int, list[str]] = {}
        for pod in chosen:
            space = others.columns.templates[added.template[pod]].namespace
            taken = copies > 1 or f"{space}/{added.names[pod]}" in _keys(columns)
            names[pod] = free_names(columns, space, added.names[pod], copies) if taken else [added.names[pod]]
        order = [(pod, copy) for copy in range(copies) for pod in chosen]
        templates = [codes[added.template[pod]] for pod, _ in order]
        return self._changed(with_pods(columns, templates, [names[pod][copy] for pod, copy in order]))

    def with_nodes(self, like: Mapping[str, str], *, others: "Cluster | None" = None) -> "Cluster":
        """Add nodes that are like others in all but the name.

        Parameters
        ----------
        like : mapping of str to str
            Names of the new nodes, each with the name of the node that it is like: labels (but for
            ``kubernetes.io/hostname``), taints and what it offers. What is on that node is not taken over.
        others : Cluster, optional
            Where those nodes are; by default in this cluster.

        Raises
        ------
        UsageError
            There is no such node, or there is one of a new name already.
        """
        source = (self if others is None else others).columns
        there = [name for name in like if name in self.columns.nodes.index]
        if there:
            msg = f"nodes: there is a node {there[0]} already"
            raise UsageError(msg)
        find_nodes(source, like.values())
        wanted = [source.nodes.index[name] for name in like.values()]
        return self._changed(with_nodes(self.columns, source, wanted, list(like)))

    def _changed(self, columns: ClusterColumns) -> "Cluster":
        return self if columns is self.columns else Cluster(columns, self.case)

    def to_manifests(self, target: Target, *, form: str | None = None) -> None:
        """Write the cluster as Kubernetes objects, every pod where it is now; `read` reads it again.

        Parameters
        ----------
        target : path or binary file
            A name that ends in ``.gz`` or ``.zst`` is compressed.
        form : {"json", "yaml", "folder"}, optional
            One ``List``, one document per object, or a folder with one file per kind. By default the name decides:
            ``.yaml`` and ``.yml``, ``.json``, and a folder for any other.

        Raises
        ------
        UsageError
            There is no such form.
        OutputError
            It cannot be written; nothing is left of it then.
        """
        if form is None:
            form = _form_of(target)
        if form not in FORMS:
            msg = f"form: expected {' or '.join(map(repr, FORMS))}, got {form!r}"
            raise UsageError(msg)
        write_manifests(self.columns, target, form)

    def to_snapshot(self, path: str | Path) -> None:
        """Write the cluster as a folder of Parquet files, which `read` takes back in seconds, whatever its size.

        What placing depends on is kept: an object's other fields are not. Settings of a golden case are not, either.

        Parameters
        ----------
        path : path
            A new or an empty folder.

        Raises
        ------
        OutputError
            It cannot be written; nothing is left of it then.

        Examples
        --------
        >>> import tempfile
        >>> cluster = Cluster.from_frames(pd.DataFrame({"node": ["a"], "cpu": ["4"], "memory": ["8Gi"]}))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cluster.to_snapshot(Path(folder, "small"))
        ...     read(Path(folder, "small"))
        <Cluster: 1 nodes, 0 pods, 0 of them waiting>
        """
        write_snapshot(self.columns, path)

    def __repr__(self) -> str:
        waiting = int(self.columns.pods.waiting.sum())
        return f"<Cluster: {len(self.columns.nodes)} nodes, {len(self.columns.pods)} pods, {waiting} of them waiting>"


def _keys(columns: ClusterColumns) -> set[str]:
    return {columns.pods.key(pod) for pod in range(len(columns.pods))}


def _form_of(target: Target) -> str:
    if not isinstance(target, str | os.PathLike):
        return "json"
    name = Path(target).name.lower().removesuffix(".gz").removesuffix(".zst")
    if name.endswith((".yaml", ".yml")):
        return "yaml"
    return "json" if name.endswith(".json") else "folder"


def read(*sources: str | Path) -> Cluster:
    """Read a cluster; controllers are expanded to the pods that they still lack.

    Parameters
    ----------
    *sources : str or path
        Files, folders (with all below them), patterns with ``*``, or ``"-"`` for standard input; JSON or YAML, plain,
        ``.gz`` or ``.zst``: manifests, lists, dumps of ``kubectl get ... -o json``, support bundles. A golden case's
        objects are taken as they stand, without pods that its controllers lack. The tables of the OpenB trace are read
        where they are named, or by a pattern that ends in ``.csv``. Or a single snapshot of `Cluster.to_snapshot`.

    Returns
    -------
    Cluster
        `Cluster.notes` says what was left out and what the input lacks.

    Raises
    ------
    InputError
        With every fault of every source.
    """
    if any(map(is_snapshot, sources)):
        if len(sources) > 1:
            names = (str(source) for source in sources if is_snapshot(source))
            raise InputError(Fault(name, "", "", "is a snapshot: a whole cluster, read by itself") for name in names)
        return Cluster(read_snapshot(sources[0]))
    builder, report = read_builder(*sources)
    if not report.cases:
        expand(builder)
    columns = builder.finish()
    columns.notes.extend(input_notes(columns, [DEFAULT_SCHEDULER]))
    if not report.cases:
        return Cluster(columns)
    config = next((case.config for case in report.cases if case.config), None)
    return Cluster(columns, Case(config, any(case.preempt for case in report.cases)))
