"""Tables that users keep in files: CSV, Parquet, JSON lines, plain or compressed."""

import io
from pathlib import Path

import pandas as pd

from kplace.errors import Fault, InputError
from kplace.io.sources import Source, SourceError

ENDINGS = (".csv", ".parquet", ".jsonl", ".ndjson")


def is_table(path: str | Path) -> bool:
    """Whether a file's name says that it holds a table.

    Examples
    --------
    >>> is_table("pods.csv.gz"), is_table("pods.json")
    (True, False)
    """
    return _bare(path).endswith(ENDINGS)


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a table.

    Raises
    ------
    InputError
        There is no such file, or it holds no table.
    """
    name, bare = str(path), _bare(path)
    if not Path(path).exists():
        raise InputError([Fault(name, "", "", "there is no such file")])
    try:
        if bare.endswith(".parquet"):
            return pd.read_parquet(path)
        data = io.BytesIO(Source(name, path=Path(path)).read())
        if bare.endswith(".csv"):
            return pd.read_csv(data)
        if bare.endswith((".jsonl", ".ndjson")):
            return pd.read_json(data, lines=True)
        message = f"the ending says nothing; known are {', '.join(ENDINGS)}"
    except (SourceError, ValueError, OSError) as error:
        message = f"holds no table that can be read: {error}"
    raise InputError([Fault(name, "", "", message)])


def _bare(path: str | Path) -> str:
    return Path(path).name.lower().removesuffix(".gz").removesuffix(".zst")
