"""Every table that an analysis gives: its columns, their dtypes and what they mean."""

from kplace.frames.schema import Column, Table

DOMAINS = Table(
    "analysis.domains",
    "A domain of a topology spread constraint, or of a topology key that was asked for; workload by workload.",
    (
        Column("workload", "str", "`namespace/name` of the workload whose constraint it is."),
        Column("topology_key", "category", "The node label."),
        Column("domain", "str", "Its value."),
        Column("pods", "int64", "Pods that count in it."),
        Column("min", "int64", "The smallest count of all domains; 0 if there are fewer than `minDomains`."),
        Column("max", "int64", "The largest count."),
        Column("skew", "int64", "`max` less `min`."),
        Column("max_skew", "Int64", "What the constraint allows; NA without a constraint."),
        Column("enforced", "bool", "`DoNotSchedule`: pods wait rather than break it."),
        Column("violates", "bool", "The skew is larger than allowed."),
    ),
)

POOLS = Table(
    "analysis.pools",
    "A pool: by default the nodes of one zone and one instance type.",
    (
        Column("zone", "category", "As in the table of nodes; other columns to group by take the place of these two."),
        Column("instance_type", "category", "As in the table of nodes."),
        Column("nodes", "int64", "Number of nodes."),
        Column("cordoned", "int64", "Those among them that are cordoned."),
        Column("allocatable_{resource}", "int64", "What the nodes offer together."),
        Column("requested_{resource}", "int64", "What the pods on them request."),
        Column("free_{resource}", "int64", "Allocatable minus requested."),
        Column("largest_{resource}", "int64", "The largest free block on one schedulable node."),
        Column("schedulable", "int64", "Pods of the shape asked for that fit by resources; only with a shape."),
    ),
)

CAPACITY = Table(
    "analysis.capacity",
    "A kind of pod, in the order in which they were named; of every workload, the largest first.",
    (
        Column("spec", "str", "`namespace/name` of the pod or workload."),
        Column("running", "int64", "Pods of the workload that are in the cluster already; 0 for one from a file."),
        Column("capacity", "int64", "How many more fit."),
        Column("nodes", "int64", "Nodes that take at least one of them."),
        Column("limited", "bool", "The limit was reached: more may fit."),
        Column("plugin", "str", "The filter that most nodes are lost to that were feasible at first; NA if limited."),
        Column("binding", "str", "Its words."),
        Column("message", "str", "What the scheduler says of the next copy; empty if limited."),
        Column("requested_{resource}", "int64", "What one of them requests; only resources that one kind requests."),
    ),
)

TABLES: tuple[Table, ...] = (DOMAINS, POOLS, CAPACITY)

WHERE = {
    "analysis.domains": "`kplace.analysis.metrics.domains`",
    "analysis.pools": "`kplace.analysis.metrics.pools`",
    "analysis.capacity": "`Capacity.table` of `kplace.capacity`; the rows of `kplace capacity --format`",
}
"""What gives each table."""
