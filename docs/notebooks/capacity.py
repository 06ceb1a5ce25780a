# %% [markdown]
# # How far can web grow?
#
# Next week is a sale, and the shop team wants `shop/web` at 20 replicas instead of 4. Do 16 more fit, and what is left for everybody else?
#
# The demo cluster stands in for a dump of your own; [how to take one](../howto/get-a-dump.md). The questions are those of
# [How many more pods fit](../howto/capacity.md).

# %%
import kplace
from kplace import plot
from kplace.analysis.capacity import frontier

run = kplace.place(kplace.read("../../data/demo"))
cluster = run.cluster
cluster

# %% [markdown]
# What waits has been placed first: headroom that is promised to somebody already is none. How full are the nodes? Each dot is one, its
# colour is the pool.

# %%
plot.nodes(run)

# %% [markdown]
# The general nodes lie right of the dashed line: they will run out of cpu first. Copies of `shop/web` are placed one after another, by the scheduler's own rules,
# until one finds no node:

# %%
web = kplace.capacity(cluster, like="shop/web")
web.table[["spec", "running", "capacity", "nodes", "plugin", "binding"]]

# %%
web.plot.copies()

# %%
web.plot.binding()

# %% [markdown]
# 30 more fit, in all three zones. Ten nodes could take the first one; cpu has run out on eight of them, memory on two. The other four never could.
#
# ## What it costs the others
#
# Every workload by itself, before and after 16 more of web:

# %%
grown = kplace.capacity(cluster, like="shop/web", limit=16)
chosen = ["shop/checkout", "shop/catalog", "platform/api-gateway", "data/orders-db", "shop/sequencer"]
before = kplace.capacity(cluster, like=chosen).table.set_index("spec")["capacity"]
after = kplace.capacity(grown.with_copies(), like=chosen).table.set_index("spec")["capacity"]
before.to_frame("before").assign(after=after)

# %% [markdown]
# `shop/sequencer` has no headroom either way: no two of its pods may share a zone, and each zone has one.
#
# `batch/reconcile` lives off the same cpu. How do the two trade?

# %%
table = frontier(cluster, like=["shop/web", "batch/reconcile"], points=7)
plot.frontier(table)

# %%
table

# %% [markdown]
# ## Decision
#
# Scale `shop/web` to 20: 16 more fit, with room for 14 beyond, and `batch/reconcile` keeps room for about a dozen pods. But `shop/checkout` could then grow by 2 instead of
# 16, and a sale sends people to the checkout as well: decide on both together. Beyond 30 more, web needs nodes: [which ones](provision.ipynb).
