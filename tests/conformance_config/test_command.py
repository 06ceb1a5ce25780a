"""Every golden configuration through the command line, as a user would run it."""

import json

from click.testing import CliRunner

from kplace.cli.main import cli
from tests.conformance_config.golden import GoldenConfig, differences


def test_config_show_writes_kube_schedulers_record(golden: GoldenConfig, tmp_path):
    file = tmp_path / "config.yaml"
    file.write_bytes(golden.data)
    options = ["--allow-unknown-plugins"] if golden.options.allow_unknown_plugins else []
    options += ["--read-as", "v1"] if golden.options.read_as_v1 else []
    gates = golden.options.gates.changed
    options += ["--feature-gates", ",".join(f"{name}={value}" for name, value in gates.items())] if gates else []
    result = CliRunner().invoke(cli, ["config", "show", str(file), "--format", "json", "--quiet", *options])
    record = json.loads(result.stdout)
    assert not differences(golden, record)
    assert result.exit_code == (0 if record["ok"] or ("readAs" in record and "laterErrors" not in record) else 2)
    assert bool(result.stderr) == (result.exit_code == 2)
