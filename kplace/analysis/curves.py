"""A metric of many runs over an axis of numbers."""

import pandas as pd


def curves(runs: pd.DataFrame, metric: str, x: str, by: str = "") -> pd.DataFrame:
    """A metric over an axis of numbers, one line per value of another axis.

    Parameters
    ----------
    runs : DataFrame
        One row per run, such as `kplace.sweeps.Results.runs`. Runs with an ``error`` are left out, where there is such
        a column.
    metric, x, by : str
        Columns of it; without ``by`` there is one line.

    Returns
    -------
    DataFrame
        ``by`` (if any), ``x``, ``low``, ``median``, ``high``, ``runs``: over all else that varies, which is the seeds
        unless there are further axes.

    Examples
    --------
    >>> runs = pd.DataFrame({"load": [50, 50, 90], "seed": [0, 1, 0], "pending": [0.0, 2.0, 7.0]})
    >>> curves(runs, "pending", "load")["median"].tolist()
    [1.0, 7.0]
    """
    alive = runs[metric].notna()
    if "error" in runs.columns:
        alive &= runs["error"].isna()
    keys = [by, x] if by else [x]
    grouped = runs[alive].groupby(keys, dropna=False, observed=True)[metric]
    table = grouped.agg(low="min", median="median", high="max", runs="size").reset_index()
    return table.sort_values(keys, kind="stable", ignore_index=True)
