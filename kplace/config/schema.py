"""Strict decoding of a parsed text into structs, and back to JSON, the way Go's decoder treats its own structs.

A type that a file may hold is a `Wire` struct. A field without a default is one that Go writes even if it is zero; a
field that may be None is a pointer. What is absent or null becomes the zero value of its type.
"""

import base64
import binascii
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, TypeGuard, TypeVar, Union, get_args, get_origin

import msgspec

from kplace.config.fields import child, item
from kplace.config.go import parse_duration, print_duration
from kplace.config.misfits import Misfit, Misfits
from kplace.config.nodes import Mapping, Node, Scalar, Sequence, is_null, plain


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The base of everything that a configuration file may hold."""


@dataclass(frozen=True, slots=True)
class Bits:
    """Width of a number."""

    width: int


@dataclass(frozen=True, slots=True)
class Nanoseconds:
    """Marks a duration: a text such as ``1m30s`` in the file, a number of nanoseconds in the struct."""


@dataclass(frozen=True, slots=True)
class Base64:
    """Marks bytes, which stay base64 text."""


Int32 = Annotated[int, Bits(32)]
Int64 = Annotated[int, Bits(64)]
Float32 = Annotated[float, Bits(32)]
Duration = Annotated[int, Nanoseconds()]
Bytes = Annotated[str, Base64()]

W = TypeVar("W", bound=Wire)

_LARGEST_FLOAT32 = 3.4028235677973366e38


class _Shape(Enum):
    TEXT = auto()
    FLAG = auto()
    INTEGER = auto()
    NUMBER = auto()
    DURATION = auto()
    BASE64 = auto()
    LIST = auto()
    TEXTS = auto()
    OBJECT = auto()
    RAW = auto()


@dataclass(frozen=True, slots=True)
class _Type:
    """An annotation, taken apart.

    Attributes
    ----------
    is_pointer : bool
        It may be None; the zero value is.
    bits : int
        Of an integer.
    element : _Type or None
        Of a list.
    struct : type or None
        Of an object.
    """

    shape: _Shape
    is_pointer: bool = False
    bits: int = 0
    element: "_Type | None" = None
    struct: type[Wire] | None = None

    @property
    def zero(self) -> Any:  # noqa: ANN401 - whatever the annotation says
        if self.is_pointer:
            return None
        if self.shape is _Shape.OBJECT:
            assert self.struct is not None
            return zero(self.struct)
        return _ZEROS[self.shape]


_ZEROS: dict[_Shape, Any] = {
    _Shape.TEXT: "",
    _Shape.FLAG: False,
    _Shape.INTEGER: 0,
    _Shape.NUMBER: 0.0,
    _Shape.DURATION: 0,
    _Shape.BASE64: "",
    _Shape.LIST: (),
    _Shape.TEXTS: {},
    _Shape.RAW: None,
}


def _taken_apart(annotation: Any) -> _Type:  # noqa: ANN401
    if annotation == Node | None:
        return _Type(_Shape.RAW, is_pointer=True)
    if get_origin(annotation) in {UnionType, Union}:
        (inner,) = (option for option in get_args(annotation) if option is not NoneType)
        return replace(_taken_apart(inner), is_pointer=True)
    if get_origin(annotation) is tuple:
        return _Type(_Shape.LIST, element=_taken_apart(get_args(annotation)[0]))
    if get_origin(annotation) is dict:
        return _Type(_Shape.TEXTS)
    if get_origin(annotation) is Annotated:
        base, mark = get_args(annotation)
        if isinstance(mark, Bits):
            return _Type(_Shape.INTEGER if base is int else _Shape.NUMBER, bits=mark.width)
        return _Type(_Shape.DURATION if isinstance(mark, Nanoseconds) else _Shape.BASE64)
    if issubclass(annotation, Wire):
        return _Type(_Shape.OBJECT, struct=annotation)
    return _Type({str: _Shape.TEXT, bool: _Shape.FLAG}[annotation])


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    key: str
    type: _Type
    is_always_written: bool


@cache
def _fields(kind: type[Wire]) -> dict[str, _Field]:
    return {
        info.encode_name: _Field(info.name, info.encode_name, _taken_apart(info.type), info.required)
        for info in msgspec.structs.fields(kind)
    }


@cache
def _zeros(kind: type[Wire]) -> dict[str, Any]:
    return {info.name: info.type.zero for info in _fields(kind).values()}


def zero(kind: type[W]) -> W:
    """The zero value of a struct."""
    return kind(**_zeros(kind))


def decode(kind: type[W], node: Node | None, path: str, misfits: Misfits) -> W:
    """Decode an object strictly.

    Parameters
    ----------
    kind : type
        A `Wire` struct.
    node : Node or None
        None and null give the zero value.
    path : str
        Where the object stands, for messages.
    misfits : Misfits
        Told all that is wrong; a field of a wrong type is left zero.

    Examples
    --------
    >>> class Point(Wire, frozen=True, kw_only=True):
    ...     x: Int32
    ...     label: str = ""
    >>> from kplace.config.yaml11 import parse_yaml
    >>> found = Misfits()
    >>> decode(Point, parse_yaml("{x: 3, label: 7, lable: a}")[0], "point", found)
    Point(x=3, label='')
    >>> [f"{misfit.field}: {misfit.message}" for misfit in found.found]
    ['point.label: expected text, got the number 7', 'point.lable: unknown field; did you mean "label"?']
    """
    if node is None or is_null(node):
        return zero(kind)
    if not isinstance(node, Mapping):
        misfits.wrong(node, path, "an object")
        return zero(kind)
    known = _fields(kind)
    values: dict[str, Any] = {}
    for entry in node.entries:
        where = child(path, entry.key)
        found = known.get(entry.key)
        if found is None:
            misfits.unknown(entry.line, where, entry.key, known)
            continue
        if found.name in values:
            misfits.repeated(entry.line, where)
        values[found.name] = _decode(found.type, entry.value, where, misfits)
    return msgspec.structs.replace(zero(kind), **values)


def _decode(kind: _Type, node: Node, path: str, misfits: Misfits) -> Any:  # noqa: ANN401
    if is_null(node) and (kind.is_pointer or kind.shape is not _Shape.DURATION):
        return kind.zero
    match kind.shape:
        case _Shape.RAW:
            return node
        case _Shape.OBJECT:
            assert kind.struct is not None
            return decode(kind.struct, node, path, misfits)
        case _Shape.LIST if isinstance(node, Sequence):
            assert kind.element is not None
            return tuple(_decode(kind.element, one, item(path, i), misfits) for i, one in enumerate(node.items))
        case _Shape.TEXTS if isinstance(node, Mapping):
            text = _Type(_Shape.TEXT)
            return {entry.key: _decode(text, entry.value, child(path, entry.key), misfits) for entry in node.entries}
        case _Shape.LIST | _Shape.TEXTS:
            misfits.wrong(node, path, "a list" if kind.shape is _Shape.LIST else "an object")
            return kind.zero
    return _decode_scalar(kind, node, path, misfits)


def _decode_scalar(kind: _Type, node: Node, path: str, misfits: Misfits) -> Any:  # noqa: ANN401
    value = node.value if isinstance(node, Scalar) else node
    match kind.shape:
        case _Shape.DURATION:
            # Go hands a null to the duration's own decoder, which takes it for an empty text.
            return _decode_duration("" if value is None else value, node, path, misfits)
        case _Shape.TEXT if isinstance(value, str):
            return value
        case _Shape.FLAG if isinstance(value, bool):
            return value
        case _Shape.INTEGER if _is_number(value) and isinstance(value, int) and _fits(value, kind.bits):
            return value
        case _Shape.NUMBER if _is_number(value) and abs(value) <= _LARGEST_FLOAT32:
            return float(value)
        case _Shape.BASE64 if isinstance(value, str) and _is_base64(value):
            return value
    misfits.wrong(node, path, _EXPECTED[kind.shape].format(kind.bits))
    return kind.zero


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _fits(value: int, bits: int) -> bool:
    return -(1 << bits - 1) <= value < 1 << bits - 1


_EXPECTED = {
    _Shape.TEXT: "text",
    _Shape.FLAG: "true or false",
    _Shape.INTEGER: "a whole number of {} bits",
    _Shape.NUMBER: "a number",
    _Shape.BASE64: "base64 text",
}


def _decode_duration(value: object, node: Node, path: str, misfits: Misfits) -> int:
    if not isinstance(value, str):
        misfits.wrong(node, path, 'a duration in quotes, such as "15s"')
        return 0
    try:
        return parse_duration(value)
    except ValueError as error:
        misfits.found.append(Misfit(node.line, path, f'{error}: expected a duration such as "15s"', True))
        return 0


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode("".join(text.split("\n")), validate=True)
    except binascii.Error:
        return False
    return True


def encode(value: Wire) -> dict[str, Any]:
    """Turn a struct into what JSON would say: zero values are left out unless Go writes them.

    Examples
    --------
    >>> class Timed(Wire, frozen=True, kw_only=True):
    ...     name: str
    ...     timeout: Duration = 0
    ...     weight: Int32 | None = None
    >>> encode(Timed(name="", timeout=0)), encode(Timed(name="a", timeout=90_000_000_000, weight=0))
    ({'name': '', 'timeout': '0s'}, {'name': 'a', 'timeout': '1m30s', 'weight': 0})
    """
    held = {info: getattr(value, info.name) for info in _fields(type(value)).values()}
    return {
        info.key: _encode(info.type, inner)
        for info, inner in held.items()
        if info.is_always_written or not _is_empty(info.type, inner)
    }


def _is_empty(kind: _Type, held: Any) -> bool:  # noqa: ANN401
    """Whether Go's ``omitempty`` leaves a value out: pointers only if nil, structs (a duration is one) never."""
    if held is None or held in ((), {}):
        return True
    return not (kind.is_pointer or kind.shape in {_Shape.DURATION, _Shape.OBJECT} or held)


def _encode(kind: _Type, held: Any) -> Any:  # noqa: ANN401
    if held is None:
        return None
    match kind.shape:
        case _Shape.OBJECT:
            return encode(held)
        case _Shape.LIST:
            assert kind.element is not None
            return [_encode(kind.element, inner) for inner in held]
        case _Shape.RAW:
            return plain(held)
        case _Shape.DURATION:
            return print_duration(held)
        case _Shape.NUMBER if held.is_integer():
            return int(held)
    return held
