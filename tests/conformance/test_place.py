"""Every golden case through the library, with a full trace."""

import json

import kplace
from tests.conformance.golden import Golden, differences


def test_every_field_is_kube_schedulers(case: Golden, tmp_path):
    detail = "counts" if case.family == "large" else "full"
    trace = tmp_path / "trace.json"
    kplace.place(kplace.read(case.path), tie_break="first", trace=trace, trace_detail=detail)
    assert not differences(case, json.loads(trace.read_text()))
