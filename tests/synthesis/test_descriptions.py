import json

import pytest

import kplace
from kplace.errors import InputError, UsageError
from kplace.synthesis import PRESETS, load_description, preset_text
from kplace.synthesis.description import Description
from kplace.synthesis.shapes import built_in, kept_cpu, kept_memory
from kplace.synthesis.strict import plain, read_struct

POOL = {"name": "n", "count": 2, "shape": "m5.large"}
WORKLOAD = {"name": "w", "apps": 1}


def faults(**changes):
    given = {"pools": [POOL], "workloads": [WORKLOAD], **changes}
    with pytest.raises(InputError) as caught:
        load_description(given)
    return {fault.path: fault.message for fault in caught.value.faults}


def of_pool(**changes):
    return faults(pools=[{**POOL, **changes}])


def of_workload(**changes):
    return faults(workloads=[{**WORKLOAD, **changes}])


def test_presets_are_valid_and_complete():
    for name in PRESETS:
        assert load_description(name).about
        assert preset_text(name).startswith("about")


def test_fields_that_do_not_exist():
    found = faults(poolz=[], workloads=[{**WORKLOAD, "replica": 3, "spread": [{"key": "zone", "maxSkew": 1}]}])
    assert found == {
        "poolz": 'unknown field; did you mean "pools"?',
        "workloads[0].replica": 'unknown field; did you mean "replicas"?',
        "workloads[0].spread[0].maxSkew": 'unknown field; did you mean "max_skew"?',
    }


def test_values_of_the_wrong_type():
    found = faults(
        pods="many", pools=[{"count": "2", "labels": ["a"]}], workloads=[{**WORKLOAD, "replicas": "3", "apps": 1.5}]
    )
    assert found == {
        "pods": 'expected a whole number, got a string ("many")',
        "pools[0].count": 'expected a whole number, got a string ("2")',
        "pools[0].labels": "expected a table, got a list",
        "pools[0].name": "is missing",
        "workloads[0].apps": "expected a whole number, got a number (1.5)",
        "workloads[0].replicas": 'expected a whole number or a table, got a string ("3")',
    }


@pytest.mark.parametrize(
    ("changes", "path", "words"),
    [
        ({"shape": "m5.larg"}, "pools[0].shape", 'did you mean "m5.large"'),
        ({"shapes": {"m5.large": 1}}, "pools[0].shape", "exactly one"),
        ({"count": -1}, "pools[0].count", "at least 0"),
        ({"taints": ["a=b"]}, "pools[0].taints[0]", "expected"),
        ({"taints": ["a=b:NoShedule"]}, "pools[0].taints[0]", "did you mean NoSchedule"),
        ({"labels": {"a b": "c"}}, "pools[0].labels[a b]", "key of a label"),
        ({"zones": {"a": 0}}, "pools[0].zones", "weight above 0"),
        ({"unschedulable": 1.5}, "pools[0].unschedulable", "0 to 1"),
        ({"name": "No"}, "pools[0].name", "lower-case"),
    ],
)
def test_pools(changes, path, words):
    found = of_pool(**changes)
    assert any(key.replace(".[", "[") == path.replace(".[", "[") and words in text for key, text in found.items()), (
        found
    )


@pytest.mark.parametrize(
    ("changes", "path", "words"),
    [
        ({"kind": "Deploymnet"}, "kind", "did you mean Deployment"),
        ({"apps": None, "replicas": 3}, "apps", "says how many"),
        ({"requests": {"cpu": "1x"}}, "requests.cpu", "not a quantity"),
        ({"requests": {"cpu": {"mix": {"1": 1}, "zipf": {"exponent": 1, "max": 2}}}}, "requests.cpu", "exactly one"),
        ({"requests": {"cpu": {"mix": {"1": 0}}}}, "requests.cpu.mix", "weight above 0"),
        ({"correlation": 0.5}, "correlation", "cpu"),
        ({"priority_class": "hihg"}, "priority_class", "there is no class"),
        ({"tolerations": ["a:NoShedule"]}, "tolerations[0]", "did you mean NoSchedule"),
        ({"affinity": [{"key": "zone", "to": "x"}]}, "affinity[0].to", "no workload"),
        ({"claims": [{"name": "d"}]}, "claims", "StatefulSet"),
        ({"host_ports": [80, "0"]}, "host_ports[1]", 'from 1 to 65535, such as 8080, "53/UDP" or'),
        ({"host_ports": ["80/tcp"]}, "host_ports[0]", 'got "80/tcp"'),
        ({"host_ports": [80], "spec": {"containers": [{"name": "a"}]}}, "host_ports", "containers of the spec"),
        ({"arrival": {"over": 5, "pattern": "poison"}}, "arrival.pattern", "did you mean poisson"),
        ({"kind": "DaemonSet", "replicas": 2}, "replicas", "every node"),
        ({"spec": {"tolerationz": []}}, "spec.tolerationz", 'did you mean "tolerations"'),
        ({"spec": {"schedulingGates": [{}]}}, "spec.schedulingGates[0].name", "is missing"),
        ({"spread": [{"key": "zone", "max_skew": 0}]}, "spec.topologySpreadConstraints[0].maxSkew", ""),
    ],
)
def test_workloads(changes, path, words):
    workload = {**WORKLOAD, **changes}
    found = faults(workloads=[{key: value for key, value in workload.items() if value is not None}])
    assert words in found[f"workloads[0].{path}"]


def test_a_priority_may_be_negative():
    assert load_description({"pools": [POOL], "workloads": [{**WORKLOAD, "priority": -5}]}).workloads[0].priority == -5


def test_the_whole():
    assert "not both" in faults(pods=3, utilisation={"cpu": 0.5})["utilisation"]
    assert "one resource" in faults(utilisation={"cpu": 0.5, "memory": 0.5})["utilisation"]
    assert "twice" in faults(workloads=[WORKLOAD, WORKLOAD])["workloads[1].name"]
    assert "built-in" in faults(priority_classes={"system-node-critical": 1})["priority_classes.system-node-critical"]
    assert "needs nodes" in faults(pools=[])["pools"]
    assert faults(start="yesterday")["start"]


def test_a_utilisation_that_nothing_reaches():
    given = {"pools": [POOL], "workloads": [{"name": "w", "requests": {"memory": "1Gi"}}], "utilisation": {"cpu": 0.5}}
    with pytest.raises(UsageError, match="workload w: its apps come to no cpu"):
        kplace.synth(given)


def test_files(tmp_path):
    (tmp_path / "d.json").write_text(json.dumps({"pools": [{**POOL, "name": "node"}], "workloads": [WORKLOAD]}))
    pool = "{name: node, count: 2, shape: m5.large}"
    (tmp_path / "d.yaml").write_text(f"pools:\n- {pool}\nworkloads:\n- name: w\n  apps: 1\n")
    pool = 'name="node"\ncount=2\nshape="m5.large"'
    (tmp_path / "d.toml").write_text(f'[[pools]]\n{pool}\n[[workloads]]\nname="w"\napps=1\n')
    descriptions = [load_description(tmp_path / f"d.{ending}") for ending in ("json", "yaml", "toml")]
    assert descriptions[0] == descriptions[1] == descriptions[2]


def test_files_that_are_no_descriptions(tmp_path):
    (tmp_path / "bad.toml").write_text("pools = [")
    (tmp_path / "bad.yaml").write_text("a: b\n---\nc: d\n")
    for name, words in (("bad.toml", "not valid TOML"), ("bad.yaml", "one document"), ("none.toml", "cannot be read")):
        with pytest.raises(InputError, match=words):
            load_description(tmp_path / name)


def test_what_is_written_plainly_is_read_again():
    for name in PRESETS:
        description = load_description(name)
        assert read_struct(plain(description), Description) == (description, [])


def test_the_built_in_table():
    shapes = built_in()
    assert len(shapes) > 150
    assert {shape.arch for shape in shapes.values()} == {"amd64", "arm64"}
    shape = shapes["p4d.24xlarge"]
    assert (shape.cpu, shape.memory, shape.gpu, shape.gpu_model) == ("96", "1152Gi", 8, "A100")


def test_what_a_node_keeps():
    assert [kept_cpu(cores * 1000) for cores in (1, 2, 4, 8)] == [60, 70, 80, 90]
    gib = 2**30
    assert kept_memory(4 * gib) == gib + 100 * 2**20
    assert kept_memory(128 * gib) == int(gib * (1 + 0.8) + gib * 8 // 10 + 112 * gib * 6 // 100 + 100 * 2**20)


def test_own_shapes(tmp_path):
    table = tmp_path / "shapes.csv"
    table.write_text("name,cpu,memory_gib,gpu\nbig,16,64,2\n")
    cluster = kplace.synth({"pools": [{"name": "n", "count": 1, "shape": "big"}]}, shapes=table)
    assert cluster.columns.nodes.allocatable[0, 0] == 15890
    table.write_text("name,cpu,memory_gib,colour\nbig,16,64,red\n")
    with pytest.raises(InputError, match="unknown column"):
        kplace.synth("small", shapes=table)
    table.write_text("name,cpu,memory_gib,pods\nbig,many,64,1\n,-1,1e400,ten\n")
    with pytest.raises(InputError) as caught:
        kplace.synth("small", shapes=table)
    where = [(fault.subject, fault.path) for fault in caught.value.faults]
    assert where == [("line 2", "cpu"), *(("line 3", name) for name in ("name", "cpu", "memory_gib", "pods"))]


def test_shapes_of_the_description():
    shapes = {
        "mine": {"cpu": "8", "memory": "32Gi", "extended": {"x.io/fpga": 2}},
        "exact": {"allocatable": {"cpu": "3", "memory": "5Gi", "pods": 7}},
    }
    pools = [{"name": "a", "count": 1, "shape": "mine"}, {"name": "b", "count": 1, "shape": "exact"}]
    columns = kplace.synth({"pools": pools, "shapes": shapes}).columns
    offered = {name: columns.nodes.allocatable[:, n].tolist() for n, name in enumerate(columns.nodes.names)}
    assert list(columns.resources) == ["cpu", "memory", "ephemeral-storage", "x.io/fpga"]
    assert offered["b-00000"] == [3000, 5 * 2**30, 0, 0]
    assert offered["a-00000"][0] == 7910
    assert offered["a-00000"][3] == 2
