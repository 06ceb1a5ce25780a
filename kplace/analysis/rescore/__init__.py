"""Pods on nodes, scored against the cluster without them: where the scheduler would rather have them today."""

from kplace.analysis.rescore.ask import rescore
from kplace.analysis.rescore.result import Rescore

__all__ = ["Rescore", "rescore"]
