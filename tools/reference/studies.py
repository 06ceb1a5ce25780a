"""studies.md: what a study file may hold, from the docstrings of its structs, and what can be kept of a run."""

from kplace.analysis.measures import MEASURES
from kplace.sweeps import description as module
from reference.descriptions import described_struct
from reference.markdown import code, page, table

ORDER = (module.Study, module.Axes, module.Range, module.Load, module.WhatIf, module.Synth, module.Point, module.Report)

INTRODUCTION = """
`kplace sweep STUDY.toml` and `kplace.sweep(STUDY)` take a file in TOML, or the same as plain values. Every field is
checked before anything is run; what is unknown, of the wrong type or makes no sense is told with its path, all at once.
Configurations are read, and single settings tried in them, beforehand too.

[How to run a study](../howto/run-a-study.md) begins with a short one. The columns of the results are in
[the tables](tables.md#sweepmetrics).
"""
METRICS = """
`NAME:RESOURCE` keeps one resource of those that are by resource, `utilisation:nvidia.com/gpu` say, `NAME` all that
nodes offer. They are taken of the cluster as the run left it; [the page on metrics](metrics.md) has the definitions.
"""


def make() -> str:
    """The page."""
    parts = [INTRODUCTION]
    for struct in ORDER:
        parts += described_struct(struct)
    rows = (
        (code(item.name), "yes" if item.by_resource else "", item.better or "depends", item.meaning)
        for item in MEASURES
    )
    parts += ["## Metrics", METRICS, table(("metric", "by resource", "better", "meaning"), rows)]
    return page("Studies", *parts)
