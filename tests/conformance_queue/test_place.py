"""`kplace.place` by the queue comes to what the golden timelines have come to when nothing is left to do by itself."""

import copy
import json

import pytest

import kplace
from tests.conformance_queue.golden import Golden, timelines

FLUSH = 300


def first_event(case: Golden) -> float:
    """When something comes from outside, or time alone lets pods be tried again."""
    return min([event["at"] for event in case.content["events"] if event.get("at") is not None], default=FLUSH)


def is_standing(case: Golden) -> bool:
    """Whether all is at rest before anything comes from outside, in a run as `place` makes it."""
    content, end = case.content, first_event(case)
    if content.get("bindDelay") or content.get("cycleTime") or content.get("featureGates"):
        return False
    if any("during" in event for event in content["events"]) or not has_node(content):
        return False
    grace = content.get("gracePeriod", 0)
    leaving = [attempt["at"] + grace for attempt in before(content, "attempts", end) if attempt.get("victims")]
    queues = before(content, "queues", end)
    busy = [pod for name in ("active", "backoff") for pod in (queues[-1].get(name, []) if queues else [])]
    return not busy and max(leaving, default=0) < end


def has_node(content: dict) -> bool:
    return any(item["kind"] == "Node" for item in content["objects"])


def before(content: dict, key: str, end: float) -> list[dict]:
    return [item for item in content["expected"][key] if item["at"] < end]


def cluster_file(case: Golden, folder) -> str:
    """The objects at the start, with the timeline's grace written into the pods."""
    objects = copy.deepcopy(case.content["objects"])
    for item in objects:
        if item["kind"] == "Pod":
            item["spec"]["terminationGracePeriodSeconds"] = case.content.get("gracePeriod", 0)
    path = folder / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return str(path)


@pytest.mark.parametrize("engine", ["batch", "cycle"])
@pytest.mark.parametrize("case", list(filter(is_standing, timelines())), ids=lambda case: case.id)
def test_the_last_attempt_at_every_pod(case: Golden, engine: str, tmp_path):
    attempts = before(case.content, "attempts", first_event(case))
    expected = {
        attempt["pod"]: (attempt["attempt"], attempt.get("node"), attempt.get("message", "")) for attempt in attempts
    }
    config = case.content.get("config")
    placements = kplace.place(
        kplace.read(cluster_file(case, tmp_path)), tie_break="first", config=config, preemption="queue", engine=engine
    )
    tried = placements.pods[placements.pods["attempt"] >= 0]
    # Where a pod was placed and left again for another one, the run keeps no attempt's node.
    found = {
        f"{row.namespace}/{row.pod}": (row.attempt + 1, None if row.node != row.node else row.node, row.message)
        for row in tried.itertuples()
    }
    assert found == expected
    victims = {name for attempt in attempts for name in attempt.get("victims", [])}
    table = placements.preemptions
    assert set(table["victim_namespace"].astype(str) + "/" + table["victim"]) == victims
    assert table["carried_out"].all()
