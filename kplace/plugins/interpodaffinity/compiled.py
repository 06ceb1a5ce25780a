"""From terms to rows of counts: what the kernels need to know of one template."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.columns.templates import Template
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I32
from kplace.plugins import names
from kplace.plugins.interpodaffinity.kernels import AffinityTopology, CountedTerms, RequiredAffinity, RequiredTerms
from kplace.plugins.interpodaffinity.terms import (
    NO_TERMS,
    CarriedTerm,
    CarriedTerms,
    PodTerms,
    Scope,
    Term,
    TermCompiler,
    WeightedTerm,
)
from kplace.state import ClusterState


class Compiled(NamedTuple):
    """One template's view of pod affinity.

    Attributes
    ----------
    required : RequiredTerms
    has_required : bool
        The template has required terms of its own.
    scored : CountedTerms
    has_preferred : bool
        The template has preferred terms of its own.
    """

    required: RequiredTerms
    has_required: bool
    scored: CountedTerms
    has_preferred: bool


NO_KEYS: I32 = np.zeros(0, np.int32)
NO_COUNTED_TERMS = CountedTerms(NO_KEYS, NO_KEYS, np.zeros(0, np.int64))
NO_AFFINITY = RequiredAffinity(-1, NO_KEYS, False)
NOTHING = Compiled(RequiredTerms(NO_AFFINITY, NO_COUNTED_TERMS, NO_COUNTED_TERMS), False, NO_COUNTED_TERMS, False)
"""Of the many templates that neither have terms nor are meant by any."""


class ClusterTerms:
    """All pod affinity terms of a cluster, made once for a run.

    Parameters
    ----------
    columns : ClusterColumns
    hard_weight : int
        ``hardPodAffinityWeight``.

    Attributes
    ----------
    topology : AffinityTopology
    anti_affinity : CarriedTerms
        The required anti-affinity terms.
    scored : CarriedTerms
        The terms that pods of other templates are scored by. A template that has a term several times carries it once,
        with the sum of the weights.
    """

    def __init__(self, columns: ClusterColumns, hard_weight: int) -> None:
        self._compiler = TermCompiler(columns.namespace_labels)
        carried = [(template.code, self._compiler.carried(template)) for template in columns.templates]
        carried = [(template, terms) for template, terms in carried if terms is not NO_TERMS]
        self._keys = Vocabulary(key for _, terms in carried for key in _topology_keys(terms))
        self._hard_weight = hard_weight
        self.topology = _topology(columns, self._keys)
        self.anti_affinity = CarriedTerms(
            (template, WeightedTerm(term, 1))
            for template, terms in carried
            for term in dict.fromkeys(terms.anti_affinity)
        )
        self.scored = CarriedTerms(
            (template, weighted) for template, terms in carried for weighted in net_weights(terms, hard_weight)
        )

    def compile(self, state: ClusterState, template: Template) -> Compiled:
        """Find, or have counted, the groups of pods that matter to a template."""
        own = self._compiler.own(template)
        forbidding = self.anti_affinity.meaning(template)
        scoring = self.scored.meaning(template)
        if own is NO_TERMS and not forbidding and not scoring:
            return NOTHING
        anti_affinity = {self._own_pair(state, term): 1 for term in own.anti_affinity}
        existing = {self._carried_pair(state, "forbids", item): 1 for item in forbidding}
        scored: dict[tuple[int, int], int] = {}
        pairs = [(self._own_pair(state, term), weight) for term, weight in own.preferred]
        pairs += [(self._carried_pair(state, ("scores", self._hard_weight), item), item.weight) for item in scoring]
        for pair, weight in pairs:
            scored[pair] = scored.get(pair, 0) + weight
        return Compiled(
            required=RequiredTerms(
                affinity=self._affinity(state, template, own.affinity),
                anti_affinity=_counted(anti_affinity),
                # What the pod's own anti-affinity forbids already is never blamed on others.
                existing=_counted({pair: 1 for pair in existing if pair not in anti_affinity}),
            ),
            has_required=bool(own.affinity or own.anti_affinity),
            scored=_counted(scored),
            has_preferred=bool(own.preferred),
        )

    def _affinity(self, state: ClusterState, template: Template, terms: tuple[Term, ...]) -> RequiredAffinity:
        if not terms:
            return NO_AFFINITY
        keys = dict.fromkeys(self._keys.find(term.topology_key) for term in terms)
        return RequiredAffinity(
            row=_meant(state, tuple(dict.fromkeys(term.scope for term in terms))),
            keys=np.array(list(keys), np.int32),
            matches_self=all(term.scope.covers(template) for term in terms),
        )

    def _own_pair(self, state: ClusterState, term: Term) -> tuple[int, int]:
        """Key and row of the pods that a term of the incoming pod means."""
        return self._keys.find(term.topology_key), _meant(state, (term.scope,))

    def _carried_pair(self, state: ClusterState, use: object, item: CarriedTerm) -> tuple[int, int]:
        """Key and row of the pods that carry a term."""
        row = state.group((names.INTER_POD_AFFINITY, use, item.term, item.weight), _is_any, among=item.carriers)
        return self._keys.find(item.term.topology_key), row


def net_weights(terms: PodTerms, hard_weight: int) -> Iterator[WeightedTerm]:
    """What a pod's terms add to the score of a node for each pod that they mean, one entry per distinct term."""
    weights: dict[Term, int] = {}
    if hard_weight > 0:
        for term in terms.affinity:
            weights[term] = weights.get(term, 0) + hard_weight
    for term, weight in terms.preferred:
        weights[term] = weights.get(term, 0) + weight
    return (WeightedTerm(term, weight) for term, weight in weights.items())


def _topology_keys(terms: PodTerms) -> Iterator[str]:
    for term in (*terms.affinity, *terms.anti_affinity):
        yield term.topology_key
    for weighted in terms.preferred:
        yield weighted.term.topology_key


def _topology(columns: ClusterColumns, keys: Iterable[str]) -> AffinityTopology:
    nodes = columns.nodes
    codes = [nodes.label_codes(key) for key in keys]
    sizes = [len(nodes.label_values(key)) for key in keys]
    return AffinityTopology(
        codes=np.stack(codes) if codes else np.zeros((0, len(nodes)), np.int32),
        sizes=np.array(sizes, np.int32),
        sums=np.zeros(max(sizes, default=0), np.int64),
    )


def _meant(state: ClusterState, scopes: tuple[Scope, ...]) -> int:
    """Row of the pods that all of the scopes cover."""
    found = [state.template_index.candidates(scope.selector, scope.namespaces) for scope in scopes]
    return state.group(
        (names.INTER_POD_AFFINITY, scopes),
        lambda template: all(scope.covers(template) for scope in scopes),
        among=min(found, key=len),
    )


def _is_any(template: Template) -> bool:
    return True


def _counted(weights: dict[tuple[int, int], int]) -> CountedTerms:
    """Terms by key and row, in that order, with their weights."""
    if not weights:
        return NO_COUNTED_TERMS
    pairs = sorted(weights)
    keys, rows = zip(*pairs, strict=True)
    return CountedTerms(
        rows=np.array(rows, np.int32),
        keys=np.array(keys, np.int32),
        weights=np.array([weights[pair] for pair in pairs], np.int64),
    )
