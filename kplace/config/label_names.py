"""What upstream says of the names of labels and resources (``apimachinery/pkg/util/validation``)."""

import re

from kplace.config.fields import FieldError

_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE = f"({_NAME})?"
_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_MAX_NAME, _MAX_SUBDOMAIN = 63, 253

_ALPHANUMERIC = (
    "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_NAME_RULE = (
    f"must {_ALPHANUMERIC} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_NAME}')"
)
_VALUE_RULE = (
    f"a valid label must be an empty string or {_ALPHANUMERIC} "
    f"(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '{_VALUE}')"
)
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    f"end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)
_EMPTY = "must be non-empty"


def qualified_name_faults(text: str) -> list[str]:
    """Say what keeps a text from being a qualified name: a name after an optional DNS subdomain and a slash.

    Examples
    --------
    >>> qualified_name_faults("example.com/gpu")
    []
    >>> qualified_name_faults("example.com/")[0]
    'name part must be non-empty'
    """
    prefix, slash, name = text.partition("/")
    if not slash:
        prefix, name = "", text
    elif "/" in name:
        prefixed = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"a qualified name {_NAME_RULE} {prefixed}"]
    faults = [f"prefix part {fault}" for fault in _subdomain_faults(prefix)] if slash else []
    if not name:
        faults.append(f"name part {_EMPTY}")
    elif _length(name) > _MAX_NAME:
        faults.append(f"name part {_too_long(_MAX_NAME)}")
    if not re.fullmatch(_NAME, name):
        faults.append(f"name part {_NAME_RULE}")
    return faults


def label_name_errors(path: str, text: str) -> list[FieldError]:
    """What is wrong with a label's key, as errors of a field."""
    return [FieldError.invalid(path, text, fault) for fault in qualified_name_faults(text)]


def label_value_faults(text: str) -> list[str]:
    """Say what keeps a text from being a label's value."""
    faults = [_too_long(_MAX_NAME)] if _length(text) > _MAX_NAME else []
    return faults if re.fullmatch(_VALUE, text) else [*faults, _VALUE_RULE]


def is_extended_resource(name: str) -> bool:
    """Whether upstream takes a name for that of an extended resource: one with a foreign domain.

    Examples
    --------
    >>> [is_extended_resource(name) for name in ("nvidia.com/gpu", "cpu", "kubernetes.io/x", "requests.a.b/c")]
    [True, False, False, False]
    """
    if "/" not in name or "kubernetes.io/" in name or name.startswith("requests."):
        return False
    return not qualified_name_faults(f"requests.{name}")


def _subdomain_faults(text: str) -> list[str]:
    if not text:
        return [_EMPTY]
    faults = [_too_long(_MAX_SUBDOMAIN)] if _length(text) > _MAX_SUBDOMAIN else []
    return faults if re.fullmatch(_SUBDOMAIN, text) else [*faults, _SUBDOMAIN_RULE]


def _length(text: str) -> int:
    return len(text.encode())


def _too_long(limit: int) -> str:
    return f"must be no more than {limit} characters"
