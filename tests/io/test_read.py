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
from kplace.io.report import input_notes
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


NAMELESS = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"image": "web"}], "priority": "high"}}
MISSING = "metadata.name: is missing"


def faults_of(*arguments: object) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_cluster(*arguments)
    return [str(fault) for fault in caught.value.faults]


def without_priority(item: dict[str, object]) -> dict[str, object]:
    return {**item, "spec": {"containers": [{"name": "a", "image": "web"}]}}


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (json.dumps(NAMELESS), [""]),
        (dumped(NAMELESS, pod("a"), NAMELESS), [", items[0]", ", items[2]"]),
        (json.dumps([NAMELESS, NAMELESS]), [", [0]", ", [1]"]),
        ("\n---\n".join(json.dumps(NAMELESS) for _ in range(3)), ["", ", document 2", ", document 3"]),
        (f"{json.dumps(pod('a'))}\n{dumped(pod('b'), NAMELESS)}", [", document 2, items[1]"]),
        # A list in a list: the place in the inner one.
        (dumped(pod("a"), json.loads(dumped(NAMELESS)), NAMELESS), [", items[0]", ", items[2]"]),
    ],
)
@pytest.mark.parametrize("fits", [True, False])
def test_objects_without_a_name_are_told_apart_by_their_place(tmp_path, text, places, fits):
    path = tmp_path / "in.json"
    # What does not fit its type is found by another part of the reader than what is wrong beyond types.
    path.write_text(text.replace(', "priority": "high"', "").replace(',"priority":"high"', "") if fits else text)
    subjects = [f"{path}: Pod default/(without a name{place}): " for place in places]
    found = faults_of(path)
    assert [fault for fault in found if MISSING in fault] == [f"{subject}{MISSING}" for subject in subjects]
    assert sum("expected an integer" in fault for fault in found) == (0 if fits else len(places))


def test_one_fault_that_several_objects_of_a_name_have_says_so(tmp_path):
    bad = pod("web", spec={"containers": [{"name": "a", "image": "x"}], "priority": "high"})
    path = tmp_path / "in.json"
    path.write_text(dumped(bad, bad, {**bad, "metadata": {"name": "api"}}))
    message = 'spec.priority: expected an integer, got a string ("high")'
    assert faults_of(path) == [f"{path}: Pod default/web: {message} (2 times)", f"{path}: Pod default/api: {message}"]


def test_documents_without_a_kind_are_told_apart_by_their_place(tmp_path):
    item = json.dumps({"apiVersion": "v1", "metadata": {"name": "a"}})
    path = tmp_path / "in.yaml"
    path.write_text(f"{item}\n---\n{item}\n---\nreplicas: 3\n")
    kind = 'kind: is missing: every object says what it is, such as "kind: Pod"'
    assert faults_of(path) == [
        f"{path}: {kind}",
        f"{path}: document 2: {kind}",
        f"{path}: document 3: holds no Kubernetes object: it has no kind",
    ]


@pytest.mark.parametrize("texts", [["# nothing"], ["# nothing", "replicas: 3\n---\nimage: x"]])
def test_a_folder_without_any_object_is_no_cluster(tmp_path, texts):
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.yaml").write_text(text)
    assert faults_of(tmp_path) == [f"{tmp_path}: none of its files holds a Kubernetes object"]
    (tmp_path / "pod.json").write_text(dumped(without_priority(pod("a"))))
    builder, _ = read_builder(tmp_path)
    notes = [str(note) for note in builder.notes]
    assert notes[0].startswith(f"{len(texts)} file{'s' if len(texts) > 1 else ''} without Kubernetes objects: ")


def test_an_empty_list_is_a_cluster(tmp_path):
    (tmp_path / "list.json").write_text(dumped())
    assert len(read_cluster(tmp_path).pods) == 0


def test_pods_of_one_name_in_two_files_of_manifests(tmp_path):
    for name, image in (("a", "x"), ("b", "y"), ("c", "x")):
        spec = {"containers": [{"name": "a", "image": image}], "priority": len(image)}
        spec["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 80}] if name == "b" else []
        (tmp_path / f"{name}.json").write_text(json.dumps(pod("web", spec=spec)))
    left_out, repeated = sorted(map(str, read_cluster(tmp_path).notes))
    assert left_out == (
        "1 pod left out, because an earlier file has a different pod of the same name: "
        f"default/web of {tmp_path}/b.json (the one of {tmp_path}/a.json counts)"
    )
    assert repeated == "1 pod repeated in the input, each counted once"


def test_pods_that_are_not_quite_right_are_said_in_plain_words(tmp_path):
    spec = {"containers": [{"name": "a", "image": "x"}]}
    weird = [pod(name, spec=spec, status={"phase": "Weird"}) for name in "ab"]
    (tmp_path / "list.json").write_text(dumped(*weird, pod("c", spec=spec | {"nodeName": "gone"})))
    columns = read_cluster(tmp_path)
    notes = [str(note) for note in (*columns.notes, *input_notes(columns, ["default-scheduler"]))]
    assert 'the phase "Weird", which Kubernetes does not know: counted as Unknown' in notes[0]
    assert notes[0].startswith("2 pods have ")
    (bound,) = [note for note in notes if "bound" in note]
    assert bound == (
        "1 pod bound to a node that is not in the input: default/c (they take up no room on the nodes that are)"
    )
