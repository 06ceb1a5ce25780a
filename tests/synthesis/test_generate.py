import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import kplace
from kplace.columns import ClusterColumns
from kplace.columns.quantity import value
from kplace.dtypes import NO_NODE, NO_TIME
from kplace.objects.core import Service
from kplace.objects.workloads import DaemonSet, Deployment, Job, ReplicaSet, StatefulSet
from kplace.synthesis import PRESETS, generate, load_description
from tests.synthesis.digests import digest

_OWN = ["node", "zone", "region", "instance_type", "labels", "taints", "images"]
NODES = {"name": "n", "count": 4, "shape": "metal-64x256"}


def made(*workloads, seed=0, pools=(NODES,), **rest) -> ClusterColumns:
    description = {"pools": list(pools), "workloads": list(workloads), **rest}
    return generate(load_description(description), seed)


@pytest.mark.parametrize("preset", PRESETS[:-2])
def test_presets_can_be_written_and_read_back(preset, tmp_path):
    cluster = kplace.synth(preset, seed=5, **({} if preset == "small" else {"pods": 150}))
    cluster.to_snapshot(tmp_path / "snapshot")
    cluster.to_manifests(tmp_path / "all.json")
    cluster.to_manifests(tmp_path / "all.yaml")
    placed = kplace.place(cluster)
    for name in ("snapshot", "all.json", "all.yaml"):
        again = kplace.read(tmp_path / name)
        assert not [note for note in again.notes if note.topic in {"made-pods", "surplus-pods", "unknown-kinds"}]
        assert again.columns.pods.names == cluster.columns.pods.names
        assert kplace.place(again).result_hash == placed.result_hash, name


def test_a_snapshot_is_the_same_cluster(tmp_path):
    cluster = kplace.synth("web", pods=200)
    cluster.to_snapshot(tmp_path / "snapshot")
    assert digest(kplace.read(tmp_path / "snapshot").columns) == digest(cluster.columns)


def test_processes_and_hash_seeds_make_no_difference():
    def run(**env: str) -> str:
        command = [sys.executable, "-m", "tests.synthesis.digests"]
        return subprocess.run(
            command, env={**os.environ, **env}, capture_output=True, text=True, check=True
        ).stdout.strip()

    here = digest(generate(load_description("web", pods=300), 3))
    assert {
        run(PYTHONHASHSEED="1", NUMBA_NUM_THREADS="1", OMP_NUM_THREADS="1"),
        run(PYTHONHASHSEED="2", NUMBA_NUM_THREADS="2", OMP_NUM_THREADS="2"),
    } == {here}


def test_another_seed_is_another_cluster():
    assert digest(kplace.synth("web", seed=1, pods=100).columns) != digest(kplace.synth("web", pods=100).columns)


def test_what_one_workload_draws_does_not_depend_on_the_others():
    web = {"name": "web", "apps": 30, "requests": {"cpu": {"lognormal": {"median": "1", "sigma": 1}}}}
    other = {"name": "aaa", "apps": 7, "requests": {"cpu": {"uniform": {"low": "1", "high": "4"}}}}

    def cpu(columns):
        return {
            columns.pods.names[i]: columns.templates[code].request[0]
            for i, code in enumerate(columns.pods.template.tolist())
            if columns.pods.names[i].startswith("web-")
        }

    assert cpu(made(web)) == cpu(made(other, web))


def test_numbers_of_nodes_and_pods():
    cluster = kplace.synth("datacenter-5k", nodes=200, pods=777)
    columns = cluster.columns
    assert len(columns.nodes) == 200
    daemons = columns.pods.node != NO_NODE
    assert daemons.sum() == 200
    assert len(columns.pods) - daemons.sum() == 777
    pools = columns.nodes.labels["kplace.io/pool"]
    counts = {pools.values[code]: int((pools.codes == code).sum()) for code in range(len(pools.values))}
    assert counts == {"general": 120, "compute": 50, "memory": 20, "gpu": 10}


@pytest.mark.parametrize("resource", ["cpu", "memory"])
def test_a_utilisation_is_reached_and_hardly_passed(resource):
    agent = {"name": "agent", "kind": "DaemonSet", "requests": {"cpu": "500m", "memory": "1Gi"}}
    web = {
        "name": "web",
        "replicas": {"zipf": {"exponent": 1.2, "max": 9}},
        "requests": {"cpu": "250m", "memory": "1Gi"},
    }
    batch = {"name": "batch", "kind": "Job", "weight": 3, "requests": {"cpu": "1", "memory": "2Gi"}}
    columns = made(agent, web, batch, utilisation={resource: 0.6})
    row = columns.resources.find(resource)
    request = np.array([item.request for item in columns.templates])[columns.pods.template, row]
    offered = columns.nodes.allocatable[row].sum()
    largest = request.max()
    assert 0 <= request.sum() - 0.6 * offered < 2 * largest + 1
    of_batch = np.array([name.startswith("batch") for name in columns.pods.names])
    of_web = np.array([name.startswith("web") for name in columns.pods.names])
    assert request[of_batch].sum() / request[of_web].sum() == pytest.approx(3, rel=0.05)


def test_daemons_run_where_they_are_tolerated():
    pools = (NODES, {"name": "gpu", "count": 3, "shape": "g5.xlarge", "taints": ["gpu=yes:NoSchedule"]})
    columns = made(
        {"name": "plain", "kind": "DaemonSet"},
        {"name": "every", "kind": "DaemonSet", "tolerations": ["*"]},
        {"name": "gpu-only", "kind": "DaemonSet", "tolerations": ["gpu"], "node_selector": {"kplace.io/pool": "gpu"}},
        pools=pools,
    )
    pods = columns.pods
    assert (pods.node >= 0).all()
    assert sorted(name for name in pods.names if name.startswith("plain")) == [f"plain-n-0000{i}" for i in range(4)]
    assert sum(name.startswith("every") for name in pods.names) == 7
    assert sorted(name for name in pods.names if name.startswith("gpu")) == [f"gpu-only-gpu-0000{i}" for i in range(3)]


def test_a_cordoned_node_is_tainted_and_its_daemons_run():
    columns = made({"name": "agent", "kind": "DaemonSet"}, pools=[{**NODES, "count": 10, "unschedulable": 0.3}])
    assert columns.nodes.unschedulable.sum() == 3
    taints = [columns.nodes.taint_sets[code] for code in columns.nodes.taint_set[columns.nodes.unschedulable].tolist()]
    assert {taint.key for (taint,) in taints} == {"node.kubernetes.io/unschedulable"}
    assert len(columns.pods) == 10


def test_topology():
    pool = {"name": "n", "count": 60, "shape": "m5.large", "label_mix": {"disk": {"ssd": 2, "": 1}}}
    columns = made(pools=[pool], zones=["east", "west"], racks=3)
    nodes = columns.nodes
    zone, rack, disk = (nodes.labels[key] for key in ("topology.kubernetes.io/zone", "topology.kplace.io/rack", "disk"))
    assert np.bincount(zone.codes).tolist() == [30, 30]
    assert sorted(rack.values) == [f"{name}-rack-{i}" for name in ("east", "west") for i in range(3)]
    assert np.bincount(rack.codes).tolist() == [10] * 6
    for node in range(60):
        assert rack.values[rack.codes[node]].startswith(zone.values[zone.codes[node]])
    assert (disk.codes >= 0).sum() == 40
    # Zones take turns in snapshot order.
    assert zone.codes.tolist() == [0, 1] * 30


def test_images_are_on_a_share_of_the_nodes():
    image = {"name": "registry.example/app:1", "size": "1Gi", "share": 0.25}
    columns = made(pools=[{**NODES, "count": 80, "images": [image]}])
    held = columns.nodes.images["registry.example/app:1"]
    assert (held.size, len(held.nodes)) == (2**30, 20)
    assert (np.diff(held.nodes) > 0).all()


def test_every_kind_has_its_controllers():
    columns = made(
        {"name": "dep", "apps": 2, "replicas": 2, "service": True},
        {"name": "set", "kind": "StatefulSet", "apps": 1, "replicas": 2, "claims": [{"name": "data", "size": "1Gi"}]},
        {"name": "job", "kind": "Job", "apps": 1, "replicas": 3},
        {"name": "rs", "kind": "ReplicaSet", "apps": 1},
        {"name": "agent", "kind": "DaemonSet"},
        {"name": "bare", "kind": "Pod", "apps": 3},
    )
    count = {
        kind.__name__: len(columns.of_kind(kind)) for kind in (Deployment, ReplicaSet, StatefulSet, Job, DaemonSet)
    }
    assert count == {"Deployment": 2, "ReplicaSet": 3, "StatefulSet": 1, "Job": 1, "DaemonSet": 1}
    assert [item.spec.selector for item in columns.of_kind(Service)] == [{"app": "dep-0"}, {"app": "dep-1"}]
    claims = [item.metadata.name for item in columns.objects["PersistentVolumeClaim"]]
    assert claims == ["data-set-0-0", "data-set-0-1"]
    bare = [columns.templates[code] for code in set(columns.pods.template[-3:].tolist())]
    assert len(bare) == 1, "pods without a controller that agree share a template"
    assert bare[0].owner is None


def test_terms_name_the_apps_that_they_mean():
    columns = made(
        {"name": "db", "apps": 2},
        {
            "name": "web",
            "apps": 3,
            "spread": [{"key": "zone", "hard": True}],
            "affinity": [{"key": "zone", "to": "db", "hard": True}],
            "anti_affinity": [{"key": "host"}],
        },
    )
    web = [item for item in columns.templates if item.labels["app"].startswith("web")]
    assert len(web) == 3
    for i, item in enumerate(web):
        affinity = item.spec.affinity
        (near,), (away,) = affinity.pod_affinity.required, affinity.pod_anti_affinity.preferred
        assert near.label_selector.match_labels == {"app": f"db-{i % 2}"}
        assert away.pod_affinity_term.label_selector.match_labels == {"app": f"web-{i}"}
        assert away.pod_affinity_term.topology_key == "kubernetes.io/hostname"
        (constraint,) = item.spec.topology_spread_constraints
        assert (constraint.topology_key, constraint.when_unsatisfiable) == (
            "topology.kubernetes.io/zone",
            "DoNotSchedule",
        )


def test_anything_else_of_a_spec():
    spec = {"schedulingGates": [{"name": "wait"}], "tolerations": [{"key": "a", "operator": "Exists"}]}
    columns = made({"name": "w", "apps": 1, "spec": spec, "tolerations": ["b"], "scheduler": "mine"})
    (template,) = columns.templates
    assert template.is_gated
    assert [item.key for item in template.spec.tolerations] == ["a", "b"]
    assert template.spec.scheduler_name == "mine"


def test_priorities():
    columns = made(
        {"name": "a", "apps": 1, "priority_class": "high", "preemption": False},
        {"name": "b", "apps": 200, "priority": {"mix": {"5": 1, "-5": 1}}},
        {"name": "c", "apps": 1, "priority_class": "system-node-critical"},
        priority_classes={"high": 1000},
    )
    priority = dict(zip(columns.pods.names, columns.pods.priority.tolist(), strict=True))
    of = {name: {p for pod, p in priority.items() if pod.startswith(name)} for name in "abc"}
    assert of == {"a": {1000}, "b": {5, -5}, "c": {2_000_001_000}}
    first = columns.templates[columns.pods.template[0]]
    assert first.spec.preemption_policy == "Never"


def test_pods_come_in_the_order_of_their_arrival_and_live_as_long_as_they_say(tmp_path):
    cluster = kplace.synth(
        {
            "pools": [NODES],
            "start": "2025-03-01T00:00:00Z",
            "workloads": [
                {"name": "one", "kind": "Job", "apps": 20, "arrival": {"over": 100}, "lifetime": 7},
                {"name": "two", "kind": "Job", "apps": 20, "arrival": {"over": 100, "pattern": "even"}},
            ],
        }
    )
    pods = cluster.columns.pods
    assert (np.diff(pods.created_ns) >= 0).all()
    assert {name[:3] for name in pods.names[:20]} == {"one", "two"}
    assert set(pods.lasts_ns.tolist()) == {7 * 10**9, NO_TIME}
    created, lasts = cluster.pods["created"], cluster.pods["lasts"]
    assert created.between("2025-03-01T00:00:00Z", "2025-03-01T00:01:40Z").all()
    assert (lasts.notna() == cluster.pods["pod"].str.startswith("one")).all()
    cluster.to_manifests(tmp_path / "c.yaml")
    cluster.to_snapshot(tmp_path / "c")
    for again in (kplace.read(tmp_path / "c.yaml"), kplace.read(tmp_path / "c")):
        np.testing.assert_array_equal(again.columns.pods.created_ns, pods.created_ns)
        np.testing.assert_array_equal(again.columns.pods.lasts_ns, pods.lasts_ns)


def test_a_replay_takes_arrival_and_lifetime():
    workload = {
        "name": "w",
        "kind": "Job",
        "apps": 3,
        "requests": {"cpu": "1500m"},
        "arrival": {"over": 30, "pattern": "even"},
        "lifetime": 100,
    }
    cluster = kplace.synth({"pools": [{"name": "n", "count": 1, "shape": "m5.large"}], "workloads": [workload]})
    pods = kplace.simulate(cluster, replay=True).pods
    assert pods["entered"].tolist() == [0.0, 10.0, 20.0]
    # The node has room for one: the next has to wait for it to end.
    assert pods["bound"].tolist() == [0.0, 100.0, 200.0]


def test_sizes_of_what_a_node_offers():
    columns = made(pools=[{"name": "n", "count": 1, "shape": "m5.large"}])
    offered = dict(zip(columns.resources, columns.nodes.allocatable[:, 0].tolist(), strict=True))
    # 2000m less 60m and 10m; 8 GiB less 1 GiB, 0.8 GiB and 100 MiB, whole MiB.
    assert offered == {"cpu": 1930, "memory": value("6248Mi"), "ephemeral-storage": value("100Gi") * 9 // 10}
    assert columns.nodes.allowed_pods.tolist() == [29]


def test_nodes_are_added_to_clusters_without_objects(tmp_path):
    small, real = kplace.synth("small"), kplace.read("data/demo")
    like = {"new": "general-00000", "other": "general-00003"}
    for number, (cluster, made_pods) in enumerate(((small, 2), (real, 4))):
        larger = cluster.with_nodes(like, others=small)
        larger.to_manifests(tmp_path / f"{number}.json")
        again = kplace.read(tmp_path / f"{number}.json")
        assert again.columns.nodes.names == larger.columns.nodes.names
        np.testing.assert_array_equal(again.columns.nodes.allocatable, larger.columns.nodes.allocatable)
        pd.testing.assert_frame_equal(again.nodes[_OWN], larger.nodes[_OWN])
        # The new nodes lack the pods of DaemonSets, which reading makes; nothing else is new.
        (note,) = (note.message for note in again.notes if note.topic == "made-pods")
        assert note.startswith(f"{made_pods} pods made for controllers that lack them")


def test_every_pod_of_many_stateful_apps_has_claims_of_its_own():
    columns = made({"name": "db", "kind": "StatefulSet", "apps": 3, "replicas": 2, "claims": [{"name": "d"}]})
    for pod, code in zip(columns.pods.names, columns.pods.template.tolist(), strict=True):
        (volume,) = columns.templates[code].spec.volumes
        assert volume.persistent_volume_claim.claim_name == f"d-{pod}"
