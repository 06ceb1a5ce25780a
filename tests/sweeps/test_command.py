"""``kplace sweep`` and ``kplace sweep report`` on the command line."""

import shutil

from tests.cli.conftest import kplace, kplace_process  # noqa: F401 - fixtures

STUDY = """
metrics = ["pending", "scheduled"]
[inputs]
small = { synth = "small" }
[axes]
seed = [0, 1]
load = [40, 90]
"""


def test_a_study_and_its_report(kplace, tmp_path, monkeypatch):  # noqa: F811 - the fixture
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loads.toml").write_text(STUDY)
    done = kplace("sweep", "loads.toml", "--workers", 0)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("loads: 4 runs, 0 of them failed, result ")
    assert done.stdout.endswith("in results/metrics/study=loads\n")
    assert kplace("sweep", "run", "loads.toml", "--workers", 0).stdout == done.stdout
    by_file = kplace("sweep", "report", "loads.toml", "--html", "r.html", "--figures", "f")
    by_name = kplace("sweep", "report", "loads")
    assert by_file.exit_code == 0, by_file.output
    assert by_file.stdout == by_name.stdout
    assert "What each axis does" in by_file.stdout
    assert (tmp_path / "r.html").exists()
    assert (tmp_path / "f" / "pending.svg").exists()
    assert kplace("sweep", "report", "loads", "--html", "plain.html").exit_code == 0
    for folder in ("results", "results/metrics/study=loads"):
        done = kplace("report", folder, "-o", "page.html")
        assert done.exit_code == 0, done.output
        assert (tmp_path / "page.html").read_text() == (tmp_path / "plain.html").read_text()
    assert kplace("report", "results", "-o", "page.html", "--title", "Loads of today").exit_code == 0
    assert "<h1>Loads of today</h1>" in (tmp_path / "page.html").read_text()
    refused = kplace("report", "results", "-o", "page.html", "--seed", 1)
    assert (refused.exit_code, "results is a result, nothing is read" in refused.stderr) == (2, True)
    shutil.copytree("results/metrics/study=loads", "results/metrics/study=other")
    refused = kplace("report", "results", "-o", "page.html")
    assert refused.exit_code == 2
    assert "holds several studies; give the folder of one" in " ".join(refused.stderr.split())


def test_refusals(kplace, tmp_path, monkeypatch):  # noqa: F811 - the fixture
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd.toml").write_text('inputs = { a = "none.json" }\naxes = { sed = [1] }')
    done = kplace("sweep", "odd.toml")
    assert done.exit_code == 2
    assert 'odd.toml: axes.sed: unknown field; did you mean "seed"?' in done.stderr
    (tmp_path / "lost.toml").write_text('inputs = { a = "none.json", b = "nowhere/" }')
    done = kplace("sweep", "lost.toml", "--workers", 0)
    assert done.exit_code == 2
    assert "2 faults in 2 inputs" in done.stderr
    assert not (tmp_path / "results").exists()
    assert kplace("sweep", "report", "lost.toml").exit_code == 2


def test_dask_is_not_needed_without_processes(kplace_process, tmp_path):  # noqa: F811 - the fixture
    (tmp_path / "loads.toml").write_text(STUDY)
    blocked = "import sys\nsys.modules['distributed'] = sys.modules['dask'] = None"
    done = kplace_process("sweep", "loads.toml", "--workers", 0, code=blocked)
    assert done.returncode == 0, done.stderr
    done = kplace_process("sweep", "loads.toml", "--anew", code=blocked)
    assert done.returncode == 2
    assert "needs Dask: pip install 'kplace[sweep]'" in done.stderr
