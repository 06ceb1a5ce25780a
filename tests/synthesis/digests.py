"""What makes two clusters the same, as one hash."""

import dataclasses
import hashlib
import sys

import msgspec
import numpy as np

from kplace.columns import ClusterColumns
from kplace.columns.vocab import Vocabulary
from kplace.synthesis import generate, load_description


def digest(columns: ClusterColumns) -> str:
    """Hash of nodes, pods, templates and all other objects."""
    total = hashlib.sha256()
    for part in (columns.nodes, columns.pods, *columns.templates):
        for field in dataclasses.fields(part):
            if not field.name.startswith("_"):
                total.update(_bytes(getattr(part, field.name)))
    for item in (list(columns.resources), columns.namespace_labels, columns.objects):
        total.update(_bytes(item))
    return total.hexdigest()


def _bytes(value: object) -> bytes:
    if isinstance(value, np.ndarray):
        return value.dtype.str.encode() + np.ascontiguousarray(value).tobytes()
    if isinstance(value, Vocabulary):
        return _bytes(list(value))
    if isinstance(value, dict):
        return b"".join(key.encode() + _bytes(value[key]) for key in sorted(value))
    if dataclasses.is_dataclass(value):
        return b"".join(_bytes(getattr(value, field.name)) for field in dataclasses.fields(value))
    if isinstance(value, list | tuple) and value and not isinstance(value[0], str | int | msgspec.Struct):
        return b"".join(map(_bytes, value))
    return msgspec.json.encode(value, order="sorted")


if __name__ == "__main__":
    sys.stdout.write(digest(generate(load_description("web", pods=300), 3)))
