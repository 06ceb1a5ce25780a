"""Why a pod is pending, and the smallest single changes that let it in."""

from kplace.analysis.why.ask import Why, why

__all__ = ["Why", "why"]
