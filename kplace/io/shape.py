"""Why an object does not fit its struct: every value of a wrong type, with its path, in one walk.

Only objects that the fast decoder has refused come here.
"""

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec import inspect

Problem = tuple[str, str]
"""The path of a field inside its object, and what is wrong with it."""

_ABSENT = object()
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
_INT64 = range(-(2**63), 2**63)
_NAMES = {
    inspect.StrType: "a string",
    inspect.IntType: "an integer",
    inspect.FloatType: "a number",
    inspect.BoolType: "true or false",
}


def fit(value: object, struct: type[msgspec.Struct]) -> tuple[dict[str, object], list[Problem]]:
    """Cut a value down to what a struct takes.

    Parameters
    ----------
    value : object
        A decoded JSON value.
    struct : type
        A struct type.

    Returns
    -------
    fitting : dict
        The fields that the struct knows, without nulls and without what does not fit.
    problems : list of (path, message)
        What does not fit, in the order of the struct. A null is no problem, it means absent; nor is ``3.0`` for 3.

    Examples
    --------
    >>> class Point(msgspec.Struct):
    ...     x: int = 0
    ...     y: int = 0
    >>> fit({"x": "one", "y": None, "z": 1}, Point)
    ({}, [('x', 'expected an integer, got a string ("one")')])
    """
    problems: list[Problem] = []
    fitting = _fit(value, _type_of(struct), "", problems)
    return (fitting if isinstance(fitting, dict) else {}), problems


def join_path(path: str, step: str) -> str:
    """Extend a field's path by a step: a field, ``[0]`` or ``[example.com/key]``.

    Examples
    --------
    >>> join_path("spec", "containers"), join_path("spec.containers", "[0]"), join_path("", "spec")
    ('spec.containers', 'spec.containers[0]', 'spec')
    """
    return f"{path}.{step}" if path and step and not step.startswith("[") else path + step


def key_step(key: str) -> str:
    """Write a key of a map as a step of a path, in brackets if it holds more than letters, digits, ``-`` and ``_``.

    Examples
    --------
    >>> key_step("cpu"), key_step("nvidia.com/gpu")
    ('cpu', '[nvidia.com/gpu]')
    """
    return key if _PLAIN_KEY.fullmatch(key) else f"[{key}]"


def described(value: object) -> str:
    """Name a JSON value for a message: ``a string ("web")``, ``a list``.

    Examples
    --------
    >>> described(True), described({}), described(1.5)
    ('a boolean (true)', 'an object', 'a number (1.5)')
    """
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "null"
    kind = "a boolean" if isinstance(value, bool) else "a string" if isinstance(value, str) else "a number"
    text = str(value) if kind == "a number" else msgspec.json.encode(value).decode()
    return f"{kind} ({text})" if len(text) <= 60 else kind


@functools.cache
def _type_of(struct: type[msgspec.Struct]) -> inspect.Type:
    return inspect.type_info(struct)


def _fit(value: object, wanted: inspect.Type, path: str, problems: list[Problem]) -> object:
    if value is None:
        return _ABSENT
    if isinstance(wanted, inspect.UnionType):
        return _fit_union(value, wanted, path, problems)
    walk = _WALKS.get(type(wanted))
    if walk is not None:
        return walk(value, wanted, path, problems)
    if isinstance(wanted, inspect.IntType) and isinstance(value, float) and value.is_integer():
        value = int(value)
    if _is_scalar_of(value, wanted):
        return value
    message = f"expected {_NAMES[type(wanted)]}, got {described(value)}"
    if isinstance(wanted, inspect.StrType) and isinstance(value, int | float):
        message += ": put it in quotes"
    problems.append((path, message))
    return _ABSENT


def _fit_union(value: object, wanted: inspect.UnionType, path: str, problems: list[Problem]) -> object:
    choices = [choice for choice in wanted.types if not isinstance(choice, inspect.NoneType)]
    if len(choices) == 1:
        return _fit(value, choices[0], path, problems)
    if any(_is_scalar_of(value, choice) for choice in choices):
        return float(value) if isinstance(value, int) and value not in _INT64 else value
    names = [_NAMES[type(choice)] for choice in choices if not isinstance(choice, inspect.IntType)]
    names += ["a number"] if "a number" not in names else []
    problems.append((path, f"expected {' or '.join(names)}, got {described(value)}"))
    return _ABSENT


def _fit_struct(value: object, wanted: inspect.StructType, path: str, problems: list[Problem]) -> object:
    if not isinstance(value, dict):
        return _wrong_shape("an object", value, path, problems)
    fields = (
        (field.encode_name, _fit(value[field.encode_name], field.type, join_path(path, field.encode_name), problems))
        for field in wanted.fields
        if field.encode_name in value
    )
    return _present(fields)


def _fit_map(value: object, wanted: inspect.DictType, path: str, problems: list[Problem]) -> object:
    if not isinstance(value, dict):
        return _wrong_shape("an object", value, path, problems)
    return _present(
        (key, _fit(item, wanted.value_type, join_path(path, key_step(key)), problems)) for key, item in value.items()
    )


def _fit_list(value: object, wanted: inspect.VarTupleType, path: str, problems: list[Problem]) -> object:
    if not isinstance(value, list):
        return _wrong_shape("a list", value, path, problems)
    items = [_fit(item, wanted.item_type, f"{path}[{i}]", problems) for i, item in enumerate(value)]
    return [item for item in items if item is not _ABSENT]


def _keep(value: object, _wanted: inspect.Type, _path: str, _problems: list[Problem]) -> object:
    return value


_WALKS: dict[type[inspect.Type], Callable[[object, Any, str, list[Problem]], object]] = {
    inspect.StructType: _fit_struct,
    inspect.DictType: _fit_map,
    inspect.VarTupleType: _fit_list,
    inspect.RawType: _keep,
}


def _present(fields: Iterator[tuple[str, object]]) -> dict[str, object]:
    return {key: item for key, item in fields if item is not _ABSENT}


def _wrong_shape(wanted: str, value: object, path: str, problems: list[Problem]) -> object:
    problems.append((path, f"expected {wanted}, got {described(value)}"))
    return _ABSENT


def _is_scalar_of(value: object, wanted: inspect.Type) -> bool:
    if isinstance(wanted, inspect.StrType):
        return isinstance(value, str)
    if isinstance(wanted, inspect.BoolType):
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if isinstance(wanted, inspect.IntType):
        return isinstance(value, int) and value in _INT64
    return isinstance(wanted, inspect.FloatType) and isinstance(value, int | float)
