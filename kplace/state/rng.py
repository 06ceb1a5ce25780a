"""The draw among equally good nodes: a hash of the seed and the attempt's number, no generator state.

The arithmetic stays below 2**63, so that it gives the same in compiled code and in plain Python.
"""

from kplace._jit import kernel

_WORD = 0xFFFFFFFF


@kernel
def mix(x: int) -> int:
    """Spread the bits of a 32-bit number: a bijection whose every output bit depends on every input bit."""
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & _WORD
    x = ((x ^ (x >> 15)) * 0x31848BAB) & _WORD
    x = ((x ^ (x >> 14)) * 0x2C1B3C6D) & _WORD
    return x ^ (x >> 16)


@kernel
def draw(seed: int, attempt: int, n_choices: int) -> int:
    """Uniform choice out of ``n_choices``, the same for the same seed and attempt.

    Parameters
    ----------
    seed, attempt : int
        0 to 2**63 - 1.
    n_choices : int
        1 to 2**31 - 1.

    Examples
    --------
    >>> [draw(7, attempt, 3) for attempt in range(8)] == [draw(7, attempt, 3) for attempt in range(8)]
    True
    >>> draw(7, 0, 1)
    0
    """
    key = mix(mix(seed & _WORD) ^ (seed >> 32))
    number = mix((attempt & _WORD) ^ key) ^ (attempt >> 32)
    return (mix((number + key) & _WORD) * n_choices) >> 32
