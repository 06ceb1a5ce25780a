"""How pictures look: colours that everybody can tell apart, and how much a picture can hold."""

from collections.abc import Sequence

REQUESTED, ADDED, USABLE, STRANDED, CLOSED = "#0072B2", "#56B4E9", "#dfe5ea", "#D55E00", "#8a8f94"
"""After Okabe and Ito, which the colour-blind can tell apart."""
MARKS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
INK, FAINT, GRID = "#24292f", "#57606a", "#e3e7eb"
PARTS = (
    ("requested", "requested", REQUESTED),
    ("usable", "free and usable", USABLE),
    ("stranded", "stranded", STRANDED),
    ("cordoned", "on cordoned nodes", CLOSED),
)
"""What nodes offer, taken apart: column of `kplace.analysis.metrics.stranded`, words, colour."""
QUEUE = (
    ("active", "in the active queue", MARKS[0]),
    ("backoff", "in backoff", MARKS[5]),
    ("unschedulable", "waiting for an event", STRANDED),
    ("gated", "gated", CLOSED),
)
"""Pods that wait, by where: column of `History.timeline`, words, colour."""
MOST_DOTS = 1500
"""Nodes that are drawn one by one; of more, how many lie in each cell of a grid."""
BINS = 40
OTHERS = "others"
"""What stands for groups beyond those that colours can tell apart."""


def colours_of(kinds: Sequence[str]) -> dict[str, str]:
    """A colour for each kind; `OTHERS` is grey.

    Examples
    --------
    >>> colours_of(["spot", "others"])
    {'spot': '#0072B2', 'others': '#8a8f94'}
    """
    own = [kind for kind in kinds if kind != OTHERS]
    colours = {kind: MARKS[number % len(MARKS)] for number, kind in enumerate(own)}
    return {kind: colours.get(kind, CLOSED) for kind in kinds}


def depth(share: float) -> float:
    """Opacity of a cell that holds a share of what the fullest one holds: few are seen too."""
    return 0.15 + 0.85 * share**0.5
