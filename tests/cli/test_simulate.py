"""``kplace simulate``: what it prints and writes, a run that is killed, and input that is at fault."""

import json
import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from tests.cli.clusters import node, pod, write_list

TABLES = ("placements", "events", "pods", "timeline")


@pytest.fixture
def nodes(tmp_path):
    return write_list(tmp_path / "nodes.json", node("a"), node("b"))


def table(path, **columns):
    n = max(len(values) for values in columns.values())
    pd.DataFrame({"pod": [f"j{i}" for i in range(n)], "cpu": ["2"] * n} | columns).to_csv(path, index=False)
    return path


def test_a_summary_and_tables(kplace, nodes, tmp_path):
    jobs = table(tmp_path / "jobs.csv", at=[0, 0, 0, 1], lasts=[10, 20, 20, 5])
    result = kplace("simulate", nodes, "--arrivals", jobs, "--until", "1m", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    for words in ("4 bound", "1m simulated", "Scheduling latency", "Utilisation"):
        assert words in result.stdout
    placements = pd.read_parquet(tmp_path / "out" / "placements.parquet")
    assert placements["result"].value_counts().to_dict() == {"scheduled": 4}
    assert {f"{name}.parquet" for name in TABLES} == {item.name for item in (tmp_path / "out").iterdir()}


def test_pods_that_arrive_by_chance(kplace, nodes, tmp_path):
    kinds = tmp_path / "kinds.jsonl"
    web = {"pod": "web", "rate": 60, "swing": 0.5, "lasts": 100, "cpu": "500m"}
    kinds.write_text(json.dumps(web) + "\n" + json.dumps({"pod": "db", "rate": 6}) + "\n")
    for folder, seed in (("one", 1), ("again", 1), ("other", 2)):
        given = ["--process", kinds, "--until", "2h", "--seed", str(seed), "--out", tmp_path / folder, "-q"]
        assert kplace("simulate", nodes, *given).exit_code == 0
    one, again, other = (pd.read_parquet(tmp_path / name / "pods.parquet") for name in ("one", "again", "other"))
    pd.testing.assert_frame_equal(one, again)
    assert not one.equals(other)
    assert 30 < one["pod"].str.startswith("web-").sum() < 120
    assert one["pod"].str.startswith("db-").any()


def test_a_killed_run_goes_on_to_the_same_end(nodes, tmp_path):
    n = 120
    jobs = table(
        tmp_path / "jobs.csv",
        at=[i * 0.9 for i in range(n)],
        lasts=[2 + i % 5 for i in range(n)],
        priority=[[0, 0, 9][i % 3] for i in range(n)],
    )
    checkpoint = tmp_path / "run.checkpoint"
    common = ["simulate", nodes, "--arrivals", jobs, "--bind-failures", "0.1", "--bind-delay", "100ms", "--step", "1s"]
    common += ["--seed", "4", "--until", "3m", "-q"]
    run = subprocess.Popen(
        [*_command(tmp_path), *map(str, common), "--checkpoint", str(checkpoint), "--out", str(tmp_path / "killed")],
        env=os.environ,
    )
    deadline = time.monotonic() + 240
    while not checkpoint.exists() and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    run.send_signal(signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL
    assert not (tmp_path / "killed").exists()
    for more in (["--resume", str(checkpoint), "--out", str(tmp_path / "rest")], ["--out", str(tmp_path / "whole")]):
        subprocess.run([sys.executable, "-m", "kplace", *map(str, common), *more], check=True)
    for name in TABLES:
        whole, rest = (pd.read_parquet(tmp_path / folder / f"{name}.parquet") for folder in ("whole", "rest"))
        pd.testing.assert_frame_equal(whole, rest)


def _command(folder) -> list[str]:
    """The command, waiting after its first checkpoint, so that it is killed with most of it left to do."""
    script = folder / "slow.py"
    script.write_text(
        "import time\n"
        "from kplace.api import simulating\n"
        "write = simulating._Run._write\n"
        "def slowly(self, path):\n"
        "    write(self, path)\n"
        "    time.sleep(60)\n"
        "simulating._Run._write = slowly\n"
        "from kplace.cli.main import main\n"
        "main()\n"
    )
    return [sys.executable, str(script)]


BROKEN = [
    ("jobs.csv", "--arrivals", "pod,cpu,at\nx,1,-3\ny,lots,4\n", ["row 0: at: expected seconds", "row 1", "lots"]),
    ("jobs.csv", "--arrivals", "pod,cpu\nx,1\n", ["no column that says when"]),
    ("jobs.parquet", "--arrivals", "nonsense", ["holds no table that can be read"]),
    ("jobs.txt", "--arrivals", "pod,at\n", ["the ending says nothing"]),
    ("kinds.csv", "--process", "pod,rate\nx,-1\n", ["rate: expected pods an hour"]),
    ("kinds.csv", "--process", "pod,cpu\nx,1\n", ["rate: there is no such column"]),
    ("what.csv", "--node-events", "at,node,action\n1,a,explode\n", ["action: expected one of cordon"]),
    ("what.csv", "--node-events", "at,node,action\n1,nowhere,drain\n", ["nowhere", "there is no such node"]),
    ("more.jsonl", "--events", '{"at": 1, "type": "add"}\n{"type": "add", "object": {}}\n', ["line 1", "line 2"]),
    ("more.jsonl", "--events", '{"at": -1, "type": "delete", "object": {"kind": "Pod"}}\n', ["line 1", "0 or more"]),
    (
        "more.jsonl",
        "--events",
        '{"at": 1, "type": "add", "object": {"apiVersion": "x/v1", "kind": "Widget", "metadata": {"name": "w"}}}\n',
        ["Widget", "of a kind that is understood"],
    ),
    (
        "more.jsonl",
        "--events",
        '{"at": 1, "type": "explode", "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "w"}}}\n',
        ["type: expected one of add"],
    ),
]


@pytest.mark.parametrize(("name", "option", "content", "words"), BROKEN, ids=lambda value: str(value)[:30])
def test_broken_inputs(kplace, nodes, tmp_path, name, option, content, words):
    path = tmp_path / name
    path.write_text(content)
    result = kplace("simulate", nodes, option, path, "--until", "9", "--out", tmp_path / "out")
    assert result.exit_code == 2, result.output
    for word in words:
        assert word in " ".join(result.stderr.split())
    assert not (tmp_path / "out").exists()


def test_unknown_columns_are_noted(kplace, nodes, tmp_path):
    jobs = table(tmp_path / "jobs.csv", at=[0], colour=["red"])
    result = kplace("simulate", nodes, "--arrivals", jobs)
    assert result.exit_code == 0
    assert "colour" in result.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--process", "x.csv"], "until has to say"),
        (["--bind-delay", "-1s"], "is no duration"),
        (["--bind-failures", "1.5"], "1.5 is not in the range"),
        (["--arrivals", "none.csv"], "there is no such file"),
        (["--resume", "none"], "none"),
        (["--feature-gates", "NodeLogQuery=true"], "cannot be simulated"),
    ],
)
def test_options_that_cannot_be_used(kplace, nodes, options, words):
    result = kplace("simulate", nodes, *options)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: data[: len(data) // 2], "damaged"),
        (lambda data: data[:10], "no checkpoint"),
        (lambda _data: b"", "no checkpoint"),
    ],
    ids=["half", "a few bytes", "nothing"],
)
def test_checkpoints_that_cannot_be_used(kplace, nodes, tmp_path, damage, words):
    jobs = table(tmp_path / "jobs.csv", at=list(range(40)))
    path = tmp_path / "run.checkpoint"
    assert kplace("simulate", nodes, "--arrivals", jobs, "--step", "1", "--checkpoint", path, "-q").exit_code == 0
    other = table(tmp_path / "other.csv", at=list(range(41)))
    result = kplace("simulate", nodes, "--arrivals", other, "--step", "1", "--resume", path)
    assert result.exit_code == 2
    assert "differs in scenario" in result.stderr
    path.write_bytes(damage(path.read_bytes()))
    result = kplace("simulate", nodes, "--arrivals", jobs, "--step", "1", "--resume", path)
    assert result.exit_code == 2
    assert words in result.stderr


def test_a_timeline_goes_without_other_inputs(kplace, tmp_path):
    path = tmp_path / "timeline.json"
    path.write_text(json.dumps({"objects": [node("a"), pod("p")], "events": []}))
    jobs = table(tmp_path / "jobs.csv", at=[0])
    result = kplace("simulate", path, "--arrivals", jobs)
    assert result.exit_code == 2
    assert "a timeline says all that happens" in " ".join(result.stderr.split())
    assert "1 bound" in kplace("simulate", path).stdout


@pytest.mark.parametrize("option", ["--arrivals", "--process", "--node-events"])
def test_faults_of_tables_name_the_file(kplace, nodes, tmp_path, option):
    path = tmp_path / "rows.csv"
    path.write_text("colour\nred\n")
    result = kplace("simulate", nodes, option, path, "--until", "1h")
    assert result.exit_code == 2
    assert f"{path}: " in result.stderr
    assert "<frame" not in result.stderr


def test_what_is_no_checkpoint_is_named(kplace, nodes, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("colour\nred\n")
    result = kplace("simulate", nodes, "--resume", path)
    assert result.exit_code == 2
    assert f"Error: --resume: {path}: the file is no checkpoint" in result.stderr
