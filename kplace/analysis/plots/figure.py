"""Plotly, imported when the first picture is made, and what all pictures share."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from kplace.analysis.plots.style import FAINT, GRID, INK, MARKS
from kplace.dtypes import I64
from kplace.errors import UsageError

if TYPE_CHECKING:
    import plotly.graph_objects

Figure: TypeAlias = "plotly.graph_objects.Figure"
"""What every picture is."""

_FONT = {"family": "system-ui, sans-serif", "size": 13, "color": INK}
_BAR, _ENTRY, _MARGINS = 26, 20, 140
"""Height of a horizontal bar with its gap, of an entry of the legend, and of what is around them; in pixels."""
_FEW = 8
"""Numbers up to which each whole one has a tick."""


def graphs() -> Any:  # noqa: ANN401 - plotly has no types
    """Plotly's graph objects.

    Raises
    ------
    UsageError
        Plotly is not installed.
    """
    try:
        import plotly.graph_objects
    except ImportError as error:
        msg = "pictures need plotly: pip install 'kplace[plot]'"
        raise UsageError(msg) from error
    return plotly.graph_objects


def blank(title: str, x: str = "", y: str = "", *, about: str = "") -> "Figure":
    """A figure without anything on it yet.

    Parameters
    ----------
    title, x, y : str
        Of the figure and of its axes.
    about : str
        A smaller line below the title.
    """
    return _dressed(graphs().Figure(), title, x, y, about)


def panels(title: str, names: Sequence[str], columns: int, *, about: str = "", **options: object) -> "Figure":
    """A figure of several pictures beside and below each other, each with its name.

    Parameters
    ----------
    options
        As for ``plotly.subplots.make_subplots``.
    """
    graphs()
    from plotly.subplots import make_subplots

    figure = make_subplots(
        rows=max(-(-len(names) // columns), 1), cols=columns, subplot_titles=[*names] or None, **options
    )
    figure.update_annotations(font_size=13)
    return _dressed(figure, title, "", "", about).update_layout(margin_t=104 if about else 84)


def _dressed(figure: "Figure", title: str, x: str, y: str, about: str) -> "Figure":
    head: dict[str, object] = {"text": title, "x": 0, "xref": "container", "pad": {"l": 12}, "font": {"size": 16}}
    if about:
        head["subtitle"] = {"text": about, "font": {"size": 12, "color": FAINT}}
    figure.update_layout(
        template="none",
        title=head,
        font=_FONT,
        colorway=list(MARKS),
        paper_bgcolor="white",
        plot_bgcolor="white",
        margin={"l": 64, "r": 24, "t": 84, "b": 56},
        separators=".,",
        barmode="stack",
        legend={"traceorder": "normal"},
    )
    axes = {"gridcolor": GRID, "zeroline": False, "automargin": True, "linecolor": FAINT}
    figure.update_xaxes(**axes, title_standoff=12)
    figure.update_yaxes(**axes, title_standoff=14)
    if x:
        figure.update_xaxes(title_text=x)
    if y:
        figure.update_yaxes(title_text=y)
    return figure


def said(figure: "Figure", words: str) -> "Figure":
    """Say in the middle of a figure why there is nothing on it."""
    figure.add_annotation(
        text=words, showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper", font={"size": 14, "color": FAINT}
    )
    return figure


def stacked(
    figure: "Figure",
    names: Sequence[str],
    parts: Iterable[tuple[str, I64, str]],
    hover: Callable[[str], str],
    **options: object,
) -> "Figure":
    """Draw lying bars that are made of parts.

    Parameters
    ----------
    names : sequence of str
        Of the bars, from the top.
    parts : iterable of (str, int64 ndarray, str)
        Each with its words, its length in every bar, and its colour.
    hover : callable
        Gives what is shown of a part, by its words.
    **options
        Further ones of each part's bars.
    """
    for words, numbers, colour in parts:
        figure.add_trace(
            graphs().Bar(
                y=names,
                x=numbers,
                orientation="h",
                name=words,
                marker_color=colour,
                hovertemplate=f"{hover(words)}<extra></extra>",
                **options,
            )
        )
    return horizontal(figure, len(names))


def horizontal(figure: "Figure", bars: int) -> "Figure":
    """Lay out horizontal bars from top to bottom, each high enough for its name, and the legend beside them."""
    figure.update_yaxes(autorange="reversed", type="category", showgrid=False, ticklabelstandoff=6)
    figure.update_traces(textangle=0, selector={"type": "bar"})
    return figure.update_layout(height=_MARGINS + max(_BAR * bars, _ENTRY * (len(figure.data) + 2)))


def whole_numbers(figure: "Figure", most: float, axis: str = "yaxis") -> "Figure":
    """Have ticks at whole numbers only, where there are so few that plotly would put some between."""
    return figure.update_layout({axis: {"dtick": 1}}) if most <= _FEW else figure


def percent_axes(figure: "Figure", *axes: str, high: float = 1.0) -> "Figure":
    """Write shares as percentages, from 0 to at least 1."""
    for axis in axes:
        figure.update_layout({f"{axis}axis": {"tickformat": ".0%", "range": [0, max(high, 1.0) * 1.02]}})
    return figure
