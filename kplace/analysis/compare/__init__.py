"""What differs between two runs, and which rule made the difference."""

from kplace.analysis.compare.pairs import Comparison, compare
from kplace.analysis.compare.releases import compare_versions

__all__ = ["Comparison", "compare", "compare_versions"]
