"""Functions from utilisation to score, which several plugins' arguments hold."""

from collections.abc import Sequence
from itertools import pairwise

from kplace.config.fields import FieldError, child, item
from kplace.config.schema import Int32, Wire

MAX_UTILIZATION, MAX_SCORE = 100, 10


class UtilizationShapePoint(Wire, frozen=True, kw_only=True):
    """A point of the function."""

    utilization: Int32
    score: Int32


def shape_errors(shape: Sequence[UtilizationShapePoint], path: str) -> list[FieldError]:
    """Say what is wrong with a shape (upstream's ``validateFunctionShape``).

    Examples
    --------
    >>> points = [UtilizationShapePoint(utilization=50, score=0), UtilizationShapePoint(utilization=20, score=11)]
    >>> for error in shape_errors(points, "shape"):
    ...     print(error)
    shape[1].utilization: Invalid value: 20: values must be sorted in increasing order
    shape[1].score: Invalid value: 11: not in valid range [0, 10]
    """
    if not shape:
        return [FieldError.required(path, "at least one point must be specified")]
    errors = []
    for i, (before, point) in enumerate(pairwise(shape), 1):
        if before.utilization >= point.utilization:
            where = child(item(path, i), "utilization")
            errors.append(FieldError.invalid(where, point.utilization, "values must be sorted in increasing order"))
            break
    for i, point in enumerate(shape):
        for name, value, most in (
            ("utilization", point.utilization, MAX_UTILIZATION),
            ("score", point.score, MAX_SCORE),
        ):
            if not 0 <= value <= most:
                where = child(item(path, i), name)
                errors.append(FieldError.invalid(where, value, f"not in valid range [0, {most}]"))
    return errors
