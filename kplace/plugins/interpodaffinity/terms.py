"""Pod affinity terms, compiled: which pods a term means, and which templates carry it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kplace.columns.selectors import Operator, Selector, compile_selector
from kplace.columns.templates import Template
from kplace.objects.core import PodAffinity, PodAffinityTerm


@dataclass(frozen=True, slots=True)
class Scope:
    """Which pods a term means.

    Attributes
    ----------
    namespaces : frozenset of str or None
        Where the pods must be; None for anywhere.
    selector : Selector
    """

    namespaces: frozenset[str] | None
    selector: Selector

    def covers(self, template: Template) -> bool:
        """Whether the term means pods of this template."""
        if self.namespaces is not None and template.namespace not in self.namespaces:
            return False
        return self.selector.matches(template.labels)


class Term(NamedTuple):
    """A compiled pod affinity term."""

    scope: Scope
    topology_key: str


class WeightedTerm(NamedTuple):
    """A term with what each pod adds to the score of a node in its domain; anti-affinity has a negative weight."""

    term: Term
    weight: int


@dataclass(frozen=True, slots=True)
class PodTerms:
    """All terms of a template, in the order of its spec."""

    affinity: tuple[Term, ...]
    anti_affinity: tuple[Term, ...]
    preferred: tuple[WeightedTerm, ...]


NO_TERMS = PodTerms((), (), ())


class TermCompiler:
    """Compiles the terms of pods in the light of the cluster's namespaces.

    Parameters
    ----------
    namespace_labels : mapping of str to mapping
        The labels of every namespace.
    """

    def __init__(self, namespace_labels: Mapping[str, Mapping[str, str]]) -> None:
        self._namespace_labels = namespace_labels
        self._selected: dict[Selector, frozenset[str]] = {}

    def carried(self, template: Template) -> PodTerms:
        """Terms of a template as pods that exist have them: they are held against the incoming pod."""
        return self._terms(template, incoming=False)

    def own(self, template: Template) -> PodTerms:
        """Terms of a template as the incoming pod has them: they are held against the pods that exist.

        Notes
        -----
        Upstream resolves the namespaceSelector of the incoming pod's terms into names but leaves the selector on the
        term (``mergeAffinityTermNamespacesIfNotEmpty`` gets it by value), and then asks it about a namespace without
        any labels. A selector that an empty label set meets therefore selects every namespace.
        """
        return self._terms(template, incoming=True)

    def _terms(self, template: Template, *, incoming: bool) -> PodTerms:
        affinity = template.spec.affinity
        if affinity is None or (affinity.pod_affinity is None and affinity.pod_anti_affinity is None):
            return NO_TERMS
        near = affinity.pod_affinity or PodAffinity()
        far = affinity.pod_anti_affinity or PodAffinity()

        def compiled(term: PodAffinityTerm | None) -> Term:
            term = term or PodAffinityTerm()
            namespaces = self._namespaces(term, template.namespace, incoming=incoming)
            return Term(Scope(namespaces, compile_selector(term.label_selector)), term.topology_key)

        return PodTerms(
            affinity=tuple(map(compiled, near.required or ())),
            anti_affinity=tuple(map(compiled, far.required or ())),
            preferred=tuple(
                WeightedTerm(compiled(item.pod_affinity_term), sign * item.weight)
                for sign, terms in ((1, near.preferred), (-1, far.preferred))
                for item in terms or ()
            ),
        )

    def _namespaces(self, term: PodAffinityTerm, namespace: str, *, incoming: bool) -> frozenset[str] | None:
        """Union of the listed and the selected namespaces; the pod's own if the term names neither."""
        if not term.namespaces and term.namespace_selector is None:
            return frozenset((namespace,))
        selector = compile_selector(term.namespace_selector)
        if selector.is_empty or (incoming and selector.matches({})):
            return None
        return self._selected_by(selector).union(term.namespaces or ())

    def _selected_by(self, selector: Selector) -> frozenset[str]:
        names = self._selected.get(selector)
        if names is None:
            names = frozenset(name for name, labels in self._namespace_labels.items() if selector.matches(labels))
            self._selected[selector] = names
        return names


@dataclass(frozen=True, slots=True)
class CarriedTerm:
    """One of the distinct terms in a cluster and the templates whose pods carry it.

    Attributes
    ----------
    term : Term
    weight : int
    carriers : list of int
        Codes of the templates, ascending.
    """

    term: Term
    weight: int
    carriers: list[int] = field(default_factory=list)


_Pair = tuple[str, str]


class CarriedTerms:
    """The distinct terms in a cluster, found by the templates that they mean.

    Parameters
    ----------
    terms : iterable of (int, WeightedTerm)
        Template codes, ascending, with the terms that each carries; no pair may come twice.
    """

    def __init__(self, terms: Iterable[tuple[int, WeightedTerm]]) -> None:
        distinct: dict[WeightedTerm, CarriedTerm] = {}
        for template, weighted in terms:
            carried = distinct.get(weighted)
            if carried is None:
                carried = distinct[weighted] = CarriedTerm(*weighted)
            carried.carriers.append(template)
        self._distinct = list(distinct.values())
        self._by_label: dict[tuple[str | None, _Pair | None], list[CarriedTerm]] = {}
        for carried in self._distinct:
            for place in _index_keys(carried.term.scope):
                self._by_label.setdefault(place, []).append(carried)

    def __iter__(self) -> Iterator[CarriedTerm]:
        return iter(self._distinct)

    def meaning(self, template: Template) -> list[CarriedTerm]:
        """Terms that mean pods of a template."""
        if not self._distinct:
            return []
        pairs: list[_Pair | None] = [None, *template.labels.items()]
        return [
            carried
            for namespace in (template.namespace, None)
            for pair in pairs
            for carried in self._by_label.get((namespace, pair), ())
            if carried.term.scope.covers(template)
        ]


def _index_keys(scope: Scope) -> Sequence[tuple[str | None, _Pair | None]]:
    """Where a term is filed: under its namespace if it has a single one, and under the values of one label it asks for.

    A template has at most one value of a label, so it comes upon the term once.
    """
    if scope.selector.nothing:
        return ()
    namespace = next(iter(scope.namespaces)) if scope.namespaces is not None and len(scope.namespaces) == 1 else None
    asked = [item for item in scope.selector.requirements if item.operator is Operator.IN]
    if not asked:
        return ((namespace, None),)
    fewest = min(asked, key=lambda item: len(item.values))
    return [(namespace, (fewest.key, value)) for value in fewest.values]
