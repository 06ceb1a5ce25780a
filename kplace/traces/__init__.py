"""Published traces of clusters as clusters: machines become nodes, what ran on them becomes waiting pods."""

from kplace.traces.formats import FORMATS, read_trace_tables

__all__ = ["FORMATS", "read_trace_tables"]
