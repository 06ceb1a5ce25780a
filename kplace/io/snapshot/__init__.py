"""Clusters kept as Parquet files: a folder that is read back in seconds, whatever the size."""

from kplace.io.snapshot.reading import is_snapshot, read_snapshot
from kplace.io.snapshot.writing import write_snapshot

__all__ = ["is_snapshot", "read_snapshot", "write_snapshot"]
