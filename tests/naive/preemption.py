"""Preemption node by node and pod by pod, on plain dicts.

A cluster is a dict of ``nodes`` (each with ``name``, ``cpu``, ``slots``, ``zone`` and its ``pods`` in NodeInfo order),
``budgets`` (``app``, ``allowed``, ``disrupted``) and ``nominated`` pods (each with its ``node``). A pod is a dict of
``name``, ``priority``, ``started``, ``cpu``, ``app``, ``port``, ``terminating`` and ``hates``: the app that its
required anti-affinity by zone names. The pod that finds no room may have ``skew`` too: the maxSkew of its own app.
"""

NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"
NO_PORT = "node(s) didn't have free ports for the requested pod ports"
NO_SLOT, NO_CPU = "Too many pods", "Insufficient cpu"
NO_ZONE = "node(s) didn't match pod topology spread constraints (missing required label)"
SKEWED = "node(s) didn't match pod topology spread constraints"
OWN, THEIRS = (
    "node(s) didn't match pod anti-affinity rules",
    "node(s) didn't satisfy existing pods anti-affinity rules",
)


class View:
    """The cluster as filters see it during one attempt: pods come and go, what PreFilter found stays."""

    def __init__(self, pod, cluster):
        self.pod, self.cluster = pod, cluster
        self.on = {node["name"]: list(node["pods"]) for node in cluster["nodes"]}
        self.counts = {}
        for node in cluster["nodes"]:
            if node["zone"]:
                self.counts.setdefault(node["zone"], 0)
                self.counts[node["zone"]] += sum(self.is_counted(p) and not p["terminating"] for p in node["pods"])
        hated = any(p["hates"] == pod["app"] for node in cluster["nodes"] if node["zone"] for p in node["pods"])
        self.asks_affinity = bool(pod["hates"]) or hated

    def is_counted(self, other):
        return "skew" in self.pod and other["app"] == self.pod["app"]

    def add(self, other, node):
        self.on[node["name"]].append(other)
        self.shift(other, node, 1)

    def remove(self, other, node):
        self.on[node["name"]].remove(other)
        self.shift(other, node, -1)

    def shift(self, other, node, sign):
        # Terminating pods are subtracted although they were never counted.
        if self.is_counted(other) and node["zone"]:
            self.counts[node["zone"]] += sign

    def failure(self, node):
        """Why the pod does not fit: reasons and whether no departure can help; None if it fits."""
        ahead = [
            other
            for other in self.cluster["nominated"]
            if other["node"] == node["name"] and other["priority"] >= self.pod["priority"]
        ]
        for other in ahead:
            self.add(other, node)
        found = self.plain_failure(node)
        for other in ahead:
            self.remove(other, node)
        return found or self.plain_failure(node)

    def plain_failure(self, node):
        pod, pods = self.pod, self.on[node["name"]]
        if pod["port"] and any(p["port"] for p in pods):
            return [NO_PORT], False
        short = [NO_SLOT] if len(pods) + 1 > node["slots"] else []
        if pod["cpu"] > node["cpu"] - sum(p["cpu"] for p in pods):
            short.append(NO_CPU)
        if short:
            return short, pod["cpu"] > node["cpu"]
        if "skew" in pod:
            if not node["zone"]:
                return [NO_ZONE], True
            if self.counts[node["zone"]] + 1 - min(self.counts.values()) > pod["skew"]:
                return [SKEWED], False
        if self.asks_affinity and node["zone"]:
            near = [
                p for other in self.cluster["nodes"] if other["zone"] == node["zone"] for p in self.on[other["name"]]
            ]
            if pod["hates"] and any(p["app"] == pod["hates"] for p in near):
                return [OWN], False
            if any(p["hates"] == pod["app"] for p in near):
                return [THEIRS], False
        return None


def by_importance(pods):
    """Priority, then age; those that have not started are the youngest and come in reverse."""
    numbered = list(enumerate(pods))
    numbered.sort(
        key=lambda item: (
            -item[1]["priority"],
            item[1]["started"] is None,
            item[1]["started"] or 0,
            -item[0] if item[1]["started"] is None else item[0],
        )
    )
    return [pod for _, pod in numbered]


def breaking(pods, budgets):
    """Names of the pods that use more than a budget has left."""
    left = [budget["allowed"] for budget in budgets]
    found = set()
    for pod in pods:
        for i, budget in enumerate(budgets):
            if budget["app"] == pod["app"] and pod["name"] not in budget["disrupted"]:
                left[i] -= 1
                if left[i] < 0:
                    found.add(pod["name"])
    return found


def victims_on(pod, cluster, node):
    """Victims and how many break a budget, or the reasons why there are none to speak of."""
    view = View(pod, cluster)
    lower = [p for p in node["pods"] if p["priority"] < pod["priority"]]
    if not lower:
        return [NO_VICTIMS], None
    for other in lower:
        view.remove(other, node)
    failure = view.failure(node)
    if failure:
        return failure[0], None
    ranked = by_importance(lower)
    bad = breaking(ranked, cluster["budgets"])
    groups = [[p for p in ranked if p["name"] in bad], [p for p in ranked if p["name"] not in bad]]
    victims = []
    for other in groups[0] + groups[1]:
        view.add(other, node)
        if view.failure(node):
            view.remove(other, node)
            victims.append(other)
    if all(groups):
        victims = by_importance(victims)
    return [], (victims, sum(p["name"] in bad for p in victims))


def preempt(pod, cluster, wanted):
    """Outcome for a pod that fits on no node, as a dict.

    Parameters
    ----------
    wanted : callable
        Number of candidates that is enough, from the number of nodes where it may help.
    """
    view = View(pod, cluster)
    failures = {node["name"]: view.failure(node) for node in cluster["nodes"]}
    assert all(failures.values()), "the pod fits"
    potential = [node for node in cluster["nodes"] if not failures[node["name"]][1]]
    enough = wanted(len(potential))
    sound, broken, counts = [], [], {}
    for node in potential:
        reasons, found = victims_on(pod, cluster, node)
        if found and found[0]:
            (broken if found[1] else sound).append((node["name"], *found))
            if sound and min(len(sound), enough) + min(len(broken), enough) >= enough > 0:
                break
        for reason in reasons:
            counts[reason] = counts.get(reason, 0) + 1
        counts["looked"] = counts.get("looked", 0) + bool(reasons)
    candidates = sound[:enough] + broken[:enough]
    if not candidates:
        others = len(cluster["nodes"]) - counts.pop("looked", 0)
        counts |= {NOT_HELPFUL: others} if others else {}
        parts = ", ".join(sorted(f"{number} {reason}" for reason, number in counts.items()))
        return {"message": f"preemption: 0/{len(cluster['nodes'])} nodes are available: {parts}."}
    best = choose(candidates)
    return {
        "candidates": [(name, [p["name"] for p in victims], number) for name, victims, number in candidates],
        "tied": [name for name, _, _ in best],
        "chosen": best[0][0],
    }


def choose(candidates):
    """Narrow the candidates criterion by criterion."""

    def earliest(victims):
        top = max(p["priority"] for p in victims)
        times = [p["started"] for p in victims if p["priority"] == top]
        return min((float("inf") if time is None else time) for time in times)

    for cost in (
        lambda item: item[2],
        lambda item: item[1][0]["priority"],
        lambda item: sum(p["priority"] + 2**31 for p in item[1]),
        lambda item: len(item[1]),
        lambda item: -earliest(item[1]),
    ):
        least = min(map(cost, candidates))
        candidates = [item for item in candidates if cost(item) == least]
    return candidates
