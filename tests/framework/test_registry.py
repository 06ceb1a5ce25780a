"""What makes a class a plugin, and the table of those that are known by name."""

from dataclasses import dataclass

import pytest

from kplace.config import ExtensionPoint
from kplace.errors import PluginError
from kplace.framework import PluginRegistry, plugin
from kplace.framework.registry import DECORATED, entry_of


class Scores:
    def score(self, cycle, nodes):
        return nodes


class Filters:
    reason = "no"

    def filter(self, cycle, nodes):
        return nodes >= 0


@pytest.fixture
def marked():
    """Undoes what `plugin` marks during a test."""
    before = dict(DECORATED._entries)
    yield
    DECORATED._entries.clear()
    DECORATED._entries.update(before)


def test_a_class_is_named_after_itself_and_runs_where_it_has_methods():
    class Both(Filters, Scores):
        def pre_enqueue(self, template):
            return True

    entry = entry_of(Both)
    assert entry.name == "Both"
    assert entry.spec.points == {ExtensionPoint.FILTER, ExtensionPoint.SCORE, ExtensionPoint.PRE_ENQUEUE}
    assert entry.make(None).name == "Both"


def test_a_subclass_gets_a_name_of_its_own_but_keeps_one_that_was_given():
    class Named:
        name = "Given"
        score = Scores.score

    class Plain(Scores):
        pass

    entry_of(Scores)
    assert entry_of(Plain).name == "Plain"
    assert entry_of(type("Other", (Named,), {})).name == "Given"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, "it has no method of any extension point, such as filter or score"),
        ({"scores": lambda self, cycle, nodes: nodes}, 'did you mean "score"?'),
        ({"filter": lambda self, cycle, nodes: nodes}, "with filter it needs reasons or reason"),
        ({"score": lambda self, nodes: nodes}, "score must take (self, cycle, nodes)"),
        ({"score": 7}, "score must take (self, cycle, nodes)"),
        ({"sort": lambda self, pods, waiting: waiting}, "with sort it needs rank"),
        ({"reserve": lambda self, cycle, node: None}, "with reserve it needs unreserve"),
        ({"normalize_score": lambda self, cycle, nodes, scores: None}, "with normalize_score it needs score"),
        ({"name": "", "score": Scores.score}, "its name must be a text, got ''"),
        ({"name": 3, "score": Scores.score}, "its name must be a text, got 3"),
        ({"Args": int, "score": Scores.score}, "Args must be a dataclass"),
    ],
)
def test_what_is_no_plugin(members, message):
    with pytest.raises(PluginError) as caught:
        entry_of(type("Odd", (), members))
    assert message in str(caught.value)


def test_more_arguments_with_defaults_and_static_methods_are_fine():
    class Wide:
        def score(self, cycle, nodes, factor=1):
            return nodes

        @staticmethod
        def pre_enqueue(template):
            return True

    assert entry_of(Wide).spec.points == {ExtensionPoint.SCORE, ExtensionPoint.PRE_ENQUEUE}


def test_a_plugin_that_is_made_already_stays_that_one():
    made = Scores()
    entry = entry_of(made)
    assert entry.make(None) is made


def test_plugins_are_made_with_their_arguments():
    class Bounded(Scores):
        @dataclass(frozen=True)
        class Args:
            most: int = 3

        def __init__(self, args):
            self.most = args.most

    entry = entry_of(Bounded)
    assert entry.make(None).most == 3
    assert entry.make(Bounded.Args(most=7)).most == 7


def test_plain_arguments_reach_a_class_without_its_own_dataclass():
    class Plain(Scores):
        def __init__(self, args=None):
            self.args = args

    assert entry_of(Plain).make({"a": 1}).args == {"a": 1}
    assert entry_of(Plain).make(None).args is None
    assert isinstance(entry_of(Scores).make({"a": 1}), Scores)


def test_a_plugin_that_cannot_be_made_says_why():
    class Fails(Scores):
        def __init__(self):
            raise ValueError("out of paper")

    with pytest.raises(PluginError, match="plugin Fails cannot be made: ValueError: out of paper"):
        entry_of(Fails).make(None)


def test_two_plugins_of_one_name_are_refused():
    one, other = (type("Twin", (Scores,), {"__module__": module, "name": "Twin"}) for module in ("a", "b"))
    registry = PluginRegistry([one])
    registry.add(one)
    with pytest.raises(PluginError, match=r"plugin Twin: there are two of that name, a.Twin and b.Twin"):
        registry.add(other)


def test_a_class_that_is_defined_anew_takes_the_place_of_the_old_one():
    old, new = (type("Cell", (Scores,), {"__module__": "notebook", "name": "Cell"}) for _ in range(2))
    registry = PluginRegistry([old, new])
    assert registry["Cell"].source is new


def test_a_mapping_must_name_its_plugins_as_they_do_themselves():
    assert list(PluginRegistry({"Scores": Scores})) == ["Scores"]
    with pytest.raises(PluginError, match="plugin Points: it names itself Scores"):
        PluginRegistry({"Points": Scores})


def test_marked_classes_are_known_by_name(marked):
    @plugin
    class Marked(Scores):
        pass

    @plugin(name="example.com/other")
    class Other(Scores):
        pass

    assert DECORATED["Marked"].source is Marked
    assert DECORATED["example.com/other"].source is Other
    assert Other.name == "example.com/other"
    with pytest.raises(PluginError, match="two of that name"):
        plugin(name="Marked")(type("Marked", (Scores,), {"__module__": "elsewhere"}))
