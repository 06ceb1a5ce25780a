"""Which pods of a node have to find another one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kplace.columns import ClusterColumns
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I32, Mask
from kplace.engine.fused.volumes import UNKNOWN, volumes_of
from kplace.engine.moving.mover import Mover
from kplace.framework import Profile

_STAY = ("DaemonSet", "Node")
"""Owners of pods that come and go with their node: daemons, and static pods."""


class Leaving(NamedTuple):
    """The pods on some nodes.

    Attributes
    ----------
    evicted : int32 ndarray
        Those that have to find another node, in input order.
    staying : int32 ndarray
        Pods of DaemonSets and static pods: they end with the node.
    ending : int32 ndarray
        Pods that are being deleted anyway.
    """

    evicted: I32
    staying: I32
    ending: I32


def leaving(columns: ClusterColumns, nodes: I32) -> Leaving:
    """Divide the pods on some nodes."""
    pods = columns.pods
    there = pods.holding & np.isin(pods.node, nodes)
    stays = stays_with_node(columns)
    return Leaving(
        np.flatnonzero(there & ~stays & ~pods.terminating).astype(np.int32),
        np.flatnonzero(there & stays & ~pods.terminating).astype(np.int32),
        np.flatnonzero(there & pods.terminating).astype(np.int32),
    )


def adopted(columns: ClusterColumns, schedulers: Sequence[str]) -> ClusterColumns:
    """Leave pods on nodes that are of a scheduler which is not simulated to the first one that is.

    Otherwise nobody would find them another node.
    """
    pods = columns.pods
    known = np.array([name in schedulers for name in pods.schedulers], np.bool_)
    foreign = (pods.node >= 0) & ~known[pods.scheduler] if len(pods) else np.zeros(0, np.bool_)
    if not foreign.any():
        return columns
    names = Vocabulary(pods.schedulers)
    scheduler = np.where(foreign, names.code(schedulers[0]), pods.scheduler).astype(np.int32)
    return replace(columns, pods=replace(pods, scheduler=scheduler, schedulers=names))


def stays_with_node(columns: ClusterColumns) -> Mask:
    """Pods that are of a DaemonSet or static; shape (n_pods,)."""
    by_template = np.array(
        [item.owner is not None and item.owner.kind in _STAY for item in columns.templates], np.bool_
    )
    return by_template[columns.pods.template] if len(by_template) else np.zeros(len(columns.pods), np.bool_)


def in_queue_order(columns: ClusterColumns, pods: I32) -> I32:
    """Evicted pods as they are tried: by priority, then in input order; all are made anew at one time."""
    return pods[np.argsort(-columns.pods.priority[pods], kind="stable")]


def evicted_from(columns: ClusterColumns, node: int) -> I32:
    """Pods of one node that have to find another, as they are tried."""
    return in_queue_order(columns, leaving(columns, np.array([node], np.int32)).evicted)


def hard_to_move(mover: Mover, profile: Profile) -> Mask:
    """Templates with volumes that a mover does not do justice to; shape (n_templates,).

    It does where the nodes for a pod's claims are settled, and nobody shares them.
    """
    return volumes_of(mover.state, profile).mask == UNKNOWN
