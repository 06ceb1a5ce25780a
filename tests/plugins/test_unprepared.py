"""Configurations that take a plugin out of PreFilter or PreScore and leave it in Filter or Score."""

import json

import pytest

import kplace
from kplace.testing import cluster_of, make_node, make_pod


def place(plugins, *items, tmp_path=None, **options):
    trace = {} if tmp_path is None else {"trace": tmp_path / "trace.json"}
    config = {"profiles": [{"plugins": plugins}]}
    return kplace.place(cluster_of(*items), config=config, tie_break="first", **trace, **options)


def statuses(placements):
    return dict(zip(placements.pods["pod"], placements.pods["status"], strict=True))


def messages(placements):
    return dict(zip(placements.pods["pod"], placements.pods["message"], strict=True))


def without(point, *plugins):
    return {point: {"disabled": [{"name": name} for name in plugins]}}


@pytest.mark.parametrize(
    ("plugin", "complaint"),
    [
        ("NodePorts", 'reading "PreFilterNodePorts" from cycleState: not found'),
        ("NodeResourcesFit", 'error reading "PreFilterNodeResourcesFit" from cycleState: not found'),
        ("PodTopologySpread", 'reading "PreFilterPodTopologySpread" from cycleState: not found'),
        ("InterPodAffinity", 'error reading "PreFilterInterPodAffinity" from cycleState: not found'),
        ("VolumeRestrictions", 'cannot read "PreFilterVolumeRestrictions" from cycleState'),
        ("VolumeBinding", "not found"),
        ("DynamicResources", "not found"),
    ],
)
def test_a_filter_without_its_pre_filter_is_an_error(plugin, complaint):
    placed = place(without("preFilter", plugin), make_node("n"), make_pod("p"))
    assert statuses(placed) == {"p": "error"}
    assert messages(placed) == {"p": f'running "{plugin}" filter plugin: {complaint}'}
    assert placed.reasons.empty
    assert placed.summary().pending == 1


def test_node_affinity_works_it_out_by_itself():
    nodes = make_node("a").label(disk="hdd"), make_node("b").label(disk="ssd")
    placed = place(without("preFilter", "NodeAffinity"), *nodes, make_pod("p").node_selector({"disk": "ssd"}))
    assert placed.pods["node"].tolist() == ["b"]


def test_nodes_that_an_earlier_filter_rules_out_do_not_come_so_far(tmp_path):
    nodes = make_node("a").cordon(), make_node("b"), make_node("c")
    placed = place(without("preFilter", "NodePorts"), *nodes, make_pod("p"), make_pod("q"), tmp_path=tmp_path)
    # a is filtered out and counts; b errs, does not count, and ends the search: the next one begins there.
    first, second = json.loads((tmp_path / "trace.json").read_text())["pods"]
    assert first["state"] == "error"
    assert first["sample"]["evaluated"] == 1
    assert first["sample"]["nextStartNodeIndex"] == 1
    assert first["rejected"]["a"][0] == "NodeUnschedulable"
    assert first["rejected"]["b"][:2] == ["NodePorts", "Error"]
    assert second["sample"]["startNodeIndex"] == 1
    assert set(statuses(placed).values()) == {"error"}


def test_if_no_node_comes_so_far_the_pod_is_unschedulable():
    placed = place(without("preFilter", "NodePorts"), make_node("a").cordon(), make_pod("p"))
    assert statuses(placed) == {"p": "unschedulable"}


def test_enough_nodes_before_the_one_that_errs_are_enough():
    # Without scores the first node is enough; NodePorts is never asked about the pinned pod's other node.
    plugins = without("preFilter", "NodePorts") | without("score", "*") | without("filter", "NodePorts")
    assert statuses(place(plugins, make_node("a"), make_pod("p"))) == {"p": "scheduled"}


@pytest.mark.parametrize(
    ("plugin", "complaint"),
    [
        ("TaintToleration", 'failed to read "PreScoreTaintToleration" from cycleState: not found'),
        ("PodTopologySpread", 'error reading "PreScorePodTopologySpread" from cycleState: not found'),
        ("InterPodAffinity", 'failed to read "PreScoreInterPodAffinity" from cycleState: not found'),
    ],
)
def test_a_score_without_its_pre_score_is_an_error(plugin, complaint):
    placed = place(without("preScore", plugin), make_node("a"), make_node("b"), make_pod("p"))
    assert messages(placed) == {"p": f'running Score plugins: plugin "{plugin}" failed with: {complaint}'}
    assert statuses(placed) == {"p": "error"}


def test_a_single_feasible_node_is_not_scored():
    placed = place(without("preScore", "TaintToleration"), make_node("a"), make_pod("p"))
    assert statuses(placed) == {"p": "scheduled"}
    assert placed.pods["total"].isna().tolist() == [True]


def test_other_scores_work_it_out_by_themselves(tmp_path):
    plugins = without("preScore", "NodeAffinity", "NodeResourcesFit", "NodeResourcesBalancedAllocation")
    items = [make_node("a"), make_node("b"), make_pod("p").req(cpu="1"), make_pod("best-effort")]
    place(plugins, *items, tmp_path=tmp_path)
    first, second = json.loads((tmp_path / "trace.json").read_text())["pods"]
    assert first["scores"]["NodeResourcesBalancedAllocation"]["a"] != [0, 0]
    # A pod that requests nothing would have been skipped; now it scores 0.
    assert second["scores"]["NodeResourcesBalancedAllocation"] == {"a": [0, 0], "b": [0, 0]}
    assert second["scores"]["NodeAffinity"] == {"a": [0, 0], "b": [0, 0]}


def test_a_nomination_is_lost_with_the_error():
    pod = make_pod("p").nominated("a")
    placed = place(without("preFilter", "NodePorts"), make_node("a"), make_node("b"), pod, make_pod("q"))
    assert statuses(placed) == {"p": "error", "q": "error"}
