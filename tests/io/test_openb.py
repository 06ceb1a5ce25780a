"""The tables of the OpenB trace: what becomes of their rows, and what is said of those at fault."""

import gzip

import pytest

import kplace
from kplace.dtypes import NO_TIME
from kplace.errors import InputError
from kplace.io.openb import is_trace

NODES = """sn,cpu_milli,memory_mib,gpu,model
node-0,32000,262144,0,
node-1,96000,786432,8,G2
"""
PODS = """name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
a,12000,16384,1,1000,,LS,Running,0,12537496,0
b,6000,12288,1,460,,LS,Succeeded,427061,12902960,427061
c,88000,327680,8,1000,V100M16|V100M32|V100M32,BE,Failed,9,10,9
d,500,0,0,0,,Burstable,Pending,86400,1,
"""


@pytest.fixture
def trace(tmp_path):
    def write(nodes: str = NODES, pods: str = PODS):
        paths = tmp_path / "openb_node_list_all_node.csv", tmp_path / "openb_pod_list_default.csv"
        for path, text in zip(paths, (nodes, pods), strict=True):
            path.write_text(text)
        return paths

    return write


def test_nodes(trace):
    cluster = kplace.read(*trace())
    nodes = cluster.nodes.set_index("node")
    assert nodes.allocatable_cpu_milli.to_dict() == {"node-0": 32_000, "node-1": 96_000}
    assert nodes.allocatable_memory_bytes.to_dict() == {"node-0": 256 << 30, "node-1": 768 << 30}
    assert nodes.allocatable_pods.tolist() == [1001, 1001]
    assert nodes["allocatable_nvidia.com/gpu"].to_dict() == {"node-0": 0, "node-1": 8}
    assert nodes["allocatable_alibabacloud.com/gpu-count"].to_dict() == {"node-0": 0, "node-1": 8}
    assert nodes["allocatable_alibabacloud.com/gpu-milli"].to_dict() == {"node-0": 0, "node-1": 8000}
    assert nodes.labels.to_dict() == {
        "node-0": {"kubernetes.io/hostname": "node-0"},
        "node-1": {"kubernetes.io/hostname": "node-1", "alibabacloud.com/gpu-card-model": "G2"},
    }


def test_pods(trace):
    cluster = kplace.read(*trace())
    pods = cluster.pods.set_index("pod")
    assert pods.requested_cpu_milli.tolist() == [12_000, 6000, 88_000, 500]
    assert pods.requested_memory_bytes.tolist() == [16 << 30, 12 << 30, 320 << 30, 0]
    assert pods["requested_nvidia.com/gpu"].tolist() == [1, 1, 8, 0]
    assert pods.waiting.all()
    assert [stamp.timestamp() for stamp in pods.created] == [0, 427_061, 9, 86_400]
    templates = [cluster.columns.templates[code] for code in cluster.columns.pods.template]
    assert [template.annotations for template in templates] == [
        {"alibabacloud.com/gpu-count": "1", "alibabacloud.com/gpu-milli": "1000"},
        {"alibabacloud.com/gpu-count": "1", "alibabacloud.com/gpu-milli": "460"},
        {
            "alibabacloud.com/gpu-card-model": "V100M16|V100M32",
            "alibabacloud.com/gpu-count": "8",
            "alibabacloud.com/gpu-milli": "1000",
        },
        {},
    ]


def test_models_are_alternatives_for_any_scheduler(trace):
    nodes = NODES + "node-2,96000,786432,8,V100M32\nnode-3,96000,786432,8,T4\n"
    placed = kplace.place(kplace.read(*trace(nodes)))
    assert placed.pods.set_index("pod").node["c"] == "node-2"


def test_pods_arrive_in_the_order_of_their_creation(trace):
    placed = kplace.place(kplace.read(*trace()))
    assert placed.pods.pod.tolist() == ["a", "c", "d", "b"]


def test_tables_with_fewer_or_reordered_columns(trace):
    pods = "gpu_milli, num_gpu ,memory_mib,cpu_milli,name,ip\n 500 ,1,1024,2000,a,10.0.0.1\n"
    cluster = kplace.read(*trace(NODES.replace(",model", "").replace(",G2", "").replace("0,\n", "0\n"), pods))
    assert cluster.pods["requested_cpu_milli"].tolist() == [2000]
    assert cluster.columns.pods.created_ns.tolist() == [NO_TIME]
    assert "alibabacloud.com/gpu-card-model" not in cluster.columns.nodes.labels


def test_it_is_told_by_its_header():
    assert is_trace(PODS.encode())
    assert is_trace(b"gpu,sn,memory_mib,cpu_milli\r\n")
    assert not is_trace(b"sn,cpu_milli,memory_mib\n")
    assert not is_trace(b"")
    assert not is_trace(b'{"kind": "Pod"}')


def test_compressed_and_by_pattern(trace, tmp_path):
    nodes, pods = trace()
    packed = tmp_path / "openb_pod_list_packed.csv.gz"
    packed.write_bytes(gzip.compress(pods.read_bytes()))
    pods.unlink()
    for pattern in ("*_node.csv", "openb_node_*.csv"):
        assert len(kplace.read(str(tmp_path / pattern), packed).columns.nodes) == 2
    assert len(kplace.read(nodes, str(tmp_path / "*.csv.gz")).columns.pods) == 4


def test_a_folder_of_tables_is_not_read_as_a_whole(trace, tmp_path):
    trace()
    with pytest.raises(InputError, match="holds no file that can be read"):
        kplace.read(tmp_path)


def test_rows_at_fault(trace):
    nodes = NODES + "node-2,many,1,1,G2\n,1,1,1,G2\nnode-1,1,1,1,G2\n"
    pods = PODS + "e,1,1,1,0,,,,0,,\nf,-5,1,1,1001,,,,soon,,\ng,1\nh,1,1,,1,,,,1,,\n"
    paths = trace(nodes, pods)
    with pytest.raises(InputError) as error:
        kplace.read(*paths)
    faults = [str(fault).removeprefix(f"{paths[0].parent}/") for fault in error.value.faults]
    of_nodes, of_pods = "openb_node_list_all_node.csv", "openb_pod_list_default.csv"
    assert faults[:2] == [
        f'{of_nodes}: Node node-2: line 4, cpu_milli: expected a whole number, got "many"',
        f"{of_nodes}: Node: line 5, sn: is missing",
    ]
    assert any("node-1" in fault for fault in faults[2:])
    for fault in (
        f"{of_pods}: Pod e: line 6, gpu_milli: must be 1 to 1000 for a pod with GPUs",
        f'{of_pods}: Pod f: line 7, cpu_milli: expected a whole number, got "-5"',
        f"{of_pods}: Pod f: line 7, gpu_milli: must not be more than 1000, got 1001",
        f'{of_pods}: Pod f: line 7, creation_time: expected a whole number, got "soon"',
        f"{of_pods}: Pod g: line 8, memory_mib: is missing",
        f"{of_pods}: Pod h: line 9, num_gpu: is missing",
    ):
        assert fault in faults


def test_it_can_be_written_as_manifests(trace, tmp_path):
    cluster = kplace.read(*trace())
    cluster.to_manifests(tmp_path / "all.json")
    again = kplace.read(tmp_path / "all.json")
    assert again.pods.created.tolist() == cluster.pods.created.tolist()
    annotations = [[c.columns.templates[t].annotations for t in c.columns.pods.template] for c in (cluster, again)]
    assert annotations[0] == annotations[1]
