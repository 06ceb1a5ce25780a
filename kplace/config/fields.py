"""Errors of fields and the paths to them, in upstream's words (``apimachinery/pkg/util/validation/field``)."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from kplace.config.go import quote, to_json


class ErrorType(StrEnum):
    """What is wrong with a field's value, by upstream's name."""

    INVALID = "FieldValueInvalid"
    REQUIRED = "FieldValueRequired"
    DUPLICATE = "FieldValueDuplicate"
    NOT_SUPPORTED = "FieldValueNotSupported"
    FORBIDDEN = "FieldValueForbidden"


_WORDS = {
    ErrorType.INVALID: "Invalid value",
    ErrorType.REQUIRED: "Required value",
    ErrorType.DUPLICATE: "Duplicate value",
    ErrorType.NOT_SUPPORTED: "Unsupported value",
    ErrorType.FORBIDDEN: "Forbidden",
}
_WITHOUT_VALUE = {ErrorType.REQUIRED, ErrorType.FORBIDDEN}


@dataclass(frozen=True, slots=True)
class FieldError:
    """An error of one field.

    Attributes
    ----------
    type : ErrorType
    field : str
        Its path.
    value : object
        What it holds, as JSON would say it.
    detail : str
        May be empty.
    hint : str
        For people only; no part of upstream's words.

    Examples
    --------
    >>> str(FieldError.invalid("parallelism", 0, "should be an integer value greater than zero"))
    'parallelism: Invalid value: 0: should be an integer value greater than zero'
    >>> str(FieldError.required("profiles[1].schedulerName"))
    'profiles[1].schedulerName: Required value'
    """

    type: ErrorType
    field: str
    value: object = ""
    detail: str = ""
    hint: str = ""

    @staticmethod
    def invalid(field: str, value: object, detail: str, hint: str = "") -> "FieldError":
        """A value out of range or of the wrong form."""
        return FieldError(ErrorType.INVALID, field, value, detail, hint)

    @staticmethod
    def required(field: str, detail: str = "") -> "FieldError":
        """A value is missing."""
        return FieldError(ErrorType.REQUIRED, field, "", detail)

    @staticmethod
    def duplicate(field: str, value: object, hint: str = "") -> "FieldError":
        """A value is given a second time."""
        return FieldError(ErrorType.DUPLICATE, field, value, hint=hint)

    @staticmethod
    def not_supported(field: str, value: str, supported: Iterable[str]) -> "FieldError":
        """A word that is not one of a few."""
        words = ", ".join(map(quote, supported))
        return FieldError(ErrorType.NOT_SUPPORTED, field, value, f"supported values: {words}")

    @staticmethod
    def forbidden(field: str, detail: str) -> "FieldError":
        """A field that must not be set here."""
        return FieldError(ErrorType.FORBIDDEN, field, "", detail)

    def __str__(self) -> str:
        return f"{self.field}: {self.body}"

    @property
    def body(self) -> str:
        """The error without its path."""
        parts = [_WORDS[self.type]]
        if self.type not in _WITHOUT_VALUE:
            parts.append(_shown(self.value))
        return ": ".join([*parts, self.detail] if self.detail else parts)


def _shown(value: object) -> str:
    return quote(value) if isinstance(value, str) else to_json(value)


def summary(errors: Iterable[object]) -> str:
    """Several errors as one text, the way upstream aggregates them.

    Examples
    --------
    >>> summary(["a: Required value"]), summary(["a", "b", "a"])
    ('a: Required value', '[a, b]')
    """
    texts = list(dict.fromkeys(map(str, errors)))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def child(path: str, name: str) -> str:
    """The path of a field of an object.

    Examples
    --------
    >>> child("profiles[0]", "plugins"), child("", "profiles")
    ('profiles[0].plugins', 'profiles')
    """
    return f"{path}.{name}" if path else name


def item(path: str, position: int) -> str:
    """The path of an item of a list."""
    return f"{path}[{position}]"
