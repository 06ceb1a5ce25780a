# %% [markdown]
# # Is it worth moving pods about?
#
# Pods stay where they were put, while the cluster around them changes. Where would the scheduler have each of them today, and how few moves are worth it? The question
# is that of [Where the scheduler would have the pods today](../howto/rescore.md).

# %%
import kplace

cluster = kplace.place(kplace.read("../../data/demo"), preemption="off").cluster
found = kplace.rescore(cluster)
found.standing, found.would_move

# %% [markdown]
# `drifted`: one pod is on a node that a filter rejects today. `regret`: how much higher the best nodes score than those that the pods are on, summed up. What do moves gain?

# %%
found.plot()

# %%
found.moves[["step", "pod", "from_node", "to_node", "regret", "share", "enough"]].round(2)

# %%
found.figures[found.figures["change"] != 0].round(3)

# %% [markdown]
# ## Decision
#
# Leave them. Of 63 pods four would move, and what the moves change of how nodes are used is small. The one that has drifted stands on the cordoned `mem-c1` and finds no
# other node: it runs for now, but not again after a restart.
