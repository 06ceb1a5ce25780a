"""Metrics of a cluster, a run, or plain tables: each a function whose docstring is its definition."""

from kplace.analysis.metrics.gpu import gpu_fragmentation, gpu_histogram, gpu_mix
from kplace.analysis.metrics.packing import packing
from kplace.analysis.metrics.pending import funnel, pending_by_plugin, reasons_wide
from kplace.analysis.metrics.pools import pools
from kplace.analysis.metrics.room import (
    cost,
    effective_fullness,
    largest_free,
    largest_pods,
    schedulable,
    smallest_needs,
    stranded,
)
from kplace.analysis.metrics.scores import margins
from kplace.analysis.metrics.spread import domains, replicas_lost, skews
from kplace.analysis.metrics.use import imbalance, lopsided, utilisation

__all__ = [
    "cost",
    "domains",
    "effective_fullness",
    "funnel",
    "gpu_fragmentation",
    "gpu_histogram",
    "gpu_mix",
    "imbalance",
    "largest_free",
    "largest_pods",
    "lopsided",
    "margins",
    "packing",
    "pending_by_plugin",
    "pools",
    "reasons_wide",
    "replicas_lost",
    "schedulable",
    "skews",
    "smallest_needs",
    "stranded",
    "utilisation",
]
