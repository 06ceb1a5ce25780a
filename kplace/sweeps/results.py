"""The results of a study, as users hold them."""

import hashlib
import json
import math
import re
import struct
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path

import pandas as pd
import pyarrow as pa

from kplace.errors import UsageError
from kplace.sweeps.dataset import METRICS, read_frames, read_metrics
from kplace.sweeps.sampling import AXES, SETTING

_STUDY = re.compile(r"study=(?P<name>.+)")


class Results:
    """What came of the runs of a study.

    Made by `kplace.sweep` and `kplace.read_sweep`.

    Attributes
    ----------
    name : str
        The study's.
    """

    def __init__(self, name: str, table: pa.Table, frames: Callable[[str], pa.Table]) -> None:
        self.name = name
        self._table = table
        self._frames = frames

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """One row per run and metric: `kplace.sweeps.schema.METRICS`, sorted by run."""
        frame = self._table.to_pandas()
        number = frame["percentage_of_nodes_to_score"]
        frame["percentage_of_nodes_to_score"] = number.astype("Int64")
        return frame.sort_values(["run", "metric"], kind="stable", ignore_index=True)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row per run: its axes, with a column ``settings.PATH`` for each single setting, and a column per metric.

        Sorted by the axes. Failed runs have NaN in all metrics.
        """
        rows = self.metrics
        heads = rows.drop(columns=["metric", "value"]).drop_duplicates("run").set_index("run")
        wide = rows.dropna(subset="metric").pivot_table(index="run", columns="metric", values="value", dropna=False)
        settings = pd.DataFrame.from_records([json.loads(text) for text in heads["settings"]], index=heads.index)
        settings.columns = pd.Index([f"{SETTING}{path}" for path in settings.columns])
        for name in settings.columns:
            if settings[name].map(lambda value: isinstance(value, dict | list)).any():
                settings[name] = settings[name].map(json.dumps)
        joined = heads.drop(columns="settings").join(settings).join(wide)
        axes = [name for name in AXES if name in joined] + list(settings.columns)
        order = [*axes, *(name for name in joined.columns if name not in axes)]
        return joined[order].sort_values(axes, kind="stable").reset_index()

    @cached_property
    def failed(self) -> pd.DataFrame:
        """The runs that failed, with the parameters and ``error``."""
        return self.metrics[self.metrics["error"].notna()].reset_index(drop=True)

    @property
    def metric_names(self) -> list[str]:
        """Metrics that were kept."""
        return list(dict.fromkeys(self.metrics["metric"].dropna()))

    @cached_property
    def study_hash(self) -> str:
        """SHA-256 of what all runs came to: equal for equal studies, however and in whatever order they were done.

        Over the runs by id: the id, the hash of the result, the error, and each metric's name and bits.
        """
        digest = hashlib.sha256()
        columns = ("run", "result_hash", "error", "metric", "value")
        rows = zip(*(self.metrics[name].tolist() for name in columns), strict=True)
        for run, result, error, metric, value in rows:
            texts = (run, result, "" if pd.isna(error) else error, "" if pd.isna(metric) else metric)
            digest.update(
                "\0".join(texts).encode() + struct.pack("<d", math.nan if math.isnan(value) else value) + b"\n"
            )
        return digest.hexdigest()

    def frame(self, table: str) -> pd.DataFrame:
        """A table that was kept of every run, ``"pods"`` say, with the run's id in front.

        Raises
        ------
        UsageError
            It was not kept.
        """
        frame: pd.DataFrame = self._frames(table).to_pandas()
        return frame.sort_values("run", kind="stable", ignore_index=True)

    def __repr__(self) -> str:
        runs = self.metrics["run"].nunique()
        return f"<Results of {self.name}: {runs:,} runs, {len(self.failed):,} of them failed>"


def studies_in(folder: str | Path) -> list[str]:
    """Names of the studies that a folder holds results of."""
    found = (_STUDY.fullmatch(path.name) for path in sorted((Path(folder) / METRICS).glob("study=*")))
    return [match["name"] for match in found if match]


def study_of(folder: str | Path) -> tuple[Path, str] | None:
    """Where results are, and of which study, if a folder is all there is of a study: ``DIR/metrics/study=NAME``."""
    path = Path(folder).absolute()
    match = _STUDY.fullmatch(path.name)
    return (path.parent.parent, match["name"]) if match and path.parent.name == METRICS else None


def read_sweep(folder: str | Path, study: str | None = None) -> Results:
    """Read the results of a study.

    Parameters
    ----------
    folder : path
        What was given as ``out``.
    study : str, optional
        Its name; not needed if there is only one.

    Raises
    ------
    UsageError
        There are no results of such a study, or of several ones and none is named.
    """
    folder = Path(folder)
    if study is None:
        names = studies_in(folder)
        if len(names) != 1:
            msg = f"{folder}: " + (f"holds the studies {', '.join(names)}: name one" if names else "holds no study")
            raise UsageError(msg)
        study = names[0]
    return Results(study, read_metrics(folder, study), partial(read_frames, folder, study))
