"""``kplace sampling``: what to set for people, and the tables behind it."""

import csv
import io

import pytest

from tests.cli.clusters import node, pod, write_list


@pytest.fixture
def large(tmp_path):
    """Nodes of two sizes, the better ones last, and a few pods."""
    nodes = [node(f"n{i:03}", cpu="4" if i < 110 else "64") for i in range(130)]
    return write_list(tmp_path / "large.json", *nodes, *(pod(f"p{i}") for i in range(4)))


def rows(result):
    assert result.exit_code == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_what_people_see(kplace, large):
    result = kplace("sampling", large, "--percentages", "5,50", "--pods", "all", COLUMNS="120")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("percentageOfNodesToScore: ")
    assert "loss of 4 of 4 pods" in result.stdout
    assert "waiting pod" not in result.stderr


def test_nothing_is_lost(kplace, large):
    result = kplace("sampling", large, "--percentages", "100", "--percentage-of-nodes-to-score", "100")
    assert "percentageOfNodesToScore: 100" in result.stdout
    assert "no percentage costs anything" in result.stdout


def test_a_small_cluster(kplace, cluster):
    result = kplace("sampling", cluster)
    assert result.exit_code == 0
    assert result.stdout.startswith("sampling does not happen: with 2 nodes, fewer than 100")


def test_tables(kplace, large):
    command = ("sampling", large, "--percentages", "5", "--pods", "3", "--metric", "pending", "--format", "csv")
    assert [row["percentage"] for row in rows(kplace(*command))] == ["0", "5", "100"]
    assert {row["metric"] for row in rows(kplace(*command, "--rows", "metrics"))} == {"pending"}
    assert len(rows(kplace(*command, "--rows", "pods"))) == 9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--percentages", "5,x"), "'--percentages': expected whole numbers from 0 to 100 with commas between them"),
        (("--percentages", "5,101,-3,"), "such as 0,5,10, got '101', '-3', ''"),
        (("--rows", "pods"), "Error: --rows: without effect here: it is for --format json and csv"),
        (("--pods", "some"), "'--pods': expected a number of pods or \"all\", got 'some'"),
        (("--tolerance", "-1"), "'--tolerance'"),
        (("--metric", "nope"), 'Error: --metric: there is no metric "nope"'),
    ],
)
def test_refusals(kplace, large, arguments, message):
    result = kplace("sampling", large, *arguments, COLUMNS="300")
    assert result.exit_code == 2
    assert message in result.stderr
