"""What filters say of a node, and what it means."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import kplace
from reference.complete import insist

MAY_HELP, NO_HELP = "may help", "does not help"
_BEGINNINGS = ("node(s) ", "Insufficient ", "Too many ", "pod affinity terms")


@dataclass(frozen=True)
class Reason:
    """A filter's words.

    Attributes
    ----------
    plugin : str
        Empty if it is the framework that speaks.
    words : str
    code : str
        Whether evicting pods may help.
    meaning : str
    """

    plugin: str
    words: str
    code: str
    meaning: str


REASONS = (
    Reason(
        "NodeUnschedulable",
        "node(s) were unschedulable",
        NO_HELP,
        "The node is cordoned (`spec.unschedulable`), and the pod does not tolerate the taint that stands for it.",
    ),
    Reason(
        "NodeName",
        "node(s) didn't match the requested node name",
        NO_HELP,
        "The pod names another node. Seen in `explain` only: a pod that names a node does not wait.",
    ),
    Reason(
        "TaintToleration",
        "node(s) had untolerated taint {KEY: VALUE}",
        NO_HELP,
        "The first NoSchedule or NoExecute taint of the node that the pod does not tolerate.",
    ),
    Reason(
        "TaintToleration",
        "node(s) had untolerated taint(s)",
        NO_HELP,
        "The same since Kubernetes 1.35, see [the versions](kube-versions.md).",
    ),
    Reason(
        "NodeAffinity",
        "node(s) didn't match Pod's node affinity/selector",
        NO_HELP,
        "The node's labels do not satisfy `nodeSelector` or the required node affinity.",
    ),
    Reason(
        "NodeAffinity",
        "node(s) didn't match scheduler-enforced node affinity",
        NO_HELP,
        "They do not satisfy the `addedAffinity` of the scheduler's configuration.",
    ),
    Reason(
        "NodeAffinity",
        "pod affinity terms conflict",
        NO_HELP,
        "The required terms name nodes, but no node is in all of them. Said once for all nodes.",
    ),
    Reason(
        "",
        "node(s) didn't satisfy plugin(s) [NodeAffinity]",
        NO_HELP,
        "The pod asks for certain nodes by name (as pods of DaemonSets do); this is none of them.",
    ),
    Reason(
        "NodePorts",
        "node(s) didn't have free ports for the requested pod ports",
        MAY_HELP,
        "A pod on the node holds a host port that this one wants.",
    ),
    Reason(
        "NodeResourcesFit",
        "Too many pods",
        MAY_HELP,
        "The node holds as many pods as it allows (`allocatable.pods`).",
    ),
    Reason(
        "NodeResourcesFit",
        "Insufficient RESOURCE",
        "may help, unless the request is more than the node's allocatable",
        "The pod's request is more than what is left. A node lists every resource of which it has too little.",
    ),
    Reason(
        "VolumeRestrictions",
        "node(s) had no available disk",
        MAY_HELP,
        "A pod there has a GCE, EBS, iSCSI or RBD disk in its spec that the two cannot share.",
    ),
    Reason(
        "VolumeRestrictions",
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another "
        "pod",
        MAY_HELP,
        "One pod alone may use the claim, and another one has it. Said of every node.",
    ),
    Reason(
        "NodeVolumeLimits",
        "node(s) exceed max volume count",
        MAY_HELP,
        "With the pod's volumes the node would attach more of a driver's volumes than its CSINode allows.",
    ),
    Reason(
        "VolumeBinding",
        "node(s) didn't match PersistentVolume's node affinity",
        NO_HELP,
        "The volume of a bound claim cannot be reached from the node.",
    ),
    Reason(
        "VolumeBinding",
        "node(s) didn't find available persistent volumes to bind",
        NO_HELP,
        "No free volume that the node can reach would do for an unbound claim, and none can be made there.",
    ),
    Reason(
        "VolumeBinding",
        "node(s) did not have enough free storage",
        NO_HELP,
        "No CSIStorageCapacity that the node can reach has room for the claim's volume.",
    ),
    Reason(
        "VolumeBinding",
        "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
        NO_HELP,
        "A claim names a volume that does not exist.",
    ),
    Reason(
        "VolumeZone",
        "node(s) had no available volume zone",
        NO_HELP,
        "The zone or region in the labels of a bound volume is not the node's.",
    ),
    Reason(
        "PodTopologySpread",
        "node(s) didn't match pod topology spread constraints",
        MAY_HELP,
        "With the pod in this node's domain the skew would exceed `maxSkew`.",
    ),
    Reason(
        "PodTopologySpread",
        "node(s) didn't match pod topology spread constraints (missing required label)",
        NO_HELP,
        "The node lacks the `topologyKey` label of a constraint with DoNotSchedule.",
    ),
    Reason(
        "InterPodAffinity",
        "node(s) didn't match pod affinity rules",
        NO_HELP,
        "No pod that the required affinity asks for runs in the node's domain.",
    ),
    Reason(
        "InterPodAffinity",
        "node(s) didn't match pod anti-affinity rules",
        MAY_HELP,
        "A pod that this one must not be near runs in the node's domain.",
    ),
    Reason(
        "InterPodAffinity",
        "node(s) didn't satisfy existing pods anti-affinity rules",
        MAY_HELP,
        "A pod in the node's domain must not be near this one.",
    ),
    Reason(
        "NodeLabel",
        "node(s) didn't have the requested labels",
        NO_HELP,
        "The node has a label that it must not have, or lacks one; in older configurations and policies.",
    ),
    Reason(
        "ServiceAffinity",
        "node(s) didn't match service affinity",
        MAY_HELP,
        "Its labels are not those of the node with the first pod of the service; in older configurations and policies.",
    ),
)


def check_reasons() -> None:
    """Insist that every such sentence in the plugins' sources is explained here.

    Raises
    ------
    SystemExit
    """
    known = [item.words for item in REASONS]
    insist({words for words in _sentences() if not any(entry.startswith(words) for entry in known)}, "reasons.py")


def _sentences() -> Iterator[str]:
    """Reasons in the sources: literals, and the beginnings of formatted strings, outside docstrings."""
    for path in sorted((Path(kplace.__file__).parent / "plugins").glob("*/plugin.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            match node:
                case ast.Constant(value=str(text)) if id(node) not in skipped and text.startswith(_BEGINNINGS):
                    yield text
