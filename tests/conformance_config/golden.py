"""The golden configurations: finding, reading and comparing them."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kplace.config import Options, parse_feature_gates

HERE = Path(__file__).parent
TEXTS = HERE / "texts"
SHARED = HERE.parents[1].parent / "shared" / "data" / "kubeschedulerconfigs"
"""The files that people use; not part of the repository."""

ALLOW_UNKNOWN, AS_V1 = "__allow-unknown", "__as-v1"
_WHAT_STARTS = ("global", "profiles", "extenders", "extenderCallOrder", "unknownPlugins")
_OUR_WORDS = {
    "mp-unknown-everything-star": "kube-scheduler crashes",
    "queuesort-args-differ-implicit": "its record has no error of a profile beside others",
}


@dataclass(frozen=True)
class GoldenConfig:
    """A text, how it is read, and what must come out."""

    name: str
    source: str
    data: bytes
    options: Options
    expected: dict[str, Any]

    @property
    def id(self) -> str:
        return f"{self.name}-{self.source}"


def every_config() -> list[GoldenConfig]:
    """All golden configurations whose text is at hand."""
    return [*_cases(), *_real()]


def _cases() -> Iterator[GoldenConfig]:
    for path in sorted((HERE / "cases").glob("*.json.gz")):
        content = _content(path)
        options = Options(gates=parse_feature_gates(content.get("featureGates", "")))
        yield GoldenConfig(content["name"], "case", content["text"].encode(), options, content["expected"])


def _real() -> Iterator[GoldenConfig]:
    for path in sorted((HERE / "real").glob("*.json.gz")):
        content = _content(path)
        name = content["name"]
        base = name.removesuffix(ALLOW_UNKNOWN).removesuffix(AS_V1)
        options = Options(allow_unknown_plugins=base != name, read_as_v1=name.endswith(AS_V1))
        for source, file in _files(base):
            yield GoldenConfig(name, source, file.read_bytes(), options, content["expected"])


def _files(base: str) -> Iterator[tuple[str, Path]]:
    folder, _, file = base.partition("__")
    file = f"{file.partition('.yaml__')[0]}.yaml"
    if folder == "handmade":
        yield "text", TEXTS / file
    if SHARED.is_dir():
        yield "shared", SHARED / folder / file


def _content(path: Path) -> dict[str, Any]:
    return json.loads(gzip.decompress(path.read_bytes()))


def differences(golden: GoldenConfig, record: dict[str, Any]) -> list[str]:
    """Every field in which a record differs from what must come out."""
    expected = golden.expected
    keys = {"ok", "failedStage", "apiVersion"}
    if "readAs" in record:
        # Of an older version kplace says more than kube-scheduler, which does not get that far.
        keys = {"ok", "failedStage"}
    elif expected["ok"]:
        keys |= set(_WHAT_STARTS)
    elif expected["failedStage"] == "decode":
        # The words are ours, but what later stages would say is upstream's.
        keys |= {"laterErrors", *_WHAT_STARTS}
    elif golden.name not in _OUR_WORDS:
        keys |= {"message", "errors", "errorDetails", "laterErrors", *_WHAT_STARTS}
    found = [
        f"{key}: expected {expected.get(key)}, got {record.get(key)}"
        for key in sorted(keys)
        if expected.get(key) != record.get(key)
    ]
    if golden.name in _OUR_WORDS and (len(record["errors"]), record["errorDetails"]) != (1, [{"stage": "build"}]):
        found.append(f"errors: expected one of the stage build, got {record['errors']}")
    return found
