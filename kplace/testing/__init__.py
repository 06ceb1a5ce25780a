"""For tests of kplace and of plugins: small clusters by hand (`make_node`, `make_pod`) and made up by Hypothesis.

`check_plugin` checks what a plugin must keep to. The strategies are in `kplace.testing.strategies`, which needs the
extra ``testing``; nothing else here does.
"""

from kplace.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod
from kplace.testing.check_plugin import PluginReport, check_plugin
from kplace.testing.clusters import cluster_of, state_of
from kplace.testing.sample import sample_cluster

__all__ = [
    "NodeBuilder",
    "PluginReport",
    "PodBuilder",
    "check_plugin",
    "cluster_of",
    "make_node",
    "make_pod",
    "sample_cluster",
    "state_of",
]
