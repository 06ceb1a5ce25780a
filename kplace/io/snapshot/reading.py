"""A cluster read back from a snapshot."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from kplace.columns import ClusterColumns, Note
from kplace.columns.compiling import labels_of_namespaces
from kplace.columns.nodes import Image, LabelColumn, NodeColumns
from kplace.columns.pods import PodColumns
from kplace.columns.templates import Template
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I32, I64, NO_VALUE
from kplace.errors import Fault, InputError
from kplace.io.kinds import find_kind
from kplace.io.snapshot.layout import (
    ALLOCATABLE,
    FILES,
    IMAGES,
    LABEL,
    MARK,
    NODES,
    OBJECTS,
    PODS,
    TEMPLATES,
    VERSION,
    About,
    TemplateBody,
)
from kplace.objects.core import Taint

_TAINTS = msgspec.json.Decoder(tuple[Taint, ...])
_TEXTS = msgspec.json.Decoder(dict[str, str])
_BODY = msgspec.json.Decoder(TemplateBody)


def is_snapshot(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder that holds the files of a snapshot."""
    folder = Path(path)
    return folder.is_dir() and all((folder / name).is_file() for name in FILES)


def read_snapshot(path: str | os.PathLike[str]) -> ClusterColumns:
    """Read a cluster that `write_snapshot` wrote.

    Parameters
    ----------
    path : path
        A folder for which `is_snapshot` holds.

    Raises
    ------
    InputError
        A file is damaged, or of a version of the layout that is not known.
    """
    folder = Path(path)
    with _faults_of(folder / NODES) as file:
        table = pq.read_table(file)
        about = _about(file, table.schema.metadata or {})
        resources = Vocabulary(about.resources)
        with _faults_of(folder / IMAGES) as other:
            images = _images(pq.read_table(other))
        nodes = _nodes(table, resources, images)
    with _faults_of(folder / TEMPLATES) as file:
        templates = list(_templates(pq.read_table(file)))
    with _faults_of(folder / PODS) as file:
        pods = _pods(pq.read_table(file))
    with _faults_of(folder / OBJECTS) as file:
        objects = _objects(pq.read_table(file))
    return ClusterColumns(
        nodes=nodes,
        pods=pods,
        templates=templates,
        resources=resources,
        namespace_labels=labels_of_namespaces(
            objects.get("Namespace", ()), (template.namespace for template in templates)
        ),
        objects=objects,
        notes=[Note(topic, message) for topic, message in about.notes],
    )


@contextmanager
def _faults_of(file: Path) -> Iterator[Path]:
    try:
        yield file
    except (pa.ArrowException, OSError, KeyError, ValueError, msgspec.MsgspecError) as error:
        message = f"is no file of a snapshot that can be read: {' '.join(str(error).split())}"
        raise InputError([Fault(str(file), "", "", message)]) from error


def _about(file: Path, metadata: dict[bytes, bytes]) -> About:
    about = msgspec.json.decode(metadata.get(MARK, b"{}"), type=About)
    if about.version != VERSION:
        message = f"is of version {about.version} of the layout; this kplace reads version {VERSION}"
        raise InputError([Fault(str(file), "", "", message)])
    return about


def _nodes(table: pa.Table, resources: Vocabulary, images: dict[str, Image]) -> NodeColumns:
    names = table["name"].to_numpy().tolist()
    taint_set, taints = _codes(table["taints"])
    annotation, annotations = _codes(table["annotations"])
    distinct = [_TEXTS.decode(text) for text in annotations]
    labels = {
        column.removeprefix(LABEL): _codes(table[column]) for column in table.column_names if column.startswith(LABEL)
    }
    return NodeColumns(
        names=names,
        index={name: n for n, name in enumerate(names)},
        arrival=_numbers(table["arrival"]),
        labels={key: LabelColumn(codes, tuple(values)) for key, (codes, values) in labels.items()},
        annotations=tuple(distinct[code] for code in annotation.tolist()),
        taint_sets=tuple(_TAINTS.decode(text) for text in taints),
        taint_set=taint_set,
        unschedulable=_numbers(table["unschedulable"]),
        allocatable=np.array([_numbers(table[f"{ALLOCATABLE}{name}"]) for name in resources], np.int64),
        allowed_pods=_numbers(table["allowed_pods"]),
        images=images,
    )


def _pods(table: pa.Table) -> PodColumns:
    namespace, namespaces = _codes(table["namespace"])
    scheduler, schedulers = _codes(table["scheduler"])
    numbers: dict[str, Any] = {
        name: _numbers(table[name])
        for name in (
            *("template", "node", "nominated", "priority", "created_ns", "started_ns", "lasts_ns"),
            *("terminating", "preempted", "phase", "made"),
        )
    }
    return PodColumns(
        names=table["name"].to_numpy().tolist(),
        uids=table["uid"].to_numpy().tolist(),
        namespace=namespace,
        namespaces=Vocabulary(namespaces),
        scheduler=scheduler,
        schedulers=Vocabulary(schedulers),
        **numbers,
    )


def _templates(table: pa.Table) -> Iterator[Template]:
    columns = zip(
        table["body"].to_pylist(),
        table["shape"].to_pylist(),
        _vectors(table["request"]),
        _vectors(table["non_zero_request"]),
        _vectors(table["scored_request"]),
        strict=True,
    )
    for code, (raw, shape, request, non_zero, scored) in enumerate(columns):
        body = _BODY.decode(raw)
        yield Template(
            code=code,
            shape=shape,
            namespace=body.namespace,
            labels=body.labels,
            annotations=body.annotations,
            owner=body.owner,
            spec=body.spec,
            priority=body.spec.priority or 0,
            request=request,
            non_zero_request=non_zero,
            scored_request=scored,
            resize=body.resize,
            keyed_affinity=body.keyed_affinity,
        )


def _images(table: pa.Table) -> dict[str, Image]:
    lists = table["nodes"].combine_chunks()
    ends, held = lists.offsets.to_numpy(), lists.values.to_numpy(zero_copy_only=False)
    columns = zip(table["name"].to_pylist(), table["size"].to_pylist(), ends[:-1], ends[1:], strict=True)
    return {name: Image(size, held[start:end].copy()) for name, size, start, end in columns}


def _objects(table: pa.Table) -> dict[str, list[Struct]]:
    objects: dict[str, list[Struct]] = {}
    for kind, raw in zip(table["kind"].to_pylist(), table["object"].to_pylist(), strict=True):
        known = find_kind("", kind)
        if known is not None:
            objects.setdefault(kind, []).append(known.decoder.decode(raw))
    return objects


def _numbers(column: pa.ChunkedArray) -> Any:  # noqa: ANN401 - an array of whatever dtype the column has
    return column.to_numpy().copy()


def _vectors(column: pa.ChunkedArray) -> I64:
    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return flat.reshape(len(column), column.type.list_size)


def _codes(column: pa.ChunkedArray) -> tuple[I32, list[str]]:
    """Codes and distinct values of texts, in order of first appearance; nulls are `NO_VALUE`."""
    coded = column.combine_chunks()
    if not pa.types.is_dictionary(coded.type):
        coded = coded.dictionary_encode()
    codes = coded.indices.fill_null(NO_VALUE).to_numpy(zero_copy_only=False).astype(np.int32)
    return codes, coded.dictionary.to_pylist()
