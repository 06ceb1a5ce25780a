"""Pods by the rules of other releases."""

from dataclasses import replace

import pytest

from kplace.columns.ruled import under_rules
from kplace.columns.rules import TODAY, PodRules
from kplace.testing import cluster_of, make_node, make_pod
from kplace.testing.builders import PodBuilder

GIB = 1024**3
NO_SIDECARS = replace(TODAY, sidecars_score=False)
NO_POD_LEVEL = replace(TODAY, pod_level=False)
NO_RESIZE = replace(TODAY, resizes=False)
NO_KEYS = replace(TODAY, affinity_label_keys=False)


def columns_of(*pods: PodBuilder):
    return cluster_of(make_node("a"), *pods).columns


def requests(columns, rules: PodRules):
    """Plain cpu, and cpu and memory for scoring, of the first template."""
    template = under_rules(columns, rules).templates[0]
    return int(template.request[0]), template.non_zero_request.tolist()


def test_pods_that_no_rule_concerns_stay_as_they_are():
    columns = columns_of(make_pod("p").req(cpu="1").container(memory="1Gi"))
    oldest = PodRules(affinity_label_keys=False, sidecars_score=False, resizes=False, pod_level=False)
    assert under_rules(columns, TODAY) is columns
    assert under_rules(columns, oldest) is columns


def test_only_the_templates_concerned_are_made_anew():
    columns = columns_of(make_pod("p").req(cpu="1"), make_pod("q").req(cpu="1").pod_level(cpu="2"))
    found = under_rules(columns, NO_POD_LEVEL).templates
    assert [new is old for new, old in zip(found, columns.templates, strict=True)] == [True, False]
    assert columns.templates[1].request[0] == 2000


@pytest.mark.parametrize(
    ("pod", "rules", "before", "today"),
    [
        # 1 for the container, 3 for the pod; memory is that of a container without requests, 200 MiB
        (
            make_pod("p").req(cpu="1").pod_level(cpu="3"),
            NO_POD_LEVEL,
            (1000, [1000, 200 << 20]),
            (3000, [3000, 200 << 20]),
        ),
        # A sidecar runs beside the container: 1 + 1, but the score of the pod on a node leaves it out.
        (
            make_pod("p").req(cpu="1", memory="1Gi").sidecar(cpu="1", memory="1Gi"),
            NO_SIDECARS,
            (2000, [1000, GIB]),
            (2000, [2000, 2 * GIB]),
        ),
    ],
)
def test_requests(pod, rules, before, today):
    columns = columns_of(pod)
    assert requests(columns, TODAY) == today
    assert requests(columns, rules) == before


def test_a_resize_under_way():
    held = {"name": "main", "resources": {"requests": {"cpu": "3"}}, "allocatedResources": {"cpu": "3"}}
    columns = columns_of(make_pod("p").req(cpu="1").status(containerStatuses=[held]).on("a"))
    assert requests(columns, TODAY)[0] == 3000
    assert requests(columns, NO_RESIZE)[0] == 1000


def keyed(**labels: str) -> PodBuilder:
    term = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}, "matchLabelKeys": ["version"]}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return make_pod("p").label(app="web", version="1", **labels).spec(affinity=affinity)


def wanted(columns):
    (term,) = columns.templates[0].spec.affinity.pod_anti_affinity.required
    selector = term.label_selector
    return [*selector.match_labels.items(), *((item.key, item.values) for item in selector.match_expressions or ())]


def test_label_keys_of_affinity():
    columns = columns_of(keyed())
    assert wanted(columns) == [("app", "web"), ("version", ("1",))]
    assert wanted(under_rules(columns, NO_KEYS)) == [("app", "web")]


@pytest.mark.parametrize("rules", [NO_SIDECARS, NO_POD_LEVEL, NO_KEYS])
def test_the_way_back(rules):
    columns = columns_of(keyed().req(cpu="1").sidecar(cpu="1").pod_level(cpu="3"))
    there = under_rules(columns, rules)
    back = under_rules(there, TODAY)
    assert there is not columns
    assert wanted(back) == wanted(columns)
    assert requests(back, TODAY) == requests(columns, TODAY)
    assert under_rules(there, rules) is there
