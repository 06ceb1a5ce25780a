"""``kplace synth``: made, written, read back."""

import subprocess
import sys

import pytest
import yaml

from kplace.synthesis import PRESETS


@pytest.mark.parametrize("name", ["c.yaml", "c.json", "c.yaml.gz", "c/", "c.parquet"])
def test_what_is_written_can_be_placed(kplace, tmp_path, name):
    out = tmp_path / name if not name.endswith("/") else f"{tmp_path / name}/"
    made = kplace("synth", "small", "--out", out)
    assert made.exit_code == 0
    assert "6 nodes, 29 pods, 23 of them waiting" in made.stderr
    placed = kplace("place", out)
    assert placed.exit_code == 0
    assert placed.stdout.startswith("23 placed")


def test_yaml_on_standard_output(kplace):
    made = kplace("synth", "small", "--nodes", "2", "--pods", "0")
    assert made.exit_code == 0
    assert made.stdout.count("kind: Node\n") == 2
    assert not made.stderr


def test_help_and_messages_name_every_preset(kplace):
    for preset in PRESETS:
        assert preset in kplace("synth", "--help").stdout
        assert preset in kplace("synth").stderr
    assert kplace("synth").exit_code == 2


def test_a_preset_is_a_description_to_start_from(kplace, tmp_path):
    shown = kplace("synth", "web", "--show")
    (tmp_path / "mine.toml").write_text(shown.stdout)
    given = ("--pods", "40", "--seed", "3")
    assert kplace("synth", tmp_path / "mine.toml", *given).stdout == kplace("synth", "web", *given).stdout


def test_faults_are_all_told_and_nothing_is_written(kplace, tmp_path):
    (tmp_path / "bad.toml").write_text(
        '[[pools]]\nname = "n"\ncuont = 2\nshape = "m5.large"\n[[workloads]]\nkind = "Job"\n'
    )
    made = kplace("synth", tmp_path / "bad.toml", "--out", tmp_path / "c.yaml")
    assert made.exit_code == 2
    assert 'pools[0].cuont: unknown field; did you mean "count"?' in made.stderr
    assert "workloads[0].name: is missing" in made.stderr
    assert not (tmp_path / "c.yaml").exists()


@pytest.mark.parametrize("name", ["c.txt", "none/c.yaml", "full"])
def test_places_that_cannot_be_written(kplace, tmp_path, name):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").write_text("")
    made = kplace("synth", "small", "--out", tmp_path / name)
    assert made.exit_code == 2
    assert "--out" in made.stderr


def test_a_snapshot_is_read_by_itself(kplace, tmp_path):
    kplace("synth", "small", "--out", tmp_path / "c.parquet")
    placed = kplace("place", tmp_path / "c.parquet", "data/demo")
    assert placed.exit_code == 2
    assert "is a snapshot: a whole cluster, read by itself" in placed.stderr
    part = kplace("place", tmp_path / "c.parquet" / "pods.parquet")
    assert "is a part of a snapshot" in part.stderr


def test_damaged_snapshots(kplace, tmp_path):
    kplace("synth", "small", "--out", tmp_path / "c.parquet")
    (tmp_path / "c.parquet" / "templates.parquet").write_bytes(b"PAR1 nothing")
    placed = kplace("place", tmp_path / "c.parquet")
    assert placed.exit_code == 2
    assert "templates.parquet: is no file of a snapshot that can be read" in placed.stderr


def test_a_pipe():
    program = [sys.executable, "-m", "kplace"]
    made = subprocess.run([*program, "synth", "small"], capture_output=True, check=True)
    placed = subprocess.run([*program, "place", "-"], input=made.stdout, capture_output=True, check=True)
    assert placed.stdout.startswith(b"23 placed")


def test_a_model_that_is_not_there(kplace):
    result = kplace("synth", "--like", "nowhere")
    assert result.exit_code == 2
    assert "'--like': nowhere: does not exist; expected a cluster: what kplace place takes" in result.stderr


def test_a_priority_of_zero_is_written(kplace, tmp_path):
    """Kubernetes takes no PriorityClass without a value."""
    out = tmp_path / "c.yaml"
    assert kplace("synth", "batch", "--nodes", "2", "--pods", "2", "--out", out).exit_code == 0
    classes = [item for item in yaml.safe_load_all(out.read_text()) if item["kind"] == "PriorityClass"]
    assert 0 in [item["value"] for item in classes]
