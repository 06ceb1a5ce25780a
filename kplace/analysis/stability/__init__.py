"""How much of a placement is chance: many runs that differ in draws, start index and order of arrival."""

from kplace.analysis.stability.ask import stability
from kplace.analysis.stability.drawing import arriving, start_of
from kplace.analysis.stability.result import Stability

__all__ = ["Stability", "arriving", "stability", "start_of"]
