"""What pods request: containers, init containers, sidecars, overhead, pod-level requests, resizes."""

from copy import deepcopy
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from kplace.columns.resources import counts, pod_requests, request_vector, resource_names
from kplace.dtypes import CPU, EPHEMERAL_STORAGE, FIRST_SCALAR, MEMORY
from kplace.objects.core import PodSpec, PodStatus
from kplace.objects.defaulting import AdmissionLookups, defaulted_spec
from kplace.testing import make_pod, state_of
from kplace.testing.builders import PodBuilder
from kplace.testing.parts import pod_resources
from tests.naive import requests as naive

GPU = "nvidia.com/gpu"
MIB = 1024 * 1024


def pod(**amounts: str) -> PodBuilder:
    return make_pod("p").req(**amounts)


def plain(built: PodBuilder) -> dict[str, int]:
    return pod_requests(built.obj().spec).plain


@pytest.mark.parametrize(
    ("built", "expected"),
    [
        (pod(), {}),
        (pod(cpu="1"), {"cpu": 1000}),
        (pod(cpu="1.0001"), {"cpu": 1001}),  # rounded up to a milli
        (pod(memory="1.5"), {"memory": 2}),
        (pod(cpu="100m").container(cpu="200m", memory="1Ki"), {"cpu": 300, "memory": 1024}),
        # An init container alone counts by its peak: max(100 + 200, 250)
        (pod(cpu="100m").container(cpu="200m").init_container(cpu="250m"), {"cpu": 300}),
        (pod(cpu="100m").container(cpu="200m").init_container(cpu="350m"), {"cpu": 350}),
        # A sidecar stays: 100 + 50, and the init container behind it runs beside it: 120 + 50
        (pod(cpu="100m").sidecar(cpu="50m").init_container(cpu="120m"), {"cpu": 170}),
        # One before it does not: max(100 + 50, 120)
        (pod(cpu="100m").init_container(cpu="120m").sidecar(cpu="50m"), {"cpu": 150}),
        (pod(cpu="100m").sidecar(cpu="50m").sidecar(cpu="60m"), {"cpu": 210}),
        # Resource by resource: cpu by the containers, memory by the init container.
        (pod(cpu="100m", memory="5").init_container(cpu="50m", memory="9"), {"cpu": 100, "memory": 9}),
        (pod(cpu="100m").overhead(cpu="10m", memory="7"), {"cpu": 110, "memory": 7}),
        # Requests of the pod as a whole replace the sum; overhead comes on top.
        (pod(cpu="2", memory="5").pod_level(cpu="1").overhead(cpu="10m"), {"cpu": 1010, "memory": 5}),
        (pod(cpu="1").pod_level(**{"hugepages-2Mi": "4Mi"}), {"cpu": 1000, "hugepages-2Mi": 4 * MIB}),
        # A limit of the whole pod stands in where nothing is requested.
        (pod(cpu="1").spec(resources={"limits": {"cpu": "3", "memory": "8"}}), {"cpu": 1000, "memory": 8}),
        (pod(**{GPU: "2", "ephemeral-storage": "1Ki"}), {GPU: 2, "ephemeral-storage": 1024}),
        # Not counted: no domain, or a quota's name.
        (pod(widgets="1", **{"requests.example.com/x": "1"}), {}),
    ],
)
def test_requests(built: PodBuilder, expected: dict[str, int]):
    assert plain(built) == expected


@pytest.mark.parametrize(
    ("built", "non_zero", "scored"),
    [
        (pod(), (100, 200 * MIB), (100, 200 * MIB)),
        (pod(cpu="0"), (0, 200 * MIB), (0, 200 * MIB)),
        (pod(cpu="50m", memory="1"), (50, 1), (50, 1)),
        (pod(cpu="50m", memory="1").container(), (150, 1 + 200 * MIB), (150, 1 + 200 * MIB)),
        (pod(memory="1").sidecar(memory="2"), (200, 3), (200, 3)),
        (pod(memory="1").init_container(memory="2"), (100, 2), (100, 2)),
        (pod(memory="1").overhead(cpu="5m"), (105, 1), (105, 1)),
        # Of a pod with requests as a whole, a default stands in only for what is requested nowhere.
        (pod().pod_level(cpu="2"), (2000, 200 * MIB), (100, 200 * MIB)),
        (pod(cpu="1", memory="3").container(cpu="1").pod_level(cpu="3"), (3000, 3), (2000, 3 + 200 * MIB)),
    ],
)
def test_requests_with_the_defaults_of_scoring(built: PodBuilder, non_zero: tuple, scored: tuple):
    found = pod_requests(built.obj().spec)
    assert found.non_zero == non_zero
    assert (found.scored["cpu"], found.scored["memory"]) == scored


def held(**amounts: str) -> dict[str, Any]:
    return {"name": "main", "resources": {"requests": amounts}}


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({}, {"cpu": 1000, "memory": 10}),
        ({"containerStatuses": [{"name": "main"}]}, {"cpu": 1000, "memory": 10}),
        ({"containerStatuses": [held(cpu="2", memory="5")]}, {"cpu": 2000, "memory": 10}),  # still larger
        ({"containerStatuses": [held(cpu="1") | {"allocatedResources": {"cpu": "3"}}]}, {"cpu": 3000, "memory": 10}),
        # What cannot be done is not counted: only what is held.
        (
            {
                "containerStatuses": [held(cpu="500m", memory="5")],
                "conditions": [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}],
            },
            {"cpu": 500, "memory": 5},
        ),
        (
            {
                "containerStatuses": [held(cpu="500m", memory="5")],
                "conditions": [{"type": "PodResizePending", "status": "True", "reason": "Deferred"}],
            },
            {"cpu": 1000, "memory": 10},
        ),
    ],
)
def test_resizes_in_progress(status: dict[str, Any], expected: dict[str, int]):
    spec = pod(cpu="1", memory="10").obj().spec
    assert pod_requests(spec, msgspec.convert(status, PodStatus)).plain == expected


def test_rows_of_resources():
    state = state_of(pod(cpu="1", **{GPU: "2", "example.com/a": "1"}), pod(memory="1").named("q"))
    names = state.columns.resources
    assert list(names) == ["cpu", "memory", "ephemeral-storage", "example.com/a", GPU]
    assert (names.find("cpu"), names.find("memory"), names.find("ephemeral-storage")) == (
        CPU,
        MEMORY,
        EPHEMERAL_STORAGE,
    )
    assert [item.request.tolist() for item in state.columns.templates] == [[1000, 0, 0, 1, 2], [0, 1, 0, 0, 0]]
    assert names.find("example.com/a") == FIRST_SCALAR
    assert request_vector({GPU: 7}, resource_names([{GPU: 7}])).tolist() == [0, 0, 0, 7]


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        ("cpu", True),
        ("pods", False),
        ("storage", False),
        ("hugepages-1Gi", True),
        ("attachable-volumes-csi-x", True),
        ("kubernetes.io/thing", True),
        ("requests.nvidia.com/gpu", False),
        (GPU, True),
    ],
)
def test_names_that_count(name: str, counted: bool):
    assert counts(name) == counted
    assert naive.is_counted(name) == counted


@settings(max_examples=200)
@given(pod_resources(rich=True))
def test_against_the_oracle(spec: dict[str, Any]):
    given_spec = msgspec.convert(deepcopy(spec), PodSpec)
    defaulted = defaulted_spec(given_spec, "default", {}, AdmissionLookups(), admitted=False)
    found, manifest = pod_requests(defaulted), {"spec": spec}
    assert found.plain == naive.plain(manifest)
    assert found.non_zero == tuple(naive.non_zero(manifest).values())
    assert found.scored == naive.scored(manifest)
