"""Disruption budgets: which pods they protect, and who breaks them."""

import msgspec
import numpy as np
import pytest

from kplace.columns import ClusterBuilder
from kplace.objects.core import Pod
from kplace.objects.policy import PodDisruptionBudget
from kplace.preemption.budgets import find_budgets, violations

PODS = [
    ("a", "default", {"app": "web"}),
    ("b", "default", {}),
    ("c", "other", {"app": "web"}),
    ("d", "default", {"app": "db"}),
]


def columns(*budgets: dict):
    builder = ClusterBuilder()
    for name, namespace, labels in PODS:
        pod = {
            "metadata": {"name": name, "namespace": namespace, "labels": labels},
            "spec": {"containers": [{"name": "c"}]},
        }
        builder.add("Pod", msgspec.convert(pod, Pod), b"", "test")
    for number, item in enumerate(budgets):
        manifest = {"metadata": {"name": str(number), "namespace": "default"}} | item
        builder.add("PodDisruptionBudget", msgspec.convert(manifest, PodDisruptionBudget), b"", "test")
    return builder.finish()


def protected(*budgets: dict) -> list[str]:
    found = find_budgets(columns(*budgets))
    return [name for i, (name, _, _) in enumerate(PODS) if found.start[i + 1] > found.start[i]]


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ({"matchLabels": {"app": "web"}}, ["a"]),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}, ["d"]),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, ["a", "d"]),
        ({}, []),
        (None, []),
    ],
)
def test_pods_of_the_namespace_with_labels_that_the_selector_matches(selector, names):
    spec = {} if selector is None else {"selector": selector}
    assert protected({"spec": spec}) == names


def test_the_namespace_of_a_budget_counts():
    item = {"metadata": {"name": "o", "namespace": "other"}, "spec": {"selector": {"matchLabels": {"app": "web"}}}}
    assert protected(item) == ["c"]


def test_pods_that_are_disrupted_already_are_not_counted_again():
    everything = {"selector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}}
    assert protected({"spec": everything, "status": {"disruptedPods": {"a": "2026-01-01T00:00:00Z"}}}) == ["d"]


def test_each_node_finds_the_budgets_as_they_are():
    selects = {"spec": {"selector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}}}
    budgets = find_budgets(
        columns(selects | {"status": {"disruptionsAllowed": 1}}, selects | {"status": {"disruptionsAllowed": 2}})
    )
    # The first budget allows one: on the first node "d" breaks it; the second node begins anew.
    pods, start = np.array([0, 1, 3, 0], np.int32), np.array([0, 3, 4])
    assert violations(budgets, pods, start).tolist() == [False, False, True, False]
    assert violations(budgets, pods, start).tolist() == [False, False, True, False]


def test_every_matching_budget_is_used_up():
    web = {"spec": {"selector": {"matchLabels": {"app": "web"}}}, "status": {"disruptionsAllowed": 5}}
    strict = {"spec": {"selector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}}}
    budgets = find_budgets(columns(web, strict))
    assert violations(budgets, np.array([0], np.int32), np.array([0, 1])).tolist() == [True]
