"""The builders make what a manifest would say."""

import pytest

from kplace.errors import InputError, UsageError
from kplace.testing import cluster_of, make_node, make_pod, state_of
from kplace.testing.manifests import label_selector, requirements

ZONE = "topology.kubernetes.io/zone"
REQUIRED, PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)
WEB = {"matchLabels": {"app": "web"}}


def test_node():
    built = (
        make_node("n1")
        .zone("a")
        .region("r")
        .label({"example.com/disk": "ssd"}, gen="3")
        .capacity(cpu="4", memory="8Gi", **{"nvidia.com/gpu": "2"})
        .taint("k=v:NoSchedule", "l:NoExecute")
        .taint("m:PreferNoSchedule")
        .cordon()
        .image("web:1", "web:latest", size=7)
    )
    assert built.manifest() == {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": "n1",
            "labels": {
                "kubernetes.io/hostname": "n1",
                ZONE: "a",
                "topology.kubernetes.io/region": "r",
                "example.com/disk": "ssd",
                "gen": "3",
            },
        },
        "spec": {
            "taints": [
                {"key": "k", "value": "v", "effect": "NoSchedule"},
                {"key": "l", "effect": "NoExecute"},
                {"key": "m", "effect": "PreferNoSchedule"},
            ],
            "unschedulable": True,
        },
        "status": {
            "allocatable": {"cpu": "4", "memory": "8Gi", "nvidia.com/gpu": "2", "pods": "110"},
            "images": [{"names": ["web:1", "web:latest"], "sizeBytes": 7}],
        },
    }
    assert built.without_label("gen").obj().metadata.labels.keys() == built.obj().metadata.labels.keys() - {"gen"}


def test_pod():
    built = (
        make_pod("web-0", "shop")
        .label(app="web")
        .req(cpu="1")
        .host_port(80)
        .host_port(81, protocol="UDP", address="10.0.0.1")
        .image("web:1")
        .sidecar("proxy:1", cpu="50m")
        .container("log:1")
        .overhead(cpu="10m")
        .pod_level(memory="1Gi")
        .tolerate("k=v:NoSchedule", "l")
        .tolerate("*")
        .priority(7)
        .created("2026-01-01T00:00:00Z")
        .gate("example.com/hold")
        .owner("ReplicaSet", "web")
        .scheduler("mine")
        .on("n1")
    )
    manifest = built.manifest()
    assert manifest["metadata"] == {
        "name": "web-0",
        "namespace": "shop",
        "labels": {"app": "web"},
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "controller": True}],
    }
    spec = manifest["spec"]
    assert [item["image"] for item in spec["containers"] + spec["initContainers"]] == ["web:1", "log:1", "proxy:1"]
    assert spec["containers"][0]["resources"] == {"requests": {"cpu": "1"}}
    assert spec["containers"][0]["ports"] == [
        {"containerPort": 80, "hostPort": 80, "protocol": "TCP"},
        {"containerPort": 81, "hostPort": 81, "protocol": "UDP", "hostIP": "10.0.0.1"},
    ]
    assert spec["initContainers"][0]["restartPolicy"] == "Always"
    assert [item.get("operator") for item in spec["tolerations"]] == [None, "Exists", "Exists"]
    assert (spec["overhead"], spec["resources"]) == ({"cpu": "10m"}, {"requests": {"memory": "1Gi"}})
    assert (spec["priority"], spec["schedulerName"], spec["nodeName"]) == (7, "mine", "n1")
    assert spec["schedulingGates"] == [{"name": "example.com/hold"}]
    assert (
        built.phase("Running").nominated("n2").started("2026-01-02T00:00:00Z").obj().status.nominated_node_name == "n2"
    )


def test_node_affinity():
    built = make_pod("p").require_node("disk in (ssd, nvme), gen>3").require_node(name="n1").prefer_node(5, "!gpu")
    affinity = built.manifest()["spec"]["affinity"]["nodeAffinity"]
    assert affinity[REQUIRED]["nodeSelectorTerms"] == [
        {
            "matchExpressions": [
                {"key": "disk", "operator": "In", "values": ["nvme", "ssd"]},
                {"key": "gen", "operator": "Gt", "values": ["3"]},
            ]
        },
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]},
    ]
    preference = {"matchExpressions": [{"key": "gpu", "operator": "DoesNotExist"}]}
    assert affinity[PREFERRED] == [{"weight": 5, "preference": preference}]
    assert make_pod("p").node_selector(disk="ssd").node_selector(gen="3").obj().spec.node_selector == {
        "disk": "ssd",
        "gen": "3",
    }


def test_spread_and_pod_affinity():
    built = (
        make_pod("p")
        .label(app="web")
        .spread("zone", minDomains=2)
        .spread("rack", max_skew=3, soft=True, selector="app!=db")
        .affinity("zone", namespaces=["shop"], namespace_selector={"team": "x"})
        .anti_affinity("hostname", weight=7)
        .anti_affinity("hostname", "tier")
    )
    spec = built.manifest()["spec"]
    assert spec["topologySpreadConstraints"] == [
        {
            "topologyKey": ZONE,
            "maxSkew": 1,
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": WEB,
            "minDomains": 2,
        },
        {
            "topologyKey": "rack",
            "maxSkew": 3,
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["db"]}]},
        },
    ]
    near = {
        "topologyKey": ZONE,
        "labelSelector": WEB,
        "namespaces": ["shop"],
        "namespaceSelector": {"matchLabels": {"team": "x"}},
    }
    host = "kubernetes.io/hostname"
    assert spec["affinity"] == {
        "podAffinity": {REQUIRED: [near]},
        "podAntiAffinity": {
            PREFERRED: [{"weight": 7, "podAffinityTerm": {"topologyKey": host, "labelSelector": WEB}}],
            REQUIRED: [
                {
                    "topologyKey": host,
                    "labelSelector": {"matchExpressions": [{"key": "tier", "operator": "Exists"}]},
                }
            ],
        },
    }


def test_a_step_leaves_the_builder_as_it_was():
    base = make_pod("p").label(app="web").spread("zone").tolerate("k").anti_affinity("hostname").host_port(1)
    before = base.manifest()
    base.label(tier="x").spread("hostname").tolerate("l").affinity("zone").req(cpu="1").host_port(2).container()
    base.terminating().on("n").named("q")
    base.manifest()["spec"]["containers"].clear()
    assert base.manifest() == before


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a=b", [("a", "In", ["b"])]),
        ("a notin (b,c),d", [("a", "NotIn", ["b", "c"]), ("d", "Exists", None)]),
        ("gen>-3, x.io/y<10", [("gen", "Gt", ["-3"]), ("x.io/y", "Lt", ["10"])]),
    ],
)
def test_requirements(text: str, found: list):
    assert [(item["key"], item["operator"], item.get("values")) for item in requirements(text)] == found


def test_selectors_that_select_everything():
    assert label_selector({}) == {"matchLabels": {}}
    assert label_selector("") == {"matchExpressions": []}


def test_clusters():
    service = {"kind": "Service", "metadata": {"name": "s"}, "spec": {"selector": {"app": "web"}}}
    cluster = cluster_of(make_node("n").obj(), make_pod("p").on("n"), service)
    assert cluster.nodes["node"].tolist() == ["n"]
    assert list(cluster.columns.objects) == ["Service"]
    assert state_of(make_node("n"), make_pod("p").on("n")).node_of_pod.tolist() == [0]


def test_faults_are_found_as_in_an_input():
    with pytest.raises(InputError, match=r'<test>: Pod default/p: .*requests\.cpu: "1x" is not a quantity'):
        cluster_of(make_pod("p").req(cpu="1x"))
    with pytest.raises(UsageError, match="expected a manifest of a kind that is understood, got 'Widget'"):
        cluster_of({"kind": "Widget"})
