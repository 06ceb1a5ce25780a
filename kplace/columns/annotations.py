"""Which annotations of a pod placing it may depend on.

A pod carries many annotations that are its own alone (addresses, checksums, times). Those that plugins read are part of
what pods must agree in to share a template; all others are left out.
"""

from collections.abc import Mapping

GPU_MILLI = "alibabacloud.com/gpu-milli"
"""Thousandths of a GPU that a pod takes of each of its GPUs."""
GPU_COUNT = "alibabacloud.com/gpu-count"
"""Number of GPUs that a pod takes; as a resource of a node, the number it has."""
GPU_MODEL = "alibabacloud.com/gpu-card-model"
"""Models of GPU that a pod runs on, joined by bars; as a label of a node, the model it has."""
GPU_INDEX = "alibabacloud.com/gpu-index"
"""Numbers of the GPUs that a pod was given on its node, joined by hyphens."""

LASTS = "kplace.io/lasts"
"""Seconds that a pod runs once it is bound, for a simulation. No template depends on it: each pod has its own."""

READ = frozenset({GPU_MILLI, GPU_COUNT, GPU_MODEL, GPU_INDEX})
"""The annotations of pods that plugins read."""


def read_annotations(annotations: Mapping[str, str] | None) -> dict[str, str] | None:
    """Those of a pod's annotations that plugins read; None if there are none.

    Examples
    --------
    >>> read_annotations({"alibabacloud.com/gpu-count": "1", "cni.projectcalico.org/podIP": "10.0.0.7/32"})
    {'alibabacloud.com/gpu-count': '1'}
    """
    if not annotations or READ.isdisjoint(annotations):
        return None
    return {key: annotations[key] for key in sorted(READ.intersection(annotations))}
