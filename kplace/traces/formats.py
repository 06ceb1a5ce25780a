"""The formats that are understood, by name."""

from collections.abc import Sequence
from pathlib import Path

from kplace.errors import Fault, InputError, UsageError
from kplace.traces.alibaba import read_alibaba
from kplace.traces.azure import read_azure
from kplace.traces.google import read_google
from kplace.traces.mapping import read_mapped
from kplace.traces.tables import Trace

OPENB = "openb"
FORMATS = (OPENB, "alibaba-2018", "azure-packing", "google-2019", "table")
"""``openb`` is what `kplace.read` reads itself; ``table`` is any table, by a mapping in TOML."""


def read_trace_tables(
    form: str, files: Sequence[str | Path], n_nodes: int | None = None, limit: int | None = None
) -> Trace:
    """Read a trace of a format other than ``openb`` as tables of nodes and pods.

    Raises
    ------
    InputError
        With every fault of its files.
    UsageError
        An argument does not go with the format.
    """
    if form != "azure-packing" and n_nodes is not None:
        msg = f"nodes: the trace itself says how many there are; only azure-packing takes a number, not {form}"
        raise UsageError(msg)
    if form == "azure-packing":
        return read_azure(files, n_nodes, limit)
    if form == "table":
        if len(files) != 1:
            raise InputError([Fault(", ".join(map(str, files)), "", "", "expected one mapping, in TOML")])
        trace = read_mapped(files[0])
    else:
        trace = {"alibaba-2018": read_alibaba, "google-2019": read_google}[form](files)
    if limit is not None and len(trace.pods) > limit:
        by_time = trace.pods.sort_values("created", kind="stable") if "created" in trace.pods else trace.pods
        trace.notes.append(f"only the first {limit:,} of {len(trace.pods):,} pods are taken")
        trace.pods = by_time.head(limit)
    return trace
