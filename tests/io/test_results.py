import gzip
import io
import json

import pandas as pd
import pyarrow.parquet as pq
import pytest

import kplace
from kplace import Cluster, InputError
from kplace.errors import OutputError, UsageError
from tests.frames.tables import NODES, PODS, cluster

FORMS = {"parquet": "to_parquet", "json": "to_json", "json.gz": "to_json", "json.zst": "to_json"}


def write(placements: kplace.Placements, path, form: str) -> None:
    getattr(placements, FORMS[form])(path)


def assert_same_frame(got: pd.DataFrame, expected: pd.DataFrame) -> None:
    # Which categories there are beside those in use is not kept, but for nodes and states.
    pd.testing.assert_frame_equal(got, expected, check_categorical=False)
    assert got.attrs == expected.attrs
    for name in {"node", "status"} & set(got.columns):
        assert list(got[name].cat.categories) == list(expected[name].cat.categories)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("which", ["some", "none", "nothing"])
def test_results_are_read_back_in_full(tmp_path, form, which):
    made = {
        "some": cluster(),
        "none": Cluster.from_frames(NODES),
        "nothing": Cluster.from_frames(pd.DataFrame({"node": []})),
    }[which]
    placements = kplace.place(made, seed=5)
    path = tmp_path / f"result.{form}"
    write(placements, path, form)
    got = kplace.read_placements(path)
    assert_same_frame(got.pods, placements.pods)
    assert_same_frame(got.nodes, placements.nodes)
    assert_same_frame(got.reasons, placements.reasons)
    assert got.summary() == placements.summary()
    assert got.result_hash == placements.result_hash
    assert got.run == placements.run
    assert got.columns.reasons == placements.columns.reasons
    assert got.columns.messages == placements.columns.messages
    assert (got.columns.status == placements.columns.status).all()
    assert (got.columns.runner_up == placements.columns.runner_up).all()


@pytest.mark.parametrize("form", FORMS)
def test_writing_what_was_read_gives_the_same_file(tmp_path, form):
    write(kplace.place(cluster()), tmp_path / f"a.{form}", form)
    write(kplace.read_placements(tmp_path / f"a.{form}"), tmp_path / f"b.{form}", form)
    again = kplace.read_placements(tmp_path / f"b.{form}")
    assert_same_frame(again.pods, kplace.place(cluster()).pods)
    if form == "json":
        assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_other_tools_see_the_pods_in_a_parquet_file(tmp_path):
    placements = kplace.place(cluster())
    placements.to_parquet(tmp_path / "result.parquet")
    pods = pd.read_parquet(tmp_path / "result.parquet")
    assert list(pods.columns) == list(placements.pods.columns)
    assert pods["node"].isna().tolist() == placements.pods["node"].isna().tolist()
    about = json.loads(pq.read_metadata(tmp_path / "result.parquet").metadata[b"kplace"])
    assert about["schema"] == 1
    assert about["result_hash"] == placements.result_hash


def test_json_is_one_object_with_a_row_on_each_line(tmp_path):
    placements = kplace.place(cluster(), seed=9)
    placements.to_json(tmp_path / "result.json")
    text = (tmp_path / "result.json").read_text()
    found = json.loads(text)
    assert list(found) == ["kplace", "pods", "nodes", "reasons", "preemptions", "volumes"]
    run = found["kplace"]["run"]
    assert (run["seed"], run["tie_break"], run["percentage_of_nodes_to_score"]) == (9, "random", 0)
    huge = next(row for row in found["pods"] if row["pod"] == "huge")
    assert (huge["node"], huge["total"], huge["status"]) == (None, None, "unschedulable")
    assert found["nodes"][0]["labels"]["kubernetes.io/hostname"] == "a"
    assert f"{json.dumps(huge, separators=(',', ':'))},\n" in text


def test_csv_holds_the_pods(tmp_path):
    placements = kplace.place(cluster())
    placements.to_csv(tmp_path / "result.csv")
    assert pd.read_csv(tmp_path / "result.csv")["pod"].tolist() == placements.pods["pod"].tolist()
    buffer = io.BytesIO()
    placements.to_csv(buffer)
    assert buffer.getvalue() == (tmp_path / "result.csv").read_bytes()
    assert b"\r" not in buffer.getvalue()


def test_open_files_are_written_to():
    placements = kplace.place(cluster())
    for write_to in (placements.to_parquet, placements.to_json):
        buffer = io.BytesIO()
        write_to(buffer)
        assert buffer.getvalue()
        assert not buffer.closed


def test_numbers_beyond_the_precision_of_floats_are_kept(tmp_path):
    most = 2**62 + 1
    pods = pd.DataFrame({"pod": ["big"], "memory": [str(most)], "node": "a"})
    placements = kplace.place(Cluster.from_frames(NODES, pods))
    for form in FORMS:
        write(placements, tmp_path / f"r.{form}", form)
        assert kplace.read_placements(tmp_path / f"r.{form}").nodes["requested_memory_bytes"].iloc[0] == most


def test_what_was_read_has_no_cluster(tmp_path):
    kplace.place(cluster()).to_json(tmp_path / "result.json")
    got = kplace.read_placements(tmp_path / "result.json")
    for attribute in ("cluster", "before"):
        with pytest.raises(UsageError, match=r"hold no cluster: read the cluster itself with kplace\.read"):
            getattr(got, attribute)


def changed(tmp_path, change) -> str:
    path = tmp_path / "result.json"
    kplace.place(cluster()).to_json(path)
    found = json.loads(path.read_text())
    change(found)
    path.write_text(json.dumps(found))
    with pytest.raises(InputError) as caught:
        kplace.read_placements(path)
    return str(caught.value).removeprefix(f"{path}: ")


def test_changed_rows_are_noticed(tmp_path):
    def move(found) -> None:
        found["pods"][0]["node"] = "b"

    assert changed(tmp_path, move) == "its rows are not those that its result hash was made of: it was changed"


def test_results_of_another_schema_are_refused(tmp_path):
    def age(found) -> None:
        found["kplace"]["schema"] = 99

    assert changed(tmp_path, age) == "expected schema version 1, got 99"


def test_missing_columns_are_noticed(tmp_path):
    def drop(found) -> None:
        for row in found["pods"]:
            del row["total"]
        found["kplace"]["columns"]["pods"].remove("total")

    assert "no column total" in changed(tmp_path, drop)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no result of kplace in Parquet or JSON"),
        (b"{}", "holds no result of kplace in Parquet or JSON"),
        (b"[1]", "holds no result of kplace in Parquet or JSON"),
        (b'{"kplace": 1, "pods": []}', "holds no result of kplace in Parquet or JSON"),
        (b"PAR1 and then nothing", "holds no result of kplace in Parquet or JSON"),
        (gzip.compress(b"{}"), "holds no result of kplace in Parquet or JSON"),
        (gzip.compress(b"{}" * 1000)[:20], "cannot be read: "),
    ],
    ids=["empty", "object", "list", "bare", "parquet", "gzip", "cut"],
)
def test_files_of_something_else(tmp_path, content, message):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        kplace.read_placements(path)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_parquet_of_something_else(tmp_path):
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "other.parquet")
    with pytest.raises(InputError, match="holds no result of kplace"):
        kplace.read_placements(tmp_path / "other.parquet")


def test_no_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file or directory"):
        kplace.read_placements(tmp_path / "nowhere")


def test_nothing_is_left_of_a_result_that_cannot_be_written(tmp_path):
    placements = kplace.place(cluster())
    for form in FORMS:
        with pytest.raises(OutputError, match="cannot be written"):
            write(placements, tmp_path / "nowhere" / f"r.{form}", form)
    assert not list(tmp_path.iterdir())


def test_labels_need_not_be_the_same_on_all_nodes(tmp_path):
    nodes = NODES.assign(**{"label:disk": ["ssd", None, None]})
    placements = kplace.place(Cluster.from_frames(nodes, PODS))
    placements.to_parquet(tmp_path / "r.parquet")
    assert (
        kplace.read_placements(tmp_path / "r.parquet").nodes["labels"].tolist() == placements.nodes["labels"].tolist()
    )
