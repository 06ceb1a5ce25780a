"""Taints and tolerations, one by one, on plain dicts as they stand in a manifest."""


def covers(toleration: dict, taint: dict) -> bool:
    effect, key = toleration.get("effect") or "", toleration.get("key") or ""
    if effect not in ("", taint["effect"]):
        return False
    if toleration.get("operator") == "Exists":
        return key in ("", taint["key"])
    return key in ("", taint["key"]) and (toleration.get("value") or "") == (taint.get("value") or "")


def is_tolerated(taint: dict, tolerations: list[dict]) -> bool:
    return any(covers(toleration, taint) for toleration in tolerations)


def forbidding(taints: list[dict], tolerations: list[dict]) -> dict | None:
    """The first taint that keeps the pod away."""
    for taint in taints:
        if taint["effect"] in ("NoSchedule", "NoExecute") and not is_tolerated(taint, tolerations):
            return taint
    return None


def disliked(taints: list[dict], tolerations: list[dict]) -> int:
    """Number of taints that the pod would rather avoid."""
    soft = [item for item in tolerations if (item.get("effect") or "") in ("", "PreferNoSchedule")]
    return sum(taint["effect"] == "PreferNoSchedule" and not is_tolerated(taint, soft) for taint in taints)


def normalized(scores: list[int]) -> list[int]:
    most = max(scores, default=0)
    return [100 - (100 * score // most if most else 0) for score in scores]


def opens_cordon(tolerations: list[dict]) -> bool:
    """Whether a pod may go onto a node that is marked as unschedulable."""
    return is_tolerated({"key": "node.kubernetes.io/unschedulable", "value": "", "effect": "NoSchedule"}, tolerations)
