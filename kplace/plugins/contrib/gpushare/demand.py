"""What pods take of GPUs, and the models that there are."""

from collections.abc import Mapping, Sequence

import numpy as np

from kplace.columns.annotations import GPU_COUNT, GPU_INDEX, GPU_MILLI, GPU_MODEL
from kplace.columns.cluster import ClusterColumns
from kplace.columns.quantity import QuantityError, value
from kplace.columns.templates import Template
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import CPU, Mask
from kplace.plugins.contrib.gpushare.kernels import MILLI, GpuDemand

BAR, HYPHEN = "|", "-"


class AnnotationError(ValueError):
    """An annotation cannot be read; the message says which and why."""


def read_demand(template: Template, models: Vocabulary, resources: Mapping[str, int]) -> GpuDemand:
    """What pods of a template take.

    Parameters
    ----------
    template : Template
    models : Vocabulary
        The models of the cluster.
    resources : mapping of str to int
        Rows of the resources by which pods ask for whole devices.

    Raises
    ------
    AnnotationError
    """
    annotations, cpu = template.annotations, int(template.request[CPU])
    wanted = allowed(_words(annotations.get(GPU_MODEL, ""), BAR), models)
    if GPU_MILLI in annotations or GPU_COUNT in annotations:
        count, milli = _whole(annotations, GPU_COUNT, 1), _whole(annotations, GPU_MILLI, MILLI)
        if milli > MILLI:
            msg = f"annotation {GPU_MILLI}: must not be more than {MILLI}, got {milli}"
            raise AnnotationError(msg)
        if not count or not milli:
            count = 0
        return GpuDemand(cpu, count, milli, wanted)
    count = sum(int(template.request[row]) for row in resources.values())
    return GpuDemand(cpu, count, MILLI, wanted)


def read_index(template: Template) -> tuple[int, ...]:
    """Numbers of the devices that pods of a template have on their node already; none if they do not say.

    Raises
    ------
    AnnotationError
    """
    text = template.annotations.get(GPU_INDEX, "")
    parts = _words(text, HYPHEN)
    if not all(part.isdecimal() for part in parts) or len(set(parts)) != len(parts):
        msg = f'annotation {GPU_INDEX}: expected numbers joined by hyphens, each once, got "{text}"'
        raise AnnotationError(msg)
    return tuple(map(int, parts))


def allowed(names: Sequence[str], models: Vocabulary) -> Mask:
    """By code of a model, whether it is one of some; all are if none are named. The last entry stands for no model."""
    if not names:
        return np.ones(len(models) + 1, np.bool_)
    mask = np.zeros(len(models) + 1, np.bool_)
    mask[[code for name in names if (code := models.find(name)) >= 0]] = True
    return mask


def known_models(columns: ClusterColumns) -> Vocabulary:
    """The models that nodes have, in the order of the nodes."""
    return Vocabulary(columns.nodes.label_values(GPU_MODEL))


def _words(text: str, separator: str) -> list[str]:
    return [word for part in text.split(separator) if (word := part.strip())]


def _whole(annotations: Mapping[str, str], key: str, default: int) -> int:
    text = annotations.get(key)
    if text is None:
        return default
    try:
        number = value(text)
    except QuantityError as error:
        msg = f"annotation {key}: {error}"
        raise AnnotationError(msg) from error
    if number < 0:
        msg = f"annotation {key}: must not be negative, got {number}"
        raise AnnotationError(msg)
    return number
