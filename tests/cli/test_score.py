"""``kplace score``."""

import json

import pandas as pd
import pytest

from tests.cli.clusters import node, pod, write_list


@pytest.fixture
def input_file(tmp_path):
    """Two nodes, the emptier one better; two pods that fit, and one that does not."""
    return write_list(
        tmp_path / "input.json",
        *(node(name) for name in ("empty", "half")),
        pod("on-half", nodeName="half", cpu="2"),
        pod("web-0"),
        pod("web-1"),
        pod("large", cpu="64"),
    )


def words(text: str) -> str:
    return " ".join(text.split())


def test_what_decided(kplace, input_file):
    result = kplace("score", input_file)
    assert result.exit_code == 0, result.output
    text = words(result.stdout)
    assert "3 pods of 3 kinds on 2 nodes" in text
    assert "shop/web-0 1 pod, 2 feasible nodes empty" in text
    assert "ahead of half by NodeResources" in text
    assert "Nowhere" in text
    assert "shop/large (1 pod) 0/2 nodes are available: 2 Insufficient cpu." in text


@pytest.mark.parametrize("rows", ["decisions", "top", "wide", "long"])
def test_rows(kplace, input_file, tmp_path, rows):
    printed = json.loads(kplace("score", input_file, "--rows", rows, "--format", "json").stdout)
    path = tmp_path / "rows.parquet"
    assert kplace("score", input_file, "--rows", rows, "--out", path, "-q").exit_code == 0
    written = pd.read_parquet(path)
    assert list(written.columns) == list(printed[0])
    assert len(written) == len(printed) == {"decisions": 3, "top": 4, "wide": 6, "long": 4 * 4}[rows]


def test_best_nodes_only(kplace, input_file):
    result = kplace("score", input_file, "--rows", "top", "--top", "1", "--format", "csv", "--only", "shop")
    lines = result.stdout.splitlines()
    assert [line.split(",")[:4] for line in lines[1:]] == [
        ["shop", "web-0", "1", "empty"],
        ["shop", "web-1", "1", "empty"],
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--top", "3"], "there is no --rows top"),
        (["--out", "x.txt"], "known are .parquet, .csv, .json"),
        (["--memory", "much"], "memory:"),
        (["--memory", "0"], "expected a positive number of bytes"),
        (["--only", "nowhere"], "only:"),
        (["--rows", "wide", "--memory", "100", "--format", "csv"], "see to_parquet()"),
    ],
)
def test_what_cannot_be_used(kplace, input_file, arguments, message):
    result = kplace("score", input_file, *arguments)
    assert result.exit_code == 2, result.output
    assert message in words(result.output)
