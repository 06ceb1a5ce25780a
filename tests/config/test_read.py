"""Reading through all stages."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.config import (
    ConfigurationError,
    ExtensionPoint,
    FeatureGates,
    Options,
    Origin,
    Reading,
    load_configuration,
    parse_feature_gates,
    read_configuration,
    to_json,
)
from kplace.errors import ConfigError
from kplace.plugins.in_tree import IN_TREE

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def read(text: str, **options: object) -> Reading:
    return read_configuration((HEAD + text).encode(), IN_TREE, source="c.yaml", options=Options(**options))


def told(text: str, **options: object) -> list[str]:
    return [str(fault).removeprefix("c.yaml: ") for fault in read(text, **options).faults]


def test_every_fault_of_every_stage_is_told_once():
    text = """foo: 1
parallelism: -1
leaderElection: {retryPeriod: 9s}
profiles:
- schedulerName: a
  plugins:
    score: {enabled: [{name: NodeAfinity}, {name: NodeName}, {name: NodeLabel}]}
    multiPoint: {enabled: [{name: TaintTolerations}]}
  pluginConfig:
  - {name: InterPodAffinity, args: {hardPodAffinityWeight: 101}}
  - {name: NodeResourcesFit, args: {scoringStrategy: {type: Lest}}}
"""
    assert told(text) == [
        "line 3: foo: unknown field",
        "line 4: parallelism: Invalid value: -1: should be an integer value greater than zero",
        "line 12: profiles[0].pluginConfig[0].args.hardPodAffinityWeight: "
        "Invalid value: 101: not in valid range [0, 100]",
        'line 13: profiles[0].pluginConfig[1].args.scoringStrategy.type: Unsupported value: "Lest": '
        'supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"',
        'line 9: profiles[0].plugins.score.enabled[0]: ScorePlugin "NodeAfinity" does not exist; '
        'did you mean "NodeAffinity"?',
        'line 9: profiles[0].plugins.score.enabled[1]: plugin "NodeName" does not extend ScorePlugin plugin; '
        "it runs at filter",
        'line 9: profiles[0].plugins.score.enabled[2]: ScorePlugin "NodeLabel" does not exist; '
        "NodeAffinity with addedAffinity does its work",
        'line 10: profiles[0].plugins.multiPoint.enabled[0]: PreFilterPlugin "TaintTolerations" does not exist; '
        'did you mean "TaintToleration"?',
        "line 5: leaderElection.renewDeadline: renewDeadline must be greater than retryPeriod*JitterFactor",
    ]


def test_wrong_types_do_not_hide_what_validation_finds():
    assert told(
        'parallelism: "4"\nprofiles: [{schedulerName: a}, {schedulerName: 5}]\npodInitialBackoffSeconds: 0\n'
    ) == [
        'line 3: parallelism: expected a whole number of 32 bits, got the text "4"',
        "line 4: profiles[1].schedulerName: expected text, got the number 5",
        "line 5: podInitialBackoffSeconds: Invalid value: 0: must be greater than 0",
    ]


def test_hints_say_what_upstream_leaves_out():
    text = """leaderElection: {leaseDuration: 1s}
profiles:
- {schedulerName: a}
- schedulerName: a
  plugins: {filter: {enabled: [{name: EBSLimits}]}}
healthzBindAddress: x
"""
    assert told(text)[:4] == [
        "line 8: healthzBindAddress: unknown field: older versions had it, v1 does not",
        'line 3: leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`; it is 1s',
        'line 7: profiles[1].plugins.filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version "v1" '
        '(KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1"); NodeVolumeLimits does its work now',
        'line 6: profiles[1].schedulerName: Duplicate value: {}; an earlier profile has the name "a" too',
    ]


def test_require_raises_all_faults():
    with pytest.raises(ConfigurationError) as error:
        read("foo: 1\nbar: 2\n").require()
    assert [fault.path for fault in error.value.faults] == ["bar", "foo"]
    assert str(error.value).splitlines()[-1] == "2 faults in the configuration c.yaml"
    assert isinstance(error.value, ConfigError)


def test_a_strategy_without_its_shape_is_told_where_upstream_crashes():
    args = "{scoringStrategy: {type: RequestedToCapacityRatio}}"
    text = f"profiles: [{{pluginConfig: [{{name: NodeResourcesFit, args: {args}}}]}}]"
    reading = read(text)
    assert (reading.ok, to_json(reading)["errorDetails"]) == (False, [{"stage": "build"}])
    assert told(text) == [
        "line 3: profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio: Required value: "
        "type RequestedToCapacityRatio needs a shape"
    ]


def test_configuration_of_profiles_with_origins_and_typed_args():
    configuration = read(
        """percentageOfNodesToScore: 30
podMaxBackoffSeconds: 60
profiles:
- schedulerName: a
  percentageOfNodesToScore: 70
  plugins:
    multiPoint: {enabled: [{name: ImageLocality, weight: 4}]}
    score: {enabled: [{name: NodeAffinity}]}
  pluginConfig:
  - {name: Mine, args: {any: [1]}}
  - {name: InterPodAffinity, args: {hardPodAffinityWeight: 7}}
"""
    ).require()
    assert (configuration.percentage_of_nodes_to_score, configuration.pod_max_backoff_seconds) == (30, 60)
    profile = configuration.profile("a")
    assert configuration.profile("b") is None
    assert profile.percentage_of_nodes_to_score == 70
    score = profile.points[ExtensionPoint.SCORE]
    assert [(ref.name, ref.weight, ref.origin) for ref in score[:2]] == [
        ("NodeAffinity", 1, Origin.EXPLICIT),
        ("TaintToleration", 3, Origin.DEFAULT),
    ]
    assert (score[-1].name, score[-1].weight, score[-1].origin) == ("ImageLocality", 4, Origin.MULTI_POINT)
    assert {ref.weight for ref in profile.points[ExtensionPoint.FILTER]} == {0}
    assert profile.args["Mine"] == {"any": [1]}
    assert profile.args["InterPodAffinity"].hard_pod_affinity_weight == 7
    assert "ImageLocality" in profile.plugin_names
    assert not profile.implied


def test_extenders_in_the_order_of_their_calls_take_resources_away():
    configuration = read(
        """extenders:
- {urlPrefix: http://a, ignorable: true, managedResources: [{name: x.io/a, ignoredByScheduler: true}]}
- {urlPrefix: http://b, httpTimeout: 1s}
"""
    ).require()
    assert [(one.url_prefix, one.http_timeout) for one in configuration.extenders] == [
        ("http://b", 10**9),
        ("http://a", 5 * 10**9),
    ]
    (profile,) = configuration.profiles
    assert profile.args["NodeResourcesFit"].ignored_resources == {"x.io/a"}


def test_unknown_plugins_are_let_through_on_request():
    text = """profiles:
- plugins:
    multiPoint: {enabled: [{name: Mine}]}
    queueSort: {enabled: [{name: Sorter}], disabled: [{name: '*'}]}
- schedulerName: b
  plugins:
    score: {enabled: [{name: Mine, weight: 2}]}
    queueSort: {enabled: [{name: Sorter}], disabled: [{name: '*'}]}
""".replace("- plugins", "- schedulerName: a\n  plugins")
    assert to_json(read(text))["unknownPlugins"] == ["Mine", "Sorter"]
    reading = read(text, allow_unknown_plugins=True)
    configuration = reading.require()
    assert configuration.unknown_plugins == {"Mine", "Sorter"}
    assert reading.ok
    # A plugin that is named at score somewhere is known to run there.
    assert [
        [(ref.name, ref.weight) for ref in profile.points[ExtensionPoint.SCORE]][-1]
        for profile in configuration.profiles
    ] == [("Mine", 1), ("Mine", 2)]
    assert any("pods are sorted by priority instead" in note for note in configuration.notes)


def test_notes_name_what_has_no_effect_here():
    notes = read("parallelism: 3\nleaderElection: {leaderElect: false}\n---\nmore: 1\n").require().notes
    assert notes == (
        "without effect here: leaderElection, parallelism",
        "only the first document of the file is read, as kube-scheduler does",
    )


def test_more_plugins_can_be_made_known():
    from kplace.config import PluginSpec

    catalogue = IN_TREE.with_plugins([PluginSpec("Mine", frozenset({ExtensionPoint.SCORE}))])
    text = HEAD + "profiles: [{plugins: {multiPoint: {enabled: [{name: Mine, weight: 3}]}}}]"
    (profile,) = read_configuration(text.encode(), catalogue).require().profiles
    assert (profile.points[ExtensionPoint.SCORE][-1].name, profile.points[ExtensionPoint.SCORE][-1].weight) == (
        "Mine",
        3,
    )


@pytest.mark.parametrize("value", ["1", "t", "TRUE", "True"])
def test_feature_gates(value):
    gates = parse_feature_gates(f" StorageCapacityScoring={value} , DynamicResourceAllocation=F,")
    assert gates == FeatureGates({"StorageCapacityScoring": True, "DynamicResourceAllocation": False})
    assert gates.is_on("DRASchedulerFilterTimeout")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("StorageCapacityScorin=true", 'unknown gate "StorageCapacityScorin"; did you mean "StorageCapacityScoring"'),
        ("X=true", 'unknown gate "X"; kplace knows DynamicResourceAllocation, '),
        ("StorageCapacityScoring", 'expected NAME=true or NAME=false, got "StorageCapacityScoring"'),
        ("Foo", "expected NAME=true or NAME=false"),
        ("StorageCapacityScoring=yes", 'expected true or false, got "yes"'),
    ],
)
def test_bad_feature_gates(text, words):
    with pytest.raises(ConfigError, match=re.escape(words)):
        parse_feature_gates(text)


def test_a_file_and_a_provider_are_loaded_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_configuration("DefaultProvider", IN_TREE).read_as == "DefaultProvider"
    (tmp_path / "DefaultProvider").write_text(HEAD)
    assert load_configuration("DefaultProvider", IN_TREE).ok
    with pytest.raises(FileNotFoundError):
        load_configuration(tmp_path / "none.yaml", IN_TREE)


SCRAPS = st.sampled_from(
    [
        "profiles:",
        "- schedulerName: a",
        "  plugins:",
        "    score: {enabled: [{name: X}]}",
        "---",
        "extenders: [{}]",
        "{{",
        "*a",
        "&a",
    ]
)


@given(st.lists(SCRAPS | st.text(max_size=12), max_size=12).map("\n".join), st.booleans())
def test_whatever_a_file_holds_is_answered(text, with_head):
    data = (HEAD + text if with_head else text).encode(errors="surrogatepass")
    reading = read_configuration(data, IN_TREE)
    json.dumps(to_json(reading))
    assert reading.ok == (not reading.errors)
    assert bool(reading.faults) == (reading.configuration is None)
