# %% [markdown]
# # Six pods are pending. What would let them in?
#
# A message says what each node objects to. It does not say what to do about it. Here every single change that could help is tried, one by one, and only
# those that work are told. The question is that of [What would let a pending pod in](../howto/why.md).

# %%
import pandas as pd

import kplace
from kplace import plot

pd.set_option("display.max_colwidth", 90)
pd.set_option("display.width", 160)
run = kplace.place(kplace.read("../../data/demo"))
run

# %%
plot.pending(run)

# %% [markdown]
# Light bars throughout: no pod is kept out by one reason alone, each reason rules out some nodes. So counting reasons does not help; go pod by pod. Start with one
# of `data/search`:

# %%
search = kplace.why(run.cluster, "data/search-9lznsrwj4j-00002")
search.plot()

# %%
search.changes[["kind", "change", "node"]]

# %% [markdown]
# Two nodes pass all filters but the last, the topology spread. The picture of its constraint shows why: the pods may differ by one between zones, the third zone has
# none, and its only node of the pool is cordoned.

# %%
plot.domains(run, workload="data/search")

# %% [markdown]
# ## All of them
#
# The first change of the cluster, and the first change of the pod, that lets each one in:

# %%
cluster_kinds = {"uncordon", "label", "eviction", "node"}
rows = []
for pod in run.pods.loc[run.pods["status"] == "unschedulable", ["namespace", "pod"]].itertuples():
    name = f"{pod.namespace}/{pod.pod}"
    changes = kplace.why(run.cluster, name).changes
    is_cluster = changes["kind"].isin(cluster_kinds)
    rows.append(
        {
            "pod": pod.pod,
            "change the pod": next(iter(changes.loc[~is_cluster, "change"]), "-"),
            "change the cluster": next(iter(changes.loc[is_cluster, "change"]), "-"),
        }
    )
pd.DataFrame(rows).set_index("pod")

# %% [markdown]
# Does the cheapest one really do what it says, with everything else as it is? Uncordon `mem-c1` and place again:

# %%
nodes = run.before.nodes.copy()
nodes.loc[nodes["node"] == "mem-c1", ["unschedulable", "taints"]] = [False, ""]
trial = kplace.place(kplace.Cluster.from_frames(nodes, run.before.pods, others=run.before))
trial

# %% [markdown]
# ## Decision
#
# - Uncordon `mem-c1`: `data/search` gets its third pod.
# - `batch/big-sort` asks for 24 GiB; 20.9 GiB would do. Ask its owners, or let it run in the memory pool.
# - `ml/train-xl` wants 8 GPUs on one node, and no node has more than 4: it needs another machine, not another rule.
# - `platform/arm-builder` waits for a node with another architecture. A label on a node would let it in, but not make it run: leave it pending.
# - `shop/sequencer` has more replicas than there are zones, and `data/cache-warmer` wants to be near pods that do not exist. Both are for their owners to mend.
