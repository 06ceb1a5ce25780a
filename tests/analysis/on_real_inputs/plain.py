"""What the answers are held against: the readable engine, one pod after another, and plain pandas."""

from typing import NamedTuple

import kplace
from kplace.api.setup import set_up
from kplace.columns.addition import free_names, with_pods
from kplace.dtypes import PreemptionMode, TieBreak
from kplace.engine.cycle import Options, try_pod
from kplace.engine.diagnose import diagnose
from kplace.engine.place import carry_out
from kplace.state import ClusterState


class Given(NamedTuple):
    """An input as it was read, and once it was placed."""

    name: str
    waiting: kplace.Cluster
    run: kplace.Placements

    @property
    def cluster(self):
        """With its pods on nodes."""
        return self.run.cluster


def keys_of(table):
    return (table["namespace"].astype("str") + "/" + table["pod"].astype("str")).tolist()


def nodes_by_pod(table):
    """Node of each pod, None for none."""
    nodes = table["node"].astype("object").where(table["node"].notna(), None)
    return dict(zip(keys_of(table), nodes, strict=True))


def others_that_wait(cluster, own=()):
    """Keys of the pods that wait, but for some."""
    table = cluster.pods
    return sorted(set(keys_of(table[table["waiting"]])) - set(own))


def evicted(cluster, nodes):
    """Keys of the pods on some nodes that have to find another one: no daemons, no static pods, none that end."""
    pods = cluster.pods
    there = pods["node"].astype("str").isin(nodes) & ~pods["phase"].isin(["Succeeded", "Failed"]) & ~pods["terminating"]
    return keys_of(pods[there & ~pods["owner_kind"].isin(["DaemonSet", "Node"])])


def placed_singly(cluster, template, most):
    """Copies of a template by the readable engine, each in the cluster that those before it have left.

    Returns
    -------
    nodes : list of str
    message : str
        What the first copy that finds no node is told; empty if the last of ``most`` found one.
    """
    first = len(cluster.columns.pods)
    columns = with_pods(cluster.columns, [template] * most, free_names(cluster.columns, "copies", "copy", most))
    profile, state, nodes = set_up(cluster).profiles[0], ClusterState(columns), []
    options = Options(TieBreak.FIRST, preemption=PreemptionMode.OFF)
    for number in range(most):
        attempt = try_pod(state, profile, first + number, number, options)
        if attempt.node < 0:
            return nodes, diagnose(attempt)[1]
        carry_out(state, attempt)
        nodes.append(columns.nodes.names[attempt.node])
    return nodes, ""
