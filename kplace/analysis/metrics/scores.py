"""How close the decisions were."""

from dataclasses import dataclass

import pandas as pd

from kplace.api import Placements
from kplace.errors import UsageError


@dataclass(frozen=True, slots=True)
class Margins:
    """How clearly nodes were chosen.

    Attributes
    ----------
    placed, alone, tied : int
        Pods that were placed; those that had one feasible node only; those of which several nodes had the highest
        total, so that one was drawn.
    share_tied : float
        ``tied / placed``; NaN if none was placed.
    median, mean : float
        Of the winner's total less the runner-up's, over pods with several feasible nodes; NaN without any.
    margin : Series
        That difference by row of the table of pods; NA where there was no runner-up.
    """

    placed: int
    alone: int
    tied: int
    share_tied: float
    median: float
    mean: float
    margin: pd.Series


def margins(placements: Placements | pd.DataFrame) -> Margins:
    """Score margin: total of the chosen node less the highest of the others; and how often a draw decided.

    Parameters
    ----------
    placements : Placements or DataFrame
        A table of placed pods, `kplace.frames.schema.PLACED_PODS`.

    Returns
    -------
    Margins
    """
    pods = placements.pods if isinstance(placements, Placements) else placements
    if not isinstance(pods, pd.DataFrame) or "runner_up" not in pods.columns:
        msg = "expected Placements or a table of placed pods, as in Placements.pods"
        raise UsageError(msg)
    placed = pods[pods["status"] == "scheduled"]
    margin = (placed["total"] - placed["runner_up"]).rename("margin")
    known = margin.dropna().astype("float64")
    tied = int((placed["ties"] > 1).sum())
    return Margins(
        placed=len(placed),
        alone=int((placed["feasible"] == 1).sum()),
        tied=tied,
        share_tied=tied / len(placed) if len(placed) else float("nan"),
        median=float(known.median()) if len(known) else float("nan"),
        mean=float(known.mean()) if len(known) else float("nan"),
        margin=margin,
    )
