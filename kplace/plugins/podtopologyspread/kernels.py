"""The arithmetic of topology spread: pods per domain, skew, weights, scores.

Axes: ``c`` constraints of a pod, ``d`` domains of a constraint, ``n`` nodes, ``k`` nodes under consideration.
"""

from typing import NamedTuple

from kplace._jit import kernel
from kplace.dtypes import F64, I8, I32, I64, MAX_NODE_SCORE, Mask
from kplace.plugins.helper import round_half_away
from kplace.plugins.podtopologyspread.log import log

NO_DOMAIN_COUNT = 2**31 - 1
"""Lowest count among no domains at all."""

_MAX_INT64 = 2**63 - 1


class Topology(NamedTuple):
    """How the constraints of a pod divide the nodes; nothing of it changes while pods are placed.

    Attributes
    ----------
    domain : int32 ndarray, shape (n_constraints, n_nodes)
        The domain a node lies in; -1 if there is none for want of the label.
    labelled : bool ndarray, shape (n_constraints, n_nodes)
        The node has the label.
    counted : bool ndarray, shape (n_constraints, n_nodes)
        The node's pods count for its domain.
    ignored : bool ndarray, shape (n_nodes,)
        The node is not scored, because it lacks a label.
    n_eligible : int64 ndarray, shape (n_constraints,)
        Number of domains with a counted node. For constraints that filter these have the lowest codes.
    """

    domain: I32
    labelled: Mask
    counted: Mask
    ignored: Mask
    n_eligible: I64


class SpreadTerms(NamedTuple):
    """What the constraints of a pod count and allow.

    Attributes
    ----------
    row : int32 ndarray, shape (n_constraints,)
        Row of the group counts that holds the pods selected; -1 if no pod ever counts.
    max_skew, min_domains : int64 ndarray, shape (n_constraints,)
    self_match : int64 ndarray, shape (n_constraints,)
        1 if the selector matches the pod itself, else 0.
    """

    row: I32
    max_skew: I64
    min_domains: I64
    self_match: I64


class DomainCounts(NamedTuple):
    """Pods per domain in one scheduling attempt, for the filter.

    Attributes
    ----------
    pods : int64 ndarray, shape (n_constraints, n_domains)
    lowest : int64 ndarray, shape (n_constraints,)
        Lowest count of an eligible domain; 0 if there are fewer eligible domains than wanted.
    """

    pods: I64
    lowest: I64


class DomainScores(NamedTuple):
    """Pods per domain in one scheduling attempt and what they weigh, for the score.

    Attributes
    ----------
    pods : int64 ndarray, shape (n_constraints, n_domains)
    weight : float64 ndarray, shape (n_constraints,)
    """

    pods: I64
    weight: F64


@kernel
def exceeds_skew(count: int, self_match: int, lowest: int, max_skew: int) -> bool:
    """Whether one more pod in a domain of ``count`` would leave it more than ``max_skew`` above the lowest."""
    return count + self_match - lowest > max_skew


@kernel
def size_weight(size: int) -> float:
    """Weight of a constraint with so many domains among the candidates (``topologyNormalizingWeight``)."""
    return log(float(size + 2))


@kernel
def count_score(count: int, max_skew: int, weight: float) -> float:
    """What a domain of ``count`` pods adds to a node's raw score (``scoreForCount``)."""
    return float(count) * weight + float(max_skew - 1)


@kernel
def relative_score(score: int, lowest: int, highest: int) -> int:
    """Raw score to [0, 100]: the lowest gets 100, the highest ``100 * lowest / highest``."""
    if highest == 0:
        return MAX_NODE_SCORE
    return MAX_NODE_SCORE * (highest + lowest - score) // highest


@kernel
def add_up(topology: Topology, row: I32, group_counts: I32, pods: I64) -> None:
    """Add each counted node's pods to its domain.

    Parameters
    ----------
    row : int32 ndarray, shape (n_constraints,)
    group_counts : int32 ndarray, shape (n_groups, n_nodes)
    pods : int64 ndarray, shape (n_constraints, n_domains)
        Zeros. Modified in place.
    """
    for c in range(row.shape[0]):
        if row[c] < 0:
            continue
        counts = group_counts[row[c]]
        domain = topology.domain[c]
        counted = topology.counted[c]
        sums = pods[c]
        for n in range(domain.shape[0]):
            if counted[n]:
                sums[domain[n]] += counts[n]


@kernel
def lowest_count(counts: I64, n_eligible: int, min_domains: int) -> int:
    """Lowest count of the eligible domains, which come first (``minMatchNum``)."""
    if n_eligible < min_domains:
        return 0
    lowest = NO_DOMAIN_COUNT
    for d in range(n_eligible):
        lowest = min(lowest, counts[d])
    return lowest


@kernel
def count_domains(topology: Topology, terms: SpreadTerms, group_counts: I32, domains: DomainCounts) -> None:
    """Count the pods of each domain and find the lowest counts. Modifies ``domains``, which must be zeros.

    Mirrors ``podtopologyspread/filtering.go``, ``calPreFilterState``.
    """
    add_up(topology, terms.row, group_counts, domains.pods)
    for c in range(terms.row.shape[0]):
        domains.lowest[c] = lowest_count(domains.pods[c], topology.n_eligible[c], terms.min_domains[c])


@kernel
def count_pod(
    topology: Topology, terms: SpreadTerms, matches: Mask, node: int, sign: int, domains: DomainCounts
) -> None:
    """Add one pod on a node (``sign`` 1) or take it away (-1). Modifies ``domains``.

    Parameters
    ----------
    matches : bool ndarray, shape (n_constraints,)
        Whether each constraint's selector matches the pod.
    """
    for c in range(matches.shape[0]):
        if matches[c] and topology.counted[c, node]:
            domains.pods[c, topology.domain[c, node]] += sign
            domains.lowest[c] = lowest_count(domains.pods[c], topology.n_eligible[c], terms.min_domains[c])


@kernel
def filter_nodes(
    topology: Topology, terms: SpreadTerms, domains: DomainCounts, listed: I32, verdict: tuple[I8, I64]
) -> None:
    """Judge each listed node; the first constraint that fails decides.

    Parameters
    ----------
    listed : int32 ndarray, shape (k,)
        The nodes to judge.
    verdict : (int8 ndarray, int64 ndarray), shape (k,)
        Written: code 2 (Unschedulable) for too much skew, 3 (UnschedulableAndUnresolvable) for a missing label; the
        detail is twice the constraint's position, plus 1 for a missing label.
    """
    code, detail = verdict
    for i in range(listed.shape[0]):
        n = listed[i]
        code[i] = 0
        detail[i] = 0
        for c in range(terms.row.shape[0]):
            d = topology.domain[c, n]
            if d < 0:
                code[i] = 3
                detail[i] = 2 * c + 1
                break
            if exceeds_skew(domains.pods[c, d], terms.self_match[c], domains.lowest[c], terms.max_skew[c]):
                code[i] = 2
                detail[i] = 2 * c
                break


@kernel
def weigh_domains(topology: Topology, listed: I32, seen: Mask, weight: F64) -> None:
    """Weigh each constraint by the number of its domains among the listed nodes.

    Parameters
    ----------
    listed : int32 ndarray, shape (k,)
        The feasible nodes.
    seen : bool ndarray, shape (n_constraints, n_domains)
        All False. Modified in place.
    weight : float64 ndarray, shape (n_constraints,)
        Written.
    """
    for c in range(weight.shape[0]):
        size = 0
        for i in range(listed.shape[0]):
            n = listed[i]
            if topology.ignored[n]:
                continue
            d = topology.domain[c, n]
            if not seen[c, d]:
                seen[c, d] = True
                size += 1
        weight[c] = size_weight(size)


@kernel
def score_nodes(topology: Topology, terms: SpreadTerms, domains: DomainScores, listed: I32, scores: I64) -> None:
    """Raw score of each listed node: the weighted counts of its domains; more is worse. Writes ``scores``.

    Labels that a node lacks add nothing, ignored nodes score 0. Mirrors ``podtopologyspread/scoring.go``, ``Score``.
    """
    for i in range(listed.shape[0]):
        n = listed[i]
        total = 0.0
        if not topology.ignored[n]:
            for c in range(terms.row.shape[0]):
                if topology.labelled[c, n]:
                    count = domains.pods[c, topology.domain[c, n]]
                    total += count_score(count, terms.max_skew[c], domains.weight[c])
        scores[i] = round_half_away(total)


@kernel
def normalize_scores(ignored: Mask, listed: I32, scores: I64) -> None:
    """Bring raw scores to [0, 100], fewer pods being better; ignored nodes stay at 0. Modified in place.

    Mirrors ``podtopologyspread/scoring.go``, ``NormalizeScore``.
    """
    lowest = _MAX_INT64
    highest = 0
    for i in range(listed.shape[0]):
        if not ignored[listed[i]]:
            lowest = min(lowest, scores[i])
            highest = max(highest, scores[i])
    for i in range(listed.shape[0]):
        scores[i] = 0 if ignored[listed[i]] else relative_score(scores[i], lowest, highest)
