"""Templates of objects: YAML with ``{{...}}``, of which names, numbers and upstream's arithmetic are understood."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import msgspec
import yaml
from msgspec import Struct

from kplace.errors import Fault, InputError
from kplace.io.kinds import WrongGroupError, find_kind

Values = Mapping[str, int | float | str | bool]
"""What ``{{.Name}}`` stands for."""

_EXPRESSION = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_TOKEN = re.compile(r"\(|\)|\"[^\"]*\"|[^\s()]+")

_FUNCTIONS: dict[str, Callable[[list[float]], float]] = {
    "AddInt": lambda numbers: int(sum(numbers)),
    "AddFloat": sum,
    "SubtractInt": lambda numbers: int(numbers[0] - numbers[1]),
    "SubtractFloat": lambda numbers: numbers[0] - numbers[1],
    "MultiplyInt": lambda numbers: int(reduce(lambda a, b: a * b, numbers, 1.0)),
    "MultiplyFloat": lambda numbers: reduce(lambda a, b: a * b, numbers, 1.0),
    "DivideInt": lambda numbers: int(numbers[0] / numbers[1]),
    "DivideFloat": lambda numbers: numbers[0] / numbers[1],
    "Mod": lambda numbers: int(math.fmod(int(numbers[0]), int(numbers[1]))),
}
# As upstream's files of 2024 have them.
_FUNCTIONS |= {"mod": _FUNCTIONS["Mod"], "div": _FUNCTIONS["DivideInt"]}
_UNPLACEABLE = {
    "resourceClaims": "its pods claim devices (resourceClaims), which kplace does not place by",
    "schedulingGroup": "its pods are scheduled in groups (schedulingGroup), which kplace does not do",
    "workloadRef": "its pods are scheduled in groups (workloadRef), which kplace does not do",
}


class TemplateError(ValueError):
    """A template cannot be used; the message says why."""


class ObjectTemplate:
    """A file that objects are made from.

    Parameters
    ----------
    path : Path
    text : str

    Attributes
    ----------
    is_constant : bool
        It has no expressions: all objects are alike but for their names.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self._text = text
        self.is_constant = _EXPRESSION.search(text) is None
        self._constant: tuple[str, dict[str, object]] | None = None

    @staticmethod
    def read(path: Path) -> "ObjectTemplate":
        """Read a template.

        Raises
        ------
        InputError
            There is no such file, or it cannot be read.
        """
        try:
            return ObjectTemplate(path, path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8"
            raise InputError([Fault(str(path), "", "", f"the template cannot be read: {why}")]) from error

    @staticmethod
    def of(operation: Mapping[str, Any], key: str) -> "ObjectTemplate | None":
        """Read the template that an operation names in a field; None if it names none.

        Raises
        ------
        InputError
            There is no such file, or it cannot be read.
        """
        return ObjectTemplate.read(operation[key]) if key in operation else None

    def hindrance(self) -> str:
        """Why no workload with this template can be run, as far as its text tells without values; empty if one can."""
        kind, version = self._field("kind"), self._field("apiVersion") or ""
        if kind is None:
            return ""
        try:
            if find_kind(version, kind) is None:
                return f"objects of kind {kind} are not understood"
        except WrongGroupError as error:
            return str(error)
        named = (
            text for word, text in _UNPLACEABLE.items() if re.search(rf"^\s*(- )?{word}:", self._text, re.MULTILINE)
        )
        return next(named, "") if kind == "Pod" else ""

    def _field(self, name: str) -> str | None:
        """A field of the object itself that stands on a line of its own."""
        found = re.search(rf"^{name}:\s*([\w./-]+)\s*$", self._text, re.MULTILINE)
        return found.group(1) if found else None

    def manifest(self, values: Values, kind: str) -> dict[str, object]:
        """One object as it would stand in a manifest; a template that does not say its kind is one of ``kind``.

        Raises
        ------
        InputError
            It is none.
        """
        if self._constant is not None and self.is_constant:
            return self._constant[1]
        try:
            found = yaml.safe_load(render(self._text, values))
        except (TemplateError, yaml.YAMLError) as error:
            raise InputError([Fault(str(self.path), "", "", " ".join(str(error).split()))]) from error
        if not isinstance(found, dict):
            raise InputError([Fault(str(self.path), "", "", "expected an object")])
        found.setdefault("kind", kind)
        self._constant = (kind, found)
        return found


def values_of(operation: Mapping[str, Any], index: int) -> Values:
    """What an operation's templates are filled in with for one of its objects."""
    return {"Index": index, "Count": operation["count"], **operation.get("templateParams", {})}


def decode(manifest: Mapping[str, object], path: Path) -> tuple[str, Struct]:
    """Kind and typed object of a manifest.

    Raises
    ------
    InputError
        It is of no kind that is understood, or a field is of another type.
    """
    kind = str(manifest.get("kind", ""))
    try:
        known = find_kind(str(manifest.get("apiVersion", "")), kind)
        if known is None:
            raise InputError([Fault(str(path), kind, "", "objects of this kind are not understood")])
        return known.name, msgspec.convert(dict(manifest), known.struct)
    except (WrongGroupError, msgspec.ValidationError) as error:
        raise InputError([Fault(str(path), kind, "", str(error))]) from error


def render(text: str, values: Values) -> str:
    """Fill in a template.

    Raises
    ------
    TemplateError
        An expression is not understood.

    Examples
    --------
    >>> render("name: n-{{.Index}}, zone: z{{Mod .Index 3}}, half: {{DivideInt (AddInt .Index 1) 2}}", {"Index": 7})
    'name: n-7, zone: z1, half: 4'
    """
    return _EXPRESSION.sub(lambda match: _text(_evaluate(match.group(1), values)), text)


def _evaluate(expression: str, values: Values) -> int | float | str | bool:
    tokens = _TOKEN.findall(expression)
    found, rest = _term(tokens, values, expression) if tokens[:1] == ["("] else _call(tokens, values, expression)
    if rest:
        msg = f"{{{{{expression}}}}}: only names such as .Index, numbers and {', '.join(_FUNCTIONS)} are understood"
        raise TemplateError(msg)
    return found


def _call(tokens: list[str], values: Values, whole: str) -> tuple[int | float | str | bool, list[str]]:
    """A function with its arguments, up to a closing bracket or the end; or a single term."""
    if not tokens or tokens[0] not in _FUNCTIONS:
        return _term(tokens, values, whole)
    function, rest, arguments = tokens[0], tokens[1:], []
    while rest and rest[0] != ")":
        found, rest = _term(rest, values, whole)
        arguments.append(_number(found, whole))
    try:
        return _FUNCTIONS[function](arguments), rest
    except (IndexError, ZeroDivisionError) as error:
        msg = f"{{{{{whole}}}}}: {function} cannot be worked out of {arguments}"
        raise TemplateError(msg) from error


def _term(tokens: Sequence[str], values: Values, whole: str) -> tuple[int | float | str | bool, list[str]]:
    first, rest = (tokens[0] if tokens else ""), list(tokens[1:])
    if first == "(":
        found, rest = _call(rest, values, whole)
        if rest[:1] != [")"]:
            msg = f"{{{{{whole}}}}}: a bracket is not closed"
            raise TemplateError(msg)
        return found, rest[1:]
    if first.startswith(".") and first[1:] in values:
        return values[first[1:]], rest
    if first.startswith('"'):
        return first.strip('"'), rest
    try:
        return float(first) if "." in first else int(first), rest
    except ValueError:
        known = ", ".join(f".{name}" for name in values)
        msg = f"{{{{{whole}}}}}: {first or 'nothing'} is not understood; there are {known} and {', '.join(_FUNCTIONS)}"
        raise TemplateError(msg) from None


def _number(value: float | str | bool, whole: str) -> float:
    try:
        return float(value)
    except ValueError:
        msg = f"{{{{{whole}}}}}: {value!r} is no number"
        raise TemplateError(msg) from None


def _text(value: float | str | bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
