"""Every decision on made-up clusters, against the naive scheduler: verdicts, reasons, scores, choices, messages."""

from copy import deepcopy

from hypothesis import given, settings

from kplace.plugins.podtopologyspread.log import log
from kplace.testing.strategies import Feature, MadeUp, Size, clusters
from tests.conformance.golden import before_post_filters, record_differences
from tests.naive import scheduler
from tests.properties.records import record_of


def check(made: MadeUp) -> None:
    expected = scheduler.schedule(deepcopy(made.manifests), ln=log)
    assert not record_differences(expected, before_post_filters(record_of(made.state())))


@settings(max_examples=200)
@given(clusters())
def test_everything_together(made: MadeUp):
    check(made)


@settings(max_examples=60)
@given(clusters(Size(nodes=10, running=24, waiting=6), features=[Feature.SPREAD, Feature.POD_AFFINITY, Feature.OWNERS]))
def test_what_other_pods_decide(made: MadeUp):
    check(made)


@settings(max_examples=60)
@given(clusters(Size(running=16, waiting=6), features=[Feature.RESOURCES, Feature.PORTS, Feature.TERMINATING]))
def test_what_room_decides(made: MadeUp):
    check(made)
