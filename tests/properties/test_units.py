"""How quantities are written, and in which units they are counted, decides nothing."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kplace.testing.strategies import MadeUp, clusters
from tests.naive.requests import quantity, units
from tests.properties.records import record_of

SCALED = ("cpu", "memory")
Rewrite = Callable[[str, str], str]


def rewritten(made: MadeUp, rewrite: Rewrite) -> MadeUp:
    """The same cluster with every quantity written by ``rewrite``, which is given resource and text."""
    nodes, pods = deepcopy(made.nodes), deepcopy(made.pods)
    for node in nodes:
        change(node["status"], "allocatable", rewrite)
    for pod in pods:
        for holder in (pod["spec"], *containers(pod)):
            for part in ("requests", "limits"):
                change(holder.get("resources", {}), part, rewrite)
        change(pod["spec"], "overhead", rewrite)
    return replace(made, nodes=nodes, pods=pods)


def change(holder: dict[str, Any], field: str, rewrite: Rewrite) -> None:
    if field in holder:
        holder[field] = {name: rewrite(name, text) for name, text in holder[field].items()}


def containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    return [*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())]


def as_plain_number(name: str, text: str) -> str:
    return f"{units(name, quantity(text))}m" if name == "cpu" else str(units(name, quantity(text)))


def as_exponent(_name: str, text: str) -> str:
    return f"{int(quantity(text) * 1000)}e-3"


@settings(max_examples=40)
@given(clusters(), st.sampled_from([as_plain_number, as_exponent]))
def test_another_notation(made: MadeUp, rewrite: Rewrite):
    assert record_of(made.state()) == record_of(rewritten(made, rewrite).state())


@settings(max_examples=60)
@given(clusters(), st.sampled_from([2, 3, 10, 1024]))
def test_another_unit(made: MadeUp, factor: int):
    """Cpu and memory everywhere times a factor; every container says what it requests, as the defaults do not scale."""

    def times(name: str, text: str) -> str:
        if name not in SCALED:
            return text
        return f"{int(quantity(text) * factor * 1000)}m"

    explicit = deepcopy(made)
    for pod in explicit.pods:
        for container in containers(pod):
            container["resources"]["requests"] = dict.fromkeys(SCALED, "0") | container["resources"]["requests"]
    assert record_of(explicit.state()) == record_of(rewritten(explicit, times).state())
