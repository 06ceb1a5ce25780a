"""InterPodAffinity: the three rules and their reasons, whose terms count where, scores, counts that follow the pods."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplace.dtypes import NO_NODE, Code
from kplace.framework import Cycle
from kplace.plugins.interpodaffinity import kernels
from kplace.plugins.interpodaffinity.args import InterPodAffinityArgs
from kplace.plugins.interpodaffinity.plugin import InterPodAffinity
from kplace.state import ClusterState
from tests.naive import interpodaffinity as naive
from tests.plugins.clusters import Spec, node, pod, state_of

ZONE, HOST = "zone", "host"
NODES = [
    node("a1", {ZONE: "a", HOST: "a1"}),
    node("a2", {ZONE: "a", HOST: "a2"}),
    node("b1", {ZONE: "b", HOST: "b1"}),
    node("c1", {HOST: "c1"}),  # in no zone
]


def app(name: str) -> Spec:
    return {"matchLabels": {"app": name}}


def term(selector: Spec | None, key: str = ZONE, **more: object) -> Spec:
    return {"labelSelector": selector, "topologyKey": key, **more}


def near(*terms: Spec) -> Spec:
    return {"podAffinity": {naive.REQUIRED: list(terms)}}


def far(*terms: Spec) -> Spec:
    return {"podAntiAffinity": {naive.REQUIRED: list(terms)}}


def prefer(side: str, *weighted: tuple[int, Spec]) -> Spec:
    return {side: {naive.PREFERRED: [{"weight": weight, "podAffinityTerm": item} for weight, item in weighted]}}


def wants(affinity: Spec, name: str = "me", **more: object) -> Spec:
    """A pod with an affinity, labelled ``app=me``."""
    return pod({"affinity": affinity}, labels={"app": name}, **more)


def runs(name: str, on: str, **more: object) -> Spec:
    return pod(on=on, labels={"app": name}, **more)


def cycle_of(waiting: Spec, running: list[Spec], namespaces: dict | None = None) -> Cycle:
    return Cycle(state_of(NODES, [*running, waiting], namespaces), len(running))


def filtered(waiting: Spec, running: list[Spec], namespaces: dict | None = None) -> dict[str, str]:
    """What the filter says of the nodes that it fails."""
    cycle = cycle_of(waiting, running, namespaces)
    plugin = InterPodAffinity()
    verdict = plugin.filter(cycle, cycle.state.all_nodes)
    names = cycle.state.columns.nodes.names
    failed = np.flatnonzero(verdict.code)
    return {
        names[n]: f"{Code(verdict.code[n]).name} {plugin.reasons(cycle, int(verdict.detail[n]))[0]}" for n in failed
    }


AFFINITY = "UNSCHEDULABLE_AND_UNRESOLVABLE node(s) didn't match pod affinity rules"
ANTI_AFFINITY = "UNSCHEDULABLE node(s) didn't match pod anti-affinity rules"
EXISTING = "UNSCHEDULABLE node(s) didn't satisfy existing pods anti-affinity rules"


def test_affinity_needs_the_key_and_a_pod_in_the_domain():
    assert filtered(wants(near(term(app("db")))), [runs("db", "a1")]) == {"b1": AFFINITY, "c1": AFFINITY}


def test_every_key_needs_a_pod_that_matches_all_terms_together():
    # The pod in zone a matches only the first term, the one in zone b only the second: together they are no match.
    waiting = wants(near(term(app("db")), term({"matchLabels": {"tier": "1"}}, HOST)))
    apart = [runs("db", "a1"), pod(on="b1", labels={"tier": "1"})]
    assert filtered(waiting, apart) == dict.fromkeys(["a1", "a2", "b1", "c1"], AFFINITY)
    both = pod(on="b1", labels={"app": "db", "tier": "1"})
    assert filtered(waiting, [*apart, both]) == dict.fromkeys(["a1", "a2", "c1"], AFFINITY)


def test_first_pod_of_a_group_may_go_wherever_all_keys_are():
    assert filtered(wants(near(term(app("me")))), []) == {"c1": AFFINITY}


def test_first_pod_needs_to_match_itself():
    assert len(filtered(wants(near(term(app("db")))), [])) == 4
    assert len(filtered(wants(near(term(app("me"), namespaces=["elsewhere"]))), [])) == 4


def test_a_pod_on_a_node_without_the_key_does_not_end_the_rule_of_the_first():
    waiting = wants(near(term(app("me"))))
    assert filtered(waiting, [runs("me", "c1")]) == {"c1": AFFINITY}
    assert filtered(waiting, [runs("me", "b1")]) == {"a1": AFFINITY, "a2": AFFINITY, "c1": AFFINITY}


def test_with_two_keys_a_pod_counted_for_one_ends_the_rule_of_the_first():
    # c1 has no zone, so nothing is counted for zones; but the pod there is counted for its host.
    waiting = wants(near(term(app("me")), term(app("me"), HOST)))
    assert len(filtered(waiting, [runs("me", "c1")])) == 4


def test_anti_affinity_passes_nodes_without_the_key():
    assert filtered(wants(far(term(app("db")))), [runs("db", "a1"), runs("db", "c1")]) == {
        "a1": ANTI_AFFINITY,
        "a2": ANTI_AFFINITY,
    }


def test_anti_affinity_terms_count_one_by_one():
    waiting = wants(far(term(app("db")), term(app("web"), HOST)))
    assert filtered(waiting, [runs("db", "b1"), runs("web", "a1")]) == {"a1": ANTI_AFFINITY, "b1": ANTI_AFFINITY}


def test_existing_anti_affinity_works_both_ways():
    hostile = pod({"affinity": far(term(app("me"), HOST))}, on="a1", labels={"app": "db"})
    assert filtered(wants({}), [hostile]) == {"a1": EXISTING}


def test_the_first_broken_rule_is_named():
    hostile = pod({"affinity": far(term(app("me")))}, on="a1", labels={"app": "web"})
    all_three = near(term(app("db"))) | far(term(app("web")))
    # Zone a breaks the last two rules, b1 only the first one.
    assert filtered(wants(all_three), [hostile, runs("db", "a2")]) == {
        "a1": ANTI_AFFINITY,
        "a2": ANTI_AFFINITY,
        "b1": AFFINITY,
        "c1": AFFINITY,
    }
    assert filtered(wants(near(term(app("db")))), [hostile, runs("db", "a2")])["a1"] == EXISTING
    assert filtered(wants(all_three), [hostile])["a1"] == AFFINITY


def test_pods_that_are_being_deleted_count():
    leaving = runs("db", "a1", deletionTimestamp="2026-01-01T00:00:00Z")
    assert set(filtered(wants(far(term(app("db")))), [leaving])) == {"a1", "a2"}


@pytest.mark.parametrize(("selector", "matched"), [(None, False), ({}, True)])
def test_nil_selects_nothing_and_empty_everything(selector: Spec | None, matched: bool):
    assert bool(filtered(wants(far(term(selector))), [runs("db", "a1")])) is matched


@pytest.mark.parametrize(
    ("more", "matched"),
    [
        ({}, {"a1"}),  # the pod's own namespace
        ({"namespaces": ["one"]}, {"b1"}),
        ({"namespaceSelector": {"matchLabels": {"team": "2"}}}, {"c1"}),
        ({"namespaces": ["one"], "namespaceSelector": {"matchLabels": {"team": "2"}}}, {"b1", "c1"}),
        ({"namespaceSelector": {}}, {"a1", "b1", "c1"}),
        ({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "default"}}}, {"a1"}),
    ],
)
def test_namespaces_of_own_and_existing_terms(more: Spec, matched: set):
    namespaces = {"one": {"team": "1"}, "two": {"team": "2"}}
    places = {"a1": "default", "b1": "one", "c1": "two"}
    own = wants(far(term({}, HOST, **more)))
    assert set(filtered(own, [runs("db", on, namespace=name) for on, name in places.items()], namespaces)) == matched
    carried = pod({"affinity": far(term({}, HOST, **more))}, on="a2")
    for on, name in places.items():
        assert bool(filtered(pod(namespace=name), [carried], namespaces)) is (on in matched)


def test_an_own_namespace_selector_that_no_labels_meet_selects_every_namespace():
    everywhere_but = {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["1"]}]}
    hostile = far(term({}, HOST, namespaceSelector=everywhere_but))
    namespaces = {"one": {"team": "1"}, "two": {"team": "2"}}
    assert set(filtered(wants(hostile), [runs("db", "a1", namespace="one")], namespaces)) == {"a1"}
    carried = pod({"affinity": hostile}, on="a1")
    assert not filtered(pod(namespace="one"), [carried], namespaces)
    assert set(filtered(pod(namespace="two"), [carried], namespaces)) == {"a1"}


@pytest.mark.parametrize(
    ("affinity", "running", "code"),
    [
        ({}, [], Code.SKIP),
        (prefer("podAffinity", (1, term(app("db")))), [runs("db", "a1")], Code.SKIP),
        (near(term(app("db"))), [], Code.SUCCESS),
        (far(term(app("db"))), [], Code.SUCCESS),
        ({}, [pod({"affinity": far(term(app("me")))}, on="b1")], Code.SUCCESS),
        ({}, [pod({"affinity": far(term(app("me")))}, on="c1")], Code.SKIP),  # not counted: c1 is in no zone
        ({}, [pod({"affinity": far(term(app("you")))}, on="b1")], Code.SKIP),
        ({}, [pod({"affinity": near(term(app("me")))}, on="b1")], Code.SKIP),
    ],
)
def test_when_the_filter_is_skipped(affinity: Spec, running: list[Spec], code: Code):
    assert InterPodAffinity().pre_filter(cycle_of(wants(affinity), running)).code is code


def scored(waiting: Spec, running: list[Spec], args: InterPodAffinityArgs | None = None) -> list[int] | None:
    cycle = cycle_of(waiting, running)
    plugin = InterPodAffinity(args)
    nodes = cycle.state.all_nodes
    return plugin.score(cycle, nodes).tolist() if plugin.pre_score(cycle, nodes) else None


def by_node(**scores: int) -> list[int]:
    names = state_of(NODES, []).columns.nodes.names
    return [scores.get(name, 0) for name in names]


DB_TWICE_IN_A = [runs("db", "a1"), runs("db", "a2"), runs("db", "b1"), runs("db", "c1")]


def test_preferred_terms_add_up_over_domains():
    both = prefer("podAffinity", (10, term(app("db")))) | prefer("podAntiAffinity", (3, term(app("db"), HOST)))
    # zone a: 2 pods * 10; zone b: 1 * 10; no zone: nothing. Each host: 1 pod * -3.
    assert scored(wants(both), DB_TWICE_IN_A) == by_node(a1=17, a2=17, b1=7, c1=-3)


def test_terms_of_existing_pods_count_for_the_pods_they_mean():
    running = [
        pod({"affinity": near(term(app("me")))}, on="a1"),  # +1 in zone a: hardPodAffinityWeight
        pod({"affinity": prefer("podAffinity", (20, term(app("me"))))}, on="b1"),  # +20 in zone b
        pod({"affinity": prefer("podAntiAffinity", (7, term(app("me"), HOST)))}, on="a2"),  # -7 on a2
        pod({"affinity": prefer("podAffinity", (50, term(app("you"), HOST)))}, on="a2"),  # means others
        pod({"affinity": far(term(app("me")))}, on="c1"),  # required anti-affinity gives no score
    ]
    assert scored(wants({}), running) == by_node(a1=1, a2=1 - 7, b1=20)
    assert scored(wants({}), running, InterPodAffinityArgs(30)) == by_node(a1=30, a2=30 - 7, b1=20)
    assert scored(wants({}), running, InterPodAffinityArgs(0)) == by_node(a2=-7, b1=20)


def test_the_same_term_twice_counts_twice():
    twice = prefer("podAffinity", (10, term(app("db"), HOST)), (10, term(app("db"), HOST)))
    assert scored(wants(twice), [runs("db", "a1")]) == by_node(a1=20)
    assert scored(wants({}, "db"), [pod({"affinity": twice}, on="a1")]) == by_node(a1=20)


def test_own_and_existing_terms_of_one_group_add_up():
    # The running replica is hit by the waiting one's term, and its own term hits the waiting one: -5 twice.
    replica = {"affinity": prefer("podAntiAffinity", (5, term(app("me"), HOST)))}
    assert scored(pod(replica, labels={"app": "me"}), [pod(replica, on="a1", labels={"app": "me"})]) == by_node(a1=-10)


@pytest.mark.parametrize(
    ("affinity", "running"),
    [
        ({}, DB_TWICE_IN_A),
        (prefer("podAffinity", (10, term(app("you")))), DB_TWICE_IN_A),
        (prefer("podAffinity", (10, term(app("db")))), [runs("db", "c1")]),  # c1 is in no zone
        ({}, [pod({"affinity": far(term(app("me")))}, on="a1")]),
    ],
)
def test_score_is_skipped_if_no_pod_counts(affinity: Spec, running: list[Spec]):
    assert scored(wants(affinity), running) is None


def test_terms_that_cancel_out_are_not_skipped():
    both = prefer("podAffinity", (10, term(app("db")))) | prefer("podAntiAffinity", (10, term(app("db"))))
    assert scored(wants(both), DB_TWICE_IN_A) == [0, 0, 0, 0]
    assert scored(wants({}, "db"), [pod({"affinity": both}, on="a1")]) == [0, 0, 0, 0]


def test_preferences_of_existing_pods_can_be_ignored_for_pods_without_any():
    args = InterPodAffinityArgs(ignore_preferred_terms_of_existing_pods=True)
    running = [pod({"affinity": prefer("podAffinity", (20, term(app("me"))))}, on="b1")]
    assert scored(wants({}), running, args) is None
    own = prefer("podAffinity", (1, term(app("you"))))
    assert scored(wants(own), running, args) == by_node(b1=20)


@pytest.mark.parametrize(
    ("raw", "final"),
    [
        ([-5, 0, 2], [0, 71, 100]),  # 100 * (5/7) = 71.4
        ([3, 3, 3], [0, 0, 0]),
        ([0, 29, 100], [0, 28, 100]),  # 29/100 is a little less than 0.29: 100 * 0.29 = 28.999999999999996
        ([-17, -17], [0, 0]),
        ([-100, -40], [0, 100]),
    ],
)
def test_normalize(raw: list[int], final: list[int]):
    scores = np.array(raw, np.int64)
    kernels.normalize_affinity(scores)
    assert scores.tolist() == final


def test_two_weights_of_required_terms_do_not_mix():
    # With weight 9 the required and the preferred term are worth the same, with weight 1 they are not.
    running = [
        pod({"affinity": near(term(app("me")))}, on="a1"),
        pod({"affinity": prefer("podAffinity", (9, term(app("me"))))}, on="b1"),
    ]
    state = state_of(NODES, [*running, wants({})])
    plugins = [InterPodAffinity(InterPodAffinityArgs(weight)) for weight in (1, 9, 1)]
    scores = [plugin.score(Cycle(state, 2), state.all_nodes).tolist() for plugin in plugins]
    assert scores == [by_node(a1=1, a2=1, b1=9), by_node(a1=9, a2=9, b1=9), by_node(a1=1, a2=1, b1=9)]


LABELS = st.dictionaries(st.sampled_from(["app", "tier"]), st.sampled_from(["x", "y"]))
EXPRESSIONS = st.one_of(
    st.fixed_dictionaries(
        {
            "key": st.sampled_from(["app", "tier", "team"]),
            "operator": st.sampled_from(["In", "NotIn"]),
            "values": st.lists(st.sampled_from(["x", "y"]), min_size=1, max_size=3),
        }
    ),
    st.fixed_dictionaries(
        {"key": st.sampled_from(["app", "tier", "team"]), "operator": st.sampled_from(["Exists", "DoesNotExist"])}
    ),
)
SELECTORS = st.one_of(
    st.none(),
    st.just({}),
    st.builds(lambda labels: {"matchLabels": labels}, LABELS),
    st.builds(lambda items: {"matchExpressions": items}, st.lists(EXPRESSIONS, min_size=1, max_size=2)),
)
TERMS = st.fixed_dictionaries(
    {"topologyKey": st.sampled_from([ZONE, HOST, "nowhere"]), "labelSelector": SELECTORS},
    optional={
        "namespaces": st.lists(st.sampled_from(["default", "one", "two"]), max_size=2),
        "namespaceSelector": SELECTORS,
    },
)
SIDES = st.fixed_dictionaries(
    {},
    optional={
        naive.REQUIRED: st.lists(TERMS, max_size=2),
        naive.PREFERRED: st.lists(
            st.fixed_dictionaries({"weight": st.integers(1, 3), "podAffinityTerm": TERMS}), max_size=2
        ),
    },
)
PODS = st.builds(
    lambda affinity, labels, namespace: pod({"affinity": affinity}, labels=labels, namespace=namespace),
    st.fixed_dictionaries({}, optional={naive.NEAR: SIDES, naive.FAR: SIDES}),
    LABELS,
    st.sampled_from(["default", "one", "two"]),
)
NODE_LABELS = st.fixed_dictionaries(
    {}, optional={ZONE: st.sampled_from("ab"), HOST: st.sampled_from("123"), "app": st.just("x")}
)
NAMESPACES = {
    name: {"kubernetes.io/metadata.name": name, **labels}
    for name, labels in {"default": {}, "one": {"team": "x"}, "two": {"team": "y", "app": "x"}}.items()
}
RULES = {0: "", 1: "affinity", 2: "anti-affinity", 3: "existing anti-affinity"}


def check_waiting(
    state: ClusterState, pods: list[Spec], waiting: int, labels: list, args: InterPodAffinityArgs
) -> None:
    """Compare what the plugin and the oracle say of one waiting pod."""
    plugin, cycle, nodes = InterPodAffinity(args), Cycle(state, waiting), state.all_nodes
    running = [(pods[p], labels[state.node_of_pod[p]]) for p in np.flatnonzero(state.node_of_pod != NO_NODE)]

    expected = naive.filtered(pods[waiting], running, labels, NAMESPACES)
    assert (plugin.pre_filter(cycle).code is Code.SKIP) == (expected is None)
    verdict = plugin.filter(cycle, nodes)
    rules = [RULES[detail] for detail in verdict.detail.tolist()]
    assert rules == (expected or [""] * len(labels))

    sample = nodes[::-1][: len(nodes) - 1]  # scores are of some nodes, in any order, but all pods count
    hard, ignore = args.hard_pod_affinity_weight, args.ignore_preferred_terms_of_existing_pods
    scores = naive.scored(pods[waiting], running, [labels[n] for n in sample], NAMESPACES, hard, ignore)
    assert plugin.pre_score(cycle, sample) == (scores is not None)
    if scores:
        raw = plugin.score(cycle, sample)
        assert raw.tolist() == scores
        plugin.normalize_score(cycle, sample, raw)
        assert raw.tolist() == naive.normalized(scores)


@settings(deadline=None)
@given(
    st.lists(NODE_LABELS, min_size=1, max_size=5),
    st.lists(PODS, min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 4)), min_size=1, max_size=10),
    st.builds(InterPodAffinityArgs, st.sampled_from([0, 1, 5]), st.booleans()),
)
def test_against_the_oracle_while_pods_come_and_go(labels: list, pods: list, moves: list, args: InterPodAffinityArgs):
    state = state_of([node(str(number), item) for number, item in enumerate(labels)], pods, NAMESPACES)
    labels = [labels[int(name)] for name in state.columns.nodes.names]
    for number, target in moves:
        moved = number % len(pods)
        if state.node_of_pod[moved] != NO_NODE:
            state.forget(moved)
        if target >= 0:
            state.assume(moved, target % len(labels))
        for waiting in np.flatnonzero(state.node_of_pod == NO_NODE):
            check_waiting(state, pods, int(waiting), labels, args)
