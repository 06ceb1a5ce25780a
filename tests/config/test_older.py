"""Older versions, policies and algorithm providers by the rules of their time."""

import json

import pytest

from kplace.config import ExtensionPoint, Options, Origin, Reading, load_configuration, read_configuration, to_json
from kplace.plugins.in_tree import IN_TREE


def read(version: str, text: str = "", **options: object) -> Reading:
    head = f"apiVersion: kubescheduler.config.k8s.io/{version}\nkind: KubeSchedulerConfiguration\n"
    return read_configuration((head + text).encode(), IN_TREE, source="c.yaml", options=Options(**options))


def read_policy(policy: dict[str, object]) -> Reading:
    return read_configuration(
        json.dumps({"kind": "Policy", "apiVersion": "v1", **policy}).encode(), IN_TREE, source="policy.json"
    )


def plugins(reading: Reading, point: str) -> list[str]:
    """A point's plugins with their weights."""
    (profile,) = reading.require().profiles
    return [f"{ref.name} {ref.weight}" if ref.weight else ref.name for ref in profile.points[ExtensionPoint(point)]]


def told(reading: Reading) -> list[str]:
    return [str(fault).partition(": ")[2] for fault in reading.faults]


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2", "v1beta3"])
def test_kube_scheduler_refuses_it_and_kplace_reads_it(version):
    reading = read(version, "podMaxBackoffSeconds: 20\n")
    record = to_json(reading)
    assert (record["ok"], record["failedStage"], record["errorDetails"]) == (False, "decode", [{"stage": "decode"}])
    assert (record["readAs"], record["global"]["podMaxBackoffSeconds"]) == (version, 20)
    assert "laterErrors" not in record
    configuration = reading.require()
    assert (configuration.read_as, configuration.pod_max_backoff_seconds) == (version, 20)
    assert configuration.notes[0] == f"read by the rules of {version}; kube-scheduler 1.34 refuses it"


SPREAD, TAINTS, AFFINITY, BALANCED = (
    "PodTopologySpread",
    "TaintToleration",
    "NodeAffinity",
    "NodeResourcesBalancedAllocation",
)
FILTERS = [
    *("NodeUnschedulable", "NodeName", TAINTS, AFFINITY, "NodePorts", "NodeResourcesFit", "VolumeRestrictions"),
    *("EBSLimits", "GCEPDLimits", "NodeVolumeLimits", "AzureDiskLimits", "VolumeBinding", "VolumeZone", SPREAD),
    "InterPodAffinity",
]


def test_defaults_of_v1beta1():
    reading = read("v1beta1")
    assert plugins(reading, "preFilter") == [
        *("NodeResourcesFit", "NodePorts", SPREAD, "InterPodAffinity", "VolumeBinding", AFFINITY),
    ]
    assert plugins(reading, "filter") == FILTERS
    assert plugins(reading, "preScore") == ["InterPodAffinity", SPREAD, TAINTS, AFFINITY]
    assert plugins(reading, "score") == [
        *(f"{BALANCED} 1", "ImageLocality 1", "InterPodAffinity 1", "NodeResourcesLeastAllocated 1"),
        *(f"{AFFINITY} 1", "NodePreferAvoidPods 10000", f"{SPREAD} 2", f"{TAINTS} 1"),
    ]
    assert not plugins(reading, "preEnqueue")


def test_defaults_of_v1beta2():
    reading = read("v1beta2")
    assert plugins(reading, "preFilter") == [
        *("NodeResourcesFit", "NodePorts", "VolumeRestrictions", SPREAD, "InterPodAffinity", "VolumeBinding"),
        *("VolumeZone", AFFINITY),
    ]
    assert plugins(reading, "filter") == FILTERS
    assert plugins(reading, "score") == [
        *(f"{BALANCED} 1", "ImageLocality 1", "InterPodAffinity 1", "NodeResourcesFit 1"),
        *(f"{AFFINITY} 1", f"{SPREAD} 2", f"{TAINTS} 1"),
    ]
    assert plugins(reading, "reserve") == plugins(reading, "preBind") == ["VolumeBinding"]


def test_defaults_of_v1beta3_have_the_weights_of_v1():
    reading = read("v1beta3")
    assert plugins(reading, "filter") == FILTERS
    assert plugins(reading, "score") == [
        *(f"{TAINTS} 3", f"{AFFINITY} 2", "NodeResourcesFit 1", "VolumeBinding 1", f"{SPREAD} 2"),
        *("InterPodAffinity 2", f"{BALANCED} 1", "ImageLocality 1"),
    ]
    assert plugins(reading, "preEnqueue")[-1] == "SchedulingGates"


def test_plugins_of_today_work_where_those_of_the_time_had_nothing_to_do():
    (profile,) = read("v1beta1").require().profiles
    assert profile.implied == {
        ExtensionPoint.PRE_FILTER: ("VolumeRestrictions", "NodeVolumeLimits", "VolumeZone"),
        ExtensionPoint.PRE_SCORE: (BALANCED,),
    }
    disabled = read("v1beta1", "profiles: [{plugins: {preFilter: {disabled: [{name: VolumeZone}]}}}]").require()
    assert disabled.profiles[0].implied[ExtensionPoint.PRE_FILTER] == ("VolumeRestrictions", "NodeVolumeLimits")
    assert not read("v1beta3").require().profiles[0].implied


RELISTED = "profiles: [{plugins: {score: {enabled: [{name: NodeAffinity, weight: 5}]}}}]"


def test_a_default_that_is_enabled_again():
    assert told(read("v1beta1", RELISTED)) == [
        'line 3: profiles[0].plugins.score.enabled[0]: plugin "NodeAffinity" already registered as "ScorePlugin"; '
        "it is one of the defaults: disable it here as well"
    ]
    assert f"{AFFINITY} 5" in plugins(read("v1beta2", RELISTED), "score")
    moved = read("v1beta1", RELISTED.replace("enabled", "disabled: [{name: NodeAffinity}], enabled"))
    assert plugins(moved, "score")[-1] == f"{AFFINITY} 5"
    assert moved.require().profiles[0].points[ExtensionPoint.SCORE][-1].origin is Origin.EXPLICIT


def test_each_version_has_its_own_fields():
    profile = "profiles: [{percentageOfNodesToScore: 5, plugins: {multiPoint: {}, preEnqueue: {}}}]\n"
    text = f"{profile}healthzBindAddress: x\ndelayCacheUntilActive: true\n"
    unknown = {
        version: {fault.path for fault in read(version, text).faults} for version in ("v1beta1", "v1beta2", "v1beta3")
    }
    always = {"profiles[0].percentageOfNodesToScore", "delayCacheUntilActive"}
    assert unknown == {
        "v1beta1": always | {"profiles[0].plugins.multiPoint", "profiles[0].plugins.preEnqueue"},
        "v1beta2": always | {"profiles[0].plugins.multiPoint"},
        "v1beta3": always | {"healthzBindAddress"},
    }


@pytest.mark.parametrize(
    ("version", "name", "refused_in"),
    [
        ("v1beta1", "NodeLabel", None),
        ("v1beta1", "SelectorSpread", None),
        ("v1beta2", "NodeLabel", "v1beta2"),
        ("v1beta2", "NodeResourcesLeastAllocated", "v1beta2"),
        ("v1beta2", "SelectorSpread", None),
        ("v1beta3", "SelectorSpread", "v1beta3"),
        ("v1beta3", "RequestedToCapacityRatio", "v1beta2"),
    ],
)
def test_plugins_that_a_version_does_not_know_any_more(version, name, refused_in):
    shape = "{shape: [{utilization: 0, score: 1}]}"
    config = f"pluginConfig: [{{name: RequestedToCapacityRatio, args: {shape}}}], " if "Ratio" in name else ""
    reading = read(version, f"profiles: [{{{config}plugins: {{score: {{enabled: [{{name: {name}}}]}}}}}}]")
    if refused_in is None:
        assert f"{name} 1" in plugins(reading, "score")
    else:
        assert f'was invalid in version "kubescheduler.config.k8s.io/{refused_in}"' in told(reading)[0]
        assert to_json(reading)["laterErrors"][0].startswith("validate: profiles[0].")


def test_arguments_of_v1beta1():
    constraint = "{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule}"
    spread = (
        f"profiles:\n- pluginConfig:\n  - {{name: PodTopologySpread, args: {{defaultConstraints: [{constraint}]}}}}\n"
    )
    more = """\
  - {name: NodeResourcesLeastAllocated, args: {resources: [{name: cpu, weight: 0}, {name: gpu, weight: 3}]}}
  - {name: NodeResourcesFit, args: {apiVersion: kubescheduler.config.k8s.io/v1beta1, ignoredResources: [a.b/c]}}
  - {name: NodeLabel, args: {presentLabels: [ssd]}}
"""
    (profile,) = read("v1beta1", spread + more).require().profiles
    assert profile.args[SPREAD].defaulting_type == "List"
    assert [(one.name, one.weight) for one in profile.args["NodeResourcesLeastAllocated"].resources] == [
        ("cpu", 0),
        ("gpu", 3),
    ]
    assert profile.args["NodeResourcesFit"].ignored_resources == {"a.b/c"}
    assert profile.args["NodeLabel"].present_labels == ("ssd",)
    # Later versions take it for a mistake.
    assert "when .defaultConstraints are not empty" in told(read("v1beta2", spread))[0]
    strategy = "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {}}}]}]"
    assert "scoringStrategy: unknown field" in told(read("v1beta1", strategy))[0]


def test_unknown_plugins_and_reading_as_v1():
    text = "profiles: [{plugins: {score: {enabled: [{name: Mine}]}}}]"
    assert "does not exist" in told(read("v1beta2", text))[0]
    assert plugins(read("v1beta2", text, allow_unknown_plugins=True), "score")[-1] == "Mine 1"
    as_v1 = read("v1beta2", text, allow_unknown_plugins=True, read_as_v1=True)
    assert (as_v1.ok, as_v1.read_as) == (True, "")
    assert plugins(as_v1, "score")[0] == f"{TAINTS} 3"


def test_other_locks_were_fine_then():
    assert read("v1beta1", "leaderElection: {resourceLock: endpointsleases}").configuration is not None


# Policies.


def test_a_policy_without_lists_has_the_defaults():
    reading = read_policy({})
    assert plugins(reading, "filter") == [
        *("NodeUnschedulable", "NodeResourcesFit", "NodeName", "NodePorts", AFFINITY, "VolumeRestrictions", TAINTS),
        *("EBSLimits", "GCEPDLimits", "NodeVolumeLimits", "AzureDiskLimits", "VolumeBinding", "VolumeZone", SPREAD),
        "InterPodAffinity",
    ]
    assert plugins(reading, "score") == [
        *(f"{BALANCED} 1", f"{SPREAD} 2", "ImageLocality 1", "InterPodAffinity 1", "NodeResourcesLeastAllocated 1"),
        *(f"{AFFINITY} 1", "NodePreferAvoidPods 10000", f"{TAINTS} 1"),
    ]
    (profile,) = reading.require().profiles
    assert (profile.scheduler_name, profile.args[SPREAD].defaulting_type) == ("default-scheduler", "System")
    assert {ref.origin for refs in profile.points.values() for ref in refs} == {Origin.DEFAULT}


def test_empty_lists_leave_what_is_mandatory():
    reading = read_policy({"predicates": [], "priorities": []})
    assert plugins(reading, "filter") == ["NodeUnschedulable", TAINTS]
    assert [plugins(reading, point) for point in ("queueSort", "postFilter", "bind", "score")] == [
        ["PrioritySort"],
        ["DefaultPreemption"],
        ["DefaultBinder"],
        [],
    ]


def test_predicates_and_priorities_with_arguments():
    reading = read_policy(
        {
            "predicates": [
                {"name": "PodFitsPorts"},
                {"name": "Zones", "argument": {"serviceAffinity": {"labels": ["zone"]}}},
                {"name": "New", "argument": {"labelsPresence": {"labels": ["a"], "presence": True}}},
                {"name": "NotOld", "argument": {"labelsPresence": {"labels": ["b"]}}},
            ],
            "priorities": [
                {"name": "ServiceSpreadingPriority", "weight": 3},
                {"name": "EqualPriority", "weight": 1},
                {"name": "InterPodAffinityPriority", "weight": 2},
                {"name": "Ssd", "weight": 2, "argument": {"labelPreference": {"label": "ssd", "presence": True}}},
                {"name": "NoHdd", "weight": 2, "argument": {"labelPreference": {"label": "hdd"}}},
                {"name": "Racks", "weight": 1, "argument": {"serviceAntiAffinity": {"label": "rack"}}},
                {
                    "name": "Pack",
                    "weight": 4,
                    "argument": {
                        "requestedToCapacityRatioArguments": {
                            "shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}],
                            "resources": [{"name": "gpu", "weight": 5}],
                        }
                    },
                },
            ],
            "hardPodAffinitySymmetricWeight": 7,
            "extenders": [{"urlPrefix": "http://x", "httpTimeout": 250000000, "enableHttps": True}],
        }
    )
    assert plugins(reading, "filter") == ["NodeUnschedulable", "NodePorts", TAINTS, "NodeLabel", "ServiceAffinity"]
    assert plugins(reading, "preFilter") == ["NodePorts", "ServiceAffinity"]
    # Two preferences of weight 2 make one plugin of weight 4.
    assert plugins(reading, "score") == [
        *("InterPodAffinity 2", "NodeLabel 4", "RequestedToCapacityRatio 4", f"{SPREAD} 3", "ServiceAffinity 1"),
    ]
    configuration = reading.require()
    args = configuration.profiles[0].args
    assert args["ServiceAffinity"].affinity_labels == ("zone",)
    assert args["ServiceAffinity"].anti_affinity_labels_preference == ("rack",)
    assert (args["NodeLabel"].present_labels, args["NodeLabel"].absent_labels) == (("a",), ("b",))
    assert args["NodeLabel"].present_labels_preference == ("ssd",)
    assert args["NodeLabel"].absent_labels_preference == ("hdd",)
    assert args["InterPodAffinity"].hard_pod_affinity_weight == 7
    assert [(one.name, one.weight) for one in args["RequestedToCapacityRatio"].resources] == [("gpu", 5)]
    assert args[SPREAD].defaulting_type == "System"
    (extender,) = configuration.extenders
    assert (extender.http_timeout, extender.enable_https) == (250_000_000, True)


def test_even_spread_alone_has_no_default_constraints():
    reading = read_policy({"priorities": [{"name": "EvenPodsSpreadPriority", "weight": 2}]})
    assert reading.require().profiles[0].args[SPREAD].defaulting_type == "List"


def test_what_is_wrong_with_a_policy():
    two = {"serviceAntiAffinity": {"label": "a"}, "labelPreference": {"label": "b"}}
    ratio = {"requestedToCapacityRatioArguments": {"shape": []}}
    reading = read_policy(
        {
            "predicates": [{"name": "CheckNodeCondition"}, {"name": "PodFitsResource"}, {"name": "X", "argument": {}}],
            "priorities": [
                {"name": "LeastRequested", "weight": 0},
                {"name": "Y", "weight": 1, "argument": two},
                {"name": "Z", "weight": 1, "argument": ratio},
            ],
            "hardPodAffinitySymmetricWeight": 101,
            "foo": 1,
        }
    )
    assert reading.configuration is None
    assert [fault.removeprefix("line 1: ") for fault in told(reading)] == [
        "foo: unknown field",
        'predicates[0].name: Invalid value: "CheckNodeCondition": predicate type not found; '
        "leave it out: since 1.12 the conditions of nodes are taints",
        'predicates[1].name: Invalid value: "PodFitsResource": predicate type not found; '
        'did you mean "PodFitsResources"?',
        "predicates[2].argument: Required value: exactly one of serviceAffinity and labelsPresence is required",
        "priorities[0].weight: Invalid value: 0: should have a positive weight applied to it",
        'priorities[0].name: Invalid value: "LeastRequested": priority type not found',
        "priorities[1].argument: Required value: "
        "exactly one of serviceAntiAffinity, labelPreference and requestedToCapacityRatioArguments is required",
        "hardPodAffinitySymmetricWeight: Invalid value: 101: not in valid range [0-100]",
        "priorities[2].argument.requestedToCapacityRatioArguments.shape: Required value: "
        "at least one point must be specified",
    ]


def test_a_policy_of_wrong_types_is_refused():
    assert told(read_policy({"predicates": {}})) == ["line 1: predicates: expected a list, got an object"]


# Algorithm providers.


def test_the_autoscalers_provider_packs():
    default, autoscaler = (
        load_configuration(name, IN_TREE) for name in ("DefaultProvider", "ClusterAutoscalerProvider")
    )
    assert plugins(default, "score") == plugins(read("v1beta1"), "score")
    assert plugins(autoscaler, "score")[3] == "NodeResourcesMostAllocated 1"
    assert (to_json(autoscaler)["ok"], autoscaler.read_as) == (False, "ClusterAutoscalerProvider")
