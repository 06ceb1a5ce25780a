"""``kplace compare``: two runs and several releases."""

import csv
import io

import pytest


def rows(result):
    assert result.exit_code == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_two_runs(kplace, cluster):
    result = kplace("compare", cluster, "--with-seed", "1")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].startswith("the same nodes for all pods")
    assert rows(kplace("compare", cluster, "--with-seed", "1", "--format", "csv")) == []


def test_releases(kplace, cluster):
    result = kplace("compare", cluster, "--versions", "1.34..1.35")
    assert "1.34" in result.stdout
    found = rows(kplace("compare", cluster, "--versions", "1.34..1.35", "--format", "csv"))
    assert [row["version"] for row in found] == ["1.34", "1.35"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Say what is different"),
        (("--versions", "1.34..1.35", "--with-seed", "1"), "goes with no --with-... option"),
        (("--versions", "1.34"), "expected at least two releases"),
        (("--versions", "1.33..1.34", "--kube-version", "1.33"), "Error: --kube-version: without effect here"),
        (("--versions", "1.34..1.99"), "Error: --versions: expected a release from 1.29 to 1.37, got '1.99'"),
        (("--with-kube-version", "1.99"), "'--with-kube-version': expected a release from 1.29 to 1.37"),
        (("--with-config", "nowhere"), "'--with-config': nowhere: No such file or directory: expected a KubeSched"),
    ],
)
def test_refusals(kplace, cluster, arguments, message):
    result = kplace("compare", cluster, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


FOREIGN = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: mine}]
"""


def test_what_is_to_be_said_of_the_second_run_is_said(kplace, cluster, tmp_path):
    config = tmp_path / "mine.yaml"
    config.write_text(FOREIGN)
    result = kplace("compare", cluster, "--with-config", config)
    assert 'note: second run: 4 waiting pods left to the scheduler "default-scheduler"' in result.stderr
    assert result.stdout.startswith("4 now skipped")
    assert "left out" not in result.stderr
    result = kplace("compare", cluster, "--config", config, "--with-seed", "1")
    assert 'note: 4 waiting pods left to the scheduler "default-scheduler"' in result.stderr


def test_preemption(kplace, cluster):
    assert kplace("compare", cluster, "--with-seed", "1", "--preemption", "queue").exit_code == 0
    result = kplace("compare", cluster, "--versions", "1.34..1.35", "--preemption", "queue")
    assert result.exit_code == 2
    assert "'--preemption': goes not with --versions" in result.stderr


def test_releases_are_checked_before_anything_is_read(kplace):
    result = kplace("compare", "nowhere.yaml", "--versions", "1.34..x")
    assert result.exit_code == 2
    assert "--versions: expected a release from 1.29 to 1.37, got 'x'" in result.stderr
    assert "nowhere" not in result.stderr
