"""From files to columns."""

import gzip
import json
from pathlib import Path

import msgspec
import pytest
import zstandard

from benchmarks.dumps import DumpSize, write_dump
from kplace.errors import InputError
from kplace.io.read import read_builder, read_cluster
from tests.io.collecting import dumped, pod, read_all

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "conformance" / "cases"
SIZE = DumpSize(nodes=6, pods=40, waiting=5, apps=4)


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    path = tmp_path_factory.mktemp("dump") / "dump.json"
    write_dump(path, SIZE)
    return path


def test_a_dump(dump):
    columns = read_cluster(dump)
    assert (len(columns.nodes), len(columns.pods)) == (6, 40)
    assert int(columns.pods.waiting.sum()) == 5
    assert len(columns.templates) == 4
    assert {kind: len(items) for kind, items in columns.objects.items()} == {"Service": 4, "ReplicaSet": 4}
    assert columns.notes == []
    assert len(columns.sources) == 6 + 40 + 4 + 4
    assert msgspec.json.decode(columns.sources[0].raw)["kind"] == "Node"


@pytest.mark.parametrize("form", ["compact", "gz", "zst", "folder", "yaml"])
def test_the_same_cluster_in_other_clothes(dump, tmp_path, form):
    whole = read_cluster(dump)
    items = json.loads(dump.read_text())["items"]
    if form == "compact":
        write_dump(tmp_path / "x.json", SIZE, indent=None)
    elif form == "folder":
        for i, item in enumerate(items):
            (tmp_path / f"{i:03}.json").write_text(json.dumps(item))
    elif form == "yaml":
        (tmp_path / "x.yaml").write_text("\n---\n".join(json.dumps(item, indent=1) for item in items))
    else:
        compress = gzip.compress if form == "gz" else zstandard.compress
        (tmp_path / f"x.json.{form}").write_bytes(compress(dump.read_bytes()))
    other = read_cluster(tmp_path)
    assert other.pods.names == whole.pods.names
    assert other.nodes.names == whole.nodes.names
    assert (other.pods.template == whole.pods.template).all()
    assert (other.nodes.allocatable == whole.nodes.allocatable).all()


def test_faults_come_in_the_order_of_the_files(tmp_path):
    semantic, syntactic = {**pod("a"), "spec": {}}, {**pod("b"), "spec": {"containers": [{}], "priority": "x"}}
    for name, item in (("2.json", semantic), ("1.json", syntactic), ("3.json", syntactic)):
        (tmp_path / name).write_text(dumped(item))
    with pytest.raises(InputError) as caught:
        read_cluster(tmp_path / "missing", tmp_path / "2.json", tmp_path)
    names = [Path(fault.source).name for fault in caught.value.faults]
    assert names == ["missing", "2.json", "1.json", "3.json"]


def test_the_times_of_every_pod_are_looked_at(tmp_path):
    """Pods of one template share all other checks."""
    pods = [
        {**pod(name), "spec": {"containers": [{}]}, "metadata": {"name": name, "creationTimestamp": time}}
        for name, time in (("a", "2025-06-01T12:00:00Z"), ("b", "noon"), ("c", "2025-06-01"))
    ]
    (tmp_path / "x.json").write_text(dumped(*pods))
    with pytest.raises(InputError) as caught:
        read_cluster(tmp_path / "x.json")
    assert [(fault.subject, fault.path) for fault in caught.value.faults] == [
        ("Pod default/b", "metadata.creationTimestamp"),
        ("Pod default/c", "metadata.creationTimestamp"),
    ]


def test_the_settings_of_a_case_and_the_notes_reach_the_caller(tmp_path):
    case = {"objects": [pod()], "expected": {}, "config": {"percentageOfNodesToScore": 7}}
    (tmp_path / "x.json").write_text(json.dumps(case))
    (tmp_path / "README").write_text("text")
    builder, report = read_builder(tmp_path)
    assert report.cases[0].config == {"percentageOfNodesToScore": 7}
    assert [note.topic for note in builder.notes] == ["skipped-files"]


@pytest.mark.parametrize("family", sorted(path.name for path in CASES.iterdir()))
def test_golden_cases_have_no_fault(family):
    for path in sorted((CASES / family).iterdir()):
        builder, report = read_builder(path)
        assert builder.faults == []
        assert len(report.cases) == 1
        assert not report.unknown


def test_the_demo_cluster_has_no_fault():
    read = read_all(ROOT / "data" / "demo")
    assert read.faults == []
    assert "Node" in read.kinds
    builder, _ = read_builder(ROOT / "data" / "demo")
    assert builder.faults == []
