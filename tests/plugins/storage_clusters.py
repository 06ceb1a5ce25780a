"""Made-up clusters with storage: few names and sizes, so that claims meet volumes and limits are met."""

from typing import Any

from hypothesis import strategies as st

ZONE = "topology.kubernetes.io/zone"
ZONES = ("a", "b")
SIZES = ("1Gi", "5Gi", "10Gi")
DRIVER = "disk.example.com"
CLASSES = ("now", "wait", "local", "zonal", "gone")
MODES = (["ReadWriteOnce"], ["ReadWriteMany"], ["ReadWriteOncePod"])

Manifest = dict[str, Any]


def storage_classes() -> list[Manifest]:
    """One class of each kind; ``gone`` does not exist."""
    wait = {"volumeBindingMode": "WaitForFirstConsumer"}
    zones = [{"matchLabelExpressions": [{"key": ZONE, "values": ["a"]}]}]
    return [
        {"kind": "StorageClass", "metadata": {"name": "now"}, "provisioner": DRIVER},
        {"kind": "StorageClass", "metadata": {"name": "wait"}, "provisioner": DRIVER, **wait},
        {"kind": "StorageClass", "metadata": {"name": "local"}, "provisioner": "kubernetes.io/no-provisioner", **wait},
        {
            "kind": "StorageClass",
            "metadata": {"name": "zonal"},
            "provisioner": DRIVER,
            **wait,
            "allowedTopologies": zones,
        },
    ]


@st.composite
def nodes(draw: st.DrawFn, name: str) -> list[Manifest]:
    """A node and, mostly, its CSINode."""
    zone = draw(st.sampled_from([*ZONES, None]))
    labels = {"kubernetes.io/hostname": name} | ({ZONE: zone} if zone else {})
    allocatable = {"cpu": "8", "memory": "8Gi", "pods": "20"}
    made: list[Manifest] = [
        {"kind": "Node", "metadata": {"name": name, "labels": labels}, "status": {"allocatable": allocatable}}
    ]
    count = draw(st.sampled_from([None, 0, 1, 2, 3]))
    if draw(st.integers(0, 3)):
        drivers = [{"name": driver, "nodeID": name} for driver in (DRIVER, "ebs.csi.aws.com")]
        for driver in drivers if count is not None else ():
            driver["allocatable"] = {"count": count}
        meta: Manifest = {"name": name}
        if draw(st.booleans()):
            meta["annotations"] = {"storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/aws-ebs"}
        made.append({"kind": "CSINode", "metadata": meta, "spec": {"drivers": drivers}})
    return made


@st.composite
def claims(draw: st.DrawFn, name: str, node_names: list[str]) -> list[Manifest]:
    """A claim and, if it is bound, its volume, mostly."""
    class_name = draw(st.sampled_from([*CLASSES, "wait", "local"]))
    modes = draw(st.sampled_from(MODES))
    spec: Manifest = {
        "accessModes": modes,
        "storageClassName": class_name,
        "resources": {"requests": {"storage": draw(st.sampled_from(SIZES))}},
    }
    meta: Manifest = {"name": name, "namespace": "default", "uid": f"uid-{name}"}
    claim: Manifest = {"kind": "PersistentVolumeClaim", "metadata": meta, "spec": spec, "status": {"phase": "Pending"}}
    kind = draw(
        st.sampled_from(["bound", "bound", "bound", "free", "free", "free", "chosen", "lost", "dying", "missing"])
    )
    if kind == "chosen":
        meta["annotations"] = {"volume.kubernetes.io/selected-node": draw(st.sampled_from(node_names))}
    elif kind == "dying":
        meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    elif kind == "lost":
        claim["status"]["phase"] = "Lost"
    elif kind == "free" and draw(st.integers(0, 4)) == 0:
        spec["selector"] = {"matchLabels": {"tier": "fast"}}
    if kind in ("bound", "missing"):
        meta["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
        spec["volumeName"] = f"pv-{name}"
    if kind != "bound":
        return [claim]
    volume = draw(volumes(f"pv-{name}", node_names))
    volume["spec"] |= {
        "storageClassName": class_name,
        "accessModes": modes,
        "claimRef": {"namespace": "default", "name": name, "uid": f"uid-{name}"},
    }
    volume["status"]["phase"] = "Bound"
    return [claim, volume]


@st.composite
def volumes(draw: st.DrawFn, name: str, node_names: list[str]) -> Manifest:
    """A volume."""
    spec: Manifest = {
        "capacity": {"storage": draw(st.sampled_from(SIZES))},
        "accessModes": draw(
            st.sampled_from([["ReadWriteOnce"], ["ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod"]])
        ),
        "storageClassName": draw(st.sampled_from(["local", "local", "wait"])),
    }
    if draw(st.booleans()):
        spec["csi"] = {"driver": DRIVER, "volumeHandle": f"h-{draw(st.sampled_from([name, 'shared']))}"}
    if draw(st.integers(0, 5)) == 0:
        spec["volumeMode"] = "Block"
    where = draw(st.sampled_from(["anywhere", "zone", "host", "host"]))
    if where != "anywhere":
        key, places = (ZONE, list(ZONES)) if where == "zone" else ("kubernetes.io/hostname", node_names)
        values = draw(st.lists(st.sampled_from(places), min_size=1, max_size=2, unique=True))
        term = {"matchExpressions": [{"key": key, "operator": "In", "values": values}]}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [term]}}
    labels = draw(
        st.sampled_from(
            [{}, {}, {"tier": "fast"}, {ZONE: "a"}, {ZONE: "a__b"}, {"failure-domain.beta.kubernetes.io/zone": "b"}]
        )
    )
    phase = draw(st.sampled_from(["Available", "Available", "Available", "Released"]))
    return {
        "kind": "PersistentVolume",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": {"phase": phase},
    }


@st.composite
def pods(draw: st.DrawFn, name: str, claim_names: list[str], node: str | None) -> Manifest:
    """A pod with up to three claims and disks."""
    kinds = draw(st.lists(st.sampled_from(["claim", "claim", "claim", "ebs", "gce"]), max_size=3))
    listed: list[Manifest] = []
    for position, kind in enumerate(kinds):
        volume: Manifest = {"name": f"v{position}"}
        if kind == "claim":
            volume["persistentVolumeClaim"] = {
                "claimName": draw(st.sampled_from([*claim_names, *claim_names, "nosuch"]))
            }
        elif kind == "ebs":
            volume["awsElasticBlockStore"] = {"volumeID": draw(st.sampled_from(["e1", "e2"]))}
        else:
            volume["gcePersistentDisk"] = {"pdName": "d1", "readOnly": draw(st.booleans())}
        listed.append(volume)
    taken = [item["persistentVolumeClaim"]["claimName"] for item in listed if "persistentVolumeClaim" in item]
    container = {"name": "main", "resources": {"requests": {"cpu": "100m"}}}
    spec: Manifest = {"containers": [container], "volumes": listed}
    if len(set(taken)) < len(taken):
        spec["volumes"] = [item for item in listed if "persistentVolumeClaim" not in item]
    if node is not None:
        spec["nodeName"] = node
    phase = "Pending" if node is None else "Running"
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "spec": spec,
        "status": {"phase": phase},
    }


@st.composite
def clusters(draw: st.DrawFn, n_waiting: int = 5) -> list[Manifest]:
    """A whole cluster, as manifests in input order."""
    node_names = [f"n{i}" for i in range(draw(st.integers(1, 4)))]
    claim_names = [f"c{i}" for i in range(draw(st.integers(1, 6)))]
    objects = storage_classes()
    for name in node_names:
        objects += draw(nodes(name))
    for name in claim_names:
        objects += draw(claims(name, node_names))
    for i in range(draw(st.integers(0, 5))):
        volume = draw(volumes(f"pv{i}", node_names))
        if draw(st.integers(0, 4)) == 0:
            owner = draw(st.sampled_from(claim_names))
            volume["spec"]["claimRef"] = {"namespace": "default", "name": owner}
        objects.append(volume)
    if draw(st.booleans()):
        objects.append({"kind": "CSIDriver", "metadata": {"name": DRIVER}, "spec": {"storageCapacity": True}})
    for i in range(draw(st.integers(0, 2))):
        capacity: Manifest = {
            "kind": "CSIStorageCapacity",
            "metadata": {"name": f"k{i}", "namespace": "default"},
            "storageClassName": draw(st.sampled_from(["wait", "zonal"])),
            "capacity": draw(st.sampled_from(SIZES)),
            "nodeTopology": draw(st.sampled_from([{}, {"matchLabels": {ZONE: "a"}}])),
        }
        if draw(st.booleans()):
            capacity["maximumVolumeSize"] = draw(st.sampled_from(SIZES))
        objects.append(capacity)
    for i in range(draw(st.integers(0, 2))):
        held = {"persistentVolumeName": draw(st.sampled_from([f"pv-{name}" for name in claim_names]))}
        spec = {"attacher": DRIVER, "nodeName": draw(st.sampled_from(node_names)), "source": held}
        objects.append({"kind": "VolumeAttachment", "metadata": {"name": f"va{i}"}, "spec": spec})
    for i in range(draw(st.integers(0, 3))):
        objects.append(draw(pods(f"run{i}", claim_names, draw(st.sampled_from(node_names)))))
    for i in range(draw(st.integers(1, n_waiting))):
        objects.append(draw(pods(f"p{i}", claim_names, None)))
    return objects
