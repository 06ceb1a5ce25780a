"""What pictures show, as tables and numbers: for the report and for notebooks alike."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from kplace.analysis.metrics.use import share_of
from kplace.analysis.plots.style import BINS, MARKS, OTHERS
from kplace.analysis.subject import By, Subject, endings, keys_of, nodes_of
from kplace.dtypes import F64, I64

MISSING = "-"
JOINED = " / "
_CPU, _GIB = 1000, 2**30
_UNITS = ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))


def node_points(subject: Subject, x: str, y: str, by: By) -> pd.DataFrame:
    """Nodes as points: ``node``, ``group``, ``x``, ``y`` (requested shares) and ``size`` (allocatable of ``x``).

    Nodes that do not offer both resources are left out.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of nodes.
    x, y : str
        Kubernetes' names of resources.
    by : str or sequence of str, optional
        As for `kplace.analysis.metrics.utilisation`.
    """
    nodes = nodes_of(subject)
    across, up = endings(nodes, [x, y])
    table = pd.DataFrame(
        {
            "node": nodes["node"].astype("str").array,
            "group": groups_of(nodes, by).array,
            "x": share_of(nodes, across),
            "y": share_of(nodes, up),
            "size": nodes[f"allocatable_{across}"].to_numpy(np.int64),
        }
    )
    return table.dropna(subset=["x", "y"]).reset_index(drop=True)


def cells(x: F64, y: F64) -> tuple[I64, int]:
    """Number of points in each cell of a grid over 0 to 1, and the most in one; what lies beyond is at the edge.

    Returns
    -------
    counts : int64 ndarray, shape (BINS, BINS)
        By x, then y.
    most : int
    """
    across, up = (np.clip(values * BINS, 0, BINS - 1).astype(np.int64) for values in (x, y))
    counts = np.bincount(across * BINS + up, minlength=BINS * BINS).reshape(BINS, BINS)
    return counts, int(counts.max())


def groups_of(nodes: pd.DataFrame, by: By) -> pd.Series:
    """The group of each node as one text; a dash for what a node lacks."""
    keys = [key.astype("object").where(key.notna(), MISSING).astype("str") for key in keys_of(nodes, by).values()]
    if not keys:
        return pd.Series("nodes", index=nodes.index, dtype="str")
    joined = keys[0]
    for key in keys[1:]:
        joined = joined + JOINED + key
    return joined


def told_apart(groups: pd.Series, most: int = len(MARKS)) -> pd.Series:
    """Groups that a picture can tell apart: the most frequent ones by their names, all further ones as `OTHERS`.

    Examples
    --------
    >>> told_apart(pd.Series(["a", "b", "b", "c", "c", "c"], dtype="str"), 2).tolist()
    ['others', 'b', 'b', 'c', 'c', 'c']
    """
    counts = groups.value_counts()
    if len(counts) <= most:
        return groups
    kept = sorted(counts.index, key=lambda name: (-counts[name], name))[:most]
    return groups.where(groups.isin(kept), OTHERS)


def kinds_in(groups: pd.Series) -> list[str]:
    """Names of groups in order, `OTHERS` last."""
    return sorted(dict.fromkeys(groups), key=lambda name: (name == OTHERS, name))


def largest(table: pd.DataFrame, by: str, most: int) -> pd.DataFrame:
    """Rows with the largest sums as they stand, and one row `OTHERS` that adds up the rest.

    Parameters
    ----------
    table : DataFrame
        Amounts, by group as its index.
    by : str
        The column that decides.
    """
    if len(table) <= most:
        return table
    kept = table[by].sort_values(ascending=False, kind="stable").index[: most - 1]
    is_kept = table.index.isin(kept)
    rest = table[~is_kept].sum().to_frame(OTHERS).T.astype(table.dtypes)
    return pd.concat([table[is_kept], rest])


def spaced(length: int, most: int) -> I64:
    """Positions of at most so many rows, evenly spaced, the first and the last among them.

    Examples
    --------
    >>> spaced(5, 10).tolist(), spaced(9, 3).tolist()
    ([0, 1, 2, 3, 4], [0, 4, 8])
    """
    if length <= most:
        return np.arange(length)
    return np.unique(np.linspace(0, length - 1, most).round().astype(np.int64))


def bands(length: int, most: int) -> list[slice]:
    """At most so many neighbouring stretches of equal length, which are drawn as one each.

    Examples
    --------
    >>> bands(7, 3)
    [slice(0, 3, None), slice(3, 6, None), slice(6, 7, None)]
    """
    size = -(-length // most) if length else 1
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def time_unit(seconds: F64) -> tuple[float, str]:
    """The unit in which a time axis is read best, in seconds, and its name.

    Examples
    --------
    >>> time_unit(np.array([0.0, 90.0])), time_unit(np.array([0.0, 7200.0]))
    ((1.0, 'seconds'), (3600.0, 'hours'))
    """
    length = float(seconds.max() - seconds.min()) if len(seconds) else 0.0
    return next((item for item in _UNITS if length >= 2 * item[0]), _UNITS[-1])


def unit_of(resource: str) -> tuple[int, str]:
    """How much of a resource's amounts is one on an axis, and what the axis says.

    Examples
    --------
    >>> unit_of("cpu"), unit_of("memory"), unit_of("nvidia.com/gpu")
    ((1000, 'cores'), (1073741824, 'GiB'), (1, ''))
    """
    if resource == "cpu":
        return _CPU, "cores"
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        return _GIB, "GiB"
    return 1, ""


def named(resource: str) -> str:
    """A resource with its unit.

    Examples
    --------
    >>> named("cpu"), named("nvidia.com/gpu")
    ('cpu, cores', 'nvidia.com/gpu')
    """
    _, unit = unit_of(resource)
    return f"{resource}, {unit}" if unit else resource


def shortened(text: str, most: int = 60) -> str:
    """A text that fits beside a bar."""
    return text if len(text) <= most else text[: most - 1] + "…"


def distinct(texts: Sequence[str]) -> list[str]:
    """Texts made different, since bars of one name would lie on each other.

    Examples
    --------
    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    seen: dict[str, int] = {}
    found = []
    for text in texts:
        seen[text] = seen.get(text, 0) + 1
        found.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return found
