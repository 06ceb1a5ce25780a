"""Scores of many pods on all nodes, without placing any of them.

``rows`` finds out which pods must get the same scores, ``fill`` runs the cycle once for each of these, ``by_state``
lets nodes in an equal state share what is scored by that state alone, ``by_shape`` lets pods that differ in requests
alone share what other filters say, ``arrays`` holds what came of it, and ``decide``
says what decided.
"""

from collections.abc import Callable
from typing import NamedTuple

from kplace.framework import Profile
from kplace.state import ClusterState


class Workspace(NamedTuple):
    """What one thread works with, and no other one does.

    Attributes
    ----------
    state : ClusterState
        Before any of the waiting pods is placed.
    profiles : dict of str to Profile
        By scheduler name.
    """

    state: ClusterState
    profiles: dict[str, Profile]


MakeWorkspace = Callable[[], Workspace]
"""Makes a workspace; every one is like the others."""
