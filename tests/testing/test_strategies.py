"""Made-up clusters are valid, and show all that they are asked to show."""

import json
from collections import Counter
from copy import deepcopy

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

import kplace
from kplace.testing.strategies import EVERYTHING, Feature, MadeUp, Size, clusters

SIGNS = {
    Feature.TAINTS: '"tolerations": [{',
    Feature.CORDONS: '"unschedulable": true',
    Feature.NODE_AFFINITY: '"nodeAffinity": {"req',
    Feature.PORTS: '"hostPort": 80',
    Feature.RESOURCES: '"overhead"',
    Feature.SPREAD: '"minDomains"',
    Feature.POD_AFFINITY: '"podAntiAffinity": {"req',
    Feature.OWNERS: '"ReplicationController"',
    Feature.IMAGES: '"images": [{',
    Feature.PRIORITIES: '"creationTimestamp"',
    Feature.GATES: '"schedulingGates"',
    Feature.TERMINATING: '"deletionTimestamp"',
    Feature.ODD_PODS: '"Succeeded"',
    Feature.NOMINATED: '"nominatedNodeName"',
}
QUICK = settings(
    phases=[Phase.generate], max_examples=2000, database=None, suppress_health_check=list(HealthCheck), deadline=None
)


@pytest.mark.parametrize("feature", Feature)
def test_each_feature_is_shown_if_and_only_if_it_is_asked_for(feature: Feature):
    def shows(made: MadeUp) -> bool:
        return SIGNS[feature] in json.dumps(made.manifests)

    assert shows(find(clusters(features=[feature]), shows, settings=QUICK))

    @settings(max_examples=20)
    @given(clusters(features=EVERYTHING - {feature}))
    def is_not_shown(made: MadeUp) -> None:
        assert not shows(made)

    is_not_shown()


@settings(max_examples=60)
@given(clusters(Size(nodes=3, running=4, waiting=2), features=EVERYTHING))
def test_clusters_are_valid_and_of_the_size_asked_for(made: MadeUp):
    cluster = made.cluster()
    waiting = int(cluster.columns.pods.node.tolist().count(-1))
    assert 1 <= len(cluster.nodes) <= 3
    assert 1 <= waiting <= 2
    assert len(cluster.pods) - waiting <= 4
    before = deepcopy(made.manifests)
    kplace.place(cluster)
    assert made.manifests == before


@settings(max_examples=20)
@given(clusters())
def test_grown_clusters(made: MadeUp):
    grown = made.grown(nodes=3, waiting=2)
    assert len(grown.nodes) == 3 * len(made.nodes)
    names = [pod["metadata"]["name"] for pod in grown.pods]
    assert len(names) == len(set(names))
    waiting = sum("nodeName" not in pod["spec"] for pod in made.pods)
    assert len(names) == len(made.pods) + waiting
    assert len(grown.cluster().nodes) == len(grown.nodes)


def test_about_as_many_pods_fit_as_do_not():
    """Otherwise tests would see one side only."""
    status: Counter[str] = Counter()

    @settings(max_examples=150, derandomize=True, database=None)
    @given(clusters())
    def count(made: MadeUp) -> None:
        status.update(kplace.place(made.cluster()).pods["status"])

    count()
    assert 0.4 < status["scheduled"] / status["unschedulable"] < 2.5
    assert status["gated"] > 0 < status["skipped"]
