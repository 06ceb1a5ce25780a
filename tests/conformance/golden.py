"""The golden cases: finding, reading, classifying and comparing them."""

import gzip
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"

SINGLE_CYCLE = (
    "resources",
    "taints",
    "nodeaffinity",
    "ports",
    "images",
    "spread",
    "spreaddefault",
    "affinity",
    "sampling",
    "mixed",
    "large",
    "preemption",
)
"""Families that need neither volumes nor a configuration."""

STORAGE_KINDS = {
    "CSIDriver",
    "CSINode",
    "CSIStorageCapacity",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "StorageClass",
    "VolumeAttachment",
}
DISKS = {
    "persistentVolumeClaim",
    "ephemeral",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "azureDisk",
    "cinder",
    "iscsi",
    "rbd",
    "csi",
}


@dataclass(frozen=True)
class Golden:
    """One case file."""

    path: Path

    @property
    def family(self) -> str:
        return self.path.parent.name

    @property
    def id(self) -> str:
        return f"{self.family}/{self.path.name.removesuffix('.json.gz')}"

    @cached_property
    def content(self) -> dict[str, Any]:
        return json.loads(gzip.decompress(self.path.read_bytes()))

    @property
    def topic(self) -> str:
        """What the case needs beyond plugins and cycle: the first that matches, in the order of their description."""
        objects = self.content["objects"]
        pods = [item for item in objects if item["kind"] == "Pod"]
        volumes = [volume for pod in pods for volume in pod["spec"].get("volumes", ())]
        if any(item["kind"] in STORAGE_KINDS for item in objects) or any(DISKS & volume.keys() for volume in volumes):
            return "volumes"
        if self.content["preempt"] or any(pod.get("status", {}).get("nominatedNodeName") for pod in pods):
            return "preemption"
        return "configuration" if "config" in self.content else "cycle"


def every_case() -> list[Golden]:
    """All case files."""
    return [Golden(path) for path in sorted(CASES.glob("*/*.json.gz"))]


def single_cycle_cases() -> list[Golden]:
    """The cases that need neither volumes nor a configuration."""
    topics = {"cycle", "preemption"}
    return [
        case
        for case in every_case()
        if case.family in SINGLE_CYCLE or (case.family == "cases" and case.topic in topics)
    ]


def differences(case: Golden, record: dict[str, Any]) -> list[str]:
    """Every field in which a record differs from what the case expects."""
    return record_differences(case.content["expected"], record)


def record_differences(expected: dict[str, Any], record: dict[str, Any]) -> list[str]:
    """Every field in which two records differ."""
    found = [
        f"{key}: expected {expected[key]}, got {record[key]}"
        for key in ("nodeOrder", "queueOrder")
        if expected[key] != record[key]
    ]
    if len(expected["pods"]) != len(record["pods"]):
        found.append(f"attempts: expected {len(expected['pods'])}, got {len(record['pods'])}")
    for wanted, got in zip(expected["pods"], record["pods"], strict=False):
        found += _attempt_differences(wanted, got)
    return found


def _attempt_differences(wanted: dict[str, Any], got: dict[str, Any]) -> list[str]:
    left, right = _comparable(wanted), _comparable(got)
    return [
        f"{wanted['pod']}: {key}: expected {left.get(key)}, got {right.get(key)}"
        for key in sorted(left.keys() | right.keys())
        if left.get(key) != right.get(key)
    ]


def _comparable(attempt: dict[str, Any]) -> dict[str, Any]:
    """An attempt with the reasons of a node as a set, for upstream walks a map there."""
    kept = dict(attempt)
    if "rejected" in kept:
        kept["rejected"] = {node: [plugin, code, sorted(why)] for node, (plugin, code, why) in kept["rejected"].items()}
    return kept


def before_post_filters(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what PostFilters said of pods that found no node."""
    return record | {"pods": [_before_post_filters(attempt) for attempt in record["pods"]]}


def _before_post_filters(attempt: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in attempt.items() if key != "postFilter"}
    if "fitError" in kept:
        filters, dot, _ = kept["fitError"].partition(". ")
        kept["fitError"] = filters + dot.rstrip()
    return kept
