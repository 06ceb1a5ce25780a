"""How a cluster is doing in figures that can be held against those of another one."""

from collections.abc import Mapping

from kplace.analysis.metrics.packing import packing
from kplace.analysis.metrics.room import stranded
from kplace.analysis.metrics.spread import domains
from kplace.analysis.metrics.use import imbalance, utilisation
from kplace.api import Cluster, Placements

_RESOURCES = ("cpu", "memory")


def cluster_figures(subject: Cluster | Placements, needs: Mapping[str, int]) -> dict[str, float]:
    """Metrics of a cluster, or of what a run left, by name: how nodes are used, and how pods are spread.

    What takes the cluster itself is left out of a run that was read from a file.

    Parameters
    ----------
    needs : mapping of str to int
        What the smallest pod requests, by resource: what is stranded is measured by it. Empty if there is none.
    """
    packed = packing(subject)
    found: dict[str, float] = {
        "nodes used": packed.used,
        "nodes empty": packed.empty,
        "packing efficiency": packed.efficiency,
    }
    used = utilisation(subject).set_index("resource")["utilisation"]
    spread = imbalance(subject).set_index("resource")[["stddev", "range"]].to_dict("index")
    lost = stranded(subject, needs).set_index("resource")["share"] if needs else None
    for name in _RESOURCES:
        found[f"utilisation {name}"] = float(used[name])
        found[f"stddev {name}"] = spread[name]["stddev"]
        found[f"range {name}"] = spread[name]["range"]
        if lost is not None:
            found[f"stranded {name}"] = float(lost[name])
    if isinstance(subject, Cluster) or subject.has_cluster:
        table = domains(subject)
        broken = table.loc[table["violates"], ["workload", "topology_key"]].drop_duplicates()
        found["spread constraints broken"] = len(broken)
    return found
