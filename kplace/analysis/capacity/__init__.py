"""How many more pods fit."""

from kplace.analysis.capacity.ask import capacity, frontier
from kplace.analysis.capacity.result import Capacity

__all__ = ["Capacity", "capacity", "frontier"]
