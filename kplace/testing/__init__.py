"""For tests of kplace and of plugins: small clusters by hand (`make_node`, `make_pod`) and made up by Hypothesis.

The strategies are in `kplace.testing.strategies`, which needs the extra ``testing``; nothing else here does.
"""

from kplace.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod
from kplace.testing.clusters import cluster_of, state_of

__all__ = ["NodeBuilder", "PodBuilder", "cluster_of", "make_node", "make_pod", "state_of"]
