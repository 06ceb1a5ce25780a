"""Every golden configuration through the library."""

import json
import re

from kplace.config import read_configuration, to_json
from kplace.plugins.in_tree import IN_TREE
from tests.conformance_config.golden import GoldenConfig, differences


def test_it_comes_out_as_from_kube_scheduler(golden: GoldenConfig):
    reading = read_configuration(golden.data, IN_TREE, source=golden.name, options=golden.options)
    record = json.loads(json.dumps(to_json(reading)))
    assert not differences(golden, record)


def test_what_cannot_be_used_is_told_with_line_and_field(golden: GoldenConfig):
    reading = read_configuration(golden.data, IN_TREE, source=golden.name, options=golden.options)
    assert bool(reading.faults) == (reading.configuration is None)
    for fault in reading.faults:
        assert fault.source == golden.name
        assert re.fullmatch(r"line \d+", fault.subject)
    if reading.errors and reading.errors[0].stage.public == "decode":
        assert all(re.match(r"line \d+: ", error.text) for error in reading.errors)


def test_a_record_that_differs_is_noticed():
    expected = {"ok": True, "global": {"parallelism": 16}, "profiles": [{"schedulerName": "a"}]}
    golden = GoldenConfig("x", "case", b"", None, expected)
    assert not differences(golden, expected)
    assert len(differences(golden, {"ok": True, "global": {}, "profiles": [{"schedulerName": "b"}]})) == 2
    assert len(differences(golden, {"ok": False, "failedStage": "build"})) == 4
