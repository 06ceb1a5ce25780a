"""A node on which nothing fits changes nothing for the others."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kplace.testing.strategies import WITHOUT_NOMINATIONS, Feature, MadeUp, clusters
from tests.properties.records import attempts

# An image is worth the more the larger the share of all nodes that hold it, feasible or not.
FEATURES = WITHOUT_NOMINATIONS - {Feature.IMAGES}


def full(name: str, labels: dict[str, str], taints: list[Any]) -> dict[str, Any]:
    """A node that allows no pod."""
    return {"kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": {"taints": taints}, "status": {}}


def of_others(record: dict[str, Any]) -> dict[str, Any]:
    """A record without the new node."""
    kept = {key: record.get(key) for key in ("state", "scores", "total", "best", "skippedFilter", "skippedScore")}
    rejected = {node: word for node, word in record["rejected"].items() if node != "new"}
    return kept | {"rejected": rejected, "best": sorted(record.get("best", ()))}


def check(made: MadeUp, node: dict[str, Any], place: int) -> None:
    nodes = deepcopy(made.nodes)
    nodes.insert(place, node)
    for one, other in attempts(made.state(), replace(made, nodes=nodes).state()):
        assert "new" in other["rejected"]
        assert of_others(one) == of_others(other)


@settings(max_examples=100)
@given(clusters(features=FEATURES), st.integers(0, 8))
def test_without_labels(made: MadeUp, place: int):
    check(made, full("new", {}, []), place)


# By its name a node may be in a constraint's domains where its like is not.
@settings(max_examples=100)
@given(clusters(features=FEATURES - {Feature.NODE_AFFINITY}), st.data())
def test_with_the_labels_and_taints_of_another_one(made: MadeUp, data: st.DataObject):
    """It lies in the other's domains, which spread counts whether anything fits there or not."""
    like = data.draw(st.sampled_from(made.nodes))
    check(made, full("new", like["metadata"]["labels"], like["spec"]["taints"]), data.draw(st.integers(0, 8)))
