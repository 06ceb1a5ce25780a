"""From files to objects: what is understood, and what is said of the rest."""

import gc
import gzip
import json

import msgspec
import pytest

from kplace.io.decode import read_into
from kplace.io.reading import Case, ReadingReport
from kplace.io.sources import Source
from kplace.objects import resource, storage, workloads
from tests.io.collecting import Read, dumped, pod, read_all, read_text


def test_a_list_of_mixed_kinds_in_its_order(tmp_path):
    node = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"}}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"replicas": 2}}
    read = read_text(tmp_path, json.dumps(json.loads(dumped(pod("a"), node, deployment, pod("b"))), indent=4), "x.json")
    assert list(zip(read.kinds, read.api_versions, read.names, strict=True)) == [
        ("Pod", "v1", "a"),
        ("Node", "v1", "n"),
        ("Deployment", "apps/v1", "d"),
        ("Pod", "v1", "b"),
    ]
    assert read.raws == [pod("a"), node, deployment, pod("b")]
    assert (read.faults, read.notes) == ([], [])
    assert set(read.sources) == {str(tmp_path / "x.json")}


@pytest.mark.parametrize("kind", ["PodList", "List"])
@pytest.mark.parametrize("order", ["apiVersion kind metadata", "kind apiVersion metadata", "metadata kind apiVersion"])
def test_where_an_item_says_its_kind_does_not_matter(tmp_path, kind, order):
    item = {key: pod()[key] for key in order.split()}
    assert read_text(tmp_path, dumped(item, kind=kind), "x.json").kinds == ["Pod"]


def test_items_of_a_typed_list_need_no_kind(tmp_path):
    text = '{"kind": "DeploymentList", "apiVersion": "apps/v1", "items": [{"metadata": {"name": "d"}}, null]}'
    read = read_text(tmp_path, text, "x.json")
    assert (read.kinds, read.api_versions, read.names) == (["Deployment"], ["apps/v1"], ["d"])


@pytest.mark.parametrize(
    "text", ['{"kind": "List"}', '{"kind": "PodList", "items": null}', '{"kind": "List", "items": []}']
)
def test_empty_lists(tmp_path, text):
    read = read_text(tmp_path, text)
    assert (read.objects, read.faults, read.notes) == ([], [], [])


def test_lists_in_lists(tmp_path):
    inner = {"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "a"}}, pod("b")]}
    assert read_text(tmp_path, dumped(inner, pod("c"))).names == ["a", "b", "c"]


def test_yaml_documents_may_be_lists_and_raw_is_json(tmp_path):
    text = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n"
    text += "kind: Node\napiVersion: v1\nmetadata:\n  name: 'n'\n  labels: {zone: 'yes'}\n"
    read = read_text(tmp_path, text)
    assert read.names == ["a", "n"]
    assert read.raws[1] == {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n", "labels": {"zone": "yes"}}}


def test_arrays_and_documents_one_after_the_other(tmp_path):
    text = json.dumps([pod("a"), pod("b")]) + json.dumps(pod("c")) + "\n" + dumped(pod("d"))
    assert read_text(tmp_path, text, "x.json").names == ["a", "b", "c", "d"]


def test_a_golden_case(tmp_path):
    case = {
        "name": "x",
        "preempt": True,
        "config": {"percentageOfNodesToScore": 30},
        "objects": [pod("a")],
        "expected": {"pods": []},
    }
    path = tmp_path / "case.json.gz"
    path.write_bytes(gzip.compress(json.dumps(case).encode()))
    read = read_all(path)
    assert read.names == ["a"]
    assert read.report.cases == [Case(str(path), {"percentageOfNodesToScore": 30}, preempt=True)]


@pytest.mark.parametrize(
    ("api_version", "kind", "struct"),
    [
        ("extensions/v1beta1", "Deployment", workloads.Deployment),
        ("apps/v1beta2", "StatefulSet", workloads.StatefulSet),
        ("batch/v1beta1", "CronJob", workloads.CronJob),
        ("storage.k8s.io/v1", "CSIDriver", storage.CSIDriver),
        ("storage.k8s.io/v1beta1", "CSIStorageCapacity", storage.CSIStorageCapacity),
        ("storage.k8s.io/v1", "VolumeAttachment", storage.VolumeAttachment),
        ("resource.k8s.io/v1", "ResourceClaim", resource.ResourceClaim),
        ("", "Job", workloads.Job),
    ],
)
def test_old_and_storage_and_device_kinds(tmp_path, api_version, kind, struct):
    item = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, "spec": {}}
    (obj,) = read_text(tmp_path, json.dumps(item)).objects
    assert type(obj) is struct


def test_the_spec_of_a_claim_for_devices_is_kept(tmp_path):
    item = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "x"},
        "spec": {"devices": {}},
    }
    (claim,) = read_text(tmp_path, json.dumps(item)).objects
    assert msgspec.json.decode(claim.spec) == {"devices": {}}


def test_kinds_not_understood_are_counted_in_one_note(tmp_path):
    other = [{"apiVersion": version, "kind": kind, "metadata": {"name": "x"}} for version, kind in [
        ("v1", "ConfigMap"), ("v1", "ConfigMap"), ("serving.knative.dev/v1", "Service"), ("apps/v1", "Deploymnet"),
        ("v1", "ConfigMap"),
    ]]  # fmt: skip
    text = dumped(*other, {"metadata": {}, "kind": "ConfigMap"}, pod())
    read = read_text(tmp_path, text)
    assert (read.names, read.faults) == (["web"], [])
    assert read.notes == [
        "not understood and left out: "
        "4 ConfigMap, 1 Service of serving.knative.dev/v1, 1 Deploymnet (is Deployment meant?)"
    ]


def test_a_built_in_kind_under_the_wrong_version(tmp_path):
    text = "apiVersion: v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n"
    assert read_text(tmp_path, text).faults == [
        'input.yaml: Deployment shop/web: apiVersion: a Deployment is of "apps/v1", not of "v1"'
    ]


class TestWithoutKind:
    ITEMS = '[{"metadata": {"name": "a"}, "spec": {"containers": []}}, {"metadata": {}, "status": {"nodeInfo": {}}}]'

    @pytest.mark.parametrize("text", [ITEMS, f'{{"items": {ITEMS}}}'])
    def test_items_are_told_by_their_looks(self, tmp_path, text):
        assert read_text(tmp_path, text, "x.json").kinds == ["Pod", "Node"]

    @pytest.mark.parametrize("name", ["services.json", "services/default.json", "Services.yaml"])
    def test_items_are_told_by_the_name_of_the_file_or_folder(self, tmp_path, name):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        assert read_text(tmp_path, '[{"metadata": {"name": "a"}}]', name).kinds == ["Service"]

    def test_looks_and_name_must_not_differ(self, tmp_path):
        assert read_text(tmp_path, self.ITEMS, "services.json").faults == [
            "services.json: [0]: no kind is given, and it cannot be told from the rest",
            "services.json: [1]: no kind is given, and it cannot be told from the rest",
        ]

    def test_in_a_folder_it_is_a_note(self, tmp_path):
        (tmp_path / "x.json").write_text('[{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]')
        read = read_all(tmp_path)
        assert (read.faults, read.notes) == ([], [f"2 objects without a kind left out: {tmp_path}/x.json"])

    @pytest.mark.parametrize("named", [True, False])
    def test_a_single_object_must_say_what_it_is(self, tmp_path, named):
        (tmp_path / "x.yaml").write_text("apiVersion: v1\nmetadata: {name: web}\n")
        read = read_all(tmp_path / "x.yaml" if named else tmp_path)
        assert read.faults == [
            f'{tmp_path}/x.yaml: kind: is missing: every object says what it is, such as "kind: Pod"'
        ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ("# nothing\n---\n# at all\n", "holds comments only, no Kubernetes object; the file may be cut off"),
        ("apiVers", 'holds a string ("apiVers"), not Kubernetes objects; the file may be cut off'),
        ("just text", 'holds a string ("just text"), not Kubernetes objects'),
        ("replicas: 3\nimage: x\n", "holds no Kubernetes object: it has no kind"),
    ],
)
def test_files_without_objects(tmp_path, text, message):
    assert read_text(tmp_path, text).faults == [f"input.yaml: {message}"]
    read = read_all(tmp_path)
    assert (read.faults, read.notes) == ([], [f"1 file without Kubernetes objects: {tmp_path}/input.yaml"])


def test_what_was_passed_over_is_named_but_not_endlessly(tmp_path):
    for i in range(8):
        (tmp_path / f"{i}.txt").write_text("x")
    (tmp_path / "a.json").write_text(dumped(pod()))
    (note,) = read_all(tmp_path).notes
    assert note.startswith(f"8 files not read, by name neither JSON nor YAML: {tmp_path}/0.txt, ")
    assert note.endswith("4.txt and 3 more")


def test_a_page_of_a_longer_list_is_noted(tmp_path):
    text = '{"kind": "PodList", "apiVersion": "v1", "metadata": {"continue": "abc"}, "items": []}'
    assert "1 file with one page of a longer list only" in read_text(tmp_path, text).notes[0]


def test_nulls_are_no_faults(tmp_path):
    item = {**pod(), "status": None, "metadata": {"name": "web", "namespace": None, "labels": {"a": None, "b": "c"}}}
    read = read_text(tmp_path, dumped(item))
    assert read.faults == []
    assert read.objects[0].metadata.labels == {"b": "c"}
    assert read.raws == [item]


def test_all_faults_of_all_objects_of_all_files(tmp_path):
    bad = {
        **pod("bad"),
        "spec": {"priority": "high", "containers": [{"image": 5, "resources": {"requests": {"cpu": "x"}}}]},
    }
    (tmp_path / "a.json").write_text(dumped(bad, pod("good"), bad, 5))
    (tmp_path / "b.yaml").write_text("a: b: c\n---\n" + json.dumps(bad) + "\n")
    (tmp_path / "c.json").write_text('{"kind": "List", "items": [')
    (tmp_path / "d.json").write_bytes(b"\x1f\x8bnot gzip")
    read = read_all(tmp_path)
    of_bad = [
        "Pod default/bad: spec.containers[0].image: expected a string, got a number (5): put it in quotes",
        'Pod default/bad: spec.priority: expected an integer, got a string ("high")',
        'Pod default/bad: spec.containers[0].resources.requests.cpu: "x" is not a quantity: '
        'expected a number such as "500m", "1.5Gi" or "2e3"',
    ]
    assert [fault.replace(f"{tmp_path}/", "") for fault in read.faults] == [
        *[f"a.json: {text}" for text in of_bad],
        *[f"a.json: {text}" for text in of_bad],
        "a.json: items[3]: expected an object, got a number (5)",
        "b.yaml: not valid YAML: line 1, column 5: mapping values are not allowed in this context",
        *[f"b.yaml: {text}" for text in of_bad],
        "c.json: not valid JSON: line 1: it ends in the middle of an object: the file is cut off",
        "d.json: is damaged gzip data: Unknown compression method",
    ]
    assert read.names == ["good"]


def test_a_field_left_out_for_its_type_is_not_missed_again(tmp_path):
    item = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": 5}, "spec": {"containers": {"name": "x"}}}
    assert read_text(tmp_path, json.dumps(item)).faults == [
        "input.yaml: Pod default/(without a name): metadata.name: expected a string, got a number (5): "
        "put it in quotes",
        "input.yaml: Pod default/(without a name): spec.containers: expected a list, got an object",
    ]


def test_an_item_that_is_not_utf8(tmp_path):
    text = dumped(pod("a")).encode().replace(b'"a"', b'"\xff"')
    assert read_text(tmp_path, text, "x.json").faults == [
        "x.json: items[0]: not valid JSON: Invalid UTF-8 encoded string"
    ]


def test_the_garbage_collector_is_given_back(tmp_path):
    class Failing(Read):
        def add(self, *_: object) -> None:
            assert not gc.isenabled()
            raise KeyError

    (tmp_path / "x.json").write_text(dumped(pod()))
    assert gc.isenabled()
    with pytest.raises(KeyError):
        read_into([Source("x", tmp_path / "x.json")], Failing(), ReadingReport())
    assert gc.isenabled()
