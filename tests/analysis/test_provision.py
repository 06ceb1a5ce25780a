"""Provisioning: every plan is what placing comes to, and none is cheaper than the bound or the best there is."""

from fractions import Fraction
from itertools import product

import msgspec
import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import kplace
from kplace.analysis.provision import provision
from kplace.api import Cluster
from kplace.errors import InputError, UsageError
from kplace.testing import make_node, make_pod, strategies
from kplace.testing.clusters import cluster_of

ZONE = "topology.kubernetes.io/zone"


@pytest.fixture(scope="module")
def demo():
    return kplace.read("data/demo")


def node_file(folder, *builders, prices=None):
    """A file with node manifests, each with its price as an annotation."""
    path = folder / "candidates.yaml"
    manifests = []
    for builder in builders:
        manifest = dict(builder.manifest())
        name = manifest["metadata"]["name"]
        if prices:
            manifest["metadata"] = manifest["metadata"] | {"annotations": {"kplace.io/price": prices[name]}}
        manifests.append({"apiVersion": "v1", "kind": "Node"} | manifest)
    path.write_text(yaml.safe_dump_all(msgspec.to_builtins(manifests)))
    return path


def placed_again(plan, **scheduling):
    """Pods that stay pending once the plan's cluster is placed anew."""
    run = kplace.place(plan.cluster, preemption="off", **scheduling)
    return set(run.pods.loc[run.pods["status"] == "unschedulable", "pod"])


def check(found, **scheduling):
    """What holds for every answer."""
    pending = set(found.pods.loc[found.pods["node"].isna(), "pod"])
    for plan in found.plans:
        assert plan.tried.cost >= plan.at_least
        again = placed_again(plan, **scheduling)
        assert len(again) == plan.pending
        if plan is found.best:
            assert again == pending
    ranks = [(plan.pending, plan.tried.cost) for plan in found.plans]
    assert ranks == sorted(ranks)


def cheapest(cluster, candidates, prices, most):
    """The least cost with which all waiting pods are placed, by trying every number of nodes; None if none will do."""
    best = None
    for counts in product(range(most + 1), repeat=len(candidates)):
        cost = sum((Fraction(p) * n for p, n in zip(prices, counts, strict=True)), Fraction(0))
        if best is not None and cost >= best:
            continue
        names = {f"new-{c}-{i}": item for c, item in enumerate(candidates) for i in range(counts[c])}
        larger = cluster.with_nodes(names) if names else cluster
        if not (kplace.place(larger, preemption="off").pods["status"] == "unschedulable").any():
            best = cost
    return best


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_bound_and_best_and_plan(data):
    cpus, prices = (4, 8, 6), data.draw(st.lists(st.sampled_from(("1", "1.5", "2", "3")), min_size=2, max_size=2))
    kinds = data.draw(st.lists(st.sampled_from(cpus), min_size=2, max_size=2))
    nodes = pd.DataFrame(
        {
            "node": ["a", "b"],
            "cpu": kinds,
            "memory": [f"{data.draw(st.sampled_from((8, 16)))}Gi" for _ in range(2)],
            "instance_type": ["one", "two"],
            "label:side": ["left", "right"],
        }
    )
    # The nodes that are there are full to the last core.
    full = [{"pod": f"full-{name}", "cpu": cpu, "node": name} for name, cpu in zip("ab", kinds, strict=True)]
    waiting = [
        {
            "pod": f"p{i}",
            "cpu": data.draw(st.sampled_from((1, 2, 3, 4))),
            "memory": f"{data.draw(st.sampled_from((1, 4, 6)))}Gi",
            "node_selector": data.draw(st.sampled_from(({}, {}, {"side": "left"}))),
        }
        for i in range(data.draw(st.integers(1, 4)))
    ]
    cluster = Cluster.from_frames(nodes, pd.DataFrame([*full, *waiting]))
    found = provision(cluster, pools=True, prices=dict(zip(("one", "two"), prices, strict=True)))
    check(found)
    best = cheapest(cluster, ["a", "b"], prices, most=4)
    if best is None:
        assert found.pending
        return
    assert not found.pending
    assert found.best.at_least <= best <= found.best.tried.cost


FEATURES = frozenset(strategies.WITHOUT_NOMINATIONS) - {strategies.Feature.ODD_PODS}


@settings(max_examples=25, deadline=None)
@given(made=strategies.clusters(strategies.Size(nodes=5, running=8, waiting=6), features=FEATURES))
def test_plans_hold_in_any_cluster(made):
    found = provision(made.cluster(), pools=True, effort=12, each=2)
    check(found)


@settings(max_examples=10, deadline=None)
@given(made=strategies.clusters(strategies.Size(nodes=3, running=4, waiting=3), features=FEATURES))
def test_the_bound_in_any_cluster(made):
    cluster = made.cluster()
    found = provision(cluster, pools=True, effort=12, each=0)
    likes = [item.like for item in found.catalogue.candidates][:3]
    base = kplace.place(cluster, preemption="off").cluster
    best = cheapest(base, likes, [1] * len(likes), most=2)
    if best is not None and not found.pending and len(likes) == len(found.catalogue.candidates):
        assert found.best.at_least <= best


def test_nothing_is_needed_where_everything_fits():
    cluster = cluster_of(make_node("a"), make_pod("p").req(cpu="1"))
    found = provision(cluster, pools=True)
    assert (found.fitted, found.pending, found.best.n_nodes) == (1, 0, 0)
    assert found.table["cost"].tolist() == [0.0]
    assert found.pods.empty


def test_a_mix_is_cheaper_than_one_kind(tmp_path):
    file = node_file(
        tmp_path,
        make_node("cpu-rich").capacity(cpu="16", memory="16Gi"),
        make_node("memory-rich").capacity(cpu="2", memory="64Gi"),
        prices={"cpu-rich": "4", "memory-rich": "4"},
    )
    pods = [make_pod(f"c{i}").req(cpu="15", memory="1Gi") for i in range(2)]
    pods += [make_pod(f"m{i}").req(cpu="1", memory="60Gi") for i in range(2)]
    found = provision(cluster_of(make_node("old").capacity(cpu="1"), *pods), nodes=file)
    assert found.best.counts == {"cpu-rich": 2, "memory-rich": 2}
    assert (found.best.cost, found.best.gap, found.pending) == (16.0, 0.0, 0)
    check(found)


def test_pods_that_spread_over_zones_get_nodes_in_each(tmp_path):
    old = [make_node(f"old-{zone}").zone(zone).capacity(cpu="1") for zone in "abc"]
    new = [make_node(f"new-{zone}").zone(zone).capacity(cpu="4") for zone in "abc"]
    pods = [make_pod(f"p{i}").label(app="web").req(cpu="2").spread("zone", max_skew=1) for i in range(7)]
    prices = {"new-a": "1", "new-b": "5", "new-c": "2"}
    found = provision(cluster_of(*old, *pods), nodes=node_file(tmp_path, *new, prices=prices))
    assert found.pending == 0
    where = found.pods["candidate"].value_counts().to_dict()
    assert sorted(where.values()) == [2, 2, 3]
    # The third one goes where it is cheapest: two nodes there, one in each of the others.
    assert found.best.counts == {"new-a": 2, "new-b": 1, "new-c": 1}
    check(found)


def test_pods_that_shun_each_other_get_a_node_each(tmp_path):
    pods = [make_pod(f"p{i}").label(app="x").req(cpu="1").anti_affinity("hostname", {"app": "x"}) for i in range(4)]
    file = node_file(tmp_path, make_node("big").capacity(cpu="64"))
    found = provision(cluster_of(make_node("old").capacity(cpu="100m"), *pods), nodes=file)
    assert (found.best.n_nodes, found.best.gap) == (4, 0.0)


def daemon_set(name, **spec):
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}], **spec},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": "kube-system"},
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template},
    }


def test_daemons_take_their_share_of_new_nodes(tmp_path):
    daemons = [daemon_set("everywhere"), daemon_set("gpu-only", nodeSelector={"gpu": "yes"})]
    pods = [make_pod(f"p{i}").req(cpu="3") for i in range(2)]
    cluster = cluster_of(make_node("old").capacity(cpu="500m"), *daemons, *pods)
    plain = make_node("plain").capacity(cpu="4")
    labelled = make_node("labelled").capacity(cpu="4").label({"gpu": "yes"})
    found = provision(cluster, nodes=node_file(tmp_path, plain, labelled))
    # On the labelled one only two of four cores are left.
    assert found.best.counts == {"plain": 2}
    assert found.best.nodes["daemons"].tolist() == [1, 1]
    assert found.best.nodes["requested_cpu_milli"].tolist() == [4000, 4000]


def test_daemons_are_known_by_their_pods_alone(tmp_path):
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "controller": True}
    running = make_pod("agent-x", "kube-system").req(cpu="1").on("old").obj()
    manifest = {"kind": "Pod"} | msgspec.to_builtins(running)
    manifest["metadata"]["ownerReferences"] = [owner]
    cluster = cluster_of(make_node("old").capacity(cpu="1"), manifest, make_pod("p").req(cpu="4"))
    found = provision(cluster, nodes=node_file(tmp_path, make_node("four").capacity(cpu="4")))
    assert found.pending == 1
    found = provision(cluster, nodes=node_file(tmp_path, make_node("five").capacity(cpu="5")))
    assert found.best.nodes[["pods", "daemons"]].values.tolist() == [[1, 1]]


def test_the_plan_written_as_manifests_and_read_again(demo, tmp_path):
    """Controllers expanded by the reader, nodes appended by hand: nothing but the counts is taken over."""
    found = provision(demo, pools=True, each=2, effort=20)
    placed = kplace.place(demo, preemption="off")
    placed.cluster.to_manifests(tmp_path / "cluster.yaml")
    documents = list(yaml.safe_load_all((tmp_path / "cluster.yaml").read_text()))
    nodes = {item["metadata"]["name"]: item for item in documents if item["kind"] == "Node"}
    likes = {item.name: item.like for item in found.catalogue.candidates}
    for name, number in found.best.counts.items():
        for i in range(number):
            copied = msgspec.json.decode(msgspec.json.encode(nodes[likes[name]]))
            copied["metadata"] = {"name": f"extra-{i}-{likes[name]}", "labels": copied["metadata"]["labels"]}
            copied["metadata"]["labels"]["kubernetes.io/hostname"] = copied["metadata"]["name"]
            copied["spec"].pop("unschedulable", None)
            taints = [taint for taint in copied["spec"].get("taints", []) if "unschedulable" not in taint["key"]]
            copied["spec"]["taints"] = taints
            documents.append(copied)
    (tmp_path / "larger.yaml").write_text(yaml.safe_dump_all(documents))
    run = kplace.place(kplace.read(tmp_path / "larger.yaml"), preemption="off")
    pending = run.pods[run.pods["status"] == "unschedulable"]
    assert set(pending["pod"]) == set(found.pods.loc[found.pods["node"].isna(), "pod"])


def test_what_no_candidate_helps_is_told(tmp_path):
    pods = [
        make_pod("huge").req(cpu="100"),
        make_pod("picky").req(cpu="1").node_selector({"disk": "ssd"}),
        make_pod("fine").req(cpu="2"),
    ]
    file = node_file(tmp_path, make_node("new").capacity(cpu="4"))
    found = provision(cluster_of(make_node("old").capacity(cpu="100m"), *pods), nodes=file)
    why = found.pods.set_index("pod")["why_pending"]
    assert why["huge"] == "1 Insufficient cpu"
    assert why["picky"] == "1 node(s) didn't match Pod's node affinity/selector"
    assert pd.isna(why["fine"])
    assert found.best.counts == {"new": 1}


def test_more_of_a_workload_and_of_files(demo, tmp_path):
    path = tmp_path / "more.yaml"
    spec = {"containers": [{"name": "c", "resources": {"requests": {"cpu": "4"}}}]}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "extra", "namespace": "shop"},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": spec},
        },
    }
    path.write_text(yaml.safe_dump(deployment))
    found = provision(demo, pods=path, like="shop/web", copies=20, waiting=False, pools=True, each=2, effort=20)
    assert found.fitted + len(found.demand.pods) == 3 * 20 + 20
    assert set(found.pods["workload"]) <= {"shop/extra", "shop/web"}
    assert found.pending == 0
    check(found)


def test_candidates_that_another_one_beats_are_left_out(tmp_path):
    file = node_file(
        tmp_path,
        make_node("small").capacity(cpu="4"),
        make_node("same").capacity(cpu="4"),
        make_node("dear").capacity(cpu="4"),
        make_node("other-zone").zone("z").capacity(cpu="4"),
        prices={"small": "1", "same": "1", "dear": "2", "other-zone": "1"},
    )
    found = provision(cluster_of(make_pod("p").req(cpu="3"), make_node("old").capacity(cpu="1")), nodes=file)
    table = found.candidates.set_index("candidate")["left_out"]
    assert table["dear"] == table["same"] == "small offers as much and costs no more"
    assert table["small"] == table["other-zone"] == ""
    assert any(item.topic == "left-out-candidates" for item in found.notes)


def test_kinds_that_differ_only_in_the_rack_share_a_plan():
    racks = ["r1", "r2", "r3", "r4"]
    nodes = pd.DataFrame({"node": [*"abcd", "e"], "cpu": [4, 4, 4, 4, 8], "label:rack": [*racks, "r1"]})
    nodes["instance_type"] = ["small"] * 4 + ["large"]
    spread = {
        "containers": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}],
        "topologySpreadConstraints": [
            {
                "maxSkew": 9,
                "topologyKey": "rack",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"app": "web"}},
            }
        ],
    }
    waiting = pd.DataFrame({"pod": ["w0", "w1"], "spec": [spread] * 2, "label:app": "web"})
    full = pd.DataFrame({"pod": [f"f{n}" for n in "abcde"], "node": list("abcde"), "cpu": [4, 4, 4, 4, 8]})
    pods = pd.concat([full, waiting], ignore_index=True)
    pods["cpu"] = pods["cpu"].astype("object").where(pods["cpu"].notna(), None)
    found = provision(Cluster.from_frames(nodes, pods), pools=True, prices={"small": 1, "large": 3})
    assert sorted(found.table["made_of"]) == ["large", "mix", "small and 3 alike"]
    assert found.candidates["candidate"].nunique() == 5
    # What a pod selects by tells them apart.
    picky = {**spread, "nodeSelector": {"rack": "r2"}}
    pods["spec"] = [None] * 5 + [spread, picky]
    told = provision(Cluster.from_frames(nodes, pods), pools=True, prices={"small": 1, "large": 3})
    assert len(told.table) > 3
    assert not told.table["made_of"].str.contains("alike").any()


def test_prices_come_from_names_tables_and_rates(tmp_path):
    nodes = pd.DataFrame({"node": ["a", "b"], "cpu": [4, 8], "instance_type": ["small", "large"], "zone": ["x", "y"]})
    pods = pd.DataFrame({"pod": ["f", "g", "p"], "cpu": [4, 8, 2], "node": ["a", "b", None]})
    cluster = Cluster.from_frames(nodes, pods)
    table = tmp_path / "prices.csv"
    table.write_text("instance_type,zone,price,comment\nsmall,,0.3,\nsmall,x,0.2,here\nlarge,,,none yet\n")
    prices = {}
    by_name = {"small": 0.5, "large": "0.7"}
    both = provision(cluster, pools=True, prices=table, price={"small": 0.5}).candidates
    assert both["price"].tolist() == [0.5]
    for told in ({"prices": by_name}, {"prices": table}, {"rates": {"cpu": "0.01"}}, {}):
        found = provision(cluster, pools=True, **told)
        prices[str(sorted(told))] = found.candidates.set_index("instance_type")["price"].to_dict()
        if told.get("prices") == table:
            assert found.best.cost == 0.2
            assert [item.message for item in found.notes] == ["left out for want of a price: large y"]
            assert list(found.candidates["instance_type"]) == ["small"]
        if not told:
            assert any(item.topic == "no-prices" for item in found.notes)
    assert prices["[]"] == {"small": 1.0, "large": 1.0}
    assert prices["['rates']"] == {"small": 0.04, "large": 0.08}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "candidates: say what could be added"),
        (
            {"pools": True, "prices": {"mem-8x129": 1}},
            "prices: there is no candidate mem-8x129; did you mean mem-8x128?",
        ),
        ({"pools": True, "prices": {"mem-8x128": "dear"}}, "prices: expected a number such as 0.096 for mem-8x128"),
        ({"pools": True, "rates": {"cpu": -1}}, "rates: expected 0 or more for cpu, got -1"),
        ({"pools": True, "copies": 0}, "copies: at least 1"),
        ({"pools": True, "waiting": False}, "waiting: without the waiting pods, name others"),
        ({"pools": True, "like": "shop/wep"}, "did you mean shop/web?"),
    ],
)
def test_what_cannot_be_asked_is_refused(demo, options, message):
    with pytest.raises(UsageError) as caught:
        provision(demo, **options)
    assert message in str(caught.value)


def test_a_table_of_prices_with_faults_is_refused(demo, tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("type,cost\nm5.large,1\n")
    with pytest.raises(InputError) as caught:
        provision(demo, pools=True, prices=path)
    assert [fault.path for fault in caught.value.faults] == ["instance_type", "price"]
    path.write_text("instance_type,price\nm5.large,a lot\nm5.xlarge,-1\n")
    with pytest.raises(InputError) as caught:
        provision(demo, pools=True, prices=path)
    assert [fault.subject for fault in caught.value.faults] == ["line 2", "line 3"]


def test_all_faults_of_all_prices_are_told_at_once(demo, tmp_path):
    path, shapes = tmp_path / "prices.csv", tmp_path / "shapes.csv"
    path.write_text("name,zone,price\na,,1\n,,2\na,x,3\na,,1.0\na,,1.5\nb,,dear\na,x,4\n")
    shapes.write_text("instance_type,alloc:cpu,price\nm,4,1\nm,4,2\n")
    with pytest.raises(InputError) as caught:
        provision(demo, pools=True, shapes=shapes, prices=path, price={"mem-8x129": -3}, rates={"cpu": "much"})
    assert [str(fault) for fault in caught.value.faults] == [
        f"{path}: line 3: name: is empty, but there is a price",
        f"{path}: line 6: price: a costs 1.5 here, but 1 in line 2",
        f"{path}: line 7: price: expected a number such as 0.096, got 'dear'",
        f"{path}: line 8: price: a x costs 4 here, but 3 in line 4",
        f"{shapes}: line 3: price: m costs 2 here, but 1 in line 2",
        "price: expected 0 or more for mem-8x129, got -3",
        "price: there is no candidate mem-8x129; did you mean mem-8x128?",
        "rates: expected a number such as 0.096 for cpu, got 'much'",
    ]
    with pytest.raises(UsageError) as told:
        provision(demo, pools=True, prices={"mem-8x128": "dear"}, price={"nothing-like-it": 1})
    first, second = str(told.value).splitlines()
    assert first == "prices: expected a number such as 0.096 for mem-8x128, got 'dear'"
    assert second.startswith("price: there is no candidate nothing-like-it; there are ")


def test_a_file_without_nodes_is_refused(demo, tmp_path):
    path = tmp_path / "none.yaml"
    path.write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n")
    with pytest.raises(UsageError, match=r"nodes: there is no Node in .*none\.yaml"):
        provision(demo, nodes=path)


def test_a_template_joins_as_a_new_node_would(tmp_path):
    old = make_node("old").capacity(cpu="100m")
    cordoned = make_node("t").capacity(cpu="4").cordon()
    cordoned = cordoned.taint("node.kubernetes.io/not-ready:NoExecute", "dedicated=db:NoSchedule")
    file = node_file(tmp_path, cordoned)
    refused = provision(cluster_of(old, make_pod("p").req(cpu="1")), nodes=file)
    assert refused.pods["why_pending"].tolist() == ["1 node(s) had untolerated taint {dedicated: db}"]
    pod = make_pod("p").req(cpu="1").tolerate("dedicated=db:NoSchedule")
    found = provision(cluster_of(old, pod), nodes=file)
    assert found.pending == 0
    assert any("node.kubernetes.io/not-ready" in item.message for item in found.notes)


def test_the_same_question_has_the_same_answer(demo):
    one, other = (provision(demo, pools=True, seed=7, like="shop/web", copies=60, each=1, effort=20) for _ in range(2))
    pd.testing.assert_frame_equal(one.table, other.table)
    pd.testing.assert_frame_equal(one.pods, other.pods)
    assert np.array_equal(one.best.tried.node, other.best.tried.node)


def test_tables_agree_with_each_other(demo):
    found = provision(demo, pools=True, like="shop/web", copies=60, each=0, effort=20)
    best = found.best
    assert best.nodes["pods"].sum() == found.pods["candidate"].notna().sum()
    assert best.nodes["price"].sum() == pytest.approx(best.cost)
    assert found.candidates["nodes"].sum() == best.n_nodes == len(best.nodes)
    table = kplace.place(best.cluster, preemption="off").nodes.set_index("node")
    new = best.nodes.set_index("node")
    for column in ("requested_cpu_milli", "allocatable_memory_bytes", "requested_pods"):
        assert table.loc[new.index, column].tolist() == new[column].tolist()
