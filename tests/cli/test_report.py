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


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (("run.csv",), "report takes those that place writes with --out FILE.parquet"),
        (("run.json",), "report takes those that place writes with --out FILE.parquet"),
        (("run.parquet", "cluster"), "the result of a run, which is reported by itself"),
    ],
)
def test_results_that_cannot_be_reported(kplace, cluster, tmp_path, inputs, message):
    kplace("place", cluster, "--out", tmp_path / "run.parquet", "--out", tmp_path / "run.csv")
    kplace("place", cluster, "--out", tmp_path / "run.json")
    result = kplace("report", *(tmp_path / name for name in inputs), "-o", tmp_path / "page.html")
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert not (tmp_path / "page.html").exists()
