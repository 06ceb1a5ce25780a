"""Extenders of a few lines, and clusters to try them on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kplace.dtypes import TieBreak
from kplace.engine.cycle import Options, try_pod
from kplace.errors import ExtenderError
from kplace.framework.extender import Claim, FilterAnswer
from kplace.plugins.defaults import default_profile

PROFILE = default_profile()


@dataclass
class Scripted:
    """An extender that says what it is told, by names, and remembers what it was asked.

    An answer is what a call gives back, or a text: then the call comes to nothing, and the text is why.
    """

    name: str = "http://extender"
    passes: Callable[[list[str]], Any] | None = None
    scores: Mapping[str, int] | str | None = None
    claims: Sequence[tuple[str, Sequence[str], int]] | str | None = None
    binding: str | None = None
    weight: int = 1
    is_ignorable: bool = False
    wants: str = ""
    failed: Mapping[str, str] = field(default_factory=dict)
    unresolvable: Mapping[str, str] = field(default_factory=dict)
    is_bare: bool = False
    asked: list[tuple[str, Any]] = field(default_factory=list)

    filters = property(lambda self: self.passes is not None)
    prioritizes = property(lambda self: self.scores is not None)
    preempts = property(lambda self: self.claims is not None)
    binds = property(lambda self: self.binding is not None)

    def is_interested(self, template):
        return not self.wants or self.wants in template.labels

    def filter(self, cycle, nodes):
        columns = cycle.state.columns.nodes
        names = [columns.names[node] for node in nodes]
        self.asked.append(("filter", names))
        left = self._or_fail(self.passes(names))
        return FilterAnswer(
            np.array([columns.index[name] for name in left], np.int32), self.failed, self.unresolvable, self.is_bare
        )

    def prioritize(self, cycle, nodes):
        names = [cycle.state.columns.nodes.names[node] for node in nodes]
        self.asked.append(("prioritize", names))
        scores = self._or_fail(self.scores)
        return np.array([scores.get(name, 0) for name in names], np.int64)

    def preempt(self, cycle, candidates):
        columns = cycle.state.columns
        victims = {
            columns.nodes.names[node]: [columns.pods.names[pod] for pod in candidates.victims_of(position)]
            for position, node in enumerate(candidates.nodes)
        }
        self.asked.append(("preempt", (victims, candidates.violations.tolist())))
        return [
            Claim(
                columns.nodes.index[node], np.array([columns.pods.names.index(pod) for pod in pods], np.int32), broken
            )
            for node, pods, broken in self._or_fail(self.claims)
        ]

    def bind(self, cycle, node):
        self.asked.append(("bind", cycle.state.columns.nodes.names[node]))
        self._or_fail(self.binding)

    def _or_fail(self, answer):
        if isinstance(answer, str) and answer:
            raise ExtenderError(answer)
        return answer


def only(*names: str) -> Callable[[list[str]], list[str]]:
    return lambda asked: [name for name in names if name in asked]


def everything(asked: list[str]) -> list[str]:
    return asked


def attempt(state, *extenders, pod=0, profile=PROFILE, **options):
    """One attempt at a pod; ties are broken by order."""
    return try_pod(state, profile, pod, 0, Options(TieBreak.FIRST, extenders=extenders, **options))


def names(state, nodes):
    return [state.columns.nodes.names[node] for node in nodes]


def unscoring(profile=PROFILE):
    """The profile without anybody who scores."""
    return replace(profile, pre_score=(), score=())
