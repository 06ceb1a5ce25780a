"""The default plugins of v1.34 in their order, with their weights (``apis/config/v1/default_plugins.go``)."""

from kplace.framework import Plugin, Profile
from kplace.objects.defaulting import DEFAULT_SCHEDULER
from kplace.plugins import names
from kplace.plugins.registry import in_tree_registry

DEFAULT_ORDER = (
    (names.SCHEDULING_GATES, 0),
    (names.PRIORITY_SORT, 0),
    (names.NODE_UNSCHEDULABLE, 0),
    (names.NODE_NAME, 0),
    (names.TAINT_TOLERATION, 3),
    (names.NODE_AFFINITY, 2),
    (names.NODE_PORTS, 0),
    (names.NODE_RESOURCES_FIT, 1),
    (names.VOLUME_RESTRICTIONS, 0),
    (names.NODE_VOLUME_LIMITS, 0),
    (names.VOLUME_BINDING, 0),
    (names.VOLUME_ZONE, 0),
    (names.POD_TOPOLOGY_SPREAD, 2),
    (names.INTER_POD_AFFINITY, 2),
    (names.DYNAMIC_RESOURCES, 0),
    (names.DEFAULT_PREEMPTION, 0),
    (names.NODE_RESOURCES_BALANCED_ALLOCATION, 1),
    (names.IMAGE_LOCALITY, 1),
    (names.DEFAULT_BINDER, 0),
)


def default_profile(scheduler_name: str = DEFAULT_SCHEDULER) -> Profile:
    """Build the profile that kube-scheduler runs without a configuration."""
    registry = in_tree_registry()
    plugins: list[tuple[Plugin, int]] = [
        (registry[name](), weight) for name, weight in DEFAULT_ORDER if name in registry
    ]
    return Profile.of_multi_point(scheduler_name, plugins)
