"""What changes while pods are placed: node resources and the counts of pods, kept current by assume and forget."""

from kplace.state.cluster_state import ClusterState
from kplace.state.groups import PodGroups
from kplace.state.node_resources import NodeResources

__all__ = ["ClusterState", "NodeResources", "PodGroups"]
