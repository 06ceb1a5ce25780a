"""ReplicationControllers, ReplicaSets and Deployments."""

import pytest

from kplace.io.expand.naming import template_hash
from kplace.objects.core import ReplicationController
from kplace.objects.meta import LabelSelector, OwnerReference
from tests.io.expanding import controller, expanded, pod, reference, with_meta

HASH = "pod-template-hash"
REVISION = "deployment.kubernetes.io/revision"


def replica_set_of(deployment: dict, suffix: str, *, revision: int | None = None, created: str = "", **spec) -> dict:
    """A Deployment's ReplicaSet, as the real controller writes it."""
    meta = deployment["metadata"]
    labels = {"app": meta["name"], HASH: suffix}
    template = {"metadata": {"labels": labels}, "spec": deployment["spec"]["template"]["spec"]}
    item = controller(
        "ReplicaSet", f"{meta['name']}-{suffix}", meta["namespace"], owner=deployment, template=template, **spec
    )
    item["spec"]["selector"] = {"matchLabels": labels}
    annotations = {} if revision is None else {REVISION: str(revision)}
    return with_meta(item, labels=labels, annotations=annotations, creationTimestamp=created)


@pytest.mark.parametrize("kind", ["ReplicaSet", "ReplicationController"])
@pytest.mark.parametrize(
    ("replicas", "phases", "lacking"),
    [
        (3, [], 3),
        (None, [], 1),  # one where the field is not set
        (0, [], 0),
        (3, ["Running", "Pending"], 1),
        (3, ["Running", "Succeeded", "Failed"], 2),  # those that have ended do not count
        (2, ["Running", "Unknown"], 0),
        (1, ["Running", "Running"], 0),  # a surplus is left as it is
    ],
)
def test_replicas_minus_the_pods_that_count(kind, replicas, phases, lacking):
    owner = controller(kind, **({} if replicas is None else {"replicas": replicas}))
    outcome = expanded(
        owner, *(pod(f"web-{letter}", owner, phase=phase) for letter, phase in zip("abc", phases, strict=False))
    )
    assert outcome.names == [f"web-{number:05d}" for number in range(lacking)]


def test_a_pod_being_deleted_does_not_count():
    owner = controller("ReplicaSet", replicas=1)
    assert len(expanded(owner, pod("web-a", owner, deletionTimestamp="2026-01-01T00:00:00Z")).made) == 1


def test_a_made_pod_is_what_the_controller_would_write():
    owner = with_meta(controller("ReplicaSet", replicas=1), uid="u1")
    owner["spec"]["template"]["spec"]["nodeSelector"] = {"disk": "ssd"}
    (made,) = expanded(owner).made
    assert made.owner == OwnerReference("apps/v1", "ReplicaSet", "web", "u1", controller=True)
    assert (made.row.namespace, made.labels, made.spec.node_selector) == ("shop", {"app": "web"}, {"disk": "ssd"})
    assert made.row.made
    assert (made.row.uid, made.row.created, made.row.node) == ("", None, "")


def test_a_replication_controller_is_of_the_core_group():
    (made,) = expanded(controller("ReplicationController", replicas=1)).made
    assert made.owner == OwnerReference("v1", "ReplicationController", "web", "", controller=True)


@pytest.mark.parametrize(
    ("of_owner", "of_reference", "counts"),
    [("u1", "u1", True), ("u1", "u2", False), ("", "u2", True), ("u1", "", True)],
)
def test_uids_decide_where_both_have_one(of_owner, of_reference, counts):
    owner = controller("ReplicaSet", replicas=1)
    there = pod("web-a", ownerReferences=[reference(owner, uid=of_reference)])
    assert len(expanded(with_meta(owner, uid=of_owner), there).made) == (0 if counts else 1)


@pytest.mark.parametrize(
    "changes",
    [
        {"ownerReferences": []},
        {"namespace": "data"},
        {"ownerReferences": [reference(controller("ReplicaSet"), controller=False)]},
        {"ownerReferences": [reference(controller("ReplicaSet", "other"))]},
        {"ownerReferences": [reference(controller("StatefulSet"))]},
    ],
    ids=["no owner", "other namespace", "not the controller", "other name", "other kind"],
)
def test_pods_of_others_do_not_count(changes):
    owner = controller("ReplicaSet", replicas=1)
    assert expanded(owner, pod("web-a", owner, **changes)).names == ["web-00000"]


def test_names_in_use_are_passed_over():
    owner = controller("ReplicaSet", replicas=2)
    strangers = [pod("web-00000"), pod("web-00002"), pod("web-00001", namespace="data")]
    assert expanded(owner, *strangers).names == ["web-00001", "web-00003"]


def test_the_namespace_is_the_controllers_or_default():
    owner = controller("ReplicaSet")
    owner["spec"]["template"]["metadata"]["namespace"] = "elsewhere"
    del owner["metadata"]["namespace"]
    assert expanded(owner).made[0].row.namespace == "default"


def test_a_deployment_alone_gets_a_replica_set():
    deployment = with_meta(controller("Deployment", replicas=2, selector={"matchLabels": {"app": "web"}}), uid="d1")
    outcome = expanded(deployment)
    (made_up,) = outcome.builder.objects["ReplicaSet"]
    value = template_hash(outcome.builder.objects["Deployment"][0].spec.template)
    assert made_up.metadata.name == f"web-{value}"
    assert made_up.metadata.owner_references == (OwnerReference("apps/v1", "Deployment", "web", "d1", controller=True),)
    assert made_up.spec.selector == LabelSelector(match_labels={"app": "web", HASH: value})
    assert outcome.names == [f"web-{value}-00000", f"web-{value}-00001"]
    for made in outcome.made:
        assert made.labels == {"app": "web", HASH: value} == made_up.spec.template.metadata.labels
        assert made.owner == OwnerReference("apps/v1", "ReplicaSet", f"web-{value}", "", controller=True)


def test_no_replica_set_is_made_up_for_nothing():
    assert "ReplicaSet" not in expanded(controller("Deployment", replicas=0)).builder.objects


def test_a_deployment_counts_the_pods_of_all_its_replica_sets():
    deployment = controller("Deployment", replicas=5)
    old = replica_set_of(deployment, "old", revision=1, replicas=2)
    new = with_meta(replica_set_of(deployment, "new", revision=2, replicas=3), uid="new-uid")
    pods = [pod(f"web-old-{letter}", old, labels={HASH: "old"}) for letter in "ab"]
    pods += [pod("web-new-a", new, labels={HASH: "new"})]
    outcome = expanded(deployment, old, new, *pods)
    # 5 wanted - 2 old - 1 new = 2, and the ReplicaSets make none beyond that.
    assert outcome.names == ["web-new-00000", "web-new-00001"]
    assert outcome.made[0].owner.uid == "new-uid"
    assert outcome.made[0].labels == {"app": "web", HASH: "new"}
    assert len(outcome.builder.objects["ReplicaSet"]) == 2


@pytest.mark.parametrize(
    ("first", "second", "current"),
    [
        ({"revision": 10}, {"revision": 9}, "first"),
        (
            {"revision": 1, "created": "2026-01-02T00:00:00Z"},
            {"revision": 2, "created": "2026-01-01T00:00:00Z"},
            "second",
        ),
        ({"created": "2026-01-02T00:00:00Z"}, {"created": "2026-01-01T00:00:00Z"}, "first"),
        ({}, {}, "second"),
        ({"revision": 1}, {}, "first"),
    ],
    ids=["revision as a number", "revision before age", "age", "last in the input", "some revision"],
)
def test_new_pods_belong_to_the_current_replica_set(first, second, current):
    deployment = controller("Deployment", replicas=1)
    sets = [replica_set_of(deployment, "first", **first), replica_set_of(deployment, "second", **second)]
    assert expanded(*sets, deployment).names == [f"web-{current}-00000"]


def test_a_truncated_replica_set_leans_on_its_deployments_template():
    deployment = controller("Deployment", replicas=1)
    owner = replica_set_of(deployment, "abc")
    del owner["spec"]["template"]
    (made,) = expanded(deployment, owner).made
    assert (made.name, made.labels) == ("web-abc-00000", {"app": "web", HASH: "abc"})


def test_pods_tell_of_replica_sets_that_are_not_in_the_input():
    """As in ``kubectl get nodes,pods,deployments``: without the ReplicaSets every Deployment would be there twice."""
    deployment = controller("Deployment", replicas=4)
    old, new = (replica_set_of(deployment, suffix) for suffix in ("zzz", "aaa"))
    of_old = pod("web-zzz-a", old, labels={HASH: "zzz"}, creationTimestamp="2026-01-01T00:00:00Z")
    of_new = pod("web-aaa-a", with_meta(new, uid="u9"), labels={HASH: "aaa"}, creationTimestamp="2026-01-02T00:00:00Z")
    outcome = expanded(deployment, of_new, of_old)
    assert outcome.names == ["web-aaa-00000", "web-aaa-00001"]
    assert outcome.made[0].owner == OwnerReference("apps/v1", "ReplicaSet", "web-aaa", "u9", controller=True)
    assert outcome.made[0].labels == {"app": "web", HASH: "aaa"}


def test_a_name_that_only_begins_alike_is_another_deployments():
    deployment, longer = controller("Deployment", "web"), controller("Deployment", "web-api")
    there = pod("web-api-abc-x", replica_set_of(longer, "abc"), labels={HASH: "abc"})
    assert len(expanded(deployment, there).made) == 1


def test_a_replica_set_without_the_hash_label_is_nobodys():
    deployment = controller("Deployment")
    assert len(expanded(deployment, pod("web-abc-x", replica_set_of(deployment, "abc"))).made) == 1


def test_pods_that_name_the_deployment_itself_count():
    deployment = controller("Deployment", replicas=1)
    assert not expanded(deployment, pod("web-a", deployment)).made


def test_a_replica_set_of_an_unknown_owner_is_expanded_by_itself():
    rollout = controller("Rollout")
    absent = controller("Deployment", "absent")
    first, second = (controller("ReplicaSet", name, owner=owner) for name, owner in (("a", rollout), ("b", absent)))
    assert expanded(first, second).names == ["a-00000", "b-00000"]


def test_a_replica_set_of_a_former_deployment_of_the_name_is_expanded_by_itself():
    former = with_meta(controller("Deployment"), uid="d1")
    outcome = expanded(with_meta(former, uid="d2"), replica_set_of(former, "abc", replicas=2))
    assert len(outcome.made) == 1 + 2
    assert outcome.names[1:] == ["web-abc-00000", "web-abc-00001"]


def test_missing_selectors_are_those_of_the_template():
    kinds = ("ReplicationController", "ReplicaSet", "StatefulSet")
    objects = expanded(*map(controller, kinds)).builder.objects
    for kind in kinds:
        (item,) = objects[kind]
        expected = (
            {"app": "web"} if isinstance(item, ReplicationController) else LabelSelector(match_labels={"app": "web"})
        )
        assert item.spec.selector == expected


def test_a_deployment_without_a_selector_selects_its_template():
    (made_up,) = expanded(controller("Deployment")).builder.objects["ReplicaSet"]
    assert made_up.spec.selector.match_labels == made_up.spec.template.metadata.labels
