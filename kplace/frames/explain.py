"""One attempt as a table of nodes: who rejects a node and why, or how each plugin scores it."""

import numpy as np
import pandas as pd

from kplace.dtypes import CODE_NAMES, I32, I64, Code
from kplace.engine.attempt import Attempt
from kplace.frames import schema
from kplace.frames.build import Values, category, frame, node_category, nullable, texts
from kplace.framework.diagnosis import node_reasons, rejecter
from kplace.framework.runtime import PASSED

VERDICTS = ("scored", "outside sample", "rejected")
_SCORED, _OUTSIDE, _REJECTED = range(3)
_NONE = np.iinfo(np.int64).min


def explain_frame(attempt: Attempt) -> pd.DataFrame:
    """One row per node.

    Returns
    -------
    DataFrame
        The columns are those of `kplace.frames.schema.EXPLAIN`, with one column of raw, normalised and weighted scores
        for each plugin that scored, in the profile's order.
    """
    nodes = attempt.cycle.state.columns.nodes
    n_nodes = len(nodes)
    verdict = np.full(n_nodes, _REJECTED, np.int8)
    if attempt.filters is not None:
        verdict[attempt.filters.plugin == PASSED] = _OUTSIDE
    if attempt.scores is not None:
        verdict[attempt.feasible] = _SCORED
    total = np.full(n_nodes, _NONE, np.int64)
    if attempt.scores is not None:
        total[attempt.feasible] = attempt.scores.total
    rank = _ranks(total)
    table: dict[str, Values] = {
        "node": node_category(nodes, np.arange(n_nodes, dtype=np.int32)),
        "verdict": category(verdict, VERDICTS),
        "rank": nullable(rank, _NONE),
        "total": nullable(total, _NONE),
        **_rejections(attempt),
        **_scores(attempt, n_nodes),
    }
    found = np.full(n_nodes, n_nodes, np.int64)
    found[attempt.feasible] = np.arange(len(attempt.feasible))
    order = np.lexsort((found, np.where(rank == _NONE, 0, rank), verdict))
    return schema.stamp(frame(table, n_nodes).take(order).reset_index(drop=True), schema.EXPLAIN)


def _ranks(total: I64) -> I64:
    """1 for the highest total; equal ones share a rank, as in a race."""
    scored = np.sort(total[total != _NONE])
    rank = 1 + len(scored) - np.searchsorted(scored, total, side="right")
    return np.where(total == _NONE, _NONE, rank).astype(np.int64)


def _rejections(attempt: Attempt) -> dict[str, Values]:
    n_nodes = attempt.cycle.state.n_nodes
    if attempt.filters is None:
        plugin, rejection = attempt.pre_filters.rejected_by, attempt.pre_filters.rejection
        code, text = (Code.ERROR, attempt.error) if attempt.error else (rejection.code, ", ".join(rejection.reasons))
        everywhere: I32 = np.zeros(n_nodes, np.int32)
        return {
            "plugin": category(everywhere if plugin is not None else everywhere - 1, [plugin.name if plugin else ""]),
            "code": category(everywhere, [CODE_NAMES[code]]),
            "reasons": texts([text]).take(everywhere),
        }
    outcome = attempt.filters
    failed = outcome.plugin != PASSED
    extenders = [extender.name for extender in attempt.extenders.extenders]
    # The filters' order is that of the categories, so that sorted rows tell how the search narrowed down.
    names = list(dict.fromkeys(["", *(item.name for item in attempt.profile.filter), *extenders]))
    codes_of_names = {name: code for code, name in enumerate(names)}
    pairs, where = np.unique(np.stack([outcome.plugin, outcome.detail]), axis=1, return_inverse=True)
    words, plugins = [], []
    for plugin, detail in pairs.T.tolist():
        if plugin == PASSED:
            words.append("")
            plugins.append(-1)
            continue
        reasons = node_reasons(attempt.profile, attempt.cycle, attempt.pre_filters, outcome, plugin, detail)
        words.append(", ".join(reasons))
        plugins.append(codes_of_names[rejecter(attempt.profile, outcome, plugin, detail)])
    codes = [CODE_NAMES[code] for code in (Code.ERROR, Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE)]
    return {
        "plugin": category(np.array(plugins, np.int32)[where.ravel()], names),
        "code": category(np.where(failed, outcome.code - Code.ERROR, -1).astype(np.int32), codes),
        "reasons": texts(words).take(where.ravel()),
    }


def _scores(attempt: Attempt, n_nodes: int) -> dict[str, Values]:
    if attempt.scores is None:
        return {}
    columns: dict[str, dict[str, Values]] = {"raw": {}, "normalised": {}, "weighted": {}}
    for plugin, raw in attempt.scores.raw.items():
        final, normalised = attempt.scores.final[plugin], attempt.scores.normalised[plugin]
        for kind, values in (("raw", raw), ("normalised", normalised), ("weighted", final)):
            columns[kind][f"{kind}_{plugin}"] = nullable(_spread(values, attempt.feasible, n_nodes), _NONE)
    return columns["raw"] | columns["normalised"] | columns["weighted"]


def _spread(values: I64, nodes: I32, n_nodes: int) -> I64:
    column = np.full(n_nodes, _NONE, np.int64)
    column[nodes] = values
    return column
