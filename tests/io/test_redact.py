"""Redaction: nothing that could tell anything gets through, and everything that rules depend on does."""

import json
import re

import pytest
from hypothesis import given, settings
from msgspec import inspect

import kplace
from kplace.columns.node_selectors import is_label_key, is_label_value
from kplace.columns.nodes import normalized_image
from kplace.io.kinds import _GROUPS
from kplace.io.redact.config import redacted_config
from kplace.io.redact.hashing import Hasher
from kplace.io.redact.rules import RULES
from kplace.io.redact.walk import Walk
from kplace.testing.strategies import EVERYTHING, MadeUp, clusters

SECRET = re.compile(r"acme|secret", re.IGNORECASE)
HASHER = Hasher(b"k", {"web", "web-7d9f", "data"}, {"generation"})


def test_every_field_that_may_hold_texts_has_a_rule():
    seen, missing = set(), []

    def look(kind):
        if isinstance(kind, inspect.StructType) and kind.cls not in seen:
            seen.add(kind.cls)
            for field in kind.fields:
                if holds_texts(field.type) and field.name not in RULES.get(kind.cls, {}):
                    missing.append(f"{kind.cls.__name__}.{field.name}")
                look(field.type)
        for part in getattr(kind, "types", ()):
            look(part)
        for part in ("item_type", "value_type"):
            if hasattr(kind, part):
                look(getattr(kind, part))

    def holds_texts(kind):
        if isinstance(kind, inspect.UnionType):
            return any(map(holds_texts, kind.types))
        if isinstance(kind, inspect.VarTupleType):
            return holds_texts(kind.item_type)
        return isinstance(kind, inspect.StrType | inspect.DictType | inspect.RawType | inspect.AnyType)

    for _, kinds in _GROUPS.values():
        for kind in kinds:
            look(inspect.type_info(kind))
    assert not missing
    assert len(seen) > 60


def test_names_that_others_begin_with():
    web, hashed = HASHER.name("web"), HASHER.name("7d9f")
    assert HASHER.name("web-7d9f") == f"{web}-{hashed}"
    assert HASHER.name("web-3") == f"{web}-3"
    assert HASHER.name("data-web-3") == f"{HASHER.name('data')}-{web}-3"
    assert HASHER.name("webby") != web
    assert not HASHER.name("webby").startswith(f"{web}-")


@pytest.mark.parametrize("kept", ["", "default", "kube-system", "system-node-critical", "default-scheduler"])
def test_names_that_every_cluster_has(kept):
    assert HASHER.name(kept) == kept


def test_keys_of_labels():
    for kept in ("kubernetes.io/hostname", "topology.kubernetes.io/zone", "node-role.kubernetes.io/x", "job-name"):
        assert HASHER.label_key(kept) == kept
    for hidden in ("app", "acme.example/tier", "notkubernetes.io/x"):
        token = HASHER.label_key(hidden)
        assert token != hidden
        assert is_label_key(token)
    for wrong in ("a b", "-x", "x" * 64):
        assert not is_label_key(HASHER.label_key(wrong)), "what could be no key before cannot be one now"


def test_values_of_labels():
    assert HASHER.label_value("generation", "-5") == "-5"
    assert HASHER.label_value("generation", "five") != "five"
    assert HASHER.label_value("other", "5") != "5"
    assert HASHER.label_value("other", "") == ""
    assert HASHER.label_value("kubernetes.io/hostname", "n1") == HASHER.name("n1")
    assert is_label_value(HASHER.label_value("other", "A.b_c"))
    assert not is_label_value(HASHER.label_value("other", "a b"))
    zone = "topology.kubernetes.io/zone"
    assert HASHER.label_value(zone, "a__b").split("__") == [HASHER.label_value(zone, part) for part in "ab"]


@pytest.mark.parametrize("image", ["web", "web:latest", "registry:5000/web", "registry:5000/a/web:1", "web@sha256:ab"])
def test_images(image):
    hidden = HASHER.image(image)
    assert (":" in hidden) == (normalized_image(image) == image)
    assert HASHER.image(normalized_image(image)) == normalized_image(hidden)


def test_resources_and_drivers():
    assert HASHER.resource("nvidia.com/gpu") == "nvidia.com/gpu"
    assert HASHER.resource("hugepages-2Mi") == "hugepages-2Mi"
    assert HASHER.resource("acme.example/chip").startswith("acme.example/x")
    assert HASHER.resource("requests.nvidia.com/gpu") == "requests.nvidia.com/gpu"
    assert HASHER.driver("ebs.csi.aws.com") == "ebs.csi.aws.com"
    assert HASHER.driver("kubernetes.io/no-provisioner") == "kubernetes.io/no-provisioner"
    assert "acme" not in HASHER.driver("csi.acme.example")
    assert HASHER.handle("aws://us-1a/vol-7").rpartition("/")[2] == HASHER.handle("vol-7")


def test_tokens_depend_on_the_key_and_never_meet():
    assert Hasher(b"a").name("x") != Hasher(b"b").name("x")
    assert Hasher(b"a").name("x") == Hasher(b"a").name("x")
    hasher = Hasher(b"a")
    assert len({hasher.token(str(i)) for i in range(50_000)}) == 50_000


def acme(name, **metadata):
    return {"name": f"acme-{name}", "namespace": "acme", "labels": {"acme.example/team": "secret"}, **metadata}


def everything():
    """A cluster in which a secret stands wherever a text may stand."""
    labels = {"app": "acme", "pod-template-hash": "secret1"}
    selector = {"matchLabels": {"app": "acme"}}
    term = {"labelSelector": selector, "topologyKey": "acme.example/rack", "namespaces": ["acme"]}
    fields = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["acme-node"]}]}
    spec = {
        "containers": [
            {
                "name": "acme",
                "image": "registry.acme.example/secret:1",
                "command": ["secret"],
                "env": [{"name": "SECRET", "value": "acme"}],
                "resources": {"requests": {"cpu": "1", "nvidia.com/gpu": "1"}},
                "ports": [{"hostPort": 80, "containerPort": 80, "hostIP": "10.0.0.1", "name": "acme"}],
            }
        ],
        "nodeSelector": {"acme.example/disk": "secret"},
        "tolerations": [{"key": "acme.example/only", "operator": "Equal", "value": "secret"}],
        "affinity": {
            "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]},
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [fields]}},
        },
        "volumes": [{"name": "acme", "persistentVolumeClaim": {"claimName": "acme-claim"}}],
        "priorityClassName": "acme-high",
        "schedulingGates": [],
        "serviceAccountName": "acme",
    }
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "acme-secret1", "uid": "secret", "controller": True}
    pod = {"apiVersion": "v1", "kind": "Pod", "spec": spec}
    pod["metadata"] = acme("secret1-abc", labels=labels, ownerReferences=[owner], annotations={"acme": "secret"})
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": acme("node", labels={"kubernetes.io/hostname": "acme-node", "acme.example/disk": "secret"}),
        "spec": {"taints": [{"key": "acme.example/only", "value": "secret", "effect": "NoSchedule"}]},
        "status": {
            "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10", "nvidia.com/gpu": "2"},
            "images": [{"names": ["registry.acme.example/secret:1"], "sizeBytes": 5_000_000}],
            "addresses": [{"type": "Hostname", "address": "acme"}],
            "conditions": [{"type": "AcmeReady", "status": "True", "reason": "secret"}],
        },
    }
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": acme("claim")}
    claim["spec"] = {"storageClassName": "acme-fast", "volumeName": "acme-volume", "accessModes": ["ReadWriteOnce"]}
    claim["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "acme-volume"}}
    reference = {"kind": "PersistentVolumeClaim", "namespace": "acme", "name": "acme-claim", "uid": ""}
    volume["spec"] = {
        "capacity": {"storage": "1Gi"},
        "csi": {"driver": "csi.acme.example", "volumeHandle": "secret/acme"},
        "claimRef": reference,
        "storageClassName": "acme-fast",
    }
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "acme-high"}, "value": 7},
        {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "acme-fast"}},
    ]
    classes[1] |= {"provisioner": "csi.acme.example", "volumeBindingMode": "WaitForFirstConsumer"}
    return [node, pod, claim, volume, *classes, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "acme"}}]


def write(path, objects):
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return path


def test_no_secret_gets_through(tmp_path):
    cluster = kplace.read(write(tmp_path / "in.json", everything()))
    hidden = kplace.redact(cluster)
    hidden.to_manifests(tmp_path / "out.json")
    text = (tmp_path / "out.json").read_text()
    assert not SECRET.findall(text)
    again = kplace.read(tmp_path / "out.json")
    assert kplace.place(again).pods["status"].tolist() == kplace.place(cluster).pods["status"].tolist() == ["scheduled"]


def test_what_is_hidden_is_a_cluster_without_faults(tmp_path):
    """Written and read again, nothing is refused, and controllers know their pods."""
    cluster = kplace.read("data/demo")
    hidden = kplace.redact(cluster, key="k")
    expected = kplace.place(cluster).result_hash
    assert kplace.place(hidden).result_hash == expected
    for name in ("out.json", "out.yaml", "out"):
        hidden.to_manifests(tmp_path / name)
        again = kplace.read(tmp_path / name)
        assert not [note for note in again.notes if note.topic == "made-pods"]
        assert kplace.place(again).result_hash == expected
    hidden.to_snapshot(tmp_path / "snapshot")
    assert kplace.place(kplace.read(tmp_path / "snapshot")).result_hash == expected


def test_a_snapshot_can_be_redacted(tmp_path):
    cluster = kplace.synth("web", pods=60)
    cluster.to_snapshot(tmp_path / "c")
    hidden = kplace.redact(kplace.read(tmp_path / "c"))
    assert kplace.place(hidden).result_hash == kplace.place(cluster).result_hash
    assert not set(hidden.columns.pods.names) & set(cluster.columns.pods.names)


def test_the_same_key_gives_the_same_names():
    cluster = kplace.synth("small")
    names = [tuple(kplace.redact(cluster, key=key).columns.nodes.names) for key in ("a", "a", "b", None, None)]
    assert names[0] == names[1]
    assert len(set(names)) == 4


def test_a_configuration_goes_with_its_cluster():
    preference = {"matchExpressions": [{"key": "acme", "operator": "In", "values": ["secret"]}]}
    added = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 3, "preference": preference}]}
    spread = {"defaultConstraints": [{"maxSkew": 1, "topologyKey": "rack"}]}
    plugins = [
        {"name": "NodeAffinity", "args": {"addedAffinity": added}},
        {"name": "PodTopologySpread", "args": spread},
        {"name": "NodeResourcesFit", "args": {"ignoredResources": ["acme.example/x"]}},
    ]
    profile = {"schedulerName": "acme", "pluginConfig": plugins}
    config = {"profiles": [profile], "extenders": [{"urlPrefix": "http://acme"}]}
    hidden = json.dumps(redacted_config(config, Walk(HASHER)))
    assert "secret" not in hidden
    assert "rack" not in hidden
    assert "extenders" not in hidden
    assert HASHER.label_key("acme") in hidden
    assert HASHER.label_value("acme", "secret") in hidden
    assert HASHER.resource("acme.example/x") in hidden
    assert '"weight": 3' in hidden


@settings(max_examples=40)
@given(clusters(features=EVERYTHING))
def test_clusters_of_all_kinds_are_placed_alike(made: MadeUp):
    cluster = made.cluster()
    hidden = kplace.redact(cluster, key="k")
    assert kplace.place(hidden, seed=3).result_hash == kplace.place(cluster, seed=3).result_hash
