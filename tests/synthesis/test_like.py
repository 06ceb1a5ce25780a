"""A description that is fitted to a cluster makes clusters like it."""

import json
from collections import Counter

import numpy as np
import pytest

import kplace
from kplace.errors import UsageError
from kplace.synthesis import description_text, fitted, load_description
from kplace.synthesis.nodes import HOSTNAME


def nodes_by_look(columns, *, without=(HOSTNAME,)):
    """How many nodes there are of each look: what they offer, labels, taints."""
    nodes = columns.nodes
    looks = Counter()
    for node in range(len(nodes)):
        labels = {
            key: column.values[column.codes[node]] for key, column in nodes.labels.items() if column.codes[node] >= 0
        }
        offered = {name: int(nodes.allocatable[row, node]) for row, name in enumerate(columns.resources)}
        taints = {taint for taint in nodes.taint_sets[nodes.taint_set[node]] if "unschedulable" not in taint.key}
        kept = frozenset((key, text) for key, text in labels.items() if key not in without)
        looks[frozenset(item for item in offered.items() if item[1]), kept, frozenset(taints)] += 1
    return looks


def requests_by_namespace(columns):
    """Share of the pods of each namespace and request among all that do not run on every node."""
    counts = Counter()
    for code in columns.pods.template[columns.pods.node < 0].tolist():
        template = columns.templates[code]
        request = zip(columns.resources, template.request.tolist(), strict=True)
        counts[template.namespace, frozenset(item for item in request if item[1])] += 1
    return {key: number / counts.total() for key, number in counts.items()}


@pytest.mark.parametrize("preset", ["small", "web", "ml-gpu", "edge"])
def test_what_was_made_up_is_found_again(preset):
    model = kplace.synth(preset, seed=3)
    like = kplace.synth(like=model, seed=9)
    # Zones and disks are shared out anew, so they are compared as a whole.
    shuffled = ("topology.kubernetes.io/zone", "kplace.io/disk", HOSTNAME)
    looks = [nodes_by_look(cluster.columns, without=shuffled) for cluster in (model, like)]
    assert looks[0] == looks[1]
    for key in shuffled[:2]:
        counts = [Counter(cluster.columns.nodes.label_codes(key).tolist()) for cluster in (model, like)]
        assert sorted(counts[0].values()) == sorted(counts[1].values())
    assert like.columns.nodes.unschedulable.sum() == model.columns.nodes.unschedulable.sum()
    assert (like.columns.pods.node >= 0).sum() == (model.columns.pods.node >= 0).sum()
    assert len(like.columns.pods) == pytest.approx(len(model.columns.pods), abs=1)


def test_mixes_are_kept_when_it_is_scaled():
    model = kplace.synth("web", seed=3)
    like = kplace.synth(like=model, scale=40)
    assert len(like.columns.nodes) == 40 * len(model.columns.nodes)
    before, after = (requests_by_namespace(cluster.columns) for cluster in (model, like))
    assert after.keys() <= before.keys()
    assert sum(abs(share - after.get(key, 0.0)) for key, share in before.items()) / 2 < 0.15
    for row in range(2):
        total = [_requested(cluster.columns)[row] for cluster in (model, like)]
        assert total[1] / total[0] == pytest.approx(40, rel=0.1)


def _requested(columns):
    request = np.array([item.request for item in columns.templates])
    return request[columns.pods.template].sum(axis=0)


def test_constraints_are_kept():
    workload = {
        "name": "w",
        "kind": "StatefulSet",
        "apps": 3,
        "replicas": 2,
        "namespace": "shop",
        "requests": {"cpu": "1"},
        "labels": {"tier": "back"},
        "spread": [{"key": "zone", "hard": True, "max_skew": 2}],
        "anti_affinity": [{"key": "host", "weight": 7}],
        "tolerations": ["gpu=yes:NoSchedule"],
        "node_selector": {"disk": "ssd"},
        "claims": [{"name": "a", "size": "5Gi", "storage_class": "fast"}],
        "host_ports": ["10.0.0.1:80", "53/UDP", 8080],
        "priority": 9,
        "preemption": False,
        "spec": {"schedulingGates": [{"name": "x"}]},
    }
    pool = {"name": "n", "count": 3, "shape": "m5.large", "labels": {"disk": "ssd"}}
    (found,) = fitted(kplace.synth({"pools": [pool], "workloads": [workload]}).columns).workloads
    again = fitted(kplace.synth({"pools": [pool], "workloads": [{**workload, "apps": 5}]}).columns).workloads[0]
    assert (found.kind, found.namespace, found.priority, found.preemption) == ("StatefulSet", "shop", 9, False)
    assert found.labels == {"tier": "back"}
    assert found.requests == {"cpu": "1"}
    assert found.replicas == 2
    assert [(item.key, item.hard, item.max_skew) for item in found.spread] == [("topology.kubernetes.io/zone", True, 2)]
    assert [(item.key, item.hard, item.weight) for item in found.anti_affinity] == [
        ("kubernetes.io/hostname", False, 7)
    ]
    assert found.tolerations == ("gpu=yes:NoSchedule",)
    assert [(item.size, item.storage_class) for item in found.claims] == [("5Gi", "fast")]
    assert found.host_ports == ("10.0.0.1:80", "53/UDP", 8080)
    assert found.spec["schedulingGates"] == [{"name": "x"}]
    assert found.spread == again.spread


def test_terms_on_others_are_kept():
    """A term is on an app of the workload that it was on, also where the two are on each other."""
    shape = {"replicas": 2, "requests": {"cpu": "100m"}}
    model = {
        "pools": [{"name": "n", "count": 4, "shape": "m5.large"}],
        "workloads": [
            {**shape, "name": "db", "kind": "StatefulSet", "apps": 3, "anti_affinity": [{"key": "host", "to": "web"}]},
            {**shape, "name": "web", "apps": 3, "affinity": [{"key": "zone", "to": "db", "hard": True}]},
            {**shape, "name": "far", "apps": 1, "anti_affinity": [{"key": "host", "to": "web", "weight": 3}]},
            {**shape, "name": "own", "apps": 2, "priority": 5, "affinity": [{"key": "host"}]},
        ],
    }
    cluster = kplace.synth(model)
    description = fitted(cluster.columns)
    found = {
        item.name: [(term.to, term.hard, term.weight) for term in (*item.affinity, *item.anti_affinity)]
        for item in description.workloads
    }
    names = {item: name for name, item in zip(("db", "web", "far", "own"), found, strict=True)}
    assert names == {"statefulset-0": "db", "deployment-0": "web", "deployment-1": "far", "deployment-2": "own"}
    assert found == {
        "statefulset-0": [("deployment-0", False, 100)],
        "deployment-0": [("statefulset-0", True, 100)],
        "deployment-1": [("deployment-0", False, 3)],
        "deployment-2": [("self", False, 100)],
    }
    like = kplace.synth(like=cluster, scale=2)
    assert not [note for note in like.notes if note.topic == "not-fitted"]
    apps = {template.labels["app"] for template in like.columns.templates}
    for template in like.columns.templates:
        affinity = template.spec.affinity
        for side in (affinity.pod_affinity, affinity.pod_anti_affinity):
            terms = (
                [] if side is None else [*(side.required or ()), *(i.pod_affinity_term for i in side.preferred or ())]
            )
            assert {term.label_selector.match_labels["app"] for term in terms} <= apps
    assert kplace.place(like).pods["status"].eq("scheduled").all()


def test_host_ports_are_taken(tmp_path):
    """One pod of an app fits on a node; other numbers, protocols and addresses are in nobody's way."""
    workload = {"name": "w", "apps": 1, "replicas": 3, "host_ports": [80, "53/UDP", "10.0.0.1:90"]}
    apart = {**workload, "name": "apart", "host_ports": ["80/UDP", 53, "10.0.0.2:90"]}
    pool = {"name": "n", "count": 2, "shape": "m5.large"}
    model = kplace.synth({"pools": [pool], "workloads": [workload, apart]})
    for cluster in (model, kplace.synth(like=model)):
        assert sorted(kplace.place(cluster).pods["status"]) == ["scheduled"] * 4 + ["unschedulable"] * 2
    model.to_manifests(tmp_path / "c.json")
    assert kplace.place(kplace.read(tmp_path / "c.json")).result_hash == kplace.place(model).result_hash


def test_terms_that_no_workload_of_the_namespace_answers_are_left_out():
    workload = {"name": "w", "apps": 1, "replicas": 2, "requests": {"cpu": "1"}}
    elsewhere = {**workload, "name": "far", "namespace": "other"}
    bare = {**workload, "name": "bare", "kind": "Pod"}
    daemon = {"name": "agent", "kind": "DaemonSet"}
    terms = [
        {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": name}}}
        for name in ("far-0", "bare", "agent", "nobody")
    ]
    spec = {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}
    pool = {"name": "n", "count": 1, "shape": "m5.large"}
    cluster = kplace.synth({"pools": [pool], "workloads": [{**workload, "spec": spec}, elsewhere, bare, daemon]})
    assert not any(item.affinity for item in fitted(cluster.columns).workloads)
    notes = [str(note) for note in kplace.synth(like=cluster).notes if note.topic == "not-fitted"]
    assert len(notes) == 1
    assert notes[0].startswith("not fitted: affinity to pods of no other workload of the namespace, of 2 pods")


def test_a_real_cluster(tmp_path):
    model = kplace.read("data/demo")
    text = description_text(fitted(model.columns))
    (tmp_path / "d.yaml").write_text(text)
    assert load_description(tmp_path / "d.yaml") == fitted(model.columns)
    like = kplace.synth(tmp_path / "d.yaml", scale=3, seed=1)
    assert len(like.columns.nodes) == 3 * len(model.columns.nodes)
    like.to_manifests(tmp_path / "c.json")
    again = kplace.read(tmp_path / "c.json")
    assert not [note for note in again.notes if note.topic in {"made-pods", "surplus-pods"}]
    assert kplace.place(again).result_hash == kplace.place(like).result_hash


def test_arguments():
    for arguments in (
        {},
        {"description": "small", "like": kplace.synth("small")},
        {"description": "small", "scale": 0},
    ):
        with pytest.raises(UsageError):
            kplace.synth(**arguments)


def test_the_command(kplace_command, tmp_path):
    shown = kplace_command("synth", "--like", "data/demo", "--show")
    assert shown.stdout.startswith("pools:")
    made = kplace_command("synth", "--like", "data/demo", "--scale", "2", "--out", tmp_path / "c.parquet")
    assert "28 nodes" in made.stderr


@pytest.fixture
def kplace_command():
    from click.testing import CliRunner

    from kplace.cli.main import cli

    return lambda *arguments: CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_what_is_not_fitted_is_said(tmp_path):
    """Each kind of thing with the pods that have it and whose they are; a note for nothing else."""

    def labelled(**labels):
        return {"matchLabels": labels}

    def pod(name, count, /, app, **spec):
        containers = spec.pop("containers", [{"name": "a"}])
        metadata = {"labels": {"app": app}, "ownerReferences": [{"kind": "Job", "name": name, "controller": True}]}
        return [
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {**metadata, "name": f"{name}-{number}", "namespace": "shop"},
                "spec": {"containers": containers, **spec},
            }
            for number in range(count)
        ]

    def term(app):
        return {"topologyKey": "zone", "labelSelector": labelled(app=app)}

    preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term("db")}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [term("own")]}
    spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
    pods = [
        *pod(
            "own",
            1,
            app="own",
            affinity={"podAffinity": required},
        ),
        *pod("web", 2, app="web", affinity={"podAntiAffinity": preferred}),
        *pod("far", 4, app="far", topologySpreadConstraints=[{**spread, "labelSelector": labelled(app="db")}]),
        *pod("near", 5, app="near", topologySpreadConstraints=[{**spread, "labelSelector": labelled(app="near")}]),
        *(item for n in range(4) for item in pod(f"v{n}", 1, app="v", volumes=[PVC])),
    ]
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [NODE, *pods]}))
    model = kplace.read(path)
    notes = [str(note) for note in kplace.synth(like=model).notes if note.topic == "not-fitted"]
    assert notes == [
        "not fitted: affinity to pods of no other workload of the namespace, of 2 pods (shop/web)",
        "not fitted: spread constraints on pods of other workloads, of 4 pods (shop/far)",
        "not fitted: volumes other than claims of StatefulSets, of 4 pods (shop/v0, shop/v1, shop/v2 and 1 more)",
    ]
    assert not [note for note in kplace.synth("small").notes if note.topic == "not-fitted"]


PVC = {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n"},
    "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}},
}
