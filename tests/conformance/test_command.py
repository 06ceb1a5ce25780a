"""Every golden case through the command line, as a user would run it."""

import gzip
import json

from click.testing import CliRunner

from kplace.cli.main import cli
from tests.conformance.golden import Golden, differences


def test_command_writes_kube_schedulers_record(case: Golden, tmp_path):
    detail = "counts" if case.family == "large" else "full"
    trace = tmp_path / "trace.json.gz"
    arguments = ["place", str(case.path), "--tie-break", "first", "--trace", str(trace), "--trace-detail", detail]
    result = CliRunner().invoke(cli, [*arguments, "--quiet"])
    assert result.exit_code == 0, result.output
    assert not differences(case, json.loads(gzip.decompress(trace.read_bytes())))
