"""`kplace.place` by the queue: both engines agree, nothing else happens where nobody preempts, and a naive model."""

from dataclasses import dataclass

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

import kplace
from kplace.engine.simulate import swift
from kplace.testing import make_node, make_pod
from kplace.testing.clusters import cluster_of
from kplace.testing.strategies import EVERYTHING, Feature, MadeUp, Size, clusters
from tests.properties.test_engines import plain

SEEDS = st.integers(0, 3)
TIES = st.sampled_from(["first", "random"])


@settings(max_examples=60, deadline=None)
@given(clusters(Size(nodes=6, running=10, waiting=10), features=EVERYTHING), TIES, SEEDS)
def test_both_engines_agree(made: MadeUp, tie_break: str, seed: int):
    cluster, long_ways = made.cluster(), swift.MOST_LONG_WAYS
    swift.MOST_LONG_WAYS = -(10**9)
    try:
        given = {"preemption": "queue", "tie_break": tie_break, "seed": seed}
        batch, cycle = (kplace.place(cluster, **given, engine=engine) for engine in ("batch", "cycle"))
    finally:
        swift.MOST_LONG_WAYS = long_ways
    assert plain(batch.columns) == plain(cycle.columns)


ALONE = EVERYTHING - {Feature.PRIORITIES, Feature.SPREAD, Feature.POD_AFFINITY, Feature.OWNERS, Feature.NOMINATED}


@settings(max_examples=60, deadline=None)
@given(clusters(Size(nodes=6, running=8, waiting=12), features=ALONE), TIES, SEEDS)
def test_where_nobody_preempts_it_is_a_dry_run(made: MadeUp, tie_break: str, seed: int):
    cluster = made.cluster()
    queue, dry = (kplace.place(cluster, preemption=m, tie_break=tie_break, seed=seed) for m in ("queue", "dry-run"))
    assert not len(dry.preemptions)
    assert plain(queue.columns) == plain(dry.columns)


@settings(max_examples=60, deadline=None)
@given(clusters(Size(nodes=6, running=12, waiting=1), features=[Feature.PRIORITIES, Feature.TAINTS]), SEEDS)
def test_a_single_pod_comes_where_it_would_come_at_once(made: MadeUp, seed: int):
    cluster = made.cluster()
    queue, now = (kplace.place(cluster, preemption=m, seed=seed) for m in ("queue", "immediate"))
    assert queue.pods["node"].tolist() == now.pods["node"].tolist()
    assert queue.preemptions["victim"].tolist() == now.preemptions["victim"].tolist()


@dataclass(eq=False)
class Slot:
    """A pod of the naive model: it fills a node."""

    name: str
    priority: int
    started: int
    grace: int
    ends: int | None = None


class Naive:
    """Nodes that hold one pod each, and pods that are tried whenever anything has happened.

    Written from the rules: who comes first, what a nomination keeps, whom a pod may push out, and when it has to wait.
    """

    def __init__(self, nodes: list[Slot | None], waiting: list[Slot]) -> None:
        self.nodes = nodes
        self.waiting = sorted(waiting, key=lambda pod: -pod.priority)
        self.nominated: dict[str, int] = {}
        self.victims: set[str] = set()
        self.leaving: list[Slot] = []
        self.time = 0

    def run(self) -> None:
        self.settle()
        while self.leaving:
            self.time = min(pod.ends or 0 for pod in self.leaving)
            # Whoever ends at one instant is gone before any pod is tried, as in the golden timelines.
            for pod in [pod for pod in self.leaving if pod.ends == self.time]:
                self.leaving.remove(pod)
                self.nodes[self.nodes.index(pod)] = None
            self.settle()

    def settle(self) -> None:
        changes = [True]
        while any(changes):
            changes = [self.attempt(pod) for pod in list(self.waiting)]

    def attempt(self, pod: Slot) -> bool:
        """Try a pod once; says whether anything has changed."""
        free = [n for n, held in enumerate(self.nodes) if held is None and not self.is_kept(n, pod)]
        own = self.nominated.get(pod.name)
        if free:
            n = own if own in free else free[0]
            self.nodes[n] = Slot(pod.name, pod.priority, 10**6 + self.time, pod.grace)
            self.nominated.pop(pod.name, None)
            self.waiting.remove(pod)
            return True
        if own is not None:
            held = self.nodes[own]
            if held is not None and held.ends is not None and held.priority < pod.priority:
                return False
        options = [
            (held.priority, -held.started, n)
            for n, held in enumerate(self.nodes)
            if held is not None and held.priority < pod.priority and not self.is_kept(n, pod)
        ]
        if not options:
            return self.nominated.pop(pod.name, None) is not None
        _, _, n = min(options)
        self.push_out(pod, n)
        return True

    def is_kept(self, n: int, pod: Slot) -> bool:
        return any(
            self.nominated.get(other.name) == n and other is not pod and other.priority >= pod.priority
            for other in self.waiting
        )

    def push_out(self, pod: Slot, n: int) -> None:
        victim = self.nodes[n]
        assert victim is not None
        self.victims.add(victim.name)
        self.nominated[pod.name] = n
        if victim.ends is not None:
            return
        for other in self.waiting:
            if other.priority < pod.priority and self.nominated.get(other.name) == n:
                del self.nominated[other.name]
        if victim.grace:
            victim.ends = self.time + victim.grace
            self.leaving.append(victim)
        else:
            self.nodes[n] = None


slots = st.tuples(st.integers(0, 4), st.sampled_from([0, 0, 2, 5, 30]))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.none() | slots, min_size=1, max_size=5), st.lists(slots, max_size=6, unique_by=lambda s: s[0]))
@example([(0, 0), (0, 2), (0, 2)], [(1, 0), (2, 0), (3, 0)])
def test_a_naive_model_comes_to_the_same(running, waiting):
    items, nodes, queue = [], [], []
    for n, slot in enumerate(running):
        items.append(make_node(f"n{n}").capacity(cpu="1", memory="1Gi"))
        if slot is None:
            nodes.append(None)
            continue
        priority, grace = slot
        pod = make_pod(f"r{n}").req(cpu="1").priority(priority).on(f"n{n}").started(f"2026-01-01T00:00:{n:02d}Z").obj()
        items.append(with_grace(pod, grace))
        nodes.append(Slot(f"r{n}", priority, n, grace))
    for i, (priority, grace) in enumerate(waiting):
        items.append(with_grace(make_pod(f"w{i}").req(cpu="1").priority(priority).obj(), grace))
        queue.append(Slot(f"w{i}", priority, 0, grace))
    naive = Naive(nodes, queue)
    naive.run()
    placements = kplace.place(cluster_of(*items), preemption="queue", tie_break="first")
    after = placements.cluster.pods
    found = {row.pod: row.node for row in after.itertuples() if isinstance(row.node, str)}
    assert found == {pod.name: f"n{n}" for n, pod in enumerate(naive.nodes) if pod is not None}
    assert set(placements.preemptions["victim"]) == naive.victims


def with_grace(pod, seconds: int):
    from msgspec import structs

    return structs.replace(pod, spec=structs.replace(pod.spec, termination_grace_period_seconds=seconds))


def test_batch_is_not_left_where_nobody_preempts(monkeypatch):
    """A run in which nothing more is to come is the batch engine's alone."""
    from kplace.engine.simulate import placing

    monkeypatch.setattr(placing, "Simulation", None)
    items = [make_node("a").capacity(cpu="2"), *(make_pod(f"p{i}").req(cpu="1") for i in range(5))]
    placements = kplace.place(cluster_of(*items), preemption="queue")
    assert np.array_equal(placements.columns.node >= 0, [True, True, False, False, False])
