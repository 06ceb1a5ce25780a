"""plots.md: every picture, with what it takes."""

import inspect
from collections.abc import Iterator

from kplace import plot
from kplace.analysis.capacity.result import Capacity
from kplace.analysis.compare import Comparison
from kplace.analysis.drain.each import EachDrain
from kplace.analysis.drain.result import Drain
from kplace.analysis.provision import Provision
from kplace.analysis.rescore import Rescore
from kplace.analysis.sampling import Sampling
from kplace.analysis.stability import Stability
from kplace.analysis.why import Why
from reference.complete import insist
from reference.markdown import fenced, page
from reference.python_api import described, signature

INTRODUCTION = """
Functions of `kplace.plot`, and `.plot` of the results of questions. Each takes what its metric takes and gives a figure
of plotly (`pip install 'kplace[plot]'`), which holds the numbers of the tables and can be changed, written and shown as
any other. [How to use them](../howto/plots.md).
"""

THEMES = {
    "Nodes": ("nodes", "heatmap", "utilisation_curve", "stranded", "gpu_histogram"),
    "Room": ("schedulable", "frontier"),
    "Pods": ("pending", "funnel", "domains"),
    "Runs and time": ("versions", "timeline", "occupancy", "curves"),
}
RESULTS = {
    "capacity": ("kplace.capacity", Capacity),
    "drain": ("kplace.drain", Drain),
    "each": ("kplace.analysis.drain.drain_each", EachDrain),
    "comparison": ("kplace.compare", Comparison),
    "found": ("kplace.why", Why),
    "provision": ("kplace.provision", Provision),
    "stability": ("kplace.stability", Stability),
    "rescored": ("kplace.rescore", Rescore),
    "sampled": ("kplace.sampling", Sampling),
}
"""By the name in the examples: what gives the result, and what it is."""


def make() -> str:
    """The page."""
    listed = {name for names in THEMES.values() for name in names}
    insist(set(plot.__all__) - listed, "plots.py")
    themes = (part for theme in THEMES for part in _theme(theme))
    results = (part for name in RESULTS for part in _result(name))
    return page("Pictures", INTRODUCTION, *themes, "## Results of questions", *results)


def _theme(theme: str) -> Iterator[str]:
    yield f"## {theme}"
    for name in THEMES[theme]:
        function = getattr(plot, name)
        yield f"### {name}"
        yield fenced(f"kplace.plot.{name}{signature(function)}", "python no-run")
        yield from described(function)


def _result(name: str) -> Iterator[str]:
    home, kind = RESULTS[name]
    yield f"### {kind.__name__}.plot"
    yield f"Of what `{home}` gives."
    member = inspect.getattr_static(kind, "plot")
    if not isinstance(member, property):
        yield fenced(f"{name}.plot{signature(member)}", "python no-run")
        yield from described(member)
        return
    pictures = inspect.signature(member.fget, eval_str=True).return_annotation
    yield from described(pictures)
    for own, function in vars(pictures).items():
        if inspect.isfunction(function) and not own.startswith("_"):
            yield fenced(f"{name}.plot.{own}{signature(function)}", "python no-run")
            yield from described(function)
