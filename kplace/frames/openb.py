"""The OpenB trace of a GPU cluster (Alibaba, 2023) as tables that kplace reads.

GPUs are counted in thousandths, summed over a node: that a pod's share has to lie on a single card is not modelled.
"""

import pandas as pd

GPU = "alibabacloud.com/gpu-milli"
MODEL_LABEL = "alibabacloud.com/gpu-card-model"
MOST_PODS = 1001
"""The trace knows no limit; this is what its authors' own manifests say."""

_NODE_COLUMNS = {"sn", "cpu_milli", "memory_mib", "gpu", "model"}
_POD_COLUMNS = {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"}


def is_openb_nodes(frame: pd.DataFrame) -> bool:
    """Whether a table is the trace's list of nodes."""
    return set(frame.columns) >= _NODE_COLUMNS


def is_openb_pods(frame: pd.DataFrame) -> bool:
    """Whether a table is one of the trace's lists of pods."""
    return set(frame.columns) >= _POD_COLUMNS


def openb_nodes(frame: pd.DataFrame) -> pd.DataFrame:
    """Bring the list of nodes into the form of `kplace.Cluster.from_frames`.

    Examples
    --------
    >>> raw = pd.DataFrame({"sn": ["n1"], "cpu_milli": [64000], "memory_mib": [1024], "gpu": [2], "model": ["P100"]})
    >>> openb_nodes(raw).iloc[0].to_dict()[f"label:{MODEL_LABEL}"]
    'P100'
    """
    table = pd.DataFrame(
        {
            "node": frame["sn"],
            "cpu": frame["cpu_milli"].astype(str) + "m",
            "memory": frame["memory_mib"].astype(str) + "Mi",
            GPU: frame["gpu"] * 1000,
            "pods": MOST_PODS,
            "label:kubernetes.io/hostname": frame["sn"],
        }
    )
    table[f"label:{MODEL_LABEL}"] = frame["model"].astype(object).where(frame["model"].notna(), None)
    return table


def openb_pods(frame: pd.DataFrame) -> pd.DataFrame:
    """Bring a list of pods into the form of a table of arrivals, by the trace's own times where it has them.

    Examples
    --------
    >>> raw = pd.DataFrame(
    ...     {
    ...         "name": ["p"],
    ...         "cpu_milli": [500],
    ...         "memory_mib": [64],
    ...         "num_gpu": [1],
    ...         "gpu_milli": [460],
    ...         "gpu_spec": "A|B",
    ...     }
    ... )
    >>> openb_pods(raw).iloc[0][["cpu", GPU]].to_dict()
    {'cpu': '500m', 'alibabacloud.com/gpu-milli': 460}
    """
    table = pd.DataFrame(
        {
            "pod": frame["name"],
            "cpu": frame["cpu_milli"].astype(str) + "m",
            "memory": frame["memory_mib"].astype(str) + "Mi",
            GPU: frame["num_gpu"] * frame["gpu_milli"],
        }
    )
    table[GPU] = table[GPU].astype(object).where(table[GPU] > 0, None)
    if "gpu_spec" in frame:
        table["spec"] = pd.Series([_spec(models) for models in frame["gpu_spec"]], table.index, dtype=object)
    for given, wanted in (("creation_time", "at"), ("deletion_time", "leaves")):
        if given in frame:
            table[wanted] = frame[given]
    return table


def _spec(models: object) -> dict[str, object] | None:
    """Pod spec that asks for one of several models of cards."""
    if not isinstance(models, str) or not models:
        return None
    expression = {"key": MODEL_LABEL, "operator": "In", "values": models.split("|")}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    return {"containers": [{"name": "main"}], "affinity": affinity}
