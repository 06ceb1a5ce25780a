# %% [markdown]
# # Which nodes let 60 more of web in?
#
# [30 more of `shop/web` fit](capacity.ipynb); for the sale the shop team wants 60. Which nodes, how many, and for how much?

# %%
import pandas as pd

import kplace

cluster = kplace.place(kplace.read("../../data/demo")).cluster
prices = {"std-4x16": 0.20, "std-8x32": 0.40, "mem-8x128": 0.70, "spot-8x16": 0.12, "gpu-32x192-4": 12.00}

# %% [markdown]
# Candidates are the kinds of nodes that the cluster has, at these (made up) prices per hour. What fits today stays where it fits. For the pods that are left, numbers of
# new nodes are tried, each time by placing for real, with the DaemonSets' pods on each new node.

# %%
found = kplace.provision(cluster, pools=True, prices=prices, like="shop/web", copies=60, waiting=False)
pd.set_option("display.width", 140)
pd.set_option("display.max_columns", 20)
found.table[["plan", "add", "cost", "at_least", "nodes", "placed", "pending"]]

# %%
found.plot()

# %% [markdown]
# Each plan is the best that was found of one kind of node, or of all together; the red line is a cost below which no such nodes can be had that let the same pods in. Five
# spot nodes are by far the cheapest, and no plan can be cheaper. How full will they be?

# %%
found.plot.nodes()

# %% [markdown]
# Spot nodes may be taken away, though. What if a zone's spot nodes go on the day of the sale? `Plan.placed` is the cluster with the new nodes and all pods on them:

# %%
bought = found.best.placed
lost = bought.nodes.loc[
    (bought.nodes["instance_type"] == "spot-8x16") & (bought.nodes["zone"] == "north-1b"), "node"
].astype("str")
drained = kplace.drain(bought, lost.tolist(), fail=True)
drained.plot()

# %%
{"pods of web on them": int((drained.pods["owner"] == "web-6d5f8c9b7").sum()), "pending": drained.pending}

# %% [markdown]
# Plans 2 to 5 need no spot nodes. How do they lie over zones?

# %%
for plan in found.plans[1:]:
    print(plan.name, plan.cost, plan.nodes["zone"].value_counts(sort=False).to_dict())

# %% [markdown]
# ## Decision
#
# A sale is no time for nodes that can be taken away: with the spot nodes of one zone, 22 of the 64 pods of web would be gone, and find no other node. Buy three
# general nodes (`std-8x32`), one in each zone, for 1.20 an hour: twice the price of the spot nodes, for as long as the sale lasts.
