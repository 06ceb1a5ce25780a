"""Capacity is what placing copies one by one comes to."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import kplace
from kplace.analysis.capacity import capacity, frontier
from kplace.analysis.specs import every_spec, specs_like, specs_of_files
from kplace.analysis.workloads import Workloads
from kplace.api import Cluster
from kplace.api.setup import set_up
from kplace.columns.addition import free_names, with_pods
from kplace.dtypes import PreemptionMode, TieBreak
from kplace.engine.cycle import Options, try_pod
from kplace.engine.diagnose import diagnose
from kplace.engine.moving.filler import Filler
from kplace.engine.place import carry_out
from kplace.errors import UsageError
from kplace.state import ClusterState
from kplace.testing import make_node, make_pod, strategies
from kplace.testing.clusters import cluster_of

SMALL_POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: small-pod
  labels: {app: guestbook, tier: frontend}
spec:
  containers:
  - name: php-redis
    image: gcr.io/google-samples/gb-frontend:v4
    resources:
      limits: {cpu: 150m, memory: 100Mi}
      requests: {cpu: 150m, memory: 100Mi}
  restartPolicy: OnFailure
  dnsPolicy: Default
  terminationGracePeriodSeconds: 5
"""


@pytest.fixture(scope="module")
def demo():
    return kplace.read("data/demo")


@pytest.fixture
def small_pod(tmp_path):
    path = tmp_path / "pod.yaml"
    path.write_text(SMALL_POD)
    return path


def one_by_one(cluster, names, templates, **options):
    """Place copies singly, each in the cluster that the ones before have left; nodes in order, and the last message."""
    columns, nodes = cluster.columns, []
    waiting = columns.pods.waiting.copy()
    # What waits already is left alone: it is made to look finished, which takes no room either.
    columns = replace(
        columns, pods=replace(columns.pods, phase=np.where(waiting, 2, columns.pods.phase).astype(np.int8))
    )
    for name, template in zip(names, templates, strict=True):
        space, _, stem = name.partition("/")
        columns = with_pods(columns, [template], free_names(columns, space, stem, 1))
        run = kplace.place(Cluster(columns), preemption="off", **options)
        row = run.pods.iloc[-1]
        if row["status"] != "scheduled":
            return nodes, row["message"]
        nodes.append(str(row["node"]))
        columns = run.cluster.columns
    return nodes, ""


def test_the_pod_of_cluster_capacity_on_the_demo_cluster(demo, small_pod):
    found = capacity(demo, pods=small_pod, tie_break="first")
    asked, (spec,) = specs_of_files(demo, [small_pod])
    columns = with_pods(asked.columns, [spec.template] * 500, [f"small-pod-{i:05d}" for i in range(500)])
    profile = set_up(demo).profiles[0]
    state, nodes = ClusterState(columns), []
    for pod in range(len(asked.columns.pods), len(columns.pods)):
        attempt = try_pod(state, profile, pod, pod, Options(TieBreak.FIRST, preemption=PreemptionMode.OFF))
        if attempt.node < 0:
            break
        carry_out(state, attempt)
        nodes.append(attempt.node)
    assert found.table["capacity"].tolist() == [len(nodes)] == [416]
    assert found.counts[0].nodes.tolist() == nodes
    # Without preemption nobody is asked beyond the filters but for dynamic resources.
    assert found.table["message"].iloc[0].startswith(diagnose(attempt)[1])


def test_the_last_copies_of_it_placed_singly(demo, small_pod):
    _, (spec,) = specs_of_files(demo, [small_pod])
    found = capacity(demo, pods=small_pod, tie_break="first", limit=390)
    full = Cluster(found.counts[0].columns)
    nodes, message = one_by_one(full, [spec.name] * 50, [spec.template] * 50, tie_break="first", engine="cycle")
    whole = capacity(demo, pods=small_pod, tie_break="first")
    assert [demo.columns.nodes.names[n] for n in whole.counts[0].nodes[390:]] == nodes
    assert whole.table["message"].tolist() == [message]


@pytest.mark.parametrize(
    "name", ["shop/sequencer", "shop/checkout", "ml/inference", "edge/ingress", "data/cache-warmer"]
)
def test_a_workload_of_the_demo_cluster(demo, name):
    (spec,) = specs_like(demo, [name])
    found = capacity(demo, like=name, tie_break="first")
    nodes, message = one_by_one(demo, [name] * 200, [spec.template] * 200, tie_break="first")
    assert [demo.columns.nodes.names[n] for n in found.counts[0].nodes] == nodes
    assert found.table["message"].tolist() == [message]


@settings(max_examples=12, deadline=None)
@given(made=strategies.clusters(features=frozenset(strategies.WITHOUT_NOMINATIONS)))
def test_any_workload_of_any_cluster(made):
    cluster = made.cluster()
    specs = every_spec(cluster)
    names = [spec.name for spec in specs]
    for spec in specs[:2]:
        template = cluster.columns.templates[spec.template]
        if names.count(spec.name) > 1 or template.is_gated or template.spec.scheduler_name != "default-scheduler":
            continue
        found = capacity(cluster, like=spec.name, tie_break="first", limit=12)
        nodes, message = one_by_one(cluster, [spec.name] * 12, [spec.template] * 12, tie_break="first")
        assert [cluster.columns.nodes.names[n] for n in found.counts[0].nodes] == nodes
        assert found.table["message"].tolist() == [message]


def test_many_names_are_looked_up_in_one_scan(demo, monkeypatch):
    scans = []

    def scan(columns):
        scans.append(columns)
        return Workloads(columns)

    monkeypatch.setattr("kplace.analysis.specs.Workloads", scan)
    pod = demo.columns.pods.key(0)
    names = ["shop/web", pod, "ml/inference", "shop/web"]
    found = specs_like(demo, names)
    assert [spec.name for spec in found] == names
    assert found[1].template == demo.columns.pods.template[0]
    assert found[0] == found[3]
    assert len(scans) == 1
    assert specs_like(demo, []) == []
    assert len(scans) == 1
    with pytest.raises(UsageError, match="neither a workload nor a pod shop/wbe in the input; did you mean shop/web"):
        specs_like(demo, ["shop/web", "shop/wbe"])


def test_a_mix_comes_in_turn(demo):
    mix = {"shop/web": 2, "shop/cart-cache": 1}
    found = capacity(demo, like=list(mix), mix=mix, tie_break="first")
    order = ["shop/web", "shop/web", "shop/cart-cache"] * 40
    codes = {spec.name: spec.template for spec in specs_like(demo, list(mix))}
    nodes, _ = one_by_one(demo, order, [codes[name] for name in order], tie_break="first")
    assert [demo.columns.nodes.names[n] for n in found.counts[0].nodes] == nodes
    assert found.rounds == len(nodes) // 3
    assert found.table["capacity"].sum() == len(nodes)


def test_what_binds_a_mix_is_what_the_copy_that_found_no_node_was_told(demo):
    found = capacity(demo, like=["shop/web", "ml/inference", "shop/cart-cache"], mix=True)
    (count,), (bound,) = found.counts, found.binding
    assert {(row.plugin, row.reason): row.nodes for row in bound.itertuples()} == {
        (plugin, reason): nodes for plugin, reason, nodes in count.reasons
    }


@settings(max_examples=30, deadline=None)
@given(made=strategies.clusters())
def test_copies_of_which_no_pods_are_made_end_up_where_pods_do(made):
    cluster = kplace.place(made.cluster(), preemption="off").cluster
    names = [spec.name for spec in every_spec(cluster)]
    likes = [name for name in names[:4] if names.count(name) == 1]
    if not likes:
        return
    for options in ({"like": likes[0]}, {"like": likes, "mix": True, "limit": 7}):
        quick = capacity(cluster, **options)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Filler, "knows_all", False)
            plain = capacity(cluster, **options)
        for one, other in zip(quick.counts, plain.counts, strict=True):
            assert one.nodes.tolist() == other.nodes.tolist()
            assert (one.stopped_by, one.message, one.reasons) == (other.stopped_by, other.message, other.reasons)
        for bound, again in zip(quick.binding, plain.binding, strict=True):
            pd.testing.assert_frame_equal(bound, again)


def test_what_the_fused_loop_does_not_know_is_placed_pod_by_pod(demo):
    claims = [spec.name for spec in every_spec(demo) if demo.columns.templates[spec.template].spec.volumes]
    assert claims
    found = capacity(demo, like=claims, tie_break="first")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Filler, "knows_all", False)
        pd.testing.assert_frame_equal(found.table, capacity(demo, like=claims, tie_break="first").table)


def test_a_limit_ends_it(demo):
    found = capacity(demo, like="shop/web", limit=5)
    assert found.table[["capacity", "limited"]].values.tolist() == [[5, True]]
    assert found.table["message"].tolist() == [""]


def test_the_binding_rule_is_that_of_the_nodes_that_could(demo):
    table = capacity(demo, like=["shop/sequencer", "ml/inference", "ml/train-xl"]).table.set_index("spec")
    assert table.loc["shop/sequencer", "binding"] == "node(s) didn't match pod anti-affinity rules"
    assert table.loc["ml/inference", "binding"] == "Insufficient nvidia.com/gpu"
    assert table.loc["ml/train-xl", "capacity"] == 0


def test_where_the_copies_go_adds_up(demo):
    found = capacity(demo, like="shop/web")
    for by in ("zone", ["zone", "instance_type"], "node"):
        assert found.by(by)["copies"].sum() == found.table["capacity"].iloc[0]


def test_the_frontier_begins_and_ends_with_one_kind_alone(demo):
    table = frontier(demo, like=["shop/web", "batch/reconcile"], points=4)
    alone = capacity(demo, like=["shop/web", "batch/reconcile"]).table["capacity"].tolist()
    assert table.iloc[0].tolist() == [0, alone[1]]
    assert table["shop/web"].iloc[-1] == alone[0]
    assert table["batch/reconcile"].is_monotonic_decreasing


def test_the_report_of_cluster_capacity(demo, small_pod):
    review = json.loads(json.dumps(capacity(demo, pods=small_pod, tie_break="first").review()))
    assert review["kind"] == "ClusterCapacityReview"
    assert review["status"]["replicas"] == 416
    (pod,) = review["status"]["pods"]
    assert pod["podName"] == "small-pod"
    assert sum(item["replicas"] for item in pod["replicasOnNodes"]) == 416
    assert review["status"]["failReason"]["failType"] == "Unschedulable"
    assert {"reason": "Insufficient cpu", "count": 10} in pod["failSummary"]
    (requirements,) = review["spec"]["podRequirements"]
    assert requirements["resources"]["primaryResources"] == {"cpu": "150m", "memory": "104857600"}


def test_specs_of_files_get_what_the_cluster_admits_them_with(demo, tmp_path):
    path = tmp_path / "web.yaml"
    path.write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: extra, namespace: shop}\n"
        "spec: {replicas: 7, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: "
        "{priorityClassName: critical, containers: [{name: c, resources: {requests: {cpu: '1'}}}]}}}\n"
    )
    classes = {item.metadata.name: item.value for item in demo.columns.objects["PriorityClass"]}
    path.write_text(path.read_text().replace("critical", next(iter(classes))))
    table = capacity(demo, pods=path).table
    assert table["spec"].tolist() == ["shop/extra"]
    assert table["requested_cpu_milli"].tolist() == [1000]


def test_gated_pods_and_those_of_other_schedulers_are_asked_about_as_if_they_were_tried():
    nodes = [make_node("a").capacity(cpu="4", memory="4Gi", pods="10")]
    pods = [make_pod("gated").req(cpu="1").gate("wait"), make_pod("other").req(cpu="2").scheduler("elsewhere")]
    table = capacity(cluster_of(*nodes, *pods)).table.set_index("spec")
    assert table["capacity"].to_dict() == {"default/gated": 4, "default/other": 2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"like": "shop/wb"},
            "like: there is neither a workload nor a pod shop/wb in the input; did you mean shop/web?",
        ),
        ({"like": "kube-system/net-agent"}, "like: kube-system/net-agent is a DaemonSet"),
        ({"like": "shop/web", "limit": 0}, "limit: expected a positive number, got 0"),
        (
            {"like": "shop/web", "mix": {"wep": 1}},
            "mix: expected the name of one kind of pod and a number, got 'wep': 1",
        ),
        ({"like": "shop/web", "mix": {"web": 0}}, "mix: expected at least one copy in a round"),
        ({"like": "shop/web", "tie_break": "last"}, "tie_break: expected 'random' or 'first'"),
    ],
)
def test_what_cannot_be_asked_is_refused(demo, options, message):
    with pytest.raises(UsageError) as caught:
        capacity(demo, **options)
    assert message in str(caught.value)


def test_a_file_without_pods_is_refused(demo, tmp_path):
    path = tmp_path / "none.yaml"
    path.write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n")
    with pytest.raises(UsageError, match="neither a pod nor a controller"):
        capacity(demo, pods=path)


def test_an_empty_cluster_takes_nothing():
    cluster = Cluster.from_frames(pd.DataFrame({"node": []}), pd.DataFrame({"pod": ["a"], "cpu": ["1"]}))
    table = capacity(cluster).table
    assert table["capacity"].tolist() == [0]


def test_bare_pods_that_are_alike_are_asked_about_once():
    nodes = [make_node("a").capacity(cpu="8", memory="8Gi", pods="10")]
    alike = [make_pod(f"p{i}").req(cpu="1").on("a") for i in range(3)]
    owned = make_pod("w").req(cpu="1").owner("ReplicaSet", "web").on("a")
    table = capacity(cluster_of(*nodes, *alike, make_pod("other").req(cpu="2"), owned)).table
    assert table[["spec", "running", "capacity"]].values.tolist() == [
        ["default/p0", 3, 4],
        ["default/web", 1, 4],
        ["default/other", 1, 2],
    ]


def test_the_cluster_with_the_copies_has_no_others(demo):
    found = capacity(demo, like="shop/web")
    after, copies = found.with_copies().pods, int(found.table["capacity"].iloc[0])
    own = after[after["pod"].str.match(r"web-\d{5}$")]
    assert own["node"].notna().sum() == copies
    assert own["waiting"].sum() == 1
    assert len(after) == len(demo.pods) + copies + 1
    (spec,) = found.specs
    assert set(own["priority"]) == {demo.columns.templates[spec.template].priority}


def test_the_cluster_with_the_copies_has_them():
    cluster = cluster_of(
        make_node("n").capacity(cpu="4", memory="4Gi", pods="10"), make_pod("web").req(cpu="1").on("n")
    )
    found = capacity(cluster, like="web", limit=2)
    assert found.with_copies().nodes["requested_cpu_milli"].tolist() == [3000]
    assert capacity(found.with_copies(), like="web").table["capacity"].tolist() == [1]
