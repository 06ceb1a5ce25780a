"""How long bindings take and how often they fail, by draws that depend on the seed, the pod and its attempt alone."""

import math
from dataclasses import dataclass

from kplace.engine.simulate.settings import Outcome
from kplace.state.rng import draw

_STEPS = 1 << 30
_DELAY_STREAM = 0x2545F4914F6CDD1D
_FAILURE_STREAM = 0x1D8E4E27C47D124F
_MAX_SEED = 2**63 - 1
FAILED = "an injected failure"


@dataclass(frozen=True, slots=True)
class RandomBinding:
    """Draws what becomes of each binding.

    Attributes
    ----------
    seed : int
    delay : int
        Nanoseconds that each takes at least.
    mean_extra : int
        Nanoseconds that it takes beyond that on average; exponentially distributed.
    failure_rate : float
        The share that fails, 0 to 1.

    Examples
    --------
    >>> binding = RandomBinding(seed=7, delay=5, failure_rate=1.0)
    >>> binding(3, 1).delay, bool(binding(3, 1).error)
    (5, True)
    """

    seed: int = 0
    delay: int = 0
    mean_extra: int = 0
    failure_rate: float = 0.0

    def __call__(self, pod: int, attempt: int) -> Outcome:
        """What becomes of the binding that an attempt at a pod led to."""
        delay = self.delay
        if self.mean_extra:
            # The draw is never 0, so the logarithm is finite.
            share = (self._draw(_DELAY_STREAM, pod, attempt) + 1) / _STEPS
            delay += round(-math.log(share) * self.mean_extra)
        fails = self.failure_rate > 0 and self._draw(_FAILURE_STREAM, pod, attempt) < self.failure_rate * _STEPS
        return Outcome(delay, FAILED if fails else "")

    def _draw(self, stream: int, pod: int, attempt: int) -> int:
        return int(draw((self.seed + stream) & _MAX_SEED, (pod << 20) + attempt, _STEPS))
