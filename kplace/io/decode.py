"""From sources to typed objects, one at a time.

A list is opened into its items without decoding them; each item is then decoded straight into its kind's struct and
handed on, so that nothing beside the text itself is ever held as a whole.
"""

import contextlib
import gc
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Raw, Struct

from kplace.columns.builder import subject_of
from kplace.errors import Fault
from kplace.io import openb
from kplace.io.documents import Document, Envelope, documents
from kplace.io.foreign import what_else
from kplace.io.kinds import KnownKind, WrongGroupError, find_kind, kind_of_plural
from kplace.io.reading import Case, ReadingReport
from kplace.io.shape import Problem, described, fit
from kplace.io.sources import Source, SourceError
from kplace.io.validate import CHECKS
from kplace.objects.meta import ObjectMeta

# How nearly every object begins; anything else is found out by decoding its header.
_HEAD = re.compile(rb'\s*\{\s*"(apiVersion|kind)"\s*:\s*"([^"\\]*)"\s*,\s*"(apiVersion|kind)"\s*:\s*"([^"\\]*)"\s*[,}]')
_LIST_SUFFIX = "List"
_ONE_WORD = re.compile(rb'\s*"[^"\s]*"\s*')
_CUT_OFF = "; the file may be cut off"
_COMMENTS_ONLY = f"holds comments only, no Kubernetes object{_CUT_OFF}"

Head = tuple[bytes, ...]


class Sink(Protocol):
    """What takes the objects."""

    def add(self, kind: str, api_version: str, obj: Struct, raw: memoryview, source: str) -> None:
        """Take one object; ``raw`` is all of it as JSON."""
        ...


class _Header(Struct, rename="camel", frozen=True, gc=False):
    api_version: str | None = None
    kind: str | None = None


class _PodShape(Struct, frozen=True, gc=False):
    containers: list[Raw] | None = None
    podCIDR: str | None = None
    providerID: str | None = None


class _StatusShape(Struct, rename="camel", frozen=True, gc=False):
    node_info: Raw = Raw()
    allocatable: Raw = Raw()


class _Shape(Struct, rename="camel", frozen=True, gc=False):
    """What an object without a kind may be recognised by."""

    spec: _PodShape | None = None
    status: _StatusShape | None = None


def read_into(sources: Iterable[Source], sink: Sink, report: ReadingReport) -> None:
    """Read sources and hand on every object that is understood.

    Parameters
    ----------
    sources : iterable of Source
        As found by `kplace.io.sources.find_sources`.
    sink : Sink
        Its ``add`` is called for each object, in input order.
    report : ReadingReport
        Takes up everything else, faults too. An object with a fault is not handed on; what else is wrong with it
        is found as well.

    Notes
    -----
    Understood are single objects, ``List`` and typed lists (whose items need not say their kind again), JSON arrays of
    objects, several JSON or YAML documents in one file, and golden cases.
    """
    reader = _Reader(sink, report)
    with no_garbage_collection():
        for source in sources:
            reader.read(source)


@contextlib.contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Keep the cyclic collector from walking very many new objects again and again, none of which has a cycle."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Reader:
    """Reads one source after another; remembers the kinds that it has met."""

    def __init__(self, sink: Sink, report: ReadingReport) -> None:
        self._sink = sink
        self._report = report
        self._position = report.position
        self._known: dict[Head, KnownKind] = {}
        self._unknown: dict[Head, str] = {}
        self._source = Source("")
        self._is_empty = True

    def read(self, source: Source) -> None:
        self._source = source
        self._is_empty = True
        try:
            data = source.read()
        except SourceError as error:
            self._fault(str(error))
            return
        if openb.is_trace(data):
            self._read_trace(data)
            return
        if other := what_else(data):
            self._position.start(1)
            self._no_object(other)
            return
        for number, document in enumerate(documents(data, is_yaml=source.is_yaml, complain=self._fault), start=1):
            self._position.start(number)
            self._read_document(document)
        if self._is_empty:
            self._position.start(1)
            self._no_object("is empty" if not data.strip(b" \t\r\n") else _COMMENTS_ONLY)

    def _read_trace(self, data: bytes | bytearray) -> None:
        def complain(subject: str, path: str, message: str) -> None:
            self._fault(message, subject=subject, path=path)

        self._read_elements([Raw(msgspec.json.encode(item)) for item in openb.manifests(data, complain)])

    def _fault(self, message: str, *, subject: str = "", path: str = "") -> None:
        self._is_empty = False
        self._report.faults.append(Fault(self._source.name, subject, path, message))

    def _no_object(self, message: str) -> None:
        """A file that the user named must hold objects; one that lay about in a folder need not."""
        self._is_empty = False
        if self._source.named:
            self._fault(message, subject=str(self._position))
        elif self._source.name not in self._report.without_objects[-1:]:
            self._report.without_objects.append(self._source.name)

    def _read_document(self, document: Document) -> None:
        self._is_empty = False
        envelope = document.envelope
        if document.other:
            # A text that ends within a word, such as "apiVer", is a string to YAML.
            hint = _CUT_OFF if _ONE_WORD.fullmatch(document.raw) else ""
            self._no_object(f"holds {document.other}, not Kubernetes objects{hint}")
        elif envelope is None:
            self._read_elements(document.elements)
        elif envelope.kind:
            self._read_kind(document, envelope)
        elif envelope.objects is not None:
            self._report.cases.append(_case(self._source.name, envelope))
            self._read_elements(envelope.objects, path="objects")
        elif envelope.items is not None:
            self._read_elements(envelope.items, path="items")
        elif envelope.api_version and (memoryview(envelope.metadata) or memoryview(envelope.spec)):
            subject, message = str(self._position), 'is missing: every object says what it is, such as "kind: Pod"'
            self._fault(message, subject=subject, path="kind")
        else:
            self._no_object("holds no Kubernetes object: it has no kind")

    def _read_kind(self, document: Document, envelope: Envelope) -> None:
        kind = envelope.kind or ""
        if not kind.endswith(_LIST_SUFFIX) or envelope.items is None:
            is_empty_list = kind.endswith(_LIST_SUFFIX) and (
                kind == _LIST_SUFFIX or find_kind("", kind.removesuffix(_LIST_SUFFIX)) is not None
            )
            if not is_empty_list:
                self._read_elements([Raw(document.raw)], is_list=False)
            return
        if _is_partial(envelope.metadata):
            self._report.partial.append(self._source.name)
        self._read_elements(
            envelope.items, path="items", kind=kind.removesuffix(_LIST_SUFFIX), api_version=envelope.api_version or ""
        )

    def _read_elements(
        self, raws: list[Raw], *, path: str = "", kind: str = "", api_version: str = "", is_list: bool = True
    ) -> None:
        """Decode objects and hand them on; ``kind`` and ``api_version`` are those of items that do not say theirs."""
        known, add, source, position = self._known, self._sink.add, self._source.name, self._position
        silent = self._kind_of_silent(kind, api_version)
        for i, raw in enumerate(raws):
            # Set for each: an item may be a list itself.
            position.path, position.index = path, i if is_list else -1
            head = _HEAD.match(raw)
            found = known.get(head.groups()) if head else silent
            obj = None
            if found is not None:
                try:
                    obj = found.decoder.decode(raw)
                except (msgspec.DecodeError, RecursionError):
                    obj = None  # seen to below, where there is time
            if found is None or obj is None:
                taken_slowly = self._take_slowly(raw, head, f"{path}[{i}]" if is_list else "", kind, api_version)
                if taken_slowly is None:
                    continue
                found, obj = taken_slowly
            add(found.name, found.api_version, obj, memoryview(raw), source)

    @staticmethod
    def _kind_of_silent(kind: str, api_version: str) -> KnownKind | None:
        """What the items of a typed list are that do not say it themselves."""
        try:
            return find_kind(api_version, kind)
        except WrongGroupError:
            return None  # said item by item

    def _take_slowly(
        self, raw: Raw, head: re.Match[bytes] | None, path: str, kind: str, api_version: str
    ) -> tuple[KnownKind, Struct] | None:
        """Decode what could not be decoded at once; None if it is not to be handed on, which has been told then."""
        try:
            found = self._find_out(raw, head, path, kind, api_version)
            obj = None if found is None else self._mend(raw, found)
        except (msgspec.DecodeError, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else error
            self._fault(f"not valid JSON: {reason}", path=path)
            return None
        return None if found is None or obj is None else (found, obj)

    def _find_out(
        self, raw: Raw, head: re.Match[bytes] | None, path: str, kind: str, api_version: str
    ) -> KnownKind | None:
        """Find out what an object is; None if it is not to be decoded, which has been told then."""
        if head is not None and head.groups() in self._unknown:
            self._report.unknown[self._unknown[head.groups()]] += 1
            return None
        header = _read_header(raw)
        if isinstance(header, str):
            if header != "null":
                self._fault(f"expected an object, got {header}", path=path)
            return None
        kind, api_version = header.kind or kind, header.api_version or api_version
        if not kind:
            kind = self._recognise(raw) or ""
        if not kind:
            self._without_kind(path)
            return None
        if kind.endswith(_LIST_SUFFIX) and _is_list(raw):
            for document in documents(bytes(raw), is_yaml=False, complain=self._fault):
                self._read_document(document)
            return None
        return self._look_up(raw, head, kind, api_version)

    def _look_up(self, raw: Raw, head: re.Match[bytes] | None, kind: str, api_version: str) -> KnownKind | None:
        try:
            found = find_kind(api_version, kind)
        except WrongGroupError as error:
            self._fault(str(error), subject=self._subject(kind, raw), path="apiVersion")
            return None
        if found is None:
            label = kind if find_kind("", kind) is None else f"{kind} of {api_version}"
            self._report.unknown[label] += 1
            if head is not None:
                self._unknown[head.groups()] = label
        elif head is not None:
            self._known[head.groups()] = found
        return found

    def _without_kind(self, path: str) -> None:
        if self._source.named:
            self._fault("no kind is given, and it cannot be told from the rest", path=path)
        else:
            self._report.without_kind[self._source.name] += 1

    def _recognise(self, raw: Raw) -> str | None:
        """Tell an item's kind by what it looks like or by the file's name (``pods.json``, ``pods/default.json``)."""
        looks = _kind_by_looks(raw)
        path = self._source.path or Path()
        named = kind_of_plural(path.name.partition(".")[0]) or kind_of_plural(path.parent.name)
        return looks if named in {None, looks} else named if looks is None else None

    def _mend(self, raw: Raw, kind: KnownKind) -> Struct | None:
        """Decode an object, if need be without its nulls; say all that is wrong with it if it does not fit even so."""
        try:
            return kind.decoder.decode(raw)
        except msgspec.ValidationError:
            fitting, problems = fit(msgspec.json.decode(raw), kind.struct)
        obj = kind.decoder.decode(msgspec.json.encode(fitting))
        if not problems:
            return obj
        subject = self._subject(kind.name, raw)
        check = CHECKS.get(kind.name)
        more = [problem for problem in check(obj) if not _is_implied(problem, problems)] if check else []
        for where, message in [*problems, *more]:
            self._fault(message, subject=subject, path=where)
        return None

    def _subject(self, kind: str, raw: Raw) -> str:
        value = msgspec.json.decode(raw)
        metadata = value.get("metadata") if isinstance(value, dict) else None
        texts = metadata if isinstance(metadata, dict) else {}
        name, namespace = (text if isinstance(text := texts.get(key), str) else "" for key in ("name", "namespace"))
        return subject_of(kind, ObjectMeta(name=name, namespace=namespace), str(self._position))


def _is_implied(problem: Problem, earlier: list[Problem]) -> bool:
    """Whether a field is only at fault because what stood in it, around it or below it was left out."""
    path = problem[0]
    return any(path.startswith(other) or other.startswith(path) for other, _ in earlier)


def _case(source: str, envelope: Envelope) -> Case:
    config = msgspec.json.decode(envelope.config) if memoryview(envelope.config) else None
    return Case(source, config if isinstance(config, dict) else None, bool(envelope.preempt))


def _is_partial(metadata: Raw) -> bool:
    value = msgspec.json.decode(metadata) if memoryview(metadata) else None
    return isinstance(value, dict) and bool(value.get("continue"))


def _is_list(raw: Raw) -> bool:
    fields = msgspec.json.decode(raw, type=dict[str, Raw])
    return bytes(memoryview(fields.get("items", Raw()))[:1]) == b"["


def _read_header(raw: Raw) -> _Header | str:
    """The header of an object; what it is instead, if it is none."""
    try:
        return msgspec.json.decode(raw, type=_Header)
    except msgspec.DecodeError:
        value = msgspec.json.decode(raw)
    if not isinstance(value, dict):
        return described(value)
    texts = {name: text for name, text in value.items() if name in {"apiVersion", "kind"} and isinstance(text, str)}
    return msgspec.convert(texts, _Header)


def _kind_by_looks(raw: Raw) -> str | None:
    try:
        shape = msgspec.json.decode(raw, type=_Shape)
    except msgspec.DecodeError:
        return None
    spec, status = shape.spec or _PodShape(), shape.status or _StatusShape()
    if spec.containers is not None:
        return "Pod"
    is_node = spec.podCIDR or spec.providerID or memoryview(status.node_info) or memoryview(status.allocatable)
    return "Node" if is_node else None
