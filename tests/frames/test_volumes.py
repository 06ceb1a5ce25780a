"""The table of claims and volumes of a run."""

import json

import pytest

import kplace
from kplace.testing.clusters import cluster_of

ZONE = "topology.kubernetes.io/zone"
WAIT = {"volumeBindingMode": "WaitForFirstConsumer"}


def claim(name: str, class_name: str, size: str = "5Gi", **spec: object) -> dict:
    annotations = {"pv.kubernetes.io/bind-completed": "yes"} if "volumeName" in spec else {}
    return {
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default", "annotations": annotations},
        "spec": {
            "storageClassName": class_name,
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": size}},
            **spec,
        },
    }


def volume(name: str, class_name: str, size: str, phase: str) -> dict:
    spec = {"storageClassName": class_name, "accessModes": ["ReadWriteOnce"], "capacity": {"storage": size}}
    return {"kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec, "status": {"phase": phase}}


def pod(name: str, *claims: str) -> dict:
    volumes = [{"name": item, "persistentVolumeClaim": {"claimName": item}} for item in claims]
    spec = {"containers": [{"name": "main"}], "volumes": volumes}
    return {"kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def placed() -> kplace.Placements:
    node = {"metadata": {"name": "n", "labels": {ZONE: "a"}}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}}
    classes = [
        {"kind": "StorageClass", "metadata": {"name": "local"}, "provisioner": "kubernetes.io/no-provisioner", **WAIT},
        {"kind": "StorageClass", "metadata": {"name": "made"}, "provisioner": "disk.example.com", **WAIT},
    ]
    return kplace.place(
        cluster_of(
            {"kind": "Node", **node},
            *classes,
            claim("held", "local", volumeName="pv-held"),
            volume("pv-held", "local", "5Gi", "Bound"),
            claim("free", "local", "4Gi"),
            volume("large", "local", "9Gi", "Available"),
            volume("small", "local", "5Gi", "Available"),
            claim("new", "made"),
            pod("db", "held", "free"),
            pod("web", "new"),
            pod("lost", "nosuch"),
            pod("plain"),
        )
    )


def test_each_claim_of_a_placed_pod_has_its_volume():
    table = placed().volumes
    rows = table[["pod", "claim", "volume", "settled", "class", "size_bytes", "node", "zone"]].to_numpy().tolist()
    gib = 2**30
    assert rows == [
        ["db", "held", "pv-held", False, "local", 5 * gib, "n", "a"],
        ["db", "free", "small", True, "local", 4 * gib, "n", "a"],
        ["web", "new", "to provision", True, "made", 5 * gib, "n", "a"],
    ]


@pytest.mark.parametrize("ending", [".parquet", ".json"])
def test_it_is_written_and_read_back(ending, tmp_path):
    run = placed()
    path = tmp_path / f"run{ending}"
    (run.to_parquet if ending == ".parquet" else run.to_json)(path)
    assert kplace.read_placements(path).volumes.equals(run.volumes)


def test_a_pod_whose_claim_is_missing_says_so():
    run = placed()
    pending = run.reasons[run.reasons["pod"] == "lost"]
    assert pending[["plugin", "reason"]].to_numpy().tolist() == [
        ["VolumeRestrictions", 'persistentvolumeclaim "nosuch" not found']
    ]


def test_what_was_settled_stays_so_for_the_next_run(tmp_path):
    run = placed()
    run.cluster.to_manifests(tmp_path / "after.json")
    for cluster in (run.cluster, kplace.read(tmp_path / "after.json")):
        (small,) = [item for item in cluster.columns.objects["PersistentVolume"] if item.metadata.name == "small"]
        assert (small.spec.claim_ref.namespace, small.spec.claim_ref.name) == ("default", "free")
        claims = {
            item.metadata.name: item.metadata.annotations or {}
            for item in cluster.columns.objects["PersistentVolumeClaim"]
        }
        assert claims["new"]["volume.kubernetes.io/selected-node"] == "n"
        more = kplace.place(cluster_of(*_objects(cluster), claim("late", "local", "1Gi"), pod("late", "late")))
        assert more.volumes["volume"].tolist() == ["large"]


def _objects(cluster: kplace.Cluster) -> list[dict]:
    return [
        json.loads(bytes(source.raw))
        for source in cluster.columns.sources
        if source.kind in {"Node", "StorageClass", "PersistentVolume", "PersistentVolumeClaim"}
    ]
