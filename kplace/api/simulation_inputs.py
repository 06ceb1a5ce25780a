"""What a simulation reads: the cluster at the start, and tables and files of what comes, goes and changes."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from kplace.api.cluster import Cluster, read
from kplace.engine.simulate import ScenarioBuilder, Verb
from kplace.errors import Fault, UsageError
from kplace.frames.arrivals import ACTIONS_SOURCE, NodeEvent, read_arrivals, read_node_events
from kplace.frames.from_frames import Rules
from kplace.frames.processes import draw_arrivals
from kplace.io.manifests import api_version_of
from kplace.io.scenario import add_cluster
from kplace.io.shape import fit
from kplace.io.sources import Source
from kplace.io.tables import read_table
from kplace.io.timeline import Timeline, add_changes, is_timeline, read_timeline
from kplace.io.validate import CHECKS

Table = pd.DataFrame | str | Path


@dataclass(frozen=True, slots=True)
class Inputs:
    """Where a run reads from beside its cluster."""

    arrivals: Table | None
    process: Table | None
    node_events: Table | None
    events: str | Path | None
    replay: bool

    @property
    def are_there(self) -> bool:
        """Whether there is anything."""
        tables = (self.arrivals, self.process, self.node_events, self.events)
        return self.replay or any(item is not None for item in tables)


def read_inputs(source: Cluster | str | Path, inputs: Inputs, until: float, seed: int) -> tuple[Cluster, Timeline]:
    """Read all inputs into one scenario.

    Parameters
    ----------
    source, inputs
        See `kplace.simulate`.
    until : float
        Seconds; when pods that come by chance come no more.
    seed : int
        Of their draws.

    Raises
    ------
    InputError
        With every fault of every input.
    UsageError
        They do not go together.
    """
    if isinstance(source, str | os.PathLike):
        file = Source(str(source), path=Path(source))
        if Path(source).is_file() and is_timeline(file):
            if inputs.are_there:
                msg = (
                    "a timeline says all that happens: arrivals, process, node_events, events and replay go with "
                    "a cluster"
                )
                raise UsageError(msg)
            timeline = read_timeline(file)
            return Cluster(timeline.scenario.columns), timeline
    cluster = source if isinstance(source, Cluster) else read(source)
    builder = ScenarioBuilder(CHECKS)
    add_cluster(builder, cluster.columns, replays=inputs.replay)
    if inputs.arrivals is not None:
        _add_arrivals(builder, _table(inputs.arrivals), "arrivals", inputs.arrivals)
    if inputs.process is not None:
        drawn, faults = draw_arrivals(_table(inputs.process), until, seed)
        builder.builder.faults += _named(faults, inputs.process)
        if not faults and len(drawn):
            _add_arrivals(builder, drawn, "process", inputs.process)
    found: list[NodeEvent] = []
    if inputs.node_events is not None:
        found, faults = read_node_events(_table(inputs.node_events))
        builder.builder.faults += _named(faults, inputs.node_events)
        for event in found:
            builder.add_change(event.at, event.verb, "Node", event.node, "<node events>")
    if inputs.events is not None:
        add_changes(Source(str(inputs.events), path=Path(inputs.events)), builder)
    unknown = {event.node.metadata.name for event in found} - builder.node_names
    strangers = [Fault(ACTIONS_SOURCE, f"Node {name}", "node", "there is no such node") for name in sorted(unknown)]
    builder.builder.faults += _named(strangers, inputs.node_events)
    return cluster, Timeline(builder.finish())


def _add_arrivals(builder: ScenarioBuilder, arrivals: pd.DataFrame, name: str, given: Table) -> None:
    rules = Rules(checks=CHECKS, fit=fit, api_version=api_version_of)
    rows = read_arrivals(arrivals, rules)
    builder.builder.faults += _named(rows.faults, given)
    if rows.unread:
        builder.builder.note("unknown-columns", f"columns of the {name} left out: {', '.join(rows.unread)}")
    for item in rows.arrivals:
        builder.add_change(item.at, Verb.ADD, "Pod", item.pod, f"<{name}>", lasts=item.lasts)
        if item.leaves is not None:
            builder.add_change(max(item.leaves, item.at), Verb.DELETE, "Pod", item.pod, f"<{name}>")


def _named(faults: Iterable[Fault], given: Table | None) -> list[Fault]:
    """The faults of a table, by the name of its file if it is read from one."""
    if given is None or isinstance(given, pd.DataFrame):
        return list(faults)
    return [replace(fault, source=str(given)) for fault in faults]


def _table(given: Table) -> pd.DataFrame:
    if isinstance(given, pd.DataFrame):
        return given
    return read_table(given)
