"""From a cluster that was read to the start of a simulation."""

import msgspec
import numpy as np
from msgspec import structs

from kplace.columns.cluster import ClusterColumns, SourceObject
from kplace.columns.pods import UNKNOWN_NODE, time_column
from kplace.columns.rebuilt import NodeObjects, pod_object
from kplace.dtypes import NO_NODE, NO_TIME, Phase
from kplace.engine.simulate import ScenarioBuilder, Verb, grace_of
from kplace.io.kinds import find_kind
from kplace.io.shape import fit
from kplace.objects.core import Node, Pod, PodStatus
from kplace.queue import SECOND

_SOURCE = "<cluster>"
_LOST = "(not in the input)"


def nodes_of(columns: ClusterColumns) -> list[Node]:
    """The nodes of a cluster as objects, in the order of the input."""
    nodes = [_decoded(item) for item in columns.sources if item.kind == "Node"]
    if not nodes:
        made = NodeObjects(columns)
        return [made[node] for node in np.argsort(columns.nodes.arrival).tolist()]
    return [node for node in nodes if isinstance(node, Node)]


def pods_of(columns: ClusterColumns) -> list[Pod]:
    """The pods of a cluster as objects, in the order of its columns."""
    given = {item.pod: item for item in columns.sources if item.pod >= 0}
    found = []
    for pod in range(len(columns.pods)):
        item = _decoded(given[pod]) if pod in given else None
        found.append(item if isinstance(item, Pod) else made_pod(columns, pod))
    return found


def made_pod(columns: ClusterColumns, pod: int) -> Pod:
    """A pod that the input does not hold as an object, such as one made from a controller."""
    pods = columns.pods
    node = int(pods.node[pod])
    name = "" if node == NO_NODE else _LOST if node == UNKNOWN_NODE else columns.nodes.names[node]
    item = pod_object(columns, pod, name)
    return structs.replace(item, status=structs.replace(item.status, phase=Phase(pods.phase[pod]).name.capitalize()))


def add_cluster(builder: ScenarioBuilder, columns: ClusterColumns, *, replays: bool = False) -> None:
    """Add a cluster's objects as those at the start; pods that are being deleted leave their nodes after their grace.

    Parameters
    ----------
    replays : bool
        Every pod arrives, without a node, at its time of creation, counted from the whole second of the first; pods
        without one are there from the start. One that is being deleted leaves when its time is over.
    """
    for kind, items in columns.objects.items():
        for obj in items:
            builder.add_initial(kind, obj, _SOURCE)
    for node in nodes_of(columns):
        builder.add_initial("Node", node, _SOURCE)
    if replays:
        _add_replay(builder, columns)
        return
    for pod in pods_of(columns):
        builder.add_initial("Pod", pod, _SOURCE)
        if pod.metadata.deletion_timestamp and pod.spec.node_name:
            builder.add_change(grace_of(pod.spec), Verb.DELETE, "Pod", pod, _SOURCE)


def _add_replay(builder: ScenarioBuilder, columns: ClusterColumns) -> None:
    pods = pods_of(columns)
    created = columns.pods.created_ns
    deleted = time_column([pod.metadata.deletion_timestamp for pod in pods], NO_TIME)
    first = int(created.min(initial=NO_TIME)) // SECOND * SECOND
    for row, pod in enumerate(pods):
        bare = structs.replace(
            pod,
            metadata=structs.replace(pod.metadata, deletion_timestamp=None),
            spec=structs.replace(pod.spec, node_name=""),
            status=PodStatus(),
        )
        at = 0 if created[row] == NO_TIME else int(created[row]) - first
        lasts = int(columns.pods.lasts_ns[row])
        builder.add_change(at, Verb.ADD, "Pod", bare, _SOURCE, lasts=None if lasts == NO_TIME else lasts)
        if deleted[row] != NO_TIME:
            builder.add_change(max(int(deleted[row]) - first, at), Verb.DELETE, "Pod", bare, _SOURCE)


def _decoded(item: SourceObject) -> msgspec.Struct | None:
    kind = find_kind("", item.kind)
    if kind is None:
        return None
    try:
        return kind.decoder.decode(item.raw)
    except msgspec.ValidationError:
        # It was read after its nulls had been left out.
        fitting, _ = fit(msgspec.json.decode(item.raw), kind.struct)
        return msgspec.convert(fitting, kind.struct)
