"""Candidates of tables and of NodePools: what requirements allow, by a plain reading of each."""

import pytest
import yaml

from kplace.analysis.provision import provision
from kplace.analysis.provision.machines import BUILT_IN, read_machines
from kplace.errors import InputError
from kplace.testing import make_node, make_pod
from kplace.testing.clusters import cluster_of

TABLE = """\
instance_type,alloc:cpu,alloc:memory,alloc:pods,kubernetes.io/arch,karpenter.k8s.aws/instance-memory,price
c5.large,1930m,3Gi,29,amd64,4096,0.085
c6g.large,1930m,3Gi,29,arm64,4096,0.068
m5.xlarge,3920m,14Gi,58,amd64,16384,0.192
m5.4xlarge,15890m,57Gi,234,amd64,65536,0.768
"""
ZONE = "topology.kubernetes.io/zone"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "types.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def cluster():
    """Nodes in two zones, all full, and two pods of 3 cpu that wait."""
    nodes = [make_node(f"old-{zone}").zone(zone).region("r").capacity(cpu="100m") for zone in "ab"]
    return cluster_of(*nodes, *(make_pod(f"p{i}").req(cpu="3", memory="1Gi") for i in range(2)))


def requirement(key, operator, *values, minimum=None):
    found = {"key": key, "operator": operator}
    return found | ({"values": list(values)} if values else {}) | ({"minValues": minimum} if minimum else {})


def pool_file(folder, *requirements, name="general", labels=None, **spec):
    taints = spec.pop("taints", [])
    template = {"metadata": {"labels": labels or {}}, "spec": {"requirements": list(requirements), "taints": taints}}
    manifest = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name}}
    path = folder / f"{name}.yaml"
    ignored = {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": {"name": "default"}}
    path.write_text(yaml.safe_dump_all([manifest | {"spec": {"template": template, **spec}}, ignored]))
    return path


def offered(found):
    """Type, zone and capacity type of every candidate."""
    every = [*found.catalogue.candidates, *(item for item, _ in found.left_out)]
    return {(item.instance_type, item.zone, item.capacity_type) for item in every}


def test_a_table_of_types_as_karpenter_lists_them(cluster, table):
    found = provision(cluster, shapes=table)
    types = ("c5.large", "c6g.large", "m5.xlarge", "m5.4xlarge")
    assert offered(found) == {(name, zone, "") for name in types for zone in "ab"}
    assert (found.best.cost, found.best.n_nodes, found.pending) == (0.384, 2, 0)
    node = found.best.cluster.nodes.iloc[-1]
    assert node["labels"]["kubernetes.io/arch"] == "amd64"
    assert node["labels"]["topology.kubernetes.io/region"] == "r"
    assert (node["allocatable_cpu_milli"], node["allocatable_pods"]) == (3920, 58)


def test_tables_of_shapes_and_the_built_in_one(cluster, tmp_path):
    path = tmp_path / "shapes.csv"
    path.write_text("name,cpu,memory_gib,price\nbox,4,16,0.3\n")
    found = provision(cluster, shapes=path, zones=["z"])
    assert found.best.counts == {"box z": 2}
    assert found.best.cost == 0.6
    machines = {item.name: item for item in read_machines([BUILT_IN])}
    assert machines["m5.large"].capacity["cpu"] == 2000
    assert machines["m5.large"].allocatable["pods"] == "29"


@pytest.mark.parametrize(
    ("requirements", "types"),
    [
        ([requirement("kubernetes.io/arch", "In", "amd64")], {"c5.large", "m5.xlarge", "m5.4xlarge"}),
        ([requirement("kubernetes.io/arch", "NotIn", "amd64")], {"c6g.large"}),
        ([requirement("karpenter.k8s.aws/instance-category", "In", "m")], {"m5.xlarge", "m5.4xlarge"}),
        ([requirement("karpenter.k8s.aws/instance-generation", "Gt", "5")], {"c6g.large"}),
        ([requirement("karpenter.k8s.aws/instance-generation", "Lt", "6")], {"c5.large", "m5.xlarge", "m5.4xlarge"}),
        (
            [requirement("karpenter.k8s.aws/instance-size", "Exists")],
            {"c5.large", "c6g.large", "m5.xlarge", "m5.4xlarge"},
        ),
        (
            [
                requirement("karpenter.k8s.aws/instance-memory", "Gt", "4096"),
                requirement("node.kubernetes.io/instance-type", "NotIn", "m5.4xlarge"),
            ],
            {"m5.xlarge"},
        ),
    ],
)
def test_requirements_choose_types(cluster, table, tmp_path, requirements, types):
    found = provision(cluster, nodepools=pool_file(tmp_path, *requirements), shapes=table, each=0, effort=0)
    assert {name for name, _, _ in offered(found)} == types
    assert {place for _, place, _ in offered(found)} == {"a", "b"}


def test_zones_and_capacity_types_that_requirements_allow(cluster, table, tmp_path):
    file = pool_file(
        tmp_path,
        requirement("node.kubernetes.io/instance-type", "In", "m5.xlarge"),
        requirement(ZONE, "In", "b", "c"),
        requirement("karpenter.sh/capacity-type", "In", "spot", "on-demand"),
    )
    prices = tmp_path / "prices.csv"
    prices.write_text("instance_type,capacity_type,price\nm5.xlarge,spot,0.05\nm5.xlarge,on-demand,0.2\n")
    found = provision(cluster, nodepools=file, shapes=table, prices=prices)
    assert offered(found) == {("m5.xlarge", zone, kind) for zone in "bc" for kind in ("spot", "on-demand")}
    assert found.best.cost == 0.1
    assert set(found.best.nodes["zone"]) <= {"b", "c"}


def test_labels_and_taints_of_a_pool_are_those_of_its_nodes(table, tmp_path):
    file = pool_file(
        tmp_path,
        requirement("team", "In", "web"),
        labels={"tier": "front"},
        taints=[{"key": "dedicated", "value": "web", "effect": "NoSchedule"}],
    )
    selector = {"team": "web", "tier": "front", "karpenter.sh/nodepool": "general", "kubernetes.io/os": "linux"}
    old = make_node("old").capacity(cpu="100m")
    wanted = make_pod("w").req(cpu="1").node_selector(selector).tolerate("dedicated=web:NoSchedule")
    found = provision(cluster_of(old, wanted, make_pod("other").req(cpu="1")), nodepools=file, shapes=table)
    assert found.pods.loc[found.pods["node"].isna(), "pod"].tolist() == ["other"]


def test_limits_count_what_is_there(table, tmp_path):
    there = make_node("there").label({"karpenter.sh/nodepool": "general"}).capacity(cpu="4")
    pods = [make_pod("full").req(cpu="4").on("there"), *(make_pod(f"p{i}").req(cpu="3") for i in range(4))]
    only = requirement("node.kubernetes.io/instance-type", "In", "m5.xlarge")
    for limit, nodes in (("12", 2), ("11", 1), ("4", 0), ("100", 4)):
        file = pool_file(tmp_path, only, limits={"cpu": limit})
        found = provision(cluster_of(there, *pods), nodepools=file, shapes=table)
        assert (found.best.n_nodes, found.pending) == (nodes, 4 - nodes)
    file = pool_file(tmp_path, only, limits={"nodes": 2})
    assert provision(cluster_of(there, *pods), nodepools=file, shapes=table).best.n_nodes == 1


def test_weights_and_minimums_are_told(cluster, table, tmp_path):
    family = requirement("karpenter.k8s.aws/instance-family", "Exists", minimum=2)
    one = pool_file(tmp_path, family, name="one", weight=10)
    other = pool_file(tmp_path, name="other", weight=50)
    found = provision(cluster, nodepools=[one, other], shapes=table)
    assert {"min-values", "nodepool-weights"} <= {item.topic for item in found.notes}
    # Of two that cost the same, the heavier pool's is taken.
    assert all(name.startswith("other/") for name in found.best.counts)


@pytest.mark.parametrize(
    ("requirements", "message"),
    [
        ([requirement("karpenter.k8s.aws/instance-local-nvme", "Gt", "1")], "no column"),
        ([requirement("kubernetes.io/arch", "Is", "x")], "expected In, NotIn, Exists, DoesNotExist, Gt or Lt"),
        ([requirement("kubernetes.io/arch", "In")], "expected at least one value for In"),
        ([requirement("karpenter.k8s.aws/instance-cpu", "Gt", "many")], "expected one integer for Gt, got many"),
        ([requirement("kubernetes.io/arch", "In", "riscv")], "no type of the table of shapes meets all of them"),
        ([requirement("team", "Exists")], "expected In with a single value"),
        ([requirement("karpenter.k8s.aws/instance-family", "Exists", minimum=4)], "the types have 3"),
        ([requirement("karpenter.sh/capacity-type", "NotIn", "spot", "on-demand", "reserved")], "they leave no value"),
    ],
)
def test_what_cannot_be_honoured_is_refused_by_name(cluster, table, tmp_path, requirements, message):
    with pytest.raises(InputError) as caught:
        provision(cluster, nodepools=pool_file(tmp_path, *requirements), shapes=table)
    (fault,) = caught.value.faults
    assert fault.subject == "NodePool general"
    assert fault.path.startswith("spec.template.spec.requirements")
    assert message in fault.message


def test_faults_of_files(cluster, table, tmp_path):
    nothing = tmp_path / "nothing.yaml"
    nothing.write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n")
    with pytest.raises(InputError, match=r"there is no NodePool of karpenter\.sh"):
        provision(cluster, nodepools=nothing, shapes=table)
    odd = pool_file(tmp_path, limits={"cpu": "lots"}, taints=[{"key": "a", "effect": "Never"}])
    with pytest.raises(InputError) as caught:
        provision(cluster, nodepools=odd, shapes=table)
    assert [fault.path for fault in caught.value.faults] == ["spec.template.spec.taints[0].effect", "spec.limits.cpu"]
    other, empty = tmp_path / "other.csv", tmp_path / "empty.csv"
    other.write_text("foo,bar\n1,2\n")
    empty.write_text("")
    with pytest.raises(InputError) as caught:
        provision(cluster, shapes=[other, empty])
    assert [fault.source for fault in caught.value.faults] == [str(other), str(empty)]
    first, second = (fault.message for fault in caught.value.faults)
    assert "expected the columns instance_type, alloc:cpu, " in first
    assert "there are foo, bar" in first
    assert "it is empty" in second
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("instance_type,alloc:cpu\n,1\nx,much\n")
    with pytest.raises(InputError) as caught:
        provision(cluster, shapes=wrong)
    assert [fault.path for fault in caught.value.faults] == ["instance_type", "alloc:cpu"]
