"""ImageLocality (upstream ``plugins/imagelocality``)."""

from collections.abc import Sequence

import numpy as np

from kplace.columns.nodes import Image, NodeColumns, normalized_image
from kplace.config.versions import V1_34, Behaviour
from kplace.dtypes import I32, I64, MAX_NODE_SCORE, MIB
from kplace.framework import Cycle, ScorePlugin
from kplace.objects.core import PodSpec
from kplace.plugins import names

MIN_THRESHOLD = 23 * MIB
"""Fewer bytes on a node than this are worth nothing."""
MAX_CONTAINER_THRESHOLD = 1000 * MIB
"""Bytes per container from which on a node has the full score."""


class ImageLocality:
    """Prefers nodes that hold the pod's images already, the more so the more nodes hold them.

    Parameters
    ----------
    behaviour : Behaviour, optional
        That of another release.
    """

    name = names.IMAGE_LOCALITY

    def __init__(self, *, behaviour: Behaviour = V1_34) -> None:
        self._behaviour = behaviour

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Score each of ``nodes`` from 0 to 100; never skipped, not normalised."""
        if cycle.nodes_are_bare:
            return np.zeros(len(nodes), np.int64)
        columns = cycle.state.columns.nodes
        return cycle.compiled_by_shape(
            self, lambda template: spec_scores(columns, template.spec, self._behaviour)
        ).take(nodes)


def spec_scores(nodes: NodeColumns, spec: PodSpec, behaviour: Behaviour = V1_34) -> I64:
    """Scores of all nodes for a pod; shared by pods with the same images, not to be modified.

    Every container counts, init containers and second uses of an image too.

    Parameters
    ----------
    behaviour : Behaviour, optional
        That of another release, which may leave init containers out, or count images that are mounted as volumes.
    """
    containers = (*((spec.init_containers or ()) if behaviour.init_images else ()), *(spec.containers or ()))
    mounted = [item.image.reference for item in spec.volumes or () if item.image] if behaviour.volume_images else []
    named = [*(item.image for item in containers), *mounted]
    present = [name for image in named if (name := normalized_image(image)) in nodes.images]
    n_counted = len(named) if behaviour.volume_images_raise_limit else len(containers)
    key = ("image scores", tuple(sorted(present)), n_counted if present else 0)
    return nodes.derived(key, lambda: image_scores([nodes.images[name] for name in present], len(nodes), n_counted))


def image_scores(images: Sequence[Image], n_nodes: int, n_containers: int) -> I64:
    """Scores of all nodes for the images of a pod.

    Parameters
    ----------
    images : sequence of Image
        Those that some node holds, one for each container that uses it.
    n_nodes, n_containers : int

    Returns
    -------
    int64 ndarray, shape (n_nodes,)

    Notes
    -----
    Mirrors ``calculatePriority`` and ``scaledImageScore``: an image is worth its size times the share of the nodes that
    hold it, in float64, truncated.

    Examples
    --------
    >>> image = Image(size=1000 * MIB, nodes=np.array([0], np.int32))
    >>> image_scores([image], n_nodes=2, n_containers=1).tolist()
    [48, 0]
    """
    held = np.zeros(n_nodes, np.int64)
    for image in images:
        held[image.nodes] += int(float(image.size) * (float(len(image.nodes)) / float(n_nodes)))
    # Without any container the divisor would be negative and every score 0.
    most = MAX_CONTAINER_THRESHOLD * n_containers
    clamped = np.where(held < MIN_THRESHOLD, MIN_THRESHOLD, np.minimum(held, most))
    return MAX_NODE_SCORE * (clamped - MIN_THRESHOLD) // max(most - MIN_THRESHOLD, 1)


_: type[ScorePlugin] = ImageLocality
