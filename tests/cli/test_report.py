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
