"""What plugins answer, held to what was asked of them: each question has one place where its answer is looked at.

What is wrong is a `PluginError` that names the plugin and the method, for it is the plugin's code that has to change.
"""

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from kplace.columns.pods import PodColumns
from kplace.columns.templates import Template
from kplace.dtypes import CODE_NAMES, I32, I64, Code
from kplace.errors import PluginError
from kplace.framework.cycle import Cycle
from kplace.framework.interface import (
    FilterPlugin,
    NormalizeScorePlugin,
    Plugin,
    PostFilterResult,
    PreEnqueuePlugin,
    PreFilterResult,
    QueueSortPlugin,
    Verdict,
)
from kplace.framework.status import PermitResult, PluginStatus

if TYPE_CHECKING:
    from collections.abc import Callable

R = TypeVar("R", PreFilterResult, PostFilterResult, PluginStatus, PermitResult)


def result_of(plugin: Plugin, method: str, answer: object, kind: type[R]) -> R | None:
    """Insist on a result of some kind, or none at all.

    Raises
    ------
    PluginError
        It is something else, its code is no `Code`, or its reasons are no tuple of texts.

    Examples
    --------
    >>> class Closed:
    ...     name = "Closed"
    >>> result_of(Closed(), "permit", True, PermitResult)
    Traceback (most recent call last):
        ...
    kplace.errors.PluginError: plugin Closed: permit returned bool: expected a PermitResult or None
    """
    if answer is None:
        return None
    if not isinstance(answer, kind):
        raise _wrong(plugin, method, answer, f"expected a {kind.__name__} or None")
    status: object = answer.status if isinstance(answer, PermitResult) else answer
    if not isinstance(status, PluginStatus | PreFilterResult | PostFilterResult):
        raise _wrong(plugin, method, status, "expected a PluginStatus", "a status that is ")
    if not isinstance(status.code, Code):
        raise _wrong(plugin, method, status.code, "expected a kplace.dtypes.Code", "a code that is ")
    _insist_on_texts(plugin, method, status.reasons)
    return answer


def narrowed_to(plugin: Plugin, nodes: object, n_nodes: int) -> None:
    """Insist on indexes of nodes, as a PreFilter narrows the search to.

    Raises
    ------
    PluginError
        They are something else, out of order, or not there.
    """
    if not isinstance(nodes, np.ndarray) or nodes.ndim != 1 or nodes.dtype != np.int32:
        what = f"{nodes.dtype} {nodes.shape}" if isinstance(nodes, np.ndarray) else type(nodes).__name__
        msg = f"plugin {plugin.name}: pre_filter narrows the search to {what}: expected indexes of nodes as int32 (k,)"
        raise PluginError(msg)
    if len(nodes) and (nodes[0] < 0 or nodes[-1] >= n_nodes or not (np.diff(nodes) > 0).all()):
        msg = (
            f"plugin {plugin.name}: pre_filter must narrow the search to nodes "
            f"from 0 to {n_nodes - 1}, each once, in ascending order"
        )
        raise PluginError(msg)


def may_enter(plugin: PreEnqueuePlugin, template: Template) -> bool:
    """Whether a PreEnqueue lets pods of a template into the queue.

    Raises
    ------
    PluginError
        It says neither yes nor no.
    """
    answer: object = plugin.pre_enqueue(template)
    if not isinstance(answer, bool | np.bool_):
        raise _wrong(plugin, "pre_enqueue", answer, "expected True or False")
    return bool(answer)


def prepares(plugin: Plugin, answer: object) -> bool:
    """Whether a PreScore lets its plugin score; one that returns nothing does.

    Raises
    ------
    PluginError
        It says something else.
    """
    if answer is not None and not isinstance(answer, bool | np.bool_):
        raise _wrong(plugin, "pre_score", answer, "expected False to skip the score, or None")
    return answer is None or bool(answer)


def rank_of(plugin: Plugin, answer: object) -> tuple[int, ...]:
    """Insist on a rank.

    Raises
    ------
    PluginError
        It is no tuple of whole numbers.
    """
    if not isinstance(answer, tuple) or not all(isinstance(part, int | np.integer) for part in answer):
        msg = f"plugin {plugin.name}: rank returned {answer!r}: expected a tuple of whole numbers"
        raise PluginError(msg)
    return answer


def sorted_pods(plugin: QueueSortPlugin, pods: PodColumns, waiting: I32) -> I32:
    """The pods ``waiting`` in the order of a QueueSort.

    Raises
    ------
    PluginError
        It returns others than it was given.
    """
    order: object = plugin.sort(pods, waiting.copy())
    if not isinstance(order, np.ndarray) or not np.array_equal(np.sort(order), np.sort(waiting)):
        msg = f"plugin {plugin.name}: sort must return the very pods that it was given, in another order"
        raise PluginError(msg)
    return order.astype(np.int32, copy=False)


def whole_scores(plugin: Plugin, scores: object, n_nodes: int) -> I64:
    """Insist on scores, one whole number for each of so many nodes.

    Raises
    ------
    PluginError
        They are something else.
    """
    if not isinstance(scores, np.ndarray) or scores.shape != (n_nodes,) or scores.dtype.kind not in "iub":
        what = f"{scores.dtype} {scores.shape}" if isinstance(scores, np.ndarray) else type(scores).__name__
        msg = f"plugin {plugin.name} must return one whole number for each of {n_nodes} nodes as an array, got {what}"
        raise PluginError(msg)
    return scores.astype(np.int64, copy=False)


def normalize(plugin: NormalizeScorePlugin, cycle: Cycle, nodes: I32, scores: I64) -> None:
    """Let a NormalizeScore bring scores to [0, 100]. Modified in place.

    Raises
    ------
    PluginError
        It returns something, which would be lost.
    """
    ask: Callable[[Cycle, I32, I64], object] = plugin.normalize_score
    answer = ask(cycle, nodes, scores)
    if answer is not None:
        raise _wrong(plugin, "normalize_score", answer, "it must change the scores in place, and return nothing")


def check_verdict(plugin: FilterPlugin, verdict: object, n_nodes: int) -> None:
    """Insist on a verdict on each of so many nodes, with codes that a filter may give.

    Raises
    ------
    PluginError
        It is something else.
    """
    code = verdict_on(plugin, verdict, n_nodes).code
    check_filter_code(plugin, int(code.view(np.uint8).max(initial=0)))


def verdict_on(plugin: FilterPlugin, verdict: object, n_nodes: int) -> Verdict:
    """Insist on a verdict on each of so many nodes, whatever its codes are.

    Raises
    ------
    PluginError
        It is something else.
    """
    if not isinstance(verdict, Verdict):
        msg = f"plugin {plugin.name} must return a Verdict, got {type(verdict).__name__}"
        raise PluginError(msg)
    for part, kind in ((verdict.code, np.int8), (verdict.detail, np.int64)):
        if not isinstance(part, np.ndarray) or part.dtype != kind:
            break
    else:
        if verdict.code.shape == verdict.detail.shape == (n_nodes,):
            return verdict
        msg = f"plugin {plugin.name} judged {verdict.code.shape} nodes where {n_nodes} were given"
        raise PluginError(msg)
    kinds = " and ".join(_kind(part) for part in verdict)
    msg = f"plugin {plugin.name} must return codes of int8 and details of int64, got {kinds}"
    raise PluginError(msg)


def check_filter_code(plugin: FilterPlugin, highest: int) -> None:
    """Insist that the highest code of a verdict, as an unsigned byte, is one that a filter may give.

    Raises
    ------
    PluginError
        It is another.
    """
    if highest > _HIGHEST_OF_FILTERS:
        known = ", ".join(f"{CODE_NAMES[item]} ({item:d})" for item in Code if item <= _HIGHEST_OF_FILTERS)
        msg = f"plugin {plugin.name}: filter gave the code {highest}: expected {known}"
        raise PluginError(msg)


_HIGHEST_OF_FILTERS = max(Code.SUCCESS, Code.ERROR, Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE)


def reasons_of(plugin: FilterPlugin, cycle: Cycle, detail: int) -> tuple[str, ...]:
    """A verdict's detail in the plugin's words.

    Raises
    ------
    PluginError
        They are no tuple of texts.
    """
    reasons = plugin.reasons(cycle, detail)
    _insist_on_texts(plugin, "reasons", reasons)
    return reasons


def _insist_on_texts(plugin: Plugin, method: str, reasons: object) -> None:
    """Reasons must be a tuple of texts; one text by itself would be taken for its letters."""
    if not isinstance(reasons, tuple) or not all(isinstance(reason, str) for reason in reasons):
        msg = f"plugin {plugin.name}: {method} gave {reasons!r} for reasons: expected a tuple of texts"
        raise PluginError(msg)


def _wrong(plugin: Plugin, method: str, answer: object, expected: str, what: str = "") -> PluginError:
    msg = f"plugin {plugin.name}: {method} returned {what}{_kind(answer)}: {expected}"
    return PluginError(msg)


def _kind(answer: object) -> str:
    return str(answer.dtype) if isinstance(answer, np.ndarray) else type(answer).__name__
