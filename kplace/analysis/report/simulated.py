"""The sections of a report on a simulation."""

from collections.abc import Iterator, Sequence
from html import escape

import numpy as np
import pandas as pd

from kplace.analysis.plots.drawn import spaced
from kplace.analysis.plots.style import MARKS, QUEUE, REQUESTED, STRANDED
from kplace.analysis.report import charts, over_time
from kplace.analysis.report.over_time import DASHES, Series
from kplace.analysis.report.tables import MOST_ROWS, plain, table
from kplace.api import History, HistoryTables
from kplace.dtypes import F64
from kplace.frames.durations import shown_duration
from kplace.frames.schema import resource_of

MOST_TIMES = 500
"""Times that a chart shows; of more, so many evenly spaced ones."""
STRETCHES = 60
"""Stretches of time that attempts are counted in."""
_USED, _REJECTED = "utilisation_", "rejected_by_"
_QUANTILES = {"median": 0.5, "90 %": 0.9, "99 %": 0.99, "longest": 1.0}
_SUMS = ("mean", "most", "at the end")


def simulated_figures(about: History | HistoryTables) -> dict[str, object]:
    """The numbers at the top of the page."""
    pods, attempts, timeline = about.pods, about.placements, about.timeline
    waiting = _waiting(timeline)
    return {
        "seconds": float(_end(about)),
        "pods tried": len(pods),
        "pods bound": int(pods["bound"].notna().sum()),
        "never bound": int(pods["bound"].isna().sum()),
        "attempts": len(attempts),
        "attempts failed": int((attempts["result"] != "scheduled").sum()),
        "preempted": int((about.events["reason"] == "Preempted").sum()),
        "most that waited": int(waiting.max()) if len(waiting) else 0,
        "waiting at the end": int(waiting.iloc[-1]) if len(waiting) else 0,
    }


def simulated_sections(about: History | HistoryTables) -> Iterator[tuple[str, str]]:
    """Titles and contents, in order; without those that there is nothing to say about."""
    yield "Overview", _overview(simulated_figures(about))
    if len(about.timeline):
        if any(str(name).startswith(_USED) for name in about.timeline.columns):
            yield "Utilisation over time", _use(about.timeline)
        yield "Waiting pods over time", _queue(about.timeline)
    if len(about.placements):
        yield "Attempts over time", _attempts(about)
    if about.pods["latency"].notna().any():
        yield "How long pods waited", _latency(about.pods)
    rejecting = [name for name in about.timeline.columns if str(name).startswith(_REJECTED)]
    if rejecting and about.timeline[rejecting].to_numpy().any():
        yield "What kept pods waiting", _rejected(about.timeline[rejecting])
    if about.pods["bound"].isna().any():
        yield "Pods that were never bound", _never(about)
    preempted = about.events[about.events["reason"] == "Preempted"]
    if len(preempted):
        yield "Preemptions", table(preempted[["at", "namespace", "pod", "message"]], "preemptions")
    if len(about.timeline):
        yield "Timeline", _timeline(about.timeline)


def about_simulated(about: History | HistoryTables) -> str:
    """What the page is about, in a sentence."""
    told = about.run if isinstance(about, History) else None
    as_of = f" as Kubernetes {told.kube_version} would place them; seed {told.seed}" if told is not None else ""
    return f"A simulation of {shown_duration(round(_end(about)))} with {len(about.pods):,} pods{as_of}."


def _end(about: History | HistoryTables) -> float:
    """When it ended, as far as the tables know."""
    times = [float(item["at"].max()) for item in (about.timeline, about.placements, about.events) if len(item)]
    return max(times, default=0.0)


def _waiting(timeline: pd.DataFrame) -> pd.Series:
    return timeline[[name for name, _, _ in QUEUE]].sum(axis=1)


def _overview(found: dict[str, object]) -> str:
    shown = {name: f"{value:,}" for name, value in found.items() if name != "seconds"}
    seconds = found["seconds"]
    assert isinstance(seconds, float)
    return charts.cards({"simulated": shown_duration(round(seconds)), **shown})


def _drawn(timeline: pd.DataFrame) -> tuple[pd.DataFrame, F64]:
    """The rows that a chart shows, and their times."""
    rows = timeline.iloc[spaced(len(timeline), MOST_TIMES)]
    return rows, rows["at"].to_numpy(np.float64)


def _use(timeline: pd.DataFrame) -> str:
    names = [str(name) for name in timeline.columns if str(name).startswith(_USED) and timeline[name].gt(0).any()]
    rows, at = _drawn(timeline)
    resources = [resource_of(name.removeprefix(_USED)) for name in names]
    series = [
        Series(resource, rows[name].to_numpy(np.float64), MARKS[k % len(MARKS)], DASHES[k % len(DASHES)])
        for k, (resource, name) in enumerate(zip(resources, names, strict=True))
    ]
    sums = [
        (resource, *_sums(timeline[name].astype("float64"), charts.percent))
        for resource, name in zip(resources, names, strict=True)
    ]
    label = "requested of allocatable over time: " + "; ".join(f"{row[0]} at most {row[2]}" for row in sums)
    drawn = over_time.lines(at, series, lambda share: f"{share:.0%}", label)
    return f"<p>What pods on nodes request, of what the nodes offer.</p>{drawn}{_plain('resource', sums)}"


def _queue(timeline: pd.DataFrame) -> str:
    rows, at = _drawn(timeline)
    series = [Series(words, rows[name].to_numpy(np.float64), colour) for name, words, colour in QUEUE]
    sums = [(words, *_sums(timeline[name].astype("float64"), _number)) for name, words, _ in QUEUE]
    sums.append(("all", *_sums(_waiting(timeline).astype("float64"), _number)))
    label = "pods that wait over time: " + "; ".join(f"{row[0]} at most {row[2]}" for row in sums)
    key = charts.legend([(words, colour) for _, words, colour in QUEUE])
    return f"{key}{over_time.areas(at, series, label)}{_plain('pods', sums)}"


def _sums(values: pd.Series, shown: charts.Shown) -> tuple[str, str, str]:
    return shown(float(values.mean())), shown(float(values.max())), shown(float(values.iloc[-1]))


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def _plain(name: str, rows: Sequence[tuple[str, ...]]) -> str:
    cells = [[escape(row[0]), *row[1:]] for row in rows]
    return plain((name, *_SUMS), cells, _SUMS)


def _attempts(about: History | HistoryTables) -> str:
    attempts = about.placements
    edges: F64 = np.linspace(0.0, max(_end(about), 1e-9), STRETCHES + 1)
    found = (attempts["result"] == "scheduled").to_numpy()
    at = attempts["at"].to_numpy(np.float64)
    kinds = (("found a node", REQUESTED, found), ("failed", STRANDED, ~found))
    series = [
        Series(words, over_time.binned(at[mask], edges).astype(np.float64), colour) for words, colour, mask in kinds
    ]
    label = f"attempts over time: {int(found.sum()):,} found a node, {int((~found).sum()):,} failed"
    key = charts.legend([(words, colour) for words, colour, _ in kinds])
    return f"{key}{over_time.counts(edges, series, label)}"


def _latency(pods: pd.DataFrame) -> str:
    rows = []
    for words, name in (("in the queue, to the attempt that found a node", "queueing"), ("to the binding", "latency")):
        values = pods[name].dropna()
        rows.append(
            [words, *(shown_duration(_rounded(float(values.quantile(share)))) for share in _QUANTILES.values())]
        )
    words = "Of pods that were bound: from their entry, and from their coming into the active queue."
    return f"<p>{words}</p>{plain(('', *_QUANTILES), rows, tuple(_QUANTILES))}"


def _rounded(seconds: float) -> float:
    return round(seconds, 2 if seconds < 60 else 0)


def _rejected(rejecting: pd.DataFrame) -> str:
    sums = [
        (str(name).removeprefix(_REJECTED), *_sums(rejecting[name].astype("float64"), _number)) for name in rejecting
    ]
    words = "Pods in wait that a plugin had rejected, perhaps among others, when the timeline was sampled."
    return f"<p>{words}</p>{_plain('plugin', sums)}"


def _never(about: History | HistoryTables) -> str:
    failed = about.placements[about.placements["message"].fillna("") != ""]
    last = failed.drop_duplicates(["namespace", "pod"], keep="last")[["namespace", "pod", "message"]]
    columns = ["namespace", "pod", "entered", "attempts"]
    pods = about.pods.loc[about.pods["bound"].isna(), columns]
    texts = {name: pods[name].astype("str") for name in ("namespace", "pod")}
    listed = pods.assign(**texts).merge(
        last.assign(namespace=last["namespace"].astype("str")), on=["namespace", "pod"], how="left"
    )
    words = "They wait still, or left before they got a node; with what was said of their last failed attempt."
    return f"<p>{words}</p>{table(listed, 'pods that were never bound', {'entered': _seconds})}"


def _seconds(value: float) -> str:
    return shown_duration(_rounded(value))


def _timeline(timeline: pd.DataFrame) -> str:
    rows = timeline.iloc[spaced(len(timeline), MOST_ROWS)]
    names = ["at", "nodes", "bound", "binding", *(name for name, _, _ in QUEUE)]
    used = [str(name) for name in rows.columns if str(name).startswith(_USED) and timeline[name].gt(0).any()]
    shown = rows[[*names, *used]].rename(columns={name: resource_of(name.removeprefix(_USED)) for name in used})
    written = {resource_of(name.removeprefix(_USED)): charts.percent for name in used}
    left_out = f"<p>{len(rows):,} of {len(timeline):,} times, evenly spaced.</p>" if len(rows) < len(timeline) else ""
    return f"{left_out}{table(shown, 'times', {'at': _seconds, **written})}"
