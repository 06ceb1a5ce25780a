"""The arithmetic of pod affinity: pods per domain, the three reasons, scores.

A domain is a value of a topology key; nodes without the key are in no domain, and their pods do not count for it. How
many pods of a group a domain holds is summed over the group's row of counts when it is asked for: it is always that of
the state as it stands.
"""

from typing import NamedTuple

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import I8, I32, I64, MAX_NODE_SCORE, Code

PASSES = 0
"""Detail of a verdict: nothing is wrong."""
AFFINITY_UNMET = 1
"""Detail: the pod's own affinity asks for pods that the node's domains lack."""
ANTI_AFFINITY_HIT = 2
"""Detail: a domain of the node holds pods that the pod's own anti-affinity forbids."""
EXISTING_ANTI_AFFINITY_HIT = 3
"""Detail: a pod in a domain of the node has an anti-affinity to this pod."""

_UNSCHEDULABLE = int(Code.UNSCHEDULABLE)
_UNRESOLVABLE = int(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)


class AffinityTopology(NamedTuple):
    """The domains of all topology keys that terms name.

    Attributes
    ----------
    codes : int32 ndarray, shape (n_keys, n_nodes)
        Each node's domain; `kplace.dtypes.NO_VALUE` where it lacks the key.
    sizes : int32 ndarray, shape (n_keys,)
        Number of domains.
    sums : int64 ndarray, shape (largest size,)
        Workspace of the kernels: one number per domain of the key in hand.
    """

    codes: I32
    sizes: I32
    sums: I64


class CountedTerms(NamedTuple):
    """Terms as the counts see them; terms of one key stand together.

    Attributes
    ----------
    rows : int32 ndarray, shape (n_terms,)
        Row of the counts that holds the pods in question.
    keys : int32 ndarray, shape (n_terms,)
        Row of ``AffinityTopology.codes``.
    weights : int64 ndarray, shape (n_terms,)
        What each of the pods counts.
    """

    rows: I32
    keys: I32
    weights: I64


class RequiredAffinity(NamedTuple):
    """The required affinity terms of one pod.

    Attributes
    ----------
    row : int
        Row of the counts for the pods that match all the terms together; -1 if there are no terms.
    keys : int32 ndarray
        The distinct topology keys, as rows of ``AffinityTopology.codes``.
    matches_self : bool
        The pod matches all of its own terms.
    """

    row: int
    keys: I32
    matches_self: bool


class RequiredTerms(NamedTuple):
    """All that can rule out a node for one pod.

    Attributes
    ----------
    affinity : RequiredAffinity
    anti_affinity : CountedTerms
        The pod's own terms.
    existing : CountedTerms
        Terms of other pods that mean this one.
    """

    affinity: RequiredAffinity
    anti_affinity: CountedTerms
    existing: CountedTerms


@kernel
def affinity_holds(domain: int, pods: int, first: bool) -> bool:
    """Whether a node satisfies an affinity over one key.

    Parameters
    ----------
    domain : int
        The node's domain, negative if it lacks the key: then nothing helps.
    pods : int
        Matching pods in it.
    first : bool
        There is no such pod anywhere and the pod itself would be one: it may be the first.
    """
    return domain >= 0 and (first or pods > 0)


@kernel
def normalized(score: int, lowest: int, highest: int) -> int:
    """Place of a score between the lowest and the highest, 0 to 100, truncated; all 0 if they are the same."""
    if highest <= lowest:
        return 0
    return int(MAX_NODE_SCORE * (float(score - lowest) / float(highest - lowest)))


@kernel
def pods_at(sums: I64, domain: int) -> int:
    """Sum of a node's domain; 0 for a node that is in none."""
    return sums[domain] if domain >= 0 else 0


@kernel
def is_counted(pods: I32, domains: I32) -> bool:
    """Whether any of the pods is on a node that has the key."""
    for n in range(pods.shape[0]):
        if pods[n] > 0 and domains[n] >= 0:
            return True
    return False


@kernel
def add_to_domains(pods: I32, domains: I32, weight: int, sums: I64) -> None:
    """Add the pods of all nodes, times ``weight``, to the sums of their domains. Modified in place."""
    for n in range(pods.shape[0]):
        if pods[n] > 0 and domains[n] >= 0:
            sums[domains[n]] += weight * pods[n]


@kernel
def run_end(keys: I32, start: int) -> int:
    """Where the run of equal keys that begins at ``start`` ends."""
    end = start + 1
    while end < keys.shape[0] and keys[end] == keys[start]:
        end += 1
    return end


@kernel
def any_counted(counts: I32, totals: I64, topology: AffinityTopology, terms: CountedTerms) -> bool:
    """Whether there is any pod on a node with the key, for any of the terms."""
    for t in range(terms.rows.shape[0]):
        row = terms.rows[t]
        if totals[row] > 0 and is_counted(counts[row], topology.codes[terms.keys[t]]):
            return True
    return False


@kernel
def fill_sums(counts: I32, totals: I64, topology: AffinityTopology, terms: CountedTerms, start: int, end: int) -> bool:
    """Sum up the terms ``start`` to ``end``, all of one key, by domain.

    Returns
    -------
    bool
        False if none of them has any pods; the workspace is left as it was then.
    """
    filled = False
    for t in range(start, end):
        row = terms.rows[t]
        if totals[row] > 0:
            if not filled:
                topology.sums[: topology.sizes[terms.keys[t]]] = 0
                filled = True
            add_to_domains(counts[row], topology.codes[terms.keys[t]], terms.weights[t], topology.sums)
    return filled


@kernel
def mark_affinity(
    counts: I32, totals: I64, topology: AffinityTopology, affinity: RequiredAffinity, listed: I32, detail: I64
) -> None:
    """Mark the listed nodes that do not satisfy the affinity. Modified in place.

    Mirrors ``interpodaffinity/filtering.go``, ``satisfyPodAffinity``: every key must be there, and for every key the
    node's domain must hold a pod that matches all terms, unless the pod is the first of its kind.
    """
    pods = counts[affinity.row]
    anywhere = False
    for k in range(affinity.keys.shape[0]):
        anywhere = anywhere or (totals[affinity.row] > 0 and is_counted(pods, topology.codes[affinity.keys[k]]))
    first = affinity.matches_self and not anywhere
    for k in range(affinity.keys.shape[0]):
        domains = topology.codes[affinity.keys[k]]
        topology.sums[: topology.sizes[affinity.keys[k]]] = 0
        if anywhere:
            add_to_domains(pods, domains, 1, topology.sums)
        for i in range(listed.shape[0]):
            domain = domains[listed[i]]
            if not affinity_holds(domain, pods_at(topology.sums, domain), first):
                detail[i] = AFFINITY_UNMET


@kernel
def mark_anti_affinity(
    counts: I32, totals: I64, topology: AffinityTopology, terms: CountedTerms, listed: I32, reason: int, detail: I64
) -> None:
    """Mark the listed nodes that have a domain with pods of any of the terms. Modified in place."""
    start = 0
    while start < terms.keys.shape[0]:
        end = run_end(terms.keys, start)
        if fill_sums(counts, totals, topology, terms, start, end):
            domains = topology.codes[terms.keys[start]]
            for i in range(listed.shape[0]):
                if pods_at(topology.sums, domains[listed[i]]) > 0:
                    detail[i] = reason
        start = end


@kernel
def code_of(detail: int) -> int:
    """Status code of a reason: only missing pods to be near to are beyond what preemption can mend."""
    if detail == PASSES:
        return 0
    return _UNRESOLVABLE if detail == AFFINITY_UNMET else _UNSCHEDULABLE


@kernel
def judge(
    counts: I32,
    totals: I64,
    topology: AffinityTopology,
    terms: RequiredTerms,
    listed: I32,
    code: I8,
    detail: I64,
) -> None:
    """Judge each listed node: own affinity comes first, then own anti-affinity, then that of existing pods.

    Parameters
    ----------
    counts, totals : ndarrays
        Of `kplace.state.PodGroups`.
    listed : int32 ndarray, shape (k,)
        The nodes to judge.
    code, detail : ndarrays, shape (k,)
        Written: a status code and one of the reasons above.

    Notes
    -----
    Mirrors ``interpodaffinity/filtering.go``, ``Filter``. The reasons are marked from the last to the first: the first
    stays.
    """
    detail[:] = PASSES
    mark_anti_affinity(counts, totals, topology, terms.existing, listed, int(EXISTING_ANTI_AFFINITY_HIT), detail)
    mark_anti_affinity(counts, totals, topology, terms.anti_affinity, listed, int(ANTI_AFFINITY_HIT), detail)
    if terms.affinity.row >= 0:
        mark_affinity(counts, totals, topology, terms.affinity, listed, detail)
    for i in range(listed.shape[0]):
        code[i] = code_of(detail[i])


@kernel
def score(counts: I32, totals: I64, topology: AffinityTopology, terms: CountedTerms, listed: I32, scores: I64) -> None:
    """Sum of the weights of all pods in the domains of each listed node. Writes ``scores``.

    Mirrors ``interpodaffinity/scoring.go``, ``processExistingPod`` and ``Score``.
    """
    scores[:] = 0
    start = 0
    while start < terms.keys.shape[0]:
        end = run_end(terms.keys, start)
        if fill_sums(counts, totals, topology, terms, start, end):
            domains = topology.codes[terms.keys[start]]
            for i in range(listed.shape[0]):
                scores[i] += pods_at(topology.sums, domains[listed[i]])
        start = end


@kernel
def normalize_affinity(scores: I64) -> None:
    """Bring scores of either sign to [0, 100] between their extremes. Modified in place.

    Mirrors ``interpodaffinity/scoring.go``, ``NormalizeScore``, in float64 and in its order of operations.
    """
    lowest = np.iinfo(np.int64).max
    highest = np.iinfo(np.int64).min
    for i in range(scores.shape[0]):
        lowest = min(lowest, scores[i])
        highest = max(highest, scores[i])
    for i in range(scores.shape[0]):
        scores[i] = normalized(scores[i], lowest, highest)
