"""What comes to light while reading: faults, what was passed over, and the settings of golden cases."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from kplace.columns.cluster import Note
from kplace.errors import Fault
from kplace.io.kinds import similar_kind

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Case:
    """What a golden case says beside its objects.

    Attributes
    ----------
    source : str
        The file.
    config : dict or None
        A KubeSchedulerConfiguration.
    preempt : bool
        Whether the outcome of preemption is carried out.
    """

    source: str
    config: dict[str, object] | None = None
    preempt: bool = False


@dataclass(slots=True)
class Position:
    """Where in its file an object stands.

    Attributes
    ----------
    document : int
        Number of the document, from 1.
    path : str
        The list that holds the object: ``items``; empty if the document is that list.
    index : int
        The object's number in the list, from 0; -1 if the document is the object.

    Examples
    --------
    >>> str(Position(1)), str(Position(2)), str(Position(1, "items", 3)), str(Position(2, "", 0))
    ('', 'document 2', 'items[3]', 'document 2, [0]')
    """

    document: int = 1
    path: str = ""
    index: int = -1

    def start(self, document: int) -> None:
        """Come to another document."""
        self.document, self.path, self.index = document, "", -1

    def __str__(self) -> str:
        document = f"document {self.document}" if self.document > 1 else ""
        item = f"{self.path}[{self.index}]" if self.index >= 0 else ""
        return ", ".join(filter(None, (document, item)))


@dataclass(slots=True)
class ReadingReport:
    """Everything that reading a set of sources brought to light, but the objects.

    Attributes
    ----------
    faults : list of Fault
        In the order of the input.
    unknown : Counter of str
        Objects of kinds that are not understood, by kind; with the API group if the kind's name is that of another.
    without_objects : list of str
        Files found in folders that hold nothing of Kubernetes.
    without_kind : Counter of str
        Objects that do not say what they are and could not be recognised, by file.
    partial : list of str
        Files that hold one page of a longer list.
    skipped : list of str
        Files in folders whose names say neither JSON nor YAML.
    cases : list of Case
    position : Position
        Of the object that is being read.
    """

    faults: list[Fault] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    without_objects: list[str] = field(default_factory=list)
    without_kind: Counter[str] = field(default_factory=Counter)
    partial: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    position: Position = field(default_factory=Position)

    def notes(self) -> list[Note]:
        """Put what was passed over into one note a subject.

        Examples
        --------
        >>> report = ReadingReport(unknown=Counter({"Event": 2, "Deploymnet": 1}))
        >>> print(report.notes()[0])
        not understood and left out: 2 Event, 1 Deploymnet (is Deployment meant?)
        """
        notes = []
        if self.unknown:
            kinds = ", ".join(_kind_count(kind, count) for kind, count in self.unknown.most_common())
            notes.append(Note("unknown-kinds", f"not understood and left out: {kinds}"))
        if self.without_kind:
            number = self.without_kind.total()
            files = _some(list(self.without_kind))
            notes.append(Note("no-kind", f"{number} {_s('object', number)} without a kind left out: {files}"))
        for topic, names, what in (
            ("no-objects", self.without_objects, "without Kubernetes objects"),
            ("partial-lists", self.partial, "with one page of a longer list only (metadata.continue is set)"),
            ("skipped-files", self.skipped, "not read, by name neither JSON nor YAML"),
        ):
            if names:
                notes.append(Note(topic, f"{len(names)} {_s('file', len(names))} {what}: {_some(names)}"))
        return notes


def _kind_count(kind: str, count: int) -> str:
    meant = similar_kind(kind)
    return f"{count} {kind}" + (f" (is {meant} meant?)" if meant else "")


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown


def _s(noun: str, number: int) -> str:
    return noun if number == 1 else noun + "s"
