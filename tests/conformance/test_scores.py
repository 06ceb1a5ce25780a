"""Every golden case's first attempt through the score matrix."""

import numpy as np

import kplace
from kplace.engine.matrix.kernels import REJECTED
from tests.conformance.golden import Golden

UNTRIED = {"gated", "skipped"}


def test_the_first_pods_scores_are_kube_schedulers(case: Golden):
    # Gated pods come first in a record, and are not tried.
    wanted = next((item for item in case.content["expected"]["pods"] if item["state"] not in UNTRIED), None)
    cluster = kplace.read(case.path)
    scores = kplace.score(cluster, percentage_of_nodes_to_score=None, threads=1)
    block = scores.arrays()
    if wanted is None:
        assert not len(block.pods)
        return
    at = [cluster.columns.pods.key(pod) for pod in block.pods.tolist()].index(wanted["pod"])
    row, arrays, nodes = block.row[at], block.arrays, cluster.columns.nodes.names
    scored = [node for node, name in enumerate(nodes) if name in wanted.get("total", {})]
    assert {nodes[node]: int(arrays.total[row, node]) for node in scored} == wanted.get("total", {})
    if case.family == "large" and "scores" not in wanted:
        return  # numbers alone are recorded
    ran = {name for name, plugin in zip(arrays.axes.plugins, arrays.scores[row], strict=True) if plugin}
    assert ran == wanted.get("scores", {}).keys()
    weighted = arrays.weighted
    for plugin, name in enumerate(arrays.axes.plugins):
        if name in ran:
            got = {nodes[n]: [int(arrays.raw(plugin)[row, n]), int(weighted[row, plugin, n])] for n in scored}
            assert got == wanted["scores"][name], name
    rejected = np.flatnonzero(arrays.verdict[row] == REJECTED).tolist()
    known = {nodes[node]: arrays.axes.rejecters[arrays.rejecter[row, node]] for node in rejected}
    for node, (plugin, _, _) in wanted.get("rejected", {}).items():
        assert known[node] == plugin, node
