"""`kplace.simulate`: tables of arrivals, replays, node events, outcomes, checkpoints."""

import json

import numpy as np
import pandas as pd
import pytest

import kplace
from kplace.errors import InputError, UsageError
from kplace.testing import make_node, make_pod
from kplace.testing.clusters import cluster_of

NODES = pd.DataFrame({"node": ["a", "b"], "cpu": ["2", "2"], "memory": ["8Gi", "8Gi"]})
CLUSTER = kplace.Cluster.from_frames(NODES)


def jobs(**columns):
    n = max(len(values) for values in columns.values())
    return pd.DataFrame({"pod": [f"j{i}" for i in range(n)], "cpu": ["2"] * n, **columns})


def test_pods_arrive_run_and_leave():
    history = kplace.simulate(CLUSTER, arrivals=jobs(at=[0, 0, 1], lasts=[10, 20, 5]), tie_break="first")
    pods = history.pods.set_index("pod")
    # Both nodes are taken until 10; j2 waits for j0.
    assert pods["bound"].to_dict() == {"j0": 0, "j1": 0, "j2": 10}
    assert pods["queueing"].to_dict() == {"j0": 0, "j1": 0, "j2": 9}
    assert pods["latency"].to_dict() == {"j0": 0, "j1": 0, "j2": 9}
    assert history.end == {}
    assert history.run.until >= 20


def test_leaving_at_a_time_ends_pods_that_wait_too():
    history = kplace.simulate(CLUSTER, arrivals=jobs(at=[0, 0, 1], leaves=[30, 30, 4]), until=40)
    assert history.pods.set_index("pod")["bound"].isna().to_dict() == {"j0": False, "j1": False, "j2": True}
    assert history.end == {}


def test_times_of_creation_are_counted_from_the_first():
    created = ["2026-01-01T10:00:05Z", "2026-01-01T10:00:00.5Z", "2026-01-01T10:01:00Z"]
    history = kplace.simulate(CLUSTER, arrivals=jobs(created=created), until=100)
    assert history.pods["entered"].tolist() == [0.5, 5, 60]


def test_the_record_of_an_attempt_and_its_events():
    history = kplace.simulate(CLUSTER, arrivals=jobs(at=[0, 0, 1], lasts=[10, 20, 5]), tie_break="first")
    attempt = history.placements.iloc[2]
    assert (attempt["at"], attempt["pod"], attempt["result"], attempt["plugins"]) == (
        1,
        "j2",
        "unschedulable",
        "NodeResourcesFit",
    )
    assert pd.isna(attempt["node"])
    events = history.events
    assert events["reason"].value_counts().to_dict() == {"Scheduled": 3, "FailedScheduling": 1}
    assert events.iloc[0]["message"] == "Successfully assigned default/j0 to a"


def test_the_timeline_is_sampled_at_its_steps():
    history = kplace.simulate(CLUSTER, arrivals=jobs(at=[0, 0, 1], lasts=[10, 20, 5]), until=25, step=5)
    timeline = history.timeline
    assert timeline["at"].tolist() == [0, 5, 10, 15, 20, 25]
    assert timeline["bound"].tolist() == [2, 2, 2, 1, 0, 0]
    assert timeline["unschedulable"].tolist() == [0, 1, 0, 0, 0, 0]
    assert timeline["rejected_by_NodeResourcesFit"].tolist() == [0, 1, 0, 0, 0, 0]
    assert timeline["utilisation_cpu_milli"].tolist() == [1, 1, 1, 0.5, 0, 0]


def test_a_dump_is_replayed_by_its_timestamps():
    cluster = cluster_of(
        make_node("n1").capacity(cpu="1"),
        make_pod("late").req(cpu="1").created("2026-01-01T00:00:10Z").on("n1"),
        make_pod("early").req(cpu="1").created("2026-01-01T00:00:00Z"),
    )
    pods = kplace.simulate(cluster, replay=True, until=20).pods
    assert pods[["pod", "entered"]].to_dict("list") == {"pod": ["early", "late"], "entered": [0, 10]}
    assert pods["node"].isna().tolist() == [False, True]


def test_without_replay_running_pods_are_there_from_the_start():
    cluster = cluster_of(
        make_node("n1").capacity(cpu="1"), make_pod("x").req(cpu="1").on("n1"), make_pod("y").req(cpu="1")
    )
    history = kplace.simulate(cluster, until=5)
    assert history.end["default/x"] == {"node": "n1", "attempts": 0}
    assert history.end["default/y"]["queue"] == "unschedulable"


def test_what_happens_to_nodes():
    events = pd.DataFrame(
        {"at": [5, 10, 20, 30], "node": ["a", "b", "a", "b"], "action": ["drain", "fail", "uncordon", "uncordon"]}
    )
    cluster = kplace.Cluster.from_frames(
        NODES, pd.DataFrame({"pod": ["x", "y"], "cpu": ["1", "1"], "owner_kind": "ReplicaSet", "owner": "web"})
    )
    history = kplace.simulate(cluster, node_events=events, recreate=True, grace=0, tie_break="first", until=40)
    # x is on a, y on b. At 5 x moves to b, at 10 b fails and nothing is left, at 20 a is back.
    assert history.placements.query("result == 'scheduled'")["at"].tolist() == [0, 0, 5, 20, 20]
    assert set(history.end) == {"default/x", "default/y"}


def test_json_lines_of_changes(tmp_path):
    lines = tmp_path / "changes.jsonl"
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "c"},
        "status": {"allocatable": {"cpu": "9", "pods": "9"}},
    }
    lines.write_text(json.dumps({"at": 3, "type": "add", "object": node}) + "\n\n")
    history = kplace.simulate(
        CLUSTER, arrivals=pd.DataFrame({"pod": ["p"], "cpu": ["8"], "at": [0]}), events=lines, until=9
    )
    assert history.pods.iloc[0]["node"] == "c"


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "jsonl"])
def test_tables_come_from_files(tmp_path, ending):
    path, table = tmp_path / f"jobs.{ending}", jobs(at=[0, 1], lasts=[2, 2])
    if ending == "parquet":
        table.to_parquet(path)
    elif ending == "jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        table.to_csv(path, index=False)
    assert kplace.simulate(CLUSTER, arrivals=path).pods["bound"].tolist() == [0, 1]


def test_the_openb_lists_are_understood(tmp_path):
    from kplace.frames.openb import openb_nodes

    nodes = pd.DataFrame({"sn": ["n1"], "cpu_milli": [4000], "memory_mib": [1024], "gpu": [1], "model": ["T4"]})
    pods = pd.DataFrame(
        {
            "name": ["half", "other", "wrong"],
            "cpu_milli": [100] * 3,
            "memory_mib": [10] * 3,
            "num_gpu": [1] * 3,
            "gpu_milli": [600, 600, 100],
            "gpu_spec": [None, "T4|P100", "P100"],
            "qos": "LS",
            "pod_phase": "Running",
            "creation_time": [0, 5, 6],
            "deletion_time": [20, 30, 40],
            "scheduled_time": [0, 5, 6],
        }
    )
    history = kplace.simulate(kplace.Cluster.from_frames(openb_nodes(nodes)), arrivals=pods)
    bound = history.pods.set_index("pod")["bound"]
    # Two shares of 600 do not fit one card of 1000; no node has a P100.
    assert bound["half"] == 0
    assert bound["other"] == 20
    assert np.isnan(bound["wrong"])
    assert not [item for item in history.notes if item.topic == "unknown-columns"]


N_MANY = 60
MANY = pd.DataFrame(
    {
        "pod": [f"p{i:03d}" for i in range(N_MANY)],
        "cpu": [["500m", "1", "2"][i % 3] for i in range(N_MANY)],
        "at": [i * 1.7 for i in range(N_MANY)],
        "lasts": [4 + 2 * (i % 5) for i in range(N_MANY)],
        "priority": [[0, 0, 0, 50][i % 4] for i in range(N_MANY)],
    }
)
ROUGH = {"bind_delay": 0.2, "bind_jitter": 0.5, "bind_failures": 0.1, "grace": 5, "seed": 11}


def frames_of(history):
    return [history.placements, history.events, history.pods, history.timeline]


def test_the_same_seed_gives_the_same_history():
    first, again = (kplace.simulate(CLUSTER, arrivals=MANY, **ROUGH) for _ in range(2))
    for one, other in zip(frames_of(first), frames_of(again), strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert first.end == again.end
    assert (first.placements["result"] == "bind-error").any()
    other_seed = kplace.simulate(CLUSTER, arrivals=MANY, **(ROUGH | {"seed": 12}))
    assert not other_seed.placements.equals(first.placements)


@pytest.mark.parametrize("extra", [{}, {"cycle_time": 0.3}])
def test_a_run_that_was_cut_off_goes_on_to_the_same_end(tmp_path, extra):
    given = {"arrivals": MANY, "step": 4, **ROUGH, **extra}
    whole = kplace.simulate(CLUSTER, **given, log=tmp_path / "whole.json")
    checkpoint = tmp_path / "run.checkpoint"

    class CutOff(Exception):
        pass

    def stop(done, _total):
        if done > 60:
            raise CutOff

    with pytest.raises(CutOff):
        kplace.simulate(CLUSTER, **given, log=tmp_path / "cut.json", checkpoint=checkpoint, progress=stop)
    assert not (tmp_path / "cut.json").exists()
    rest = kplace.simulate(CLUSTER, **given, log=tmp_path / "rest.json", resume=checkpoint)
    for one, other in zip(frames_of(whole), frames_of(rest), strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert whole.end == rest.end
    assert (tmp_path / "whole.json").read_bytes() == (tmp_path / "rest.json").read_bytes()


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    checkpoint = tmp_path / "run.checkpoint"
    kplace.simulate(CLUSTER, arrivals=MANY, step=4, checkpoint=checkpoint)
    with pytest.raises(UsageError, match="differs in seed"):
        kplace.simulate(CLUSTER, arrivals=MANY, step=4, seed=1, resume=checkpoint)
    with pytest.raises(UsageError, match="differs in scenario"):
        kplace.simulate(CLUSTER, arrivals=MANY.iloc[:-1], step=4, resume=checkpoint)


def test_a_damaged_checkpoint_is_refused(tmp_path):
    checkpoint = tmp_path / "run.checkpoint"
    kplace.simulate(CLUSTER, arrivals=MANY, step=4, checkpoint=checkpoint)
    data = bytearray(checkpoint.read_bytes())
    data[-1] ^= 1
    checkpoint.write_bytes(data)
    with pytest.raises(UsageError, match="damaged"):
        kplace.simulate(CLUSTER, arrivals=MANY, step=4, resume=checkpoint)
    checkpoint.write_bytes(b"nothing of the kind")
    with pytest.raises(UsageError, match="no checkpoint"):
        kplace.simulate(CLUSTER, arrivals=MANY, step=4, resume=checkpoint)


def test_tables_are_written_as_parquet(tmp_path):
    history = kplace.simulate(CLUSTER, arrivals=jobs(at=[0], lasts=[1]))
    history.to_parquet(tmp_path / "out")
    for name in ("placements", "events", "pods", "timeline"):
        assert len(pd.read_parquet(tmp_path / "out" / f"{name}.parquet")) == len(getattr(history, name))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"until": -1}, "until: expected seconds"),
        ({"bind_failures": 2}, "bind_failures: expected a share"),
        ({"step": 0}, "step: expected seconds"),
        ({"tie_break": "last"}, "tie_break: expected"),
        ({"feature_gates": {"NodeLogQuery": True}}, "NodeLogQuery cannot be simulated"),
        ({"feature_gates": {"SchedulerQueueingHints": False}}, "cannot be turned off"),
    ],
)
def test_arguments_are_checked(arguments, message):
    with pytest.raises(UsageError, match=message):
        kplace.simulate(CLUSTER, arrivals=jobs(at=[0]), **arguments)


def test_all_faults_of_the_tables_are_told_at_once():
    events = pd.DataFrame({"at": [1], "node": ["a"], "action": ["explode"]})
    with pytest.raises(InputError) as caught:
        kplace.simulate(CLUSTER, arrivals=jobs(at=[-1, None], lasts=["long", 1]), node_events=events)
    text = str(caught.value)
    for part in ("row 0: at: expected seconds", "row 1: at: is missing", "lasts: expected seconds", "action: expected"):
        assert part in text


def test_a_table_without_times_is_refused():
    with pytest.raises(InputError, match="no column that says when"):
        kplace.simulate(CLUSTER, arrivals=pd.DataFrame({"pod": ["p"], "cpu": ["1"]}))
