"""Pods that are moved again and again find what they would find at first."""

import numpy as np
import pytest

from kplace.dtypes import TieBreak
from kplace.engine.cycle import Options
from kplace.engine.moving.mover import Mover
from kplace.plugins.defaults import default_profile
from kplace.testing import make_node, make_pod
from kplace.testing.clusters import cluster_of

RACKS = 10
OPTIONS = Options(tie_break=TieBreak.FIRST)


def racks(seed):
    """Pods that are spread softly over nodes, and over more domains than bits tell apart."""
    rng = np.random.default_rng(seed)
    nodes = [make_node(f"n{i:02d}").label({"rack": f"r{rng.integers(RACKS)}"}) for i in range(3 * RACKS)]
    pods = [
        make_pod(f"p{i}")
        .label({"app": "a"})
        .req(cpu="100m", memory="64Mi")
        .spread("rack", soft=True)
        .spread("hostname", soft=True)
        .on(f"n{rng.integers(3 * RACKS):02d}")
        for i in range(40)
    ]
    return cluster_of(*nodes, *pods).columns


def found_from(mover, node, pods):
    """Where the pods of a node go, all of which is taken back."""
    mover.close(node)
    mover.take_off(pods)
    found = mover.find_nodes(pods)
    mover.take_off(pods)
    mover.reopen(node)
    mover.put_on(pods, np.full(len(pods), node, np.int32))
    return found.tolist()


@pytest.mark.parametrize("seed", [2, 3])
def test_many_searches_by_one_mover_are_those_of_many_movers(seed):
    columns = racks(seed)
    pods = np.flatnonzero(columns.pods.holding).astype(np.int32)
    one = Mover(columns, default_profile(), OPTIONS, pods)
    for node in np.unique(columns.pods.node).tolist():
        own = pods[columns.pods.node == node]
        another = Mover(columns, default_profile(), OPTIONS, pods)
        assert found_from(one, node, own) == found_from(another, node, own)
