"""What an extender is asked over HTTP, and what its answers come to."""

import json
import uuid

import numpy as np
import pytest

from kplace.config import Extender, ManagedResource, TLSConfig
from kplace.errors import ConfigError, ExtenderError
from kplace.framework import Cycle
from kplace.framework.extender import Claim
from kplace.framework.preemption import Candidates
from kplace.io.extenders import HTTPExtender, make_extenders
from kplace.testing import make_node, make_pod, state_of
from tests.io.extenders.server import Reply, serving

NAMES = ["a", "b", "c"]


def cluster(*pods):
    return state_of(*(make_node(name).zone("z") for name in NAMES), *pods)


def cycle_of(*others):
    """The cycle of a pod with a uid that waits, as the last one."""
    state = cluster(*others, make_pod("web", "shop").req(cpu="1").metadata(uid="u-web"))
    return Cycle(state, len(others))


def nodes_of(cycle, names):
    return np.array([cycle.state.columns.nodes.index[name] for name in names], np.int32)


class Asking:
    """An extender whose verbs are its own names, against a server that answers as told."""

    def __init__(self, answers, **settings):
        verbs = {f"{verb}_verb": verb for verb in ("filter", "prioritize", "preempt", "bind") if verb in answers}
        self._serving = serving(answers)
        self._settings = verbs | {"http_timeout": 20 * 10**9} | settings

    def __enter__(self):
        self.server = self._serving.__enter__()
        self.extender = HTTPExtender(Extender(url_prefix=self.server.url, **self._settings))
        return self

    def __exit__(self, *error):
        self.extender.close()
        return self._serving.__exit__(*error)


# What is asked.


def test_names_are_sent_to_an_extender_that_knows_the_nodes():
    cycle = cycle_of()
    with Asking({"filter": {"NodeNames": []}}, node_cache_capable=True) as asking:
        asking.extender.filter(cycle, nodes_of(cycle, "ca"))
    sent = asking.server.bodies[0]
    assert list(sent) == ["Pod", "Nodes", "NodeNames"]
    assert (sent["Nodes"], sent["NodeNames"]) == (None, ["c", "a"])
    assert sent["Pod"]["metadata"] == {"name": "web", "namespace": "shop", "uid": "u-web"}
    assert sent["Pod"]["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "1"}


@pytest.mark.parametrize("verb", ["filter", "prioritize"])
def test_objects_are_sent_to_one_that_does_not(verb):
    state = cluster(make_pod("web"))
    cycle = Cycle(state, 0)
    with Asking({"filter": {}, "prioritize": []}) as asking:
        getattr(asking.extender, verb)(cycle, nodes_of(cycle, "ba"))
    sent = asking.server.bodies[0]
    assert sent["NodeNames"] is None
    # As they stand in the input, field by field.
    manifests = {name: make_node(name).zone("z").manifest() for name in NAMES}
    assert sent["Nodes"] == {"metadata": {}, "items": [manifests["b"], manifests["a"]]}


def test_a_pod_without_a_uid_is_given_one_that_stays():
    uids = []
    for _ in range(2):
        state = cluster(make_pod("web"), make_pod("web", "shop"))
        with Asking({"filter": {}}) as asking:
            for pod in (0, 1):
                asking.extender.filter(Cycle(state, pod), state.all_nodes)
        uids.append([sent["Pod"]["metadata"]["uid"] for sent in asking.server.bodies])
    assert uids[0] == uids[1]
    assert uids[0][0] != uids[0][1]
    assert [uuid.UUID(uid).version for uid in uids[0]] == [5, 5]


def test_a_pod_is_sent_as_it_is_now():
    # The same pod is waiting in one call and a victim in another: then it names its node.
    state = cluster(make_pod("web"), make_pod("low").metadata(uid="u-low"))
    state.assume(1, 2)
    candidates = Candidates(np.array([2], np.int32), np.array([0, 1]), np.array([1], np.int32), np.array([False]))
    with Asking({"filter": {}, "preempt": {}}) as asking:
        asking.extender.filter(Cycle(state, 1), state.all_nodes)
        asking.extender.preempt(Cycle(state, 0), candidates)
    waiting, victim = asking.server.bodies[0]["Pod"], asking.server.bodies[1]["NodeNameToVictims"]["c"]["Pods"][0]
    assert "nodeName" not in waiting["spec"]
    assert victim == waiting | {"spec": waiting["spec"] | {"nodeName": "c"}}


# Filter.

NOT_ASKED = 'extender "{{url}}" claims a filtered node "{node}" which is not found in the input node list'


def passed(answer, asked="abc", **settings):
    cycle = cycle_of()
    with Asking({"filter": answer}, **settings) as asking:
        found = asking.extender.filter(cycle, nodes_of(cycle, asked))
    names = [cycle.state.columns.nodes.names[node] for node in found.nodes]
    return names, dict(found.failed), dict(found.unresolvable), found.is_bare


def items(*names):
    return {"items": [{"metadata": {"name": name}} for name in names]}


@pytest.mark.parametrize(
    ("capable", "answer", "names", "is_bare"),
    [
        (True, {"NodeNames": ["c", "a"]}, ["c", "a"], False),
        (True, {"NodeNames": []}, [], False),
        # Whoever knows the nodes may send objects all the same, and then they count as such.
        (True, {"Nodes": items("b")}, ["b"], True),
        (True, {"NodeNames": ["a"], "Nodes": items("b")}, ["a"], False),
        (True, {}, [], False),
        (False, {"Nodes": items("c", "a")}, ["c", "a"], True),
        # Names alone are not looked at: no node passes.
        (False, {"NodeNames": ["a", "b"]}, [], False),
        (False, {"NodeNames": ["a"], "Nodes": items("b")}, ["b"], True),
        # A node that comes twice is there twice, as upstream has it.
        (True, {"NodeNames": ["a", "a"]}, ["a", "a"], False),
        (True, b"null", [], False),
    ],
)
def test_which_nodes_pass(capable, answer, names, is_bare):
    assert passed(answer, node_cache_capable=capable) == (names, {}, {}, is_bare)


def test_failed_nodes():
    failed = {"b": "full", "ghost": "gone"}
    answer = {"NodeNames": ["a"], "FailedNodes": failed, "FailedAndUnresolvableNodes": {"c": "no"}}
    assert passed(answer, node_cache_capable=True) == (["a"], {"b": "full", "ghost": "gone"}, {"c": "no"}, False)


def test_bare_nodes_can_be_switched_off():
    with serving({"filter": {"Nodes": items("a")}}) as server:
        settings = Extender(url_prefix=server.url, filter_verb="filter", http_timeout=20 * 10**9)
        (extender,) = make_extenders([settings], bare_nodes=False)
        cycle = cycle_of()
        assert not extender.filter(cycle, nodes_of(cycle, "ab")).is_bare
        extender.close()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"Error": "no licence"}, "no licence"),
        ({"NodeNames": ["a"], "Error": "no licence"}, "no licence"),
        ({"NodeNames": ["a", "ghost"]}, NOT_ASKED.format(node="ghost")),
        # It exists, but was not asked about.
        ({"NodeNames": ["c"]}, NOT_ASKED.format(node="c")),
        ({"Nodes": items("ghost")}, NOT_ASKED.format(node="ghost")),
        ({"NodeNames": [None]}, NOT_ASKED.format(node="")),
        (Reply(status=500), "failed filter with extender at URL {url}/filter, code 500"),
        ("<html>oops</html>", "the answer is not JSON: Expecting value: line 1 column 1 (char 0)"),
        ([], "the answer: expected an object, got an array"),
        (Reply(drops=True), 'Post "{url}/filter": EOF'),
    ],
)
def test_faults_of_a_filter(answer, message):
    cycle = cycle_of()
    with Asking({"filter": answer}, node_cache_capable=True) as asking, pytest.raises(ExtenderError) as caught:
        asking.extender.filter(cycle, nodes_of(cycle, "ab"))
    assert str(caught.value) == message.format(url=asking.server.url)


# Prioritize.


def test_scores():
    cycle = cycle_of()
    # Twice the same host adds up, unknown and other hosts are passed over, missing ones have 0; nobody minds the range.
    answer = [("c", 4), ("ghost", 9), ("c", 3), ("b", -50)]
    with Asking({"prioritize": [{"Host": host, "Score": score} for host, score in answer]}) as asking:
        assert asking.extender.prioritize(cycle, nodes_of(cycle, "ca")).tolist() == [7, 0]


def test_scores_wrap():
    cycle = cycle_of()
    answer = [{"Host": "a", "Score": 2**63 - 1}, {"Host": "a", "Score": 1}]
    with Asking({"prioritize": answer}) as asking:
        assert asking.extender.prioritize(cycle, nodes_of(cycle, "a")).tolist() == [-(2**63)]


# Preempt.


def preempting(answer, **settings):
    """Two candidates: c with u1 and u2, u2 breaking a budget, and a with a pod that has no uid."""
    state = cluster(
        make_pod("web").metadata(uid="u-web"),
        make_pod("one").metadata(uid="u1").on("c"),
        make_pod("two").metadata(uid="u2").on("c"),
        make_pod("three").on("a"),
        make_pod("four").metadata(uid="u4").on("b"),
    )
    index = state.columns.nodes.index
    candidates = Candidates(
        np.array([index["c"], index["a"]], np.int32),
        np.array([0, 2, 3]),
        np.array([1, 2, 3], np.int32),
        np.array([False, True, False]),
    )
    with Asking({"preempt": answer}, **settings) as asking:
        claims = asking.extender.preempt(Cycle(state, 0), candidates)
    names = state.columns.nodes.names
    return [(names[node], pods.tolist(), violations) for node, pods, violations in claims], asking.server


def test_uids_of_victims_are_sent_to_an_extender_that_knows_the_nodes():
    _, server = preempting({}, node_cache_capable=True)
    sent = server.bodies[0]
    assert list(sent) == ["Pod", "NodeNameToVictims", "NodeNameToMetaVictims"]
    assert sent["NodeNameToVictims"] is None
    victims = sent["NodeNameToMetaVictims"]
    assert list(victims) == ["c", "a"]
    assert victims["c"] == {"Pods": [{"UID": "u1"}, {"UID": "u2"}], "NumPDBViolations": 1}
    assert victims["a"]["NumPDBViolations"] == 0
    assert uuid.UUID(victims["a"]["Pods"][0]["UID"])


def test_whole_victims_are_sent_to_one_that_does_not():
    _, server = preempting({})
    sent = server.bodies[0]
    assert sent["NodeNameToMetaVictims"] is None
    pods = sent["NodeNameToVictims"]["c"]["Pods"]
    assert [pod["metadata"]["name"] for pod in pods] == ["one", "two"]
    assert [pod["spec"]["nodeName"] for pod in pods] == ["c", "c"]
    assert sent["NodeNameToVictims"]["c"]["NumPDBViolations"] == 1


def echo(sent):
    return {"NodeNameToMetaVictims": sent["NodeNameToMetaVictims"]}


def test_what_is_echoed_comes_back():
    claims, _ = preempting(echo, node_cache_capable=True)
    assert claims == [("c", [1, 2], 1), ("a", [3], 0)]


@pytest.mark.parametrize(
    ("victims", "claims"),
    [
        # The order of the answer, the extender's own order of victims and its own number of violations.
        (
            {"c": {"Pods": [{"UID": "u2"}, {"UID": "u1"}], "NumPDBViolations": 7}},
            [("c", [2, 1], 7)],
        ),
        # A node may come in that was no candidate.
        ({"b": {"Pods": [{"UID": "u4"}]}}, [("b", [4], 0)]),
        ({"c": {"Pods": []}}, [("c", [], 0)]),
        ({}, []),
        (None, []),
    ],
)
def test_claims(victims, claims):
    assert preempting({"NodeNameToMetaVictims": victims})[0] == claims


@pytest.mark.parametrize(
    ("victims", "message"),
    [
        ({"ghost": {"Pods": []}}, 'nodeinfo not found for node name "ghost"'),
        (
            {"c": {"Pods": [{"UID": "u4"}]}},
            r"extender: http://\S+ claims to preempt pod \(UID: &{u4}\) on node: c, "
            "but the pod is not found on that node",
        ),
    ],
)
def test_claims_that_cannot_be(victims, message):
    with pytest.raises(ExtenderError, match=f"^{message}$"):
        preempting({"NodeNameToMetaVictims": victims})


def test_a_pod_placed_meanwhile_can_be_a_victim_and_one_that_left_cannot():
    new, old = make_pod("new").metadata(uid="u-new"), make_pod("old").metadata(uid="u-old").on("a")
    state = cluster(make_pod("web"), new, old)
    state.assume(1, 0)
    state.forget(2)
    none = Candidates(np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.bool_))
    answer = {"NodeNameToMetaVictims": {"a": {"Pods": [{"UID": "u-new"}]}}}
    with Asking({"preempt": answer}) as asking:
        (claim,) = asking.extender.preempt(Cycle(state, 0), none)
        assert isinstance(claim, Claim)
        assert claim.pods.tolist() == [1]
    answer = {"NodeNameToMetaVictims": {"a": {"Pods": [{"UID": "u-old"}]}}}
    with Asking({"preempt": answer}) as asking, pytest.raises(ExtenderError, match="u-old"):
        asking.extender.preempt(Cycle(state, 0), none)


# Bind.


def test_binding():
    cycle = cycle_of()
    with Asking({"bind": {}}) as asking:
        asking.extender.bind(cycle, int(nodes_of(cycle, "b")[0]))
    assert asking.server.bodies == [{"PodName": "web", "PodNamespace": "shop", "PodUID": "u-web", "Node": "b"}]


@pytest.mark.parametrize(
    ("answer", "message"),
    [({"Error": "taken"}, "taken"), (Reply(status=409), "failed bind with extender at URL {url}/bind, code 409")],
)
def test_faults_of_a_binding(answer, message):
    with Asking({"bind": answer}) as asking, pytest.raises(ExtenderError) as caught:
        asking.extender.bind(cycle_of(), 0)
    assert str(caught.value) == message.format(url=asking.server.url)


# Who is asked.

GPU = {"example.com/gpu": "1"}


@pytest.mark.parametrize(
    ("pod", "is_interested"),
    [
        (make_pod("p").req(cpu="1"), False),
        (make_pod("p").req(**GPU), True),
        (make_pod("p").req(**{"example.com/other": "1"}), False),
        (make_pod("p").spec(containers=[{"name": "c"}, {"name": "d", "resources": {"limits": GPU}}]), True),
        (make_pod("p").spec(initContainers=[{"name": "i", "resources": {"requests": GPU}}]), True),
        # What a pod asks for as a whole, or by its overhead, is not looked at.
        (make_pod("p").spec(resources={"requests": GPU}), False),
        (make_pod("p").spec(overhead=GPU), False),
    ],
)
def test_managed_resources(pod, is_interested):
    managed = (ManagedResource(name="example.com/gpu"), ManagedResource(name="example.com/fpga"))
    template = cluster(pod).template_of(0)
    extender = HTTPExtender(Extender(url_prefix="http://x", managed_resources=managed))
    assert extender.is_interested(template) == is_interested
    assert HTTPExtender(Extender(url_prefix="http://x")).is_interested(template)


def test_what_a_configuration_says():
    settings = Extender(
        url_prefix="http://x/y",
        filter_verb="f",
        prioritize_verb="p",
        weight=3,
        preempt_verb="v",
        bind_verb="b",
        ignorable=True,
    )
    extender = HTTPExtender(settings)
    assert (extender.name, extender.weight, extender.is_ignorable) == ("http://x/y", 3, True)
    assert extender.filters
    assert extender.prioritizes
    assert extender.preempts
    assert extender.binds
    bare = HTTPExtender(Extender(url_prefix="http://x/y"))
    assert not any([bare.filters, bare.prioritizes, bare.preempts, bare.binds, bare.is_ignorable])


def test_tls_settings_that_cannot_be_used():
    settings = Extender(url_prefix="https://x", tls_config=TLSConfig(ca_file="/nowhere/ca.crt"))
    with pytest.raises(ConfigError, match=r"open /nowhere/ca\.crt: no such file or directory"):
        make_extenders([settings])


def test_what_is_sent_is_json_throughout():
    # Texts that need escaping go through as they are.
    state = cluster(make_pod("web").metadata(annotations={"note": '"\\\u2028é\n'}))
    with Asking({"filter": {}}) as asking:
        asking.extender.filter(Cycle(state, 0), state.all_nodes)
    assert asking.server.bodies[0]["Pod"]["metadata"]["annotations"] == {"note": '"\\\u2028é\n'}
    assert json.loads(asking.server.requests[0].raw)
