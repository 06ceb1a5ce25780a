"""Why an attempt failed: reasons by plugin with their numbers of nodes, and the message."""

from collections import Counter

from kplace.engine.attempt import Attempt
from kplace.framework.diagnosis import fit_error, reason_counts

Reasons = tuple[tuple[str, str, int], ...]
"""Plugin, reason, number of nodes."""


def diagnose(attempt: Attempt) -> tuple[Reasons, str]:
    """Reasons and FitError text of an attempt that found no node; the text ends with what PostFilters said.

    If an error ended the attempt, it is the text, and there are no reasons.
    """
    if attempt.error:
        return (), attempt.error
    reasons, message = _filters_words(attempt)
    added = attempt.post_filters.result.message if attempt.post_filters is not None else ""
    return reasons, f"{message} {added}" if added else message


def _filters_words(attempt: Attempt) -> tuple[Reasons, str]:
    n_nodes = attempt.cycle.state.n_nodes
    rejecting = attempt.pre_filters.rejected_by
    if rejecting is not None:
        reasons = attempt.pre_filters.rejection.reasons
        return tuple((rejecting.name, reason, n_nodes) for reason in reasons), fit_error(n_nodes, Counter(), reasons)
    assert attempt.filters is not None
    by_plugin = reason_counts(attempt.profile, attempt.cycle, attempt.pre_filters, attempt.filters)
    totals: Counter[str] = Counter()
    for (_, reason), number in by_plugin.items():
        totals[reason] += number
    ranked = sorted(by_plugin.items(), key=lambda item: (-item[1], item[0]))
    return tuple((plugin, reason, number) for (plugin, reason), number in ranked), fit_error(n_nodes, totals, ())
