"""How Go reads and prints the values that a configuration holds."""

import json
import re

_NANOSECONDS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
SECOND = _NANOSECONDS["s"]
_AMOUNT = re.compile(r"([0-9]*)(?:\.([0-9]*))?([^0-9.]*)")
_LARGEST = 2**63
_ESCAPES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}
_ESCAPES |= {'"': '\\"', "\\": "\\\\"}


def parse_duration(text: str) -> int:
    """Read a duration as ``time.ParseDuration`` does.

    Returns
    -------
    int
        Nanoseconds.

    Raises
    ------
    ValueError
        With Go's reason.

    Examples
    --------
    >>> parse_duration("1h2m3.5s"), parse_duration("-250ms"), parse_duration("0")
    (3723500000000, -250000000, 0)
    >>> parse_duration("15")
    Traceback (most recent call last):
        ...
    ValueError: missing unit in duration "15"
    """
    unsigned = text[1:] if text[:1] in {"+", "-"} else text
    if unsigned == "0":
        return 0
    total, rest = 0, unsigned
    invalid = f"invalid duration {quote(text)}"
    while rest or not unsigned:
        amount = _AMOUNT.match(rest)
        assert amount is not None, "every part of the pattern may be empty"
        whole, fraction, unit = amount[1], amount[2] or "", amount[3]
        if not (whole or fraction):
            raise ValueError(invalid)
        if not unit:
            msg = f"missing unit in duration {quote(text)}"
            raise ValueError(msg)
        if unit not in _NANOSECONDS:
            msg = f"unknown unit {quote(unit)} in duration {quote(text)}"
            raise ValueError(msg)
        total += int(whole or "0") * _NANOSECONDS[unit]
        total += int(fraction or "0") * _NANOSECONDS[unit] // 10 ** len(fraction)
        rest = rest[amount.end() :]
    is_negative = text.startswith("-")
    if total > _LARGEST - (not is_negative):
        raise ValueError(invalid)
    return -total if is_negative else total


def print_duration(nanoseconds: int) -> str:
    """Print a duration as Go does.

    Examples
    --------
    >>> [print_duration(n) for n in (90 * SECOND, 3_723_500_000_000, 250_000_000, 1_500, 0, -SECOND)]
    ['1m30s', '1h2m3.5s', '250ms', '1.5µs', '0s', '-1s']
    """
    sign, left = ("-" if nanoseconds < 0 else ""), abs(nanoseconds)
    if left == 0:
        return "0s"
    for unit in ("ns", "µs", "ms"):
        if left < 1000 * _NANOSECONDS[unit]:
            return f"{sign}{_decimal(left, _NANOSECONDS[unit])}{unit}"
    minutes, left = divmod(left, _NANOSECONDS["m"])
    hours, minutes = divmod(minutes, 60)
    seconds = f"{_decimal(left, SECOND)}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{seconds}"
    return f"{sign}{minutes}m{seconds}" if minutes else f"{sign}{seconds}"


def _decimal(amount: int, unit: int) -> str:
    whole, rest = divmod(amount, unit)
    fraction = str(rest).zfill(len(str(unit)) - 1).rstrip("0") if rest else ""
    return f"{whole}.{fraction}" if fraction else str(whole)


def quote(text: str) -> str:
    r"""Quote a text as Go's ``%q`` does.

    Examples
    --------
    >>> print(quote('a "b"\n'), quote("größe"))
    "a \"b\"\n" "größe"
    """
    return f'"{"".join(_ESCAPES.get(c) or _escaped(c) for c in text)}"'


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def to_json(value: object) -> str:
    """Encode a value without blanks, as Go's ``json.Marshal`` does."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
