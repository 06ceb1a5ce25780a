"""The files that people use: which are read, which are refused, and for what."""

import json

import pytest
from click.testing import CliRunner

from kplace.cli.main import cli
from tests.conformance_config.golden import SHARED, TEXTS

HELM = "line {}: a Helm template: render it first, with `helm template`"
MANIFESTS = "scheduler-plugins/manifests__"

READ = {
    "handmade/01-rtcr-gpu-shape.yaml": None,
    "handmade/02-mostallocated-two-profiles.yaml": None,
    "handmade/03-extender-ignored-resources.yaml": None,
    "handmade/04-default-spread-list-addedaffinity.yaml": None,
    "handmade/05-weight-zero-trap.yaml": None,
    "handmade/06-multipoint-override.yaml": None,
    "handmade/07-no-scoring.yaml": None,
    "handmade/08-v1beta3-queue-args.yaml": "v1beta3",
    "koordinator/derived-koord-scheduler-config-v0.1.0.yaml": "v1beta2",
    "kube-scheduler-simulator/simulator__cmd__scheduler__scheduler.yaml": None,
}
"""Files that are read as they are, and the version by whose rules if it is an older one."""

KOORDINATOR = "Coscheduling DeviceShare ElasticQuota LoadAwareScheduling NodeNUMAResource Reservation"
OUT_OF_TREE = {
    "koordinator/derived-koord-scheduler-config-v0.7.0.yaml": (
        "v1beta2",
        f"{KOORDINATOR} BatchResourceFit CompatibleDefaultPreemption",
    ),
    "koordinator/derived-koord-scheduler-config-v1.4.0.yaml": ("v1beta2", f"{KOORDINATOR} DefaultPreBind"),
    "koordinator/derived-koord-scheduler-config-v1.6.0.yaml": (None, f"{KOORDINATOR} DefaultPreBind"),
    "kube-scheduler-simulator/simulator__docs__sample__debuggable-scheduler__scheduler.yaml": (None, "NodeNumber"),
    "scheduler-plugins/pkg__trimaran__peaks__deployment__scheduler-config.yaml": (None, "Peaks"),
} | {
    f"{MANIFESTS}{name}.yaml": outcome
    for name, outcome in {
        "appgroup__scheduler-config": (None, "NetworkOverhead TopologicalSort"),
        "appgroup__scheduler-configmap-v1beta3": ("v1beta3", "NetworkOverhead TopologicalSort"),
        "capacityscheduling__scheduler-config": (None, "CapacityScheduling"),
        "coscheduling__scheduler-config": (None, "Coscheduling"),
        "networktopology__scheduler-config": (None, "NetworkOverhead TopologicalSort"),
        "networktopology__scheduler-configmap-v1beta3": ("v1beta3", "NetworkOverhead TopologicalSort"),
        "nodemetadata__scheduler-config": (None, "NodeMetadata"),
        "noderesources__scheduler-config": (None, "NodeResourcesAllocatable"),
        "noderesourcetopology__scheduler-config": ("v1beta3", "NodeResourceTopologyMatch"),
        "noderesourcetopology__scheduler-config-v1beta1": ("v1beta1", "NodeResourceTopologyMatch"),
        "noderesourcetopology__scheduler-configmap": (None, "NodeResourceTopologyMatch"),
        "noderesourcetopology__scheduler-configmap-v1beta1": ("v1beta1", "NodeResourceTopologyMatch"),
        "podstate__scheduler-config": (None, "PodState"),
        "qos__scheduler-config": ("v1beta3", "QOSSort"),
        "sysched__scheduler-config": ("v1beta3", "SySched"),
        "trimaran__scheduler-config": ("v1beta3", "TargetLoadPacking"),
    }.items()
}
"""Files that are refused for plugins that are not in-tree and for nothing else; the version, the plugins."""

REFUSED = {
    "cluster-capacity/default-scheduler.yaml": (
        "line 1: kind is missing: expected kind: KubeSchedulerConfiguration; "
        "these are the options of a scheduler before 1.10, which no release reads any more"
    ),
    "hami/_helpers.tpl": HELM.format(1),
    "hami/configmap.yaml": HELM.format(1),
    "koordinator/koord-scheduler-config-v0.1.0.yaml": HELM.format(5),
    "koordinator/koord-scheduler-config-v0.7.0.yaml": HELM.format(5),
    "koordinator/koord-scheduler-config-v1.4.0.yaml": HELM.format(5),
    "koordinator/koord-scheduler-config-v1.6.0.yaml": HELM.format(5),
    f"{MANIFESTS}install__charts__as-a-second-scheduler__templates__configmap.yaml": HELM.format(1),
    f"{MANIFESTS}install__charts__as-a-second-scheduler__values.yaml": (
        "line 5: kind is missing: expected kind: KubeSchedulerConfiguration; "
        "if these are the values of a Helm chart, render it first, with `helm template`"
    ),
}
"""Files that hold no configuration, and what is said of them."""

FILES = {f"handmade/{path.name}": path for path in TEXTS.glob("*.yaml")} | {
    f"{path.parent.name}/{path.name}": path for path in SHARED.glob("*/*") if path.name != "LICENSE"
}
"""Every file by its name: our own texts of those written by hand, and the others where they are at hand."""


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_file_is_read_or_refused_for_the_right_reason(name):
    def show(*options: str):
        command = ["config", "show", str(FILES[name]), *options]
        return CliRunner(env={"COLUMNS": "120"}).invoke(cli, command)

    shown, record = show(), json.loads(show("--format", "json").stdout)
    if name in REFUSED:
        assert (shown.exit_code, shown.stdout) == (2, "")
        assert REFUSED[name] in " ".join(shown.stderr.split())
        assert record["failedStage"] == "decode"
        return
    read_as, unknown = (READ[name], "") if name in READ else OUT_OF_TREE[name]
    assert record.get("readAs") == read_as
    assert record["ok"] == (name in READ and read_as is None)
    assert set(record.get("unknownPlugins", [])) == set(unknown.split())
    if unknown:
        assert (shown.exit_code, shown.stdout) == (2, "")
        faults = [line for line in shown.stderr.splitlines() if "line " in line]
        assert faults
        assert all("does not exist" in fault for fault in faults)
        shown = show("--allow-unknown-plugins")
    assert shown.exit_code == 0
    assert "profile " in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 120


def test_every_file_at_hand_has_its_outcome():
    assert set(FILES) <= {*READ, *OUT_OF_TREE, *REFUSED}
