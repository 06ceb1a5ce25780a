"""A report on a study: its tables and figures, for the terminal, a page, or files."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from kplace.analysis.curves import curves
from kplace.analysis.measures import better_of
from kplace.io.atomic import writing
from kplace.sweeps.description import Report
from kplace.sweeps.report.chart import Dots, Line, draw_dots, draw_lines, shown
from kplace.sweeps.report.choices import Choices, choose
from kplace.sweeps.report.page import page
from kplace.sweeps.report.tables import best, effects, pareto
from kplace.sweeps.results import Results

MOST_BEST, MOST_EFFECTS = 10, 40
"""Rows that are shown; the functions of `kplace.sweeps.report.tables` give all."""


@dataclass(frozen=True)
class StudyReport:
    """What a report shows.

    Attributes
    ----------
    results : Results
    choices : Choices
    """

    results: Results
    choices: Choices

    @cached_property
    def facts(self) -> list[str]:
        """What there is to say in a line each."""
        runs, failed = self.results.runs, len(self.results.failed)
        versions = ", ".join(sorted(runs["kplace"].unique()))
        return [f"{len(runs):,} runs, {failed:,} of them failed; kplace {versions}"]

    @cached_property
    def tables(self) -> dict[str, tuple[str, pd.DataFrame]]:
        """By heading: what it is about, and a table."""
        runs, chosen = self.results.runs, self.choices
        found: dict[str, tuple[str, pd.DataFrame]] = {}
        if chosen.best:
            about = f"Means over {_rest(chosen)}; the {better_of(chosen.best) or 'lower'}, the better."
            table = best(runs, chosen.settings, chosen.best, chosen.metrics)
            found[f"The best by {chosen.best}"] = (about, table.head(MOST_BEST))
        table = effects(runs, chosen.axes, chosen.metrics).dropna(subset="explained")
        if len(table):
            about = "Share of a metric's variance that lies between the levels of an axis, and the levels' means."
            found["What each axis does"] = (about, table.head(MOST_EFFECTS))
        if chosen.x and chosen.best:
            about = "Median; in brackets the range over all else that varies."
            found[f"{chosen.best} over {chosen.x}"] = (about, _crossed(runs, chosen))
        if chosen.pareto:
            table = pareto(runs, chosen.settings, chosen.pareto)
            front = table[table["front"]].drop(columns="front").sort_values(chosen.pareto[0], ignore_index=True)
            about = (
                f"Settings than which no other is as good in all of {', '.join(chosen.pareto)} and better in one; "
                f"means over {_rest(chosen)}."
            )
            found["What cannot be had both"] = (about, front)
        return found

    @cached_property
    def figures(self) -> dict[str, str]:
        """SVG by the name of the file it may go to, without the ending."""
        runs, chosen = self.results.runs, self.choices
        found: dict[str, str] = {}
        for metric in chosen.metrics if chosen.x else ():
            lines = _lines(curves(runs, metric, chosen.x, chosen.by), chosen)
            if lines:
                title = f"{self.results.name}: {metric}"
                found[_file_name(metric)] = draw_lines(title, _shown_axis(chosen.x), metric, lines)
        if len(chosen.pareto) >= 2:
            table = pareto(runs, chosen.settings, chosen.pareto)
            across, up = chosen.pareto[:2]
            front = table[table["front"]]
            found["pareto"] = draw_dots(
                f"{self.results.name}: {up} against {across}",
                across,
                up,
                Dots("points", table[across].tolist(), table[up].tolist()),
                Dots("front", front[across].tolist(), front[up].tolist()),
            )
        return found

    def write_html(self, path: str | Path, title: str = "") -> None:
        """Write one page that needs nothing beside it.

        Parameters
        ----------
        path : path
        title : str
            What stands at the top; by default the study's name.

        Raises
        ------
        OutputError
            It cannot be written.
        """
        text = page(title or f"Study {self.results.name}", self.facts, self.tables, self.figures)
        with writing(path) as file:
            file.write(text.encode())

    def write_figures(self, folder: str | Path) -> None:
        """Write each figure as an SVG file.

        Raises
        ------
        OutputError
            One cannot be written.
        """
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, text in self.figures.items():
            with writing(Path(folder) / f"{name}.svg") as file:
                file.write(text.encode())


def make_report(results: Results, asked: Report | None = None) -> StudyReport:
    """Make the report on a study.

    Parameters
    ----------
    results : Results
    asked : Report, optional
        What its file says about it.
    """
    return StudyReport(results, choose(results, asked))


def _crossed(runs: pd.DataFrame, chosen: Choices) -> pd.DataFrame:
    table = curves(runs, chosen.best, chosen.x, chosen.by)
    ends = zip(table["median"].tolist(), table["low"].tolist(), table["high"].tolist(), strict=True)
    texts = [shown(mid) + (f" ({shown(low)} to {shown(high)})" if low != high else "") for mid, low, high in ends]
    if not chosen.by:
        return pd.DataFrame({chosen.x: table[chosen.x], chosen.best: texts})
    crossed = table.assign(text=texts).pivot_table(
        index=chosen.x, columns=chosen.by, values="text", aggfunc="first", observed=True
    )
    crossed.columns.name = None
    return crossed.reset_index()


def _lines(table: pd.DataFrame, chosen: Choices) -> list[Line]:
    parts = table.groupby(chosen.by, observed=True, sort=False) if chosen.by else [("median", table)]
    return [
        Line(
            str(name),
            part[chosen.x].astype("float64").tolist(),
            part["low"].tolist(),
            part["median"].tolist(),
            part["high"].tolist(),
        )
        for name, part in parts
    ]


def _rest(chosen: Choices) -> str:
    """What means are taken over."""
    return " and ".join([*(name for name in chosen.axes if name not in chosen.settings), "the seeds"])


def _shown_axis(axis: str) -> str:
    return {"load": "load, %"}.get(axis, axis)


def _file_name(metric: str) -> str:
    return "".join(c if c.isalnum() or c in "._-" else "-" for c in metric)
