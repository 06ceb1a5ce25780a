"""From a configuration to the plugins that run, in order, with their arguments."""

import pytest

from kplace import read_config
from kplace.errors import ConfigError
from kplace.plugins.defaults import default_configuration, default_profile
from kplace.plugins.profiles import build_profiles

POINTS = ("pre_enqueue", "pre_filter", "filter", "post_filter", "pre_score", "reserve", "permit", "pre_bind", "bind")


def build(*profiles, **options):
    return build_profiles(read_config({"profiles": list(profiles)}, **options))


def built(plugins=None, args=None, **options):
    config = [{"name": name, "args": given} for name, given in (args or {}).items()]
    (profile,) = build({"plugins": plugins or {}, "pluginConfig": config}, **options).profiles
    return profile


def names(plugins):
    return [plugin.name for plugin in plugins]


def scorers(profile):
    return [(item.plugin.name, item.weight) for item in profile.score]


def test_the_default_profile_is_what_an_empty_configuration_comes_to():
    empty, default = built(), default_profile()
    for point in POINTS:
        assert names(getattr(empty, point)) == names(getattr(default, point)), point
    assert scorers(empty) == scorers(default)
    assert names(default.bind) == ["DefaultBinder"]
    assert default.queue_sort.name == "PrioritySort"
    assert default_configuration() is default_configuration()


def test_a_plugin_is_made_once_for_all_its_points():
    profile = default_profile()
    fit = [plugin for plugin in (*profile.pre_filter, *profile.filter, *profile.pre_score) if "Fit" in plugin.name]
    fit += [item.plugin for item in profile.score if "Fit" in item.plugin.name]
    assert len(fit) == 4
    assert len(set(map(id, fit))) == 1
    assert default_profile().filter[0] is not profile.filter[0]


def test_order_and_weights_are_the_configurations():
    profile = built(
        {
            "multiPoint": {"enabled": [{"name": "ImageLocality", "weight": 7}]},
            "score": {"enabled": [{"name": "PodTopologySpread", "weight": 5}], "disabled": [{"name": "NodeAffinity"}]},
            "filter": {"disabled": [{"name": "*"}], "enabled": [{"name": "NodeName"}, {"name": "NodeUnschedulable"}]},
        }
    )
    # Named at the point itself: to the front. Named in multiPoint: in its place.
    assert scorers(profile)[0] == ("PodTopologySpread", 5)
    assert dict(scorers(profile))["ImageLocality"] == 7
    assert "NodeAffinity" not in dict(scorers(profile))
    assert names(profile.filter) == ["NodeName", "NodeUnschedulable"]


def test_arguments_reach_their_plugins():
    strategy = {"type": "MostAllocated", "resources": [{"name": "memory", "weight": 3}]}
    profile = built(args={"NodeResourcesFit": {"scoringStrategy": strategy}})
    (fit,) = (item.plugin for item in profile.score if item.plugin.name == "NodeResourcesFit")
    assert fit.strategy == "MostAllocated"


def test_profiles_have_plugins_and_percentages_of_their_own():
    one, two = build(
        {"schedulerName": "one", "percentageOfNodesToScore": 40},
        {"schedulerName": "two", "plugins": {"score": {"disabled": [{"name": "*"}]}}},
    ).profiles
    assert (one.scheduler_name, one.percentage_of_nodes_to_score) == ("one", 40)
    assert (two.scheduler_name, two.percentage_of_nodes_to_score) == ("two", None)
    assert one.score
    assert two.score == ()
    assert one.filter[0] is not two.filter[0]


def test_unknown_plugins_that_are_let_through_leave_no_trace():
    plugins = {"score": {"enabled": [{"name": "Custom", "weight": 50}]}, "permit": {"enabled": [{"name": "Gang"}]}}
    profile = built(plugins, allow_unknown_plugins=True)
    assert scorers(profile) == scorers(default_profile())
    assert profile.permit == ()


def test_nodes_are_searched_for_as_ever_if_only_unknown_plugins_score():
    plugins = {"score": {"disabled": [{"name": "*"}], "enabled": [{"name": "Custom", "weight": 5}]}}
    assert scorers(built(plugins, allow_unknown_plugins=True)) == [("Custom", 5)]


def test_unknown_sorters_and_binders_are_stood_in_for():
    plugins = {
        "queueSort": {"disabled": [{"name": "*"}], "enabled": [{"name": "Sorter"}]},
        "bind": {"disabled": [{"name": "*"}], "enabled": [{"name": "Binder"}]},
    }
    profile = built(plugins, allow_unknown_plugins=True)
    assert profile.queue_sort.name == "PrioritySort"
    assert names(profile.bind) == ["DefaultBinder"]


def test_a_plugin_whose_gate_is_off_does_nothing():
    on, off = (built(feature_gates=f"DynamicResourceAllocation={gate}") for gate in ("true", "false"))
    assert "DynamicResources" in names(on.post_filter)
    assert "DynamicResources" not in names(off.post_filter)
    named = {"postFilter": {"enabled": [{"name": "DynamicResources"}]}}
    assert "DynamicResources" not in names(built(named, feature_gates="DynamicResourceAllocation=false").post_filter)


def test_a_configuration_that_was_read_with_plugins_needs_them_again():
    class Custom:
        def score(self, cycle, nodes):
            return nodes

    config = read_config({"profiles": [{"plugins": {"score": {"enabled": [{"name": "Custom"}]}}}]}, plugins=[Custom])
    with pytest.raises(ConfigError, match="plugin Custom is enabled, but nothing is known of it"):
        build_profiles(config)


OLDER = "kubescheduler.config.k8s.io/"


def test_plugins_of_older_versions_do_their_work_by_another_name():
    config = read_config({"apiVersion": OLDER + "v1beta1"})
    found = build_profiles(config)
    (profile,) = found.profiles
    weights = dict(scorers(profile))
    assert weights["NodeResourcesLeastAllocated"] == 1
    assert weights["TaintToleration"] == 1
    # In the lists of that time they prepare nothing, but today's have to.
    assert {"VolumeRestrictions", "VolumeZone"} <= set(names(profile.pre_filter))
    assert {"AzureDiskLimits", "EBSLimits", "GCEPDLimits"} <= set(names(profile.filter))
