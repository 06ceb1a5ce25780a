"""Swift attempts come to the same as those of the readable engine, in every row that is kept."""

import gzip
import json

import pandas as pd
import pytest
from hypothesis import given, settings

import kplace
from kplace.engine.simulate import swift
from tests.conformance_queue.golden import timelines
from tests.engine.simulate.test_properties import play, stories

FRAMES = ("placements", "events", "pods", "timeline")


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Build the fused engine at the first attempt already."""
    monkeypatch.setattr(swift, "MOST_LONG_WAYS", -(10**9))


@pytest.fixture
def finds(monkeypatch):
    """The attempts that the fused loop has made."""
    found = []
    find = swift.SwiftAttempts.find

    def watch(self, state, profile, pod, number):
        result = find(self, state, profile, pod, number)
        found.append(result is not None)
        return result

    monkeypatch.setattr(swift.SwiftAttempts, "find", watch)
    return found


def same(one, other):
    for name in FRAMES:
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name))
    assert one.end == other.end


@pytest.mark.parametrize("case", timelines()[::3], ids=lambda case: case.id)
def test_golden_timelines_with_draws(case):
    batch, cycle = (kplace.simulate(case.path, engine=engine, seed=5) for engine in ("batch", "cycle"))
    same(batch, cycle)


def busy(n_pods: int) -> pd.DataFrame:
    """More than two nodes can hold, in several shapes that count others."""
    spread = {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
    apart = {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "host"}
    specs = [
        {},
        {"topologySpreadConstraints": [spread | {"labelSelector": {"matchLabels": {"app": "b"}}}]},
        {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}},
        {"terminationGracePeriodSeconds": 3},
    ]
    return pd.DataFrame(
        {
            "pod": [f"p{i:03d}" for i in range(n_pods)],
            "cpu": [["500m", "1", "2"][i % 3] for i in range(n_pods)],
            "labels": [{"app": "abc"[i % 3]} for i in range(n_pods)],
            "spec": [{"containers": [{"name": "c"}]} | specs[i % 4] for i in range(n_pods)],
            "priority": [[0, 0, 0, 50, 9][i % 5] for i in range(n_pods)],
            "at": [i * 0.9 for i in range(n_pods)],
            "lasts": [4 + 2 * (i % 5) for i in range(n_pods)],
        }
    )


CLUSTER = kplace.Cluster.from_frames(
    pd.DataFrame(
        {
            "node": list("abcd"),
            "cpu": "3",
            "memory": "8Gi",
            "labels": [{"host": name, "zone": "xy"[i % 2]} for i, name in enumerate("abcd")],
        }
    )
)
NODE_EVENTS = pd.DataFrame({"at": [30, 45, 60], "node": ["a", "a", "b"], "action": ["drain", "uncordon", "cordon"]})
ROUGH = {"bind_delay": 0.2, "bind_jitter": 0.5, "bind_failures": 0.1, "seed": 11}


def test_preemption_failures_and_nodes_that_change(finds):
    given = {"arrivals": busy(120), "node_events": NODE_EVENTS, "recreate": True, **ROUGH}
    batch = kplace.simulate(CLUSTER, **given)
    assert sum(finds) > 50
    assert (batch.events["reason"] == "Preempted").any()
    assert (batch.placements["result"] == "bind-error").any()
    same(batch, kplace.simulate(CLUSTER, **given, engine="cycle"))


def test_a_log_that_is_full_is_begun_anew(finds, monkeypatch):
    has_room = swift._Single.has_room.fget
    monkeypatch.setattr(
        swift._Single, "has_room", property(lambda self: has_room(self) and self._run.log.clock[0] % 7 != 6)
    )
    given = {"arrivals": busy(60), "seed": 3}
    same(kplace.simulate(CLUSTER, **given), kplace.simulate(CLUSTER, **given, engine="cycle"))
    assert any(finds)


def test_engines_that_are_stale_are_built_after_a_while(finds, monkeypatch):
    monkeypatch.setattr(swift, "MOST_LONG_WAYS", 5)
    given = {"arrivals": busy(60), "seed": 3}
    batch = kplace.simulate(CLUSTER, **given)
    assert not any(finds[:5])
    assert any(finds)
    same(batch, kplace.simulate(CLUSTER, **given, engine="cycle"))


@settings(deadline=None, max_examples=40)
@given(stories())
def test_whatever_happens(story):
    start, later, behaviour = story
    assert play((start, later, behaviour | {"is_swift": True})) == play(story)


def test_a_run_that_goes_on_finds_the_same(tmp_path):
    checkpoint = tmp_path / "run.checkpoint"
    given = {"arrivals": busy(100), "step": 3, **ROUGH}
    whole = kplace.simulate(CLUSTER, **given, checkpoint=checkpoint, log=tmp_path / "log.json.gz")
    assert json.loads(gzip.decompress((tmp_path / "log.json.gz").read_bytes()))["end"] == whole.end
    same(whole, kplace.simulate(CLUSTER, **given, resume=checkpoint))
