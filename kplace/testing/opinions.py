"""What a plugin says of one pod and some nodes, gathered from all its extension points."""

from dataclasses import dataclass, field, replace

import numpy as np

from kplace.dtypes import I32, I64, MAX_NODE_SCORE, Code
from kplace.errors import AttemptError, PluginError
from kplace.framework import (
    Cycle,
    NormalizeScorePlugin,
    Plugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    ScorePlugin,
)
from kplace.framework.answers import check_verdict, narrowed_to, normalize, prepares, result_of, whole_scores
from kplace.framework.masks import as_filter


@dataclass(slots=True)
class Opinion:
    """A plugin's word on a pod.

    Attributes
    ----------
    nodes : int32 ndarray, shape (k,)
        Those that it was asked about.
    words : list of (Code, tuple of str), or None
        Of its filter, for each of them; None if that is skipped or there is none.
    raw, final : int64 ndarray, shape (k,), or None
        Its scores before and after it normalises them.
    rejection : str
        What its PreFilter said, if that rejects the pod or narrows the nodes.
    error : str
        What it could not do.
    faults : list of str
        What is wrong with its answers themselves.
    """

    nodes: I32
    words: list[tuple[Code, tuple[str, ...]]] | None = None
    raw: I64 | None = None
    final: I64 | None = None
    rejection: str = ""
    error: str = ""
    faults: list[str] = field(default_factory=list)

    def by_name(self, names: list[str]) -> dict[str, object]:
        """All that was said, in a form that can be compared with the same of other nodes."""
        said: dict[str, object] = {"PreFilter": self.rejection, "error": self.error}
        for position, node in enumerate(self.nodes.tolist()):
            said[names[node]] = (
                None if self.words is None else self.words[position],
                None if self.raw is None else int(self.raw[position]),
                None if self.final is None else int(self.final[position]),
            )
        return said


def opinion_of(plugin: Plugin, cycle: Cycle, nodes: I32, *, is_prepared: bool = False) -> Opinion:
    """Ask a plugin at PreFilter, Filter, PreScore and Score.

    Parameters
    ----------
    nodes : int32 ndarray, shape (k,)
    is_prepared : bool
        Its PreFilter was run already in this cycle, and let the pod pass.
    """
    asked = Opinion(nodes.copy())
    try:
        if is_prepared or _pre_filter(plugin, cycle, asked):
            _filter(plugin, cycle, asked)
        _score(plugin, cycle, asked)
    except AttemptError as error:
        asked.error = str(error)
    except PluginError as error:
        asked.faults.append(str(error))
    if not np.array_equal(asked.nodes, nodes):
        asked.faults.append("the array of nodes that it was given was changed")
    return replace(asked, nodes=nodes)


def _pre_filter(plugin: Plugin, cycle: Cycle, opinion: Opinion) -> bool:
    """Ask its PreFilter; whether its Filter is asked after that."""
    if not isinstance(plugin, PreFilterPlugin):
        return True
    result = result_of(plugin, "pre_filter", plugin.pre_filter(cycle), PreFilterResult)
    if result is None:
        return True
    if result.nodes is not None:
        narrowed_to(plugin, result.nodes, cycle.state.n_nodes)
    names = cycle.state.columns.nodes.names
    narrowed = "" if result.nodes is None else f" {sorted(names[node] for node in result.nodes.tolist())}"
    opinion.rejection = f"{result.code.name} {result.reasons}{narrowed}"
    return result.code is Code.SUCCESS


def _filter(plugin: Plugin, cycle: Cycle, opinion: Opinion) -> None:
    filtering = as_filter(plugin)
    if filtering is None:
        return
    verdict = filtering.filter(cycle, opinion.nodes)
    check_verdict(filtering, verdict, len(opinion.nodes))
    known: dict[int, tuple[str, ...]] = {}
    opinion.words = []
    for code, detail in zip(verdict.code.tolist(), verdict.detail.tolist(), strict=True):
        if code == Code.SUCCESS:
            opinion.words.append((Code.SUCCESS, ()))
            continue
        if detail not in known:
            known[detail] = filtering.reasons(cycle, detail)
            _check_reasons(known[detail], opinion)
        opinion.words.append((Code(code), known[detail]))


def _check_reasons(reasons: object, opinion: Opinion) -> None:
    are_texts = isinstance(reasons, tuple) and reasons and all(isinstance(item, str) and item for item in reasons)
    if not are_texts:
        opinion.faults.append(f"reasons returned {reasons!r}: expected a tuple of texts, and at least one")


def _score(plugin: Plugin, cycle: Cycle, opinion: Opinion) -> None:
    nodes = opinion.nodes
    if isinstance(plugin, PreScorePlugin) and not prepares(plugin, plugin.pre_score(cycle, nodes)):
        return
    if not isinstance(plugin, ScorePlugin):
        return
    opinion.raw = whole_scores(plugin, plugin.score(cycle, nodes), len(nodes)).copy()
    opinion.final = opinion.raw.copy()
    if isinstance(plugin, NormalizeScorePlugin):
        normalize(plugin, cycle, nodes, opinion.final)
    low, high = int(opinion.final.min(initial=0)), int(opinion.final.max(initial=0))
    if low < 0 or high > MAX_NODE_SCORE:
        what = "normalised scores" if isinstance(plugin, NormalizeScorePlugin) else "scores"
        opinion.faults.append(f"{what} go from {low} to {high}: expected 0 to {MAX_NODE_SCORE}")
