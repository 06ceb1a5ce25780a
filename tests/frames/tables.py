"""Small tables and clusters that the tests of frames, results and the API share."""

import pandas as pd

from kplace import Cluster

NODES = pd.DataFrame(
    {
        "node": ["a", "b", "c"],
        "cpu": ["4", "2", 1],
        "memory": ["8Gi", "4Gi", "1Gi"],
        "zone": ["x", "y", "x"],
        "nvidia.com/gpu": [None, 2, None],
        "taints": [None, "gpu=yes:NoSchedule", None],
        "unschedulable": [False, False, True],
    }
)
PODS = pd.DataFrame(
    {
        "namespace": ["shop", "shop", "data", "data", "data"],
        "pod": ["web-0", "web-1", "db", "huge", "train"],
        "cpu": ["500m", "500m", 2, 64, 1],
        "memory": ["1Gi", "1Gi", "2Gi", "1Gi", None],
        "nvidia.com/gpu": [None, None, None, None, 1],
        "label:app": ["web", "web", "db", "huge", "train"],
        "tolerations": [None, None, None, None, "gpu:NoSchedule"],
        "node": ["a", None, None, None, None],
        "priority": [0, 0, 10, 0, 0],
    }
)


def cluster() -> Cluster:
    """Three nodes, five pods: four wait; huge fits nowhere, train tolerates the taint of the node with GPUs."""
    return Cluster.from_frames(NODES, PODS)
