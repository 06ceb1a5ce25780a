"""Shared GPUs, one node and one device at a time, after the paper on fragmentation gradient descent."""

from dataclasses import dataclass, replace
from fractions import Fraction


@dataclass(frozen=True)
class Task:
    cpu: int  # milli
    number: int  # devices
    milli: int  # of each
    models: frozenset[str] | None = None  # None: any
    weight: int = 1


@dataclass(frozen=True)
class Place:
    cpu: int  # milli left
    devices: tuple[int, ...]  # milli left on each
    model: str = ""


def suits(place: Place, task: Task) -> bool:
    return task.models is None or place.model in task.models


def fits(place: Place, task: Task) -> bool:
    return suits(place, task) and sum(left >= task.milli for left in place.devices) >= task.number


def fragments(place: Place, task: Task) -> int:
    """Milli-GPU of a place that a task cannot use."""
    idle = sum(max(left, 0) for left in place.devices)
    if task.number == 0 or place.cpu < task.cpu or not fits(place, task):
        return idle
    return sum(max(left, 0) for left in place.devices if left < task.milli)


def expected_fragments(place: Place, mix: list[Task]) -> Fraction:
    total = sum(task.weight for task in mix)
    return sum((Fraction(task.weight, total) * fragments(place, task) for task in mix), Fraction(0))


def tightest(place: Place, task: Task) -> tuple[int, ...] | None:
    """The fullest devices that a task fits on, of equal ones the first; None if it does not fit."""
    order = sorted((left, d) for d, left in enumerate(place.devices) if left >= task.milli)
    return tuple(sorted(d for _, d in order[: task.number])) if len(order) >= task.number else None


def with_task(place: Place, task: Task, devices: tuple[int, ...]) -> Place:
    left = tuple(left - task.milli if d in devices else left for d, left in enumerate(place.devices))
    return replace(place, cpu=place.cpu - task.cpu, devices=left)


def gradient(place: Place, task: Task, mix: list[Task]) -> tuple[Fraction, tuple[int, ...]]:
    """The largest fall of fragmentation, and the devices for it."""
    choices = [tightest(place, task)]
    if task.number == 1:
        choices = [(d,) for d, left in enumerate(place.devices) if left >= task.milli]
    before = expected_fragments(place, mix)
    drops = [before - expected_fragments(with_task(place, task, taken), mix) for taken in choices]
    best = max(range(len(drops)), key=lambda i: (drops[i], -i))
    return drops[best], choices[best]


def best_fit(place: Place, task: Task, largest: Place) -> Fraction:
    """Mean share that is left of cpu and GPU, as parts of what the largest node has; less is better."""
    cpu = Fraction(place.cpu - task.cpu, largest.cpu)
    gpu = Fraction(sum(max(left, 0) for left in place.devices) - task.number * task.milli, sum(largest.devices))
    return (cpu + gpu) / 2
