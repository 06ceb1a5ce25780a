"""What stands on a report's page, against the frames of the run that it is about."""

import json
import re

import pytest

from kplace.api import Placements


def check_figures(page: str, run: Placements) -> None:
    """Insist that the figures that a page keeps as JSON are those of a run's frames."""
    (text,) = re.findall(r'<script type="application/json" id="figures">(.*?)</script>', page)
    found = json.loads(text)
    assert found["placed"] == (run.pods["status"] == "scheduled").sum()
    assert found["pending"] == (run.pods["status"] == "unschedulable").sum()
    assert found["nodes"] == len(run.nodes)
    assert found["pods on nodes"] == run.nodes["requested_pods"].sum()
    for name, ending in (("cpu", "cpu_milli"), ("memory", "memory_bytes")):
        share = run.nodes[f"requested_{ending}"].sum() / run.nodes[f"allocatable_{ending}"].sum()
        assert found["utilisation"][name] == pytest.approx(share, abs=1e-6)
    assert found["result"] == run.result_hash
