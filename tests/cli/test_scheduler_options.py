"""``--config`` and ``--plugin``: what they come to in place, explain and config show."""

import json

import pytest

from tests.cli.clusters import node, pod, write_list

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

PLUGINS = """
import numpy as np

import kplace


class NotOne:
    reason = "node(s) were number one"

    def filter(self, cycle, nodes):
        return cycle.at(nodes).name != "one"


class Prefers:
    def score(self, cycle, nodes):
        return 100 * (cycle.at(nodes).name == "two")


class Broken:
    def score(self, cycle, nodes):
        return np.ones(2) @ np.ones(3)
"""


@pytest.fixture
def cluster(tmp_path):
    """Two nodes of different size and two waiting pods, one of them of another scheduler."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    write_list(folder / "nodes.json", node("one", cpu="8"), node("two"))
    write_list(folder / "pods.json", pod("web"), pod("packed", schedulerName="packing"))
    return folder


@pytest.fixture
def plugins(tmp_path, monkeypatch):
    """A module of plugins in the working directory, by a name of its own for each test."""
    monkeypatch.chdir(tmp_path)
    name = f"plugins_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(PLUGINS)
    return name


def config(tmp_path, text):
    path = tmp_path / "config.yaml"
    path.write_text(HEAD + text)
    return path


def rows(result):
    assert result.exit_code == 0, result.output
    return {row["pod"]: (row["status"], row["node"]) for row in json.loads(result.stdout)["pods"]}


TWO_PROFILES = """
profiles:
- {schedulerName: default-scheduler}
- schedulerName: packing
  plugins: {score: {disabled: [{name: "*"}], enabled: [{name: NodeResourcesFit}]}}
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu}]}}
"""


def test_config_decides_who_schedules_what(kplace, cluster, tmp_path):
    given = kplace("place", cluster, "--config", config(tmp_path, TWO_PROFILES), "--format", "json")
    assert rows(given) == {"web": ("scheduled", "one"), "packed": ("scheduled", "two")}
    without = kplace("place", cluster, "--format", "json")
    assert rows(without) == {"web": ("scheduled", "one"), "packed": ("skipped", None)}
    assert 'note: 1 waiting pod left to the scheduler "packing"' in without.stderr
    assert "packing" not in given.stderr


def test_notes_on_the_configuration_are_printed(kplace, cluster, tmp_path):
    result = kplace("place", cluster, "--config", config(tmp_path, "parallelism: 4\n"))
    assert "note: without effect here: parallelism" in result.stderr


def test_a_faulty_configuration_is_refused_with_all_its_faults(kplace, cluster, tmp_path):
    faulty = config(tmp_path, "parallelism: 0\nprofles: []\n")
    result = kplace("place", cluster, "--config", faulty)
    assert result.exit_code == 2
    assert "parallelism: Invalid value: 0" in result.stderr
    assert 'profles: unknown field; did you mean "profiles"?' in result.stderr
    assert result.stdout == ""


UNKNOWN = "profiles: [{plugins: {score: {enabled: [{name: Custom, weight: 3}]}}}]\n"


def test_unknown_plugins(kplace, cluster, tmp_path):
    path = config(tmp_path, UNKNOWN)
    refused = kplace("place", cluster, "--config", path)
    assert refused.exit_code == 2
    assert "--allow-unknown-plugins lets plugins through that are not in-tree: Custom" in refused.stderr
    allowed = kplace("place", cluster, "--config", path, "--allow-unknown-plugins", "--format", "json")
    assert rows(allowed)["web"] == ("scheduled", "one")
    assert "note: Custom: not in-tree, so it does nothing at score" in allowed.stderr


def test_read_as(kplace, cluster, tmp_path):
    path = config(tmp_path, "")
    path.write_text(HEAD.replace("/v1", "/v1beta3") + "percentageOfNodesToScore: 50\n")
    for option in ((), ("--read-as", "v1")):
        assert rows(kplace("place", cluster, "--config", path, "--format", "json", *option))["web"][0] == "scheduled"


@pytest.mark.parametrize("option", [("--allow-unknown-plugins",), ("--read-as", "v1"), ("--feature-gates", "A=true")])
def test_how_a_configuration_is_read_needs_a_configuration(kplace, cluster, option):
    result = kplace("place", cluster, *option)
    assert result.exit_code == 2


def test_plugins_run_after_the_default_ones(kplace, cluster, plugins):
    result = kplace("place", cluster, "--plugin", f"{plugins}:NotOne", "--format", "json")
    assert rows(result)["web"] == ("scheduled", "two")


def test_plugins_run_where_the_configuration_names_them(kplace, cluster, plugins, tmp_path):
    text = "profiles: [{plugins: {score: {disabled: [{name: '*'}], enabled: [{name: Prefers}]}}}]\n"
    arguments = ("place", cluster, "--config", config(tmp_path, text), "--format", "json")
    assert kplace(*arguments).exit_code == 2
    assert rows(kplace(*arguments, "--plugin", f"{plugins}.py:Prefers"))["web"] == ("scheduled", "two")
    unused = kplace(*arguments, "--plugin", f"{plugins}.py:Prefers", "--plugin", f"{plugins}.py:NotOne")
    assert "note: plugin NotOne is given, but the configuration does not enable it" in unused.stderr


def test_explain_shows_plugins_among_the_others(kplace, cluster, plugins):
    given = [part for name in ("NotOne", "Prefers") for part in ("--plugin", f"{plugins}.py:{name}")]
    result = kplace("explain", cluster, "--pod", "shop/web", *given, "--format", "json")
    assert result.exit_code == 0
    first, second = json.loads(result.stdout)
    assert (first["node"], first["weighted_Prefers"]) == ("two", 100)
    assert (second["plugin"], second["reasons"]) == ("NotOne", "node(s) were number one")
    table = kplace("explain", cluster, "--pod", "shop/web", *given)
    assert "Prefers" in table.stdout
    assert "node(s) were number one" in table.stdout


def test_explain_after_place_places_with_them_too(kplace, cluster, plugins):
    given = ("--plugin", f"{plugins}.py:NotOne", "--after-place")
    result = kplace("explain", cluster, "--pod", "shop/web", *given, "--format", "json")
    assert [row["verdict"] for row in json.loads(result.stdout)] == ["scored", "rejected"]


def test_config_show_knows_them(kplace, plugins, tmp_path):
    path = config(tmp_path, "profiles: [{plugins: {score: {enabled: [{name: Prefers, weight: 9}]}}}]\n")
    assert kplace("config", "show", path).exit_code == 2
    shown = kplace("config", "show", path, "--plugin", f"{plugins}.py:Prefers", "--format", "json")
    assert shown.exit_code == 0
    assert {"name": "Prefers", "weight": 9} in json.loads(shown.stdout)["profiles"][0]["extensionPoints"]["score"]


def test_config_show_without_a_file_shows_what_place_would_run(kplace, plugins):
    shown = kplace("config", "show", "--plugin", f"{plugins}.py:Prefers", "--format", "json")
    score = json.loads(shown.stdout)["profiles"][0]["extensionPoints"]["score"]
    assert score[-1] == {"name": "Prefers", "weight": 1}
    assert len(score) == 9


def test_simulate_runs_them(kplace, cluster, plugins):
    result = kplace("simulate", cluster, "--plugin", f"{plugins}.py:Broken")
    assert result.exit_code == 2
    assert "Error: plugin: ValueError: matmul" in result.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere:P", "there is no module nowhere"),
        ("{plugins}.py:Prefer", "has no class Prefer; did you mean Prefers?"),
        ("{plugins}", "expected MODULE:CLASS, FILE.py:CLASS or the name of an installed one"),
    ],
)
def test_plugins_that_are_not_there(kplace, cluster, plugins, name, message):
    result = kplace("place", cluster, "--plugin", name.format(plugins=plugins))
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_what_a_plugin_does_wrong_is_not_called_a_bug_of_kplace(kplace, cluster, plugins):
    result = kplace("place", cluster, "--plugin", f"{plugins}.py:Broken")
    assert result.exit_code == 2
    assert "Error: plugin: ValueError: matmul" in result.stderr
    assert "return np.ones(2) @ np.ones(3)" in result.stderr
    assert f"{plugins}.py:21, in score)" in result.stderr
    assert "kplace/framework" not in result.stderr
    assert "this is a bug" not in result.stderr


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("permit(self, cycle, node): return 'ok'", "permit returned str: expected a PermitResult or None"),
        ("pre_filter(self, cycle): return True", "pre_filter returned bool: expected a PreFilterResult or None"),
        ("pre_enqueue(self, template): return 1", "pre_enqueue returned int: expected True or False"),
        ("rank(self, template, timestamp): return 'a'", "rank returned 'a': expected a tuple of whole numbers"),
        ("post_bind(self, cycle, node): raise SystemExit(3)", "SystemExit: 3"),
    ],
)
def test_odd_answers_are_refused_with_the_plugins_name(kplace, cluster, tmp_path, method, message):
    (tmp_path / "answers_oddly.py").write_text(f"class Odd:\n    def {method}\n")
    result = kplace("place", cluster, "--plugin", f"{tmp_path}/answers_oddly.py:Odd", "--format", "csv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "this is a bug" not in result.stderr


@pytest.mark.parametrize(
    "plugins",
    [
        "preFilter: {disabled: [{name: NodePorts}]}",
        "preScore: {disabled: [{name: TaintToleration}]}",
    ],
)
def test_pods_whose_attempt_ends_with_an_error_are_shown(kplace, cluster, tmp_path, plugins):
    path = config(tmp_path, f"profiles: [{{plugins: {{{plugins}}}}}]\n")
    placed = kplace("place", cluster, "--config", path, "--fail-on-pending")
    assert placed.exit_code == 1
    assert "0 placed  1 pending" in placed.stdout
    assert "running " in placed.stdout
    explained = kplace("explain", cluster, "--pod", "shop/web", "--config", path)
    assert explained.exit_code == 0
    assert "from cycleState: not found" in " ".join(explained.stdout.split())
