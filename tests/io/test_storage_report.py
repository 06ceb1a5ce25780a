"""Notes about storage objects that lead nowhere."""

from kplace.io.storage_report import storage_notes
from kplace.testing.clusters import cluster_of
from tests.frames.test_volumes import claim, pod, volume


def notes(*objects: dict) -> dict[str, str]:
    return {note.topic: note.message for note in storage_notes(cluster_of(*objects).columns)}


def test_a_class_that_is_missing_is_named_with_its_path():
    found = notes(claim("data", "nosuch"), pod("db", "data"))
    assert found.keys() == {"missing-classes"}
    assert "default/data: spec.storageClassName nosuch" in found["missing-classes"]


def test_a_volume_of_another_claim_is_named_with_both_paths():
    held = volume("pv", "local", "5Gi", "Bound")
    held["spec"]["claimRef"] = {"namespace": "default", "name": "other", "uid": "u1"}
    found = notes(claim("data", "local", volumeName="pv"), held, pod("db", "data"))
    assert found.keys() == {"foreign-volumes"}
    assert "default/data: spec.volumeName pv, spec.claimRef there default/other (uid u1)" in found["foreign-volumes"]


def test_a_driver_without_a_csi_node_limits_nothing():
    node = {"kind": "Node", "metadata": {"name": "n"}}
    driver = {"kind": "CSIDriver", "metadata": {"name": "disk.example.com"}}
    held = volume("pv", "local", "5Gi", "Bound")
    held["spec"]["csi"] = {"driver": "disk.example.com", "volumeHandle": "h"}
    objects = [node, driver, claim("data", "local", volumeName="pv"), held, pod("db", "data")]
    csi = {"kind": "CSINode", "metadata": {"name": "n"}, "spec": {"drivers": [{"name": "disk.example.com"}]}}
    assert notes(*objects).keys() == {"no-csi-nodes"}
    assert notes(*objects, csi) == {}


def test_claims_of_pods_that_run_are_not_looked_at():
    running = pod("db", "data")
    running["spec"]["nodeName"] = "n"
    assert notes({"kind": "Node", "metadata": {"name": "n"}}, claim("data", "nosuch"), running) == {}
