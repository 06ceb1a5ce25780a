"""Times written to a layout of Go's package ``time``, read as ``time.Parse`` does.

A layout shows how one certain time, ``Mon Jan 2 15:04:05 MST 2006``, would be written. It becomes one regular
expression and a list of what each of its groups means.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

SECOND = 1_000_000_000
_DAY = 86_400
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_FRACTION = "fraction"

_ONE_OR_TWO = r"(\d{1,2}+)"
_TWO = r"(\d\d)"
_ZONES = {
    "070000": r"[+-]\d{6}",
    "07:00:00": r"[+-]\d\d:\d\d:\d\d",
    "0700": r"[+-]\d{4}",
    "07:00": r"[+-]\d\d:\d\d",
    "07": r"[+-]\d\d",
}


def _any_of(words: tuple[str, ...], length: int | None = None) -> str:
    return f"((?i:{'|'.join(word[:length] for word in words)}))"


# In the order in which Go looks for them: longer ones first where one begins with another.
_CHUNKS: tuple[tuple[str, str, str], ...] = (
    (r"January", "name of month", _any_of(_MONTHS)),
    (r"Jan(?![a-z])", "name of month", _any_of(_MONTHS, 3)),
    (r"Monday", "weekday", _any_of(_WEEKDAYS)),
    (r"Mon(?![a-z])", "weekday", _any_of(_WEEKDAYS, 3)),
    (r"MST", "name of zone", r"(UTC|ChST|MeST|GMT(?:[+-]\d{1,2}+)?+|[+-]\d\d|[A-Z]{3,5}+)"),
    (r"002", "day of year", r"(\d{3})"),
    (r"__2", "day of year", r" {0,2}+(\d{1,3}+)"),
    (r"01", "month", _TWO),
    (r"02", "day", _TWO),
    (r"03", "hour of twelve", _TWO),
    (r"04", "minute", _TWO),
    (r"05", "second", _TWO),
    (r"06", "year of century", _TWO),
    (r"15", "hour", _ONE_OR_TWO),
    (r"1", "month", _ONE_OR_TWO),
    (r"2006", "year", r"(\d{4})"),
    (r"_2(?!006)", "day", r" ?+(\d{1,2}+)"),
    (r"2", "day", _ONE_OR_TWO),
    (r"3", "hour of twelve", _ONE_OR_TWO),
    (r"4", "minute", _ONE_OR_TWO),
    (r"5", "second", _ONE_OR_TWO),
    (r"PM", "half of day", r"(AM|PM)"),
    (r"pm", "half of day", r"(am|pm)"),
    *((f"-{form}", "zone", f"({pattern})") for form, pattern in _ZONES.items()),
    *((f"Z{form}", "zone", f"(Z|{pattern})") for form, pattern in _ZONES.items()),
)
_MEANINGS = tuple((meaning, pattern) for _, meaning, pattern in _CHUNKS)
_NEXT = re.compile("|".join((*(f"({chunk})" for chunk, _, _ in _CHUNKS), r"([.,](?:0+|9+)(?!\d))")))


@dataclass(frozen=True, slots=True)
class Layout:
    """A layout, ready to read times.

    Attributes
    ----------
    pattern : re.Pattern
    meanings : tuple of str
        What each group of the pattern is.
    """

    pattern: re.Pattern[str]
    meanings: tuple[str, ...]

    def parse(self, text: str) -> int | None:
        """Nanoseconds since 1970 of a time, in UTC unless it says otherwise; None if it is not written so.

        Examples
        --------
        >>> compile_layout("2006-01-02").parse("1970-01-02") == _DAY * SECOND
        True
        >>> compile_layout("Jan _2 2006 3:04PM -0700").parse("Jan  1 1970 12:30AM -0100") == 5_400 * SECOND
        True
        """
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        fields = {
            meaning: group
            for meaning, group in zip(self.meanings, found.groups(), strict=True)
            if group is not None and meaning != "weekday"
        }
        return _nanoseconds(fields)


@lru_cache(maxsize=64)
def compile_layout(layout: str) -> Layout:
    """Read a layout; whatever in it is no part of the certain time stands for itself."""
    patterns, meanings = [], []
    position = 0
    chunks = list(_NEXT.finditer(layout))
    for i, chunk in enumerate(chunks):
        patterns.append(_literal(layout[position : chunk.start()]))
        position = chunk.end()
        for meaning, pattern in _of_chunk(chunk, chunks[i + 1] if i + 1 < len(chunks) else None):
            patterns.append(pattern)
            meanings.append(meaning)
    patterns.append(_literal(layout[position:]))
    return Layout(re.compile("".join(patterns), re.ASCII), tuple(meanings))


def _of_chunk(chunk: re.Match[str], following: re.Match[str] | None) -> Iterator[tuple[str, str]]:
    """What a part of a layout means, and the pattern of its only group."""
    assert chunk.lastindex is not None
    if _is_fraction(chunk):
        digits = len(chunk[0]) - 1
        yield _FRACTION, rf"[.,](\d{{{digits}}})" if chunk[0][1] == "0" else r"(?:[.,](\d++))?+"
        return
    meaning, pattern = _MEANINGS[chunk.lastindex - 1]
    yield meaning, pattern
    if meaning == "second" and not (following is not None and _is_fraction(following)):
        # A time may be finer than its layout.
        yield _FRACTION, r"(?:[.,](\d++))?+"


def _is_fraction(chunk: re.Match[str]) -> bool:
    return chunk.lastindex == len(_CHUNKS) + 1


def _literal(text: str) -> str:
    """Pattern of a text that stands for itself; any number of blanks is as good as any other."""
    return "".join(r"(?: ++|\Z)" if part.startswith(" ") else re.escape(part) for part in re.findall(" +|[^ ]+", text))


def _nanoseconds(fields: dict[str, str]) -> int | None:
    days, seconds = _days(fields), _seconds(fields)
    offset = _offset(fields)
    if days is None or seconds is None or offset is None:
        return None
    fraction = int(fields.get(_FRACTION, "0")[:9].ljust(9, "0"))
    return (days * _DAY + seconds - offset) * SECOND + fraction


def _days(fields: dict[str, str]) -> int | None:
    """Days since 1970 of a date; what it does not say is the first of January of the year 0."""
    year = int(fields.get("year", "0"))
    if "year of century" in fields:
        year = int(fields["year of century"])
        year += 1900 if year >= 69 else 2000
    lengths = (31, 29 if _is_leap(year) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    month = int(fields["month"]) if "month" in fields else None
    if "name of month" in fields:
        month = [name[:3].lower() for name in _MONTHS].index(fields["name of month"][:3].lower()) + 1
    day = int(fields["day"]) if "day" in fields else None
    if "day of year" in fields:
        number = int(fields["day of year"])
        if not 1 <= number <= sum(lengths):
            return None
        before = [sum(lengths[:i]) for i in range(12)]
        its_month = max(i for i in range(12) if before[i] < number)
        its_day = number - before[its_month]
        if month not in (None, its_month + 1) or day not in (None, its_day):
            return None
        month, day = its_month + 1, its_day
    month, day = 1 if month is None else month, 1 if day is None else day
    if not (1 <= month <= 12 and 1 <= day <= lengths[month - 1]):
        return None
    return _days_before(year) + sum(lengths[: month - 1]) + day - 1 - _days_before(1970)


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _days_before(year: int) -> int:
    last = year - 1
    return 365 * year + last // 4 - last // 100 + last // 400


def _seconds(fields: dict[str, str]) -> int | None:
    """Seconds since midnight."""
    hour, minute, second = (int(fields.get(unit, "0")) for unit in ("hour", "minute", "second"))
    if "hour of twelve" in fields:
        hour = int(fields["hour of twelve"])
        if hour > 12:
            return None
    if hour > 23 or minute > 59 or second > 59:
        return None
    half = fields.get("half of day", "").lower()
    if half == "pm" and hour < 12:
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    return hour * 3600 + minute * 60 + second


def _offset(fields: dict[str, str]) -> int | None:
    """Seconds that the zone is ahead of UTC; a name says nothing, but for ``GMT+2`` and ``+02``."""
    zone = fields.get("zone")
    if zone is None:
        name = fields.get("name of zone", "").removeprefix("GMT")
        return int(name) * 3600 if name[:1] in {"+", "-"} else 0
    if zone == "Z":
        return 0
    digits = zone[1:].replace(":", "")
    hours, minutes, seconds = (int(digits[i : i + 2] or "0") for i in (0, 2, 4))
    if hours > 24 or minutes > 60 or seconds > 60:
        return None
    offset = hours * 3600 + minutes * 60 + seconds
    return -offset if zone[0] == "-" else offset
