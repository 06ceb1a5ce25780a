"""Every DataFrame that kplace gives or takes back: its columns, their dtypes and what they mean, in one table each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

SCHEMA_VERSION = 1
"""Raised when a column changes its name, its dtype or its meaning; a new column does not raise it."""

_UNITS = {
    "cpu": "cpu_milli",
    "memory": "memory_bytes",
    "ephemeral-storage": "ephemeral_storage_bytes",
}
_RESOURCES = {column: resource for resource, column in _UNITS.items()}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
        ``{resource}`` in it stands for one column per resource, named by `resource_column`.
    dtype : str
        As pandas writes it; ``object`` columns hold dicts or lists.
    meaning : str
    """

    name: str
    dtype: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Table:
    """A DataFrame's shape.

    Attributes
    ----------
    name : str
    rows : str
        What one row is, and how the rows are ordered.
    columns : tuple of Column
    """

    name: str
    rows: str
    columns: tuple[Column, ...]


_USE = (
    Column("allocatable_{resource}", "int64", "What the node offers to pods."),
    Column("requested_{resource}", "int64", "What the pods on it request; `requested_pods` is their number."),
    Column("free_{resource}", "int64", "Allocatable minus requested; negative on a node that holds too much."),
    Column("utilisation_{resource}", "float64", "Requested as a share of allocatable; NaN where nothing is offered."),
    Column("nonzero_requested_cpu_milli", "int64", "Requested, 100m for each container without: what scores see."),
    Column("nonzero_requested_memory_bytes", "int64", "Requested, 200 MiB for each container without."),
)

_NODE = (
    Column("node", "category", "Its name. The categories are all nodes in snapshot order, in every table."),
    Column("position", "int32", "Its place in the snapshot order, in which the search for nodes goes round."),
    Column("zone", "category", "Label topology.kubernetes.io/zone, or its beta form; NA without."),
    Column("region", "category", "Label topology.kubernetes.io/region, or its beta form; NA without."),
    Column("instance_type", "category", "Label node.kubernetes.io/instance-type, or its beta form; NA without."),
    Column("unschedulable", "bool", "`spec.unschedulable`: cordoned."),
    Column("taints", "str", "`key=value:Effect`, joined by commas; empty without."),
    Column("labels", "object", "A dict."),
    Column("images", "object", "Images on the node: a dict of name to bytes."),
)

NODES = Table("nodes", "A node; rows in the order of the input.", (*_NODE, *_USE))

PODS = Table(
    "pods",
    "A pod; rows in the order of the input, pods made from controllers last.",
    (
        Column("namespace", "category", "Its namespace."),
        Column("pod", "str", "Its name."),
        Column("owner_kind", "category", "Kind of its controller; NA without."),
        Column("owner", "str", "Name of its controller; NA without."),
        Column("scheduler", "category", "`spec.schedulerName`."),
        Column("priority", "int64", "From its spec, its class or the default class."),
        Column("phase", "category", "Pending, Running, Succeeded, Failed or Unknown."),
        Column("node", "category", "The node it is bound to; NA if none, or if that is not in the input."),
        Column("waiting", "bool", "It has no node and is neither finished nor being deleted."),
        Column("gated", "bool", "It has scheduling gates."),
        Column("terminating", "bool", "It is being deleted."),
        Column("made", "bool", "It was made from a controller and is not in the input itself."),
        Column("created", "datetime64[ns, UTC]", "`metadata.creationTimestamp`; NaT if not given."),
        Column("started", "datetime64[ns, UTC]", "`status.startTime`; NaT if not given."),
        Column("lasts", "float64", "Seconds that it runs in a simulation, as kplace.io/lasts says; NaN without."),
        Column("requested_{resource}", "int64", "What it takes from a node."),
        Column("nonzero_requested_cpu_milli", "int64", "Requested, 100m for each container without."),
        Column("nonzero_requested_memory_bytes", "int64", "Requested, 200 MiB for each container without."),
        Column("labels", "object", "A dict."),
        Column("node_selector", "object", "`spec.nodeSelector`: a dict."),
        Column("tolerations", "str", "Like taints; `key:Effect` tolerates any value, `*` any key."),
        Column("spec", "object", "The whole spec as a dict, with the API server's defaults."),
    ),
)

PLACED_PODS = Table(
    "placements.pods",
    "A pod that the run looked at; first those it did not try (gated, skipped), then the others as they were tried.",
    (
        Column("namespace", "category", "Its namespace."),
        Column("pod", "str", "Its name."),
        Column(
            "status",
            "category",
            "scheduled, unschedulable, gated (kept out of the queue), skipped (another scheduler's), preempted (placed "
            "and then pushed out), error (a plugin or an extender could not do its work).",
        ),
        Column("node", "category", "Where it was placed; NA if nowhere."),
        Column("attempt", "int32", "Number of its last attempt, from 0; -1 if it was not tried."),
        Column("evaluated", "int32", "Nodes that the search visited."),
        Column("feasible", "int32", "Feasible nodes that it found; these are scored."),
        Column("total", "Int64", "The highest total score; NA if no node was feasible."),
        Column("runner_up", "Int64", "The highest total of the nodes not chosen; NA without a second node."),
        Column("ties", "int32", "Nodes with the highest total: one of them was taken."),
        Column("next_start_index", "int32", "Position of the node at which the next search began."),
        Column("message", "str", "Why it stays pending, in kube-scheduler's words; empty for a placed pod."),
        Column("owner_kind", "category", "Kind of its controller; NA without."),
        Column("owner", "str", "Name of its controller; NA without."),
        Column("priority", "int64", "Its priority."),
        Column("made", "bool", "It was made from a controller and is not in the input itself."),
        Column("row", "int32", "Its row in the cluster's table of pods."),
    ),
)

PLACED_NODES = Table(
    "placements.nodes",
    "A node as the run left it; rows in the order of the input.",
    (
        *_NODE,
        *_USE,
        Column("requested_before_{resource}", "int64", "What the pods on it requested before the run."),
        Column("pods_placed", "int64", "Pods that the run placed on it."),
        Column("pods_preempted", "int64", "Pods that were on it before the run and left for others."),
    ),
)

REASONS = Table(
    "placements.reasons",
    "A reason for which nodes were ruled out for a pending pod; pods as they were tried, most nodes first.",
    (
        Column("namespace", "category", "The pod's namespace."),
        Column("pod", "str", "The pod's name."),
        Column("plugin", "category", "The plugin that speaks; empty for nodes that PreFilters ruled out together."),
        Column("reason", "category", "Its words."),
        Column("nodes", "int32", "Nodes that it speaks of."),
        Column("row", "int32", "The pod's row in the cluster's table of pods."),
    ),
)

PREEMPTIONS = Table(
    "placements.preemptions",
    "A pod that left for another one, or would have to; in the order of the attempts, the most important one first.",
    (
        Column("namespace", "category", "Namespace of the pod that room is made for."),
        Column("pod", "str", "Its name."),
        Column("attempt", "int32", "Number of its attempt, from 0."),
        Column("node", "category", "The node that it is nominated for."),
        Column("victim_namespace", "category", "Namespace of the pod that has to leave."),
        Column("victim", "str", "Its name."),
        Column("victim_priority", "int64", "Its priority."),
        Column("violates_budget", "bool", "Its eviction breaks a PodDisruptionBudget."),
        Column("carried_out", "bool", "It did leave; False in a dry run."),
        Column("row", "int32", "The pod's row in the cluster's table of pods."),
        Column("victim_row", "int32", "The victim's."),
    ),
)

VOLUMES = Table(
    "placements.volumes",
    "A claim of a pod that the run placed; pods in the order of `placements.pods`, claims in that of the pod.",
    (
        Column("namespace", "category", "The namespace of both."),
        Column("pod", "str", "The pod's name."),
        Column("claim", "str", "The claim's name."),
        Column("volume", "str", "The volume that it is bound to, or will be; `to provision` if it is to be made."),
        Column("settled", "bool", "The run settled that; otherwise the input has it."),
        Column("class", "category", "Its storage class; NA without."),
        Column("size_bytes", "int64", "What it requests; 0 if nothing."),
        Column("node", "category", "The pod's node."),
        Column("zone", "category", "The node's zone; NA without."),
        Column("row", "int32", "The pod's row in the cluster's table of pods."),
    ),
)

EXPLAIN = Table(
    "explain",
    "A node as the scheduler sees it for one pod: the ranked ones, those outside the sample, the rejected.",
    (
        Column("node", "category", "Its name."),
        Column("verdict", "category", "scored, outside sample (feasible, but the search had found enough), rejected."),
        Column("rank", "Int64", "1 is the best; equal totals share a rank. NA for a node that is not scored."),
        Column("total", "Int64", "Sum of the weighted scores."),
        Column("plugin", "category", "The first filter that rejects the node; NA if none does."),
        Column(
            "code",
            "category",
            "Unschedulable; UnschedulableAndUnresolvable: evicting pods would not help; Error: it could not work.",
        ),
        Column("reasons", "str", "That filter's words, joined by commas."),
        Column("raw_{plugin}", "Int64", "What the plugin's Score said."),
        Column("normalised_{plugin}", "Int64", "The same, brought to 0 to 100."),
        Column("weighted_{plugin}", "Int64", "Normalised times the plugin's weight."),
    ),
)

ATTEMPTS = Table(
    "history.placements",
    "An attempt of a simulation, or the failure to bind what came of one; in the order in which they ended.",
    (
        Column("at", "float64", "When it ended; seconds since the start, as in all tables of a history."),
        Column("popped_at", "float64", "When it began; another time only if attempts take time."),
        Column("namespace", "category", "The pod's namespace."),
        Column("pod", "str", "The pod's name."),
        Column("attempt", "int32", "Number of the pod's attempt, from 1."),
        Column("result", "category", "scheduled, unschedulable, error, skipped or bind-error."),
        Column("node", "category", "The node that was found; NA if none."),
        Column("plugins", "str", "The plugins that rejected the pod, joined by commas."),
        Column("message", "str", "Why it failed, in kube-scheduler's words."),
        Column("nominated", "str", "The node that it was promised; empty if a promise was taken back; NA for neither."),
        Column("victims", "str", "Pods that have to leave for it, joined by commas."),
        Column("evaluated", "int32", "Nodes that the search visited."),
        Column("feasible", "int32", "Feasible nodes that it found."),
        Column("total", "Int64", "The highest total score; NA if no node was found."),
    ),
)

EVENTS = Table(
    "history.events",
    "An event as `kubectl get events` would show it.",
    (
        Column("at", "float64", "Seconds since the start."),
        Column("type", "category", "Normal or Warning."),
        Column("reason", "category", "Scheduled, FailedScheduling or Preempted."),
        Column("namespace", "category", "Namespace of the pod that it is about."),
        Column("pod", "str", "Its name."),
        Column("message", "str", "The note, cut to 1,024 bytes as kube-scheduler does."),
    ),
)

LIVES = Table(
    "history.pods",
    "A pod that was tried, in the order of the first attempts; a pod that came back under its name is another one.",
    (
        Column("namespace", "category", "Its namespace."),
        Column("pod", "str", "Its name."),
        Column("entered", "float64", "When it entered the queue."),
        Column("active", "float64", "When it first came into the active queue; later only for a pod that was gated."),
        Column("scheduled", "float64", "When the node was found that it was bound to; NaN if none was."),
        Column("bound", "float64", "When it was bound; NaN if it was not."),
        Column("node", "category", "The node; NA if none."),
        Column("attempts", "int32", "How often it was tried."),
        Column("queueing", "float64", "Seconds from its entry to the attempt that found the node."),
        Column("latency", "float64", "Seconds from the active queue to its binding, as kube-scheduler's SLI counts."),
    ),
)

TIMELINE = Table(
    "history.timeline",
    "The cluster at a time, at regular steps.",
    (
        Column("at", "float64", "Seconds since the start."),
        Column("nodes", "int32", "Number of nodes."),
        Column("bound", "int32", "Pods on nodes."),
        Column("binding", "int32", "Pods that have found a node and are being bound."),
        Column("active", "int32", "Pods in the active queue."),
        Column("backoff", "int32", "Pods in backoff."),
        Column("unschedulable", "int32", "Pods that wait for an event."),
        Column("gated", "int32", "Pods that are kept out of the queue."),
        Column("requested_{resource}", "int64", "What the pods on the nodes request together."),
        Column("allocatable_{resource}", "int64", "What the nodes offer together."),
        Column("utilisation_{resource}", "float64", "Requested as a share of allocatable; NaN for 0."),
        Column("rejected_by_{plugin}", "int32", "Unschedulable pods that the plugin rejected, perhaps among others."),
    ),
)

_POD = (
    Column("namespace", "category", "The pod's namespace."),
    Column("pod", "str", "The pod's name."),
)
_PLUGIN_SCORES = (
    Column("raw_{plugin}", "Int64", "What the plugin's Score said; NA if it did not score."),
    Column("normalised_{plugin}", "Int64", "The same, brought to 0 to 100."),
    Column("weighted_{plugin}", "Int64", "Normalised times the plugin's weight."),
)

SCORE_DECISIONS = Table(
    "scores.decisions",
    "A waiting pod, as if it were the first to be placed; in the order of the queue.",
    (
        *_POD,
        Column("feasible", "int32", "Number of nodes that no filter objects to."),
        Column("node", "category", "The first of the nodes with the highest total; NA if none is feasible."),
        Column("total", "Int64", "Its sum of weighted scores."),
        Column("ties", "int32", "Number of nodes with that total."),
        Column("runner_up", "category", "The best of the other nodes; NA if there is none."),
        Column("margin", "Int64", "How far the total lies above the runner-up's."),
        Column("decided_by", "category", "The plugin whose weighted scores set the two off most; NA for equal totals."),
        Column("flip_plugin", "category", "The plugin whose weight has to change least for another node to win."),
        Column("flip_weight", "Int64", "What its weight would have to be; 0 is the plugin taken out."),
        Column("flip_node", "category", "The node that would win then."),
        Column("message", "str", "Why no node is feasible, in kube-scheduler's words; empty if one is."),
        Column("kind", "int32", "Pods of one number have the same scores."),
        Column("row", "int32", "The pod's row in `Cluster.pods`."),
    ),
)

SCORE_TOP = Table(
    "scores.top",
    "One of the best nodes of a pod; the pods in the order of the queue, the best node first.",
    (
        *_POD,
        Column("rank", "int32", "From 1; nodes with equal totals stand in snapshot order."),
        Column("node", "category", "The node."),
        Column("total", "int64", "Sum of the weighted scores."),
        *_PLUGIN_SCORES,
    ),
)

SCORE_WIDE = Table(
    "scores.wide",
    "A pod on a node; the pods in the order of the queue, the nodes of each in snapshot order.",
    (
        *_POD,
        Column("node", "category", "The node."),
        Column("verdict", "category", "scored, outside sample (feasible, but the search had found enough), rejected."),
        Column("plugin", "category", "The first filter, or the PreFilter, that rejects it; NA if none does."),
        Column("total", "Int64", "Sum of the weighted scores; NA for a node that is not scored."),
        *_PLUGIN_SCORES,
    ),
)

SCORE_LONG = Table(
    "scores.long",
    "A plugin's score of a node for a pod; only of nodes and by plugins that there are scores of.",
    (
        *_POD,
        Column("node", "category", "The node."),
        Column("plugin", "category", "The plugin, or the extender."),
        Column("raw", "int64", "What its Score said."),
        Column("normalised", "int64", "The same, brought to 0 to 100."),
        Column("weight", "int64", "Its weight."),
        Column("weighted", "int64", "Normalised times the weight."),
    ),
)

TABLES = (
    NODES,
    PODS,
    PLACED_PODS,
    PLACED_NODES,
    REASONS,
    PREEMPTIONS,
    VOLUMES,
    EXPLAIN,
    ATTEMPTS,
    EVENTS,
    LIVES,
    TIMELINE,
    SCORE_DECISIONS,
    SCORE_TOP,
    SCORE_WIDE,
    SCORE_LONG,
)


def resource_column(resource: str) -> str:
    """Name of a resource with its unit, as it ends the names of columns.

    Examples
    --------
    >>> [resource_column(name) for name in ("cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "pods")]
    ['cpu_milli', 'memory_bytes', 'ephemeral_storage_bytes', 'nvidia.com/gpu', 'pods']
    """
    return _UNITS.get(resource, resource)


def resource_of(column: str) -> str:
    """Resource that an ending names: undoes `resource_column`.

    Examples
    --------
    >>> resource_of("cpu_milli"), resource_of("nvidia.com/gpu")
    ('cpu', 'nvidia.com/gpu')
    """
    return _RESOURCES.get(column, column)


def expand(table: Table, *, resources: Iterable[str] = (), plugins: Iterable[str] = ()) -> dict[str, str]:
    """Column names of a table with their dtypes, in order, for certain resources and plugins."""
    endings = {"{resource}": [resource_column(name) for name in resources], "{plugin}": list(plugins)}
    dtypes: dict[str, str] = {}
    for column in table.columns:
        mark = next((mark for mark in endings if mark in column.name), None)
        names = [column.name] if mark is None else [column.name.replace(mark, ending) for ending in endings[mark]]
        dtypes |= dict.fromkeys(names, column.dtype)
    return dtypes


def stamp(frame: pd.DataFrame, table: Table) -> pd.DataFrame:
    """Write the table's name and the schema's version into ``frame.attrs``."""
    frame.attrs |= {"kplace_table": table.name, "kplace_schema": SCHEMA_VERSION}
    return frame


def describe(tables: Sequence[Table] = TABLES) -> pd.DataFrame:
    """All columns of some tables as a DataFrame: table, column, dtype, meaning."""
    rows = [(table.name, column.name, column.dtype, column.meaning) for table in tables for column in table.columns]
    return pd.DataFrame(rows, columns=["table", "column", "dtype", "meaning"])
