"""A whole cluster as columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec import Struct

from kplace.columns.nodes import NodeColumns
from kplace.columns.pods import PodColumns
from kplace.columns.templates import Template
from kplace.columns.vocab import Vocabulary

S = TypeVar("S", bound=Struct)


@dataclass(frozen=True, slots=True)
class Note:
    """Something about the input that a user should know, although nothing is wrong with it.

    Attributes
    ----------
    topic : str
        A short, stable word for filtering, such as ``unknown-kinds`` or ``other-schedulers``.
    message : str
    """

    topic: str
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class SourceObject:
    """An object of the input as it stood there, for writing it out again.

    Attributes
    ----------
    kind, source : str
        Its kind and the file it came from.
    raw : bytes
        The whole object as JSON.
    pod : int
        Its index if it is a pod; -1 otherwise.
    """

    kind: str
    source: str
    raw: bytes | memoryview
    pod: int = -1


@dataclass(frozen=True, slots=True)
class ClusterColumns:
    """Nodes, pods and everything else that placing pods depends on.

    Attributes
    ----------
    nodes : NodeColumns
    pods : PodColumns
    templates : list of Template
    resources : Vocabulary
        Names of the rows of all resource arrays.
    namespace_labels : dict of str to dict
        Labels of each namespace; namespaces that pods name but the input lacks have the name label only.
    objects : dict of str to list
        The decoded objects of all other kinds, by kind, in input order.
    sources : list of SourceObject
        Every object of the input, for writing it out again.
    notes : list of Note
    """

    nodes: NodeColumns
    pods: PodColumns
    templates: list[Template]
    resources: Vocabulary
    namespace_labels: dict[str, Mapping[str, str]]
    objects: dict[str, list[Struct]] = field(default_factory=dict)
    sources: list[SourceObject] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def of_kind(self, kind: type[S]) -> list[S]:
        """All objects of one kind."""
        return [item for item in self.objects.get(kind.__name__, ()) if isinstance(item, kind)]
