"""NodeMetadata: which values can be read, and how they become scores."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kplace
from kplace.errors import ConfigError
from kplace.framework import Cycle
from kplace.plugins.contrib import NodeMetadata
from kplace.plugins.contrib.nodemetadata.args import NodeMetadataArgs
from kplace.plugins.contrib.nodemetadata.go_time import SECOND, compile_layout
from kplace.plugins.contrib.nodemetadata.kernels import INVALID, spread_out
from kplace.plugins.contrib.nodemetadata.plugin import read_number, seconds_between
from kplace.testing import check_plugin, cluster_of, make_node, make_pod, state_of
from tests.naive import nodemetadata as naive

KEY = "node.example.com/value"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def final(args: NodeMetadataArgs, values: list[str | None]) -> list[int]:
    """Scores of nodes that have these values, as labels or annotations as the arguments say."""
    field = "labels" if args.metadata_source == "Label" else "annotations"
    nodes = [make_node(f"n{i}").metadata({field: {KEY: v} if v is not None else {}}) for i, v in enumerate(values)]
    state = state_of(*nodes, make_pod("p"))
    plugin, cycle = NodeMetadata(args), Cycle(state, 0)
    scores = plugin.score(cycle, state.all_nodes)
    plugin.normalize_score(cycle, state.all_nodes, scores)
    return scores.tolist()


def numbers(strategy: str, source: str = "Label") -> NodeMetadataArgs:
    return NodeMetadataArgs(KEY, source, "Number", strategy)


def times(strategy: str, layout: str = "2006-01-02", source: str = "Annotation") -> NodeMetadataArgs:
    return NodeMetadataArgs(KEY, source, "Timestamp", strategy, layout)


@pytest.mark.parametrize(
    ("args", "values", "scores"),
    [
        # (x - 10) * 99 / 90 + 1: 1, 44 + 1, 99 + 1
        (numbers("Highest"), ["10", "50", "100"], [1, 45, 100]),
        # (100 - x) * 99 / 90 + 1: 100, 55 + 1, 1
        (numbers("Lowest", "Annotation"), ["10", "50", "100"], [100, 56, 1]),
        # Fractions are dropped: 2.5 and 2.9 are both 2, -0.9 is 0.
        (numbers("Highest"), ["2.5", "2.9", "-0.9"], [100, 100, 1]),
        (numbers("Highest"), ["5", None, "x", ""], [1, 0, 0, 0]),
        (numbers("Highest"), [None, "much"], [0, 0]),
        (numbers("Lowest"), ["7", "7", "7.5"], [1, 1, 1]),
        # 30, 10 and 0 days after the first: 2,592,000, 864,000 and 0 s
        (times("Newest"), ["2025-01-31", "2025-01-11", "2025-01-01"], [100, 34, 1]),
        (times("Oldest"), ["2025-01-31", "2025-01-11", "2025-01-01"], [1, 67, 100]),
        (times("Newest", source="Label"), ["2025-02-30", "2025-1-1", "2025-01-01"], [0, 0, 1]),
    ],
)
def test_scores(args: NodeMetadataArgs, values: list, scores: list[int]):
    assert final(args, values) == scores


def test_labels_and_annotations_are_told_apart():
    node = make_node("n").label({KEY: "3"}).metadata(annotations={KEY: "5"})
    state = state_of(node, make_pod("p"))
    for source, value in [("Label", 3), ("Annotation", 5)]:
        plugin = NodeMetadata(numbers("Highest", source))
        assert plugin.score(Cycle(state, 0), state.all_nodes).tolist() == [value]


@given(st.lists(st.one_of(st.just(INVALID), st.integers(-(10**12), 10**12), st.integers(-5, 5)), max_size=8))
def test_spreading_out(scores: list[int]):
    found = np.array(scores, np.int64)
    spread_out(found)
    assert found.tolist() == naive.normalized(scores)


def test_spreading_out_the_widest():
    found = np.array([-(2**63) + 1, 0, 2**63 - 1, INVALID], np.int64)
    spread_out(found)
    assert found.tolist() == [1, 50, 100, 0]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[("12", 12), ("+12", 12), ("-3.99", -3), ("1e3", 1000), (".5", 0), ("5.", 5), ("0x10p0", 16)],
        *[("9223372036854775807", None), ("-9223372036854774784", -9223372036854774784), ("1e400", None)],
        *[(" 1", None), ("1 ", None), ("1_000", None), ("0x10", None), ("NaN", None), ("Inf", None), ("1e", None)],
        *[("٣", None), ("", None), ("1,5", None), ("0x1p99999", None)],
    ],
)
def test_reading_a_number(text: str, number: int | None):
    assert read_number(text) == number


@pytest.mark.parametrize(
    ("layout", "text", "time"),
    [
        ("2006-01-02T15:04:05Z07:00", "2025-12-01T10:00:00Z", "2025-12-01T10:00:00"),
        ("2006-01-02T15:04:05Z07:00", "2025-12-01T10:00:00+02:00", "2025-12-01T08:00:00"),
        ("2006-01-02T15:04:05Z07:00", "2025-12-01T10:00:00-02:30", "2025-12-01T12:30:00"),
        # Finer than the layout is fine.
        ("2006-01-02T15:04:05Z07:00", "2025-12-01T10:00:00.25Z", "2025-12-01T10:00:00.250000"),
        ("2006-01-02 15:04:05", "2025-12-01 10:00:00,5", "2025-12-01T10:00:00.500000"),
        ("2006-01-02T15:04:05Z07:00", "2025-12-01 10:00:00Z", None),
        ("2006-01-02T15:04:05Z07:00", "2025-12-01T10:00:00", None),
        ("2006-01-02T15:04:05Z07:00", "2025-12-01T24:00:00Z", None),
        ("2006-01-02", "2024-02-29", "2024-02-29T00:00:00"),
        ("2006-01-02", "2025-02-29", None),
        ("2006-01-02", "2025-13-01", None),
        ("2006-01-02", "2025-12-01 ", None),
        ("2006-1-2", "2025-12-1", "2025-12-01T00:00:00"),
        ("2 Jan 06", "1 DEC 25", "2025-12-01T00:00:00"),
        ("January 2, 2006", "March 14, 1969", "1969-03-14T00:00:00"),
        ("_2 Jan 06", " 1 Dec 69", "1969-12-01T00:00:00"),  # 69 is in the last century, 68 in this one
        ("2 Jan 06", "1 Dec 68", "2068-12-01T00:00:00"),
        ("Mon, 02 Jan 2006 15:04:05 MST", "Thu, 04 Dec 2025 10:30:00 GMT", "2025-12-04T10:30:00"),
        ("15:04 MST 2006-01-02", "10:30 GMT+2 2025-12-04", "2025-12-04T08:30:00"),
        ("2006-01-02 03:04PM", "2025-12-01 12:05AM", "2025-12-01T00:05:00"),
        ("2006-01-02 3:04pm", "2025-12-01 1:05pm", "2025-12-01T13:05:00"),
        ("2006-01-02 3:04pm", "2025-12-01 13:05pm", None),
        ("2006-01-02 15:04:05.000", "2025-12-01 10:00:00.123", "2025-12-01T10:00:00.123000"),
        ("2006-01-02 15:04:05.000", "2025-12-01 10:00:00.12", None),
        ("2006-01-02 15:04:05.999", "2025-12-01 10:00:00", "2025-12-01T10:00:00"),
        ("2006-002", "2024-366", "2024-12-31T00:00:00"),
        ("2006-002", "2025-366", None),
        ("2006-01-02 15:04:05 -0700", "2025-12-01   10:00:00 +0130", "2025-12-01T08:30:00"),
        ("20060102", "20251201", "2025-12-01T00:00:00"),
        ("Monday", "tuesday", "0000-01-01"),
        ("day 2006", "day 2025", "2025-01-01T00:00:00"),
        ("(2006)", "(2025)", "2025-01-01T00:00:00"),
    ],
)
def test_reading_a_time(layout: str, text: str, time: str | None):
    found = compile_layout(layout).parse(text)
    if time is None:
        assert found is None
    elif time.startswith("0000"):
        # The year 0 is a leap year that ends a day before 0001-01-01.
        assert found == ((datetime(1, 1, 1, tzinfo=UTC) - EPOCH).days - 366) * 86_400 * SECOND
    else:
        assert found is not None
        assert EPOCH + timedelta(microseconds=found / 1000) == datetime.fromisoformat(time).replace(tzinfo=UTC)


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))
def test_dates_of_all_years(time: datetime):
    whole = time.replace(microsecond=0)
    found = compile_layout("2006-01-02 15:04:05").parse(whole.strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0"))
    assert found == (whole.replace(tzinfo=UTC) - EPOCH) // timedelta(seconds=1) * SECOND


def test_seconds_between():
    # Towards zero, and 292 years at most.
    assert [seconds_between(t, 0) for t in (0, 1_500_000_000, -1_500_000_000)] == [0, -1, 1]
    assert seconds_between(-(2**64), 0) == seconds_between(-(2**65), 0) == (2**63 - 1) // SECOND


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metadataKey": ""}, 'metadataKey: Invalid value: "": metadataKey cannot be empty'),
        (
            {"metadataSource": "label"},
            'metadataSource: Invalid value: "label": metadataSource must be either "Label" or "Annotation"',
        ),
        (
            {"metadataType": "Text"},
            'metadataType: Invalid value: "Text": metadataType must be either "Number" or "Timestamp"',
        ),
        ({"scoringStrategy": "Best"}, 'scoringStrategy must be one of "Highest", "Lowest", "Newest", or "Oldest"'),
        ({"scoringStrategy": "Newest"}, '"Newest" and "Oldest" are only valid for metadataType "Timestamp"'),
        ({"metadataType": "Timestamp"}, '"Highest" and "Lowest" are only valid for metadataType "Number"'),
        ({"metadataKind": "Number"}, "metadataKind"),
    ],
)
def test_arguments_at_fault(change: dict, message: str):
    args = {"metadataKey": KEY, "metadataSource": "Label", "metadataType": "Number", "scoringStrategy": "Highest"}
    config = {"profiles": [{"pluginConfig": [{"name": "NodeMetadata", "args": args | change}]}]}
    with pytest.raises(ConfigError) as error:
        kplace.read_config(config, plugins=[NodeMetadata])
    assert message in str(error.value)
    assert "profiles[0].pluginConfig[0].args" in str(error.value)


def test_it_keeps_to_the_contract():
    nodes = [make_node(f"n{i}").label({KEY: str(i % 4)} if i % 3 else {}) for i in range(9)]
    cluster = cluster_of(*nodes, make_pod("p"))
    assert check_plugin(NodeMetadata, args=numbers("Lowest"), cluster=cluster).passed


def test_placing_by_cost():
    nodes = [
        make_node("dear").metadata(annotations={KEY: "2.5"}),
        make_node("cheap").metadata(annotations={KEY: "1.2"}),
    ]
    args = {"metadataKey": KEY, "metadataSource": "Annotation", "metadataType": "Number", "scoringStrategy": "Lowest"}
    config = {
        "profiles": [
            {
                "plugins": {"score": {"enabled": [{"name": "NodeMetadata", "weight": 10}]}},
                "pluginConfig": [{"name": "NodeMetadata", "args": args}],
            }
        ]
    }
    placed = kplace.place(cluster_of(*nodes, make_pod("p")), config=config, plugins=[NodeMetadata])
    assert placed.pods.node.tolist() == ["cheap"]
