"""scheduler_perf's format: read as upstream writes it, run, and refused where it cannot be."""

from pathlib import Path

import pytest

from kplace.analysis.scheduler_perf import own_workloads, read_workloads, run_workload
from kplace.analysis.scheduler_perf.script import script_of
from kplace.analysis.scheduler_perf.steps import Placing
from kplace.analysis.scheduler_perf.templates import TemplateError, render
from kplace.errors import InputError, UsageError

POD = """
apiVersion: v1
kind: Pod
metadata:
  generateName: pod-
  labels:
    app: app-{{Mod .Index 3}}
    size: "{{.big}}"
spec:
  containers:
  - {name: a, image: pause, resources: {requests: {cpu: "1"}}}
"""
LARGE = POD.replace('cpu: "1"', 'cpu: "9"').replace('size: "{{.big}}"', "size: large")
NODE = """
apiVersion: v1
kind: Node
metadata: {generateName: node-}
status:
  capacity: {cpu: "4", memory: 8Gi, pods: "10"}
"""
CONFIG = """
- name: Everything
  defaultPodTemplatePath: pod.yaml
  labels: [mine]
  workloadTemplate:
  - opcode: createNodes
    countParam: $nodes
    nodeTemplatePath: node.yaml
    labelNodePrepareStrategy: {labelKey: zone, labelValues: [a, b]}
  - opcode: createNamespaces
    prefix: ns
    count: 2
  - opcode: createPodSets
    countParam: $sets
    namespacePrefix: ns
    createPodsOp: {opcode: createPods, countParam: $each, templateParams: {big: no}}
  - {opcode: barrier}
  - {opcode: sleep, duration: 1s}
  - opcode: churn
    mode: create
    templatePaths: [large.yaml]
    intervalMilliseconds: 200
  - opcode: createPods
    countParam: $measured
    collectMetrics: true
    templateParams: {big: $big}
  workloads:
  - name: one
    labels: [performance]
    threshold: 10
    params: {nodes: 4, sets: 2, each: 3, measured: 5, big: 7}
  - name: two
    params: {nodes: 1, sets: 1, each: 0, measured: 1, big: 8}
- name: Beyond
  workloadTemplate:
  - {opcode: createResourceDriver, driverName: x}
  - {opcode: createAny, templatePath: group.yaml}
  - {opcode: createPods, count: 1, podTemplatePath: claiming.yaml, steadyState: true}
  workloads: [{name: any, threshold: {topic: 3}}]
"""


@pytest.fixture
def config(tmp_path) -> Path:
    claiming = POD.replace("spec:", "spec:\n  resourceClaims:\n  - {name: gpu, resourceClaimName: a}")
    group = "apiVersion: acme.io/v1\nkind: Gang\nmetadata: {name: a}\n"
    texts = {"pod": POD, "large": LARGE, "node": NODE, "claiming": claiming, "group": group}
    for name, text in {**texts, "performance-config": CONFIG}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path / "performance-config.yaml"


def test_a_file_is_read_as_it_is(config):
    one, two, beyond = read_workloads(config)
    assert [item.title for item in (one, two, beyond)] == ["Everything/one", "Everything/two", "Beyond/any"]
    assert (one.labels, one.threshold) == ({"mine", "performance"}, 10)
    assert (two.labels, two.threshold) == ({"mine"}, None)
    assert beyond.obstacles == (
        "the operation createResourceDriver is not supported",
        "group.yaml: objects of kind Gang are not understood",
        "createPods with steadyState is not supported",
        "claiming.yaml: its pods claim devices (resourceClaims), which kplace does not place by",
    )
    assert beyond.threshold == 3
    with pytest.raises(UsageError, match="cannot be run: the operation createResourceDriver"):
        run_workload(beyond)


def test_what_is_made_of_it(config):
    script = script_of(read_workloads(config)[0])
    (stage,) = script.stages
    nodes, pods = stage.columns.nodes, stage.columns.pods
    assert len(nodes) == 4
    assert [nodes.label_values("zone")[code] for code in nodes.label_codes("zone").tolist()] == ["a", "b", "a", "b"]
    # Threshold 10 a second and churn every 0.2 s: one large pod for every two.
    placings = [step.pods.tolist() for step in stage.steps if isinstance(step, Placing)]
    assert [len(item) for item in placings] == [3, 3, 3, 3, 2]
    assert [len({*item} & {*script.measured.tolist()}) for item in placings] == [0, 0, 2, 2, 1]
    templates = [stage.columns.templates[code] for code in pods.template.tolist()]
    measured = [item for item in templates if item.labels["size"] == "7"]
    assert [item.labels["app"] for item in measured] == ["app-0", "app-1", "app-2", "app-0", "app-1"]
    assert {item.namespace for item in measured} == {"namespace-6"}
    assert [item.namespace for item in templates[:6]] == ["ns-0"] * 3 + ["ns-1"] * 3
    assert len(set(pods.names)) == len(pods.names)


def test_what_was_measured(config):
    measured = run_workload(read_workloads(config)[0], repeat=2)
    assert (measured.nodes, measured.pods, measured.scheduled) == (4, 5, 5)
    assert measured.factor == pytest.approx(measured.pods_per_second / 10)
    assert "churn comes as often as if 10 pods were placed a second" in measured.notes


def test_all_own_descriptions_run_at_their_small_size():
    own = own_workloads()
    assert not [item.title for item in own if item.obstacles]
    small = {item.case: item for item in own if "short" in item.labels}
    assert small.keys() == {item.case for item in own}
    for name in ("Daemonset", "WhileGated", "Volumes", "AntiAffinityNamespaces", "Preemption"):
        measured = run_workload(small[name])
        assert measured.scheduled == measured.pods > 0, name


def test_the_published_sizes_and_thresholds():
    own = {item.title: item for item in own_workloads()}
    assert own["Basic/5000Nodes_10000Pods"].threshold == 680
    assert own["PodAffinity/5000Nodes_5000Pods"].threshold == 35
    counts = [item.get("count") for item in own["PodAntiAffinity/5000Nodes_2000Pods"].operations]
    assert counts == [5000, 2, 1000, 2000]


def run(folder: Path, operations: str, **templates: str):
    """Run a workload of those operations; templates are texts by name."""
    for name, text in templates.items():
        (folder / f"{name}.yaml").write_text(text)
    body = f"- name: It\n  workloadTemplate:\n{operations}\n  workloads: [{{name: all}}]\n"
    (folder / "performance-config.yaml").write_text(body)
    (workload,) = read_workloads(folder / "performance-config.yaml")
    return run_workload(workload)


ONE = "kind: Pod\nmetadata: {generateName: p-, labels: {is: LABEL}}\nspec: {containers: [{name: a, SHARE}]}"
"""A pod; as it stands it asks for nothing, or for one of a node's four cpu."""


def pod(label: str = "x", cpu: str = "") -> str:
    share = f"resources: {{requests: {{cpu: {cpu}}}}}" if cpu else "image: pause"
    return ONE.replace("LABEL", label).replace("SHARE", share)


def test_deleted_pods_leave_their_nodes(tmp_path):
    # A node has four cpu, a pod takes one: without the deletion none of the later pods would fit.
    operations = """
  - {opcode: createNodes, count: 1}
  - {opcode: createPods, count: 4, namespace: old, podTemplatePath: pod.yaml}
  - {opcode: deletePods, namespace: old}
  - {opcode: createPods, count: 4, collectMetrics: true, podTemplatePath: pod.yaml}
"""
    assert run(tmp_path, operations, pod=pod(cpu="1")).scheduled == 4


def test_a_pod_without_any_template_is_upstreams(tmp_path):
    # 100m each: forty of them fill the four cpu of a node.
    operations = "  - {opcode: createNodes, count: 1}\n  - {opcode: createPods, count: 41, collectMetrics: true}"
    measured = run(tmp_path, operations)
    assert (measured.pods, measured.scheduled) == (41, 40)


def test_labels_choose_who_is_deleted_and_the_others_are_tried_again(tmp_path):
    operations = """
  - {opcode: createNodes, count: 1}
  - {opcode: createPods, count: 3, namespace: both, podTemplatePath: going.yaml}
  - {opcode: createPods, count: 1, namespace: both, podTemplatePath: staying.yaml}
  - {opcode: createPods, count: 4, collectMetrics: true, podTemplatePath: staying.yaml}
  - {opcode: deletePods, namespace: both, labelSelector: {is: going}, deletePodsPerSecond: 5}
"""
    measured = run(tmp_path, operations, going=pod("going", "1"), staying=pod("staying", "1"))
    assert (measured.pods, measured.scheduled) == (4, 3)
    assert measured.notes == ("pods are deleted at once, not bit by bit",)


def test_what_is_collected(tmp_path):
    operations = """
  - {opcode: createNodes, count: 1}
  - {opcode: createPods, count: 1, namespace: a, podTemplatePath: x.yaml}
  - {opcode: startCollectingMetrics, namespaces: [a], labelSelector: {is: x}}
  - {opcode: createPods, count: 2, namespace: a, podTemplatePath: x.yaml}
  - {opcode: createPods, count: 4, namespace: a, podTemplatePath: y.yaml}
  - {opcode: createPods, count: 8, namespace: b, podTemplatePath: x.yaml}
  - {opcode: stopCollectingMetrics}
  - {opcode: createPods, count: 16, namespace: a, podTemplatePath: x.yaml}
"""
    assert run(tmp_path, operations, x=pod("x"), y=pod("y")).pods == 2


def test_claims_have_upstreams_names_and_nodes_their_limits(tmp_path):
    # The second pods name the first ones' claims; a claim for one pod alone keeps them waiting until that pod leaves.
    operations = """
  - opcode: createNodes
    count: 1
    nodeAllocatableStrategy: {csiNodeAllocatable: {ebs.csi.aws.com: {count: 3}}}
  - opcode: createPods
    count: 5
    namespace: a
    podTemplatePath: pod.yaml
    persistentVolumeTemplatePath: pv.yaml
    persistentVolumeClaimTemplatePath: pvc.yaml
  - {opcode: createPods, count: 2, namespace: a, podTemplatePath: second.yaml, collectMetrics: true}
"""
    volume = "kind: PersistentVolume\nspec: {csi: {driver: ebs.csi.aws.com, volumeHandle: 'v-{{.Index}}'}}"
    claim = "kind: PersistentVolumeClaim\nspec: {accessModes: [ReadWriteOncePod]}"
    second = pod("second") + "\n  volumes: [{name: v, persistentVolumeClaim: {claimName: 'pvc-{{.Index}}'}}]"
    second = second.replace("spec: {containers: [", "spec:\n  containers: [").replace("}]}", "}]")
    first = run(tmp_path, operations, pod=pod("first"), second=second, pv=volume, pvc=claim)
    assert first.scheduled == 0
    after = operations + "  - {opcode: deletePods, namespace: a, labelSelector: {is: first}}\n"
    assert run(tmp_path, after).scheduled == 2
    limited = operations.replace("podTemplatePath: pod.yaml", "podTemplatePath: pod.yaml\n    collectMetrics: true")
    assert run(tmp_path, limited.rsplit("  - {", 1)[0]).scheduled == 3


def test_nodes_that_come_later_are_not_there_before(tmp_path):
    operations = """
  - {opcode: createNodes, count: 1}
  - {opcode: createPods, count: 6, namespace: a, podTemplatePath: pod.yaml, skipWaitToCompletion: true}
  - {opcode: createNodes, count: 1}
  - {opcode: createPods, count: 3, collectMetrics: true, podTemplatePath: pod.yaml}
"""
    # Four of the six are on the first node; the other two get the second one's room before the three that come later.
    assert run(tmp_path, operations, pod=pod(cpu="1")).scheduled == 2


NODES = (
    "kind: Node\nmetadata: {name: 'n-{{.Index}}'}\nspec: {unschedulable: true}\nstatus: {capacity: {pods: 9, cpu: 4}}"
)

TOLERANT = """
kind: Pod
metadata: {name: 'p-{{.Index}}'}
spec: {tolerations: [{operator: Exists}], containers: [{name: a}]}
"""


@pytest.mark.parametrize(
    ("update", "template", "scheduled"),
    [
        ("{opcode: updateAny, templatePath: t.yaml, count: 2}", NODES.replace("true", "false"), 3),
        ("{opcode: updateAny, templatePath: t.yaml}", NODES.replace("true", "false").replace("cpu: 4", "cpu: 2"), 2),
        (
            "{opcode: updateAny, templatePath: t.yaml, count: 3, namespace: a}",
            TOLERANT,
            3,
        ),
        (
            "{opcode: updateAny, templatePath: t.yaml, count: 2, namespace: a, subresources: [resize]}",
            TOLERANT,
            0,
        ),
    ],
)
def test_updates_let_waiting_pods_in(tmp_path, update, template, scheduled):
    operations = f"""
  - {{opcode: createNodes, count: 2, nodeTemplatePath: node.yaml}}
  - {{opcode: createPods, count: 3, namespace: a, podTemplatePath: pod.yaml, collectMetrics: true}}
  - {update}
"""
    named = pod(cpu="1").replace("generateName: p-", "name: 'p-{{.Index}}'")
    assert run(tmp_path, operations, node=NODES, pod=named, t=template).scheduled == scheduled


def test_a_resize_makes_room(tmp_path):
    operations = """
  - {opcode: createNodes, count: 1}
  - {opcode: createPods, count: 1, namespace: a, podTemplatePath: first.yaml}
  - {opcode: createPods, count: 1, collectMetrics: true, podTemplatePath: second.yaml}
  - {opcode: updateAny, templatePath: smaller.yaml, namespace: a, subresources: [resize], updatePerSecond: 9}
"""
    first = pod(cpu="3").replace("generateName: p-", "name: first")
    measured = run(tmp_path, operations, first=first, second=pod(cpu="2"), smaller=first.replace("cpu: 3", "cpu: 1"))
    assert measured.scheduled == 1
    assert measured.notes == ("objects are updated at once, not bit by bit",)


def test_pods_that_wait_for_later_ones_get_in_at_a_barrier(tmp_path):
    term = "{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {is: friend}}}"
    lonely = pod("lonely").replace(
        "spec: {", f"spec: {{affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{term}]}}}}, "
    )
    operations = """
  - {opcode: createNodes, count: 1}
  - {opcode: createPods, count: 1, namespace: a, podTemplatePath: lonely.yaml, collectMetrics: true}
  - {opcode: barrier, stageRequirement: Attempted}
  - {opcode: createPods, count: 1, namespace: a, podTemplatePath: friend.yaml}
"""
    assert run(tmp_path, operations, lonely=lonely, friend=pod("friend")).scheduled == 0
    assert run(tmp_path, operations + "  - {opcode: barrier}\n").scheduled == 1


def test_churn_ends_where_it_should(tmp_path):
    operations = """
  - {opcode: createNodes, count: 9}
  - {opcode: churn, mode: create, number: 2, templatePaths: [pod.yaml], intervalMilliseconds: 10}
  - {opcode: createPods, count: 50, collectMetrics: true}
"""
    run(tmp_path, operations, pod=pod())
    (workload,) = read_workloads(tmp_path / "performance-config.yaml")
    # At 500 pods a second and one each 10 ms there would be ten of them without an end.
    assert len(script_of(workload).stages[-1].columns.pods) == 52


def test_paths_from_the_folder_above(tmp_path):
    """Files of Kubernetes up to 1.31 name theirs from there."""
    folder = tmp_path / "config"
    folder.mkdir()
    operations = """
  - {opcode: createNodes, count: 1}
  - {opcode: createPods, count: 1, collectMetrics: true, podTemplatePath: config/pod.yaml}
"""
    assert run(folder, operations, pod=pod()).scheduled == 1


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("{opcode: createPods, count: 2, podTemplatePath: t.yaml}", "there is one of that name already; generateName"),
        ("{opcode: updateAny, templatePath: t.yaml, namespace: a}", "there is none of that name to update"),
        ("{opcode: updateAny, templatePath: node.yaml}", "there is none of that name to update"),
        ("{opcode: updateAny, templatePath: class.yaml}", "there is none of that name to update"),
        ("{opcode: createAny, templatePath: t.yaml}", "made by operations of their own"),
        ("{opcode: createAny}", "templatePath: expected a path"),
        ("{opcode: createNodes, count: 1, nodeTemplatePath: t.yaml}", "expected a node"),
    ],
)
def test_operations_that_cannot_be_done(tmp_path, operation, message):
    operations = f"  - {operation}\n  - {{opcode: createPods, count: 1, collectMetrics: true}}"
    templates = {
        "t": "kind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a}]}",
        "node": "kind: Node\nmetadata: {name: n}",
        "class": "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: c}\nprovisioner: none",
    }
    with pytest.raises(InputError, match=message):
        run(tmp_path, operations, **templates)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("countParam: $measured", "countParam: $misspelt"),
            r"Everything/one: workloadTemplate\[6\].countParam: there is",
        ),
        (("count: 2", "count: -1"), "expected a number from 0 on"),
        (("- {opcode: barrier}", "- {opcode: 3}"), r"workloadTemplate\[3\].opcode: expected the name of an operation"),
        (("threshold: 10", "threshold: much"), "expected pods per second, got 'much'"),
        (("name: Everything", "title: Everything"), "expected a test case with a name"),
        (("workloads:\n  - name: one", "workloads:\n  - nam: one"), "expected a text"),
    ],
)
def test_faults_are_told(config, change, message):
    text = config.read_text()
    assert change[0] in text
    config.write_text(text.replace(*change))
    with pytest.raises(InputError, match=message):
        read_workloads(config)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("pod.yaml", None, "the template cannot be read"),
        ("pod.yaml", "kind: Pod\nspec: {containers: 3}", "Expected"),
        ("pod.yaml", "kind: Service", "expected a pod"),
        ("pod.yaml", POD.replace("Mod .Index 3", "Modulo .Index 3"), "Modulo is not understood"),
        ("node.yaml", "- 1", "expected an object"),
    ],
)
def test_templates_that_cannot_be_used(config, name, text, message):
    path = config.parent / name
    path.unlink()
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=message):
        script_of(read_workloads(config)[0])


def test_rendering():
    values = {"Index": 10, "Count": 4, "name": "x"}
    assert render("{{.name}}-{{ AddInt .Index 1 }}-{{MultiplyInt (SubtractInt .Index 1) 2}}", values) == "x-11-18"
    assert render("8{{ mod .Index 3 }} {{ div 30 .Count }}", values) == "81 7"
    assert render("{{DivideFloat 1 4}} {{DivideInt 7 2}} {{AddFloat 1.5 1.5}}", values) == "0.25 3 3"
    for broken in ("{{.other}}", "{{Mod 1}}", "{{DivideInt 1 0}}", "{{range .Count}}", "{{(AddInt 1 2}}", "{{}}"):
        with pytest.raises(TemplateError):
            render(broken, values)
