"""Objects of a small cluster, and the environment in which the command line is tried."""

import json
import os
from pathlib import Path


def node(name: str, cpu: str = "4", **spec: object) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"topology.kubernetes.io/zone": f"zone-{name}"}},
        "spec": spec,
        "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "10"}},
    }


def pod(name: str, cpu: str = "1", **spec: object) -> dict[str, object]:
    requests = {"cpu": cpu, "memory": "1Gi"}
    containers = [{"name": "main", "image": "example.com/main:1", "resources": {"requests": requests}}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": name}},
        "spec": {"containers": containers, **spec},
    }


def write_list(path: Path, *items: dict[str, object]) -> Path:
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)}))
    return path


def environment(**variables: str) -> dict[str, str]:
    root = str(Path(__file__).parents[2])
    kept = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}}
    return {**kept, "PYTHONPATH": root, **variables}
