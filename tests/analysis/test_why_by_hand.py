"""What is told to let a pod in is done by hand to the manifests: placed again, the pod goes where it was said to go."""

import json
import re

import pytest

import kplace
from kplace.analysis.why import why
from kplace.testing.clusters import cluster_of

UNITS = {"cpu": "m", "memory": "Mi", "ephemeral-storage": "Mi"}


def spec_of(docs, key):
    return find(docs, "Pod", key)["spec"]


def find(docs, kind, key):
    space, _, name = key.rpartition("/")
    return next(
        item
        for item in docs
        if item["kind"] == kind
        and item["metadata"]["name"] == name
        and (not space or item["metadata"].get("namespace", "default") == space)
    )


def lower(docs, pod, amount, resource):
    """One container alone requests it: several are left to the first."""
    containers = spec_of(docs, pod)["containers"]
    for item in containers:
        item.setdefault("resources", {}).setdefault("requests", {}).pop(resource, None)
        item["resources"].pop("limits", None)
    containers[0]["resources"]["requests"][resource] = amount.replace(",", "")


def tolerate(docs, pod, key, value, effect):
    spec_of(docs, pod).setdefault("tolerations", []).append({"key": key, "value": value or "", "effect": effect})


def without_selector(docs, pod, key):
    del spec_of(docs, pod)["nodeSelector"][key]


def without_node_affinity(docs, pod):
    del spec_of(docs, pod)["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]


def without_term(docs, pod, kind, key):
    side = spec_of(docs, pod)["affinity"]["podAntiAffinity" if "anti" in kind else "podAffinity"]
    terms = side["requiredDuringSchedulingIgnoredDuringExecution"]
    terms.remove(next(term for term in terms if term["topologyKey"] == key))


def skew(docs, pod, number, key):
    for item in spec_of(docs, pod)["topologySpreadConstraints"]:
        if item["topologyKey"] == key:
            item["maxSkew"] = int(number)


def wish(docs, pod, key):
    for item in spec_of(docs, pod)["topologySpreadConstraints"]:
        if item["topologyKey"] == key:
            item["whenUnsatisfiable"] = "ScheduleAnyway"


def port(docs, pod, number, was):
    for container in spec_of(docs, pod)["containers"]:
        for item in container.get("ports", []):
            if item.get("hostPort") == int(was):
                item["hostPort"] = int(number)


def priority(docs, pod, number):
    spec = spec_of(docs, pod)
    spec.pop("priorityClassName", None)
    spec.pop("preemptionPolicy", None)
    spec["priority"] = int(number.replace(",", ""))


def policy(docs, pod):
    spec_of(docs, pod)["preemptionPolicy"] = "PreemptLowerPriority"


def uncordon(docs, _pod, node):
    spec = find(docs, "Node", node)["spec"]
    spec["unschedulable"] = False
    spec["taints"] = [item for item in spec.get("taints", []) if item["key"] != "node.kubernetes.io/unschedulable"]


def label(docs, _pod, node, key, value):
    find(docs, "Node", node)["metadata"].setdefault("labels", {})[key] = value


def evict(docs, _pod, victim):
    docs.remove(find(docs, "Pod", victim))


def add(docs, _pod, node):
    more = json.loads(json.dumps(find(docs, "Node", node)))
    more["metadata"]["name"] = f"{node}-more"
    if "kubernetes.io/hostname" in more["metadata"].get("labels", {}):
        more["metadata"]["labels"]["kubernetes.io/hostname"] = f"{node}-more"
    more["status"].pop("images", None)
    docs.append(more)


BY_HAND = (
    (r"request (\S+) of (\S+) instead of .*", lower),
    (r"tolerate the taint ([^=:]+)(?:=([^:]*))?:(\w+)", tolerate),
    (r"leave ([^=]+)=\S* out of the node selector", without_selector),
    (r"leave the required node affinity out", without_node_affinity),
    (r"leave the required (pod.*affinity) by (\S+) out", without_term),
    (r"allow a skew of (\d+) over (\S+) instead of \d+", skew),
    (r"let the spread over (\S+) be a wish \(ScheduleAnyway\)", wish),
    (r"host port (\d+) instead of (\d+)/\w+", port),
    (r"a priority of ([\d,]+): .*", priority),
    (r"the priority class \S+ \(([\d,]+)\): .*", priority),
    (r"let it push others out \(preemptionPolicy\): .*", policy),
    (r"uncordon the node (\S+)", uncordon),
    (r"label the node (\S+) with ([^=]+)=(\S*)", label),
    (r"evict (\S+) from the node \S+", evict),
    (r"add a node like (\S+)", add),
)


def apply(docs, pod, text):
    for pattern, change in BY_HAND:
        found = re.fullmatch(pattern, text)
        if found:
            change(docs, pod, *found.groups())
            return
    pytest.fail(f"nobody has said how to do this by hand: {text}")


def left_over(cluster, path):
    """The cluster after a run as manifests, and the pods that wait in it and are tried."""
    run = kplace.place(cluster, tie_break="first", preemption="off")
    run.cluster.to_manifests(path)
    docs = json.loads(path.read_text())["items"]
    waiting = run.pods[run.pods["status"] == "unschedulable"]
    return docs, (waiting["namespace"].astype("str") + "/" + waiting["pod"]).tolist()


def alone(docs, pod):
    """The same, without the other pods that wait."""
    kept = json.loads(json.dumps(docs))
    mine = find(kept, "Pod", pod)
    return [item for item in kept if item["kind"] != "Pod" or item is mine or "nodeName" in item["spec"]]


def check_all(docs, pods):
    """Do everything by hand that is told; gives the kinds of what was done."""
    kinds = set()
    for pod in pods:
        found = why(cluster_of(*alone(docs, pod)), pod, tie_break="first", each=1)
        for row in found.changes.to_dict("records"):
            changed = alone(docs, pod)
            apply(changed, pod, row["change"])
            force = "immediate" if row["kind"] == "priority" else "off"
            run = kplace.place(
                cluster_of(*changed), tie_break="first", preemption=force, percentage_of_nodes_to_score=100
            )
            mine = run.pods[(run.pods["namespace"].astype("str") + "/" + run.pods["pod"]) == pod].iloc[0]
            assert (mine["status"], mine["node"]) == ("scheduled", row["node"]), (pod, row["change"])
            kinds.add(row["kind"])
    return kinds


def test_the_demo_cluster(tmp_path):
    docs, pods = left_over(kplace.read("data/demo"), tmp_path / "after.json")
    chosen = ("data/cache-warmer", "batch/big-sort-00000", "shop/sequencer-qtsqzlvrfr-00003")
    assert set(chosen) <= set(pods)
    assert check_all(docs, chosen) >= {
        "request",
        "node selector",
        "pod affinity",
        "priority",
        "label",
        "eviction",
        "node",
    }


CROWDED = {
    "zones": ["a", "b"],
    "pools": [
        {"name": "general", "count": 3, "shape": "m5.large"},
        {"name": "tainted", "count": 2, "shape": "m5.xlarge", "taints": ["dedicated=batch:NoSchedule"]},
    ],
    "workloads": [
        {
            "name": "web",
            "apps": 1,
            "replicas": 4,
            "requests": {"cpu": "500m", "memory": "1Gi"},
            "anti_affinity": [{"key": "host", "hard": True}],
        },
        {
            "name": "cache",
            "apps": 1,
            "replicas": 5,
            "priority": 50,
            "requests": {"cpu": "600m", "memory": "1Gi"},
            "spread": [{"key": "zone", "hard": True}],
        },
        {"name": "big", "apps": 1, "replicas": 2, "requests": {"cpu": "1500m", "memory": "2Gi"}},
    ],
}


def test_a_crowded_cluster(tmp_path):
    docs, pods = left_over(kplace.synth(CROWDED), tmp_path / "after.json")
    assert check_all(docs, pods) == {"toleration", "request", "priority", "eviction", "node"}
