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
    assert by_name(again) == by_name(first.cluster)
    second = kplace.place(again, seed=5)
    left = first.pods[first.pods["status"] != "scheduled"]
    assert sorted(second.pods["pod"]) == sorted(left["pod"])


def by_name(cluster: kplace.Cluster) -> dict[tuple[str, str], str]:
    """The node of each pod, empty if it has none."""
    pods = cluster.pods
    nodes = pods["node"].astype("object").fillna("")
    return dict(zip(zip(pods["namespace"], pods["pod"], strict=True), nodes, strict=True))
