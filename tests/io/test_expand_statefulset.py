"""StatefulSets."""

import pytest

from kplace.objects.core import Volume
from kplace.objects.storage import ClaimVolumeSource
from tests.io.expanding import controller, expanded, pod

REVISION = "controller-revision-hash"


def test_pods_are_told_by_their_ordinals():
    outcome = expanded(controller("StatefulSet", "db", replicas=2))
    assert outcome.names == ["db-0", "db-1"]
    labels = outcome.made[1].labels
    assert labels["statefulset.kubernetes.io/pod-name"] == "db-1"
    assert labels["apps.kubernetes.io/pod-index"] == "1"
    assert labels["app"] == "db"
    assert labels[REVISION].startswith("db-")


@pytest.mark.parametrize(
    ("spec", "present", "made"),
    [
        ({}, [], ["db-0"]),
        ({"replicas": 4}, ["db-0", "db-2"], ["db-1", "db-3"]),
        ({"replicas": 2, "ordinals": {"start": 5}}, ["db-5"], ["db-6"]),
        ({"replicas": 2, "ordinals": {"start": 1}}, ["db-0"], ["db-1", "db-2"]),
        ({"replicas": 1}, ["db-0", "db-1"], []),
        ({"replicas": 0}, [], []),
    ],
)
def test_only_the_missing_ordinals_are_made(spec, present, made):
    owner = controller("StatefulSet", "db", **spec)
    assert expanded(owner, *(pod(name, owner) for name in present)).names == made


@pytest.mark.parametrize(
    "held",
    [
        {"phase": "Failed"},
        {"phase": "Succeeded"},
        {"deletionTimestamp": "2026-01-01T00:00:00Z"},
        {"ownerReferences": []},
    ],
)
def test_a_name_that_is_held_is_not_given_twice(held):
    owner = controller("StatefulSet", "db", replicas=2)
    outcome = expanded(owner, pod("db-0", owner, **held))
    assert outcome.names == ["db-1"]
    assert "db-0 of StatefulSet shop/db" in outcome.notes["held-names"]


def test_claims_come_from_the_templates():
    owner = controller(
        "StatefulSet", "db", replicas=2, volumeClaimTemplates=[{"metadata": {"name": name}} for name in ("data", "wal")]
    )
    own = {"name": "wal", "persistentVolumeClaim": {"claimName": "hidden"}}
    other = {"name": "extra", "persistentVolumeClaim": {"claimName": "kept"}}
    owner["spec"]["template"]["spec"]["volumes"] = [own, other]
    made = expanded(owner).made[1]
    # The builder keeps no names of volumes.
    claims = ["data-db-1", "wal-db-1", "kept"]
    assert made.spec.volumes == tuple(Volume(persistent_volume_claim=ClaimVolumeSource(name)) for name in claims)


def test_the_revision_is_the_last_that_pods_name():
    owner = controller("StatefulSet", "db", replicas=4)
    there = [pod(f"db-{number}", owner, labels={REVISION: value}) for number, value in enumerate(["db-old", "db-new"])]
    there += [pod("db-2", owner)]
    assert expanded(owner, *there).made[0].labels[REVISION] == "db-new"
