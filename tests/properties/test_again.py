"""What a run writes is read back as the cluster that it left."""

from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

import kplace
from kplace.testing.strategies import EVERYTHING, MadeUp, clusters


@settings(max_examples=25)
@given(clusters(features=EVERYTHING), st.sampled_from(["cluster.json", "cluster.yaml", "folder"]))
def test_placing_again_leaves_only_the_pending(made: MadeUp, name: str):
    first = kplace.place(made.cluster(), seed=5)
    with TemporaryDirectory() as folder:
        first.cluster.to_manifests(f"{folder}/{name}")
        again = kplace.read(f"{folder}/{name}")
    place_of = {pod: node for pod, node in zip(names(first.cluster), places(first.cluster), strict=True)}
    assert dict(zip(names(again), places(again), strict=True)) == place_of
    second = kplace.place(again, seed=5)
    left = first.pods[first.pods["status"] != "scheduled"]
    assert sorted(second.pods["pod"]) == sorted(left["pod"])


def names(cluster: kplace.Cluster) -> list[str]:
    return [f"{row.namespace}/{row.pod}" for row in cluster.pods.itertuples()]


def places(cluster: kplace.Cluster) -> list[str]:
    return cluster.pods["node"].astype("object").fillna("").tolist()
