"""A run in figures that can be held against those of another one."""

import pandas as pd

from kplace.analysis.metrics.packing import packing
from kplace.analysis.metrics.room import smallest_needs, stranded
from kplace.analysis.metrics.scores import margins
from kplace.analysis.metrics.spread import domains
from kplace.analysis.metrics.use import imbalance, utilisation
from kplace.api import Placements

_RESOURCES = ("cpu", "memory")


def figures(run: Placements) -> pd.Series:
    """Metrics of a run by name: what became of the pods, how nodes are used, how close the decisions were.

    What takes the cluster itself is left out of a run that was read from a file.
    """
    status = run.pods["status"].value_counts()
    found: dict[str, float] = {
        "placed": int(status["scheduled"]),
        "pending": int(status["unschedulable"] + status["error"]),
        "skipped": int(status["skipped"]),
        "preempted": int(run.preemptions.loc[run.preemptions["carried_out"], "victim_row"].nunique()),
    }
    packed = packing(run)
    found |= {"nodes used": packed.used, "nodes empty": packed.empty, "packing efficiency": packed.efficiency}
    used = utilisation(run).set_index("resource")["utilisation"]
    spread = imbalance(run).set_index("resource")[["stddev", "range"]].to_dict("index")
    needs = smallest_needs(run.before.pods) if run.has_cluster else {}
    lost = stranded(run, needs).set_index("resource")["share"] if needs else None
    for name in _RESOURCES:
        found[f"utilisation {name}"] = float(used[name])
        found[f"stddev {name}"] = spread[name]["stddev"]
        found[f"range {name}"] = spread[name]["range"]
        if lost is not None:
            found[f"stranded {name}"] = float(lost[name])
    if run.has_cluster:
        table = domains(run)
        broken = table.loc[table["violates"], ["workload", "topology_key"]].drop_duplicates()
        found["spread constraints broken"] = len(broken)
    close = margins(run)
    found |= {"decided by a draw": close.tied, "median margin": close.median}
    return pd.Series(found, dtype="float64")
