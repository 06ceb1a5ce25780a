"""``kplace place``: what it prints, what it writes, how it ends."""

import csv
import gzip
import io
import json

import pyarrow.parquet
import pytest

import kplace as library
from tests.cli.clusters import node, pod, write_list


def words(text: str) -> str:
    return " ".join(text.split())


def test_summary_says_what_became_of_the_pods(kplace, cluster):
    result = kplace("place", cluster)
    assert result.exit_code == 0
    text = words(result.stdout)
    assert "2 placed 1 pending 1 gated" in text
    assert "3 pods tried on 2 nodes, seed 0" in text
    # One of 8 cpu is requested before, two more after: 12.5 %, 37.5 %.
    assert "12.5 % 37.5 % 3 8" in text
    assert "1 1 Insufficient cpu NodeResourcesFit" in text
    assert "1 shop/large 1 Insufficient cpu, 1 node(s) were unschedulable" in text
    assert "note" not in text


def test_notes_go_to_standard_error(kplace, cluster):
    result = kplace("place", cluster)
    assert "note: " in result.stderr
    assert "default topology spreading cannot apply" in result.stderr


def test_quiet_prints_nothing_but_data(kplace, cluster):
    assert kplace("place", cluster, "--quiet").output == ""
    assert kplace("--quiet", "place", cluster).output == ""
    result = kplace("place", cluster, "-q", "--format", "csv")
    assert result.stdout.startswith("namespace,pod,")
    assert result.stderr == ""


@pytest.mark.parametrize(("columns", "most"), [("80", 80), ("120", 120), ("500", 120)])
def test_summary_fits_its_width(kplace, tmp_path, columns, most):
    long = "with-a-name-that-goes-on-and-on-and-on-and-on-and-on"
    nodes = [node(f"ip-10-0-0-{number}.eu-central-1.compute.internal") for number in range(3)]
    many = [pod(f"{long}-{number:02}", cpu="64", nodeSelector={"a": "b"}) for number in range(20)]
    path = write_list(tmp_path / "wide.json", *nodes, *many, pod("web"))
    lines = kplace("place", path, COLUMNS=columns).stdout.splitlines()
    assert max(map(len, lines)) <= most
    assert not any(line != line.rstrip() for line in lines)
    assert any("and 10 more pods" in line for line in lines)


def test_pending_pods_of_one_controller_are_one_line(kplace, tmp_path):
    template = {"metadata": {"labels": {"app": "big"}}, "spec": pod("big", cpu="64")["spec"]}
    spec = {"replicas": 12, "selector": {"matchLabels": {"app": "big"}}, "template": template}
    metadata = {"name": "big", "namespace": "shop"}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    path = write_list(tmp_path / "input.json", node("one"), deployment)
    lines = kplace("place", path).stdout.splitlines()
    assert [line.split()[0] for line in lines if "shop/big-" in line] == ["12"]


def test_nothing_to_place_is_said(kplace, tmp_path):
    path = write_list(tmp_path / "input.json", node("one"), pod("running", nodeName="one"))
    result = kplace("place", path)
    assert result.exit_code == 0
    assert "No pod is waiting" in result.stdout


@pytest.mark.parametrize("items", [[], [pod("web")]], ids=["nothing", "no node"])
def test_input_without_nodes(kplace, tmp_path, items):
    result = kplace("place", write_list(tmp_path / "input.json", *items))
    assert result.exit_code == 0
    assert "the input has no Node objects: nothing can be placed" in result.stderr
    # There is no node that explain could ask.
    assert "kplace explain" not in result.stdout
    assert ("1 pending" in result.stdout) == bool(items)


def test_pending_pods_are_explained_by_another_command(kplace, cluster):
    assert "kplace explain ... --after-place --pod NS/NAME" in kplace("place", cluster).stdout


NOTHING = pod("nothing")
del NOTHING["spec"]["containers"][0]["resources"]


@pytest.mark.parametrize(
    ("items", "outcome"),
    [
        ([node("one"), NOTHING], "1 placed"),
        ([node("one"), pod("wéb-日本")], "1 placed"),
        ([node("one", cpu="9P"), pod("huge", cpu="9P")], "1 placed"),
        ([node("one"), pod("huge", cpu="9P")], "0 placed 1 pending"),
        ([node("one", cpu="9E")], "is more than the scheduler can count"),
    ],
)
def test_odd_clusters(kplace, tmp_path, items, outcome):
    path = write_list(tmp_path / "input.json", *items)
    assert outcome in words(kplace("place", path).output)


def test_sums_of_huge_amounts(kplace, tmp_path):
    # 9E are 9 * 10**18 bytes, 7.8 EiB; two of them are more than 64 bits hold.
    nodes = [node(name) for name in ("one", "two")]
    for item in nodes:
        item["status"]["allocatable"]["memory"] = "9E"
    text = words(kplace("place", write_list(tmp_path / "input.json", *nodes, pod("web"))).stdout)
    assert "1 GiB 15.6 EiB" in text


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_endings_and_files_given_twice(kplace, tmp_path, ending):
    text = "\n---\n".join(json.dumps(item, indent=1) for item in (node("one"), pod("web"))) + "\n"
    path = tmp_path / "input.yaml"
    path.write_text(text.replace("\n", ending), newline="")
    result = kplace("place", path, path, tmp_path)
    assert "1 placed" in result.stdout
    assert "1 pod tried on 1 node" in result.stdout
    assert "repeated" not in result.stderr


@pytest.mark.parametrize(("text", "what"), [("", "is empty"), ("# nothing\n", "holds comments only")])
def test_standard_input_without_objects(kplace_process, text, what):
    done = kplace_process("place", "-", input=text)
    assert done.returncode == 2
    assert f"<stdin>: {what}" in done.stderr


@pytest.mark.parametrize("columns", range(20, 80, 10))
def test_narrow_tables_leave_out_columns_instead_of_breaking_words(kplace, columns):
    lines = kplace("place", "data/demo", "--preemption", "dry-run", COLUMNS=str(columns)).stdout.splitlines()
    assert max(map(len, lines)) <= columns
    if columns >= 30:
        assert any(line.split()[0] == "ephemeral-storage" for line in lines if line)
        assert any("%" in line for line in lines if line.startswith("  ephemeral-storage"))
    if columns >= 40:
        assert any(line.split() == ["node", "pods", "fullest"] for line in lines) == (columns == 40)
        assert "data/risk-report-00000" in "\n".join(lines)
        assert not any("…" in line for line in lines)


def test_colours_only_where_wanted(kplace, cluster):
    assert "\x1b[" not in kplace("place", cluster).output
    assert "\x1b[" in kplace("place", cluster, FORCE_COLOR="1").stdout
    assert "\x1b[" not in kplace("place", cluster, FORCE_COLOR="1", NO_COLOR="1").output


def test_encoding_without_the_letters_is_no_error(kplace_process, cluster):
    code = "import sys; sys.stdout.reconfigure(encoding='ascii')"
    done = kplace_process("place", cluster, code=code)
    assert done.returncode == 0
    assert "2 placed" in done.stdout
    assert done.stdout.isascii()


@pytest.mark.parametrize("form", ["json", "csv", "parquet"])
def test_format_prints_data_and_nothing_else(kplace, cluster, form):
    result = kplace("place", cluster, "--format", form)
    assert result.exit_code == 0
    nodes = {row["pod"]: row["node"] for row in read_rows(result.stdout_bytes, form)}
    assert nodes == {"held": None, "web": "one", "api": "one", "large": None}


def read_rows(data: bytes, form: str) -> list[dict[str, object]]:
    if form == "json":
        return json.loads(data)["pods"]
    if form == "parquet":
        return pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    return [{**row, "node": row["node"] or None} for row in csv.DictReader(io.StringIO(data.decode()))]


@pytest.mark.parametrize("name", ["rows.json", "rows.json.gz", "rows.csv", "rows.parquet"])
def test_out_writes_rows_beside_the_summary(kplace, cluster, tmp_path, name):
    result = kplace("place", cluster, "--out", tmp_path / name)
    assert result.exit_code == 0
    assert "2 placed" in result.stdout
    data = (tmp_path / name).read_bytes()
    rows = read_rows(gzip.decompress(data) if name.endswith(".gz") else data, name.split(".")[1])
    assert len(rows) == 4


def test_rows_that_go_to_a_file_do_not_go_to_standard_output(kplace, cluster, tmp_path):
    result = kplace("place", cluster, "--format", "csv", "--out", tmp_path / "rows.csv")
    assert result.stdout == ""
    result = kplace("place", cluster, "--format", "json", "--out", tmp_path / "rows.csv")
    assert len(json.loads(result.stdout)["pods"]) == 4


@pytest.mark.parametrize("name", ["rows.json", "rows.parquet"])
def test_rows_are_read_back(kplace, cluster, tmp_path, name):
    kplace("place", cluster, "--out", tmp_path / name, "--seed", "7")
    summary = library.read_placements(tmp_path / name).summary()
    assert (summary.placed, summary.pending, summary.gated) == (2, 1, 1)


@pytest.mark.parametrize("name", ["rows.json", "rows.json.zst", "rows.csv", "rows.parquet", "trace.json"])
def test_results_are_no_input(kplace, cluster, tmp_path, name):
    option = "--trace" if name.startswith("trace") else "--out"
    assert kplace("place", cluster, option, tmp_path / name).exit_code == 0
    result = kplace("place", tmp_path / name)
    assert result.exit_code == 2
    what = "holds a trace of kplace" if option == "--trace" else "holds result rows of kplace"
    fault, _ = result.stderr.splitlines()
    assert fault.startswith(f"{tmp_path / name}: {what}, not a cluster")
    assert ("--out DIR/" in fault) == (option == "--out")


@pytest.mark.parametrize("form", ["json", "csv"])
def test_an_explanation_is_no_input(kplace, cluster, tmp_path, form):
    rows = tmp_path / f"rows.{form}"
    rows.write_text(kplace("explain", cluster, "--pod", "shop/web", "--format", form).stdout)
    result = kplace("place", rows)
    assert result.exit_code == 2
    assert "holds result rows of kplace, not a cluster" in result.stderr


@pytest.mark.parametrize(
    "name", ["after.yaml", "after.yml.gz", "after.dump.json", "after.dump.json.zst", "after/", "after"]
)
def test_out_writes_a_cluster_that_is_read_again(kplace, cluster, tmp_path, name):
    assert kplace("place", cluster, "--out", f"{tmp_path}/{name}").exit_code == 0
    result = kplace("place", f"{tmp_path}/{name}")
    assert "1 pending 1 gated" in words(result.stdout)
    assert "37.5 % 37.5 %" in words(result.stdout)


def test_several_outs_at_once(kplace, cluster, tmp_path):
    outs = [tmp_path / name for name in ("a.csv", "b.parquet", "c.yaml")]
    result = kplace("place", cluster, *(part for out in outs for part in ("--out", out)))
    assert result.exit_code == 0
    assert all(out.stat().st_size for out in outs)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("rows.txt", "the ending says nothing"),
        ("rows.parquet.gz", "the ending says nothing"),
        ("missing/rows.csv", "there is no folder"),
        ("full/", "is not empty"),
        ("-", "is no file"),
        ("cluster/pods.json", "is an input"),
    ],
)
def test_out_that_cannot_be_written_is_refused_before_the_work(kplace, cluster, tmp_path, monkeypatch, name, word):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    monkeypatch.setattr("kplace.api.read", None)
    result = kplace("place", "cluster/nodes.json", "cluster/pods.json", "--out", name)
    assert result.exit_code == 2
    assert word in words(result.stderr)
    assert sorted(tmp_path.glob("*")) == [cluster, tmp_path / "full"]


def test_trace_that_cannot_be_written_is_refused(kplace, cluster, tmp_path):
    result = kplace("place", cluster, "--trace", tmp_path / "missing" / "trace.json")
    assert result.exit_code == 2
    assert "there is no folder" in words(result.stderr)


def test_parquet_is_not_sent_to_a_terminal(kplace, cluster, monkeypatch):
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True, raising=False)
    result = kplace("place", cluster, "--format", "parquet")
    assert result.exit_code == 2
    assert "parquet is binary" in words(result.stderr)


def test_bad_input_lists_every_fault_and_leaves_nothing(kplace, tmp_path):
    path = write_list(tmp_path / "bad.json", node("one", cpu="four"), pod("web", cpu="1.5cores"), pod("api", cpu="-1"))
    before = sorted(tmp_path.rglob("*"))
    outs = ["--out", tmp_path / "rows.csv", "--out", f"{tmp_path}/after/", "--trace", tmp_path / "trace.json"]
    result = kplace("place", path, "--format", "json", *outs)
    assert result.exit_code == 2
    assert result.stdout == ""
    *faults, last = result.stderr.splitlines()
    assert [fault.split(": ")[1] for fault in faults] == ["Node one", "Pod shop/web", "Pod shop/api"]
    assert last == "Error: 3 faults in 1 input; nothing was done"
    assert sorted(tmp_path.rglob("*")) == before


def test_fail_on_pending(kplace, cluster, tmp_path):
    assert kplace("place", cluster, "--fail-on-pending").exit_code == 1
    fits = write_list(tmp_path / "fits.json", node("one"), pod("web"), pod("held", schedulingGates=[{"name": "a/b"}]))
    assert kplace("place", fits, "--fail-on-pending").exit_code == 0


def test_fail_on_pending_still_writes(kplace, cluster, tmp_path):
    result = kplace("place", cluster, "--fail-on-pending", "--out", tmp_path / "rows.csv", "--format", "json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)
    assert (tmp_path / "rows.csv").exists()


@pytest.mark.parametrize(("detail", "kind"), [(None, list), ("full", list), ("counts", int)])
def test_trace(kplace, cluster, tmp_path, detail, kind):
    trace = tmp_path / "trace.json.gz"
    result = kplace("place", cluster, "--trace", trace, *(["--trace-detail", detail] if detail else []))
    assert result.exit_code == 0
    record = json.loads(gzip.decompress(trace.read_bytes()))
    assert record["queueOrder"] == ["shop/web", "shop/api", "shop/large"]
    assert [type(entry["sample"]["feasible"]) for entry in record["pods"] if "sample" in entry] == [kind] * 3


def test_only(kplace, cluster):
    result = kplace("place", cluster, "--only", "shop/app in (web, large)", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["pod"] for row in rows] == ["web", "large"]
    result = kplace("place", cluster, "--only", "nowhere")
    assert result.exit_code == 2
    assert "nowhere" in result.stderr


def test_only_that_chooses_no_waiting_pod_is_refused(kplace, cluster):
    result = kplace("place", cluster, "--only", "shop/app in (wbe)", "--fail-on-pending", "-q")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "there; did you mean web?" in result.stderr


def test_settings_reach_the_run(kplace, cluster, tmp_path):
    settings = ["--seed", "5", "--tie-break", "first", "--percentage-of-nodes-to-score", "40", "--preemption", "off"]
    result = kplace("place", cluster, *settings, "--format", "json")
    run = {"seed": 5, "tie_break": "first", "percentage_of_nodes_to_score": 40, "preemption": "off"}
    assert json.loads(result.stdout)["kplace"]["run"].items() >= run.items()


def test_golden_case_file_is_an_input_and_its_percentage_counts(kplace, tmp_path):
    case = {
        "name": "case",
        "config": {"percentageOfNodesToScore": 30},
        "objects": [node("one"), pod("web")],
        "expected": {},
    }
    path = tmp_path / "case.json.gz"
    path.write_bytes(gzip.compress(json.dumps(case).encode()))
    for arguments, percentage in ([], 30), (["--percentage-of-nodes-to-score", "0"], 0):
        result = kplace("place", path, *arguments, "--format", "json")
        assert json.loads(result.stdout)["kplace"]["run"]["percentage_of_nodes_to_score"] == percentage


def test_standard_input(kplace_process, cluster):
    text = (cluster / "pods.json").read_text()
    done = kplace_process("place", "-", cluster / "nodes.json", "--format", "csv", input=text)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 5


def test_preemption_is_said_and_done(kplace, tmp_path):
    path = write_list(
        tmp_path / "full.json",
        node("one"),
        pod("low", cpu="3", nodeName="one", priority=1),
        pod("high", cpu="3", priority=5),
    )
    said = kplace("place", path, "--preemption", "dry-run")
    assert "0 placed  1 pending" in said.stdout
    assert "1 pending pod could push others out; --preemption queue or immediate lets them" in said.stdout
    for args in ([], ["--preemption", "immediate"]):
        done = kplace("place", path, *args)
        assert "1 placed" in done.stdout
        assert "1 pod pushed out by 1 of higher priority" in done.stdout
    off = kplace("place", path, "--preemption", "off")
    assert "push" not in off.stdout
    wrong = kplace("place", path, "--preemption", "gently")
    assert wrong.exit_code == 2


def test_another_release_of_kubernetes(kplace, tmp_path):
    # 3 cpu for the pod as a whole and 1 for its container, on a node of 2
    whole = pod("whole", cpu="1", resources={"requests": {"cpu": "3"}})
    path = write_list(tmp_path / "list.json", node("a", cpu="2"), whole)
    found = [
        kplace("place", path, "--format", "csv", "-q", *args).stdout.splitlines()[1]
        for args in (["--kube-version", "1.33"], [], ["--kube-version", "v1.34"])
    ]
    assert [",scheduled," in row for row in found] == [True, False, False]


def test_a_configuration_is_read_with_the_gates_of_the_release(kplace, cluster, tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\n"
        "kind: KubeSchedulerConfiguration\n"
        "profiles:\n"
        "- pluginConfig:\n"
        "  - name: VolumeBinding\n"
        "    args:\n"
        "      shape:\n"
        "      - {utilization: 0, score: 0}\n"
    )
    arguments = ["place", cluster, "--config", config]
    refused = kplace(*arguments)
    assert refused.exit_code == 2
    assert "StorageCapacityScoring" in refused.stderr
    assert kplace(*arguments, "--kube-version", "1.37").exit_code == 0
    gates = ["--feature-gates", "StorageCapacityScoring=false"]
    assert kplace(*arguments, "--kube-version", "1.37", *gates).exit_code == 2


def test_unknown_releases_are_refused(kplace, cluster):
    result = kplace("place", cluster, "--kube-version", "1.28")
    assert result.exit_code == 2
    assert "Invalid value for '--kube-version': expected a release from 1.29 to 1.37, got '1.28'" in words(
        result.stderr
    )


def test_both_engines_print_the_same_hash(kplace):
    hashes = set()
    for engine in ("batch", "cycle"):
        text = words(kplace("place", "data/demo", "--engine", engine).stdout)
        hashes.add(text.partition("result ")[2].split()[0])
    assert len(hashes) == 1
    assert len(hashes.pop()) == 12
