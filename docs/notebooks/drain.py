# %% [markdown]
# # Can zone north-1a be switched off on Saturday?
#
# The building gets new power lines. Five nodes go: where does each of their pods end up, what stays pending, and what can be drained without anybody noticing?
# The questions are those of [What if a node, a pool or a zone goes](../howto/drain.md).

# %%
import kplace
from kplace import plot
from kplace.analysis.drain import drain_each

run = kplace.place(kplace.read("../../data/demo"))
cluster = run.cluster
plot.stranded(run)

# %% [markdown]
# By sums there is room: the other two zones have more cpu and memory free than zone a requests. But sums know nothing of rules. The zone as a whole, drained node
# by node:

# %%
zone = kplace.drain(cluster, where="zone=north-1a")
zone.nodes[["step", "node", "moves", "pending", "daemon", "budgets_blocking"]]

# %%
zone.plot.moves("node")

# %% [markdown]
# More than half of the pods that have to move find no node. Why, by reason:

# %%
plot.pending(zone.placements)

# %% [markdown]
# Six nodes are cordoned by now, five of them by the drain. What is left lacks cpu or memory, has the wrong pool, cannot reach the volumes, or would break a spread constraint. For one
# pod, `kplace.why(zone.cluster, "data/queue-1")` tells what would help.
#
# A zone that is cordoned is still there, and counts as an empty zone for topology spread. A zone that is gone does not:

# %%
gone = kplace.drain(cluster, where="zone=north-1a", fail=True)
{"drained": zone.pending, "gone": gone.pending}

# %% [markdown]
# ## What can go at all?
#
# Each node by itself, and the largest set found that can go together:

# %%
each = drain_each(cluster)
each.plot(["zone", "instance_type"])

# %%
each.nodes.loc[each.nodes["can_go"], ["node", "zone", "pods", "in_set"]].reset_index(drop=True)

# %%
pair = kplace.drain(cluster, each.nodes.loc[each.nodes["in_set"], "node"].astype("str").tolist())
pair.plot.utilisation("cpu")

# %% [markdown]
# ## Decision
#
# Not on Saturday, as things are. Of the zone only `gen-a2` can be drained by itself. The others hold pods that no other zone takes: volumes that are bound to it
# (`data/orders-db`, `data/queue`), spread over three zones (`data/search`, `shop/sequencer`), the work of a GPU node, and `batch/replay-closing`, whose disruption
# budget blocks the drain. Those come first. If it is only about saving nodes, `spot-c1` and `gen-c2` can go today.
