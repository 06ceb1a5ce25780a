"""trace.md: the fields of a decision record, each shown by a run."""

import json
import tempfile
from pathlib import Path
from typing import Any

import kplace
from reference.complete import insist
from reference.markdown import code, fenced, page, table

INTRODUCTION = """
`kplace place --trace FILE`, and `kplace.place(..., trace=FILE)`, write what was decided in every attempt, and from
what: one JSON object, compressed if the name ends in `.gz` or `.zst`. It is written while the run goes on, an
attempt a line, so that it needs no memory to speak of. The schema is that of the [golden
cases](../explanation/exactness.md), so that a record of kube-scheduler's own decisions can be compared with it
field by field.
"""

TOP = (
    ("nodeOrder", "Nodes in the order in which the search goes round: zone by zone in turn."),
    ("queueOrder", "Pods in the order in which they are tried, as `NAMESPACE/NAME`."),
    ("pods", "One record for each attempt; before them those of the pods that are not tried."),
)

FULL = {
    "pod": "`NAMESPACE/NAME`.",
    "attempt": "Number of the attempt at this pod, from 0.",
    "state": (
        "`scheduled` or `unschedulable`; `preempting` if other pods were taken away for it; `gated` "
        "(scheduling gates) and `skipped` (another scheduler's pod), without more fields."
    ),
    "prefilter": (
        "By plugin, where a PreFilter rejects the pod (`code`, `reasons`) or narrows the search (`nodes`). "
        "Each is asked by itself, also after another has rejected the pod."
    ),
    "skippedFilter": "Plugins whose filter has nothing to say about this pod.",
    "rejected": (
        "Every node that is filtered out, whatever part of them the search visits: plugin or extender, code, "
        "reasons. The plugin is empty for nodes outside what PreFilters narrowed the search to, and for those that "
        "extenders left out without a word."
    ),
    "skippedExtenders": "Calls to extenders that came to nothing and were passed over: `extender`, `verb`, `error`.",
    "sample": (
        "The search: `feasible` nodes in the order they were found, or as extenders left them; `evaluated`, the nodes "
        "visited; "
        "`numNodesToFind`, how many feasible ones were wanted; `startNodeIndex` and `nextStartNodeIndex`, "
        "positions in `nodeOrder`."
    ),
    "skippedScore": "Plugins whose score has nothing to say about this pod.",
    "scores": "By plugin and node of the sample: the raw score, and the final one (normalised times weight).",
    "total": "By node of the sample: the sum of the final scores.",
    "best": "Nodes with the highest total, in the order they were found.",
    "skippedByOne": (
        "True where one node is feasible: kube-scheduler does not score then. The scores are what they would be."
    ),
    "chosen": "The node; absent if there is none.",
    "fitError": "Why there is none, as it stands in the pod's condition.",
    "postFilter": (
        "What preemption came to: `code`, `plugin`, `nominatedNode`, `victims`, `message`, `candidates`, "
        "`candidateOrder`, `tied`."
    ),
}

COUNTS = """
`--trace-detail counts` leaves out what is said about single nodes, for large clusters: a record has `pod`,
`attempt`, `state`, `sample` (with a number for `feasible`), `best` (how many nodes share the highest total),
`bestTotal`, `chosen` and `fitError`.
"""

EXAMPLE = """
A cluster of three nodes and one pod: `gpu` has a taint, `small` is short of cpu.
"""

CLUSTER = [
    {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}] if name == "gpu" else []},
        "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"}},
    }
    for name, cpu in (("small", "1"), ("large", "8"), ("gpu", "8"))
]
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web"},
    "spec": {"containers": [{"name": "web", "resources": {"requests": {"cpu": "2", "memory": "1Gi"}}}]},
}


def make() -> str:
    """The page."""
    demo = Path(__file__).resolve().parents[2] / "data" / "demo"
    found = {key for attempt in _record(demo)["pods"] for key in attempt}
    insist(found - FULL.keys(), "trace.py")
    return page(
        "The decision record",
        INTRODUCTION,
        table(("field", "meaning"), ((code(name), meaning) for name, meaning in TOP)),
        "## A record",
        table(("field", "meaning"), ((code(name), meaning) for name, meaning in FULL.items())),
        "## Numbers only",
        COUNTS,
        "## Example",
        EXAMPLE,
        fenced(_small(), "json"),
    )


def _record(source: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "trace.json"
        kplace.place(kplace.read(source), trace=target)
        record: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return record


def _small() -> str:
    """The record of the little cluster, an entry of each kind of object a line."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "cluster.json"
        source.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [*CLUSTER, POD]}), encoding="utf-8")
        record = _record(source)
    return _laid_out(record, "")


def _laid_out(value: object, indent: str) -> str:
    """JSON in which only objects and lists of objects are broken into lines."""
    inner = indent + "  "
    flat = json.dumps(value)
    if len(flat) + len(indent) <= 100 or not isinstance(value, dict | list):
        return flat
    if isinstance(value, dict):
        lines = [f"{inner}{json.dumps(key)}: {_laid_out(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    return "[\n" + ",\n".join(f"{inner}{_laid_out(item, inner)}" for item in value) + f"\n{indent}]"
