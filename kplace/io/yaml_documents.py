"""YAML as kubectl reads it, turned into JSON document by document."""

import math
import re
from collections.abc import Iterator

import msgspec
import yaml

_SEPARATOR = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_NO_CONTENT = re.compile(r"(?:[ \t]*(?:#.*)?(?:\n|$)|%.*(?:\n|$))*")
_TEMPLATE = re.compile(r"\{\{.*?(?:\}\}|$)", re.MULTILINE)
_MERGE = "tag:yaml.org,2002:merge"
_DEEPEST = 200


class YamlError(Exception):
    """A text is not YAML that means a JSON document; the message says where and why."""


def yaml_to_json(text: str, first_line: int = 0) -> Iterator[bytes | YamlError]:
    """Turn the documents of a YAML text into JSON.

    Parameters
    ----------
    text : str
        Any number of documents, parted by ``---``.
    first_line : int
        How many lines of the file stand before the text.

    Yields
    ------
    bytes or YamlError
        In the order of the text, empty documents left out; each mistake is given in place of its document.

    Notes
    -----
    Scalars are resolved as by sigs.k8s.io/yaml, which kubectl uses (YAML 1.1: ``yes``, ``off`` and ``y`` are booleans,
    ``010`` is 8), except that timestamps stay strings there as well. Keys become strings; a key given twice in one
    mapping is a mistake.
    """
    for line, piece in _pieces(text):
        try:
            yield from _load(piece, first_line + line)
        except YamlError as error:
            yield error


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Cut at the separators, so that a mistake in one document does not hide the others; with lines from 0."""
    starts = [0, *(match.start() for match in _SEPARATOR.finditer(text))]
    line = 0
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        piece = text[start:end]
        nothing = _NO_CONTENT.match(piece)
        if nothing is None or nothing.end() < len(piece):
            yield line, piece
        line += piece.count("\n")


def _load(piece: str, first_line: int) -> Iterator[bytes | YamlError]:
    loader = _Loader(piece)
    try:
        while loader.check_data():
            value = loader.get_data()
            for mark, key, first in loader.repeated:
                where = _where(mark, first_line)
                yield YamlError(f'{where}: the key "{key}" is given twice, first on line {first_line + first.line + 1}')
            if value is not None and not loader.repeated:
                yield msgspec.json.encode(_Plainer(len(piece)).plain(value))
            loader.repeated.clear()
    except yaml.YAMLError as error:
        raise YamlError(_message(error, piece, first_line)) from error
    except _UnfitError as error:
        msg = f"line {first_line + 1}: the document {error}"
        raise YamlError(msg) from error
    except RecursionError as error:
        msg = f"line {first_line + 1}: the document is nested too deeply"
        raise YamlError(msg) from error
    finally:
        loader.dispose()


def _message(error: yaml.YAMLError, piece: str, first_line: int) -> str:
    template = _TEMPLATE.search(piece)
    if template is not None:
        line = first_line + piece.count("\n", 0, template.start()) + 1
        return f"line {line}: an unrendered Helm template ({template[0][:40]}): render it first, with `helm template`"
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return f"not valid YAML: {' '.join(str(error).split())}"
    mark = error.problem_mark
    where = _where(mark, first_line)
    lines = piece.splitlines()
    indentation = re.match(r"\s*", lines[mark.line]) if mark.line < len(lines) else None
    if indentation and "\t" in indentation[0]:
        return f"not valid YAML: {where}: a tab in the indentation: YAML wants blanks"
    return f"not valid YAML: {where}: {error.problem}" + (f" ({error.context})" if error.context else "")


def _where(mark: yaml.Mark, first_line: int) -> str:
    return f"line {first_line + mark.line + 1}, column {mark.column + 1}"


class _UnfitError(Exception):
    """A document cannot be said in JSON."""


class _Plainer:
    """Makes a loaded document one that JSON can say.

    Aliases can make a small text mean a huge document, so no more than several values a character are let through.
    """

    def __init__(self, characters: int) -> None:
        self._values_left = 100_000 + 10 * characters

    def plain(self, value: object, depth: int = 0) -> object:
        self._values_left -= 1
        if depth > _DEEPEST or self._values_left < 0:
            msg = "is nested too deeply" if depth > _DEEPEST else "means too much through its aliases"
            raise _UnfitError(msg)
        if isinstance(value, dict):
            return {key: self.plain(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list):
            return [self.plain(item, depth + 1) for item in value]
        if value is None or isinstance(value, str | int | float):
            return value
        msg = f"holds a value that JSON has no form for ({type(value).__name__})"
        raise _UnfitError(msg)


def _key(key: object) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, str | int | float):
        return str(key)
    msg = f"holds a key that is no string ({key})"
    raise _UnfitError(msg)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A loader that resolves as kubectl does and remembers keys that are given twice.

    Attributes
    ----------
    repeated : list of (Mark, str, Mark)
        Where a key is given again, the key, where it was first.
    """

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (PyYAML's own form)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.repeated: list[tuple[yaml.Mark, str, yaml.Mark]] = []

    def construct_mapping(self, node: yaml.Node, deep: bool = False) -> dict[str, object]:
        """Build a mapping, its keys as strings: to Python 1 and true would be the same key."""
        if not isinstance(node, yaml.MappingNode):
            raise yaml.constructor.ConstructorError(None, None, "expected a mapping", node.start_mark)
        self._find_repeated(node)
        self.flatten_mapping(node)
        mapping: dict[str, object] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key must be a string", key_node.start_mark)
            mapping[_key(self.construct_object(key_node, deep=True))] = self.construct_object(value_node, deep=deep)
        return mapping

    def _find_repeated(self, node: yaml.MappingNode) -> None:
        first: dict[str, yaml.Mark] = {}
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                if key.value in first:
                    self.repeated.append((key.start_mark, key.value, first[key.value]))
                first.setdefault(key.value, key.start_mark)


def _construct_int(loader: _Loader, node: yaml.ScalarNode) -> int | float | str:
    text = node.value.replace("_", "")
    digits = text.lstrip("+-")
    is_old_octal = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    number = int(digits, 8 if is_old_octal else 0) * (-1 if text.startswith("-") else 1)
    # What 64 bits do not hold Go reads as a float.
    return number if -(2**63) <= number < 2**64 else _construct_float(loader, node)


def _construct_float(_loader: _Loader, node: yaml.ScalarNode) -> float | str:
    text = node.value.replace("_", "").lower()
    if text.endswith(("inf", "nan")):
        return float(text.replace(".", ""))
    number = float(text)
    if math.isinf(number):
        return str(node.value)  # too large for a float, as a commit hash such as 12e4567 is
    # Go writes 1e3 as 1000, so that is what the API server gets.
    return int(number) if number.is_integer() and abs(number) < 2**63 else number


def _construct_text(loader: _Loader, node: yaml.ScalarNode) -> object:
    return loader.construct_scalar(node)


def _resolve(tag: str, pattern: str, first: str) -> None:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"(?:{pattern})$"), list(first))


_resolve("bool", "y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF", "yYnNtTfFoO")
_resolve("int", "[-+]?(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|0[0-7_]*|[1-9][0-9_]*)", "-+0123456789")
_resolve("float", r"[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789")
_resolve("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", "-+.")
_resolve("null", "~|null|Null|NULL|", "~nN")
_resolve("merge", "<<", "<")
_Loader.yaml_implicit_resolvers[""] = _Loader.yaml_implicit_resolvers["~"]
_Loader.yaml_constructors = _Loader.yaml_constructors | {
    "tag:yaml.org,2002:bool": lambda _, node: node.value.lower() in {"y", "yes", "true", "on"},
    "tag:yaml.org,2002:int": _construct_int,
    "tag:yaml.org,2002:float": _construct_float,
    "tag:yaml.org,2002:timestamp": _construct_text,
    _MERGE: _construct_text,  # `<<` as a value
}
