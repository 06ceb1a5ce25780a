"""Why a pod found no node, in upstream's words (``types.go``, ``FitError``)."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from kplace.dtypes import I64
from kplace.framework.answers import reasons_of
from kplace.framework.cycle import Cycle
from kplace.framework.profile import Profile
from kplace.framework.runtime import ABSENT, PASSED, REFUSED, FilterPhase, PreFilterPhase

NO_NODES = "no nodes available to schedule pods"


def absent_reasons(phase: PreFilterPhase) -> tuple[str, ...]:
    """Reasons of the nodes that nobody has a word on: there is one if PreFilters narrowed the search."""
    return (f"node(s) didn't satisfy plugin(s) [{' '.join(phase.narrowed_by)}]",) if phase.narrowed_by else ()


def rejecter(profile: Profile, outcome: FilterPhase, plugin: int, detail: int) -> str:
    """Name of the plugin or extender that filtered a node out; empty for `ABSENT`."""
    if plugin == REFUSED:
        return outcome.remarks[detail].extender
    return "" if plugin == ABSENT else profile.filter[plugin].name


def node_reasons(
    profile: Profile, cycle: Cycle, phase: PreFilterPhase, outcome: FilterPhase, plugin: int, detail: int
) -> tuple[str, ...]:
    """Reasons of one node that was filtered out."""
    if plugin == ABSENT:
        return absent_reasons(phase)
    if plugin == REFUSED:
        return (outcome.remarks[detail].reason,)
    return reasons_of(profile.filter[plugin], cycle, detail)


def reason_counts(
    profile: Profile, cycle: Cycle, phase: PreFilterPhase, outcome: FilterPhase
) -> Counter[tuple[str, str]]:
    """Number of nodes by plugin name and reason; a node with several reasons counts for each of them.

    The plugin of nodes that were never looked at is ``""``; for those that an extender has something against it is the
    extender's name.

    Notes
    -----
    Upstream takes nodes that an extender names but that do not exist for some of those that nobody has a word on.
    """
    counts: Counter[tuple[str, str]] = Counter()
    numbers = np.bincount(outcome.plugin - REFUSED)
    for plugin in (np.flatnonzero(numbers) + REFUSED).tolist():
        if plugin != PASSED:
            for detail, number in _detail_counts(outcome.detail[outcome.plugin == plugin]):
                name = rejecter(profile, outcome, plugin, detail)
                known = max(number - len(outcome.strangers), 0) if plugin == ABSENT else number
                for reason in node_reasons(profile, cycle, phase, outcome, plugin, detail):
                    counts[name, reason] += known
    counts.update((remark.extender, remark.reason) for remark in outcome.strangers)
    return +counts


def _detail_counts(details: I64) -> Iterator[tuple[int, int]]:
    """Distinct details with their numbers; most plugins have but one to give, which needs no sorting."""
    if details.min() == details.max():
        yield int(details[0]), len(details)
        return
    distinct, numbers = np.unique(details, return_counts=True)
    yield from zip(distinct.tolist(), numbers.tolist(), strict=True)


def fit_error(n_nodes: int, counts: Counter[str], rejection: tuple[str, ...]) -> str:
    """The message of a pod that fits nowhere, as far as filters speak.

    Parameters
    ----------
    counts : Counter of str
        Number of nodes by reason.
    rejection : tuple of str
        The PreFilter's reasons if it rejected the pod; no per-node part is shown then.

    Examples
    --------
    >>> fit_error(12, Counter({"Too many pods": 2, "Insufficient cpu": 10}), ())
    '0/12 nodes are available: 10 Insufficient cpu, 2 Too many pods.'
    """
    if n_nodes == 0:
        return NO_NODES
    head = f"0/{n_nodes} nodes are available:"
    if rejection:
        return f"{head} {', '.join(rejection)}."
    parts = sorted(f"{number} {reason}" for reason, number in counts.items())
    return f"{head} {', '.join(parts)}." if parts else head
