"""Tables with very many pods: read by kinds they come to what they come to row by row."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kplace
from kplace.api.cluster import RULES
from kplace.columns import ClusterColumns
from kplace.columns.vocab import Vocabulary
from kplace.errors import InputError
from kplace.frames import by_kind
from kplace.frames.by_kind import columns_by_kind
from kplace.frames.from_frames import columns_from_frames

NODES = pd.DataFrame({"node": ["a", "b"], "cpu": [4, 8], "memory": "16Gi", "pods": 10})


def plain(value: object) -> object:
    """A value that compares by what it holds."""
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.tolist()
    if is_dataclass(value):
        return said(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, tuple | list | Vocabulary) else value


def said(part: object) -> dict[str, object]:
    """What a part of the columns holds, by name."""
    return {field.name: plain(getattr(part, field.name)) for field in fields(part)}


def check_same(found: ClusterColumns, wanted: ClusterColumns) -> None:
    """Everything but the objects as they stood in the input."""
    assert said(found.pods) == said(wanted.pods)
    assert said(found.nodes) == said(wanted.nodes)
    assert [said(item) for item in found.templates] == [said(item) for item in wanted.templates]
    for name in ("resources", "namespace_labels", "objects", "notes"):
        assert plain(getattr(found, name)) == plain(getattr(wanted, name)), name


def of(reader, nodes: pd.DataFrame, pods: pd.DataFrame):
    """Columns, or what is wrong."""
    try:
        return reader(nodes, pods, RULES)
    except InputError as error:
        return [str(fault) for fault in error.faults]


def check(nodes: pd.DataFrame, pods: pd.DataFrame) -> None:
    found, wanted = of(columns_by_kind, nodes, pods), of(columns_from_frames, nodes, pods)
    if isinstance(wanted, list):
        assert found == wanted
    else:
        check_same(found, wanted)


def column(values, *bad):
    """A column that is there or not, now and then with something that cannot be used."""
    drawn = st.lists(st.sampled_from([*values, None, *bad]), min_size=12, max_size=12)
    good = st.lists(st.sampled_from([*values, None]), min_size=12, max_size=12)
    return st.one_of(st.none(), *[good] * 8, drawn)


SPECS = [{"containers": [{"name": "main"}], "nodeSelector": {"x": "y"}}, {"schedulerName": "other"}]
COLUMNS = {
    "namespace": column(["", "default", "team"]),
    "cpu": column(["500m", 1, True, 1.0, 2.5], "four"),
    "memory": column(["1Gi", 2**20, float("nan")], -1),
    "priority": column([0, 5, 5.0], 0.5),
    "labels": column([{"app": "web"}, {}], 3),
    "label:tier": column(["front", "back"], 1),
    "node": column(["a", "b", "gone"]),
    "phase": column(["Running", "Succeeded"], "Gone"),
    "terminating": column([True, False]),
    "started": column(["2026-01-01T00:00:00Z"], "soon"),
    "tolerations": column(["key=value:NoSchedule", "*"]),
    "spec": column(SPECS, {"containers": 3}),
    "extra": column([1]),
}
TIMES = pd.to_datetime(["2026-01-01T00:00:00.5Z", None, "2025-01-01T00:00:00Z"], format="ISO8601")


@settings(max_examples=80)
@given(
    st.fixed_dictionaries(COLUMNS),
    st.lists(st.sampled_from(["p1", "p2", *(f"q{at}" for at in range(40))]), min_size=12, max_size=12, unique=True),
    st.none() | st.lists(st.sampled_from(TIMES.tolist()), min_size=12, max_size=12),
    st.none()
    | st.lists(
        st.floats(0, 10**9, exclude_max=True) | st.just(np.nan) | st.integers(-1, 100), min_size=12, max_size=12
    ),
    st.sampled_from(["", "", "twice", "unnamed"]),
)
def test_any_table(given_columns, names, created, lasts, fault):
    if fault:
        names = [*names[:-1], names[0] if fault == "twice" else ""]
    pods = pd.DataFrame({"pod": names, **{name: values for name, values in given_columns.items() if values}})
    if created:
        pods["created"] = pd.Series(created, dtype="datetime64[ns, UTC]")
    if lasts:
        pods["lasts"] = pd.Series(lasts, dtype="float64")
    check(NODES, pods)


@given(st.floats(0, 10**9, exclude_max=True))
def test_seconds_are_those_of_the_annotation(seconds: float):
    check(NODES, pd.DataFrame({"pod": ["p"], "lasts": [seconds]}))


def test_openb_as_a_whole():
    nodes, pods = (
        "../shared/data/openb-gpu-v2023/openb_node_list_gpu_node.csv",
        "../shared/data/openb-gpu-v2023/openb_pod_list_default.csv",
    )
    cluster = kplace.read(nodes, pods)
    table = cluster.pods.drop(columns=["created", "lasts"], errors="ignore")
    table = table.assign(created=TIMES[0], lasts=np.arange(len(table)) / 7)
    check(cluster.nodes, table)


def test_of_each_kind_one_pod_is_read(monkeypatch):
    read = []

    def reading(nodes, pods, rules, *, others=None):
        read.append(len(pods))
        return columns_from_frames(nodes, pods, rules, others=others)

    monkeypatch.setattr(by_kind, "columns_from_frames", reading)
    pods = pd.DataFrame({"pod": [f"p{at}" for at in range(100)], "cpu": ["1", "2"] * 50, "label:app": "x"})
    assert len(columns_by_kind(NODES, pods, RULES).pods) == 100
    assert read == [2]
    pods.loc[[7, 9], "cpu"] = "much"
    with pytest.raises(InputError) as caught:
        columns_by_kind(NODES, pods, RULES)
    assert [fault.subject for fault in caught.value.faults] == ["row 7", "row 9"]


def test_pods_are_written_as_they_would_be(tmp_path):
    pods = pd.DataFrame(
        {
            **{"pod": ["p1", "p2", "p3"], "namespace": ["default", "default", "team"], "cpu": ["1", "1", "250m"]},
            **{"priority": 7, "label:app": "x", "created": TIMES[0], "lasts": [1.5, np.nan, 90.0]},
        }
    )
    found = kplace.Cluster(columns_by_kind(NODES, pods, RULES))
    for form in ("yaml", "json"):
        found.to_manifests(tmp_path / f"c.{form}", form=form)
        again, wanted = kplace.read(tmp_path / f"c.{form}"), kplace.Cluster.from_frames(NODES, pods)
        pd.testing.assert_frame_equal(again.pods, wanted.pods)
        pd.testing.assert_frame_equal(again.nodes, wanted.nodes)
