"""The answers of one release and of the one before it: one test for every row of the table of versions."""

import json

import pandas as pd
import pytest

import kplace
from kplace.config.versions import CHANGES, VERSIONS
from kplace.errors import ConfigError, UsageError
from kplace.testing import cluster_of, make_node, make_pod
from tests.io.extenders.server import serving

MIB = 1024 * 1024
WEB = "default/web"


def explained(version, *items, pod=WEB):
    return kplace.explain(cluster_of(*items), pod, kube_version=version).set_index("node")


def score(version, plugin, *items, node="a"):
    """Raw score of a plugin; None if it did not score."""
    table = explained(version, *items)
    column = f"raw_{plugin}"
    return int(table.loc[node, column]) if column in table.columns else None


def reason(version, *items, node="a"):
    return explained(version, *items).loc[node, "reasons"]


def node(name="a", cpu="4", memory="8Gi"):
    return make_node(name).capacity(cpu=cpu, memory=memory)


def test_1_30_images_of_init_containers_count():
    # The image is on one of two nodes: 500 MiB / 2 = 250 MiB. It is not counted at all, or with two containers:
    # 100 * (250 - 23) / (2 * 1000 - 23) = 11.5
    cluster = (
        node().image("example.com/init:1", size=500 * MIB),
        node("b"),
        make_pod("web").init_container("example.com/init:1"),
    )
    assert [score(version, "ImageLocality", *cluster) for version in ("1.29", "1.30")] == [0, 11]


def test_1_31_match_label_keys_of_pod_affinity():
    # Another version of the same app is none of the pods to keep away from.
    web = make_pod("web").label(app="web", version="2").anti_affinity("hostname", {"app": "web"})
    term = web.manifest()["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0]
    web = web.spec(
        affinity={
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [{**term, "matchLabelKeys": ["version"]}]
            }
        }
    )
    cluster = node(), make_pod("old").label(app="web", version="1").on("a"), web
    assert explained("1.30", *cluster).loc["a", "plugin"] == "InterPodAffinity"
    assert explained("1.31", *cluster).loc["a", "verdict"] == "scored"


def test_1_32_sidecars_of_pods_on_nodes_count_in_scores():
    # Both resources alike: 1 of 4 by the pod, 1 by the container on the node, 1 by its sidecar.
    # Before: (4 - 2) / 4 = 50 %; then (4 - 3) / 4 = 25 %.
    running = make_pod("old").req(cpu="1", memory="2Gi").sidecar(cpu="1", memory="2Gi").on("a")
    cluster = node(), running, make_pod("web").req(cpu="1", memory="2Gi")
    assert [score(version, "NodeResourcesFit", *cluster) for version in ("1.31", "1.32")] == [50, 25]


def victims_of(version, *items):
    return kplace.place(cluster_of(*items), kube_version=version).preemptions


def test_1_32_victims_are_sorted_by_importance():
    # On each node a guarded pod and another one have to leave. Of the highest priority on a and b it is said 1 and 2,
    # while the guarded one comes first; in truth it is 5 and 2.
    guard = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "db", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "db"}}},
        "status": {"disruptionsAllowed": 0},
    }
    pods = [
        make_pod(name).req(cpu="2").priority(priority).started("2026-01-01T00:00:00Z").label(app=app).on(where)
        for name, priority, app, where in (
            ("guarded-a", 1, "db", "a"),
            ("dear-a", 5, "", "a"),
            ("guarded-b", 2, "db", "b"),
            ("cheap-b", 1, "", "b"),
        )
    ]
    cluster = node(), node("b"), guard, *pods, make_pod("web").req(cpu="4").priority(9)
    before, after = (victims_of(version, *cluster) for version in ("1.31", "1.32"))
    assert before[["node", "victim"]].values.tolist() == [["a", "guarded-a"], ["a", "dear-a"]]
    assert after[["node", "victim"]].values.tolist() == [["b", "guarded-b"], ["b", "cheap-b"]]


def test_1_33_pods_that_request_nothing_are_not_balanced():
    # 2 of 4 cpu and 2 of 8 GiB: shares of .5 and .25, a deviation of .125
    cluster = node(), make_pod("old").req(cpu="2", memory="2Gi").on("a"), make_pod("web")
    found = [score(version, "NodeResourcesBalancedAllocation", *cluster) for version in ("1.32", "1.33")]
    assert found == [87, None]


def test_1_33_resizes_under_way_count():
    # The spec asks for 1 cpu, the container still has 3; with 2 more that is 3 or 5 of 4.
    held = {"name": "main", "resources": {"requests": {"cpu": "3"}}, "allocatedResources": {"cpu": "3"}}
    shrinking = make_pod("old").req(cpu="1").status(phase="Running", containerStatuses=[held]).on("a")
    cluster = node(), shrinking, make_pod("web").req(cpu="2")
    assert [reason(version, *cluster) for version in ("1.32", "1.33")] == ["", "Insufficient cpu"]


def test_1_33_nodes_that_an_extender_sent_back_look_idle():
    # Looked at as idle both are alike, and the first is taken; in truth it is full by three quarters.
    cluster = cluster_of(node(), node("b"), make_pod("old").req(cpu="3").on("a"), make_pod("web").req(cpu="500m"))
    with serving({"ext/filter": lambda sent: {"Nodes": sent["Nodes"]}}) as server:
        config = {"extenders": [{"urlPrefix": f"{server.url}/ext", "filterVerb": "filter"}]}
        nodes = [
            kplace.place(cluster, config=config, tie_break="first", kube_version=version).pods["node"].tolist()
            for version in ("1.32", "1.33")
        ]
    assert nodes == [["b"], ["a"]]


def test_1_34_requests_of_the_pod_as_a_whole():
    # 3 cpu for the pod as a whole, 1 for its container, on a node of 2.
    cluster = node(cpu="2"), make_pod("web").req(cpu="1").pod_level(cpu="3")
    assert [reason(version, *cluster) for version in ("1.33", "1.34")] == ["", "Insufficient cpu"]


def test_1_34_no_preemption_where_the_pod_would_not_fit_the_empty_node():
    cluster = node(cpu="2"), make_pod("web").req(cpu="3")
    codes = [explained(version, *cluster).loc["a", "code"] for version in ("1.33", "1.34")]
    assert codes == ["Unschedulable", "UnschedulableAndUnresolvable"]


def test_1_34_host_ports_of_sidecars():
    sidecar = {"name": "proxy", "restartPolicy": "Always", "ports": [{"containerPort": 80, "hostPort": 80}]}
    cluster = node(), make_pod("old").host_port(80).on("a"), make_pod("web").spec(initContainers=[sidecar])
    found = [reason(version, *cluster) for version in ("1.33", "1.34")]
    assert found == ["", "node(s) didn't have free ports for the requested pod ports"]


def test_1_34_dynamic_resources_is_in_the_default_profile():
    cluster = cluster_of(node(), make_pod("web").node_selector(disk="ssd"))
    start = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. "
    end = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    messages = [kplace.explain(cluster, WEB, kube_version=version).attrs["message"] for version in ("1.33", "1.34")]
    assert messages == [f"{start}{end}", f"{start}no new claims to deallocate, {end}"]


def test_1_35_the_taint_is_not_named():
    cluster = node().taint("dedicated=db:NoSchedule"), make_pod("web")
    assert reason("1.34", *cluster) == "node(s) had untolerated taint {dedicated: db}"
    assert reason("1.35", *cluster) == "node(s) had untolerated taint(s)"


@pytest.mark.parametrize(
    ("running", "before", "after"),
    [
        # Shares with the pod .5 and .25: 87; without it 0 and 0: 100; 50 + (50 + 87 - 100) / 2 = 68.5
        ((), 87, 68),
        # .5 and .5: 100; without it 0 and .25: 87; 50 + (50 + 100 - 87) / 2 = 81.5
        (({"memory": "2Gi"},), 100, 81),
        # 1 and .25: 62; without it .5 and 0: 75; 50 + (50 + 62 - 75) / 2 = 68.5
        (({"cpu": "2"},), 62, 68),
    ],
)
def test_1_36_balance_is_compared_with_what_it_was(running, before, after):
    pods = [make_pod(f"old-{number}").req(**amounts).on("a") for number, amounts in enumerate(running)]
    cluster = node(), *pods, make_pod("web").req(cpu="2", memory="2Gi")
    found = [score(version, "NodeResourcesBalancedAllocation", *cluster) for version in ("1.35", "1.36")]
    assert found == [before, after]


def test_1_36_and_1_37_images_that_are_volumes():
    # 500 MiB on the only node. Not counted; with the limit of one container: 100 * (500 - 23) / (1000 - 23) = 48.8;
    # with that of two: 100 * (500 - 23) / (2000 - 23) = 24.1
    volume = {"name": "data", "image": {"reference": "example.com/data:1"}}
    cluster = node().image("example.com/data:1", size=500 * MIB), make_pod("web").spec(volumes=[volume])
    assert [score(version, "ImageLocality", *cluster) for version in ("1.35", "1.36", "1.37")] == [0, 48, 24]


SHAPED = {
    "profiles": [
        {
            "pluginConfig": [
                {"name": "VolumeBinding", "args": {"shape": [{"utilization": 0, "score": 0}]}},
            ]
        }
    ]
}


def test_1_37_volume_binding_may_have_a_shape():
    cluster = cluster_of(node(), make_pod("web"))
    with pytest.raises(ConfigError, match="StorageCapacityScoring"):
        kplace.place(cluster, config=SHAPED, kube_version="1.36")
    assert kplace.place(cluster, config=SHAPED, kube_version="1.37").pods["node"].tolist() == ["a"]


def simulated(version, arrivals, tmp_path, **options):
    """What becomes of pods that arrive on a node with 2 cpu, and the moves of "late" that say why."""
    cluster = kplace.Cluster.from_frames(pd.DataFrame({"node": ["a"], "cpu": ["2"], "memory": ["4Gi"]}))
    options |= {"arrivals": pd.DataFrame(arrivals), "tie_break": "first", "log": tmp_path / "log.json"}
    history = kplace.simulate(cluster, kube_version=version, **options)
    log = json.loads((tmp_path / "log.json").read_text())
    moves = [f"{move['to']}: {move['event']}" for move in log["moves"] if move["pod"] == "default/late"]
    return history.pods.set_index("pod").loc["late"], moves


def test_1_32_plugins_are_asked_about_events(tmp_path):
    # A node comes at 10 s that is too small for "late", and the plugin that rejected it knows.
    small = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "b"}, "status": {"allocatable": {"cpu": "1"}}}
    events = tmp_path / "events.jsonl"
    events.write_text(json.dumps({"at": 10, "type": "add", "object": small}))
    arrivals = {"pod": ["early", "late"], "cpu": ["2", "2"], "at": [0, 1], "lasts": [60.0, 5.0]}
    found = [simulated(version, arrivals, tmp_path, events=events)[0] for version in ("1.31", "1.32")]
    assert [pod["attempts"] for pod in found] == [3, 2]
    assert [pod["bound"] for pod in found] == [60, 60]


def test_1_32_plugins_are_asked_about_updates_of_the_pod(tmp_path):
    # A label is of no help to a pod that lacks cpu. Without hints any update is, but for that of its status.
    pod = make_pod("late").req(cpu="2")
    events = tmp_path / "events.jsonl"
    changes = [{"at": 1, "type": "add", "object": pod.manifest()}]
    changes += [{"at": 10, "type": "update", "object": pod.label(app="web").manifest()}]
    events.write_text("\n".join(map(json.dumps, changes)))
    attempts = []
    for version in ("1.31", "1.32"):
        cluster = cluster_of(node(cpu="2"), make_pod("old").req(cpu="2").on("a"))
        history = kplace.simulate(cluster, events=events, until=20, kube_version=version)
        attempts.append(history.pods.set_index("pod").loc["late", "attempts"])
    assert attempts == [2, 1]


def test_1_33_an_idle_scheduler_takes_pods_out_of_backoff(tmp_path):
    # "late" is rejected at 1 s. There is room at 1.5 s; its backoff ends at 2 s.
    arrivals = {"pod": ["early", "late"], "cpu": ["2", "2"], "at": [0, 1], "lasts": [1.5, 5.0]}
    found = [simulated(version, arrivals, tmp_path)[0]["bound"] for version in ("1.32", "1.33")]
    assert found == [2, 1.5]


def test_1_33_victims_leave_while_the_pod_waits(tmp_path):
    arrivals = {"pod": ["early", "late"], "cpu": ["2", "2"], "priority": [0, 5], "at": [0, 1], "lasts": [60.0, 5.0]}
    before, after = (simulated(version, arrivals, tmp_path, grace=0)[1] for version in ("1.32", "1.33"))
    # It comes back when its victim is gone already, or before.
    assert before[1:2] == ["backoff: ScheduleAttemptFailure"]
    assert after[1:3] == ["unschedulable: ScheduleAttemptFailure", "backoff: AssignedPodDelete"]


def test_1_33_backoff_lasts_through_its_end(tmp_path):
    # Room at 1.5 s, backoff up to 2 s, and upstream looks every second.
    arrivals = {"pod": ["early", "late"], "cpu": ["2", "2"], "at": [0, 1], "lasts": [1.5, 5.0]}
    gates = {"SchedulerPopFromBackoffQ": False}
    found = [simulated(version, arrivals, tmp_path, feature_gates=gates)[0]["bound"] for version in ("1.32", "1.33")]
    assert found == [2, 3]


def test_1_34_rejections_do_not_add_to_the_backoff_of_errors(tmp_path):
    # "late" is rejected at 1 s; at 10 s there is a node for it, but no binding comes about. Two attempts make 2 s of
    # backoff, one error makes 1 s, and then upstream looks every second.
    other = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "b"},
        "status": {"allocatable": {"cpu": "4", "pods": "9"}},
    }
    events = tmp_path / "events.jsonl"
    events.write_text(json.dumps({"at": 10, "type": "add", "object": other}))
    found = []
    for version in ("1.33", "1.34"):
        kplace.simulate(
            cluster_of(node(cpu="2"), make_pod("old").req(cpu="2").on("a")),
            arrivals=pd.DataFrame({"pod": ["late"], "cpu": ["4"], "at": [1]}),
            events=events,
            bind_failures=1.0,
            until=14,
            kube_version=version,
            log=tmp_path / "log.json",
        )
        attempts = json.loads((tmp_path / "log.json").read_text())["attempts"]
        found.append([item["at"] for item in attempts if item["result"] != "bind-error"])
    assert [times[:3] for times in found] == [[1, 10, 13], [1, 10, 12]]


@pytest.mark.parametrize("version", VERSIONS)
def test_both_engines_agree(version):
    volume = {"name": "data", "image": {"reference": "example.com/data:1"}}
    cluster = cluster_of(
        node().image("example.com/data:1", size=500 * MIB),
        node("b", cpu="2").taint("dedicated=db:PreferNoSchedule"),
        node("c", cpu="3", memory="2Gi"),
        make_pod("old").req(cpu="1").sidecar(cpu="1").priority(1).on("a"),
        *(make_pod(f"web-{number}").req(cpu="500m", memory="256Mi").spec(volumes=[volume]) for number in range(6)),
        make_pod("whole").req(cpu="1").pod_level(cpu="2"),
        make_pod("idle"),
        make_pod("huge").req(cpu="9").priority(5),
        make_pod("urgent").req(cpu="3").priority(5),
    )
    batch, cycle = (kplace.place(cluster, kube_version=version, engine=engine) for engine in ("batch", "cycle"))
    pd.testing.assert_frame_equal(batch.pods, cycle.pods)
    pd.testing.assert_frame_equal(batch.preemptions, cycle.preemptions)


def test_the_run_says_which_release_it_did_as(tmp_path):
    cluster = cluster_of(node(), make_pod("web"))
    assert kplace.place(cluster).run.kube_version == "1.34"
    placements = kplace.place(cluster, kube_version="1.36")
    placements.to_json(tmp_path / "run.json")
    assert kplace.read_placements(tmp_path / "run.json").run.kube_version == "1.36"


@pytest.mark.parametrize("call", [kplace.place, lambda cluster, **more: kplace.explain(cluster, WEB, **more)])
def test_unknown_releases_are_refused(call):
    with pytest.raises(UsageError, match=r"kube_version: expected a release from 1\.29 to 1\.37, got '1\.40'"):
        call(cluster_of(node(), make_pod("web")), kube_version="1.40")


def test_a_cluster_is_seen_by_the_rules_of_each_run():
    # Whatever was asked for before: the cluster after a run by the rules of 1.33 is as good as any.
    cluster = cluster_of(node(cpu="2"), make_pod("web").req(cpu="1").pod_level(cpu="3"))
    after = kplace.place(cluster, kube_version="1.33").cluster
    assert kplace.explain(after, WEB).loc[0, "reasons"] == "Insufficient cpu"
    assert kplace.explain(cluster, WEB, kube_version="1.33").loc[0, "verdict"] == "scored"


def test_every_row_is_tested_here():
    rows = {f"1_{change.since}" for change in CHANGES}
    tested = " ".join(name for name in globals() if name.startswith("test_1_"))
    assert all(row in tested for row in rows)
