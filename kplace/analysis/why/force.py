"""The priority with which a pod would make room for itself."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kplace.analysis.trial import Trial
from kplace.analysis.why.changes import with_priority
from kplace.columns import ClusterColumns
from kplace.columns.removal import without_pods
from kplace.dtypes import NO_NODE
from kplace.engine.attempt import Attempt
from kplace.objects.policy import PriorityClass

HIGHEST = 1_000_000_000
"""No more is for pods of users."""
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Room:
    """Room that a pod makes for itself.

    Attributes
    ----------
    node : str
    victims : tuple of str
        ``namespace/name`` of the pods that leave for it, the most important first.
    """

    node: str
    victims: tuple[str, ...]

    @property
    def text(self) -> str:
        """Who leaves, for people."""
        more = len(self.victims) - MOST_NAMED
        return ", ".join(self.victims[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def room_of(trial: Trial, columns: ClusterColumns, pod: int, attempt: Attempt) -> Room | None:
    """The room that preemption makes for a pod; None if it makes none, or not enough.

    Parameters
    ----------
    attempt : Attempt
        The pod's, with the word of the PostFilters.
    """
    preemption = attempt.preemption
    if preemption is None or not len(preemption.victims):
        return None
    victims = np.sort(preemption.victims).astype(np.int32)
    after = without_pods(columns, victims)
    again = trial.attempt(after, pod - int((victims < pod).sum()), asks_others=False)
    if again.node == NO_NODE:
        return None
    return Room(
        columns.nodes.names[again.node], tuple(columns.pods.key(victim) for victim in preemption.victims.tolist())
    )


def priorities(trial: Trial, columns: ClusterColumns, pod: int) -> list[tuple[str, int, Room]]:
    """The smallest priority with which the pod makes room for itself, and the smallest class that gives one.

    Returns
    -------
    list of (str, int, Room)
        The change for people, the priority, and who leaves.
    """
    own = int(columns.pods.priority[pod])
    never = columns.templates[columns.pods.template[pod]].spec.preemption_policy == "Never"
    on_nodes = np.unique(columns.pods.priority[columns.pods.holding])
    numbers = [value + 1 for value in on_nodes.tolist() if own <= value < HIGHEST]
    numbers = [own, *numbers] if never else numbers
    tried: dict[int, Room | None] = {}
    smallest = bisect_left(numbers, True, key=lambda value: _room_at(trial, columns, pod, value, tried) is not None)
    if smallest == len(numbers):
        return []
    needed, found = numbers[smallest], []
    classes = sorted(_classes(columns), key=lambda item: item.value)
    named = next((item for item in classes if item.value >= needed and item.value > own), None)
    if named is not None and (room := _room_at(trial, columns, pod, named.value, tried)) is not None:
        found.append((f"the priority class {named.metadata.name} ({named.value:,})", named.value, room))
    room = tried[needed]
    changes_policy_alone = needed == own
    if room is not None and changes_policy_alone == never and not any(value == needed for _, value, _ in found):
        text = "let it push others out (preemptionPolicy)" if never else f"a priority of {needed:,}"
        found.append((text, needed, room))
    return sorted(found, key=lambda row: row[1])


def _classes(columns: ClusterColumns) -> Sequence[PriorityClass]:
    """Classes whose pods may push others out."""
    return [
        item for item in columns.of_kind(PriorityClass) if item.preemption_policy != "Never" and item.value <= HIGHEST
    ]


def _room_at(
    trial: Trial, columns: ClusterColumns, pod: int, priority: int, tried: dict[int, Room | None]
) -> Room | None:
    if priority not in tried:
        changed = with_priority(columns, pod, priority)
        attempt = trial.attempt(changed, pod)
        tried[priority] = room_of(trial, changed, pod, attempt)
    return tried[priority]
