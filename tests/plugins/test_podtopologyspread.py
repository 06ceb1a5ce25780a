"""PodTopologySpread: skew, labels, weights and scores by hand."""

import numpy as np
import pytest

from kplace.dtypes import Code
from kplace.framework import Cycle
from kplace.plugins.podtopologyspread.plugin import LABEL_REASON, SKEW_REASON, PodTopologySpread
from tests.plugins.clusters import node, pod, state_of

ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"
WEB = {"app": "web"}
FINE, SKEW, LABEL = Code.SUCCESS, Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE


def constraint(skew: int, key: str = ZONE, action: str = "DoNotSchedule", **more) -> dict:
    selector = {"matchLabels": WEB}
    return {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": action, "labelSelector": selector, **more}


def spread(*constraints: dict, **spec) -> dict:
    return pod({"topologySpreadConstraints": list(constraints), **spec}, labels=WEB)


def web(on: str, **metadata) -> dict:
    return pod(on=on, labels=WEB, **metadata)


def zones(**names: str) -> list[dict]:
    """Nodes with their zones; none if the zone is "-"."""
    return [node(name, {HOSTNAME: name} | ({} if zone == "-" else {ZONE: zone})) for name, zone in names.items()]


def racks(**places: tuple[str, str]) -> list[dict]:
    """Nodes with their zones and racks."""
    return [node(name, {ZONE: zone, "rack": rack}) for name, (zone, rack) in places.items()]


def tainted(name: str, zone: str) -> dict:
    taints = [{"key": "dead", "effect": "NoSchedule"}]
    return {**node(name, {HOSTNAME: name, ZONE: zone}), "spec": {"taints": taints}}


def cycle_of(nodes: list[dict], running: list[dict], waiting: dict) -> Cycle:
    return Cycle(state_of(nodes, [*running, waiting]), len(running))


def verdicts(cycle: Cycle) -> dict[str, Code]:
    plugin = PodTopologySpread()
    assert plugin.pre_filter(cycle).code is Code.SUCCESS
    verdict = plugin.filter(cycle, cycle.state.all_nodes)
    return {name: Code(code) for name, code in zip(cycle.state.columns.nodes.names, verdict.code, strict=True)}


def scores(cycle: Cycle, sample: str) -> tuple[list[int], list[int]]:
    plugin = PodTopologySpread()
    nodes = np.array([cycle.state.columns.nodes.index[name] for name in sample], np.int32)
    assert plugin.pre_score(cycle, nodes)
    raw = plugin.score(cycle, nodes)
    final = raw.copy()
    plugin.normalize_score(cycle, nodes, final)
    return raw.tolist(), final.tolist()


ABC = zones(a="x", b="y", c="z")


@pytest.mark.parametrize(
    ("nodes", "running", "constraints", "expected"),
    [
        # x 1, y 0, z 0, lowest 0: x gets 1 + 1 - 0 = 2 > 1, the others 0 + 1 - 0 = 1.
        (ABC, [web("a")], [constraint(1)], [SKEW, FINE, FINE]),
        (ABC, [web("a")], [constraint(2)], [FINE, FINE, FINE]),
        # Each 1, lowest 1: 1 + 1 - 1 = 1.
        (ABC, [web("a"), web("b"), web("c")], [constraint(1)], [FINE, FINE, FINE]),
        # The same, but fewer than 4 zones: lowest 0, 1 + 1 - 0 = 2.
        (ABC, [web("a"), web("b"), web("c")], [constraint(1, minDomains=4)], [SKEW, SKEW, SKEW]),
        (ABC, [web("a"), web("b"), web("c")], [constraint(1, minDomains=3)], [FINE, FINE, FINE]),
        # A pod that the selector does not match does not count itself: x 2 + 0 - 0 = 2, y 1 + 0 - 0 = 1.
        (
            ABC,
            [pod(on="a", labels={"app": "db"})] * 2 + [pod(on="b", labels={"app": "db"})],
            [constraint(1, labelSelector={"matchLabels": {"app": "db"}})],
            [SKEW, FINE, FINE],
        ),
        # Other namespaces, other labels and pods being deleted do not count.
        (
            ABC,
            [
                web("a", namespace="other"),
                pod(on="a", labels={"app": "db"}),
                web("a", deletionTimestamp="2026-01-01T00:00:00Z"),
            ],
            [constraint(1)],
            [FINE, FINE, FINE],
        ),
        # An empty selector counts no pod but matches the pod itself: 0 + 1 - 0 = 1; a missing one does neither.
        (ABC, [web("a"), web("a")], [constraint(1, labelSelector={})], [FINE, FINE, FINE]),
        (ABC, [web("a"), web("a")], [constraint(1, labelSelector=None)], [FINE, FINE, FINE]),
        # d has no zone: it fails for good, and its own pods are in no domain.
        (zones(a="x", b="y", d="-"), [web("a"), web("d")], [constraint(1)], [SKEW, FINE, LABEL]),
        # Nobody has the key.
        (ABC, [], [constraint(1, "rack")], [LABEL, LABEL, LABEL]),
        # First failure decides: on a the zone's skew, on d the missing zone.
        (
            zones(a="x", b="y", d="-"),
            [web("a")],
            [constraint(1), constraint(1, HOSTNAME)],
            [SKEW, FINE, LABEL],
        ),
        # d's host name counts for nothing, since d lacks the other key; by host name first d is full: 0 + 1 - 0 = 1.
        (
            zones(a="x", b="y", d="-"),
            [web("a"), web("d")],
            [constraint(1, HOSTNAME), constraint(1)],
            [SKEW, FINE, LABEL],
        ),
        # e lacks the zone, and that decides, although by rack it would have too much skew as well: 1 + 1 - 0 = 2.
        (
            [*racks(a=("x", "r"), b=("y", "s")), node("e", {"rack": "r"})],
            [web("a")],
            [constraint(1), constraint(1, "rack")],
            [SKEW, FINE, LABEL],
        ),
        # c alone is in z and tainted. Ignored, the taint keeps the lowest at z's 0; honoured, z is no domain, lowest 1,
        # and z itself has 0 + 1 - 1 = 0.
        ([*ABC[:2], tainted("c", "z")], [web("a"), web("b")], [constraint(1)], [SKEW, SKEW, FINE]),
        (
            [*ABC[:2], tainted("c", "z")],
            [web("a"), web("b"), web("c")],
            [constraint(1, nodeTaintsPolicy="Honor")],
            [FINE, FINE, FINE],
        ),
        # The same with the domain that does not count first: lowest 1 still.
        (
            [tainted("a", "x"), *ABC[1:]],
            [web("b"), web("c"), web("c")],
            [constraint(1, nodeTaintsPolicy="Honor")],
            [FINE, FINE, SKEW],
        ),
    ],
)
def test_filter(nodes: list[dict], running: list[dict], constraints: list[dict], expected: list[Code]):
    assert list(verdicts(cycle_of(nodes, running, spread(*constraints))).values()) == expected


def test_filter_honours_node_selector_by_default():
    nodes = [node("a", {ZONE: "x", "disk": "ssd"}), node("b", {ZONE: "y"})]
    running = [web("a"), web("b")]
    chosen = {"nodeSelector": {"disk": "ssd"}}
    # Only x is a domain: lowest 1, x 1 + 1 - 1 = 1, y 0 + 1 - 1 = 0.
    assert verdicts(cycle_of(nodes, running, spread(constraint(1), **chosen))) == {"a": FINE, "b": FINE}
    # Both are: x 1, y 1. With one more on x, y stays at 1.
    ignoring = constraint(1, nodeAffinityPolicy="Ignore")
    assert verdicts(cycle_of(nodes, [*running, web("a")], spread(ignoring, **chosen))) == {"a": SKEW, "b": FINE}
    # No node is left: no domain, lowest 0.
    nowhere = {"nodeSelector": {"disk": "tape"}}
    assert verdicts(cycle_of(nodes, running, spread(constraint(1), **nowhere))) == {"a": FINE, "b": FINE}


def test_tolerations_open_tainted_domains():
    nodes = [*ABC[:2], tainted("c", "z")]
    running = [web("a"), web("b")]
    waiting = spread(constraint(1, nodeTaintsPolicy="Honor"), tolerations=[{"key": "dead", "operator": "Exists"}])
    # z is a domain of 0: 1 + 1 - 0 = 2 elsewhere.
    assert verdicts(cycle_of(nodes, running, waiting)) == {"a": SKEW, "b": SKEW, "c": FINE}


def test_reasons_name_the_failure():
    cycle = cycle_of(zones(a="x", b="y", d="-"), [web("a")], spread(constraint(5, HOSTNAME), constraint(1)))
    plugin = PodTopologySpread()
    plugin.pre_filter(cycle)
    details = plugin.filter(cycle, cycle.state.all_nodes).detail
    found = {
        name: plugin.reasons(cycle, int(detail))
        for name, detail in zip(cycle.state.columns.nodes.names, details, strict=True)
    }
    assert found["a"] == (SKEW_REASON,) == ("node(s) didn't match pod topology spread constraints",)
    assert found["d"] == (LABEL_REASON,)
    assert LABEL_REASON == "node(s) didn't match pod topology spread constraints (missing required label)"
    # The second constraint failed on both: 2 * 1, and 1 more for the missing label.
    assert details.tolist() == [2, 0, 3]


def test_skips_without_constraints_of_the_kind():
    soft, hard = constraint(1, action="ScheduleAnyway"), constraint(1)
    plugin = PodTopologySpread()
    for waiting, skips_filter, skips_score in (
        (pod(labels=WEB), True, True),
        (spread(soft), True, False),
        (spread(hard), False, True),
        (spread(hard, soft), False, False),
    ):
        cycle = cycle_of(ABC, [], waiting)
        assert (plugin.pre_filter(cycle).code is Code.SKIP) is skips_filter
        assert plugin.pre_score(cycle, cycle.state.all_nodes) is not skips_score


def test_filter_follows_placements():
    state = state_of(ABC, [spread(constraint(1))] * 4)
    seen = []
    for number, name in enumerate("abca"):
        codes = verdicts(Cycle(state, number))
        seen.append("".join(node for node, code in codes.items() if code is FINE))
        state.assume(number, state.columns.nodes.index[name])
    assert seen == ["abc", "bc", "c", "abc"]
    state.forget(3)
    assert set(verdicts(Cycle(state, 3)).values()) == {FINE}


@pytest.mark.parametrize(
    ("running", "constraints", "sample", "raw", "final"),
    [
        # Three zones, ln 5 = 1.609: x 2 * 1.609 = 3.22, y 1.61, z 0. The best gets 100 * (3 + 0 - 0) / 3, the worst 0.
        ("aab", [(1, ZONE)], "abc", [3, 2, 0], [0, 33, 100]),
        # With a lowest above zero the worst keeps 100 * lowest / highest: raw 4.83, 3.22, 1.61 -> 5, 3, 2.
        ("aaabbc", [(1, ZONE)], "abc", [5, 3, 2], [40, 80, 100]),
        # Two zones are left in the sample: ln 4 = 1.386, 3 * 1.386 = 4.16; pods elsewhere count for nothing.
        ("aaabcc", [(1, ZONE)], "ab", [4, 1], [25, 100]),
        # d shares x with a, is not in the sample, and its pods count: 2 * ln 5 = 3.22.
        ("ad", [(1, ZONE)], "abc", [3, 0, 0], [0, 100, 100]),
        # By host name only a's own: ln 5 = 1.609.
        ("ad", [(1, HOSTNAME)], "abc", [2, 0, 0], [0, 100, 100]),
        # maxSkew 4 adds 3 to all: 3 + 1.61 = 4.61 -> 5 and 3; 100 * (5 + 3 - 5) / 5 = 60.
        ("a", [(4, ZONE)], "abc", [5, 3, 3], [60, 100, 100]),
        # Both: 2 * ln 5 (zones) + 1 * ln 5 (hosts) = 4.83 for a, y 0.
        ("ad", [(1, ZONE), (1, HOSTNAME)], "abc", [5, 0, 0], [0, 100, 100]),
        # Nothing counted: all are equally good.
        ("", [(1, ZONE)], "abc", [0, 0, 0], [100, 100, 100]),
    ],
)
def test_scores(running: str, constraints: list[tuple[int, str]], sample: str, raw: list[int], final: list[int]):
    nodes = zones(a="x", b="y", c="z", d="x")
    waiting = spread(*(constraint(skew, key, "ScheduleAnyway") for skew, key in constraints))
    assert scores(cycle_of(nodes, [web(name) for name in running], waiting), sample) == (raw, final)


def test_nodes_without_a_key_of_own_constraints_score_nothing():
    waiting = spread(constraint(1, ZONE, "ScheduleAnyway"), constraint(1, HOSTNAME, "ScheduleAnyway"))
    cycle = cycle_of(zones(a="x", b="y", d="-"), [web("a"), web("d")], waiting)
    # Two candidates: ln 4 = 1.386 for both keys. a 2 * 1.386 = 2.77, b 0, d is ignored.
    assert scores(cycle, "dab") == ([0, 3, 0], [0, 0, 100])
    # No candidate at all.
    assert scores(cycle, "d") == ([0], [0])


def test_pods_on_nodes_without_a_key_of_own_constraints_count_nowhere():
    nodes = [*racks(a=("x", "r"), b=("y", "s")), node("e", {ZONE: "x"})]
    waiting = spread(constraint(1, ZONE, "ScheduleAnyway"), constraint(1, "rack", "ScheduleAnyway"))
    # e's pods are in x, but e has no rack. ln 4 = 1.386: a 1 * 1.386 + 1 * 1.386 = 2.77.
    assert scores(cycle_of(nodes, [web("a"), web("e"), web("e")], waiting), "ab")[0] == [3, 0]


def test_host_names_count_the_node_itself_whatever_the_policies():
    nodes = [node("a", {HOSTNAME: "same"}), node("b", {HOSTNAME: "same"})]
    waiting = spread(constraint(1, HOSTNAME, "ScheduleAnyway"), nodeSelector={"disk": "ssd"})
    # Two candidates, ln 4 = 1.386, although they share a host name and fit no selector.
    assert scores(cycle_of(nodes, [web("a"), web("a"), web("b")], waiting), "ab") == ([3, 1], [33, 100])


def test_policies_decide_whose_pods_a_zone_counts():
    nodes = [node("a", {ZONE: "x", "disk": "ssd"}), node("b", {ZONE: "x"}), node("c", {ZONE: "y", "disk": "ssd"})]
    running = [web("a"), web("b"), web("b")]
    honouring = constraint(1, ZONE, "ScheduleAnyway")
    chosen = {"nodeSelector": {"disk": "ssd"}}
    # ln 4 = 1.386: one pod in x, or all three: 4.16.
    assert scores(cycle_of(nodes, running, spread(honouring, **chosen)), "ac")[0] == [1, 0]
    ignoring = {**honouring, "nodeAffinityPolicy": "Ignore"}
    assert scores(cycle_of(nodes, running, spread(ignoring, **chosen)), "ac")[0] == [4, 0]


def test_count_pod_undoes_itself_and_moves_the_lowest_count():
    cycle = cycle_of(ABC, [web("a"), web("a"), web("b"), web("c")], spread(constraint(1)))
    plugin = PodTopologySpread()
    plugin.pre_filter(cycle)

    def codes() -> list[Code]:
        return plugin.filter(cycle, cycle.state.all_nodes).code.tolist()

    before = codes()
    assert before == [SKEW, FINE, FINE]  # x 2, y 1, z 1
    plugin.count_pod(cycle, 0, 0, -1)
    assert codes() == [FINE, FINE, FINE]  # all 1
    plugin.count_pod(cycle, 2, 1, -1)
    assert codes() == [SKEW, FINE, SKEW]  # y 0
    plugin.count_pod(cycle, 2, 1, 1)
    plugin.count_pod(cycle, 0, 0, 1)
    assert codes() == before


def test_count_pod_looks_at_less_than_the_first_count_does():
    deleted = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    running = [web("a"), web("a", **deleted), web("a", namespace="other"), pod(on="a", labels={"app": "db"})]

    def fits_after(removed: int, selector: dict, left: str) -> bool:
        nodes = [item for item in ABC if item["metadata"]["name"] in left]
        cycle = cycle_of(nodes, running, spread(constraint(1, labelSelector=selector)))
        plugin = PodTopologySpread()
        plugin.pre_filter(cycle)
        plugin.count_pod(cycle, removed, 0, -1)
        return plugin.filter(cycle, cycle.state.all_nodes).code[0] == FINE

    selector = {"matchLabels": WEB}
    assert fits_after(0, selector, "ab")  # x 1 - 1
    assert fits_after(1, selector, "ab")  # x 1 - 1, though the pod being deleted was not in the 1
    assert not fits_after(2, selector, "ab")
    assert not fits_after(3, selector, "ab")
    # An empty selector counts nobody at first and then takes everyone away: x 0 - 1 is the new lowest, y 0 + 1 + 1 = 2.
    cycle = cycle_of(ABC, running, spread(constraint(1, labelSelector={})))
    plugin = PodTopologySpread()
    plugin.pre_filter(cycle)
    plugin.count_pod(cycle, 3, 0, -1)
    assert plugin.filter(cycle, cycle.state.all_nodes).code.tolist() == [FINE, SKEW, SKEW]


def test_templates_that_divide_the_nodes_differently_share_nothing():
    nodes = [node("a", {ZONE: "x", "disk": "ssd"}), tainted("b", "y")]
    honouring = constraint(1, nodeTaintsPolicy="Honor")
    tolerating = {"tolerations": [{"key": "dead", "operator": "Exists"}]}
    waiting = [
        spread(constraint(1)),
        spread(constraint(1), nodeSelector={"disk": "ssd"}),
        spread(honouring),
        spread(honouring, **tolerating),
    ]
    state = state_of(nodes, [web("a"), *waiting])
    # x has 1. y is a domain of 0 for the first and the last: 1 + 1 - 0 = 2; for the others x is alone: 1 + 1 - 1 = 1.
    assert [verdicts(Cycle(state, number))["a"] for number in (1, 2, 3, 4)] == [SKEW, FINE, FINE, SKEW]


def test_cluster_without_nodes():
    plugin, cycle = PodTopologySpread(), cycle_of([], [], spread(constraint(1)))
    assert plugin.pre_filter(cycle).code is Code.SUCCESS
    assert len(plugin.filter(cycle, cycle.state.all_nodes).code) == 0
