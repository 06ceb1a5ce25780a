"""The profile that kube-scheduler v1.34 runs without a configuration."""

from kplace.framework import Plugin, Profile
from kplace.objects.defaulting import DEFAULT_SCHEDULER
from kplace.plugins.in_tree import DEFAULT_ORDER
from kplace.plugins.registry import in_tree_registry

__all__ = ["DEFAULT_ORDER", "default_profile"]


def default_profile(scheduler_name: str = DEFAULT_SCHEDULER) -> Profile:
    """Build the profile that kube-scheduler runs without a configuration."""
    registry = in_tree_registry()
    plugins: list[tuple[Plugin, int]] = [
        (registry[name](), weight) for name, weight in DEFAULT_ORDER if name in registry
    ]
    return Profile.of_multi_point(scheduler_name, plugins)
