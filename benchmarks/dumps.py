"""Cluster dumps as large as one likes, in the very shape of ``kubectl get nodes,pods,... -A -o json``.

The objects carry the bulk that real ones do (managed fields, environment, volume mounts, container statuses),
so that reading them costs what reading a real dump costs. The same arguments always give the same bytes.

    python -m benchmarks.dumps dump.json --nodes 5000 --pods 100000 --waiting 1000
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, BinaryIO

ZONES = ("eu-west-1a", "eu-west-1b", "eu-west-1c")
SHAPES = {  # instance type: cpu in cores, memory in KiB, pods
    "m6i.2xlarge": (8, 31_500_000, 58),
    "m6i.4xlarge": (16, 63_800_000, 110),
    "c6i.8xlarge": (32, 64_200_000, 110),
    "r6i.4xlarge": (16, 127_300_000, 110),
}
REQUESTS = (("50m", "64Mi"), ("100m", "128Mi"), ("150m", "256Mi"), ("250m", "512Mi"), ("500m", "1Gi"))
# Stand-ins in the rendered JSON of an app's pod that are swapped for each pod's own values.
_NAME, _UID, _NODE, _IP, _TIME = "@name@", "@uid@", "@node@", "@ip@", "2001-02-03T04:05:06Z"


@dataclass(frozen=True, slots=True)
class DumpSize:
    """How large a dump is.

    Attributes
    ----------
    nodes, pods : int
        Objects of each kind; the waiting pods are among ``pods`` and come last.
    waiting : int
        Pods without a node.
    apps : int
        Different pod templates, each with its own ReplicaSet and Service.
    """

    nodes: int = 5_000
    pods: int = 100_000
    waiting: int = 1_000
    apps: int = 300


def write_dump(path: Path, size: DumpSize | None = None, *, seed: int = 0, indent: int | None = 4) -> int:
    """Write a dump object by object and return its size in bytes.

    ``indent`` is kubectl's 4; None writes it without spaces, as the API server sends it. The default size is
    5,000 nodes and 100,000 pods: about a gigabyte.
    """
    with path.open("wb") as file:
        writer = _ListWriter(file, indent)
        for item in _objects(size or DumpSize(), Random(seed), writer.render):
            writer.add(item)
        return writer.close()


_COMPACT_LIST = (b'{"apiVersion":"v1","items":[', b'],"kind":"List","metadata":{"resourceVersion":""}}\n')
_INDENTED_LIST = (
    b'{\n    "apiVersion": "v1",\n    "items": [\n',
    b'\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n',
)


class _ListWriter:
    """Writes a ``List`` of rendered objects without holding it in memory."""

    def __init__(self, file: BinaryIO, indent: int | None) -> None:
        self._file = file
        self._indent = indent
        self._separator = b""
        self._write = file.write
        head, self._tail = _COMPACT_LIST if indent is None else _INDENTED_LIST
        self._write(head)

    def render(self, item: dict[str, Any]) -> str:
        if self._indent is None:
            return json.dumps(item, separators=(",", ":"))
        margin = " " * (2 * self._indent)
        return margin + json.dumps(item, indent=self._indent).replace("\n", "\n" + margin)

    def add(self, text: str) -> None:
        self._write(self._separator)
        self._write(text.encode())
        self._separator = b"," if self._indent is None else b",\n"

    def close(self) -> int:
        self._write(self._tail)
        return self._file.tell()


def _objects(size: DumpSize, random: Random, render: Any) -> Iterator[str]:
    shapes = [random.choice(sorted(SHAPES)) for _ in range(size.nodes)]
    for n, shape in enumerate(shapes):
        yield render(_node(n, shape, random))
    apps = [_App.make(a, random) for a in range(size.apps)]
    for app in apps:
        yield render(app.service())
        yield render(app.replica_set(-(-size.pods // size.apps)))
    running, waiting = ([render(app.pod(running=r)) for app in apps] for r in (True, False))
    for p in range(size.pods):
        a = p % size.apps
        is_waiting = p >= size.pods - size.waiting
        text = (waiting if is_waiting else running)[a]
        for token, own in (
            (_NAME, f"{apps[a].name}-{apps[a].hash}-{p:05x}"),
            (_UID, f"{p:08x}-2f7c-4bd3-9a61-{random.getrandbits(48):012x}"),
            (_NODE, _node_name(p % max(size.nodes, 1))),
            (_IP, f"10.{p >> 16 & 255}.{p >> 8 & 255}.{p & 255}"),
            (_TIME, _time(p)),
        ):
            text = text.replace(token, own)
        yield text


def _time(second: int) -> str:
    return f"{datetime(2025, 6, 1) + timedelta(seconds=second):%Y-%m-%dT%H:%M:%SZ}"


def _node_name(n: int) -> str:
    return f"ip-10-{n >> 8 & 255}-{n & 255}-{17 + n % 200}.eu-west-1.compute.internal"


def _node(n: int, shape: str, random: Random) -> dict[str, Any]:
    cores, kib, pods = SHAPES[shape]
    name = _node_name(n)
    zone = ZONES[n % len(ZONES)]
    labels = {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/instance-type": shape,
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": shape,
        "topology.kubernetes.io/region": "eu-west-1",
        "topology.kubernetes.io/zone": zone,
    }
    spec: dict[str, Any] = {
        "podCIDR": f"10.{n >> 8 & 255}.{n & 255}.0/24",
        "providerID": f"aws:///{zone}/i-{n:017x}",
    }
    if n % 50 == 49:
        spec["taints"] = [{"effect": "NoSchedule", "key": "dedicated", "value": "batch"}]
    amounts = {
        "cpu": f"{cores}",
        "ephemeral-storage": "104845292Ki",
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        "memory": f"{kib}Ki",
        "pods": f"{pods}",
    }
    images = [
        {
            "names": [
                f"registry.example.com/team-{i % 9}/app-{i:03}@sha256:{i:064x}",
                f"registry.example.com/team-{i % 9}/app-{i:03}:v1",
            ],
            "sizeBytes": 20_000_000 + 1_000_003 * i,
        }
        for i in sorted(random.sample(range(300), 25))
    ]
    conditions = [
        _condition(kind, "True" if kind == "Ready" else "False", f"Kubelet{kind}")
        for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
    ]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "annotations": {"node.alpha.kubernetes.io/ttl": "0"},
            "creationTimestamp": "2025-05-01T10:00:00Z",
            "labels": labels,
            "name": name,
            "resourceVersion": f"{90_000 + n}",
            "uid": f"node-{n:06}",
        },
        "spec": spec,
        "status": {
            "addresses": [{"address": name, "type": "Hostname"}],
            "allocatable": {**amounts, "cpu": f"{cores * 1000 - 90}m", "memory": f"{kib - 700_000}Ki"},
            "capacity": amounts,
            "conditions": conditions,
            "images": images,
            "nodeInfo": {"architecture": "amd64", "kubeletVersion": "v1.34.1", "operatingSystem": "linux"},
        },
    }


def _condition(kind: str, status: str, reason: str) -> dict[str, Any]:
    return {
        "lastHeartbeatTime": "2025-06-01T00:00:00Z",
        "lastTransitionTime": "2025-05-01T10:00:10Z",
        "message": f"{reason} was last seen so",
        "reason": reason,
        "status": status,
        "type": kind,
    }


@dataclass(frozen=True, slots=True)
class _App:
    """One workload: a Service, a ReplicaSet and the template of its pods."""

    name: str
    namespace: str
    hash: str
    image: str
    cpu: str
    memory: str
    trait: int

    @classmethod
    def make(cls, a: int, random: Random) -> "_App":
        cpu, memory = random.choice(REQUESTS)
        return cls(
            name=f"app-{a:03}",
            namespace=f"team-{a % 40:02}",
            hash=f"{random.getrandbits(36):09x}",
            image=f"registry.example.com/team-{a % 9}/app-{a:03}:v1",
            cpu=cpu,
            memory=memory,
            trait=a % 10,
        )

    @property
    def tier(self) -> str:
        return f"t{self.trait % 3}"

    @property
    def labels(self) -> dict[str, str]:
        return {"app.kubernetes.io/name": self.name, "pod-template-hash": self.hash, "tier": self.tier}

    @property
    def _selector(self) -> dict[str, str]:
        return {"app.kubernetes.io/name": self.name}

    def service(self) -> dict[str, Any]:
        meta = {"name": self.name, "namespace": self.namespace, "uid": f"svc-{self.name}"}
        spec = {"ports": [{"port": 80, "targetPort": 8080}], "selector": self._selector, "type": "ClusterIP"}
        return {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}

    def replica_set(self, replicas: int) -> dict[str, Any]:
        meta = {
            "labels": self.labels,
            "name": f"{self.name}-{self.hash}",
            "namespace": self.namespace,
            "uid": f"rs-{self.name}",
        }
        template = {"metadata": {"labels": self.labels}, "spec": self._spec()}
        spec = {"replicas": replicas, "selector": {"matchLabels": self._selector}, "template": template}
        return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": meta, "spec": spec}

    def pod(self, *, running: bool) -> dict[str, Any]:
        spec = self._spec()
        if running:
            spec["nodeName"] = _NODE
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "annotations": {"checksum/config": self.hash * 7},
                "creationTimestamp": _TIME,
                "generateName": f"{self.name}-{self.hash}-",
                "labels": self.labels,
                "managedFields": [_managed_fields("kube-controller-manager")],
                "name": _NAME,
                "namespace": self.namespace,
                "ownerReferences": [
                    {
                        "apiVersion": "apps/v1",
                        "blockOwnerDeletion": True,
                        "controller": True,
                        "kind": "ReplicaSet",
                        "name": f"{self.name}-{self.hash}",
                        "uid": f"rs-{self.name}",
                    }
                ],
                "resourceVersion": "81234567",
                "uid": _UID,
            },
            "spec": spec,
            "status": self._status() if running else {"phase": "Pending", "qosClass": "Burstable"},
        }

    def _spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = {
            "containers": [
                self._container("main", self.cpu, self.memory),
                self._container("proxy", "10m", "40Mi"),
            ],
            "dnsPolicy": "ClusterFirst",
            "enableServiceLinks": True,
            "priority": 0,
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "serviceAccountName": self.name,
            "terminationGracePeriodSeconds": 30,
            "tolerations": [
                {
                    "effect": "NoExecute",
                    "key": f"node.kubernetes.io/{state}",
                    "operator": "Exists",
                    "tolerationSeconds": 300,
                }
                for state in ("not-ready", "unreachable")
            ],
            "volumes": [
                {"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}},
            ],
        }
        if self.trait == 1:
            spec["nodeSelector"] = {"kubernetes.io/os": "linux"}
        if self.trait in {2, 3}:
            spec["topologySpreadConstraints"] = [
                {
                    "labelSelector": {"matchLabels": self._selector},
                    "maxSkew": 2,
                    "topologyKey": "topology.kubernetes.io/zone",
                    "whenUnsatisfiable": "DoNotSchedule" if self.trait == 2 else "ScheduleAnyway",
                }
            ]
        if self.trait == 4:
            term = {"labelSelector": {"matchLabels": self._selector}, "topologyKey": "kubernetes.io/hostname"}
            terms = [{"podAffinityTerm": term, "weight": 100}]
            spec["affinity"] = {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": terms}}
        if self.trait == 5:
            spec["tolerations"].append({"key": "dedicated", "operator": "Exists"})
        return spec

    def _container(self, name: str, cpu: str, memory: str) -> dict[str, Any]:
        return {
            "env": [
                {"name": "UPSTREAM", "value": f"http://gateway.{self.namespace}.svc.cluster.local:8080/"},
            ],
            "image": self.image if name == "main" else "registry.example.com/mesh/proxy:1.22.3",
            "imagePullPolicy": "IfNotPresent",
            "name": name,
            "ports": [{"containerPort": 8080, "protocol": "TCP"}],
            "resources": {"limits": {"memory": memory}, "requests": {"cpu": cpu, "memory": memory}},
            "volumeMounts": [
                {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "token"},
            ],
        }

    def _status(self) -> dict[str, Any]:
        return {
            "conditions": [
                {"lastProbeTime": None, "lastTransitionTime": _TIME, "status": "True", "type": kind}
                for kind in ("Initialized", "Ready", "ContainersReady", "PodScheduled")
            ],
            "containerStatuses": [
                {
                    "containerID": f"containerd://{self.hash * 7}",
                    "image": self.image,
                    "name": name,
                    "ready": True,
                    "restartCount": 0,
                    "started": True,
                    "state": {"running": {"startedAt": _TIME}},
                }
                for name in ("main", "proxy")
            ],
            "hostIP": "10.0.0.1",
            "phase": "Running",
            "podIP": _IP,
            "qosClass": "Burstable",
            "startTime": _TIME,
        }


def _managed_fields(manager: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {f"f:{field}": {".": {}, f"k:{field}": {}} for field in ("metadata", "spec", "status")},
        "manager": manager,
        "operation": "Update",
        "time": _TIME,
    }


def main() -> None:
    """Write the dump that the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    for field in fields(DumpSize):
        parser.add_argument(f"--{field.name}", type=int, default=field.default)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compact", action="store_true", help="no indentation, as the API server sends it")
    given = parser.parse_args()
    size = DumpSize(given.nodes, given.pods, given.waiting, given.apps)
    print(write_dump(given.path, size, seed=given.seed, indent=None if given.compact else 4), "bytes")


if __name__ == "__main__":
    main()
