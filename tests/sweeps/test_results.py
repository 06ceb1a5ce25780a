"""Results on disk and in memory: what runs come to, what fails, what is taken up again."""

import fcntl

import pandas as pd
import pyarrow.parquet as pq
import pytest

import kplace
from kplace.analysis.measures import MEASURES
from kplace.errors import UsageError
from kplace.sweeps import read_sweep, sweep
from kplace.sweeps.executing import GOAL, MOST_AT_ONCE, Portions
from kplace.sweeps.runs import Batch, Outcome
from kplace.sweeps.schema import METRICS


def small(**fields: object) -> dict:
    return {"name": "s", "inputs": {"small": {"synth": "small"}}, "axes": {"seed": [0, 1]}, **fields}


def test_runs_come_to_what_place_comes_to():
    study = small(
        axes={
            "seed": [3],
            "kube_version": ["1.30", "1.34"],
            "percentage_of_nodes_to_score": [100],
            "tie_break": ["first"],
            "settings": {"args.NodeResourcesFit.scoringStrategy.type": ["MostAllocated"], "weight.ImageLocality": [0]},
        },
        frames=["pods"],
    )
    results = sweep(study, workers=0)
    strategy = {"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "MostAllocated"}}}
    config = {
        "profiles": [{"pluginConfig": [strategy], "plugins": {"score": {"disabled": [{"name": "ImageLocality"}]}}}]
    }
    assert len(results.runs) == 2
    for row in results.runs.itertuples():
        placed = kplace.place(
            kplace.synth("small"),
            seed=3,
            tie_break="first",
            config=config,
            percentage_of_nodes_to_score=100,
            kube_version=row.kube_version,
        )
        assert row.result_hash == placed.result_hash
        pods = results.frame("pods")
        nodes = pods.loc[pods["run"] == row.run, "node"]
        assert nodes.tolist() == placed.pods["node"].astype("str").tolist()


def test_every_measure_can_be_taken():
    study = small(metrics=[measure.name for measure in MEASURES if measure.name != "gpu_fragmentation"])
    results = sweep(study, workers=0)
    assert not len(results.failed)
    names = {name.partition(":")[0] for name in results.metric_names}
    assert names == set(study["metrics"])
    gpus = small(inputs={"g": {"synth": "ml-gpu", "nodes": 8, "pods": 30}}, metrics=["gpu_fragmentation"])
    assert sweep(gpus, workers=0).runs["gpu_fragmentation"].between(0, 1).all()


def test_a_run_that_raises_is_recorded_and_the_others_go_on(tmp_path):
    study = small(what_if={"odd": {"cordon": ["no-such-node"]}})
    results = sweep(study, workers=0, out=tmp_path)
    assert results.failed["what_if"].tolist() == ["odd", "odd"]
    error = results.failed["error"][0]
    assert error.startswith("UsageError: what_if: no node is meant by 'no-such-node' [changes.py:")
    assert results.runs.set_index("what_if").loc["none", "scheduled"].tolist() == [23, 23]
    assert results.runs["error"].notna().sum() == 2
    assert sweep(study, workers=0).study_hash == results.study_hash


def test_what_is_there_is_not_done_again(tmp_path):
    seen = []
    first = sweep(small(), workers=0, out=tmp_path)
    more = small(axes={"seed": [0, 1, 2]})
    results = sweep(more, workers=0, out=tmp_path, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(2, 3), (3, 3)]
    assert set(first.runs["run"]) < set(results.runs["run"])
    assert results.study_hash == sweep(more, workers=0).study_hash
    again = sweep(more, workers=0, out=tmp_path, progress=lambda done, total: seen.append((done, total)))
    assert seen[2:] == [(3, 3)]
    assert again.study_hash == results.study_hash
    # Seconds differ from one time to the next: rows that are the same were not made again.
    assert again.metrics.equals(results.metrics)
    anew = sweep(small(), workers=0, out=tmp_path, anew=True)
    assert len(anew.runs) == 2


def test_results_of_something_else_are_not_added_to(tmp_path):
    sweep(small(), workers=0, out=tmp_path)
    for fields, changed in (
        ({"inputs": {"small": {"synth": "small", "nodes": 5}}}, "inputs small"),
        ({"metrics": ["pending"]}, "metrics, frames, plugins, extenders or load"),
    ):
        with pytest.raises(UsageError, match=f"were made of something else: {changed} changed"):
            sweep(small(**fields), workers=0, out=tmp_path)
    with pytest.raises(UsageError, match="holds no metrics of a study t"):
        read_sweep(tmp_path, "t")
    sweep(small(name="t"), workers=0, out=tmp_path)
    with pytest.raises(UsageError, match="holds the studies s, t: name one"):
        read_sweep(tmp_path)


def test_what_a_killed_command_left_is_neither_read_nor_kept(tmp_path):
    expected = sweep(small(frames=["pods"]), workers=0, out=tmp_path)
    folder = tmp_path / "pods" / "study=s"
    (part,) = folder.glob("part-*")
    left = folder / "part-000007.parquet"
    left.write_bytes(part.read_bytes())
    (folder / ".part-000008.parquet.abcd.tmp").touch()
    assert len(read_sweep(tmp_path).frame("pods")) == len(expected.frame("pods"))
    sweep(small(frames=["pods"]), workers=0, out=tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == [part.name]


def test_two_commands_do_not_work_on_one_study(tmp_path):
    sweep(small(), workers=0, out=tmp_path)
    with (tmp_path / "studies" / "s.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="another command is at work on the study s"):
            sweep(small(), workers=0, out=tmp_path)


def test_the_dataset_is_read_as_it_is(tmp_path):
    results = sweep(small(), workers=0, out=tmp_path)
    frame = pd.read_parquet(tmp_path / "metrics")
    assert [name for name in frame.columns if name != "study"] == [column.name for column in METRICS.columns]
    assert frame["study"].unique().tolist() == ["s"]
    assert len(frame) == len(results.metrics)
    for column in METRICS.columns:
        assert str(results.metrics[column.name].dtype) == column.dtype, column.name
    (path,) = (tmp_path / "metrics" / "study=s").glob("*.parquet")
    assert pq.read_schema(path).metadata[b"kplace_sweep_schema"] == b"1"


def test_portions_aim_at_a_time_and_share_the_end():
    portions = Portions(iter([("r", None)] * 10_000), 10_000, workers=4)
    assert len(portions.next()) == 1
    done = [Outcome("r", None, {}, "", 0.0)]
    portions.learn(Batch(done, {}, 20.0))
    assert len(portions.next()) == 1
    portions.learn(Batch(done, {}, 0.01))
    assert len(portions.next()) == int(GOAL / 0.01)
    for _ in range(100):
        portions.learn(Batch(done, {}, 0.0))
    sizes = []
    while portion := portions.next():
        sizes.append(len(portion))
    assert max(sizes) == MOST_AT_ONCE
    assert sizes[-16:] == [1] * 16
    assert sum(sizes) == 10_000 - 52


def test_arguments_that_do_not_go_together():
    with pytest.raises(UsageError, match="workers of a scheduler"):
        sweep(small(), workers=2, scheduler="tcp://127.0.0.1:1")
    with pytest.raises(UsageError, match="expected a whole number"):
        sweep(small(), workers=-1)
    with pytest.raises(UsageError, match=r"none\.json: cannot be reached"):
        sweep(small(), scheduler="none.json")
