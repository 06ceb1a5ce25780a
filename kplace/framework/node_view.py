"""What some nodes have, by name: the columns as a plugin's author wants them."""

import numpy as np
from numpy.typing import NDArray

from kplace.columns.nodes import NodeColumns
from kplace.dtypes import F64, I32, I64, NO_VALUE, Mask
from kplace.state import ClusterState

Texts = NDArray[np.object_]
"""An array of ``str``."""


class NodeView:
    """Some nodes, in the order given: every answer is a fresh array with one entry for each.

    Made by ``cycle.at(nodes)``.

    Parameters
    ----------
    state : ClusterState
    nodes : int32 ndarray, shape (k,)

    Examples
    --------
    >>> from kplace.testing import make_node, make_pod, state_of
    >>> a, b = make_node("a").label(rack="7"), make_node("b")
    >>> state = state_of(a.capacity(cpu="4"), b.capacity(cpu="2"), make_pod("p").req(cpu="500m").on("b"))
    >>> view = NodeView(state, state.all_nodes)
    >>> view.label("rack").tolist(), view.number("rack").tolist(), view.free("cpu").tolist()
    (['7', ''], [7.0, nan], [4000, 1500])
    """

    __slots__ = ("_state", "nodes")

    def __init__(self, state: ClusterState, nodes: I32) -> None:
        self._state = state
        self.nodes = nodes

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def name(self) -> Texts:
        """Their names."""
        return _all_names(self._columns)[self.nodes]

    def label(self, key: str, default: str = "") -> Texts:
        """Values of a label; ``default`` where a node lacks it."""
        return _all_labels(self._columns, key, default)[self.nodes]

    def has_label(self, key: str) -> Mask:
        """Whether they have a label."""
        return self._columns.label_codes(key)[self.nodes] != NO_VALUE

    def number(self, key: str, default: float = np.nan) -> F64:
        """Values of a label as numbers; ``default`` where a node lacks it or it is no number."""
        return _all_numbers(self._columns, key, default)[self.nodes]

    def allocatable(self, resource: str) -> I64:
        """What they offer of a resource: cpu in milli-cpu, everything else in its own unit; 0 for an unknown one."""
        if resource == "pods":
            return self._state.resources.allowed_pods[self.nodes]
        return self._row(self._state.resources.allocatable, resource)

    def requested(self, resource: str) -> I64:
        """What the pods on them request of a resource, or how many ``pods`` there are."""
        if resource == "pods":
            return self._state.resources.pods[self.nodes]
        return self._row(self._state.resources.requested, resource)

    def free(self, resource: str) -> I64:
        """Allocatable minus requested; negative where a node holds too much."""
        return self.allocatable(resource) - self.requested(resource)

    def share(self, resource: str) -> F64:
        """Requested as a share of allocatable; 0 where nothing is offered."""
        offered = self.allocatable(resource)
        return np.divide(self.requested(resource), offered, out=np.zeros(len(self)), where=offered > 0)

    @property
    def unschedulable(self) -> Mask:
        """Whether they are cordoned."""
        return self._columns.unschedulable[self.nodes]

    @property
    def _columns(self) -> NodeColumns:
        return self._state.columns.nodes

    def _row(self, table: I64, resource: str) -> I64:
        row = self._state.columns.resources.find(resource)
        return table[row, self.nodes] if row >= 0 else np.zeros(len(self), np.int64)


def _all_names(columns: NodeColumns) -> Texts:
    return columns.derived("names as an array", lambda: _texts(columns.names))


def _all_labels(columns: NodeColumns, key: str, default: str) -> Texts:
    def make() -> Texts:
        # Nodes without the label have the code -1: the last entry.
        return _texts([*columns.label_values(key), default])[columns.label_codes(key)]

    return columns.derived(("labels as an array", key, default), make)


def _all_numbers(columns: NodeColumns, key: str, default: float) -> F64:
    def make() -> F64:
        values = [*(_number(text, default) for text in columns.label_values(key)), default]
        return np.array(values, np.float64)[columns.label_codes(key)]

    return columns.derived(("numbers as an array", key, str(default)), make)


def _texts(texts: list[str]) -> Texts:
    return np.array([*texts, None], np.object_)[:-1]


def _number(text: str, default: float) -> float:
    try:
        return float(text)
    except ValueError:
        return default
