"""The profile that kube-scheduler v1.34 runs without a configuration."""

from dataclasses import replace
from functools import cache

from kplace.config import Configuration, read_configuration
from kplace.config.wire import KIND, V1
from kplace.framework import Profile
from kplace.objects.defaulting import DEFAULT_SCHEDULER
from kplace.plugins.in_tree import DEFAULT_ORDER, IN_TREE
from kplace.plugins.profiles import build_profiles

__all__ = ["DEFAULT_ORDER", "default_configuration", "default_profile"]


@cache
def default_configuration() -> Configuration:
    """What an empty configuration comes to."""
    return read_configuration(f"apiVersion: {V1}\nkind: {KIND}\n".encode(), IN_TREE, source="<defaults>").require()


def default_profile(scheduler_name: str = DEFAULT_SCHEDULER) -> Profile:
    """Build the profile that kube-scheduler runs without a configuration."""
    (profile,) = build_profiles(default_configuration()).profiles
    return replace(profile, scheduler_name=scheduler_name)
