"""Runs with the extenders of a configuration, against a real server on loopback."""

import json

import pytest

import kplace
from kplace.errors import UsageError
from kplace.testing import cluster_of, make_node, make_pod
from tests.io.extenders.server import Reply, closed_port, serving

API = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def cluster(*pods):
    nodes = (make_node(f"n{i}").capacity(cpu="4", memory="8Gi") for i in range(3))
    return cluster_of(*nodes, make_pod("busy").req(cpu="3", memory="1Gi").on("n0"), *pods)


def waiting(n=2, **labels):
    return [make_pod(f"web-{i}").req(cpu="500m", memory="512Mi").label(**labels) for i in range(n)]


def config(*extenders):
    return API | {"extenders": list(extenders)}


def extender(server, *verbs, **fields):
    return {"urlPrefix": f"{server.url}/ext", **{f"{verb}Verb": verb for verb in verbs}, **fields}


def nodes_of(placements):
    return placements.pods["node"].astype(object).tolist()


def topics(placements):
    return [str(note) for note in placements.summary().notes if note.topic == "extenders"]


def names(sent):
    return sent["NodeNames"] or [item["metadata"]["name"] for item in sent["Nodes"]["items"]]


def all_but(node):
    def answer(sent):
        left = [name for name in names(sent) if name != node]
        if sent["NodeNames"] is not None:
            return {"NodeNames": left, "FailedNodes": {node: f"not {node}"}}
        items = [item for item in sent["Nodes"]["items"] if item["metadata"]["name"] != node]
        return {"Nodes": {"metadata": {}, "items": items}, "FailedNodes": {node: f"not {node}"}}

    return answer


@pytest.mark.parametrize("capable", [True, False])
def test_a_run(capable):
    scores = [{"Host": "n0", "Score": 10}, {"Host": "n2", "Score": 5}]
    with serving({"ext/filter": all_but("n1"), "ext/prioritize": scores, "ext/bind": {}}) as server:
        listed = [extender(server, "filter", "prioritize", "bind", weight=5, nodeCacheCapable=capable)]
        placements = kplace.place(cluster(*waiting()), config=config(*listed))
    assert nodes_of(placements) == ["n0", "n0"]
    assert server.paths == ["/ext/filter", "/ext/prioritize", "/ext/bind"] * 2
    assert server.bodies[2] | {"PodUID": ""} == {
        "PodName": "web-0",
        "PodNamespace": "default",
        "PodUID": "",
        "Node": "n0",
    }
    assert topics(placements) == [f"extender {server.url}/ext is asked to bind pods; what it binds stays bound"]


def test_a_pod_that_an_extender_rejects(tmp_path):
    trace = tmp_path / "trace.json"
    with serving({"ext/filter": {"FailedNodes": {"n0": "hot", "n1": "hot"}, "Error": ""}}) as server:
        listed = config(extender(server, "filter", nodeCacheCapable=True))
        placements = kplace.place(cluster(*waiting(1)), config=listed, trace=trace)
    pod = placements.pods.iloc[0]
    assert pod["status"] == "unschedulable"
    assert pod["message"].startswith("0/3 nodes are available: 2 hot.")
    reasons = placements.reasons[["plugin", "reason", "nodes"]].astype(object).values.tolist()
    assert reasons == [[f"{server.url}/ext", "hot", 2]]
    record = json.loads(trace.read_text())["pods"][0]
    assert record["rejected"]["n0"] == [f"{server.url}/ext", "Unschedulable", ["hot"]]
    # n2 just did not come back.
    assert record["rejected"]["n2"] == ["", "UnschedulableAndUnresolvable", []]


FAULTS = {
    "500": (Reply(status=500), "failed filter with extender at URL {url}/ext/filter, code 500"),
    "garbage": ("<html>", "the answer is not JSON: Expecting value: line 1 column 1 (char 0)"),
    "slow": (Reply({}, before=20), 'Post "{url}/ext/filter": context deadline exceeded '
             "(Client.Timeout exceeded while awaiting headers)"),
    "unknown": ({"NodeNames": ["n7"]}, 'extender "{url}/ext" claims a filtered node "n7" '
                "which is not found in the input node list"),
    "shape": ({"NodeNames": {"n0": True}}, "NodeNames of the answer: expected an array, got an object"),
    "its own": ({"Error": "no licence left"}, "no licence left"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("ignorable", [False, True])
def test_faults(fault, ignorable):
    reply, words = FAULTS[fault]
    with serving({"ext/filter": reply}) as server:
        listed = config(extender(server, "filter", nodeCacheCapable=True, ignorable=ignorable, httpTimeout="200ms"))
        placements = kplace.place(cluster(*waiting()), config=listed)
        message = words.format(url=server.url)
    head = f"extender {server.url}/ext: 2 of 2 filter calls came to nothing"
    if ignorable:
        assert placements.pods["status"].tolist() == ["scheduled", "scheduled"]
        assert topics(placements) == [f"{head} and were passed over; the first one: {message}"]
    else:
        assert placements.pods["status"].tolist() == ["error", "error"]
        assert placements.pods["message"].tolist() == [message, message]
        assert topics(placements) == [f"{head}; the first one: {message}"]


@pytest.mark.parametrize("ignorable", [False, True])
def test_nobody_listens(ignorable):
    port = closed_port()
    listed = {"urlPrefix": f"http://127.0.0.1:{port}", "filterVerb": "filter", "ignorable": ignorable}
    placements = kplace.place(cluster(*waiting(1)), config=config(listed))
    message = f'Post "http://127.0.0.1:{port}/filter": dial tcp 127.0.0.1:{port}: connect: connection refused'
    status, said = ("scheduled", "") if ignorable else ("error", message)
    assert placements.pods[["status", "message"]].astype(object).values.tolist() == [[status, said]]


def test_the_strict_ones_come_before_the_lenient_ones():
    with serving({"ext/lenient": all_but("n1"), "ext/strict": all_but("n0")}) as server:
        lenient = extender(server, nodeCacheCapable=True, ignorable=True) | {"filterVerb": "lenient"}
        strict = extender(server, nodeCacheCapable=True) | {"filterVerb": "strict"}
        placements = kplace.place(cluster(*waiting(1)), config=config(lenient, strict))
    assert server.paths == ["/ext/strict", "/ext/lenient"]
    assert nodes_of(placements) == ["n2"]


def test_resources_that_the_scheduler_leaves_to_an_extender():
    managed = [{"name": "example.com/slice", "ignoredByScheduler": True}]
    pods = [make_pod("job").req(**{"example.com/slice": "1"}), make_pod("web")]
    with serving({"ext/filter": all_but("n1")}) as server:
        listed = config(extender(server, "filter", nodeCacheCapable=True, managedResources=managed))
        placements = kplace.place(cluster(*pods), config=listed)
    # No node offers the resource, and that does not matter; only the pod that asks for it is shown.
    assert placements.pods["status"].tolist() == ["scheduled", "scheduled"]
    assert [sent["Pod"]["metadata"]["name"] for sent in server.bodies] == ["job"]


def test_preemption():
    low = [make_pod(f"low-{i}").req(cpu="4").priority(i).on(f"n{i}").phase("Running") for i in (1, 2)]
    urgent = make_pod("urgent").req(cpu="4").priority(100)

    def keep_n2(sent):
        return {"NodeNameToMetaVictims": {"n2": sent["NodeNameToMetaVictims"]["n2"]}}

    with serving({"ext/preempt": keep_n2}) as server:
        listed = config(extender(server, "preempt", nodeCacheCapable=True))
        placements = kplace.place(cluster(*low, urgent), config=listed, preemption="immediate")
    assert sorted(server.bodies[0]["NodeNameToMetaVictims"]) == ["n0", "n1", "n2"]
    # Without the extender n1, with the least important pod, or n0 would do.
    assert nodes_of(placements) == ["n2"]
    assert placements.preemptions["victim"].tolist() == ["low-2"]


@pytest.mark.parametrize(
    ("how", "paths"), [("call", ["/ext/filter", "/ext/bind"]), ("ask", ["/ext/filter"]), ("off", [])]
)
def test_how_far_extenders_are_called(how, paths):
    with serving({"ext/filter": all_but("n0"), "ext/bind": {"Error": "not today"}}) as server:
        listed = config(extender(server, "filter", "bind", nodeCacheCapable=True, ignorable=True))
        placements = kplace.place(cluster(*waiting(1)), config=listed, extenders=how)
    assert server.paths == paths
    assert placements.pods["status"].tolist() == ["scheduled"]
    if how == "off":
        assert topics(placements) == [f"extenders are not asked: {server.url}/ext"]
    if how == "ask":
        assert topics(placements) == []


def test_a_word_for_extenders_that_there_is_not():
    with pytest.raises(
        UsageError, match=r"extenders: expected .call. or .ask. or .off., got .asks.; did you mean .ask."
    ):
        kplace.place(cluster(), extenders="asks")


def test_a_binding_that_fails():
    with serving({"ext/bind": {"Error": "conflict"}}) as server:
        placements = kplace.place(cluster(*waiting(1)), config=config(extender(server, "bind")))
    assert placements.pods[["status", "message"]].astype(object).values.tolist() == [["error", "conflict"]]
    assert placements.cluster.pods["node"].isna().tolist() == [False, True]


def test_nodes_that_come_back_look_idle_unless_that_is_mended():
    # n0 is the busy one. Looked at as idle all three are alike, and the first is taken.
    with serving({"ext/filter": lambda sent: {"Nodes": sent["Nodes"]}}) as server:
        options = {"config": config(extender(server, "filter")), "tie_break": "first"}
        upstream = kplace.place(cluster(*waiting(1)), **options)
        mended = kplace.place(cluster(*waiting(1)), mend_extender_scores=True, **options)
        table = kplace.explain(cluster(*waiting(1)), "web-0", config=options["config"])
    assert nodes_of(upstream) == ["n0"]
    assert nodes_of(mended) == nodes_of(kplace.place(cluster(*waiting(1)), tie_break="first")) == ["n1"]
    assert table["raw_NodeResourcesFit"].nunique() == 1


def test_explaining():
    with serving(
        {"ext/filter": all_but("n1"), "ext/prioritize": [{"Host": "n2", "Score": 3}], "ext/bind": {}}
    ) as server:
        verbs = ["filter", "prioritize", "bind"]
        listed = config(extender(server, *verbs, weight=2, nodeCacheCapable=True))
        table = kplace.explain(cluster(*waiting(1)), "web-0", config=listed)
    name = f"{server.url}/ext"
    assert server.paths == ["/ext/filter", "/ext/prioritize"]
    assert table.attrs["weights"][name] == 2
    by_node = table.set_index("node")
    assert by_node.loc["n2", [f"raw_{name}", f"normalised_{name}", f"weighted_{name}"]].tolist() == [3, 30, 60]
    assert by_node.loc["n1", ["plugin", "reasons"]].tolist() == [name, "not n1"]


def test_runs_are_repeatable():
    with serving({"ext/filter": lambda sent: {"NodeNames": sent["NodeNames"][::-1]}}) as server:
        listed = config(extender(server, "filter", nodeCacheCapable=True))
        runs = [kplace.place(cluster(*waiting(9)), config=listed, seed=3).pods["node"].tolist() for _ in range(2)]
    assert runs[0] == runs[1]


def test_a_simulation_asks_and_binds_by_itself():
    with serving({"ext/filter": all_but("n1"), "ext/bind": {"Error": "never asked"}}) as server:
        listed = config(extender(server, "filter", "bind", nodeCacheCapable=True))
        history = kplace.simulate(cluster(*waiting()), config=listed)
    assert server.paths == ["/ext/filter"] * 2
    assert "2 bound" in repr(history)
