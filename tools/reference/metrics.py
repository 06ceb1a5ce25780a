"""metrics.md: every metric with its definition, which is its docstring."""

from collections.abc import Iterator

from kplace.analysis import metrics
from reference.complete import insist
from reference.markdown import fenced, page
from reference.python_api import described, signature

INTRODUCTION = """
Functions of `kplace.analysis.metrics`. They take a `kplace.Cluster` (as it stands), `kplace.Placements` (what a run
left) or a DataFrame with the columns of [the tables](tables.md), of which each needs only those that its definition
speaks of. Amounts are exact integers in the units of those tables.
"""

THEMES = {
    "Use and balance": ("utilisation", "imbalance", "lopsided", "packing"),
    "Room": (
        "stranded",
        "schedulable",
        "effective_fullness",
        "largest_free",
        "largest_pods",
        "pools",
        "smallest_needs",
    ),
    "Spread": ("domains", "skews", "replicas_lost"),
    "GPUs": ("gpu_histogram", "gpu_fragmentation", "gpu_mix"),
    "Decisions": ("pending_by_plugin", "reasons_wide", "funnel", "margins"),
    "Money": ("cost",),
}


def make() -> str:
    """The page."""
    listed = {name for names in THEMES.values() for name in names}
    insist(set(metrics.__all__) - listed, "metrics.py")
    return page("Metrics", INTRODUCTION, *(part for theme in THEMES for part in _theme(theme)))


def _theme(theme: str) -> Iterator[str]:
    yield f"## {theme}"
    for name in THEMES[theme]:
        function = getattr(metrics, name)
        yield f"### {name}"
        call = f"metrics.{name}{signature(function)}".replace("'", '"')
        yield fenced(call, "python no-run")
        yield from described(function)
