"""What other weights and scoring strategies would come to: many of them tried on one cluster."""

from kplace.analysis.tuning.candidates import Candidate, candidates_of
from kplace.analysis.tuning.sweep import OBJECTIVES, Tuning, tune

__all__ = ["OBJECTIVES", "Candidate", "Tuning", "candidates_of", "tune"]
