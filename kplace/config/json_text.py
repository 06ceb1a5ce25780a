"""JSON with the lines of its values, as strict as Go's decoder."""

import json
import re
from bisect import bisect_right
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import NoReturn

from kplace.config.nodes import Entry, Mapping, Node, Scalar, Sequence, TextError, Value

_BLANK = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Value] = {"true": True, "false": False, "null": None}
_DEEPEST = 200


def parse_json(text: str) -> Node:
    """Parse a JSON text, which must hold one value and nothing after it.

    Raises
    ------
    TextError
        It does not.

    Examples
    --------
    >>> parse_json('{"a": [1, 2.5, "x"]}').entries[0].value.items[1]
    Scalar(line=1, value=2.5, text='2.5')
    >>> parse_json('{"a": 1} trailing')
    Traceback (most recent call last):
        ...
    kplace.config.nodes.TextError: not valid JSON: "trailing" after the end of the object
    """
    return _Parser(text).document()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line_ends = [match.start() for match in re.finditer("\n", text)]

    def document(self) -> Node:
        node = self._value(0)
        rest = self._text[self._blanks() :]
        if rest:
            self._fail(f'"{rest.split()[0][:20]}" after the end of the object')
        return node

    def _blanks(self) -> int:
        blank = _BLANK.match(self._text, self._at)
        assert blank is not None
        self._at = blank.end()
        return self._at

    def _line(self) -> int:
        return bisect_right(self._line_ends, self._at - 1) + 1

    def _fail(self, what: str, cause: Exception | None = None) -> NoReturn:
        msg = f"not valid JSON: {what}"
        raise TextError(msg, self._line()) from cause

    def _value(self, depth: int) -> Node:
        if depth > _DEEPEST:
            self._fail("nested too deeply")
        start = self._text[self._blanks() : self._at + 1]
        if start == "{":
            return self._object(depth)
        if start == "[":
            return self._array(depth)
        line = self._line()
        if start == '"':
            text = self._string()
            return Scalar(line, text, text)
        for word, value in _WORDS.items():
            if self._text.startswith(word, self._at):
                self._at += len(word)
                return Scalar(line, value, word)
        number = _NUMBER.match(self._text, self._at)
        if number is None:
            self._fail(f"expected a value, got {self._next()}")
        self._at = number.end()
        is_whole = number[2] is None and number[3] is None
        return Scalar(line, int(number[1]) if is_whole else float(number[0]), number[0])

    def _object(self, depth: int) -> Mapping:
        opened, entries = self._line(), []
        self._at += 1
        if self._take("}"):
            return Mapping(opened, ())
        while True:
            if self._text[self._blanks() : self._at + 1] != '"':
                self._fail(f"expected a key in double quotes, got {self._next()}")
            line, key = self._line(), self._string()
            if not self._take(":"):
                self._fail(f'expected ":" after the key "{key}", got {self._next()}')
            entries.append(Entry(line, key, self._value(depth + 1)))
            if self._take("}"):
                return Mapping(opened, tuple(entries))
            if not self._take(","):
                self._fail(f'expected "," or "}}", got {self._next()}')

    def _array(self, depth: int) -> Sequence:
        opened, items = self._line(), []
        self._at += 1
        if self._take("]"):
            return Sequence(opened, ())
        while True:
            items.append(self._value(depth + 1))
            if self._take("]"):
                return Sequence(opened, tuple(items))
            if not self._take(","):
                self._fail(f'expected "," or "]", got {self._next()}')

    def _string(self) -> str:
        try:
            text, self._at = scanstring(self._text, self._at + 1, True)
        except json.JSONDecodeError as error:
            self._fail(error.msg[0].lower() + error.msg[1:], error)
        return str(text)

    def _take(self, mark: str) -> bool:
        is_next = self._text.startswith(mark, self._blanks())
        self._at += is_next
        return is_next

    def _next(self) -> str:
        self._blanks()
        return f'"{self._text[self._at]}"' if self._at < len(self._text) else "the end of the file"
