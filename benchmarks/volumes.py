"""Pods per second with claims: ``python -m benchmarks.volumes --claims bound --nodes 5000 --pods 10000``.

Nodes and pods are those of the workload ``basic``, in three zones. Every node attaches up to 39 volumes of the driver,
and every pod has a claim of its own:

- ``none``: none, for comparison
- ``bound``: bound to a volume of one zone, by labels and node affinity
- ``wait``: of a class that waits for the pod and makes volumes anywhere
- ``local``: of a class that waits for the pod; each of the volumes that there are lies on one node
"""

import argparse
import json

from benchmarks.throughput import ENGINES, measure, probe_ns
from benchmarks.workloads import HOST, SOURCE, ZONE, node, pod
from kplace.columns import ClusterBuilder, ClusterColumns
from kplace.dtypes import NO_NODE, PreemptionMode
from kplace.engine.cycle import Options
from kplace.engine.results import result_hash
from kplace.objects.core import Volume
from kplace.objects.meta import NodeSelector, NodeSelectorTerm, ObjectMeta, ResourceRequirements, SelectorRequirement
from kplace.objects.storage import (
    ClaimStatus,
    ClaimVolumeSource,
    CSINode,
    CSINodeDriver,
    CSINodeDriverResources,
    CSINodeSpec,
    CSIVolume,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeSpec,
    StorageClass,
    TypedReference,
    VolumeNodeAffinity,
)

DRIVER = "disk.example.com"
MODES = ("ReadWriteOnce",)
KINDS = ("none", "bound", "wait", "local")
MAX_VOLUMES = 39


def claim_name(i: int) -> str:
    """Name of the claim of pod ``i``."""
    return f"data-{i:06d}"


def claim(i: int, kind: str) -> PersistentVolumeClaim:
    """Claim of pod ``i``."""
    bound = kind == "bound"
    return PersistentVolumeClaim(
        metadata=ObjectMeta(
            name=claim_name(i),
            namespace="default",
            uid=f"uid-{i}",
            annotations={"pv.kubernetes.io/bind-completed": "yes"} if bound else None,
        ),
        spec=PersistentVolumeClaimSpec(
            access_modes=MODES,
            storage_class_name=kind,
            volume_name=f"pv-{i:06d}" if bound else "",
            resources=ResourceRequirements(requests={"storage": "10Gi"}),
        ),
        status=ClaimStatus(phase="Bound" if bound else "Pending"),
    )


def _volume(i: int, kind: str, key: str, place: str) -> PersistentVolume:
    affinity = NodeSelectorTerm(match_expressions=(SelectorRequirement(key, "In", (place,)),))
    bound = kind == "bound"
    reference = TypedReference(kind="PersistentVolumeClaim", namespace="default", name=claim_name(i), uid=f"uid-{i}")
    return PersistentVolume(
        metadata=ObjectMeta(name=f"pv-{i:06d}", labels={key: place} if key == ZONE else None),
        spec=PersistentVolumeSpec(
            csi=CSIVolume(driver=DRIVER, volume_handle=f"vol-{i:06d}"),
            capacity={"storage": "10Gi"},
            access_modes=MODES,
            storage_class_name=kind,
            claim_ref=reference if bound else None,
            node_affinity=VolumeNodeAffinity(required=NodeSelector(node_selector_terms=(affinity,))),
        ),
        status=ClaimStatus(phase="Bound" if bound else "Available"),
    )


def build(kind: str, n_nodes: int, n_pods: int) -> ClusterColumns:
    """Make a cluster whose pods have claims of a kind."""
    builder = ClusterBuilder()
    provisioner = "kubernetes.io/no-provisioner" if kind == "local" else DRIVER
    mode = "Immediate" if kind == "bound" else "WaitForFirstConsumer"
    storage_class = StorageClass(metadata=ObjectMeta(name=kind), provisioner=provisioner, volume_binding_mode=mode)
    builder.add("StorageClass", storage_class, b"", SOURCE)
    for i in range(n_nodes):
        made = node(i)
        builder.add("Node", made, b"", SOURCE)
        driver = CSINodeDriver(name=DRIVER, allocatable=CSINodeDriverResources(count=MAX_VOLUMES))
        csi = CSINode(metadata=ObjectMeta(name=made.metadata.name), spec=CSINodeSpec(drivers=(driver,)))
        builder.add("CSINode", csi, b"", SOURCE)
    names = [item.metadata.name for item in builder.nodes]
    for i in range(n_pods):
        if kind == "none":
            builder.add_pod(pod(i), SOURCE)
            continue
        builder.add("PersistentVolumeClaim", claim(i, kind), b"", SOURCE)
        if kind == "bound":
            builder.add("PersistentVolume", _volume(i, kind, ZONE, f"zone-{i % 3}"), b"", SOURCE)
        elif kind == "local":
            builder.add("PersistentVolume", _volume(i, kind, HOST, names[i % n_nodes]), b"", SOURCE)
        own = Volume(name="data", persistent_volume_claim=ClaimVolumeSource(claim_name=claim_name(i)))
        builder.add_pod(pod(i, volumes=(own,)), SOURCE)
    return builder.finish()


def main(arguments: list[str] | None = None) -> None:
    """Measure one kind of claims and print its figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.volumes", description=__doc__.splitlines()[0])
    parser.add_argument("--claims", choices=KINDS, default="bound")
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=10000)
    parser.add_argument("--engine", choices=list(ENGINES), default="batch")
    parser.add_argument("--repeat", type=int, default=3, help="the best of so many runs counts")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    columns = build(given.claims, given.nodes, given.pods)
    options = Options(preemption=PreemptionMode.OFF)
    timing = measure(columns, build(given.claims, 20, 40), given.engine, options, given.repeat)
    figures = {
        "claims": given.claims,
        "nodes": given.nodes,
        "pods": given.pods,
        "engine": given.engine,
        "scheduled": int((timing.columns.node != NO_NODE).sum()),
        "pods_per_second": round(given.pods / timing.seconds, 1),
        "seconds": round(timing.seconds, 6),
        "compile_seconds": round(timing.compile_seconds, 3),
        "result_hash": result_hash(timing.columns),
    }
    if given.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:>20}  {value:,}" if isinstance(value, int | float) else f"{name:>20}  {value}")
    print(f"{'probe':>20}  {probe_ns():,.0f} ns for a maximum over 5,000 int16")


if __name__ == "__main__":
    main()
