"""What commands refuse to write: over an input, twice in one place, a file where a folder is."""

import pytest

from tests.cli.clusters import node, pod, write_list

CONFIG = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with inputs of all kinds, as the current one; a command that gets as far as reading fails."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    write_list(folder / "nodes.yaml", node("one"))
    write_list(folder / "deep" / "pods.json", pod("web"))
    (tmp_path / "empty").mkdir()
    (tmp_path / "scheduler.yaml").write_text(CONFIG)
    (tmp_path / "table.csv").write_text("at,pod\n0,web\n")
    (tmp_path / "link.csv").symlink_to("new.csv")
    for name in ("read", "simulate", "synth", "read_trace"):
        monkeypatch.setattr(f"kplace.{name}", None)
    return tmp_path


def contents(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def refusal(kplace, here, line):
    """What a command says that is refused and changes nothing."""
    before = contents(here)
    result = kplace(*line.split(), COLUMNS="500")
    assert result.exit_code == 2, result.output
    assert contents(here) == before
    assert result.stdout == ""
    return " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("place in/nodes.yaml --out in/nodes.yaml", "--out"),
        ("place in --out in/nodes.yaml", "--out"),
        ("place in --out ./in/deep/../nodes.yaml", "--out"),
        ("place in --trace in/deep/pods.json", "--trace"),
        ("place . --out table.csv --trace in/nodes.yaml", "--trace"),
        ("place in/*.yaml --out in/nodes.yaml", "--out"),
        ("place in/**/*.json --trace in/deep/pods.json", "--trace"),
        ("place in --config scheduler.yaml --out scheduler.yaml", "--out"),
        ("redact in --out in/nodes.yaml", "--out"),
        ("synth --like in --out in/nodes.yaml", "--out"),
        ("import table in/nodes.yaml --out in/nodes.yaml", "--out"),
        ("simulate in --log in/nodes.yaml", "--log"),
        ("simulate in --checkpoint in/deep/pods.json", "--checkpoint"),
        ("simulate in --arrivals table.csv --log table.csv", "--log"),
        ("simulate in --resume table.csv --log table.csv", "--log"),
        ("tune in/nodes.yaml --journal in/nodes.yaml", "--journal"),
        ("tune in --out in/nodes.csv --journal table.csv --config table.csv", "--journal"),
        ("score table.csv --out table.csv", "--out"),
        ("score tab*.csv --out table.csv", "--out"),
        ("score in/deep --out in/deep/pods.json", "--out"),
        ("bench plugins --input in --out in/deep/pods.json", "--out"),
        ("sweep report scheduler.yaml --html scheduler.yaml", "--html"),
    ],
)
def test_an_input_is_not_written_over(kplace, here, line, option):
    path = line.split(f"{option} ")[1].split()[0]
    said = refusal(kplace, here, line)
    assert f"Invalid value for '{option}'" in said
    assert f"{path.removeprefix('./')}: is an input" in said


def test_a_file_of_a_snapshot_is_an_input(kplace, tmp_path):
    snapshot = tmp_path / "small.parquet"
    assert kplace("synth", "small", "--nodes", "3", "--pods", "3", "--out", snapshot).exit_code == 0
    before = contents(tmp_path)
    path = next(iter(sorted(snapshot.glob("*.parquet"))))
    result = kplace("score", snapshot, "--out", path, COLUMNS="500")
    assert result.exit_code == 2
    assert "is an input" in result.stderr
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", ["rows.csv", "after.yaml"])
def test_what_is_no_input_may_lie_beside_inputs(kplace, cluster, name):
    """A new file, and one that reading the folder leaves out."""
    assert kplace("place", cluster, "--out", cluster / name).exit_code == 0
    again = kplace("place", cluster, "--out", cluster / name)
    assert again.exit_code == (0 if name == "rows.csv" else 2)


def test_a_journal_may_lie_among_inputs_but_takes_the_place_of_none(kplace, cluster):
    journal = cluster / "journal.json"
    for vectors in (1, 2):
        assert kplace("tune", cluster, "--vectors", vectors, "--journal", journal, "-q").exit_code == 0
    before = contents(cluster)
    result = kplace("tune", cluster, "--vectors", "1", "--journal", cluster / "pods.json")
    assert result.exit_code == 2
    assert "expected what kplace tune --journal has written" in result.stderr
    assert contents(cluster) == before


@pytest.mark.parametrize(
    ("line", "options", "paths"),
    [
        ("place in --out b.csv --trace b.csv", ["--out", "--trace"], ["b.csv"]),
        ("place in --out b.csv --out b.csv", ["--out"], ["b.csv"]),
        ("place in --out a.csv --out ./empty/../a.csv", ["--out"], ["a.csv", "empty/../a.csv"]),
        ("place in --out new.csv --out link.csv", ["--out"], ["new.csv", "link.csv"]),
        ("place in --out after/ --trace after", ["--out", "--trace"], ["after"]),
        ("place in --out empty/ --trace empty/t.json", ["--out", "--trace"], ["empty", "empty/t.json"]),
        ("place in --out x.json --out c.csv --trace x.json", ["--out", "--trace"], ["x.json"]),
        ("tune in --out q.csv --journal q.csv", ["--out", "--journal"], ["q.csv"]),
        ("simulate in --log same --checkpoint same", ["--log", "--checkpoint"], ["same"]),
        ("simulate in --out simx --log simx", ["--out", "--log"], ["simx"]),
        ("simulate in --out empty --log empty/log.json", ["--out", "--log"], ["empty", "empty/log.json"]),
        ("bench plugins --out z.json --out z.json", ["--out"], ["z.json"]),
        ("sweep report none.toml --html f --figures f", ["--html", "--figures"], ["f"]),
    ],
)
def test_two_outputs_are_not_written_to_one_place(kplace, here, line, options, paths):
    said = refusal(kplace, here, line)
    named = " / ".join(map("'{}'".format, options))
    assert f"Invalid value for {named}: {' and '.join(paths)}: " in said


@pytest.mark.parametrize(
    ("line", "option", "why"),
    [
        ("place in/deep --trace in", "--trace", "in: cannot be written: it is a folder"),
        ("simulate in/deep --log empty", "--log", "empty: cannot be written: it is a folder"),
        ("tune in/deep --journal empty", "--journal", "empty: cannot be written: it is a folder"),
        ("simulate in/deep --out in", "--out", "in: expected a new or an empty folder, it is not empty"),
        ("simulate in/deep --out table.csv", "--out", "table.csv: expected a new or an empty folder, it is a file"),
        ("simulate in/deep --out none/sim", "--out", "none/sim: cannot be written: there is no folder none"),
        ("synth small --out table.csv/", "--out", "table.csv: expected a new or an empty folder, it is a file"),
    ],
)
def test_files_and_folders_are_told_apart_before_the_work(kplace, here, line, option, why):
    assert f"Invalid value for '{option}': {why}" in refusal(kplace, here, line)


def test_a_device_takes_several_outputs(kplace, cluster):
    assert kplace("simulate", cluster, "--log", "/dev/null", "--checkpoint", "/dev/null", "-q").exit_code == 0
