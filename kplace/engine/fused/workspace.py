"""Arrays that the loop writes to: those that nobody reads afterwards, and how a run gets fresh ones."""

import numpy as np

from kplace.engine.fused.layout import CellWork, Log, Run, Scratch, Weights
from kplace.state import ClusterState


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


def renewed(run: Run, state: ClusterState, weights: Weights) -> Run:
    """The same run as it was compiled, for a fork of its state and other weights; all that is written to is its own.

    Parameters
    ----------
    run : Run
        One that no pod was placed by.
    """
    cells, rows, counters = run.cells, run.rows, run.counters
    classes = cells.classes._replace(table=cells.classes.table.copy())
    return run._replace(
        cells=cells._replace(nodes=state.loads, weights=weights, classes=classes, work=cell_work(state.n_nodes)),
        rows=rows._replace(
            base=np.empty_like(rows.base),
            table=rows.table.copy(),
            kept=np.empty_like(rows.kept),
            blocks=np.empty_like(rows.blocks),
        ),
        log=Log(np.zeros_like(run.log.nodes), run.log.clock.copy()),
        counters=counters._replace(table=counters.table.copy(), pool=counters.pool.copy()),
        scratch=scratch(state.n_nodes, len(run.scratch.stamp)),
    )
