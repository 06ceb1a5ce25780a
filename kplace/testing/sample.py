"""A cluster with something of everything that plugins look at, the same every time."""

from kplace.api import Cluster
from kplace.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod
from kplace.testing.clusters import cluster_of

RACK = "example.com/rack"
PRICE = "example.com/price"

_SHAPES = (("2", "4Gi"), ("4", "8Gi"), ("8", "64Gi"), ("16", "32Gi"))
_APPS = ("web", "db", "batch")


def sample_cluster(n_nodes: int = 24, pods_per_node: int = 3) -> Cluster:
    """Make a cluster of different nodes with running pods on all but a few, and some waiting pods.

    Parameters
    ----------
    n_nodes, pods_per_node : int

    Returns
    -------
    Cluster
        Nodes have labels for zone, hostname, ``kubernetes.io/arch``, ``example.com/rack`` (not all of them) and
        ``example.com/price`` (a number, on most); some have GPUs, taints, a cordon, or no room at all.

    Examples
    --------
    >>> sample_cluster()
    <Cluster: 24 nodes, 76 pods, 10 of them waiting>
    """
    nodes = [_node(number) for number in range(n_nodes)]
    running = [_running(node, copy) for node in range(n_nodes) if node % 12 for copy in range(pods_per_node)]
    return cluster_of(*nodes, *running, *_waiting())


def _node(number: int) -> NodeBuilder:
    cpu, memory = _SHAPES[number % len(_SHAPES)]
    amounts = {"cpu": cpu, "memory": memory, "pods": "110"} | ({"nvidia.com/gpu": "4"} if number % 5 == 0 else {})
    if number % 23 == 22:
        amounts = {"pods": "0"}
    node = make_node(f"node-{number}").zone("abc"[number % 3]).capacity(**amounts)
    node = node.label({"kubernetes.io/arch": "arm64" if number % 7 == 3 else "amd64"})
    if number % 4:
        node = node.label({RACK: str(number % 6)})
    if number % 8:
        node = node.label({PRICE: str(1 + number * 37 % 20 / 10)})
    if number % 9 == 4:
        node = node.taint("example.com/dedicated=db:NoSchedule")
    return node.cordon() if number % 11 == 5 else node


def _running(node: int, copy: int) -> PodBuilder:
    number = 3 * node + copy
    pod = make_pod(f"running-{node}-{copy}").label(app=_APPS[number % 3]).priority(number % 2 * 10)
    return pod.req(cpu=f"{100 + 150 * (number % 7)}m", memory=f"{256 * (1 + number % 5)}Mi").on(f"node-{node}")


def _waiting() -> list[PodBuilder]:
    pods = [make_pod(f"{app}-{copy}").label(app=app).req(cpu="500m", memory="1Gi") for app in _APPS for copy in (0, 1)]
    gpu = make_pod("train").label(app="train").req(cpu="2", memory="8Gi", **{"nvidia.com/gpu": "1"}).priority(100)
    edge = make_pod("edge").label(app="web").host_port(8080).node_selector({"kubernetes.io/arch": "arm64"})
    spread = make_pod("spread").label(app="db").spread("zone", max_skew=1).anti_affinity("hostname", {"app": "db"})
    return [gpu, edge, spread, make_pod("tiny"), *pods]
