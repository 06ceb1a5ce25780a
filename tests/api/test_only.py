import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.api.only import chosen_pods, parse_selector
from kplace.errors import UsageError
from tests.frames.tables import cluster


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


values = st.sampled_from(["", "a", "b-1", "c.d_e"])


@given(values, st.lists(values, min_size=1), st.booleans())
def test_in_is_a_choice_of_equals(own, listed, given_label):
    labels = {"key": own} if given_label else {}
    expected = given_label and own in listed
    assert parse_selector(f"key in ({','.join(listed)})").matches(labels) == expected
    assert parse_selector(f"key notin ({','.join(listed)})").matches(labels) == (not expected)
