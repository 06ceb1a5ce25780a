"""The documents of a source: JSON or YAML, one or many, each opened just far enough to see what it is."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import msgspec
from msgspec import Raw, Struct

from kplace.io.shape import described
from kplace.io.yaml_documents import YamlError, yaml_to_json

Buffer = bytes | bytearray | memoryview

_BLANK = re.compile(rb"[ \t\r\n]*")
_POSITION = re.compile(r"(?:JSON is malformed: )?(.*) \(byte (\d+)\)$")
_TRAILING = "trailing characters"
_TRUNCATED = "Input data was truncated"
_YAML_AS_WELL = 1 << 20
"""A file of at most this size that begins like JSON and is not may be tried as YAML."""
_PLAINER = {
    "invalid character": "this is no value",
    "object keys must be strings": "expected a key in double quotes",
    "trailing comma in object": "expected another key after the comma",
    "trailing comma in array": "expected another value after the comma",
}


class Envelope(Struct, rename="camel", frozen=True, gc=False):
    """The top level of a document, its large parts left as they are.

    Attributes
    ----------
    api_version, kind : str
        Empty if there is none.
    items : list of Raw or None
        Of a list.
    objects, config, preempt
        Of a golden case.
    metadata, spec : Raw
        Empty if there is none.
    """

    api_version: str | None = None
    kind: str | None = None
    items: list[Raw] | None = None
    objects: list[Raw] | None = None
    expected: Raw = Raw()
    config: Raw = Raw()
    preempt: bool | None = None
    metadata: Raw = Raw()
    spec: Raw = Raw()


@dataclass(frozen=True, slots=True)
class Document:
    """One document.

    Attributes
    ----------
    raw : bytes-like
        All of it, as JSON.
    envelope : Envelope or None
        If it is an object.
    elements : list of Raw
        If it is a list: what is in it.
    other : str
        If it is neither: what it is, such as ``a string``.
    """

    raw: Buffer
    envelope: Envelope | None = None
    elements: list[Raw] = field(default_factory=list)
    other: str = ""


class _JsonError(Exception):
    """A text is not JSON from some byte on; the message says where and why."""

    def __init__(self, start: int, message: str) -> None:
        super().__init__(message)
        self.start = start


def documents(data: bytes | bytearray, *, is_yaml: bool, complain: Callable[[str], None]) -> Iterator[Document]:
    """Split a source into its documents.

    Parameters
    ----------
    data : bytes or bytearray
        All of the source. JSON and YAML are told apart by how it begins.
    is_yaml : bool
        Its name says YAML: what begins like JSON may be YAML's flow style.
    complain : callable
        Told what is wrong with the text, with line and column.

    Yields
    ------
    Document
        One after another; empty ones are left out. After a mistake in YAML it goes on with the next document,
        after one in JSON there is no telling where that would begin.
    """
    start = _skip_blanks(data, 0)
    if data[start : start + 1] not in (b"{", b"["):
        yield from _yaml_documents(data, complain)
        return
    count = 0
    try:
        for document in _json_documents(data):
            yield document
            count += 1
    except _JsonError as error:
        may_be_yaml = is_yaml or data[start : start + 2] == b"{{"
        if data[error.start : error.start + 3] == b"---":
            yield from _yaml_documents(data[error.start :], complain, data.count(b"\n", 0, error.start))
        elif may_be_yaml and not count and len(data) <= _YAML_AS_WELL:
            yield from _yaml_documents(data, complain)
        else:
            complain(str(error))


def _yaml_documents(
    data: bytes | bytearray, complain: Callable[[str], None], first_line: int = 0
) -> Iterator[Document]:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line, column = _line_and_column(data, error.start)
        complain(f"line {first_line + line}, column {column}: not UTF-8 text: byte 0x{data[error.start]:02x}")
        return
    for piece in yaml_to_json(text, first_line):
        if isinstance(piece, YamlError):
            complain(str(piece))
        else:
            yield from _json_documents(piece)


def _json_documents(data: bytes | bytearray) -> Iterator[Document]:
    start = _skip_blanks(data, 0)
    while start < len(data):
        end = len(data)
        try:
            try:
                document = _open(memoryview(data)[start:] if start else data)
            except msgspec.DecodeError as error:
                reason, position = _reason(error)
                if reason != _TRAILING or position is None:
                    raise
                # The next document begins where this one was expected to have ended; the count is one too far.
                end = start + position - 1
                document = _open(memoryview(data)[start:end])
        except (msgspec.DecodeError, RecursionError) as error:
            raise _JsonError(start, _syntax_message(data, start, error)) from error
        if document.other != "null":
            yield document
        start = _skip_blanks(data, end)


def _open(data: Buffer) -> Document:
    first = bytes(data[:1])
    if first == b"{":
        return Document(data, envelope=_open_object(data))
    if first == b"[":
        return Document(data, elements=_LIST.decode(data))
    return Document(data, other=described(msgspec.json.decode(data)))


def _open_object(data: Buffer) -> Envelope:
    try:
        return _ENVELOPE.decode(data)
    except msgspec.ValidationError:
        # An object of a foreign kind may have fields of these names and other types.
        fields = _FIELDS.decode(data)
    envelope = Envelope(metadata=fields.get("metadata", Raw()), spec=fields.get("spec", Raw()))
    for name in ("api_version", "kind", "items", "objects"):
        raw = fields.get("apiVersion" if name == "api_version" else name)
        if raw is not None:
            try:
                part = msgspec.json.decode(raw, type=list[Raw] if name in {"items", "objects"} else str)
            except msgspec.ValidationError:
                continue
            envelope = msgspec.structs.replace(envelope, **{name: part})
    return envelope


_ENVELOPE = msgspec.json.Decoder(Envelope)
_LIST = msgspec.json.Decoder(list[Raw])
_FIELDS = msgspec.json.Decoder(dict[str, Raw])


def _skip_blanks(data: bytes | bytearray, start: int) -> int:
    blank = _BLANK.match(data, start)
    return blank.end() if blank else start


def _reason(error: Exception) -> tuple[str, int | None]:
    """Words for a syntax error, and the byte if msgspec says it."""
    found = _POSITION.match(str(error))
    return (found[1], int(found[2])) if found else (str(error), None)


def _syntax_message(data: bytes | bytearray, start: int, error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "not valid JSON: nested too deeply"
    reason, position = _reason(error)
    if reason == _TRUNCATED:
        last = len(data) - 1
        while data[last : last + 1].isspace():
            last -= 1
        line, _ = _line_and_column(data, last)
        return f"not valid JSON: line {line}: it ends in the middle of an object: the file is cut off"
    if position is None:
        return f"not valid JSON: {reason}"
    offset = start + position
    line, column = _line_and_column(data, offset)
    message = _PLAINER.get(reason, reason)
    found = data[offset : offset + 1].decode(errors="replace").strip()
    if found and message.startswith("expected"):
        message += f", got {found!r}"
    return f"not valid JSON: line {line}, column {column}: {message}"


def _line_and_column(data: bytes | bytearray, offset: int) -> tuple[int, int]:
    return data.count(b"\n", 0, offset) + 1, offset - data.rfind(b"\n", 0, offset)
