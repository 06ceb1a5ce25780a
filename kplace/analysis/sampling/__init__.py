"""What percentageOfNodesToScore costs in score, and the value to use."""

from kplace.analysis.sampling.ask import sampling
from kplace.analysis.sampling.result import Sampling

__all__ = ["Sampling", "sampling"]
