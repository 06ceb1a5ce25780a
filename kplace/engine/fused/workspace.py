"""Arrays that the loop writes to and nobody reads afterwards."""

import numpy as np

from kplace.engine.fused.layout import CellWork, Scratch


def cell_work(n_nodes: int) -> CellWork:
    """Workspace of base scores."""
    return CellWork(
        sum=np.zeros(n_nodes, np.int64),
        weight=np.zeros(n_nodes, np.int64),
        share=np.zeros(n_nodes),
        other=np.zeros(n_nodes),
    )


def scratch(n_nodes: int, n_domains: int) -> Scratch:
    """Workspace of one decision."""
    return Scratch(
        base=np.empty(n_nodes, np.int16),
        feasible=np.zeros(n_nodes, np.int8),
        scored=np.zeros(n_nodes, np.int8),
        total=np.zeros(n_nodes, np.int32),
        raw=np.zeros(n_nodes, np.int32),
        sum=np.zeros(n_nodes),
        stamp=np.zeros(n_domains, np.int64),
        term=np.zeros(n_domains),
    )
