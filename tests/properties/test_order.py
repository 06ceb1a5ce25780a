"""The order of the input decides nothing but among equals."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from kplace.testing.strategies import MadeUp, clusters
from tests.properties.records import attempts, queue_of, record_of, unordered


@st.composite
def with_other_node_orders(draw: st.DrawFn) -> tuple[MadeUp, MadeUp]:
    made = draw(clusters())
    return made, replace(made, nodes=draw(st.permutations(made.nodes)))


@st.composite
def with_other_pod_orders(draw: st.DrawFn) -> tuple[MadeUp, MadeUp]:
    """The running pods change places; where pods wait, the same ones wait in the same order."""
    made = draw(clusters())
    running = [pod for pod in made.pods if "nodeName" in pod["spec"]]
    moved = iter(draw(st.permutations(running)))
    return made, replace(made, pods=[next(moved) if "nodeName" in pod["spec"] else pod for pod in made.pods])


@settings(max_examples=100)
@given(with_other_node_orders())
def test_of_nodes(pair: tuple[MadeUp, MadeUp]):
    """Each node gets the same verdict, the same raw and final scores and the same total."""
    for one, other in attempts(*(made.state() for made in pair)):
        assert unordered(one) == unordered(other)


@settings(max_examples=60)
@given(with_other_pod_orders())
def test_of_running_pods(pair: tuple[MadeUp, MadeUp]):
    one, other = (record_of(made.state()) for made in pair)
    assert one == other


@given(clusters())
def test_of_waiting_pods_is_kept_in_the_queue_among_equals(made: MadeUp):
    pods = made.state().columns.pods
    queue = queue_of(made.state())
    places = [(-int(pods.priority[pod]), int(pods.created_ns[pod]), pod) for pod in queue]
    assert places == sorted(places)
