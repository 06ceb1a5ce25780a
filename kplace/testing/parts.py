"""Hypothesis strategies for the parts of nodes and pods, as a manifest has them.

All draw from the same few names, in which the likely choices stand several times. Strategies are made once: making one
takes longer than drawing from it.
"""

from functools import cache
from typing import Any

from hypothesis import strategies as st

from kplace.testing.manifests import SHORT_KEYS, Manifest

ZONE, HOSTNAME = SHORT_KEYS["zone"], SHORT_KEYS["hostname"]
GPU = "example.com/gpu"
NAMESPACES = ("default", "shop")
IMAGES = {"example.com/web:1": 900, "example.com/db": 400, "registry.local:5000/app": 60}
"""Names as pods give them, with MiB."""

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_MIB = 1024 * 1024

Strategy = st.SearchStrategy[Any]


def _some(required: dict[str, Strategy], optional: dict[str, Strategy]) -> st.SearchStrategy[Manifest]:
    return st.fixed_dictionaries(required, optional=optional)


@cache
def node_labels() -> st.SearchStrategy[dict[str, str]]:
    """Labels of a node: in most cases a zone, a disk, and a generation that is a number."""
    labels = {
        ZONE: st.sampled_from(["a", "a", "b", "b", "c", None]),
        "disk": st.sampled_from(["ssd", "ssd", "hdd", None]),
        "gen": st.sampled_from(["1", "3", "12", "-2", "x", None]),
    }
    return st.fixed_dictionaries(labels).map(_given)


def _given(fields: Manifest) -> Manifest:
    return {key: value for key, value in fields.items() if value is not None}


@cache
def allocatable(*, scalars: bool) -> st.SearchStrategy[dict[str, str]]:
    """Room of a node; ``scalars`` adds other resources than cpu and memory."""
    fields = {
        "cpu": st.sampled_from(["2", "4", "8", "3500m"]),
        "memory": st.sampled_from(["2Gi", "4Gi", "8192Mi", "3e9"]),
        "pods": st.sampled_from(["110", "110", "110", "3"]),
    }
    more = {
        GPU: st.sampled_from(["4", "2", None]),
        "ephemeral-storage": st.sampled_from(["10Gi", "10Gi", None]),
        "hugepages-2Mi": st.sampled_from(["64Mi", None]),
    }
    return st.fixed_dictionaries(fields | (more if scalars else {})).map(_given)


@cache
def taints() -> st.SearchStrategy[list[Manifest]]:
    """Up to two taints."""
    taint = _some(
        {
            "key": st.sampled_from(["dedicated", "spot"]),
            "effect": st.sampled_from(["PreferNoSchedule", "PreferNoSchedule", "NoSchedule", "NoExecute"]),
        },
        {"value": st.sampled_from(["", "db"])},
    )
    some = st.lists(taint, max_size=2, unique_by=lambda item: (item["key"], item["effect"]))
    return st.one_of(st.just([]), some)


@cache
def tolerations() -> st.SearchStrategy[list[Manifest]]:
    """Up to two tolerations."""
    keyed = _some(
        {"key": st.sampled_from(["dedicated", "spot", "node.kubernetes.io/unschedulable"])},
        {"effect": st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"])},
    )
    equal = st.tuples(keyed, st.sampled_from(["", "db"])).map(lambda pair: pair[0] | {"value": pair[1]})
    exists = keyed.map(lambda item: item | {"operator": "Exists"})
    anything = st.just({"operator": "Exists"})
    return st.lists(st.one_of(exists, exists, equal, anything), max_size=2)


@cache
def node_images() -> st.SearchStrategy[list[Manifest]]:
    """Images that a node holds; every node reports the same size for a name."""
    held = [
        {"names": [name if ":1" in name else f"{name}:latest"], "sizeBytes": size * _MIB}
        for name, size in IMAGES.items()
    ]
    return st.lists(st.sampled_from(held), max_size=3, unique_by=lambda item: item["names"][0])


@cache
def images() -> st.SearchStrategy[str]:
    """An image of a container, which some node may hold."""
    return st.sampled_from([*IMAGES, "example.com/elsewhere:2"])


@cache
def amounts(*, scalars: bool) -> st.SearchStrategy[dict[str, str]]:
    """Requests of a container."""
    fields = {
        "cpu": st.sampled_from(["0", "100m", "250m", "250m", "1", "1.5"]),
        "memory": st.sampled_from(["0", "64Mi", "512Mi", "0.5Gi", "1e9"]),
    }
    plain = _some({}, fields)
    if not scalars:
        return plain
    gpus = st.sampled_from(["0", "1", "2"]).map(lambda number: {GPU: number})
    one_more = st.one_of(gpus, st.just({"ephemeral-storage": "1Gi"}), st.just({"hugepages-2Mi": "32Mi"}))
    return st.one_of(plain, plain, plain, st.tuples(plain, one_more).map(lambda pair: pair[0] | pair[1]))


@cache
def pod_resources(*, rich: bool) -> st.SearchStrategy[Manifest]:
    """A spec with one or two containers; ``rich`` adds what else requests can be made of."""
    limits = _some({}, {"cpu": st.just("1.5"), "memory": st.just("1Gi")})
    container = _some({"requests": amounts(scalars=rich)}, {"limits": limits} if rich else {}).map(_container)
    containers = st.lists(container, min_size=1, max_size=2).map(_containers)
    if not rich:
        return st.fixed_dictionaries({"containers": containers})
    kinds = st.sampled_from([{}, {"restartPolicy": "Always"}])
    init_container = st.tuples(container, kinds).map(lambda pair: pair[0] | pair[1])
    whole_pod = [
        {"requests": {"cpu": "1"}},
        {"requests": {"memory": "1Gi"}, "limits": {"cpu": "2"}},
        {"limits": {"cpu": "500m", "memory": "1Gi"}},
    ]
    return _some(
        {"containers": containers},
        {
            "initContainers": st.lists(init_container, max_size=2).map(_init_containers),
            "overhead": st.just({"cpu": "50m", "memory": "16Mi"}),
            "resources": st.sampled_from(whole_pod),
        },
    )


def _container(resources: Manifest) -> Manifest:
    return {"image": "example.com/elsewhere:2", "resources": resources}


def _containers(drawn: list[Manifest]) -> list[Manifest]:
    return [{"name": f"c{number}"} | container for number, container in enumerate(drawn)]


def _init_containers(drawn: list[Manifest]) -> list[Manifest]:
    return [{"name": f"i{number}"} | container for number, container in enumerate(drawn)]


@cache
def host_ports() -> st.SearchStrategy[Manifest]:
    """The ``ports`` of a container, or none."""
    port = _some(
        {"containerPort": st.sampled_from([80, 443]), "hostPort": st.sampled_from([0, 80, 443])},
        {"protocol": st.sampled_from(["TCP", "UDP"]), "hostIP": st.sampled_from(["0.0.0.0", "10.0.0.1", "10.0.0.2"])},
    )
    return _some({}, {"ports": st.lists(port, max_size=2)})


@cache
def namespaces() -> st.SearchStrategy[str]:
    """A namespace, mostly the default one."""
    return st.sampled_from([NAMESPACES[0]] * 3 + [*NAMESPACES])


@cache
def namespace_labels() -> st.SearchStrategy[dict[str, dict[str, str]]]:
    """Namespaces that are there, with their labels."""
    return _some({}, {name: _some({}, {"team": st.sampled_from(["x", "y"])}) for name in NAMESPACES})


@cache
def pod_labels() -> st.SearchStrategy[dict[str, str]]:
    """Labels of a pod."""
    return _some({"app": st.sampled_from(["web", "web", "db"])}, {"tier": st.sampled_from(["x", "y"])})


@cache
def label_selectors(keys: tuple[str, ...] = ("app", "tier")) -> st.SearchStrategy[Manifest]:
    """A label selector: mostly one label, else expressions, or one that selects everything."""
    values = {"app": ["web", "db"], "tier": ["x", "y"], "team": ["x", "y"]}
    labels = st.sampled_from([{key: value} for key in keys for value in values[key]])
    expressions = st.sampled_from(
        [{"key": key, "operator": word, "values": values[key][:1]} for key in keys for word in ("In", "NotIn")]
        + [{"key": key, "operator": word} for key in keys for word in ("Exists", "DoesNotExist")]
    )
    by_labels = labels.map(lambda item: {"matchLabels": item})
    by_expressions = st.lists(expressions, min_size=1, max_size=2).map(lambda items: {"matchExpressions": items})
    return st.one_of(by_labels, by_labels, by_expressions, st.just({}))


@cache
def node_selectors() -> st.SearchStrategy[dict[str, str]]:
    """A ``nodeSelector``, mostly empty."""
    return st.sampled_from([{}, {}, {}, {"disk": "ssd"}, {ZONE: "a"}])


@cache
def _node_terms() -> st.SearchStrategy[Manifest]:
    expressions = st.sampled_from(
        [
            {"key": "disk", "operator": "In", "values": ["ssd"]},
            {"key": ZONE, "operator": "In", "values": ["a", "b"]},
            {"key": ZONE, "operator": "NotIn", "values": ["a"]},
            {"key": "gen", "operator": "Gt", "values": ["2"]},
            {"key": "gen", "operator": "Lt", "values": ["3"]},
            {"key": "gen", "operator": "Exists"},
            {"key": "disk", "operator": "DoesNotExist"},
        ]
    )
    fields = st.fixed_dictionaries(
        {
            "key": st.just("metadata.name"),
            "operator": st.sampled_from(["In", "In", "NotIn"]),
            "values": st.sampled_from(["n0", "n1", "n2", "gone"]).map(lambda name: [name]),
        }
    )
    return st.one_of(
        st.fixed_dictionaries({"matchExpressions": st.lists(expressions, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"matchExpressions": st.lists(expressions, min_size=1, max_size=2)}),
        _some({"matchFields": st.tuples(fields).map(list)}, {"matchExpressions": st.tuples(expressions).map(list)}),
    )


@cache
def node_affinity() -> st.SearchStrategy[Manifest]:
    """``affinity`` with a ``nodeAffinity`` or without; fields speak of nodes named ``n0`` and so on."""
    terms = _node_terms()
    required = st.lists(terms, min_size=1, max_size=2).map(lambda items: {"nodeSelectorTerms": items})
    weighted = st.fixed_dictionaries({"weight": st.sampled_from([1, 3, 100]), "preference": terms})
    preferred = st.lists(weighted, max_size=2)
    given = st.one_of(_some({}, {_PREFERRED: preferred}), _some({_REQUIRED: required}, {_PREFERRED: preferred}))
    return st.one_of(st.just({}), _some({}, {"nodeAffinity": given}))


@cache
def _affinity_terms() -> st.SearchStrategy[Manifest]:
    return _some(
        {"topologyKey": st.sampled_from([ZONE, ZONE, HOSTNAME, "disk"]), "labelSelector": label_selectors()},
        {
            "namespaces": st.sampled_from([["default"], ["shop"], []]),
            "namespaceSelector": label_selectors(("team",)),
            "matchLabelKeys": st.just(["tier"]),
            "mismatchLabelKeys": st.just(["app"]),
        },
    )


@cache
def pod_affinity() -> st.SearchStrategy[Manifest]:
    """``affinity`` with pod affinity and anti-affinity, or without."""
    terms = _affinity_terms()
    weighted = st.fixed_dictionaries({"weight": st.sampled_from([1, 2, 50]), "podAffinityTerm": terms})
    side = _some({}, {_REQUIRED: st.lists(terms, max_size=1), _PREFERRED: st.lists(weighted, max_size=2)})
    return _some({}, {"podAffinity": side, "podAntiAffinity": side})


@cache
def spread_constraints() -> st.SearchStrategy[list[Manifest]]:
    """Up to two topology spread constraints."""
    policies = st.sampled_from(["Honor", "Ignore"])
    shared = {
        "maxSkew": st.sampled_from([1, 1, 2, 5]),
        "topologyKey": st.sampled_from([ZONE, ZONE, HOSTNAME, "disk"]),
    }
    optional: dict[str, Strategy] = {
        "labelSelector": label_selectors(),
        "nodeAffinityPolicy": policies,
        "nodeTaintsPolicy": policies,
        "matchLabelKeys": st.just(["tier"]),
    }
    hard = _some(
        {"whenUnsatisfiable": st.just("DoNotSchedule"), **shared}, {"minDomains": st.integers(1, 4), **optional}
    )
    soft = _some({"whenUnsatisfiable": st.just("ScheduleAnyway"), **shared}, optional)
    return st.lists(
        st.one_of(hard, soft), max_size=2, unique_by=lambda item: (item["topologyKey"], item["whenUnsatisfiable"])
    )


@cache
def owners() -> st.SearchStrategy[list[Manifest]]:
    """The ``ownerReferences`` of a pod: one of `controllers`, or none."""
    made = [
        {"apiVersion": version, "kind": kind, "name": "one", "controller": True}
        for version, kind in (("apps/v1", "ReplicaSet"), ("apps/v1", "StatefulSet"), ("v1", "ReplicationController"))
    ]
    return st.sampled_from([[], [], *([item] for item in made)])


@cache
def services() -> st.SearchStrategy[list[Manifest]]:
    """Up to two services."""
    service = _some({"namespace": namespaces()}, {"selector": pod_labels()})
    return st.lists(service, max_size=2).map(
        lambda items: [
            {
                "kind": "Service",
                "metadata": {"name": f"s{number}", "namespace": item["namespace"]},
                "spec": {"selector": item["selector"]} if "selector" in item else {},
            }
            for number, item in enumerate(items)
        ]
    )


@cache
def controllers() -> st.SearchStrategy[list[Manifest]]:
    """The controllers that `owners` name, as far as they are there."""
    found = _some(
        {},
        {
            "ReplicaSet": label_selectors(),
            "StatefulSet": label_selectors(),
            "ReplicationController": pod_labels(),
        },
    )
    return st.tuples(found, namespaces()).map(
        lambda pair: [
            {"kind": kind, "metadata": {"name": "one", "namespace": pair[1]}, "spec": {"selector": selector}}
            for kind, selector in pair[0].items()
        ]
    )
