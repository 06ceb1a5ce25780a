"""`check_plugin`: what keeps to the contract passes, and every breach is found."""

from dataclasses import dataclass

import numpy as np
import pytest

from kplace.dtypes import Code
from kplace.errors import ConfigError, PluginContractError, PluginError
from kplace.framework import PermitResult, PreFilterResult, Verdict
from kplace.plugins.registry import in_tree_registry
from kplace.testing import check_plugin, cluster_of, make_node, make_pod, sample_cluster
from kplace.testing.sample import RACK


class Racks:
    """Keeps pods off a rack."""

    reason = "node(s) in a rack under repair"
    is_local = True

    @dataclass(frozen=True)
    class Args:
        rack: str = "3"

    def __init__(self, args):
        self.rack = args.rack

    def filter(self, cycle, nodes):
        return cycle.at(nodes).label(RACK) != self.rack


class RacksByNode:
    def filter(self, cycle, node):
        column = cycle.state.columns.nodes.labels[RACK]
        code = column.codes[node]
        return code < 0 or column.values[code] != "3"


class Packs:
    def score(self, cycle, nodes):
        return (100 * np.minimum(cycle.at(nodes).share("cpu"), 1)).astype(np.int64)


def violations(plugin, **options):
    with pytest.raises(PluginContractError) as caught:
        check_plugin(plugin, **options)
    assert str(caught.value).startswith("plugin ")
    return caught.value.violations


def test_a_plugin_that_keeps_to_it_passes_and_is_measured():
    report = check_plugin(Racks, scalar=RacksByNode)
    assert report.plugin == "Racks"
    assert report.points == ("filter",)
    assert report.remarks == ()
    assert "the scalar version agrees" in report.passed
    (speed,) = report.throughput
    assert speed.nodes_per_second > 1e5
    text = str(report)
    assert "  ok      forget undoes assume\n" in text
    assert "nodes/s" in text


def test_arguments_as_a_configuration_has_them():
    assert check_plugin(Racks, args={"rack": "1"}).plugin == "Racks"
    assert check_plugin(Racks, args=Racks.Args("1")).plugin == "Racks"
    with pytest.raises(ConfigError, match="unknown field"):
        check_plugin(Racks, args={"rak": "1"})


def test_a_filter_that_says_nothing_is_remarked_on():
    cluster = cluster_of(make_node("a"), make_pod("p"))
    (remark,) = check_plugin(Racks, cluster=cluster).remarks
    assert remark == "the filter lets every node pass: check it with a cluster in which it does not"


@pytest.mark.parametrize("name", sorted(in_tree_registry()))
def test_the_in_tree_plugins_keep_to_it(name):
    check_plugin(in_tree_registry()[name]())


class Filter:
    """A base of filters that break it."""

    reason = "no"

    def filter(self, cycle, nodes):
        return self.mask(cycle, nodes)


class Short(Filter):
    def mask(self, cycle, nodes):
        return np.ones(3, np.bool_)


class Numbers(Filter):
    def mask(self, cycle, nodes):
        return np.ones(len(nodes), np.int64)


class Positional(Filter):
    def mask(self, cycle, nodes):
        return np.arange(len(nodes)) % 2 == 0


class Fickle(Filter):
    calls = 0

    def mask(self, cycle, nodes):
        Fickle.calls += 1
        return np.full(len(nodes), Fickle.calls % 2 == 0)


class Ordered(Filter):
    def mask(self, cycle, nodes):
        return nodes < cycle.state.n_nodes // 2


class Meddles(Filter):
    def mask(self, cycle, nodes):
        cycle.state.resources.requested[0] += 1
        return np.ones(len(nodes), np.bool_)


class Writes(Filter):
    def mask(self, cycle, nodes):
        passes = nodes >= 0
        nodes[:] = 0
        return passes


class Remembers(Filter):
    """Counts assumed pods by Reserve and forgets nothing."""

    def __init__(self):
        self.reserved = 0

    def mask(self, cycle, nodes):
        return np.full(len(nodes), self.reserved == 0)

    def reserve(self, cycle, node):
        self.reserved += 1

    def unreserve(self, cycle, node):
        pass


class Claims(Filter):
    """Says that it is local, and is not."""

    is_local = True

    def mask(self, cycle, nodes):
        total = cycle.state.resources.pods.sum()
        return np.full(len(nodes), total % 2 == 0)


class Speechless:
    def filter(self, cycle, nodes):
        return Verdict.of_mask(nodes < 0, Code.UNSCHEDULABLE)

    def reasons(self, cycle, detail):
        return ()


class Odd:
    def filter(self, cycle, nodes):
        return Verdict(np.full(len(nodes), 5, np.int8), np.zeros(len(nodes), np.int64))

    def reasons(self, cycle, detail):
        return ("odd",)


class WrongPreFilter(Filter):
    def pre_filter(self, cycle):
        return True

    def mask(self, cycle, nodes):
        return nodes >= 0


class Miscounts(Filter):
    """Sees pods that come, and still sees them when they are gone."""

    def pre_filter(self, cycle):
        cycle.write("Miscounts", {"extra": 0})
        return PreFilterResult()

    def count_pod(self, cycle, pod, node, sign):
        cycle.read("Miscounts", dict)["extra"] += 1

    def mask(self, cycle, nodes):
        return np.full(len(nodes), cycle.read("Miscounts", dict)["extra"] == 0)


class TooHigh:
    def score(self, cycle, nodes):
        return np.full(len(nodes), 101)


class Floats:
    def score(self, cycle, nodes):
        return np.full(len(nodes), 0.5)


class Unnormalised:
    def score(self, cycle, nodes):
        return np.arange(len(nodes)) - 5

    def normalize_score(self, cycle, nodes, scores):
        scores *= 2


class Positions:
    def score(self, cycle, nodes):
        return np.arange(len(nodes))


class Keeps:
    def __init__(self):
        self.kept = None

    def score(self, cycle, nodes):
        if self.kept is None or len(self.kept) != len(nodes):
            self.kept = np.full(len(nodes), 7)
        return self.kept


class WrongPermit:
    def permit(self, cycle, node):
        return True


class WrongReserve:
    def reserve(self, cycle, node):
        return "no"

    def unreserve(self, cycle, node):
        pass


class WrongGate:
    def pre_enqueue(self, template):
        return "yes"


class WrongRank:
    def rank(self, template, timestamp):
        return template.priority


class Disagrees:
    def rank(self, template, timestamp):
        return (template.code,)

    def sort(self, pods, waiting):
        return waiting[::-1]


class Loses:
    def rank(self, template, timestamp):
        return (0,)

    def sort(self, pods, waiting):
        return waiting[1:]


@pytest.mark.parametrize(
    ("plugin", "expected"),
    [
        (Short, "must return one boolean for each of 24 nodes as an array, got bool (3,)"),
        (Numbers, "must return one boolean for each of 24 nodes as an array, got int64 (24,)"),
        (Positional, "when fewer nodes are given"),
        (Fickle, "when asked again"),
        (Ordered, "when the cluster's nodes come in another order"),
        (Meddles, "the cluster's state was changed: requested"),
        (Writes, "the array of nodes that it was given was changed"),
        (Remembers, "once it was on a node and was taken off"),
        (Claims, "depends on pods of another node"),
        (Speechless, "reasons returned (): expected a tuple of texts, and at least one"),
        (Odd, "filter gave the code 5"),
        (WrongPreFilter, "pre_filter returned bool: expected a PreFilterResult or None"),
        (Miscounts, "a pod that came and went is still seen"),
        (TooHigh, "scores go from 0 to 101: expected 0 to 100"),
        (Floats, "must return one whole number for each of 24 nodes"),
        (Unnormalised, "normalised scores go from -10 to 36: expected 0 to 100"),
        (Positions, "if the nodes are given in another order"),
        (Keeps, "score returned an array that the plugin keeps: expected a fresh one"),
        (WrongPermit, "permit returned bool: expected a PermitResult or None"),
        (WrongReserve, "reserve returned str: expected a PluginStatus or None"),
        (WrongGate, "pre_enqueue returned str: expected True or False"),
        (WrongRank, "expected a tuple of whole numbers"),
        (Disagrees, "sort and rank disagree"),
        (Loses, "sort must return the very pods that it was given"),
    ],
    ids=lambda item: item.__name__ if isinstance(item, type) else "",
)
def test_breaches_are_found(plugin, expected):
    found = violations(plugin)
    assert any(expected in violation for violation in found), found


def test_a_scalar_version_that_disagrees():
    class Always:
        def filter(self, cycle, node):
            return True

        def score(self, cycle, node):
            return 3

    (found, *_) = violations(Racks, scalar=Always())
    assert found.startswith("filter: pod default/")
    assert found.endswith("the scalar version says True")
    assert violations(Packs, scalar=Always)[0].endswith(", the scalar version says 3")


def test_a_name_of_an_in_tree_plugin_is_taken():
    (found,) = violations(type("NodeName", (Packs,), {"name": "NodeName"}))
    assert found == "name: NodeName is the name of one of kube-scheduler's own"


def test_what_is_no_plugin_is_refused_at_once():
    with pytest.raises(PluginError, match="it has no method of any extension point"):
        check_plugin(object())


def test_waiting_permits_are_sound():
    class Waits:
        def permit(self, cycle, node):
            return PermitResult.wait(5)

    assert check_plugin(Waits).points == ("permit",)


def test_a_cluster_without_nodes_or_pods_is_fine():
    assert check_plugin(Racks, cluster=cluster_of()).throughput == ()


def test_the_sample_has_something_of_everything():
    nodes = sample_cluster().nodes
    assert nodes["unschedulable"].any()
    assert (nodes["taints"] != "").any()
    assert nodes["zone"].nunique() == 3
    assert (nodes["allocatable_nvidia.com/gpu"] > 0).any()
    assert (nodes["allocatable_cpu_milli"] == 0).any()
