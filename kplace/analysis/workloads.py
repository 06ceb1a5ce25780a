"""Which pods belong together: the workload behind a pod, by what people call it."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from kplace.columns import ClusterColumns, Template
from kplace.dtypes import I64

HASH_LABEL = "pod-template-hash"
BARE = "Pod"
"""Kind of a pod without a controller, which stands for itself."""


def workload_of(template: Template) -> tuple[str, str, str]:
    """Namespace, kind and name of the workload that a template belongs to.

    A ReplicaSet that a Deployment has made stands for the Deployment, a Job of a CronJob for the CronJob. Kind and name
    are empty for a pod that no controller owns.
    """
    owner = template.owner
    if owner is None:
        return template.namespace, "", ""
    stem, _, suffix = owner.name.rpartition("-")
    if stem and owner.kind == "ReplicaSet" and suffix == template.labels.get(HASH_LABEL):
        return template.namespace, "Deployment", stem
    if stem and owner.kind == "Job" and suffix.isdecimal():
        return template.namespace, "CronJob", stem
    return template.namespace, owner.kind, owner.name


class Workloads:
    """The workloads of a cluster, and the one of every pod.

    Parameters
    ----------
    columns : ClusterColumns

    Attributes
    ----------
    keys : list of (str, str, str)
        Namespace, kind and name; of a pod without a controller kind ``"Pod"`` and its own name.
    of_pod : int64 ndarray, shape (n_pods,)
        Index into ``keys``.
    """

    def __init__(self, columns: ClusterColumns) -> None:
        own = [workload_of(item) for item in columns.templates]
        codes: dict[tuple[str, str, str], int] = {}
        by_template = np.array([codes.setdefault(key, len(codes)) if key[1] else -1 for key in own], np.int64)
        pods = columns.pods
        self.of_pod: I64 = by_template[pods.template] if own else np.zeros(len(pods), np.int64)
        for pod in np.flatnonzero(self.of_pod < 0).tolist():
            key = (pods.namespaces[pods.namespace[pod]], BARE, pods.names[pod])
            self.of_pod[pod] = codes.setdefault(key, len(codes))
        self.keys = list(codes)

    def names(self, rows: Sequence[int] | I64 | None = None) -> list[str]:
        """``namespace/name`` of workloads, of all by default."""
        chosen = range(len(self.keys)) if rows is None else rows
        return [f"{self.keys[row][0]}/{self.keys[row][2]}" for row in chosen]


def workload_column(pods: pd.DataFrame) -> pd.Series:
    """``namespace/name`` of the workload of each row of a table of pods; one without a controller stands for itself."""
    owners = (
        pods["owner"].astype("object").where(pods["owner"].notna(), None) if "owner" in pods else [None] * len(pods)
    )
    kinds = pods["owner_kind"].astype("object") if "owner_kind" in pods else [None] * len(pods)
    labels = pods["labels"] if "labels" in pods else [None] * len(pods)
    spaces = pods["namespace"].astype("str") if "namespace" in pods else ["default"] * len(pods)
    names = [
        f"{space}/{_stem(kind, owner, own) if owner else name}"
        for space, kind, owner, own, name in zip(spaces, kinds, owners, labels, pods["pod"], strict=True)
    ]
    return pd.Series(names, index=pods.index, dtype="str", name="workload")


def _stem(kind: object, owner: str, labels: object) -> str:
    stem, _, suffix = owner.rpartition("-")
    hashed = suffix == labels.get(HASH_LABEL) if isinstance(labels, dict) else suffix.isalnum() and len(suffix) >= 8
    if stem and ((kind == "ReplicaSet" and hashed) or (kind == "Job" and suffix.isdecimal())):
        return stem
    return owner
