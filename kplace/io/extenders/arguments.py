"""What an extender is sent, as ``k8s.io/kube-scheduler/extender/v1`` has it."""

import msgspec
from msgspec import Raw

from kplace.columns import ClusterColumns
from kplace.dtypes import I32
from kplace.framework import Cycle
from kplace.framework.preemption import Candidates
from kplace.io.extenders.objects import ObjectTexts
from kplace.state import ClusterState

_ENCODER = msgspec.json.Encoder()


def texts_of(state: ClusterState) -> ObjectTexts:
    """Texts of a cluster's objects, made once."""
    return state.shared(ObjectTexts, _object_texts)


def _object_texts(columns: ClusterColumns) -> ObjectTexts:
    return ObjectTexts(columns)


def extender_arguments(cycle: Cycle, nodes: I32, *, knows_nodes: bool) -> bytes:
    """``ExtenderArgs``: names of nodes for an extender that knows the nodes, else whole objects."""
    texts, names = texts_of(cycle.state), cycle.state.columns.nodes.names
    listed = objects = Raw(b"null")
    if knows_nodes:
        listed = Raw(_ENCODER.encode([names[node] for node in nodes.tolist()]))
    else:
        objects = Raw(b'{"metadata":{},"items":[%b]}' % b",".join([texts.node(node) for node in nodes.tolist()]))
    return _ENCODER.encode({"Pod": Raw(texts.pod(cycle.pod)), "Nodes": objects, "NodeNames": listed})


def preemption_arguments(cycle: Cycle, candidates: Candidates, *, knows_nodes: bool) -> bytes:
    """``ExtenderPreemptionArgs``: uids of victims for an extender that knows the nodes, else whole pods."""
    texts, names = texts_of(cycle.state), cycle.state.columns.nodes.names
    victims: dict[str, object] = {}
    numbers = candidates.violations.tolist()
    for position, node in enumerate(candidates.nodes.tolist()):
        pods = candidates.victims_of(position).tolist()
        described = [{"UID": texts.uid(pod)} if knows_nodes else Raw(texts.pod(pod, names[node])) for pod in pods]
        victims[names[node]] = {"Pods": described, "NumPDBViolations": numbers[position]}
    return _ENCODER.encode(
        {
            "Pod": Raw(texts.pod(cycle.pod)),
            "NodeNameToVictims": None if knows_nodes else victims,
            "NodeNameToMetaVictims": victims if knows_nodes else None,
        }
    )


def binding_arguments(cycle: Cycle, node: int) -> bytes:
    """``ExtenderBindingArgs``."""
    columns, pod = cycle.state.columns, cycle.pod
    return _ENCODER.encode(
        {
            "PodName": columns.pods.names[pod],
            "PodNamespace": columns.pods.namespaces[columns.pods.namespace[pod]],
            "PodUID": texts_of(cycle.state).uid(pod),
            "Node": columns.nodes.names[node],
        }
    )
