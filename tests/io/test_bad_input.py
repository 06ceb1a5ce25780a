"""Every example under data/bad is refused, and what is wrong with it is said."""

import re
from pathlib import Path

import pytest

from kplace.errors import InputError
from kplace.io.read import read_cluster

BAD = Path(__file__).parents[2] / "data" / "bad"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NO_QUANTITY = 'is not a quantity: expected a number such as "500m", "1.5Gi" or "2e3"'

EXPECTED = {
    "truncated.json": ["not valid JSON: line 11: it ends in the middle of an object: the file is cut off"],
    "tabs.yaml": ["not valid YAML: line 4, column 1: a tab in the indentation: YAML wants blanks"],
    "not-utf8.yaml": ["line 8, column 25: not UTF-8 text: byte 0xf6"],
    "duplicate-key.yaml": ['line 13, column 3: the key "nodeSelector" is given twice, first on line 8'],
    "not-an-object.yaml": [
        '[0]: expected an object, got a string ("web")',
        '[1]: expected an object, got a string ("db")',
    ],
    "kind-missing.yaml": ['kind: is missing: every object says what it is, such as "kind: Pod"'],
    "containers-is-a-mapping.yaml": ["Pod default/web: spec.containers: expected a list, got an object"],
    "containers-missing.yaml": [
        "Pod default/web: spec.containers: is missing: a pod has at least one container",
    ],
    "replicas-is-text.yaml": ['Deployment default/web: spec.replicas: expected an integer, got a string ("three")'],
    "label-is-a-number.yaml": [
        "Pod default/web: metadata.labels.version: expected a string, got a number (1.5): put it in quotes"
    ],
    "pod-without-name.yaml": ["Pod default/(without a name): metadata.name: is missing"],
    "cpu-unit-unknown.yaml": [f'Pod default/web: spec.containers[0].resources.requests.cpu: "1.5cores" {NO_QUANTITY}'],
    "memory-negative.yaml": ['Pod default/web: spec.containers[0].resources.requests.memory: "-1Gi" is negative'],
    "gpu-not-whole.yaml": [
        'Pod default/web: spec.containers[0].resources.limits[nvidia.com/gpu]: "500m" is not a whole number, '
        "and this resource is counted in whole units"
    ],
    "request-above-limit.yaml": [
        'Pod default/web: spec.containers[0].resources.requests.memory: "4Gi" is more than the limit of "2Gi"'
    ],
    "node-allocatable-not-a-quantity.yaml": [
        'Node node-1: status.allocatable.memory: "32 GB" is not a quantity: did you mean "32G"?'
    ],
    "toleration-operator-unknown.yaml": [
        'Pod default/web: spec.tolerations[0].operator: "Matches" is none of Equal, Exists'
    ],
    "toleration-exists-with-value.yaml": [
        'Pod default/web: spec.tolerations[0].value: must be empty with operator Exists, not "batch"'
    ],
    "taint-effect-unknown.yaml": [
        'Node node-1: spec.taints[0].effect: "NeverSchedule" is none of NoSchedule, PreferNoSchedule, NoExecute: '
        "did you mean NoSchedule?"
    ],
    "node-affinity-operator-unknown.yaml": [
        f"Pod default/web: spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].operator: "
        '"Equals" is none of In, NotIn, Exists, DoesNotExist, Gt, Lt'
    ],
    "node-affinity-gt-not-a-number.yaml": [
        f"Pod default/web: spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].values[0]: "
        '"third" is not a whole number, which operator Gt compares'
    ],
    "node-affinity-weight-above-100.yaml": [
        f"Pod default/web: spec.affinity.nodeAffinity.{PREFERRED}[0].weight: must be 1 to 100, not 101"
    ],
    "affinity-topology-key-missing.yaml": [
        f"Pod default/web: spec.affinity.podAntiAffinity.{REQUIRED}[0].topologyKey: is missing: "
        "a node label is wanted, such as kubernetes.io/hostname"
    ],
    "selector-in-without-values.yaml": [
        f"Pod default/web: spec.affinity.podAffinity.{REQUIRED}[0].labelSelector.matchExpressions[0].values: "
        "must hold at least one value with operator In"
    ],
    "max-skew-zero.yaml": ["Pod default/web: spec.topologySpreadConstraints[0].maxSkew: must be 1 or more, not 0"],
    "spread-topology-key-missing.yaml": [
        "Pod default/web: spec.topologySpreadConstraints[0].topologyKey: is missing: "
        "a node label is wanted, such as topology.kubernetes.io/zone"
    ],
    "when-unsatisfiable-misspelt.yaml": [
        'Pod default/web: spec.topologySpreadConstraints[0].whenUnsatisfiable: "DoNotScheduled" is none of '
        "DoNotSchedule, ScheduleAnyway: did you mean DoNotSchedule?"
    ],
    "min-domains-with-schedule-anyway.yaml": [
        "Pod default/web: spec.topologySpreadConstraints[0].minDomains: goes with whenUnsatisfiable DoNotSchedule only"
    ],
    "host-port-out-of-range.yaml": [
        "Pod default/web: spec.containers[0].ports[0].hostPort: must be 1 to 65535, not 70000"
    ],
    "selector-misses-template.yaml": [
        "Deployment default/web: spec.template.metadata.labels: the selector does not match them (app=website)"
    ],
    "several-faults.yaml": [
        f'Node node-1: status.allocatable.cpu: "eight" {NO_QUANTITY}',
        "Deployment default/api: spec.replicas: must be 0 or more, not -1",
        "Deployment default/api: spec.template.spec.topologySpreadConstraints[0].maxSkew: must be 1 or more, not -2",
        'Pod default/worker: spec.initContainers[0].resources.requests.memory: "1 Gi" is not a quantity: '
        'did you mean "1Gi"?',
        "Pod default/worker: spec.containers[0].ports[0].hostPort: must be 1 to 65535, not -9000",
        'Pod default/worker: spec.tolerations[0].effect: "NoScheduling" is none of NoSchedule, PreferNoSchedule, '
        "NoExecute: did you mean NoSchedule?",
    ],
    "list-with-faults.json": [
        'Pod default/low: spec.priority: expected an integer, got a string ("high")',
        f'Pod default/batch: spec.containers[1].resources.requests.cpu: "1,5" {NO_QUANTITY}',
    ],
}
OTHERS = {"duplicate-node.yaml", "duplicate-pod.yaml"}
"""What the builder finds when it has seen all objects."""


def faults_of(*paths: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_cluster(*paths)
    return [str(fault).replace(f"{BAD}/", "") for fault in caught.value.faults]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_each_example_is_refused_with_clear_words(name):
    assert sorted(faults_of(BAD / name)) == sorted(f"{name}: {text}" for text in EXPECTED[name])


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_doubles_are_refused(name):
    (fault,) = faults_of(BAD / name)
    assert fault.startswith(f"{name}: ")
    assert "twice" in fault


def test_no_example_is_left_out():
    assert {path.name for path in BAD.iterdir()} - {"README.md"} == EXPECTED.keys() | OTHERS


def test_all_of_them_at_once():
    """In a folder, a file without objects is no fault; otherwise nothing is lost because something else is wrong."""
    found = faults_of(BAD)
    for name, texts in EXPECTED.items():
        if name != "not-an-object.yaml":
            assert {f"{name}: {text}" for text in texts} <= set(found)


def test_the_readme_writes_fields_as_the_messages_do():
    text = (BAD / "README.md").read_text(encoding="utf-8")
    wanted = set()
    for name in EXPECTED:
        with pytest.raises(InputError) as caught:
            read_cluster(BAD / name)
        wanted |= {fault.path for fault in caught.value.faults if fault.path}
    # Said in the page in short.
    short = {"spec.affinity.": "", REQUIRED: "required", PREFERRED: "preferred"}
    for long, brief in short.items():
        wanted = {path.replace(long, brief) for path in wanted}
    assert len(wanted) > 20
    in_lists = re.compile(r"\[\d+\]")
    assert {path for path in wanted if f"`{path}`" not in text and not in_lists.fullmatch(path)} == set()
