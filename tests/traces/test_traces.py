"""Traces in the published formats, on small files made by hand."""

import gzip
import json
import sqlite3

import pandas as pd
import pytest
import yaml

import kplace
from kplace.columns import ClusterBuilder, Note
from kplace.errors import InputError, UsageError
from kplace.objects.core import Namespace
from kplace.objects.meta import ObjectMeta
from kplace.traces import read_trace_tables
from kplace.traces.tables import read_frame
from tests.traces.test_by_kind import check_same

MACHINES = """m_1,0,20,3,96,100,USING
m_2,0,20,4,96,50,USING
m_1,50,21,3,64,100,USING
"""
CONTAINERS = """c_1,m_1,0,app_9,started,400,800,1.56
c_1,m_2,70,app_9,started,800,800,1.56
c_2,m_2,10,app_9,started,100,800,3.13
"""
TASKS = """M1,2,j_1,1,Terminated,100,160,100,0.39
R2_1,1,j_1,1,Terminated,200,200,50,0.2
M1,5,j_2,1,Waiting,,,,
"""


@pytest.fixture
def alibaba(tmp_path):
    for name, text in (("machine_meta", MACHINES), ("container_meta", CONTAINERS), ("batch_task", TASKS)):
        (tmp_path / f"{name}.csv").write_text(text)
    return [tmp_path / f"{name}.csv" for name in ("machine_meta", "container_meta", "batch_task")]


def pods_of(cluster):
    return cluster.pods.set_index("pod")


def test_alibaba(alibaba, tmp_path):
    cluster = kplace.read_trace("alibaba-2018", *alibaba)
    nodes = cluster.nodes.set_index("node")
    assert nodes["allocatable_cpu_milli"].to_dict() == {"m-1": 64_000, "m-2": 96_000}
    assert nodes["allocatable_memory_bytes"].to_dict() == {"m-1": 2**38, "m-2": 2**37}
    assert nodes["zone"].astype("str").to_dict() == {"m-1": "fd-21", "m-2": "fd-20"}
    pods = pods_of(cluster)
    assert pods["requested_cpu_milli"].to_dict() == {
        **{"c-1": 4000, "c-2": 1000},
        **{"j-1-m1-0": 1000, "j-1-m1-1": 1000, "j-1-r2-1-0": 500},
    }
    assert pods.loc["c-1", "requested_memory_bytes"] == 4090 * 2**20  # 1.56 % of 256 GiB, rounded up
    assert pods.loc["c-1", "priority"] == 1000
    assert pods["lasts"].dropna().to_dict() == {"j-1-m1-0": 60.0, "j-1-m1-1": 60.0}
    assert (pods["created"] - pods["created"].min()).dt.total_seconds()["j-1-r2-1-0"] == 200.0
    assert any("1 batch tasks without a plan" in note.message for note in cluster.notes)
    assert kplace.place(cluster).pods["status"].eq("scheduled").all()
    header = "machine_id,time_stamp,failure_domain_1,failure_domain_2,cpu_num,mem_size,status\n"
    packed = tmp_path / "machine_meta.csv.gz"
    packed.write_bytes(gzip.compress((header + MACHINES).encode()))
    assert kplace.read_trace("alibaba-2018", packed, *alibaba[1:]).columns.nodes.names == cluster.columns.nodes.names


def test_namespaces_are_written_before_the_pods_that_are_in_them(alibaba, tmp_path):
    cluster = kplace.read_trace("alibaba-2018", *alibaba)
    path = tmp_path / "trace.yaml"
    cluster.to_manifests(path, form="yaml")
    written = list(yaml.safe_load_all(path.read_text()))
    assert written[:2] == [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in ("batch", "online")
    ]
    assert {item["metadata"]["namespace"] for item in written if item["kind"] == "Pod"} == {"batch", "online"}
    cluster.to_snapshot(tmp_path / "trace.parquet")
    assert [item.metadata.name for item in kplace.read(tmp_path / "trace.parquet").columns.objects["Namespace"]] == [
        "batch",
        "online",
    ]
    trace = read_trace_tables("alibaba-2018", alibaba, None, None)
    without = kplace.place(kplace.Cluster.from_frames(trace.nodes, trace.pods))
    for same in (cluster, kplace.read(path), kplace.read(tmp_path / "trace.parquet")):
        placed = kplace.place(same)
        pd.testing.assert_series_equal(placed.pods["node"], without.pods["node"])
        assert placed.result_hash == without.result_hash


def test_faults_of_alibaba(alibaba, tmp_path):
    alibaba[1].write_text(CONTAINERS.replace("400", "four"))
    with pytest.raises(InputError, match=r'row 1: cpu_request: expected a number, got "four"'):
        kplace.read_trace("alibaba-2018", *alibaba)
    alibaba[1].write_text("a,b\n")
    with pytest.raises(InputError, match="expected 8 columns"):
        kplace.read_trace("alibaba-2018", *alibaba)
    with pytest.raises(InputError, match="no machine_meta"):
        kplace.read_trace("alibaba-2018", alibaba[2])
    with pytest.raises(InputError, match="called after one of"):
        kplace.read_trace("alibaba-2018", tmp_path / "x.csv", *alibaba)


@pytest.fixture
def azure(tmp_path):
    path = tmp_path / "packing.sqlite"
    with sqlite3.connect(path) as database:
        database.execute(
            "CREATE TABLE vmType (id, vmTypeId, machineId, core REAL, memory REAL, hdd REAL, ssd REAL, nic REAL)"
        )
        database.execute("CREATE TABLE vm (vmId, tenantId, vmTypeId, priority, starttime REAL, endtime REAL)")
        types = [
            (1, 10, 0, 0.5, 0.25, None, 0.1, 0.1),
            (2, 10, 7, 0.25, 0.125, None, 0, 0.1),
            (3, 11, 7, 0.1, 0.1, 0, None, 0),
        ]
        vms = [(1, 5, 10, 0, -3.0, 0.5), (2, 5, 11, 1, 1.5, None), (3, 6, 10, 0, 0.25, 1.25), (4, 6, 99, 0, 0.3, 1.0)]
        database.executemany("INSERT INTO vmType VALUES (?,?,?,?,?,?,?,?)", types)
        database.executemany("INSERT INTO vm VALUES (?,?,?,?,?,?)", vms)
    return path


def test_azure(azure):
    cluster = kplace.read_trace("azure-packing", azure, nodes=3)
    assert len(cluster.columns.nodes) == 3
    pods = pods_of(cluster)
    # On machine 7, where most types run, type 10 takes a quarter of 64 cpus.
    assert pods["requested_cpu_milli"].to_dict() == {"vm-1": 16_000, "vm-3": 16_000, "vm-2": 6_400}
    assert pods["priority"].to_dict() == {"vm-1": 1000, "vm-3": 1000, "vm-2": 0}
    assert pods["lasts"].dropna().to_dict() == {"vm-1": 43_200.0, "vm-3": 86_400.0}
    assert (pods["created"] - pods["created"].min()).dt.total_seconds().tolist() == [0.0, 21_600.0, 129_600.0]
    assert any("1 VMs of types" in note.message for note in cluster.notes)
    assert len(kplace.read_trace("azure-packing", azure, limit=2).columns.pods) == 2
    history = kplace.simulate(cluster, replay=True)
    assert history.pods["bound"].notna().all()


def test_faults_of_azure(azure, tmp_path):
    with sqlite3.connect(azure) as database:
        database.execute("ALTER TABLE vm DROP COLUMN priority")
        database.execute("DROP TABLE vmType")
    with pytest.raises(InputError) as caught:
        kplace.read_trace("azure-packing", azure)
    assert [str(fault).partition(": ")[2] for fault in caught.value.faults] == [
        "table vm: priority: there is no such column",
        "table vmType: is missing",
    ]
    (tmp_path / "no.sqlite").write_text("nothing" * 100)
    with pytest.raises(InputError, match="is no sqlite database"):
        kplace.read_trace("azure-packing", tmp_path / "no.sqlite")
    with pytest.raises(InputError, match="no such file"):
        kplace.read_trace("azure-packing", tmp_path / "none.sqlite")
    assert not (tmp_path / "none.sqlite").exists()


GOOGLE_MACHINES = [
    {
        "time": 0,
        "machine_id": 1,
        "type": 1,
        "switch_id": "s=1",
        "capacity": {"cpus": 1.0, "memory": 0.5},
        "platform_id": "p",
    },
    {
        "time": 0,
        "machine_id": 2,
        "type": 1,
        "switch_id": "s=2",
        "capacity": {"cpus": 0.5, "memory": 0.5},
        "platform_id": "p",
    },
    {"time": 9, "machine_id": 2, "type": 2},
    {"time": 9, "machine_id": 1, "type": "UPDATE", "capacity": {"cpus": 0.75}},
]
COLLECTIONS = [{"time": 0, "type": 0, "collection_id": 7, "max_per_machine": 1}]


def event(seconds, kind, collection, index, **more):
    item = {
        "time": seconds * 1_000_000,
        "type": kind,
        "collection_id": collection,
        "instance_index": index,
        "priority": 200,
    }
    return {**item, "resource_request": {"cpus": 0.125, "memory": 0.0625}, **more}


INSTANCES = [
    event(1, 0, 7, 0),
    event(3, 3, 7, 0),
    event(13, 6, 7, 0),
    event(2, "SUBMIT", 7, 1),
    event(4, "SCHEDULE", 8, 0, alloc_collection_id=7),
    event(5, 0, 9, 0, resource_request={}),
]


def write_lines(path, items):
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return path


@pytest.fixture
def google(tmp_path):
    return [
        write_lines(tmp_path / "machine_events-000.json", GOOGLE_MACHINES),
        write_lines(tmp_path / "collection_events-000.json", COLLECTIONS),
        write_lines(tmp_path / "instance_events-000.json", INSTANCES),
    ]


def check_google(cluster):
    nodes = cluster.nodes.set_index("node")
    assert nodes["allocatable_cpu_milli"].to_dict() == {"machine-1": 48_000}
    assert nodes["allocatable_memory_bytes"].to_dict() == {"machine-1": 2**37}
    pods = pods_of(cluster)
    assert pods["requested_cpu_milli"].to_dict() == {"c7-0": 8000, "c7-1": 8000}
    assert pods["requested_memory_bytes"].to_dict() == {"c7-0": 2**34, "c7-1": 2**34}
    assert pods["lasts"].dropna().to_dict() == {"c7-0": 10.0}
    assert pods["priority"].tolist() == [200, 200]
    assert any("2 instances inside of others" in note.message for note in cluster.notes)


def test_google(google):
    cluster = kplace.read_trace("google-2019", *google)
    check_google(cluster)
    # One instance a machine, and one machine.
    assert sorted(kplace.place(cluster).pods["status"]) == ["scheduled", "unschedulable"]


def uneven(items):
    """The same events as a file that says some things now as numbers, now as texts."""
    return [item | {"instance_index": str(item["instance_index"])} if at % 2 else item for at, item in enumerate(items)]


@pytest.mark.parametrize("items", [INSTANCES, [*INSTANCES[:3], *INSTANCES[4:]], uneven(INSTANCES)])
def test_lines_are_read_as_they_would_be_one_by_one(tmp_path, items):
    frame = read_frame(write_lines(tmp_path / "instance_events.json", items))
    wanted = pd.json_normalize(items)
    assert sorted(frame) == sorted(wanted)
    for name in wanted:
        expected = wanted[name].astype("object")
        assert frame[name].astype("object").where(frame[name].notna(), None).tolist() == [
            None if pd.isna(value) else value for value in expected
        ]


@pytest.mark.parametrize(("line", "message"), [("{oops", "Expecting property name"), ("[1]", "expected an object")])
def test_a_line_that_is_no_object_is_refused(tmp_path, line, message):
    path = tmp_path / "instance_events.json"
    path.write_text(json.dumps(INSTANCES[0]) + f"\n{line}\n")
    with pytest.raises(InputError, match=f"instance_events.json: is no table: line 2: {message}"):
        read_frame(path)


def test_google_as_csv(google, tmp_path):
    csv = []
    for path, items in zip(google, (GOOGLE_MACHINES, COLLECTIONS, INSTANCES), strict=True):
        csv.append(path.with_suffix(".csv"))
        pd.json_normalize(items).to_csv(csv[-1], index=False)
    check_google(kplace.read_trace("google-2019", *csv))
    assert kplace.read_trace("google-2019", csv[0], csv[2]).pods["spec"].map(lambda spec: "affinity" in spec).sum() == 0


def test_faults_of_google(google):
    with pytest.raises(InputError, match="no file of instance_events"):
        kplace.read_trace("google-2019", *google[:2])
    write_lines(google[2], [event(1, "SUBMITTED", 7, 0)])
    with pytest.raises(InputError, match=r'row 1: type: "SUBMITTED" is none of SUBMIT'):
        kplace.read_trace("google-2019", *google)


MAPPING = """
[nodes]
file = "machines.csv"
values = { pods = 50 }
[nodes.columns]
node = "Host"
cpu = "Cores"
memory = { column = "GB", unit = "1Gi" }
"label:rack" = "Rack"

[pods]
file = "jobs.csv"
header = ["id", "percent", "mb", "start_ms", "length"]
[pods.columns]
pod = "id"
cpu = { column = "percent", unit = "10m" }
memory = { column = "mb", unit = "1Mi" }
created = { column = "start_ms", unit = "1m" }
lasts = "length"
"""


@pytest.fixture
def mapping(tmp_path):
    (tmp_path / "map.toml").write_text(MAPPING)
    (tmp_path / "machines.csv").write_text("Host,Cores,GB,Rack\nA_1,16,64,r1\nB_2,8,32.5,r2\n")
    (tmp_path / "jobs.csv").write_text("J1,150,512,1500,30\nJ2,50,100,0,\n")
    return tmp_path / "map.toml"


def test_any_table(mapping):
    cluster = kplace.read_trace("table", mapping)
    nodes, pods = cluster.nodes.set_index("node"), pods_of(cluster)
    assert nodes["allocatable_cpu_milli"].to_dict() == {"a-1": 16_000, "b-2": 8_000}
    assert nodes.loc["b-2", "allocatable_memory_bytes"] == 32.5 * 2**30
    assert nodes["allocatable_pods"].tolist() == [50, 50]
    assert nodes.loc["a-1", "labels"]["rack"] == "r1"
    assert pods["requested_cpu_milli"].to_dict() == {"j1": 1500, "j2": 500}
    assert pods["lasts"].dropna().to_dict() == {"j1": 30.0}
    assert (pods["created"]["j1"] - pods["created"]["j2"]).total_seconds() == 1.5


def test_namespaces_of_mappings(mapping):
    assert "Namespace" not in kplace.read_trace("table", mapping).columns.objects
    mapping.write_text(mapping.read_text() + '[pods.values]\nnamespace = "team"\n')
    cluster = kplace.read_trace("table", mapping)
    assert [item.metadata.name for item in cluster.columns.objects["Namespace"]] == ["team"]
    assert set(cluster.pods["namespace"]) == {"team"}


def test_faults_of_mappings(mapping, tmp_path):
    mapping.write_text(MAPPING.replace("Cores", "Cpus").replace('"1Gi"', '"1Gb"').replace('pod = "id"', ""))
    with pytest.raises(InputError) as caught:
        kplace.read_trace("table", mapping)
    found = {fault.path: fault.message for fault in caught.value.faults}
    assert found["nodes.columns.cpu"] == 'machines.csv has no column "Cpus"'
    assert 'did you mean "1G"' in found["nodes.columns.memory"]
    assert found["pods.columns.pod"] == "is missing"
    mapping.write_text(MAPPING.replace("values", "valeus"))
    with pytest.raises(InputError, match=r'nodes.valeus: unknown field; did you mean "values"'):
        kplace.read_trace("table", mapping)


def test_openb(tmp_path):
    (tmp_path / "nodes.csv").write_text("sn,cpu_milli,memory_mib,gpu,model\nn1,8000,1024,2,A\n")
    (tmp_path / "pods.csv").write_text("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\np1,100,64,1,500,A\n")
    cluster = kplace.read_trace("openb", tmp_path / "nodes.csv", tmp_path / "pods.csv")
    assert repr(cluster) == "<Cluster: 1 nodes, 1 pods, 1 of them waiting>"


@pytest.mark.parametrize(
    ("form", "files"),
    [("alibaba-2018", "alibaba"), ("azure-packing", "azure"), ("google-2019", "google"), ("table", "mapping")],
)
def test_a_trace_is_what_its_tables_are_row_by_row(form, files, request):
    found = request.getfixturevalue(files)
    found = found if isinstance(found, list) else [found]
    trace = read_trace_tables(form, found)
    cluster = kplace.read_trace(form, *found)
    names = [item.metadata.name for item in cluster.columns.objects.get("Namespace", ())]
    builder = ClusterBuilder()
    builder.objects = {"Namespace": [Namespace(ObjectMeta(name=name)) for name in names]} if names else {}
    wanted = kplace.Cluster.from_frames(trace.nodes, trace.pods, others=kplace.Cluster(builder.finish()))
    wanted.notes[:0] = [Note("trace", text) for text in trace.notes]
    check_same(cluster.columns, wanted.columns)


def test_arguments(mapping):
    for arguments in (("tabel", mapping), ("table",)):
        with pytest.raises(UsageError):
            kplace.read_trace(*arguments)
    with pytest.raises(UsageError, match="only azure-packing"):
        kplace.read_trace("table", mapping, nodes=3)
    assert len(kplace.read_trace("table", mapping, limit=1).columns.pods) == 1


def test_the_command(mapping, tmp_path):
    from click.testing import CliRunner

    from kplace.cli.import_ import FORMATS
    from kplace.cli.main import cli
    from kplace.traces import FORMATS as KNOWN

    assert FORMATS == KNOWN
    out = tmp_path / "c.parquet"
    made = CliRunner().invoke(cli, ["import", "table", str(mapping), "--out", str(out)])
    assert made.exit_code == 0
    assert "2 nodes, 2 pods, 2 of them waiting" in made.stderr
    assert kplace.read(out).columns.pods.names == ["j1", "j2"]
