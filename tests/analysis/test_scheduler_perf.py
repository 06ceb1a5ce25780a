"""scheduler_perf's format: read as upstream writes it, run, and refused where it cannot be."""

from pathlib import Path

import numpy as np
import pytest

from kplace.analysis.scheduler_perf import own_workloads, read_workloads, run_workload
from kplace.analysis.scheduler_perf.script import script_of
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
  workloads: [{name: any, threshold: {topic: 3}}]
"""


@pytest.fixture
def config(tmp_path) -> Path:
    for name, text in {"pod": POD, "large": LARGE, "node": NODE, "performance-config": CONFIG}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path / "performance-config.yaml"


def test_a_file_is_read_as_it_is(config):
    one, two, beyond = read_workloads(config)
    assert [item.title for item in (one, two, beyond)] == ["Everything/one", "Everything/two", "Beyond/any"]
    assert (one.labels, one.threshold) == ({"mine", "performance"}, 10)
    assert (two.labels, two.threshold) == ({"mine"}, None)
    assert beyond.obstacles == ("the operation createResourceDriver is not supported",)
    assert beyond.threshold == 3
    with pytest.raises(UsageError, match="cannot be run: the operation createResourceDriver"):
        run_workload(beyond)


def test_what_is_made_of_it(config):
    script = script_of(read_workloads(config)[0])
    nodes, pods = script.columns.nodes, script.columns.pods
    assert len(nodes) == 4
    assert [nodes.label_values("zone")[code] for code in nodes.label_codes("zone").tolist()] == ["a", "b", "a", "b"]
    # Threshold 10 a second and churn every 0.2 s: one large pod for every two.
    sizes = [(len(step.pods), step.is_measured) for step in script.steps]
    assert sizes == [(3, False), (3, False), (3, True), (3, True), (2, True)]
    templates = [script.columns.templates[code] for code in pods.template.tolist()]
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


def test_deleted_pods_leave_their_nodes(tmp_path):
    (tmp_path / "pod.yaml").write_text(POD.replace('"{{.big}}"', "one"))
    (tmp_path / "c.yaml").write_text(
        """
- name: Deletes
  defaultPodTemplatePath: pod.yaml
  workloadTemplate:
  - {opcode: createNodes, count: 1}
  - {opcode: createPods, count: 4, namespace: old}
  - {opcode: deletePods, namespace: old}
  - {opcode: createPods, count: 4, collectMetrics: true}
  workloads: [{name: all}]
"""
    )
    # A node has four cpu, a pod takes one: without the deletion none of the later pods would fit.
    assert run_workload(read_workloads(tmp_path / "c.yaml")[0]).scheduled == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("countParam: $measured", "countParam: $misspelt"),
            r"Everything/one: workloadTemplate\[6\].countParam: there is",
        ),
        (("count: 2", "count: -1"), "expected a number from 0 on"),
        (("  defaultPodTemplatePath: pod.yaml\n", ""), "createPods names no template"),
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
    assert render("{{DivideFloat 1 4}} {{DivideInt 7 2}} {{AddFloat 1.5 1.5}}", values) == "0.25 3 3"
    for broken in ("{{.other}}", "{{Mod 1}}", "{{DivideInt 1 0}}", "{{range .Count}}", "{{(AddInt 1 2}}", "{{}}"):
        with pytest.raises(TemplateError):
            render(broken, values)


def test_numbers_are_numpys():
    script = script_of(next(item for item in own_workloads() if item.title == "Basic/small"))
    assert np.concatenate([step.pods for step in script.steps]).tolist() == list(range(30))
