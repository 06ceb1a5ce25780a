"""A plugin's own dataclass as the arguments that a configuration gives it: decoding, defaults, checks.

Fields are written in camelCase in the file. What a field may be: ``bool``, ``int``, ``float``, ``str``, an `Enum` of
texts, a ``Literal`` of texts, a ``timedelta`` (``"1m30s"`` in the file), another such dataclass, ``tuple[T, ...]`` or
``list[T]`` of these, ``dict[str, str]``, and any of it ``| None``. A field without a default is required.

A method ``check(self)`` may yield pairs of a field's name and what is wrong with it.
"""

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass
from datetime import timedelta
from enum import Enum
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from kplace.config.catalogue import ArgsSpec
from kplace.config.fields import FieldError, child, item
from kplace.config.gates import FeatureGates
from kplace.config.schema import Bits, Duration, Int64, Wire, encode
from kplace.config.wire import TypeMeta
from kplace.errors import PluginError

_MICROSECOND = 1_000


def args_spec(plugin: str, kind: type) -> ArgsSpec[TypeMeta]:
    """How the arguments of a plugin are read into its dataclass.

    Parameters
    ----------
    plugin : str
        Its name.
    kind : type
        The dataclass.

    Raises
    ------
    PluginError
        It is no dataclass, or a field is of a type that no configuration can give.

    Examples
    --------
    >>> from kplace.config import FeatureGates
    >>> @dataclass(frozen=True)
    ... class Args:
    ...     label: str
    ...     most: int = 3
    ...
    ...     def check(self):
    ...         if self.most < 1:
    ...             yield "most", "must be greater than 0"
    >>> spec = args_spec("Example", Args)
    >>> spec.build(spec.default(spec.wire(label="rack"), FeatureGates()))
    Args(label='rack', most=3)
    >>> [str(error) for error in spec.check(spec.wire(most=0), "args", FeatureGates())]
    ['args.label: Required value']
    >>> [str(error) for error in spec.check(spec.wire(label="rack", most=0), "args", FeatureGates())]
    ['args.most: Invalid value: 0: must be greater than 0']
    """
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
        msg = f"plugin {plugin}: Args must be a dataclass, got {kind!r}"
        raise PluginError(msg)
    whole = _Object(kind, f"{plugin}Args", f"plugin {plugin}: Args", TypeMeta)
    return ArgsSpec(whole.wire, whole.build, whole.default, whole.check)


@dataclass(frozen=True, slots=True)
class _Kind:
    """One type of field: how it stands in a file, and the ways there and back.

    Attributes
    ----------
    wire : object
        The annotation of the struct's field.
    read : callable
        From the file's value to the dataclass's.
    write : callable
        And back.
    errors : callable
        What is wrong with the file's value, given the path to it.
    """

    wire: Any
    read: Callable[[Any], Any]
    write: Callable[[Any], Any]
    errors: Callable[[Any, str], list[FieldError]] = lambda _value, _path: []


def _same(value: Any) -> Any:  # noqa: ANN401 - whatever the field holds
    return value


_PLAIN: dict[Any, Any] = {bool: bool, int: Int64, float: Annotated[float, Bits(64)], str: str}


def _kind_of(annotation: Any, where: str) -> _Kind:  # noqa: ANN401 - a type of any sort
    if annotation in _PLAIN:
        return _Kind(_PLAIN[annotation], annotation, _same)
    if annotation is timedelta:
        return _Kind(Duration, _timedelta, lambda value: value // timedelta(microseconds=1) * _MICROSECOND)
    if get_origin(annotation) is Literal:
        return _one_of(get_args(annotation), _same, _same, where)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _one_of([member.value for member in annotation], annotation, lambda member: member.value, where)
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        nested = _Object(annotation, annotation.__name__, where, Wire)
        return _Kind(nested.wire, nested.build, nested.to_wire, nested.errors)
    if get_origin(annotation) in (tuple, list):
        return _list_of(annotation, where)
    if get_origin(annotation) is dict and get_args(annotation) == (str, str):
        return _Kind(dict[str, str], dict, dict)
    msg = f"{where}: a configuration cannot give a {annotation}"
    raise PluginError(msg)


def _timedelta(nanoseconds: int) -> timedelta:
    return timedelta(microseconds=nanoseconds / _MICROSECOND)


def _one_of(words: Iterable[object], read: Callable[[Any], Any], write: Callable[[Any], Any], where: str) -> _Kind:
    known = [word for word in words if isinstance(word, str)]
    if not known or len(known) != len(list(words)):
        msg = f"{where}: expected texts to choose from"
        raise PluginError(msg)

    def errors(value: str, path: str) -> list[FieldError]:
        return [] if value in known else [FieldError.not_supported(path, value, known)]

    return _Kind(str, read, write, errors)


def _list_of(annotation: Any, where: str) -> _Kind:  # noqa: ANN401
    inner = _kind_of(get_args(annotation)[0], where)
    collect = get_origin(annotation)

    def errors(values: Iterable[Any], path: str) -> list[FieldError]:
        return [error for i, value in enumerate(values) for error in inner.errors(value, item(path, i))]

    return _Kind(
        GenericAlias(tuple, (inner.wire, Ellipsis)),
        lambda values: collect(map(inner.read, values)),
        lambda values: tuple(map(inner.write, values)),
        errors,
    )


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    key: str
    kind: _Kind
    is_required: bool
    default: Callable[[], Any]


class _Object:
    """A dataclass and the struct that stands for it in a file, in which every field may be absent.

    Attributes
    ----------
    wire : type
        The struct.
    """

    def __init__(self, kind: type, name: str, where: str, base: type[Wire]) -> None:
        self._kind = kind
        self._fields = list(_fields(kind, where))
        columns = [(field.name, field.kind.wire | None, None) for field in self._fields]
        self.wire: type[Any] = msgspec.defstruct(name, columns, bases=(base,), frozen=True, kw_only=True)

    def build(self, args: Any) -> Any:  # noqa: ANN401
        """Make the dataclass."""
        held = {field.name: getattr(args, field.name) for field in self._fields}
        given = {
            field.name: field.kind.read(held[field.name]) for field in self._fields if held[field.name] is not None
        }
        return self._kind(**given)

    def to_wire(self, value: Any) -> Any:  # noqa: ANN401
        """Turn the dataclass back into the struct."""
        held = {field: getattr(value, field.name) for field in self._fields}
        return self.wire(**{field.name: field.kind.write(one) for field, one in held.items() if one is not None})

    def default(self, args: Any, _gates: FeatureGates) -> Any:  # noqa: ANN401
        """Fill in what is absent and has a default."""
        absent = [field for field in self._fields if not field.is_required and getattr(args, field.name) is None]
        defaults = {field.name: field.default() for field in absent}
        filled = {field.name: defaults[field.name] for field in absent if defaults[field.name] is not None}
        return msgspec.structs.replace(args, **{name: self._written(name, value) for name, value in filled.items()})

    def check(self, args: Any, path: str, _gates: FeatureGates) -> list[FieldError]:  # noqa: ANN401
        """List what is wrong."""
        return self.errors(args, path)

    def errors(self, args: Any, path: str) -> list[FieldError]:  # noqa: ANN401
        """List what is wrong with the fields, and if nothing is, what the dataclass says itself."""
        found = []
        for field in self._fields:
            value, where = getattr(args, field.name), child(path, field.key)
            if value is not None:
                found += field.kind.errors(value, where)
            elif field.is_required:
                found.append(FieldError.required(where))
        return found or self._own_errors(args, path)

    def _own_errors(self, args: Any, path: str) -> list[FieldError]:  # noqa: ANN401
        try:
            built = self.build(args)
        except ValueError as error:
            return [FieldError.invalid(path, encode(args), str(error))]
        keys = {field.name: field.key for field in self._fields}
        return [
            FieldError.invalid(child(path, keys.get(name, name)), encode(args).get(keys.get(name, name), ""), detail)
            for name, detail in (built.check() if hasattr(built, "check") else ())
        ]

    def _written(self, name: str, value: Any) -> Any:  # noqa: ANN401
        (kind,) = (field.kind for field in self._fields if field.name == name)
        return kind.write(value)


def _fields(kind: type, where: str) -> Iterable[_Field]:
    try:
        hints = get_type_hints(kind)
    except NameError as error:
        msg = f"{where}: {error}"
        raise PluginError(msg) from error
    for info in dataclasses.fields(kind):
        if not info.init:
            continue
        inner = _kind_of(_not_none(hints[info.name]), f"{where}.{info.name}")
        is_required = info.default is MISSING and info.default_factory is MISSING
        make = info.default_factory if info.default_factory is not MISSING else _constant(info.default)
        yield _Field(info.name, _camel(info.name), inner, is_required, make)


def _constant(value: Any) -> Callable[[], Any]:  # noqa: ANN401
    return lambda: value


def _not_none(annotation: Any) -> Any:  # noqa: ANN401
    """What an annotation says beside None."""
    if get_origin(annotation) not in (UnionType, Union):
        return annotation
    options = [option for option in get_args(annotation) if option is not NoneType]
    return options[0] if len(options) == 1 else annotation


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
