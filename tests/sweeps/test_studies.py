"""Study files: what is read, and what is refused."""

import pytest

from kplace.errors import InputError
from kplace.sweeps.load import load_study

FAULTS = {
    "inputs": {"small": {"synth": "small", "nods": 3}},
    "metrics": ["pendig", "scheduled:cpu", "utilisation:cpu"],
    "frames": ["pod"],
    "sample": "latin",
    "configurations": {"default": {}, "odd": {"profils": []}},
    "what_if": {"none": {}, "more": {"copies": 0}},
    "load": {"order": "drawing"},
    "axes": {
        "input": ["smal"],
        "seed": {"low": 3, "high": 1, "step": 0},
        "load": [50, 0],
        "kube_version": ["1.12"],
        "node_scale": {"low": 0, "high": 1, "log": True},
        "percentage_of_nodes_to_score": [101],
        "settings": {"weight.ImageLocality": []},
    },
    "run": [{"seed": -1}],
    "report": {"best": "packing", "pareto": ["pending"], "x": "loads"},
}


def faults_of(study: object) -> dict[str, str]:
    with pytest.raises(InputError) as caught:
        load_study(study)
    return {fault.path: fault.message for fault in caught.value.faults}


def test_all_faults_of_form_at_once():
    faults = faults_of(FAULTS | {"axis": {}})
    assert faults == {
        "inputs.small.nods": 'unknown field; did you mean "nodes"?',
        "axis": 'unknown field; did you mean "axes"?',
    }


def test_all_faults_of_meaning_at_once():
    faults = faults_of(FAULTS | {"inputs": {"small": {"synth": "small"}}})
    assert faults["metrics[0]"].startswith('there is no metric "pendig"; did you mean "pending"?')
    assert faults["axes.input[0]"] == 'there is no "smal"; did you mean "small"? (there are small)'
    assert faults["axes.load[1]"] == "must be above 0, got 0.0"
    assert faults["sample"].startswith('there is no "latin"')
    assert faults.keys() >= {
        "metrics[1]",
        "frames[0]",
        "configurations.default",
        "what_if.none",
        "what_if.more.copies",
        "load.order",
        "axes.seed.low",
        "axes.seed.step",
        "axes.kube_version[0]",
        "axes.node_scale.low",
        "axes.percentage_of_nodes_to_score[0]",
        "run[0].seed",
        "report.best",
        "report.x",
        "report.pareto",
    }
    assert "metrics[2]" not in faults


def test_configurations_and_settings_are_tried_beforehand():
    study = {
        "inputs": {"small": {"synth": "small"}},
        "configurations": {"odd": {"profils": []}, "lost": "nowhere.yaml"},
    }
    faults = faults_of(study)
    assert "profils" in faults["configurations.odd"]
    assert "nowhere.yaml" in faults["configurations.lost"]
    settings = {
        "args.NodeResourcesFit.scoringStrategy.type": ["MostAllocated", "MostAlocated"],
        "weight.ImageLocality": [0, 2, -1],
        "weight": [1],
    }
    faults = faults_of({"inputs": {"small": {"synth": "small"}}, "axes": {"settings": settings}})
    assert set(faults) == {
        "axes.settings[args.NodeResourcesFit.scoringStrategy.type][1]",
        "axes.settings[weight.ImageLocality][2]",
        "axes.settings.weight[0]",
    }


def test_a_file_that_is_none(tmp_path):
    assert "cannot be read" in faults_of(tmp_path / "none.toml")[""]
    (tmp_path / "odd.toml").write_text("a = ")
    assert "not valid TOML" in faults_of(tmp_path / "odd.toml")[""]


def test_names_are_relative_to_the_file(tmp_path, monkeypatch):
    (tmp_path / "a b.toml").write_text('inputs = { x = "x.json" }\nconfigurations = { c = "c.yaml" }\n')
    (tmp_path / "c.yaml").write_text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n")
    monkeypatch.chdir("/")
    loaded = load_study(tmp_path / "a b.toml")
    assert loaded.study.name == "a-b"
    assert loaded.documents["c"]["kind"] == "KubeSchedulerConfiguration"
