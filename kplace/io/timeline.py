"""Reading timelines: the objects at the start and what is done to objects later, in one JSON file or as JSON lines."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import msgspec
from msgspec import Raw, Struct

from kplace.columns.builder import subject_of
from kplace.engine.simulate import During, Scenario, ScenarioBuilder, Verb
from kplace.errors import Fault, InputError, UsageError
from kplace.io.kinds import WrongGroupError, find_kind
from kplace.io.shape import fit
from kplace.io.sources import Source, SourceError
from kplace.io.validate import CHECKS
from kplace.objects.meta import ObjectMeta
from kplace.queue import SECOND

UNSUPPORTED = frozenset({"DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"})
"""Kinds that a simulation would have to follow and cannot yet."""


_LATEST = 10**9
"""Seconds."""


class _Event(Struct, rename="camel", frozen=True):
    type: str
    object: Raw
    at: float | None = None
    during: str | None = None
    attempt: int = 1


class _File(Struct, rename="camel", frozen=True):
    objects: list[Raw]
    events: list[_Event]
    until: float | None = None
    bind_delay: float = 0
    grace_period: float = 0
    cycle_time: float = 0
    feature_gates: dict[str, bool] = {}
    config: Raw = Raw()


@dataclass(frozen=True, slots=True)
class Timeline:
    """A timeline as it stands in a file.

    Attributes
    ----------
    scenario : Scenario
    until : int or None
        Nanoseconds; where it ends.
    bind_delay, cycle_time : int
        Nanoseconds.
    grace : int or None
        Nanoseconds from a pod's eviction to its end; None for what each pod says itself.
    feature_gates : dict of str to bool
    config : bytes
        A KubeSchedulerConfiguration as JSON; empty if there is none.
    """

    scenario: Scenario
    until: int | None = None
    bind_delay: int = 0
    grace: int | None = None
    cycle_time: int = 0
    feature_gates: dict[str, bool] = field(default_factory=dict)
    config: bytes = b""


def read_timeline(source: Source) -> Timeline:
    """Read a timeline.

    Raises
    ------
    InputError
        With every fault found.
    """
    name = source.name
    try:
        file = msgspec.json.decode(source.read(), type=_File)
    except (msgspec.DecodeError, SourceError) as error:
        raise InputError([Fault(name, "", "", f"is no timeline: {error}")]) from error
    builder = ScenarioBuilder(CHECKS)
    reader = _Reader(name, builder)
    for i, raw in enumerate(file.objects):
        reader.add_initial(raw, f"objects[{i}]")
    for i, event in enumerate(file.events):
        reader.add_change(event, f"events[{i}]")
    builder.builder.faults[:0] = reader.faults
    return Timeline(
        scenario=builder.finish(),
        until=None if file.until is None else nanoseconds(file.until),
        bind_delay=nanoseconds(file.bind_delay),
        grace=nanoseconds(file.grace_period),
        cycle_time=nanoseconds(file.cycle_time),
        feature_gates=file.feature_gates,
        config=bytes(file.config),
    )


def is_timeline(source: Source) -> bool:
    """Whether a source is a timeline: a JSON object with ``objects`` and ``events``, and without a kind."""
    try:
        data = source.read()
        if bytes(data[:64]).lstrip()[:1] != b"{":
            return False
        fields = msgspec.json.decode(data, type=dict[str, Raw])
    except (msgspec.DecodeError, SourceError):
        return False
    return {"objects", "events"} <= fields.keys() and "kind" not in fields


def add_changes(source: Source, builder: ScenarioBuilder) -> None:
    """Add what JSON lines say is done: each is an object as a timeline's ``events`` has them.

    Faults are added to the builder's.
    """
    reader = _Reader(source.name, builder)
    try:
        lines = bytes(source.read()).splitlines()
    except SourceError as error:
        builder.builder.faults.append(Fault(source.name, "", "", str(error)))
        return
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                reader.add_change(msgspec.json.decode(line, type=_Event), f"line {number}")
            except msgspec.DecodeError as error:
                reader.faults.append(Fault(source.name, "", f"line {number}", f"is no event: {error}"))
    builder.builder.faults[:0] = reader.faults


class _Reader:
    """Decodes objects and hands them to a builder."""

    def __init__(self, source: str, builder: ScenarioBuilder) -> None:
        self._source = source
        self._builder = builder
        self.faults: list[Fault] = []

    def add_initial(self, raw: Raw, path: str) -> None:
        found = self._decode(raw, path, is_whole=True)
        if found is not None:
            self._builder.add_initial(*found, self._source)

    def add_change(self, event: _Event, path: str) -> None:
        try:
            verb = Verb(event.type)
        except ValueError:
            known = ", ".join(verb.value for verb in Verb)
            self._fault(f"{path}.type", f'expected one of {known}, got "{event.type}"')
            return
        when: int | During
        if event.during is not None:
            when = During(event.during, event.attempt)
        elif event.at is not None:
            if not 0 <= event.at < _LATEST:
                self._fault(f"{path}.at", f"expected seconds, 0 or more, got {event.at:g}")
                return
            when = nanoseconds(event.at)
        else:
            self._fault(path, 'says neither "at" what time nor "during" which pod\'s attempt')
            return
        found = self._decode(event.object, f"{path}.object", is_whole=verb in (Verb.ADD, Verb.UPDATE))
        if found is not None:
            self._builder.add_change(when, verb, *found, self._source)

    def _decode(self, raw: Raw, path: str, *, is_whole: bool) -> tuple[str, Struct] | None:
        value = msgspec.json.decode(raw)
        if not isinstance(value, dict):
            self._fault(path, "expected an object")
            return None
        kind, api_version = str(value.get("kind") or ""), str(value.get("apiVersion") or "")
        try:
            found = find_kind(api_version, kind)
        except WrongGroupError as error:
            self._fault(f"{path}.apiVersion", str(error))
            return None
        if kind in UNSUPPORTED:
            self._fault(path, f"a {kind} cannot be simulated yet", _subject(kind, value))
            return None
        if found is None:
            self._fault(path, f'expected an object of a kind that is understood, got "{kind}"')
            return None
        fitting, problems = fit(value, found.struct)
        if is_whole and problems:
            for where, message in problems:
                self._fault(f"{path}.{where}" if where else path, message, _subject(kind, value))
            return None
        return kind, msgspec.convert(fitting, found.struct)

    def _fault(self, path: str, message: str, subject: str = "") -> None:
        self.faults.append(Fault(self._source, subject, path, message))


def _subject(kind: str, value: dict[str, Any]) -> str:
    metadata = value.get("metadata")
    texts = metadata if isinstance(metadata, dict) else {}
    return subject_of(kind, ObjectMeta(name=str(texts.get("name") or ""), namespace=str(texts.get("namespace") or "")))


def nanoseconds(seconds: float) -> int:
    """Seconds, as a decimal number says them, in whole nanoseconds.

    Examples
    --------
    >>> nanoseconds(5.51), nanoseconds(3)
    (5510000000, 3000000000)
    """
    if not 0 <= seconds < _LATEST:
        msg = f"time: expected seconds from 0 to 1e9, got {seconds}"
        raise UsageError(msg)
    return round(Fraction(repr(float(seconds))) * SECOND)
