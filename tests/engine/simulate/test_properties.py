"""Whatever happens: no pod is lost or in two places, rooms add up, and the same seed gives the same history."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kplace.dtypes import TieBreak
from kplace.engine.cycle import Options
from kplace.engine.simulate import ScenarioBuilder, Settings, Simulation, Verb
from kplace.engine.simulate.binding import RandomBinding
from kplace.engine.simulate.record import Quiet, Relay
from kplace.io.timeline_log import TimelineLog
from kplace.plugins.defaults import default_profile
from kplace.queue import SECOND, Place
from kplace.testing.builders import make_node, make_pod

NODE_NAMES = ("n0", "n1", "n2")
POD_NAMES = tuple(f"p{i}" for i in range(6))


@st.composite
def nodes(draw, name: str):
    node = make_node(name).zone(draw(st.sampled_from("ab")))
    node = node.capacity(cpu=draw(st.sampled_from(["1", "2", "4"])), memory="8Gi")
    if draw(st.booleans()):
        node = node.label(disk="ssd")
    if draw(st.integers(0, 3)) == 0:
        node = node.taint("k=x:NoSchedule")
    return node.cordon() if draw(st.integers(0, 4)) == 0 else node


@st.composite
def pods(draw, name: str):
    pod = make_pod(name).label(app=draw(st.sampled_from(["web", "db"]))).priority(draw(st.sampled_from([0, 5, 100])))
    pod = pod.req(cpu=draw(st.sampled_from(["200m", "1", "2"])))
    match draw(st.integers(0, 7)):
        case 0:
            pod = pod.node_selector(disk="ssd")
        case 1:
            pod = pod.spread("zone")
        case 2:
            pod = pod.anti_affinity("hostname")
        case 3:
            pod = pod.tolerate("k=x:NoSchedule")
        case 4:
            pod = pod.gate("g")
        case 5:
            pod = pod.host_port(80)
        case 6:
            pod = pod.owner("ReplicaSet", "web")
    return pod


@st.composite
def changes(draw):
    at = draw(st.integers(0, 300)) * SECOND // 10
    verb = draw(st.sampled_from([Verb.ADD, Verb.ADD, Verb.UPDATE, Verb.DELETE]))
    if draw(st.integers(0, 2)) == 0:
        verb = draw(st.sampled_from([verb, Verb.DRAIN, Verb.FAIL, Verb.UNCORDON]))
        return at, verb, "Node", draw(nodes(draw(st.sampled_from(NODE_NAMES)))), None
    lasts = draw(st.sampled_from([None, 5 * SECOND]))
    return at, verb, "Pod", draw(pods(draw(st.sampled_from(POD_NAMES)))), lasts


@st.composite
def stories(draw):
    start = [draw(nodes(name)) for name in NODE_NAMES[: draw(st.integers(0, 3))]]
    start += [draw(pods(name)) for name in POD_NAMES[: draw(st.integers(0, 4))]]
    later = draw(st.lists(changes(), max_size=12))
    behaviour = {
        "grace": draw(st.sampled_from([0, 3 * SECOND])),
        "cycle_time": draw(st.sampled_from([0, 0, SECOND // 5])),
        "recreates": draw(st.booleans()),
        "binding": RandomBinding(
            seed=1, delay=draw(st.sampled_from([0, SECOND // 2])), failure_rate=draw(st.sampled_from([0.0, 0.3]))
        ),
    }
    return start, later, behaviour


class Watch(Quiet):
    """Looks at everything at the end of every instant."""

    simulation: Simulation

    def settled(self, now, queue):
        places: dict[int, list[str]] = {}
        for entry in queue.entries():
            places.setdefault(entry.pod, []).append(entry.place)
        world = self.simulation.world
        for pod in world.pods.values():
            where = places.pop(pod.row, [])
            where += ["in flight"] * (pod.row in queue.in_flight)
            where += ["on a node"] * bool(world.cluster.node_of(pod.row))
            expected = 0 if pod.is_terminating and not pod.image.node and not where else 1
            assert len(where) == expected, (pod.key, where)
            assert bool(world.cluster.node_of(pod.row)) == bool(pod.image.node or pod.assumed)
        assert not places, "pods that do not exist wait"
        self.check_rooms()

    def check_rooms(self):
        cluster = self.simulation.world.cluster
        state = cluster.state
        if cluster._is_stale or cluster._held is not None:
            return
        requested = np.zeros_like(state.resources.requested)
        for n, name in enumerate(state.columns.nodes.names):
            for row in cluster.pods_on(name):
                requested[:, n] += state.template_of(row).request
                assert state.node_of_pod[row] == n
            assert list(state.node_pods.of(n)) == cluster.pods_on(name)
        assert np.array_equal(requested, state.resources.requested)


def play(story):
    start, later, behaviour = story
    builder = ScenarioBuilder()
    for item in start:
        builder.add_initial(type(item.obj()).__name__, item.obj(), "test")
    for at, verb, kind, item, lasts in later:
        builder.add_change(at, verb, kind, item.obj(), "test", lasts=lasts)
    log, watch = TimelineLog(), Watch()
    options = Options(TieBreak.RANDOM, seed=5)
    simulation = Simulation(builder.finish(), [default_profile()], Settings(options, **behaviour), Relay((log, watch)))
    watch.simulation = simulation
    simulation.run(60 * SECOND)
    return log.record(simulation)


@settings(deadline=None, max_examples=40)
@given(stories())
def test_no_pod_is_lost_and_the_history_is_the_same_again(story):
    record = play(story)
    assert record == play(story)
    waiting = {Place.ACTIVE, Place.BACKOFF, Place.UNSCHEDULABLE, Place.GATED}
    for key, end in record["end"].items():
        assert "node" in end or end["queue"] in {*waiting, "binding", "inflight", "none"}, key
        if end.get("queue") in (Place.UNSCHEDULABLE, Place.GATED):
            assert end["plugins"], f"{key} waits for nothing"
