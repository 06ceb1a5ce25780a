"""Tables of questions that are answered by placing a cluster many times."""

from kplace.frames.schema import Column, Table

_NAMES = (
    Column("namespace", "category", "Its namespace."),
    Column("pod", "str", "Its name."),
)

STABILITY_PODS = Table(
    "analysis.stability.pods",
    "A pod that the runs tried, or that left for another one in a run; rows in the order of the input.",
    (
        *_NAMES,
        Column("owner_kind", "category", "Kind of its controller; NA without."),
        Column("owner", "str", "Name of its controller; NA without."),
        Column("p_placed", "float64", "Share of the runs in which it is on a node in the end."),
        Column("p_pending", "float64", "Share of the runs in which it finds no node."),
        Column("p_preempted", "float64", "Share of the runs in which it has left for another pod."),
        Column("nodes", "int64", "Number of nodes that it was on, over the runs."),
        Column("node", "category", "The node that it was on most often, the first of equal ones; NA if on none."),
        Column("p_node", "float64", "Share of the runs in which it is on that node; 0 if on none."),
        Column(
            "entropy",
            "float64",
            "In bits, over what became of it (each node, pending, preempted): 0 if all runs agree, at most "
            "`log2(runs)`.",
        ),
        Column("row", "int32", "Its row in the cluster's table of pods."),
    ),
)

STABILITY_NODES = Table(
    "analysis.stability.nodes",
    "A pod and a node that it was on in a run; rows by pod, of one pod in snapshot order.",
    (
        *_NAMES,
        Column("node", "category", "The node."),
        Column("runs", "int64", "Number of runs in which the pod is there in the end."),
        Column("probability", "float64", "The same as a share of the runs."),
        Column("row", "int32", "The pod's row in the cluster's table of pods."),
    ),
)

STABILITY_WORKLOADS = Table(
    "analysis.stability.workloads",
    "A workload with a controller and a waiting pod; in the order of the input.",
    (
        Column("workload", "str", "`namespace/name` of the workload."),
        Column("kind", "str", "Its kind."),
        Column("copies_mean", "float64", "Its pods on nodes with a zone in the end, on average over the runs."),
        Column("pending_min", "int64", "The fewest of its pods that found no node in a run."),
        Column("pending_mean", "float64", "Their mean over the runs."),
        Column("pending_max", "int64", "The most."),
        Column("pending_std", "float64", "Standard deviation over the runs."),
        Column("p_pending", "float64", "Share of the runs in which at least one of its pods found no node."),
        Column("skew_min", "int64", "The smallest skew over all zones: the most less the fewest copies."),
        Column("skew_mean", "float64", "Mean of the skew over the runs."),
        Column("skew_max", "int64", "The largest skew."),
        Column("skew_std", "float64", "Standard deviation of the skew over the runs."),
    ),
)

STABILITY_ZONES = Table(
    "analysis.stability.zones",
    "A workload and a zone that one of its pods was in in a run; by workload, of one by zone.",
    (
        Column("workload", "str", "`namespace/name` of the workload."),
        Column("zone", "category", "The zone."),
        Column("min", "int64", "The fewest copies there in the end of a run, those that ran before included."),
        Column("mean", "float64", "Their mean over the runs."),
        Column("max", "int64", "The most."),
        Column("std", "float64", "Standard deviation over the runs."),
    ),
)

STABILITY_METRICS = Table(
    "analysis.stability.metrics",
    "A metric; NaN where a run has none.",
    (
        Column("metric", "str", "Its name, with `:RESOURCE` where there is one for each."),
        Column("min", "float64", "The smallest value of a run."),
        Column("q10", "float64", "The value that a tenth of the runs stay below, interpolated."),
        Column("q50", "float64", "The median."),
        Column("q90", "float64", "The value that nine tenths of the runs stay below, interpolated."),
        Column("max", "float64", "The largest value."),
        Column("mean", "float64", "The mean over the runs."),
        Column("std", "float64", "Standard deviation over the runs, of which the mean squared distance is taken."),
    ),
)

STABILITY_RUNS = Table(
    "analysis.stability.runs",
    "A run.",
    (
        Column("run", "int64", "Its number, from 0."),
        Column("seed", "int64", "Seed of its draws: `seed` of `kplace.place`."),
        Column("start_index", "int64", "Where its first search begins: `start_index` of `kplace.place`."),
        Column(
            "order",
            "Int64",
            "Seed of the order of arrival, for `kplace.analysis.stability.arriving`; NA if it is that of the input.",
        ),
        Column("outcome", "str", "Short hash of where every pod is in the end: equal for runs that agree on all pods."),
        Column("result_hash", "str", "`Placements.result_hash` of the run."),
        Column("{metric}", "float64", "A column for each metric."),
    ),
)


SAMPLING = Table(
    "analysis.sampling",
    "A percentage; the one with which a search looks for the fewest nodes first.",
    (
        Column("percentage", "int64", "`percentageOfNodesToScore`; 0 adapts to the number of nodes."),
        Column("nodes_wanted", "int64", "Feasible nodes that a search over all nodes looks for."),
        Column(
            "loss_mean",
            "float64",
            "Mean over pods of the best total less that of the pod's node, both normalised over all feasible nodes; "
            "NaN if no pod found a node.",
        ),
        Column("loss_stderr", "float64", "Its standard error, since not all pods are looked at; 0 if all were."),
        Column("loss_max", "int64", "The largest loss of a pod."),
        Column("not_best", "float64", "Share of the pods looked at that got a node worse than the best one."),
        Column("pods", "int64", "Pods looked at that found a node."),
        Column("placed", "int64", "Pods that found a node."),
        Column("pending", "int64", "Pods that did not."),
        Column("elsewhere", "int64", "Pods that are on another node than with 100, or on none."),
        Column("filtered", "float64", "Nodes that a search visited, on average over the pods."),
        Column("scored", "float64", "Nodes that were scored, on average over the pods."),
        Column("relative_time", "float64", "Time to place all pods as a share of that with 100: measured each time."),
        Column("current", "bool", "It is what is set now."),
        Column("recommended", "bool", "It looks for the fewest nodes of those within the tolerance."),
    ),
)

SAMPLING_METRICS = Table(
    "analysis.sampling.metrics",
    "A percentage and a metric of the end of its run.",
    (
        Column("percentage", "int64", "`percentageOfNodesToScore`."),
        Column("metric", "str", "Its name, with `:RESOURCE` where there is one for each."),
        Column("value", "float64", "Its value."),
        Column("change", "float64", "The same less the value with 100."),
    ),
)

SAMPLING_PODS = Table(
    "analysis.sampling.pods",
    "A percentage and a pod that was looked at and found a node; of one percentage in the order of the queue.",
    (
        Column("percentage", "int64", "`percentageOfNodesToScore`."),
        *_NAMES,
        Column("node", "category", "The node that it got."),
        Column("best_node", "category", "The first of the best nodes in snapshot order."),
        Column("feasible", "int64", "Feasible nodes, in the whole cluster."),
        Column("total", "int64", "Total of its node, normalised over all feasible nodes."),
        Column("best", "int64", "Total of the best one, likewise."),
        Column("loss", "int64", "`best` less `total`."),
        Column("row", "int32", "The pod's row in the cluster's table of pods."),
    ),
)

TABLES: tuple[Table, ...] = (
    STABILITY_PODS,
    STABILITY_NODES,
    STABILITY_WORKLOADS,
    STABILITY_ZONES,
    STABILITY_METRICS,
    STABILITY_RUNS,
    SAMPLING,
    SAMPLING_METRICS,
    SAMPLING_PODS,
)

WHERE = {
    "analysis.sampling": "`Sampling.table` of `kplace.sampling`; the rows of `kplace sampling --format`",
    "analysis.sampling.metrics": "`Sampling.metrics`; the rows of `kplace sampling --rows metrics --format`",
    "analysis.sampling.pods": "`Sampling.pods`; the rows of `kplace sampling --rows pods --format`",
} | {
    f"analysis.stability.{name}": f"`Stability.{name}` of `kplace.stability`; the rows of `kplace stability "
    f"--rows {name} --format`"
    for name in ("pods", "nodes", "workloads", "zones", "metrics", "runs")
}
