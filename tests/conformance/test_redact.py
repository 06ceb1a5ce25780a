"""Every golden case redacted: placements, scores and samples are those of kube-scheduler on the case itself."""

import json

import kplace
from kplace.api.cluster import Case
from kplace.io.redact import Redactor
from tests.conformance.golden import Golden

TEXTS = {"fitError", "message", "reasons"}


def test_redacted_cases_are_decided_alike(case: Golden, tmp_path):
    cluster = kplace.read(case.path)
    redactor = Redactor(cluster.columns, b"a key", cluster.case.config)
    hidden = kplace.Cluster(redactor.columns(), Case(redactor.config(), cluster.case.preempt))
    trace = tmp_path / "trace.json"
    detail = "counts" if case.family == "large" else "full"
    kplace.place(hidden, tie_break="first", trace=trace, trace_detail=detail)
    names = _names(case, redactor.hasher.name)
    assert _without_texts(json.loads(trace.read_text())) == _without_texts(_renamed(case.content["expected"], names))


def _names(case, name):
    """What nodes and pods are called after redaction, by what they are called in records."""
    names = {}
    for item in case.content["objects"]:
        meta = item["metadata"]
        if item["kind"] == "Node":
            names[meta["name"]] = name(meta["name"])
        elif item["kind"] == "Pod":
            namespace = meta.get("namespace", "default")
            names[f"{namespace}/{meta['name']}"] = f"{name(namespace)}/{name(meta['name'])}"
    # Nodes may be asked for by name that are not there.
    for attempt in case.content["expected"]["pods"]:
        for verdict in attempt.get("prefilter", {}).values():
            names |= {node: name(node) for node in verdict.get("nodes", ())}
    assert not [old for old, new in names.items() if old == new]
    return names


def _renamed(value, names):
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    return names.get(value, value) if isinstance(value, str) else value


def _without_texts(value):
    """A record without upstream's words, which may hold names."""
    if isinstance(value, list):
        return [_without_texts(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: _without_texts(item) for key, item in value.items() if key not in TEXTS}
    if "rejected" in kept:
        kept["rejected"] = {node: verdict[:2] for node, verdict in kept["rejected"].items()}
    return kept
