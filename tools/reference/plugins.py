"""plugins.md: the default profile in order, with weights and extension points, and what filters say."""

from kplace.framework import interface
from kplace.framework.interface import Plugin
from kplace.plugins.defaults import DEFAULT_ORDER
from kplace.plugins.in_tree import IN_TREE
from kplace.plugins.registry import in_tree_registry
from reference.markdown import code, from_docstring, page, table
from reference.reasons import REASONS, check_reasons

POINTS = {
    "preEnqueue": interface.PreEnqueuePlugin,
    "queueSort": interface.QueueSortPlugin,
    "preFilter": interface.PreFilterPlugin,
    "filter": interface.FilterPlugin,
    "postFilter": interface.PostFilterPlugin,
    "preScore": interface.PreScorePlugin,
    "score": interface.ScorePlugin,
    "normalizeScore": interface.NormalizeScorePlugin,
    "reserve": interface.ReservePlugin,
    "permit": interface.PermitPlugin,
    "preBind": interface.PreBindPlugin,
    "bind": interface.BindPlugin,
    "postBind": interface.PostBindPlugin,
}

DECIDING = ("filter", "postFilter")
"""Points without which a plugin decides less than upstream's; what it does at binding is no matter here."""

INTRODUCTION = """
The profile that kube-scheduler v1.34 runs without a configuration, in its order. At every extension point the
plugins run from top to bottom; the first filter that rejects a node has the word on it. A weight multiplies the
plugin's score, which lies between 0 and 100.
"""

ABSENT = "not in this version, see [the limits](../explanation/limits.md)"

READING = """
## What filters say

The words are kube-scheduler's own. The column *preemption* says whether evicting pods may help: `Unschedulable`
nodes may become feasible that way, `UnschedulableAndUnresolvable` ones do not. [Reading the
message](../explanation/why.md) takes such a text apart.
"""


def make() -> str:
    """The page."""
    registry = in_tree_registry()
    rows = []
    for number, (name, weight) in enumerate(DEFAULT_ORDER, start=1):
        plugin = registry[name]() if name in registry else None
        where = ABSENT if plugin is None else points(plugin)
        rows.append((str(number), code(name), str(weight) if weight else "", where, summary(plugin)))
    check_reasons()
    reasons = ((code(item.plugin) if item.plugin else "", item.words, item.code, item.meaning) for item in REASONS)
    return page(
        "Plugins",
        INTRODUCTION,
        table(("", "plugin", "weight", "extension points", "what it does"), rows),
        READING,
        table(("plugin", "words", "preemption", "what it means"), reasons),
    )


def points(plugin: Plugin) -> str:
    """Extension points that a plugin answers, and those of upstream's that it does not answer yet."""
    answered = [point for point, protocol in POINTS.items() if isinstance(plugin, protocol)]
    lacking = [point for point in DECIDING if point in IN_TREE.plugins[plugin.name].points and point not in answered]
    more = f"; its {' and '.join(lacking)} is {ABSENT}" if lacking else ""
    return ", ".join(answered) + more


def summary(plugin: Plugin | None) -> str:
    """First sentence of a plugin's docstring."""
    text = type(plugin).__doc__ if plugin is not None else None
    return from_docstring((text or "").split("\n\n")[0])
