"""Strict reading of plain values into the structs of a description: every fault, with its path."""

import functools
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from kplace.config.misfits import suggestion
from kplace.io.shape import described, join_path, key_step

S = TypeVar("S", bound=msgspec.Struct)
Problem = tuple[str, str]
"""A path and what is wrong there."""


def read_struct(value: object, struct: type[S]) -> tuple[S | None, list[Problem]]:
    """Read a struct.

    Parameters
    ----------
    value : object
        As TOML or YAML gives it.
    struct : type

    Returns
    -------
    struct : Struct or None
        None if there are problems.
    problems : list of (path, message)

    Examples
    --------
    >>> class Point(msgspec.Struct):
    ...     across: int
    ...     label: str = ""
    >>> for path, message in read_struct({"across": "1", "lable": "a"}, Point)[1]:
    ...     print(f"{path}: {message}")
    across: expected a whole number, got a string ("1")
    lable: unknown field; did you mean "label"?
    """
    problems = list(_problems(value, inspect.type_info(struct), ""))
    return (None, problems) if problems else (msgspec.convert(value, struct), [])


def _problems(value: object, wanted: inspect.Type, path: str) -> Iterator[Problem]:
    match wanted:
        case inspect.UnionType(types=types):
            yield from _union_problems(value, types, path)
        case inspect.StructType():
            yield from _struct_problems(value, wanted, path)
        case inspect.DictType(value_type=kind):
            if not isinstance(value, dict):
                yield path, f"expected {_name(wanted)}, got {described(value)}"
                return
            for key, item in value.items():
                yield from _problems(item, kind, join_path(path, key_step(str(key))))
        case inspect.VarTupleType(item_type=kind):
            if not isinstance(value, list | tuple):
                yield path, f"expected {_name(wanted)}, got {described(value)}"
                return
            for i, item in enumerate(value):
                yield from _problems(item, kind, f"{path}[{i}]")
        case inspect.AnyType():
            return
        case _:
            if not _is_of(value, wanted):
                yield path, f"expected {_name(wanted)}, got {described(value)}"


def _union_problems(value: object, types: tuple[inspect.Type, ...], path: str) -> Iterator[Problem]:
    choices = [kind for kind in types if not isinstance(kind, inspect.NoneType)]
    if any(_is_of(value, kind) for kind in choices):
        return
    inner = _matching(value, choices)
    if inner is not None:
        yield from _problems(value, inner, path)
        return
    names = dict.fromkeys(map(_name, choices))
    if {"a number", "a whole number"} <= names.keys():
        del names["a whole number"]
    yield path, f"expected {' or '.join(names)}, got {described(value)}"


def _matching(value: object, choices: list[inspect.Type]) -> inspect.Type | None:
    """The one choice that a table or a list can be meant for."""
    shape: tuple[type[inspect.Type], ...] = ()
    if isinstance(value, dict):
        shape = (inspect.StructType, inspect.DictType)
    elif isinstance(value, list | tuple):
        shape = (inspect.VarTupleType,)
    return next((kind for kind in choices if isinstance(kind, shape)), None)


def _struct_problems(value: object, wanted: inspect.StructType, path: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield path, f"expected {_name(wanted)}, got {described(value)}"
        return
    fields = _fields(wanted.cls)
    for key, item in value.items():
        where = join_path(path, key_step(str(key)))
        if key in fields:
            yield from _problems(item, fields[key].type, where)
        else:
            yield where, f"unknown field{suggestion(str(key), fields)}"
    for name, field in fields.items():
        if field.required and name not in value:
            yield join_path(path, name), "is missing"


@functools.cache
def _fields(struct: type[msgspec.Struct]) -> dict[str, inspect.Field]:
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    return {field.encode_name: field for field in info.fields}


def _is_of(value: object, wanted: inspect.Type) -> bool:
    if isinstance(wanted, inspect.StrType):
        return isinstance(value, str)
    if isinstance(wanted, inspect.BoolType):
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if isinstance(wanted, inspect.IntType):
        return isinstance(value, int)
    return isinstance(wanted, inspect.FloatType) and isinstance(value, int | float)


_NAMES: dict[type[inspect.Type], str] = {
    inspect.StrType: "text",
    inspect.IntType: "a whole number",
    inspect.FloatType: "a number",
    inspect.BoolType: "true or false",
    inspect.StructType: "a table",
    inspect.DictType: "a table",
    inspect.VarTupleType: "a list",
}


def _name(kind: inspect.Type) -> str:
    return _NAMES[type(kind)]


def plain(value: Any) -> Any:  # noqa: ANN401 - any plain value
    """A struct as plain values, without what is as it is by default.

    Examples
    --------
    >>> class Point(msgspec.Struct):
    ...     across: int
    ...     label: str = ""
    >>> plain(Point(1))
    {'across': 1}
    """
    if isinstance(value, msgspec.Struct):
        given = {
            field.encode_name: getattr(value, field.name)
            for field in _fields(type(value)).values()
            if field.required or not _is_default(field, getattr(value, field.name))
        }
        return {key: plain(item) for key, item in given.items()}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _is_default(field: inspect.Field, value: object) -> bool:
    if field.default_factory is not msgspec.NODEFAULT:
        return bool(value == field.default_factory())
    return bool(value == field.default)
