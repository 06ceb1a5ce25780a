"""The draw among equally good nodes: a hash of the seed and the attempt's number, no generator state."""

_MASK = 0xFFFFFFFFFFFFFFFF


def mix(seed: int, attempt: int) -> int:
    """64 well-mixed bits of a seed and an attempt's number (the SplitMix64 finaliser)."""
    z = (seed * 0xD1342543DE82EF95 + (attempt + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def draw(seed: int, attempt: int, n_choices: int) -> int:
    """Uniform choice out of ``n_choices``, the same for the same seed and attempt.

    Examples
    --------
    >>> [draw(7, attempt, 3) for attempt in range(8)] == [draw(7, attempt, 3) for attempt in range(8)]
    True
    >>> draw(7, 0, 1)
    0
    """
    return ((mix(seed, attempt) >> 32) * n_choices) >> 32
