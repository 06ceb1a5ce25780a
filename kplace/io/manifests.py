"""A cluster written out as Kubernetes objects, which kplace reads again.

Objects of the input stand as they stood there, but for ``spec.nodeName`` of the pods that were placed since. Pods that
were made from controllers, and the ReplicaSets that were made up to own them, are written as objects of their own.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import msgspec
import numpy as np
import yaml
from msgspec import Struct

from kplace.columns import ClusterColumns
from kplace.columns.cluster import SourceObject
from kplace.columns.pods import UNKNOWN_NODE
from kplace.columns.rebuilt import NodeObjects, pod_object
from kplace.io.atomic import Target, writing, writing_folder
from kplace.io.kinds import find_kind
from kplace.objects.policy import PriorityClass

FORMS = ("json", "yaml", "folder")

Item = tuple[str, bytes | memoryview]
"""Kind of an object, and all of it as JSON."""


class _BoundSpec(Struct, rename="camel", frozen=True, gc=False):
    node_name: str = ""


class _Head(Struct, rename="camel", frozen=True, gc=False):
    """What has to be known of an object to write it out."""

    api_version: str | None = None
    kind: str | None = None


class _PodHead(_Head, rename="camel", frozen=True, gc=False):
    spec: _BoundSpec | None = None


_DECODER = msgspec.json.Decoder(_Head)
_POD_DECODER = msgspec.json.Decoder(_PodHead)


def write_manifests(columns: ClusterColumns, target: Target, form: str) -> None:
    """Write a cluster with every pod where it is now.

    Parameters
    ----------
    columns : ClusterColumns
    target : path or binary file
        For the form ``"folder"`` a path.
    form : {"json", "yaml", "folder"}
        One ``List``; one document per object; or a folder with one ``List`` per kind, such as ``Pod.json``.

    Raises
    ------
    OutputError
        It cannot be written, or there is something in the folder already.
    """
    if form == "folder":
        if not isinstance(target, str) and not hasattr(target, "__fspath__"):
            msg = f"expected a path for a folder, got {type(target).__name__}"
            raise TypeError(msg)
        with writing_folder(target) as folder:
            for kind, items in _by_kind(columns).items():
                with (folder / f"{kind}.json").open("wb") as file:
                    _write_list(items, file)
        return
    write = {"json": _write_list, "yaml": _write_documents}[form]
    with writing(target) as file:
        write(_items(columns), file)


def _items(columns: ClusterColumns) -> Iterator[Item]:
    """All objects: those of the input in its order, then those that it does not hold as such."""
    for source in columns.sources:
        node = columns.pods.node[source.pod] if source.pod >= 0 else -1
        yield source.kind, _as_it_is_now(source, columns.nodes.names[node] if node >= 0 else "")
    yield from _nodes_without_source(columns)
    yield from _made_owners(columns)
    yield from _pods_without_source(columns)


def _by_kind(columns: ClusterColumns) -> dict[str, list[Item]]:
    kinds: dict[str, list[Item]] = {}
    for item in _items(columns):
        kinds.setdefault(item[0], []).append(item)
    return kinds


def _as_it_is_now(source: SourceObject, node: str) -> bytes | memoryview:
    """JSON of an object of the input; decoded only where something is to be changed."""
    head: _Head
    moved = False
    if node:
        pod = head = _POD_DECODER.decode(source.raw)
        moved = pod.spec is None or pod.spec.node_name != node
    else:
        head = _DECODER.decode(source.raw)
    if head.kind and head.api_version and not moved:
        return source.raw
    item: dict[str, Any] = msgspec.json.decode(source.raw)
    if moved:
        item["spec"] = (item.get("spec") or {}) | {"nodeName": node}
    said = {"apiVersion": head.api_version or api_version_of(source.kind), "kind": source.kind}
    return msgspec.json.encode(said | item | said)


def api_version_of(kind: str) -> str:
    """``apiVersion`` of a kind that is understood; ``v1`` for others."""
    known = find_kind("", kind)
    return known.api_version if known else "v1"


def _made_owners(columns: ClusterColumns) -> Iterator[Item]:
    """Objects beyond those of the input: what the expansion of controllers made up."""
    given: dict[str, int] = {}
    for source in columns.sources:
        given[source.kind] = given.get(source.kind, 0) + 1
    for kind, objects in columns.objects.items():
        for item in objects[given.get(kind, 0) :]:
            yield kind, encoded(kind, item)


def _nodes_without_source(columns: ClusterColumns) -> Iterator[Item]:
    """All nodes, in the order of the input, if it holds none as an object."""
    if any(source.kind == "Node" for source in columns.sources):
        return
    objects = NodeObjects(columns)
    for node in np.argsort(columns.nodes.arrival).tolist():
        yield "Node", encoded("Node", objects[node])


def _pods_without_source(columns: ClusterColumns) -> Iterator[Item]:
    pods = columns.pods
    given = {source.pod for source in columns.sources if source.pod >= 0}
    for index in range(len(pods)):
        if index not in given:
            node = int(pods.node[index])
            name = _LOST if node == UNKNOWN_NODE else columns.nodes.names[node] if node >= 0 else ""
            yield "Pod", encoded("Pod", pod_object(columns, index, name))


_LOST = "(not in the input)"


def encoded(kind: str, item: Struct) -> bytes:
    """JSON of an object, with its kind and the version of it."""
    # Zeros are left out of objects; this one Kubernetes demands.
    demanded = {"value": 0} if isinstance(item, PriorityClass) and not item.value else {}
    said = msgspec.json.encode({"apiVersion": api_version_of(kind), "kind": kind, **demanded})
    fields = msgspec.json.encode(item)
    return said if fields == b"{}" else b"%b,%b" % (said[:-1], fields[1:])


def _write_list(items: Iterable[Item], file: BinaryIO) -> None:
    file.write(b'{"apiVersion":"v1","kind":"List","items":[')
    separator = b"\n"
    for _, raw in items:
        file.write(separator)
        file.write(raw)
        separator = b",\n"
    file.write(b"\n]}\n")


def _write_documents(items: Iterable[Item], file: BinaryIO) -> None:
    for _, raw in items:
        file.write(b"---\n")
        yaml.dump(
            msgspec.json.decode(raw),
            file,
            Dumper=Dumper,
            encoding="utf-8",
            allow_unicode=True,
            sort_keys=False,
            default_flow_style=False,
            width=_NO_LINE_BREAKS,
        )


_NO_LINE_BREAKS = 2**30


class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Quotes every text that some reader of YAML might take for something else."""

    def ignore_aliases(self, data: object) -> bool:
        """Whether a value is written out again wherever it stands: always."""
        return True


# YAML 1.1 and 1.2, and Go's reader on top, differ in what they take for a number (1e3, 0o7, 1_000, 12:30) or a boolean.
_AMBIGUOUS = re.compile(r"[-+.~0-9=<].*|y|n|yes|no|on|off|true|false|null|nan|inf", re.IGNORECASE | re.DOTALL)


def _represent_text(dumper: Any, text: str) -> Any:  # noqa: ANN401 - PyYAML has no types
    style = '"' if _AMBIGUOUS.fullmatch(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


Dumper.add_representer(str, _represent_text)
