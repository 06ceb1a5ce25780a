"""A cluster written as a snapshot."""

import os
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kplace.columns import ClusterColumns
from kplace.columns.nodes import NodeColumns
from kplace.columns.pods import PodColumns
from kplace.columns.templates import Template
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I32
from kplace.io.atomic import writing_folder
from kplace.io.manifests import encoded
from kplace.io.snapshot.layout import (
    ALLOCATABLE,
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

Columns = dict[str, Any]
_ENCODER = msgspec.json.Encoder()


def write_snapshot(columns: ClusterColumns, path: str | os.PathLike[str]) -> None:
    """Write a cluster as a folder of Parquet files.

    Parameters
    ----------
    columns : ClusterColumns
    path : path
        A new or an empty folder; it is there in full or not at all.

    Raises
    ------
    OutputError
        It cannot be written, or there is something in its place.
    """
    about = About(VERSION, tuple(columns.resources), tuple((note.topic, note.message) for note in columns.notes))
    with writing_folder(path) as folder:
        _write(folder, NODES, _nodes(columns.nodes, columns.resources), {MARK: _ENCODER.encode(about)})
        _write(folder, PODS, _pods(columns.pods))
        _write(folder, TEMPLATES, _templates(columns.templates, len(columns.resources)))
        _write(folder, IMAGES, _images(columns.nodes))
        _write(folder, OBJECTS, _objects(columns))


def _write(folder: Path, name: str, columns: Columns, metadata: dict[bytes, bytes] | None = None) -> None:
    table = pa.table(columns).replace_schema_metadata(metadata or {MARK: b""})
    pq.write_table(table, folder / name, compression="zstd", use_dictionary=False)


def _nodes(nodes: NodeColumns, resources: Vocabulary) -> Columns:
    table: Columns = {
        "name": pa.array(nodes.names, pa.string()),
        "arrival": nodes.arrival,
        "unschedulable": nodes.unschedulable,
        "taints": _coded(nodes.taint_set, [_ENCODER.encode(taints).decode() for taints in nodes.taint_sets]),
        "annotations": _distinct([_ENCODER.encode(item).decode() for item in nodes.annotations]),
        "allowed_pods": nodes.allowed_pods,
    }
    table |= {f"{ALLOCATABLE}{name}": nodes.allocatable[row] for row, name in enumerate(resources)}
    table |= {f"{LABEL}{key}": _coded(column.codes, list(column.values)) for key, column in nodes.labels.items()}
    return table


def _pods(pods: PodColumns) -> Columns:
    return {
        "name": pa.array(pods.names, pa.string()),
        "uid": pa.array(pods.uids, pa.string()),
        "namespace": _coded(pods.namespace, list(pods.namespaces)),
        "template": pods.template,
        "node": pods.node,
        "nominated": pods.nominated,
        "priority": pods.priority,
        "created_ns": pods.created_ns,
        "started_ns": pods.started_ns,
        "lasts_ns": pods.lasts_ns,
        "terminating": pods.terminating,
        "preempted": pods.preempted,
        "phase": pods.phase,
        "scheduler": _coded(pods.scheduler, list(pods.schedulers)),
        "made": pods.made,
    }


def _templates(templates: list[Template], n_resources: int) -> Columns:
    vector = pa.list_(pa.int64(), n_resources)
    bodies = (
        TemplateBody(
            namespace=item.namespace,
            spec=item.spec,
            labels=item.labels,
            annotations=item.annotations,
            owner=item.owner,
            resize=item.resize,
            keyed_affinity=item.keyed_affinity,
        )
        for item in templates
    )
    return {
        "body": pa.array([_ENCODER.encode(body) for body in bodies], pa.binary()),
        "shape": pa.array([item.shape for item in templates], pa.int32()),
        "request": pa.array([item.request for item in templates], vector),
        "non_zero_request": pa.array([item.non_zero_request for item in templates], pa.list_(pa.int64(), 2)),
        "scored_request": pa.array([item.scored_request for item in templates], vector),
    }


def _images(nodes: NodeColumns) -> Columns:
    images = nodes.images
    ends = np.cumsum([0, *(len(image.nodes) for image in images.values())])
    held = np.concatenate([np.zeros(0, np.int32), *(image.nodes for image in images.values())])
    return {
        "name": pa.array(list(images), pa.string()),
        "size": pa.array([image.size for image in images.values()], pa.int64()),
        "nodes": pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), pa.array(held, pa.int32())),
    }


def _objects(columns: ClusterColumns) -> Columns:
    kinds = [kind for kind, items in columns.objects.items() for _ in items]
    texts = [encoded(kind, item) for kind, items in columns.objects.items() for item in items]
    return {"kind": pa.array(kinds, pa.string()), "object": pa.array(texts, pa.binary())}


def _coded(codes: I32, values: list[str]) -> pa.DictionaryArray:
    """Texts by code; negative codes are null."""
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32(), mask=codes < 0), pa.array(values, pa.string()))


def _distinct(texts: list[str]) -> pa.DictionaryArray:
    vocabulary = Vocabulary()
    codes = np.fromiter(map(vocabulary.code, texts), np.int32, len(texts))
    return _coded(codes, list(vocabulary))
