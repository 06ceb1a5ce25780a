"""A small language for what happens to a cluster, and the record of it."""

from dataclasses import dataclass, field
from typing import Any, Self

from kplace.dtypes import TieBreak
from kplace.engine.cycle import Options
from kplace.engine.simulate import During, ScenarioBuilder, Settings, Simulation, Verb
from kplace.engine.simulate.binding import RandomBinding
from kplace.io.timeline_log import TimelineLog
from kplace.plugins.defaults import default_profile
from kplace.queue import SECOND, Backoff
from kplace.testing.manifests import ObjectBuilder

Item = ObjectBuilder[Any]


@dataclass
class Story:
    """What is there at the start, and what is done later; times are seconds."""

    builder: ScenarioBuilder = field(default_factory=ScenarioBuilder)
    when: int | During = 0

    def at(self, seconds: float) -> Self:
        """What follows is done at this time."""
        self.when = round(seconds * SECOND)
        return self

    def during(self, pod: str, attempt: int = 1) -> Self:
        """What follows is done in the middle of an attempt."""
        self.when = During(f"default/{pod}", attempt)
        return self

    def there(self, *items: Item) -> Self:
        """Objects that are there at the start."""
        for item in items:
            obj = item.obj()
            self.builder.add_initial(type(obj).__name__, obj, "test")
        return self

    def add(self, *items: Item, lasts: float | None = None) -> Self:
        for item in items:
            self._do(Verb.ADD, item, None if lasts is None else round(lasts * SECOND))
        return self

    def update(self, *items: Item) -> Self:
        for item in items:
            self._do(Verb.UPDATE, item)
        return self

    def delete(self, *items: Item) -> Self:
        for item in items:
            self._do(Verb.DELETE, item)
        return self

    def to_node(self, verb: Verb, node: Item) -> Self:
        self._do(verb, node)
        return self

    def _do(self, verb: Verb, item: Item, lasts: int | None = None) -> None:
        obj = item.obj()
        self.builder.add_change(self.when, verb, type(obj).__name__, obj, "test", lasts=lasts)

    def run(self, until: float = 60, **settings: Any) -> "Tale":
        return Tale.of(self.builder, until, settings)


@dataclass
class Tale:
    """What came of a story."""

    simulation: Simulation
    record: dict[str, Any]

    @staticmethod
    def of(builder: ScenarioBuilder, until: float, given: dict[str, Any]) -> "Tale":
        seconds = {name: round(given.pop(name, 0) * SECOND) for name in ("grace", "cycle_time", "bind_delay")}
        binding = RandomBinding(delay=seconds.pop("bind_delay"), failure_rate=given.pop("bind_failures", 0.0))
        backoff = Backoff(pops_early=given.pop("pops_early", True))
        settings = Settings(Options(TieBreak.FIRST), backoff=backoff, binding=binding, **seconds, **given)
        log = TimelineLog(has_cycle_time=settings.cycle_time > 0)
        simulation = Simulation(builder.finish(), [default_profile()], settings, log)
        simulation.run(round(until * SECOND))
        return Tale(simulation, log.record(simulation))

    def attempts(self, pod: str) -> list[tuple[float, str]]:
        """When a pod's attempts ended and what came of them."""
        return [(item["at"], item["result"]) for item in self.record["attempts"] if item["pod"] == f"default/{pod}"]

    def times(self, pod: str) -> list[float]:
        """When a pod's attempts ended."""
        return [at for at, _ in self.attempts(pod)]

    def order(self, at: float) -> list[str]:
        """Pods in the order in which they were tried at a time."""
        return [_name(item["pod"]) for item in self.record["attempts"] if item["at"] == at]

    def moves(self, pod: str) -> list[tuple[float, str, str, str]]:
        """When a pod moved, from where, to where and why."""
        return [
            (item["at"], item["from"], item["to"], item["event"])
            for item in self.record["moves"]
            if item["pod"] == f"default/{pod}"
        ]

    def end(self, pod: str) -> dict[str, Any] | None:
        """What a pod has come to; None if it is gone."""
        return self.record["end"].get(f"default/{pod}")

    def attempt(self, pod: str, number: int) -> dict[str, Any]:
        """The record of an attempt."""
        found = [item for item in self.record["attempts"] if item["pod"] == f"default/{pod}"]
        return found[number - 1]


def _name(key: str) -> str:
    return key.partition("/")[2]
