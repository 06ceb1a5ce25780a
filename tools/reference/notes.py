"""Every topic of a note, and what to make of it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import kplace
from reference.complete import insist

TOPICS = {
    "trace": (
        "What of a published trace is not taken over, and what is assumed that it does not say.",
        "Nothing, or choose other files or arguments of `kplace import`.",
    ),
    "not-fitted": (
        "What pods ask for that a description fitted to their cluster (`kplace synth --like`) does not carry over.",
        "Write it into the description by hand: `--show` prints it.",
    ),
    "made-pods": (
        "Pods that controllers still lack were made.",
        "Nothing. The pods have `made` set in every table; their names are deterministic.",
    ),
    "made-claims": (
        "Claims made from a StatefulSet's `volumeClaimTemplates`, or for ephemeral volumes, for pods that were made.",
        "None.",
    ),
    "no-pod-template": (
        "Controllers lack pods but have no containers in their template.",
        "Export the whole object, not a summary of it.",
    ),
    "surplus-pods": (
        "Controllers have more pods than replicas, as during a roll-out.",
        "All are kept. Remove those that will go, if you ask about the time after it.",
    ),
    "repeated-controllers": (
        "A controller is there more than once.",
        "The first one counts: check that the right file comes first.",
    ),
    "held-names": (
        "A pod could not be made because another pod has its name.",
        "Usually a StatefulSet's pod that has failed or is being deleted.",
    ),
    "unknown-kinds": (
        "Objects of kinds that play no part in placing, or that are misspelt.",
        "Nothing, unless a kind is followed by a guess of what was meant.",
    ),
    "no-kind": (
        "Objects without `kind` that could not be recognised.",
        "Add `kind`, or name the file after it (`pods.json`).",
    ),
    "no-objects": (
        "Files of a folder that hold JSON or YAML, but no Kubernetes objects.",
        "Nothing; a file that is named itself and holds none is a fault.",
    ),
    "partial-lists": (
        "A list with `metadata.continue`: one page of a longer one.",
        "Export again without `limit`, or give all pages.",
    ),
    "skipped-files": (
        "Files of a folder whose names say neither JSON nor YAML.",
        "Rename those that should be read.",
    ),
    "repeated-objects": (
        "The same object is there more than once, with the same content.",
        "Nothing: it counts once.",
    ),
    "taken-names": (
        "Two files have different pods of the same name, and neither comes from a cluster.",
        "The first one counts, in the order of the files. If both are meant, give one of them another name.",
    ),
    "unknown-phases": (
        "Pods with a `status.phase` that Kubernetes does not have.",
        "They count as Unknown: they hold their node.",
    ),
    "finished-pods": (
        "Pods that Succeeded or Failed.",
        "Nothing: they hold no resources and are not placed.",
    ),
    "other-schedulers": (
        "Waiting pods with another `schedulerName`.",
        "They have the status `skipped` and are not placed.",
    ),
    "configuration": (
        "The scheduler configuration has settings without effect here, names plugins that do nothing here, or was read "
        "by the rules of an older version.",
        "The rest of it counts. `kplace config show` says what it comes to.",
    ),
    "unknown-nodes": (
        "Pods are bound to nodes that are not in the input.",
        "Their room is taken from no node. Pod counts of spread and affinity do not see them either: export all nodes.",
    ),
    "terminating-pods": (
        "Waiting pods that are being deleted.",
        "Nothing: the scheduler does not place them.",
    ),
    "no-nodes": (
        "There are no nodes, so nothing can be placed.",
        "Add the output of `kubectl get nodes -o json`.",
    ),
    "no-pod-limit": (
        "Nodes without `allocatable.pods`: the scheduler takes that for 0, and nothing fits.",
        "Add it to nodes that were written by hand; a kubelet's default is 110.",
    ),
    "missing-classes": (
        "Claims of waiting pods name a storage class that the input lacks. Their pods stay pending: `pod has unbound "
        "immediate PersistentVolumeClaims`.",
        "Add the output of `kubectl get storageclasses -o json`, or mend `spec.storageClassName`.",
    ),
    "foreign-volumes": (
        "Claims of waiting pods are bound to a volume that belongs to another claim. kube-scheduler does not mind.",
        "Mend `spec.volumeName` of the claim or `spec.claimRef` of the volume.",
    ),
    "no-csi-nodes": (
        "A CSI driver has no entry in any CSINode: nodes attach as many of its volumes as there are.",
        "Add the output of `kubectl get csinodes -o json`.",
    ),
    "resource-claims": (
        "Waiting pods have resource claims (DRA).",
        "Treat their nodes as a guess, see [the limits](../explanation/limits.md).",
    ),
    "no-default-spreading": (
        "No Services and no owners in the input: default spreading, which scores by them, has nothing to go by.",
        "Export services, replicasets, statefulsets and replicationcontrollers too.",
    ),
    "no-namespaces": (
        "A `namespaceSelector` is used, but the labels of namespaces are not known.",
        "Export namespaces too.",
    ),
    "no-priority-class": (
        "Pods name a PriorityClass that is not there; their priority counts as 0.",
        "Export priorityclasses too: the queue's order depends on them.",
    ),
    "no-runtime-class": (
        "Pods name a RuntimeClass that is not there; no overhead is added.",
        "Export runtimeclasses too.",
    ),
    "unknown-columns": (
        "Columns of a DataFrame that mean nothing to `Cluster.from_frames`.",
        "Look for a misspelt name.",
    ),
    "default-pods": (
        "A DataFrame of nodes without a column for `pods`.",
        "Nothing if 110 is right.",
    ),
    "no-prices": (
        "`kplace provision`: of no candidate it is known what one costs, so each counts 1.",
        "Say it by `--price`, `--prices` or `--rate`; or take it as a search for the fewest nodes.",
    ),
    "without-price": (
        "`kplace provision`: some candidates have no price although others have one.",
        "They are left out. Add them to the table, or give rates for those that it lacks.",
    ),
    "passing-taints": (
        "`kplace provision`: a node manifest has taints that say how the node was doing when it was read.",
        "Nothing: a new node would not have them.",
    ),
    "doubtful-daemons": (
        "`kplace provision`: a DaemonSet is known by its pods alone, and is not on all nodes that these tolerate.",
        "Add the DaemonSets to the input: which nodes they require does not show in their pods.",
    ),
    "min-values": (
        "`kplace provision`: a NodePool has requirements with `minValues`.",
        "The types of the table meet it as a whole. Which of them Karpenter launches in the end it decides itself.",
    ),
    "nodepool-weights": (
        "`kplace provision`: NodePools differ in weight.",
        "Karpenter fills the heavier one first, whatever it costs: to see what that comes to, ask with it alone.",
    ),
    "left-out-candidates": (
        "`kplace provision`: no pod can tell some candidates from another one that is as good and costs no more.",
        "Nothing. `--rows candidates` says which, and what is better.",
    ),
}


def check_topics() -> None:
    """Insist that the table has the topics of the sources, no more and no less.

    Raises
    ------
    SystemExit
    """
    found = set(_topics())
    insist(found - TOPICS.keys(), "notes.py")
    insist(TOPICS.keys() - found, "notes.py", "explains what is no longer there")


def _topics() -> Iterator[str]:
    for path in sorted(Path(kplace.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="Note"), args=[ast.Constant(value=str(topic)), _]):
                    yield topic
                case ast.Call(func=ast.Attribute(attr="note" | "_say"), args=[ast.Constant(value=str(topic)), *_]):
                    yield topic
                case ast.For(target=ast.Tuple(elts=[ast.Name(id="topic"), *_]), iter=ast.Tuple(elts=rows)):
                    for row in rows:
                        if isinstance(row, ast.Tuple) and isinstance(row.elts[0], ast.Constant):
                            yield str(row.elts[0].value)
