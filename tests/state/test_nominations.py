"""Nominations: what a pod tries first, and whom others leave room for."""

import numpy as np

from kplace.dtypes import NO_NODE
from kplace.state.nominations import Nominations


def nominations() -> Nominations:
    """Pods 0 to 4 with priorities 0, 5, 5, 9, 1; pods 1 and 2 have node 7 in view, pod 3 node 8."""
    return Nominations(np.array([NO_NODE, 7, 7, 8, NO_NODE], np.int32), np.array([0, 5, 5, 9, 1], np.int64))


def rivals(made: Nominations, pod: int) -> list[tuple[int, int]]:
    pods, nodes = made.rivals(pod)
    return list(zip(pods.tolist(), nodes.tolist(), strict=True))


def test_others_see_only_pods_in_the_queue():
    made = nominations()
    assert len(made) == 0
    assert made.node_of_pod.tolist() == [NO_NODE, 7, 7, 8, NO_NODE]
    for pod in (0, 1, 3):
        made.register(pod)
    assert len(made) == 2
    assert rivals(made, 0) == [(1, 7), (3, 8)]


def test_equal_and_higher_priorities_count_but_not_the_pod_itself():
    made = nominations()
    for pod in (1, 2, 3):
        made.register(pod)
    assert rivals(made, 1) == [(2, 7), (3, 8)]
    assert rivals(made, 3) == []


def test_a_new_nomination_takes_the_place_of_the_old_one():
    made = nominations()
    made.register(1)
    made.nominate(1, 4)
    made.nominate(4, 4)
    assert rivals(made, 0) == [(1, 4), (4, 4)]
    made.clear(1)
    assert rivals(made, 0) == [(4, 4)]
    assert made.node_of_pod.tolist() == [NO_NODE, NO_NODE, 7, 8, 4]


def test_below_names_the_lower_ones_of_a_node():
    made = nominations()
    for pod in (1, 2, 3):
        made.register(pod)
    made.nominate(4, 7)
    assert made.below(7, 5) == [4]
    assert made.below(7, 6) == [1, 2, 4]
    assert made.below(8, 9) == []
