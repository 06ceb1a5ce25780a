"""The naive scheduler, which other tests trust, gives kube-scheduler's record itself."""

from copy import deepcopy

import pytest

from kplace.plugins.podtopologyspread.log import log
from tests.conformance.golden import Golden, before_post_filters, record_differences, single_cycle_cases
from tests.naive import scheduler


def without_preemption() -> list[Golden]:
    """Cases in which nobody leaves for others; the large ones take too long and say less."""
    cases = [case for case in single_cycle_cases() if case.family not in ("large", "preemption")]
    return [case for case in cases if case.family != "cases" or case.topic == "cycle"]


@pytest.mark.parametrize("golden", without_preemption(), ids=lambda golden: golden.id)
def test_every_field_is_kube_schedulers(golden: Golden):
    percentage = golden.content.get("config", {}).get("percentageOfNodesToScore", 0)
    record = scheduler.schedule(deepcopy(golden.content["objects"]), percentage, log)
    assert not record_differences(before_post_filters(golden.content["expected"]), record)
