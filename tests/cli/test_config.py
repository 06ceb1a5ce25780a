"""``kplace config``: what it prints of a configuration, of two, and of one that is refused."""

import json
import os
import subprocess
import sys
import threading

import pytest

from tests.cli.clusters import environment

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

PACKING = f"""{HEAD}
profiles:
- schedulerName: packing
  percentageOfNodesToScore: 40
  plugins:
    multiPoint:
      enabled: [{{name: ImageLocality, weight: 5}}]
    score:
      disabled: [{{name: PodTopologySpread}}]
      enabled: [{{name: NodeAffinity, weight: 7}}]
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy: {{type: MostAllocated, resources: [{{name: cpu, weight: 2}}]}}
"""

EXTENDERS = """
extenders:
- {urlPrefix: "http://127.0.0.1:9/s", filterVerb: filter, prioritizeVerb: prioritize, weight: 4, ignorable: true,
   httpTimeout: 90s, managedResources: [{name: example.com/gpu}]}
- {urlPrefix: "http://127.0.0.1:8", preemptVerb: preempt}
"""

UNKNOWN = f"{HEAD}profiles: [{{plugins: {{score: {{enabled: [{{name: ImageLocalty}}]}}}}}}]\n"


@pytest.fixture
def write(tmp_path):
    """Writes a configuration and gives the path of its file."""

    def written(text: str, name: str = "config.yaml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return written


def words(text: str) -> str:
    return " ".join(text.split())


def test_show_marks_what_is_not_a_default(kplace, write):
    result = kplace("config", "show", write(PACKING))
    assert (result.exit_code, result.stderr) == (0, "")
    text = words(result.stdout)
    assert "percentageOfNodesToScore 0 (adapts to the number of nodes) podInitialBackoffSeconds 1" in text
    assert "profile packing percentageOfNodesToScore 40" in text
    # The explicit one goes first, multiPoint's last, since it does not override the place of a default.
    assert (
        "score NodeAffinity 7 (explicit), TaintToleration 3, NodeResourcesFit 1, VolumeBinding 1, InterPodAffinity 2, "
        "NodeResourcesBalancedAllocation 1, ImageLocality 5 (multiPoint) reserve"
    ) in text
    assert "preFilter NodeAffinity, NodePorts, " in text
    assert "permit none" in text
    assert "NodeAffinity none" in text
    assert "scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 2}]}" in text
    assert "extenders" not in text


def test_show_lists_extenders_as_they_are_called(kplace, write):
    text = words(kplace("config", "show", write(HEAD + EXTENDERS), COLUMNS="120").stdout)
    assert "http://127.0.0.1:9/s filter, prioritize 4 1m30s, ignorable example.com/gpu" in text
    assert "http://127.0.0.1:8 preempt 0 5s all pods" in text
    # Those whose faults are ignored are called last.
    assert text.index("127.0.0.1:8") < text.index("127.0.0.1:9")


def test_show_without_a_file_is_an_empty_configuration(kplace, write):
    shown = kplace("config", "show")
    assert shown.exit_code == 0
    assert "profile default-scheduler" in shown.stdout
    assert "TaintToleration 3, NodeAffinity 2," in words(shown.stdout)
    assert shown.output == kplace("config", "show", write(HEAD)).output


def test_standard_input():
    command = [sys.executable, "-m", "kplace", "config", "show", "-", "--format", "json"]
    text = f"{HEAD}paralelism: 3\n"
    result = subprocess.run(
        command, input=text, capture_output=True, text=True, env=environment(), check=False, timeout=120
    )
    assert result.returncode == 2
    assert '<stdin>: line 3: paralelism: unknown field; did you mean "parallelism"?' in result.stderr
    assert json.loads(result.stdout)["failedStage"] == "decode"


def test_json_is_written_of_a_refused_configuration_too(kplace, write):
    path = write(UNKNOWN)
    result = kplace("config", "show", path, "--format", "json")
    assert result.exit_code == 2
    record = json.loads(result.stdout)
    assert (record["ok"], record["failedStage"], record["unknownPlugins"]) == (False, "build", ["ImageLocalty"])
    assert f"{path}: line 3: profiles[0].plugins.score.enabled[0]: ScorePlugin" in result.stderr
    assert 'did you mean "ImageLocality"?' in result.stderr
    assert kplace("config", "show", path).stdout == ""


def test_all_faults_are_told_at_once(kplace, write):
    result = kplace("config", "show", write(f"{UNKNOWN}parallelism: -1\npodMaxBackoffSeconds: -2\n"))
    assert result.exit_code == 2
    for fault in ("line 4: parallelism", "line 5: podMaxBackoffSeconds", "line 3: profiles[0]"):
        assert fault in result.stderr
    assert result.stderr.splitlines()[-1].startswith("Error: 3 faults in the configuration")


def test_unknown_plugins_may_be_let_through(kplace, write):
    path = write(UNKNOWN)
    assert f"note: {path}: --allow-unknown-plugins lets plugins through" in kplace("config", "show", path).stderr
    result = kplace("config", "show", path, "--allow-unknown-plugins")
    assert result.exit_code == 0
    assert "ImageLocalty 1 (explicit)" in words(result.stdout)
    assert "ImageLocalty: not in-tree, so it does nothing at score" in result.stderr


def test_an_older_version_is_shown_by_the_rules_of_its_time(kplace, write):
    path = write(HEAD.replace("/v1", "/v1beta2"))
    result = kplace("config", "show", path)
    assert result.exit_code == 0
    assert "settings read as v1beta2" in words(result.stdout)
    assert "TaintToleration 1" in words(result.stdout)
    assert "read by the rules of v1beta2; kube-scheduler 1.34 refuses it" in result.stderr
    record = json.loads(kplace("config", "show", path, "--format", "json").stdout)
    assert (record["ok"], record["failedStage"], record["readAs"]) == (False, "decode", "v1beta2")
    as_v1 = kplace("config", "show", path, "--read-as", "v1")
    assert (as_v1.exit_code, as_v1.stderr) == (0, "")
    assert as_v1.stdout == kplace("config", "show").stdout


def test_an_algorithm_provider_is_shown_by_its_name(kplace):
    result = kplace("config", "show", "ClusterAutoscalerProvider")
    assert result.exit_code == 0
    assert "NodeResourcesMostAllocated 1" in words(result.stdout)


def test_feature_gates(kplace, write):
    with_gate = kplace("config", "show", "--feature-gates", "DynamicResourceAllocation=false")
    assert with_gate.exit_code == 0
    assert "DynamicResources" not in with_gate.stdout
    wrong = kplace("config", "show", "--feature-gates", "StorageCapacityScorin=true")
    assert wrong.exit_code == 2
    assert 'unknown gate "StorageCapacityScorin"' in wrong.stderr


def test_a_file_that_is_not_there(kplace, tmp_path):
    result = kplace("config", "show", tmp_path / "nowhere.yaml")
    assert result.exit_code == 2
    assert "nowhere.yaml: No such file or directory" in result.stderr


def test_quiet_prints_nothing_but_data(kplace, write):
    path = write(f"{HEAD}parallelism: 3\n")
    assert "without effect here: parallelism" in kplace("config", "show", path).stderr
    assert kplace("config", "show", path, "--quiet").output == ""
    assert kplace("config", "diff", path, write(PACKING, "b.yaml"), "--quiet").output == ""
    result = kplace("config", "show", path, "-q", "--format", "json")
    assert (json.loads(result.stdout)["ok"], result.stderr) == (True, "")


OTHER = PACKING.replace("weight: 7", "weight: 8").replace("MostAllocated", "LeastAllocated").replace(": 40", ": 50")


def test_diff_shows_both_sides(kplace, write):
    mine, other = write(PACKING, "mine.yaml"), write(OTHER + EXTENDERS, "other.yaml")
    result = kplace("config", "diff", mine, other, COLUMNS="120")
    assert (result.exit_code, result.stderr) == (0, "")
    text = words(result.stdout)
    assert text.startswith(f"--- {mine} +++ {other} ")
    assert "profile packing: percentageOfNodesToScore - 40 + 50" in text
    assert "profile packing: score - NodeAffinity 7 + NodeAffinity 8" in text
    assert "- {type: MostAllocated, resources: [{name: cpu, weight: 2}]} + {type: LeastAllocated," in text
    assert "extender 1 + http://127.0.0.1:8" in text


def test_diff_as_json(kplace, write):
    renamed = PACKING.replace("schedulerName: packing", "schedulerName: other")
    paths = write(PACKING, "a.yaml"), write(renamed, "b.yaml")
    assert json.loads(kplace("config", "diff", *paths, "--format", "json").stdout) == [
        {"where": "profile packing", "first": "is there", "second": ""},
        {"where": "profile other", "first": "", "second": "is there"},
    ]


def test_diff_of_an_order_shows_all_of_it(kplace, write):
    def bound(*names: str) -> str:
        listed = ", ".join(f"{{name: {name}}}" for name in names)
        return f"{HEAD}profiles: [{{plugins: {{reserve: {{disabled: [{{name: '*'}}], enabled: [{listed}]}}}}}}]\n"

    first = write(bound("VolumeBinding", "DynamicResources"), "a.yaml")
    second = write(bound("DynamicResources", "VolumeBinding"), "b.yaml")
    text = words(kplace("config", "diff", first, second).stdout)
    expected = "reserve - VolumeBinding, DynamicResources + DynamicResources, VolumeBinding"
    assert text.endswith(f"profile default-scheduler: {expected}")


def test_diff_of_two_ways_to_write_the_same(kplace, write):
    provider = kplace("config", "diff", write(HEAD), write(f"{HEAD}profiles: [{{schedulerName: default-scheduler}}]\n"))
    assert (provider.exit_code, provider.stdout) == (0, "no difference\n")


def test_diff_needs_both_to_be_usable(kplace, write):
    result = kplace("config", "diff", write(HEAD), write(UNKNOWN, "b.yaml"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "b.yaml: line 3" in result.stderr


def test_diff_tells_the_faults_of_both(kplace, write):
    first, second = write(UNKNOWN), write(UNKNOWN.replace("ImageLocalty", "NodeAfinity"), "other.yaml")
    result = kplace("config", "diff", first, second)
    assert result.exit_code == 2
    assert "ImageLocalty" in result.stderr
    assert "NodeAfinity" in result.stderr
    assert f"Error: 2 faults in the configuration {first} and the configuration {second}" in result.stderr


def test_the_defaults_of_another_release(kplace):
    assert "DynamicResources" in kplace("config", "show").stdout
    assert "DynamicResources" not in kplace("config", "show", "--kube-version", "1.33").stdout


@pytest.mark.parametrize("arguments", [("config", "show"), ("place", "data/demo", "--config")])
def test_what_holds_no_configuration(kplace, tmp_path, arguments):
    rows = tmp_path / "run.parquet"
    kplace("place", "data/demo", "-q", "--out", rows)
    for given, why in (
        (tmp_path / "nowhere", "No such file or directory"),
        (tmp_path, "Is a directory"),
        (rows, "holds result rows of kplace"),
    ):
        result = kplace(*arguments, given, COLUMNS="300")
        assert result.exit_code == 2
        assert f"{given}: {why}: expected a KubeSchedulerConfiguration" in result.stderr


def test_an_algorithm_provider_needs_no_file(kplace):
    assert kplace("config", "show", "DefaultProvider", "-q").exit_code == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_read_once(kplace, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(HEAD,), daemon=True)
    writer.start()
    assert kplace("config", "show", pipe, "-q").exit_code == 0
    writer.join(10)
