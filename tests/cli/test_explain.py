"""``kplace explain``: the funnel, the scores, the rejections."""

import csv
import io
import json

import pytest

from tests.cli.clusters import node, pod, write_list


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def nodes(tmp_path):
    """Three nodes that fit, of which one is empty, one that is too small, one that is cordoned."""
    return write_list(
        tmp_path / "input.json",
        *(node(name) for name in ("empty", "half", "third")),
        node("small", cpu="500m"),
        node("cordoned", unschedulable=True),
        pod("on-half", nodeName="half", cpu="2"),
        pod("on-third", nodeName="third", cpu="1"),
        pod("web"),
    )


def test_tables(kplace, nodes):
    result = kplace("explain", nodes, "--pod", "shop/web")
    assert result.exit_code == 0
    text = words(result.stdout)
    assert "shop/web without a node; priority 0; requests 1 cpu, 1 GiB memory" in text
    # In the order in which the filters run.
    assert "5 nodes 4 -1 NodeUnschedulable 3 -1 NodeResourcesFit 3 feasible" in text
    assert "best: empty with" in text
    assert "the same for all: TaintToleration 300" in text
    lines = [words(line) for line in result.stdout.splitlines()]
    ranked = [line.split()[:2] for line in lines[lines.index("rank node total Fit Allocation") + 1 :][:3]]
    assert ranked == [["1", "empty"], ["2", "third"], ["3", "half"]]
    assert "small NodeResourcesFit * Insufficient cpu" in lines
    assert "cordoned NodeUnschedulable * node(s) were unschedulable" in lines


def test_top_folds_the_others_by_reason(kplace, nodes):
    text = words(kplace("explain", nodes, "--pod", "shop/web", "--top", "1").stdout)
    assert "1 empty" in text
    assert "and 2 more nodes with a lower rank" in text
    assert "third" not in text
    assert "1 NodeResourcesFit * Insufficient cpu" in text
    assert "small" not in text


def test_raw_scores_of_plugins_that_score_all_alike(kplace, nodes):
    # TaintToleration: no taint on any node is 0 to tolerate, hence 100 points, with weight 3.
    lines = kplace("explain", nodes, "--pod", "shop/web", "--raw", COLUMNS="60").stdout.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("  the same for all:"))
    text = []
    for line in lines[first:]:
        if not line:
            break
        assert line.startswith("    " if text else "  the same for all:")
        assert len(line) <= 60
        text.append(line)
    assert len(text) > 1
    named = [part.split() for part in " ".join(map(str.strip, text)).removeprefix("the same for all:").split(",")]
    assert ["TaintToleration", "0/100/300"] in named
    assert all(value.count("/") == 2 for _, value in named)
    assert "  raw, normalised, weighted" in lines


@pytest.mark.parametrize("columns", range(30, 80, 10))
def test_narrow_tables_say_which_plugins_have_no_room(kplace, columns):
    arguments = ["data/demo", "--pod", "shop/web-6d5f8c9b7-xk2pq", "--top", "2"]
    wide = kplace("explain", *arguments, COLUMNS="120").stdout
    assert "no room for" not in wide
    lines = kplace("explain", *arguments, COLUMNS=str(columns)).stdout.splitlines()
    assert max(map(len, lines)) <= columns
    assert ["1", "gen-b1", "668"] in [line.split()[:3] for line in lines]
    assert not any("…" in line for line in lines)
    assert any(line.startswith("  no room for: ImageLocality") for line in lines)


STATES = {
    "held": (pod("p", schedulingGates=[{"name": "a/b"}]), "it is held back by its gate a/b"),
    "foreign": (pod("p", schedulerName="other"), 'it is left to the scheduler "other"'),
    "done": (pod("p", nodeName="empty") | {"status": {"phase": "Succeeded"}}, "it ran to the end (Succeeded)"),
    "lost": (pod("p", nodeName="gone"), "it is bound to a node that is not in the input"),
}


@pytest.mark.parametrize("state", STATES)
def test_what_keeps_a_pod_from_being_tried_comes_first(kplace, nodes, tmp_path, state):
    item, why = STATES[state]
    path = write_list(tmp_path / "pod.json", item)
    lines = kplace("explain", nodes, path, "--pod", "shop/p").stdout.splitlines()
    assert lines[:2] == ["shop/p", lines[1]]
    assert words(" ".join(lines[1:3])).startswith(f"The scheduler does not try it: {why}")
    assert any(line.split() == ["3", "feasible"] for line in lines)
    assert any("without a node" in line for line in lines) == (state in {"held", "foreign"})
    data = kplace("explain", nodes, path, "--pod", "shop/p", "--format", "csv")
    assert f"the scheduler does not try shop/p: {why}" in data.stderr
    assert data.stdout.startswith("node,")


def test_other_pods_are_just_explained(kplace, nodes):
    for name in ("web", "on-half"):
        result = kplace("explain", nodes, "--pod", f"shop/{name}")
        assert "does not try" not in result.output


def test_a_controller_is_answered_with_its_pods(kplace):
    result = kplace("explain", "data/demo", "--pod", "shop/sequencer")
    assert result.exit_code == 2
    assert "it is a Deployment, with the pods shop/sequencer-" in result.stderr


def test_raw_scores(kplace, nodes):
    # LeastAllocated on the empty node: (4 - 1) of 4 cpu is 75, (8 - 1) of 8 GiB is 87; their mean is 81, its weight 1.
    assert "81/81/81" in kplace("explain", nodes, "--pod", "shop/web", "--raw").stdout


def test_raw_scores_stand_below_each_other_where_that_makes_room_for_a_plugin(kplace):
    arguments = ["data/demo", "--pod", "shop/web-6d5f8c9b7-xk2pq", "--raw", "--top", "1"]
    # "8/100/200" is wider than the heading "Topology", "0/0/0" is not wider than "Locality".
    for columns, stacked in ((77, False), (76, True)):
        text = kplace("explain", *arguments, COLUMNS=str(columns)).stdout
        assert "no room for" not in text
        assert ("8/100/200" in text) != stacked
        assert "0 69 8 99 0 100 69 100 99 0 1 gen-b1 668 300 69 200 99 0" in words(text) or not stacked
    narrow = kplace("explain", *arguments, COLUMNS="70").stdout
    assert "no room for: ImageLocality" in narrow


def test_pod_that_has_a_node_is_asked_anew(kplace, nodes):
    text = words(kplace("explain", nodes, "--pod", "shop/on-third").stdout)
    assert "on third, taken off it for the question" in text
    # Without the pod itself its node is as empty as the other one.
    assert "best: one of 2 nodes with" in text
    assert "its node, third: rank 1 with" in text


def test_after_place(kplace, tmp_path):
    path = write_list(tmp_path / "input.json", node("one"), pod("first", cpu="3"), pod("second", cpu="3"))
    assert "best: one with" in words(kplace("explain", path, "--pod", "shop/second").stdout)
    text = words(kplace("explain", path, "--pod", "shop/second", "--after-place").stdout)
    assert "1 node 0 -1 NodeResourcesFit 0 feasible" in text
    text = words(kplace("explain", path, "--pod", "shop/first", "--after-place").stdout)
    assert "on one, taken off it for the question" in text


def test_pod_that_fits_nowhere(kplace, cluster):
    text = words(kplace("explain", cluster, "--pod", "shop/large").stdout)
    assert "2 nodes 1 -1 NodeUnschedulable 0 -1 NodeResourcesFit 0 feasible" in text
    assert "Scores" not in text


@pytest.mark.parametrize("form", ["json", "csv"])
@pytest.mark.parametrize("top", [None, 2])
def test_data(kplace, nodes, form, top):
    arguments = ["--top", top] if top else []
    result = kplace("explain", nodes, "--pod", "shop/web", "--format", form, *arguments)
    assert result.exit_code == 0
    rows = json.loads(result.stdout) if form == "json" else list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["node"] for row in rows] == ["empty", "third", "half", "small", "cordoned"][:top]
    assert [int(row["weighted_NodeResourcesFit"]) for row in rows[:2]] == [81, 62]


def test_outside_the_sample_is_counted(kplace, tmp_path):
    # A search that wants 5 % of 120 nodes takes the least there is, 100.
    path = write_list(tmp_path / "many.json", *(node(f"node-{n:03}") for n in range(120)), pod("web"))
    text = words(
        kplace("explain", path, "--pod", "shop/web", "--percentage-of-nodes-to-score", "5", "--top", "3").stdout
    )
    assert "120 feasible, of which 100 are in the sample that is scored" in text
    assert "and 97 more nodes with a lower rank" in text
    assert "and 20 more nodes feasible but outside the sample" in text


def test_quiet_and_notes(kplace, cluster):
    assert kplace("explain", cluster, "--pod", "shop/web", "--quiet").output == ""
    assert "note: " in kplace("explain", cluster, "--pod", "shop/web").stderr


@pytest.mark.parametrize("name", ["shop/wed", "web", "shop/", ""])
def test_unknown_pod(kplace, cluster, name):
    result = kplace("explain", cluster, "--pod", name)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error: " in result.stderr


def test_bad_input(kplace, tmp_path):
    path = write_list(tmp_path / "bad.json", node("one", cpu="four"))
    result = kplace("explain", path, "--pod", "shop/web")
    assert result.exit_code == 2
    assert "1 fault in 1 input" in result.stderr


def test_another_release_of_kubernetes(kplace, tmp_path):
    tainted = node("a", taints=[{"key": "dedicated", "value": "db", "effect": "NoSchedule"}])
    path = write_list(tmp_path / "list.json", tainted, pod("web"))
    for version, text in (("1.34", "untolerated taint {dedicated: db}"), ("1.35", "untolerated taint(s)")):
        result = kplace("explain", path, "--pod", "shop/web", "--format", "csv", "--kube-version", version)
        assert text in result.stdout
