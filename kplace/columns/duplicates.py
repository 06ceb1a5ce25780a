"""The same node or pod twice in an input: what to make of it."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from kplace.columns.cluster import Note
from kplace.errors import Fault

_SHOWN = 3


class _First(NamedTuple):
    source: str
    content: object
    is_manifest: bool


class Duplicates:
    """Tells the first object of a name from later ones.

    The very same object again (a folder that holds a dump and its parts) is passed over with a note. So is a pod of a
    manifest whose name another file has used for a different one: files of examples do that, and applying them one by
    one would find it taken. Anything else that differs under one name is a fault.

    Attributes
    ----------
    faults : list of Fault
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], _First] = {}
        self._repeated: Counter[str] = Counter()
        self._taken: list[str] = []
        self.faults: list[Fault] = []

    def is_new(self, kind: str, name: str, content: object, source: str, *, is_manifest: bool) -> bool:
        """Whether no object of this kind and name came before; if one did, note it or find fault with it.

        Parameters
        ----------
        name : str
            With the namespace, if the kind has one.
        content : object
            Equal for equal objects.
        is_manifest : bool
            No API server has seen the object, and it is bound to no node.
        """
        first = self._seen.setdefault((kind, name), _First(source, content, is_manifest))
        if first.content is content:
            return True
        if first.content == content:
            self._repeated[kind] += 1
        elif first.is_manifest and is_manifest and first.source != source:
            self._taken.append(f"{name} of {source} (the one of {first.source} counts)")
        else:
            where = "in the same file" if first.source == source else f"in {first.source}"
            self.faults.append(Fault(source, f"{kind} {name}", "", f"is there twice; the first one is {where}"))
        return False

    def notes(self) -> Iterator[Note]:
        """What was passed over."""
        for kind, number in sorted(self._repeated.items()):
            noun = kind.lower()
            text = f"{number:,} {noun}{'' if number == 1 else 's'} repeated in the input, each counted once"
            yield Note("repeated-objects", text)
        if self._taken:
            number = len(self._taken)
            more = f" and {number - _SHOWN:,} more" if number > _SHOWN else ""
            what = f"{number:,} pod{'' if number == 1 else 's'} left out"
            why = "an earlier file has a different pod of the same name"
            yield Note("taken-names", f"{what}, because {why}: {', '.join(self._taken[:_SHOWN])}{more}")
