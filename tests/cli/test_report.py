"""``kplace report``: a page is written, or it is said why not."""

import pytest


def test_a_page(kplace, cluster, tmp_path):
    path = tmp_path / "page.html"
    result = kplace("report", cluster, "-o", path, "--title", "Ours")
    assert result.exit_code == 0
    assert "page.html written" in result.stderr
    assert "<h1>Ours</h1>" in path.read_text(encoding="utf-8")
    assert "After placing the waiting pods" in path.read_text(encoding="utf-8")


def test_as_it_stands_and_of_a_result(kplace, cluster, tmp_path):
    path = tmp_path / "page.html"
    assert kplace("report", cluster, "-o", path, "--as-is").exit_code == 0
    assert "The cluster as it stands" in path.read_text(encoding="utf-8")
    assert kplace("place", cluster, "--out", tmp_path / "run.parquet").exit_code == 0
    assert kplace("report", tmp_path / "run.parquet", "-o", path).exit_code == 0
    assert "After placing the waiting pods" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("out", "message"), [("page.txt", "expected a name that ends in .html"), ("no/page.html", "cannot be written")]
)
def test_refusals(kplace, cluster, tmp_path, out, message):
    result = kplace("report", cluster, "-o", tmp_path / out)
    assert result.exit_code == 2
    assert message in result.stderr


def test_options_of_placing_go_not_with_as_is(kplace, cluster, tmp_path):
    page = tmp_path / "page.html"
    result = kplace("report", cluster, "-o", page, "--as-is", "--seed", "5", "--tie-break", "first", COLUMNS="300")
    assert result.exit_code == 2
    assert "'--seed' / '--tie-break': without effect here: with --as-is nothing is placed" in result.stderr
    assert not page.exists()


@pytest.mark.parametrize(
    ("options", "named"),
    [(("--seed", "5"), "'--seed'"), (("--as-is", "--kube-version", "1.34"), "'--kube-version' / '--as-is'")],
)
def test_options_without_effect_on_a_result(kplace, cluster, tmp_path, options, named):
    kplace("place", cluster, "--out", tmp_path / "run.parquet")
    result = kplace("report", tmp_path / "run.parquet", "-o", tmp_path / "page.html", *options, COLUMNS="300")
    assert result.exit_code == 2
    assert f"{named}: without effect here" in result.stderr
    assert "nothing is read or placed anew" in result.stderr
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("name", ["run.json", "run.json.gz", "run.json.zst"])
def test_a_result_in_json(kplace, cluster, tmp_path, name):
    path = tmp_path / "page.html"
    assert kplace("place", cluster, "--out", tmp_path / "run.parquet", "--out", tmp_path / name).exit_code == 0
    assert kplace("report", tmp_path / "run.parquet", "-o", path).exit_code == 0
    page = path.read_text(encoding="utf-8")
    assert kplace("report", tmp_path / name, "-o", path).exit_code == 0
    assert path.read_text(encoding="utf-8") == page


@pytest.fixture
def day(kplace, cluster, tmp_path):
    """A folder of results, with all that a simulation writes."""
    outputs = ("--out", tmp_path / "day", "--log", tmp_path / "log.json", "--checkpoint", tmp_path / "run.checkpoint")
    assert kplace("simulate", cluster, "--until", "60s", *outputs).exit_code == 0
    return tmp_path


def test_a_simulation(kplace, day):
    result = kplace("report", day / "day", "-o", day / "page.html")
    assert result.exit_code == 0
    page = (day / "page.html").read_text(encoding="utf-8")
    assert "A simulation of 1m with" in page
    assert "Waiting pods over time" in page


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (("day/timeline.parquet",), "day/timeline.parquet: is one table of a simulation; give the folder:"),
        (("log.json",), "holds the record of a simulation (--log); report takes the folder that simulate --out writes"),
        (("run.checkpoint",), "holds a checkpoint of a simulation; report takes the folder"),
        (("day", "cluster"), "day: is a result, which is reported by itself"),
    ],
)
def test_parts_of_a_simulation_that_cannot_be_reported(kplace, day, inputs, message):
    result = kplace("report", *(day / name for name in inputs), "-o", day / "page.html", COLUMNS="400")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (day / "page.html").exists()


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (
            ("run.csv",),
            "holds rows of a result alone, without the nodes; report takes FILE.parquet or FILE.json",
        ),
        (("why.json",), "holds rows of a result alone"),
        (("run.parquet", "cluster"), "is a result, which is reported by itself"),
    ],
)
def test_results_that_cannot_be_reported(kplace, cluster, tmp_path, inputs, message):
    kplace("place", cluster, "--out", tmp_path / "run.parquet", "--out", tmp_path / "run.csv")
    (tmp_path / "why.json").write_text('[{"node": "a", "verdict": "scored"}]')
    result = kplace("report", *(tmp_path / name for name in inputs), "-o", tmp_path / "page.html")
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert not (tmp_path / "page.html").exists()
