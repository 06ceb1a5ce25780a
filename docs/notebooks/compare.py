# %% [markdown]
# # Should the scheduler pack nodes instead of spreading pods?
#
# `MostAllocated` fills nodes one after another, so that others may go empty and be given back. What would it have done with this cluster's pods, and what would
# an upgrade of Kubernetes do? The question is that of [Compare two runs](../howto/compare-two-runs.md).

# %%
import kplace
from kplace import plot
from kplace.analysis.compare import compare_versions

cluster = kplace.read("../../data/demo")
resources = [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}]
packing = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {
            "pluginConfig": [
                {
                    "name": "NodeResourcesFit",
                    "args": {"scoringStrategy": {"type": "MostAllocated", "resources": resources}},
                }
            ]
        }
    ],
}
found = kplace.compare(cluster, second={"config": packing})
{change: number for change, number in found.counts.items() if number}

# %% [markdown]
# Most pods would lie elsewhere. The cause is looked for at each pod's own turn: did a score, a filter or a draw decide, or did pods before it?

# %%
found.plot()

# %%
found.plot.utilisation("cpu")

# %% [markdown]
# The curve turns: some nodes fill up to the brim. But none goes empty, since DaemonSets and pods that run already stay where they are.

# %%
found.figures.loc[["placed", "pending", "nodes empty", "stddev cpu", "stranded memory"]].round(3)

# %%
found.pods.loc[found.pods["change"] == "now pending", ["namespace", "pod", "node_before", "cause"]]

# %% [markdown]
# A pod of a DaemonSet finds its only node full: its node was packed before its turn came.
#
# ## And an upgrade?
#
# Each release against the one before, with the default configuration:

# %%
releases = compare_versions(cluster, "1.32..1.37")
releases[["version", "placed", "pending", "moved", "now_pending", "now_placed"]]

# %%
plot.versions(releases)

# %%
for row in releases.itertuples():
    for rule in filter(None, row.rules.split(" | ")):
        print(f"{row.version}  {rule}")

# %% [markdown]
# ## Decision
#
# Do not switch to `MostAllocated`: no node is saved today, one pod more is pending, 3 % of the memory is stranded, and nodes at the limit leave no room for
# DaemonSets. Upgrades are safe: pods may lie elsewhere, none that is placed becomes pending.
