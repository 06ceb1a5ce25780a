"""The golden timelines: finding, reading and comparing them."""

import gzip
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"

WITH_CLAIMS = ("dra-",)
"""Families of kinds that a simulation refuses by name."""


@dataclass(frozen=True)
class Golden:
    """One timeline file."""

    path: Path

    @property
    def id(self) -> str:
        return self.path.name.removesuffix(".json.gz")

    @cached_property
    def content(self) -> dict[str, Any]:
        return json.loads(gzip.decompress(self.path.read_bytes()))


def timelines() -> list[Golden]:
    """The timelines that are answered for."""
    return [case for case in _every() if not case.id.startswith(WITH_CLAIMS)]


def refused_timelines() -> list[Golden]:
    """The timelines with kinds that are refused."""
    return [case for case in _every() if case.id.startswith(WITH_CLAIMS)]


def _every() -> list[Golden]:
    return [Golden(path) for path in sorted(CASES.glob("*.json.gz"))]


def differences(case: Golden, record: dict[str, Any]) -> list[str]:
    """Every entry in which a record differs from what the timeline expects."""
    expected = case.content["expected"]
    found = [f"{key}: not expected" for key in record.keys() - expected.keys()]
    for key in ("attempts", "moves", "queues"):
        wanted, got = expected[key], record[key]
        if len(wanted) != len(got):
            found.append(f"{key}: expected {len(wanted)}, got {len(got)}")
        found += [
            f"{key}[{i}]: expected {one}, got {other}"
            for i, (one, other) in enumerate(zip(wanted, got, strict=False))
            if one != other
        ]
    wanted, got = expected["end"], record["end"]
    return found + [
        f"end of {pod}: expected {wanted.get(pod)}, got {got.get(pod)}"
        for pod in sorted(wanted.keys() | got.keys())
        if wanted.get(pod) != got.get(pod)
    ]
