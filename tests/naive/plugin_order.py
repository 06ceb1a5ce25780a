"""The order of plugins at a point, written from the rules in plain Python."""

from collections.abc import Callable, Sequence

Entry = tuple[str, int]
"""A plugin and its weight, 0 if none is given."""


def merged(defaults: Sequence[Entry], enabled: Sequence[Entry], disabled: Sequence[str]) -> list[Entry]:
    """A plugin set over its defaults."""
    result, used = [], set()
    if "*" not in disabled:
        for entry in defaults:
            if entry[0] in disabled:
                continue
            taken = entry
            for position, custom in enumerate(enabled):
                if custom[0] == entry[0]:
                    taken, last = custom, position
            if taken is not entry:
                used.add(last)
            result.append(taken)
    return result + [custom for position, custom in enumerate(enabled) if position not in used]


def order(
    multi_point: Sequence[Entry], own: Sequence[str], disabled: Sequence[str], implements: Callable[[str], bool]
) -> list[str]:
    """A point's plugins as they run."""
    if "*" in disabled:
        return list(own)
    expanded = [name for name, _ in multi_point if implements(name) and name not in disabled]
    first = [name for name in own if name in expanded]
    second = [name for name in expanded if name not in own]
    return first + second + [name for name in own if name not in first]


def weight(score: Sequence[Entry], multi_point: Sequence[Entry], name: str) -> int:
    """A score plugin's weight."""
    for entry in [*score, *multi_point]:
        if entry[0] == name:
            return entry[1] or 1
    return 1
