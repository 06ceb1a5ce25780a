"""Groups of pods: rows that are shared, counts that follow the pods, members found through the index."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kplace.columns.selectors import NOTHING, Operator, Requirement, Selector
from kplace.columns.template_index import TemplateIndex
from kplace.columns.templates import Template
from kplace.state import ClusterState
from tests.plugins.clusters import node, pod, state_of

NODES = [node("a"), node("b"), node("c")]


def labelled(**labels: str) -> Selector:
    return Selector.of_map(labels)


def counts(state: ClusterState, row: int) -> list[int]:
    assert state.groups.totals[row] == state.groups.counts[row].sum()
    return state.groups.counts[row].tolist()


def web_on(*names: str) -> list[dict]:
    return [pod(on=name, labels={"app": "web"}) for name in names]


def test_a_new_group_counts_the_pods_that_are_there_and_follows_them():
    state = state_of(NODES, [*web_on("a", "a", "b", ""), pod(on="c", labels={"app": "db"})])
    row = state.group("web", lambda template: template.labels["app"] == "web")
    assert counts(state, row) == [2, 1, 0]
    state.assume(3, 2)
    assert counts(state, row) == [2, 1, 1]
    state.forget(0)
    assert counts(state, row) == [1, 1, 1]


def test_pods_that_are_being_deleted_can_be_left_out():
    leaving = pod(on="a", labels={"app": "web"}, deletionTimestamp="2026-01-01T00:00:00Z")
    state = state_of(NODES, [*web_on("a"), leaving])
    staying = state.group("staying", lambda _: True, skips_terminating=True)
    everyone = state.group("everyone", lambda _: True)
    assert (counts(state, staying), counts(state, everyone)) == ([1, 0, 0], [2, 0, 0])
    state.forget(1)
    assert (counts(state, staying), counts(state, everyone)) == ([1, 0, 0], [1, 0, 0])


def test_groups_of_the_same_templates_share_a_row_and_are_counted_once():
    state = state_of(NODES, web_on("a", "b"))
    one = state.group("one", lambda template: "app" in template.labels)
    state.forget(0)
    assert state.group("two", lambda template: template.labels["app"] == "web") == one
    assert state.group("none", lambda _: False) == state.group("no one", lambda _: False) != one
    assert counts(state, one) == [0, 1, 0]


def test_a_pod_that_has_moved_before_counts_for_groups_added_later():
    leaving = pod(on="a", labels={"app": "web"}, deletionTimestamp="2026-01-01T00:00:00Z")
    state = state_of(NODES, [*web_on("a"), leaving])
    for moved in (0, 1):
        state.forget(moved)
        state.assume(moved, 1)
    row = state.group("web", lambda _: True)
    for moved in (0, 1):
        state.forget(moved)
        state.assume(moved, 2)
    assert counts(state, row) == [0, 0, 2]


def test_only_the_templates_named_are_asked():
    state = state_of(NODES, [*web_on("a"), pod(on="b", labels={"app": "db"}), pod(on="c")])
    asked = []

    def member(template: Template) -> bool:
        asked.append(template.code)
        return True

    assert counts(state, state.group("some", member, among=[2, 0])) == [1, 0, 1]
    assert asked == [2, 0]


def test_more_groups_than_there_were_rows_at_first():
    state = state_of(NODES, [pod(on="abc"[number % 3], labels={"app": str(number)}) for number in range(20)])
    rows = [state.group(n, lambda template, n=n: int(template.labels["app"]) <= n) for n in range(20)]
    assert rows == list(range(20))
    assert [counts(state, row) for row in rows] == [[n // 3 + 1, (n + 2) // 3, (n + 1) // 3] for n in range(20)]


LABELS = st.dictionaries(st.sampled_from("kl"), st.sampled_from("xyz"))
REQUIREMENTS = st.builds(
    lambda key, operator, values: Requirement(key, operator, tuple(sorted(values))),
    st.sampled_from("klm"),
    st.sampled_from([Operator.IN, Operator.NOT_IN, Operator.EXISTS, Operator.DOES_NOT_EXIST]),
    st.sets(st.sampled_from("xyz"), min_size=1),
)
SELECTORS = st.one_of(st.just(NOTHING), st.lists(REQUIREMENTS, max_size=2).map(lambda items: Selector(tuple(items))))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("pq"), LABELS), max_size=8),
    SELECTORS,
    st.one_of(st.none(), st.sets(st.sampled_from("pqr"))),
)
def test_the_index_misses_no_template_and_names_none_twice(pods: list, selector: Selector, namespaces: set | None):
    state = state_of([], [pod(namespace=namespace, labels=labels) for namespace, labels in pods])
    templates = state.columns.templates
    found = list(TemplateIndex(templates).candidates(selector, namespaces))
    assert len(found) == len(set(found))
    matching = {
        template.code
        for template in templates
        if selector.matches(template.labels) and (namespaces is None or template.namespace in namespaces)
    }
    assert matching <= set(found)


def test_the_index_looks_only_at_pods_with_the_label():
    state = state_of(NODES, [*web_on("a"), *(pod(labels={"app": str(number)}) for number in range(50))])
    assert list(state.template_index.candidates(labelled(app="web"))) == [0]
    assert list(state.template_index.candidates(labelled(app="web", tier="x"))) == []
    assert list(state.template_index.candidates(labelled(), {"elsewhere"})) == []
    assert state.template_index is state.template_index


def test_what_is_shared_is_made_once():
    state = state_of(NODES, web_on("a"))
    made = [state.shared("owner", lambda columns: np.zeros(len(columns.nodes))) for _ in range(2)]
    assert made[0] is made[1]
    assert len(made[0]) == 3
