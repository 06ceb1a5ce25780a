"""Claims that are bound, and volumes that are made, once a pod has found its node."""

import kplace
from kplace.testing.clusters import cluster_of
from tests.frames.test_volumes import WAIT, ZONE, claim, pod, volume


def node(name: str, zone: str, pods: int) -> dict:
    labels = {"kubernetes.io/hostname": name, ZONE: zone}
    status = {"allocatable": {"cpu": "4", "pods": str(pods)}}
    return {"kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}


def storage_class(name: str, provisioner: str) -> dict:
    return {"kind": "StorageClass", "metadata": {"name": name}, "provisioner": provisioner, **WAIT}


MADE = storage_class("made", "disk.example.com")
LOCAL = storage_class("local", "kubernetes.io/no-provisioner")


def bound(history: kplace.History) -> dict[str, float]:
    return dict(zip(history.pods["pod"], history.pods["bound"], strict=True))


def test_a_pod_is_bound_after_its_volume_was_made():
    cluster = cluster_of(node("n", "a", 9), MADE, claim("data", "made"), pod("db", "data"), pod("plain"))
    history = kplace.simulate(cluster, provision_delay=20, until=60)
    assert bound(history) == {"db": 20.0, "plain": 0.0}


def test_how_long_it_takes_depends_on_the_seed_alone():
    claims = [item for i in range(5) for item in (claim(f"c{i}", "made"), pod(f"p{i}", f"c{i}"))]
    cluster = cluster_of(node("n", "a", 9), MADE, *claims)
    runs = [
        bound(kplace.simulate(cluster, provision_delay=1, provision_jitter=30, seed=seed, until=900))
        for seed in (1, 1, 2)
    ]
    assert runs[0] == runs[1] != runs[2]
    assert all(time >= 1 for run in runs for time in run.values())
    assert len(set(runs[0].values())) == 5


def test_a_made_volume_ties_the_next_pod_to_its_zone():
    """Before, the claim is tied to the node that was chosen, which is full; afterwards only to the zone."""
    objects = [node("n1", "a", 1), MADE, claim("data", "made"), pod("first", "data"), pod("second", "data")]
    events = [node("n2", "a", 1), node("n3", "b", 1)]
    cluster = cluster_of(*objects, *events)
    placed = kplace.simulate(cluster, tie_break="first", provision_delay=5, until=120).pods
    nodes = dict(zip(placed["pod"], placed["node"], strict=True))
    assert {nodes["first"], nodes["second"]} == {"n1", "n2"}
    alone = kplace.simulate(cluster, tie_break="first", until=120).pods
    assert int(alone["node"].notna().sum()) == 1


def test_volumes_that_are_there_are_taken():
    objects = [LOCAL, claim("one", "local"), claim("two", "local"), volume("pv", "local", "5Gi", "Available")]
    cluster = cluster_of(node("n", "a", 9), *objects, pod("first", "one"), pod("second", "two"))
    history = kplace.simulate(cluster, provision_delay=3, until=100)
    found = bound(history)
    assert found["first"] == 3.0
    assert found["second"] != found["second"]
