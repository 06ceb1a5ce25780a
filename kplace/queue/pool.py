"""Pods that wait for an event."""

from collections.abc import Iterator

from kplace.queue.entry import QueuedPod

Kind = tuple[str, int, frozenset[str], frozenset[str], str]
"""Profile, template, plugins that rejected it, pending plugins, gating plugin: what hints can tell pods apart by."""


class Pool:
    """The pods that were rejected or gated, by what events mean to them.

    An event means the same to all pods of a kind unless it happened to one of them; it is judged once for all.
    """

    def __init__(self) -> None:
        self._entries: dict[int, QueuedPod] = {}
        self._kind_of: dict[int, Kind] = {}
        self._kinds: dict[Kind, dict[int, QueuedPod]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, pod: int) -> bool:
        return pod in self._entries

    def __iter__(self) -> Iterator[QueuedPod]:
        return iter(self._entries.values())

    def get(self, pod: int) -> QueuedPod | None:
        """A pod, if it is here."""
        return self._entries.get(pod)

    def add(self, entry: QueuedPod) -> None:
        """Add a pod, or see one that is here anew."""
        if entry.pod in self._entries:
            self._leave_kind(entry.pod)
        kind = (entry.profile, entry.image.template.code, entry.plugins, entry.pending, entry.gating)
        self._entries[entry.pod] = entry
        self._kind_of[entry.pod] = kind
        self._kinds.setdefault(kind, {})[entry.pod] = entry

    def remove(self, pod: int) -> None:
        """Take a pod out."""
        self._leave_kind(pod)
        del self._entries[pod]

    def kinds(self) -> list[dict[int, QueuedPod]]:
        """The pods of each kind, by row; these change as pods come and go."""
        return list(self._kinds.values())

    def _leave_kind(self, pod: int) -> None:
        kind = self._kind_of.pop(pod)
        members = self._kinds[kind]
        del members[pod]
        if not members:
            del self._kinds[kind]
