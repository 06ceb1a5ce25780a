import io
import json
from pathlib import Path

import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import kplace
from kplace.errors import OutputError, UsageError
from kplace.io.manifests import _write_documents
from kplace.io.yaml_documents import yaml_to_json
from tests.frames.tables import cluster

DEMO = Path(__file__).parents[2] / "data" / "demo"
NAMES = ("after.json", "after.yaml", "after.yml.gz", "after.json.zst", "after")
"""A file of each form, and a folder."""


@pytest.fixture(scope="module")
def placed() -> kplace.Placements:
    return kplace.place(kplace.read(DEMO), preemption="dry-run")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_read_as_the_same_cluster(tmp_path, placed, name):
    placed.cluster.to_manifests(tmp_path / name)
    read = kplace.read(tmp_path / name)
    pd.testing.assert_frame_equal(read.nodes, placed.cluster.nodes)
    expected = placed.cluster.pods
    # Made pods are pods of the input now; a folder sorts files by kind, the order of the pods stays.
    columns = [
        "namespace",
        "pod",
        "node",
        "waiting",
        "priority",
        "owner_kind",
        "owner",
        "requested_cpu_milli",
        "labels",
    ]
    pd.testing.assert_frame_equal(read.pods[columns], expected[columns], check_categorical=False)
    assert not read.pods["made"].any()
    assert read.columns.namespace_labels == placed.cluster.columns.namespace_labels


@pytest.mark.parametrize("name", NAMES)
def test_placing_again_leaves_the_pending_pods_and_they_meet_the_same_cluster(tmp_path, placed, name):
    placed.cluster.to_manifests(tmp_path / name)
    again = kplace.place(kplace.read(tmp_path / name), preemption="dry-run")
    left = placed.pods[placed.pods["status"] != "scheduled"]
    assert len(left) > 3
    assert again.pods["pod"].tolist() == left["pod"].tolist()
    assert again.pods["status"].astype(str).tolist() == left["status"].astype(str).tolist()
    assert again.pods["message"].tolist() == kplace.place(placed.cluster, preemption="dry-run").pods["message"].tolist()


def test_objects_of_the_input_stand_as_they_stood(tmp_path):
    raw = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "annotations": {"note": "1e3"}},
        "spec": {"containers": [{"name": "c", "env": [{"name": "A", "value": "b"}]}], "hostname": "kept"},
        "status": {"message": "kept too"},
    }
    node = {
        "kind": "Node",
        "apiVersion": "v1",
        "metadata": {"name": "n"},
        "status": {"allocatable": {"cpu": "4", "pods": "9"}},
    }
    (tmp_path / "in.json").write_text(json.dumps([node, raw]))
    placements = kplace.place(kplace.read(tmp_path / "in.json"))
    placements.cluster.to_manifests(tmp_path / "out.json")
    written = json.loads((tmp_path / "out.json").read_text())
    assert (written["apiVersion"], written["kind"]) == ("v1", "List")
    raw["spec"]["nodeName"] = "n"
    assert written["items"] == [node, raw]
    placements.cluster.to_manifests(tmp_path / "out.yaml")
    assert list(yaml.safe_load_all((tmp_path / "out.yaml").read_text())) == [node, raw]


def test_items_of_typed_lists_say_their_kind_when_they_stand_alone(tmp_path):
    items = [{"metadata": {"name": "b"}, "spec": {"replicas": 0}}]
    (tmp_path / "in.json").write_text(json.dumps({"apiVersion": "apps/v1", "kind": "ReplicaSetList", "items": items}))
    kplace.read(tmp_path / "in.json").to_manifests(tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["items"] == [
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", **items[0]}
    ]


def test_a_made_pod_is_written_in_full_and_its_owner_with_it(tmp_path, placed):
    placed.cluster.to_manifests(tmp_path / "out")
    pods = json.loads((tmp_path / "out" / "Pod.json").read_text())["items"]
    made = placed.before.pods["made"].to_numpy()
    assert len(pods) == len(made)
    web = next(
        pod
        for pod in pods
        if pod["metadata"].get("ownerReferences", [{}])[0].get("kind") == "ReplicaSet"
        and pod["metadata"]["name"] in set(placed.before.pods["pod"][made])
    )
    owner = web["metadata"]["ownerReferences"][0]
    sets = json.loads((tmp_path / "out" / "ReplicaSet.json").read_text())["items"]
    assert owner["name"] in [item["metadata"]["name"] for item in sets]
    assert web["spec"]["containers"][0]["name"]
    assert web["metadata"]["labels"]


def test_volumes_of_made_pods_have_names(tmp_path, placed):
    placed.cluster.to_manifests(tmp_path / "out.json")
    items = json.loads((tmp_path / "out.json").read_text())["items"]
    volumes = [volume for item in items if item["kind"] == "Pod" for volume in item["spec"].get("volumes", ())]
    assert volumes
    assert all(volume["name"] for volume in volumes)


def test_tables_can_be_written_too(tmp_path):
    placements = kplace.place(cluster())
    placements.cluster.to_manifests(tmp_path / "out.json")
    read = kplace.read(tmp_path / "out.json")
    assert read.pods["node"].astype(object).where(read.pods["node"].notna(), None).tolist() == [
        "a",
        "a",
        "a",
        None,
        "b",
    ]


def test_chains_of_runs_and_files_end_where_one_chain_in_memory_ends(tmp_path, placed):
    first = kplace.place(kplace.read(DEMO), only="shop", seed=1)
    first.cluster.to_manifests(tmp_path / "first.json")
    by_file = kplace.place(kplace.read(tmp_path / "first.json"), seed=2)
    in_memory = kplace.place(first.cluster, seed=2)
    assert by_file.columns.node.tolist() == in_memory.columns.node.tolist()
    assert by_file.result_hash == in_memory.result_hash


def test_forms(tmp_path):
    made = cluster()
    made.to_manifests(tmp_path / "odd.txt", form="yaml")
    assert (tmp_path / "odd.txt").read_text().startswith("---\napiVersion: v1\nkind: Node\n")
    with pytest.raises(UsageError, match="form: expected 'json' or 'yaml' or 'folder', got 'xml'"):
        made.to_manifests(tmp_path / "a", form="xml")
    with pytest.raises(OutputError, match="expected a new or an empty folder"):
        made.to_manifests(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["odd.txt"]


AMBIGUOUS = [
    "1e3",
    "0x1f",
    "0o7",
    "017",
    "1_000",
    "12:30",
    "yes",
    "No",
    "ON",
    "y",
    "~",
    "null",
    ".5",
    "1.",
    "=",
    "<<",
    "-",
    "",
]
texts = st.one_of(st.sampled_from(AMBIGUOUS), st.text(), st.from_regex(r"[-+.0-9eE_:xo]{1,8}", fullmatch=True))
values = st.recursive(
    st.one_of(texts, st.integers(-(2**60), 2**60), st.booleans(), st.none()),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts.filter(lambda key: key != "<<"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(values)
def test_texts_stay_texts_in_yaml(value):
    file = io.BytesIO()
    _write_documents([("Pod", json.dumps({"value": value}).encode())], file)
    (document,) = yaml_to_json(file.getvalue().decode())
    assert isinstance(document, bytes)
    assert json.loads(document) == {"value": value}
