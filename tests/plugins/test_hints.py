"""Which events wake a pod, plugin by plugin: the rules of upstream's QueueingHints as tables."""

from collections.abc import Iterable
from typing import Any

import pytest

from kplace.framework.events import Action, ClusterEvent, Happening, NodeImage, PodImage, Resource
from kplace.plugins import names
from kplace.plugins.registry import in_tree_registry
from kplace.queue.rules import with_fallback
from kplace.testing.builders import make_node, make_pod
from kplace.testing.clusters import cluster_of
from kplace.testing.manifests import ObjectBuilder

Item = ObjectBuilder[Any]

NODE = make_node("n").zone("a").capacity(cpu="2", memory="4Gi")
POD = make_pod("p")

NODE_ACTIONS = {
    "add": Action.ADD,
    "delete": Action.DELETE,
    "label": Action.UPDATE_NODE_LABEL,
    "taint": Action.UPDATE_NODE_TAINT,
    "allocatable": Action.UPDATE_NODE_ALLOCATABLE,
}


def is_woken(plugin: str, waiting: Item, event: ClusterEvent, old: Item | None, new: Item | None) -> bool:
    """Whether a plugin that rejected a pod lets an event wake it."""
    items = [item for item in (waiting, old, new) if item is not None]
    nodes = [item for item in items if not _is_pod(item)]
    pods = {id(item): item.named(f"x{i}") for i, item in enumerate(items) if _is_pod(item)}
    columns = cluster_of(*pods.values(), *(node.named(f"y{i}") for i, node in enumerate(nodes))).columns
    images = {
        key: PodImage(_row(items, key), columns.templates[columns.pods.template[i]], *_places(pods[key]))
        for i, key in enumerate(pods)
    }

    def image(item: Item | None) -> PodImage | NodeImage | None:
        if item is None:
            return None
        return images[id(item)] if _is_pod(item) else NodeImage(item.obj(), columns.resources)

    happening = Happening(event, image(old), image(new), columns)
    registered = with_fallback(in_tree_registry()[plugin]().events_to_register())
    heard = [item for item in registered if item.event.covers(event)]
    return any(item.hint is None or item.hint(images[id(waiting)], happening) for item in heard)


def _is_pod(item: Item) -> bool:
    return item.manifest()["kind"] == "Pod"


def _row(items: Iterable[Item], key: int) -> int:
    """A pod's row: the same for items of the same name, which are versions of one pod."""
    names_ = [item.manifest()["metadata"]["name"] for item in items]
    return names_.index(next(item.manifest()["metadata"]["name"] for item in items if id(item) == key))


def _places(item: Item) -> tuple[str, str]:
    manifest = item.manifest()
    return manifest["spec"].get("nodeName", ""), manifest.get("status", {}).get("nominatedNodeName", "")


def node_event(plugin: str, waiting: Item, action: str, old: Item | None, new: Item | None) -> bool:
    return is_woken(plugin, waiting, ClusterEvent(Resource.NODE, NODE_ACTIONS[action]), old, new)


def pod_event(plugin: str, waiting: Item, action: Action, old: Item | None, new: Item | None) -> bool:
    after = new or old
    assert after is not None
    resource = Resource.ASSIGNED_POD if _places(after)[0] else Resource.UNSCHEDULED_POD
    if action is Action.DELETE:
        resource = Resource.ASSIGNED_POD
    return is_woken(plugin, waiting, ClusterEvent(resource, action), old, new)


NEEDS_SSD = POD.node_selector(disk="ssd")
SSD = NODE.label(disk="ssd")
TAINTED = NODE.taint("k=x:NoSchedule")


@pytest.mark.parametrize(
    ("plugin", "waiting", "action", "old", "new", "woken"),
    [
        (names.NODE_AFFINITY, NEEDS_SSD, "add", None, SSD, True),
        (names.NODE_AFFINITY, NEEDS_SSD, "add", None, NODE, False),
        (names.NODE_AFFINITY, NEEDS_SSD, "label", NODE, SSD, True),
        (names.NODE_AFFINITY, NEEDS_SSD, "label", SSD, SSD.label(more="x"), False),
        (names.NODE_AFFINITY, NEEDS_SSD, "allocatable", NODE, SSD, False),
        # The fallback: no hint of its own for taints, hence any change of taints wakes.
        (names.NODE_AFFINITY, NEEDS_SSD, "taint", NODE, TAINTED, True),
        (names.NODE_NAME, POD, "add", None, NODE, True),
        (names.NODE_NAME, POD, "label", NODE, SSD, False),
        (names.NODE_NAME, POD, "taint", NODE, TAINTED, True),
        (names.NODE_UNSCHEDULABLE, POD, "add", None, NODE, True),
        (names.NODE_UNSCHEDULABLE, POD, "add", None, NODE.cordon(), False),
        (names.NODE_UNSCHEDULABLE, POD, "taint", NODE.cordon(), NODE, True),
        (names.NODE_UNSCHEDULABLE, POD, "taint", NODE, TAINTED, False),
        (names.TAINT_TOLERATION, POD, "add", None, NODE, True),
        (names.TAINT_TOLERATION, POD, "add", None, TAINTED, False),
        (names.TAINT_TOLERATION, POD.tolerate("k=x:NoSchedule"), "add", None, TAINTED, True),
        (names.TAINT_TOLERATION, POD, "taint", TAINTED, NODE, True),
        (names.TAINT_TOLERATION, POD, "taint", NODE, NODE.taint("a:PreferNoSchedule"), False),
        (names.TAINT_TOLERATION, POD, "taint", TAINTED, NODE.taint("k=x:NoExecute"), False),
        (names.NODE_RESOURCES_FIT, POD.req(cpu="2"), "add", None, NODE, True),
        (names.NODE_RESOURCES_FIT, POD.req(cpu="3"), "add", None, NODE, False),
        (names.NODE_RESOURCES_FIT, POD.req(**{"example.com/gpu": "1"}), "add", None, NODE, False),
        (names.NODE_RESOURCES_FIT, POD, "add", None, NODE.capacity(cpu="2", pods="0"), False),
        (names.NODE_RESOURCES_FIT, POD.req(cpu="1"), "allocatable", NODE, NODE.capacity(cpu="3", memory="4Gi"), True),
        # Memory grew, and the pod asks for cpu.
        (names.NODE_RESOURCES_FIT, POD.req(cpu="1"), "allocatable", NODE, NODE.capacity(cpu="2", memory="8Gi"), False),
        (names.NODE_RESOURCES_FIT, POD, "allocatable", NODE, NODE.capacity(cpu="2", memory="4Gi", pods="111"), True),
        (names.NODE_RESOURCES_FIT, POD.req(cpu="1"), "label", NODE, SSD, False),
        (names.NODE_RESOURCES_FIT, POD.req(cpu="1"), "taint", NODE, TAINTED, True),
        (names.NODE_PORTS, POD.host_port(80), "add", None, NODE, True),
        (names.NODE_PORTS, POD.host_port(80), "label", NODE, SSD, False),
        (names.POD_TOPOLOGY_SPREAD, POD.label(a="b").spread("zone"), "add", None, NODE, True),
        (names.POD_TOPOLOGY_SPREAD, POD.label(a="b").spread("rack"), "add", None, NODE, False),
        (names.POD_TOPOLOGY_SPREAD, POD.label(a="b").spread("zone").spread("rack"), "add", None, NODE, False),
        (names.POD_TOPOLOGY_SPREAD, POD.label(a="b").spread("zone"), "delete", NODE, None, True),
        (names.POD_TOPOLOGY_SPREAD, POD.label(a="b").spread("zone"), "label", NODE, NODE.zone("b"), True),
        (names.POD_TOPOLOGY_SPREAD, POD.label(a="b").spread("zone"), "label", NODE, SSD, False),
        (names.POD_TOPOLOGY_SPREAD, POD.label(a="b").spread("rack"), "label", NODE, NODE.label(rack="1"), True),
        (names.POD_TOPOLOGY_SPREAD, POD.label(a="b").spread("zone"), "taint", NODE, TAINTED, True),
        (names.POD_TOPOLOGY_SPREAD, POD.label(a="b").spread("rack"), "taint", NODE, TAINTED, False),
        (names.INTER_POD_AFFINITY, POD.affinity("zone", {"a": "b"}), "add", None, NODE, True),
        (names.INTER_POD_AFFINITY, POD.affinity("rack", {"a": "b"}), "add", None, NODE, False),
        (names.INTER_POD_AFFINITY, POD.affinity("rack", {"a": "b"}), "label", NODE, NODE.label(rack="1"), True),
        (names.INTER_POD_AFFINITY, POD.affinity("zone", {"a": "b"}), "label", NODE, NODE.zone("b"), True),
        (names.INTER_POD_AFFINITY, POD.affinity("rack", {"a": "b"}), "label", NODE.label(rack="1"), NODE, False),
        (names.INTER_POD_AFFINITY, POD.anti_affinity("rack", {"a": "b"}), "add", None, NODE, True),
        (names.INTER_POD_AFFINITY, POD.anti_affinity("rack", {"a": "b"}), "label", NODE.label(rack="1"), NODE, True),
        (names.INTER_POD_AFFINITY, POD.anti_affinity("rack", {"a": "b"}), "label", NODE, NODE.label(rack="1"), False),
        # Rejected by the anti-affinity of a pod that exists: no event of a node has a hint for that.
        (names.INTER_POD_AFFINITY, POD, "add", None, NODE, False),
        (names.INTER_POD_AFFINITY, POD, "taint", NODE, TAINTED, True),
    ],
)
def test_events_of_nodes(plugin, waiting, action, old, new, woken):
    assert node_event(plugin, waiting, action, old, new) == woken


WEB, DB = make_pod("other").label(app="web").on("n"), make_pod("other").label(app="db").on("n")
NEAR_WEB = POD.affinity("zone", {"app": "web"})
FAR_WEB = POD.anti_affinity("zone", {"app": "web"})
SPREAD_WEB = POD.label(app="web").spread("zone")


@pytest.mark.parametrize(
    ("plugin", "waiting", "action", "old", "new", "woken"),
    [
        (names.NODE_RESOURCES_FIT, POD.req(cpu="1"), Action.DELETE, WEB, None, True),
        (names.NODE_RESOURCES_FIT, POD.req(cpu="1"), Action.ADD, None, WEB, False),
        # A pod that had a node in view leaves: it held room.
        (names.NODE_RESOURCES_FIT, POD.req(cpu="1"), Action.DELETE, make_pod("o").nominated("n"), None, True),
        (names.NODE_RESOURCES_FIT, POD.req(cpu="1"), Action.DELETE, make_pod("o"), None, False),
        (
            names.NODE_RESOURCES_FIT,
            POD.req(cpu="1"),
            Action.UPDATE_POD_SCALE_DOWN,
            WEB.req(cpu="2"),
            WEB.req(cpu="1"),
            True,
        ),
        (
            names.NODE_RESOURCES_FIT,
            POD.req(cpu="1"),
            Action.UPDATE_POD_SCALE_DOWN,
            WEB.req(cpu="1", memory="2Gi"),
            WEB.req(cpu="1", memory="1Gi"),
            False,
        ),
        (names.NODE_PORTS, POD.host_port(80), Action.DELETE, WEB.host_port(80), None, True),
        (names.NODE_PORTS, POD.host_port(80), Action.DELETE, WEB.host_port(81), None, False),
        (names.NODE_PORTS, POD.host_port(80), Action.DELETE, make_pod("o").host_port(80), None, False),
        (names.INTER_POD_AFFINITY, NEAR_WEB, Action.ADD, None, WEB, True),
        (names.INTER_POD_AFFINITY, NEAR_WEB, Action.ADD, None, DB, False),
        (names.INTER_POD_AFFINITY, NEAR_WEB, Action.DELETE, WEB, None, False),
        # All terms must mean the pod.
        (names.INTER_POD_AFFINITY, NEAR_WEB.affinity("zone", {"app": "db"}), Action.ADD, None, WEB, False),
        (names.INTER_POD_AFFINITY, FAR_WEB, Action.DELETE, WEB, None, True),
        (names.INTER_POD_AFFINITY, FAR_WEB, Action.DELETE, DB, None, False),
        (names.INTER_POD_AFFINITY, FAR_WEB.anti_affinity("zone", {"app": "db"}), Action.DELETE, WEB, None, False),
        (names.INTER_POD_AFFINITY, FAR_WEB, Action.UPDATE_POD_LABEL, WEB, DB, True),
        (names.INTER_POD_AFFINITY, FAR_WEB, Action.UPDATE_POD_LABEL, DB, WEB, False),
        (names.INTER_POD_AFFINITY, NEAR_WEB, Action.UPDATE_POD_LABEL, DB, WEB, True),
        # A pod without a node means nothing to it.
        (names.INTER_POD_AFFINITY, FAR_WEB, Action.DELETE, make_pod("o").label(app="web").nominated("n"), None, False),
        # A pod rejected by that very pod's anti-affinity is not woken by its end.
        (
            names.INTER_POD_AFFINITY,
            POD.label(app="x"),
            Action.DELETE,
            WEB.anti_affinity("zone", {"app": "x"}),
            None,
            False,
        ),
        (names.POD_TOPOLOGY_SPREAD, SPREAD_WEB, Action.ADD, None, WEB, True),
        (names.POD_TOPOLOGY_SPREAD, SPREAD_WEB, Action.ADD, None, DB, False),
        (names.POD_TOPOLOGY_SPREAD, SPREAD_WEB, Action.DELETE, WEB, None, True),
        (names.POD_TOPOLOGY_SPREAD, SPREAD_WEB, Action.UPDATE_POD_LABEL, WEB, DB, True),
        (names.POD_TOPOLOGY_SPREAD, SPREAD_WEB, Action.UPDATE_POD_LABEL, DB, DB.label(a="b"), False),
        (names.DEFAULT_PREEMPTION, POD, Action.DELETE, WEB, None, False),
        (names.TAINT_TOLERATION, POD, Action.DELETE, WEB, None, False),
    ],
)
def test_events_of_other_pods(plugin, waiting, action, old, new, woken):
    assert pod_event(plugin, waiting, action, old, new) == woken


def test_terms_are_read_without_the_labels_of_namespaces():
    elsewhere = make_pod("other", "team").label(app="web").on("n")
    by_name = POD.affinity("zone", {"app": "web"}, namespaces=["team"])
    by_label = POD.affinity("zone", {"app": "web"}, namespace_selector={"kubernetes.io/metadata.name": "team"})
    anywhere = POD.affinity("zone", {"app": "web"}, namespace_selector={})
    woken = [
        pod_event(names.INTER_POD_AFFINITY, waiting, Action.ADD, None, elsewhere)
        for waiting in (by_name, by_label, anywhere, NEAR_WEB)
    ]
    assert woken == [True, False, True, False]


def test_spreading_looks_at_its_own_namespace_only():
    elsewhere = make_pod("other", "team").label(app="web").on("n")
    assert not pod_event(names.POD_TOPOLOGY_SPREAD, SPREAD_WEB, Action.ADD, None, elsewhere)


TOLERANT = POD.tolerate("k=x:NoSchedule")
HONORING = POD.label(app="web").spread("zone", nodeTaintsPolicy="Honor")


@pytest.mark.parametrize(
    ("plugin", "action", "old", "new", "woken"),
    [
        (names.TAINT_TOLERATION, Action.UPDATE_POD_TOLERATION, POD, TOLERANT, True),
        (names.NODE_UNSCHEDULABLE, Action.UPDATE_POD_TOLERATION, POD, TOLERANT, False),
        (names.NODE_UNSCHEDULABLE, Action.UPDATE_POD_TOLERATION, POD, POD.tolerate("*"), True),
        (names.NODE_RESOURCES_FIT, Action.UPDATE_POD_SCALE_DOWN, POD.req(cpu="2"), POD.req(cpu="1"), True),
        (names.NODE_RESOURCES_FIT, Action.UPDATE_POD_LABEL, POD, POD.label(a="b"), False),
        (names.SCHEDULING_GATES, Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED, POD.gate("g"), POD, True),
        (names.SCHEDULING_GATES, Action.UPDATE_POD_LABEL, POD.gate("g"), POD.gate("g").label(a="b"), False),
        (names.POD_TOPOLOGY_SPREAD, Action.UPDATE_POD_LABEL, SPREAD_WEB, SPREAD_WEB.label(app="db"), True),
        (names.POD_TOPOLOGY_SPREAD, Action.UPDATE_POD_TOLERATION, SPREAD_WEB, SPREAD_WEB.tolerate("*"), False),
        (names.POD_TOPOLOGY_SPREAD, Action.UPDATE_POD_TOLERATION, HONORING, HONORING.tolerate("*"), True),
        (names.INTER_POD_AFFINITY, Action.UPDATE_POD_LABEL, NEAR_WEB, NEAR_WEB.label(app="web"), False),
    ],
)
def test_updates_of_the_pod_itself(plugin, action, old, new, woken):
    assert pod_event(plugin, new, action, old, new) == woken


@pytest.mark.parametrize("action", [Action.UPDATE_POD_TOLERATION, Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED])
def test_updates_of_another_waiting_pod_help_nobody(action):
    old, new = make_pod("o").gate("g"), make_pod("o").tolerate("*")
    for plugin in (names.TAINT_TOLERATION, names.NODE_UNSCHEDULABLE, names.SCHEDULING_GATES):
        assert not pod_event(plugin, POD, action, old, new)


def test_a_general_update_is_heard_by_no_plugin_in_tree():
    for plugin in (names.NODE_RESOURCES_FIT, names.INTER_POD_AFFINITY, names.POD_TOPOLOGY_SPREAD):
        assert not pod_event(plugin, POD, Action.UPDATE, WEB, WEB)
