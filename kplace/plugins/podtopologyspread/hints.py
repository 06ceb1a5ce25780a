"""Which events may help a pod that PodTopologySpread rejected."""

from collections.abc import Callable, Mapping, Sequence

from kplace.columns.cluster import ClusterColumns
from kplace.columns.templates import Template
from kplace.framework.events import Action, ClusterEvent, Happening, NodeImage, PodImage, Registration, Resource
from kplace.plugins.podtopologyspread.constraints import Constraint

Constraints = Sequence[Constraint]
ConstraintsOf = Callable[[Template, ClusterColumns], Constraints]
"""The hard constraints that apply to a template."""


def registrations(constraints_of: ConstraintsOf) -> Sequence[Registration]:
    """Events to register.

    Parameters
    ----------
    constraints_of : callable
        The plugin's own, for its args may hold default constraints.
    """

    def after_pod_change(waiting: PodImage, happening: Happening) -> bool:
        """A pod came, left or changed that a constraint counts, wherever it is; or the pod's own tolerations did."""
        old, new = happening.pods
        if any(image is not None and not _is_involved(image, waiting) for image in (old, new)):
            return False
        constraints = constraints_of(waiting.template, happening.columns)
        if old is not None and new is not None:
            return _tolerates_more(waiting, old, new, constraints) or _counts_otherwise(old, new, constraints)
        image = old or new
        return image is not None and any(item.selector.matches(image.template.labels) for item in constraints)

    def after_node_change(waiting: PodImage, happening: Happening) -> bool:
        """A node that has all the keys came, left, or changed a value or its taints; or it got or lost a key."""
        old, new = happening.nodes
        constraints = constraints_of(waiting.template, happening.columns)
        before, after = _has_keys(old, constraints), _has_keys(new, constraints)
        if before != after:
            return True
        if old is None or new is None or not after:
            return False
        return _moved(old, new, constraints) or (old.node.spec.taints or ()) != (new.node.spec.taints or ())

    pods = Action.ADD | Action.DELETE | Action.UPDATE_POD_LABEL | Action.UPDATE_POD_TOLERATION
    nodes = Action.ADD | Action.DELETE | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_TAINT
    return (
        Registration(ClusterEvent(Resource.POD, pods), after_pod_change),
        Registration(ClusterEvent(Resource.NODE, nodes), after_node_change),
    )


def _is_involved(image: PodImage, waiting: PodImage) -> bool:
    return image.pod == waiting.pod or (bool(image.node) and image.template.namespace == waiting.template.namespace)


def _tolerates_more(waiting: PodImage, old: PodImage, new: PodImage, constraints: Constraints) -> bool:
    """Whether the pod's own tolerations changed and a constraint looks at taints."""
    if new.pod != waiting.pod or (old.template.spec.tolerations or ()) == (new.template.spec.tolerations or ()):
        return False
    return any(item.division.honors_taints for item in constraints)


def _counts_otherwise(old: PodImage, new: PodImage, constraints: Constraints) -> bool:
    """Whether a selector matches the new labels and not the old ones, or the other way round."""
    before, after = old.template.labels, new.template.labels
    return before != after and any(
        item.selector.matches(before) != item.selector.matches(after) for item in constraints
    )


def _has_keys(image: NodeImage | None, constraints: Constraints) -> bool:
    if image is None:
        return False
    labels = _labels(image)
    return all(item.division.topology_key in labels for item in constraints)


def _moved(old: NodeImage, new: NodeImage, constraints: Constraints) -> bool:
    before, after = _labels(old), _labels(new)
    keys = (item.division.topology_key for item in constraints)
    return any(before.get(key) != after.get(key) for key in keys)


def _labels(image: NodeImage) -> Mapping[str, str]:
    return image.node.metadata.labels or {}
