"""What holds for the controllers of an input together: order, notes, numbers."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.columns.builder import ClusterBuilder
from kplace.errors import Fault
from kplace.io.expand import expand
from kplace.io.expand.naming import HASH_LENGTH, SAFE_LETTERS, PodNames, template_hash
from kplace.io.expand.work import made_pod
from kplace.objects.core import Container, PodSpec, PodTemplateSpec
from kplace.objects.meta import ObjectMeta, OwnerReference
from kplace.objects.workloads import ReplicaSet
from tests.io.expanding import controller, expanded, node, pod, with_meta

KINDS = ("ReplicationController", "ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "Job")


def test_made_pods_come_last_and_in_the_order_of_their_controllers():
    objects = [controller("StatefulSet", "c"), controller("ReplicaSet", "a"), pod("x"), controller("StatefulSet", "b")]
    outcome = expanded(*objects)
    assert outcome.names == ["c-0", "a-00000", "b-0"]
    columns = outcome.builder.finish()
    assert columns.pods.names == ["x", *outcome.names]
    assert columns.pods.made.tolist() == [False, True, True, True]


def test_an_input_without_controllers_is_left_as_it_is():
    outcome = expanded(node("n1"), pod("x"))
    assert not outcome.made
    assert not outcome.notes


def test_an_input_with_faults_is_left_as_it_is():
    builder = ClusterBuilder()
    builder.add("ReplicaSet", ReplicaSet(metadata=ObjectMeta(name="web")), b"{}", "web.yaml")
    builder.faults.append(Fault("web.yaml", "ReplicaSet web", "spec.replicas", "is negative"))
    expand(builder)
    assert not list(builder.pods)
    assert not builder.notes


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_being_deleted_makes_nothing(kind):
    leaving = with_meta(controller(kind), deletionTimestamp="2026-01-01T00:00:00Z")
    assert not expanded(node("n1"), leaving).made


@pytest.mark.parametrize("kind", KINDS)
def test_a_truncated_controller_makes_nothing_and_says_so(kind):
    for template in ({}, {"spec": {"containers": []}}):
        outcome = expanded(node("n1"), controller(kind, template=template))
        assert not outcome.made
        assert list(outcome.notes) == ["no-pod-template"]
        assert f"{kind} shop/web" in outcome.notes["no-pod-template"]


def test_a_truncated_controller_that_lacks_nothing_is_not_spoken_of():
    owner = controller("ReplicaSet", template={}, replicas=1)
    assert not expanded(owner, pod("web-a", owner)).notes


def test_one_note_tells_what_was_made():
    objects = [controller("Deployment", name, replicas=2) for name in "ab"] + [controller("Job", "c")]
    note = "5 pods made for controllers that lack them: 4 from 2 Deployments, 1 from 1 Job"
    assert expanded(*objects).notes == {"made-pods": note}


def test_one_note_tells_of_controllers_with_too_many_pods():
    owners = [controller("ReplicaSet", name, replicas=1) for name in "abcd"]
    pods = [pod(f"{owner['metadata']['name']}-{n}x", owner) for owner in owners for n in range(3)]
    assert expanded(*owners, *pods).notes == {
        "surplus-pods": "4 controllers with more pods than replicas: all are kept "
        "(ReplicaSet shop/a: 3 of 1, ReplicaSet shop/b: 3 of 1, ReplicaSet shop/c: 3 of 1 and 1 more)"
    }


def test_a_controller_that_is_there_twice_counts_once():
    outcome = expanded(controller("ReplicaSet", replicas=2), controller("ReplicaSet", replicas=9), controller("Job"))
    assert len(outcome.made) == 2 + 1
    assert outcome.notes["repeated-controllers"].endswith("(ReplicaSet shop/web)")


def test_expanding_what_was_placed_makes_nothing_more():
    """Made pods that are read again count, although nobody wrote down the ReplicaSets and Jobs that they name."""
    run = controller("CronJob", "e", jobTemplate={"spec": controller("Job", "e")["spec"]})
    owners = [controller(kind, name, replicas=3) for kind, name in zip(KINDS, "abcdfg", strict=True)] + [run]
    first = expanded(node("n"), *owners)
    again = [
        pod(
            made.name,
            ownerReferences=[{"kind": made.owner.kind, "name": made.owner.name, "controller": True}],
            labels=made.labels,
        )
        for made in first.made
    ]
    assert len(again) == 3 + 3 + 3 + 3 + 1 + 1 + 1
    assert not expanded(node("n"), *owners, *again).made


def test_hashes_are_of_the_content():
    def template(image: str, **labels: str) -> PodTemplateSpec:
        return PodTemplateSpec(ObjectMeta(labels=labels), PodSpec(containers=(Container("main", image),)))

    value = template_hash(template("web:1", a="1", b="2"))
    # Pinned: the hash is part of the names that results are compared by.
    assert value == "kvvcvt2fvh"
    assert len(value) == HASH_LENGTH
    assert set(value) <= set(SAFE_LETTERS)
    assert template_hash(template("web:1", b="2", a="1")) == value
    assert template_hash(template("web:2", a="1", b="2")) != value


def test_long_names_are_cut_to_what_kubernetes_allows():
    stem = "a" * 56 + "." + "b" * 20
    assert list(PodNames().numbered("shop", stem, 2)) == ["a" * 56 + "-00000", "a" * 56 + "-00001"]
    assert [len(name) for name in PodNames().numbered("shop", "a" * 90, 1)] == [63]


@st.composite
def owners_and_pods(draw):
    """Controllers of all kinds with some of their pods, under few enough names that they get in each other's way."""
    owners, pods = [], []
    for number in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(KINDS[:4]))
        # A stem of the other's names: "web" numbers its pods web-00000, and "web-00000" is a controller as well.
        name = draw(st.sampled_from(["web", "web-00000", "web-0"]))
        owner = controller(kind, name, replicas=draw(st.integers(0, 4)))
        if any(other["kind"] == kind and other["metadata"]["name"] == name for other in owners):
            continue
        owners.append(owner)
        for there in range(draw(st.integers(0, 3))):
            suffix = draw(st.sampled_from(["0", "00000", "00001", "x"]))
            phase = draw(st.sampled_from(["Running", "Pending", "Failed"]))
            if (label := f"{name}-{suffix}") not in {item["metadata"]["name"] for item in pods}:
                pods.append(pod(label, owner, phase=phase))
            else:
                pods.append(pod(f"{name}-y{number}{there}", owner, phase=phase))
    return owners, draw(st.permutations(pods))


@given(owners_and_pods())
def test_counts_and_names(case):
    owners, pods = case
    outcome = expanded(*owners, *pods)
    names = [row.name for row, _ in outcome.builder.pods]
    assert len(set(names)) == len(names)
    held = Counter()
    for owner in owners:
        kind, name = owner["kind"], owner["metadata"]["name"]
        living = [
            item["metadata"]["name"]
            for item in pods
            if item["metadata"]["ownerReferences"][0]["kind"] == kind
            and item["metadata"]["ownerReferences"][0]["name"] == name
            and item["status"]["phase"] != "Failed"
        ]
        made = [
            item.name
            for item in outcome.made
            if (item.owner.kind, item.owner.name) == (kind, name)
            or (
                kind == "Deployment"
                and item.owner.name.rpartition("-")[0] == name
                and item.owner.kind == "ReplicaSet"
                and "pod-template-hash" in item.labels
            )
        ]
        wanted = owner["spec"]["replicas"]
        if kind == "StatefulSet":
            missing = {f"{name}-{ordinal}" for ordinal in range(wanted)} - set(living)
            assert set(made) <= missing
            held["pods"] += len(missing) - len(made)
        else:
            assert len(made) == max(0, wanted - len(living))
    assert bool(held["pods"]) == ("held-names" in outcome.notes)


def test_a_made_pod_has_its_templates_metadata_and_its_own():
    template = PodTemplateSpec(
        ObjectMeta(name="ignored", labels={"a": "1", "b": "1"}, annotations={"c": "1"}), PodSpec()
    )
    pod = made_pod(template, "web-0", "shop", OwnerReference(), labels={"b": "2"}, annotations={"d": "2"})
    assert pod.metadata == ObjectMeta(
        name="web-0",
        namespace="shop",
        labels={"a": "1", "b": "2"},
        annotations={"c": "1", "d": "2"},
        owner_references=(OwnerReference(),),
    )
    assert made_pod(template, "web-0", "shop", OwnerReference()).metadata.annotations == {"c": "1"}
