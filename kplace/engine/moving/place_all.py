"""Many pods on or off their nodes at once, in all that the fused engine counts."""

import numpy as np

from kplace._jit import bare_kernel
from kplace.dtypes import I32
from kplace.engine.fused.layout import Run
from kplace.engine.fused.loop import Placing, place


@bare_kernel
def place_all(run: Run, placing: Placing, templates: I32, nodes: I32, sign: int) -> None:
    """Put pods on nodes (``sign`` 1) or take them off (-1): in the state, the counters and the log.

    Parameters
    ----------
    templates, nodes : int32 ndarrays, shape (k,)
    """
    for i in range(templates.shape[0]):
        place(run, placing, np.int64(templates[i]), np.int64(nodes[i]), sign)  # type: ignore[arg-type]
