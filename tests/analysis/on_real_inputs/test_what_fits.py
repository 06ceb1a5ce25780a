"""Capacity against copies placed singly, drains against placing on what is left, plans against adding their nodes."""

import pytest

import kplace
from kplace.analysis.capacity import capacity
from kplace.analysis.drain import drain, drain_each
from kplace.analysis.provision import provision
from kplace.analysis.specs import every_spec, specs_like
from tests.analysis.on_real_inputs.plain import (
    evicted,
    keys_of,
    nodes_by_pod,
    others_that_wait,
    placed_singly,
)

MOST = 150


def names_of(cluster, nodes):
    return [cluster.columns.nodes.names[n] for n in nodes]


def test_capacity_is_what_placing_copies_singly_comes_to(small):
    cluster, ended = small.cluster, 0
    for spec in every_spec(cluster)[:8]:
        if cluster.columns.templates[spec.template].spec.volumes:
            continue
        found = capacity(cluster, like=spec.name, tie_break="first", limit=MOST)
        nodes, message = placed_singly(cluster, spec.template, MOST)
        assert names_of(cluster, found.counts[0].nodes) == nodes
        assert found.table["capacity"].tolist() == [len(nodes)]
        if len(nodes) < MOST:
            ended += 1
            assert found.table["message"].iloc[0].startswith(message)
            reasons = found.binding[0].groupby("reason")["nodes"].sum()
            assert all(f"{number} {reason}" in message for reason, number in reasons.items())
    assert ended > 2


def test_capacity_of_5000_nodes(large):
    cluster = large.cluster
    largest = max(every_spec(cluster)[:40], key=lambda spec: cluster.columns.templates[spec.template].request[0])
    found = capacity(cluster, like=largest.name, tie_break="first")
    nodes, _ = placed_singly(cluster, largest.template, 25)
    assert names_of(cluster, found.counts[0].nodes[:25]) == nodes
    # All that was counted is there, and by the readable engine, too, not one more finds a node.
    full = found.with_copies()
    grown = full.nodes["requested_pods"].sum() - cluster.nodes["requested_pods"].sum()
    assert grown == found.table["capacity"].iloc[0] > 1000
    assert (full.nodes["requested_cpu_milli"] <= full.nodes["allocatable_cpu_milli"]).all()
    assert placed_singly(full, largest.template, 1)[0] == []


def fullest(cluster, number):
    """The nodes that most pods have to move from."""
    keys = set(evicted(cluster, cluster.nodes["node"].astype("str").tolist()))
    pods = cluster.pods.assign(key=keys_of(cluster.pods))
    return (
        pods[pods["key"].isin(keys)]["node"]
        .astype("str")
        .value_counts()
        .sort_index(kind="stable")
        .nlargest(number)
        .index.tolist()
    )


def test_a_drain_is_placing_on_the_reduced_cluster(each):
    cluster = each.cluster
    for name in fullest(cluster, 2):
        nodes, keys = [name], evicted(cluster, [name])
        reduced = cluster.cordoned(nodes).without_pods(others_that_wait(cluster)).released(keys)
        run = kplace.place(reduced, tie_break="first", preemption="off")
        found = drain(cluster, nodes, tie_break="first")
        moved = found.pods[found.pods["outcome"].isin(["moves", "pending"])]
        assert nodes_by_pod(moved) == {key: node for key, node in nodes_by_pod(run.pods).items() if key in set(keys)}
        assert found.pending == (run.pods["status"] == "unschedulable").sum()


def test_nodes_that_fail_are_not_there(each):
    cluster, nodes = each.cluster, fullest(each.cluster, 2)
    keys = evicted(cluster, nodes)
    reduced = cluster.without_pods(others_that_wait(cluster)).released(keys).without_nodes(nodes)
    run = kplace.place(reduced, tie_break="first", preemption="off")
    found = drain(cluster, nodes, fail=True, tie_break="first", preemption="off")
    moved = found.pods[found.pods["outcome"].isin(["moves", "pending"])]
    assert nodes_by_pod(moved) == nodes_by_pod(run.pods)


def test_every_node_on_its_own_is_a_drain_of_it(each):
    cluster = each.cluster
    table = drain_each(cluster, tie_break="first", together=False).nodes.set_index("node")
    assert len(table) == len(cluster.nodes)
    for name in table.index[:: max(1, len(table) // 6)].astype("str"):
        assert table.loc[name, "pods"] == len(evicted(cluster, [name]))
        assert table.loc[name, "pending"] == drain(cluster, name, tie_break="first", preemption="off").pending


@pytest.mark.parametrize("rates", [{"cpu": 1, "memory": "0.1", "nvidia.com/gpu": 20}, {}])
def test_a_plan_holds_once_its_nodes_are_added(trace, rates):
    waiting = others_that_wait(trace.cluster)
    assert len(waiting) > 100
    found = provision(trace.cluster, pools=True, rates=rates, each=1, effort=12)
    for plan in found.plans:
        like = {item.name: item.like for item in plan.catalogue.candidates}
        names = [name for name, number in plan.counts.items() for _ in range(number)]
        added = trace.cluster.with_nodes({f"added-{i}": like[name] for i, name in enumerate(names)})
        run = kplace.place(added, preemption="off")
        assert (run.pods["status"] == "unschedulable").sum() == plan.pending < len(waiting)
        assert plan.at_least <= plan.tried.cost
    # One that wants most of a node comes late: whatever is added, smaller pods have spread over it by then.
    assert found.best.pending <= 1


def test_a_plan_for_5000_nodes(large):
    cluster = large.cluster.cordoned(large.cluster.nodes["node"].astype("str").tolist())
    (spec,) = specs_like(cluster, [every_spec(cluster)[0].name])
    found = provision(cluster, like=spec.name, copies=200, pools=True, rates={"cpu": 1}, each=0, effort=6)
    assert found.best.pending == 0
    assert found.best.at_least <= found.best.tried.cost
    again = kplace.place(found.best.cluster, preemption="off")
    assert (again.pods["status"] == "scheduled").sum() == len(again.pods) == 200
    assert set(again.pods["node"].astype("str")) <= set(found.best.nodes["node"])
