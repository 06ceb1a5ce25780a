"""What is wrong with objects whose fields all have the right type."""

import msgspec
import pytest

from kplace.io.kinds import find_kind
from kplace.io.validate import CHECKS
from kplace.io.validate.fields import in_range, one_of, quantity_problem, time_problem

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"image": "x"}]}}


def problems(kind: str, **fields: object) -> list[tuple[str, str]]:
    value = {"metadata": {"name": "x"}, **fields}
    return CHECKS[kind](msgspec.json.decode(msgspec.json.encode(value), type=find_kind("", kind).struct))


def pod_problems(container: dict[str, object] | None = None, **spec: object) -> list[tuple[str, str]]:
    """Problems of a pod with one container, their paths below ``spec``."""
    found = problems("Pod", spec={"containers": [container or {"name": "c"}], **spec})
    return [(path.removeprefix("spec."), message) for path, message in found]


def expect(found: list[tuple[str, str]], path: str, message: str) -> None:
    assert found == [(path, message)]


@pytest.mark.parametrize("kind", sorted(CHECKS))
def test_every_kind_wants_a_name_and_proper_times(kind):
    spec = {"containers": [{"name": "c"}], "jobTemplate": {}}
    found = problems(kind, metadata={"creationTimestamp": "yesterday"}, spec=spec)
    assert found == [
        ("metadata.name", "is missing"),
        ("metadata.creationTimestamp", '"yesterday" is not a time such as 2025-06-01T12:00:00Z'),
    ]


def test_a_name_is_not_made_up():
    assert problems("Pod", metadata={"generateName": "a-"}, spec={"containers": [{}]}) == [
        ("metadata.name", "is missing: generateName alone gives none here")
    ]


@pytest.mark.parametrize(
    ("text", "is_time"),
    [
        (None, True),
        ("", True),
        ("2025-06-01T12:00:00Z", True),
        ("2025-06-01T12:00:00.123456789Z", True),
        ("2025-06-01T12:00:00+02:00", True),
        ("2025-06-01T12:00:00", False),
        ("2025-06-01 12:00:00Z", False),
        ("2025-13-01T12:00:00Z", False),
        ("2025-02-30T12:00:00Z", False),
        ("2025-06-01T24:30:00Z", False),
        ("1748779200", False),
    ],
)
def test_times(text, is_time):
    assert (time_problem(text) is None) == is_time


class TestPods:
    def test_a_plain_one(self):
        assert pod_problems() == []

    def test_containers(self):
        message = "is missing: a pod has at least one container"
        assert problems("Pod", spec={}) == problems("Pod", spec={"containers": []}) == [("spec.containers", message)]

    @pytest.mark.parametrize("group", ["requests", "limits"])
    @pytest.mark.parametrize(
        ("name", "quantity", "message"),
        [
            ("cpu", "1.5cores", '"1.5cores" is not a quantity: expected a number such as "500m", "1.5Gi" or "2e3"'),
            ("memory", "2GB", '"2GB" is not a quantity: did you mean "2G"?'),
            ("memory", "-1Gi", '"-1Gi" is negative'),
            ("cpu", -0.5, '"-0.5" is negative'),
            ("cpu", "1e17", '"1e17" is more than the scheduler can count'),
            ("memroy", "1Gi", '"memroy" is none of cpu, memory, ephemeral-storage: did you mean memory? '
             "(others are written with a domain)"),
        ],
    )  # fmt: skip
    def test_quantities(self, group, name, quantity, message):
        expect(
            pod_problems({"resources": {group: {name: quantity}}}), f"containers[0].resources.{group}.{name}", message
        )

    def test_extended_resources_are_whole(self):
        message = '"500m" is not a whole number, and this resource is counted in whole units'
        found = pod_problems({"resources": {"limits": {"nvidia.com/gpu": "500m"}}})
        expect(found, "containers[0].resources.limits[nvidia.com/gpu]", message)

    def test_requests_above_limits(self):
        resources = {"requests": {"memory": "4Gi", "cpu": "1000m"}, "limits": {"memory": "2Gi", "cpu": 1}}
        message = '"4Gi" is more than the limit of "2Gi"'
        expect(pod_problems({"resources": resources}), "containers[0].resources.requests.memory", message)

    def test_extended_requests_equal_their_limits(self):
        (problem,) = pod_problems({"resources": {"requests": {"a.b/c": "1"}, "limits": {"a.b/c": "2"}}})
        assert problem[0] == "containers[0].resources.requests[a.b/c]"

    @pytest.mark.parametrize("field", ["resources", "overhead"])
    def test_quantities_of_the_pod_itself(self, field):
        amounts = {"cpu": "x"}
        (problem,) = pod_problems(**{field: {"requests": amounts} if field == "resources" else amounts})
        assert problem[0] == ("resources.requests.cpu" if field == "resources" else "overhead.cpu")

    def test_init_containers(self):
        found = pod_problems(initContainers=[{"restartPolicy": "always", "resources": {"requests": {"cpu": "1 Gi"}}}])
        assert found == [
            ("initContainers[0].resources.requests.cpu", '"1 Gi" is not a quantity: did you mean "1Gi"?'),
            ("initContainers[0].restartPolicy", '"always" is none of Always, OnFailure, Never: did you mean Always?'),
        ]

    @pytest.mark.parametrize(
        ("port", "path", "message"),
        [
            ({"containerPort": 80, "hostPort": 70000}, "hostPort", "must be 1 to 65535, not 70000"),
            ({"containerPort": 80, "hostPort": -1}, "hostPort", "must be 1 to 65535, not -1"),
            ({"containerPort": 0}, "containerPort", "must be 1 to 65535, not 0"),
            (
                {"containerPort": 80, "protocol": "tcp"},
                "protocol",
                '"tcp" is none of TCP, UDP, SCTP: did you mean TCP?',
            ),
        ],
    )
    def test_ports(self, port, path, message):
        expect(pod_problems({"ports": [{"containerPort": 1}, port]}), f"containers[0].ports[1].{path}", message)

    @pytest.mark.parametrize(
        ("toleration", "path", "message"),
        [
            ({"key": "a", "operator": "Matches"}, "operator", '"Matches" is none of Equal, Exists'),
            ({"key": "a", "operator": "exist"}, "operator", '"exist" is none of Equal, Exists: did you mean Exists?'),
            ({"key": "a", "effect": "NoScheduling"}, "effect",
             '"NoScheduling" is none of NoSchedule, PreferNoSchedule, NoExecute: did you mean NoSchedule?'),
            ({"key": "a", "operator": "Exists", "value": "b"}, "value", 'must be empty with operator Exists, not "b"'),
            ({"value": "b"}, "operator", "must be Exists if there is no key"),
            ({"key": "a", "tolerationSeconds": 5}, "effect", "must be NoExecute with tolerationSeconds"),
        ],
    )  # fmt: skip
    def test_tolerations(self, toleration, path, message):
        expect(pod_problems(tolerations=[{"operator": "Exists"}, toleration]), f"tolerations[1].{path}", message)

    @pytest.mark.parametrize(
        ("change", "path", "message"),
        [
            ({"maxSkew": 0}, "maxSkew", "must be 1 or more, not 0"),
            ({"topologyKey": ""}, "topologyKey",
             "is missing: a node label is wanted, such as topology.kubernetes.io/zone"),
            ({"whenUnsatisfiable": ""}, "whenUnsatisfiable", "is missing: expected DoNotSchedule or ScheduleAnyway"),
            ({"whenUnsatisfiable": "DoNotScheduled"}, "whenUnsatisfiable",
             '"DoNotScheduled" is none of DoNotSchedule, ScheduleAnyway: did you mean DoNotSchedule?'),
            ({"minDomains": 0}, "minDomains", "must be 1 or more, not 0"),
            ({"minDomains": 2, "whenUnsatisfiable": "ScheduleAnyway"}, "minDomains",
             "goes with whenUnsatisfiable DoNotSchedule only"),
            ({"nodeAffinityPolicy": "honor"}, "nodeAffinityPolicy",
             '"honor" is none of Honor, Ignore: did you mean Honor?'),
            ({"nodeTaintsPolicy": "No"}, "nodeTaintsPolicy", '"No" is none of Honor, Ignore'),
            ({"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}},
             "labelSelector.matchExpressions[0].values", "must hold at least one value with operator In"),
        ],
    )  # fmt: skip
    def test_spread(self, change, path, message):
        found = pod_problems(topologySpreadConstraints=[SPREAD | change])
        expect(found, f"topologySpreadConstraints[0].{path}", message)

    def test_spread_twice_over_the_same(self):
        found = pod_problems(topologySpreadConstraints=[SPREAD, SPREAD | {"maxSkew": 2}])
        expect(found, "topologySpreadConstraints[1]", "is the second constraint over zone with DoNotSchedule")

    @pytest.mark.parametrize(
        ("expression", "path", "message"),
        [
            ({"key": "a", "operator": "Equals"}, "operator",
             '"Equals" is none of In, NotIn, Exists, DoesNotExist, Gt, Lt'),
            ({"key": "a", "operator": "NotIn"}, "values", "must hold at least one value with operator NotIn"),
            ({"key": "a", "operator": "Exists", "values": ["b"]}, "values", "must be empty with operator Exists"),
            ({"operator": "Exists"}, "key", "is missing"),
            ({"key": "a", "operator": "Gt", "values": ["1", "2"]}, "values",
             "must hold one whole number with operator Gt"),
            ({"key": "a", "operator": "Lt", "values": ["third"]}, "values[0]",
             '"third" is not a whole number, which operator Lt compares'),
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("weight", [None, 100])
    def test_node_affinity(self, expression, path, message, weight):
        term = {"matchExpressions": [expression]}
        if weight is None:
            affinity, prefix = {REQUIRED: {"nodeSelectorTerms": [{}, term]}}, f"{REQUIRED}.nodeSelectorTerms[1]"
        else:
            affinity, prefix = {PREFERRED: [{"weight": weight, "preference": term}]}, f"{PREFERRED}[0].preference"
        found = pod_problems(affinity={"nodeAffinity": affinity})
        expect(found, f"affinity.nodeAffinity.{prefix}.matchExpressions[0].{path}", message)

    def test_match_fields(self):
        field = {"key": "metadata.nam", "operator": "Exists"}
        affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchFields": [field]}]}}}
        prefix = f"affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchFields[0]"
        assert pod_problems(affinity=affinity) == [
            (f"{prefix}.operator", '"Exists" is none of In, NotIn'),
            (f"{prefix}.key", '"metadata.nam" is none of metadata.name: did you mean metadata.name?'),
        ]

    @pytest.mark.parametrize("weight", [0, 101, -1])
    def test_weights(self, weight):
        node = {PREFERRED: [{"weight": weight, "preference": {}}]}
        pod = {PREFERRED: [{"weight": weight, "podAffinityTerm": {"topologyKey": "zone"}}]}
        found = pod_problems(affinity={"nodeAffinity": node, "podAffinity": pod, "podAntiAffinity": pod})
        paths = [
            f"affinity.{kind}.{PREFERRED}[0].weight" for kind in ("nodeAffinity", "podAffinity", "podAntiAffinity")
        ]
        assert found == [(path, f"must be 1 to 100, not {weight}") for path in paths]

    @pytest.mark.parametrize("kind", ["podAffinity", "podAntiAffinity"])
    def test_pod_affinity(self, kind):
        selector = {"matchExpressions": [{"key": "a", "operator": "in", "values": ["b"]}]}
        found = pod_problems(affinity={kind: {REQUIRED: [{"labelSelector": selector, "namespaceSelector": selector}]}})
        prefix = f"affinity.{kind}.{REQUIRED}[0]"
        message = '"in" is none of In, NotIn, Exists, DoesNotExist: did you mean In?'
        assert found == [
            (f"{prefix}.topologyKey", "is missing: a node label is wanted, such as kubernetes.io/hostname"),
            (f"{prefix}.labelSelector.matchExpressions[0].operator", message),
            (f"{prefix}.namespaceSelector.matchExpressions[0].operator", message),
        ]

    def test_others(self):
        found = pod_problems(schedulingGates=[{}], priority=2**31, preemptionPolicy="never")
        assert found == [
            ("schedulingGates[0].name", "is missing"),
            ("priority", "must be -2147483648 to 2147483647, not 2147483648"),
            ("preemptionPolicy", '"never" is none of PreemptLowerPriority, Never: did you mean Never?'),
        ]

    def test_status(self):
        statuses = [{"allocatedResources": {"cpu": "x"}, "resources": {"requests": {"cpu": "y"}}}]
        status = {"startTime": "now", "containerStatuses": statuses, "initContainerStatuses": statuses}
        found = problems("Pod", spec={"containers": [{}]}, status=status)
        assert [path for path, _ in found] == [
            "status.startTime",
            "status.containerStatuses[0].resources.requests.cpu",
            "status.containerStatuses[0].allocatedResources.cpu",
            "status.initContainerStatuses[0].resources.requests.cpu",
            "status.initContainerStatuses[0].allocatedResources.cpu",
        ]

    def test_what_the_scheduler_puts_up_with(self):
        """Each of these is in a golden case: odd, but with a meaning."""
        selector = {"nodeSelectorTerms": [{}, {"matchExpressions": []}, {"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": ["a", "b"]}]}]}  # fmt: skip
        term = {"topologyKey": "zone", "labelSelector": {}, "namespaceSelector": {}}
        assert not pod_problems(
            affinity={"nodeAffinity": {REQUIRED: selector}, "podAffinity": {REQUIRED: [term, {"topologyKey": "zone"}]}},
            topologySpreadConstraints=[SPREAD | {"matchLabelKeys": ["a"]}],
        )


class TestNodes:
    def test_taints(self):
        taints = [{"key": "a", "effect": "NoSchedule"}, {"effect": "NeverSchedule"}, {"key": "b"}]
        effects = "NoSchedule, PreferNoSchedule, NoExecute"
        assert problems("Node", spec={"taints": taints}) == [
            ("spec.taints[1].key", "is missing"),
            ("spec.taints[1].effect", f'"NeverSchedule" is none of {effects}: did you mean NoSchedule?'),
            ("spec.taints[2].effect", f"is missing: expected one of {effects}"),
        ]

    def test_quantities(self):
        status = {"allocatable": {"memory": "32 GB", "odd": "1"}, "capacity": {"pods": "1.5"}}
        assert problems("Node", status=status) == [
            ("status.allocatable.memory", '"32 GB" is not a quantity: did you mean "32G"?'),
            ("status.capacity.pods", '"1.5" is not a whole number, and this resource is counted in whole units'),
        ]


class TestControllers:
    @pytest.mark.parametrize("kind", ["ReplicaSet", "Deployment", "StatefulSet", "DaemonSet"])
    def test_selectors_and_replicas(self, kind):
        spec = {"replicas": -1, "selector": {"matchLabels": {"app": "web", "tier": "front"}}, "template": TEMPLATE}
        assert problems(kind, spec=spec) == [
            ("spec.replicas", "must be 0 or more, not -1"),
            ("spec.template.metadata.labels", "the selector does not match them (app=web)"),
        ]
        assert problems(kind, spec={"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}) == []

    def test_a_selector_that_cannot_be_read_is_not_compared(self):
        spec = {"selector": {"matchExpressions": [{"key": "a", "operator": "Has"}]}, "template": TEMPLATE}
        assert [path for path, _ in problems("Deployment", spec=spec)] == ["spec.selector.matchExpressions[0].operator"]

    def test_a_replication_controller(self):
        spec = {"replicas": -1, "selector": {"app": "db"}, "template": {"spec": {}}}
        assert problems("ReplicationController", spec=spec) == [
            ("spec.replicas", "must be 0 or more, not -1"),
            ("spec.template.metadata.labels", "the selector does not match them (there are none)"),
        ]

    def test_a_stateful_set_counts_from_nought_or_more(self):
        expect(
            problems("StatefulSet", spec={"ordinals": {"start": -1}}),
            "spec.ordinals.start",
            "must be 0 or more, not -1",
        )

    @pytest.mark.parametrize("kind", ["Job", "CronJob"])
    def test_jobs(self, kind):
        spec = {
            "parallelism": -1,
            "completions": -2,
            "completionMode": "indexed",
            "template": {"spec": {"priority": 2**40}},
        }
        prefix = "spec." if kind == "Job" else "spec.jobTemplate.spec."
        found = problems(kind, spec=spec if kind == "Job" else {"jobTemplate": {"spec": spec}})
        assert found == [
            (f"{prefix}parallelism", "must be 0 or more, not -1"),
            (f"{prefix}completions", "must be 0 or more, not -2"),
            (f"{prefix}completionMode", '"indexed" is none of NonIndexed, Indexed: did you mean Indexed?'),
            (f"{prefix}template.spec.priority", f"must be -2147483648 to 2147483647, not {2**40}"),
        ]

    def test_a_cron_job_without_a_job(self):
        expect(problems("CronJob"), "spec.jobTemplate", "is missing")


@pytest.mark.parametrize(
    ("kind", "fields", "path", "message"),
    [
        ("LimitRange", {"spec": {"limits": [{"type": "pod"}]}}, "spec.limits[0].type",
         '"pod" is none of Pod, Container, PersistentVolumeClaim: did you mean Pod?'),
        ("LimitRange", {"spec": {"limits": [{"type": "Pod", "default": {"cpu": "-1"}}]}}, "spec.limits[0].default.cpu",
         '"-1" is negative'),
        ("LimitRange", {"spec": {"limits": [{"defaultRequest": {"cpu": "-1"}}]}}, "spec.limits[0].defaultRequest.cpu",
         '"-1" is negative'),
        ("PriorityClass", {"value": 1_000_000_001}, "value", "must be -2147483648 to 1000000000, not 1000000001"),
        ("PriorityClass", {"preemptionPolicy": "Sometimes"}, "preemptionPolicy",
         '"Sometimes" is none of PreemptLowerPriority, Never'),
        ("RuntimeClass", {"overhead": {"podFixed": {"cpu": "-1"}}}, "overhead.podFixed.cpu", '"-1" is negative'),
        ("PodDisruptionBudget", {"spec": {"minAvailable": -1}}, "spec.minAvailable", "must be 0 or more, not -1"),
        ("PodDisruptionBudget", {"spec": {"maxUnavailable": "half"}}, "spec.maxUnavailable",
         '"half" is neither a whole number nor a percentage such as 50%'),
        ("PersistentVolumeClaim", {"spec": {"resources": {"requests": {"storage": "5GB"}}}},
         "spec.resources.requests.storage", '"5GB" is not a quantity: did you mean "5G"?'),
        ("PersistentVolumeClaim", {"spec": {"accessModes": ["ReadWriteOnce", "RWX"]}}, "spec.accessModes[1]",
         '"RWX" is none of ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod'),
        ("PersistentVolume", {"spec": {"volumeMode": "block"}}, "spec.volumeMode",
         '"block" is none of Filesystem, Block: did you mean Block?'),
        ("PersistentVolume", {"spec": {"accessModes": ["x"]}}, "spec.accessModes[0]",
         '"x" is none of ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod'),
        ("PersistentVolume", {"spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "a", "operator": "In"}]}]}}}},
         "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values",
         "must hold at least one value with operator In"),
        ("StorageClass", {"volumeBindingMode": "WaitForConsumer"}, "volumeBindingMode",
         '"WaitForConsumer" is none of Immediate, WaitForFirstConsumer: did you mean WaitForFirstConsumer?'),
        ("StorageClass", {"allowedTopologies": [{"matchLabelExpressions": [{"key": "a"}]}]},
         "allowedTopologies[0].matchLabelExpressions[0].values", "must hold at least one value"),
        ("StorageClass", {"allowedTopologies": [{"matchLabelExpressions": [{"values": ["a"]}]}]},
         "allowedTopologies[0].matchLabelExpressions[0].key", "is missing"),
        ("CSINode", {"spec": {"drivers": [{"name": "d", "allocatable": {"count": -1}}]}},
         "spec.drivers[0].allocatable.count", "must be 0 or more, not -1"),
        ("CSIStorageCapacity", {"capacity": "x"}, "capacity",
         '"x" is not a quantity: expected a number such as "500m", "1.5Gi" or "2e3"'),
    ],
)  # fmt: skip
def test_other_kinds(kind, fields, path, message):
    expect(problems(kind, **fields), path, message)


def test_the_systems_own_priorities_are_higher():
    assert not problems("PriorityClass", metadata={"name": "system-node-critical"}, value=2_000_001_000)


def test_words():
    assert one_of("NoSchedule", ("NoSchedule",)) is None
    assert list(in_range("x", None, 1)) == list(in_range("x", 1, 1)) == []


@pytest.mark.parametrize("quantity", ["9Ei", "9223372036854775807", 0, "0.1", "1e3"])
def test_quantities_that_are_fine(quantity):
    assert quantity_problem(quantity) is None
