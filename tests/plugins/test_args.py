"""From the arguments in a file to the dataclasses that plugins take."""

import pytest

from kplace.config import Options, parse_feature_gates, read_configuration
from kplace.objects.core import NodeAffinity, PreferredSchedulingTerm, TopologySpreadConstraint
from kplace.objects.meta import NodeSelector, NodeSelectorTerm, SelectorRequirement
from kplace.plugins.defaultpreemption.args import DefaultPreemptionArgs
from kplace.plugins.dynamicresources.args import DynamicResourcesArgs
from kplace.plugins.in_tree import IN_TREE
from kplace.plugins.interpodaffinity.args import InterPodAffinityArgs
from kplace.plugins.nodeaffinity.args import NodeAffinityArgs
from kplace.plugins.noderesources.args import (
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    ResourceSpec,
    ScoringStrategy,
    ScoringStrategyType,
    ShapePoint,
)
from kplace.plugins.podtopologyspread.args import DefaultingType, PodTopologySpreadArgs
from kplace.plugins.volumebinding.args import VolumeBindingArgs

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- pluginConfig:\n"


def read(name: str, args: str, gates: str = ""):
    options = Options(gates=parse_feature_gates(gates))
    return read_configuration(f"{HEAD}  - name: {name}\n    args: {args}\n".encode(), IN_TREE, options=options)


def built(name: str, args: str, gates: str = "") -> object:
    return read(name, args, gates).require().profiles[0].args[name]


def errors(name: str, args: str, gates: str = "") -> list[str]:
    """What is wrong with the arguments, without the path to them."""
    return [str(fault).split("args", 1)[1].removeprefix(".") for fault in read(name, args, gates).faults]


DEFAULTS = [
    ("DefaultPreemption", DefaultPreemptionArgs()),
    ("DynamicResources", DynamicResourcesArgs()),
    ("InterPodAffinity", InterPodAffinityArgs()),
    ("NodeAffinity", NodeAffinityArgs()),
    ("NodeResourcesBalancedAllocation", NodeResourcesBalancedAllocationArgs()),
    ("NodeResourcesFit", NodeResourcesFitArgs()),
    ("PodTopologySpread", PodTopologySpreadArgs()),
    ("VolumeBinding", VolumeBindingArgs()),
]


@pytest.mark.parametrize(("name", "expected"), DEFAULTS)
def test_defaults_of_the_file_are_those_of_the_dataclass(name, expected):
    assert built(name, "{}") == expected
    assert built(name, "null") == expected


REQUIREMENT = SelectorRequirement("a", "In", ("x", "z"))


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        (
            "DefaultPreemption",
            "{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 5}",
            DefaultPreemptionArgs(0, 5),
        ),
        ("DynamicResources", "{filterTimeout: 3s}", DynamicResourcesArgs(3_000_000_000)),
        (
            "InterPodAffinity",
            "{hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: true}",
            InterPodAffinityArgs(0, True),
        ),
        (
            "NodeAffinity",
            "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: "
            "[{key: a, operator: In, values: [x, z]}]}]}, preferredDuringSchedulingIgnoredDuringExecution: "
            "[{weight: 10, preference: {matchFields: [{key: metadata.name, operator: In, values: [one]}]}}]}}",
            NodeAffinityArgs(
                NodeAffinity(
                    required=NodeSelector((NodeSelectorTerm(match_expressions=(REQUIREMENT,)),)),
                    preferred=(
                        PreferredSchedulingTerm(
                            10, NodeSelectorTerm(match_fields=(SelectorRequirement("metadata.name", "In", ("one",)),))
                        ),
                    ),
                )
            ),
        ),
        (
            "NodeResourcesBalancedAllocation",
            "{resources: [{name: gpu}]}",
            NodeResourcesBalancedAllocationArgs((ResourceSpec("gpu"),)),
        ),
        (
            "NodeResourcesFit",
            "{ignoredResources: [a.io/x], ignoredResourceGroups: [b.io], scoringStrategy: "
            "{type: RequestedToCapacityRatio, resources: [{name: gpu, weight: 5}], "
            "requestedToCapacityRatio: {shape: [{score: 3}, {utilization: 100}]}}}",
            NodeResourcesFitArgs(
                frozenset({"a.io/x"}),
                frozenset({"b.io"}),
                ScoringStrategy(
                    ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO,
                    (ResourceSpec("gpu", 5),),
                    (ShapePoint(0, 3), ShapePoint(100, 0)),
                ),
            ),
        ),
        (
            "PodTopologySpread",
            "{defaultingType: List, defaultConstraints: "
            "[{maxSkew: 2, topologyKey: z, whenUnsatisfiable: ScheduleAnyway}]}",
            PodTopologySpreadArgs(
                (TopologySpreadConstraint(max_skew=2, topology_key="z", when_unsatisfiable="ScheduleAnyway"),),
                DefaultingType.LIST,
            ),
        ),
        ("VolumeBinding", "{bindTimeoutSeconds: 0}", VolumeBindingArgs(0)),
    ],
)
def test_what_is_given(name, args, expected):
    assert built(name, args) == expected


def test_gates_decide_about_arguments():
    scoring, no_timeout = "StorageCapacityScoring=true", "DRASchedulerFilterTimeout=false"
    assert built("VolumeBinding", "{}", scoring) == VolumeBindingArgs(600, ((0, 10), (100, 0)))
    assert built("DynamicResources", "{}", no_timeout) == DynamicResourcesArgs(None)
    # With the plugin's own gate off, it is made without a look at its arguments, but they are still validated.
    off = f"{no_timeout},DynamicResourceAllocation=false"
    assert "Forbidden" in errors("DynamicResources", "{filterTimeout: 3s}", off)[0]


def affinity(requirement: str, kind: str = "matchExpressions") -> str:
    return (
        "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        f"{{nodeSelectorTerms: [{{{kind}: [{requirement}]}}]}}}}}}"
    )


TERM = "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
LONG = "k" * 64


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        (
            "NodeAffinity",
            affinity("{key: a, operator: Gt, values: ['1', x]}"),
            [
                f'{TERM}.matchExpressions[0].values: Invalid value: ["1","x"]: '
                "for 'Gt', 'Lt' operators, exactly one value is required",
                f'{TERM}.matchExpressions[0].values[1]: Invalid value: "x": '
                "for 'Gt', 'Lt' operators, the value must be an integer",
            ],
        ),
        (
            "NodeAffinity",
            affinity(f"{{key: a, operator: In, values: [{LONG}]}}"),
            [f'{TERM}.matchExpressions[0].values[0][a]: Invalid value: "{LONG}": must be no more than 63 characters'],
        ),
        (
            "NodeAffinity",
            affinity("{key: a, operator: NotIn}", "matchFields"),
            [f"{TERM}.matchFields[0].values: Invalid value: null: must have one element"],
        ),
        (
            "NodeResourcesBalancedAllocation",
            "{resources: [{name: cpu}, {name: cpu, weight: 2}]}",
            [
                'resources[1].name: Duplicate value: "cpu"',
                "resources[1].weight: Invalid value: 2: must be 1",
            ],
        ),
        (
            "NodeResourcesFit",
            "{ignoredResourceGroups: [a/b], "
            "scoringStrategy: {type: LeastAllocated, resources: [{name: x, weight: 101}]}}",
            [
                "ignoredResourceGroups[0]: Invalid value: \"a/b\": resource group name can't contain '/'",
                "scoringStrategy.resources[0].weight: Invalid value: 101: "
                "resource weight of x not in valid range (0, 100]",
            ],
        ),
        (
            "PodTopologySpread",
            "{defaultingType: Lst, defaultConstraints: [{labelSelector: {}}]}",
            [
                'defaultingType: Unsupported value: "Lst": supported values: "System", "List"',
                "defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf)",
                "defaultConstraints[0].topologyKey: Required value: can not be empty",
                "defaultConstraints[0].whenUnsatisfiable: Required value: can not be empty",
                "defaultConstraints[0].labelSelector: Forbidden: "
                "constraint must not define a selector, as they deduced for each pod",
            ],
        ),
        (
            "PodTopologySpread",
            "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: Never}]}",
            [
                'defaultConstraints[0].whenUnsatisfiable: Unsupported value: "Never": '
                'supported values: "DoNotSchedule", "ScheduleAnyway"'
            ],
        ),
        (
            "VolumeBinding",
            "{shape: [{utilization: 1, score: 2}]}",
            [
                'shape: Invalid value: [{"Utilization":1,"Score":2}]: '
                "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"
            ],
        ),
    ],
)
def test_what_is_wrong(name, args, expected):
    assert errors(name, args) == expected
