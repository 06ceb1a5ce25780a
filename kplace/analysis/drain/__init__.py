"""What becomes of pods when nodes go."""

from kplace.analysis.drain.ask import drain
from kplace.analysis.drain.each import EachDrain, drain_each
from kplace.analysis.drain.result import Drain

__all__ = ["Drain", "EachDrain", "drain", "drain_each"]
