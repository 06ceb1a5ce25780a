"""What a cluster is, as columns: nodes, pods, templates, vocabularies, selectors and quantities."""

from kplace.columns.builder import ClusterBuilder
from kplace.columns.cluster import ClusterColumns, Note
from kplace.columns.nodes import NodeColumns
from kplace.columns.pods import PodColumns
from kplace.columns.templates import Template

__all__ = ["ClusterBuilder", "ClusterColumns", "NodeColumns", "Note", "PodColumns", "Template"]
