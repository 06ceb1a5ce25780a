"""Tables that are written piece by piece, so that no more than one piece is in memory."""

from collections.abc import Iterable
from typing import BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from kplace.io.atomic import Target, writing


def write_parquet_pieces(pieces: Iterable[pd.DataFrame], target: Target) -> int:
    """Write tables of the same columns as one Parquet file, a row group or more for each; returns the number of rows.

    Raises
    ------
    OutputError
        It cannot be written; nothing is left of it then.
    """
    with writing(target) as file:
        return _write(pieces, file)


def _write(pieces: Iterable[pd.DataFrame], file: BinaryIO) -> int:
    writer: pq.ParquetWriter | None = None
    n_rows = 0
    try:
        for piece in pieces:
            plain = piece.copy(deep=False)
            plain.attrs = {}
            table = pa.Table.from_pandas(plain, None if writer is None else writer.schema, preserve_index=False)
            if writer is None:
                writer = pq.ParquetWriter(file, table.schema, compression="zstd")
            writer.write_table(table)
            n_rows += len(plain)
    finally:
        if writer is not None:
            writer.close()
    return n_rows
