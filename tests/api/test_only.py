import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace import Cluster
from kplace.api.only import _SYNTAX, chosen_pods, parse_selector
from kplace.errors import UsageError
from tests.frames.tables import NODES, PODS, cluster

AGENT = pd.DataFrame({"namespace": ["infra"], "pod": ["agent"], "label:app": ["agent"], "node": ["a"]})


@pytest.mark.parametrize(
    ("text", "matching"),
    [
        ("", ["web", "db", "none"]),
        ("app=web", ["web"]),
        ("app==web", ["web"]),
        ("app = web", ["web"]),
        ("app!=web", ["db", "none"]),
        ("app in (web,db)", ["web", "db"]),
        ("app in ( web , db )", ["web", "db"]),
        ("app notin (web)", ["db", "none"]),
        ("app", ["web", "db"]),
        ("!app", ["none"]),
        ("! app", ["none"]),
        ("app=web,tier!=front", []),
        ("app,tier notin (front,back)", ["db"]),
        ("app=", []),
        ("example.com/team=a", ["none"]),
    ],
)
def test_selectors_as_kubectl_reads_them(text, matching):
    objects = {"web": {"app": "web", "tier": "front"}, "db": {"app": "db"}, "none": {"example.com/team": "a"}}
    selector = parse_selector(text)
    assert [name for name, labels in objects.items() if selector.matches(labels)] == matching


@pytest.mark.parametrize("text", ["app=web,", "=web", "app in web", "app in (web", "app > 3", "app=a=b", "a b", "-app"])
def test_what_is_no_selector(text):
    with pytest.raises(UsageError, match="only: expected a label requirement such as"):
        parse_selector(text)


@pytest.mark.parametrize(
    ("only", "pods"),
    [
        ("shop", [0, 1]),
        ("*", [0, 1, 2, 3, 4]),
        ("*/app=web", [0, 1]),
        ("data/app notin (huge)", [2, 4]),
        ("shop/", [0, 1]),
    ],
)
def test_namespaces_and_selectors(only, pods):
    assert chosen_pods(cluster().columns, only).tolist() == pods


@pytest.mark.parametrize(
    ("only", "message"),
    [
        # The namespace: web-0 of shop is bound to a node, web-1 waits; nothing waits in infra.
        ("shopp", "there are no pods in the namespace 'shopp'; some are waiting in data, shop; did you mean shop?"),
        ("*/tier", "no waiting pod has 'tier'; their labels are app, team"),
        ("infra", "there are no waiting pods in the namespace 'infra'; some are waiting in data, shop"),
        ("app=web", f"{_SYNTAX}, got 'app=web'; did you mean '*/app=web'?"),
        ("", f"{_SYNTAX}, got ''"),
        ("/app=web", f"{_SYNTAX}, got '/app=web'"),
        # A label's key or value.
        ("shop/ap=web", "no waiting pod in the namespace 'shop' has 'ap=web'; their labels are app; did you mean app?"),
        (
            "shop/app in (wbe)",
            "no waiting pod in the namespace 'shop' has 'app=wbe'; app is web there; did you mean web?",
        ),
        (
            "*/app in (hgue, tarin)",
            "no waiting pod has 'app in (hgue,tarin)'; app is db, huge, train, web there; did you mean huge or train?",
        ),
        ("shop/app!=web", "no waiting pod in the namespace 'shop' has 'app!=web'; app is web there"),
        ("shop/!app", "no waiting pod in the namespace 'shop' has '!app'; app is web there"),
        ("*/app=web,team=a", "no waiting pod has all that '*/app=web,team=a' asks for"),
        # Pods that are there, but not to be placed.
        ("*/app=agent", "the only pod that '*/app=agent' chooses is not waiting to be placed"),
    ],
)
def test_what_chooses_no_waiting_pod_is_refused(only, message):
    team = [None, None, "a", None, None]
    pods = pd.concat([PODS.assign(**{"label:team": team}), AGENT], ignore_index=True)
    with pytest.raises(UsageError) as caught:
        chosen_pods(Cluster.from_frames(NODES, pods).columns, only)
    assert str(caught.value) == f"only: {message}"


def test_pods_without_labels_and_inputs_without_waiting_pods_have_nothing_to_offer():
    bare = Cluster.from_frames(NODES, PODS[["pod", "node"]])
    with pytest.raises(UsageError, match=r"no waiting pod has 'app'; they have no labels$"):
        chosen_pods(bare.columns, "*/app")
    placed = Cluster.from_frames(NODES, PODS.assign(node="a"))
    with pytest.raises(UsageError, match="only: no pod is waiting to be placed in this input"):
        chosen_pods(placed.columns, "shop")


def test_gated_pods_can_be_chosen():
    made = Cluster.from_frames(NODES, PODS.assign(gated=True))
    assert chosen_pods(made.columns, "shop").tolist() == [0, 1]


values = st.sampled_from(["", "a", "b-1", "c.d_e"])


@given(values, st.lists(values, min_size=1), st.booleans())
def test_in_is_a_choice_of_equals(own, listed, given_label):
    labels = {"key": own} if given_label else {}
    expected = given_label and own in listed
    assert parse_selector(f"key in ({','.join(listed)})").matches(labels) == expected
    assert parse_selector(f"key notin ({','.join(listed)})").matches(labels) == (not expected)
