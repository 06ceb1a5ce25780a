"""Reading into a plain list, for tests."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
from msgspec import Struct

from kplace.io.decode import read_into
from kplace.io.reading import ReadingReport
from kplace.io.sources import find_sources


@dataclass
class Read:
    """Everything that was handed on, and the report."""

    report: ReadingReport = field(default_factory=ReadingReport)
    objects: list[Struct] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    api_versions: list[str] = field(default_factory=list)
    raws: list[object] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)

    def add(self, kind: str, api_version: str, obj: Struct, raw: memoryview, source: str) -> None:
        self.objects.append(obj)
        self.kinds.append(kind)
        self.api_versions.append(api_version)
        self.raws.append(msgspec.json.decode(raw))
        self.sources.append(source)

    @property
    def names(self) -> list[str]:
        return [obj.metadata.name for obj in self.objects]

    @property
    def faults(self) -> list[str]:
        return [str(fault) for fault in self.report.faults]

    @property
    def notes(self) -> list[str]:
        return [str(note) for note in self.report.notes()]


def read_all(*arguments: str | Path) -> Read:
    read = Read()
    found = find_sources(arguments)
    read.report.faults += found.faults
    read.report.skipped += found.skipped
    read_into(found.sources, read, read.report)
    return read


def read_text(folder: Path, text: str | bytes, name: str = "input.yaml") -> Read:
    """Read one file with this text; messages call it by its bare name."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    read = read_all(path)
    read.report.faults = [replace(fault, source=name) for fault in read.report.faults]
    return read


def pod(name: str = "web", **more: object) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": []}, **more}


def dumped(*objects: object, kind: str = "List") -> str:
    return msgspec.json.encode({"apiVersion": "v1", "items": objects, "kind": kind}).decode()
