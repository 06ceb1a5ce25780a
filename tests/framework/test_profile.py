"""Profiles: the default one of v1.34, and what is refused."""

import pytest

from kplace.framework import Profile
from kplace.plugins.defaults import default_profile
from kplace.plugins.nodename.plugin import NodeName
from kplace.plugins.queuesort.plugin import PrioritySort


def names(plugins: tuple) -> list[str]:
    return [plugin.name for plugin in plugins]


FILTERS = [
    "NodeUnschedulable",
    "NodeName",
    "TaintToleration",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "NodeVolumeLimits",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
    "DynamicResources",
]
"""Upstream's order; those that a profile has run in it, at either point."""


def test_filters_run_in_upstreams_order():
    found = names(default_profile().filter)
    assert found == [name for name in FILTERS if name in found]
    assert {"NodeResourcesFit", "TaintToleration", "NodeAffinity", "InterPodAffinity"} <= set(found)


def test_pre_filters_run_in_upstreams_order():
    assert names(default_profile().pre_filter) == [
        name for name in FILTERS if name not in ("NodeUnschedulable", "NodeName", "TaintToleration")
    ]


def test_weights_are_upstreams():
    weights = {item.plugin.name: item.weight for item in default_profile().score}
    assert {name: weight for name, weight in weights.items() if name != "VolumeBinding"} == {
        "TaintToleration": 3,
        "NodeAffinity": 2,
        "NodeResourcesFit": 1,
        "PodTopologySpread": 2,
        "InterPodAffinity": 2,
        "NodeResourcesBalancedAllocation": 1,
        "ImageLocality": 1,
    }


def test_the_other_points():
    profile = default_profile("another")
    assert profile.scheduler_name == "another"
    assert names((profile.queue_sort,)) == ["PrioritySort"]
    assert names(profile.pre_enqueue)[0] == "SchedulingGates"
    assert names(profile.post_filter) == ["DynamicResources", "DefaultPreemption"]


@pytest.mark.parametrize("plugins", [[NodeName()], [PrioritySort(), PrioritySort()]])
def test_exactly_one_plugin_sorts_the_queue(plugins: list):
    with pytest.raises(ValueError, match="exactly one queue sort plugin"):
        Profile.of_multi_point("default-scheduler", [(plugin, 0) for plugin in plugins])
