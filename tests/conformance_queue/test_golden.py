"""Every golden timeline through the command line: attempts, moves, queues and the end, whole."""

import gzip
import json

from click.testing import CliRunner

from kplace.cli.main import cli
from tests.conformance_queue.golden import Golden, differences


def test_command_writes_kube_schedulers_record(timeline: Golden, tmp_path):
    log = tmp_path / "log.json.gz"
    arguments = ["simulate", str(timeline.path), "--tie-break", "first", "--log", str(log), "--quiet"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    assert not differences(timeline, json.loads(gzip.decompress(log.read_bytes())))


def test_kinds_that_are_not_simulated_are_refused_by_name(refused: Golden, tmp_path):
    log = tmp_path / "log.json"
    result = CliRunner().invoke(cli, ["simulate", str(refused.path), "--log", str(log)], standalone_mode=False)
    assert "DeviceClass" in str(result.exception.details)
    assert result.exception.exit_code == 2
    assert not log.exists()
