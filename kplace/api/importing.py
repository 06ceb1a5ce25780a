"""``kplace.read_trace``: published traces as clusters."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pandas as pd

from kplace.api.arguments import one_of
from kplace.api.cluster import RULES, Cluster, read
from kplace.columns import ClusterBuilder, ClusterColumns, Note
from kplace.errors import UsageError
from kplace.frames.by_kind import columns_by_kind
from kplace.io.decode import no_garbage_collection
from kplace.io.report import input_notes
from kplace.io.validate import checks_of_shared_specs
from kplace.objects.core import Namespace
from kplace.objects.defaulting import DEFAULT_SCHEDULER
from kplace.objects.meta import ObjectMeta
from kplace.traces import FORMATS, read_trace_tables
from kplace.traces.formats import OPENB


def read_trace(form: str, *files: str | Path, nodes: int | None = None, limit: int | None = None) -> Cluster:
    """Read a published trace: machines become nodes, what ran on them becomes waiting pods.

    Parameters
    ----------
    form : str
        - ``"openb"``: node and pod lists of the OpenB trace of GPUs (Alibaba, 2023)
        - ``"alibaba-2018"``: the files ``machine_meta``, ``container_meta`` and ``batch_task``, with or without headers
        - ``"azure-packing"``: the sqlite file of Azure's trace for packing of 2020
        - ``"google-2019"``: ``machine_events``, ``instance_events`` and ``collection_events`` as CSV or JSON lines
        - ``"table"``: a mapping in TOML, which says what the columns of any tables mean
    *files : str or path
        Of the trace; plain, ``.gz`` or ``.zst``.
    nodes : int, optional
        How many machines, for ``"azure-packing"``, which does not say; 1,000 by default.
    limit : int, optional
        Only so many pods, those that came first.

    Returns
    -------
    Cluster
        Pods have their times of creation, and how long they ran as ``lasts``: ``kplace.simulate(cluster, replay=True)``
        lets them come and go. Their namespaces are objects of it. `Cluster.notes` says what was left out.

    Raises
    ------
    InputError
        With every fault of the files.
    UsageError
        An argument cannot be used.
    """
    form = one_of("form", form, FORMATS)
    if not files:
        msg = "files: expected the files of the trace"
        raise UsageError(msg)
    for name, number in (("nodes", nodes), ("limit", limit)):
        if number is not None and number < 0:
            msg = f"{name}: expected a whole number, 0 or more, got {number!r}"
            raise UsageError(msg)
    if form == OPENB:
        if nodes is not None or limit is not None:
            msg = "limit: the lists of the OpenB trace are read as they are"
            raise UsageError(msg)
        return read(*files)
    trace = read_trace_tables(form, files, nodes, limit)
    rules = replace(RULES, checks=checks_of_shared_specs())
    with no_garbage_collection():
        columns = columns_by_kind(trace.nodes, trace.pods, rules, others=_namespaces(trace.pods))
    columns.notes[:0] = [Note("trace", text) for text in trace.notes]
    columns.notes.extend(input_notes(columns, [DEFAULT_SCHEDULER]))
    return Cluster(columns)


def _namespaces(pods: pd.DataFrame) -> ClusterColumns | None:
    """The namespaces of a table of pods as objects, without which no cluster would take the pods."""
    named = pods["namespace"].dropna().unique().tolist() if "namespace" in pods else []
    builder = ClusterBuilder()
    for name in sorted({str(name) for name in named} - {"", "default"}):
        raw = msgspec.json.encode({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        builder.add("Namespace", Namespace(ObjectMeta(name=name)), raw, "<trace>")
    return builder.finish() if builder.objects else None
