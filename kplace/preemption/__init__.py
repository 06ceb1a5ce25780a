"""Whether pods of a lower priority should make room for one that fits nowhere, and which (upstream's preemption)."""

from kplace.preemption.evaluator import CandidateLimits, preempt

__all__ = ["CandidateLimits", "preempt"]
