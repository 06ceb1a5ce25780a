"""Merging and order against the rules written in plain Python."""

from hypothesis import given
from hypothesis import strategies as st

from kplace.config.catalogue import Catalogue, DefaultPlugin, PluginSpec, by_name
from kplace.config.gates import FeatureGates
from kplace.config.merge import Origin, merge_plugins, running_order, score_weight
from kplace.config.points import MULTI_POINT, ExtensionPoint
from kplace.config.wire import Plugin, Plugins, PluginSet
from tests.naive import plugin_order

NAMES = "ABCDEF"
DEFAULTS = (("A", 3), ("B", 0), ("C", 2), ("D", 1))
SCORES = frozenset("ACDE")
CATALOGUE = Catalogue(
    by_name(
        PluginSpec(name, frozenset({ExtensionPoint.SCORE} if name in SCORES else {ExtensionPoint.FILTER}))
        for name in NAMES
    ),
    {MULTI_POINT: tuple(DefaultPlugin(*entry) for entry in DEFAULTS)},
)

entries = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 5)), max_size=4, unique_by=lambda entry: entry[0])
names = st.lists(st.sampled_from([*NAMES, "*"]), max_size=3, unique=True)


def plugin_set(enabled, disabled) -> PluginSet:
    return PluginSet(
        enabled=tuple(Plugin(name=name, weight=weight or None) for name, weight in enabled),
        disabled=tuple(Plugin(name=name) for name in disabled),
    )


@given(entries, names, entries, names)
def test_order_and_weights_at_score(multi_enabled, multi_disabled, own, own_disabled):
    own = [entry for entry in own if entry[0] in SCORES]
    custom = Plugins(multi_point=plugin_set(multi_enabled, multi_disabled), score=plugin_set(own, own_disabled))
    plugins = merge_plugins(custom, CATALOGUE, FeatureGates(), "plugins")
    multi_point = plugin_order.merged(DEFAULTS, multi_enabled, multi_disabled)
    assert [(member.name, member.weight) for member in plugins.multi_point.enabled] == multi_point
    expected = plugin_order.order(multi_point, [name for name, _ in own], own_disabled, SCORES.__contains__)
    members = running_order(plugins, ExtensionPoint.SCORE, CATALOGUE)
    assert [member.name for member in members] == expected
    weights = {name: plugin_order.weight(own, multi_point, name) for name in expected}
    assert {name: score_weight(plugins, name) for name in expected} == weights


@given(entries, names)
def test_where_each_plugin_comes_from(enabled, disabled):
    plugins = merge_plugins(Plugins(multi_point=plugin_set(enabled, disabled)), CATALOGUE, FeatureGates(), "plugins")
    given_names = {name for name, _ in enabled}
    for member in plugins.multi_point.enabled:
        assert member.origin is (Origin.MULTI_POINT if member.name in given_names else Origin.DEFAULT)
        assert bool(member.path) == (member.name in given_names)


def test_a_relisted_default_comes_twice_where_it_keeps_no_place():
    catalogue = Catalogue(CATALOGUE.plugins, {"score": (DefaultPlugin("A", 1),)}, relisted_keeps_place=False)
    plugins = merge_plugins(Plugins(score=plugin_set([("A", 5)], [])), catalogue, FeatureGates(), "plugins")
    assert [(member.name, member.weight) for member in plugins.at(ExtensionPoint.SCORE).enabled] == [("A", 1), ("A", 5)]
