"""What nodes have, by name."""

import numpy as np
import pytest

from kplace.framework import Cycle
from kplace.testing import make_node, make_pod, state_of


@pytest.fixture
def cycle():
    one = make_node("one").zone("a").label({"example.com/price": "1.5", "empty": ""}).capacity(cpu="4", memory="8Gi")
    two = make_node("two").label({"example.com/price": "cheap"}).capacity(cpu="2", pods="5").cordon()
    running = [make_pod(name).req(cpu="500m", memory="1Gi").on("one") for name in ("r1", "r2")]
    asked = make_pod("asked", "shop").req(cpu="250m", **{"nvidia.com/gpu": "1"})
    return Cycle(state_of(one, two, *running, asked), 2)


def test_labels_in_the_order_of_the_nodes(cycle):
    view = cycle.at(np.array([1, 0], np.int32))
    assert len(view) == 2
    assert view.name.tolist() == ["two", "one"]
    assert view.label("topology.kubernetes.io/zone").tolist() == ["", "a"]
    assert view.label("topology.kubernetes.io/zone", "none").tolist() == ["none", "a"]
    assert view.label("nobody").tolist() == ["", ""]
    assert view.has_label("empty").tolist() == [False, True]
    assert view.unschedulable.tolist() == [True, False]


def test_numbers(cycle):
    view = cycle.at(cycle.state.all_nodes)
    price = view.number("example.com/price")
    assert price[0] == 1.5
    assert np.isnan(price[1])
    assert view.number("example.com/price", 9).tolist() == [1.5, 9]
    assert view.number("nobody", 2).tolist() == [2, 2]


def test_resources(cycle):
    view = cycle.at(cycle.state.all_nodes)
    # 4 cpu less twice 500m; the second node offers 2 cpu and no memory.
    assert view.allocatable("cpu").tolist() == [4000, 2000]
    assert view.requested("cpu").tolist() == [1000, 0]
    assert view.free("cpu").tolist() == [3000, 2000]
    assert view.share("cpu").tolist() == [0.25, 0]
    assert view.share("memory").tolist() == [0.25, 0]
    assert view.requested("pods").tolist() == [2, 0]
    assert view.allocatable("pods").tolist()[1] == 5
    assert view.free("example.com/unheard-of").tolist() == [0, 0]


def test_answers_may_be_written_to(cycle):
    view = cycle.at(cycle.state.all_nodes)
    for answer in (view.requested("cpu"), view.allocatable("cpu"), view.label("empty"), view.number("nobody", 1)):
        answer[:] = answer[::-1].copy()
        answer[0] = answer[1]
    assert view.requested("cpu").tolist() == [1000, 0]
    assert cycle.state.resources.allocatable[0].tolist() == [4000, 2000]
    assert view.label("empty").tolist() == ["", ""]
    assert view.number("nobody", 1).tolist() == [1, 1]


def test_the_pod(cycle):
    assert cycle.pod_name == "asked"
    assert cycle.request("cpu") == 250
    assert cycle.request("nvidia.com/gpu") == 1
    assert cycle.request("example.com/unheard-of") == 0
    assert cycle.template.namespace == "shop"
