"""Every table that an analysis gives: its columns, their dtypes and what they mean."""

from kplace.analysis import schema_runs
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
        Column("running", "int64", "Pods of the workload, or alike, that are there already; 0 for one from a file."),
        Column("capacity", "int64", "How many more fit."),
        Column("nodes", "int64", "Nodes that take at least one of them."),
        Column("limited", "bool", "The limit was reached: more may fit."),
        Column("plugin", "str", "The filter that most nodes are lost to that were feasible at first; NA if limited."),
        Column("binding", "str", "Its words."),
        Column("message", "str", "What the scheduler says of the next copy; empty if limited."),
        Column("requested_{resource}", "int64", "What one of them requests; only resources that one kind requests."),
    ),
)

DRAIN_PODS = Table(
    "analysis.drain.pods",
    "A pod that was on the nodes; those that have to move first, then daemons, then those that are being deleted.",
    (
        Column("namespace", "category", "Its namespace."),
        Column("pod", "str", "Its name; the one that is made anew will have another."),
        Column("owner_kind", "category", "Kind of its controller; NA without: nobody makes it anew."),
        Column("owner", "str", "Name of its controller; NA without."),
        Column("priority", "int64", "Its priority."),
        Column("from_node", "category", "The node that goes."),
        Column(
            "outcome",
            "category",
            "moves, pending (it finds no node), daemon (it ends with its node), ending (it is being deleted anyway).",
        ),
        Column("node", "category", "Where it moves to; NA if nowhere."),
        Column("budgets", "str", "Disruption budgets that protect it, joined by commas."),
        Column("violates_budget", "bool", "One of them would be broken if all pods that move went at once."),
        Column("message", "str", "Why it stays pending, in kube-scheduler's words."),
        Column("row", "int32", "Its row in the cluster's table of pods."),
    ),
)

DRAIN_NODES = Table(
    "analysis.drain.nodes",
    "A node that goes, in the order of the drain.",
    (
        Column("step", "int64", "Its place in the order, from 1."),
        Column("node", "category", "Its name."),
        Column("moves", "int64", "Pods that find another node."),
        Column("pending", "int64", "Pods that find none."),
        Column("daemon", "int64", "Pods of DaemonSets and static pods."),
        Column("ending", "int64", "Pods that are being deleted anyway."),
        Column("budgets_waited_for", "str", "Budgets that allow fewer evictions at once: the drain goes in stages."),
        Column("budgets_blocking", "str", "Budgets that allow none: the drain hangs."),
    ),
)

DRAIN_EACH = Table(
    "analysis.drain.each",
    "A node, as if it alone were drained; rows in the order of the input.",
    (
        Column("node", "category", "Its name."),
        Column("zone", "category", "As in the table of nodes."),
        Column("instance_type", "category", "As in the table of nodes."),
        Column("pods", "int64", "Pods that have to move."),
        Column("daemon", "int64", "Pods of DaemonSets and static pods."),
        Column("pending", "int64", "Pods that find no other node."),
        Column("budgets_blocking", "int64", "Disruption budgets that allow no eviction of its pods."),
        Column("can_go", "bool", "Nothing stays pending, and no budget blocks."),
        Column("in_set", "bool", "It is one of the largest set found that can go together."),
    ),
)

COMPARE = Table(
    "analysis.compare",
    "A pod that two runs disagree on, in the order in which the second one tried them.",
    (
        Column("namespace", "str", "Its namespace."),
        Column("pod", "str", "Its name."),
        Column(
            "change",
            "str",
            "moved, now pending, now placed; now preempted, no longer preempted (placed or running, and then pushed "
            "out); now skipped, no longer skipped (another scheduler's); only before, only after.",
        ),
        Column("node_before", "str", "Its node in the first run; NA if none."),
        Column("node_after", "str", "Its node in the second one; NA if none."),
        Column(
            "cause",
            "str",
            "earlier (what came before it differs), filter, score, sample (the search did not come by its node), draw "
            "(equal totals), preemption (it was pushed out in one of the runs, or pushed others out); empty if it was "
            "not looked into.",
        ),
        Column("plugin", "str", "The plugin whose word it is; empty for other causes than filter and score."),
        Column(
            "preemptor", "str", "`namespace/name` of the pod that it left for, the first of several; NA if it stays."
        ),
        Column("total_before", "Int64", "Its highest total in the first run."),
        Column("total_after", "Int64", "Its highest total in the second one."),
        Column("row", "int32", "Its row in the second cluster's table of pods; -1 if it is only in the first."),
    ),
)

COMPARE_VERSIONS = Table(
    "analysis.compare_versions",
    "A release of Kubernetes; all columns but the first three say what differs from the row above.",
    (
        Column("version", "str", "The release."),
        Column("placed", "int64", "Pods that it places."),
        Column("pending", "int64", "Pods that it leaves pending."),
        Column("moved", "int64", "Pods that are placed elsewhere."),
        Column("now_pending", "int64", "Pods that were placed and are pending."),
        Column("now_placed", "int64", "Pods that were pending and are placed."),
        Column("scores_changed", "int64", "Pods whose highest total differs."),
        Column("messages_changed", "int64", "Pods whose message differs."),
        Column("rules", "str", "Changes of the release that by themselves make a difference here; empty if none does."),
    ),
)

WHY = Table(
    "analysis.why",
    "A single change with which a pending pod fits; changes of the pod first, of one kind the smallest first.",
    (
        Column(
            "kind",
            "str",
            "request, toleration, node selector, node affinity, spread, pod affinity, pod anti-affinity, host port, "
            "volume, priority (it pushes others out); uncordon, label, eviction, node.",
        ),
        Column("change", "str", "What to do."),
        Column("node", "str", "Where the pod then goes."),
        Column(
            "size",
            "float64",
            "What it takes, by kind: the share of a request, the skew, the priority, milli-cpu of a node.",
        ),
    ),
)

PROVISION_PLANS = Table(
    "analysis.provision.plans",
    "A plan: nodes to add; those that let the most pods in first, the cheapest of these first.",
    (
        Column("plan", "int64", "Its number, from 1."),
        Column(
            "made_of",
            "str",
            "The kind of node that it is made of, and how many are alike but for a rack or so; or mix.",
        ),
        Column("cost", "float64", "What the nodes cost together, in the unit of the prices."),
        Column("at_least", "float64", "No nodes of any candidates that let the same pods in cost less."),
        Column("gap", "float64", "By how much the cost lies above that, as a share of it."),
        Column("nodes", "int64", "How many nodes are added."),
        Column("add", "str", "How many of each candidate."),
        Column("placed", "int64", "Pods that needed a node and get one."),
        Column("pending", "int64", "Pods that do not."),
        Column("binding", "str", "The resource that is used up most on the new nodes together; NA without nodes."),
        Column("utilisation_{resource}", "float64", "Requested as a share of allocatable on the new nodes together."),
    ),
)

PROVISION_NODES = Table(
    "analysis.provision.nodes",
    "A new node of a plan, once the scheduler has placed the pods; candidate by candidate.",
    (
        Column("node", "str", "The name it was given."),
        Column("candidate", "str", "What it is like."),
        Column("zone", "str", "Its zone; NA without."),
        Column("instance_type", "str", "Its instance type; NA without."),
        Column("price", "float64", "What it costs."),
        Column("pods", "int64", "Pods that had no node before and are on it."),
        Column("daemons", "int64", "Pods of DaemonSets and static pods on it."),
        Column("allocatable_{resource}", "int64", "What it offers; only resources that a new node offers."),
        Column("requested_{resource}", "int64", "What the pods on it request, daemons included."),
        Column("utilisation_{resource}", "float64", "Requested as a share of allocatable; NaN where nothing is."),
    ),
)

PROVISION_PODS = Table(
    "analysis.provision.pods",
    "A pod that finds no node in the cluster as it stands, with its node in the best plan; in the order of the input.",
    (
        Column("namespace", "category", "Its namespace."),
        Column("pod", "str", "Its name."),
        Column("workload", "str", "`namespace/name` of its workload."),
        Column("node", "str", "Where it goes; NA if nowhere. It can be a node that was there before."),
        Column("candidate", "str", "What that node is like; NA if it is no new one."),
        Column("message", "str", "What the scheduler says of it without new nodes."),
        Column("why_pending", "str", "For a pod that gets no node: what the candidates' nodes say, counted; else NA."),
        Column("row", "int32", "Its row in the table of pods of `Provision.before`."),
    ),
)

PROVISION_CANDIDATES = Table(
    "analysis.provision.candidates",
    "A candidate; those that were looked at first.",
    (
        Column("candidate", "str", "Its name."),
        Column("source", "str", "node (a manifest), pool (like nodes that are there), shape or nodepool."),
        Column("zone", "str", "Its zone; NA without."),
        Column("instance_type", "str", "Its instance type; NA without."),
        Column("price", "float64", "What one costs."),
        Column("nodes", "int64", "How many of them the best plan adds."),
        Column("left_out", "str", "Why it was not looked at; empty if it was."),
    ),
)

RESCORE_PODS = Table(
    "analysis.rescore.pods",
    "A pod on a node, scored against the cluster without it; first those that have drifted, then by regret.",
    (
        Column("namespace", "category", "Its namespace."),
        Column("pod", "str", "Its name."),
        Column("owner_kind", "category", "Kind of its controller; NA without."),
        Column("owner", "str", "Name of its controller; NA without."),
        Column("priority", "int64", "Its priority."),
        Column("node", "category", "The node that it is on."),
        Column(
            "outcome",
            "category",
            "stays (its node is among the best), moves (it is not), pending (no node is feasible, not even its own).",
        ),
        Column("best_node", "category", "Where it would go: its own node, or one of the best; NA if nowhere."),
        Column("regret", "Int64", "`best_total` less `total`; NA if it has drifted: a filter rejects its node."),
        Column("total", "Int64", "Total of its node; NA if it has drifted."),
        Column("best_total", "Int64", "The highest total; NA if no node is feasible."),
        Column("ties", "int32", "Nodes that have the highest total."),
        Column("feasible", "int32", "Nodes that no filter rejects."),
        Column("plugin", "category", "The plugin that puts the best node ahead most; NA without regret."),
        Column("rejected_by", "category", "The plugin that rejects its own node; NA if it has not drifted."),
        Column("reason", "str", "Its words; empty if it has not drifted."),
        Column("budgets_blocking", "str", "Disruption budgets that allow no eviction of it now."),
        Column("difference_{plugin}", "Int64", "Weighted score of the best node less that of its own; NA if drifted."),
        Column("row", "int32", "Its row in the cluster's table of pods."),
    ),
)

RESCORE_PLUGINS = Table(
    "analysis.rescore.plugins",
    "A plugin that scores; after these, filters that reject pods' own nodes.",
    (
        Column("plugin", "str", "Its name, or that of an extender."),
        Column("decides", "int64", "Pods whose best node it puts ahead most."),
        Column("difference", "int64", "Best node less own node, weighted, summed over pods with regret."),
        Column("rejects", "int64", "Pods whose own node it rejects."),
    ),
)

RESCORE_WORKLOADS = Table(
    "analysis.rescore.workloads",
    "A workload; those with the most drifted pods first, then by regret.",
    (
        Column("workload", "str", "`namespace/name`; a pod without a controller stands for itself."),
        Column("kind", "category", "Deployment and so on; Pod without a controller."),
        Column("pods", "int64", "Its pods that were scored."),
        Column("drifted", "int64", "Those on nodes that a filter rejects."),
        Column("would_move", "int64", "Those whose own node is not among the best."),
        Column("regret", "int64", "Theirs together."),
        Column("largest", "int64", "The largest of one pod."),
    ),
)

RESCORE_MOVES = Table(
    "analysis.rescore.moves",
    "A move, in the order in which they are made. All pods are scored anew after each round of moves.",
    (
        Column("step", "int64", "Its number, from 1."),
        Column("round", "int64", "Number of its round, from 1."),
        Column("namespace", "category", "Namespace of the pod."),
        Column("pod", "str", "Its name; the one that is made anew will have another."),
        Column("from_node", "category", "Where it is before the move."),
        Column("to_node", "category", "Where it goes."),
        Column("own_regret", "Int64", "Its own regret at that moment; NA if it had drifted."),
        Column(
            "gain",
            "Int64",
            "By how much the regret of all pods falls by the round; less than 0 if mending drift raises it. NA but in "
            "the last row of a round, as are the next three.",
        ),
        Column("drifted", "Int64", "Pods that have drifted, after the round."),
        Column("regret", "Int64", "Regret of all others, after the round."),
        Column("share", "float64", "Of the gain of all rounds, what those up to this one bring; NaN without gain."),
        Column("enough", "bool", "One of the few that mend all that the moves mend, and bring the share asked for."),
        Column("row", "int32", "The pod's row in the cluster's table of pods."),
    ),
)

RESCORE_FIGURES = Table(
    "analysis.rescore.figures",
    "A metric: what the moves lower, how nodes are used, how pods are spread.",
    (
        Column("figure", "str", "Its name."),
        Column("before", "float64", "As the cluster stands."),
        Column("after", "float64", "After the moves."),
        Column("change", "float64", "After less before."),
    ),
)

TABLES: tuple[Table, ...] = (
    WHY,
    RESCORE_PODS,
    RESCORE_PLUGINS,
    RESCORE_WORKLOADS,
    RESCORE_MOVES,
    RESCORE_FIGURES,
    DOMAINS,
    POOLS,
    CAPACITY,
    DRAIN_PODS,
    DRAIN_NODES,
    DRAIN_EACH,
    COMPARE,
    COMPARE_VERSIONS,
    PROVISION_PLANS,
    PROVISION_NODES,
    PROVISION_PODS,
    PROVISION_CANDIDATES,
    *schema_runs.TABLES,
)

WHERE = {
    **schema_runs.WHERE,
    "analysis.rescore.pods": "`Rescore.pods` of `kplace.rescore`; the rows of `kplace rescore --format`",
    "analysis.rescore.plugins": "`Rescore.by_plugin`; the rows of `kplace rescore --rows plugins`",
    "analysis.rescore.workloads": "`Rescore.workloads`; the rows of `kplace rescore --rows workloads`",
    "analysis.rescore.moves": "`Rescore.moves`; the rows of `kplace rescore --rows moves`",
    "analysis.rescore.figures": "`Rescore.figures`; the rows of `kplace rescore --rows figures`",
    "analysis.domains": "`kplace.analysis.metrics.domains`",
    "analysis.pools": "`kplace.analysis.metrics.pools`",
    "analysis.drain.pods": "`Drain.pods` of `kplace.drain`; the rows of `kplace drain --format`",
    "analysis.drain.nodes": "`Drain.nodes` of `kplace.drain`",
    "analysis.drain.each": "`EachDrain.nodes` of `kplace.analysis.drain.drain_each`; the rows of `kplace drain --all`",
    "analysis.compare": "`Comparison.pods` of `kplace.compare`; the rows of `kplace compare --format`",
    "analysis.compare_versions": "`kplace.analysis.compare.compare_versions`; the rows of `kplace compare --versions`",
    "analysis.why": "`Why.changes` of `kplace.why`; the rows of `kplace why --format`",
    "analysis.provision.plans": "`Provision.table` of `kplace.provision`; the rows of `kplace provision --format`",
    "analysis.provision.nodes": "`Plan.nodes` of `kplace.provision`; the rows of `kplace provision --rows nodes`",
    "analysis.provision.pods": "`Provision.pods` of `kplace.provision`; the rows of `kplace provision --rows pods`",
    "analysis.provision.candidates": "`Provision.candidates` of `kplace.provision`; `--rows candidates`",
    "analysis.capacity": "`Capacity.table` of `kplace.capacity`; the rows of `kplace capacity --format`",
}
"""What gives each table."""
